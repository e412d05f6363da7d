"""Whether events are located in single precision by a solver whose states are double.

Single precision has steps of 1e-7 at 1 and of 1e-4 at 1024. A linear guard is the same problem where the clock, or the
state that is looked at, begins at 0 and at 1024: whatever locates the event, by a tolerance or at the end of a step,
errs as much in both. Only rounding grows.
"""

from __future__ import annotations

from dataclasses import dataclass

from veridyn.identification.event_probes import Stride, build_shifted
from veridyn.identification.examinee import Examinee
from veridyn.identification.reading import CardFigure, Reading, join

COUNT = 16  # steps over the span
FAR = 1024  # s, or of a state
INSTANTS = ("0.3334", "0.6667")  # s after the start: a third of a step of single precision away from it at 1024
LEAST, MOST = 2.0**-27, 2.0**-23  # error over FAR: a quarter of the rounding of single precision; twice of it
GROWTH = 64.0  # of an error from 1 to 1024, from which it is that of rounding


@dataclass(frozen=True, kw_only=True)
class Shift:
    """What begins at `FAR`: the clock or the state; and the words for both."""

    clock: int = 0
    state: int = 0
    name: str = ""
    line: str = ""


SHIFTS = (
    Shift(clock=FAR, name="instants of events", line="instants of events are kept in single precision"),
    Shift(state=FAR, name="guards", line="guards are evaluated in single precision"),
)


def read_event_precision(examinee: Examinee, stride: Stride, scatter: float) -> Reading:
    """Return the precision of instants and guards; ``scatter`` is what single steps leave of rounding.

    Where states are single precision themselves nothing is told apart. Raises what `Examinee.solve` raises.
    """
    near = _measure_error(examinee, stride, Shift())
    readings = []
    for shift in SHIFTS:
        far = _measure_error(examinee, stride, shift)
        is_single = max(LEAST, GROWTH * scatter) * FAR < far < MOST * FAR and far > GROWTH * near
        place = f"{FAR} s" if shift.clock else f"a state of {FAR}"
        meaning = f"an event at {place} is {far:.1g} s off, {near:.1g} s at 0"
        figure = CardFigure(name=shift.name, value="single precision" if is_single else "double", meaning=meaning)
        readings.append(Reading(figures=(figure,), deviations=(f"{shift.line}: {meaning}",) if is_single else ()))
    return join(readings)


def _measure_error(examinee: Examinee, stride: Stride, shift: Shift) -> float:
    """Return the largest error (s) of the instants at which events take effect."""
    times, settings = stride.make(COUNT)
    problems = [build_shifted(times, instant, clock=shift.clock, state=shift.state) for instant in INSTANTS]
    effects = [1.0 - float(examinee.end_state(problem, settings)[1]) for problem in problems]
    return max(abs(effect - float(instant)) for effect, instant in zip(effects, INSTANTS, strict=True))
