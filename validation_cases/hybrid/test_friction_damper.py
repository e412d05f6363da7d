"""Friction damper of a turbine blade: a driven mass with a spring that slips."""

from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.engine.enclosure import Undecided, sign
from veridyn.references.engine.events import newton
from veridyn.references.engine.jets import Jet, hull, rooted, slope, value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities, write_start
from veridyn.validation_cases.measures.trajectories import evenly, value_at

PARAMETERS = (
    Parameter("z", "1", "damping ratio", "0.02", "positive"),
    Parameter("k_d", "1", "stiffness of the damper over that of the mass", "1", "positive"),
    Parameter("R", "1", "force at which the damper slips", "0.5", "positive"),
    Parameter("F", "1", "amplitude of the load", "1", "positive"),
    Parameter("W", "1", "frequency of the load over the natural one", "1.2", "positive"),
)
PIECES, HALVINGS = 24, 30  # of half a cycle, where a sign changes; then of that piece
GUESSES = 6  # of phase and duration each


def slip(name: str, side: int) -> Mode:
    """Return the mode in which the damper slips to a side, until the mass turns."""
    turn = Change(name="turn", guard="v", direction=-side, reset={"v": 0, "r": f"({side})*R"}, mode="stick")
    return Mode(name=name, rates=("v", "F*cos(W*t + phi) - 2*z*v - x - r", 0, f"({side})*R*v"), events=(turn,))


def release(name: str, side: int) -> Change:
    """Return the end of stick, where the force of the damper reaches R."""
    return Change(name=f"slip_{name}", guard=f"r - ({side})*R", direction=side, reset={"r": f"({side})*R"}, mode=name)


# r is the force of the damper, D its work; X and phi are those of the periodic motion
PROBLEM = InitialValueProblem(
    name="friction_damper",
    states=("x", "v", "r", "D"),
    parameters={**{p.name: p.default for p in PARAMETERS}, "X": "1", "phi": "0"},
    modes=(
        Mode(
            name="stick",
            rates=("v", "F*cos(W*t + phi) - 2*z*v - x - r", "k_d*v", 0),
            events=(release("left", -1), release("right", 1)),
        ),
        slip("left", -1),
        slip("right", 1),
    ),
    initial=("X", 0, "R", 0),
    end=12.0,
    output_times=evenly(12.0, 2400),
)
Row = tuple[Any, ...]  # what is linear in X, F cos phi, F sin phi: three factors, then what is added


def total(*terms: tuple[Any, Row]) -> Row:
    """Return a sum of rows, each with a factor."""
    return tuple(sum((factor * row[i] for factor, row in terms[1:]), terms[0][0] * terms[0][1][i]) for i in range(4))


def carried(p: Any, k: Any, push: Row, at: tuple[Row, Row, Row, Row], time: Any) -> tuple[Row, Row, Row, Row]:
    """Return place, velocity and both phases of the load after a time, on a stiffness, under a constant push."""
    x, v, cosine, sine = at
    below = (k - p.W**2) ** 2 + (2 * p.z * p.W) ** 2
    gain, lag, rate = (k - p.W**2) / below, 2 * p.z * p.W / below, (k - p.z**2).sqrt()

    def driven(cosine: Row, sine: Row) -> tuple[Row, Row]:
        place = total((gain, cosine), (lag, sine), (1 / k, push))
        return place, total((lag * p.W, cosine), (-gain * p.W, sine))

    c, s, decay = (rate * time).cos(), (rate * time).sin() / rate, (-p.z * time).exp()
    place, speed = driven(cosine, sine)
    x, v = total((1, x), (-1, place)), total((1, v), (-1, speed))
    turned = (p.W * time).cos(), (p.W * time).sin()
    cosine, sine = total((turned[0], cosine), (-turned[1], sine)), total((turned[1], cosine), (turned[0], sine))
    place, speed = driven(cosine, sine)
    ahead = total((decay * (c + p.z * s), x), (decay * s, v), (1, place))
    return ahead, total((-decay * k * s, x), (decay * (c - p.z * s), v), (1, speed)), cosine, sine


def solved(rows: tuple[Row, Row, Row]) -> Row:
    """Return X, F cos phi and F sin phi for which three rows vanish: Cramer's rule."""

    def determinant(columns: tuple[int, int, int]) -> Any:
        (a, b, c), (d, e, f), (g, h, i) = ([row[j] for j in columns] for row in rows)
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    whole = determinant((0, 1, 2))
    return (-determinant((3, 1, 2)) / whole, -determinant((0, 3, 2)) / whole, -determinant((0, 1, 3)) / whole)


