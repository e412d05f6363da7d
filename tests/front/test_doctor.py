"""The doctor: every fault that it knows in a tiny solver that has it, and healthy ones beside them."""

import re

import pytest

from veridyn.doctor.command import PATIENTS, patients_of
from veridyn.doctor.misreadings import SEVERAL, error_of, fault_of_displacement, paths_of_faults
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.exact.solver import SOLVER as EXACT

# Velocity Verlet for masses on springs in front of stops; every class below has one fault.
SOLVERS = '''
import numpy as np


class Healthy:
    version, capabilities, steps = "1", {"mechanical", "multi-dof", "contact"}, 200
    name = property(lambda self: type(self).__name__)

    def mass(self, problem):
        return problem.mass

    def stiffness(self, problem):
        return problem.stiffness

    def start(self, problem):
        return problem.initial_displacement, problem.initial_velocity

    def push(self, stop, x):
        """Force of a stop along its normal."""
        return -stop.stiffness * max(0.0, stop.normal @ x - stop.gap)

    def supports(self, problem):
        """Influences and functions of the acceleration."""
        return [(s.influence, s.acceleration) for s in problem.supports]

    def drive(self, problem, influence, acceleration):
        return -problem.mass @ influence * acceleration

    def solve(self, problem, settings):
        m, k, supports = self.mass(problem), self.stiffness(problem), self.supports(problem)
        shake = lambda t: sum(self.drive(problem, influence, float(a(t))) for influence, a in supports)
        pushes = lambda x: sum((s.normal * self.push(s, x) for s in problem.stops), -k @ x)
        inverse = np.linalg.inv(m)
        rate = lambda t, x: inverse @ (pushes(x) + shake(t))
        h = (problem.end - problem.start) / self.steps
        x, v = map(np.array, self.start(problem))
        rows = [(x, v)]
        for i in range(self.steps):
            half = v + h / 2 * rate(problem.start + i * h, x)
            x = x + h * half
            x, half = self.meet(problem, x, half)
            v = half + h / 2 * rate(problem.start + (i + 1) * h, x)
            rows.append((x, v))
        t = np.linspace(problem.start, problem.end, self.steps + 1)[:: self.steps // 100]
        x, v = (np.array(column)[:: self.steps // 100] for column in zip(*rows))
        return self.hand_over(problem, t, x, v)

    def meet(self, problem, x, v):
        return x, v

    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": v}


class OneMass(Healthy):
    capabilities = {"mechanical", "contact"}


class Coarse(Healthy):
    steps = 100

    def solve(self, problem, settings):
        return super().solve(problem, settings)

    def stiffness(self, problem):
        return 1.06 * problem.stiffness


class AtRest(Healthy):
    def start(self, problem):
        return 0 * problem.initial_displacement, 0 * problem.initial_velocity


class NoVelocity(Healthy):
    def start(self, problem):
        return problem.initial_displacement, 0 * problem.initial_velocity


class NoDisplacement(Healthy):
    def start(self, problem):
        return 0 * problem.initial_displacement, problem.initial_velocity


class Turned(Healthy):
    def start(self, problem):
        return problem.initial_displacement, -problem.initial_velocity


class TurnedDisplacement(Healthy):
    def start(self, problem):
        return -problem.initial_displacement, problem.initial_velocity


class Momentum(Healthy):
    def start(self, problem):
        return problem.initial_displacement, np.linalg.solve(problem.mass, problem.initial_velocity)


class NoSpring(Healthy):
    def stiffness(self, problem):
        return 0 * problem.stiffness


class Repelling(Healthy):
    def stiffness(self, problem):
        return -problem.stiffness


class Uncoupled(Healthy):
    def stiffness(self, problem):
        return np.diag(np.diag(problem.stiffness))


class Hertz(Healthy):
    steps = 4000

    def stiffness(self, problem):
        return (2 * np.pi) ** 2 * problem.stiffness


class Tripled(Healthy):
    def stiffness(self, problem):
        return 3 * problem.stiffness


class UnitMass(Healthy):
    def mass(self, problem):
        return np.eye(problem.size)


class OneUnitMass(UnitMass):
    capabilities = {"mechanical", "contact"}


class MassTwice(Healthy):
    def mass(self, problem):
        return problem.mass @ problem.mass


class Ghost(Healthy):
    def push(self, stop, x):
        return 0.0


class Pulling(Healthy):
    def push(self, stop, x):
        return -super().push(stop, x)


class NoGap(Healthy):
    def push(self, stop, x):
        return -stop.stiffness * max(0.0, stop.normal @ x)


class Sticky(Healthy):
    restitution = 0.0

    def push(self, stop, x):
        return 0.0

    def meet(self, problem, x, v):
        for stop in problem.stops:
            if stop.normal @ x > stop.gap:
                return stop.gap * stop.normal, -self.restitution * v
        return x, v


class Rigid(Sticky):
    restitution = 1.0


class Lossy(Sticky):
    restitution = 0.5


class Mirrored(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": -x, "velocity": -v}


class Exchanged(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": v, "velocity": x}


class Millimetres(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": 1e3 * x, "velocity": 1e3 * v}


class Kilometres(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": 1e-3 * x, "velocity": 1e-3 * v}


class LastState(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": 0 * x + x[-1], "velocity": 0 * v + v[-1]}


class Ahead(Healthy):
    def hand_over(self, problem, t, x, v):
        after = lambda a: np.vstack([a[1:], 2 * a[-1] - a[-2]])
        return {"time": t, "displacement": after(x), "velocity": after(v)}


class Late(Healthy):
    def hand_over(self, problem, t, x, v):
        before = lambda a: np.vstack([a[:1], a[:-1]])
        return {"time": t, "displacement": before(x), "velocity": before(v)}


class OtherOrder(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x[:, ::-1], "velocity": v[:, ::-1]}


class Reshaped(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x.T.reshape(x.shape), "velocity": v.T.reshape(v.shape)}


class Columns(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x.T, "velocity": v.T}


class Milliseconds(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": 1e3 * t, "displacement": x, "velocity": v}


class Counts(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": range(len(t)), "displacement": x, "velocity": v}


class Ends(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t[[0, -1]], "displacement": x[[0, -1]], "velocity": v[[0, -1]]}


class MinusV(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": -v}


class NoV(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": 0 * v}


class Twice(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": x}


class Speed(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": abs(v)}


class MV(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": v @ problem.mass}


class MillimetresPerSecond(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": 1e3 * v}


class KilometresPerSecond(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": 1e-3 * v}


class Increments(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": np.gradient(x, axis=0)}


class LastV(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": 0 * v + v[-1]}


class Squared(Healthy):
    """Nothing that anybody would recognise."""

    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": 3 * x**2, "velocity": v}


class Cubed(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x, "velocity": 5 * v**3}


class Talks(Healthy):
    def solve(self, problem, settings):
        print("step 1 of 100")
        return super().solve(problem, settings)


class HangsAtStops(Healthy):
    def push(self, stop, x):
        while True:
            pass


class DiesAtStops(Healthy):
    def push(self, stop, x):
        import os
        os.abort()


class OtherMasses(Healthy):
    def mass(self, problem):
        return problem.mass[::-1, ::-1]


class OtherStiffness(Healthy):
    def stiffness(self, problem):
        return problem.stiffness[::-1, ::-1]


class OtherMatrices(OtherMasses, OtherStiffness):
    pass


class OtherStart(Healthy):
    def start(self, problem):
        return problem.initial_displacement[::-1], problem.initial_velocity[::-1]


class OtherDisplacement(Healthy):
    def start(self, problem):
        return problem.initial_displacement[::-1], problem.initial_velocity


class OtherVelocity(Healthy):
    def start(self, problem):
        return problem.initial_displacement, problem.initial_velocity[::-1]


class TurnedCoupling(Healthy):
    def stiffness(self, problem):
        return 2 * np.diag(np.diag(problem.stiffness)) - problem.stiffness


class FirstColumn(Healthy):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x[:, :1] + 0 * x, "velocity": v[:, :1] + 0 * v}


class Rides(Healthy):
    """On supports that move."""

    capabilities = {"mechanical", "multi-dof", "support-motion", "multi-support"}

    def carried(self, problem, t):
        return sum((np.outer(s.displacement(t), s.influence) for s in problem.supports), 0.0)


class RidesAlone(Rides):
    capabilities = {"mechanical", "support-motion", "multi-support"}


class Unshaken(Rides):
    def supports(self, problem):
        return []


class TurnedShake(Rides):
    def drive(self, problem, influence, acceleration):
        return problem.mass @ influence * acceleration


class NoInfluence(Rides):
    def drive(self, problem, influence, acceleration):
        return -problem.mass @ np.ones(problem.size) * acceleration


class NoInfluenceAlone(NoInfluence):
    capabilities = {"mechanical", "support-motion"}


class MasslessShake(Rides):
    def drive(self, problem, influence, acceleration):
        return -influence * acceleration


class ShakenByDisplacement(Rides):
    def supports(self, problem):
        return [(s.influence, s.displacement) for s in problem.supports]


class ShakenByVelocity(Rides):
    def supports(self, problem):
        return [(s.influence, s.velocity) for s in problem.supports]


class ShakenInG(Rides):
    def drive(self, problem, influence, acceleration):
        return -9.81 * problem.mass @ influence * acceleration


class SwappedSupports(Rides):
    def supports(self, problem):
        return [(s.influence, o.acceleration) for s, o in zip(problem.supports, problem.supports[::-1])]


class TransposedInfluence(Rides):
    def supports(self, problem):
        rows = np.array([s.influence for s in problem.supports])
        rows = rows.T if rows.shape == (2, 2) else rows
        return [(row, s.acceleration) for row, s in zip(rows, problem.supports)]


class OtherInfluence(Rides):
    def supports(self, problem):
        return [(s.influence[::-1], s.acceleration) for s in problem.supports]


class FirstSupport(Rides):
    def supports(self, problem):
        return super().supports(problem)[:1]


class LastSupport(Rides):
    def supports(self, problem):
        return super().supports(problem)[-1:]


class OneShake(Rides):
    def supports(self, problem):
        return [(s.influence, problem.supports[0].acceleration) for s in problem.supports]


class Absolute(Rides):
    def hand_over(self, problem, t, x, v):
        return {"time": t, "displacement": x + self.carried(problem, t), "velocity": v}


class AbsoluteFromRest(Rides):
    """It integrates the accelerations itself."""

    def hand_over(self, problem, t, x, v):
        s, begin = self.carried(problem, t), self.carried(problem, t[:1])
        rate = sum((np.outer(s.velocity(t[:1]), s.influence) for s in problem.supports), 0.0)
        return {"time": t, "displacement": x + s - begin - t[:, None] * rate, "velocity": v}


class AbsoluteThroughout(Rides):
    """M x'' + K (x - what the supports carry along) = 0."""

    def solve(self, problem, settings):
        self.spring = lambda t: self.stiffness(problem) @ np.ravel(self.carried(problem, np.array([t])))
        return super().solve(problem, settings)

    def supports(self, problem):
        return [(None, type("T", (), {"__call__": lambda _, t: t})())] if problem.supports else []

    def drive(self, problem, influence, acceleration):
        return self.spring(acceleration)


class Rubs(OneMass):
    """One mass that slides and sticks."""

    capabilities, per_second = {"mechanical", "loads", "friction:set-valued"}, 1000

    def solve(self, problem, settings):
        if not problem.frictions:
            return super().solve(problem, settings)
        (friction,), m = problem.frictions, problem.mass[0, 0]
        h, steps = 1 / self.per_second, round(problem.end * self.per_second)
        x, v = problem.initial_displacement[0], problem.initial_velocity[0]
        middles = h * (np.arange(steps) + 0.5)
        loads = self.load * sum((l.direction[0] * l.function(middles) for l in problem.loads), 0 * middles)
        rows = [(x, v)]
        for i in range(steps):
            before, v = v, self.rub(friction, v, loads[i], h, m, loads[i:])
            x += h / 2 * (before + v)
            rows.append((x, v))
        x, v = np.array(rows[::10]).T
        return {"time": np.arange(x.size) * 10 * h, "displacement": x, "velocity": v}

    load = 1.0

    def limits(self, friction, m):
        """Friction at rest, and while it slides."""
        return friction.static * friction.normal, friction.kinetic * friction.normal

    def rub(self, friction, v, load, h, m, to_come):
        hold, drag = self.limits(friction, m)
        if v == 0 and abs(load) <= hold:
            return 0.0
        sense = np.sign(v) or np.sign(load)
        after = v + h * (load - sense * drag) / m
        return 0.0 if after * sense < 0 else after


class RubsUnloaded(Rubs):
    capabilities = {"mechanical", "friction:set-valued"}


class OneCoefficient(Rubs):
    def rub(self, friction, *others):
        if friction.static != friction.kinetic:
            raise NotImplementedError("two coefficients")
        return super().rub(friction, *others)


class Slippery(Rubs):
    def limits(self, friction, m):
        return 0.0, 0.0


class Pushes(Rubs):
    def limits(self, friction, m):
        return friction.static * friction.normal, -friction.kinetic * friction.normal


class TurnsBack(Rubs):
    def rub(self, friction, v, load, h, m, to_come):
        return v + h * (load - self.limits(friction, m)[1]) / m


class TurnsBackUnloaded(TurnsBack):
    capabilities = {"mechanical", "friction:set-valued"}


class SlidesStatic(Rubs):
    def limits(self, friction, m):
        return friction.static * friction.normal, friction.static * friction.normal


class ExchangedCoefficients(Rubs):
    def limits(self, friction, m):
        return friction.kinetic * friction.normal, friction.static * friction.normal


class HoldsKinetic(Rubs):
    def limits(self, friction, m):
        return friction.kinetic * friction.normal, friction.kinetic * friction.normal


class NeverAgain(Rubs):
    def rub(self, friction, v, *others):
        return 0.0 if v == 0 else super().rub(friction, v, *others)


class OverShortSlips(Rubs):
    """At rest it looks at the load every tenth of a second only."""

    stride, wait = 0.1, 0

    def rub(self, friction, v, load, h, m, to_come):
        self.wait = max(self.wait - 1, 0) if v == 0 else 0
        stride = round(self.stride / h)
        if v == 0 and not self.wait and len(to_come) > stride:
            self.wait = stride if abs(to_come[stride]) <= self.limits(friction, m)[0] else 0
        return 0.0 if v == 0 and self.wait else super().rub(friction, v, load, h, m, to_come)


class OverSlips(OverShortSlips):
    """At rest every step is longer than what is left."""

    stride = 0.8


class OverAllSlips(OverShortSlips):
    stride = 1.2

    def rub(self, friction, v, load, h, m, to_come):
        return super().rub(friction, v, load, h, m, np.append(to_come, np.zeros(1200)))


class CreepsUnderKinetic(Rubs):
    """The usual regularisation, without the static coefficient."""

    def rub(self, friction, v, load, h, m, to_come):
        return v + h * (load - friction.kinetic * friction.normal * np.tanh(v / 0.005)) / m


class Creeps(Rubs):
    slope = 0.05

    def rub(self, friction, v, load, h, m, to_come):
        hold, drag = self.limits(friction, m)
        limit = hold if abs(v) < 2 * self.slope else drag
        return v + h * (load - limit * np.tanh(v / self.slope)) / m


class CreepsSlowly(Creeps):
    slope = 3e-3


class TooMuch(Rubs):
    def limits(self, friction, m):
        return 1.7 * friction.static * friction.normal, 1.7 * friction.kinetic * friction.normal


class RubsMassless(Rubs):
    def limits(self, friction, m):
        return m * friction.static * friction.normal, m * friction.kinetic * friction.normal


class NoNormal(Rubs):
    def limits(self, friction, m):
        return friction.static, friction.kinetic


class Weighs(Rubs):
    def limits(self, friction, m):
        return 9.81 * m * friction.static, 9.81 * m * friction.kinetic


class TurnedLoad(Rubs):
    load = -1.0


class LoadMassless(Rubs):
    load = 2.0


class Declines(Healthy):
    def push(self, stop, x):
        raise NotImplementedError("stops")


class Equations:
    """Runge-Kutta of order 4; what happens within a step is located by bisection."""

    version, capabilities, name = "1", {"initial-value", "hybrid"}, property(lambda self: type(self).__name__)
    halvings, h = 40, 0.01

    def start(self, problem):
        return np.array(problem.initial_state), problem.mode

    def parameters(self, problem):
        return problem

    def time(self, t):
        return t

    def fires(self, change, before, after):
        return after * change.direction > 0 >= before * change.direction

    def mode_after(self, mode, change):
        return change.mode or mode

    def reset(self, found, place, t, y):
        return found.reset(found.mode.events[place].name, t, y)

    def step(self, found, t, y, h):
        rate = lambda s, y: found.rhs(self.time(s), y)
        k1 = rate(t, y)
        k2 = rate(t + h / 2, y + h / 2 * k1)
        k3 = rate(t + h / 2, y + h / 2 * k2)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, y + h * k3))

    def solve(self, problem, settings):
        from veridyn.problem.generated import functions
        given = self.parameters(problem)
        modes = {mode.name: functions(given, mode.name) for mode in problem.modes}
        (y, mode), rows = self.start(problem), []
        for t in problem.output_times:
            y, mode = self.advance(modes, mode, rows[-1][0], t, y) if rows else (y, mode)
            rows.append((t, y))
        return self.hand_over(*map(np.array, zip(*rows)))

    def advance(self, modes, mode, t, end, y):
        after, events = self.step(modes[mode], t, y, end - t), modes[mode].mode.events
        fired = [i for i, (a, b) in enumerate(zip(modes[mode].guards(t, y), modes[mode].guards(end, after)))
                 if self.fires(events[i], a, b)]
        if not fired:
            return after, mode
        place, low, high = fired[0], t, end
        for _ in range(self.halvings):
            middle = (low + high) / 2
            guard = modes[mode].guards(middle, self.step(modes[mode], t, y, middle - t))[place]
            low, high = (low, middle) if guard * events[place].direction > 0 else (middle, high)
        y = self.reset(modes[mode], place, high, self.step(modes[mode], t, y, high - t))
        mode = self.mode_after(mode, events[place])
        return self.step(modes[mode], high, y, end - high), mode

    def hand_over(self, t, y):
        return {"time": t, "states": y}


class OtherStates(Equations):
    def start(self, problem):
        return np.array(problem.initial_state)[::-1], problem.mode


class OtherParameters(Equations):
    def parameters(self, problem):
        from dataclasses import replace
        return replace(problem, parameters=dict(zip(problem.parameters, [*problem.parameters.values()][::-1])))


class NoTime(Equations):
    def time(self, t):
        return 0.0


class Unwatched(Equations):
    def fires(self, change, before, after):
        return False


class EitherWay(Equations):
    def fires(self, change, before, after):
        return before * after < 0


class NoReset(Equations):
    def reset(self, found, place, t, y):
        return y


class SameMode(Equations):
    def mode_after(self, mode, change):
        return mode


class FirstMode(Equations):
    def start(self, problem):
        return np.array(problem.initial_state), problem.modes[0].name


class StatesExchanged(Equations):
    def hand_over(self, t, y):
        return {"time": t, "states": y[:, ::-1]}


class StatesInColumns(Equations):
    def hand_over(self, t, y):
        return {"time": t, "states": y.T}


class LateEvents(Equations):
    """Events happen at the ends of steps."""

    halvings = 0


class Tunable(Healthy):
    settings = {"steps": "number of steps; default 1000"}

    def solve(self, problem, settings):
        self.steps = settings.get("steps", 1000)
        if self.steps < 100:
            from veridyn.solver.contract.errors import SettingsError
            raise SettingsError("steps must be at least 100")
        return super().solve(problem, settings)


class Newmark:
    """Newmark's method, a step an output; linear motions without dampers."""

    version, capabilities, beta, gamma = "1", {"mechanical", "multi-dof"}, 0.25, 0.5
    settings = {"dt": "step (s); default 1e-3"}
    name = property(lambda self: type(self).__name__)

    def solve(self, problem, settings):
        t, step = problem.output_times, settings.get("dt", 1e-3)
        x, v = problem.initial_displacement, problem.initial_velocity
        a = -np.linalg.solve(problem.mass, problem.stiffness @ x)
        rows = [(x, v)]
        for first, last in zip(t[:-1], t[1:]):
            count = max(1, int(np.ceil((last - first) / step - 1e-9)))
            h = (last - first) / count
            effective = problem.mass + self.beta * h * h * problem.stiffness
            for _ in range(count):
                x, v = x + h * v + h * h * (0.5 - self.beta) * a, v + h * (1 - self.gamma) * a
                a = -np.linalg.solve(effective, problem.stiffness @ x)
                x, v = x + self.beta * h * h * a, v + self.gamma * h * a
            rows.append((x, v))
        return {"time": t, "displacement": np.array([x for x, _ in rows]), "velocity": np.array([v for _, v in rows])}


class FirstOrder(Newmark):
    gamma, beta = 0.51, 1.01**2 / 4


class Misprint(Newmark):
    beta = 0.26
'''

