"""Euler's top: an asymmetric rigid body without torque, and its flips about the middle axis."""

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    *(Parameter(f"I{i}", "kg m^2", f"moment of inertia about axis {i}", str(i), "positive") for i in (1, 2, 3)),
    *(Parameter(f"a{i}", "rad/s", f"angular velocity about axis {i} at the start", "1", "any") for i in (1, 2, 3)),
)
PROBLEM = InitialValueProblem(
    name="euler_top",
    states=("w1", "w2", "w3", "q0", "q1", "q2", "q3"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=(
                "(I2 - I3)/I1*w2*w3",
                "(I3 - I1)/I2*w3*w1",
                "(I1 - I2)/I3*w1*w2",
                "(-q1*w1 - q2*w2 - q3*w3)/2",
                "(q0*w1 + q2*w3 - q3*w2)/2",
                "(q0*w2 + q3*w1 - q1*w3)/2",
                "(q0*w3 + q1*w2 - q2*w1)/2",
            ),
            events=(Change(name="flip", guard="w2", direction=-1),),
        ),
    ),
    initial=("a1", "a2", "a3", 1, 0, 0, 0),
    end=20.0,
    output_times=evenly(20.0, 4000),
    invariants={
        "energy": "(I1*w1**2 + I2*w2**2 + I3*w3**2)/2",
        "momentum": "(I1*w1)**2 + (I2*w2)**2 + (I3*w3)**2",
        "norm": "q0**2 + q1**2 + q2**2 + q3**2",
    },
)
SHARES = 10  # of the span: smooth pieces of a quadrature
Numbers = tuple[Any, ...]


class Frame(NamedTuple):
    """Axes of the body as others: for each, which of the old ones it is, and the side; together a rotation."""

    order: tuple[int, ...]
    sides: tuple[int, ...]

    def turn(self, vector: Numbers) -> Numbers:
        """Return the components along these axes, from those along the old ones."""
        return tuple(side * vector[axis] for axis, side in zip(self.order, self.sides, strict=True))

    def turn_back(self, vector: Numbers) -> Numbers:
        """Return the components along the old axes."""
        places = map(self.order.index, range(3))
        return tuple(self.sides[place] * vector[place] for place in places)


def principal_frame(p: Numbers) -> Frame:
    """Return the axes from the smallest moment of inertia to the largest.

    The body runs about the last or the first of them, in its positive direction.
    """
    order = tuple(sorted(range(3), key=lambda axis: p[axis]))
    is_even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    twice, square = (mpmath.fsum(i**k * w**2 for i, w in zip(p[:3], p[3:], strict=True)) for k in (1, 2))
    runs = 2 if square > twice * p[order[1]] else 0
    half = -1 if p[3 + order[runs]] < 0 else 1  # half a turn about the middle axis turns both others round
    return Frame(order, (half, 1 if is_even else -1, half))


class Top:
    """The motion in Jacobi's functions: sn about the middle axis, cn and dn about the others, as energy has it."""

    def __init__(self, p: Numbers) -> None:
        self.frame = principal_frame(p)
        (self.I1, self.I2, self.I3), start = (p[i] for i in self.frame.order), self.frame.turn(p[3:])
        self.twice = mpmath.fsum(i * w**2 for i, w in zip(p[:3], p[3:], strict=True))
        self.square = mpmath.fsum((i * w) ** 2 for i, w in zip(p[:3], p[3:], strict=True))
        low, high = self.square - self.twice * self.I1, self.twice * self.I3 - self.square
        slow, fast = (self.I2 - self.I1) * high, (self.I3 - self.I2) * low
        self.about3 = self.square > self.twice * self.I2
        self.m = slow / fast if self.about3 else fast / slow
        self.rate = mpmath.sqrt(max(slow, fast) / (self.I1 * self.I2 * self.I3))
        self.most1 = mpmath.sqrt(high / (self.I1 * (self.I3 - self.I1)))
        self.most3 = mpmath.sqrt(low / (self.I3 * (self.I3 - self.I1)))
        self.most2 = mpmath.sqrt(high / (self.I3 - self.I2) if self.about3 else low / (self.I2 - self.I1))
        self.most2 /= mpmath.sqrt(self.I2)
        whole = start[0] / self.most1 if self.about3 else start[2] / self.most3
        self.begin = mpmath.ellipf(mpmath.atan2(start[1] / self.most2, whole), self.m)

    @property
    def names(self) -> tuple[str, str, str]:
        """The functions of the axes from the smallest moment of inertia to the largest."""
        return ("cn", "sn", "dn") if self.about3 else ("dn", "sn", "cn")

    def about(self, axis: int, time: Any) -> Any:
        """Return the angular velocity about an axis, by its moment of inertia."""
        most = (self.most1, self.most2, self.most3)[axis - 1]
        return most * mpmath.ellipfun(self.names[axis - 1], self.rate * time + self.begin, m=self.m)

    def turning(self, axis: int, time: Any) -> Any:
        """Return the angular velocity about an axis as the parameters count them."""
        return self.frame.turn_back(tuple(self.about(k, time) for k in (1, 2, 3)))[axis - 1]

    def flip(self, number: int) -> Any:
        """Return the instant at which w2 falls through zero: sn does at 2 K, cn at K, in the sense of its axis."""
        place, quarter = self.frame.order.index(1), mpmath.ellipk(self.m)
        if self.names[place] == "dn":
            raise CertificationError("the body runs about axis 2: it never flips")
        first = (2 if self.names[place] == "sn" else 1) + (0 if self.frame.sides[place] > 0 else 2)
        whole = mpmath.floor((self.begin / quarter - first) / 4) + number
        return ((4 * whole + first) * quarter - self.begin) / self.rate

    def precession(self, time: Any) -> Any:
        """Return the rate at which the body turns about its angular momentum."""
        spin = self.I3 * self.about(3, time) ** 2
        return mpmath.sqrt(self.square) * (self.twice - spin) / (self.square - self.I3 * spin)

    def tilt(self, time: Any) -> tuple[Any, Any]:
        """Return Euler's angles between axis 3 and the angular momentum, and about axis 3, without whole turns."""
        first, second = self.I1 * self.about(1, time), self.I2 * self.about(2, time)
        return mpmath.acos(self.I3 * self.about(3, time) / mpmath.sqrt(self.square)), mpmath.atan2(first, second)


