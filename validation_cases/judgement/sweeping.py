"""What a sweep over the parameters of a case gives: quantities with the truth behind them, and how they are drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.references.certified import Certified
from veridyn.references.parameters import Exact
from veridyn.references.reference import Reference
from veridyn.validation_cases.judgement.tolerances import Tolerance

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[np.generic]]
Points = Mapping[str, Floats]  # parameters by name
Ranges = Mapping[str, tuple[float, float]]
Values = Mapping[str, Exact]


@dataclass(frozen=True)
class Swept:
    """A quantity of a sweep: name, unit, definition, and its reference.

    ``labels`` name the codes of a classification;
    ``counted`` are whole numbers, ``text`` words: they must be equal to the truth, not near it. ``tolerance`` is how
    near a number must come; None: by the digits of the sweep.
    """

    name: str
    unit: str
    definition: str
    reference: Reference[Certified] | None
    labels: tuple[str, ...] = ()
    counted: bool = False
    text: bool = False
    tolerance: Callable[[Values], Tolerance] | None = None

    def truth(self, values: Values, digits: int) -> Certified:
        """Return the certified reference for given parameters."""
        assert self.reference is not None
        return self.reference.compute(values, digits).settle(self.name)


@dataclass(frozen=True)
class Border:
    """A line in the space of the parameters: where ``value`` equals ``level``."""

    label: str
    value: Callable[[Points], Floats]
    level: float


def accept_all(_: Ranges) -> None:
    """Refuse no combination: each point tells whether it can be solved."""


@dataclass(frozen=True)
class Sweep:
    """What a sweep of a case gives.

    Attributes
    ----------
    quantities
        What is found at every point.
    shown, classified
        The quantities that shade the picture and divide it into regions.
    borders
        Theoretical borders of the regions.
    digits, reason
        How many digits the quantities must have that have no tolerance of their own, and why so many.
    refuse
        Takes the least and the greatest value of every parameter; raises `ParameterError` if there is a
        combination that cannot be solved.
    """

    quantities: tuple[Swept, ...]
    shown: str
    classified: str
    borders: tuple[Border, ...] = ()
    digits: float = 0.0
    reason: str = "the acceptance criterion of each quantity"
    refuse: Callable[[Ranges], None] = accept_all

    def quantity(self, name: str) -> Swept:
        """Return a quantity by name; raises KeyError."""
        return {q.name: q for q in self.quantities}[name]


OUTCOME = "outcome"
ANSWERED, NOT_APPLICABLE, FAILED, REFUSED = range(4)
OUTCOMES = ("answered", "not applicable", "failed", "refused")  # refused: no problem exists for these parameters
