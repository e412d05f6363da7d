"""What a case is made of: parameters, variants, quantities, published values, checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, Protocol

from veridyn.references.certified import Certified
from veridyn.references.parameters import Exact, Parameter, arguments, resolve
from veridyn.solver.errors import SolverInputError
from veridyn.solver.modal import ModalIntegrator, known_to
from veridyn.solver.problem import Problem
from veridyn.solver.response import Response
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.sweeping import Sweep
from veridyn.validation_cases.tolerances import Tolerance

Values = Mapping[str, Exact]
Settings = Mapping[str, Any]
Number = float | str | None
PublishedVerdict = Literal["reproduced", "misprint", "inaccurate", "last digit", "not reproduced"]
Kind = Literal["truth", "parity", "frozen", "order", "events", "balance"]


@dataclass(frozen=True)
class Observation:
    """What a measurement may look at: the parameters, the problem and the response to it."""

    values: Values
    problem: Any
    response: Response

    def __getitem__(self, name: str) -> float:
        """Return a parameter as float."""
        return float(self.values[name])


@dataclass(frozen=True)
class Quantity:
    """A named number: unit, definition, truth, how it is measured and how wrong it may be.

    ``reference`` takes the parameters that its signature names. ``measure`` is None for quantities that no
    response holds (they are still references). ``tolerance`` sees the parameters, the scheme and its settings.
    """

    name: str
    unit: str
    definition: str
    reference: Callable[..., Certified]
    measure: Callable[[Observation], Number] | None
    tolerance: Callable[[Values, str, Settings], Tolerance]

    def truth(self, values: Values, digits: int = 30) -> Certified:
        """Return the certified reference for given parameters; it is computed once, however many schemes ask."""
        chosen = arguments(self.reference, {**values, "digits": digits})
        return _certified(self.reference, tuple(sorted(chosen.items())))


@lru_cache(maxsize=4096)
def _certified(reference: Callable[..., Certified], given: tuple[tuple[str, Any], ...]) -> Certified:
    return reference(**dict(given))


@dataclass(frozen=True)
class Variant:
    """One parameter set: the changes from the defaults, the quantities that it asks for (None: all).

    ``problem`` poses the same physics as another model, of two masses instead of one, say; None: that of the case.
    """

    name: str
    changes: Mapping[str, str]
    quantities: frozenset[str] | None = None
    problem: Callable[[Values], Problem] | None = None


@dataclass(frozen=True)
class Published:
    """A value that a document prints, with its source and what we found.

    ``scheme`` is set for what a code computed and empty for reference values. ``correct`` is what should have
    been printed (the printed value itself if empty); ``at`` changes parameters of the variant, e.g. the window;
    the verdict ``last digit`` goes with ``units`` of the last digit that are granted instead of half a one, for the
    reason in ``explanation``, or with ``rounding``, how far roundings of the data move the value; ``not reproduced`` is
    for what a code computed and our scheme with the known settings does not give, or with a scheme that we do not
    have: ``explanation`` says what is known; ``unit`` is needed for what is no quantity of the case.
    """

    source: str
    variant: str
    quantity: str
    value: str
    verdict: PublishedVerdict
    explanation: str = ""
    scheme: str = ""
    correct: str = ""
    units: float = 0.0
    rounding: float = 0.0
    unit: str = ""
    at: Mapping[str, str] = field(default_factory=dict)


class Bench(Protocol):
    """Runs the solver under test; answers are kept."""

    def observe(self, run: Run) -> Observation:
        """Return what there is to see of a run."""


@dataclass(frozen=True)
class Run:
    """One problem to be solved with given settings; the key makes answers reusable."""

    key: str
    values: Values
    build: Callable[[Values], Problem]
    settings: Settings

    @cached_property
    def problem(self) -> Problem:
        """The problem statement."""
        return self.build(self.values)


@dataclass(frozen=True)
class Check:
    """One question to a solver: what is measured, what is true, how far apart they may be."""

    case: str
    variant: str
    quantity: str
    scheme: str
    kind: Kind
    unit: str
    run: Run
    measure: Callable[[Bench], Number]
    reference: Callable[[], Certified | float | str]
    tolerance: Callable[[], Tolerance]
    published: str = ""

    @property
    def id(self) -> str:
        """Stable name within the case, e.g. ``a0=1.5-wear_power-devogelaere``."""
        name = self.quantity if self.kind == "truth" else f"{self.kind}:{self.quantity}"
        return "-".join(part for part in (self.variant, name, self.scheme) if part)


CheckMaker = Callable[["Case", "Subject", Variant], Iterable[Check]]
FigureMaker = Callable[["Case", "Subject", Bench], Iterable[dict[str, Any]]]


@dataclass(frozen=True)
class Subject:
    """The solver under test as the cases see it: name, schemes to go through, whether it is held to our theory.

    ``own``: it is our own, or claims to be one of our schemes (its attribute ``of``): it gets the settings of the
    scheme and is judged by what theory says of it. ``ours``: it is our own: our frozen values are asked of it, and what
    our modal basis gives before any step.
    ``known`` are the settings that it declares, with their meaning; ``overrides`` what the user sets of them;
    ``ladder`` settings from coarse to fine, for work-precision diagrams.
    """

    name: str
    schemes: tuple[str, ...]
    own: bool
    overrides: Settings = field(default_factory=dict)
    known: Mapping[str, str] = field(default_factory=dict)
    ladder: tuple[Settings, ...] = ()
    version: str = ""
    ours: bool = False

    @classmethod
    def of(cls, solver: Any, overrides: Settings | None = None) -> Subject:
        """Describe a solver; one without ``schemes`` is its own single scheme.

        Raises
        ------
        SolverInputError
            If its capabilities or schemes are no collection of names, its settings or ladder no mappings, or it claims
            to be a scheme that does not exist.
        """
        for attribute in ("capabilities", "schemes"):
            names = getattr(solver, attribute, ("",))
            if isinstance(names, str) or not isinstance(names, Iterable) or not all(isinstance(n, str) for n in names):
                raise SolverInputError(
                    f"solver {solver.name}: {attribute} must be names, e.g. {{'mechanical'}}, got {names!r}"
                )
        known, ladder = getattr(solver, "settings", {}), getattr(solver, "ladder", ())
        if not isinstance(known, Mapping) or not all(isinstance(name, str) for name in known):
            raise SolverInputError(
                f"solver {solver.name}: settings must map names to meanings, e.g. {{'rtol': 'relative tolerance'}}, "
                f"got {known!r}"
            )
        if not isinstance(ladder, list | tuple) or not all(isinstance(rung, Mapping) for rung in ladder):
            raise SolverInputError(
                f"solver {solver.name}: ladder must be settings from coarse to fine, e.g. [{{'rtol': 1e-3}}], "
                f"got {ladder!r}"
            )
        ours, claim = isinstance(solver, ModalIntegrator), _claim(solver)
        return cls(
            name=solver.name,
            schemes=(claim,) if claim else tuple(getattr(solver, "schemes", ("",))),
            own=ours or bool(claim),
            overrides=dict(overrides or {}),
            known=dict(known),
            ladder=tuple(ladder),
            version=str(getattr(solver, "version", "")),
            ours=ours,
        )


def _claim(solver: Any) -> str:
    """Return the scheme that a solver claims to be, empty if it claims none."""
    claim: str = getattr(solver, "of", "")
    if claim and claim not in SCHEMES:
        raise SolverInputError(f"solver {solver.name}: of = {claim!r} is no scheme; known: {', '.join(SCHEMES)}")
    return claim


@dataclass(frozen=True)
class Beam:
    """A straight beam behind a problem that is given by modes, as a report draws it; places in m from its left end.

    ``points`` are the places of the coordinates; ``supports`` are pairs of place and kind (``pin``, ``roller``,
    ``clamp``); ``shapes`` are names and ordinates at evenly spread places, both ends included, to any scale.
    """

    length: float
    points: tuple[float, ...]
    supports: tuple[tuple[float, Literal["pin", "roller", "clamp"]], ...]
    shapes: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Case:
    """Everything about a case except its reference mathematics.

    ``held`` are the parameters that random parameter sets leave as they are (`veridyn.sound`), each with the reason.
    """

    name: str
    title: str
    document: str
    summary: str
    statement: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    variants: tuple[Variant, ...]
    quantities: tuple[Quantity, ...]
    problem: Callable[[Values], Problem]
    settings: Callable[[Values, str], Settings]
    modelling: tuple[str, ...]
    published: tuple[Published, ...]
    remarks: tuple[str, ...]
    errata: tuple[str, ...] = ()
    further_checks: tuple[CheckMaker, ...] = ()
    figures: FigureMaker | None = None
    benchmark_variant: str = ""
    work_precision: tuple[str, ...] = ()  # variants that have a diagram; empty: the benchmark variant
    sweep: Sweep | None = None
    held: Mapping[str, str] = field(default_factory=dict)
    equations: tuple[str, ...] = ()  # of the problem and its reference, in one line each; the report typesets them
    beam: Callable[[Values], Beam] | None = None  # what is drawn where the problem is no line of masses

    def values(self, given: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Exact]:
        """Return all parameters, defaults completed; raises `ParameterError`."""
        return resolve(self.parameters, given)

    def variant(self, name: str) -> Variant:
        """Return a variant by name; raises KeyError."""
        return {v.name: v for v in self.variants}[name]

    def asked(self, variant: Variant) -> tuple[Quantity, ...]:
        """Return the quantities that a variant asks for."""
        wanted = variant.quantities
        return tuple(q for q in self.quantities if wanted is None or q.name in wanted)

    def run(self, subject: Subject, variant: Variant, scheme: str, **changes: Any) -> Run:
        """Return the run of a variant with the settings of a scheme, some of them changed."""
        values = self.values(variant.changes)
        chosen: Settings = {"scheme": scheme} if scheme else {}
        chosen = self.settings(values, scheme) if subject.own else chosen
        overrides = {k: v for k, v in subject.overrides.items() if not subject.own or k in known_to(scheme)}
        settings = {**chosen, **changes, **overrides}
        key = f"{self.name}/{variant.name}/" + ",".join(f"{k}={v}" for k, v in sorted(settings.items()))
        return Run(key, values, variant.problem or self.problem, settings)
