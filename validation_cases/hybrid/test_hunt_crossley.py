"""Hunt and Crossley's impact on a Hertz spring with hysteresis damping, and what published damping factors deliver."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import mpmath
from flint import acb, arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import less
from veridyn.references.engine.events import newton
from veridyn.references.engine.jets import Jet, hull, rooted, slope, value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement.case import Case, Published, Variant
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
    end=10.0,
    output_times=evenly(10.0, 1000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)
HALVINGS = 20  # of the bracket of a damping factor


# ---- enclosures


def exit_speed(p: Any) -> Any:
    """Return lam times the speed of exit, y = 1 + W(-(1 + q) exp(-1 - q)) with q = lam v0."""
    q = p.lam * p.v0
    start = 1 + value(q)
    y = 1 + (-start * (-start).exp()).lambertw()
    return rooted(y, q - (1 + q).log() + y + (1 - y).log(), 1 - 1 / (1 - y))


def restitution(p: Any) -> Any:
    """Return the speed of exit over that of impact."""
    return exit_speed(p) / (p.lam * p.v0)


def indentation(p: Any) -> Any:
    """Return the largest indentation (m), where the energy left by the damping is in the spring."""
    q = p.lam * p.v0
    return (p.m / p.k * (q - (1 + q).log()) / p.lam**2 * arb(5) / 2) ** (arb(2) / 5)


def mean_log(z: Any) -> Any:
    """Return -log(1 - z)/z, which is 2F1(1, 1; 2; z)."""
    result = value(z).hypgeom_2f1(1, 1, 2)
    return Jet(result, value(z).hypgeom_2f1(2, 2, 3) / 2 * slope(z)) if isinstance(z, Jet) else result


def stroke(q: Any) -> Any:
    """Return how long a stroke takes, over (m²/(k² v))^(1/5): in with q = lam v, or out, backwards, with -lam v.

    The velocity is v (1 - s⁵), so that the integrand is analytic: t = ∫ 5 (2/5)^(3/5) s h^(-3/5)/(1 + q (1 - s⁵)) ds
    from 0 to 1, h = (1 - 2F1(1, 1; 2; z)/(1 + q))/q, z = s⁵ q/(1 + q).
    """

    def rate(s: Any, analytic: bool) -> Any:
        fifth = s**5
        z = q / (1 + q) * fifth
        h = (1 - mean_log(z) / (1 + q)) / q
        if analytic and not (value(z).real < 1 and value(h).real > 0):
            return Jet(acb("nan"), acb("nan"))
        return h ** (-arb(3) / 5) * s / (1 + q - q * fifth)

    factor = 5 * (arb(2) / 5) ** (arb(3) / 5)
    result = acb.integral(lambda s, sure: value(rate(s, sure)), 0, 1).real * factor
    if not isinstance(q, Jet):
        return result
    return Jet(result, acb.integral(lambda s, sure: slope(rate(s, sure)), 0, 1).real * factor)


def duration(p: Any) -> Any:
    """Return how long the contact lasts (s)."""
    y, fifth = exit_speed(p), arb(1) / 5
    size = (p.m / p.k) ** (2 * fifth)
    return size * (stroke(p.lam * p.v0) / p.v0**fifth + stroke(-y) / (y / p.lam) ** fifth)


def exact_factor(p: Any) -> Any:
    """Return lam v0 for a wanted restitution: the root of q (1 + e) = log((1 + q)/(1 - e q)) beyond (1 - e)/e."""
    e = value(p.e)
    low, high = (1 - e) / e, 1 / e
    for _ in range(HALVINGS):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if less(arb(0), _excess(e, middle), "a damping factor") else (low, middle)
    q = newton(lambda q: _excess(e, q), lambda q: 1 + e - 1 / (1 + q) - e / (1 - e * q), hull(low, high))
    return rooted(q, _excess(p.e, q), 1 + p.e - 1 / (1 + q) - p.e / (1 - p.e * q))


def _excess(e: Any, q: Any) -> Any:
    return q * (1 + e) - (1 + q).log() + (1 - e * q).log()


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
FACTOR = MOTION.closed(exact_factor, second=wanted_factor, how="another unknown")
QUANTITIES = (
    of.quantity("restitution", "1", "speed of exit over that of impact", RATIO, EXIT),
    of.quantity("d_max", "m", "largest indentation", DEPTH, partial(largest, expression="d")),
    of.quantity("duration", "s", "duration of contact", LAPSE, partial(event_instant, event="exit")),
    of.quantity("exact_factor", "1", "lam v0 that has the restitution e", FACTOR, None),
)
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
    equations=of.equations(
        "e = (1 + W(-(1 + q) exp(-1 - q)))/q, q = lam v_0", "d_max^(5/2) = 5 m (q - log(1 + q))/(2 k lam^2)"
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
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
