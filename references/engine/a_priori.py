"""Boxes that a motion provably keeps to: they grow until the image of a box lies inside it."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from veridyn.references.engine.jets import Ball, Jet, curve, differentiated, find_order, hull, slope, stack, value

LEAST = arb(2) ** -100_000  # beside any number of a motion, and more than a point


def inflate(x: Ball) -> Ball:
    """Return a ball somewhat larger, and never a point; of a number with derivatives, all of them."""
    if isinstance(x, Jet):
        return Jet(inflate(x.value), inflate(x.slope), None, None if x.curve is None else inflate(x.curve))
    return arb(x.mid(), x.rad() * 1.125 + abs(x.mid()) * arb(2) ** -20 + LEAST)


def grow_box(box: Sequence[Ball], image: Sequence[Ball]) -> list[Ball]:
    """Return a box that may hold an image of itself: larger along the states whose image leaves it."""
    # If all grew, a state at rest away from zero would outgrow, in every round, the rates that follow from it.
    return [grow(b, i) for b, i in zip(box, image, strict=True)]


def grow(box: Ball, image: Ball) -> Ball:
    """Return a ball, or its parts where it has derivatives, larger if that of the image leaves it."""
    if is_inside(image, box):
        return box
    if not differentiated(box, image):
        return inflate(hull(box, image))
    # part by part: a value that grew each time its derivative does would outgrow that, which follows from it
    bends = curve(box), curve(image)
    bend = None if any(each is None for each in bends) else grow(*bends)
    return Jet(grow(value(box), value(image)), grow(slope(box), slope(image)), None, bend)


def clip(x: Ball, wide: arb) -> Ball:
    """Return what of a ball lies in another; a pair keeps its derivative."""
    if isinstance(x, Jet):
        return Jet(clip(x.value, wide), x.slope, None, x.curve)
    return arb(x).intersection(wide)


def is_inside(x: Ball, wide: Ball) -> bool:
    """Tell whether a ball lies inside another, and its derivatives inside those of the other."""
    if isinstance(x, Jet) and not isinstance(wide, Jet):
        return False  # a state without a derivative whose rate has one: its box must get one
    if isinstance(wide, Jet):
        return all(
            is_inside(part, around)
            for part, around in zip(stack([x], find_order(wide)), stack([wide], find_order(wide)), strict=True)
        )
    return bool(wide.contains_interior(x))
