"""Newmark's sliding block: slip under a pulse of the ground, down a slope or both ways on level ground."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import mpmath

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
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("A", "1", "largest acceleration of the ground over g", "0.4", "positive"),
    Parameter("a_y", "1", "acceleration over g that lets the block slide forwards", "0.1", "positive"),
    Parameter("a_b", "1", "acceleration over g that lets it slide backwards", "10", "positive"),
    Parameter("W", "rad/s", "angular frequency of the ground", "2*pi", "positive"),
    Parameter("n", "1", "half waves of the ground", "2", "positive"),
    Parameter("t_0", "s", "duration of the rectangular pulse", "0.5", "positive"),
)
DEFAULTS = {p.name: p.default for p in PARAMETERS}
STILL = {"v": 0}
WAVE = ("W*q", "-W*p")  # of the load p = A sin(W t)


def sliding(side: int) -> tuple[Mode, Mode, Mode]:
    """Return the modes of a slide: one that ends in rest, one that would turn at once, one after the pulse."""
    name, other = ("forward", "backward") if side > 0 else ("backward", "forward")
    held, free = ("a_y", "a_b + p") if side > 0 else ("a_b", "a_y - p")
    rates = ("v", f"g*(p - ({side})*{held})", *WAVE)

    def halt(event: str, mode: str) -> Change:
        return Change(name=event, guard="v", direction=-side, reset=STILL, mode=mode)

    late = Change(name="late", guard=free, direction=-1, mode=f"late_{name}")
    early = Change(name="early", guard=free, direction=1, mode=name)
    over = Change(name="over", guard="W*t - n*pi", direction=1, mode=f"after_{name}")
    return (
        Mode(name=name, rates=rates, events=(halt("stop", "rest"), late, over)),
        Mode(name=f"late_{name}", rates=rates, events=(halt("turn", other), early, over)),
        Mode(name=f"after_{name}", rates=("v", f"-({side})*g*{held}", *WAVE), events=(halt("stop", "done"),)),
    )


def problem(name: str, names: str, initial: tuple[Any, ...], *modes: Mode) -> InitialValueProblem:
    """Return a problem from its start; a rectangular pulse needs no wave as a load."""
    return InitialValueProblem(
        name=name,
        states=("s", "v", "p", "q")[: len(initial)],
        parameters={p: DEFAULTS[p] for p in names.split()},
        modes=modes,
        initial=initial,
        end=3.1,
        output_times=evenly(3.1, 3100),
    )


SINE = problem(
    "newmark_block",
    "g A a_y a_b W n",
    (0, 0, 0, "A"),
    Mode(
        name="rest",
        rates=(0, 0, *WAVE),
        events=(
            Change(name="forth", guard="a_y - p", direction=-1, reset=STILL, mode="forward"),
            Change(name="back", guard="a_b + p", direction=-1, reset=STILL, mode="backward"),
            Change(name="over", guard="W*t - n*pi", direction=1, mode="done"),
        ),
    ),
    *sliding(1),
    *sliding(-1),
    Mode(name="done", rates=(0, 0, *WAVE)),
)
RECTANGLE = problem(
    "newmark_rectangle",
    "g A a_y t_0",
    (0, 0),
    Mode(
        name="pulse",
        rates=("v", "g*(A - a_y)"),
        events=(Change(name="over", guard="t - t_0", direction=1, mode="after"),),
    ),
    Mode(
        name="after",
        rates=("v", "-g*a_y"),
        events=(Change(name="stop", guard="v", direction=-1, reset=STILL, mode="done"),),
    ),
    Mode(name="done", rates=(0, 0)),
)


class Slide(NamedTuple):
    """A slide: when it ends (s), how far it goes (m, backwards negative), and whether another one follows at once."""

    end: Any
    way: Any
    turns: bool


def slide(p: Any, begin: Any, side: int) -> tuple[Any, Any]:
    """Return when a slide ends that begins at rest, and how far it goes (m): antiderivatives, and a root in between."""
    held, over, period = (p.a_y if side > 0 else p.a_b), p.n * mpmath.pi / p.W, 2 * mpmath.pi / p.W
    opens = mpmath.asin(held / p.A) / p.W
    middle = (mpmath.mpf(1) if side > 0 else mpmath.mpf(3)) / 4 * period  # of the load that drives it, in its period
    crest = period / 4 - opens + middle + mpmath.nint((begin - middle) / period) * period  # the speed falls from there

    def speed(t: Any) -> Any:
        return p.g * (side * p.A / p.W * (mpmath.cos(p.W * begin) - mpmath.cos(p.W * t)) - held * (t - begin))

    def way(t: Any) -> Any:
        wave = mpmath.cos(p.W * begin) * (t - begin) - (mpmath.sin(p.W * t) - mpmath.sin(p.W * begin)) / p.W
        return p.g * (side * p.A / p.W * wave - held * (t - begin) ** 2 / 2)

    while crest < over:
        again = min(over, crest + period / 2 + 2 * opens)  # the load drives it on from there
        if speed(again) <= 0:
            end = mpmath.findroot(speed, (crest, again), solver="anderson", maxsteps=400, tol=mpmath.eps**1.5)
            return end, side * way(end)
        crest += period
    left = speed(over) / (p.g * held)
    return over + left, side * (way(over) + speed(over) * left / 2)


def slides(p: Any) -> Iterator[Slide]:
    """Yield the slides under waves of the ground; the block is at rest between them, unless it turns."""
    over, time, side = p.n * mpmath.pi / p.W, mpmath.mpf(0), 0
    while True:
        if not side:
            time, side = min((departure(p, time, way), way) for way in (1, -1))
        if time >= over:
            return
        end, far = slide(p, time, side)
        beyond = -side * p.A * mpmath.sin(p.W * end) - (p.a_b if side > 0 else p.a_y)
        turns = end < over and beyond > 0
        yield Slide(end, far, turns)
        time, side = end, -side if turns else 0


def departure(p: Any, time: Any, side: int) -> Any:
    """Return when a block at rest begins to slide to a side (s), infinite if the load is too small."""
    held = p.a_y if side > 0 else p.a_b
    if held >= p.A:
        return mpmath.inf
    first = (mpmath.asin(held / p.A) + (0 if side > 0 else mpmath.pi)) / p.W
    period = 2 * mpmath.pi / p.W
    return first + max(0, mpmath.ceil((time - first) / period)) * period


def stop(p: Any, number: int = 1) -> tuple[Any, Any]:
    """Return when the block stops for the nth time, and where."""
    ends = [place for place, each in enumerate(slides(p)) if not each.turns]
    return _end(p, ends[number - 1])


def turn(p: Any) -> tuple[Any, Any]:
    """Return when the block turns first, and where."""
    return _end(p, next(place for place, each in enumerate(slides(p)) if each.turns))


def _end(p: Any, place: int) -> tuple[Any, Any]:
    """Return when a slide ends, counted from 0, and where."""
    until = list(islice(slides(p), place + 1))
    return until[-1].end, mpmath.fsum(each.way for each in until)


def under_rectangle(p: Any) -> Any:
    """Return how far the block slides under a rectangular pulse (m)."""
    return (p.A * p.t_0) ** 2 * p.g / (2 * p.a_y) * (1 - p.a_y / p.A)


sine = Quantities(hybrid.motion(SINE, PARAMETERS[:6]), how="antiderivatives, and a root in between")
rectangle = Quantities(hybrid.motion(RECTANGLE, (*PARAMETERS[:3], PARAMETERS[6])), how="triangles of velocity")
QUANTITIES = (
    sine.event("stop", name="t_stop", second=lambda p: stop(p)[0]),
    sine.value("s", ("stop", 1), "m", name="slip", second=lambda p: stop(p)[1]),
    sine.value("s*W/(2*pi)", ("stop", 1), "m/s", name="drift", second=lambda p: stop(p)[1] * p.W / (2 * mpmath.pi)),
    sine.value("s", ("stop", 3), "m", name="slip_3", second=lambda p: stop(p, 3)[1]),
    sine.event("turn", name="t_turn", second=lambda p: turn(p)[0]),
    sine.value("s", ("turn", 1), "m", name="s_turn", second=lambda p: turn(p)[1]),
    rectangle.event("stop", name="t_rectangle", second=lambda p: p.t_0 * p.A / p.a_y),
    rectangle.value("s", ("stop", 1), "m", name="slip_rectangle", second=under_rectangle),
)

CASE = Case(
    name="newmark_block",
    title="Newmark's sliding block",
    document="Newmark 1965",
    topics=("friction", "seismic"),
    summary="A block slides on ground that shakes: one way down a slope, or both ways, under pulses and waves.",
    statement=(
        "The ground accelerates with A g sin(W t) for n half waves, or with A g for t_0. The block slides forwards "
        "beyond a_y g and backwards beyond a_b g; s is the slip, v its velocity.",
        "Down a slope a_b is large: the block slides one way. On level ground both are the same: where the slide stops "
        "under a load that is beyond a_b, it turns at once.",
    ),
    sketch=draw.sketch(
        draw.turned((*draw.ground((-2.4, 0), (2.8, 0)), *draw.box((0, 0.4), 1.4, 0.8, "block")), 12.0),
        draw.arrow((1.1, 1.0), (2.0, 1.2), ""),
        draw.words((2.3, 1.3), "s"),
        draw.arrow((-1.6, -1.3), (-0.4, -1.3), ""),
        draw.arrow((-0.4, -1.3), (-1.6, -1.3), ""),
        draw.words((1.6, -1.3), "ground: A g sin(W t)"),
    ),
    shown=ShownMotion(curves=("s", "v")),
    equations=(
        "s'' = g (A sin(W t) - a_y) forwards, s'' = g (A sin(W t) + a_b) backwards",
        "t_s = asin(a_y/A)/W, A/W (cos(W t_s) - cos(W t_e)) = a_y (t_e - t_s)",
        "t_e = t_0 A/a_y, s_e = g (A t_0)^2/(2 a_y) (1 - a_y/A)",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("slope", {}, frozenset(("t_stop", "slip", "drift"))),
        Variant("half_sine", {"n": "1"}, frozenset(("t_stop", "slip"))),
        Variant("harmonic", {"n": "6"}, frozenset(("slip", "slip_3", "drift"))),
        Variant("level", {"a_b": "0.1"}, frozenset(("t_turn", "s_turn", "t_stop", "slip"))),
        Variant("rectangle", {}, frozenset(("t_rectangle", "slip_rectangle")), RECTANGLE.with_parameters),
    ),
    quantities=QUANTITIES,
    problem=SINE.with_parameters,
    modelling=(
        "Whether a slide will turn or rest is known when the load has, or has not, passed a_b: two modes of each, and "
        "no decision at an instant at which the velocity is zero.",
    ),
    sources=(
        "N. M. Newmark: Effects of earthquakes on dams and embankments. Géotechnique 15 (1965) 139-160. "
        "https://doi.org/10.1680/geot.1965.15.2.139",
        "R. W. Jibson: Methods for assessing the stability of slopes during earthquakes: a retrospective. Engineering "
        "Geology 122 (2011) 43-50.",
    ),
    remarks=(
        "The trapezoidal rule over the edge of a pulse adds half a step of acceleration: t_rectangle is late.",
        "A block that turns and is put to rest first waits until the load comes back: slip is too large.",
        "Friction that keeps its sign after a turn accelerates the block: level and slope then agree, and should not.",
    ),
    held=dict.fromkeys(("A", "a_y", "a_b", "n"), "another load may never move the block, or not stop it"),
    benchmark_variant="level",
)

test_newmark_block = verifies(CASE)
