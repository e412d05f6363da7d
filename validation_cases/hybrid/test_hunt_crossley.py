"""Hunt and Crossley's impact on a Hertz spring with hysteresis damping, and what published damping factors deliver."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import mpmath
from flint import acb, arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.deadline import Depth, check_time, silence
from veridyn.references.engine.enclosure import Absent, less
from veridyn.references.engine.events import newton
from veridyn.references.engine.jets import Jet, chain, curve, find_order, hull, rooted, slope, value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Published, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, largest, value_at

PARAMETERS = (
    Parameter("m", "kg", "mass", "1", "positive"),
    Parameter("k", "N/m^1.5", "stiffness of the contact", "1", "positive"),
    Parameter("lam", "s/m", "damping factor", "0.5", "positive"),
    Parameter("v0", "m/s", "speed of impact", "1", "positive"),
    Parameter("e", "1", "restitution that is wanted, of the exact damping factor alone", "0.8", "positive"),
)
END, OUTPUTS = 10.0, 1000  # s of a run, if the contact is not longer; intervals of output
# (d²)^(3/4) is real where a step passes the end of contact; 1e-60 gives it a derivative at 0 and moves nothing by 1e-50
PROBLEM = InitialValueProblem(
    name="hunt_crossley",
    states=("d", "v"),
    parameters={p.name: p.default for p in PARAMETERS[:-1]},
    modes=(
        Mode(
            name="contact",
            rates=("v", "-k/m*(d**2 + 1e-60)**(3/4)*(1 + lam*v)"),
            events=(Change(name="exit", guard="d", direction=-1, reset={"d": 0}, mode="flight"),),
        ),
        Mode(name="flight", rates=("v", 0)),
    ),
    initial=(0, "v0"),
    end=END,
    output_times=evenly(END, OUTPUTS),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)
NARROW = arb(2) ** -10  # of a bracket of x, over x² or x: the rate has one sign there


# ---- enclosures


def exit_speed(p: Any) -> Any:
    """Return lam times the speed of exit, y = 1 + W(-(1 + q) exp(-1 - q)) with q = lam v0."""
    q = p.lam * p.v0
    start = 1 + value(q)
    y = 1 + (-start * (-start).exp()).lambertw()
    return rooted(y, lambda y: q - (1 + q).log() + y + (1 - y).log())


def restitution(p: Any) -> Any:
    """Return the speed of exit over that of impact."""
    return exit_speed(p) / (p.lam * p.v0)


def indentation(p: Any) -> Any:
    """Return the largest indentation (m), where the energy left by the damping is in the spring."""
    q = p.lam * p.v0
    return (p.m / p.k * (q - (1 + q).log()) / p.lam**2 * arb(5) / 2) ** (arb(2) / 5)


def integrate(f: Callable[[Any, bool], Any]) -> Any:
    """Return the integral of an analytic function from 0 to 1, in a ball.

    The library calls back from C, where an exception is lost: the first one is raised after it. So is that of the
    clock, for which no alarm rings meanwhile.
    """
    doubts: list[Exception] = []

    def evaluate(s: Any, analytic: bool) -> Any:
        if doubts:
            return acb("nan")
        try:
            check_time("an integral", depth=Depth.PART)
            return f(s, analytic)
        except Exception as doubt:  # noqa: BLE001 - raised below
            doubts.append(doubt)
            return acb("nan")

    with silence():
        result = acb.integral(evaluate, 0, 1).real
    if doubts:
        raise doubts[0]
    return result


def mean_exp(u: Any) -> Any:
    """Return (exp(u) - 1)/u, which is 1F1(1; 2; u)."""
    return _average(1, u)


def _average(a: int, u: Any) -> Any:
    """Return 1F1(a; a + 1; u), whose derivative is a/(a + 1) times that of the next a."""
    return chain(u, _enclose_average(a, value(u)), lambda at: _average(a + 1, at) * a / (a + 1))


def _enclose_average(a: int, w: Any) -> Any:
    """Return a times the integral of exp(w t) t^(a - 1) from 0 to 1, by parts far from zero.

    There the series needs more terms than the difference loses bits.
    """
    if a and not abs(w) > 1:
        return w.hypgeom_1f1(a, a + 1)
    return (w.exp() - _enclose_average(a - 1, w)) * a / w if a else 1


def stroke(x: Any, side: int) -> Any:
    """Return how long a stroke takes, over (m/(k lam)) (2 k lam²/(5 m))^(3/5): in (1), or out (-1).

    With y = log(1 + lam v) inwards and y = -log(1 - lam |v|) outwards, dt = dy/(k/m d^(3/2) lam) both ways, and the
    energy in the spring, by m/lam², is u E with u = x - y and E = side (exp(side x) M(-side u) - 1), where M is
    `mean_exp` and y = x without indentation. So t = ∫ u^(-3/5) E^(-3/5) du from 0 to x. With u = x s⁵ that is
    5 x^(2/5) ∫ s E^(-3/5) ds from 0 to 1, and E is analytic and positive there.
    """

    def rate(s: Any, analytic: bool) -> Any:
        left = side * ((side * x).exp() * mean_exp(-side * x * s**5) - 1)
        if analytic and not value(left).real > 0:
            return Jet(acb("nan"), acb("nan"), None, acb("nan"))
        return left ** (-arb(3) / 5) * s

    factor = 5 * x ** (arb(2) / 5)
    result = integrate(lambda s, sure: value(rate(s, sure)))
    if isinstance(x, Jet):
        parts = (slope, curve)[: find_order(x)]
        moves = [integrate(lambda s, sure, part=part: part(rate(s, sure))) for part in parts]  # type: ignore[misc]
        result = Jet(result, moves[0], None, moves[1] if len(moves) > 1 else None)
    return factor * result


def duration(p: Any) -> Any:
    """Return how long the contact lasts (s)."""
    q = p.lam * p.v0
    energy = q - (1 + q).log()
    start = 1 + value(energy)
    x = start + (-(-start).exp()).lambertw()  # the root of x - 1 + exp(-x) = energy
    out = rooted(x, lambda x: energy + 1 - x - (-x).exp())
    size = p.m / (p.k * p.lam) * (2 * p.k * p.lam**2 / (5 * p.m)) ** (arb(3) / 5)
    return size * (stroke((1 + q).log(), 1) + stroke(out, -1))


def exact_factor(p: Any) -> Any:
    """Return lam v0 for a wanted restitution: (1 - exp(-x))/e, with the root x of `_excess` between 1 - e and 1/e + 1.

    x is -log(1 - lam v) of the exit. It is more than e lam v0, which is more than 1 - e, and the balance of energy
    x = q + 1 - exp(-x) - log(1 + q) of q = lam v0 < 1/e is less than 1/e + 1. There is no other root.
    """
    e = value(p.e)
    if not e < 1:
        raise Absent("no damping keeps all of the speed, or more")
    low, high = 1 - e, 1 / e + 1
    while not high - low < low**2 / (1 + low) * NARROW:
        check_time("a bracket of the damping factor", depth=Depth.PART)
        middle = (low * high).sqrt().mid()
        low, high = (middle, high) if less(arb(0), _excess(e, middle), "a damping factor") else (low, middle)

    def rate(x: Any) -> Any:
        share = (-x).exp() / e
        return share * (1 + e - 1 / (1 + (1 - (-x).exp()) / e)) - 1

    x = newton(lambda x: _excess(e, x), rate, hull(low, high))
    return (1 - (-rooted(x, partial(_excess, p.e))).exp()) / p.e


def _excess(e: Any, x: Any) -> Any:
    """Return by how much the energy of impact exceeds that of exit and of damping, by m/lam²."""
    q = (1 - (-x).exp()) / e
    return q * (1 + e) - (1 + q).log() - x


# ---- second routes


def work(p: Any) -> Any:
    """Return lam²/m times the work of compression, by quadrature over log(1 + lam v)."""
    return mpmath.quad(mpmath.expm1, [0, mpmath.log1p(p.lam * p.v0)])


def exit_ratio(p: Any) -> Any:
    """Return the restitution: the work of the spring on the way out is that on the way in, over -log(1 - lam v)."""
    given = work(p)

    def missing(x: Any) -> Any:
        return mpmath.quad(lambda s: -mpmath.expm1(-s), [0, x]) - given

    x = mpmath.findroot(missing, (given / 2, given + 1), solver="anderson", maxsteps=200, tol=mpmath.eps)
    return -mpmath.expm1(-x) / (p.lam * p.v0)


def deepest(p: Any) -> Any:
    """Return the largest indentation (m) by the work of compression."""
    return (mpmath.mpf(5) / 2 * p.m / p.k * work(p) / p.lam**2) ** (mpmath.mpf(2) / 5)


def lapse(p: Any) -> Any:
    """Return the duration (s) as the integral of 1/velocity over the indentation d_max (1 - s²), both ways."""
    with mpmath.workdps(2 * mpmath.mp.dps + 10):  # half of them are lost where the mass turns
        far, given, most = deepest(p), work(p), mpmath.mp.dps

    def slowness(s: Any) -> Any:
        with mpmath.workdps(most):
            energy = -mpmath.expm1(mpmath.mpf(5) / 2 * mpmath.log1p(-(s**2))) * given
            inward, outward = (1 + mpmath.lambertw(-mpmath.exp(-1 - energy), branch).real for branch in (-1, 0))
            return s * (1 / outward - 1 / inward)

    turn = mpmath.quad(slowness, [0, 0.5], method="gauss-legendre")  # smooth; the ends are not
    return 2 * far * p.lam * (turn + mpmath.quad(slowness, [0.5, 1]))


def wanted_factor(p: Any) -> Any:
    """Return lam v0 for a wanted restitution, by the ratio of 1 + lam v0 to 1 - lam v as unknown."""

    def off(x: Any) -> Any:  # of the logarithm of the ratio
        low = x / mpmath.expm1(x)
        return 1 - low - p.e * (low * mpmath.exp(x) - 1)

    x = mpmath.findroot(off, (mpmath.mpf(10) ** -3, 40 / p.e), solver="anderson", maxsteps=400, tol=mpmath.eps)
    return x / mpmath.expm1(x) * mpmath.exp(x) - 1


# ---- the case

of = Quantities(MOTION)
EXIT = partial(value_at, expression="-v/v0", at=("exit", 1))
RATIO = MOTION.closed(restitution, second=exit_ratio, how="work by quadrature")
DEPTH = MOTION.closed(indentation, second=deepest, how="work by quadrature")
LAPSE = MOTION.closed(duration, second=lapse, how="integral of 1/velocity over the indentation")
FACTOR = MOTION.closed(exact_factor, second=wanted_factor, how="the same condition solved for another unknown")
QUANTITIES = (
    of.quantity("restitution", "1", "speed of exit over that of impact", RATIO, EXIT),
    of.quantity("d_max", "m", "largest indentation", DEPTH, partial(largest, expression="d")),
    of.quantity("duration", "s", "duration of contact", LAPSE, partial(event_instant, event="exit")),
    of.quantity("exact_factor", "1", "lam v0 that has the restitution e", FACTOR, None),
)


def problem(values: Values) -> InitialValueProblem:
    """Return the impact for ten seconds, or a tenth longer than the contact lasts."""
    lasts = LAPSE.compute(values, 15).value
    end = END if lasts is None else max(END, 1.1 * float(lasts))
    return PROBLEM.with_parameters(values, end=end, output_times=evenly(end, OUTPUTS))


FORMULAS = {
    "Hunt and Crossley 1975: lam v0 = 3 (1 - e)/2": ("3/10", "3/4", "6/5"),
    "Lankarani and Nikravesh 1990: lam v0 = 3 (1 - e²)/4": ("27/100", "9/16", "18/25"),
    "Gonthier 2004: lam v0 = (1 - e²)/e": ("9/20", "3/2", "24/5"),
    "Flores 2011: lam v0 = 8 (1 - e)/(5 e)": ("2/5", "8/5", "32/5"),
}


def audit() -> Iterator[Published]:
    """Yield the restitution that each formula promises, against what its damping factor delivers."""
    for formula, factors in FORMULAS.items():
        for wanted, lam in zip(("0.800", "0.500", "0.200"), factors, strict=True):
            why = f"delivered for lam v0 = {lam} is another restitution"
            yield Published(formula, "half", "restitution", wanted, "inaccurate", why, at={"lam": lam})


CASE = Case(
    name="hunt_crossley",
    title="Hunt and Crossley's impact",
    document="Hunt 1975",
    topics=("impact", "singular law"),
    summary="A mass hits a Hertz spring whose damping grows with the indentation: restitution by Lambert's function.",
    statement=(
        "m d'' = -k d^(3/2) (1 + lam d'), from d = 0 with d' = v0 until d returns to 0.",
        "lam v0 alone decides the restitution: 1 - (2/3) lam v0 for small ones, 1/(lam v0) for large ones.",
    ),
    sketch=draw.sketch(
        draw.disc((0, 0), 0.7, "m"),
        draw.arrow((-1.9, 0), (-0.85, 0), ""),
        draw.words((-1.4, 0.3), "v0"),
        draw.edge((1.1, -0.6), (1.1, 0.6)),
        draw.spring((1.1, 0.4), (3.3, 0.4), "k d^(3/2)"),
        draw.damper((1.1, -0.4), (3.3, -0.4), "k lam d^(3/2)"),
        draw.ground((3.3, -0.8), (3.3, 0.8)),
    ),
    shown=ShownMotion(until=3.3),
    equations=of.equations(
        "e = (1 + W(-(1 + q) exp(-1 - q)))/q, q = lam v_0", "d_max^(5/2) = 5 m (q - log(1 + q))/(2 k lam^2)"
    ),
    parameters=of.motion.parameters,
    problem=problem,
    variants=(Variant("half", {}), Variant("light", {"lam": "0.05"}), Variant("heavy", {"lam": "6.4"})),
    quantities=QUANTITIES,
    modelling=(
        "The power is written as (d² + 1e-60)^(3/4), which has a derivative at 0; no quantity moves by 1e-50.",
        "lam v0 = q for a wanted e solves q (1 + e) = log((1 + q)/(1 - e q)): 0.3731 for 0.8.",
    ),
    published=tuple(audit()),
    sources=(
        "K. H. Hunt, F. R. E. Crossley: Coefficient of restitution interpreted as damping in vibroimpact. "
        "Journal of Applied Mechanics 42 (1975) 440-445. https://doi.org/10.1115/1.3423596",
    ),
    remarks=(
        "The force starts as t^(3/2): a method of high order has its order only where steps near 0 are small.",
        "Methods that expand the motion into a Taylor series find none at the start (heyoka reports no finite state).",
        "A negative d has no real power 3/2: a step past the end of contact needs a force there.",
        "Force and velocity are both small at the end of contact: a coarse tolerance decides when it ends.",
    ),
)

test_hunt_crossley = verifies(CASE)
