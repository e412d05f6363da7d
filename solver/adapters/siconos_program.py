"""Siconos as a solver of the command protocol, run by a Python that has Siconos; needs numpy and nothing of veridyn.

The equations of motion are a first-order linear system, ``x' = A x + b(t) + r`` with ``x = (q, q')``
(`FirstOrderLinearTIDS`), stepped by `EulerMoreauOSI`; the mass matrix is inverted beforehand, since Siconos fails with
masses of 1e-5 kg and less on the left (`setMPtr`). Elements are linear relations ``y = C x + D λ + e``,
``r = B λ`` (`FirstOrderLinearTIR`) under a nonsmooth law; one `Relay` problem per step holds them all:

* elastic stop of stiffness k: ``0 <= λ  ⊥  y = gap + λ/k >= 0`` (`ComplementarityConditionNSL`), so that λ is the
  force ``k max(0, -gap)``; exact, without penalty. Between parallel planes there are two of them.
* Coulomb friction: ``λ = -mu N sign(y)``, y the sliding velocity (`RelayNSL`): rigid stick, exact set-valued law.
* Loads and support motions: b(t), averaged over a step as the theta method does with its own load functions.

`LagrangianLinearTIDS` with `MoreauJeanOSI` would be the natural form, but Python has no compliant linear relation for
it, and its friction of this type is switched by the displacement, as if it were a contact. It is the form where all
elements are rigid stops: ``y = gap`` under Newton's law of impact (`NewtonImpactNSL`), in the coordinates ``Lᵀ q``,
M = L Lᵀ, in which the mass is one.

Schemes are the theta of the smooth forces. The multipliers act with the share gamma of the end of a step:

* ``theta-0.5``: gamma = 1/2 where all elements are stops, so that impacts keep their energy; with gamma = 1, as Siconos
  has it, SDND101 loses 27 % of it over a hundred shocks of 1600 steps each. gamma = 1 where there is friction,
  whose force would otherwise alternate in stick and slip now and then; stops beside friction lose energy.
* ``theta-1``: gamma = 1; damps everything.

gamma = 1/2 needs the multipliers of the start; Siconos gets them as an initial reaction. Steps are equal throughout:
the Python interface takes no list of instants.
"""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

try:
    import numpy as np
    import siconos
    import siconos.kernel as sk
except ImportError as missing:
    raise SystemExit(str(missing)) from None

PROTOCOL = 1
CAPABILITIES = (
    "mechanical", "multi-dof", "loads", "support-motion", "multi-support", "damping", "contact",
    "contact:parallel-planes", "contact:rigid", "friction:set-valued",
)  # fmt: skip
SCHEMES = {"theta-0.5": 0.5, "theta-1": 1.0}
SUBSTEPS = 10
OUTPUTS = 2000  # where a problem asks for no instants
ROUNDING = 1e-6  # of a step: an output instant this close to a step is that step
AT_LIMIT = 1.0 - 1e-9  # of mu N: from here on friction slips


class NotApplicable(Exception):
    """The problem needs something that is not expressed here."""


@dataclass(frozen=True)
class Element:
    """One relation ``y = C x + compliance λ + offset`` with its law; λ acts along ``direction`` (n,); C (2n,)."""

    C: Any
    direction: Any
    compliance: float
    offset: float
    law: Any
    multiplier: float  # at the start (N)


def number(value: float | str) -> float:
    """Return a number, which may be a text such as ``"1.01"``, ``"3/4"``, ``"2*pi"``, ``"pi/2"``."""
    if not isinstance(value, str):
        return float(value)
    before, pi, after = value.partition("pi")
    if not pi:
        return float(Fraction(value))
    factor, divisor = before.strip(" *") or 1, after.strip(" /") or 1
    return float(Fraction(factor) / Fraction(divisor)) * math.pi


def evaluated(function: dict[str, Any], t: Any) -> Any:
    """Return a function of time at the instants t (m,) in s."""
    if function["kind"] == "sum":
        return sum((evaluated(part, t) for part in function["summands"]), start=np.zeros_like(t))
    if function["kind"] == "harmonic":
        amplitude, omega, phase = (number(function[key]) for key in ("amplitude", "omega", "phase"))
        order = function["order"]
        return amplitude * omega**order * np.sin(omega * t + phase + order % 4 * math.pi / 2)
    starts = np.array([number(b) for b in function["breaks"]])
    degree = max(len(row) for row in function["coefficients"])
    table = np.array([[number(c) for c in row] + [0.0] * (degree - len(row)) for row in function["coefficients"]])
    piece = np.searchsorted(starts, t, side="right") - 1
    tau, rows = t - starts[piece], table[piece]
    value = np.zeros_like(t)
    for k in range(degree - 1, -1, -1):
        value = value * tau + rows[:, k]
    return np.where(piece >= 0, value, 0.0)


