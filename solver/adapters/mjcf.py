"""A scene as a model of MuJoCo (MJCF).

Bodies move on slide joints along their axes; each contact is a pair with its coefficient, the cone elliptic. Springs
and dampers to the ground are those of the joints. A force is a motor whose control is its size: MJCF knows no function
of the time. The key frame ``start`` has places and velocities. Source: MuJoCo documentation, chapter XML reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from veridyn.problem.scene import AXES, Body, Contact, Scene, Vector

NOTHING = {"contype": "0", "conaffinity": "0"}  # touches but in pairs
KEYS = (("qpos", "displacement"), ("qvel", "velocity"))
FAR = "100 100 1"  # m, half sizes of a plane as it is drawn


def mjcf(scene: Scene) -> str:
    """Return a scene as MJCF; the time step is the spacing of its outputs.

    Raises `NotImplementedError` for what MJCF does not know: two coefficients of friction, restitution, springs between
    bodies.
    """
    root = ET.Element("mujoco", model=scene.name)
    ET.SubElement(root, "option", timestep=repr(scene.spacing), gravity=_text(scene.gravity), cone="elliptic")
    world, pairs = ET.SubElement(root, "worldbody"), ET.SubElement(root, "contact")
    springs = _springs(scene)
    for body in scene.bodies:
        _body(world, body, springs)
    for contact in scene.contacts:
        _pair(pairs, contact)
    motors = ET.SubElement(root, "actuator")
    for force in scene.forces:
        gear = repr(force.direction[AXES.index(force.axis)])
        ET.SubElement(motors, "motor", name=force.name, joint=f"{force.body}_{force.axis}", gear=gear)
    start = {name: _text(p for body in scene.bodies for p in _along(body, getattr(body, of))) for name, of in KEYS}
    ET.SubElement(ET.SubElement(root, "keyframe"), "key", {"name": "start", **start})
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _body(world: ET.Element, body: Body, springs: dict[tuple[str, str], dict[str, str]]) -> None:
    parent, place = world, _text(body.position)
    if body.moves:
        parent = ET.SubElement(world, "body", name=body.name, pos=place)
        ET.SubElement(parent, "inertial", mass=repr(body.mass), pos="0 0 0", diaginertia=_text([body.mass] * 3))
        place = "0 0 0"
    for axis in body.moves:
        given = {"name": f"{body.name}_{axis}", "type": "slide", "axis": _text(float(other == axis) for other in AXES)}
        ET.SubElement(parent, "joint", given | springs.get((body.name, axis), {}))
    size = FAR if body.shape == "plane" else _text(edge / 2 for edge in body.size)
    # only the pairs below touch
    ET.SubElement(parent, "geom", {"name": body.name, "type": body.shape, "size": size, "pos": place, **NOTHING})


def _along(body: Body, vector: Vector) -> list[float]:
    return [vector[AXES.index(axis)] for axis in body.moves]


def _pair(pairs: ET.Element, contact: Contact) -> None:
    coefficient, (one, other) = contact.coefficient("MJCF"), contact.bodies
    if contact.restitution:
        raise NotImplementedError(f"the contact {contact.name} has a coefficient of restitution, MJCF none")
    both = _text((coefficient, coefficient, 0.0, 0.0, 0.0))
    ET.SubElement(pairs, "pair", name=contact.name, geom1=one, geom2=other, condim="3", friction=both)


def _springs(scene: Scene) -> dict[tuple[str, str], dict[str, str]]:
    """Return stiffness and damping of the joints, by body and axis."""
    result: dict[tuple[str, str], dict[str, str]] = {at: {} for at in scene.coordinates.values()}
    for name, rows in (("stiffness", scene.stiffness), ("damping", scene.damping)):
        for i, (row, at) in enumerate(zip(rows, result, strict=False)):
            if any(value for j, value in enumerate(row) if j != i) or row[i] < 0:
                raise NotImplementedError(f"{name} that is none of single joints")
            result[at][name] = repr(row[i])
    return result


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)
