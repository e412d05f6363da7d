"""Free Duffing oscillator: hardening, cubic, softening, two wells, separatrix."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("a", "1/s^2", "linear stiffness over mass", "1", "any"),
    Parameter("b", "1/(m^2 s^2)", "cubic stiffness over mass", "1", "any"),
    Parameter("A2", "m^2", "square of the displacement A from which the mass is released", "1", "positive"),
)
PROBLEM = InitialValueProblem(
    name="duffing_free",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="free", rates=("v", "-a*x - b*x**3"), events=(Change(name="turn", guard="v", direction=0),)),),
    initial=("sqrt(A2)", 0),
    end=100.0,
    output_times=evenly(100.0, 5000),
    invariants={"energy": "v**2/2 + a*x**2/2 + b*x**4/4"},
)


REQUIRED = (Requirement("b >= 0 or a + b*A2 > 0", "the mass runs away, in a finite time"),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def orbit(p: Any) -> tuple[str, Any, Any]:
    """Return the Jacobi function of the motion, its rate and its parameter m, by the roots of v² as function of x."""
    square = p.A2
    if p.b < 0:
        return "sn", mpmath.sqrt(p.a + p.b * square / 2), -p.b * square / (2 * p.a + p.b * square)
    if p.a < 0 and p.b * square < -2 * p.a:
        square = max(square, -2 * p.a / p.b - square)  # of the outer turn
        return "dn", mpmath.sqrt(p.b * square / 2), 2 + 2 * p.a / (p.b * square)
    rate = mpmath.sqrt(p.a + p.b * square)
    return "cn", rate, p.b * square / (2 * rate**2)


def period(p: Any) -> Any:
    """Return the period: two quarters of dn, four of the others."""
    function, rate, m = orbit(p)
    return (2 if function == "dn" else 4) * mpmath.ellipk(m) / rate


def displacement(p: Any, time: int) -> Any:
    """Return the displacement at an instant."""
    function, rate, m = orbit(p)
    is_inner = function == "dn" and p.b * p.A2 < -p.a  # released where the spring pushes outwards
    begins = mpmath.ellipk(m) if function == "sn" or is_inner else 0
    outer = mpmath.sqrt(-2 * p.a / p.b - p.A2 if is_inner else p.A2)
    return outer * (mpmath.ellipfun(function, rate * time + begins, m=m) if m != 1 else _sech(rate * time))


def _sech(x: Any) -> Any:
    return 1 / mpmath.cosh(x)


def returns(values: Values) -> bool:
    """Whether the mass returns: from the separatrix it ends on the hill between two wells."""
    a, b, square = (float(values[name]) for name in ("a", "b", "A2"))
    return not (a < 0 and b * square == -2 * a)


of = Quantities(MOTION, how="Jacobi's elliptic functions")
QUANTITIES = (
    of.event("turn", 2, name="period", second=period, applies=returns),
    of.value("x", "100", "m", scale="sqrt(A2)", second=partial(displacement, time=100), applies=returns),
    of.value("x", "5", "m", scale="sqrt(A2)", second=partial(displacement, time=5)),
)
NEAR_BY = frozenset({"period", "x@5"})

CASE = Case(
    name="duffing_free",
    title="Free Duffing oscillator",
    document="Kovacic 2011",
    topics=("nonlinear spring", "long time"),
    summary="A mass on a cubic spring: the period depends on the amplitude; wells, and the separatrix between them.",
    statement=(
        "x'' + a x + b x³ = 0, released at rest from A.",
        "a, b > 0: hardening; b < 0: softening; a < 0: two wells at ±sqrt(-a/b) and a hill between them.",
        "At A² = -2 a/b the mass climbs the hill for ever: x = A sech(sqrt(-a) t).",
    ),
    sketch=draw.sketch(
        draw.oscillator("a x + b x³"),
        draw.arrow((2.5, 0.7), (3.4, 0.7), "x"),
        draw.axes((5.2, -0.7), 3.2, 1.9, ("x", "energy")),
        draw.curve(lambda x: (6.7 + x, -0.5 + 0.9 * (x * x - 0.8) ** 2), -1.35, 1.35),
        draw.disc((7.85, 0.35), 0.13),
    ),
    shown=ShownMotion(portraits=(("x", "v"),), until=20),
    equations=of.equations("T = 4 K(m)/Ω, Ω^2 = a + b A^2, m = b A^2/(2 Ω^2)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("hardening", {}),
        Variant("cubic", {"a": "0"}, NEAR_BY),
        Variant("softening", {"b": "-1", "A2": "0.81"}),
        Variant("in_well", {"a": "-1", "A2": "1.44"}, NEAR_BY),
        Variant("cross_well", {"a": "-1", "A2": "2.56"}, NEAR_BY),
        Variant("separatrix", {"a": "-1", "A2": "2"}, problem=of.until(6.0, 600)),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("The square of A is the parameter, so that the separatrix is met exactly.",),
    sources=(
        "I. Kovacic, M. J. Brennan: The Duffing Equation: Nonlinear Oscillators and their Behaviour. Wiley "
        "(2011). https://doi.org/10.1002/9780470977859",
    ),
    remarks=(
        "Errors of the phase grow with time, by the error of the period; those of the energy do where a method damps.",
        "Near the separatrix errors grow as exp(t): a solver may fall into either well.",
    ),
    held={"A2": "wells and hill are where they are; other amplitudes may lie next to the separatrix"},
)

test_duffing_free = verifies(CASE)
