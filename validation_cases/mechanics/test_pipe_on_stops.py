"""Pipe of N modes on S stops under the motion of its supports: a case that grows with a truth that does not."""

from functools import partial
from typing import Any

import mpmath
import numpy as np
import sympy

from veridyn.problem.elements import Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic
from veridyn.references.certified import per_precision
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.requirements import Requirement, restrict
from veridyn.references.second_routes import waves
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.impacts import Impact
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Observation,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import Tolerance
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import impacts
from veridyn.validation_cases.measures.consistency import energy, residual, stop_forces, velocities
from veridyn.validation_cases.measures.motions import Quantities, where_known

PER_BAY = 10  # modes per stop
MOVING = range(1, PER_BAY, 2)  # modes of a bay that move: those in step with the stops
PARAMETERS = (
    Parameter("S", "1", "number of stops; there are ten modes for each", "1", "whole"),
    Parameter("M", "kg", "mass of a bay", "1", "positive"),
    Parameter("w1", "rad/s", "circular frequency of a bay between hinges", "20", "positive"),
    Parameter("xi", "1", "damping ratio of every mode", "0.02", "non-negative"),
    Parameter("kc", "N/m", "stiffness of a stop", "1e4", "positive"),
    Parameter("g", "m", "gap", "5e-3", "positive"),
    Parameter("a0", "m/s^2", "acceleration of the supports", "4", "positive"),
    Parameter("W", "rad/s", "circular frequency of the supports", "15", "positive"),
)
NAMED = tuple(p.name for p in PARAMETERS[1:])
REQUIRED = (Requirement("S <= 1000", "pipes have a thousand stops at most"),)
END = 0.5  # s
INSTANTS = ("0.2", "0.35", "0.5")
SPACING = 2.5e-4  # s, of the output
KINK = 2.0  # regularity: the force of a stop has a kink
HOW = "sums of exponentials from event to event, roots proved by bounds of the curvature"
MIDDLE = " + ".join(f"{'-' if k % 4 == 3 else ''}x{k}" for k in MOVING).replace("+ -", "- ")  # of a single bay
PUSH = "push_stop1"


# ---- the pipe, for solvers and, with a single bay, for its proof


def state(values: Values) -> MechanicalProblem:
    """Return the pipe of S bays by its modes; the coordinates are their amplitudes in the middle of a wave."""
    M, w1, xi, kc, g, a0, W = numbers(values, *NAMED)
    S = round(float(values["S"]))
    n = np.arange(1, PER_BAY * S + 1)
    angle = n * (2 * np.arange(1, S + 1)[:, None] - 1) % (4 * S)  # of π/(2S): modes in the middle of bays
    seen = np.where(angle % (2 * S) == 0, 0.0, np.sin(np.pi * angle / (2 * S)))
    seen[1::2] *= -1  # neighbours swing against each other, and their stops lie on either side
    return MechanicalProblem(
        name="pipe_on_stops",
        modes=Modes(
            omega=np.array([w1 * k**2 / S**2 for k in n.tolist()]),
            damping=np.array([xi for _ in n]),
            masses=np.array([M * S / 2 for _ in n]),
            shapes=np.eye(n.size),
        ),
        end=END,
        supports=(SupportMotion.from_acceleration("ground", np.where(n == S, 1.0, 0.0), Harmonic(a0, W)),),
        stops=tuple(Stop(f"stop{j + 1}", row, g, kc) for j, row in enumerate(seen)),
    )


def outputs(_: Values) -> Floats:
    """Return the instants (s) of the requested output."""
    return np.linspace(0.0, END, round(END / SPACING) + 1)


# What is proved of a single bay is true of every bay of a longer pipe. Start and drive are alike in all bays. Forces
# that are alike drive the modes S, 3 S, 5 S … alone, as the odd modes of a bay of length 1: these keep the bays alike.
MOTION = make_quantities(
    lambda values: state({**values, "S": sympy.Integer(1)}), PARAMETERS, record=restrict(*REQUIRED)
)


# ---- the bay again: sums of exponentials from event to event


def _row(p: Any) -> waves.Matrix:
    """Return the gap of the middle as a function of the states."""
    signs = [mpmath.mpf(1 if k % 4 == 3 else -1) for k in MOVING]
    return mpmath.matrix([[*signs, *[mpmath.mpf(0)] * (len(MOVING) + 2), p.g]])


