"""Free vibration of springs that change their stiffness: bilinear, gapped, with a dead zone, preloaded."""

from typing import Any

import mpmath

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("k_1", "N/m", "stiffness to the left, or within the gap, over a mass of 1 kg", "1", "non-negative"),
    Parameter("k_2", "N/m", "stiffness to the right, or beyond the gap", "4", "positive"),
    Parameter("d", "m", "half of the gap", "0.5", "positive"),
    Parameter("F_0", "N", "preload", "1", "positive"),
    Parameter("A", "m", "amplitude: let go at x = -A", "1", "positive"),
)
DEFAULTS = {p.name: p.default for p in PARAMETERS}
TURN = Change(name="turn", guard="v", direction=1)  # at x = -A: a period is over


def crossing(place: str, direction: int, mode: str) -> Change:
    """Return the change of the spring where the mass passes a place."""
    return Change(name=f"to_{mode}", guard=f"x - ({place})", direction=direction, reset={"x": place}, mode=mode)


def freed(name: str, names: str, *modes: Mode) -> InitialValueProblem:
    """Return the problem of a mass that is let go at the left."""
    return InitialValueProblem(
        name=name,
        states=("x", "v"),
        parameters={p: DEFAULTS[p] for p in names.split()},
        modes=modes,
        initial=("-A", 0),
        end=10.0,
        output_times=evenly(10.0, 2000),
    )


def halves(left: str, right: str) -> tuple[Mode, Mode]:
    """Return the modes of two springs that meet at x = 0."""
    return (
        Mode(name="left", rates=("v", left), events=(crossing("0", 1, "right"), TURN)),
        Mode(name="right", rates=("v", right), events=(crossing("0", -1, "left"),)),
    )


BILINEAR = freed("bilinear", "k_1 k_2 A", *halves("-k_1*x", "-k_2*x"))
PRELOADED = freed("preloaded", "k_1 F_0 A", *halves("F_0 - k_1*x", "-F_0 - k_1*x"))
GAPPED = freed(
    "gapped",
    "k_1 k_2 d A",
    Mode(name="left", rates=("v", "k_1*d - k_2*(x + d)"), events=(crossing("-d", 1, "gap"), TURN)),
    Mode(name="gap", rates=("v", "-k_1*x"), events=(crossing("d", 1, "right"), crossing("-d", -1, "left"))),
    Mode(name="right", rates=("v", "-k_1*d - k_2*(x - d)"), events=(crossing("d", -1, "gap"),)),
)


def bilinear_period(p: Any) -> Any:
    """Return half a period of each spring (s)."""
    return mpmath.pi * (1 / mpmath.sqrt(p.k_1) + 1 / mpmath.sqrt(p.k_2))


def reach(p: Any) -> Any:
    """Return how far the mass comes to the right (m): the energy is kept."""
    return p.A * mpmath.sqrt(p.k_1 / p.k_2)


def preloaded_period(p: Any) -> Any:
    """Return four times the way from the turn at A to 0, on a circle about -F_0/k_1 (s)."""
    return 4 / mpmath.sqrt(p.k_1) * mpmath.acos(p.F_0 / (p.F_0 + p.k_1 * p.A))


def gapped_period(p: Any) -> Any:
    """Return four times the time outside, on a circle, and inside, by the integral of 1/velocity over the angle (s)."""
    rate, centre = mpmath.sqrt(p.k_2), p.d * (1 - p.k_1 / p.k_2)
    outside = mpmath.acos((p.d - centre) / (p.A - centre)) / rate
    speed = rate * mpmath.sqrt((p.A - centre) ** 2 - (p.d - centre) ** 2)
    inside = mpmath.quad(lambda x: 1 / mpmath.sqrt(speed**2 + p.k_1 * (p.d**2 - x**2)), [0, p.d])
    return 4 * (outside + inside)


def entry(p: Any) -> Any:
    """Return the speed at which the mass enters the gap, from the work of the springs (m/s)."""
    way = p.A - p.d
    return mpmath.sqrt(2 * p.k_1 * p.d * way + p.k_2 * way**2)


