"""Arenstorf's orbit: a satellite of the Earth and the Moon that comes back after three loops."""

from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.second_routes.series_steps import InverseCube, SeriesStep, Vector, final, steps
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Published, Quantity, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("mu", "1", "mass of the Moon over that of Earth and Moon", "0.012277471", "positive"),
    Parameter("a", "1", "distance of the start from the centre of mass", "0.994", "positive"),
    Parameter(
        "w", "1", "velocity at the start, across the line of the bodies", "-2.00158510637908252240537862224", "any"
    ),
    Parameter("T", "1", "period", "17.0652165601579625588917206249", "positive"),
)
EARTH, MOON = "sqrt((x + mu)**2 + y**2)", "sqrt((x - 1 + mu)**2 + y**2)"
JACOBI = f"x**2 + y**2 + 2*(1 - mu)/{EARTH} + 2*mu/{MOON} - u**2 - v**2"
PULLS = f"(1 - mu)/{EARTH}**3", f"mu/{MOON}**3"
PROBLEM = InitialValueProblem(
    name="arenstorf",
    states=("x", "y", "u", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="flight",
            rates=(
                "u",
                "v",
                f"x + 2*v - (x + mu)*{PULLS[0]} - (x - 1 + mu)*{PULLS[1]}",
                f"y - 2*u - y*{PULLS[0]} - y*{PULLS[1]}",
            ),
        ),
    ),
    initial=("a", 0, 0, "w"),
    end=17.0652165601579626,
    output_times=evenly(17.0652165601579626, 8000),
    invariants={"Jacobi's integral": JACOBI},
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, spare=24)
QUARTERS = 4
HOW = "Taylor series in axes that do not turn"
SPARE = 12  # digits of the second route beyond those asked for: errors grow a millionfold in a turn


