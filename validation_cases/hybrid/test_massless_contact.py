"""Contact of a point without mass: the foot of a buffer, which creeps back to its length while it is off the wall."""

from dataclasses import dataclass, replace
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.second_routes.waves import Waves
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass", "1", "positive"),
    Parameter("K", "N/m", "spring of the mass", "400", "positive"),
    Parameter("k", "N/m", "spring of the buffer", "400", "positive"),
    Parameter("c", "N s/m", "dashpot beside it", "50", "positive"),
    Parameter("d", "m", "gap between the foot of the buffer and the wall", "0.01", "positive"),
    Parameter("v0", "m/s", "initial velocity, towards the wall", "1", "positive"),
)
END = 1.6  # s
FORCE = "k*s + c*v"  # of the wall, in contact
# s is how much the buffer is shorter than at rest; its foot is at x - s
PROBLEM = InitialValueProblem(
    name="massless_contact",
    states=("x", "v", "s"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=("v", "-K*x/m", "-k*s/c"),
            events=(Change(name="touch", guard="d - x + s", direction=-1, reset={"s": "x - d"}, mode="contact"),),
        ),
        Mode(
            name="contact",
            rates=("v", f"-(K*x + {FORCE})/m", "v"),
            events=(
                Change(name="part", guard=FORCE, direction=-1, reset={"s": "x - d", "v": "-k*(x - d)/c"}, mode="free"),
            ),
        ),
    ),
    initial=(0, "v0", 0),
    end=END,
    output_times=evenly(END, 1600),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


@dataclass(frozen=True)
class Stage:
    """A flight or a contact: when it begins and ends (s), x, s, and what is zero at its end: the gap or the force."""

    start: Any
    end: Any
    x: Waves
    s: Waves
    watched: Waves

    def ends(self, f: Waves, order: int = 0) -> Any:
        """Return what is asked of a function at the end."""
        return f(self.end - self.start, order)


def flight(p: Any, start: Any, x: Any, v: Any, s: Any) -> Stage:
    """Return a flight; after a contact the gap opens from zero at no speed: it has a summit before it closes."""
    w, creep = mpmath.sqrt(p.K / p.m), -p.k / p.c
    turning = mpmath.mpc(x, -v / w)
    gap = Waves(p.d, (1j * w, creep), (-turning, s))
    summit = next(gap.roots(END, from_zero=True, order=1), mpmath.mpf(0)) if start else mpmath.mpf(0)
    later = replace(gap, weights=tuple(c * mpmath.exp(r * summit) for r, c in zip(gap.rates, gap.weights, strict=True)))
    end = start + summit + next(later.roots(END, from_zero=False), mpmath.inf)
    return Stage(start, end, Waves(0, (1j * w,), (turning,)), Waves(0, (creep,), (s,)), gap)


def contact(p: Any, start: Any, v: Any, s: Any) -> Stage:
    """Return a contact: two exponentials about the place where the springs balance."""
    b, rest = p.c / (2 * p.m), -p.K * p.d / (p.K + p.k)
    root = mpmath.sqrt(mpmath.mpc(b**2 - (p.K + p.k) / p.m))
    rates = (-b + root, -b - root)
    weights = tuple((v - other * (s - rest)) / (rate - other) for rate, other in (rates, rates[::-1]))
    force = Waves(p.k * rest, rates, tuple((p.k + p.c * r) * c for r, c in zip(rates, weights, strict=True)))
    end = start + next(force.roots(END, from_zero=False), mpmath.inf)
    return Stage(start, end, Waves(p.d + rest, rates, weights), Waves(rest, rates, weights), force)


@per_precision
def stages(p: Any) -> tuple[Stage, ...]:
    """Return flights and contacts in turn, up to the end of the motion: contacts have odd places."""
    result = [flight(p, mpmath.mpf(0), 0, p.v0, 0)]
    while result[-1].end < END:
        last = result[-1]
        v, s = last.ends(last.x, 1), last.ends(last.s)
        result.append(contact(p, last.end, v, s) if len(result) % 2 else flight(p, last.end, p.d + s, v, s))
    return tuple(result)


def stage(p: Any, number: int) -> Stage:
    """Return one of them."""
    return stages(p)[number]


