"""Toda's lattice: a wave that keeps its shape in a ring of eight masses on springs of exponential force."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.engine.elliptic import first_kind, jacobi, second_kind
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

PARAMETERS = (
    Parameter("m", "1", "parameter of the wave: a sine near 0, solitons near 1", "0.9", "positive"),
    Parameter("kappa", "1", "steepness of a single soliton in an endless lattice", "1", "positive"),
)
N = 8  # masses, as many as in a wave
DIGITS = 25  # of a start as text
RING = range(N)
# r_i is the elongation of the spring from mass i to mass i + 1, p_i the velocity of mass i
PROBLEM = InitialValueProblem(
    name="toda",
    states=(*(f"r{i}" for i in RING), *(f"p{i}" for i in RING)),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="ring",
            rates=(*(f"p{(i + 1) % N} - p{i}" for i in RING), *(f"exp(-r{(i - 1) % N}) - exp(-r{i})" for i in RING)),
            events=(Change(name="crest", guard="p1 - p0", direction=1),),
        ),
    ),
    initial=(0,) * (2 * N),
    end=10.0,
    output_times=evenly(10.0, 1000),
    invariants={
        "energy": " + ".join(f"p{i}**2/2 + exp(-r{i}) + r{i} - 1" for i in RING),
        "momentum": " + ".join(f"p{i}" for i in RING),
        "length": " + ".join(f"r{i}" for i in RING),
    },
)


REQUIRED = (Requirement("m < 1", "no wave goes round the ring"),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def rate(p: Any) -> Any:
    """Return 2 K nu, by which the wave is stretched in time, in a ball."""
    whole = first_kind(p.m)
    return (jacobi("sn", 2 * whole / N, p.m) ** -2 - 1 + second_kind(p.m) / whole) ** -0.5


def elongation(p: Any, spring: int, time: int) -> Any:
    """Return the elongation of a spring at an instant, in a ball."""
    whole, speed = first_kind(p.m), rate(p)
    u = 2 * whole * spring / N - speed * time
    return -(1 + speed**2 * (jacobi("dn", u, p.m) ** 2 - second_kind(p.m) / whole)).log()


@per_precision
def wave(m: Any) -> tuple[Any, Any, Any]:
    """Return nome, 1/T and factor of exp(-r_n) = C τ_(n+1) τ_(n-1)/τ_n², τ theta functions: 1 + (log τ)'' is linear."""
    q, side = mpmath.qfrom(m=m), mpmath.pi / N
    crest, trough = (
        ((mpmath.jtheta(i, side, q) / mpmath.jtheta(i, 0, q)) ** 2, mpmath.jtheta(i, 0, q, 2) / mpmath.jtheta(i, 0, q))
        for i in (4, 3)
    )
    factor, square = mpmath.lu_solve([[crest[0], -crest[1]], [trough[0], -trough[1]]], [1, 1])
    return q, mpmath.sqrt(square) / mpmath.pi, factor


def start(m: Any) -> tuple[list[Any], list[Any]]:
    """Return elongations and velocities at the start, by theta functions."""
    q, frequency, factor = wave(m)
    taus = [mpmath.jtheta(4, mpmath.pi * n / N, q) for n in RING]
    slopes = [mpmath.jtheta(4, mpmath.pi * n / N, q, 1) / taus[n] for n in RING]
    r = [-mpmath.log(factor * taus[(n + 1) % N] * taus[n - 1] / taus[n] ** 2) for n in RING]
    return r, [-mpmath.pi * frequency * (slopes[n - 1] - slopes[n]) for n in RING]


def series(r: list[Any], p: list[Any]) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return Taylor coefficients of the motion, by spring and by mass."""
    rs, ps, forces = [[x] for x in r], [[v] for v in p], [[mpmath.exp(-x)] for x in r]
    for k in range(mpmath.mp.dps + 5):
        for n in RING:
            rs[n].append((ps[(n + 1) % N][k] - ps[n][k]) / (k + 1))
            ps[n].append((forces[n - 1][k] - forces[n][k]) / (k + 1))
        for n in RING:
            slopes = [(j + 1) * rs[n][j + 1] for j in range(k + 1)]
            forces[n].append(-mpmath.fdot(slopes, forces[n][::-1]) / (k + 1))
    return rs, ps