def until(share: int) -> Callable[[Values], InitialValueProblem]:
    """Return the problem up to a share of the period."""

    def given(values: Values) -> InitialValueProblem:
        end = float(values["T"]) / share
        return PROBLEM.with_parameters(values, end=end, output_times=evenly(end, 8000 // share))

    return given


# ---- second route: the motion in axes that do not turn, by Taylor series


def series(mu: Any, time: Any, start: Vector, order: int) -> list[Vector]:
    """Return Taylor coefficients of place and velocity among bodies that go round."""
    turns = [mpmath.expjpi(mpmath.mpf(k) / 2) * mpmath.expj(time) / mpmath.factorial(k) for k in range(order)]
    bodies: list[tuple[Any, Any, Vector, Vector, InverseCube]] = [
        (1 - mu, -mu, [], [], InverseCube()),
        (mu, 1 - mu, [], [], InverseCube()),
    ]
    columns = [[z] for z in start]
    for k, turn in enumerate(turns):
        pull = [mpmath.mpf(0), mpmath.mpf(0)]
        for m, at, dx, dy, inverse in bodies:
            dx.append(columns[0][k] - at * turn.real)
            dy.append(columns[1][k] - at * turn.imag)
            inverse.extend(dx, dy)
            back = inverse.cubes[::-1]
            pull = [p - m * mpmath.fdot(d, back) for p, d in zip(pull, (dx, dy), strict=True)]
        for column, rate in zip(columns, (columns[2][k], columns[3][k], *pull), strict=True):
            column.append(rate / (k + 1))
    return columns


@per_precision
def flown(mu: Any, a: Any, w: Any, period: Any, share: int) -> Vector:
    """Return place and velocity after a share of the period, in axes that do not turn."""
    begin, state = mpmath.mpf(0), [a, mpmath.mpf(0), mpmath.mpf(0), w + a]
    if share < QUARTERS:
        begin, state = period / (2 * share), flown(mu, a, w, period, 2 * share)
    return final(partial(series, mu), begin, state, period / share)


def turned(p: Any, share: int, place: int) -> Any:
    """Return a state after a share of the period, in the axes of the bodies."""
    with mpmath.extradps(SPARE):
        x, y, u, v = flown(p.mu, p.a, p.w, p.T, share)
        back = mpmath.expj(-p.T / share)
        z = (x + 1j * y) * back
        rate = (u + 1j * v) * back - 1j * z
        return (z.real, z.imag, rate.real, rate.imag)[place]


def approach(mu: Any, step: SeriesStep, lapse: Any) -> tuple[Any, Any]:
    """Return the distance from the Earth a while after the start of a step, and that times its rate."""
    x, y, u, v = step.at(lapse)
    earth = -mu * mpmath.expj(step.time + lapse)
    d, rate = x + 1j * y - earth, u + 1j * v - 1j * earth
    return abs(d), (d * mpmath.conj(rate)).real


def nearest(p: Any) -> Any:
    """Return the first least distance from the Earth: its rate passes zero in a step."""
    with mpmath.extradps(SPARE):
        start = [p.a, mpmath.mpf(0), mpmath.mpf(0), p.w + p.a]
        for step in steps(partial(series, p.mu), mpmath.mpf(0), start, p.T):
            result = partial(approach, p.mu, step)
            if result(0)[1] < 0 < result(step.length)[1]:
                break
        turn = mpmath.findroot(lambda s: result(s)[1], (0, step.length), solver="anderson", tol=mpmath.eps)
        return result(turn)[0]


def integral(p: Any) -> Any:
    """Return Jacobi's integral from the start."""
    near, far = abs(p.a + p.mu), abs(p.a - 1 + p.mu)
    return p.a**2 + 2 * (1 - p.mu) / near + 2 * p.mu / far - p.w**2


# ---- quantities

of = Quantities(MOTION, 1e-6, "a millionth of the distance of the bodies, since no document asks for less")


def after(share: int, name: str, states: str) -> tuple[Quantity, ...]:
    """Return states after a share of the period."""
    seconds = {state: partial(turned, share=share, place="xyuv".index(state)) for state in states}
    return tuple(
        of.value(state, f"T/{share}", "1", name=f"{state}_{name}", second=second, scale="1", how=HOW)
        for state, second in seconds.items()
    )


QUARTER, HALF, TURN = after(4, "quarter", "xyuv"), after(2, "half", "xv"), after(1, "turn", "xv")
CLOSEST = of.smallest(EARTH, "1", until="3/2", name="closest", second=nearest, how=HOW)
INTEGRAL = of.value(JACOBI, "T/4", "1", name="jacobi", second=integral, how="place and velocity at the start")
SOURCE = "Hairer, Nørsett and Wanner 1993, section II.0"

CASE = Case(
    name="arenstorf",
    title="Arenstorf's orbit",
    document="Arenstorf 1963",
    topics=("close encounter", "sensitive"),
    summary="A satellite leaves the Moon, makes loops around the Earth, and comes back: steps must shrink and grow.",
    statement=(
        "A body without mass moves in the plane of Earth and Moon, which go round their centre of mass in circles; in "
        "axes that turn with them the Earth is at (-mu, 0), the Moon at (1 - mu, 0).",
        "x'' = x + 2 y' - (1 - mu) (x + mu)/r_E³ - mu (x - 1 + mu)/r_M³, y'' = y - 2 x' - (1 - mu) y/r_E³ - mu y/r_M³.",
        "It starts at (a, 0) with the velocity (0, w), so that it comes back after the period T.",
    ),
    sketch=draw.sketch(
        draw.disc((0, 0), 0.5, "Earth"),
        draw.disc((4.4, 0), 0.22),
        draw.words((4.4, -0.5), "Moon"),
        draw.dashed((-3.2, 0), (6.6, 0)),
        draw.dot((5.2, 0), 0.09),
        draw.arrow((5.2, 0), (5.2, -1.1), "w"),
        draw.words((5.9, 0.3), "satellite"),
        draw.arc((0.05, 0), 2.2, 20, 75, turns=True),
        draw.words((2.9, 1.9), "axes turn with both"),
        draw.arrow((-3.2, -1.6), (-2.3, -1.6), "x"),
        draw.arrow((-3.2, -1.6), (-3.2, -0.7), "y"),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),), true_to_scale=True),
    equations=of.equations(),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("quarter", {}, frozenset(q.name for q in (*QUARTER, CLOSEST, INTEGRAL)), until(4)),
        Variant("half", {}, frozenset(q.name for q in HALF), until(2)),
        Variant("turn", {}, frozenset(q.name for q in TURN)),
    ),
    quantities=(*QUARTER, CLOSEST, INTEGRAL, *HALF, *TURN),
    published=(Published(SOURCE, "turn", "x_turn", "0.994", "reproduced"),),
    modelling=(
        "Lengths in distances of the bodies, masses in theirs together; they go round in 2 π.",
        "mu, start and period are those of the literature. The truth takes two seconds for a quarter, five for a turn.",
    ),
    sources=(
        "R. F. Arenstorf: Periodic solutions of the restricted three-body problem representing analytic continuations "
        "of Keplerian elliptic motions. American Journal of Mathematics 85 (1963) 27-35. "
        "https://doi.org/10.2307/2373181",
        "E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, 2nd edition, section II.0. "
        "Springer (1993). https://doi.org/10.1007/978-3-540-78862-1",
    ),
    remarks=(
        "After a period x is off a by 2.9e-29: the printed digits of start and period are right to the last.",
        "The start is 0.0063 from the Moon, where the time scale is a thousandth of that of the loops.",
    ),
)

test_arenstorf = verifies(CASE)
