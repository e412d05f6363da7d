"""Heavy top: a symmetric body that spins about a fixed point under gravity."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.engine.elliptic import first_kind, jacobi
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

PARAMETERS = (
    Parameter("m", "kg", "mass", "15", "positive"),
    Parameter("l", "m", "distance of the centre of mass from the fixed point", "1", "positive"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("I1", "kg m^2", "moment of inertia across the axis, about the centre of mass", "0.234375", "positive"),
    Parameter("I3", "kg m^2", "moment of inertia about the axis", "0.46875", "positive"),
    Parameter("s", "rad/s", "spin about the axis at the start", "150", "positive"),
    Parameter("w", "rad/s", "angular velocity about the vertical at the start", "-4.61538", "any"),
)
ACROSS = "(I1 + m*l**2)"  # about the fixed point
RATES = (
    f"(q*z - r*y)/{ACROSS}",
    f"(r*x - p*z)/{ACROSS}",
    f"(p*y - q*x)/{ACROSS}",
    "-m*g*l*y",
    "m*g*l*x",
    0,
)
# (x, y, z) is the axis, as unit vector; (p, q, r) the angular momentum about the fixed point
PROBLEM = InitialValueProblem(
    name="heavy_top",
    states=("x", "y", "z", "p", "q", "r"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="spins",
            rates=RATES,
            events=(
                Change(name="low", guard="p*y - q*x", direction=1),
                Change(name="high", guard="p*y - q*x", direction=-1),
            ),
        ),
    ),
    initial=(0, 1, 0, 0, "I3*s", f"{ACROSS}*w"),
    end=2.0,
    output_times=evenly(2.0, 1000),
    invariants={
        "energy": f"((p**2 + q**2 + r**2)/{ACROSS})/2 + m*g*l*z",
        "length": "x**2 + y**2 + z**2",
        "spin": "p*x + q*y + r*z",
    },
)
REQUIRED = (Requirement("m*g*l >= w*I3*s", "the axis rises"),)
# without the events, which the reference need not find
FIRST = PROBLEM.with_parameters({}, modes=(Mode(name="spins", rates=RATES),), end=1.0, output_times=[0.0, 1.0])
MOTION = hybrid.motion(FIRST, PARAMETERS, restrict(*REQUIRED))


def lengths(p: Any) -> tuple[Any, Any, Any]:
    """Return the rate of nutation, its parameter and the lowest z: z'^2 = z (b z² - (c² + d²) z + 2 c d - b)."""
    across = p.I1 + p.m * p.l**2
    b, c, d = 2 * p.m * p.g * p.l / across, p.w, p.I3 * p.s / across
    half, product = (c**2 + d**2) / (2 * b), 2 * c * d / b - 1
    root = (half**2 - product) ** 0.5
    low = product / (half + root)
    return (b * (half + root - low)) ** 0.5 / 2, low / (low - half - root), low


def height(p: Any, time: int) -> Any:
    """Return z of the axis at an instant, in a ball."""
    rate, m, low = lengths(p)
    return low * (1 - (jacobi("cn", rate * time, m) / jacobi("dn", rate * time, m)) ** 2)


def cross(one: Any, other: Any) -> list[Any]:
    """Return the last coefficients of the cross product of two series of vectors."""
    dot = [[mpmath.fdot(a, b[::-1]) for b in other] for a in one]
    return [dot[1][2] - dot[2][1], dot[2][0] - dot[0][2], dot[0][1] - dot[1][0]]


@per_precision
def turned(p: Any, time: int) -> list[Any]:
    """Return the axis at an instant: the equations of motion by Taylor series, in steps of 1/16 s."""
    m, l, g, I1, I3, s, w = (getattr(p, q.name) for q in PARAMETERS)  # noqa: E741 - symbols of the field
    across = I1 + m * l**2
    axis, momentum = [mpmath.mpf(x) for x in (0, 1, 0)], [mpmath.mpf(0), I3 * s, across * w]
    for _ in range(16 * time):
        d, h = [[x] for x in axis], [[x] for x in momentum]
        for k in range(mpmath.mp.dps + 10):
            rates = [x / across for x in cross(h, d)], [-m * g * l * d[1][k], m * g * l * d[0][k], 0]
            for column, slope in zip((*d, *h), (*rates[0], *rates[1]), strict=True):
                column.append(slope / (k + 1))
        axis, momentum = ([mpmath.polyval(c[::-1], mpmath.mpf(1) / 16) for c in part] for part in (d, h))
    return axis


def coordinate(p: Any, time: int, axis: int) -> Any:
    """Return a coordinate of the axis at an instant."""
    return turned(p, time)[axis]


def lowest(p: Any) -> Any:
    """Return the lowest z by the roots of a cubic."""
    across = p.I1 + p.m * p.l**2
    b, c, d = 2 * p.m * p.g * p.l / across, p.w, p.I3 * p.s / across
    return min(mpmath.re(z) for z in mpmath.polyroots([b, -(c**2) - d**2, 2 * c * d - b], maxsteps=200))


