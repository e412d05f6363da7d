"""Orders of known time integrators, proved by power series with rational coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from veridyn.references import power_series as series
from veridyn.references.integrators import Discrete
from veridyn.references.recurrences import System, assemble, solve

TOPS = (3, 5, 7, 9, 16)  # powers of the step that are kept, one after the other, to find an order


def order(method: Discrete, *, damped: bool = True, loaded: bool = True) -> int:
    """Return the order with which displacement and velocity of any one mode converge, as they are reported and started.

    It is exact: mode and load ``exp(s t)`` of any rates are carried as symbols, and the discrete flow is compared with
    the exact one as power series in the step with rational coefficients.

    Parameters
    ----------
    damped, loaded
        Whether there are damping and load.

    Returns
    -------
    int
        0 where the method does not converge.
    """
    found = 0
    for top in TOPS:
        flow = _flow(method, damped, loaded, top)
        found = 0 if flow is None else min(flow.step - 1, flow.start)
        if found < top:
            break
    return found


def phase_order(method: Discrete, *, damped: bool = True) -> int:
    """Return the order of frequency and damping of free vibration, whatever the start and the reported velocity.

    Where it exceeds `order`, the velocity is that of another instant, or the start is disturbed.
    """
    found = 0
    for top in TOPS:
        flow = _flow(method, damped, False, top)
        found = 0 if flow is None else flow.spectrum - 2
        if found < top - 1:
            break
    return found


@dataclass(frozen=True)
class _Flow:
    """Least powers of h in the errors of a step, of its characteristic polynomial, and of the start."""

    step: int
    spectrum: int
    start: int


def _flow(method: Discrete, damped: bool, loaded: bool, top: int) -> _Flow | None:
    """Split the recurrence into what is reported, y, and what else it carries, w; None where w does not fade."""
    size = 3 if loaded else 2
    (a, b, e, d), first = _blocks(method, damped, size, top)
    exact = series.exponential(_generator(damped, size, top), top)
    if np.abs(np.linalg.eigvals(series.constants(d))).max(initial=0.0) > 1 + 1e-9:
        return None
    graph = series.invariant((a, b, e, d), solve, top)
    discrete, fading = a + b @ graph, d - graph @ b
    shift = series.fading_part(discrete, b, fading, solve, top)
    start, missed = top + 1, first - graph
    for _ in range(len(d)):
        start, missed = min(start, series.least_power(shift @ missed, top)), fading @ missed
    return _Flow(series.least_power(discrete - exact, top), _spectrum_error(discrete, exact, top), start)


def _spectrum_error(discrete: Any, exact: Any, top: int) -> int:
    """Return the least power of h in what the exact flow leaves in the characteristic polynomial of the other."""
    f, g = discrete[:2, :2], exact[:2, :2]
    one = np.eye(2, dtype=int).astype(object)
    return series.least_power(g * (np.trace(g) - np.trace(f)) + one * (_determinant(f) - _determinant(g)), top)


def _determinant(matrix: Any) -> Any:
    return matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]


def _generator(damped: bool, size: int, top: int) -> Any:
    """Return h times the matrix of ``(x, v, f)' = (v, f - c v - k x, s f)``, or of the first two."""
    h, c, k, s = (series.symbol(i, top) for i in range(4))
    rows = [[h * 0, h, h * 0], [-(h * k), -(h * c) * int(damped), h], [h * 0, h * 0, h * s]]
    return np.array(rows, dtype=object)[:size, :size]


def _blocks(method: Discrete, damped: bool, size: int, top: int) -> Any:
    """Return a, b, e, d of ``y' = a y + b w, w' = e y + d w``, y = (x, v, f) or (x, v), and w of the start over y."""
    h, c, k, s = (series.symbol(i, top) for i in range(4))
    rule = method.rule(lambda number: series.constant(number, top))
    mass, damping, stiffness = (np.array([[entry]], dtype=object) for entry in (h * 0 + 1, c * int(damped), k))
    r = assemble(rule, System(mass, damping, stiffness, h))
    at = [series.exponential(np.array([[h * s * c]], dtype=object), top) for c in rule.instants]
    load = sum(push @ factor for push, factor in zip(r.loads, at, strict=True))
    grown = series.exponential(np.array([[h * s]], dtype=object), top)
    nothing = np.zeros((1, 2), dtype=int).astype(object)
    a = np.block([[r.step[:2, :2], load[:2]], [nothing, grown]])[:size, :size]
    b = np.concatenate((r.step[:2, 2:], np.zeros((1, len(r.step) - 2), dtype=int).astype(object)))[:size]
    e = np.concatenate((r.step[2:, :2], load[2:]), axis=1)[:, :size]
    return (a, b, e, r.step[2:, 2:]), r.start[2:, :size]
