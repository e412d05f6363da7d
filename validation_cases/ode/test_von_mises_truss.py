"""Von Mises' truss under a load that is put on at once: it swings in front of the barrier, or snaps through."""

from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (Parameter("p", "1", "load over EA h³/L³", "0.29", "positive"),)
PROBLEM = InitialValueProblem(
    name="von_mises_truss",
    states=("s", "u"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="truss", rates=("u", "p - s*(2 - s)*(1 - s)"), events=(Change(name="turn", guard="u", direction=-1),)
        ),
    ),
    initial=(0, 0),
    end=20.0,
    output_times=evenly(20.0, 2000),
    invariants={"energy": "u**2/2 + s**2*(2 - s)**2/4 - p*s"},
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


def turns(p: Any) -> tuple[Any, list[Any]]:
    """Return where the velocity vanishes, s (2 - s)² = 4 p: the first turning point, and the other two roots."""
    roots = mpmath.polyroots([1, -4, 4, -4 * p.p], maxsteps=200, extraprec=200)
    first = min((r for r in roots if mpmath.im(r) == 0), key=mpmath.re)
    return mpmath.re(first), [r for r in roots if r is not first]


def until_turn(p: Any) -> Any:
    """Return half the period: the integral of ds/u, smooth in φ with s = s_max sin²(φ)."""
    peak, (one, other) = turns(p)

    def rate(angle: Any) -> Any:
        s = peak * mpmath.sin(angle) ** 2
        return mpmath.sqrt(8 / mpmath.re((s - one) * (s - other)))

    return mpmath.quad(rate, mpmath.linspace(0, mpmath.pi / 2, 9))


def stiffness(s: Any) -> Any:
    """Return the slope of the static load over the deflection."""
    return 3 * s**2 - 6 * s + 2


def held(s: Any) -> Any:
    """Return the load that keeps a deflection at rest."""
    return s * (2 - s) * (1 - s)


of = Quantities(MOTION)
LIMIT = MOTION.closed(
    lambda _: 2 / (3 * arb(3).sqrt()),
    second=lambda _: held(mpmath.findroot(stiffness, (0.3, 0.5), solver="anderson")),
    how="load where the stiffness vanishes",
)
STEP = MOTION.closed(
    lambda _: arb(8) / 27,
    second=lambda _: held(mpmath.findroot(lambda s: (2 - s) / 4 - (1 - s), (0.5, 0.8), solver="anderson")),
    how="load whose energy reaches the barrier",
)
RATIO = MOTION.closed(
    lambda _: 4 * arb(3).sqrt() / 9,
    second=lambda _: (mpmath.mpf(16) / 27) ** mpmath.mpf("0.5"),
    how="root of the square, 16/27",
)
QUANTITIES = (
    of.event("turn", name="half_period", second=until_turn, how="integral over the deflection"),
    of.value("s", ("turn", 1), "1", name="peak", second=lambda p: turns(p)[0], how="roots of the energy"),
    of.value("s", "20", "1", scale="1"),
    of.quantity("static_limit", "1", "largest load of a slow truss", LIMIT, None),
    of.quantity("step_limit", "1", "load above which a sudden load snaps through", STEP, None),
    of.quantity("step_over_static", "1", "quotient of both", RATIO, None),
)

CASE = Case(
    name="von_mises_truss",
    title="Von Mises' truss",
    document="Simitses 1990",
    topics=("nonlinear spring", "sensitive"),
    summary="A shallow truss under a sudden load: below 8/27 it swings, above it snaps through.",
    statement=(
        "s'' = p - s (2 - s)(1 - s) from rest at s = 0, s the deflection over the height of the apex (Green's strain).",
        "A slow load p has its limit where the stiffness vanishes, s = 1 - 1/sqrt(3).",
        "A sudden load passes the barrier if its work reaches the energy there: p s = s² (2 - s)²/4, s = 2/3.",
    ),
    sketch=draw.sketch(
        draw.spring((-3, 0), (0, 1.2), ""),
        draw.spring((3, 0), (0, 1.2), ""),
        draw.pivot((-3, 0)),
        draw.pivot((3, 0)),
        draw.dot((0, 1.2), 0.1),
        draw.arrow((0, 2.3), (0, 1.35), ""),
        draw.words((0.3, 1.9), "p"),
        draw.disc((0, 1.2), 0.18),
        draw.dashed((-3, 0), (0, -1.2), (3, 0)),
        draw.arrow((0, 0.95), (0, 0.45), "s"),
        draw.dashed((-3, 0), (3, 0)),
    ),
    shown=ShownMotion(portraits=(("s", "u"),)),
    equations=of.equations("p_s = 2/(3 sqrt(3))", "p_d = 8/27", "s_max (2 - s_max)^2 = 4 p"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("swings", {}), Variant("snaps", {"p": "0.3"})),
    quantities=QUANTITIES,
    sources=(
        "G. J. Simitses: Dynamic Stability of Suddenly Loaded Structures. Springer (1990).",
        "B. Budiansky, J. W. Hutchinson: Dynamic buckling of imperfection-sensitive structures. Proceedings of the "
        "11th International Congress of Applied Mechanics, Munich (1964) 636-651.",
    ),
    remarks=(
        "The peak jumps from 0.56 to 2.67 between both loads, which differ by 3 %: numerical damping hides the snap.",
        "Static analysis allows a load higher by 30 % than a sudden one that snaps.",
        "At the barrier the motion is slow, and errors grow as exp(0.8 t).",
    ),
    held={"p": "next to 8/27 the motion stays at the barrier as long as one likes"},
)

test_von_mises_truss = verifies(CASE)