def nutation(p: Any) -> Any:
    """Return the period of nutation by quadrature over z = low sin²."""
    across, low = p.I1 + p.m * p.l**2, lowest(p)
    b, c, d = 2 * p.m * p.g * p.l / across, p.w, p.I3 * p.s / across
    high = (c**2 + d**2) / b - low
    return 4 * mpmath.quad(
        lambda angle: 1 / mpmath.sqrt(b * (high - low * mpmath.sin(angle) ** 2)), [0, mpmath.pi / 4, mpmath.pi / 2]
    )


HOW = "equations of motion by Taylor series"
of = Quantities(MOTION, how=HOW)


def at(time: int, axis: int) -> Any:
    """Return a quantity: a coordinate of the centre of mass at an instant."""
    name, second = "xyz"[axis], partial(coordinate, time=time, axis=axis)
    if axis == 2:
        truth = MOTION.closed(lambda p: p.l * height(p, time), second=lambda p: p.l * second(p), how=HOW)
    else:
        truth = MOTION.value(f"l*{name}", str(time), second=lambda p: p.l * second(p), how=HOW)
    measure = partial(value_at, expression=f"l*{name}", at=str(time))
    return of.quantity(f"{name}@{time}", "m", f"{name} of the centre of mass at {time} s", truth, measure, scale="l")


LOWEST = MOTION.closed(lambda p: p.l * lengths(p)[2], second=lambda p: p.l * lowest(p), how="root of a polynomial")
NUTATION = MOTION.closed(
    lambda p: 2 * first_kind(lengths(p)[1]) / lengths(p)[0], second=nutation, how="quadrature over the height"
)
QUANTITIES = (
    at(1, 0),
    at(1, 1),
    at(1, 2),
    at(2, 2),
    of.quantity("nutation", "s", "period of nutation", NUTATION, partial(event_instant, event="high")),
    of.quantity("lowest", "m", "lowest z", LOWEST, partial(value_at, expression="l*z", at=("low", 1))),
)

CASE = Case(
    name="heavy_top",
    title="Heavy top",
    document="Brüls 2010",
    topics=("multibody",),
    summary="A disk spins fast at the end of a rod whose other end is fixed: gravity makes it nutate and precess.",
    statement=(
        "A symmetric body of mass m spins about its axis, which is fixed at a point; the centre of mass is l away. The "
        "axis begins horizontal along y, with the spin s and the angular velocity w about the vertical.",
        "h' = m g l (-y, x, 0) and e' = h × e/(I1 + m l²) for the angular momentum h = (p, q, r) about the point and "
        "the axis e = (x, y, z): the spin itself is constant and drops out.",
        "Energy, r and the spin leave an elliptic integral for the height.",
    ),
    sketch=draw.sketch(
        draw.pivot((0, 0)),
        draw.bar((0, 0), (2.8, 0.5), "", 0.08),
        draw.turned(draw.box((2.9, 0), 0.28, 2.0), 10.0),
        draw.words((1.3, 0.55), "l"),
        draw.dashed((0, 0), (0, 2.4)),
        draw.arc((0, 0), 1.9, 82, 50, "precesses", turns=True),
        draw.arc((2.85, 0.5), 1.3, 60, -40, "s", turns=True),
        draw.arrow((4.8, 1.5), (4.8, 0.6), "g"),
    ),
    shown=ShownMotion(curves=("x", "y", "z"), portraits=(("x", "y"),), true_to_scale=True),
    equations=(
        *equations(PROBLEM),
        "z'^2 = z (b z^2 - (w^2 + d^2) z + 2 w d - b), b = 2 m g l/(I1 + m l^2), d = I3 s/(I1 + m l^2)",
        "z = z_1 (1 - cn^2(k t)/dn^2(k t)), k = sqrt(b (z_3 - z_1))/2, T = 2 K/k",
    ),
    parameters=PARAMETERS,
    variants=(Variant("benchmark", {}), Variant("cusps", {"w": "0"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    problem=PROBLEM.with_parameters,
    modelling=("The attitude about the axis is left out: it turns by s and does not act on the axis.",),
    sources=(
        "O. Brüls, A. Cardona: On the use of Lie group time integrators in multibody dynamics. Journal of "
        "Computational and Nonlinear Dynamics 5 (2010) 031002. https://doi.org/10.1115/1.4001370",
        "M. Arnold, O. Brüls, A. Cardona: Error analysis of generalized-α Lie group time integration methods for "
        "constrained mechanical systems. Numerische Mathematik 129 (2015) 149-179. "
        "https://doi.org/10.1007/s00211-014-0633-1",
    ),
    remarks=(
        "w = -4.61538 is -60/13, cut off: with that number itself the axis would meet the vertical. As it is, z comes "
        "to -1 but for 2.6e-13 every 0.745 s.",
        "Euler's angles about the vertical turn by half a turn at once there: DOP853 takes 8358 steps for a second at "
        "rtol 1e-12 and errs by 1.8e-8; RK45 at 1e-6 steps over it unseen and errs by 1.3e-4. With the axis as a "
        "vector RK45 errs by 9e-7, and DOP853 takes 31 steps for 4e-11.",
        "A vector of the axis that is not kept at length 1 shrinks: RK45 at rtol 1e-3 loses 1.2e-4 in a second.",
    ),
    held=dict.fromkeys(("w", "s"), "the axis may rise, or pass the vertical"),
)

test_heavy_top = verifies(CASE)