def refuse(problem: dict[str, Any]) -> None:
    """Raise `NotApplicable` for what the relations and laws above do not express."""
    stops, frictions = problem["stops"], problem["frictions"]
    absolute = problem["supports"] and any(element["frame"] == "absolute" for element in stops + frictions)
    reasons = {
        "modes: a system of matrices is needed": problem["modes"] is not None,
        "a curved stop": any(stop["geometry"] not in ("plane", "parallel planes") for stop in stops),
        "a damped stop": any(stop.get("damping") for stop in stops),
        "rigid stops beside elastic ones or frictions": rigid(problem) and not only_rigid(problem),
        "a stop or friction in the absolute frame of a driven structure": absolute,
        "regularised friction": any(friction["law"] == "regularised" for friction in frictions),
        "friction along two tangents": any(len(friction["tangents"]) > 1 for friction in frictions),
        "friction under the force of a stop": any(isinstance(friction["normal"], str) for friction in frictions),
        "a static friction coefficient above the kinetic": any(f["static"] != f["kinetic"] for f in frictions),
    }
    for reason, holds in reasons.items():
        if holds:
            raise NotApplicable(reason)


def rigid(problem: dict[str, Any]) -> bool:
    """Tell whether a stop is rigid."""
    return any(stop.get("restitution") is not None for stop in problem["stops"])


def only_rigid(problem: dict[str, Any]) -> bool:
    """Tell whether all elements are rigid stops."""
    return all(stop.get("restitution") is not None for stop in problem["stops"]) and not problem["frictions"]


def uniform_steps(problem: dict[str, Any], substeps: int) -> tuple[Any, float, Any]:
    """Return the output instants (m,), the step (s), and the number of steps (m,) that leads to each of them.

    The step is the usual spacing of the output over ``substeps``; raises `NotApplicable` if it misses an instant.
    """
    start, asked = problem["start"], problem["output_times"]
    times = np.linspace(start, problem["end"], OUTPUTS + 1) if asked is None else np.array(asked)
    intervals = np.diff(np.concatenate(([start], times)))
    usual = np.median(intervals[intervals > 0])
    total = max(round((times[-1] - start) / usual * substeps), 1)
    step = (times[-1] - start) / total
    counts = np.rint((times - start) / step).astype(int)
    if np.abs((times - start) / step - counts).max() > ROUNDING:
        raise NotApplicable("output instants that equal steps do not meet: Siconos takes no list of steps from Python")
    return times, step, counts


def accelerations(problem: dict[str, Any], t: Any) -> Any:
    """Return the accelerations (m, n) that loads and supports cause at the instants t (m,)."""
    inverse = np.linalg.inv(problem["mass"])
    parts = [(inverse @ load["direction"], load["function"]) for load in problem["loads"]]
    parts += [(-np.array(support["influence"]), support["acceleration"]) for support in problem["supports"]]
    return sum((np.outer(evaluated(function, t), direction) for direction, function in parts), start=np.zeros(1))


def stop_elements(stop: dict[str, Any], q: Any) -> list[Element]:
    """Return the one or two planes of an elastic stop."""
    normal, zero = np.array(stop["normal"]), np.zeros(len(q))
    planes = []
    for sign in (1.0,) if stop["geometry"] == "plane" else (1.0, -1.0):
        offset = stop["gap"] - sign * stop["offset"]
        force = stop["stiffness"] * max(0.0, sign * (normal @ q) - offset)
        C, law = np.concatenate((-sign * normal, zero)), sk.ComplementarityConditionNSL(1)
        planes.append(Element(C, -sign * normal, 1.0 / stop["stiffness"], offset, law, force))
    return planes


def friction_element(friction: dict[str, Any], v: Any) -> Element:
    """Return a Coulomb friction under a constant normal force."""
    tangent = np.array(friction["tangents"][0])
    C, limit = np.concatenate((np.zeros(len(v)), tangent)), limit_of(friction)
    return Element(C, tangent, 0.0, 0.0, sk.RelayNSL(1, -limit, limit), -limit * np.sign(tangent @ v))


