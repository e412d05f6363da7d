"""The command line in this process, and small solvers in files."""

from __future__ import annotations

from pathlib import Path

import pytest

# A foreign solver: plain class, plain Python, dict of lists; nothing of ours is imported.
FOREIGN = '''
import os
import signal
import time


class Foreign:
    """Velocity Verlet for one mass on a spring with elastic stops."""

    name, version, capabilities = "foreign", "7", {"mechanical", "contact"}
    step, sign, factor = 4e-4, 1.0, 1.0

    def solve(self, problem, settings):
        mass, stiffness = float(problem.mass[0][0]), float(problem.stiffness[0][0])
        stops = [(float(s.normal[0]), self.sign * s.stiffness, s.offset - s.gap) for s in problem.stops]
        steps = max(1, round((problem.end - problem.start) / self.step))
        h = (problem.end - problem.start) / steps

        x, v = float(problem.initial_displacement[0]), float(problem.initial_velocity[0])
        t, xs, vs = [problem.start], [x], [v]
        for i in range(steps + 1):
            force = -stiffness * x
            for n, k, offset in stops:
                depth = n * x + offset
                if depth > 0.0:
                    force -= n * k * depth
            kick = h / 2 * force / mass
            if i:
                v += kick
                t.append(problem.start + i * h)
                xs.append(self.factor * x)
                vs.append(v)
            v += kick
            x += h * v
        return {"time": t, "displacement": xs, "velocity": vs}


class Settable(Foreign):
    name, settings = "settable", {"step": "step (s); default 2e-4"}

    def solve(self, problem, settings):
        self.step = settings.get("step", 2e-4)
        return super().solve(problem, settings)


class Scaled(Foreign):
    name, factor = "scaled", 1.01


class Coarse(Foreign):
    name, step = "coarse", 6e-2


class Flipped(Foreign):
    name, sign = "flipped", -1.0


class Few(Foreign):
    name, capabilities = "few", {"mechanical"}


class Raises(Foreign):
    name = "raises"

    def solve(self, problem, settings):
        raise ZeroDivisionError("my fault")


class Exits(Foreign):
    name = "exits"

    def solve(self, problem, settings):
        raise SystemExit(0)


class Interrupts(Foreign):
    name = "interrupts"

    def solve(self, problem, settings):
        raise KeyboardInterrupt


class Noisy(Foreign):
    """Complains at length, as compiled code does, with codes that colour a terminal."""

    name = "noisy"

    def solve(self, problem, settings):
        os.write(2, b"".join(b"\\x1b[31mwarning %d\\n" % i for i in range(3000)))
        return super().solve(problem, settings)


class Coloured(Foreign):
    name = "red\\x1b[31m"

    def solve(self, problem, settings):
        raise ValueError("over\\x1b[2Jwritten")


class NotANumber(Foreign):
    name = "nan"

    def solve(self, problem, settings):
        t = list(problem.output_times)
        x = [0.0, float("nan"), *t[2:]]
        return {"time": t, "displacement": x, "velocity": t}


class Shapes(Foreign):
    name = "shapes"

    def solve(self, problem, settings):
        t = problem.output_times
        return {"time": t, "displacement": [[0.0, 0.0]] * len(t), "velocity": t}


class Nothing(Foreign):
    name = "nothing"

    def solve(self, problem, settings):
        return None


class Gigantic(Foreign):
    """Arrays that cost nothing until somebody looks at them."""

    name = "gigantic"

    def solve(self, problem, settings):
        import numpy as np

        row = np.broadcast_to(1.0, (10**15,))
        return {"time": row, "displacement": row, "velocity": row}


class Greedy(Foreign):
    name = "greedy"

    def solve(self, problem, settings):
        return bytearray(10**17)


class Chatty(Foreign):
    name = "chatty"

    def __init__(self):
        print("hello from the constructor")

    def solve(self, problem, settings):
        print("hello from solve")
        return super().solve(problem, settings)


class ShortOnly(Foreign):
    name = "short-only"

    def solve(self, problem, settings):
        if problem.end > 10.0:
            raise MemoryError("too long for me")
        return super().solve(problem, settings)


class Hangs(Foreign):
    name = "hangs"

    def solve(self, problem, settings):
        if problem.end > 10.0:
            time.sleep(600)
        return super().solve(problem, settings)


class Dies(Foreign):
    name = "dies"

    def solve(self, problem, settings):
        if problem.end > 10.0:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().solve(problem, settings)


class Leaves(Foreign):
    name, settings = "leaves", {"speed": "nothing"}

    def solve(self, problem, settings):
        os._exit(3)


class Printf(Foreign):
    """Prints as compiled code does."""

    name = "printf"

    def solve(self, problem, settings):
        os.write(1, b"step 1 of 100")
        return super().solve(problem, settings)


class Still(Foreign):
    """No impact at all."""

    name = "still"

    def solve(self, problem, settings):
        t = problem.output_times
        return {"time": t, "displacement": [-s for s in t], "velocity": [-1.0] * len(t)}


class Meddles(Scaled):
    """Changes what measures and judges, where it can reach it."""

    name = "meddles"

    def solve(self, problem, settings):
        import numpy

        from veridyn.validation_cases.judgement import judge

        answer = super().solve(problem, settings)
        judge._judged = judge.judge = lambda *_: None
        numpy.abs = numpy.max = lambda *_, **named: 0.0
        return answer


class Unsettled(Foreign):
    name = "unsettled"

    def defaults(self, problem):
        return 7


class Unnamed(Foreign):
    @property
    def name(self):
        raise ZeroDivisionError("no name")


class Demanding(Foreign):
    def __init__(self, licence):
        self.licence = licence


class Empty:
    name = "empty"


class Misspelt(Foreign):
    capabilities = {"mechanical", "contatc"}


class Wordy(Foreign):
    capabilities = "mechanical"


class Unset(Foreign):
    capabilities = None


INSTANCE = Foreign()
'''


@pytest.fixture(scope="session")
def foreign(tmp_path_factory):
    """Return the specification of a solver of the file by name."""
    file = tmp_path_factory.mktemp("solvers") / "foreign.py"
    file.write_text(FOREIGN, encoding="utf-8")
    return lambda name: f"{file}:{name}"


@pytest.fixture(scope="session")
def right(veridyn, foreign):
    """The text of the result file of a right solver: of all layers of the first variant of SDND101."""
    seen = veridyn("run", "sdnd101", "--set", "v0=2", "--solver", foreign("Foreign"), "--json", "-")
    assert (seen.status, seen.err) == (0, "")
    return seen.out


@pytest.fixture
def no_work(monkeypatch):
    """Fail as soon as a solver is put to work in earnest."""
    from veridyn.run import running

    def refuse(*_):
        raise AssertionError("work has begun before the input was checked")

    monkeypatch.setattr(running, "judge_tasks", refuse)


@pytest.fixture
def in_the_way(tmp_path) -> Path:
    """A file where a folder is wanted."""
    file = tmp_path / "file"
    file.write_text("precious", encoding="utf-8")
    return file
