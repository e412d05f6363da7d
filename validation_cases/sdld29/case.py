"""SDLD29 and SDLD22 (EDF): a damped chain of eight masses under a rectangular force."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from veridyn.references import damped_chain
from veridyn.references.certified import Certified
from veridyn.references.damped_chain import LOADED, MASSES
from veridyn.references.parameters import Number
from veridyn.solver.embedded_pair import PairOptions
from veridyn.solver.interpolation import value_at
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Case, Observation, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdld29 import further, theory
from veridyn.validation_cases.sdld29.chain import problem
from veridyn.validation_cases.sdld29.figures import figures
from veridyn.validation_cases.sdld29.published import PUBLISHED, TABLE_22, TIMES_29
from veridyn.validation_cases.tolerances import Tolerance, cited

STEP = 2.0**-10  # s; the end of the load is the end of a step, also in floating point
FEWEST = 21  # steps in the shortest period that any damping leaves; schemes refuse less than 20
SMALLEST = {"smallest": 1e-10}  # of the step, Code_Aster's default: pairs look for the end of the load


def settings(values: Values, scheme: str) -> Settings:
    """Step of our schemes: 1/1024 s, halved as often as stiff links ask for."""
    fastest = 2 * math.sqrt(float(values["k"]) / float(values["m"]))
    step = min(STEP, 2.0 ** math.floor(math.log2(2 * math.pi / (FEWEST * fastest))))
    look = SMALLEST if issubclass(SCHEMES[scheme].options, PairOptions) else {}
    return {"scheme": scheme, "step": step, **SCHEMES[scheme].only_shorter, **look}


def _reference(time: str) -> Callable[..., Certified]:
    def reference(
        *,
        m: Number,
        k: Number,
        c: Number,
        c_left: Number,
        c_right: Number,
        F: Number,
        duration: Number,
        digits: int = 30,
    ) -> Certified:
        chain = {"m": m, "k": k, "c": c, "c_left": c_left, "c_right": c_right}
        return damped_chain.displacement(time=time, **chain, F=F, duration=duration, digits=digits)

    return reference


def _tolerance(time: str) -> Callable[[Values, str, Settings], Tolerance]:
    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if not scheme:
            static = float(values["F"]) / float(values["k"])
            return cited("1e-2 of Code_Aster's test SDLD29A, of F/k", 1e-2 * static, kind="absolute")
        return theory.displacement(values, scheme, chosen, float(time))

    return tolerance


def displacement(time: str) -> Quantity:
    """Return the quantity of mass 4 at an instant."""

    def measure(o: Observation) -> float:
        return value_at(o.response.time, o.response.displacement[:, LOADED - 1], float(time))

    name, definition = f"x4@{time}", f"displacement of mass 4 at {time} s"
    return Quantity(name, "m", definition, _reference(time), measure, _tolerance(time))


@lru_cache(maxsize=16)
def _modes(given: tuple[Number, ...], digits: int) -> tuple[tuple[Certified, ...], tuple[Certified, ...]]:
    m, k, c, c_left, c_right = given
    return damped_chain.complex_modes(m=m, k=k, c=c, c_left=c_left, c_right=c_right, digits=digits)


def _mode_reference(part: int, number: int) -> Callable[..., Certified]:
    def reference(*, m: Number, k: Number, c: Number, c_left: Number, c_right: Number, digits: int = 30) -> Certified:
        return _modes((m, k, c, c_left, c_right), digits)[part][number - 1]

    return reference


ALL_TIMES = sorted({*TIMES_29, *TABLE_22}, key=float)
QUANTITIES = (
    *(displacement(time) for time in ALL_TIMES),
    *(
        Quantity(
            f"{name}_{i}",
            unit,
            f"{definition} of complex mode {i}",
            _mode_reference(part, i),
            None,
            further.mode_tolerance,
        )
        for part, (name, unit, definition) in enumerate(
            (("frequency", "Hz", "damped frequency Im λ/2π"), ("damping", "1", "damping ratio -Re λ/abs(λ)"))
        )
        for i in range(1, MASSES + 1)
    ),
)
MODES = frozenset(f"{name}_{i}" for name in ("frequency", "damping") for i in range(1, MASSES + 1))


CASE = Case(
    name="sdld29",
    title="Damped chain of eight masses under a rectangular force",
    document="V2.01.029",
    summary="A force acts on a damped chain for a second; with unequal dashpots the damping couples the modes "
    "(SDLD29), with equal ones it does not (SDLD22). Complex modes, and what a load that ends costs a scheme.",
    statement=(
        "Eight masses m in a row between two walls, nine springs k, nine dashpots: c_left at the left wall, c_right "
        "at the right one, c between. A force F acts on mass 4 from 0 to its duration; everything is at rest at t = 0.",
        "φᵀ C φ has off-diagonal terms unless all dashpots are equal; the modes are complex, and the response is a sum "
        "of residues over the roots of det(s² M + s C + K).",
    ),
    equations=(
        "M x'' + C x' + K x = F e_4 for 0 < t < duration else 0, x(0) = x'(0) = 0",
        "M_{i i} = m, K_{i i} = 2 k, K_{i,i+1} = -k, C_{i i} = c_{i-1} + c_i, C_{i,i+1} = -c_i",
        "c_0 = c_left, c_1 = … = c_7 = c, c_8 = c_right",
        "det(s² M + s C + K) = 0 for s = lambda_j, (lambda_j² M + lambda_j C + K) phi_j = 0",
        "u(t) = Σ_{j=1}^16 phi_{4 j}²/(a_j lambda_j) (e^{lambda_j t} - 1) for t > 0 else 0, "
        "a_j = phi_j^T (2 lambda_j M + C) phi_j",
        "x4(t) = F (u(t) - u(t - duration))",
    ),
    parameters=damped_chain.PARAMETERS,
    variants=(
        Variant("non-proportional", {}, frozenset(f"x4@{time}" for time in TIMES_29) | MODES),
        Variant(
            "proportional", {"c_left": "50", "c_right": "50"}, frozenset(f"x4@{time}" for time in TABLE_22) | MODES
        ),
    ),
    quantities=QUANTITIES,
    problem=problem,
    settings=settings,
    modelling=(
        "Eight modes; what φᵀ C φ has beside its diagonal is a force that sees the velocity that contacts see.",
        "Step 1/1024 s: sums of steps are exact, and the load ends where a step ends.",
        "Parity runs have the steps of the test files, 1e-5 s (SDLD29) and 1e-3 s (SDLD22, whose load still stands in "
        "the step that begins at 1 s).",
    ),
    published=PUBLISHED,
    remarks=(
        "Dropping the coupling changes x4(0.18 s) by 2 % and x4(0.09 s) by 0.6 %, later less: a "
        "tolerance of 1 % sees it once.",
        "A load that ends where a step ends is worth half a step less to a scheme that weighs its ends: Newmark's "
        "rule, central differences and ITMI lose F h/2, Dormand and Prince's pair 11/84 F h, de Vogelaere's scheme "
        "F h/6, the pair of Bogacki and Shampine nothing.",
        "Mirror the chain: with 250 N s/m at the right wall x4(0.09 s) changes by 1.3 %.",
        "A time summed in steps of 1e-3 s passes 1 s at 1.0000000000000007 s, in others before it: whether the load "
        "acts in one step more is rounding, worth 1e-3 s of it.",
    ),
    further_checks=further.MAKERS,
    figures=figures,
    benchmark_variant="non-proportional",
)
