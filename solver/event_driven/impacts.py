"""Impacts on rigid stops: Newton's law of restitution along normals, Coulomb's law of impulses along tangents.

A stop that is hit gives an impulse p along its normal, and a friction that it presses one of at most ``kinetic × p``
along its tangent, against the sliding that is left, any within that bound where none is left. Tangents have no
restitution, and other frictions give no impulse. All impulses of an instant are found together.

Sources: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, CISM Courses 302, Springer 1988;
F. Pfeiffer and C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, chapter 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.contact_modes import SLIPS, ContactMode, Grip, Touch
from veridyn.solver.event_driven.mechanics import AT_REST, DEPENDENT, Mechanics, norms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STICK, FREE = Grip.STICK, Grip.FREE
ALIKE = 1e-9  # of the speed; velocities that differ less are one


@dataclass(frozen=True, eq=False)
class ImpactOutcome:
    """What an impact does: state (2n,) and mode after it, the stops that give impulses, how many hops are too short.

    Whether a stop that is touched without a rate closes is for complementarity to say. ``ambiguous``: friction allows
    other velocities too, and those of least kinetic energy were taken.
    """

    state: Floats
    mode: ContactMode
    hit: tuple[int, ...] = ()
    short: int = 0
    ambiguous: bool = False


def impact(mechanics: Mechanics, mode: ContactMode, y: Floats, u: Floats, scale: float, apart: float) -> ImpactOutcome:
    """Return what the rigid stops do that a body touches; nothing, if none of them is approached.

    A stop is touched if it will be within the resolution of instants, ``apart`` of the time ``scale`` (s), and a hop
    that does not last as long, or is no higher than rounding of the way in that time, is none: there the impacts, which
    accumulate, end in rest.

    Raises
    ------
    SolverFailure
        If no velocities obey the law: different restitutions in dependent directions, walls that move together, a
        wedge that friction jams.
    """
    n, resolution = mechanics.problem.size, apart * scale
    low, still, _ = mechanics.rounding(mode, y, u, scale)
    near = mechanics.gaps(y, u) <= low + resolution * np.abs(mechanics.gap_rates(y, u))
    touched = np.flatnonzero(mechanics.rigid & near)
    if not touched.size:
        return ImpactOutcome(y, mode)
    W, rest = -mechanics.normals[touched], still[touched]
    blow = Blow.on(mechanics, touched)
    hits = np.where(-W @ y[n:] > rest, -W @ y[n:], 0.0)
    impulses, v, ambiguous = blow.shared(y[n:], hits * [mechanics.problem.stops[i].restitution for i in touched])
    speed = mechanics.speed(y[n:])  # an impact may leave nothing but rounding of it
    opened = _with_touch(mechanics, mode, touched, Touch.OPEN, v, speed)
    resting = _with_touch(mechanics, opened, touched[W @ v <= rest], Touch.CLOSED, v, speed)
    state = np.concatenate((y[:n], v))
    fall = np.max([-W @ mechanics.flow(each).rate(state, u)[n:] for each in (opened, resting)], axis=0)
    # A hop with speed w against an acceleration f lasts 2 w/f and rises to w²/(2 f). It is no hop if it is shorter than
    # the resolution, w <= f × resolution/2, or no higher than twice the rounding of a gap, w <= 2 √(low f). Without
    # such an end impacts with restitution go on for ever: their times form a geometric series.
    lowest = np.maximum(0.5 * resolution * fall, 2 * np.sqrt(low[touched] * np.abs(fall)))
    slow = (fall > 0) & (np.abs(W @ v) <= lowest)
    short = slow & (W @ v > rest)
    if short.any():  # what is slow or at rest stays together, or a hop would go on with another stop
        calm = touched[slow | (np.abs(W @ v) <= rest)]
        v = _calmed(mechanics, calm, _with_touch(mechanics, mode, calm, Touch.CLOSED, v, speed), v)
    after = _with_touch(mechanics, mode, touched[(W @ v > rest) & ~short], Touch.OPEN, v, speed)
    hit = touched[impulses * norms(W @ mechanics.root) ** 2 > rest]
    return ImpactOutcome(
        np.concatenate((y[:n], v)), after, tuple(hit.tolist()), int(np.count_nonzero(short)), ambiguous
    )


def _calmed(mechanics: Mechanics, calm: Ints, mode: ContactMode, v: Floats) -> Floats:
    """Return velocities without those along stops, in whose mode they rest.

    The hops left out take the momentum of the forces, as rest does from now on, but for what is taken here; and so does
    the friction under them.
    """
    under = mechanics.presses[:, calm].sum(axis=1) > 0
    stuck = np.flatnonzero(under & np.equal(mode.frictions, STICK))
    held = mechanics.held(tuple(stuck.tolist()), tuple(calm.tolist()), mode)
    momentum = np.asarray(mechanics.problem.mass) @ v
    momentum[mechanics.supports] = v[mechanics.supports]
    impulses = held.forces.T @ held.demand @ momentum
    return np.asarray(held.hold @ (v - mechanics.root @ mechanics.root.T @ impulses))


def _with_touch(
    mechanics: Mechanics, mode: ContactMode, which: Ints, touch: Touch, v: Floats, speed: float
) -> ContactMode:
    """Return a mode with another state of some stops, and what the frictions do then with velocities (n,).

    A force does not hold against an impulse: what moves, slips. ``speed`` is the norm of the velocities before, which
    rounding is measured against.
    """
    changed = set(which.tolist())
    stops = tuple(touch if i in changed else each for i, each in enumerate(mode.stops))
    moving = AT_REST * mechanics.reach * speed
    grips = []
    for j, (grip, glide) in enumerate(zip(mode.frictions, mechanics.tangents @ v, strict=True)):
        if not mechanics.pressed(mechanics.problem.frictions[j], ContactMode(stops, ())):
            grips.append(FREE)
        elif j in mechanics.springs:
            grips.append(grip)
        elif abs(glide) > moving[j]:
            grips.append(Grip(int(np.sign(glide))))
        else:
            grips.append(STICK if grip is FREE or mechanics.jams[j] else grip)
    return ContactMode(stops, tuple(grips))


@dataclass(frozen=True, eq=False)
class Blow:
    """Stops (k) that are touched, and frictions (f) that they press: normals, then tangents, as ``W`` (k + f, n).

    Impulses and velocities along them are those of directions of unit ``sizes``, in the norm of the kinetic energy,
    in whose coordinates they are ``along`` (k + f, n): ``A`` (k + f, k + f) turns the first into the second. The
    tangential impulses are at most ``limits`` (f, k) times those of the stops.
    """

    mechanics: Mechanics
    W: Floats
    sizes: Floats
    along: Floats
    limits: Floats

    @cached_property
    def A(self) -> Floats:  # noqa: N802 - its name in the literature
        """Return the velocities along all directions under a unit impulse along each."""
        return np.asarray(self.along @ self.along.T)

    @classmethod
    def on(cls, mechanics: Mechanics, touched: Ints) -> Blow:
        """Return the blow of touched stops."""
        presses, k = mechanics.presses[:, touched], touched.size
        rubs = np.flatnonzero(presses.sum(axis=1))
        W = np.vstack((-mechanics.normals[touched], mechanics.tangents[rubs]))
        sizes = norms(W @ mechanics.root)
        along = W @ mechanics.root / sizes[:, None]
        kinetic = np.array([mechanics.problem.frictions[j].kinetic for j in rubs])
        limits = kinetic[:, None] * presses[rubs] * sizes[k:, None] / sizes[:k]
        return cls(mechanics, W, sizes, along, limits)

    def shared(self, v: Floats, least: Floats) -> tuple[Floats, Floats, bool]:
        """Return impulses p (k,) and velocities v' with ``0 <= p ⊥ W v' - least >= 0``; whether there are others.

        Without frictions the velocities are unique. With them those are taken that take impulses of the fewest stops
        (friction may jam what nothing hits), of these those of least kinetic energy; others of as few count.

        Raises
        ------
        SolverFailure
            If there are none.
        """
        mechanics, k, speed = self.mechanics, least.size, self.mechanics.speed(v)
        least = np.concatenate((least, np.zeros(len(self.W) - k))) / self.sizes
        slack = AT_REST * (speed * mechanics.lengths(self.W) / self.sizes + least)
        rates = self.W @ v / self.sizes - least
        # Without friction: w = A p + q with 0 <= p ⊥ w >= 0. For two solutions (p - p')·(w - w') = -p·w' - p'·w
        # <= 0, while A is positive semidefinite; so A (p - p') = 0, and the velocities agree though impulses
        # may not. All active sets are tried in order of size. An iteration would leave its tolerance in
        # velocities that have to vanish.
        result = (list(self._found(rates, slack, count)) for count in range(k + 1))
        obeying = next(filter(None, result), [])
        if not obeying:
            raise SolverFailure(
                f"{mechanics.problem.name}: no velocities obey the stops that are hit together: they crush what is "
                "between, friction jams them, or they have different restitutions in dependent directions"
            )
        after = [v + mechanics.root @ (impulses @ self.along) for impulses in obeying]
        best = int(np.argmin([mechanics.speed(each) for each in after])) if len(after) > 1 else 0
        apart = max(mechanics.speed(after[best] - other) for other in after)
        return obeying[best][:k] / self.sizes[:k], after[best], apart > ALIKE * speed

    def _found(self, rates: Floats, slack: Floats, count: int) -> Iterator[Floats]:
        """Generate all impulses (k + f,) that obey the laws, so many stops giving one.

        ``rates`` (k + f,) are the velocities before, less the least ones after.
        """
        for active in combinations(range(self.limits.shape[1]), count):
            pressed = self.limits[:, list(active)].sum(axis=1)
            for kinds in product(*((STICK, *SLIPS) if most > 0 else (FREE,) for most in pressed)):
                grips = np.array(kinds, dtype=int)
                impulses = self._impulses(active, grips, rates)
                if self._obeys(impulses, grips, rates + self.A @ impulses, slack):
                    yield impulses

    def _impulses(self, active: tuple[int, ...], grips: Ints, rates: Floats) -> Floats:
        """Return impulses (k + f,) for which active stops, and frictions that stick, get what they lack."""
        if not active:
            return np.zeros(len(self.W))
        k, unit = self.limits.shape[1], np.eye(len(self.W))
        unit[k:, :k] = -np.where(np.abs(grips) == 1, grips, 0)[:, None] * self.limits
        asked = [*active, *(k + np.flatnonzero(grips == STICK))]
        # A friction that slips gives a fixed share of the impulses of its stops and is no unknown: columns of ``unit``
        # carry it along. Dependent directions have many solutions with one motion; least squares take the shortest.
        unit = unit[:, asked]
        return np.asarray(unit @ np.linalg.lstsq(self.A[asked] @ unit, -rates[asked], DEPENDENT)[0])

    def _obeys(self, impulses: Floats, grips: Ints, after: Floats, slack: Floats) -> bool:
        """Tell whether impulses obey the laws; ``after`` (k + f,) are the velocities, less the least ones."""
        k = self.limits.shape[1]
        p, r, u, still = impulses[:k], impulses[k:], after[k:], slack[k:]
        if not ((p >= 0).all() and (after[:k] >= -slack[:k]).all()):
            return False
        sticks, slips = grips == STICK, np.abs(grips) == 1
        return bool(
            np.all(np.abs(u[sticks]) <= still[sticks])
            and np.all(np.abs(r[sticks]) <= self.limits[sticks] @ p)
            and np.all(u[slips] * grips[slips] >= -still[slips])
        )
