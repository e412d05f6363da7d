"""SDLD31: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import SolverFailure
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.scheme import Scheme
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import sample
from veridyn.validation_cases.case import (
    Bench,
    Case,
    Check,
    Observation,
    Published,
    Run,
    Settings,
    Subject,
    Values,
    Variant,
)
from veridyn.validation_cases.consistency import energy, velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, check_of, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdld31.measures import value, zeros
from veridyn.validation_cases.tolerances import Tolerance, cited, from_theory

Floats = NDArray[np.float64]

ASTER_STEP = 1e-4
TABLE_END = 1.02  # s, of the table that DEVOGE reads
UNDAMPED, LET_GO, SMOOTH = "undamped", "let-go", ("31b", "let-go")
DRIFT_NUMBER = 0.2  # w0 h of the runs whose phase is measured
COARSE, LEVELS = 0.01, 4  # s, the longest step, and its halvings; the instants are multiples
LAGGED: Settings = {"lagged": True}


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every value that the test files hold for our schemes."""

    def make_run(case: Case, cell: Published) -> Run:
        options = LAGGED if cell.scheme == "newmark" else {}
        settings = {"scheme": cell.scheme, "step": ASTER_STEP, **options}
        build = partial(_tabulated, case) if cell.scheme == "devogelaere" else case.problem
        values = case.values(case.variant(cell.variant).changes)
        return Run(f"{case.name}/aster/{cell.variant}/{cell.scheme}", values, build, settings)

    def read(cell: Published, o: Observation) -> float:
        part, time = cell.quantity.split("@")
        return value(o, part, float(time))

    yield from parity_checks(case, subject, variant, make_run, read)


def _tabulated(case: Case, values: Values) -> MechanicalProblem:
    """Return the problem with its load as a table."""
    problem = cast(MechanicalProblem, case.problem(values))
    times = np.arange(round(TABLE_END / ASTER_STEP) + 1) * ASTER_STEP
    load = replace(problem.loads[0], function=sample(problem.loads[0].function, times.tolist()))
    return replace(problem, loads=(load,), end=TABLE_END, output_times=None)


