"""Problems as data: frozen records in SI units that every solver can read and JSON can carry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.devices import Device
from veridyn.problem.element_form import KINDS_OF, read_field
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion, TimeVarying, all_of
from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import carry_exact, keep_exact
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.json_form import fields_of
from veridyn.problem.matrices import Matrix, couples_modes, divide_by_mass, is_coupled, is_skewed, read_square
from veridyn.problem.modal_basis import Modes
from veridyn.problem.naming import NamedDirection, direction, resolved, vector
from veridyn.problem.sparse import DENSE, compressed, diagonal, is_sparse, least_masses
from veridyn.problem.summary import summarize

Floats = NDArray[np.float64]

FORMAT_VERSION = 1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Problem:
    """What every kind of problem has: a name, a time span and the requested output instants (s)."""

    name: str = "problem"
    start: float = 0.0
    end: float
    output_times: Floats | None = None
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ProblemError(f"the name of a problem must be a text, got {self.name!r}")
        for name in ("start", "end"):
            if not isinstance(given := getattr(self, name), Real):
                raise ProblemError(f"{self.name}: {name} must be a number of seconds, got {given!r}")
        if not (np.isfinite(self.start) and np.isfinite(self.end) and self.end > self.start):
            raise ProblemError(f"{self.name}: the time span [{self.start}, {self.end}] s must be finite and increase")
        if self.output_times is not None:
            times = vector(f"{self.name}: output_times", self.output_times)
            object.__setattr__(self, "output_times", times)
            inside = times.size and times[0] >= self.start and times[-1] <= self.end
            if not inside or np.any(np.diff(times) <= 0):
                raise ProblemError(f"{self.name}: output_times must increase within [{self.start}, {self.end}] s")

    def __repr__(self) -> str:
        return summarize(self)

    @property
    def needs(self) -> frozenset[str]:
        """Capability tags that a solver must have, derived from the content."""
        raise NotImplementedError

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of what moves: degrees of freedom, or states and multipliers."""
        raise NotImplementedError

    @property
    def is_linear(self) -> bool:
        """Whether there is nothing but mass, damping, stiffness and drives."""
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the version."""
        return fields_of(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; raises `ProblemError` if a field is unknown, missing or malformed."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the problem as a JSON document; `problem_from_json` reads it back."""
        return self._write(self.to_dict())

    def split(self) -> tuple[str, dict[str, Floats]]:
        """Return the JSON document without the fields that are arrays, and these: `join_problem` puts them together.

        Thousands of output times take longer to write and to read than many a solver takes.
        """
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
        return self._write(fields_of(self, without=arrays)), arrays

    def _write(self, content: Mapping[str, Any]) -> str:
        return json.dumps({"format_version": FORMAT_VERSION, "kind": self.kind, **content}, allow_nan=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MechanicalProblem(Problem):
    """``M x'' + C x' + K x = loads - M Σ ψ_j a_j(t) + stops + friction + devices``, x relative to the supports.

    C and K are any matrices: the skew part of C is gyroscopic, that of K circulatory (P. C. Müller, Stabilität und
    Matrizen, Springer 1977). Parts of them that are functions of time are added by ``varying``.
    If one of the matrices is sparse (of scipy.sparse), all are kept by compressed rows; then nothing varies, and a
    solver needs the capability ``sparse``, and an implicit scheme if the mass is not diagonal. `dense` has arrays in
    their place.

    Give either the matrices (n, n), a number for one degree of freedom, or ``modes`` (a modal basis of n degrees of
    freedom, possibly truncated). Initial values that are not given are zero; ``coordinates`` are the names of the
    degrees of freedom, ``x1``, ``x2`` … if none are given, and directions and initial values may be given by them. One
    element needs no tuple.

    Raises
    ------
    ProblemError
        If a matrix is not square or not finite, the mass matrix not symmetric and positive definite; if a
        vector has the wrong length; if names clash or refer to nothing; if initial values are no sum of
        the modes.
    """

    mass: Matrix = None
    stiffness: Matrix = None
    damping: Matrix = None
    modes: Modes | None = None
    initial_displacement: Floats = field(default_factory=lambda: np.zeros(0))
    initial_velocity: Floats = field(default_factory=lambda: np.zeros(0))
    loads: tuple[Load, ...] = ()
    supports: tuple[SupportMotion, ...] = ()
    stops: tuple[Stop, ...] = ()
    frictions: tuple[Friction, ...] = ()
    devices: tuple[Device, ...] = ()
    varying: tuple[TimeVarying, ...] = ()
    coordinates: tuple[str, ...] = ()
    kind: ClassVar[str] = "mechanical"

    def __post_init__(self) -> None:
        keep_exact(self)
        super().__post_init__()
        self._check_kinds()
        self._complete()
        if self.size == 0:
            raise ProblemError(f"{self.name}: a problem needs at least one coordinate")
        self._check_matrices()
        self._check_lengths()
        self._check_names()
        self._check_basis()

    def _check_kinds(self) -> None:
        for name, kind in KINDS_OF.items():
            object.__setattr__(self, name, all_of(f"{self.name}: {name}", getattr(self, name), kind))
        object.__setattr__(self, "coordinates", all_of(f"{self.name}: coordinates", self.coordinates, str))
        if not isinstance(self.modes, Modes | None):
            raise ProblemError(f"{self.name}: modes must be given as Modes, got {self.modes!r}")

    def _complete(self) -> None:
        """Complete what is left out, resolve names and callables."""
        for name in ("mass", "damping", "stiffness"):
            if isinstance(value := getattr(self, name), Real):
                object.__setattr__(self, name, [[float(value)]])
        zero = np.zeros(self._count())
        names = self.coordinates or tuple(f"x{i + 1}" for i in range(zero.size))
        object.__setattr__(self, "coordinates", names)
        for name in ("initial_displacement", "initial_velocity"):
            value = direction(f"{self.name}: {name}", getattr(self, name))
            value = value.vector(names) if isinstance(value, NamedDirection) else value
            object.__setattr__(self, name, value if value.size else vector(name, zero))
        for name in ("loads", "varying"):
            object.__setattr__(self, name, tuple(each.over(self.start, self.end) for each in getattr(self, name)))
        for name in ("loads", "supports", "stops", "frictions", "devices"):
            object.__setattr__(self, name, tuple(resolved(each, names) for each in getattr(self, name)))

    def _count(self) -> int:
        """Return the number of degrees of freedom, from what is given first."""
        for given in (self.initial_displacement, self.initial_velocity):
            if not isinstance(given, str | Mapping) and np.size(given):
                return np.size(given)
        matrix = self.modes.shapes if self.modes is not None else self.mass
        return 0 if matrix is None else int(matrix.shape[0] if is_sparse(matrix) else len(np.atleast_1d(matrix)))

    @property
    def unknowns(self) -> tuple[str, ...]:
        return self.coordinates

    @property
    def size(self) -> int:
        """Number of degrees of freedom."""
        return int(self.initial_displacement.size)

    @property
    def sparse(self) -> bool:
        """Whether mass, damping and stiffness are sparse matrices."""
        return is_sparse(self.mass)

    @property
    def consistent(self) -> bool:
        """Whether a sparse mass has entries beside its diagonal."""
        return self.sparse and self.mass.nnz > self.size

    @cached_property
    def least_masses(self) -> Floats:
        """Masses (n,) that a sparse mass matrix is nowhere below, see `sparse.least_masses`."""
        return least_masses(self.mass)

    def dense(self) -> MechanicalProblem:
        """Return the problem with arrays in place of sparse matrices, for solvers that take no others.

        Raises
        ------
        ProblemError
            If it has more than 5000 degrees of freedom.
        """
        if not self.sparse:
            return self
        if self.size > DENSE:
            raise ProblemError(
                f"{self.name}: three matrices of {self.size} degrees of freedom are {24e-9 * self.size**2:.3g} GB; "
                f"up to {DENSE} are written out as arrays"
            )
        return replace(self, **{name: getattr(self, name).toarray() for name in ("mass", "stiffness", "damping")})

    @property
    def is_linear(self) -> bool:
        """Whether it has no elements."""
        return not self.elements

    @property
    def elements(self) -> tuple[Stop | Friction | Device, ...]:
        """Stops, frictions and devices."""
        return (*self.stops, *self.frictions, *self.devices)

    @property
    def drives(self) -> tuple[TimeFunction, ...]:
        """Time functions of the loads and of the accelerations of the supports, in this order."""
        return (*(load.function for load in self.loads), *(support.acceleration for support in self.supports))

    @property
    def functions(self) -> tuple[TimeFunction, ...]:
        """Time functions of the drives, and of the matrices that vary."""
        return (*self.drives, *(part.function for part in self.varying))

    def _check_matrices(self) -> None:
        parts = [
            carry_exact(
                replace(part, matrix=read_square(f"{self.name}: varying {part.of} {i}", part.matrix, self.size)), part
            )
            for i, part in enumerate(self.varying, start=1)
        ]
        object.__setattr__(self, "varying", tuple(parts))
        if (self.mass is None) == (self.modes is None):
            raise ProblemError(f"{self.name}: give either mass and stiffness matrices or modes")
        if self.modes is not None:
            if self.stiffness is not None or self.damping is not None:
                raise ProblemError(
                    f"{self.name}: modes bring their own stiffness and damping; give no matrices beside them"
                )
            if self.modes.shapes.shape[0] != self.size:
                raise ProblemError(
                    f"{self.name}: the mode shapes have {self.modes.shapes.shape[0]} rows, not {self.size}"
                )
            if any(map(is_sparse, (self.modes.shapes, self.modes.coupling, self.modes.stiffness_coupling))):
                raise ProblemError(f"{self.name}: modes are arrays; give sparse matrices as mass and stiffness")
            return
        given = {name: getattr(self, name) for name in ("mass", "stiffness", "damping")}
        sparse = any(map(is_sparse, given.values()))
        for name, value in given.items():
            matrix = value
            if value is None:
                matrix = diagonal(np.zeros(self.size)) if sparse else np.zeros((self.size, self.size))
            matrix = compressed(f"{self.name}: {name}", matrix) if sparse else matrix
            object.__setattr__(self, name, read_square(f"{self.name}: {name}", matrix, self.size))
        self._check_mass()

    def _check_mass(self) -> None:
        mass = self.mass
        if self.sparse and self.varying:
            raise ProblemError(f"{self.name}: beside sparse matrices nothing varies; give all matrices as arrays")
        if is_skewed(mass):
            raise ProblemError(f"{self.name}: mass is not symmetric")
        if (self.least_masses.min() if self.sparse else np.linalg.eigvalsh(mass)[0]) <= 0:
            raise ProblemError(
                f"{self.name}: the mass matrix is not positive definite; every coordinate needs mass, or "
                "veridyn.condensed takes those without"
            )

    def _check_lengths(self) -> None:
        directions = {
            "initial_velocity": self.initial_velocity,
            **{f"load {i + 1}": load.direction for i, load in enumerate(self.loads)},
            **{f"support {s.name!r}": s.influence for s in self.supports},
            **{f"stop {s.name!r} direction {i + 1}": d for s in self.stops for i, d in enumerate(s.directions)},
            **{f"friction {f.name!r} tangent {i + 1}": t for f in self.frictions for i, t in enumerate(f.tangents)},
            **{f"device {d.name!r}": d.direction for d in self.devices},
        }
        for owner, value in directions.items():
            if value.size != self.size:
                raise ProblemError(f"{self.name}: {owner} has {value.size} components, the problem has {self.size}")
        if not len(names := self.coordinates) == len(set(names)) == self.size:
            raise ProblemError(f"{self.name}: {len(names)} coordinate names for {self.size}, each its own, got {names}")

    def _check_names(self) -> None:
        names = [element.name for element in self.elements]
        all_of(f"{self.name}: names of elements", (*names, *(support.name for support in self.supports)), str)
        if len(set(names)) != len(names):
            raise ProblemError(f"{self.name}: stops, frictions and devices must have different names, got {names}")
        stops = {s.name: s for s in self.stops}
        for friction in self.frictions:
            if not isinstance(friction.normal, str):
                continue
            if friction.normal not in stops:
                raise ProblemError(f"{self.name}: friction {friction.name!r} rests on unknown stop {friction.normal!r}")
            lateral = stops[friction.normal].lateral
            if lateral is not None and not np.array_equal(friction.tangents[0], lateral):
                raise ProblemError(
                    f"{self.name}: friction {friction.name!r} rests on the curved stop {friction.normal!r}: "
                    "its first tangent must be the lateral direction of the stop"
                )

    def _check_basis(self) -> None:
        """Refuse initial values outside a truncated basis: every solver would leave out a part of its own choice."""
        if self.modes is None:
            return
        for name in ("initial_displacement", "initial_velocity"):
            if share := self.modes.find_share_outside(getattr(self, name)):
                raise ProblemError(
                    f"{self.name}: {share:.2g} of the {name.replace('_', ' ')} is no sum of the "
                    f"{self.modes.omega.size} modes; give more modes, or project it yourself"
                )

    @property
    def needs(self) -> frozenset[str]:
        tags = {"mechanical"}
        tags |= {"multi-dof"} if self.size > 1 else set()
        tags |= {"modes"} if self.modes is not None else set()
        tags |= {"sparse"} if self.sparse else set()
        tags |= {"loads"} if self.loads else set()
        tags |= {"support-motion"} if self.supports else set()
        tags |= {"multi-support"} if len(self.supports) > 1 else set()
        tags |= {"damping"} if self._is_damped() else set()
        tags |= {"damping:coupled"} if self._is_coupled() else set()
        tags |= {"damping:gyroscopic"} if is_skewed(self._damping) else set()
        tags |= {"stiffness:circulatory"} if is_skewed(self._stiffness) else set()
        tags |= {f"{part.of}:time-varying" for part in self.varying}
        tags |= {"contact"} if self.stops else set()
        tags |= {f"contact:{stop.geometry.replace(' ', '-')}" for stop in self.stops if stop.geometry != "plane"}
        tags |= {"contact:damped" for stop in self.stops if stop.damping}
        tags |= {"contact:rigid" for stop in self.stops if stop.rigid}
        tags |= {f"friction:{friction.law}" for friction in self.frictions}
        tags |= {"friction:on-stop" for friction in self.frictions if isinstance(friction.normal, str)}
        tags |= {"friction:two-tangents" for friction in self.frictions if len(friction.tangents) > 1}
        tags |= {d.tag for d in self.devices}
        frames = {element.frame for element in self.elements}
        tags |= {"absolute-frame"} if self.supports and "absolute" in frames else set()
        return frozenset(tags)

    @property
    def _damping(self) -> Matrix:
        """The damping matrix, (n, n) or (r, r)."""
        return self.damping if self.modes is None else self.modes.damping_entries

    @property
    def _stiffness(self) -> Matrix:
        """The stiffness matrix, (n, n) or (r, r)."""
        return self.stiffness if self.modes is None else self.modes.stiffness_entries

    def _is_damped(self) -> bool:
        return bool(abs(self._damping).max() > 0)

    def _is_coupled(self) -> bool:
        """Whether the damping couples the modes."""
        if self.modes is not None:
            return self.modes.coupling is not None and is_coupled(self.modes.damping_matrix)
        if self.sparse:  # integrated without modes: what stands beside the diagonal couples
            return bool((self.damping - diagonal(self.damping.diagonal())).nnz)
        return couples_modes(self.mass, self.damping, self.stiffness)

    def over_mass(self, matrix: Matrix) -> Matrix:
        """Return ``M⁻¹ A`` for a matrix (n, k), sparse if it is."""
        return divide_by_mass(self.mass, matrix)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; raises `ProblemError` if a field is unknown, missing or malformed."""
        known = {each.name for each in fields(cls)}
        unknown = set(data) - known
        if unknown:
            raise ProblemError(f"problem has unknown fields {sorted(unknown)}; known: {', '.join(sorted(known))}")
        try:
            return cls(**{name: read_field(name, value) for name, value in data.items()})
        except (TypeError, KeyError, AttributeError) as error:
            raise ProblemError(f"problem is malformed: {error}") from None


def as_mechanical(problem: Problem) -> MechanicalProblem:
    """Return a problem that is known to be mechanical as such; raises TypeError for another kind."""
    if not isinstance(problem, MechanicalProblem):
        raise TypeError(f"{problem.name} is a problem of kind {problem.kind!r}, not mechanical")
    return problem
