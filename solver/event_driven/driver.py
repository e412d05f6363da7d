"""From event to event: one driver for every integrator.

In each mode the equations are smooth. Where a guard falls through zero the next mode follows from the
complementarity conditions, tested on the Taylor polynomials of the guards just after the event: a mode is right if
none of its guards is negative there. Frictional sticking is rigid, so the sliding velocity is set to zero exactly.

Source: F. Pfeiffer and C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, chapters 5 and 6
(one-sided conditions at transitions). Impacts on rigid stops come first; see `impacts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.contact_modes import STRIKES, Affine, ContactMode, ElementChange, Grip, ModeFlow, Touch
from veridyn.solver.event_driven.forcing import Forcing, segments
from veridyn.solver.event_driven.impacts import impact
from veridyn.solver.event_driven.legs import AffineLeg, Arrival, Integrator, Legs, until
from veridyn.solver.event_driven.mechanics import Mechanics

Floats = NDArray[np.float64]

ROUNDING = 1e-13  # relative; what is left of cancelling terms
AT_ZERO = 1e-9  # of the time scale: a guard that is this near to its zero is at zero
PROBE = 1e-6  # of the time scale: where the sign just after an event is read
HOP = 4 * PROBE  # of the time scale: a body that would be off a rigid stop for less stays on it
ARMING = 1e-2  # of the time scale: a guard that starts at zero is looked at no later than this
DIP_ARMING = 1e-3  # of the time scale: the same for minima of guards
NEAR = 1e-3  # of the output spacing: samples nearer than this spoil differences between them
MOST_EVENTS = 1_000_000
STEPS_PER_PERIOD = 16  # least number of steps per period of the drive where only the drive moves a guard


@dataclass(frozen=True, eq=False)
class ModePhase:
    """A part of the motion in one mode: states (k, 2n) at its start and its output instants (k,)."""

    flow: ModeFlow
    forcing: Forcing
    times: Floats
    states: Floats


@dataclass(frozen=True, eq=False)
class Outlook:
    """A settled start: mode, state, and the instants (g,) from which its guards are looked at."""

    flow: ModeFlow
    state: Floats
    armed: Floats


class Driver:
    """Carries a problem through its modes with an integrator.

    ``largest_step`` (s) bounds every step, beside the bound that keeps break-aways from being jumped over.
    ``most_events`` guards against infinitely many events in finite time.

    Raises
    ------
    NotImplementedError
        If the problem is not expressible; see `reduction.refuse`. Friction that is regularised, or under the force of a
        rigid stop, is not.
    """

    def __init__(
        self,
        problem: MechanicalProblem,
        integrator: Integrator,
        *,
        largest_step: float = math.inf,
        most_events: int = MOST_EVENTS,
    ) -> None:
        self.mechanics = Mechanics(problem)
        for j in self.mechanics.springs:
            raise NotImplementedError(f"friction {problem.frictions[j].name!r} is regularised; the set-valued law only")
        for j in np.flatnonzero(self.mechanics.jams).tolist():
            # switching guards one by one does not always find the state that follows
            raise NotImplementedError(f"friction {problem.frictions[j].name!r} is under the force of a rigid stop")
        self.problem = self.mechanics.problem
        self.legs = Legs(problem.name, integrator, most_events)
        self.largest_step = largest_step
        self.impacts: list[tuple[float, tuple[int, ...]]] = []  # instants (s), and the rigid stops that were hit

    def run(self, outputs: Floats) -> list[ModePhase]:
        """Return the phases of the motion, in order; each starts with a sample at its first instant.

        The outputs lie between; one that nearly coincides with the end of a phase is left out.

        Raises
        ------
        SolverFailure
            If no mode is consistent, events do not end, or the integrator gives up.
        """
        y = np.concatenate((self.problem.initial_displacement, self.problem.initial_velocity))
        mode = self._first_mode(y)
        phases: list[ModePhase] = []
        done, near = 0, NEAR * float(np.diff(outputs).min(initial=self.problem.end - self.problem.start))
        for forcing in segments(self.problem):
            t, fired = forcing.start, None
            mode, y, _ = self._struck(mode, forcing, t, y, None)  # a touch may fall on the seam of two segments
            while t < forcing.end:
                outlook = self._settle(mode, forcing, t, y, fired)
                arrival, fired = self._advance(outlook, forcing, t, outputs[done:])
                reached = outputs[done : done + len(arrival.states)]
                phases.append(_phase(outlook, forcing, t, arrival, reached, near))
                done += len(reached)
                mode, t = outlook.flow.mode, arrival.time
                y = self.mechanics.carried(arrival.state, forcing.value(t))
                # Impulses first, forces afterwards: `_settle` reads the sign of guards after
                # the velocities have jumped.
                if fired is not None:
                    mode, y, fired = self._struck(mode, forcing, t, y, fired)
        return [*phases[:-1], _close(phases[-1], t, y)]

    def _first_mode(self, y: Floats) -> ContactMode:
        """Return the mode that the initial state suggests; settling corrects it."""
        open_ = ContactMode(
            tuple(Touch.OPEN for _ in self.problem.stops), tuple(Grip.FREE for _ in self.problem.frictions)
        )
        gaps = self.mechanics.flow(open_).gaps(y, segments(self.problem)[0].value(self.problem.start))
        stops = tuple(Touch.CLOSED if gap < 0 else Touch.OPEN for gap in gaps)
        return self._regripped(ContactMode(stops, open_.frictions), y)

    def _struck(
        self, mode: ContactMode, forcing: Forcing, t: float, y: Floats, fired: int | None
    ) -> tuple[ContactMode, Floats, int | None]:
        """Return mode and state after what is hit has been hit, and the guard that fired, if its change is still due.

        A stop that is touched at the instant of another event is hit first.
        """
        if not self.mechanics.rigid.any():
            return mode, y, fired
        flow = self.mechanics.flow(mode)
        struck = impact(self.mechanics, mode, y, forcing.value(t), self._scale(flow, forcing), HOP)
        if fired is not None and flow.changes[fired].spring != STRIKES and not struck.hit:
            return mode, y, fired
        self.legs.counters.update(impacts=bool(struck.hit), settled=struck.short)
        self.impacts += [(t, struck.hit)] if struck.hit else []
        return struck.mode, struck.state, None

    def _regripped(self, mode: ContactMode, y: Floats) -> ContactMode:
        """Return a mode whose frictions grip where, and only where, they are pressed."""
        v = y[self.problem.size :]
        grips = []
        for grip, friction, bound in zip(mode.frictions, self.problem.frictions, self.mechanics.glides, strict=True):
            glide = float(friction.tangents[0] @ v)
            moving = abs(glide) > ROUNDING * float(bound @ np.abs(v))
            fresh = Grip(int(np.sign(glide))) if moving else Grip.STICK
            pressed = self.mechanics.pressed(friction, mode)
            grips.append((fresh if grip is Grip.FREE else grip) if pressed else Grip.FREE)
        return ContactMode(mode.stops, tuple(grips))

    def _settle(self, mode: ContactMode, forcing: Forcing, t: float, y: Floats, fired: int | None) -> Outlook:
        """Change modes until none of the guards is negative just after t.

        ``fired`` is the guard of the given mode that is known to be zero.
        """
        # There are finitely many modes. So the loop ends: in a consistent mode, or at one that was tried before. In the
        # second case single switches go round in circles, and more turns would not help.
        seen = set()
        while mode not in seen:
            seen.add(mode)
            flow = self.mechanics.flow(mode)
            n = self.problem.size
            y = np.concatenate((y[:n], flow.hold @ y[n:]))
            scale = self._scale(flow, forcing)
            series = guard_series(flow, forcing, t, y)
            hit = [change.spring == STRIKES for change in flow.changes]
            # A gap slightly below zero, where a rigid stop has just been hit, is an error of integration. Read as a
            # fall it would be another impact at once, without a speed.
            series[0, hit] = np.maximum(0.0, series[0, hit])  # what an integrator leaves below zero is zero
            if fired is not None:
                series[0, fired] = 0.0
            negative = _negative_after(series, scale)
            if not negative.any():
                return Outlook(flow, y, t + _arming(series, scale))
            first = fired if fired is not None and negative[fired] else int(np.flatnonzero(negative)[0])
            mode = self._regripped(_changed(mode, flow.changes[first]), y)
            fired = None
        raise SolverFailure(f"{self.problem.name}: no state of stops and frictions is consistent at t = {t:.9g} s")

    def _scale(self, flow: ModeFlow, forcing: Forcing) -> float:
        """Return the shortest time constant (s) of the equations and the drive."""
        fastest = max([flow.fastest, *(wave.omega for wave in forcing.waves)])
        span = self.problem.end - self.problem.start
        return min(span, 1 / fastest) if fastest > 0 else span

    def _advance(self, outlook: Outlook, forcing: Forcing, t: float, outputs: Floats) -> tuple[Arrival, int | None]:
        """Integrate to the next event; return how it ended and the guard that fired."""
        flow = outlook.flow
        scale = self._scale(flow, forcing)
        leg = AffineLeg(
            flow=flow,
            forcing=forcing,
            start=t,
            state=outlook.state,
            end=forcing.end,
            outputs=until(outputs, forcing.end),
            armed=np.concatenate((outlook.armed, np.full(outlook.armed.size, t + DIP_ARMING * scale))),
            largest_step=min(self.largest_step, self._drive_step(flow, forcing)),
            dips=not self.legs.integrator.sees_dips,
        )
        return self.legs.advance(leg)

    def _drive_step(self, flow: ModeFlow, forcing: Forcing) -> float:
        """Return the largest step (s) in a mode with a guard that the drive moves by itself."""
        # An integrator controls its step by the states. Where all sticks they are constant, any step is exact,
        # and the step grows beyond a period of the drive. The load could then break the stick and fall again
        # between two looks at the guard.
        if not flow.guards.forcing.any():
            return math.inf
        fastest = max((wave.omega for wave in forcing.waves), default=0.0)
        period = 2 * math.pi / fastest if fastest else forcing.end - forcing.start
        return period / STEPS_PER_PERIOD


def _phase(
    outlook: Outlook, forcing: Forcing, start: float, arrival: Arrival, outputs: Floats, near: float
) -> ModePhase:
    """Return what was integrated: a sample at its start, and the outputs that are not near its ends."""
    inner = (outputs > start + near) & (outputs < arrival.time - near)
    times = np.concatenate(([start], outputs[inner]))
    return ModePhase(outlook.flow, forcing, times, np.vstack((outlook.state, arrival.states[inner])))


def _close(last: ModePhase, end: float, y: Floats) -> ModePhase:
    """Return the last phase with its end."""
    return replace(last, times=np.append(last.times, end), states=np.vstack((last.states, y)))


def _changed(mode: ContactMode, change: ElementChange) -> ContactMode:
    if isinstance(change.becomes, Touch):
        stops = list(mode.stops)
        stops[change.element] = change.becomes
        return replace(mode, stops=tuple(stops))
    frictions = list(mode.frictions)
    frictions[change.element] = change.becomes
    return replace(mode, frictions=tuple(frictions))


def guard_series(flow: ModeFlow, forcing: Forcing, t: float, y: Floats) -> Floats:
    """Return the guards of a flow and their first three derivatives just after t, (4, g); rounding is set to zero."""
    u = forcing.rates(t)
    G, H, sizes = flow.guards.matrix, flow.guards.forcing, Affine(flow.sizes, y.size)
    series = np.zeros((u.shape[0], G.shape[0]))
    constant, state = flow.guards.constant, y
    shift = flow.rate.constant
    for k, forced in enumerate(u):
        series[k] = G @ state + constant + H @ forced
        size = sizes.matrix @ np.abs(state) + (k == 0) * sizes.constant + sizes.forcing @ np.abs(forced)
        series[k, np.abs(series[k]) <= ROUNDING * size] = 0.0
        # The k-th derivative of a guard is G y^(k) + H u^(k), with y^(k+1) = A y^(k) + B u^(k); constants count for k =
        # 0 only. So derivatives along the motion are exact, and no difference quotient blurs a sign.
        state = flow.rate.matrix @ state + shift + flow.rate.forcing @ forced
        constant, shift = np.zeros_like(constant), np.zeros_like(shift)
    return series


def _at_zero(series: Floats, scale: float) -> NDArray[np.bool_]:
    tau = AT_ZERO * scale
    return np.asarray(np.abs(series[0]) <= _rise(np.abs(series), tau))


def _rise(series: Floats, tau: float) -> Floats:
    """Return how far the guards rise in tau, to third order."""
    return np.asarray(series[1] * tau + series[2] * tau**2 / 2 + series[3] * tau**3 / 6)


def _negative_after(series: Floats, scale: float) -> NDArray[np.bool_]:
    """Tell which guards are negative just after the start.

    A guard at zero follows its Taylor polynomial; one below zero may rise to zero within the same short time, as
    it must where slip would end within it: either test alone would send a nearly grazing body round in circles.
    """
    start = np.where(_at_zero(series, scale), 0.0, series[0])
    return np.asarray((start <= 0) & (start + _rise(series, PROBE * scale) < 0))


def _arming(series: Floats, scale: float) -> Floats:
    """Return how long after the start (s) each guard is looked at: at once, unless it starts at zero.

    Such a guard is left alone up to half the time in which its Taylor polynomial returns to zero.
    """
    wait = np.zeros(series.shape[1])
    for i in np.flatnonzero(_at_zero(series, scale)):
        roots = np.roots([series[3, i] / 6, series[2, i] / 2, series[1, i]])
        later = roots.real[(np.abs(roots.imag) <= 1e-12 * np.abs(roots)) & (roots.real > PROBE * scale)]
        # The Taylor polynomial leaves zero at the start and may come back: that return would be an event. Half the way
        # to it is early enough to see it, and late enough for rounding at the start to be small beside the guard.
        wait[i] = min(ARMING * scale, 0.5 * float(later.min(initial=math.inf)))
    return wait
