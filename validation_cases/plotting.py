"""Figures as data: what a report draws, recorded in the result document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.validation_cases.convergence import asymptotic_range

Role = Literal["reference", "computed", "error", "limit", "guide"]
Floats = NDArray[np.float64]

POINTS = 600  # per curve; more are not seen and only make documents large


def series(label: str, role: Role, x: ArrayLike, y: ArrayLike, *, marker: bool = False) -> dict[str, Any]:
    """Return one curve; infinite and missing points are left out."""
    xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    keep = np.isfinite(xs) & np.isfinite(ys)
    return {"label": label, "role": role, "marker": marker, "x": xs[keep].tolist(), "y": ys[keep].tolist()}


def panel(
    xlabel: str,
    ylabel: str,
    curves: Sequence[dict[str, Any]],
    *,
    log: bool = False,
    events: Sequence[tuple[float, str]] = (),
) -> dict[str, Any]:
    """Return one panel; ``log`` makes both axes logarithmic."""
    scale = "log" if log else "linear"
    return {
        "xlabel": xlabel,
        "ylabel": ylabel,
        "xscale": scale,
        "yscale": scale,
        "series": list(curves),
        "events": [{"x": float(x), "label": label} for x, label in events],
    }


def figure(case: str, name: str, title: str, caption: str, panels: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one figure of a case."""
    return {"case": case, "id": name, "title": title, "caption": caption, "panels": list(panels)}


def thinned(time: Floats, *histories: Floats, start: float, end: float, points: int = POINTS) -> tuple[Floats, ...]:
    """Return the samples of a window, about so many of them, evenly spread."""
    inside = np.flatnonzero((time >= start) & (time <= end))
    stride = max(1, inside.size // points)
    chosen = inside[::stride]
    return (time[chosen], *(h[chosen] for h in histories))


def guide(label: str, steps: Sequence[float], through: float, order: int) -> dict[str, Any]:
    """Return the slope of an order, through a value at the largest step."""
    h = np.asarray(steps, dtype=float)
    return series(label, "guide", h, through * (h / h[0]) ** order)


def study(label: str, steps: Sequence[float], errors: Sequence[float]) -> list[dict[str, Any]]:
    """Return errors over halved steps, named with the order they follow, and the fit over the asymptotic range.

    Without three levels that agree on an order there is no fit, and the name says so.
    """
    found = asymptotic_range(errors)
    if found is None:
        return [series(f"{label}: no single order", "computed", steps, errors)]
    within = slice(found.first, found.last + 1)
    h, e = (np.asarray(values, dtype=float)[within] for values in (steps, errors))
    fit = np.exp(np.mean(np.log(e) - found.order * np.log(h))) * h**found.order
    return [
        series(f"{label}: order {found.order:.2f}", "computed", steps, errors),
        series("", "limit", h, fit),
    ]