@per_precision
def moved(m: Any, time: int) -> list[Any]:
    """Return the elongations at an instant: the equations of motion by Taylor series, in steps of 1/4."""
    r, p = start(m)
    for _ in range(4 * time):
        r, p = ([mpmath.polyval(c[::-1], 0.25) for c in part] for part in series(r, p))
    return r


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem with its start as numbers: solvers need not know theta functions."""
    with mpmath.workdps(DIGITS + 5):
        r, p = start(exact(values["m"]).mpf())
        p = [(p[i] + p[1 - i]) / 2 for i in RING]  # the wave is symmetric; so are its roundings
        return PROBLEM.with_parameters(values, initial=tuple(mpmath.nstr(x, DIGITS) for x in (*r, *p)))


of = Quantities(MOTION)


def elongation_by_series(p: Any, *, spring: int, time: int) -> Any:
    """Return the elongation of a spring (m) at an instant, from Taylor series."""
    return moved(p.m, time)[spring]


def springs(time: int) -> Iterator[Quantity]:
    """Yield the elongations of two springs at an instant."""
    for spring in (0, 3):
        truth = MOTION.closed(
            partial(elongation, spring=spring, time=time),
            second=partial(elongation_by_series, spring=spring, time=time),
            how="equations of motion by Taylor series, from theta functions",
        )
        measure = partial(value_at, expression=f"r{spring}", at=str(time))
        words = f"elongation of spring {spring} at {time}"
        yield of.quantity(f"r{spring}@{time}", "1", words, truth, measure, scale="1")


TURNED = partial(value_at, expression="r0", at=("crest", 1))
THETA = "two equations of theta functions, at crest and trough"
PERIOD = MOTION.closed(lambda p: 2 * first_kind(p.m) / rate(p), second=lambda p: 1 / wave(p.m)[1], how=THETA)
RETURN = MOTION.closed(partial(elongation, spring=0, time=0), second=lambda p: start(p.m)[0][0], how=THETA)
SPEED = MOTION.closed(
    lambda p: p.kappa.sinh() / p.kappa,
    second=lambda p: mpmath.sqrt(mpmath.exp(2 * p.kappa) - 2 + mpmath.exp(-2 * p.kappa)) / (2 * p.kappa),
    how="the far tail of the soliton, where the lattice is linear",
)
QUANTITIES = (
    *springs(10),
    of.quantity("period", "1", "time in which the wave goes round", PERIOD, partial(event_instant, event="crest")),
    of.quantity("return", "1", "spring 0 after a turn", RETURN, TURNED, scale="1"),
    of.quantity("soliton_speed", "1", "speed of a single soliton, springs by time", SPEED, None),
)

CASE = Case(
    name="toda",
    title="Toda's lattice",
    document="Toda 1967",
    topics=("nonlinear spring", "waves"),
    summary="A ring of eight masses on springs of exponential force carries a wave that keeps its shape for ever.",
    statement=(
        "r_n'' = 2 exp(-r_n) - exp(-r_{n+1}) - exp(-r_{n-1}): spring n between masses n and n + 1 pulls with "
        "1 - exp(-r_n), masses are 1.",
        "One cnoidal wave fills the ring: a crest of compression at spring 0 at the start.",
    ),
    sketch=draw.sketch(
        *(
            draw.disc((2.2 * math.cos(math.radians(45 * i)), 2.2 * math.sin(math.radians(45 * i))), 0.28)
            for i in range(8)
        ),
        *(
            draw.spring(
                (
                    2.2 * math.cos(math.radians(45 * i)) + 0.28 * math.cos(math.radians(45 * i + 112)),
                    2.2 * math.sin(math.radians(45 * i)) + 0.28 * math.sin(math.radians(45 * i + 112)),
                ),
                (
                    2.2 * math.cos(math.radians(45 * i + 45)) + 0.28 * math.cos(math.radians(45 * i - 67)),
                    2.2 * math.sin(math.radians(45 * i + 45)) + 0.28 * math.sin(math.radians(45 * i - 67)),
                ),
                "",
                5,
            )
            for i in range(8)
        ),
        draw.arc((0, 0), 1.3, 20, 120, "wave", turns=True),
        draw.words((2.85, 1.0), "r0"),
    ),
    shown=ShownMotion(curves=("r0", "r1", "r2")),
    equations=(
        "r_n' = p_{n+1} - p_n",
        "p_n' = exp(-r_{n-1}) - exp(-r_n)",
        "exp(-r_n) - 1 = (2 K ν)^2 (dn^2(2 K (n/8 - ν t)) - E/K), (2 K ν)^-2 = 1/sn^2(2 K/8) - 1 + E/K",
    ),
    parameters=of.motion.parameters,
    variants=(Variant("cnoidal", {}), Variant("soliton", {"m": "0.999"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    problem=make_problem,
    modelling=("Lengths, masses and stiffness at rest are 1.",),
    sources=(
        "M. Toda: Vibration of a chain with nonlinear interaction. Journal of the Physical Society of Japan 22 (1967) "
        "431-436. https://doi.org/10.1143/JPSJ.22.431",
        "M. Toda: Theory of Nonlinear Lattices. Springer (1989).",
    ),
    remarks=(
        "The wave stretches the ring: its length is 0.0604 at m = 0.9 and 0.728 at m = 0.999, not zero. Springs that "
        "are all equally long on average carry another motion.",
        "The crest is where velocities of neighbours agree, not where they vanish.",
        "Linear springs take 8.2094 for a turn at any amplitude, these 8.1410 and 7.7144: a stiffness that is not "
        "updated shows in the period.",
        "After a hundred turns, m = 0.999: RK45 at rtol 1e-3 has no digit of the crest (error 1.2), at 1e-6 1.9e-4; "
        "Verlet's method errs by 0.47 with steps of 0.1, by 0.037 with half of them.",
    ),
)

test_toda = verifies(CASE)
