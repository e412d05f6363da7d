"""Gross faults of modes, damping, initial values, loads and supports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.problem.basis import driven_displacement, driven_velocity, in_modal_coordinates, modal_basis
from veridyn.problem.modal_basis import Modes
from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import Harmonic, Piecewise, Sum, Windowed, constant, sample

from .gross import Gross
from .gross_elements import Change, frictions, stops
from .tools import Problem, Response

LONGER = 1.01  # of the instant at which a load ends
LOUDER = 1.02  # drive over what it should be
STAIRS = 1000  # of a load over the run
COARSE = 100  # intervals of a coarse accelerogram over the whole run
DRIFT = 1e-3  # of the largest acceleration: an offset of the accelerogram
SEVERAL = ("several coordinates", "matrices")

# --- modes ---------------------------------------------------------------------------------------------------------


def on_modes(p: Problem, modes: Modes) -> Problem:
    """Return the problem on another modal basis."""
    return replace(p, mass=None, stiffness=None, damping=None, modes=modes)


def some_modes(which: Callable[[int], slice]) -> Change:
    """Return the problem on some of its modes, chosen by their number."""

    def before(p: Problem) -> Problem:
        modes = modal_basis(p)
        some = which(modes.omega.size)
        arrays = {name: getattr(modes, name)[some] for name in ("omega", "damping", "masses")}
        return on_modes(p, Modes(**arrays, shapes=modes.shapes[:, some]))

    return before


def _unnormalised(p: Problem) -> Problem:
    """Return shapes of largest component one whose generalised masses are still taken for one."""
    modes = modal_basis(p)
    return on_modes(p, replace(modes, shapes=modes.shapes / np.abs(modes.shapes).max(axis=0)))


def _highest_frequency(p: Problem) -> Problem:
    modes = modal_basis(p)
    omega = modes.omega.copy()
    omega[-1] *= 1.002
    return on_modes(p, replace(modes, omega=omega))


def _one_ratio(p: Problem) -> Problem:
    modes = modal_basis(p)
    return on_modes(p, replace(modes, damping=np.full_like(modes.damping, modes.damping[0])))


def participations(change: Callable[[Any], Any]) -> Change:
    """Return the problem in modal coordinates, with other participations of the support motion."""

    def before(p: Problem) -> Problem:
        modal = in_modal_coordinates(on_modes(p, modal_basis(p)))
        return supports(lambda s: replace(s, influence=change(s.influence)))(modal)

    return before


def _restored(p: Problem, r: Response) -> Response:
    shapes = modal_basis(p).shapes
    return {**r, "displacement": r["displacement"] @ shapes.T, "velocity": r["velocity"] @ shapes.T}


def _transposed(p: Problem, r: Response) -> Response:
    modes = modal_basis(p)
    back = np.linalg.pinv(modes.shapes).T @ modes.shapes  # rows: to the modes, and on with the transposed shapes
    return {**r, "displacement": r["displacement"] @ back, "velocity": r["velocity"] @ back}


def _uncoupled(p: Problem) -> Problem:
    mass, damping, stiffness = (np.diag(np.diag(matrix)) for matrix in (p.mass, p.damping, p.stiffness))
    return replace(p, mass=mass, damping=damping, stiffness=stiffness)


def _first_turned(influence: Any) -> Any:
    return influence * np.where(np.arange(influence.size) == 0, -1.0, 1.0)


def _single_frequencies(p: Problem) -> Problem:
    modes = modal_basis(p)
    squares = np.asarray(np.float32(modes.omega**2), dtype=float)
    return on_modes(p, replace(modes, omega=np.sqrt(squares)))


def _uncoupled_damping(p: Problem) -> Problem:
    modes = modal_basis(p)
    back = np.linalg.inv(modes.shapes)
    return replace(p, damping=back.T @ np.diag(np.diag(modes.damping_matrix)) @ back)


def damped(factor: float) -> Change:
    """Return the change of the structural damping by a factor."""

    def before(p: Problem) -> Problem:
        if p.modes is not None:
            return replace(p, modes=replace(p.modes, damping=factor * p.modes.damping))
        return replace(p, damping=factor * p.damping)

    return before


def _zero(field: str) -> Change:
    return lambda p: replace(p, **{field: np.zeros_like(getattr(p, field))})


MODAL = (
    Gross("highest_mode_dropped", "modal", "The highest mode is missing.", SEVERAL, some_modes(lambda count: slice(0, count - 1))),
    Gross("lowest_mode_dropped", "modal", "The lowest mode is missing.", SEVERAL, some_modes(lambda _: slice(1, None))),
    Gross("no_static_correction", "modal", "Only the lower half of the modes is there, and no static correction for the rest.", SEVERAL, some_modes(lambda count: slice(0, (count + 1) // 2))),
    Gross("modes_not_normalised", "modal", "Shapes have the largest component one, while their generalised masses are taken for one.", ("matrices", "mass other than one", "contact"), _unnormalised),
    Gross("highest_frequency_off", "modal", "The highest frequency is 2 per mille too high.", ("matrices",), _highest_frequency),
    Gross("first_damping_ratio_for_all", "modal", "All modes have the damping ratio of the first.", (*SEVERAL, "damping"), _one_ratio),
    Gross("first_participation_turned", "modal", "The participation of the first mode has the wrong sign.", (*SEVERAL, "support motion"), participations(_first_turned), _restored),
    Gross("participations_in_reverse", "modal", "The modes have each other's participations.", (*SEVERAL, "support motion"), participations(lambda influence: influence[::-1]), _restored),
    Gross("coupling_dropped", "modal", "The matrices are taken for their diagonals.", (*SEVERAL, "coupled coordinates"), _uncoupled),
    Gross("shapes_transposed", "modal", "Displacements are restored with the transposed matrix of the shapes.", (*SEVERAL, "lopsided shapes"), after=_transposed),
    Gross("single_precision_eigenvalues", "precision", "Eigenvalues are rounded to single precision.", SEVERAL, _single_frequencies),
    Gross("coupled_damping_dropped", "modal", "The damping matrix is diagonal in the modes.", ("coupled damping", "matrices"), _uncoupled_damping),
    Gross("damping_one_percent_low", "modal", "The structural damping is 1 % too low.", ("damping",), damped(0.99)),
    Gross("damping_forgotten", "modal", "The structure is undamped.", ("damping",), damped(0.0)),
    Gross("damping_ratio_doubled", "modal", "The structural damping is twice what it should be.", ("damping",), damped(2.0)),
    Gross("initial_velocity_forgotten", "state", "The initial velocity is zero.", ("initial velocity",), _zero("initial_velocity")),
    Gross("initial_displacement_forgotten", "state", "The initial displacement is zero.", ("initial displacement",), _zero("initial_displacement")),
)  # fmt: skip


# --- loads ---------------------------------------------------------------------------------------------------------


def supports(change: Change) -> Change:
    """Return the change of every moving support."""
    return lambda p: replace(p, supports=tuple(change(s) for s in p.supports))


def drives(change: Callable[[Problem, Any], Any]) -> Change:
    """Return the change of every load and every acceleration of a support, but not of the motion behind it."""

    def before(p: Problem) -> Problem:
        loads = tuple(replace(load, function=change(p, load.function)) for load in p.loads)
        return supports(lambda s: replace(s, acceleration=change(p, s.acceleration)))(replace(p, loads=loads))

    return before


def _lasting(p: Problem, function: Any) -> Any:
    """Return a time function whose breaks after the start come later."""
    if isinstance(function, Sum):
        return Sum(tuple(_lasting(p, f) for f in function.summands))
    if isinstance(function, Windowed):
        return replace(function, end=LONGER * to_float(function.end))
    if isinstance(function, Piecewise):
        late = tuple(LONGER * to_float(t) if to_float(t) > p.start else t for t in function.breaks)
        return replace(function, breaks=late)
    return function


def _louder(p: Problem) -> Problem:
    loads = tuple(replace(load, direction=LOUDER * load.direction) for load in p.loads)
    return supports(lambda s: replace(s, influence=LOUDER * s.influence))(replace(p, loads=loads))


def _stairs(p: Problem, function: Any) -> Any:
    instants = np.linspace(p.start, p.end, STAIRS + 1)
    return Piecewise(tuple(instants.tolist()), tuple((value,) for value in function(instants).tolist()))


def _shifted(phase: float) -> Callable[[Problem, Any], Any]:
    """Return the change of harmonic terms by a phase (rad)."""

    def change(p: Problem, function: Any) -> Any:
        if isinstance(function, Sum):
            return Sum(tuple(change(p, f) for f in function.summands))
        if isinstance(function, Windowed):
            return replace(function, function=change(p, function.function))
        return replace(function, phase=to_float(function.phase) + phase) if isinstance(function, Harmonic) else function

    return change


def _at_frequency(factor: float) -> Callable[[Problem, Any], Any]:
    """Return the change of the circular frequency of harmonic terms by a factor."""

    def change(_: Problem, function: Any) -> Any:
        terms = tuple(
            replace(t, omega=factor * to_float(t.omega)) if isinstance(t, Harmonic) else t for t in function.terms()
        )
        return terms[0] if len(terms) == 1 else Sum(terms)

    return change


LOADS = (
    Gross("no_load", "load", "Loads and accelerations of supports are zero.", ("drive",), drives(lambda p, _: Piecewise((p.start,), ((0.0,),)))),
    Gross("load_ends_late", "load", "Loads that end inside the run last 1 % longer.", ("drive that ends",), drives(_lasting)),
    Gross("load_two_percent_high", "load", "Loads and motions of supports are 2 % too large.", ("drive",), _louder),
    Gross("load_in_stairs", "load", f"Loads keep their value from {STAIRS:d} instants of the run to the next.", ("drive",), drives(_stairs)),
    Gross("cosine_for_sine", "load", "Harmonic loads start a quarter of a period late.", ("harmonic drive",), drives(_shifted(0.5 * np.pi))),
    Gross("load_phase_one_degree", "load", "Harmonic loads run ahead by one degree.", ("harmonic drive",), drives(_shifted(np.pi / 180))),
    Gross("short_pi", "load", "Circular frequencies of harmonic loads are made with pi = 3.14.", ("harmonic drive",), drives(_at_frequency(3.14 / np.pi))),
    Gross("hertz_for_radians", "load", "The circular frequency of harmonic loads is divided by six.", ("harmonic drive",), drives(_at_frequency(1 / 6))),
)  # fmt: skip


# --- supports ------------------------------------------------------------------------------------------------------


def driven(sign: float) -> Callable[[Problem, Response], Response]:
    """Return a response to which the displacement that the supports impose is added, or from which it is taken."""

    def after(p: Problem, r: Response) -> Response:
        x, v = (sign * part(p, r["time"]) for part in (driven_displacement, driven_velocity))
        return {**r, "displacement": r["displacement"] + x, "velocity": r["velocity"] + v}

    return after


def influences(change: Callable[[Any], Any]) -> Change:
    """Return the change of the influence of every support."""
    return supports(lambda s: replace(s, influence=change(s.influence)))


def _swapped(p: Problem) -> Problem:
    reverse = [s.influence for s in p.supports][::-1]
    return replace(p, supports=tuple(replace(s, influence=i) for s, i in zip(p.supports, reverse, strict=True)))


def _masses_forgotten(p: Problem) -> Problem:
    inverse = np.linalg.inv(p.mass)
    return influences(lambda influence: inverse @ influence)(p)


def _coarse(p: Problem, function: Any) -> Any:
    return sample(function, np.linspace(p.start, p.end, COARSE + 1).tolist())


def _drifting(p: Problem, function: Any) -> Any:
    largest = float(np.abs(function(np.linspace(p.start, p.end, 1001))).max())
    return Sum((function, constant(str(DRIFT * largest))))


def in_frame(frame: str) -> Change:
    """Return the change of the frame that contacts and frictions see."""
    return lambda p: frictions(lambda f: replace(f, frame=frame))(stops(lambda _, s: replace(s, frame=frame))(p))


SUPPORTS = (
    Gross("absolute_for_relative", "support", "Displacements and velocities are absolute where they should be relative to the supports.", ("support motion",), after=driven(1.0)),
    Gross("driven_part_subtracted", "support", "The displacement that the supports impose is taken away from the relative one.", ("support motion",), after=driven(-1.0)),
    Gross("inertia_force_sign", "support", "The inertia force of the support motion has the wrong sign.", ("support motion",), influences(np.negative)),
    Gross("static_mode_one_percent_high", "support", "The static modes are 1 % too large.", ("support motion",), influences(lambda influence: 1.01 * influence)),
    Gross("rigid_body_for_static_mode", "support", "Every support moves the structure as a rigid body.", ("support motion", "bent static mode"), influences(np.ones_like)),
    Gross("static_mode_from_wrong_end", "support", "The static modes run from the wrong end.", ("support motion", "lopsided static mode"), influences(lambda influence: influence[::-1])),
    Gross("supports_swapped", "support", "The supports have each other's motion.", ("several supports",), _swapped),
    Gross("masses_forgotten_in_load", "support", "The inertia force of the support motion lacks the masses.", ("support motion", "matrices", "mass other than one"), _masses_forgotten),
    Gross("velocity_for_acceleration", "support", "The velocity of the supports is applied as their acceleration.", ("support motion",), supports(lambda s: replace(s, acceleration=s.velocity))),
    Gross("coarse_accelerogram", "support", f"The accelerogram is a table of {COARSE} intervals with straight lines between.", ("support motion",), drives(_coarse)),
    Gross("accelerogram_with_offset", "support", f"The accelerogram has an offset of {DRIFT:g} of its largest value.", ("support motion",), drives(_drifting)),
    Gross("driven_part_missing_in_contact", "support", "Contacts see the relative displacement where they should see the absolute one.", ("support motion", "absolute frame"), in_frame("relative")),
    Gross("contact_in_absolute_frame", "support", "Contacts and frictions see the absolute displacement where they should see the relative one.", ("support motion", "relative frame"), in_frame("absolute")),
)  # fmt: skip