def cycle(p: Any, stick: Any) -> Row:
    """Return X, F cos phi and F sin phi of the motion that sticks so long, slips, and is at -X after half a cycle."""
    zero, one = arb(0), arb(1)
    start: Row = (one, zero, zero, zero)
    begin = (start, (zero,) * 4, (zero, one, zero, zero), (zero, zero, one, zero))
    held = carried(p, 1 + p.k_d, (p.k_d, zero, zero, -p.R), begin, stick)
    end = carried(p, one, (zero, zero, zero, p.R), held, arb.pi() / p.W - stick)
    slipped = total((1, held[0]), (-1, start), (2 * p.R / p.k_d, (zero, zero, zero, one)))
    return solved((slipped, total((1, end[0]), (1, start)), end[1]))


def periodic_start(p: Any) -> dict[str, Any]:
    """Return X and phi: the duration of stick for which the load has its amplitude, by Newton's intervals."""
    plain = SimpleNamespace(**{q.name: value(getattr(p, q.name)) for q in PARAMETERS})

    def off(p: Any, stick: Any) -> Any:
        _, cosine, sine = cycle(p, stick)
        return cosine**2 + sine**2 - p.F**2

    half = arb.pi() / plain.W
    places = [(half * k / PIECES).mid() for k in range(1, PIECES)]
    sides = [sign(off(plain, place)) for place in places]
    low, high = next(
        ((a, b) for a, b, i, j in zip(places, places[1:], sides, sides[1:], strict=False) if i * j < 0), (None, None)
    )
    if low is None:
        raise Undecided("no motion sticks and slips once in half a cycle")
    side = sign(off(plain, low))
    for _ in range(HALVINGS):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if sign(off(plain, middle)) == side else (low, middle)

    def rate(stick: Any) -> Any:
        return slope(off(plain, Jet(stick, arb(1))))

    stick = newton(lambda t: off(plain, t), rate, hull(low, high))
    X, cosine, sine = cycle(p, rooted(stick, partial(off, p)))
    return {"X": X, "phi": 2 * (sine / (p.F + cosine)).atan()}


KNOWN = hybrid.motion(PROBLEM, PARAMETERS).knowing(("X", "phi"), periodic_start)
MOTION = KNOWN.presuming("slip_left", "turn", "slip_right", "turn")


class StickSlipCycle(NamedTuple):
    """A periodic motion: phase of the load at the top, duration of stick, displacement at the top."""

    phi: Any
    stick: Any
    X: Any


def arc(p: Any, k: Any, push: Any, at: tuple[Any, Any], phase: Any, time: Any) -> tuple[Any, Any]:
    """Return place and velocity by the complex rate of the free motion and the complex amplitude of the driven one."""
    free, wave = mpmath.mpc(-p.z, mpmath.sqrt(k - p.z**2)), p.F / mpmath.mpc(k - p.W**2, 2 * p.z * p.W)
    begin, end = wave * mpmath.expj(phase), wave * mpmath.expj(phase + p.W * time)
    x, v = at[0] - push / k - begin.real, at[1] - (1j * p.W * begin).real
    swing = mpmath.mpc(x, (free.real * x - v) / free.imag)
    ahead = swing * mpmath.exp(free * time)
    return (ahead + end).real + push / k, (free * ahead + 1j * p.W * end).real


def halved(p: Any, phi: Any, stick: Any) -> tuple[Any, tuple[Any, Any]]:
    """Return X, from which the damper slips after a time, and place and velocity after half a cycle."""

    def held(X: Any) -> Any:
        return arc(p, 1 + p.k_d, p.k_d * X - p.R, (X, 0), phi, stick)

    def late(X: Any) -> Any:
        return held(X)[0] - X + 2 * p.R / p.k_d

    X = late(0) / (late(0) - late(1))  # a straight line
    return X, arc(p, 1, p.R, held(X), phi + p.W * stick, mpmath.pi / p.W - stick)


