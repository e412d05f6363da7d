"""What a report draws of a mechanical system: masses in a line with what joins them, or a beam."""

from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.record import Number
from veridyn.results.words import BeamSide, Holding, Side

Name = Annotated[str, Meta(max_length=200)]
Positive = Annotated[int, Meta(gt=0)] | Annotated[float, Meta(gt=0)]
Ends = Annotated[
    tuple[Name, ...],
    Meta(
        min_length=1,
        max_length=2,
        description="One or two coordinates, or a coordinate and `ground` or a moving support.",
    ),
]


class DrawnMass(Struct, frozen=True, kw_only=True):
    """A coordinate with its mass."""

    name: Annotated[str, Meta(max_length=200, description="Name of the coordinate.")]
    mass: Annotated[Number, Meta(description="In kg.")]
    velocity: Annotated[Number, Meta(description="Initial velocity in m/s.")] = 0


class DrawnLink(Struct, frozen=True, kw_only=True):
    """A linear spring or damper."""

    ends: Ends
    value: Annotated[Number, Meta(description="Stiffness or damping.")]


class DrawnStop(Struct, frozen=True, kw_only=True):
    """A unilateral stop, elastic or rigid."""

    name: Annotated[str, Meta(description="Name of the stop.")] = ""
    ends: Ends
    side: Annotated[Side, Meta(description="Where it stands.")] = Side.RIGHT
    gap: Annotated[Number, Meta(description="Initial gap in m.")]
    stiffness: Annotated[Number | None, Meta(description="In N/m; none of a rigid stop.")] = None
    restitution: Annotated[Number | None, Meta(description="Of a rigid stop.")] = None
    damping: Annotated[Number, Meta(description="Of the closed stop, in N s/m.")] = 0


class DrawnFriction(Struct, frozen=True, kw_only=True):
    """Dry friction."""

    name: Annotated[str, Meta(description="Name of the friction.")] = ""
    ends: Ends
    on: Annotated[str, Meta(description="The moving support that it rubs on; empty if it stands still.")] = ""
    static: Annotated[Number, Meta(description="Coefficient.")]
    kinetic: Annotated[Number, Meta(description="Coefficient.")]


class DrawnDevice(Struct, frozen=True, kw_only=True):
    """A local law that is no straight line."""

    name: Annotated[str, Meta(max_length=200, description="Name of the device.")] = ""
    ends: Ends
    type: Annotated[str, Meta(max_length=200, description="Name of the law.")]
    side: Annotated[Side, Meta(description="Where it stands if it joins one mass to the ground: left or right.")] = (
        Side.LEFT
    )


class DrawnSystem(Struct, frozen=True, kw_only=True):
    """A line of masses with what joins them, from left to right."""

    masses: Annotated[
        tuple[DrawnMass, ...], Meta(min_length=1, max_length=8, description="Coordinates from left to right.")
    ]
    springs: Annotated[tuple[DrawnLink, ...], Meta(max_length=64, description="Linear springs, `value` in N/m.")] = ()
    dampers: Annotated[
        tuple[DrawnLink, ...], Meta(max_length=64, description="Viscous dampers, `value` in N s/m.")
    ] = ()
    stops: Annotated[tuple[DrawnStop, ...], Meta(max_length=32, description="Unilateral elastic stops.")] = ()
    frictions: Annotated[tuple[DrawnFriction, ...], Meta(max_length=32, description="Dry friction.")] = ()
    devices: Annotated[
        tuple[DrawnDevice, ...],
        Meta(max_length=32, description="Local laws that are no straight line, such as `zener`."),
    ] = ()
    loads: Annotated[tuple[str, ...], Meta(description="Coordinates with a load.")] = ()
    supports: Annotated[tuple[str, ...], Meta(description="Moving supports.")] = ()


Place = Annotated[Number, Meta(description="Distance from the left end in m.")]


class BeamSupport(Struct, frozen=True, kw_only=True):
    """A place where a beam is held."""

    at: Place
    kind: Annotated[Holding, Meta(description="How.")]


class Shape(Struct, frozen=True, kw_only=True):
    """A shape that a beam moves in."""

    name: Annotated[str, Meta(max_length=24, description="Name of the shape.")]
    y: Annotated[
        tuple[Number, ...],
        Meta(
            min_length=2,
            max_length=400,
            description="Ordinates at evenly spread places, both ends included, to any scale.",
        ),
    ]


class BeamVelocity(Struct, frozen=True, kw_only=True):
    """The velocity of a beam at a place, at the start."""

    at: Place
    value: Annotated[Number, Meta(description="In m/s, upwards.")]


class BeamStop(Struct, frozen=True, kw_only=True):
    """A stop that a beam meets."""

    name: Annotated[str, Meta(description="Name of the stop.")] = ""
    at: Place
    side: Annotated[BeamSide, Meta(description="Where it stands.")] = BeamSide.BELOW
    gap: Annotated[Number, Meta(description="Initial gap in m.")]
    stiffness: Annotated[Number | None, Meta(description="In N/m; none of a rigid stop.")] = None
    restitution: Annotated[Number | None, Meta(description="Of a rigid stop.")] = None


class DrawnBeam(Struct, frozen=True, kw_only=True):
    """A beam that a problem gives by its modes."""

    length: Annotated[Positive, Meta(description="In m.")]
    supports: Annotated[tuple[BeamSupport, ...], Meta(max_length=16, description="Where the beam is held.")] = ()
    shapes: Annotated[tuple[Shape, ...], Meta(max_length=6, description="Shapes that the beam moves in.")] = ()
    velocities: Annotated[tuple[BeamVelocity, ...], Meta(max_length=64, description="At the start.")] = ()
    stops: Annotated[tuple[BeamStop, ...], Meta(max_length=16, description="Unilateral elastic stops.")] = ()