FAULTS = {
    "AtRest": "it stays at rest",
    "NoVelocity": "the initial velocity is ignored",
    "NoDisplacement": "the initial displacement is ignored",
    "Turned": "the initial velocity has the wrong sign",
    "TurnedDisplacement": "the initial displacement has the wrong sign",
    "Momentum": "the initial velocity is divided by the mass",
    "NoSpring": "it flies on as if there were no spring",
    "Repelling": "the stiffness has the wrong sign",
    "Uncoupled": "the coupling is ignored",
    "Hertz": "stiffness over mass is 39 times what it should be, Hz are taken for rad/s",
    "Tripled": "stiffness over mass is 3 times what it should be",
    "UnitMass": "the mass is taken as 1",
    "OneUnitMass": "the mass is taken as 1",
    "MassTwice": "forces are divided by the mass twice",
    "Ghost": "it flies through the stop",
    "Pulling": "turn the sign of the contact force",
    "NoGap": "the gap is ignored",
    "Sticky": "it sticks to the stop",
    "Rigid": "it rebounds in an instant: the stop is to have its stiffness",
    "Lossy": "it rebounds in an instant with half the speed",
    "Mirrored": "the displacement has the wrong sign",
    "Exchanged": "displacement and velocity are exchanged",
    "Millimetres": "the displacement is 1000 times too large",
    "Kilometres": "the displacement is 1000 times too small",
    "LastState": "every row is the last state",
    "Ahead": "every row is one instant ahead",
    "Late": "every row is one instant late",
    "OtherOrder": "the degrees of freedom are exchanged",
    "Reshaped": "rows and columns are mixed up",
    "Columns": "shape (2, 101); (101, 2) is needed; transpose displacement and velocity",
    "Milliseconds": "time is in milliseconds: seconds are wanted",
    "Counts": "time counts the samples: seconds are wanted",
    "Ends": "return the response at output_times",
    "MinusV": "the velocity has the wrong sign",
    "NoV": "the velocity is zero",
    "Twice": "the velocity is the displacement once more",
    "Speed": "the velocity has lost its sign",
    "MV": "the velocity is a momentum",
    "MillimetresPerSecond": "the velocity is 1000 times too large",
    "KilometresPerSecond": "the velocity is 1000 times too small",
    "Increments": "the velocity is an increment",
    "LastV": "every row of the velocity is the last one",
    "OtherMasses": "the masses belong to other degrees of freedom",
    "OtherStiffness": "the stiffness belongs to other degrees of freedom",
    "OtherMatrices": "the matrices have another order of the degrees of freedom",
    "OtherStart": "the initial values have another order of the degrees of freedom",
    "OtherDisplacement": "the initial displacement has another order of the degrees of freedom",
    "OtherVelocity": "the initial velocity has another order of the degrees of freedom",
    "TurnedCoupling": "the coupling has the wrong sign",
    "FirstColumn": "the first degree of freedom is returned for all",
    "Unshaken": "the supports do not move",
    "TurnedShake": "the acceleration of the support has the wrong sign",
    "NoInfluence": "the influence of the support is ignored",
    "NoInfluenceAlone": "the influence of the support is ignored",
    "MasslessShake": "the mass is missing in the force of the support",
    "ShakenByDisplacement": "the displacement of the support is taken for its acceleration",
    "ShakenByVelocity": "the velocity of the support is taken for its acceleration",
    "ShakenInG": "the acceleration of the support is taken in g",
    "SwappedSupports": "the supports are exchanged",
    "TransposedInfluence": "rows and columns of the influences are exchanged",
    "OtherInfluence": "the influences have another order of the degrees of freedom",
    "FirstSupport": "the last support is ignored",
    "LastSupport": "the first support is ignored",
    "OneShake": "all supports move like the first",
    "Absolute": "displacements are absolute: return them relative to the supports",
    "AbsoluteFromRest": "displacements are absolute: return them relative to the supports",
    "AbsoluteThroughout": "the equation is solved for absolute displacements",
    "Slippery": "it slides without friction",
    "Pushes": "friction drives it: the friction force has the wrong sign",
    "TurnsBack": "it turns back where it stops",
    "TurnsBackUnloaded": "it turns back where it stops",
    "SlidesStatic": "the static coefficient acts while it slides",
    "ExchangedCoefficients": "take the kinetic one, or are the two exchanged?",
    "HoldsKinetic": "it slips again at the kinetic limit",
    "CreepsUnderKinetic": "it slips again at the kinetic limit",
    "NeverAgain": "it never slips again: a load beyond the static limit ends the rest",
    "OverAllSlips": "no step may pass over a whole slip",
    "OverSlips": "a slip is missed: no step may pass over a whole slip",
    "OverShortSlips": "a slip is missed: no step may pass over a whole slip",
    "TooMuch": "the friction force is 1.7 times what it should be",
    "RubsMassless": "the friction force is not divided by the mass",
    "NoNormal": "the normal force is ignored",
    "Weighs": "the weight is taken for the normal force",
    "TurnedLoad": "the load has the wrong sign",
    "LoadMassless": "the load is not divided by the mass",
    "OtherStates": "the initial values have another order than the states",
    "OtherParameters": "the parameters have another order",
    "NoTime": "the time does not reach the right-hand side",
    "Unwatched": "it falls through the ground: watch the guards",
    "EitherWay": "a guard counts that passes zero the other way",
    "NoReset": "the reset is ignored",
    "SameMode": "the mode does not change at an event",
    "FirstMode": "it begins in the wrong mode",
    "StatesExchanged": "the states are exchanged",
    "StatesInColumns": "transpose states: one row per instant",
    "Squared": "look at stiffness or mass matrix",
    "Cubed": "the velocity is not the derivative of the displacement",
}
ROUGH = {
    "Coarse": "inaccurate: error",
    "Creeps": "of the amplitude; it creeps at",
    "CreepsSlowly": "inaccurate: it creeps at",
    "LateEvents": "before the impact happens: locate events within a step",
}
HEALTHY = ("Healthy", "OneMass", "Talks", "Declines", "Tunable", "Rides", "RidesAlone", "Rubs", "RubsUnloaded")
HEALTHY += ("OneCoefficient",)


