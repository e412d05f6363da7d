"""The derivative of a response of the exact solver, from that of its states: events, and histories of elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.devices import NonlinearDamper
from veridyn.solver.contract.responses import Response
from veridyn.solver.event_driven.contact_modes import Affine, Grip, ModeFlow
from veridyn.solver.event_driven.mechanics import Mechanics
from veridyn.solver.exact.flow_slopes import FlowSlope
from veridyn.solver.exact.tangents import ExactTangent

Floats = NDArray[np.float64]
Histories = Mapping[str, Mapping[str, Floats]]


@dataclass(frozen=True, eq=False)
class Path:
    """States (m, 2n) and driving functions (m, channels) of samples, and the derivatives of both."""

    states: Floats
    u: Floats
    slopes: Floats
    drift: Floats

    def evaluate(self, part: Affine) -> Floats:
        """Return the values (m, r) of rows."""
        return part.over(self.states, self.u)

    def differentiate(self, part: Affine, moved: Floats | None = None) -> Floats:
        """Return the derivatives (m, r) of what rows are, which themselves move by ``moved`` (r, …), if at all."""
        along = self.slopes @ part.matrix.T + self.drift @ part.forcing.T
        return along if moved is None else along + Affine(moved, part.states).over(self.states, self.u)


def differentiate_response(response: Response, tangent: ExactTangent) -> Response:
    """Return the derivative of a response with all its histories and events, once its states have theirs."""
    moves, slopes, mechanics = tangent.moves, tangent.slopes, tangent.mechanics
    n = mechanics.problem.size
    x, v = (mechanics.restored(part) for part in (slopes[:, :n], slopes[:, n:]))
    places = {name: np.searchsorted(response.time, instants) for name, instants in response.events.items()}
    events = {name: moves[place] for name, place in places.items()}
    return Response(moves, x, v, _differentiate_histories(response, tangent), events=events)


def _differentiate_histories(response: Response, tangent: ExactTangent) -> dict[str, dict[str, Floats]]:
    rows, flows, forcings = tangent.motion.rows, tangent.tables.flows, tangent.forcings
    result = {name: {key: np.zeros(rows.times.size) for key in each} for name, each in response.elements.items()}
    parts = np.searchsorted([forcing.start for forcing in forcings[1:]], rows.times, side="right")
    both = parts * len(flows) + tangent.motion.modes
    for which in np.unique(both):
        here = both == which
        segment, m = divmod(int(which), len(flows))
        u, drift = forcings[segment].values(rows.times[here]), _differentiate_drive(tangent, segment, here)
        path = Path(rows.states[here], u, tangent.slopes[here], drift)
        for name, histories in _differentiate_elements(tangent.mechanics, flows[m], tangent.flows[m], path).items():
            for key, value in histories.items():
                result[name][key][here] = value
    return result


def _differentiate_drive(tangent: ExactTangent, segment: int, here: NDArray[np.bool_]) -> Floats:
    """Return the derivatives (m, channels) of the driving functions at samples, whose instants may move."""
    forcing, (waves, polynomials) = tangent.forcings[segment], tangent.moved_drives[segment]
    times, moves = tangent.motion.rows.times[here], tangent.moves[here]
    result = np.zeros((times.size, forcing.channels))
    for i in np.flatnonzero(moves):
        result[i] = forcing.value(float(times[i]), 1) * moves[i]
    for wave, (amplitude, omega, phase) in zip(forcing.waves, waves, strict=True):
        angle, turn = wave.omega * times + wave.phase, wave.amplitude * (omega * times + phase)
        result[:, wave.channel] += amplitude * np.sin(angle) + turn * np.cos(angle)
    for piece, row in zip(forcing.polynomials, polynomials, strict=True):
        result[:, piece.channel] += np.polyval(row[:0:-1], times - piece.origin)
    return result


def _differentiate_elements(mechanics: Mechanics, flow: ModeFlow, slope: FlowSlope, path: Path) -> Histories:
    """Return the derivatives of the histories of elements in one mode; see `event_driven.answer.histories`."""
    return {
        **_differentiate_stops(mechanics, flow, slope, path),
        **_differentiate_frictions(mechanics, flow, slope, path),
        **_differentiate_dampers(mechanics, path),
    }


def _differentiate_stops(mechanics: Mechanics, flow: ModeFlow, slope: FlowSlope, path: Path) -> Histories:
    pushes = path.evaluate(flow.stop_forces) > 0
    forces = np.where(pushes, path.differentiate(flow.stop_forces, slope.stop_forces), 0.0)
    gaps, rates = path.differentiate(flow.gaps, slope.gaps), path.differentiate(flow.gap_rates)
    result, distances = {}, path.evaluate(flow.gaps)
    for name, places in mechanics.planes.items():
        planes = list(places)
        nearest = np.argmin(distances[:, planes], axis=1)[:, None]
        gap, rate = (np.take_along_axis(part[:, planes], nearest, axis=1)[:, 0] for part in (gaps, rates))
        result[name] = {"normal_force": forces[:, planes].sum(axis=1), "normal_velocity": rate, "gap": gap}
    return result


def _differentiate_frictions(mechanics: Mechanics, flow: ModeFlow, slope: FlowSlope, path: Path) -> Histories:
    normal = mechanics.normal_forces(flow.stop_forces)
    normals = np.where(path.evaluate(normal) > 0, path.differentiate(normal, slope.normal_forces), 0.0)
    pulls = path.differentiate(flow.friction_forces, slope.friction_forces)
    sliding, result = path.differentiate(flow.sliding), {}
    for j, friction in enumerate(mechanics.problem.frictions):
        moving = flow.mode.frictions[j] is not Grip.STICK
        histories = {"stuck": np.zeros(len(normals)), "normal_force": normals[:, j]}
        for ending, cosine in zip(("", "_2"), mechanics.cosines[j], strict=False):
            histories[f"force{ending}"] = cosine * pulls[:, j]
            histories[f"sliding_velocity{ending}"] = cosine * sliding[:, j] * moving
        result[friction.name] = histories
    return result


def _differentiate_dampers(mechanics: Mechanics, path: Path) -> Histories:
    """Return the derivatives of elongations and rates of dampers, and of their forces by the slope of the piece."""
    elongations, rates = path.differentiate(mechanics.elongations), path.differentiate(mechanics.rates)
    speeds, result = path.evaluate(mechanics.rates), {}
    for d, device in enumerate(mechanics.problem.devices):
        assert isinstance(device, NonlinearDamper)
        slopes = np.array([(*row, 0.0)[1] for row in device.coefficients])
        force = slopes[np.searchsorted(device.breaks, speeds[:, d], side="right")] * rates[:, d]
        result[device.name] = {"force": force, "elongation": elongations[:, d], "rate": rates[:, d]}
    return result