@per_precision
def solve_cycle(p: Any) -> StickSlipCycle:
    """Return the periodic motion: Newton's method in phase and duration of stick, from a grid of guesses."""

    def off(phi: Any, stick: Any) -> tuple[Any, Any]:
        X, (place, speed) = halved(p, phi, stick)
        return place + X, speed

    for i, j in product(range(2 * GUESSES), range(1, GUESSES)):
        try:
            begin = mpmath.pi * i / GUESSES, mpmath.pi * j / GUESSES / p.W
            phi, stick = mpmath.findroot(off, begin, tol=mpmath.eps)
        except (ValueError, ZeroDivisionError):
            continue
        X = halved(p, phi, stick)[0]
        if 0 < stick < mpmath.pi / p.W and 2 * p.R / p.k_d < 2 * X:
            return StickSlipCycle(mpmath.arg(mpmath.expj(phi)), stick, X)
    raise CertificationError("no periodic motion is found")


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem with its periodic start as numbers."""
    return PROBLEM.with_parameters({**values, "X": write_start(AMPLITUDE, values), "phi": write_start(PHASE, values)})


HOW = "arcs in complex numbers, by Newton's method in phase and duration of stick"
AMPLITUDE = MOTION.value("X", "0", second=lambda p: solve_cycle(p).X, how=HOW)
PHASE = MOTION.value("phi", "0", second=lambda p: solve_cycle(p).phi, how=HOW)
of = Quantities(MOTION, how=HOW)
SLIPS = MOTION.closed(
    lambda p: p.R / p.k_d * ((1 + p.k_d - p.W**2) ** 2 + (2 * p.z * p.W) ** 2).sqrt(),
    second=lambda p: p.R / p.k_d * abs(mpmath.mpc(1 + p.k_d - p.W**2, 2 * p.z * p.W)),
    how="complex amplitude",
)
QUANTITIES = (
    of.quantity("X", "1", "amplitude", AMPLITUDE, partial(value_at, expression="-x", at=("turn", 1))),
    of.event("slip_left", name="t_stick", second=lambda p: solve_cycle(p).stick),
    of.event("turn", 2, name="period", second=lambda p: 2 * mpmath.pi / p.W),
    of.value("D", ("turn", 2), "1", name="work", second=lambda p: 4 * p.R * (solve_cycle(p).X - p.R / p.k_d)),
    of.quantity("phase", "rad", "phase of the load where the mass turns at X", PHASE, None),
    of.quantity("F_slip", "1", "amplitude of the load from which the damper slips", SLIPS, None),
)

CASE = Case(
    name="friction_damper",
    title="Friction damper of a turbine blade",
    document="Griffin 1980",
    topics=("friction", "hysteresis", "resonance"),
    summary="A spring that slips at a force (Jenkins' element) damps a driven mass: stick and slip in each half cycle.",
    statement=(
        "x'' + 2 z x' + x + r = F cos(W t + phi); r' = k_d x' while |r| < R, r = R sign(x') while the damper slips.",
        "The motion begins on its periodic orbit, at the top: x = X, at rest, the damper at R. It sticks until the "
        "mass has come back by 2 R/k_d, slips until it turns at -X, and repeats with opposite signs.",
        "A cycle takes the work 4 R (X - R/k_d). Below F_slip the damper never slips, and only damping is left.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 1.3), (0, -1.6)),
        draw.spring((0, 0.75), (3, 0.75), "1"),
        draw.damper((0, 0), (3, 0), "2 z"),
        draw.spring((0, -1.2), (1.6, -1.2), "k_d"),
        draw.slider((1.6, -1.2), (3, -1.2), "R"),
        draw.box((3.5, -0.2), 1, 2.8, "m"),
        draw.arrow((4.0, 0), (5.0, 0), "F cos(W t + phi)"),
        draw.arrow((3.5, 1.45), (4.4, 1.45), "x"),
    ),
    shown=ShownMotion(curves=("x", "r"), portraits=(("x", "r"),)),
    equations=of.equations(
        "x(t_1) = X - 2 R/k_d, x(π/W) = -X, x'(π/W) = 0",
        "F_slip = (R/k_d) sqrt((1 + k_d - W^2)^2 + (2 z W)^2)",
    ),
    parameters=of.motion.parameters,
    variants=(Variant("above_resonance", {}), Variant("below_resonance", {"W": "0.8"})),
    quantities=QUANTITIES,
    problem=make_problem,
    modelling=("Mass and stiffness are 1; D is the work of the damper.",),
    sources=(
        "J. H. Griffin: Friction damping of resonant stresses in gas turbine engine airfoils. Journal of Engineering "
        "for Power 102 (1980) 329-333. https://doi.org/10.1115/1.3230256",
        "A. Sinha, J. H. Griffin: Friction damping of flutter in gas turbine engine airfoils. Journal of Aircraft 20 "
        "(1983) 372-376.",
    ),
    held=dict.fromkeys(("R", "F", "W", "k_d", "z"), "another damper may stick for ever, or slip more than once"),
)

test_friction_damper = verifies(CASE)
