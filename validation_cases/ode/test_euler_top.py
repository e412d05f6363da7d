"""Euler's top: an asymmetric rigid body without torque, and its flips about the middle axis."""

from functools import partial
from typing import Any

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly
from veridyn.validation_cases.ode.free_body import Numbers, Top, attitude

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
    sketch=draw.sketch(
        draw.outline((-1.6, -0.7), (0.9, -0.7), (1.7, 0.0), (1.7, 1.0), (-0.8, 1.0), (-1.6, 0.3)),
        draw.line((-1.6, 0.3), (0.9, 0.3), (1.7, 1.0)),
        draw.line((0.9, 0.3), (0.9, -0.7)),
        draw.arrow((0.1, 0.2), (0.1, 2.0), "3"),
        draw.arrow((0.1, 0.2), (2.6, 0.2), "1"),
        draw.arrow((0.1, 0.2), (-1.0, -1.2), "2"),
        draw.arc((0.1, 0.2), 1.5, 60, 115, turns=True),
        draw.words((-0.85, 1.75), "w"),
    ),
    shown=ShownMotion(curves=("w1", "w2", "w3")),
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