def limit_of(friction: dict[str, Any]) -> float:
    """Return mu N in N."""
    return float(friction["kinetic"] * friction["normal"])


def system(problem: dict[str, Any], elements: list[Element]) -> Any:
    """Return the dynamical system at its initial state."""
    n = len(problem["initial_displacement"])
    K, C = (np.linalg.solve(problem["mass"], problem[name]) for name in ("stiffness", "damping"))
    x = np.array(problem["initial_displacement"] + problem["initial_velocity"])
    ds = sk.FirstOrderLinearTIDS(x, np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]]))
    ds.setbPtr(np.zeros(2 * n))  # copied: the loads go through ds.b()
    ds.setR(sum((e.multiplier * input_vector(problem, e) for e in elements), start=np.zeros(2 * n)))
    return ds


def input_vector(problem: dict[str, Any], element: Element) -> Any:
    """Return B (2n,) of ``r = B λ``."""
    return np.concatenate((np.zeros_like(element.direction), np.linalg.solve(problem["mass"], element.direction)))


def interaction(problem: dict[str, Any], element: Element) -> Any:
    """Return an element as Siconos knows it."""
    relation = sk.FirstOrderLinearTIR(element.C[None, :], input_vector(problem, element)[:, None])
    relation.setDPtr(np.array([[element.compliance]]))
    relation.setePtr(np.array([element.offset]))
    return sk.Interaction(element.law, relation)