def turned(top: Top, end: int) -> Any:
    """Return the angle about axis 3 at the end, whole turns counted: it moves by less than half a turn a sample."""
    angles = [top.tilt(mpmath.mpf(end) * k / (4 * SHARES))[1] for k in range(4 * SHARES + 1)]
    turns = sum(int(mpmath.nint((a - b) / (2 * mpmath.pi))) for a, b in pairwise(angles))
    return angles[-1] + 2 * mpmath.pi * turns


def quaternion(precession: Any, tilt: Any, spin: Any) -> Numbers:
    """Return the quaternion of Euler's angles."""
    c, s = mpmath.cos(tilt / 2), mpmath.sin(tilt / 2)
    plus, minus = (precession + spin) / 2, (precession - spin) / 2
    return c * mpmath.cos(plus), s * mpmath.cos(minus), s * mpmath.sin(minus), c * mpmath.sin(plus)


def product(p: Numbers, q: Numbers) -> Numbers:
    """Return the product of two quaternions."""
    (a, b, c, d), (e, f, g, h) = p, q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


@per_precision
def attitude(numbers: Numbers, end: int) -> Numbers:
    """Return the attitude at the end, by Euler's angles against the angular momentum, which stays."""
    top = Top(numbers)
    precession = mpmath.quad(top.precession, mpmath.linspace(0, end, SHARES + 1), method="gauss-legendre")
    tilt, spin = top.tilt(mpmath.mpf(0))
    a, b, c, d = quaternion(mpmath.mpf(0), tilt, spin)
    there = quaternion(precession, top.tilt(mpmath.mpf(end))[0], turned(top, end))
    whole, *vector = product((a, -b, -c, -d), there)
    return whole, *top.frame.turn_back(tuple(vector))


def numbers(p: Any) -> Numbers:
    """Return moments of inertia, then angular velocities."""
    return tuple(getattr(p, parameter.name) for parameter in PARAMETERS)


def turning(p: Any, axis: int) -> Any:
    """Return the angular velocity about an axis at 10 s."""
    return Top(numbers(p)).turning(axis, 10)


def flipped(p: Any, number: int) -> Any:
    """Return the instant of a flip."""
    return Top(numbers(p)).flip(number)


def component(p: Any, *, place: int) -> Any:
    """Return a component of the attitude at 10 s."""
    return attitude(numbers(p), 10)[place]


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), how="Jacobi's elliptic functions")
SWEPT = "Euler's angles against the angular momentum, by quadrature"
QUANTITIES = (
    *(of.event("flip", i, second=partial(flipped, number=i)) for i in (1, 2)),
    *(of.value(f"w{i}", "10", "rad/s", scale="1", second=partial(turning, axis=i)) for i in (1, 2, 3)),
    *(of.value(f"q{i}", "10", "1", scale="1", second=partial(component, place=i), how=SWEPT) for i in range(4)),
)

NAMES = frozenset(q.name for q in QUANTITIES)
# q2 is small about axis 3: its 30 digits cost as much as all others, and the length of the quaternion gives it
REGULAR, ONE_FLIP = NAMES - {"q2@10"}, NAMES - {"t_flip_2"}

CASE = Case(
    name="euler_top",
    title="Euler's top",
    document="Landau 1976",
    topics=("multibody", "sensitive"),
    summary="A rigid body without torque: regular about its outer axes, flips about the middle one.",
    statement=(
        "I1 w1' = (I2 - I3) w2 w3 and so on; the quaternion q of the attitude has q' = q (0, w)/2, and begins at 1.",
        "w2 = A sn(p t + u0), w1 and w3 are cn and dn: cn is that of the axis about which the body does not run.",
        "At a flip w2 falls through zero; flips follow with the period 4 K(m)/p.",
    ),
    equations=of.equations(
        "p^2 = (I3 - I2) (L^2 - 2 E I1)/(I1 I2 I3), m = (I2 - I1) (2 E I3 - L^2)/((I3 - I2) (L^2 - 2 E I1))"
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("about_three", {}, REGULAR), Variant("middle_axis", {"a1": "0.001", "a3": "0"}, ONE_FLIP)),
    quantities=QUANTITIES,
    sources=(
        "L. D. Landau, E. M. Lifshitz: Mechanics, 3rd edition, section 37. Pergamon (1976).",
        "M. S. Ashbaugh, C. C. Chicone, R. H. Cushman: The twisting tennis racket. Journal of Dynamics and "
        "Differential Equations 3 (1991) 67-85. https://doi.org/10.1007/BF01049489",
    ),
    remarks=(
        "From the middle axis the body leaves as exp(p t): its flip is late by as much as the start is off.",
        "Errors of energy and momentum move the period, and the attitude runs away with the time.",
        "A quaternion that is not kept at length 1 shrinks with a damping method, and so do all rotations by it.",
    ),
    held={f"a{i}": "the separatrix may be near" for i in (1, 2, 3)},
)

test_euler_top = verifies(CASE)
