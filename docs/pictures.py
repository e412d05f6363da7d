"""Pictures of the cases: the motion over the time, one curve over another, and the gallery."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from motion_plot import draw_curves

from veridyn.reports.sketch_shapes import draw_sketch
from veridyn.results import Anchor, Ink, Sketch, SketchLine
from veridyn.validation_cases.judgement import sketching
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.sketching import Place, Shapes
from veridyn.validation_cases.judgement.topics import TOPICS

WIDE, TALL = 9.0, 6.0  # of a portrait, in units of a sketch

Points = list[tuple[float, float | None]]


@dataclass(frozen=True)
class RecordedMotion:
    """What `record_histories` recorded of a case: curves by name over common instants (s), stretch by stretch."""

    case: str
    variant: str
    curves: tuple[str, ...]
    stretches: tuple[tuple[float, float, int], ...]
    values: dict[str, list[float | None]]
    events: tuple[tuple[float, str], ...]

    @property
    def times(self) -> list[float]:
        """Instants (s) of all values."""
        return [time for stretch in self.stretches for time in np.linspace(*stretch).tolist()]

    def split(self, name: str) -> list[list[float | None]]:
        """Return the values of a curve by stretch: between two events it is smooth."""
        ends = [0, *accumulate(count for *_, count in self.stretches)]
        return [self.values[name][first:last] for first, last in pairwise(ends)]


def read_motion(case: str, entry: dict[str, Any]) -> RecordedMotion:
    """Return an entry of the recorded file."""
    return RecordedMotion(
        case=case,
        variant=entry["variant"],
        curves=tuple(entry["curves"]),
        stretches=tuple((first, last, count) for first, last, count in entry["stretches"]),
        values=entry["values"],
        events=tuple((time, name) for time, name in entry["events"]),
    )


def draw_motion(motion: RecordedMotion) -> str:
    """Draw every curve over the time, with the events as thin lines."""
    events = [(time, _read_event(name)) for time, name in motion.events]
    panels = [(name, motion.values[name]) for name in motion.curves]
    return draw_curves(f"Motion of {motion.case}", motion.times, panels, events)


def _read_event(name: str) -> str:
    return name.rpartition(": ")[2].replace("_", " ")


def draw_portraits(case: Case, motion: RecordedMotion) -> str:
    """Draw curves over each other, as the case says; empty if it does not."""
    pairs = case.shown.portraits
    if not pairs:
        return ""
    lines = [line for across, up in pairs for line in _pair_stretches(motion, across, up)]
    return draw_sketch(
        make_portrait(lines, pairs[0], true_to_scale=case.shown.true_to_scale), f"Portrait of {case.name}"
    )


def _pair_stretches(motion: RecordedMotion, across: str, up: str) -> Iterator[list[Place]]:
    for xs, ys in zip(motion.split(across), motion.split(up), strict=True):
        yield [(x, y) for x, y in zip(xs, ys, strict=True) if x is not None and y is not None]


def make_portrait(lines: Sequence[Sequence[Place]], names: tuple[str, str], *, true_to_scale: bool) -> Sketch:
    """Return a diagram of lines in a frame, with its smallest and largest values at the ends of the axes."""
    (left, right), (low, high) = (
        (min(axis), max(axis)) for axis in zip(*(p for one in lines for p in one), strict=True)
    )
    scales = [size / (last - first or 1.0) for size, first, last in ((WIDE, left, right), (TALL, low, high))]
    across, up = (min(scales), min(scales)) if true_to_scale else scales
    drawn = [[(across * (x - left), up * (y - low)) for x, y in one] for one in lines]
    curves = (SketchLine(points=tuple(one), ink=Ink.MOTION) for one in drawn if len(one) > 1)
    frame = _make_frame(across * (right - left), up * (high - low), names, (left, right, low, high))
    return sketching.sketch(frame, tuple(curves), sketching.dot(drawn[0][0], 0.12))


def _make_frame(width: float, height: float, names: tuple[str, str], ends: tuple[float, ...]) -> Shapes:
    left, right, low, high = (f"{number:.3g}".replace("-", "−") for number in ends)
    w, h, by = width + 0.3, height + 0.3, -0.3
    return (
        *sketching.plane((by, by), (w, by), (w, h), (by, h)),
        *sketching.words((0, -0.6), left),
        *sketching.words((width, -0.6), right),
        *sketching.words((width / 2, -0.6), names[0]),
        *sketching.words((-0.45, 0), low, Anchor.END),
        *sketching.words((-0.45, height), high, Anchor.END),
        *sketching.words((-0.45, height / 2), names[1], Anchor.END),
    )


def describe_motion(motion: RecordedMotion) -> str:
    """Return what stands beneath the picture of a motion."""
    said = f"Variant `{motion.variant}`. The engine of the references proved every value to 12 digits"
    return f"{said}, and the instants of the events, drawn as thin lines." if motion.events else f"{said}."


def write_gallery(cases: Iterable[Case], pictures: dict[str, str]) -> str:
    """Return the page of all cases as cards with their pictures, by what they are about first of all."""
    members: dict[str, list[Case]] = {topic: [] for topic in TOPICS}
    for case in cases:
        members[case.topics[0]].append(case)
    head = (
        "# Gallery of cases\n\nEvery case has a page with its statement, parameters, quantities and proved motion. "
        "A case stands under what it is about first of all; `veridyn list --topic` finds all of a topic.\n\n"
    )
    return head + "".join(_write_topic(topic, group, pictures) for topic, group in members.items() if group)


def _write_topic(topic: str, cases: Iterable[Case], pictures: dict[str, str]) -> str:
    cards = "\n".join(_write_card(case, pictures[case.name]) for case in cases)
    title = topic[0].upper() + topic[1:]
    return f"## {title}\n\nCases of {TOPICS[topic]}.\n\n`````{{grid}} 1 2 3 3\n:gutter: 3\n\n{cards}\n`````\n\n"


def _write_card(case: Case, picture: str) -> str:
    return (
        f"````{{grid-item-card}} {case.title}\n:link: cases/{case.name}\n:link-type: doc\n:img-top: {picture}\n"
        f":img-alt: {case.title}\n:class-item: case\n\n`{case.name}`\n````\n"
    )