def march(problem: dict[str, Any], theta: float, step: float, counts: Any, elements: list[Element]) -> tuple[Any, Any]:
    """Return states (m, 2n) and multipliers (m, elements) after the given numbers of steps (m,)."""
    ds, links = system(problem, elements), [interaction(problem, element) for element in elements]
    model = sk.NonSmoothDynamicalSystem(0.0, step * counts[-1])
    model.insertDynamicalSystem(ds)
    for link in links:
        model.link(link, ds)
    integrator = sk.EulerMoreauOSI(theta, 1.0 if problem["frictions"] else theta)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0.0, step), integrator, sk.Relay())
    # views into the memory of Siconos
    x, b, multipliers = ds.x(), ds.b()[ds.n() // 2 :], [link.lambda_(0) for link in links]
    loads = step_loads(problem, theta, step, counts[-1])
    states, forces = np.empty((len(counts), x.size)), np.empty((len(counts), len(elements)))
    compute, advance, done = simulation.computeOneStep, simulation.nextStep, 0
    for i, count in enumerate(counts):
        for k in range(done, count):
            if loads is not None:
                b[:] = loads[k]
            compute()
            advance()
        done = count
        states[i] = x
        forces[i] = [m[0] for m in multipliers] if count else [e.multiplier for e in elements]
    return states, forces


def march_impacts(problem: dict[str, Any], theta: float, step: float, counts: Any) -> tuple[Any, Any]:
    """Return states (m, 2n) and mean forces (m, stops), of both planes together, where all elements are rigid stops."""
    lower = np.linalg.cholesky(problem["mass"])
    back = np.linalg.inv(lower)  # q = backᵀ z
    q, v = (lower.T @ np.array(problem[f"initial_{name}"]) for name in ("displacement", "velocity"))
    ds = sk.LagrangianLinearTIDS(q, v, np.eye(len(q)))
    for name, put in (("stiffness", ds.setKPtr), ("damping", ds.setCPtr)):
        put(back @ np.array(problem[name]) @ back.T)
    ds.setFExtPtr(np.zeros(len(q)))
    model = sk.NonSmoothDynamicalSystem(0.0, step * counts[-1])
    model.insertDynamicalSystem(ds)
    links, owner = [], []
    for s, stop in enumerate(problem["stops"]):
        for sign in (1.0,) if stop["geometry"] == "plane" else (1.0, -1.0):
            row, offset = -sign * back @ np.array(stop["normal"]), stop["gap"] - sign * stop["offset"]
            relation = sk.LagrangianLinearTIR(row[None, :], np.array([offset]))
            links.append(sk.Interaction(sk.NewtonImpactNSL(stop["restitution"]), relation))
            owner.append(s)
            model.link(links[-1], ds)
    discretisation = sk.TimeDiscretisation(0.0, step)
    simulation = sk.TimeStepping(model, discretisation, sk.MoreauJeanOSI(theta), sk.LCP())
    force, impulses = ds.fExt(), [link.lambda_(1) for link in links]
    loads = step_loads(problem, theta, step, counts[-1])
    states, means, done = np.empty((len(counts), 2 * len(q))), np.zeros((len(counts), len(problem["stops"]))), 0
    for i, count in enumerate(counts):
        for k in range(done, count):
            if loads is not None:
                force[:] = lower.T @ loads[k]
            simulation.computeOneStep()
            for s, impulse in zip(owner, impulses, strict=True):
                means[i, s] += impulse[0]
            simulation.nextStep()
        means[i] /= step * max(count - done, 1)
        done = count
        states[i] = np.concatenate((back.T @ ds.q(), back.T @ ds.velocity()))
    return states, means


def step_loads(problem: dict[str, Any], theta: float, step: float, total: int) -> Any:
    """Return b of every step, (total, n) in m/s², weighted over its two ends; None if there is no load."""
    if not problem["loads"] and not problem["supports"]:
        return None
    ends = accelerations(problem, problem["start"] + step * np.arange(total + 1))
    return theta * ends[1:] + (1.0 - theta) * ends[:-1]


def solve(problem: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return the response to a problem; raises ArithmeticError if it is not finite."""
    refuse(problem)
    theta = SCHEMES[settings.get("scheme") or next(iter(SCHEMES))]
    times, step, counts = uniform_steps(problem, settings.get("substeps", SUBSTEPS))
    if rigid(problem):
        states, means = march_impacts(problem, theta, step, counts)
        forces = {stop["name"]: {"normal_force": means[:, s].tolist()} for s, stop in enumerate(problem["stops"])}
        return answered(times, states, forces, counts)
    q, v = problem["initial_displacement"], problem["initial_velocity"]
    planes = [plane for stop in problem["stops"] for plane in stop_elements(stop, q)]
    rubs = [friction_element(friction, v) for friction in problem["frictions"]]
    states, multipliers = march(problem, theta, step, counts, planes + rubs)
    n = len(q)
    histories = {
        friction["name"]: friction_histories(friction, states[:, n:], multipliers[:, len(planes) + j])
        for j, friction in enumerate(problem["frictions"])
    }
    return answered(times, states, histories, counts)


def answered(times: Any, states: Any, elements: dict[str, Any], counts: Any) -> dict[str, Any]:
    """Return the response; raises ArithmeticError if it is not finite."""
    if not np.all(np.isfinite(states)):
        raise ArithmeticError("Siconos returned NaN or infinity")
    n = states.shape[1] // 2
    return {
        "time": times.tolist(),
        "displacement": states[:, :n].tolist(),
        "velocity": states[:, n:].tolist(),
        "elements": elements,
        "counters": {"steps": int(counts[-1])},
    }


def friction_histories(friction: dict[str, Any], velocity: Any, force: Any) -> dict[str, Any]:
    """Return force, sliding velocity and stick of a friction at the output instants."""
    sliding = velocity @ np.array(friction["tangents"][0])
    stuck = np.abs(force) < AT_LIMIT * limit_of(friction)
    return {"force": force.tolist(), "sliding_velocity": sliding.tolist(), "stuck": stuck.astype(float).tolist()}


def introduction() -> dict[str, Any]:
    """Return the answer to ``start``."""
    return {
        "name": "siconos",
        "version": siconos.version,
        "protocol": PROTOCOL,
        "capabilities": CAPABILITIES,
        "schemes": tuple(SCHEMES),
        "settings": {"substeps": f"steps between two output instants; default {SUBSTEPS}"},
    }


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to ``start`` or ``solve``."""
    if message["command"] == "start":
        return introduction()
    try:
        return {"id": message["id"], "response": solve(message["problem"], message["settings"])}
    except NotApplicable as reason:
        return {"id": message["id"], "not_applicable": str(reason)}
    except Exception as error:  # noqa: BLE001 - Siconos turns every C++ exception into a bare Exception
        return {"id": message["id"], "error": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Answer line by line until told to stop; what C++ prints goes to standard error."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            message = json.loads(line)
            if message["command"] == "stop":
                break
            answers.write(json.dumps(answer(message), allow_nan=False) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
