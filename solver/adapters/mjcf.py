"""A scene as a model of MuJoCo (MJCF).

Bodies move on slide joints along their axes, or freely; each contact is a pair with its coefficient, the cone elliptic.
A force is a motor whose control is its size: MJCF knows no function of the time. The key frame ``start`` has the
velocities. Sources: MuJoCo documentation, chapter XML reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from veridyn.solver.errors import ProblemError
from veridyn.solver.problem.scene import AXES, Body, Contact, Scene

NOTHING = {"contype": "0", "conaffinity": "0"}  # touches but in pairs
FAR = "100 100 1"  # m, half sizes of a plane as it is drawn


def mjcf(scene: Scene) -> str:
    """Return a scene as MJCF; the time step is the spacing of its outputs.

    Raises
    ------
    ProblemError
        For what MJCF does not know: two coefficients of friction, restitution.
    """
    root = ET.Element("mujoco", model=scene.name)
    ET.SubElement(root, "option", timestep=repr(scene.spacing), gravity=_text(scene.gravity), cone="elliptic")
    world, pairs = ET.SubElement(root, "worldbody"), ET.SubElement(root, "contact")
    for body in scene.bodies:
        _body(world, body)
    for contact in scene.contacts:
        _pair(pairs, scene, contact)
    motors = ET.SubElement(root, "actuator")
    for force in scene.forces:
        axis = AXES[max(range(3), key=lambda i: abs(force.direction[i]))]
        gear = repr(force.direction[AXES.index(axis)])
        ET.SubElement(motors, "motor", name=force.name, joint=f"{force.body}_{axis}", gear=gear)
    speeds = [part for body in scene.bodies for part in _speeds(body)]
    ET.SubElement(ET.SubElement(root, "keyframe"), "key", name="start", qvel=_text(speeds))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _body(world: ET.Element, body: Body) -> None:
    parent = world
    if body.moves:
        parent = ET.SubElement(world, "body", name=body.name, pos=_text(body.position))
        inertia = {"mass": repr(body.mass), "pos": "0 0 0", "diaginertia": _text(body.inertia)}
        ET.SubElement(parent, "inertial", inertia)
        _joints(parent, body)
    size = FAR if body.shape == "plane" else _text(edge / 2 for edge in body.size)
    place = {} if body.moves else {"pos": _text(body.position)}
    # only the pairs below touch
    ET.SubElement(parent, "geom", {"name": body.name, "type": body.shape, "size": size, **place, **NOTHING})


def _joints(parent: ET.Element, body: Body) -> None:
    if body.turns:
        ET.SubElement(parent, "freejoint", name=body.name)
        return
    for axis in body.moves:
        unit = _text(float(other == axis) for other in AXES)
        ET.SubElement(parent, "joint", name=f"{body.name}_{axis}", type="slide", axis=unit)


def _speeds(body: Body) -> list[float]:
    """Return the velocities of the joints of a body."""
    if body.turns:
        return [*body.velocity, 0.0, 0.0, 0.0]
    return [body.velocity[AXES.index(axis)] for axis in body.moves]


def _pair(pairs: ET.Element, scene: Scene, contact: Contact) -> None:
    owner = f"{scene.name}: the contact of {' and '.join(contact.bodies)}"
    if contact.static != contact.kinetic:
        raise ProblemError(f"{owner} has two coefficients of friction, MJCF one: export --format scene, or equal ones")
    if contact.restitution:
        raise ProblemError(f"{owner} has a coefficient of restitution, MJCF none: export --format scene")
    one, other = contact.bodies
    both = _text((contact.kinetic, contact.kinetic, 0.0, 0.0, 0.0))
    ET.SubElement(pairs, "pair", geom1=one, geom2=other, condim="3", friction=both)


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)
