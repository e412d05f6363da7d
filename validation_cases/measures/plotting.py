"""Figures as data: what a report draws, recorded in the result document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.solver.errors import SolverFailure, SolverInputError
from veridyn.validation_cases.core.case import Case, Observation, Quantity
from veridyn.validation_cases.core.levels import Answers, answers, error_levels
from veridyn.validation_cases.core.runner import HarnessError, NotJudged, Runner, Statement
from veridyn.validation_cases.core.uncertainty import observed_order

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


SCHEMES_SHOWN = 3  # in a figure of convergence


def shown(case: Case, variant: str, observer: Runner) -> tuple[Observation, str]:
    """Return what the first scheme of a solver gives in a variant, and how curves of it are labelled."""
    statement = Statement(case, case.variant(variant))
    scheme = observer.subject.schemes[0]
    return observer.observe(observer.default_run(statement, scheme)), scheme or observer.subject.name


def convergence(case: Case, variant: str, name: str, observer: Runner, remark: str) -> Iterator[dict[str, Any]]:
    """Yield the errors of a quantity over the levels of a solver, if it has any; ``remark`` explains them."""
    if not observer.subject.refined:
        return
    statement = Statement(case, case.variant(variant))
    quantity = next(q for q in case.quantities if q.name == name)
    curves = []
    keys = set()
    for scheme in observer.subject.schemes[:SCHEMES_SHOWN]:
        try:
            found = answers(observer, statement, scheme, quantity)
        except (NotJudged, HarnessError, SolverFailure, SolverInputError):
            continue
        keys.add(found.key)
        curves += _study(scheme or observer.subject.name, found, statement, quantity)
    if curves:
        yield figure(
            case.name,
            f"convergence-{name}",
            f"Convergence of {name.replace('_', ' ')}",
            f"Error, relative to the scale of the quantity, over the refined setting: {remark}.",
            [panel(" or ".join(sorted(keys)), "error", curves, log=True)],
        )


def _study(label: str, found: Answers, statement: Statement, quantity: Quantity) -> list[dict[str, Any]]:
    """Return errors over the levels, named with the order they follow in the asymptotic range, if they do."""
    levels = error_levels(found, statement)
    size = statement.size(quantity)
    order = observed_order(levels, 0.0).order
    named = f"{label}: order {order:.2f}" if order is not None else f"{label}: no single order"
    return [series(named, "computed", [level.size for level in levels], [level.error / size for level in levels])]
