"""What a case is made of: parameters, variants, quantities, published values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from types import MappingProxyType
from typing import Any, Concatenate, Literal, ParamSpec, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.exact_fields import is_formula
from veridyn.problem.mechanical import Problem
from veridyn.references.certified import CertificationError, Certified, undefined
from veridyn.references.engine.motion import Motion
from veridyn.references.parameters import Exact, Parameter, ParameterError, resolve
from veridyn.references.reference import DIGITS, Reference
from veridyn.references.requirements import Requirement, check_requirements
from veridyn.results import Figure, Sketch
from veridyn.validation_cases.judgement.samples import every_second, with_fewer_digits
from veridyn.validation_cases.judgement.sweeping import Sweep
from veridyn.validation_cases.judgement.tolerances import Tolerance

Floats = NDArray[np.float64]
Values = Mapping[str, Exact]
Settings = Mapping[str, object]
Number = float | str | None
PublishedVerdict = Literal["reproduced", "misprint", "inaccurate"]
Criterion = Tolerance | Callable[[Values], Tolerance]
ANOTHER_MOTION = "these parameters lead to another motion, which is asked other quantities"
Found = TypeVar("Found")
Names = ParamSpec("Names")


def floats(values: Values, *names: str) -> tuple[float, ...]:
    """Return parameters as floats."""
    return tuple(float(values[name]) for name in names)


def numbers(values: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    """Return parameters as they go into the statement of a problem: floats for solvers, formulas for its proof."""
    return tuple(value if is_formula(value := values[name]) else float(value) for name in names)


@dataclass(frozen=True)
class Observation:
    """What a measurement may look at: the parameters, the problem and the response to it."""

    values: Values
    problem: Any  # a measure knows of what kind the problem of its case is,
    response: Any  # and with it the response
    readings: dict[tuple[object, ...], object] = field(  # by `read_once`
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getitem__(self, name: str) -> float:
        """Return a parameter as float."""
        return float(self.values[name])

    def thin(self, half: int, printed: float | None) -> Self:
        """Return what is seen in every second sample, from 0 or 1 on, with a digit less where digits are printed."""
        return replace(self, response=with_fewer_digits(every_second(self.response, half), printed))


Measure = Callable[[Observation], Number]


def read_once(
    read: Callable[Concatenate[Observation, Names], Found],
) -> Callable[Concatenate[Observation, Names], Found]:
    """Return a reading of a response that is done once, however many quantities ask for it by the same names."""

    @wraps(read)
    def found(o: Observation, /, *args: Names.args, **kwargs: Names.kwargs) -> Found:
        key = (read, args, *kwargs.items())
        if key not in o.readings:
            o.readings[key] = read(o, *args, **kwargs)
        return cast(Found, o.readings[key])

    return found


@dataclass(frozen=True)
class Quantity:
    """A named number: unit, definition, truth, how it is measured, how wrong a document lets it be.

    Attributes
    ----------
    reference
        The truth.
    measure
        Reads the quantity in a response; None for quantities that no response holds (they are still references).
    criterion
        What a document asks for, or the function of the parameters that gives it.
    scale
        The size (in the unit of the quantity) to which small errors are related, where that is more than the truth
        itself: the amplitude of a motion that passes zero, say; function of the parameters. None: the truth alone.
    regularity
        Highest order of convergence that a method which steps across events can reach for this quantity, or the
        function of the parameters that gives it; at most that of the problem
        (`veridyn.problem.smoothness.regularity`), which a test compares. 0: no order can be seen.
    converges
        Whether the measured value tends to the truth as a solver is refined; what is counted in samples or steps
        does not, and only the criterion is asked of it.
    at_samples
        Whether an instant is read off at a sample where the solver reports no event, so that it is up to a distance of
        samples late.
    applies
        Whether the quantity exists for these parameters; None: always. It speaks of the truth alone.
    absent
        Why it does not exist where it does not.
    observable
        Whether a response holds it for these parameters: an event within the window, a stick that penalised solvers
        keep. None: always.
    rounded
        How far the roundings of doubles move an answer, in the unit of the quantity: no claimed digits hold beyond;
        function of the parameters and of what the clock shows at the start (s). None: no farther than the claimed
        digits.
    early
        Why the truth is fixed before the first event of the problem: only then the regularity may exceed that of the
        problem. Empty: it is not.
    """

    name: str
    unit: str
    definition: str
    reference: Reference[Certified]
    measure: Measure | None
    criterion: Criterion
    scale: Callable[[Values], float] | None = None
    regularity: float | Callable[[Values], float] = math.inf
    converges: bool = True
    at_samples: bool = False
    applies: Callable[[Values], bool] | None = None
    absent: str = ANOTHER_MOTION
    observable: Callable[[Values], bool] | None = None
    rounded: Callable[[Values, float], float] | None = None
    early: str = ""

    def exists(self, values: Values) -> bool:
        """Whether the quantity exists for given parameters; raises `CertificationError` if that is not decided."""
        return self._decide(self.applies, values)

    def is_observable(self, values: Values) -> bool:
        """Whether the response of a solver holds the quantity for given parameters; raises as `exists` does."""
        return self.exists(values) and self._decide(self.observable, values)

    def _decide(self, question: Callable[[Values], bool] | None, values: Values) -> bool:
        try:
            return question is None or question(values)
        except (CertificationError, ParameterError):
            raise
        except (ArithmeticError, ValueError):  # of doubles, by which parameters are looked at
            raise CertificationError(f"{self.name}: what it needs is not decided in the range of doubles") from None

    def truth(self, values: Values, digits: int = DIGITS) -> Certified:
        """Return the certified reference for given parameters; it is computed once, however many schemes ask.

        It is undefined where the quantity does not exist, or nothing decides whether it does, or what it is.
        """
        try:
            return self.reference.compute(values, digits) if self.exists(values) else undefined(self.absent)
        except CertificationError as doubt:
            return undefined(str(doubt))

    def tolerance(self, values: Values) -> Tolerance:
        """Return the acceptance criterion for given parameters."""
        return self.criterion(values) if callable(self.criterion) else self.criterion

    def smooth_to(self, values: Values) -> float:
        """Return the regularity for given parameters."""
        return self.regularity(values) if callable(self.regularity) else self.regularity

    def size(self, values: Values) -> float:
        """Return the size to which errors are related: the truth, or the scale if that is larger."""
        truth = self.truth(values).value
        known = 0.0 if truth is None or isinstance(truth, str) else abs(float(truth))
        return max(known, self.scale(values)) if self.scale else known


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
    """A reference value that a document prints, with its source and what we found.

    ``correct`` is what should have been printed (the printed value itself if empty); ``at`` changes parameters of the
    variant, e.g. the window. What codes computed stands with the regression tests.
    """

    source: str
    variant: str
    quantity: str
    value: str
    verdict: PublishedVerdict
    explanation: str = ""
    correct: str = ""
    at: Mapping[str, str] = field(default_factory=dict)


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
class ShownMotion:
    """What the page of a case draws of the proved motion of its default variant.

    ``curves`` are states, readings or expressions in them that are drawn over the time; empty: the first two states, or
    the first two coordinates and velocities. ``portraits`` are pairs of them that are drawn over each other, to one
    scale if ``true_to_scale``. ``until`` is the instant (s) at which they end; None: that of the problem. ``motion`` is
    the proved motion, by whose readings the curves are named, where the engine does not take the problem as it is.
    """

    curves: tuple[str, ...] = ()
    portraits: tuple[tuple[str, str], ...] = ()
    true_to_scale: bool = False
    until: float | None = None
    motion: Reference[Motion] | None = None


FigureMaker = Callable[..., Iterable[Figure]]
"""Yields figures of a case as a `Runner` observes it: both are its arguments; the runner stands above this room."""


@dataclass(frozen=True)
class Case:
    """Everything about a case except its reference mathematics; it knows no solver.

    ``residuals`` are quantities that vanish in truth for any response that agrees with itself: energy balance, friction
    cone, velocities against displacements; they are judged like the others and are no references. ``linear``: nothing
    but mass, damping, stiffness and drives, so that a known method has an exact discrete solution. ``held`` are the
    parameters that random parameter sets leave as they are, each with the reason. ``sources`` are the documents that
    state the problem or its solution, for a bibliography: authors, title, where and when; at its end a link.
    ``topics`` are names of `topics.TOPICS`, the first what the case is about first of all. ``requirements`` are what
    its parameters must meet together. ``shared`` is what both routes to a value rest on and no computation proves, each
    with the reason.
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
    remarks: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    modelling: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    sources: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    residuals: tuple[Quantity, ...] = ()
    linear: bool = False
    figures: tuple[FigureMaker, ...] = ()
    benchmark_variant: str = ""  # empty: the first one
    work_precision: tuple[str, ...] = ()  # variants that have a diagram; empty: the default one
    sweep: Sweep | None = None
    held: Mapping[str, str] = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()
    shared: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()  # of the problem and its reference, in one line each; the report typesets them
    beam: Callable[[Values], Beam] | None = None  # what is drawn where the problem is no line of masses
    sketch: Sketch | None = None  # or a drawing of its own, see `sketching`
    derivatives: tuple[str, ...] = ()  # parameters by which its quantities are differentiated in short runs, too
    no_derivatives: str = ""  # why they are not differentiated, by no parameter
    shown: ShownMotion = ShownMotion()

    def values(self, given: Mapping[str, object] = MappingProxyType({})) -> dict[str, Exact]:
        """Return all parameters, defaults completed; raises `ParameterError`, also if a requirement does not hold."""
        values = resolve(self.parameters, given)
        check_requirements(self.requirements, values)
        return values

    def variant(self, name: str) -> Variant:
        """Return a variant by name; raises KeyError."""
        return {v.name: v for v in self.variants}[name]

    @property
    def default_variant(self) -> Variant:
        """The variant that stands for the case: that of the benchmarks, else the first one."""
        return self.variant(self.benchmark_variant) if self.benchmark_variant else self.variants[0]

    def make_variant(self, parameters: Mapping[str, str]) -> Variant:
        """Return the variant that a parameter set of the user amounts to: named by it, of the case's own problem.

        It asks for what the variants of that problem ask for; what only another problem can answer is left out.
        """
        own = [variant.quantities for variant in self.variants if variant.problem is None]
        asked = [names for names in own if names is not None]
        name = ",".join(f"{name}={value}" for name, value in parameters.items())
        everything = not own or len(asked) < len(own)
        return Variant(name, dict(parameters), None if everything else frozenset[str]().union(*asked))

    def select_quantities(self, variant: Variant) -> tuple[Quantity, ...]:
        """Return the quantities that a variant asks for."""
        wanted, values = variant.quantities, self.values(variant.changes)
        named = (q for q in self.quantities if wanted is None or q.name in wanted)
        return tuple(q for q in named if q.exists(values))

    def measured(self, variant: Variant) -> tuple[Quantity, ...]:
        """Return what is measured in a response to a variant: its quantities, then the residuals."""
        values = self.values(variant.changes)
        quantities = tuple(
            q for q in self.select_quantities(variant) if q.measure is not None and q.is_observable(values)
        )
        residuals = (q for q in self.residuals if q.exists(values))
        return (*quantities, *(residuals if quantities else ()))
