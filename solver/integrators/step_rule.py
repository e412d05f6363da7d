"""The step rule: a fraction of the shortest period, springs of elements included, or of a damping time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from veridyn.problem.matrices import symmetric_part
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.sparse import is_sparse, row_sums
from veridyn.problem.time_scales import largest_skew, largest_variation, whirling
from veridyn.solver.contract.errors import StepError
from veridyn.solver.integrators.arrays import contacts
from veridyn.solver.integrators.entries import rows_of
from veridyn.solver.integrators.kernels import contact, device
from veridyn.solver.integrators.kernels.curved import CIRCLE
from veridyn.solver.integrators.kernels.system import System


@dataclass(frozen=True)
class Limit:
    """The shortest period (s) and what causes it."""

    period: float
    cause: str


@dataclass(frozen=True)
class Spring:
    """A spring that stiffens modes: stiffness (N/m), the rows it acts along, what it is."""

    stiffness: float
    rows: tuple[int, ...]
    name: str


def _springs(system: System, problem: MechanicalProblem) -> Iterator[Spring]:
    """Yield every spring of contacts and devices that acts along a row."""
    for c, pair in enumerate(contacts(problem)):
        for column, places, word in _places(int(system.contact_index[c, contact.GEOMETRY])):
            k = float(system.contact_value[c, column])
            rows = tuple(int(row) for row in system.contact_index[c, places] if row >= 0)
            if rows and k:
                yield Spring(k, rows, f"{word} {k:.6g} N/m of {pair.element.name!r}")
    for row, each in zip(system.device_index[:, device.ROW], problem.devices, strict=True):
        if each.stiffness:
            yield Spring(each.stiffness, (int(row),), f"stiffness {each.stiffness:.6g} N/m of {each.name!r}")


def _places(geometry: int) -> tuple[tuple[int, list[int], str], ...]:
    """Return column of the stiffness, columns of the rows it acts along, and name of the springs of a contact.

    Around a curved stop a spring takes any direction of the plane (y, z), in the worst case that of ``φ_y² + φ_z²``.
    """
    around = [contact.ROW_Y, contact.ROW_Z]
    curved = geometry >= CIRCLE
    return (
        (contact.STIFFNESS, around if curved else [contact.ROW_Y], "stiffness"),
        (contact.TANGENT_STIFFNESS, around if curved else [contact.ROW_Z], "tangential stiffness"),
        (contact.TANGENT_STIFFNESS, [contact.ROW_X], "tangential stiffness"),
    )


def shortest_period(system: System, modes: Modes, problem: MechanicalProblem) -> Limit:
    """Return the shortest of ``2π/w_j`` and ``2π/sqrt(w_j² + k φ_d²/m_j)`` over modes, springs and directions.

    Damping that no ratio expresses decays at a rate c, like an oscillator with ``w = c/2`` that is damped critically.
    Gyroscopic forces, circulatory ones and matrices that vary raise the frequency; see `whirling`. Of sparse matrices
    no modes are known: w_j² is the sum of ``|K_ji|/sqrt(m_j m_i)`` over i, and φ_d²/m_j becomes ``e_j Σ_i e_i`` with
    ``e_j = |d_j|/sqrt(m_j)`` (Gershgorin).
    """
    sparse, frequencies = is_sparse(modes.shapes), modes.omega
    if sparse:
        frequencies = np.sqrt(row_sums(symmetric_part(modes.stiffness_matrix), modes.masses))
    places = [f"coordinate {name}" for name in problem.coordinates] if sparse else _numbered("mode", frequencies.size)
    j = int(np.argmax(frequencies))
    w = float(frequencies[j])
    limits = [Limit(2 * np.pi / w, f"{places[j]} ({w / (2 * np.pi):.6g} Hz)")] if w > 0 else []
    if modes.coupling is not None:
        limits.append(_damping_limit(modes))
    limits += _dampers(system, problem)
    for spring in _springs(system, problem):
        stiffened = frequencies**2 + spring.stiffness * sum(_mobility(system, row) for row in spring.rows)
        j = int(np.argmax(stiffened))
        limits.append(Limit(2 * np.pi / float(np.sqrt(stiffened[j])), f"{spring.name} on {places[j]}"))
    slowest = min(limits, key=lambda limit: limit.period, default=Limit(np.inf, "nothing"))
    return _whirling(_varying(slowest, system, modes, problem), modes)


def _numbered(word: str, count: int) -> list[str]:
    return [f"{word} {j}" for j in range(1, count + 1)]


def _mobility(system: System, row: int) -> Floats:
    """Return what a force along a row does to itself through each mode, ``φ_d²/m_j`` (r,); or a bound of it."""
    rows, push = rows_of(system)
    if not is_sparse(rows):
        return np.asarray(rows[row] * push[row])
    sizes = np.sqrt(abs(push[[row]]).toarray()[0] * abs(rows[[row]]).toarray()[0])
    return np.asarray(sizes * sizes.sum())


def _damping_limit(modes: Modes) -> Limit:
    if modes.coupling is None:
        fastest = float((modes.damping_diagonal / modes.masses).max())
    elif is_sparse(modes.shapes):
        fastest = float(row_sums(symmetric_part(modes.damping_matrix), modes.masses).max())
    else:
        roots = np.sqrt(modes.masses)
        fastest = float(np.linalg.eigvalsh(symmetric_part(modes.damping_matrix) / np.outer(roots, roots))[-1])
    return _decay(fastest, f"damping at a rate of {fastest:.6g} 1/s")


def _decay(rate: float, cause: str) -> Limit:
    return Limit(4 * np.pi / rate if rate > 0 else np.inf, cause)


def _dampers(system: System, problem: MechanicalProblem) -> Iterator[Limit]:
    """Yield the limits of dampers, and of damping that varies."""
    for row, each in zip(system.device_index[:, device.ROW], problem.devices, strict=True):
        rate = each.dashpot * float(_mobility(system, row).sum())
        yield _decay(rate, f"damping {each.dashpot:.6g} N s/m of {each.name!r}")
    if problem.varying:
        rate = largest_variation(problem, "damping", system.varying)
        yield _decay(rate, f"varying damping at a rate of {rate:.6g} 1/s")


def _varying(slowest: Limit, system: System, modes: Modes, problem: MechanicalProblem) -> Limit:
    """Return a limit with circulatory forces and with the stiffness that varies."""
    is_coupled = modes.stiffness_coupling is not None
    circulatory = largest_skew(modes.stiffness_matrix, modes.mass_matrix) if is_coupled else 0.0
    variation = largest_variation(problem, "stiffness", system.varying)
    if not (circulatory or variation):
        return slowest
    square = float(np.hypot((2 * np.pi / slowest.period) ** 2 + variation, circulatory))
    words = [f"circulatory forces of {circulatory:.6g} 1/s^2"] if circulatory else []
    words += [f"varying stiffness up to {variation:.6g} 1/s^2"] if variation else []
    return Limit(2 * np.pi / float(np.sqrt(square)), f"{slowest.cause}, with {' and '.join(words)},")


def _whirling(slowest: Limit, modes: Modes) -> Limit:
    """Return a limit with the gyroscopic forces of the modes."""
    gyroscopic = 0.0 if modes.coupling is None else largest_skew(modes.damping_matrix, modes.mass_matrix)
    if not gyroscopic:
        return slowest
    frequency = whirling(2 * np.pi / slowest.period, gyroscopic)
    return Limit(2 * np.pi / frequency, f"{slowest.cause}, with gyroscopic forces of {gyroscopic:.6g} 1/s,")


def check_step(step: float, points: int, limit: Limit, scheme: str) -> None:
    """Refuse a step above the shortest period over ``points``.

    Raises `StepError` naming the limiting mode or stiffness and the largest admissible step.
    """
    largest = limit.period / points
    if step > largest:
        raise StepError(
            f"step {step:g} s is above the limit {largest:.4g} s of {scheme}: "
            f"{limit.cause} has a period of {limit.period:.4g} s, {points} steps are needed; "
            f"reduce the step or the stiffness"
        )
