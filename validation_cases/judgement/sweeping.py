"""What a case offers to parameter sweeps: a function of arrays, what it gives, and the truth behind it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from veridyn.references.certified import Certified
from veridyn.references.parameters import Exact, arguments

Columns = Mapping[str, NDArray[Any]]
Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Swept:
    """A quantity of a sweep: name, unit, definition, and its reference.

    ``reference`` takes the parameters that its signature names. ``labels`` name the codes of a classification;
    ``counted`` are whole numbers. Both must be equal to the truth, not near it.
    """

    name: str
    unit: str
    definition: str
    reference: Callable[..., Certified]
    labels: tuple[str, ...] = ()
    counted: bool = False

    def truth(self, values: Mapping[str, Exact], digits: int) -> Certified:
        """Return the certified reference for given parameters."""
        return self.reference(**arguments(self.reference, {**values, "digits": digits}))


@dataclass(frozen=True)
class Border:
    """A line in the space of the parameters: where ``value`` equals ``level``."""

    label: str
    value: Callable[[Columns], NDArray[Any]]
    level: float


@dataclass(frozen=True)
class Sweep:
    """How many parameter sets of a case are solved at once.

    Attributes
    ----------
    quantities
        What ``solve`` gives.
    solve
        Takes the parameters by name, arrays (n,) of doubles that count as exact, and a number of threads; gives the
        quantities by name, arrays (n,). With one thread it may be called from several threads at once.
    refuse
        Takes the least and the greatest value of every parameter; raises `ParameterError` if there is a
        combination that cannot be solved.
    shown, classified
        The quantities that shade the picture and divide it into regions.
    borders
        Theoretical borders of the regions.
    digits, reason
        How many digits the quantities must have, and why so many.
    """

    quantities: tuple[Swept, ...]
    solve: Callable[[Columns, int], Columns]
    refuse: Callable[[Ranges], None]
    shown: str
    classified: str
    borders: tuple[Border, ...]
    digits: float
    reason: str

    def quantity(self, name: str) -> Swept:
        """Return a quantity by name; raises KeyError."""
        return {q.name: q for q in self.quantities}[name]
