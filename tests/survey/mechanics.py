"""Random mechanical problems: two to four coordinates in a chain, with stops, rigid stops and frictions.

What `veridyn.prove` proves of one is held against the exact solver and SciPy, at instants at which nothing happens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tests.detection.timed import TimedGate
from veridyn.api.proving import prove
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.time_functions import Harmonic, constant
from veridyn.references.certified import Certified
from veridyn.references.deadline import OutOfTime, time_limit
from veridyn.references.parameters import ParameterError
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.responses import Response, read_response
from veridyn.validation_cases.judgement.subject import Request, Subject

from .attempt import ERROR, OUT_OF_TIME, SETS, SOLVERS, describe_fault, tell_end
from .holding import HOLDERS, Holder, Item

NAME = "mechanical_problem"
END = 3.0  # s
SAMPLING = 1e-3  # s, between instants of an answer
INSTANTS = ("1.1", "2.9")  # s, at which every displacement is read, and at the last one the first velocity
MOST_ELEMENTS = 3
PART = 0.5  # of the seconds that a value has: there are up to nine

Random = np.random.Generator


def draw_problem(seed: int, number: int) -> MechanicalProblem:
    """Return a problem; the same for the same seed and number. Its numbers are short decimals."""
    random = np.random.default_rng([seed, 0, number])
    size = int(random.integers(2, 5))
    stiffness = _chain(_draw(random, 5, 60, size + 1))
    gaps = _draw(random, 0.05, 0.4, size)
    problem = MechanicalProblem(
        name=f"{NAME} {number}",
        end=END,
        mass=np.diag(_draw(random, 0.5, 3, size)),
        stiffness=stiffness,
        damping=_chain(_draw(random, 0.05, 0.5, size + 1)) if random.random() < 0.6 else None,
        initial_displacement=[_short(gap * random.uniform(-0.9, 0.9)) for gap in gaps],
        initial_velocity=_draw(random, -1, 1, size),
        loads=_draw_loads(random, size),
    )
    for i in range(int(random.integers(1, MOST_ELEMENTS + 1))):
        problem = list(ELEMENTS.values())[int(random.integers(len(ELEMENTS)))](random, problem, gaps, f"e{i + 1}")
    return problem


def _short(number: float) -> float:
    """Return a number rounded to three digits."""
    return float(f"{number:.3g}")


def _draw(random: Random, low: float, high: float, count: int) -> list[float]:
    return [_short(x) for x in random.uniform(low, high, count)]


def _chain(links: list[float]) -> Floats:
    """Return the matrix (n, n) of a chain of springs between two walls, from those of its n + 1 links."""
    n = len(links) - 1
    matrix = np.diag([_short(a + b) for a, b in pairwise(links)])
    for i in range(n - 1):
        matrix[i, i + 1] = matrix[i + 1, i] = -links[i + 1]
    return matrix


def _draw_loads(random: Random, size: int) -> tuple[Load, ...]:
    """Return a harmonic load, a constant one, or none."""
    direction = np.eye(size)[int(random.integers(size))]
    amplitude, omega, phase = _draw(random, 0.5, 8, 3)
    functions = (Harmonic(amplitude, omega, phase), constant(amplitude))
    choice = int(random.integers(3))
    return () if choice == 2 else (Load(direction, functions[choice]),)


def _add_stop(law: Callable[[Random], Mapping[str, Any]]) -> Callable[..., MechanicalProblem]:
    """Return what adds a stop with the law that is drawn: on one side of a coordinate, or on both."""

    def add(random: Random, problem: MechanicalProblem, gaps: list[float], name: str) -> MechanicalProblem:
        place, side = int(random.integers(problem.size)), float(random.choice([-1, 1]))
        shape = str(random.choice(["plane", "parallel planes"]))
        stop = Stop(name, side * np.eye(problem.size)[place], gaps[place], geometry=shape, **law(random))
        return replace(problem, stops=(*problem.stops, stop))

    return add


def _add_friction(law: Callable[[Random], Mapping[str, Any]]) -> Callable[..., MechanicalProblem]:
    """Return what adds a friction with the law that is drawn, on a coordinate or between two neighbours."""

    def add(random: Random, problem: MechanicalProblem, _gaps: list[float], name: str) -> MechanicalProblem:
        place, between = int(random.integers(problem.size)), random.random() < 0.3
        tangent = np.eye(problem.size)[place]
        tangent = tangent - np.eye(problem.size)[place - 1] if between and place else tangent
        force, kinetic = _draw(random, 0.2, 2, 2)
        static = _short(kinetic * random.choice([1.0, 1.0, 1.3]))
        friction = Friction(name, (tangent,), force, static, kinetic, **law(random))
        return replace(problem, frictions=(*problem.frictions, friction))

    return add


ELEMENTS: dict[str, Callable[..., MechanicalProblem]] = {
    "elastic stop": _add_stop(lambda random: {"stiffness": _draw(random, 100, 900, 1)[0]}),
    "damped stop": _add_stop(
        lambda random: {"stiffness": _draw(random, 100, 900, 1)[0], "damping": _draw(random, 1, 9, 1)[0]}
    ),
    "rigid stop": _add_stop(lambda random: {"restitution": float(random.choice([0.0, 0.4, 0.7, 0.9, 1.0]))}),
    "friction": _add_friction(lambda _: {}),
    "friction through a spring": _add_friction(
        lambda random: {"law": "regularised", "stiffness": _draw(random, 50, 500, 1)[0], "damping": 0.0}
    ),
}


def describe_problem(problem: MechanicalProblem) -> dict[str, str]:
    """Return what a problem consists of, for people; seed and number draw it again."""
    stops = [f"{'rigid ' * s.rigid}{s.geometry}" for s in problem.stops]
    frictions = [f"{f.law} friction" for f in problem.frictions]
    return {"coordinates": str(problem.size), "elements": "; ".join(stops + frictions)}


def list_queries(problem: MechanicalProblem) -> list[str]:
    """Return what is asked of a problem."""
    values = [f"{name}@{instant}" for instant in INSTANTS for name in problem.coordinates]
    return [*values, f"v_{problem.coordinates[0]}@{INSTANTS[-1]}"]


def attempt_problem(problem: MechanicalProblem, seconds: float) -> Iterator[Item]:
    """Yield what there is to say of a problem, as `attempt` does of a set."""
    yield {"trying": "values"}
    begin = time.monotonic()
    try:
        with time_limit(2 * SETS * seconds):
            values = prove(problem, list_queries(problem), seconds=PART * seconds)
    except (ParameterError, ProblemError) as reason:
        yield {"refused": str(reason)}
        return
    except OutOfTime as reached:
        yield {"quantity": "", "end": OUT_OF_TIME, "text": str(reached)}
        return
    except Exception as fault:  # noqa: BLE001 - what is no refusal is an entry
        yield {"quantity": "", "end": ERROR, "text": describe_fault(fault)}
        return
    took = round((time.monotonic() - begin) / len(values), 2)
    for name, value in values.items():
        end, text = tell_end(value)
        yield {"quantity": name, "end": end, "text": text, "seconds": took}
    yield {"trying": SOLVERS}
    proved = {name: value for name, value in values.items() if value.value is not None}
    yield from hold_problem(problem, proved, seconds)


def hold_problem(problem: MechanicalProblem, proved: Mapping[str, Certified], seconds: float) -> Iterator[Item]:
    """Yield what solvers say of the values of a problem, as `hold` does of those of a set."""
    for holder in HOLDERS if proved else ():
        yield from _hold_against(holder, problem, proved, seconds)


def _hold_against(
    holder: Holder, problem: MechanicalProblem, proved: Mapping[str, Certified], seconds: float
) -> Iterator[Item]:
    posed = replace(problem, output_times=np.arange(0, problem.end, SAMPLING))
    gate = TimedGate(load_solver(holder.name), seconds)
    subject = Subject.from_introduction(gate.introduction, Request())
    try:
        if missing := sorted(problem.needs - subject.capabilities):
            yield {"silent": holder.name, "reason": f"does not offer {', '.join(missing)}"}
            return
        answers = []
        for settings in (holder.settings, holder.coarser):
            if settings is not None:
                chosen = {**subject.default_settings(gate, posed, subject.schemes[0]), **settings}
                answers.append(read_response(posed, gate.solve(posed, chosen).content, holder.name))
    except (SolverInputError, SolverFailure, CapabilityError) as reason:
        yield {"silent": holder.name, "reason": str(reason)}
        return
    for name, truth in proved.items():
        limit = holder.share * float(np.abs(_read_history(answers[0], problem, name)).max())
        value, *coarser = (_read_value(answer, problem, name) for answer in answers)
        error = abs(value - float(truth))
        if error > limit and any(abs(other - value) > limit for other in coarser):
            yield {"silent": holder.name, "quantity": name, "reason": "the answer has not settled"}
            continue
        numbers = f"{value:.12g} instead of {float(truth):.12g}, off by {error:.1e} where {limit:.1e} is its accuracy"
        yield {"held": holder.name, "quantity": name, "differs": numbers if error > limit else ""}


def _read_history(answer: Response, problem: MechanicalProblem, query: str) -> Floats:
    """Return the history (m,) that a query reads."""
    name = query.partition("@")[0]
    histories = answer.velocity if name.startswith("v_") else answer.displacement
    return histories[:, problem.coordinates.index(name.removeprefix("v_"))]


def _read_value(answer: Response, problem: MechanicalProblem, query: str) -> float:
    """Return what an answer has at the sample at the instant of a query."""
    place = int(np.argmin(np.abs(answer.time - float(query.partition("@")[2]))))
    return float(_read_history(answer, problem, query)[place])