def largest(p: Any) -> Any:
    """Return the largest force of the second contact: at the touch, or where its rate vanishes."""
    second = stage(p, 3)
    force = second.watched
    turns = force.roots(second.end - second.start, from_zero=False, order=1)
    return max(force(t) for t in (mpmath.mpf(0), *turns))


def furthest(p: Any) -> Any:
    """Return the largest displacement, in the first contact."""
    first = stage(p, 1)
    return first.x(next(first.x.roots(first.end - first.start, from_zero=False, order=1)))


def middle(p: Any) -> Any:
    """Return the displacement at 1 s."""
    return next(each.x(1 - each.start) for each in stages(p) if each.end > 1)


of = Quantities(MOTION, how="exponentials of every flight and contact")
QUANTITIES = (
    of.event("touch", second=lambda p: mpmath.asin(p.d * mpmath.sqrt(p.K / p.m) / p.v0) * mpmath.sqrt(p.m / p.K)),
    of.event("part", second=lambda p: stage(p, 2).start),
    of.largest("x", "m", name="x_max", until=("part", 1), second=furthest),
    of.value("s", ("part", 1), "m", name="s_part", second=lambda p: stage(p, 1).ends(stage(p, 1).s)),
    of.value("s", ("touch", 2), "m", name="s_touch", second=lambda p: stage(p, 2).ends(stage(p, 2).s)),
    of.event("touch", 2, second=lambda p: stage(p, 3).start),
    of.largest(FORCE, "N", name="force_2", after=("touch", 2), until=("part", 2), second=largest),
    of.event("part", 2, second=lambda p: stage(p, 4).start),
    of.event("touch", 5, second=lambda p: stage(p, 9).start),
    of.value("x", "1", "m", scale="d", second=middle),
)

CASE = Case(
    name="massless_contact",
    title="Contact of a point without mass",
    document="this suite",
    topics=("impact", "release", "hysteresis"),
    summary="A mass hits a wall with a buffer whose foot has no mass: off the wall the foot creeps back to its length.",
    statement=(
        "A mass m on a spring K carries a buffer, a spring k beside a dashpot c, that is s shorter than at rest. The "
        "foot of the buffer, at x - s, has no mass: it touches a wall at x - s = d without an impact.",
        "In contact s = x - d, and the wall pushes with N = k s + c x'. The foot parts where N falls to zero. Off the "
        "wall spring and dashpot hold each other, s' = -k s/c: when the mass comes again, the foot is still short.",
    ),
    sketch=draw.sketch(
        draw.oscillator("K"),
        draw.spring((3.0, 0.25), (4.7, 0.25), "k"),
        draw.damper((3.0, -0.25), (4.7, -0.25), ""),
        draw.words((3.85, -0.65), "c"),
        draw.edge((4.7, -0.4), (4.7, 0.4)),
        draw.ground((5.5, -0.9), (5.5, 0.9)),
        draw.words((5.0, 1.2), "foot, no mass"),
        draw.arrow((2.5, 0.95), (3.3, 0.95), "x"),
        draw.span((4.7, -0.8), (5.5, -0.8), ""),
        draw.words((5.1, -1.1), "d"),
    ),
    shown=ShownMotion(curves=("x", "s")),
    equations=of.equations(
        "m x'' + K x = -N, N = k (x - d) + c x'",
        "x - d = Re(a_1 exp(r_1 t) + a_2 exp(r_2 t)) - K d/(K + k), m r^2 + c r + K + k = 0",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("creeps", {}), Variant("overdamped", {"c": "100"}), Variant("rings", {"c": "10"})),
    quantities=QUANTITIES,
    modelling=(
        "A coordinate without mass that a dashpot holds is a state of the first order. A stop on it acts on its rate: "
        "that is no force over a displacement, and so this is no stop of a structure but a problem of two modes.",
        "The foot parts at no speed: where a flight begins the gap and its rate are zero, and it opens as t².",
    ),
    remarks=(
        "A foot that is back at once, as in the usual law of a damped stop, touches 4 ms early at its second contact, "
        "and the force at the third touch is 10 % too small, 23 % in the overdamped variant.",
        "A contact that ends where the mass is back at x = d pulls at the wall from the instant on at which N is zero.",
        "The force jumps at a touch from 0 to (k s + c x'): a step across it is of first order.",
    ),
)

test_massless_contact = verifies(CASE)
