"""SDND100 (EDF V5.01.100): free decay of a slider under dry friction, until it stops for good."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import friction_decay
from veridyn.references.certified import Certified, classification, undefined
from veridyn.references.parameters import ParameterError
from veridyn.solver.problem.elements import Friction
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.measures.consistency import (
    energy,
    flags,
    friction_cone,
    friction_law,
    rates,
    velocities,
)
from veridyn.validation_cases.mechanics.sdnd100 import measures
from veridyn.validation_cases.mechanics.sdnd100.figures import figures
from veridyn.validation_cases.mechanics.sdnd100.measures import SLIDER, half_cycles_of, period
from veridyn.validation_cases.mechanics.sdnd100.published import INSTANTS, PUBLISHED, TEST_ERRATA

OUTPUTS_PER_PERIOD = 1000  # requested of any solver
MOST_HALF_CYCLES = 300  # of a run; the reference knows any number
LAST = 4  # half periods after which the displacement is asked for
TURNS = 6  # turning points that are compared one by one


def problem(values: Values) -> MechanicalProblem:
    """Return the ideal problem: motion along the line, set-valued friction of the plane or of one direction.

    It raises `ParameterError` for more half cycles than are run.
    """
    if (count := half_cycles_of(values)) > MOST_HALF_CYCLES:
        raise ParameterError(f"{count} half cycles, at most {MOST_HALF_CYCLES} are run: raise mu or lower x0")
    m, k, mu, g, x0, angle = (float(values[name]) for name in ("m", "k", "mu", "g", "x0", "angle"))
    # one period more than the motion lasts, so that creep shows, and up to the last instant that is asked for
    end = max((count + 2) * period(values) / 2, LAST * period(values) / 2, float(INSTANTS[-1]))
    along = [math.cos(angle), math.sin(angle)][: int(float(values["directions"]))]
    return MechanicalProblem(
        name="sdnd100",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.array([x0]),
        initial_velocity=np.zeros(1),
        end=end,
        output_times=_outputs(end, period(values) / OUTPUTS_PER_PERIOD),
        frictions=(Friction(SLIDER, tuple(np.array([part]) for part in along if part), m * g, mu, mu),),
        coordinates=("s",),
    )


def _outputs(end: float, spacing: float) -> NDArray[np.float64]:
    """Return output instants (m,): evenly spaced, and those of the published values where they lie between."""
    even = np.linspace(0.0, end, round(end / spacing) + 1)
    between = [t for t in map(float, INSTANTS) if t < end and np.abs(even - t).min() > 1e-3 * spacing]
    return np.union1d(even, between)


ASTER = "tolerance 1e-3 (5e-3 for the fourth) of Code_Aster's tests SDND100a, b and d"
SHARE = 1e-3
JUMPS = 1.0  # regularity: friction jumps at every turn


def _released(values: Values) -> float:
    """Displacement at the release (m)."""
    return abs(float(values["x0"]))


def _along_x(values: Values) -> float:
    """Displacement at the release along the axis x (m)."""
    return _released(values) * math.cos(float(values["angle"]))


def _energy(values: Values) -> float:
    """Energy at the release (J)."""
    return 0.5 * float(values["k"]) * _released(values) ** 2


def _of(size: Callable[[Values], float], what: str, values: Values) -> Tolerance:
    """Return the criterion as a share of an amplitude at the release."""
    return cited(f"{ASTER}, of the {what} at the release", SHARE * size(values), kind="absolute")


def _instant(values: Values) -> Tolerance:
    """Return the criterion of an instant."""
    count = half_cycles_of(values)
    if count == 0:
        return exactly("there is no slip")
    what = f"{ASTER}, taken as a part of the time until the stop, and one requested output"
    return cited(what, SHARE * (count / 2 + 1) * period(values), kind="absolute")


def _component(instant: str) -> Quantity:
    return Quantity(
        f"component@{instant}",
        "m",
        f"displacement along the axis x at {instant} s",
        partial(friction_decay.component, time=instant),
        partial(measures.component_at, time=float(instant)),
        partial(_of, _along_x, "amplitude"),
        _along_x,
        JUMPS,
    )


def _component_after(number: int) -> Quantity:
    return Quantity(
        f"component_{number}",
        "m",
        f"displacement along the axis x after {number} half periods",
        partial(friction_decay.component_after, number=number),
        partial(measures.component_after, number=number),
        partial(_of, _along_x, "amplitude"),
        _along_x,
        JUMPS,
    )


AFTER = tuple(_component_after(number) for number in range(1, LAST + 1))
AT = tuple(_component(instant) for instant in INSTANTS)
STOP = (
    Quantity(
        "half_cycles",
        "",
        "number of slips until the last stop",
        friction_decay.half_cycles,
        measures.half_cycles,
        exactly("half cycles are counted"),
        regularity=JUMPS,
    ),
    Quantity(
        "stop_time",
        "s",
        "end of the last slip",
        friction_decay.stop_time,
        measures.stop_time,
        _instant,
        period,
        JUMPS,
        at_samples=True,
    ),
    Quantity(
        "final_position",
        "m",
        "displacement along the line a period after the last stop",
        friction_decay.final_position,
        measures.final_position,
        partial(_of, _released, "amplitude"),
        _released,
        JUMPS,
    ),
    Quantity(
        "dissipated_energy",
        "J",
        "friction force along the line times the path slid",
        friction_decay.dissipated_energy,
        measures.dissipated_energy,
        partial(_of, _energy, "energy"),
        _energy,
        JUMPS,
    ),
)


def _order(*, digits: int = 30, **given: Any) -> Certified:  # noqa: ARG001 - a classification has no digits
    count, first = half_cycles_of(given), -1 if float(given["x0"]) > 0 else 1
    if count > MOST_HALF_CYCLES:
        return undefined(f"{count} slips to and fro are too many to write down")
    found = ("+" if first * (-1) ** n > 0 else "-" for n in range(count))
    return classification(" ".join(found), "half cycles go to and fro, the first one towards zero")


def _turns(number: int, values: Values) -> bool:
    return number <= half_cycles_of(values)


SLIPS = (
    Quantity(
        "slip_order",
        "",
        "directions of the slips in order of time",
        _order,
        measures.slip_order,
        exactly("slips have directions in order"),
        regularity=JUMPS,
    ),
    *(
        Quantity(
            f"turning_time_{number}",
            "s",
            f"end of slip {number}",
            partial(friction_decay.turning_time, number=number),
            partial(measures.turning_time, number=number),
            _instant,
            period,
            JUMPS,
            at_samples=True,
            applies=partial(_turns, number),
        )
        for number in range(1, TURNS + 1)
    ),
)


def _limit(o: Observation) -> float:
    return o["mu"] * o["m"] * o["g"]


def _of_release(o: Observation) -> float:
    return _energy(o.values)


def _slides(values: Values) -> bool:
    return half_cycles_of(values) > 0


RESIDUALS = (
    energy(
        "of the energy at the release",
        _of_release,
        cited("tolerance 1e-3 of Code_Aster's tests SDND100, of the energy at the release", SHARE, kind="absolute"),
    ),
    friction_cone("of mu N", _limit),
    velocities(),
    flags(),
    rates(_slides),
    friction_law(),
)

ONLY_STOP = frozenset(quantity.name for quantity in (*STOP, *SLIPS))
ALONG = {"angle": "0"}
VARIANTS = (
    Variant("isotropic", {}),
    Variant("unidirectional", {"directions": "1"}),
    Variant("line", ALONG),
    Variant("twenty", {**ALONG, "x0": "4.05e-3"}, ONLY_STOP),
    Variant("one", {**ALONG, "x0": "2.5e-4"}, ONLY_STOP),
    Variant("held", {**ALONG, "x0": "0.8e-4"}, ONLY_STOP),
)


CASE = Case(
    name="sdnd100",
    title="Free decay under dry friction",
    document="V5.01.100",
    summary="A mass on a spring, released on a plane with Coulomb friction: half cycles whose amplitude falls by a "
    "constant, then a stop for good, away from the place where the spring is slack.",
    statement=(
        "A mass m on a spring k is guided along a straight line at an angle to the axis x, pressed with its weight m g "
        "on a plane with the coefficient of friction mu, and released at x0 with velocity 0.",
        "With R = mu m g and C = R/k every half cycle lasts pi/omega and takes 2 C from the amplitude; the first "
        "turning point between -C and C is the last. If friction acts along x only (directions = 1), its part along "
        "the line is R = mu m g cos(angle).",
        "Modellings A, B, C and E of the manual are the variant isotropic, D is unidirectional; line states the same "
        "motion with one tangent, for solvers that know no second; twenty has as many half cycles, one stops after the "
        "first, held never starts.",
    ),
    equations=(
        "m x'' + k x = -R sign(x') if x' != 0, x'' = 0 if x' = 0 and |k x| <= R",
        "R = mu m g, R = mu m g cos(angle) for directions = 1, C = R/k, omega = sqrt(k/m)",
        "x(0) = x0, x'(0) = 0, t_n = n pi/omega",
        "x = C sign(x_n) + (x_n - C sign(x_n)) cos(omega (t - t_n)) for t_n <= t <= t_{n+1}",
        "x_{n+1} = -x_n + 2 C sign(x_n) if |x_n| > C",
        "x_n = (-1)^n sign(x0) (|x0| - 2 n C), n_end = max(0, ⌈(|x0| - C)/(2 C)⌉)",
    ),
    parameters=friction_decay.PARAMETERS,
    variants=VARIANTS,
    quantities=(*AFTER, *AT, *STOP, *SLIPS),
    residuals=RESIDUALS,
    problem=problem,
    modelling=(
        "One coordinate along the line; the tangents of friction are its parts along x and y, or along x alone.",
        "Friction is set-valued under the constant normal force m g; the model of Code_Aster's test, an obstacle of "
        "20 N/m with 0.5 m of overlap and a spring of 4e5 N/m for stick, is that of the regression tests.",
    ),
    published=PUBLISHED,
    remarks=(
        "Smoothing friction with tanh(v/v_s) lets the slider creep back to where the spring is slack: the final "
        "position decays instead of staying at 0.05 mm.",
        "A velocity threshold for stick, without a look at the force, stops the slider at its first turning point.",
        "Friction as two independent forces along x and y (a box instead of a cone) is too large by sqrt(2) at 45 "
        "degrees: the slider stops after 3 half cycles instead of 4.",
        "Friction that acts along one direction is taken for the isotropic one: 4 half cycles instead of 6.",
        "With k_T = 4e5 N/m, as Code_Aster's test has, the slider springs back by (R + k x)/k_T = 3.8e-6 m after the "
        "last stop, 7.5 percent of its final position; the test reads it before.",
    ),
    errata=TEST_ERRATA,
    held={"directions": "one or two"},
    figures=(figures,),
    benchmark_variant="line",
)

test_sdnd100 = verifies(CASE)
