"""OpenSees, a finite-element code for earthquake engineering, through OpenSeesPy.

How a problem is told to OpenSees:

* Every coordinate is a node with one degree of freedom and a lumped mass; a mass matrix that is not diagonal is not
  applicable. Stiffness and damping are `zeroLength` springs of `Elastic` material, between two nodes for what stands
  off the diagonal (negative ones too), to the ground for what is left in a row.
* A support that carries all coordinates with it is a `UniformExcitation` by its accelerogram; the nodes then move
  relative to it. Other supports are nodes of a `MultipleSupport` pattern, moved by displacement, velocity and
  acceleration together, and the relative displacement is the absolute one less the driven one. With the acceleration
  alone OpenSees integrates by the trapezoidal rule at a fixed 0.01 s.
* Time functions are `Path` series with a value at every step instant, and one beyond the end: after its last point a
  `Path` is zero.
* A stop is the material `ElasticPPGap` that never yields. It has no damper: damped stops are not applicable.
* Coulomb friction is the material `ElasticPP`: stick is a spring, slip is plastic flow under ``mu N``. There is one
  limit only, so that static and kinetic coefficient must be equal, and the spring has no damper. For set-valued
  friction it is as stiff as the step resolves, ``stick_steps`` per period of its oscillation: the shorter the step the
  more rigid is stick. What sticks rings on that spring unless the scheme damps it (HHT, TRBDF2).
* A stop or friction acts on one coordinate or on the difference of two.

OpenSees takes the acceleration at the start for zero, which costs Newmark's scheme its second order. Therefore a first
step of 1e-9 of the usual one finds the acceleration before the clock is set to the start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.opensees_model import Builder, OpenSeesControls, build, driven, initial, is_uniform, ops
from veridyn.solver.adapters.stepping import LINES, Grid, Stepper, refuse_beyond_lines
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response

SCHEMES = ("HHT", "TRBDF2", "Newmark", "NewmarkExplicit", "CentralDifference")
ORDER = {"order": 2}
CLAIMS: dict[str, dict[str, Any]] = {
    "HHT": ORDER,
    "TRBDF2": ORDER,
    "Newmark": {**ORDER, "method": "newmark", "beta": "1/4", "gamma": "1/2"},
    "NewmarkExplicit": ORDER,
    "CentralDifference": {},  # it takes the displacement before the start for that at the start
}
FIRST = 1e-9  # of a step: what finds the acceleration at the start


class OpenSees(Stepper):
    """OpenSees under test; it keeps one model in the process, which every solve wipes."""

    name = "opensees"
    distribution = "openseespy"
    controls = OpenSeesControls
    schemes = SCHEMES
    capabilities = LINES

    def claims(self, scheme: str) -> dict[str, Any]:
        """Return what a scheme claims, as OpenSees' documentation describes the integrators."""
        return dict(CLAIMS[scheme])

    def stepped(self, problem: MechanicalProblem, controls: OpenSeesControls, steps: Grid) -> Response:
        """Return the response by the steps of a grid."""
        _refuse(problem, controls)
        with _model() as log:
            builder = build(problem, controls, steps)
            table = _integrate(problem, controls, steps, builder, log)
        return _response(problem, steps, builder, table)


def _refuse(problem: MechanicalProblem, controls: OpenSeesControls) -> None:
    refuse_beyond_lines(
        problem,
        "gap materials",
        damped=": gap materials have no damper",
        on_stop=": plastic flow under a constant force is what there is",
        mass=": nodes have lumped masses",
        static="; ElasticPP has one limit, static = kinetic",
    )
    if not is_uniform(problem) and problem.supports and (problem.stops or problem.frictions):
        raise NotImplementedError("stops or frictions beside supports that do not carry all coordinates alike")
    for friction in problem.frictions:
        if friction.damping:
            raise NotImplementedError(f"friction {friction.name!r}: the spring of ElasticPP has no damper")
    if controls.scheme == "CentralDifference" and np.any(initial(problem)[1]):
        raise NotImplementedError("an initial velocity: CentralDifference assumes the displacement before the start")


@contextmanager
def _model() -> Iterator[Path]:
    """Open an empty model with one degree of freedom per node; yields the file to which OpenSees writes its log."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "opensees.log"
        ops.logFile(str(log), "-noEcho")
        ops.wipe()
        ops.model("basic", "-ndm", 1, "-ndf", 1)
        try:
            yield log
        finally:
            ops.wipe()
            ops.logFile(os.devnull, "-noEcho")


def _integrate(
    problem: MechanicalProblem, controls: OpenSeesControls, steps: Grid, builder: Builder, log: Path
) -> Floats:
    """Return one row per output: displacement, velocity of the nodes, then stress and tangent of the elements."""
    _analyze(controls, 1, FIRST * float(steps.lengths.max()), log)
    ops.setTime(problem.start)
    rows = []
    for count, length in zip(steps.counts.tolist(), steps.lengths.tolist(), strict=True):
        if count:
            _analyze(controls, count, length, log)
        rows.append(_state(problem, builder))
    return np.array(rows)


def _analyze(controls: OpenSeesControls, count: int, length: float, log: Path) -> None:
    status = ops.analyze(count, length)
    if status:
        words = log.read_text(errors="replace").split()[-30:] if log.exists() else []
        raise SolverFailure(
            f"OpenSees ({controls.scheme}) gave up after t = {ops.getTime():.9g} s, status {status}: {' '.join(words)}"
        )


def _state(problem: MechanicalProblem, builder: Builder) -> list[float]:
    nodes = range(1, problem.size + 1)
    return [
        *(ops.nodeDisp(i, 1) for i in nodes),
        *(ops.nodeVel(i, 1) for i in nodes),
        *(ops.eleResponse(e, "material", 1, r)[0] for e, _ in builder.elements.values() for r in ("stress", "tangent")),
    ]


def _response(problem: MechanicalProblem, steps: Grid, builder: Builder, table: Floats) -> Response:
    n = problem.size
    force, tangent = {}, {}
    for i, (name, (_, scale)) in enumerate(builder.elements.items()):
        force[name], tangent[name] = table[:, 2 * n + 2 * i] / scale, table[:, 2 * n + 2 * i + 1]
    elements = {}
    for stop in problem.stops:
        other = force.get(f"{stop.name}, other side", 0.0)
        elements[stop.name] = {"normal_force": force[stop.name] - other}
    for friction in problem.frictions:
        elements[friction.name] = {
            "force": -force[friction.name],
            "stuck": (tangent[friction.name] != 0).astype(float),
            "normal_force": np.full(steps.times.size, float(friction.normal)),
        }
    displacement = table[:, :n] - driven(problem, steps.times, "displacement")
    velocity = table[:, n : 2 * n] - driven(problem, steps.times, "velocity")
    return Response(steps.times, displacement, velocity, elements, steps.counters)


SOLVER = OpenSees()
