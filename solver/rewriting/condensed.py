"""Degrees of freedom without mass: a problem of the others that moves in the same way, and the way back.

Massless coordinates without dashpots, a, are where the forces put them: ``x_a = K_aa⁻¹ (f_a - K_ar x_r)``. A stop that
acts on them acts on the others in series with the compliance ``c = n_a K_aa⁻¹ n_a``: an elastic one has the stiffness
``k/(1 + k c)``, a rigid one ``1/c``, as nothing without mass makes an impact.

Massless coordinates with dashpots, d, are states of the first order. With ``u = x_d + K_dd⁻¹ K_dm x_m`` they obey

    C_dd u' + K_dd u + G x_m' = f_d,    G = C_dm - C_dd K_dd⁻¹ K_dm,

and their integral z, z' = u, has equations of the second order with the mass K_dd, which every solver takes:

    K_dd z'' + B K_dd z' + B G x_m' = B f_d,    B = K_dd C_dd⁻¹
    M x_m'' + (C_mm - C_md C_dd⁻¹ C_dm) x_m' + (K_md - C_md C_dd⁻¹ K_dd) z' + (K_mm - K_md K_dd⁻¹ K_dm) x_m
        = f_m - C_md C_dd⁻¹ f_d

The coupling by B G is gyroscopic. Source: derived here; the static part is the condensation of R. J. Guyan, Reduction
of stiffness and mass matrices, AIAA Journal 3, 1965, p. 380.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from veridyn.problem.elements import Load, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.matrices import is_skewed, symmetric_part
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.sparse import is_sparse
from veridyn.solver.contract.responses import Response

Parts = tuple[list[int], list[int], list[int]]

SINGULAR = 1e-12  # relative; a matrix nearer to a singular one is singular


@dataclass(frozen=True, eq=False)
class Condensed:
    """A problem that every solver takes in place of one with massless coordinates, and the way back.

    ``problem`` has the coordinates with mass, m, then ``z_NAME`` (m s) of the massless ones with dashpots, d.
    """

    problem: MechanicalProblem
    whole: MechanicalProblem  # with a mass for every coordinate that has none
    parts: Parts  # places of m, d and a in the whole
    compliance: Floats  # (a, a) K_aa⁻¹
    follow: Floats  # (a, m + d) x_a over the others, where nothing acts on it
    lag: Floats  # (d, m) K_dd⁻¹ K_dm

    def restored(self, response: Response) -> Response:
        """Return a response of ``problem`` with all coordinates, and the gaps of stops as they are.

        The velocities of massless coordinates without dashpots are NaN where loads act on them: they jump as loads do.
        """
        m, d, a = self.parts
        size = len(m)
        x, v = np.zeros((2, response.time.size, self.whole.size))
        x[:, m], v[:, m] = response.displacement[:, :size], response.velocity[:, :size]
        x[:, d] = response.velocity[:, size:] - x[:, m] @ self.lag.T
        v[:, d] = self._rates(response)[:, size:] - v[:, m] @ self.lag.T
        x[:, a], v[:, a] = (part[:, m + d] @ self.follow.T for part in (x, v))
        for load in self.whole.loads:
            if load.direction[a].any():
                x[:, a] += np.outer(load.function(response.time), self.compliance @ load.direction[a])
                v[:, a] = np.nan
        elements = {name: dict(histories) for name, histories in response.elements.items()}
        for stop in self.whole.stops:
            if stop.normal[a].any() and stop.name in elements:
                elements[stop.name] = self._pushed(stop, response, x, v)
        return replace(response, displacement=x, velocity=v, elements=elements)

    def _rates(self, response: Response) -> Floats:
        """Return ``M⁻¹ (f - C v - K x)`` (k, m + d): the accelerations of z, on which no element acts."""
        p = self.problem
        forces = -response.displacement @ np.asarray(p.stiffness).T - response.velocity @ np.asarray(p.damping).T
        forces += sum(np.outer(load.function(response.time), load.direction) for load in p.loads)
        return np.linalg.solve(np.asarray(p.mass), forces.T).T

    def _pushed(self, stop: Stop, response: Response, x: Floats, v: Floats) -> dict[str, Floats]:
        """Add to x and v what a stop does to its massless coordinates; return its histories."""
        a = self.parts[2]
        (series,) = (each for each in self.problem.stops if each.name == stop.name)
        moved = self.compliance @ stop.normal[a]
        c, histories = float(stop.normal[a] @ moved), dict(response.elements[stop.name])
        force, rate = histories["normal_force"], response.velocity @ series.normal
        side = np.sign(response.displacement @ series.normal + series.offset) if stop.geometry != "plane" else 1.0
        x[:, a] -= np.outer(side * force, moved)
        v[:, a] -= np.outer((force > 0) * series.stiffness * rate, moved)
        histories["gap"] = histories["gap"] + c * force
        histories["normal_velocity"] = histories["normal_velocity"] * (1 - (force > 0) * c * series.stiffness)
        return histories


def condensed(*, mass: Any, **given: Any) -> Condensed:
    """Return what is solved in place of a problem with massless coordinates: rows and columns of zeros in the mass.

    The fields are those of `MechanicalProblem`. The initial values of massless coordinates are not used, but for the
    displacements of those with dashpots.

    Raises
    ------
    ProblemError
        See `MechanicalProblem`; if a matrix is sparse; if all coordinates have mass; if springs do not hold the
        massless ones, or dashpots some of them only; if something but loads and undamped planes without friction acts
        on them.
    """
    if any(map(is_sparse, (mass, *given.values()))):
        raise ProblemError("condensed takes matrices as arrays; write sparse ones out with toarray()")
    weights = np.atleast_2d(np.array(mass, dtype=float))
    without = ~(weights.any(axis=0) | weights.any(axis=1))
    whole = MechanicalProblem(mass=weights + np.diag(without.astype(float)), **given)
    if whole.damping is None or whole.stiffness is None or not without.any():
        raise _refused(whole, "no coordinate is without mass", "pose it as a problem as it is")
    dashed = without & (whole.damping.any(axis=0) | whole.damping.any(axis=1))
    m, d, a = (np.flatnonzero(which).tolist() for which in (~without, dashed, without & ~dashed))
    _check(whole, [*d, *a])
    others, K, C = [*m, *d], whole.stiffness, whole.damping
    compliance = _inverse(whole, K[np.ix_(a, a)], a, "no spring holds")
    follow = -compliance @ K[np.ix_(a, others)]
    K = K[np.ix_(others, others)] - follow.T @ K[np.ix_(a, a)] @ follow
    blocks = _blocks(whole, K, C[np.ix_(others, others)], weights[np.ix_(m, m)], d)
    loads = [
        Load(blocks["loads"] @ (load.direction[others] + follow.T @ load.direction[a]), load.function)
        for load in whole.loads
    ]
    lag = blocks["lag"]
    start = whole.initial_displacement[d] + lag @ whole.initial_displacement[m]
    problem = replace(
        whole,
        mass=blocks["mass"],
        damping=blocks["damping"],
        stiffness=blocks["stiffness"],
        initial_displacement=np.concatenate((whole.initial_displacement[m], 0 * start)),
        initial_velocity=np.concatenate((whole.initial_velocity[m], start)),
        loads=tuple(loads),
        supports=tuple(replace(s, influence=np.append(s.influence[m], 0 * start)) for s in whole.supports),
        stops=tuple(_in_series(whole, stop, (m, d, a), follow, compliance) for stop in whole.stops),
        frictions=tuple(replace(f, tangents=tuple(t[others] for t in f.tangents)) for f in whole.frictions),
        devices=tuple(replace(each, direction=each.direction[others]) for each in whole.devices),
        varying=tuple(replace(part, matrix=part.matrix[np.ix_(others, others)]) for part in whole.varying),
        coordinates=(*(whole.coordinates[i] for i in m), *(f"z_{whole.coordinates[i]}" for i in d)),
    )
    return Condensed(problem, whole, (m, d, a), compliance, follow, lag)


def _blocks(whole: MechanicalProblem, K: Floats, C: Floats, mass: Floats, d: list[int]) -> Mapping[str, Floats]:
    """Return the matrices of m and z, the map of loads, and the lag; see the head of this file."""
    n = len(mass)
    spring, dashpot = K[n:, n:], _inverse(whole, C[n:, n:], d, "not enough dashpots damp")
    lag = _inverse(whole, spring, d, "no spring holds") @ K[n:, :n]
    rate, carried, coupling = spring @ dashpot, C[:n, n:] @ dashpot, C[n:, :n] - C[n:, n:] @ lag
    zero = np.zeros_like
    return {
        "mass": np.block([[mass, zero(C[:n, n:])], [zero(C[n:, :n]), spring]]),
        "damping": np.block([
            [C[:n, :n] - carried @ C[n:, :n], K[:n, n:] - carried @ spring],
            [rate @ coupling, rate @ spring],
        ]),
        "stiffness": np.block([[K[:n, :n] - K[:n, n:] @ lag, zero(C[:n, n:])], [zero(C[n:, :n]), zero(spring)]]),
        "loads": np.block([[np.eye(n), -carried], [zero(C[n:, :n]), rate]]),
        "lag": lag,
    }  # fmt: skip


def _check(whole: MechanicalProblem, massless: list[int]) -> None:
    """Refuse what acts on massless coordinates without a law in the others."""
    directions = {f"friction {f.name!r}": f.tangents for f in whole.frictions}
    directions |= {f"device {d.name!r}": (d.direction,) for d in whole.devices}
    directions |= {f"stop {s.name!r} ({s.geometry})": s.directions for s in whole.stops if s.curved}
    directions |= {f"a varying {part.of}": (*part.matrix, *part.matrix.T) for part in whole.varying}
    for owner, vectors in directions.items():
        if any(vector[massless].any() for vector in vectors):
            raise _refused(whole, f"{owner} acts on coordinates without mass", "let it act on one with mass")
    if is_skewed(np.asarray(whole.stiffness)):
        raise _refused(whole, "the stiffness is circulatory", "give every coordinate a mass")


def _in_series(whole: MechanicalProblem, stop: Stop, parts: Parts, follow: Floats, compliance: Floats) -> Stop:
    """Return a stop as it acts on the others: in series with the springs of the massless coordinates."""
    m, d, a = parts
    lateral = None if stop.lateral is None else stop.lateral[[*m, *d]]
    normal = stop.normal[[*m, *d]] + follow.T @ stop.normal[a]
    if normal[len(m) :].any():
        what = f"stop {stop.name!r} acts on a coordinate without mass but with a dashpot"
        raise _refused(whole, what, "give it mass, or pose it by modes as the case massless_contact does")
    if not stop.normal[a].any():
        return replace(stop, normal=normal, lateral=lateral)
    moved = compliance @ stop.normal[a]
    others = {f"stop {o.name!r}": o.normal[a] for o in whole.stops if o is not stop}
    others |= {f"load {i}": load.direction[a] for i, load in enumerate(whole.loads, start=1)}
    if moving := [name for name, direction in others.items() if (direction @ moved).any()]:
        raise _refused(whole, f"{moving[0]} moves what stop {stop.name!r} meets, which has no mass", "give it mass")
    if stop.damping or (stop.frame == "absolute" and whole.supports):
        raise _refused(
            whole, f"stop {stop.name!r} is damped, or absolute, and meets no mass", "give what it meets mass"
        )
    c = float(stop.normal[a] @ moved)
    stiffness = 1 / c if stop.rigid else stop.stiffness / (1 + stop.stiffness * c)
    return replace(stop, normal=normal, restitution=None, stiffness=stiffness)


def _inverse(whole: MechanicalProblem, matrix: Floats, places: list[int], fault: str) -> Floats:
    """Return the inverse of a positive definite matrix of massless coordinates; raises ProblemError for another one."""
    values = np.linalg.eigvalsh(symmetric_part(matrix))
    if values.size and values[0] <= SINGULAR * values[-1]:
        names = ", ".join(whole.coordinates[i] for i in places)
        raise _refused(whole, f"{fault} {names}, without mass", "add one, or a mass")
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _refused(whole: MechanicalProblem, what: str, remedy: str) -> ProblemError:
    return ProblemError(f"{whole.name}, condensed: {what}: {remedy}")
