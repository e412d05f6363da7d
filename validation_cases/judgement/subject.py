"""The solver under test as the cases see it: what it states of itself, and what the user asks of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.problem.nearest import nearest
from veridyn.references.methods.discrete import read_method
from veridyn.solver.contract.errors import CapabilityError, SettingsError
from veridyn.solver.contract.gate import Gate, default_settings, read_levels
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.output_grid import OUTPUT_INTERVAL, list_output_levels
from veridyn.solver.contract.statements import (
    Claims,
    ObservedClaims,
    Refinement,
    Settings,
    as_float,
    find_levels,
    list_tolerances,
    read_claims,
    read_refinement,
)
from veridyn.validation_cases.judgement.tolerances import Requirement, read_requirement


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
    schemes, quantities, relations
        Names of those that are judged; all if empty.
    observed
        By scheme, what its answers showed: stands in for what neither solver nor user states.
    seed
        What moves the parameters of the copies that are judged beside the cases; None: none are.
    """

    settings: Settings = field(default_factory=dict)
    claims: Mapping[str, object] = field(default_factory=dict)
    refinement: Sequence[Settings] | str = ()
    require: Requirement | None = None
    schemes: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    seed: int | None = None
    observed: Mapping[str, ObservedClaims] = field(default_factory=dict)

    def get_refinement(self, scheme: str) -> str:
        """Return the name of the setting that was seen to refine a scheme; empty if none was."""
        return self.observed.get(scheme, ObservedClaims()).refinement

    def get_absolute(self, scheme: str) -> str:
        """Return the name of the absolute tolerance that is refined with that setting; empty if there is none."""
        return self.observed.get(scheme, ObservedClaims()).absolute


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
    ``observed`` are the schemes whose claims were seen in their answers, and are stated by nobody.
    ``warms_up``: whether it compiles before its first run. ``families``: cases of which it solves many at once.
    """

    name: str
    version: str = ""
    capabilities: frozenset[str] = frozenset()
    schemes: tuple[str, ...] = ("",)
    claims: Mapping[str, Claims] = field(default_factory=dict)
    refined: bool = False
    observed: tuple[str, ...] = ()
    warms_up: bool = False
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    families: frozenset[str] = frozenset()
    request: Request = field(default_factory=Request)

    @classmethod
    def from_introduction(cls, introduction: Introduction, request: Request | None = None) -> Subject:
        """Describe a solver that has introduced itself.

        Raises
        ------
        SolverInputError
            If claims of the user are unknown or contradict each other; if refinement levels of the user cannot be used;
            if the solver has none of the schemes that the user names.
        """
        request = request or Request()
        _check_refinement(introduction, request)
        subject = cls(
            name=introduction.name,
            version=introduction.version,
            capabilities=introduction.capabilities,
            schemes=introduction.schemes,
            claims={scheme: _choose_claims(introduction, scheme, request) for scheme in introduction.schemes},
            refined=has_stated_levels(introduction, request) or all(map(request.get_refinement, introduction.schemes)),
            observed=tuple(s for s in introduction.schemes if _observe_claims(introduction, s, request)),
            warms_up=introduction.warms_up,
            settings=introduction.settings,
            families=introduction.families,
        )
        return subject.with_request(request)

    def with_request(self, request: Request) -> Subject:
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

    def with_seed(self, seed: int | None) -> Subject:
        """Return the solver with the seed of the copies that it is asked for."""
        return replace(self, request=replace(self.request, seed=seed))

    @property
    def all_settings(self) -> Mapping[str, str]:
        """Settings of any scheme, with their meaning."""
        return {name: meaning for settings in self.settings.values() for name, meaning in settings.items()}

    def chosen(self, scheme: str) -> Settings:
        """Return the settings of the user that a scheme knows."""
        known = self.settings.get(scheme, {})
        return {name: value for name, value in self.request.settings.items() if name in known}

    def refuse_beyond(self, needs: Set[str]) -> None:
        """Raise CapabilityError if a problem needs something that the solver does not offer."""
        missing = sorted(needs - self.capabilities)
        if missing:
            raise CapabilityError(f"the solver does not offer {', '.join(missing)}")

    def default_settings(self, gate: Gate, problem: Problem, scheme: str) -> Settings:
        """Return the settings of a default run: the user's, or all that the solver takes by itself.

        Raises what `Gate.solve` raises.
        """
        chosen: Settings = {"scheme": scheme} if scheme else {}
        return {**chosen, **(self.chosen(scheme) or default_settings(gate, problem, scheme))}

    def refinement(self, gate: Gate, problem: Problem, scheme: str) -> Refinement:
        """Return the levels with the user's other settings; a level's own settings come first.

        A user who sets the refined setting itself moves all levels, so that the finest has the value set; what else a
        level sets stays, if it is not set by the user, too.

        Raises
        ------
        SettingsError, SolverFailure
            See `find_levels`, `Gate.solve`.
        """
        if self.request.refinement:
            stated = find_levels(f"solver {self.name}", self.request.refinement, problem, self.claims[scheme])
        elif gate.introduction.refinement == () and self.request.get_refinement(scheme) == OUTPUT_INTERVAL:
            stated = list_output_levels(problem)
        elif gate.introduction.refinement == () and (name := self.request.get_refinement(scheme)):
            absolute = self.request.get_absolute(scheme)
            seen = list_tolerances(name, absolute) if absolute else name
            stated = find_levels(f"solver {self.name}", seen, problem, self.claims[scheme])
        else:
            stated = read_levels(gate, problem, scheme)
        chosen: Settings = {"scheme": scheme} if scheme else {}
        user = self.chosen(scheme)
        if stated.key not in user or self.request.refinement:
            return Refinement(stated.key, tuple({**chosen, **user, **level} for level in stated.levels))
        factor = as_float(user[stated.key]) / stated.sizes[-1]
        each = zip(stated.levels, stated.sizes, strict=True)
        return Refinement(
            stated.key, tuple({**chosen, **level, **user, stated.key: factor * size} for level, size in each)
        )


def has_stated_levels(introduction: Introduction, request: Request) -> bool:
    """Tell whether the user or the solver states refinement levels, or how to make them."""
    return bool(request.refinement) or introduction.refinement is None or bool(introduction.refinement)


def _observe_claims(introduction: Introduction, scheme: str, request: Request) -> Claims | None:
    """Return the claims that were seen where nobody states any; None if somebody does, or nothing was seen."""
    seen = request.observed.get(scheme)
    stated = bool(request.claims) or bool(introduction.claims[scheme])
    return None if stated or not seen or not seen.claims else seen.claims


def _choose_claims(introduction: Introduction, scheme: str, request: Request) -> Claims:
    """Return the claims of the user, those of the solver, or those that were seen."""
    owner = f"solver {introduction.name}"
    stated = read_claims(owner, request.claims) if request.claims else introduction.claims[scheme]
    claims = _observe_claims(introduction, scheme, request) or stated
    if claims.method:
        try:
            read_method(claims.method, claims.parameters)
        except ValueError as error:
            raise SettingsError(f"{owner}: {error}") from None
    return claims


def _check_refinement(introduction: Introduction, request: Request) -> None:
    """Refuse levels of the user before any problem is known, and settings that the solver does not declare."""
    levels, owner = request.refinement, f"solver {introduction.name}"
    known = sorted({name for settings in introduction.settings.values() for name in settings})
    for name in [levels] if isinstance(levels, str) else [name for level in levels for name in level]:
        if name and name not in known:
            hint = nearest(name, known) if known else "it declares none"
            raise SettingsError(f"{owner} declares no setting {name!r} to be refined; {hint}")
    if levels and not isinstance(levels, str):
        read_refinement(owner, levels)
