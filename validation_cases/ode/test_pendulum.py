"""Pendulum: libration, the neighbourhood of the separatrix, rotation."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant, floats
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("w0", "rad/s", "circular frequency sqrt(g/l) of small motions", "1", "positive"),
    Parameter("theta0", "deg", "initial angle from the lowest position", "90", "any"),
    Parameter("Om0", "rad/s", "initial angular velocity", "0", "any"),
)
PROBLEM = InitialValueProblem(
    name="pendulum",
    states=("theta", "om"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="swing",
            rates=("om", "-w0**2*sin(theta)"),
            events=(
                Change(name="turn", guard="om", direction=0),
                Change(name="round", guard="theta**2 - 4*pi**2", direction=1),
            ),
        ),
    ),
    initial=("theta0*pi/180", "Om0"),
    end=100.0,
    output_times=evenly(100.0, 5000),
    invariants={"energy": "om**2/2 - w0**2*cos(theta)"},
)


def modulus(p: Any) -> Any:
    """Return k² = sin²(θ0/2)."""
    return mpmath.sin(p.theta0 * mpmath.pi / 360) ** 2


def period(p: Any) -> Any:
    """Return the period of libration."""
    return 4 * mpmath.ellipk(modulus(p)) / p.w0


def rotation(p: Any) -> Any:
    """Return the time of one turn from the lowest position."""
    return 4 * mpmath.ellipk(4 * p.w0**2 / p.Om0**2) / abs(p.Om0)


def angle(p: Any) -> Any:
    """Return the angle at 100 s."""
    m = modulus(p)
    sine = mpmath.ellipfun("sn", 100 * p.w0 + mpmath.ellipk(m), m=m)
    return 2 * mpmath.sign(p.theta0) * mpmath.asin(mpmath.sqrt(m) * sine)


def rotated(p: Any) -> Any:
    """Return the angle at 100 s of a rotation, by the amplitude of the elliptic integral."""
    m, turn = 4 * p.w0**2 / p.Om0**2, rotation(p)
    whole = mpmath.floor(100 / turn + mpmath.mpf(1) / 2)
    sine = mpmath.ellipfun("sn", abs(p.Om0) * (100 - whole * turn) / 2, m=m)
    return 2 * mpmath.sign(p.Om0) * (mpmath.asin(sine) + whole * mpmath.pi)


def is_turning(values: Values) -> bool:
    """Whether the pendulum starts at the bottom, fast enough to turn."""
    w0, theta0, Om0 = floats(values, "w0", "theta0", "Om0")
    return theta0 == 0 and abs(Om0) > 2 * w0


def is_swinging(values: Values) -> bool:
    """Whether it is released at rest, off the bottom."""
    theta0, Om0 = floats(values, "theta0", "Om0")
    return Om0 == 0 and 0 < abs(theta0) < 180


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), how="Jacobi's elliptic functions")
QUANTITIES = (
    of.event("turn", 2, name="period", second=period, applies=is_swinging),
    of.value("theta", "100", "rad", scale="pi", second=angle, applies=is_swinging),
    of.event("round", name="rotation_period", second=rotation, applies=is_turning),
    of.value("theta", "100", "rad", name="theta_turning@100", second=rotated, applies=is_turning),
)

CASE = Case(
    name="pendulum",
    title="Pendulum",
    document="Beléndez 2007",
    topics=("multibody", "long time", "sensitive"),
    summary="A pendulum swings, nearly stands on its head, or turns: periods by elliptic integrals.",
    statement=(
        "θ'' = -ω0² sin θ, from the angle θ0 and the angular velocity Ω0.",
        "Released at rest it swings with the period 4 K(sin²(θ0/2))/ω0; with Ω0 > 2 ω0 at the bottom it turns.",
    ),
    sketch=draw.sketch(
        draw.pivot((0, 0), 180.0),
        draw.dashed((0, 0), (0, -2.8)),
        draw.bar((0, 0), (1.7, -1.8), "", 0.06),
        draw.disc((1.7, -1.8), 0.26),
        draw.arc((0, 0), 1.3, 270, 313, "θ"),
        draw.arrow((2.8, -0.3), (2.8, -1.2), "g"),
        draw.words((1.2, -0.7), "l"),
    ),
    shown=ShownMotion(portraits=(("theta", "om"),), until=20),
    equations=of.equations("T = 4 K(m)/ω_0, m = sin(θ_0/2)^2"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("libration", {}),
        Variant("near_separatrix", {"theta0": "179"}),
        Variant("rotation", {"theta0": "0", "Om0": "5/2"}),
    ),
    quantities=QUANTITIES,
    modelling=("An angle may pass 2 π: it counts the turns.",),
    sources=(
        "A. Beléndez, C. Pascual, D. I. Méndez, T. Beléndez, C. Neipp: Exact solution for the nonlinear "
        "pendulum. Revista Brasileira de Ensino de Física 29 (2007) 645-648. "
        "https://doi.org/10.1590/S1806-11172007000400024",
    ),
    remarks=(
        "Near the upper position errors grow as exp(ω0 t) for as long as the pendulum stays there.",
        "Errors of the period add up: at 100 s sixteen periods have passed.",
    ),
    held={"Om0": "libration and rotation have quantities of their own", "theta0": "the same"},
)

test_pendulum = verifies(CASE)
