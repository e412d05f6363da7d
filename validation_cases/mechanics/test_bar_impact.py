"""Elastic bar that strikes a rigid wall: a chain of masses with its own truth, beside that of the continuum."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import mpmath
import numpy as np
import sympy

from veridyn.problem.elements import Stop
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import Exactly
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.reference import Reference
from veridyn.references.requirements import Requirement, restrict
from veridyn.references.second_routes import bar_modes
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
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import impacts, plotting
from veridyn.validation_cases.measures.consistency import energy, positions, rates, stop_forces, velocities
from veridyn.validation_cases.measures.quantities import always, outputs, share_of, size

PARAMETERS = (
    Parameter("N", "1", "number of masses", "4", "whole"),
    Parameter("E", "Pa", "Young's modulus", "900", "positive"),
    Parameter("rho", "kg/m^3", "density", "1", "positive"),
    Parameter("A", "m^2", "area of the section", "1", "positive"),
    Parameter("L", "m", "length of the bar", "10", "positive"),
    Parameter("v0", "m/s", "velocity of the bar, towards the wall", "10", "positive"),
    Parameter("h0", "m", "distance of the bar from the wall at the start", "4", "positive"),
)
REQUIRED = (Requirement("N <= 32", "chains are proved up to 32 masses"),)
TIP = "tip"  # coordinate of the last mass
TRANSITS = 3  # of a wave through the bar, after the touch, at which the motion ends
RIGID = "one mass does not vibrate after it has left: it leaves as fast as it came"
MARGIN = 1.01  # end of a run over the last transit: a derivative reads the tip in neighbours, some of which are later
OUTPUT_NUMBER = 0.1  # largest frequency times the spacing of the requested output
KINK = 2.0  # regularity: the force of the wall has a kink


transit = size("L*sqrt(rho/E)")  # L/c (s)


def instant(values: Mapping[str, Any], transits: int) -> Any:
    """Return an instant (s), in transits of a wave after the touch."""
    E, rho, L, v0, h0 = numbers(values, "E", "rho", "L", "v0", "h0")
    return h0 / v0 + transits * L * sqrt(rho / E)


fastest = size("2*N/L*sqrt(E/rho)")  # a bound of the frequencies in contact (rad/s): 2 sqrt(k/m)


def state(values: Values) -> MechanicalProblem:
    """Return the chain before the wall; displacements are those from the start."""
    N, E, rho, A, L, v0, h0 = numbers(values, *(p.name for p in PARAMETERS))
    n, k = round(float(N)), E * A * N / L
    neighbours = np.eye(n, k=1, dtype=int) + np.eye(n, k=-1, dtype=int)
    return MechanicalProblem(
        name="bar_impact",
        mass=rho * A * L / N * np.eye(n, dtype=int),
        stiffness=k * (np.diag(neighbours.sum(axis=0)) - neighbours),
        initial_velocity=np.array([-v0] * n),
        end=instant(values, TRANSITS),
        stops=(Stop("wall", -np.eye(n)[0], gap=h0, stiffness=2 * k),),
        coordinates=(*(f"x{i}" for i in range(1, n)), TIP),
    )


MOTION = make_quantities(state, PARAMETERS, record=restrict(*REQUIRED))


def watch(values: Values) -> Floats:
    """Return the instants (s) of the requested output."""
    instants = [str(instant(values, k)) for k in range(TRANSITS + 1)]
    return outputs(MARGIN * instant(values, TRANSITS), OUTPUT_NUMBER / fastest(values), instants)


problem = Watched(state, watch)


def sparse_problem(values: Values) -> MechanicalProblem:
    """Return the chain with sparse matrices."""
    from scipy import sparse

    dense = problem(values)
    return replace(dense, mass=sparse.csr_array(dense.mass), stiffness=sparse.csr_array(dense.stiffness), damping=None)


# ---- what is true


def impact(name: str, read: Callable[[Any], Any], second: Callable[[Any], Any]) -> Reference[Certified]:
    """Return what a function makes of the impact: touch, release (s), largest force (N) and impulse (N s)."""
    return MOTION.combine(name, read, IMPACT, second=second, how=HOW)


def rebound(p: Any) -> Any:
    """Return the velocity of the centre after the contact (m/s): the impulse has turned the momentum."""
    return p.impulse / (p.rho * p.A * p.L) - p.v0


def of_one(p: Any) -> bool:
    """Whether there is one mass, in balls."""
    return bool(p.N == 1)


def vibration(p: Any) -> Any:
    """Return the share of the energy that stays in the chain as vibration (1): 1 - (V/v0)²."""
    if of_one(p):
        raise Exactly(0, RIGID)
    return 1 - (rebound(p) / p.v0) ** 2


def excess_rebound(p: Any) -> Any:
    """Return the modelling error of the rebound, of v0."""
    if of_one(p):
        raise Exactly(0, RIGID)
    return rebound(p) / p.v0 - 1


def wave_duration(p: Any) -> Any:
    """Return how long the continuum stays on the wall (s): 2L/c."""
    return 2 * p.L * (p.rho / p.E) ** 0.5


def wave_force(p: Any) -> Any:
    """Return the force of the continuum on the wall (N): ρcAv0."""
    return p.A * p.v0 * (p.rho * p.E) ** 0.5


def excess_duration(p: Any) -> Any:
    """Return the modelling error of the duration, of 2L/c."""
    return (p.release - p.touch) / wave_duration(p) - 1


def excess_peak(p: Any) -> Any:
    """Return the modelling error of the largest force, of ρcAv0."""
    return p.peak / wave_force(p) - 1


HOW = "sums over the closed modes of the chain, roots proved by bounds of the curvature"
CONTACT = ("wall_closes", 1), ("wall_opens", 1)
TOUCHED = MOTION.event(*CONTACT[0], second=lambda p: p.h0 / p.v0, how="distance over velocity")
RELEASED = MOTION.event(*CONTACT[1], second=lambda p: p.h0 / p.v0 + bar_modes.duration(p), how=HOW)
PEAK = MOTION.largest("push_wall", *CONTACT, second=bar_modes.peak, how=HOW)
IMPULSE = MOTION.integral("push_wall", *CONTACT, second=bar_modes.impulse, how=HOW)
IMPACT = {"touch": TOUCHED, "release": RELEASED, "peak": PEAK, "impulse": IMPULSE}
LASTS = impact("duration", lambda p: p.release - p.touch, bar_modes.duration)
MEAN = impact(
    "mean force", lambda p: p.impulse / (p.release - p.touch), lambda p: bar_modes.impulse(p) / bar_modes.duration(p)
)
REBOUND = impact("rebound", rebound, bar_modes.rebound)
VIBRATION = impact("vibration", vibration, bar_modes.vibration)
EXCESS_DURATION = impact(
    "excess duration", excess_duration, lambda p: bar_modes.duration(p) / (2 * bar_modes.transit(p)) - 1
)
EXCESS_PEAK = impact("excess peak", excess_peak, lambda p: bar_modes.peak(p) / wave_force(p) - 1)
EXCESS_REBOUND = impact("excess rebound", excess_rebound, lambda p: bar_modes.rebound(p) / p.v0 - 1)
WAVE_DURATION = MOTION.closed(wave_duration, second=lambda p: 2 * bar_modes.transit(p), how="d'Alembert in mpmath")
WAVE_FORCE = MOTION.closed(
    wave_force, second=lambda p: p.A * p.v0 * mpmath.sqrt(p.rho * p.E), how="d'Alembert in mpmath"
)


def tip(transits: int) -> Reference[Certified]:
    """Return the displacement of the last mass (m), so many transits of a wave after the touch."""
    at = instant({p.name: sympy.Symbol(p.name) for p in PARAMETERS}, transits)
    return MOTION.value(TIP, at, second=partial(bar_modes.tip, transits=transits), how=HOW)


# ---- what is measured


def _mean_force(o: Observation) -> float:
    contact = impacts.impact(o, 1)
    return contact.impulse / contact.duration


def _rebound(o: Observation) -> float:
    return float(o.response.velocity[-1].mean())


def _tip(o: Observation, number: int) -> float:
    return value_at(o.response.time, o.response.displacement[:, -1], instant(o.values, number))


def _vibration(o: Observation) -> float:
    return 1 - (_rebound(o) / o["v0"]) ** 2


_way = size("h0 + v0*L*sqrt(rho/E)")


_span = partial(instant, transits=TRANSITS)
TIMES = share_of(_span, 1e-3, "this suite asks 1e-3 of the span")
PLACES = share_of(_way, 1e-3, "this suite asks 1e-3 of the way to the wall and of the strain v0/c of the length")
FORCES = cited("this suite asks 1e-2", 1e-2)
SHARES = cited("this suite asks 1e-2 of one", 1e-2, kind="absolute")


start, end, duration, peak, impulse = (
    partial(impacts.part, number=1, field=field) for field in ("start", "end", "duration", "peak_force", "impulse")
)


def _tip_after(number: int) -> Quantity:
    """Return the displacement of the last mass so many L/c after the touch."""
    definition = f"displacement of the last mass {number} L/c after the touch"
    truth, measure = tip(number), partial(_tip, number=number)
    return Quantity(f"tip_{number}", "m", definition, truth, measure, PLACES, _way, KINK)


def _excess(name: str, what: str, reference: Reference[Certified]) -> Quantity:
    """Return by how much the chain exceeds the continuum, which no response holds."""
    return Quantity(name, "1", f"modelling error of the {what}, less one", reference, None, SHARES, always(1.0))


LEAVES = "instant at which the chain leaves the wall"
CENTRE = "velocity of the centre after the contact"
STAYS = "share of the energy that stays as vibration"
MEASURED = (
    Quantity("touch", "s", "instant of the touch", TOUCHED, start, TIMES, _span, KINK),
    Quantity("release", "s", LEAVES, RELEASED, end, TIMES, _span, KINK),
    Quantity("duration", "s", "duration of the contact", LASTS, duration, TIMES, _span, KINK),
    Quantity("peak_force", "N", "largest force of the wall", PEAK, peak, FORCES, regularity=KINK),
    Quantity("impulse", "N s", "impulse of the wall", IMPULSE, impulse, FORCES, regularity=KINK),
    Quantity("mean_force", "N", "impulse over duration", MEAN, _mean_force, FORCES, regularity=KINK),
    Quantity("rebound", "m/s", CENTRE, REBOUND, _rebound, FORCES, regularity=KINK),
    Quantity("vibration", "1", STAYS, VIBRATION, _vibration, SHARES, always(1.0), KINK),
    *map(_tip_after, range(1, TRANSITS + 1)),
)
WAVE, PRESSES = "duration of the contact of the continuum, 2L/c", "force of the continuum on the wall, ρ c A v0"
STATED = (
    Quantity("wave_duration", "s", WAVE, WAVE_DURATION, None, FORCES),
    Quantity("wave_force", "N", PRESSES, WAVE_FORCE, None, FORCES),
    _excess("excess_duration", "duration: that of the chain over 2L/c", EXCESS_DURATION),
    _excess("excess_peak", "largest force: that of the chain over ρcAv0", EXCESS_PEAK),
    _excess("excess_rebound", "rebound: that of the chain over v0", EXCESS_REBOUND),
)
HISTORY = MOTION.history(tip=TIP)


def _free_end(o: Observation) -> Floats:
    return np.asarray(o.response.displacement[:, -1])


CASE = Case(
    name="bar_impact",
    title="Elastic bar that strikes a wall",
    document="Timoshenko and Goodier 1970",
    topics=("impact", "many modes"),
    summary="An elastic bar flies at a rigid wall and leaves it after its wave has come back; judged is the chain of N "
    "masses with its own proved truth, so that the error of the model is told from that of the solver.",
    statement=(
        "A bar of length L, unstrained, flies with v0 at a rigid wall at the distance h0. It is cut into N cells with "
        "a mass in the middle of each; the half cell before the first mass touches the wall and is a spring that "
        "pushes only.",
        "The wave of d'Alembert runs to the free end and back: the continuum stays for 2 L/c on the wall, pushes with "
        "ρ c A v0 and leaves with v0, without any vibration.",
        "A chain of N masses is another system. Its modes on the wall and off it are known in closed form; it leaves "
        "when the force of the half cell first vanishes, later than 2 L/c, and takes vibration along.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 0.7), (0, -0.7)),
        draw.span((0, -0.8), (0.9, -0.8), ""),
        draw.words((0.45, -1.1), "h0"),
        draw.edge((0.9, -0.3), (0.9, 0.3)),
        draw.spring((0.9, 0), (1.8, 0), "", 5),
        *(draw.box((2.15 + 1.9 * i, 0), 0.7, 0.7, n) for i, n in enumerate(("1", "2", "…", "N"))),
        *(draw.spring((2.5 + 1.9 * i, 0), (3.7 + 1.9 * i, 0), "", 6) for i in range(3)),
        draw.line((8.2, 0), (8.6, 0)),
        draw.arrow((5.6, 0.8), (4.6, 0.8), ""),
        draw.words((5.1, 1.1), "v0"),
        draw.span((0.9, -1.4), (8.6, -1.4), ""),
        draw.words((4.7, -1.7), "L"),
    ),
    shown=ShownMotion(curves=("x1", "tip")),
    equations=(
        "m u_i'' = k (u_{i-1} - 2 u_i + u_{i+1}), m = rho A L/N, k = E A N/L, 1 < i < N",
        "m u_1'' = k (u_2 - u_1) + R, R = 2 k max(0, -h_0 - u_1), m u_N'' = k (u_{N-1} - u_N)",
        "u_i(0) = 0, u_i'(0) = -v_0",
        "contact: w_j = 2 sqrt(k/m) sin(theta_j/2), theta_j = (2 j - 1) pi/(2 N), phi_j(i) = sin(theta_j (i - 1/2))",
        "flight: w_j = 2 sqrt(k/m) sin(theta_j/2), theta_j = j pi/N, phi_j(i) = cos(theta_j (i - 1/2))",
        "R = 2 k v_0 Σ_{j=1}^N sin(w_j tau)/(N w_j), tau = t - h_0/v_0",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    variants=(
        Variant("4-masses", {}),
        Variant("1-mass", {"N": "1"}),
        Variant("8-masses", {"N": "8"}),
        Variant("sparse", {}, frozenset({"release", "peak_force", "tip_3", "energy"}), sparse_problem),
    ),
    quantities=(*MEASURED, *STATED),
    residuals=(
        energy("of the energy at the start", lambda o: o["rho"] * o["A"] * o["L"] * o["v0"] ** 2 / 2),
        stop_forces(),
        velocities(),
        positions(),
        rates(),
    ),
    problem=problem,
    modelling=(
        "Matrices of the chain, in one variant sparse ones, which are integrated without modes; the wall is a stop of "
        "the stiffness 2EAN/L of half a cell, which belongs to the chain: no penalty is chosen.",
        "Values of the continuum and modelling errors are references that no solver of the chain is judged by.",
        "Contact instants are roots of the gap between samples, forces and impulses come from a spline of the "
        "penetration.",
    ),
    sources=(
        "S. P. Timoshenko, J. N. Goodier: Theory of Elasticity. McGraw-Hill (1970), longitudinal impact of bars.",
        "D. Doyen, A. Ern, S. Piperno: Time-integration schemes for the finite element dynamic Signorini problem. SIAM "
        "J. Sci. Comput. 33 (2011), 223-249. https://doi.org/10.1137/100791440",
    ),
    remarks=(
        "The force overshoots: from three masses on its largest value is 1.470 ρcAv0, however many there are. What a "
        "finer model of the bar does not cure is no error of a solver.",
        "The chain stays too long on the wall, by 11 % with one mass, 4.9 % with four, 2.6 % with 16 and 1.3 % with "
        "32, and is too slow afterwards: by 7.0, 4.1 and 2.6 % with 4, 16 and 32 masses. One mass leaves with v0.",
        "A whole cell before the wall instead of a half one (k for 2k) is another model: with four masses it stays "
        "78 ms longer.",
    ),
    held={"N": "a number of masses"},
    figures=(
        plotting.history(
            "tip",
            "The free end",
            "It turns when the wave arrives, L/c after the touch.",
            plotting.HistoryCurve("displacement (m)", _free_end, plotting.true(HISTORY, "tip")),
            window=lambda values: (0.0, float(instant(values, TRANSITS))),
        ),
        plotting.convergence(
            "release", "what is left is the error of the solver alone: the model is that of the truth"
        ),
    ),
)

test_bar_impact = verifies(CASE)