def _matrix(p: Any, closed: bool) -> waves.Matrix:
    """Return the matrix of displacements, velocities, sine and cosine of the supports, and one."""
    n, gap = len(MOVING), _row(p)
    matrix = mpmath.zeros(2 * n + 3)
    for i, k in enumerate(MOVING):
        matrix[i, n + i] = 1
        for j in range(2 * n + 3) if closed else ():
            matrix[n + i, j] = -2 * p.kc / p.M * gap[i] * gap[j]
        matrix[n + i, i] -= k**4 * p.w1**2
        matrix[n + i, n + i] -= 2 * p.xi * k**2 * p.w1
    matrix[n, 2 * n] = -p.a0
    matrix[2 * n, 2 * n + 1], matrix[2 * n + 1, 2 * n] = p.W, -p.W
    return matrix


@per_precision
def phases(p: Any) -> tuple[waves.WavePhase, ...]:
    """Return flights and contacts of a bay up to the end."""
    start = [mpmath.mpf(x) for x in (*[0] * (2 * len(MOVING)), 0, 1, 1)]
    return waves.alternating(partial(_matrix, p), _row(p), start, mpmath.mpf(END))


def _middle(p: Any, time: str) -> Any:
    phase, lapse = waves.holding(phases(p), mpmath.mpf(time))
    return p.g - phase.gap(lapse)


# ---- what is measured


def _group(o: Observation, number: int) -> list[Impact]:
    """Return the contacts of all stops that happen together, counted from 1."""
    result, each = impacts.impacts(o), len(o.problem.stops)
    if len(result) < each * number:
        raise SolverFailure(f"{each} stops show {len(result)} complete contacts, {each * number} are needed")
    return result[each * (number - 1) : each * number]


def _mean(o: Observation, field: str, number: int) -> float:
    return float(np.mean([getattr(contact, field) for contact in _group(o, number)]))


def _middles(o: Observation, time: float) -> Floats:
    """Return the displacements of the middles of all bays towards their stops (S,) in m."""
    normals = np.array([stop.normal for stop in o.problem.stops])
    amplitudes = [value_at(o.response.time, column, time) for column in o.response.displacement.T]
    return np.asarray(normals @ amplitudes)


def _unlike(o: Observation) -> float:
    """Return the largest difference of the middles of two bays at the end, in gaps."""
    last = o.response.displacement[-1] @ np.array([stop.normal for stop in o.problem.stops]).T
    return float(np.ptp(last)) / o["g"]


# ---- what is asked


times = Quantities(MOTION, 1e-3, "this suite asks 1e-3 of the span", HOW, KINK)
places = Quantities(MOTION, 1e-2, "this suite asks 1e-2 of the gap", HOW, KINK)
forces = Quantities(MOTION, 1e-2, "this suite asks 1e-2", HOW, KINK)
ALIKE = Tolerance(1e-6, "absolute", "the bays are alike but for rounding")


def _contact(number: int) -> tuple[Quantity, ...]:
    """Return instants and largest force of a contact of all stops."""
    touches, opens = ("stop1_closes", number), ("stop1_opens", number)
    touch = MOTION.event(*touches, second=lambda p: phases(p)[2 * number - 1].start, how=HOW)
    release = MOTION.event(*opens, second=lambda p: phases(p)[2 * number - 1].end, how=HOW)
    peak = MOTION.largest(PUSH, touches, opens, second=lambda p: p.kc * phases(p)[2 * number - 1].deepest(), how=HOW)
    start, end, push = (  # of complete contacts
        partial(where_known, partial(_mean, field=field, number=number), release)
        for field in ("start", "end", "peak_force")
    )
    touched, left = f"all stops are touched, {number} (mean)", f"all stops are left, {number} (mean)"
    pushed = f"largest force of a stop in contact {number} (mean)"
    return (
        times.quantity(f"touch_{number}", "s", touched, touch, start, scale=str(END)),
        times.quantity(f"release_{number}", "s", left, release, end, scale=str(END)),
        forces.quantity(f"peak_force_{number}", "N", pushed, peak, push),
    )


def _place(time: str) -> Quantity:
    truth = MOTION.value(MIDDLE, time, second=partial(_middle, time=time), how=HOW)
    words = f"displacement of the middle of a bay towards its stop at {time} s (mean)"
    return places.quantity(
        f"middle@{time}", "m", words, truth, lambda o: float(_middles(o, float(time)).mean()), scale="g"
    )


