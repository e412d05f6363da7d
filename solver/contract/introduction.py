"""What a solver states of itself, read once into a frozen record: nothing after that asks what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.problem.nearest import nearest
from veridyn.problem.printable import make_printable
from veridyn.solver.contract.errors import SettingsError, read_text
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.contract.statements import FUNCTIONS, TAGS, Claims, Settings, read_claims, read_refinement

CONTRACT = ("name", "version", "capabilities", "solve")  # of every solver
LONGEST_NAME = 200  # characters of a name or version


@dataclass(frozen=True)
class Introduction:
    """What a solver states of itself.

    Attributes
    ----------
    schemes
        Names of its schemes; a solver without schemes has one, the empty name.
    settings, claims
        By scheme: the settings that it declares with their meaning, and what it claims.
    refinement
        Levels from coarse to fine, or the name of a setting; None where they depend on the problem (`state_levels`).
    defaults
        Settings that it takes where none are given; None where they depend on the problem (`state_defaults`).
    warms_up
        Whether it compiles before its first solve.
    families
        Families of problems of which it solves many at once (`solve_many`): names of cases.
    """

    name: str
    version: str = ""
    capabilities: frozenset[str] = frozenset()
    schemes: tuple[str, ...] = ("",)
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    claims: Mapping[str, Claims] = field(default_factory=dict)
    refinement: Sequence[Settings] | str | None = ()
    defaults: Settings | None = field(default_factory=dict)
    warms_up: bool = False
    families: frozenset[str] = frozenset()


def introduce(solver: Solver, spec: str = "") -> Introduction:
    """Return what a solver states of itself; ``spec`` is what the user wrote for one that was loaded.

    Raises
    ------
    SolverInputError
        If it is no solver, if something that it states has the wrong type, or if its code raises something instead.
    SettingsError
        If its claims or refinement levels cannot be used.
    """
    owner = repr(spec) if spec else type(solver).__name__
    try:
        return _read(solver, spec)
    except SolverInputError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code of a solver may raise anything
        raise SolverInputError(f"{owner}: what it states cannot be read: {describe_error(error)}") from None


def _read(solver: Solver, spec: str) -> Introduction:
    check_members(solver, spec)
    _check_names(solver, spec)
    name = _clean(type(solver).__name__, "name", solver.name)
    schemes = tuple(getattr(solver, "schemes", ()) or ("",))
    refinement, defaults = getattr(solver, "refinement", ()), getattr(solver, "defaults", {})
    introduction = Introduction(
        name=name,
        version=_clean(name, "version", str(getattr(solver, "version", ""))),
        capabilities=frozenset(map(str, solver.capabilities)),
        schemes=tuple(map(str, schemes)),
        settings={scheme: _read_settings(solver, scheme) for scheme in schemes},
        claims={scheme: _read_claims(solver, scheme) for scheme in schemes},
        refinement=None if callable(refinement) else refinement or (),
        defaults=None if callable(defaults) else check_defaults(name, defaults),
        warms_up=hasattr(solver, "warm_up"),
        families=frozenset(map(str, getattr(solver, "families", ()))),
    )
    if introduction.refinement and not isinstance(introduction.refinement, str):
        read_refinement(f"solver {name}", introduction.refinement)
    return introduction


def check_members(found: object, spec: str = "") -> Solver:
    """Return a solver; ``spec`` is what the user wrote for one that was loaded, which states its version too.

    Raises `SolverInputError` if it lacks what a solver has or is a class.
    """
    missing = [name for name in CONTRACT if not hasattr(found, name) and (spec or name != "version")]
    if missing or isinstance(found, type):
        why = f"it lacks {', '.join(missing)}" if missing else "it is a class; give an object of it"
        raise SolverInputError(f"{repr(spec) if spec else format(repr(found), '.60')} is no solver: {why}")
    return cast(Solver, found)


def _check_names(solver: Solver, spec: str) -> None:
    """Refuse a name that is no text, capabilities or schemes that are no names, and a capability that does not exist.

    A misspelt capability would make cases not applicable without a word.
    """
    if not isinstance(solver.name, str):
        raise SolverInputError(f"{spec or type(solver).__name__}: the name of a solver must be a text")
    for attribute in ("capabilities", "schemes"):
        names = getattr(solver, attribute, ("",))
        if isinstance(names, str) or not isinstance(names, Iterable) or not all(isinstance(n, str) for n in names):
            raise SolverInputError(
                f"solver {solver.name}: {attribute} must be names, e.g. {{'mechanical'}}, got {names!r:.200}"
            )
    for tag in sorted(set(solver.capabilities) - TAGS):
        raise SolverInputError(f"solver {solver.name}: unknown capability {tag!r}; {nearest(tag, sorted(TAGS))}")
    for tag, function in FUNCTIONS.items():
        if tag in solver.capabilities and not hasattr(solver, function):
            raise SolverInputError(f"solver {solver.name} offers {tag} and has no {function}; define it")


def _clean(owner: str, what: str, text: str) -> str:
    """Return a text without characters that would do something to a terminal; refuse one that is too long."""
    if len(text) > LONGEST_NAME:
        raise SolverInputError(f"solver {owner:.60}: its {what} has more than {LONGEST_NAME} characters")
    return make_printable(text)


def _read_settings(solver: Solver, scheme: str) -> Mapping[str, str]:
    stated = getattr(solver, "settings", {})
    known = stated(*arguments_of(scheme)) if callable(stated) else stated
    if not isinstance(known, Mapping) or not all(isinstance(name, str) for name in known):
        raise SolverInputError(
            f"solver {solver.name}: settings must map names to meanings, e.g. {{'rtol': 'relative tolerance'}}, "
            f"got {known!r:.200}"
        )
    return {name: str(meaning) for name, meaning in known.items()}


def _read_claims(solver: Solver, scheme: str) -> Claims:
    stated = getattr(solver, "claims", {})
    return read_claims(f"solver {solver.name}", stated(*arguments_of(scheme)) if callable(stated) else stated)


def check_defaults(name: str, stated: object) -> Settings:
    """Return default settings as a mapping; raises `SettingsError` if they are none."""
    if not isinstance(stated, Mapping) or not all(isinstance(key, str) for key in stated):
        raise SettingsError(
            f"solver {name}: defaults must map settings to values, e.g. {{'rtol': 1e-9}}, got {stated!r:.200}"
        )
    return dict(stated)


def further(solver: Solver, name: str) -> Callable[..., object]:
    """Return a function that a solver has beyond what all have; its introduction says whether it has it."""
    function: Callable[..., object] = getattr(solver, name)
    return function


def state_levels(solver: Solver, problem: Problem, scheme: str) -> object:
    """Return the refinement that a solver states for a problem, as it states it."""
    return further(solver, "refinement")(problem, *arguments_of(scheme))


def state_defaults(solver: Solver, problem: Problem, scheme: str) -> object:
    """Return the default settings that a solver states for a problem, as it states them."""
    return further(solver, "defaults")(problem, *arguments_of(scheme))


def arguments_of(scheme: str) -> tuple[str, ...]:
    """Return the arguments that name a scheme: none for a solver without schemes."""
    return (scheme,) if scheme else ()


def describe_error(error: BaseException) -> str:
    """Return the name and text of an error in one line, whatever its code does."""
    text = " ".join(read_text(error).split())
    return f"{type(error).__name__}: {text:.2000}".removesuffix(": ")