EACH = pytest.mark.parametrize(
    "patient", [each for patient in PATIENTS for each in patient.chain], ids=lambda each: each.name
)


class TestProblems:
    """The closed forms, and that no two faults look alike where they can be told apart."""

    @EACH
    def test_a_good_solver_agrees(self, patient):
        body, mechanical = patient.body, patient.body.problem.kind == "mechanical"
        solver, settings, error = (EXACT, {"scheme": "series"}, 1e-14) if mechanical else (SCIPY, {}, 1e-9)
        t, displacement, velocity = body.seen(solver.solve(body.problem, settings))
        x, v = body.motion(t)
        assert error_of(displacement, x) < error
        assert error_of(velocity, v) < error
        assert body.flaw(t, displacement) == ""

    @EACH
    def test_every_fault_is_told_from_the_others(self, patient):
        t = patient.body.problem.output_times
        truth = patient.body.motion(t)[0]
        paths = [(text, path) for text, path in paths_of_faults(patient.body, t) if error_of(path, truth) > 0.02]
        named = {(text, fault_of_displacement(patient.body, t, path)) for text, path in paths}
        assert {text for text, fault in named if fault != text} == {
            text for text, _ in paths if any(word in text for word in ALIKE.get(patient.name, ()))
        }
        assert {fault for text, fault in named if fault != text} <= {SEVERAL}