CASE = Case(
    name="pipe_on_stops",
    title="Pipe of N modes on S stops",
    document="this suite",
    topics=("impact", "many modes", "seismic"),
    summary="A pipe of S bays with ten modes and one stop for each, shaken: the truth is that of one bay for any S, so "
    "that 10 modes on one stop and 1000 modes on 100 stops have the same proved answer.",
    statement=(
        "A pipe of length S, hinged at its ends, by its first N = 10 S modes: w_n = w_1 (n/S)², shapes sin(n π x/S). "
        "In the middle of each bay of length 1 stands an elastic stop at the gap g, on one side and the other by "
        "turns.",
        "The ground swings as a standing wave, a0 sin(π x) sin(W t): neighbouring bays move against each other. In the "
        "relative frame only mode S is driven.",
        "All stops are then touched at the same instants. Their forces drive the modes S, 3 S, 5 S, 7 S and 9 S and no "
        "other, since Σ_j (-1)^j sin(n π (2 j - 1)/(2 S)) vanishes for all else: every bay moves as a single one of "
        "mass M with five modes. The solver is told nothing of it, and has N modes and S stops to deal with.",
    ),
    shown=ShownMotion(curves=("q_1", "v_q_1")),
    sketch=draw.sketch(
        draw.box((4, 0), 8, 0.24),
        draw.pivot((0, -0.12)),
        draw.pivot((8, -0.12)),
        *(draw.spring((1 + 2 * i, (-1) ** i * -1.6), (1 + 2 * i, (-1) ** i * -0.45), "") for i in range(4)),
        *(draw.edge((0.7 + 2 * i, (-1) ** i * -0.45), (1.3 + 2 * i, (-1) ** i * -0.45)) for i in range(4)),
        draw.ground((0.5, -1.6), (1.5, -1.6)),
        draw.ground((4.5, -1.6), (5.5, -1.6)),
        draw.ground((3.5, 1.6), (2.5, 1.6)),
        draw.ground((7.5, 1.6), (6.5, 1.6)),
        draw.wave((0, 0), (8, 0), -0.4, 2),
        draw.words((2.2, -1.1), "k_c, gap g"),
        draw.span((0, -2.2), (2, -2.2), ""),
        draw.words((1.0, -2.5), "a bay"),
        draw.arrow((8.6, -0.4), (8.6, 0.4), ""),
        draw.words((9.3, 0), "ground"),
    ),
    equations=(
        "M S/2 (q_n'' + 2 xi w_n q_n' + w_n^2 q_n) = Σ_{j=1}^S phi_n(x_j) F_j - M S/2 a_0 sin(W t) delta_{n S}",
        "phi_n(x_j) = sin(n pi (2 j - 1)/(2 S)), w_n = w_1 (n/S)^2",
        "F_j = (-1)^j k_c max(0, (-1)^{j-1} w(x_j) - g), w(x) = Σ_{n=1}^N q_n phi_n(x)",
        "bay: q_k'' + 2 xi k^2 w_1 q_k' + k^4 w_1^2 q_k = 2/M (-1)^{(k-1)/2} F - a_0 sin(W t) delta_{k 1}, k odd",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    shared=(
        "One bay stands for a pipe of several: start, drive and stops are alike in all bays, and forces that are alike "
        "drive only modes that keep them so.",
    ),
    variants=(Variant("1-stop", {}), Variant("2-stops", {"S": "2"})),
    quantities=(*_contact(1), *_contact(2), *map(_place, INSTANTS)),
    residuals=(
        energy("of the strain energy at the gap", lambda o: o["S"] * o["M"] * (o["w1"] * o["g"]) ** 2 / 4),
        residual("unlike_bays", "of the gap", "largest difference of two bays at the end", _unlike, ALIKE),
        stop_forces(),
        velocities(),
    ),
    problem=Watched(state, outputs),
    modelling=(
        "Coordinates are the modal amplitudes: a basis of N shapes of which each is one of them.",
        "Larger pipes are asked for: veridyn run pipe_on_stops --set S=10, or S=100, with 100 and 1000 modes.",
        "Contact instants are roots of the gap between samples, forces come from a spline of the penetration; means "
        "over all stops are compared.",
    ),
    remarks=(
        "What is proved for 1000 modes on 100 stops is the motion in which all bays are alike. The other 995 modes "
        "stay at rest in truth; what rounding puts into them is seen in unlike_bays.",
        "A stop that is left out, or stands on the wrong side, moves all modes: no bay is like another.",
    ),
    held={"S": "a number of stops"},
)

test_pipe_on_stops = verifies(CASE)