bilinear = Quantities(hybrid.motion(BILINEAR, PARAMETERS[:2] + PARAMETERS[4:]), how="half circles of two radii")
preloaded = Quantities(hybrid.motion(PRELOADED, PARAMETERS[:1] + PARAMETERS[3:]), how="arcs about -F_0/k_1")
gapped = Quantities(hybrid.motion(GAPPED, PARAMETERS[:3] + PARAMETERS[4:]), how="arcs, and 1/velocity by quadrature")
QUANTITIES = (
    bilinear.event("turn", name="period_bilinear", second=bilinear_period),
    bilinear.largest("x", "m", name="reach_bilinear", until=("turn", 1), second=reach),
    preloaded.event("turn", name="period_preloaded", second=preloaded_period),
    gapped.event("turn", name="period_gapped", second=gapped_period),
    gapped.value("v", ("to_gap", 1), "m/s", name="entry_gapped", second=entry),
)


ASKED = {
    kind: frozenset(q.name for q in QUANTITIES if q.name.endswith(kind)) for kind in ("bilinear", "preloaded", "gapped")
}
GAP = {"k_2": "10", "A": "2"}
CASE = Case(
    name="bilinear_gap_free",
    title="Springs that change their stiffness",
    document="Natsiavas 1989",
    topics=("impact", "nonlinear spring"),
    summary="A mass vibrates freely on two springs that meet, in a gap, in a dead zone, and on a preloaded spring.",
    statement=(
        "Bilinear: stiffness k_1 for x < 0 and k_2 for x > 0; gapped: k_1 for |x| < d and k_2 beyond, the force is "
        "continuous; with k_1 = 0 the gap is a dead zone. Preloaded: F_0 sgn(x) + k_1 x. The mass is 1 kg.",
        "The mass is let go at x = -A. The period of the bilinear spring is the same for all amplitudes; it falls with "
        "the amplitude in a gap and grows with it under a preload.",
    ),
    sketch=draw.sketch(
        draw.box((0, 0), 1, 0.9, "m"),
        draw.ground((-3.2, 0.6), (-3.2, -0.6)),
        draw.spring((-3.2, 0), (-0.5, 0), "k_1"),
        draw.edge((1.3, -0.35), (1.3, 0.35)),
        draw.spring((1.3, 0), (3.4, 0), "k_2 - k_1"),
        draw.ground((3.4, -0.6), (3.4, 0.6)),
        draw.span((0.5, -0.65), (1.3, -0.65), ""),
        draw.words((0.9, -0.95), "d"),
        draw.arrow((0, 0.75), (0.9, 0.75), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=(
        *equations(BILINEAR),
        "T = π (1/sqrt(k_1) + 1/sqrt(k_2)), A_r = A sqrt(k_1/k_2)",
        "T = 4/sqrt(k_1) acos(F_0/(F_0 + k_1 A))",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("bilinear", {}, ASKED["bilinear"]),
        Variant("gap", GAP, ASKED["gapped"], GAPPED.with_parameters),
        Variant("dead_zone", {**GAP, "k_1": "0"}, ASKED["gapped"], GAPPED.with_parameters),
        Variant("preload", {}, ASKED["preloaded"], PRELOADED.with_parameters),
    ),
    quantities=QUANTITIES,
    problem=BILINEAR.with_parameters,
    sources=(
        "S. Natsiavas: Periodic response and stability of oscillators with symmetric trilinear restoring force. "
        "Journal of Sound and Vibration 134 (1989) 315-331.",
        "S. W. Shaw, P. J. Holmes: A periodically forced piecewise linear oscillator. Journal of Sound and "
        "Vibration 90 (1983) 129-155.",
    ),
    remarks=(
        "A step that passes the change of stiffness with the old tangent gains or loses energy: the period of the "
        "bilinear spring stays right, since it forgets the amplitude, while the reach drifts from turn to turn.",
        "Stiffness k_2 about x = 0 instead of x = d makes the force jump at the gap: its period is too short, while "
        "that of the bilinear spring, which has no gap, is right.",
        "Under a preload the force jumps at x = 0: methods of any order fall to the first where they step across.",
    ),
    benchmark_variant="gap",
)

test_bilinear_gap_free = verifies(CASE)
