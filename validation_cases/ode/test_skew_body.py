"""A free rigid body in axes that are not its principal ones, before a world that is turned."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly
from veridyn.validation_cases.ode.free_body import Numbers, Top, attitude, product

PARAMETERS = (
    *(Parameter(f"J{i}{i}", "kg m^2", f"moment of inertia about axis {i}", J, "positive")
      for i, J in ((1, "2"), (2, "5/2"), (3, "3"))),
    *(Parameter(f"J{ij}", "kg m^2", f"entry {ij} of the inertia, minus the product of inertia", J, "any")
      for ij, J in (("12", "1/2"), ("13", "-1/4"), ("23", "1/4"))),
    *(Parameter(f"a{i}", "rad/s", f"angular velocity about axis {i} at the start", "1", "any") for i in (1, 2, 3)),
    *(Parameter(f"b{i}", "1", f"component {i} of the attitude at the start, of any length", b, "any")
      for i, b in enumerate(("2", "1", "2", "4"))),
)  # fmt: skip
END = 2  # s
MINOR = "J11*J22 - J12**2"
DETERMINANT = "(J11*J22*J33 + 2*J12*J13*J23 - J11*J23**2 - J22*J13**2 - J33*J12**2)"
LENGTH = "b0**2 + b1**2 + b2**2 + b3**2"
REQUIRED = (
    Requirement(f"{MINOR} > 0", "no body has this inertia"),
    Requirement(f"{DETERMINANT} > 0", "no body has this inertia"),
    Requirement(f"{LENGTH} > 0", "a quaternion of length zero is no attitude"),
)
MOMENTUM = tuple(
    f"(J{min(i, 1)}{max(i, 1)}*w1 + J{min(i, 2)}{max(i, 2)}*w2 + J{min(i, 3)}{max(i, 3)}*w3)" for i in (1, 2, 3)
)
L1, L2, L3 = MOMENTUM
# what the momentum loses in axes that turn with the body: the components of -w x J w, as forms in w
TORQUE = (
    {"w1*w2": "-J13", "w1*w3": "J12", "w2*w3": "J22 - J33", "w2**2": "-J23", "w3**2": "J23"},
    {"w1*w2": "J23", "w1*w3": "J33 - J11", "w2*w3": "-J12", "w1**2": "J13", "w3**2": "-J13"},
    {"w1*w2": "J11 - J22", "w1*w3": "-J23", "w2*w3": "J13", "w1**2": "-J12", "w2**2": "J12"},
)
COFACTORS = (
    ("(J22*J33 - J23**2)", "(J13*J23 - J12*J33)", "(J12*J23 - J13*J22)"),
    ("(J13*J23 - J12*J33)", "(J11*J33 - J13**2)", "(J12*J13 - J11*J23)"),
    ("(J12*J23 - J13*J22)", "(J12*J13 - J11*J23)", f"({MINOR})"),
)


def accelerate(row: tuple[str, str, str]) -> str:
    """Return an angular acceleration: a row of cofactors times the torque, over the determinant, product by product.

    So every number that does not change is read once.
    """
    pairs = dict.fromkeys(pair for torque in TORQUE for pair in torque)
    sums = {
        pair: " + ".join(f"{c}*({t[pair]})" for c, t in zip(row, TORQUE, strict=True) if pair in t) for pair in pairs
    }
    return " + ".join(f"({total})/{DETERMINANT}*{pair}" for pair, total in sums.items())


SPIN = tuple(map(accelerate, COFACTORS))
PROBLEM = InitialValueProblem(
    name="skew_body",
    states=("w1", "w2", "w3", "q0", "q1", "q2", "q3"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=(
                *SPIN,
                "(-q1*w1 - q2*w2 - q3*w3)/2",
                "(q0*w1 + q2*w3 - q3*w2)/2",
                "(q0*w2 + q3*w1 - q1*w3)/2",
                "(q0*w3 + q1*w2 - q2*w1)/2",
            ),
        ),
    ),
    initial=("a1", "a2", "a3", *(f"b{i}/sqrt({LENGTH})" for i in range(4))),
    end=float(END),
    output_times=evenly(float(END), 400),
    invariants={
        "energy": f"(w1*{L1} + w2*{L2} + w3*{L3})/2",
        "momentum": f"{L1}**2 + {L2}**2 + {L3}**2",
        "norm": "q0**2 + q1**2 + q2**2 + q3**2",
    },
)


def principal(p: Any) -> tuple[Any, Numbers]:
    """Return the principal axes, columns of a rotation, and what `Top` takes: moments, then angular velocities."""
    moments, axes = mpmath.eigsy(mpmath.matrix([[p.J11, p.J12, p.J13], [p.J12, p.J22, p.J23], [p.J13, p.J23, p.J33]]))
    if mpmath.det(axes) < 0:
        axes[:, 2] = -axes[:, 2]
    turning = axes.T * mpmath.matrix([p.a1, p.a2, p.a3])
    return axes, (*moments, *turning)


def spin(p: Any, *, axis: int) -> Any:
    """Return the angular velocity about an axis at the end."""
    axes, own = principal(p)
    top = Top(own)
    return mpmath.fsum(axes[axis - 1, k] * top.turning(k + 1, END) for k in range(3))


def component(p: Any, *, place: int) -> Any:
    """Return a component of the attitude at the end: that of the start, then the turn seen in the axes stated."""
    axes, own = principal(p)
    whole, *vector = attitude(own, END)
    begun = (p.b0, p.b1, p.b2, p.b3)
    length = mpmath.sqrt(mpmath.fsum(b**2 for b in begun))
    turn = product(begun, (whole, *(axes * mpmath.matrix(vector))))
    return turn[place] / length


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)), how="Jacobi's functions in principal axes")
QUANTITIES = (
    *(of.value(f"w{i}", str(END), "rad/s", scale="1", second=partial(spin, axis=i)) for i in (1, 2, 3)),
    *(of.value(f"q{i}", str(END), "1", scale="1", second=partial(component, place=i)) for i in range(4)),
)

CASE = Case(
    name="skew_body",
    title="Rigid body in skew axes",
    document="Landau 1976",
    topics=("multibody",),
    summary="A rigid body without torque in axes that are not its principal ones and do not begin with the world's.",
    statement=(
        "J w' = -w x J w with a full inertia J; the attitude is a quaternion, q' = q (0, w)/2, that begins at b/|b|.",
        "In its principal axes this is Euler's top, in Jacobi's functions.",
    ),
    sketch=draw.sketch(
        draw.turned(
            (
                *draw.outline((-1.6, -0.6), (1.6, -0.6), (1.6, 0.6), (-1.6, 0.6)),
                *draw.dashed((-2.2, 0), (2.2, 0)),
                *draw.dashed((0, -1.3), (0, 1.3)),
            ),
            30.0,
        ),
        draw.arrow((0, 0), (2.4, 0), "1"),
        draw.arrow((0, 0), (0, 2.0), "2"),
        draw.arrow((0, 0), (-1.3, -1.5), "3"),
        draw.words((3.6, 1.7), "principal axes: dashed"),
        draw.arc((0, 0), 1.6, 110, 160, "w", turns=True),
        draw.dot((0, 0)),
    ),
    shown=ShownMotion(curves=("w1", "w2", "w3")),
    equations=(
        "L1 = J11 w1 + J12 w2 + J13 w3, L2 = J12 w1 + J22 w2 + J23 w3, L3 = J13 w1 + J23 w2 + J33 w3",
        "L1' = L2 w3 - L3 w2, L2' = L3 w1 - L1 w3, L3' = L1 w2 - L2 w1",
        *of.equations()[3:],  # the rates of w alone, solved for, would fill a page
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("skew", {}),),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    sources=("L. D. Landau, E. M. Lifshitz: Mechanics, 3rd edition, section 37. Pergamon (1976).",),
    remarks=(
        "Torques divided by the diagonal of J, or a momentum of the diagonal alone, are right in principal axes only.",
        "A start that is taken for the unit quaternion turns the world.",
        "Where attitudes are multiplied in the other order, only a turned start shows it.",
    ),
    held={f"a{i}": "the separatrix may be near" for i in (1, 2, 3)},
)

test_skew_body = verifies(CASE)
