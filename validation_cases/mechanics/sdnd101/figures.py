"""SDND101: histories, force close-up, the convergence study."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from veridyn.references import elastic_stop
from veridyn.validation_cases.core.case import Observation, Values
from veridyn.validation_cases.measures.plotting import (
    Drawn,
    Floats,
    convergence,
    displacement,
    history,
    portrait,
    true,
    velocity,
)
from veridyn.validation_cases.mechanics.sdnd101.measures import FEW, true_instants


def _contacts(values: Values) -> Iterator[tuple[float, str]]:
    return zip(true_instants(values, FEW).tolist(), ("touch", "release") * FEW, strict=True)


def _second(values: Values) -> tuple[float, float]:
    """Return a window about the second impact (s)."""
    start, end = true_instants(values, FEW)[2:]
    return start - 0.1 * (end - start), end + 0.1 * (end - start)


def _force(o: Observation) -> Floats:
    return np.maximum(0.0, o["kc"] * o.response.displacement[:, 0])


FIGURES = (
    history(
        "displacement",
        "Displacement over two impacts",
        "The stop is touched above zero. Vertical lines: true contact instants.",
        displacement(elastic_stop.motion),
        events=_contacts,
    ),
    portrait(
        "phase-portrait",
        "Phase portrait over two impacts",
        "Two half ellipses that meet at the stop, x = 0, narrow in contact. A solver that loses or makes energy leaves "
        "the closed curve.",
        displacement(elastic_stop.motion),
        velocity(elastic_stop.motion),
    ),
    history(
        "force",
        "Force of the second impact",
        "Half sine of duration pi/w_c; the largest sample is not the peak.",
        Drawn("force (N)", _force, true(elastic_stop.motion, "force")),
        events=_contacts,
        window=_second,
        dots=40,
    ),
    convergence("contact_duration", "contacts begin and end inside steps, which leaves order 2"),
)
