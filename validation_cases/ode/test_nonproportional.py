"""Two masses with a dashpot at one of them: damping that the modes without damping do not decouple."""

from functools import partial
from typing import Any

import mpmath
from flint import acb, acb_poly

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.engine.enclosure import Undecided
from veridyn.references.engine.jets import differentiated, find_order, rooted, stack, unstack, value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m_1", "kg", "mass with the dashpot", "1", "positive"),
    Parameter("m_2", "kg", "other mass", "1", "positive"),
    Parameter("k_1", "N/m", "stiffness from the first mass to the ground", "1", "positive"),
    Parameter("k_2", "N/m", "stiffness between the masses", "1", "positive"),
    Parameter("c", "N s/m", "damping from the first mass to the ground", "0.3", "positive"),
    Parameter("x_0", "m", "displacement of the first mass at the start, at rest", "1", "positive"),
)
PROBLEM = InitialValueProblem(
    name="nonproportional",
    states=("x_1", "v_1", "x_2", "v_2"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="free", rates=("v_1", "(k_2*(x_2 - x_1) - k_1*x_1 - c*v_1)/m_1", "v_2", "k_2*(x_1 - x_2)/m_2")),),
    initial=("x_0", 0, 0, 0),
    end=20.0,
    output_times=evenly(20.0, 1000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


def factors(p: Any) -> tuple[Any, ...]:
    """Return the factors of 1, s, s² … in the determinant of s² M + s C + K."""
    k = p.k_1 + p.k_2
    return (k * p.k_2 - p.k_2**2, p.c * p.k_2, k * p.m_2 + p.k_2 * p.m_1, p.c * p.m_2, p.m_1 * p.m_2)


def polished(given: Any, s: acb) -> acb:
    """Shrink a box that holds one root, by interval Newton: slopes over a box are those between any two of its points.

    `acb_poly.roots` stops at a few digits where factors are balls.
    """
    polynomial = acb_poly(given)
    rate = polynomial.derivative()
    while True:
        step = s.mid() - polynomial(s.mid()) / rate(s)
        smaller = acb(s.real.intersection(step.real), s.imag.intersection(step.imag))
        if not (2 * smaller.rad() < s.rad()):
            return smaller
        s = smaller


def eigenvalue(p: Any, number: int, part: str) -> Any:
    """Return a part of an eigenvalue above the real axis, by its imaginary part: an isolated root in a ball."""
    given = factors(p)
    above = [s for s in acb_poly([value(f) for f in given]).roots() if s.imag > 0]
    if len(above) != 2 or not (above[0].imag < above[1].imag or above[1].imag < above[0].imag):
        raise Undecided("the eigenvalues are not two pairs, each with an imaginary part of its own")
    s = polished([value(f) for f in given], sorted(above, key=lambda s: float(s.imag))[number - 1])
    if not differentiated(*given):
        return getattr(s, part)
    z = rooted(s, lambda z: sum((f * z**k for k, f in enumerate(given)), start=acb(0)))
    return unstack([getattr(x, part) for x in stack([z], find_order(z))], find_order(z))[0]


def by_matrix(p: Any, number: int, part: str) -> Any:
    """Return the same as an eigenvalue of the matrix of the first-order system."""
    k = p.k_1 + p.k_2
    system = mpmath.matrix(
        [
            [0, 1, 0, 0],
            [-k / p.m_1, -p.c / p.m_1, p.k_2 / p.m_1, 0],
            [0, 0, 0, 1],
            [p.k_2 / p.m_2, 0, -p.k_2 / p.m_2, 0],
        ]
    )
    result = sorted((s for s in mpmath.eig(system, right=False) if s.imag > 0), key=lambda s: s.imag)
    return getattr(result[number - 1], part)


def by_residues(p: Any, mass: int, time: int) -> Any:
    """Return a displacement (m) as the sum of the residues of its Laplace transform."""
    given = factors(p)
    roots = mpmath.polyroots(given[::-1], maxsteps=200, extraprec=200)
    total = mpmath.mpc(0)
    for s in roots:
        first = (p.m_1 * s + p.c) * p.x_0  # what the start adds to the force on the first mass
        above = first * (p.m_2 * s**2 + p.k_2 if mass == 1 else p.k_2)
        total += above / sum(k * f * s ** (k - 1) for k, f in enumerate(given) if k) * mpmath.exp(s * time)
    return total.real


of = Quantities(MOTION, how="residues of the Laplace transform")
PARTS = {"real": ("Re", "rate of decay, negative,"), "imag": ("Im", "angular frequency")}


def of_mode(number: int, part: str) -> Quantity:
    """Return a part of the eigenvalue of the slower (1) or the faster complex mode."""
    read, second = (partial(f, number=number, part=part) for f in (eigenvalue, by_matrix))
    truth = MOTION.closed(read, second=second, how="eigenvalues of the first-order system")
    (short, what), which = PARTS[part], "slower" if number == 1 else "faster"
    return of.quantity(f"{short}_s_{number}", "1/s", f"{what} of the {which} complex mode", truth, None)


QUANTITIES = (
    *(of_mode(number, part) for number in (1, 2) for part in PARTS),
    *(
        of.value(f"x_{mass}", str(time), "m", scale="x_0", second=partial(by_residues, mass=mass, time=time))
        for time in (5, 20)
        for mass in (1, 2)
    ),
)

CASE = Case(
    name="nonproportional",
    title="Two masses, one dashpot",
    document="Foss 1958",
    topics=("modal superposition",),
    summary="A dashpot at one of two masses: complex modes, in which the masses do not pass the middle together.",
    statement=(
        "M x'' + C x' + K x = 0 with a dashpot at the first mass alone; the first mass is let go at x_0.",
        "C is no combination of M and K: the modes without damping stay coupled, and the eigenvalues of the "
        "quadratic problem come in two complex pairs.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 0.9), (0, -0.9)),
        draw.spring((0, 0.3), (2, 0.3), ""),
        draw.damper((0, -0.3), (2, -0.3), "c"),
        draw.box((2.5, 0), 1, 1.2, "1"),
        draw.spring((3, 0), (5, 0), ""),
        draw.box((5.5, 0), 1, 1.2, "2"),
        draw.spring((6, 0), (8, 0), ""),
        draw.ground((8, -0.9), (8, 0.9)),
        draw.arrow((2.5, 0.85), (3.3, 0.85), "x_0"),
    ),
    shown=ShownMotion(curves=("x_1", "x_2")),
    equations=of.equations(
        "det(s^2 M + s C + K) = 0",
        "x_1 = sum(Res((m_1 s + c) (m_2 s^2 + k_2) x_0/det(s^2 M + s C + K) exp(s t)))",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("light", {}), Variant("strong", {"c": "1.5"})),
    quantities=QUANTITIES,
    sources=(
        "K. A. Foss: Co-ordinates which uncouple the equations of motion of damped linear dynamic systems. Journal of "
        "Applied Mechanics 25 (1958) 361-364.",
        "A. S. Veletsos, C. E. Ventura: Modal analysis of non-classically damped linear systems. Earthquake "
        "Engineering and Structural Dynamics 14 (1986) 217-243. https://doi.org/10.1002/eqe.4290140205",
    ),
    remarks=(
        "Damping that is made modal by dropping what couples the modes has eigenvalues that are right to one "
        "percent, and yet x_2(5) = -0.322 instead of -0.362; under the strong dashpot x_1(5) has the wrong sign.",
        "A code that takes an eigenvalue without its conjugate returns half of the motion, or a complex one.",
    ),
)

test_nonproportional = verifies(CASE)
