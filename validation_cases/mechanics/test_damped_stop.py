"""A mass that bounces off a stop with a dashpot: restitution from the law of the stop."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from veridyn.problem.basis import driven_displacement
from veridyn.problem.elements import Load, Stop, SupportMotion
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import polynomial
from veridyn.references.certified import exact_count
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.reference import state
from veridyn.references.second_routes.contact_cycle import find_cycle
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import crossings, lagrange
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Observation,
    Quantity,
    Values,
    Variant,
    numbers,
    read_once,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited, exactly
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import plotting
from veridyn.validation_cases.measures.consistency import positions, rates, residual, velocities
from veridyn.validation_cases.measures.contact_cycles import Contacts
from veridyn.validation_cases.measures.curves import top
from veridyn.validation_cases.measures.impacts import contact_frequency
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass", "100"),
    Parameter("k", "N/m", "stiffness of the spring", "1e4"),
    Parameter("kc", "N/m", "stiffness of the stop", "2.4e5"),
    Parameter("cc", "N s/m", "damping of the stop", "1000", "non-negative"),
    Parameter("v0", "m/s", "launch velocity, towards the stop", "1"),
)
STOP = "stop"
LAST = 6  # samples from which the end of the force is extrapolated
OUTPUT_NUMBER = 0.01  # w_c times the spacing of the requested output
CONTACTS = 5
CYCLES = CONTACTS - 0.1  # that many contacts and the flight after the last of them
JUMPS = 1.0  # regularity: the force of the stop jumps at every touch

ASTER = cited("1e-3, Code_Aster's tolerance for impacts (test SDND101A)", 1e-3)


def five_cycles(values: Values) -> Any:
    """Return an instant (s) by which five cycles are over: the stop shortens the turns 2 pi sqrt(m/k) of the spring."""
    m, k = numbers(values, "m", "k")
    return 7 * CONTACTS * sqrt(m / k)


def state_still(values: Values) -> MechanicalProblem:
    """Return the problem until five cycles are over."""
    m, k, kc, cc, v0 = numbers(values, "m", "k", "kc", "cc", "v0")
    return MechanicalProblem(
        name="damped_stop",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_velocity=np.array([v0]),
        end=five_cycles(values),
        stops=(Stop(STOP, np.ones(1), gap=0.0, stiffness=kc, damping=cc),),
        coordinates=("x",),
    )


def state_passing(values: Values) -> MechanicalProblem:
    """Return the problem as it is seen from a support that passes at v0/4.

    The foot of the spring stands still: a load adds what the spring has from the way of the support.
    """
    k, v0 = numbers(values, "k", "v0")
    moved, moves, pulls = (polynomial(*row) for row in ((0.0, v0 / 4), (v0 / 4,), (0.0,)))
    still = state_still({**values, "v0": v0 * 3 / 4})
    return replace(
        still,
        loads=(Load(np.ones(1), polynomial(0.0, -k * v0 / 4)),),
        supports=(SupportMotion("ground", np.ones(1), pulls, moves, moved),),
        stops=tuple(replace(stop, frame="absolute") for stop in still.stops),
    )


MOTION = make_quantities(state_still, PARAMETERS)
RELEASE = f"{STOP}_parts or {STOP}_opens"  # without a dashpot the stop pushes as long as it is pressed
BOUNCES = Contacts(MOTION, lambda p: find_cycle(p.m, p.k, p.kc, p.cc, p.v0), RELEASE)


def outputs(values: Values) -> Floats:
    """Return the instants (s) of the requested output, over the first five contacts."""
    end = CYCLES * float(BOUNCES.touch(2).compute(values, 20))
    spacing = OUTPUT_NUMBER / contact_frequency(values)
    return evenly(end, end / spacing)


@read_once
def _place(o: Observation) -> Floats:
    """Return the absolute displacement (m,)."""
    return np.asarray((o.response.displacement + driven_displacement(o.problem, o.response.time))[:, 0])


@read_once
def _crossings(o: Observation) -> list[tuple[float, int]]:
    return crossings(o.response.time, _place(o))


def passages(o: Observation, side: int) -> list[float]:
    """Return the instants (s) at which the mass passes the place of the stop, towards it (1) or away (-1)."""
    return [t for t, direction in _crossings(o) if direction == side]


def _passage(o: Observation, number: int, side: int) -> float:
    """Return a passage, counted from 1: touch or opening of a contact (s)."""
    result = passages(o, side)
    if len(result) < number:
        raise SolverFailure(f"the response shows {len(result)} passages, {number} are needed")
    return result[number - 1]


def contacts(o: Observation) -> float:
    """Count the contacts."""
    return float(len(passages(o, 1)))


touch, opening = partial(_passage, side=1), partial(_passage, side=-1)


def rebound(o: Observation, number: int) -> float:
    """Return the largest distance from the stop after a contact, between the samples (m)."""
    flying = o.response.time > opening(o, number)
    if len(passages(o, 1)) > number:
        flying &= o.response.time < touch(o, number + 1)
    return top(o.response.time[flying], -_place(o)[flying])


def restitution(o: Observation) -> float:
    """Return the last rebound over the one before.

    Raises
    ------
    SolverFailure
        If contacts are missing, or the mass does not rebound.
    """
    before = rebound(o, 4)
    if before <= 0:
        raise SolverFailure("the mass does not rebound from contact 4")
    return rebound(o, 5) / before


def force(o: Observation) -> Floats:
    """Return the reported force of the stop (m,) in N; raises `MissingHistory` if there is none."""
    return element_history(o.response, STOP, "normal_force", of="stop")


def peak_force(o: Observation, number: int) -> float:
    """Return the largest force of a contact, between the samples (N).

    The sample of the touch itself may lie before the place that is read off, by a rounding: the flight before counts.
    """
    time, push = o.response.time, force(o)
    flown = time > opening(o, number - 1) if number > 1 else time >= 0
    touching = flown & (time <= opening(o, number)) & (push > 0)
    return top(time[touching], push[touching])


def force_duration(o: Observation) -> float:
    """Return how long the stop pushes in the first contact (s): the polynomial through its last forces ends there.

    Raises
    ------
    SolverFailure
        If no force falls to zero.
    """
    from scipy.optimize import brentq  # late: listing cases must not wait for it

    pushes, time = force(o), o.response.time
    last = int(np.argmax(pushes[1:] <= 0.0))  # zero too if it never ends, or never begins
    w = slice(max(last - LAST + 1, 0), last + 1)
    end = 2 * time[last] - time[last - 1]
    if last == 0 or lagrange(time[w], pushes[w], end) > 0:
        raise SolverFailure("the response shows no force that falls to zero")
    return float(brentq(lambda t: lagrange(time[w], pushes[w], t), time[last], end, xtol=1e-15) - time[0])


def largest_pull(o: Observation) -> float:
    """Return the largest reported force with which the stop pulls (N)."""
    return float(max(0.0, -force(o).min()))


def _of(name: str, unit: str, definition: str, measure: Any, number: int = 0) -> Quantity:
    """Return a quantity of the motion, or of a contact of that number."""
    find = getattr(BOUNCES, name)
    if not number:
        return Quantity(name, unit, definition, find(), measure, ASTER, regularity=JUMPS)
    truth, seen, words = find(number), partial(measure, number=number), definition.format(number)
    return Quantity(f"{name}_{number}", unit, words, truth, seen, ASTER, regularity=JUMPS)


LEAVES = "instant at which the mass leaves the place of the stop, contact {}"
FURTHEST = "largest distance from the stop after contact {}"
COUNT = state("contacts", partial(exact_count, CONTACTS, "equal cycles before the end of the run"))
RESTITUTION = "speed of a touch over that of the touch before, contact 5"
QUANTITIES = (
    *(_of("touch", "s", "instant at which contact {} begins", touch, n) for n in (2, 5)),
    *(_of("opening", "s", LEAVES, opening, n) for n in (1, 5)),
    *(_of("rebound", "m", FURTHEST, rebound, n) for n in (1, 5)),
    *(_of("peak_force", "N", "largest force of contact {}", peak_force, n) for n in (1, 5)),
    _of("force_duration", "s", "time that the stop pushes in contact 1", force_duration),
    _of("restitution", "1", RESTITUTION, restitution),
    Quantity("contacts", "", "number of contacts", COUNT, contacts, exactly("contacts are counted")),
)

PULL, NEVER = "largest force with which the stop pulls", exactly("the force of a stop is never tensile")
RESIDUALS = (residual("largest_pull", "N", PULL, largest_pull, NEVER), velocities(), positions(), rates())


def _spring(o: Observation, times: Floats) -> plotting.Curves:
    return [plotting.series("k_c x", "limit", times, np.maximum(0.0, o["kc"] * X.truth(o, times)))]


def _first(values: Values) -> tuple[float, float]:
    """Return the window of the first contact (s)."""
    return 0.0, float(BOUNCES.opening().compute(values))


HISTORY = MOTION.history(displacement="x", force="push_stop")
X = plotting.HistoryCurve("displacement (m)", _place, plotting.true(HISTORY, "displacement"))
FIGURES = (
    plotting.history("rebounds", "Five rebounds", "Positive into the stop.", X),
    plotting.history(
        "force",
        "Force of the first contact",
        "k_c x is the spring alone. The force jumps at the touch and ends before the gap opens.",
        plotting.element(HISTORY, STOP, "normal_force"),
        beside=_spring,
        window=_first,
    ),
    plotting.convergence("rebound_5", "a touch inside a step, where the force jumps, leaves order 1"),
)


CASE = Case(
    name="damped_stop",
    title="Mass that bounces off a damped stop",
    document="this suite",
    topics=("impact",),
    summary="An oscillator starts at zero gap towards a stop with spring and dashpot that never pulls: every contact "
    "takes the same share of the speed; instants, rebounds and forces of five contacts.",
    equations=(
        "m x'' + k x = -F,  F = max(0, k_c x + c_c x')  for x > 0, x(0) = 0, x'(0) = v0",
        "beta = c_c/(2m), omega² = (k + k_c)/m, omega_d² = omega² - beta²",
        "t_r = (pi - atan2(c_c omega_d, k_c - c_c beta))/omega_d",
        "e = sqrt(v_r² + omega_0² x_r²)/v",
    ),
    statement=(
        "A mass m on a spring k starts at x = 0 with velocity v0 towards a stop k_c, c_c at gap 0. The force of the "
        "stop jumps to c_c v at the touch, and it never pulls: it ends at t_r, while the stop is still compressed.",
        "In passing it is told from a support that passes at v0/4, while stop and spring stay where they are.",
        "All phases are linear in v: the speed falls by the same e in every contact, and all cycles last alike.",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("light", {}),
        Variant("strong", {"cc": "2500"}),
        Variant("passing", {}, problem=Watched(state_passing, outputs)),
    ),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    problem=Watched(state_still, outputs),
    modelling=(
        "One mode; the stop is the penalty spring with its dashpot itself, so that no modelling error remains.",
        "The force of the stop jumps at every touch, so that methods which step over touches are of order 1.",
        "Instants are roots of the displacement between samples; rebounds and forces are tops of polynomials through "
        "samples.",
    ),
    shared=(
        "Every later cycle is like the first, slower by the same share: mass, spring and stop have no length and no "
        "time of their own, so that a motion times a number is a motion.",
    ),
    remarks=(
        "A stop that may pull until the gap opens holds the mass back: e = exp(-π β/w_d), 0.729 instead of 0.745.",
        "1 % of damping is 0.28 % of the speed after one contact and 1.4 % after five.",
        "A touch that is noticed a step late costs the speed 2 β h, of order 1 in any method; the first contact, which "
        "begins at t = 0, does not have that error.",
        "A dashpot that sees the velocity of λ h before acts as if the mass were lighter by 2 β λ h in contact: an "
        "error of order 1.",
        "The peak of a stop with its dashpot comes before the deepest penetration: a peak force times 1/k_c is none.",
    ),
    figures=FIGURES,
)

test_damped_stop = verifies(CASE)
