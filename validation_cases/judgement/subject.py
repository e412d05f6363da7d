"""The solver under test as the cases see it: what it states of itself, and what the user asks of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.problem.nearest import nearest
from veridyn.references.methods.discrete import read_method
from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.contract.statements import (
    Claims,
    Refinement,
    check_contract,
    claims_of,
    defaults_of,
    read_claims,
    read_levels,
    read_refinement,
    refinement_of,
    refines,
)
from veridyn.validation_cases.judgement.tolerances import Requirement, read_requirement

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """What the user asks beyond the defaults; nothing of it is needed.

    Attributes
    ----------
    settings
        Settings that the solver declares.
    claims
        What the user claims of the solver; replaces what the solver claims.
    refinement
        Levels, or the name of a setting to be refined; replaces what the solver states.
    require
        Criterion in place of those of the cases.
    schemes, quantities
        Names of those that are judged; all if empty.
    """

    settings: Settings = field(default_factory=dict)
    claims: Mapping[str, Any] = field(default_factory=dict)
    refinement: Sequence[Settings] | str = ()
    require: Requirement | None = None
    schemes: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()


def read_request(
    *, settings: Settings | None = None, claims: Sequence[str] = (), refine: str = "", require: str = ""
) -> Request:
    """Read what a user asks on a command line.

    Parameters
    ----------
    claims
        ``NAME=VALUE`` pairs, parameters of a method among them.
    refine
        ``NAME=VALUE,VALUE,…`` from coarse to fine, or the name of a setting alone.
    require
        ``digits=6`` or ``rel=1e-6``.

    Raises
    ------
    SettingsError
        If any of them cannot be understood.
    """
    stated = dict(_pair("--claim", text) for text in claims)
    if stated:
        read_claims("--claim", stated)
    required = read_requirement(require) if require else None
    return Request(settings or {}, stated, _levels(refine), required)


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise SettingsError(f"{option} {text!r}: write NAME=VALUE, e.g. order=2")
    return name, value


def _levels(text: str) -> Sequence[Settings] | str:
    if not text or "=" not in text:
        return text.strip() or ()
    name, values = _pair("--refine", text)
    try:
        levels = [{name: float(value)} for value in values.split(",")]
    except ValueError:
        raise SettingsError(
            f"--refine {text!r}: {values!r} is no list of numbers, e.g. step=1e-2,5e-3,2.5e-3"
        ) from None
    read_refinement("--refine", levels)
    return levels


@dataclass(frozen=True)
class Subject:
    """A solver as it describes itself: data only, so that it travels between processes.

    ``claims`` and ``settings``, those that it declares with their meaning, are given by scheme; a solver without
    schemes has one, the empty name. ``refined``: whether there are refinement levels.
    ``warms_up``: whether it compiles before its first run.
    """

    name: str
    version: str = ""
    capabilities: frozenset[str] = frozenset()
    schemes: tuple[str, ...] = ("",)
    claims: Mapping[str, Claims] = field(default_factory=dict)
    refined: bool = False
    warms_up: bool = False
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    request: Request = field(default_factory=Request)

    @classmethod
    def of(cls, solver: Solver, request: Request | None = None) -> Subject:
        """Describe a solver.

        Raises
        ------
        SolverInputError
            See `check_contract`; if settings are no mapping; if claims are unknown or contradict each other; if
            constant refinement levels cannot be used; if it has none of the schemes that the user names.
        """
        request = request or Request()
        check_contract(solver)
        schemes = tuple(getattr(solver, "schemes", ()) or ("",))
        settings = {scheme: _settings(solver, scheme) for scheme in schemes}
        claims = {scheme: _claims(solver, scheme, request) for scheme in schemes}
        _check_refinement(solver, request, {name for known in settings.values() for name in known})
        subject = cls(
            name=solver.name,
            version=str(getattr(solver, "version", "")),
            capabilities=frozenset(solver.capabilities),
            schemes=schemes,
            claims=claims,
            refined=bool(request.refinement) or refines(solver),
            warms_up=hasattr(solver, "warm_up"),
            settings=settings,
        )
        return subject.asked(request)

    def asked(self, request: Request) -> Subject:
        """Return the solver with the schemes of a request, and the request itself.

        Raises
        ------
        SolverInputError
            If it has none of those schemes.
        """
        schemes = tuple(scheme for scheme in self.schemes if not request.schemes or scheme in request.schemes)
        if not schemes:
            wrong = request.schemes[0]
            raise SolverInputError(
                f"solver {self.name} has no scheme {wrong!r}; {nearest(wrong, sorted(self.schemes))}"
            )
        return replace(self, schemes=schemes, request=request)

    @property
    def known(self) -> Mapping[str, str]:
        """Settings of any scheme, with their meaning."""
        return {name: meaning for settings in self.settings.values() for name, meaning in settings.items()}

    def chosen(self, scheme: str) -> Settings:
        """Return the settings of the user that a scheme knows."""
        known = self.settings.get(scheme, {})
        return {name: value for name, value in self.request.settings.items() if name in known}

    def default_settings(self, solver: Solver, problem: Problem, scheme: str) -> Settings:
        """Return the settings of a default run: the user's, or all that the solver takes by itself."""
        chosen: Settings = {"scheme": scheme} if scheme else {}
        return {**chosen, **(self.chosen(scheme) or defaults_of(solver, problem, scheme))}

    def refinement(self, solver: Solver, problem: Problem, scheme: str) -> Refinement:
        """Return the levels with the user's other settings; a level's own settings come first.

        A user who sets the refined setting itself moves all levels, so that the finest has the value set.

        Raises
        ------
        SettingsError
            See `refinement_of`.
        """
        stated = refinement_of(solver, problem, scheme, self.request.refinement, self.claims.get(scheme))
        chosen: Settings = {"scheme": scheme} if scheme else {}
        user = self.chosen(scheme)
        if stated.key not in user or self.request.refinement:
            return Refinement(stated.key, tuple({**chosen, **user, **level} for level in stated.levels))
        factor = float(user[stated.key]) / stated.sizes[-1]
        levels = tuple({**chosen, **user, stated.key: factor * size} for size in stated.sizes)
        return Refinement(stated.key, levels)