# it starts at zero; nothing but friction acts
ALIKE = {
    "one touch of a stop": ("stays at rest", "velocity is ignored"),
    "friction without a load": ("mass is taken as 1", "friction force is not divided by the mass"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    made = tmp_path_factory.mktemp("doctor") / "patients_of_the_doctor.py"
    made.write_text(SOLVERS, encoding="utf-8")
    return made


def sections(text):
    """What is said about each solver, in one line each."""
    parts = re.split(r"^(\w+) 1: ", text, flags=re.MULTILINE)
    return {name: " ".join(said.split()) for name, said in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.fixture(scope="module")
def diagnoses(file):
    """The diagnoses of all solvers: they share one process, as on the command line."""
    from contextlib import redirect_stdout
    from io import StringIO

    from veridyn.doctor.command import examine
    from veridyn.run.plan import Access

    with redirect_stdout(StringIO()) as out:
        specs = [f"{file}:{name}" for name in (*HEALTHY, *FAULTS, *ROUGH)]
        status = examine(specs, Access(in_process=True))  # a process for each would take a minute
    assert status == 3
    return sections(out.getvalue())


def test_every_fault_is_recognised(diagnoses):
    assert {name: diagnoses[name] for name in FAULTS if FAULTS[name] not in diagnoses[name]} == {}
    assert [name for name in FAULTS if "the adapter is broken" not in diagnoses[name]] == []


def test_a_healthy_solver_has_no_fault(diagnoses):
    assert [name for name in HEALTHY if not diagnoses[name].endswith("healthy")] == []
    assert [name for name in HEALTHY if "broken" in diagnoses[name]] == []


WRONG_METHOD = "the adapter works, the method is not what it should be: veridyn identify shows its card"
METHODS = {  # status, line of the method, verdict
    "Newmark": (0, "gamma 1/2, beta 1/4 (average acceleration, the trapezoidal rule), order 2.00", "healthy"),
    "FirstOrder": (
        0,
        "order 1.00: half the step only halves the error",
        "healthy, but of order 1: the error only halves with the step",
    ),
    "Misprint": (
        1,
        "deviates: Newmark, gamma 1/2, beta 0.2600: none of 1/4, 1/6, 1/12, 0",
        WRONG_METHOD,
    ),
    "Equations": (1, "deviates: of two events 0.001 of a step apart: the first alone", WRONG_METHOD),
}


@pytest.mark.parametrize("name", METHODS)
def test_small_errors_do_not_make_the_right_method(veridyn, file, name):
    status, line, verdict = METHODS[name]
    seen = veridyn("doctor", "--solver", f"{file}:{name}")
    said = " ".join(seen.out.split())
    assert seen.status == status
    assert f"{name}, method:" in said
    assert line in said
    assert said.endswith(verdict)


@pytest.mark.parametrize(
    ("name", "missed"),
    [
        ("Healthy", "friction, support, two supports"),
        ("OneMass", "two degrees of freedom, friction, support, two supports"),
        ("Declines", "one touch of a stop, friction, support, two supports"),
        ("Rides", "one touch of a stop, friction"),
        (
            "RidesAlone",
            "two degrees of freedom, one touch of a stop, friction, two supports (but two supports of one mass)",
        ),
        ("RubsUnloaded", "two degrees of freedom, one touch of a stop, friction (but friction without a load)"),
        ("OneCoefficient", "two degrees of freedom, one touch of a stop, friction (but friction with one coefficient)"),
    ],
)
def test_what_was_never_examined_is_named(diagnoses, name, missed):
    assert f"never examined: {missed}" in diagnoses[name]
    assert f"{name}, free mass: ok" in diagnoses[name]


def test_everything_is_examined(veridyn):
    seen = veridyn("doctor", "--solver", "exact")
    assert seen.status == 0
    assert seen.out.count(": ok, error") == len(patients_of({"mechanical"})) == len(PATIENTS) - 2
    assert "never examined" not in seen.out


def test_an_inaccurate_solver_has_no_fault(diagnoses):
    assert {name: diagnoses[name] for name in ROUGH if ROUGH[name] not in diagnoses[name]} == {}
    assert [name for name in ROUGH if "the solver is inaccurate" not in diagnoses[name]] == []
    assert [name for name in ROUGH if "broken" in diagnoses[name]] == []


def test_solvers_that_hang_or_die(veridyn, file):
    names = ("HangsAtStops", "DiesAtStops", "Healthy")
    solvers = [word for name in names for word in ("--solver", f"{file}:{name}")]
    seen = veridyn("doctor", *solvers, "--time-out", "2")
    assert (seen.status, seen.err) == (3, "")
    diagnoses = sections(seen.out)
    for name, ending in (("HangsAtStops", "within 2 s"), ("DiesAtStops", "killed by SIGABRT")):
        assert "one touch of a stop: broken: " in diagnoses[name]
        assert ending in diagnoses[name]
        assert diagnoses[name].count(": ok") == 3
    assert diagnoses["Healthy"].endswith("healthy")


class TestSettings:
    def test_of_the_solver(self, veridyn, file):
        seen = veridyn("doctor", "--solver", f"{file}:Tunable", "--set", "steps=100")
        default = veridyn("doctor", "--solver", f"{file}:Tunable")
        assert (seen.status, default.status) == (0, 0)
        assert seen.out != default.out

    @pytest.mark.parametrize(
        ("pair", "culprit"), [("step=1e-3", "did you mean steps?"), ("k=1", "'k'"), ("steps=10", "at least 100")]
    )
    def test_that_are_wrong(self, veridyn, file, pair, culprit):
        seen = veridyn("doctor", "--solver", f"{file}:Tunable", "--set", pair)
        assert (seen.status, culprit in seen.err) == (2, True)
