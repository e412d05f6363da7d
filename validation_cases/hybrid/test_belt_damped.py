"""Mass on a moving belt with viscous damping: the limit cycle, and the belt speed above which it is gone."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("z", "1", "damping ratio", "0.05", "positive"),
    Parameter("F_s", "1", "largest force of static friction", "1.5", "positive"),
    Parameter("F_k", "1", "force of kinetic friction", "1", "positive"),
    Parameter("v_b", "1", "velocity of the belt", "0.5", "positive"),
)
START, RATES = ("F_s - 2*z*v_b", "v_b"), ("v", "F_k - x - 2*z*v")
RELEASED = {"x": "F_s - 2*z*v_b", "v": "v_b"}
PROBLEM = InitialValueProblem(
    name="belt_damped",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="slip",
            rates=RATES,
            events=(Change(name="stick", guard="v - v_b", direction=1, reset={"v": "v_b"}, mode="stick"),),
        ),
        Mode(
            name="stick",
            rates=("v_b", 0),
            events=(Change(name="slip", guard="x + 2*z*v_b - F_s", direction=1, reset=RELEASED, mode="slip"),),
        ),
    ),
    initial=START,
    end=20.0,
    output_times=evenly(20.0, 2000),
)
# the slip that goes on whether the mass overtakes the belt or not, up to its largest velocity
ARC = InitialValueProblem(
    name="belt_damped_arc",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="slip", rates=RATES, events=(Change(name="crest", guard=RATES[1], direction=-1),)),),
    initial=START,
    end=20.0,
)
CRITICAL = hybrid.motion(ARC, PARAMETERS).where("v_b", "v - v_b", at=("crest", 1))


def arc(p: Any, v_b: Any) -> tuple[Any, Any]:
    """Return rate and complex amplitude of the slip that begins at the release: x = F_k + Re(amplitude exp(rate t))."""
    rate = mpmath.mpc(-p.z, mpmath.sqrt(1 - p.z**2))
    place = p.F_s - 2 * p.z * v_b - p.F_k
    return rate, mpmath.mpc(place, (rate.real * place - v_b) / rate.imag)


@per_precision
def t_slip(p: Any) -> Any:
    """Return how long the mass slips: the velocity, a sinusoid that decays, rises to that of the belt."""
    rate, amplitude = arc(p, p.v_b)
    swing, v_b = amplitude * rate, p.v_b
    trough = -(mpmath.pi / 2 + mpmath.arg(swing * rate)) / rate.imag  # the acceleration rises through zero
    trough += 2 * mpmath.pi / rate.imag * mpmath.ceil(-trough * rate.imag / (2 * mpmath.pi))

    def behind(t: Any) -> Any:
        return (swing * mpmath.exp(rate * t)).real - v_b

    crest = trough + mpmath.pi / rate.imag
    return mpmath.findroot(behind, (trough, crest), solver="anderson", maxsteps=400, tol=mpmath.eps**1.5)


def capture(p: Any) -> Any:
    """Return where the belt captures the mass."""
    rate, amplitude = arc(p, p.v_b)
    return p.F_k + (amplitude * mpmath.exp(rate * t_slip(p))).real


def period(p: Any) -> Any:
    """Return the period: after the capture the belt carries the mass to the release."""
    return t_slip(p) + (p.F_s - 2 * p.z * p.v_b - capture(p)) / p.v_b


def critical(p: Any) -> Any:
    """Return the belt speed whose slip just comes back to it, by the bracket of its excess over the crest."""

    def excess(v_b: Any) -> Any:
        rate, amplitude = arc(p, v_b)
        swing = amplitude * rate
        turn = (mpmath.pi / 2 - mpmath.arg(swing * rate)) / rate.imag  # the acceleration falls through zero
        turn += 2 * mpmath.pi / rate.imag * mpmath.ceil(-turn * rate.imag / (2 * mpmath.pi))
        return (swing * mpmath.exp(rate * turn)).real - v_b

    most = (p.F_s - p.F_k) / (2 * p.z)  # there the release begins at rest against the friction in motion
    return mpmath.findroot(excess, (most / 10**3, most), solver="anderson", maxsteps=400, tol=mpmath.eps**1.5)


FASTEST = CRITICAL.value("v_b", "0", second=critical, how="crest of a complex exponential")
of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), how="arc of a complex exponential")
QUANTITIES = (
    of.event("stick", name="t_slip", second=t_slip),
    of.value("x", ("stick", 1), "1", name="x_capture", scale="F_s", second=capture),
    of.event("slip", name="period", second=period),
    of.event("slip", 2, name="end_of_cycle_2", second=lambda p: 2 * period(p)),
    of.quantity("critical_speed", "1", "belt speed above which nothing sticks", FASTEST, None),
)

CASE = Case(
    name="belt_damped",
    title="Damped mass on a moving belt",
    document="Popp 1990",
    topics=("friction", "limit cycle"),
    summary="A belt drags a damped mass on a spring: sticking and slipping, up to a speed at which it only slips.",
    statement=(
        "x'' + 2 z x' + x = F without dimensions; friction is F_s at most in stick and F_k in slip.",
        "The motion begins on its limit cycle, as the mass is released: v = v_b, x = F_s - 2 z v_b, since spring and "
        "dashpot act against the belt. The slip decays about x = F_k; the belt captures the mass where v = v_b again.",
        "At the critical speed the crest of the velocity just reaches the belt; beyond it the mass comes to rest.",
    ),
    sketch=draw.sketch(
        draw.oscillator("1", "2 z"),
        draw.disc((1.95, -1.05), 0.35),
        draw.disc((4.6, -1.05), 0.35),
        draw.line((1.95, -0.7), (4.6, -0.7)),
        draw.line((1.95, -1.4), (4.6, -1.4)),
        draw.arrow((3.9, -0.35), (4.8, -0.35), "v_b"),
        draw.arrow((2.5, 0.9), (3.3, 0.9), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations(
        "x = F_k + exp(-z t) (a cos(w_d t) + (v_b + z a)/w_d sin(w_d t)), a = F_s - F_k - 2 z v_b",
        "T = t_slip + (F_s - 2 z v_b - x_c)/v_b",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("near_critical", {}), Variant("slow", {"v_b": "0.2"})),
    quantities=QUANTITIES,
    sources=(
        "K. Popp, P. Stelter: Stick-slip vibrations and chaos. Philosophical Transactions of the Royal Society A 332 "
        "(1990) 89-105. https://doi.org/10.1098/rsta.1990.0102",
        "J. J. Thomsen, A. Fidlin: Analytical approximations for stick-slip vibration amplitudes. International "
        "Journal of Non-Linear Mechanics 38 (2003) 389-403. https://doi.org/10.1016/S0020-7462(01)00073-7",
    ),
    remarks=(
        "Damping of the method adds to z: near the critical speed the velocity misses the belt, and a cycle that is "
        "there dies out. The cycle and the steady slip are both stable: what is found depends on the start.",
        "A release at x = F_s forgets the dashpot, 2 z v_b, and comes late.",
    ),
    held=dict.fromkeys(("z", "F_s", "F_k", "v_b"), "beyond the critical speed there is no cycle"),
)

test_belt_damped = verifies(CASE)