def _claims(solver: Solver, scheme: str, request: Request) -> Claims:
    claims = read_claims(f"solver {solver.name}", request.claims) if request.claims else claims_of(solver, scheme)
    if claims.method:
        try:
            read_method(claims.method, claims.parameters)
        except ValueError as error:
            raise SettingsError(f"solver {solver.name}: {error}") from None
    return claims


def _settings(solver: Solver, scheme: str) -> Mapping[str, str]:
    given = getattr(solver, "settings", {})
    known = given(*([scheme] if scheme else [])) if callable(given) else given
    if not isinstance(known, Mapping) or not all(isinstance(name, str) for name in known):
        raise SolverInputError(
            f"solver {solver.name}: settings must map names to meanings, e.g. {{'rtol': 'relative tolerance'}}, "
            f"got {known!r}"
        )
    return dict(known)


def _check_refinement(solver: Solver, request: Request, known: Iterable[str]) -> None:
    """Refuse levels that can be refused before any problem is known, and settings that the solver does not declare."""
    given = request.refinement or read_levels(solver)
    asked = [request.refinement] if isinstance(request.refinement, str) else [n for g in request.refinement for n in g]
    for name in asked if request.refinement else []:
        if name not in known:
            hint = nearest(name, sorted(known)) if known else "it declares none"
            raise SettingsError(f"solver {solver.name} declares no setting {name!r} to be refined; {hint}")
    if given and not callable(given) and not isinstance(given, str):
        read_refinement(f"solver {solver.name}", given)
