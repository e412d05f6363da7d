"""A free oscillator, and what known time integrators make of it with large steps: digits that tell them apart."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.methods.fingerprints import (
    FALLS,
    NEWMARK,
    OTHERS,
    STEPS,
    Rows,
    bounced,
    last,
    leapt,
    marched,
    newmark_step,
    radius,
    ratio,
    share,
    spectral,
    speed,
    turned,
)
from veridyn.references.parameters import Parameter
from veridyn.validation_cases.judgement.case import Case, Quantity, Values, Variant, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures.consistency import energy, velocities
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import displacement_at, velocity_at
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("w", "rad/s", "angular frequency", "1", "positive"),
    Parameter("h", "s", "step of the integrators", "1/2", "positive"),
)
END = 50
SPACING = 0.1  # rad, of the output


def problem(values: Values) -> MechanicalProblem:
    """Return the oscillator, let go at 1 m."""
    (w,) = numbers(values, "w")
    return MechanicalProblem(
        name="integrator_fingerprints",
        mass=np.eye(1),
        stiffness=np.array([[w**2]]),
        initial_displacement=np.ones(1),
        end=float(END),
        output_times=evenly(float(END), END * max(float(w), 1.0) / SPACING),
        coordinates=("x",),
    )


MOTION = make_quantities(problem, PARAMETERS)


ENERGY = cited("this suite asks 2e-2 of it, twice the share of displacements", 2e-2, kind="absolute")
MEAN, SOLVED, LEAPS = "cosine of the angle of a step", "recurrence of the method in mpmath", "parabolas between impacts"
places = Quantities(MOTION, 1e-2, "this suite asks 1e-2 of the amplitude")
speeds = Quantities(MOTION, 1e-2, "this suite asks 1e-2 of its velocity")
X, V = (partial(measure, time=END) for measure in (displacement_at, velocity_at))


def _static(name: str, unit: str, words: str, read: Any, second: Any, how: str) -> Quantity:
    return Quantity(name, unit, words, MOTION.closed(read, second=second, how=how), None, ENERGY)


def _of_newmark(name: str, beta: str) -> tuple[Quantity, ...]:
    by, matrix = f"by Newmark's method, beta = {beta}, gamma = 1/2", partial(newmark_step, beta=beta)
    parts = (
        (f"x_{name}", "m", f"x after {STEPS} steps {by}", partial(last, matrix, 0), partial(turned, beta=beta)),
        (f"v_{name}", "m/s", f"v after {STEPS} steps {by}", partial(last, matrix, 1), partial(speed, beta=beta)),
        (f"T_{name}", "1", f"period in periods of the motion {by}", partial(ratio, beta), partial(share, beta=beta)),
    )
    return tuple(_static(*part, MEAN) for part in parts)


def _of_other(
    name: str, by: str, of: Callable[[Any], Rows], method: str, constants: Mapping[str, str]
) -> tuple[Quantity, ...]:
    x, size = (partial(read, method=method, constants=constants) for read in (marched, spectral))
    return (
        _static(f"x_{name}", "m", f"x after {STEPS} steps by {by}", partial(last, of, 0), x, SOLVED),
        _static(f"radius_{name}", "1", f"spectral radius of {by}", partial(radius, of), size, SOLVED),
    )


QUANTITIES = (
    places.quantity("x_end", "m", f"displacement at {END} s", MOTION.value("x", END), X, scale="1"),
    speeds.quantity("v_end", "m/s", f"velocity at {END} s", MOTION.value("v_x", END), V, scale="w"),
    *(quantity for name, beta in NEWMARK for quantity in _of_newmark(name, beta)),
    *(quantity for other in OTHERS for quantity in _of_other(*other)),
    *(
        _static(
            f"y_moreau_jean{name}",
            "m",
            f"height of a ball after {count} steps of {step} s by Moreau and Jean's method, theta = 1/2, e = 1/2, "
            "g = 10 m/s², dropped from 1 m",
            partial(bounced, step=step, count=count),
            partial(leapt, step=step, count=count),
            LEAPS,
        )
        for name, step, count in FALLS
    ),
)

CASE = Case(
    name="integrator_fingerprints",
    title="Free oscillator, and the fingerprints of time integrators",
    document="Hughes 1987",
    topics=("long time", "modal superposition"),
    summary="An undamped oscillator over eight periods, and what known methods give with ten steps a period: to be "
    "matched to rounding, so that the error of a method is told from that of its program.",
    statement=(
        "x'' + w² x = 0, x(0) = 1 m, x'(0) = 0. A solver is asked for the motion; what claims a known method is held "
        "to its exact discrete solution besides.",
        "The other quantities need no solver: they are what a program of the method gives after 100 steps h, from the "
        "acceleration -w² x(0). Newmark's family turns by an angle φ a step; methods that keep an acceleration "
        "multiply by a matrix of three rows.",
        "A ball dropped on the floor by Moreau and Jean's method: a contact is active where y + h v/2 is not positive; "
        "then the velocity after the step is at least -e times that before it. y and v are rational numbers.",
    ),
    equations=(
        "x'' + w² x = 0, x = cos(w t)",
        "cos(phi) = (1 - (1/2 - beta) (w h)²)/(1 + beta (w h)²), x_n = cos(n phi)",
        "v_n = -w sqrt(1 + (beta - 1/4) (w h)²) sin(n phi)",
        "T_h/T = w h/phi",
    ),
    parameters=PARAMETERS,
    variants=(Variant("half", {}), Variant("quick", {"w": "2", "h": "3/10"})),
    quantities=QUANTITIES,
    residuals=(energy("of the energy at the start", lambda o: 0.5 * o["w"] ** 2, ENERGY), velocities()),
    linear=True,
    problem=problem,
    modelling=("One coordinate. Values lie on polynomials through samples 0.1 rad apart.",),
    sources=(
        "N. M. Newmark: A method of computation for structural dynamics. J. Eng. Mech. Div. ASCE 85 (1959) 67-94.",
        "H. M. Hilber, T. J. R. Hughes, R. L. Taylor: Earthq. Eng. Struct. Dyn. 5 (1977) 283-292. "
        "https://doi.org/10.1002/eqe.4290050306",
        "J. Chung, G. M. Hulbert: J. Appl. Mech. 60 (1993) 371-375. https://doi.org/10.1115/1.2900803",
        "T. J. R. Hughes: The Finite Element Method. Prentice-Hall (1987), chapter 9.",
        "V. Acary, B. Brogliato: Numerical Methods for Nonsmooth Dynamical Systems. Springer (2008). "
        "https://doi.org/10.1007/978-3-540-75392-6",
    ),
    remarks=(
        "A start with no acceleration instead of -w² x(0) ends at 0.054 m instead of 0.297 m with the average "
        "acceleration, one step too few at -0.188 m: after 100 steps there is no doubt what is wrong.",
        "HHT with beta = 1/4, gamma = 1/2 left as in Newmark's method has the spectral radius 1.011: it explodes. The "
        "weights of both ends exchanged give 0.977 instead of 0.99945.",
        "beta = 0.3026 instead of 0.3025 moves x(100 h) of HHT by 5.4e-4 m: the third digit of a parameter is seen.",
        "With 4 pi steps a period the period is 2.05 % too long by the average acceleration, 1.02 % by the linear one, "
        "1.06 % too short by central differences, and 1.3e-4 too short with beta = 1/12 (Fox and Goodwin).",
        "The ball of 1/100 s meets y + h v/2 = 0 at step 129 to the last digit: in doubles, where 0.01 is no "
        "hundredth, the contact may be missed there, and y ends at -6.5e-4 m instead of -1.0e-5 m. Steps of "
        "1/128 s are exact in doubles.",
        "The ball comes to rest below the floor, not on it: 1.0e-5 m with steps of 1/100 s, 2.9e-4 m with 1/128 s. "
        "theta = 1/2 keeps what the last impact left.",
    ),
)

test_integrator_fingerprints = verifies(CASE)
