"""Beam on a stop: modal superposition with a unilateral support at mid-span."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import mpmath
import numpy as np
import sympy

from veridyn.problem.elements import Stop
from veridyn.problem.exact_fields import is_formula
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import Absent, less
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.reference import Reference
from veridyn.references.requirements import Requirement, restrict
from veridyn.references.second_routes import beam_modes
from veridyn.results import Figure
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.balance import energy_residual
from veridyn.solver.postprocessing.impacts import Impact
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement.case import (
    Beam,
    Case,
    Floats,
    Observation,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    floats,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import impacts, plotting
from veridyn.validation_cases.measures.consistency import energy, positions, rates, residual, stop_forces, velocities
from veridyn.validation_cases.measures.quantities import share_of, size
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("N", "1", "number of modes kept", "5", "whole"),
    Parameter("xi", "1", "damping ratio of every mode, below 1", "0.02"),
    Parameter("kc", "N/m", "stiffness of the stop", "1e4"),
    Parameter("gap", "m", "gap under mid-span", "0.02"),
    Parameter("v0", "m/s", "initial velocity, downwards", "1"),
    Parameter("T", "s", "time span", "0.5"),
)
REQUIRED = (
    Requirement("N <= 41", "beams are proved up to 41 modes"),
    Requirement("xi < 1", "the modes creep and do not swing"),
)
OUTPUT_NUMBER = 0.05  # largest frequency times the spacing of the requested output
INSTANTS = ("0.1", "0.2", "0.3", "0.4", "0.5")  # s, at which mid-span is observed
PUSH, MIDDLE = "push_stop", "w"  # readings: of the stop, and of mid-span
POINTS = 7  # points of the beam, at least: its eighths
DRAWN, MOST_DRAWN = 97, 3  # points of a drawn shape, and how many shapes are drawn
MARGIN = 1.01  # end of the run over T, so that T lies inside
MOST = 5  # contacts whose quantities are asked for
AROUND = 4  # samples on each side of a release
KINK = 2.0  # regularity: the force of the stop has a kink
SHOWN = {1: "one mode", 3: "three modes", 5: "five modes"}


def state(values: Values, table: Any, middle: int, end: Any, names: tuple[str, ...] = ()) -> MechanicalProblem:
    """Return the beam by its modes, straight and falling.

    Its coordinates are displacements whose shapes are the rows of a table, mid-span the one in the middle.
    """
    xi, gap, kc, v0 = numbers(values, "xi", "gap", "kc", "v0")
    kit = sympy if is_formula(xi) else math
    n = range(1, table.shape[1] + 1)
    speeds = np.array([-2 * kit.sqrt(2) * v0 / (k * kit.pi) if k % 2 else 0 for k in n])
    return MechanicalProblem(
        name="beam_stop",
        modes=Modes(
            omega=np.array([(k * kit.pi) ** 2 for k in n]),
            damping=np.array([xi for _ in n]),
            masses=np.ones(len(n)),
            shapes=table,
        ),
        initial_velocity=table @ speeds,
        end=end,
        stops=(Stop("stop", -np.eye(table.shape[0])[middle], gap=gap, stiffness=kc),),
        coordinates=names,
    )


def state_exactly(values: Values) -> MechanicalProblem:
    """Return the beam up to T; its coordinates are mid-span and the amplitudes of the modes."""
    count = round(float(values["N"]))
    middle = [(0, 1, 0, -1)[k % 4] * sympy.sqrt(2) for k in range(1, count + 1)]
    table = np.vstack([np.array(middle), np.eye(count, dtype=int)])
    return state(values, table, 0, values["T"], (MIDDLE, *(f"a{k}" for k in range(1, count + 1))))


MOTION = make_quantities(state_exactly, PARAMETERS, record=restrict(*REQUIRED))


def modes(values: Values) -> tuple[Floats, Floats, Floats]:
    """Return numbers (N,), circular frequencies (rad/s) and velocities at the start (m/s) of the modes."""
    n: Floats = np.arange(1.0, float(values["N"]) + 1)
    speeds = -2 * np.sqrt(2) * float(values["v0"]) / (n * np.pi)
    return n, np.asarray((n * np.pi) ** 2), np.asarray(np.where(n % 2 == 1, speeds, 0.0))


def fastest(values: Values) -> float:
    """Return a bound of the frequencies in contact (rad/s)."""
    n, w, _ = modes(values)
    return math.sqrt(w[-1] ** 2 + 2 * float(values["kc"]) * math.ceil(n.size / 2))


def shapes(values: Values) -> Floats:
    """Return the shapes (points, N) at evenly spread points, quarter points and mid-span among them."""
    n, _, _ = modes(values)
    parts = max(POINTS + 1, 4 * math.ceil((n.size + 1) / 4))
    table = np.sqrt(2) * np.sin(np.outer(np.arange(1, parts), n) * np.pi / parts)
    table[parts // 2 - 1, 1::2] = 0.0  # sin(kπ), exactly
    return np.asarray(table)


def write_shapes(values: Values) -> Any:
    """Return the same shapes as formulas."""
    points, count = shapes(values).shape
    angles = [[i * k * sympy.pi / (points + 1) for k in range(1, count + 1)] for i in range(1, points + 1)]
    return np.array([[sympy.sqrt(2) * sympy.sin(angle) for angle in row] for row in angles])


def drawn(values: Values) -> Beam:
    """Return the beam as it is drawn: on a pin and a roller, with the shapes that are seen at mid-span."""
    n, _, _ = modes(values)
    parts = shapes(values).shape[0] + 1
    along = np.linspace(0.0, 1.0, DRAWN)
    seen = [k for k in n.astype(int) if k % 2][:MOST_DRAWN]
    return Beam(
        length=1.0,
        points=tuple(i / parts for i in range(1, parts)),
        supports=((0.0, "pin"), (1.0, "roller")),
        shapes=tuple((f"φ{k}", tuple(np.round(np.sin(k * np.pi * along), 4).tolist())) for k in seen),
    )


def outputs(values: Values) -> Floats:
    """Return the instants (s) of the requested output: a grid, and the instants that are measured."""
    end = round(MARGIN * float(values["T"]), 9)
    grid = evenly(end, end * fastest(values) / OUTPUT_NUMBER)
    measured = np.array([float(t) for t in (*INSTANTS, str(float(values["T"])))])
    return np.unique(np.round(np.concatenate((grid, measured[measured <= end])), 9))


def state_points(values: Values) -> MechanicalProblem:
    """Return the beam up to T; its coordinates are displacements of points."""
    table = write_shapes(values) if is_formula(values["xi"]) else shapes(values)
    return state(values, table, table.shape[0] // 2, *numbers(values, "T"))


# ---- what is true


def of_contact(what: str, number: int) -> Reference[Certified]:
    """Return a part of a contact that is over by T, counted from 1: touch, release (s), peak (N) or impulse (N s)."""
    touches, opens = ("stop_closes", number), ("stop_opens", number)
    parts = {
        "touch": MOTION.event(*touches),
        "release": MOTION.event(*opens),
        "peak": MOTION.largest(PUSH, touches, opens),
        "impulse": MOTION.integral(PUSH, touches, opens),
    }

    def read(p: Any) -> Any:
        if not less(p.release, p.T, "a contact ends at T"):
            raise Absent(f"contact {number} is not over by T")
        return getattr(p, what)

    second = partial(getattr(beam_modes, what), number=number)
    return MOTION.combine(f"{what} {number}", read, parts, second=second, how=HOW)


def mid_span(time: str) -> Reference[Certified]:
    """Return the displacement of mid-span (m) at an instant up to T."""
    return MOTION.value(MIDDLE, time, second=lambda p: beam_modes.mid_span(p, mpmath.mpf(time)), how=HOW)


HOW = "sums of exponentials from event to event, roots proved by bounds of the curvature"
OVER = MOTION.count("stop_opens", second=lambda p: mpmath.mpf(len(beam_modes.over(p))), how=HOW)
LARGEST = MOTION.largest(
    PUSH,
    until=("stop_opens", -1),
    second=lambda p: max(beam_modes.peak(p, k + 1) for k in range(len(beam_modes.over(p)))),
    how=HOW,
)
ENERGY = MOTION.combine(
    "energy",
    lambda p: p.modal + p.push**2 / (2 * p.kc),
    {"modal": MOTION.value("energy", None), "push": MOTION.value(PUSH, None)},
    second=beam_modes.energy,
    how=HOW,
)
HISTORY = MOTION.history(mid_span=MIDDLE)


# ---- what is measured
# ---- what is measured


def true_instants(values: Values) -> tuple[float, ...]:
    """Return the true instants (s) of touch and release, one after the other, of the contacts that are over by T."""
    return _instants(tuple(values.items()))


@lru_cache(maxsize=16)
def _instants(given: tuple[tuple[str, Any], ...]) -> tuple[float, ...]:
    result = HISTORY.compute(dict(given)).events()[1:]  # the start is none
    return tuple(float(t) for t, _ in result[: len(result) // 2 * 2])


def _over(o: Observation) -> list[Impact]:
    """Return the contacts that are over by T."""
    return [i for i in impacts.impacts(o) if i.end < o["T"]]


def _of_contact(o: Observation, field: str, number: int) -> float | None:
    """Return a field of one contact; None if neither truth nor response has it."""
    result, true = _over(o), len(true_instants(o.values)) // 2
    if len(result) < number <= true:
        raise SolverFailure(f"the response shows {len(result)} contacts up to T, there are {true}")
    return float(getattr(result[number - 1], field)) if number <= len(result) else None


def _peak_force(o: Observation) -> float | None:
    _of_contact(o, "peak_force", 1)
    return max((i.peak_force for i in _over(o)), default=None)


def _middle(o: Observation) -> Floats:
    return np.asarray(o.response.displacement[:, o.response.displacement.shape[1] // 2])


def _mid_span(o: Observation, time: float) -> float:
    return value_at(o.response.time, _middle(o), time)


def _energy(o: Observation) -> float:
    """Energy (J) of beam and stop at T."""
    back, (_, w, _) = np.linalg.pinv(shapes(o.values)).T, modes(o.values)
    x, v = (
        np.array([value_at(o.response.time, column, o["T"]) for column in part.T]) @ back
        for part in (o.response.displacement, o.response.velocity)
    )
    closed = min(o["gap"] + _mid_span(o, o["T"]), 0.0)
    return float(np.sum((w * x) ** 2 + v**2) + o["kc"] * closed**2) / 2


def _start_energy(o: Observation) -> float:
    _, _, speeds = modes(o.values)
    return 0.5 * float(speeds @ speeds)


def _made_at_release(o: Observation) -> float:
    residuals, t = energy_residual(o.problem, o.response), o.response.time[1:-1]
    releases = np.searchsorted(t, true_instants(o.values)[1::2])
    after, before = np.minimum(releases + AROUND, t.size - 1), np.maximum(releases - AROUND, 0)
    return float(np.abs(residuals[after] - residuals[before]).max(initial=0.0)) / _start_energy(o)


PUSHED = "v0 sqrt(k_c), the force on a unit mass"
Size = Callable[[Values], float]
SCALES: dict[str, tuple[Size, float, str]] = {  # size, share of it that is asked for, and what it is
    "s": (size("T"), 1e-3, "the time span"),
    "m": (size("v0/10"), 1e-2, "v0/w1"),
    "N": (size("v0*sqrt(kc)"), 1e-2, PUSHED),
    "N s": (size("v0"), 1e-2, "v0, the momentum"),
    "J": (size("v0**2/2"), 1e-2, "v0²/2"),
}
ASKED = {
    unit: share_of(size, share, f"this suite asks {share:g} of {what}") for unit, (size, share, what) in SCALES.items()
}


def _where(values: Values, unit: str, number: int) -> Tolerance:
    """Return a criterion, or where there is no such contact that none may be found."""
    return (
        ASKED[unit](values) if len(true_instants(values)) >= 2 * number else exactly("there is no such contact up to T")
    )


def _contact(number: int) -> tuple[Quantity, ...]:
    """Return what is asked of a contact."""

    def part(name: str, unit: str, words: str, field: str) -> Quantity:
        measure, truth = partial(_of_contact, field=field, number=number), of_contact(name, number)
        criterion = partial(_where, unit=unit, number=number)
        return Quantity(f"{name}_{number}", unit, words, truth, measure, criterion, SCALES[unit][0], KINK)

    return (
        part("touch", "s", f"instant at which contact {number} begins", "start"),
        part("release", "s", f"instant at which contact {number} ends", "end"),
        part("impulse", "N s", f"impulse of the stop in contact {number}", "impulse"),
    )


def _lasts_until(values: Values, time: float) -> bool:
    return time <= float(values["T"])


def _mid_span_at(t: str) -> Quantity:
    """Return the displacement of mid-span at an instant (s)."""
    truth, measure = mid_span(t), partial(_mid_span, time=float(t))
    definition, exists = f"displacement of mid-span at {t} s", partial(_lasts_until, time=float(t))
    return Quantity(f"mid_span@{t}", "m", definition, truth, measure, ASKED["m"], SCALES["m"][0], KINK, applies=exists)


def _count(o: Observation) -> float:
    return float(len(_over(o)))


ENDED, COUNTED = "contacts that are over by T", exactly("contacts are counted")
PRESSES, IN_FIRST = "largest force of the stop", partial(_where, unit="N", number=1)
ENERGY_AT_T = "energy of beam and stop at T"
QUANTITIES = (
    Quantity("contacts", "1", ENDED, OVER, _count, COUNTED, regularity=1.0),
    *(quantity for number in range(1, MOST + 1) for quantity in _contact(number)),
    Quantity("peak_force", "N", PRESSES, LARGEST, _peak_force, IN_FIRST, SCALES["N"][0], KINK),
    *map(_mid_span_at, INSTANTS),
    Quantity("energy", "J", ENERGY_AT_T, ENERGY, _energy, ASKED["J"], SCALES["J"][0], KINK),
)
BALANCE = cited("this suite: one percent of the energy at the start", 1e-2, kind="absolute")
OF_START = "of the energy at the start"
MADE = "largest change of the energy balance from shortly before a release to shortly after it"
RESIDUALS = (
    energy(OF_START, _start_energy, BALANCE),
    residual("energy_made_at_release", OF_START, MADE, _made_at_release, BALANCE),
    *(stop_forces(), velocities(), positions(), rates()),
)


def _select(contacts: int) -> frozenset[str]:
    """Return the names of the quantities of a motion with so many contacts."""
    missing = {f"{what}_{k}" for what in ("touch", "release", "impulse") for k in range(contacts + 1, MOST + 1)}
    return frozenset(q.name for q in QUANTITIES) - missing


def _truncation(case: Case, _: Runner) -> Iterator[Figure]:
    """Yield what the number of modes changes."""
    end, gap = floats(case.values(), "T", "gap")
    times = np.linspace(0.0, end, plotting.FINE)
    motions = {name: HISTORY.compute(case.values({"N": str(n)})) for n, name in SHOWN.items()}
    true = {name: [float(x) for x in motion.sample("mid_span", times.tolist())] for name, motion in motions.items()}
    curves = [plotting.series(name, "computed", times, seen) for name, seen in true.items()]
    stop = plotting.series("stop", "limit", [0.0, end], [-gap, -gap])
    caption = "True motions of mid-span with one, three and five modes: two, four and five contacts."
    drawn = [plotting.panel("t (s)", "displacement (m)", [*curves, stop])]
    yield plotting.figure(case.name, "truncation", "What the number of modes changes", caption, drawn)


FIGURES = (
    plotting.history(
        "mid-span",
        "Mid-span, five modes",
        "The stop lies below.",
        plotting.HistoryCurve("displacement (m)", _middle, plotting.true(HISTORY, "mid_span")),
        events=lambda values: [(t, "") for t in true_instants(values)],
        beside=plotting.levels("stop", lambda o: -o["gap"]),
        window=lambda values: (0.0, float(values["T"])),
    ),
    _truncation,
    plotting.convergence("release_5", "where in a step a contact begins is chance"),
)


CASE = Case(
    name="beam_stop",
    title="Beam that falls on a stop at mid-span",
    document="this suite",
    topics=("impact", "many modes"),
    summary="A simply supported beam, given by its first modes, falls on an elastic stop and bounces, at last three "
    "times within 54 ms: every instant, impulse and the energy, with five modes and with three.",
    statement=(
        "E I = ρ A = L = 1, simply supported: w_n = n² π², φ_n = √2 sin(n π x), the first N modes with 2 % damping. "
        "The beam is straight at t = 0 and has the velocity -v0 everywhere; an elastic stop k_c waits under "
        "mid-span at a gap.",
        "The problem is the truncated one: q_n'(0) = -2 sqrt(2) v0/(n π) for odd n and zero for even n, whose shapes "
        "vanish at mid-span. In each phase the equations are linear; in contact the modes couple through k_c φ φᵀ, and "
        "their damping is no longer proportional.",
    ),
    shown=ShownMotion(curves=("q_1", "q_3", "q_5")),
    equations=(
        "q_n'' + 2 xi w_n q_n' + w_n² q_n = phi_n R, w_n = n² pi², phi_n = sqrt(2) sin(n pi/2)",
        "w = Σ_{n=1}^N phi_n q_n, R = k_c max(0, -gap - w)",
        "q_n(0) = 0, q_n'(0) = -v0 ∫_0^1 sqrt(2) sin(n pi x) d x = -v0 sqrt(2) (1 - cos(n pi))/(n pi)",
        "contact: q'' + 2 xi Λ q' + (Λ² + k_c phi phi^T) q = -k_c gap phi, Λ = diag(w_1, …, w_N)",
        "q = q_s + Σ_{j=1}^{2N} a_j u_j e^{lambda_j tau}, w(t_j) = -gap, tau = t - t_j",
        "E = 1/2 Σ_{n=1}^N (q_n'² + w_n² q_n²) + R²/(2 k_c)",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    variants=(Variant("5-modes", {"N": "5"}, _select(5)), Variant("3-modes", {"N": "3"}, _select(4))),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    problem=Watched(state_points, outputs),
    modelling=(
        "Modes and shapes at seven points, the eighths of the span; the velocity at the start is that of the modes "
        "there.",
        "Output is asked for twenty times per radian of the largest frequency in contact, every 1.5e-4 s with five "
        "modes.",
        "Contact instants are roots of the gap between samples, forces and impulses come from a spline of the "
        "penetration.",
    ),
    remarks=(
        "Dropping modes 4 and 5 loses a contact: three modes touch four times, one mode twice.",
        "Five modes hold 93 % of the energy v0²/2 of the falling beam, one mode 81 %.",
        "A touch noticed a step late lets the beam fall deeper; what the spring did not take on the way in it gives "
        "back on the way out: energy made at release, up to k_c (v h)²/2 each time.",
        "Contacts 3 and 4 lie 4.1 ms apart: a rest of 5 ms in an impact count merges them.",
        "Proportional damping in contact (the modes of the beam with the stop closed, 2 % each) is another problem.",
    ),
    held={"N": "a number of modes"},
    figures=FIGURES,
    beam=drawn,
)

test_beam_stop = verifies(CASE)
