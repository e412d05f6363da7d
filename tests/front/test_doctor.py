"""The doctor: every fault that it knows in a tiny solver that has it, and healthy ones beside them."""

import re

import pytest

# Velocity Verlet for masses on springs in front of stops; every class below has one fault.
SOLVERS = '''
import numpy as np


class Healthy:
    version, capabilities, steps = "1", {"mechanical", "multi-dof", "contact"}, 1000
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

    def solve(self, problem, settings):
        m, k = self.mass(problem), self.stiffness(problem)
        rate = lambda x: np.linalg.solve(m, sum((s.normal * self.push(s, x) for s in problem.stops), -k @ x))
        h = (problem.end - problem.start) / self.steps
        x, v = map(np.array, self.start(problem))
        rows = [(x, v)]
        for _ in range(self.steps):
            half = v + h / 2 * rate(x)
            x = x + h * half
            x, half = self.meet(problem, x, half)
            v = half + h / 2 * rate(x)
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
    steps = 10000

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


class Declines(Healthy):
    def push(self, stop, x):
        raise NotImplementedError("stops")


class Tunable(Healthy):
    settings = {"steps": "number of steps; default 1000"}

    def solve(self, problem, settings):
        self.steps = settings.get("steps", 1000)
        if self.steps < 100:
            from veridyn.solver.errors import SettingsError
            raise SettingsError("steps must be at least 100")
        return super().solve(problem, settings)
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
    "Squared": "look at stiffness or mass matrix",
    "Cubed": "the velocity is not the derivative of the displacement",
}
HEALTHY = ("Healthy", "OneMass", "Talks", "Declines", "Tunable")


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
def said(file):
    """The diagnoses of all solvers: they share one process, as on the command line."""
    from contextlib import redirect_stdout
    from io import StringIO

    from veridyn.doctor import examine_all

    with redirect_stdout(StringIO()) as out:
        status = examine_all([f"{file}:{name}" for name in (*HEALTHY, *FAULTS, "Coarse")])
    assert status == 3
    return sections(out.getvalue())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_recognised(said, name):
    assert FAULTS[name] in said[name]
    assert said[name].endswith("the adapter is broken: mend it before judging the solver")


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_solver_has_no_fault(said, name):
    assert said[name].endswith("healthy")
    assert "broken" not in said[name]


def test_an_inaccurate_solver_has_no_fault(said):
    assert said["Coarse"].endswith("the solver is inaccurate: look at step, tolerance, events")
    assert "broken" not in said["Coarse"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("HangsAtStops", "HangsAtStops gave no answer within 2 s and was stopped"),
        ("DiesAtStops", "DiesAtStops ended the process while solving: killed by SIGABRT"),
    ],
)
def test_a_solver_that_hangs_or_dies(veridyn, file, name, message):
    seen = veridyn("doctor", "--solver", f"{file}:{name}", "--solver", f"{file}:Healthy", "--time-out", "2")
    assert (seen.status, seen.err) == (3, "")
    said = sections(seen.out)
    assert f"one touch of a stop: broken: {message}" in said[name]
    assert said[name].count(": ok") == 2
    assert said["Healthy"].endswith("healthy")


class TestSettings:
    def test_of_the_solver(self, veridyn, file):
        seen = veridyn("doctor", "--solver", f"{file}:Tunable", "--set", "steps=100")
        default = veridyn("doctor", "--solver", f"{file}:Tunable")
        assert (seen.status, default.status) == (0, 0)
        assert seen.out != default.out

    def test_of_our_own_solver(self, veridyn):
        assert veridyn("doctor", "--set", "step=1e-2").out != veridyn("doctor", "--set", "step=5e-3").out

    @pytest.mark.parametrize(
        ("pair", "message"),
        [
            ("step=1e-3", "unknown setting 'step': did you mean steps? declared are steps"),
            ("k=1", "unknown setting 'k': declared are steps"),
            ("steps=10", "steps must be at least 100"),
        ],
    )
    def test_that_are_wrong(self, veridyn, file, pair, message):
        seen = veridyn("doctor", "--solver", f"{file}:Tunable", "--set", pair)
        assert (seen.status, seen.err) == (2, f"veridyn: {message}\n")
