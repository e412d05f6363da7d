"""Contacts of a mass that starts at a stop: every cycle is like the first, slower by the same share.

Mass, spring and stop alone make a problem without a length or a time of its own: no load, no gap, and forces that grow
as displacement and velocity do. At the second touch the mass is where it was at the start, with e times the velocity.
So from there on it moves as before, e times as far, in the same times: what is proved of the first cycle is true of
all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from veridyn.references.certified import Certified
from veridyn.references.parameters import check_count
from veridyn.references.problems.hybrid import MotionQuantities
from veridyn.references.reference import Reference
from veridyn.references.second_routes.contact_cycle import ContactCycle

TOUCHED = ("stop_closes", 1)  # again: the motion begins with a touch
OPENED = ("stop_opens", 1)


@dataclass(frozen=True, eq=False)
class Contacts:
    """Quantities of contacts, counted from 1, with one coordinate x and a stop of the name ``stop``.

    ``close``: the cycle in closed form; ``release``: the event with which the force ends.
    """

    motion: MotionQuantities
    close: Callable[[Any], ContactCycle]
    release: str = "stop_opens"

    @cached_property
    def parts(self) -> dict[str, Reference[Certified]]:
        """The first cycle, with the names of `ContactCycle`."""
        motion, force = self.motion, "push_stop"
        furthest = motion.smallest("x", until=TOUCHED)
        return {
            "released": motion.event(self.release),
            "opened": motion.event(*OPENED),
            "lasts": motion.event(*TOUCHED),
            "peaked": motion.instant_of_largest(force, until=OPENED),
            "peak": motion.largest(force, until=OPENED),
            "impulse": motion.integral(force, until=OPENED),
            "rebound": motion.combine("rebound", lambda p: -p.furthest, {"furthest": furthest}),
            "back": motion.value("v_x", TOUCHED),
        }

    def touch(self, contact: int = 1) -> Reference[Certified]:
        """Return the instant at which a contact begins (s); the first begins at t = 0."""
        return self._read(
            "touch",
            lambda c, n: n * c.lasts,
            "sum of the cycles before, each a contact and half a period of flight",
            contact,
        )

    def opening(self, contact: int = 1) -> Reference[Certified]:
        """Return the instant at which the mass leaves the place of the stop, x = 0 (s)."""
        return self._read(
            "opening",
            lambda c, n: n * c.lasts + c.opened,
            "sum of the cycles before, then contact and flight in closed form",
            contact,
        )

    def flight_duration(self) -> Reference[Certified]:
        """Return the duration of each flight (s)."""
        return self._read("flight_duration", lambda c, _: c.lasts - c.opened, "half a period of flight")

    def force_duration(self) -> Reference[Certified]:
        """Return the time that the stop pushes in each contact (s)."""
        return self._read(
            "force_duration", lambda c, _: c.released, "damped sine of the contact, up to the zero of its force"
        )

    def restitution(self) -> Reference[Certified]:
        """Return the velocity of a touch over that of the touch before."""
        return self._read(
            "restitution",
            lambda c, _: _share(c),
            "speed of the flight at the place of the stop, by the energy at release",
        )

    def rebound(self, contact: int = 1) -> Reference[Certified]:
        """Return the largest distance from the stop after a contact (m)."""
        return self._read(
            "rebound",
            lambda c, n: _share(c) ** n * c.rebound,
            "first speed times the restitution of every contact, over the natural frequency",
            contact,
        )

    def peak_force(self, contact: int = 1) -> Reference[Certified]:
        """Return the largest force of a contact (N)."""
        how = "speed at the touch times the force per speed: where its rate is zero, or at the touch if it never grows"
        return self._read("peak_force", lambda c, n: _share(c) ** n * c.peak, how, contact)

    def peak_time(self, contact: int = 1) -> Reference[Certified]:
        """Return the instant of the largest force of a contact (s)."""
        how = "sum of the cycles before, then the first zero of the rate of the force"
        return self._read("peak_time", lambda c, n: n * c.lasts + c.peaked, how, contact)

    def impulse(self, contact: int = 1) -> Reference[Certified]:
        """Return the impulse of the stop alone in a contact (N s)."""
        how = "change of momentum less the impulse of the spring"
        return self._read("impulse", lambda c, n: _share(c) ** n * c.impulse, how, contact)

    def impact_velocity(self, contact: int = 1) -> Reference[Certified]:
        """Return the velocity at a touch (m/s): an approach counts as negative."""
        return self._read(
            "impact_velocity",
            lambda c, n: -c.v0 * _share(c) ** n,
            "first speed times the restitution of every contact before",
            contact,
        )

    def energy(self, contact: int = 1) -> Reference[Certified]:
        """Return the energy of the flight after a contact (J)."""
        return self._read(
            "energy",
            lambda c, n: c.k * (_share(c) ** n * c.rebound) ** 2 / 2,
            "half the stiffness times the square of the rebound",
            contact,
        )

    def _read(self, name: str, read: Callable[[Any, int], Any], how: str, contact: int = 1) -> Reference[Certified]:
        """Return what a function makes of the cycle and the number of contacts before; raises `ParameterError`."""
        before = check_count(contact, "contact") - 1
        return self.motion.combine(
            name,
            lambda c: read(c, before),
            self.parts,
            second=lambda p: read(self.close(p), before),
            how=how,
            kind="closed form",
        )


def _share(cycle: Any) -> Any:
    """Return the share of the speed that a contact leaves."""
    return cycle.back / cycle.v0
