"""SDND101 (EDF V5.01.101): a mass-spring system released against an elastic stop."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from veridyn.problem.elements import Stop
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.certified import Certified, exact_count, exact_zero
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.reference import Reference, state
from veridyn.references.second_routes.contact_cycle import find_cycle
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.postprocessing.impacts import Impact
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Measure,
    Observation,
    Published,
    Quantity,
    Values,
    Variant,
    floats,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import curves, impacts, plotting
from veridyn.validation_cases.measures.consistency import energy, positions, rates, residual, stop_forces, velocities
from veridyn.validation_cases.measures.contact_cycles import Contacts
from veridyn.validation_cases.measures.quantities import share_of
from veridyn.validation_cases.measures.trajectories import evenly
from veridyn.validation_cases.mechanics import test_damped_stop as damped_stop

FEW, MANY = 2, 100  # impacts of the short and of the long run
OUTPUT_NUMBER = 0.02  # w_c times the spacing of the requested output, 2e-4 s at the default parameters
CYCLES_SHORT = 1.45  # two impacts: 0.5 s at the default parameters
KINKS = 2.0  # regularity: the slope of the force jumps where the stop is touched and left

ASTER = "tolerance of Code_Aster's test SDND101A"
INSTANTS = cited(ASTER + " for instants and durations", 1e-3)
FORCES = cited(ASTER + " for forces, impulses and velocities", 1e-3)
TWICE = "Code_Aster's tolerance of 1e-3 for forces, twice for energies"
BALANCES = cited(TWICE, 2e-3, kind="absolute")


PARAMETERS = tuple(replace(p, default="1e6") if p.name == "kc" else p for p in damped_stop.PARAMETERS if p.name != "cc")


def all_cycles(values: Values) -> Any:
    """Return an instant (s) by which all impacts are over: the stop shortens the turns 2 pi sqrt(m/k) of the spring."""
    m, k = numbers(values, "m", "k")
    return 7 * (MANY + 1) * sqrt(m / k)


def state_release(values: Values) -> MechanicalProblem:
    """Return the problem until all impacts are over."""
    m, k, kc, v0 = numbers(values, "m", "k", "kc", "v0")
    return MechanicalProblem(
        name="sdnd101",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_velocity=np.array([v0]),
        end=all_cycles(values),
        stops=(Stop("stop", np.ones(1), gap=0.0, stiffness=kc),),
        coordinates=("x",),
    )


def outputs(values: Values, number: int, cycles: float) -> Floats:
    """Return the instants (s) of the requested output, over so many cycles and at least so many impacts.

    A stop that is softer than the spring holds the mass for nearly half a cycle.
    """
    m, k = floats(values, "m", "k")
    wc = impacts.contact_frequency(values)
    contact, cycle = math.pi / wc, math.pi / math.sqrt(k / m) + math.pi / wc
    end = max(cycles * cycle, (number - 1) * cycle + 1.1 * contact)
    return evenly(end, end * wc / OUTPUT_NUMBER)


def watch_cycles(number: int, cycles: float) -> Watched:
    """Return the problem over so many cycles and at least so many impacts."""
    return Watched(state_release, partial(outputs, number=number, cycles=cycles))


MOTION = make_quantities(state_release, PARAMETERS)
BOUNCES = Contacts(MOTION, lambda p: find_cycle(p.m, p.k, p.kc, mpmath.mpf(0), p.v0))
CYCLE, CONTACT = BOUNCES.touch(2), BOUNCES.force_duration()


def _cycle(values: Values) -> tuple[float, float]:
    """Return how long a cycle and its contact last (s)."""
    return float(CYCLE.compute(values)), float(CONTACT.compute(values))


def true_instants(values: Values, count: int) -> NDArray[np.float64]:
    """Return touch and release of the first impacts, one after the other (s)."""
    cycle, duration = _cycle(values)
    starts = np.arange(count) * cycle
    return np.column_stack((starts, starts + duration)).ravel()


def _must_reach(o: Observation, number: int) -> None:
    """Raise CapabilityError where the problem ends before an impact: parameter sets of users have the short run."""
    if (number - 1) * _cycle(o.values)[0] >= o.problem.end:
        raise CapabilityError(f"the problem ends before impact {number}")


def _impact(o: Observation, number: int) -> Impact:
    _must_reach(o, number)
    return impacts.impact(o, number)


def _count(o: Observation, number: int) -> float:
    _must_reach(o, number)
    return impacts.count(o)


def _worst_instant(o: Observation, number: int) -> float:
    _must_reach(o, number)
    return impacts.worst_instant(o, true_instants(o.values, number))


def _flight_energy(o: Observation, number: int) -> float:
    """Return the energy of the flight before an impact (J), from its largest distance."""
    after, before, time = _impact(o, number), _impact(o, number - 1), o.response.time
    flying = (time > before.end) & (time < after.start)
    return 0.5 * o["k"] * curves.top(time[flying], -o.response.displacement[flying, 0]) ** 2


def _impulse_residual(o: Observation) -> float:
    """Return the largest difference of stop impulse and change of momentum over the impacts, in 2 m v0.

    During contact the spring k takes the same displacement as the stop, hence k/k_c of its impulse.
    """
    m, k, kc, v0 = floats(o.values, "m", "k", "kc", "v0")
    _impact(o, 1)
    return max(abs(i.impulse * (1 + k / kc) + 2 * m * i.velocity) for i in impacts.impacts(o)) / (2 * m * v0)


def _asked(
    name: str, unit: str, what: str, truth: Reference[Certified], measure: Measure, criterion: Tolerance
) -> Quantity:
    return Quantity(name, unit, what, truth, measure, criterion, regularity=KINKS)


def _seen(field: str, number: int) -> Callable[[Observation], float]:
    return lambda o: float(getattr(_impact(o, number), field))


def _in(n: int, suffix: str = "") -> tuple[Quantity, ...]:
    """Return what is read of an impact; all are alike."""
    force, impulse = f"largest force of impact {n}", f"impulse of the stop alone in impact {n}"
    return (
        _asked(f"peak_force{suffix}", "N", force, BOUNCES.peak_force(), _seen("peak_force", n), FORCES),
        _asked(f"impulse{suffix}", "N s", impulse, BOUNCES.impulse(), _seen("impulse", n), FORCES),
    )


def _duration(n: int, suffix: str = "") -> Quantity:
    what = f"duration of contact of impact {n}, between roots of the gap"
    truth, measure = CONTACT, _seen("duration", n)
    return _asked(f"contact_duration{suffix}", "s", what, truth, measure, INSTANTS)


def _peak_time(n: int) -> Quantity:
    truth, what = BOUNCES.peak_time(n), f"instant of the largest force of impact {n}"
    return _asked(f"peak_time_{n}", "s", what, truth, _seen("peak_time", n), INSTANTS)


SAME = state("contact_instants", partial(exact_zero, "computed instants are the true ones"))


def _events(number: int, suffix: str) -> tuple[Quantity, Quantity]:
    """Return number and instants of impacts."""

    def passed(values: Values) -> float:
        return number * _cycle(values)[0]

    many = f"number of complete impacts; there are {number}"
    late = f"largest difference of touches and releases of {number} impacts from the true ones"
    count, worst = (partial(measure, number=number) for measure in (_count, _worst_instant))
    true_count = state("impacts", partial(exact_count, number, "impacts of equal cycles before the end of the run"))
    close = share_of(passed, 1e-3, "a thousandth of the time passed, Code_Aster's tolerance for instants")
    return (
        Quantity(f"impacts{suffix}", "", many, true_count, count, exactly("impacts are counted")),
        Quantity(f"contact_instants{suffix}", "s", late, SAME, worst, close, passed, KINKS),
    )


def _flight_duration(o: Observation) -> float:
    return _impact(o, 2).start - _impact(o, 1).end


SECOND_APPROACH = BOUNCES.impact_velocity(2)
LAST_ENERGY = partial(_flight_energy, number=MANY)
APPROACH = "rate of the gap when impact 2 begins (negative: approach)"
FLIGHT = "duration of flight between impacts 1 and 2"
ENERGY = f"energy of the flight before impact {MANY}, from its largest distance"
SHORT = (
    *map(_peak_time, (1, 2)),
    *_in(2),
    _duration(1),
    _asked("flight_duration", "s", FLIGHT, BOUNCES.flight_duration(), _flight_duration, INSTANTS),
    _asked("impact_velocity", "m/s", APPROACH, SECOND_APPROACH, _seen("velocity", 2), FORCES),
    *_events(FEW, ""),
)
LONG = (
    *_in(MANY, f"_{MANY}"),
    _duration(MANY, f"_{MANY}"),
    _asked(f"energy_{MANY}", "J", ENERGY, BOUNCES.energy(), LAST_ENERGY, cited(TWICE, 2e-3)),
    *_events(MANY, f"_{MANY}"),
)
MOMENTUM = "largest difference of stop impulse and change of momentum"
RESIDUALS = (
    energy("of m v0²/2", lambda o: 0.5 * o["m"] * o["v0"] ** 2, BALANCES),
    residual("impulse_residual", "of 2 m v0", MOMENTUM, _impulse_residual, BALANCES),
    velocities(),
    stop_forces(),
    positions(),
    rates(),
)


def _printed(quantity: str, value: str, wrong: str = "") -> Published:
    source = "V5.01.101 §4.1, reference"  # STA 5, 2001
    return Published(source, "2-shocks", quantity, value, "inaccurate" if wrong else "reproduced", wrong)


PUBLISHED = (
    _printed("peak_time_1", "1.5630E-2"),
    _printed("peak_time_2", "3.6100E-1", "rounded to three digits and printed with five: 3.6105E-1"),
    _printed("peak_force", "9.95E3"),
    _printed("contact_duration", "3.1260E-2"),
    _printed("impulse", "1.9805E2", "2 k_c v0/w_c² = 20000/101 = 198.0198…: the printed 198.05 is 1.5e-4 too large"),
    _printed("impact_velocity", "-1."),
)


def _contacts(values: Values) -> Iterator[tuple[float, str]]:
    return zip(true_instants(values, FEW).tolist(), ("touch", "release") * FEW, strict=True)


def _second(values: Values) -> tuple[float, float]:
    """Return a window about the second impact (s)."""
    start, end = true_instants(values, FEW)[2:]
    return start - 0.1 * (end - start), end + 0.1 * (end - start)


HISTORY = MOTION.history(displacement="x", velocity="v_x", force="push_stop")
FIGURES = (
    plotting.history(
        "displacement",
        "Displacement over two impacts",
        "The stop is touched above zero. Vertical lines: true contact instants.",
        plotting.displacement(HISTORY),
        events=_contacts,
    ),
    plotting.portrait(
        "phase-portrait",
        "Phase portrait over two impacts",
        "Two half ellipses that meet at the stop, x = 0, narrow in contact. A solver that loses or makes energy leaves "
        "the closed curve.",
        plotting.displacement(HISTORY),
        plotting.velocity(HISTORY),
    ),
    plotting.history(
        "force",
        "Force of the second impact",
        "Half sine of duration pi/w_c; the largest sample is not the peak.",
        plotting.HistoryCurve(
            "force (N)", lambda o: o["kc"] * o.response.displacement[:, 0].clip(0), plotting.true(HISTORY, "force")
        ),
        events=_contacts,
        window=_second,
        dots=40,
    ),
    plotting.convergence("contact_duration", "contacts begin and end inside steps, which leaves order 2"),
)


CASE = Case(
    name="sdnd101",
    title="Release of a mass-spring system against a stop",
    document="V5.01.101",
    topics=("impact",),
    summary="An oscillator starts at zero gap towards an elastic stop and rebounds periodically; forces, "
    "durations, impulses, a hundred impacts.",
    equations=(
        "m x'' + k x = -k_c x  for x > 0, x(0) = 0, x'(0) = v0",
        "omega_0 = sqrt(k/m), omega_c = sqrt((k + k_c)/m)",
        "F_max = k_c v0/omega_c, T_c = pi/omega_c, T_0 = pi/omega_0",
        "I = 2 k_c v0/omega_c²",
    ),
    statement=(
        "A mass m on a spring k starts at x = 0 with velocity v0 towards an elastic stop of stiffness k_c at gap 0. "
        "Nothing is damped.",
        "In contact x = (v0/w_c) sin(w_c t) with w_c = sqrt((k + k_c)/m), for half a period pi/w_c; in flight half a "
        "period pi/w of w = sqrt(k/m); then again. The period does not depend on the amplitude, so counts and "
        "durations stay right even when a solver loses or makes energy: forces and impulses of the hundredth impact "
        "tell.",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("2-shocks", {}, frozenset(q.name for q in SHORT)),
        Variant("100-shocks", {}, frozenset(q.name for q in LONG), watch_cycles(MANY, MANY + 0.02)),
    ),
    quantities=(*SHORT, *LONG),
    residuals=RESIDUALS,
    problem=watch_cycles(FEW, CYCLES_SHORT),
    modelling=(
        "One mode; the stop is the penalty spring itself, so that no modelling error remains.",
        "Contact instants are reported events, or else roots of the gap between samples; forces and impulses come from "
        "a spline of the penetration.",
    ),
    published=PUBLISHED,
    sources=(
        "F. Waeckel, G. Jacquart: SDND101, Release of a mass-spring system with shock. Code_Aster, Validation "
        "Manual, V5.01.101-B, EDF, HT-62/01/012/A (30 August 2001). https://code-aster.org",
    ),
    shared=(
        "Every later cycle is like the first, slower by the same share: mass, spring and stop have no length and no "
        "time of their own, so that a motion times a number is a motion.",
    ),
    remarks=(
        "Sampled durations are multiples of the step: 0.8 % off at 5e-4 s whatever the solver.",
        "Sampled peaks do not converge smoothly; interpolated contact durations do, with order 2.",
        "Methods with numerical damping, and variable steps of methods that are symplectic only at constant step, lose "
        "most of the energy in a hundred impacts while every duration stays right.",
        "A stiffness read per unit mass, or a restitution law instead of a spring, changes the force by orders "
        "of magnitude.",
    ),
    figures=FIGURES,
)

test_sdnd101 = verifies(CASE)
