"""Friction: sticks, or slips one way; under a constant force or that of a stop; set-valued or by a spring."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr, Symbol, expand

from veridyn.problem.as_initial_value import plain
from veridyn.problem.elements import Friction
from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import exact_field
from veridyn.references.mechanics.elements import Bound, Constraint, Element, Place, Push
from veridyn.references.mechanics.frame import ZERO, Frame
from veridyn.references.mechanics.stops import push_of

Direction = tuple[tuple[Expr, ...], Expr]  # of the unknowns (r,), and the sliding velocity along it (m/s)


def friction_of(name: str) -> Symbol:
    """Return the reading of the force (N) of a friction along its tangent, on the body."""
    return Symbol(f"friction_{plain(name)}")


def slip_of(name: str) -> Symbol:
    """Return the reading of the sliding velocity (m/s) of a friction."""
    return Symbol(f"slip_{plain(name)}")


def power_of(name: str) -> Symbol:
    """Return the reading of the power (W) that a friction takes from the bodies."""
    return Symbol(f"power_{plain(name)}")


def make_friction(frame: Frame, friction: Friction) -> Element:
    """Return a friction as an element.

    Raises
    ------
    ProblemError
        For a rigid or curved stop that presses, and of a spring for two tangents, or the force of a stop.
    """
    normal = _normal(frame, friction)
    if friction.law == "regularised":
        return _spring(frame, friction, normal)
    directions = _join([_along(frame, friction, tangent) for tangent in _tangents(friction)])
    if len(directions) > 1:
        return _plane(frame, friction, normal, directions)
    name = plain(friction.name)
    ((along, w),) = directions
    static, kinetic = (frame.number(friction, name) * normal for name in ("static", "kinetic"))
    hold = Symbol(f"force of {name}")
    # A force that touches what friction can hold is held. A sliding velocity that touches zero does so without an
    # acceleration: to hold the body there takes the kinetic force, and just after less than nothing is left if the
    # static one is no larger, since the velocity grows again. Else the body would stick there: that is not decided.
    sticks = Place(
        "sticks",
        (
            Bound(f"{name}_slips_ahead", static + hold, touches=True),
            Bound(f"{name}_slips_back", static - hold, touches=True),
        ),
        (Push(along, hold),),
        (Constraint(hold, w),),
        zeros=(w,),
        readings={friction_of(friction.name): hold, slip_of(friction.name): ZERO, power_of(friction.name): ZERO},
    )
    slips = [
        Place(
            f"slips {word}",
            (Bound(f"{name}_rests", side * w, touches=static == kinetic),),
            (Push(along, -side * kinetic),),
            readings={
                friction_of(friction.name): -side * kinetic,
                slip_of(friction.name): w,
                power_of(friction.name): side * kinetic * w,
            },
            otherwise="sticks",
        )
        for side, word in ((1, "ahead"), (-1, "back"))
    ]
    return Element(friction.name, (sticks, *slips))


def _along(frame: Frame, friction: Friction, tangent: Any) -> Direction:
    """Return a tangent as a direction of the unknowns (r,), and the sliding velocity along it."""
    return frame.along(tangent), frame.local(tangent, friction.frame)[1]


def _join(directions: list[Direction]) -> list[Direction]:
    """Return two directions that lie along one line as one, others as they are.

    With b = q a the forces -R (a w_a + b w_b)/√(w_a² + w_b²) have w_b = q w_a, so that they are -R √(1 + q²) a along
    the sign of w_a: those of the single direction √(1 + q²) a. What algebra does not show to be one line stays two.
    """
    moved = [direction for direction in directions if any(entry != 0 for entry in direction[0])]
    if len(directions) < 2 or not moved:
        return directions
    (a, w), (b, v) = directions if moved[0] is directions[0] else directions[::-1]
    j = next(j for j, entry in enumerate(a) if entry != 0)
    if any(expand(entry * b[j] - other * a[j]) != 0 for entry, other in zip((*a, w), (*b, v), strict=True)):
        return directions
    length = sympy.sqrt(1 + (b[j] / a[j]) ** 2)
    return [(tuple(length * entry for entry in a), length * w)]


def _plane(frame: Frame, friction: Friction, normal: Expr, directions: list[Direction]) -> Element:
    """Return friction in two directions: against the sliding velocity, which has a direction only where it is not 0.

    So a motion is followed up to where the sliding begins or ends. Where it ends, its speed touches zero and does not
    cross it: no sign proves that.
    """
    name = plain(friction.name)
    along, slip = zip(*directions, strict=True)
    static, kinetic = (frame.number(friction, name) * normal for name in ("static", "kinetic"))
    holds = [Symbol(f"force of {name} {word}") for word in ("ahead", "across")]
    square = slip[0] ** 2 + slip[1] ** 2
    speed = sympy.sqrt(square)
    force = friction_of(friction.name)
    sticks = Place(
        "sticks",
        (Bound(f"{name}_slips", static**2 - holds[0] ** 2 - holds[1] ** 2),),
        tuple(Push(direction, hold) for direction, hold in zip(along, holds, strict=True)),
        tuple(Constraint(hold, w) for hold, w in zip(holds, slip, strict=True)),
        zeros=tuple(slip),
        readings={force: sympy.sqrt(holds[0] ** 2 + holds[1] ** 2), slip_of(friction.name): ZERO,
                  power_of(friction.name): ZERO},
    )  # fmt: skip
    slips = Place(
        "slips",
        (Bound(f"{name}_rests", square),),
        tuple(Push(direction, -kinetic * w / speed) for direction, w in zip(along, slip, strict=True)),
        readings={force: kinetic, slip_of(friction.name): speed, power_of(friction.name): kinetic * speed},
        otherwise="sticks",
        moves=square,
    )
    return Element(friction.name, (sticks, slips))


def _tangents(friction: Friction) -> tuple[Any, ...]:
    """Return the tangents as they were given; one may have been given alone."""
    tangents = exact_field(friction, "tangents")
    return tuple(tangents) if len(tangents) == len(friction.tangents) else (tangents,)


def _normal(frame: Frame, friction: Friction) -> Expr:
    """Return the force that presses: a number, or the reading of a stop."""
    if not isinstance(friction.normal, str):
        return frame.number(friction, "normal")
    stop = next(stop for stop in frame.problem.stops if stop.name == friction.normal)
    if stop.rigid or stop.curved:
        kind = "rigid" if stop.rigid else "curved"
        raise _refuse(frame, friction, f"is pressed by the {kind} stop {stop.name!r}")
    return push_of(stop.name)


def _spring(frame: Frame, friction: Friction, normal: Expr) -> Element:
    """Return friction that sticks through a spring and a damper; the spring follows where it slips."""
    if isinstance(friction.normal, str) or len(friction.tangents) > 1:
        how = "under the force of a stop" if isinstance(friction.normal, str) else "in two directions"
        raise _refuse(frame, friction, f"sticks through a spring {how}")
    name = plain(friction.name)
    along, w = _along(frame, friction, _tangents(friction)[0])
    spring = Symbol(f"s_{name}")
    stiffness, damping = frame.number(friction, "stiffness"), frame.number(friction, "damping")
    static, kinetic = (frame.number(friction, name) * normal for name in ("static", "kinetic"))
    hold = -stiffness * spring - damping * w
    force, slip, power = friction_of(friction.name), slip_of(friction.name), power_of(friction.name)
    sticks = Place(
        "sticks",
        (Bound(f"{name}_slips_ahead", static + hold), Bound(f"{name}_slips_back", static - hold)),
        (Push(along, hold),),
        rates={spring: w},
        readings={force: hold, slip: w, power: -hold * w},
        starts=(w,),
    )
    slips = [
        Place(
            f"slips {word}",
            (Bound(f"{name}_sticks", side * w),),
            (Push(along, -side * kinetic),),
            # where it comes to rest the spring has the force of the sliding
            rates={spring: ZERO},
            resets={spring: side * kinetic / stiffness},
            readings={force: -side * kinetic, slip: w, power: side * kinetic * w},
            otherwise="sticks",
        )
        for side, word in ((1, "ahead"), (-1, "back"))
    ]
    return Element(friction.name, (sticks, *slips), memory={spring: ZERO}, stays=True)


def _refuse(frame: Frame, friction: Friction, why: str) -> ProblemError:
    return ProblemError(f"{frame.problem.name}: friction {friction.name!r} {why}: no exact law is there")
