"""Defects of support motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from veridyn.mutation.defects.changes import drives, frictions, stops, supports
from veridyn.mutation.defects.defect import After, Before, Defect
from veridyn.solver.problem.basis import driven_displacement, driven_velocity
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.time_functions import Sum, TimeFunction, constant, sample
from veridyn.solver.response import Response

COARSE = 100  # intervals of a coarse accelerogram over the whole run
DRIFT = 1e-3  # of the largest acceleration: an offset of the accelerogram


def driven(sign: float) -> After:
    """Return a response to which the displacement that the supports impose is added, or from which it is taken."""

    def after(p: MechanicalProblem, response: Response) -> Response:
        return replace(
            response,
            displacement=response.displacement + sign * driven_displacement(p, response.time),
            velocity=response.velocity + sign * driven_velocity(p, response.time),
        )

    return after


def _swapped(p: MechanicalProblem) -> MechanicalProblem:
    influences = [s.influence for s in p.supports]
    return replace(
        p, supports=tuple(replace(s, influence=i) for s, i in zip(p.supports, influences[::-1], strict=True))
    )


def _masses_forgotten(p: MechanicalProblem) -> MechanicalProblem:
    assert p.mass is not None
    inverse = np.linalg.inv(p.mass)
    return supports(lambda s: replace(s, influence=inverse @ s.influence))(p)


def _coarse(p: MechanicalProblem, function: TimeFunction) -> TimeFunction:
    return sample(function, np.linspace(p.start, p.end, COARSE + 1).tolist())


def _drifting(p: MechanicalProblem, function: TimeFunction) -> TimeFunction:
    largest = float(np.abs(function(np.linspace(p.start, p.end, 1001))).max())
    return Sum((function, constant(str(DRIFT * largest))))


def _relative(p: MechanicalProblem) -> MechanicalProblem:
    return frictions(lambda f: replace(f, frame="relative"))(stops(lambda _, s: replace(s, frame="relative"))(p))


def _absolute(p: MechanicalProblem) -> MechanicalProblem:
    return frictions(lambda f: replace(f, frame="absolute"))(stops(lambda _, s: replace(s, frame="absolute"))(p))


def _defect(name: str, what: str, before: Before, *needs: str) -> Defect:
    return Defect(name, "seismic", what, ("support motion", *needs), before=before)


DEFECTS = (
    Defect("absolute_for_relative", "seismic",
        "Displacements and velocities are absolute where they should be relative to the supports.", ("support motion",),
        after=driven(1.0)),
    Defect("driven_part_subtracted", "seismic",
        "The displacement that the supports impose is taken away from the relative one.", ("support motion",),
        after=driven(-1.0)),
    _defect("inertia_force_sign", "The inertia force of the support motion has the wrong sign.",
        supports(lambda s: replace(s, influence=-s.influence))),
    _defect("static_mode_one_percent_high", "The static modes are 1 % too large.",
        supports(lambda s: replace(s, influence=1.01 * s.influence))),
    _defect("rigid_body_for_static_mode", "Every support moves the structure as a rigid body.",
        supports(lambda s: replace(s, influence=np.ones_like(s.influence))), "bent static mode"),
    _defect("static_mode_from_wrong_end", "The static modes run from the wrong end.",
        supports(lambda s: replace(s, influence=s.influence[::-1])), "lopsided static mode"),
    _defect("supports_swapped", "The supports have each other's motion.", _swapped, "several supports"),
    _defect("masses_forgotten_in_load", "The inertia force of the support motion lacks the masses.", _masses_forgotten,
        "matrices", "mass other than one"),
    _defect("velocity_for_acceleration", "The velocity of the supports is applied as their acceleration.",
        supports(lambda s: replace(s, acceleration=s.velocity))),
    _defect("coarse_accelerogram", f"The accelerogram is a table of {COARSE} intervals with straight lines between.",
        drives(_coarse)),
    _defect("accelerogram_with_offset", f"The accelerogram has an offset of {DRIFT:g} of its largest value.",
        drives(_drifting)),
    _defect("driven_part_missing_in_contact",
        "Contacts see the relative displacement where they should see the absolute one.", _relative, "absolute frame"),
    _defect("contact_in_absolute_frame",
        "Contacts and frictions see the absolute displacement where they should see the relative one.", _absolute,
        "relative frame"),
)  # fmt: skip
