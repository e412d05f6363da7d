"""Devices: springs and dampers by pieces of polynomials, and a spring with a dashpot in series."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr, Symbol

from veridyn.problem.as_initial_value import plain
from veridyn.problem.devices import Device, NonlinearDamper, PiecewiseLaw, Zener
from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import exact_field
from veridyn.references.mechanics.elements import Bound, Element, Place, Push
from veridyn.references.mechanics.frame import ZERO, Frame


def force_of(name: str) -> Symbol:
    """Return the reading of the force (N) with which a device resists its elongation."""
    return Symbol(f"force_{plain(name)}")


def make_device(frame: Frame, device: Device) -> Element:
    """Return a device as an element; raises `ProblemError` for one that has no exact law here."""
    u, w = frame.local(exact_field(device, "direction"), device.frame)
    u += frame.number(device, "offset")
    if isinstance(device, PiecewiseLaw):
        return _pieces(frame, device, w if isinstance(device, NonlinearDamper) else u)
    if isinstance(device, Zener):
        return _zener(frame, device, u, w)
    raise ProblemError(f"{frame.problem.name}: {device.owner} remembers its largest crush: no exact law is there")


def _pieces(frame: Frame, law: PiecewiseLaw, z: Expr) -> Element:
    """Return a law by pieces: a place a polynomial, between two breaks."""
    name, breaks = plain(law.name), [frame.read(b) for b in exact_field(law, "breaks")]
    along, places = frame.along(exact_field(law, "direction")), []
    origins = (breaks[0], *breaks)
    for i, (row, origin) in enumerate(zip(exact_field(law, "coefficients"), origins, strict=True)):
        force = sum((frame.read(c) * (z - origin) ** k for k, c in enumerate(row)), ZERO)
        bounds = []
        if i > 0:
            bounds.append(Bound(f"{name}_falls_{i}", z - breaks[i - 1]))
        if i < len(breaks):
            bounds.append(Bound(f"{name}_rises_{i + 1}", breaks[i] - z))
        push = Push(along, -force)
        places.append(Place(f"piece {i}", tuple(bounds), (push,), readings={force_of(law.name): force}))
    return Element(law.name, tuple(places))


def _zener(frame: Frame, device: Zener, u: Expr, w: Expr) -> Element:
    """Return a spring in series with a dashpot whose rate is a whole power of its force, with the sign of the force."""
    power = Fraction(1 / device.alpha).limit_denominator(1000)
    if power.denominator != 1 or float(power) * device.alpha != 1.0:
        raise ProblemError(
            f"{frame.problem.name}: {device.owner}: alpha = {device.alpha} gives a rate that is no polynomial: "
            "1, 1/2, 1/3 … only"
        )
    if frame.number(device, "alpha").free_symbols:
        raise ProblemError(f"{frame.problem.name}: {device.owner}: there is no derivative with respect to alpha")
    k1, k2, k3, damping = (frame.number(device, name) for name in ("k1", "k2", "k3", "damping"))
    # The force of the dashpot is the state, not its path: near zero a power of the difference of two lengths would be
    # blunt. With the path z it is e u - f z, and the path has the rate sign(D) |D/C|^n.
    carried, path = Symbol(f"d_{plain(device.name)}"), Symbol(f"w_{plain(device.name)}")
    e, f = (k3 * k / (k1 + k2 + k3) for k in (k1, k1 + k2))
    force = (carried + k2 * u) * k1 / (k1 + k2)
    push = Push(frame.along(exact_field(device, "direction")), -force)
    readings = {force_of(device.name): force, path: (e * u - carried) / f}
    # An odd power has the sign of its base. An even one is a polynomial on either side of zero.
    sides = (("moves", 1),) if power.numerator % 2 else (("pulled", 1), ("pushed", -1))
    places = tuple(
        Place(
            name,
            () if len(sides) == 1 else (Bound(f"{plain(device.name)}_turns", side * carried),),
            (push,),
            rates={carried: e * w - side * f * (carried / damping) ** power.numerator},
            readings=readings,
        )
        for name, side in sides
    )
    begun = e * frame.at_start(u) - f * frame.number(device, "path")
    return Element(device.name, places, memory={carried: begun})
