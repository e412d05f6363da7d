"""Defects of what is done with a solution before it is handed over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.mutation.defects.changes import displacement, drives, frictions, histories, rows, sampled, velocity
from veridyn.mutation.defects.defect import Defect
from veridyn.solver.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.problem.scalars import to_float
from veridyn.solver.problem.time_functions import Harmonic, Sum, TimeFunction
from veridyn.solver.response import Response

BLOCKS = 8
HELD = 5  # samples that share one value
EVERY = 20  # samples between two of a coarse archive
WIDTH = 5  # samples of a moving average
DIGITS = 5  # printed


def _rectangles(response: Response) -> Floats:
    """Integrate the velocity with whole weights at both ends of every step's run: x_k = x_0 + sum of v h."""
    steps = np.diff(response.time, prepend=response.time[0])[:, None]
    return np.asarray(
        response.displacement[0] + np.cumsum(steps * _middle(response.velocity), axis=0) + _ends(response)
    )


def _middle(v: Floats) -> Floats:
    return 0.5 * (v + np.concatenate((v[:1], v[:-1])))


def _ends(response: Response) -> Floats:
    """Return half a step of the first and of the present velocity, which the trapezoid leaves out (m, n)."""
    half = 0.5 * float(np.median(np.diff(response.time)))
    return np.asarray(half * (response.velocity[0] + response.velocity))


def _coarse(response: Response) -> Floats:
    instants = response.time[::EVERY]
    columns = [np.interp(response.time, instants, column[::EVERY]) for column in response.displacement.T]
    return np.column_stack(columns)


def _averaged(response: Response) -> Floats:
    around = np.clip(np.arange(response.time.size)[:, None] + np.arange(WIDTH) - WIDTH // 2, 0, response.time.size - 1)
    return np.asarray(response.displacement[around].mean(axis=1))


def _printed(response: Response) -> Floats:
    return np.asarray(np.vectorize(lambda x: float(f"{x:.{DIGITS - 1}e}"))(response.displacement))


def _in_hertz(_: MechanicalProblem, function: TimeFunction) -> TimeFunction:
    terms = tuple(replace(t, omega=to_float(t.omega) / 6) if isinstance(t, Harmonic) else t for t in function.terms())
    return terms[0] if len(terms) == 1 else Sum(terms)


def _end_held(response: Response) -> Response:
    count = response.time.size
    return rows(response, np.minimum(np.arange(count), int(0.99 * count)))


def _unit(factor: float) -> Any:
    return displacement(lambda r: factor * r.displacement)


DEFECTS = (
    Defect("window_one_sample_early", "post-processing", "Every state stands at the instant before its own.",
        after=sampled(lambda i: i + 1)),
    Defect("blocks_overlap", "post-processing",
        f"The record consists of {BLOCKS} blocks, each of which repeats the last sample of the one before.",
        after=sampled(lambda i: i - i * BLOCKS // i.size)),
    Defect("sample_and_hold", "post-processing", f"Every state stands for {HELD} samples.",
        after=sampled(lambda i: i - i % HELD)),
    Defect("coarse_archive", "post-processing", f"Displacements lie on straight lines between every {EVERY}th sample.",
        after=displacement(_coarse)),
    Defect("trapezoid_end_terms", "post-processing",
        "Displacements are sums of velocities in which both end terms have the whole weight.",
        after=displacement(_rectangles)),
    Defect("moving_average", "post-processing", f"Displacements are means over {WIDTH} samples.",
        after=displacement(_averaged)),
    Defect("end_held", "post-processing", "The last hundredth of the record repeats one sample.",
        after=lambda _, response: _end_held(response)),
    Defect("printed_digits_only", "post-processing", f"Displacements have {DIGITS} digits.",
        after=displacement(_printed)),
    Defect("magnitudes", "post-processing", "Displacements have lost their signs.",
        after=displacement(lambda r: np.abs(r.displacement))),
    Defect("millimetres", "post-processing", "Displacements are in mm.", after=_unit(1000.0)),
    Defect("degrees", "post-processing", "Displacements are in degrees.", after=_unit(180.0 / np.pi)),
    Defect("velocity_sign", "post-processing", "Velocities have the wrong sign.",
        after=velocity(lambda r: -r.velocity)),
    Defect("contact_velocity_sign", "post-processing", "The rate of the gap has the wrong sign in the histories.",
        ("contact",), after=histories("normal_velocity", np.negative)),
    Defect("kilonewtons", "post-processing", "Normal forces in the histories are in kN.", ("contact",),
        after=histories("normal_force", lambda force: force / 1000)),
    Defect("hertz_for_radians", "post-processing", "The circular frequency of harmonic loads is divided by six.",
        ("harmonic drive",), before=drives(_in_hertz)),
    Defect("gravity_of_the_text_book", "post-processing",
        "The constant normal forces of frictions are those of g = 9.81 instead of 10 m/s².",
        ("friction under constant force",),
        before=frictions(lambda f: f if isinstance(f.normal, str) else replace(f, normal=0.981 * f.normal))),
)  # fmt: skip