def phase(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the drift of the phase at undamped resonance: half the phase error of the scheme per radian.

    An oscillator that runs ahead by e per radian answers its resonance with (e^{iwt} - e^{iw(1+e)t})/e, which is
    ahead by e w t/2.
    """
    if not subject.own or subject.overrides or variant.name != UNDAMPED:
        return
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        w = float(run.values["omega0"])
        base = constant_step(run, DRIFT_NUMBER / w)
        term = SCHEMES[scheme].phase
        yield check_of(
            case,
            variant,
            scheme,
            base,
            quantity="phase_drift_per_radian",
            kind="order",
            unit="rad/rad",
            measure=reading(base, drift),
            reference=always(term.constant * DRIFT_NUMBER**term.order / 2 if term else 0.0),
            tolerance=always(_relative_drift() if term else _no_drift(w * float(run.values["T"]))),
        )


def _relative_drift() -> Tolerance:
    return Tolerance(5 * DRIFT_NUMBER**2, "relative", "the next terms are (w h)² smaller, with constants below five")


def _no_drift(radians: float) -> Tolerance:
    what = "no phase error; zeros on cubics, 3/128 (w h)⁴ over half the radians"
    return from_theory(4, 3 / 128 / (radians / 2), DRIFT_NUMBER, what=what, kind="absolute")


def drift(o: Observation) -> float:
    """Return how fast the zeros of the displacement run ahead of the true ones (rad/rad), over the second half."""
    w = o["omega0"]
    true = true_zeros(w, o["T"])
    true = true[true > o["T"] / 2]
    found = zeros(o)
    nearest = found[np.abs(found[:, None] - true).argmin(axis=0)]
    return float(np.polyfit(w * true, w * (true - nearest), 1)[0])


def true_zeros(w: float, end: float) -> Floats:
    """Return the zeros (s) of sin(w t) - w t cos(w t), one in every half-period, by Newton's iteration."""
    k = np.arange(1, int(w * end / np.pi) + 1)
    u = (k + 0.5) * np.pi
    for _ in range(8):  # tan u = u: u = (k + 1/2) pi - atan(1/u)
        u = (k + 0.5) * np.pi - np.arctan(1 / u)
    return np.asarray(u[u < w * end] / w)


def start(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the phase that a scheme has at t = 0, let go: what its start leaves, the drift taken away.

    The truth at an instant grants the drift of all radians passed, in which a start hides. A velocity that is taken
    for that of half a step before moves the phase by lag × w h.
    """
    if not subject.own or subject.overrides or variant.name != LET_GO:
        return
    for scheme in subject.schemes:
        run, s = case.run(subject, variant, scheme), SCHEMES[scheme]
        base = constant_step(run, DRIFT_NUMBER / float(run.values["omega0"]))
        yield check_of(
            case,
            variant,
            scheme,
            base,
            quantity="phase_of_start",
            kind="order",
            unit="rad",
            measure=reading(base, start_phase),
            reference=always(s.lag * DRIFT_NUMBER),
            tolerance=always(_of_start(s)),
        )


def _of_start(s: Scheme) -> Tolerance:
    step = abs(s.phase.constant) * DRIFT_NUMBER ** (s.phase.order + 1) if s.phase else 0.0
    what = "theory: the phase error of one step; cubics at zeros, where the fourth derivative vanishes, 3/64 (w h)⁵"
    return Tolerance(step + 3 / 64 * DRIFT_NUMBER**5, "absolute", what)


def start_phase(o: Observation) -> float:
    """Return how far the zeros run ahead of those of x0 cos(w t), extrapolated to t = 0 (rad).

    Raises
    ------
    SolverFailure
        If the displacement passes through zero less than twice.
    """
    found = o["omega0"] * zeros(o)
    if found.size < 2:
        raise SolverFailure(f"the displacement passes through zero {found.size} times, a phase needs two")
    true = (np.arange(found.size) + 0.5) * np.pi
    return float(np.polyfit(true, true - found, 1)[1])


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of the displacement beside resonance, up to 1 s; with damping, what it leaves of it.

    Let go, a scheme is worth no more than its start: one that takes its first velocity for that of half a step before
    has order 1.
    """
    if not subject.own or subject.overrides or variant.name not in SMOOTH:
        return
    for scheme in subject.schemes:
        base, s = case.run(subject, variant, scheme), SCHEMES[scheme]
        if s.damped and float(base.values["xi"]):  # two powers of the step: that of the scheme, and ξ times a lower one
            continue
        if s.phase is None and not float(base.values["F"]):  # exact
            continue
        expected = 1 if s.lag and float(base.values["x0"]) else s.order
        levels = min(LEVELS, 16 // expected)
        why = f"smooth load, {levels} halvings"
        measure = partial(_observed_order, case, base, levels)
        allowed = Tolerance(0.2, "absolute", why)
        yield order_check(case, variant, base, "displacement", measure, float(expected), allowed)


def _observed_order(case: Case, base: Run, levels: int, bench: Bench) -> float:
    instants = ("0.5", "0.7", "1.0")
    true = np.array([float(quantity_of(case, f"x@{time}").truth(base.values)) for time in instants])

    def worst(step: float) -> float:
        o = bench.observe(constant_step(base, step))
        return float(np.abs(np.array([value(o, "x", float(time)) for time in instants]) - true).max())

    return observed_order(errors_over_steps(worst, 0.0, halvings(COARSE, levels)))


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy that the force puts in at undamped resonance, against what is stored."""
    if variant.name != UNDAMPED:
        return
    cite = cited("twice the 5e-3 of Code_Aster's test SDLD321 for displacements", 1e-2, kind="absolute")
    unit = "of the largest stored energy"
    yield from energy(case, subject, variant, unit, _stored, _read_energy, cite)


def _read_energy(run: Run, scheme: str) -> Tolerance:
    fast, phase = float(run.values["omega0"]), SCHEMES[scheme].phase
    ahead = abs(phase.constant) if phase and phase.order == 2 else 0.0
    constant = (1 / 3 + 2 * ahead + 1 / 12) * fast**2
    what = "differenced velocities, (w h)²/3 of the energy, twice the phase error, trapezoidal work, (w h)²/12"
    return from_theory(2, constant, float(run.settings["step"]), what=what, kind="absolute")


def _stored(o: Observation) -> float:
    return 0.5 * o["m"] * o["omega0"] ** 2 * float(np.abs(o.response.displacement).max()) ** 2


MAKERS = (parity, phase, start, order, balance, velocities)
