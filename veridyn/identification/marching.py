"""What a rule makes of small motions: the step that `veridyn.references.methods` assembles, marched to full digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import mpmath
import numpy as np
from mpmath import mpf
from numpy.typing import NDArray

from veridyn.identification.trials import Floats, LinearTrial
from veridyn.references.methods.recurrences import Blocks, MatrixSystem, Rule, assemble
from veridyn.references.methods.tableaux import Array

DIGITS = 30


def march_all(rule: Rule, trials: Sequence[LinearTrial]) -> list[Floats]:
    """Return the states (steps + 1, 2, n) in m and m/s of every motion; raises ValueError if a step is singular."""
    with mpmath.workdps(DIGITS):
        made = {}
        result = []
        for trial in trials:
            key = trial.mass, trial.damping, trial.stiffness, trial.span
            if key not in made:
                made[key] = assemble(rule, _read_system(trial))
            recurrence, n = made[key], len(trial.displacement)
            state = recurrence.start @ _precise([*trial.displacement, *trial.velocity, *trial.load(0.0)])
            states = [state[: 2 * n]]
            for i in range(trial.steps):
                state = recurrence.step @ state
                if trial.direction:
                    for load, instant in zip(recurrence.loads, rule.instants, strict=True):
                        state = state + load @ _precise(trial.load((i + float(instant)) * trial.span))
                states.append(state[: 2 * n])
            result.append(np.array(states).astype(float).reshape(-1, 2, n))
        return result


def _read_system(trial: LinearTrial) -> MatrixSystem:
    mass, damping, stiffness = (
        np.array([[mpf(x) for x in row] for row in rows], dtype=object)
        for rows in (trial.mass, trial.damping, trial.stiffness)
    )
    return MatrixSystem(mass, damping, stiffness, mpf(trial.span))


def _precise(values: Iterable[float]) -> Array:
    return np.array([mpf(float(value)) for value in values], dtype=object)


def find_step_roots(rule: Rule, trial: LinearTrial) -> NDArray[np.complex128]:
    """Return the eigenvalues of the step of a rule for the system of a motion."""
    with mpmath.workdps(DIGITS):
        step = assemble(rule, _read_system(trial)).step
    return np.linalg.eigvals(step.astype(float)).astype(complex)


def make_exact(count: int) -> Rule:
    """Return the exact step where the load is the polynomial through its values at ``count`` even instants of a step.

    One instant is the start of the step: a load that is held. Two are its ends: a load on the chord (Nigam and
    Jennings, Bull. Seism. Soc. Am. 59, 1969).
    """
    instants = tuple(mpf(i) / max(count - 1, 1) for i in range(count))

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        x, v = blocks
        n, h = len(s.mass), s.step
        # The load c_0 + c_1 s + c_2 s² (s in steps) is what a chain of integrators makes: with p_j = j! c_j,
        # p_j' = p_{j+1}/h. State and chain together have one exponential.
        size = 2 * n + count * n
        matrix = np.full((size, size), mpf(0), dtype=object)
        identity = np.eye(n, dtype=int).astype(object)
        inverse = np.array(mpmath.inverse(mpmath.matrix(s.mass.tolist())).tolist(), dtype=object)
        matrix[:n, n : 2 * n] = identity * h
        matrix[n : 2 * n, :n] = -(inverse @ s.stiffness) * h
        matrix[n : 2 * n, n : 2 * n] = -(inverse @ s.damping) * h
        matrix[n : 2 * n, 2 * n : 3 * n] = inverse * h
        for j in range(count - 1):
            matrix[(2 + j) * n : (3 + j) * n, (3 + j) * n : (4 + j) * n] = identity
        flow = np.array(mpmath.expm(mpmath.matrix(matrix.tolist())).tolist(), dtype=object)
        chain = _derive(instants, loads)
        end = flow @ np.concatenate([x, v, *chain])
        return end[:n], end[n : 2 * n]

    def start(_: MatrixSystem, x: Array, v: Array, __: Array) -> Blocks:
        return x, v

    return Rule(instants, start, advance)


def _derive(instants: Sequence[mpf], loads: Blocks) -> list[Array]:
    """Return the derivatives at the start of a step of the polynomial through loads at instants, in steps."""
    powers = mpmath.matrix([[instant**j if j else mpf(1) for j in range(len(instants))] for instant in instants])
    weights = np.array(mpmath.inverse(powers).tolist(), dtype=object)
    return [
        sum((load * weight for load, weight in zip(loads, row, strict=True)), start=loads[0] * 0) * mpmath.factorial(j)
        for j, row in enumerate(weights)
    ]
