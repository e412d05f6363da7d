"""Impact on a spring and a dashpot in parallel, and two definitions of the end of contact."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("w", "rad/s", "natural angular frequency of the mass on the spring", "1", "positive"),
    Parameter("z", "1", "damping ratio of the contact", "0.1", "positive"),
    Parameter("v_0", "m/s", "speed of impact", "1", "positive"),
)
# the contact may pull: both ends of contact are marked, and the motion goes on
PROBLEM = InitialValueProblem(
    name="kelvin_voigt",
    states=("d", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="contact",
            rates=("v", "-2*z*w*v - w**2*d"),
            events=(
                Change(name="no_force", guard="2*z*v + w*d", direction=-1),
                Change(name="no_gap", guard="d", direction=-1),
            ),
        ),
    ),
    initial=(0, "v_0"),
    end=4.0,
    output_times=evenly(4.0, 400),
)


def damped(p: Any) -> Any:
    """Return the angular frequency of the free vibration, imaginary above critical damping."""
    return p.w * mpmath.sqrt(mpmath.mpc(1 - p.z**2))


def half(p: Any) -> Any:
    """Return how long the indentation lasts (s): half a period."""
    return mpmath.pi / mpmath.re(damped(p))


def pushing(p: Any) -> Any:
    """Return how long the force pushes (s): twice the angle of a root of the equation of motion, over the frequency."""
    if p.z == 1:  # the limit
        return 2 / p.w
    return mpmath.re(2 * mpmath.acos(p.z) / damped(p))


def restitution(p: Any, time: Any) -> Any:
    """Return the restitution: at both ends of contact the velocity is -v_0 exp(-z w t)."""
    return mpmath.exp(-p.z * p.w * time(p))


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), how="complex exponentials")
QUANTITIES = (
    of.event("no_gap", name="T_A", second=half),
    of.value("-v/v_0", ("no_gap", 1), "1", name="e_A", second=partial(restitution, time=half)),
    of.event("no_force", name="T_B", second=pushing),
    of.value("-v/v_0", ("no_force", 1), "1", name="e_B", second=partial(restitution, time=pushing)),
)

CASE = Case(
    name="kelvin_voigt",
    title="Impact on a spring and a dashpot",
    document="Schwager 2007",
    topics=("impact",),
    summary="A mass hits a spring with a dashpot: the contact ends where the gap opens, or where the force would pull.",
    statement=(
        "d'' + 2 z w d' + w² d = 0 from d = 0 with v_0. By definition A the contact ends at d = 0: the dashpot pulls "
        "before. By definition B it ends where the force is zero, at an indentation that relaxes without the mass.",
        "Restitution is the speed at the end over v_0: exp(-z w T) for both. Above critical damping A never ends.",
    ),
    sketch=draw.sketch(
        draw.box((0, 0), 1, 1.2, "m"),
        draw.arrow((-1.8, 0), (-0.65, 0), ""),
        draw.words((-1.3, 0.3), "v_0"),
        draw.edge((0.58, -0.65), (0.58, 0.65)),
        draw.spring((0.58, 0.35), (2.9, 0.35), "w²"),
        draw.damper((0.58, -0.35), (2.9, -0.35), "2 z w"),
        draw.ground((2.9, -0.85), (2.9, 0.85)),
        draw.arrow((0, 0.85), (0.9, 0.85), "d"),
    ),
    equations=of.equations(
        "T_A = π/w_d, w_d = w sqrt(1 - z^2), e_A = exp(-z w T_A)",
        "tan(w_d T_B) = -2 z sqrt(1 - z^2)/(1 - 2 z^2), e_B = exp(-z w T_B)",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("light", {}),
        Variant("half", {"z": "0.5"}),
        Variant("overdamped", {"z": "1.2"}, frozenset(("T_B", "e_B"))),
    ),
    quantities=QUANTITIES,
    modelling=("Both ends of contact are marked on one motion, in which the contact goes on.",),
    sources=(
        "T. Schwager, T. Pöschel: Coefficient of restitution and linear-dashpot model revisited. Granular Matter 9 "
        "(2007) 465-469. https://doi.org/10.1007/s10035-007-0065-z",
        "E. A. Butcher, D. J. Segalman: Characterizing damping and restitution in compliant impacts via modified K-V "
        "and higher-order linear viscoelastic models. Journal of Applied Mechanics 67 (2000) 831-834.",
    ),
    remarks=(
        "A dashpot calibrated by e = exp(-π z/sqrt(1 - z²)) in a code that refuses tension rebounds too fast: at "
        "z = 0.5 with 0.298 v_0 where 0.163 v_0 was wanted.",
        "By definition B no dashpot, however strong, keeps the mass from rebounding; by A one of z = 1 does.",
        "The force jumps where the contact begins: a test for its sign one step too early ends the contact at once.",
    ),
    benchmark_variant="half",
)

test_kelvin_voigt = verifies(CASE)
