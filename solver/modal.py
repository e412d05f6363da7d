"""Our own solver under test: modal superposition integrated by jitted kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.basis import modal_basis, modal_state, moved_mass
from veridyn.solver.errors import DivergenceError, SettingsError
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response
from veridyn.solver.scheme import Scheme, meanings, setting
from veridyn.solver.schemes import SCHEMES

Floats = NDArray[np.float64]
Settings = Mapping[str, Any]


@dataclass(frozen=True)
class ModalIntegrator:
    """Modal transient dynamics with penalised contact and regularised friction.

    Settings: ``scheme`` (see `veridyn.solver.schemes.SCHEMES`), ``step`` (s), and optionally
    ``tangential_stiffness`` (N/m, turns set-valued friction into the regularised law), ``archive_every``
    (steps), ``check_step`` (bool), and the options of the scheme.
    """

    name: str = "veridyn"
    version: str = "0.1.0"
    capabilities: frozenset[str] = frozenset(
        {
            "mechanical",
            "multi-dof",
            "modes",
            "loads",
            "support-motion",
            "multi-support",
            "damping",
            "contact",
            "contact:parallel-planes",
            "contact:damped",
            "absolute-frame",
            "friction:set-valued",
            "friction:regularised",
            "friction:on-stop",
            "friction:two-tangents",
        }
    )
    schemes: tuple[str, ...] = tuple(SCHEMES)

    @property
    def settings(self) -> dict[str, str]:
        """Meaning of every setting of any scheme; docs/schemes.md has the defaults."""
        records: tuple[type[Any], ...] = (CommonSettings, *(scheme.options for scheme in SCHEMES.values()))
        return {name: meaning for record in records for name, meaning in meanings(record)}

    def warm_up(self, settings: Settings) -> None:
        """Compile the kernels of a scheme (or load them from the cache) so that timings do not contain it."""
        one = np.ones(1)
        tiny = MechanicalProblem(
            name="warm-up",
            mass=np.ones((1, 1)),
            stiffness=np.ones((1, 1)),
            initial_displacement=one,
            initial_velocity=one,
            end=1e-3,
        )
        self.solve(tiny, {"scheme": settings["scheme"], "step": 1e-4})

    def solve(self, problem: MechanicalProblem, settings: Settings) -> Response:
        """Integrate a problem.

        Raises
        ------
        SettingsError
            If a setting is unknown, missing or out of range; `StepError` if the step breaks the rule.
        CapabilityError
            If the problem has coupled modal damping or several frictions on one stop.
        DivergenceError
            If a modal coordinate leaves the range of finite numbers.
        SolverFailure
            If the step control gives up.
        """
        # imported late: compiling kernels takes seconds that listing and showing need not wait for
        from veridyn.solver.arrays import contacts, system_arrays
        from veridyn.solver.integration import Job
        from veridyn.solver.step_rule import check_step, shortest_period

        scheme, options, common = read_settings(settings)
        problem = regularised(problem, common.tangential_stiffness)
        modes = modal_basis(problem)
        system = system_arrays(problem, modes)
        pairs = contacts(problem)
        if common.check_step and scheme.points_per_period:
            names = tuple((pair.stop or pair.friction).name for pair in pairs)  # type: ignore[union-attr]
            check_step(common.step, scheme.points_per_period, shortest_period(system, modes, names), scheme.name)
        q, v = modal_state(problem, modes)
        job = Job(system, q, v, problem.start, problem.end, common.step, common.archive_every)
        run = scheme.run(options, job)
        if run.diverged >= 0:
            raise DivergenceError(
                f"{scheme.name} diverged at t = {run.time[-1]:.6g} s in mode {run.diverged + 1} "
                f"({modes.omega[run.diverged] / (2 * np.pi):.6g} Hz); reduce the step {common.step:g} s"
            )
        return Response(
            time=run.time,
            displacement=run.displacement @ modes.shapes.T,
            velocity=run.velocity @ modes.shapes.T,
            elements=element_histories(pairs, run.records),
            counters=run.counters,
        )


@dataclass(frozen=True)
class CommonSettings:
    """Settings that every scheme has."""

    step: float = setting("step, of an adaptive scheme the first (s)")
    tangential_stiffness: float = setting("regularises set-valued friction (N/m)", 0.0)
    archive_every: int = setting("every n-th step is kept", 1)
    check_step: bool = setting("whether a step above the limit is refused", True)


def read_settings(settings: Settings) -> tuple[Scheme, Any, CommonSettings]:
    """Split the settings into scheme, options of the scheme and common settings.

    Raises
    ------
    SettingsError
        If the scheme or a setting is unknown, or a number is missing or out of range.
    """
    given = dict(settings)
    name = given.pop("scheme", None)
    if name not in SCHEMES:
        raise SettingsError(f"unknown scheme {name!r}; known: {', '.join(SCHEMES)}")
    scheme = SCHEMES[name]
    common_names, option_names = (
        {field.name for field in fields(record)} for record in (CommonSettings, scheme.options)
    )
    unknown = set(given) - known_to(scheme.name)
    if unknown:
        known = ", ".join(sorted(known_to(scheme.name)))
        raise SettingsError(f"{scheme.name} knows no setting {', '.join(sorted(unknown))}; known: {known}")
    if "step" not in given:
        raise SettingsError(f"{scheme.name} needs the setting step (s)")
    common = CommonSettings(**{k: v for k, v in given.items() if k in common_names})
    _check_common(common)
    options = scheme.options(**{k: v for k, v in given.items() if k in option_names})
    return scheme, options, common


def known_to(scheme: str) -> set[str]:
    """Return the names of the settings that a scheme knows."""
    return {field.name for record in (CommonSettings, SCHEMES[scheme].options) for field in fields(record)}


def _check_common(common: CommonSettings) -> None:
    for name in ("step", "tangential_stiffness", "archive_every"):
        value = getattr(common, name)
        if not isinstance(value, float | int | np.number):
            raise SettingsError(f"{name} = {value!r} is not a number")
    if common.archive_every != int(common.archive_every):
        raise SettingsError(f"archive_every = {common.archive_every} must be a whole number")
    if not (np.isfinite(common.step) and common.step > 0):
        raise SettingsError(f"step = {common.step} s must be positive and finite")
    if not (np.isfinite(common.tangential_stiffness) and common.tangential_stiffness >= 0):
        raise SettingsError(f"tangential_stiffness = {common.tangential_stiffness} N/m must not be negative")
    if common.archive_every < 1:
        raise SettingsError(f"archive_every = {common.archive_every} must be at least 1")


def regularised(problem: MechanicalProblem, stiffness: float) -> MechanicalProblem:
    """Return the problem with its set-valued frictions regularised by a tangential stiffness (N/m).

    The damper beside the spring is critical for the mass that the friction moves, ``2 sqrt(m k)``.

    Raises
    ------
    SettingsError
        If there is set-valued friction and no stiffness.
    """
    ideal = [f.name for f in problem.frictions if f.law == "set-valued"]
    if not ideal:
        return problem
    if stiffness == 0:
        raise SettingsError(f"{problem.name}: friction {ideal[0]!r} is set-valued; give tangential_stiffness (N/m)")
    frictions = tuple(
        replace(
            f,
            law="regularised",
            stiffness=stiffness,
            damping=2 * float(np.sqrt(moved_mass(problem, f.tangents[0]) * stiffness)),
        )
        if f.law == "set-valued"
        else f
        for f in problem.frictions
    )
    return replace(problem, frictions=frictions)


def element_histories(pairs: tuple[Any, ...], records: Floats) -> dict[str, dict[str, Floats]]:
    """Split the records (m, c, 8) of the contacts into named histories (m,)."""
    from veridyn.solver.kernels import contact

    histories: dict[str, dict[str, Floats]] = {}
    for c, pair in enumerate(pairs):
        columns = records[:, c, :]
        if pair.stop is not None:
            histories[pair.stop.name] = {
                "normal_force": columns[:, contact.R_FORCE],
                "normal_velocity": columns[:, contact.R_VELOCITY],
                "gap": columns[:, contact.R_GAP],
            }
        if pair.friction is not None:
            histories[pair.friction.name] = _friction_histories(columns, len(pair.friction.tangents))
    return histories


def _friction_histories(columns: Floats, tangents: int) -> dict[str, Floats]:
    from veridyn.solver.kernels import contact

    names = {
        "normal_force": contact.R_FORCE,
        "force": contact.R_F1,
        "sliding_velocity": contact.R_W1,
        "stuck": contact.R_STUCK,
    }
    if tangents == 2:
        names |= {"force_2": contact.R_F2, "sliding_velocity_2": contact.R_W2}
    return {name: columns[:, column] for name, column in names.items()}


SOLVER = ModalIntegrator()
