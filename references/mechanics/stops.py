"""Stops: free, pressing, parted; rigid ones touch, and hold as long as they push."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy
from sympy import Expr, Symbol

from veridyn.problem.as_initial_value import plain
from veridyn.problem.elements import Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import exact_field
from veridyn.references.mechanics.elements import Bound, Constraint, Element, Place, Push, Touch
from veridyn.references.mechanics.frame import ZERO, Frame


def push_of(name: str) -> Symbol:
    """Return the reading of the force (N) with which a stop pushes."""
    return Symbol(f"push_{plain(name)}")


def gap_of(label: str) -> Symbol:
    """Return the reading of the gap (m) of a side of a stop: ``NAME``, or ``NAME_above`` and ``NAME_below``."""
    return Symbol(f"gap_{label}")


def make_stop(frame: Frame, stop: Stop) -> Element:
    """Return a stop as an element; raises `ProblemError` for a profile."""
    if stop.geometry == "profile":
        raise ProblemError(f"{frame.problem.name}: stop {stop.name!r} is a profile, which has no exact law: planes and "
                           "circles only")  # fmt: skip
    y, w = frame.local(exact_field(stop, "normal"), stop.frame)
    y += frame.number(stop, "offset")
    if stop.lateral is not None:
        return _curved(frame, stop, y, w)
    gap, name = frame.number(stop, "gap"), plain(stop.name)
    along = frame.along(exact_field(stop, "normal"))
    sides = [(1, name)] if stop.geometry == "plane" else [(1, f"{name}_above"), (-1, f"{name}_below")]
    touches = []
    for side, label in sides:
        unit = tuple(-side * a for a in along)
        gap_here, rate = gap - side * y, -side * w
        touches.append((_rigid if stop.rigid else _elastic)(frame, stop, label, gap_here, rate, unit))
    return _join(stop.name, touches)


def _elastic(frame: Frame, stop: Stop, label: str, gap: Expr, rate: Expr, unit: tuple[Expr, ...]) -> Element:
    """Return one side of a stop that gives way; ``unit`` (r,) are the forces of a push of 1 N."""
    stiffness, damping = frame.number(stop, "stiffness"), frame.number(stop, "damping")
    push = -stiffness * gap - damping * rate
    reading = {push_of(stop.name): push, gap_of(label): gap}
    idle = {push_of(stop.name): ZERO, gap_of(label): gap}
    free = Place("free", (Bound(f"{label}_closes", gap),), readings=idle)
    opens = Bound(f"{label}_opens", -gap)
    # Without a damper the push is -stiffness × gap: both bounds of the pressing place would be one.
    parts = (Bound(f"{label}_parts", push),) if stop.damping else ()
    pressing = Place(f"{label} presses", (opens, *parts), (Push(unit, push),), readings=reading, idle="free")
    if not stop.damping:
        return Element(stop.name, (free, pressing))
    parted = Place(f"{label} parted", (opens, Bound(f"{label}_presses_again", -push)), readings=idle, idle="free")
    return Element(stop.name, (free, pressing, parted))


def _rigid(frame: Frame, stop: Stop, label: str, gap: Expr, rate: Expr, unit: tuple[Expr, ...]) -> Element:
    """Return one side of a rigid stop: free, or in contact as long as it pushes."""
    assert stop.restitution is not None
    force = Symbol(f"force of {label}")
    hits = Bound(f"{label}_hits", gap, is_impact=True)
    free = Place("free", (hits,), readings={push_of(stop.name): ZERO, gap_of(label): gap})
    contact = Place(
        f"{label} touches",
        (Bound(f"{label}_releases", force),),
        (Push(unit, force),),
        (Constraint(force, rate),),
        zeros=(gap, rate),
        readings={push_of(stop.name): force, gap_of(label): ZERO},
        idle="free",
    )
    touch = Touch(hits.event, gap, rate, unit, frame.number(stop, "restitution"), push_of(stop.name))
    return Element(stop.name, (free, contact), touches=(touch,))


def _curved(frame: Frame, stop: Stop, y: Expr, w: Expr) -> Element:
    """Return a stop inside or outside of a circle."""
    assert stop.lateral is not None
    z, u = frame.local(exact_field(stop, "lateral"), stop.frame)
    z += frame.number(stop, "lateral_offset")
    rho, side = sympy.sqrt(y**2 + z**2), 1 if stop.geometry == "circle" else -1
    radius = frame.number(stop, "gap")
    gap = side * (radius - rho)
    rows = zip(frame.along(exact_field(stop, "normal")), frame.along(exact_field(stop, "lateral")), strict=True)
    unit = tuple(-side * (a * y + b * z) / rho for a, b in rows)
    element = _elastic(frame, stop, plain(stop.name), gap, -side * (y * w + z * u) / rho, unit)
    # The radius has no derivative at the centre; its square, which has the same sign of the gap, has one everywhere.
    smooth = side * (radius**2 - y**2 - z**2)
    return replace(element, places=tuple(_with_gap(place, gap, smooth) for place in element.places))


def _with_gap(place: Place, gap: Expr, smooth: Expr) -> Place:
    """Return a place that is bounded by another expression of the same sign as the gap."""
    swapped = {gap: smooth, -gap: -smooth}
    bounds = tuple(replace(b, expression=swapped.get(b.expression, b.expression)) for b in place.bounds)
    return replace(place, bounds=bounds)


def _join(name: str, sides: Sequence[Element]) -> Element:
    """Return a stop of one or two sides: they share the place in which it is free, and the gaps that can be read."""
    gaps = {symbol: gap for side in sides for symbol, gap in side.places[0].readings.items()}
    bounds = tuple(bound for side in sides for bound in side.places[0].bounds)
    free = replace(sides[0].places[0], bounds=bounds, readings=gaps)
    others = (replace(place, readings={**gaps, **place.readings}) for side in sides for place in side.places[1:])
    return Element(name, (free, *others), touches=tuple(touch for side in sides for touch in side.touches))
