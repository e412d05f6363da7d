"""Elastic bar that strikes a rigid wall: a chain of masses with its own truth, beside that of the continuum."""

from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.problem.elements import Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.certified import Certified
from veridyn.references.problems import bar_impact
from veridyn.references.reference import Reference
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Values, Variant, floats
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures import impacts, plotting
from veridyn.validation_cases.measures.consistency import energy, positions, rates, stop_forces, velocities
from veridyn.validation_cases.measures.quantities import always, outputs, share_of, size

OUTPUT_NUMBER = 0.1  # largest frequency times the spacing of the requested output
KINK = 2.0  # regularity: the force of the wall has a kink


transit = size("L*sqrt(rho/E)")  # L/c (s)


def instant(values: Values, transits: int) -> float:
    """Return an instant (s), in transits of a wave after the touch."""
    v0, h0 = floats(values, "v0", "h0")
    return h0 / v0 + transits * transit(values)


fastest = size("2*N/L*sqrt(E/rho)")  # a bound of the frequencies in contact (rad/s): 2 sqrt(k/m)


def problem(values: Values) -> MechanicalProblem:
    """Return the chain before the wall; displacements are those from the start."""
    E, rho, A, L, v0, h0 = floats(values, "E", "rho", "A", "L", "v0", "h0")
    n = int(float(values["N"]))
    neighbours = np.eye(n, k=1) + np.eye(n, k=-1)
    end, instants = instant(values, bar_impact.TRANSITS), [instant(values, k) for k in range(bar_impact.TRANSITS)]
    return MechanicalProblem(
        name="bar_impact",
        mass=rho * A * L / n * np.eye(n),
        stiffness=E * A * n / L * (np.diag(neighbours.sum(axis=0)) - neighbours),
        initial_velocity=np.full(n, -v0),
        end=end,
        output_times=outputs(end, OUTPUT_NUMBER / fastest(values), map(str, instants)),
        stops=(Stop("wall", -np.eye(n)[0], gap=h0, stiffness=2 * E * A * n / L),),
    )


def sparse_problem(values: Values) -> MechanicalProblem:
    """Return the chain with sparse matrices."""
    from scipy import sparse

    dense = problem(values)
    return replace(dense, mass=sparse.csr_array(dense.mass), stiffness=sparse.csr_array(dense.stiffness), damping=None)


# ---- what is measured


def _mean_force(o: Observation) -> float:
    contact = impacts.impact(o, 1)
    return contact.impulse / contact.duration


def _rebound(o: Observation) -> float:
    return float(o.response.velocity[-1].mean())


def _tip(o: Observation, number: int) -> float:
    time = min(instant(o.values, number), o.response.time[-1])
    return value_at(o.response.time, o.response.displacement[:, -1], time)


def _vibration(o: Observation) -> float:
    return 1 - (_rebound(o) / o["v0"]) ** 2


_way = size("h0 + v0*L*sqrt(rho/E)")


_span = partial(instant, transits=bar_impact.TRANSITS)
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
    truth, measure = bar_impact.tip.at(number=number), partial(_tip, number=number)
    return Quantity(f"tip_{number}", "m", definition, truth, measure, PLACES, _way, KINK)


def _excess(name: str, what: str, reference: Reference[Certified]) -> Quantity:
    """Return by how much the chain exceeds the continuum, which no response holds."""
    return Quantity(name, "1", f"modelling error of the {what}, less one", reference, None, SHARES, always(1.0))


LEAVES = "instant at which the chain leaves the wall"
CENTRE = "velocity of the centre after the contact"
STAYS = "share of the energy that stays as vibration"
MEASURED = (
    Quantity("touch", "s", "instant of the touch", bar_impact.touch, start, TIMES, _span, KINK),
    Quantity("release", "s", LEAVES, bar_impact.release, end, TIMES, _span, KINK),
    Quantity("duration", "s", "duration of the contact", bar_impact.duration, duration, TIMES, _span, KINK),
    Quantity("peak_force", "N", "largest force of the wall", bar_impact.peak_force, peak, FORCES, regularity=KINK),
    Quantity("impulse", "N s", "impulse of the wall", bar_impact.impulse, impulse, FORCES, regularity=KINK),
    Quantity("mean_force", "N", "impulse over duration", bar_impact.mean_force, _mean_force, FORCES, regularity=KINK),
    Quantity("rebound", "m/s", CENTRE, bar_impact.rebound, _rebound, FORCES, regularity=KINK),
    Quantity("vibration", "1", STAYS, bar_impact.vibration, _vibration, SHARES, always(1.0), KINK),
    *map(_tip_after, range(1, bar_impact.TRANSITS + 1)),
)
LASTS, PRESSES = "duration of the contact of the continuum, 2L/c", "force of the continuum on the wall, ρcAv0"
STATED = (
    Quantity("wave_duration", "s", LASTS, bar_impact.wave_duration, None, FORCES),
    Quantity("wave_force", "N", PRESSES, bar_impact.wave_force, None, FORCES),
    _excess("excess_duration", "duration: that of the chain over 2L/c", bar_impact.excess_duration),
    _excess("excess_peak", "largest force: that of the chain over ρcAv0", bar_impact.excess_peak),
    _excess("excess_rebound", "rebound: that of the chain over v0", bar_impact.excess_rebound),
)


def _places(mass: int) -> plotting.HistoryCurve:
    return plotting.HistoryCurve(
        "displacement (m)",
        lambda o: np.asarray(o.response.displacement[:, mass]),
        plotting.true(bar_impact.motion, "tip" if mass else "end"),
    )


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
        "The wave of d'Alembert runs to the free end and back: the continuum stays for 2L/c on the wall, pushes with "
        "ρcAv0 and leaves with v0, without any vibration.",
        "A chain of N masses is another system. Its modes on the wall and off it are known in closed form; it leaves "
        "when the force of the half cell first vanishes, later than 2L/c, and takes vibration along.",
    ),
    equations=(
        "m u_i'' = k (u_{i-1} - 2 u_i + u_{i+1}), m = rho A L/N, k = E A N/L, 1 < i < N",
        "m u_1'' = k (u_2 - u_1) + R, R = 2 k max(0, -h_0 - u_1), m u_N'' = k (u_{N-1} - u_N)",
        "u_i(0) = 0, u_i'(0) = -v_0",
        "contact: w_j = 2 sqrt(k/m) sin(theta_j/2), theta_j = (2 j - 1) pi/(2 N), phi_j(i) = sin(theta_j (i - 1/2))",
        "flight: w_j = 2 sqrt(k/m) sin(theta_j/2), theta_j = j pi/N, phi_j(i) = cos(theta_j (i - 1/2))",
        "R = 2 k v_0 Σ_{j=1}^N sin(w_j tau)/(N w_j), tau = t - h_0/v_0",
    ),
    parameters=bar_impact.PARAMETERS,
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
        plotting.history("tip", "The free end", "It turns when the wave arrives, L/c after the touch.", _places(-1)),
        plotting.convergence(
            "release", "what is left is the error of the solver alone: the model is that of the truth"
        ),
    ),
)

test_bar_impact = verifies(CASE)
