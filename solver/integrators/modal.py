"""Our own solver under test: modal superposition integrated by jitted kernels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np

from veridyn.problem.basis import modal_basis, moved_mass
from veridyn.problem.devices import DEVICE_TAGS, Device
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.derivatives import Differentiated
from veridyn.solver.contract.errors import CapabilityError, DivergenceError, Interrupted, SettingsError
from veridyn.solver.contract.responses import Response
from veridyn.solver.contract.statements import FORWARD
from veridyn.solver.integrators.implicit import NewtonOptions
from veridyn.solver.integrators.scheme import Options, Scheme, meanings, require, setting
from veridyn.solver.integrators.schemes import SCHEMES

if TYPE_CHECKING:
    from veridyn.solver.integrators.arrays import ModalArrays
    from veridyn.solver.integrators.integration import IntegrationPlan, ModalHistories
    from veridyn.solver.integrators.kernels.system import System

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class ModalIntegrator:
    """Modal transient dynamics with penalised contact, regularised friction and nonlinear devices.

    Settings: ``scheme`` (see `veridyn.solver.integrators.schemes.SCHEMES`); ``step`` (s), without which `defaults`
    completes the settings; and optionally ``tangential_stiffness`` (N/m, turns set-valued friction into the regularised
    law), ``archive_every`` (steps), ``archive_at`` (instants), ``quantities`` (bool), ``check_step`` (bool), and the
    options of the scheme.
    All methods raise `SettingsError` for a scheme that is unknown.
    """

    name: str = "veridyn"
    version: str = version("veridyn")
    capabilities: frozenset[str] = frozenset({
        "mechanical", "multi-dof", "modes", "sparse", "loads", "support-motion", "multi-support", "damping",
        "damping:coupled", "damping:gyroscopic", "damping:time-varying", "stiffness:circulatory",
        "stiffness:time-varying", "contact",
        "contact:parallel-planes", "contact:circle", "contact:outside-circle", "contact:profile", "contact:damped",
        "absolute-frame", "friction:set-valued", "friction:regularised", "friction:on-stop", "friction:two-tangents",
        FORWARD, *DEVICE_TAGS,
    })  # fmt: skip
    schemes: tuple[str, ...] = tuple(SCHEMES)

    def settings(self, scheme: str) -> dict[str, str]:
        """Return the meaning of every setting of a scheme; docs/schemes.md has the defaults."""
        return dict(pair for record in (CommonSettings, _scheme(scheme).options) for pair in meanings(record))

    def warm_up(self, settings: Settings) -> None:
        """Compile the kernels of a scheme (or load them from the cache) so that timings do not contain it."""
        for modes in (1, 2):  # see `veridyn.solver.integrators.kernels.system.count_on`
            tiny = MechanicalProblem(
                name="warm-up",
                mass=np.eye(modes),
                stiffness=np.eye(modes),
                initial_displacement=np.ones(modes),
                initial_velocity=np.ones(modes),
                end=1e-3,
            )
            self.solve(tiny, {"scheme": settings["scheme"], "step": 1e-4})

    def claims(self, scheme: str) -> dict[str, float | str]:
        """Return what a scheme claims at a constant step.

        ``order`` of the displacement on smooth problems, ``damped_order`` with damping; ``lag`` and ``force_lag``: how
        far velocities lie behind that are reported, and that dampers see (steps); ``numerical_damping``: largest ratio
        at 20 steps per period or more; ``stability``: largest stable omega h without damping; ``method`` and its
        parameters on linear problems.
        """
        return dict(_scheme(scheme).claims)

    def defaults(self, problem: MechanicalProblem, scheme: str) -> dict[str, Any]:
        """Return the settings that `solve` takes without a step: from the time scales of the problem."""
        from veridyn.solver.integrators.refining import default_settings

        return default_settings(problem, _scheme(scheme))

    def refinement(self, problem: MechanicalProblem, scheme: str) -> list[dict[str, Any]]:
        """Return the settings of four levels from coarse to fine, with constant steps, each half of the one before.

        The finest step is the default one; adaptive schemes, which may shorten it, are held to it here.
        """
        from veridyn.solver.integrators.refining import refinement_levels

        return refinement_levels(problem, _scheme(scheme))

    def solve(self, problem: MechanicalProblem, settings: Settings) -> Response:
        """Integrate a problem.

        Raises `SettingsError` if a setting is unknown, missing or out of range; `StepError` if the step breaks the
        rule; `CapabilityError` if several frictions rest on one stop, frames differ in a pair, or a sparse mass needs
        an implicit scheme; `DivergenceError` if a modal coordinate leaves the range of finite numbers; `SolverFailure`
        if the step control gives up; `Interrupted` at Ctrl-C; the error holds the response until then.
        """
        # imported late: compiling kernels takes seconds that listing and showing need not wait for
        from veridyn.solver.integrators.arrays import write_arrays

        chosen = read_settings(completed(problem, settings))
        problem = _prepare(problem, chosen)
        modes = modal_basis(problem)
        arrays = write_arrays(problem, modes)
        _check_step(problem, modes, chosen, arrays.system)
        return _integrate(problem, chosen, arrays)

    def solve_tangent(self, problem: MechanicalProblem, tangent: Tangent, settings: Settings) -> Differentiated:
        """Return a response and its derivative along a tangent: that of the scheme's own answer, at the same steps.

        See `duals`. Raises what `solve` raises; NotImplementedError if the step follows an error, and for what
        `refuse_unresolved` and `differentiate_arrays` refuse.
        """
        # late: SymPy names the numbers of a problem
        from veridyn.solver.integrators.arrays import write_arrays
        from veridyn.solver.integrators.duals import differentiate_arrays, split
        from veridyn.solver.integrators.refining import refuse_unresolved

        chosen = read_settings(completed(problem, settings))
        scheme, options, common = chosen
        if scheme.follows_error(options):
            raise NotImplementedError(
                f"derivatives of {scheme.name} with a step that follows an error; give smallest=1, largest=1"
            )
        refuse_unresolved(problem, common.step, common.tangential_stiffness)
        chosen = chosen._replace(common=replace(common, quantities=False))
        prepared = _prepare(problem, chosen)
        modes = modal_basis(prepared)
        arrays = write_arrays(prepared, modes)
        _check_step(prepared, modes, chosen, arrays.system)
        arrays = differentiate_arrays(arrays, problem, tangent, lambda each: _prepare(each, chosen))
        return split(_integrate(prepared, chosen, arrays))


class Chosen(NamedTuple):
    """Settings that were read: the scheme, its options, what all schemes have."""

    scheme: Scheme
    options: Any
    common: CommonSettings


def _prepare(problem: MechanicalProblem, chosen: Chosen) -> MechanicalProblem:
    """Return a problem as it is integrated; raises `CapabilityError` if the scheme does not take its mass matrix."""
    if problem.consistent and not issubclass(chosen.scheme.options, NewtonOptions):
        implicit = " and ".join(name for name, other in SCHEMES.items() if issubclass(other.options, NewtonOptions))
        raise CapabilityError(
            f"{problem.name}: a sparse mass that is not diagonal is for {implicit}; lump it for {chosen.scheme.name}"
        )
    return regularised(problem, chosen.common.tangential_stiffness)


def _check_step(problem: MechanicalProblem, modes: Modes, chosen: Chosen, system: System) -> None:
    """Raise `StepError` if the step breaks the rule of the scheme."""
    from veridyn.solver.integrators.step_rule import check_step, shortest_period

    scheme, _, common = chosen
    if common.check_step and scheme.points_per_period:
        limit = shortest_period(system, modes, problem)
        check_step(common.step, scheme.points_per_period, limit, scheme.name)


def _integrate(problem: MechanicalProblem, chosen: Chosen, arrays: ModalArrays) -> Response:
    """Return the response of a problem by its arrays; raises what `ModalIntegrator.solve` raises."""
    from veridyn.solver.integrators.arrays import contacts
    from veridyn.solver.integrators.integration import IntegrationJob

    scheme, options, common = chosen
    pairs = contacts(problem)
    span = problem.start, problem.end, common.step
    job = IntegrationJob(arrays.system, arrays.q, arrays.v, *span, common.plan(problem), scheme.name, arrays.mass)
    run = scheme.run(options, job)
    _refuse_divergence(run, problem, scheme.name, common.step)
    response = Response(
        time=run.time,
        displacement=run.displacement @ arrays.shapes.T,
        velocity=run.velocity @ arrays.shapes.T,
        elements=element_histories(pairs, problem.devices, run.records),
        counters=run.counters,
        quantities=element_quantities(pairs, problem.devices, run.totals),
    )
    if run.stopped:
        raise Interrupted(f"{scheme.name} was interrupted at t = {run.time[-1]:.6g} s", response)
    return response


def _refuse_divergence(run: ModalHistories, problem: MechanicalProblem, scheme: str, step: float) -> None:
    if run.diverged >= 0:
        modes = modal_basis(problem)
        mode = f"mode {run.diverged + 1} ({modes.omega[run.diverged] / (2 * np.pi):.6g} Hz)"
        where = f"coordinate {problem.coordinates[run.diverged]}" if problem.sparse else mode
        raise DivergenceError(f"{scheme} diverged at t = {run.time[-1]:.6g} s in {where}; reduce the step {step:g} s")


@dataclass(frozen=True)
class CommonSettings(Options):
    """Settings that every scheme has."""

    step: float = setting("step, of an adaptive scheme the first (s)", above=0.0)
    tangential_stiffness: float = setting(
        "regularises set-valued friction (N/m); default from the step", 0.0, within=(0.0, math.inf)
    )
    archive_every: int = setting("every n-th step is kept", 1, within=(1, math.inf), whole=True)
    archive_at: str | Sequence[float] | None = setting(
        "instants (s) whose nearest states alone are kept, or output_times", None
    )
    land: bool = setting("whether an adaptive step is cut to end on the instants of archive_at, then resumed", False)
    quantities: bool = setting("whether extremes and integrals of contacts and devices are taken over all steps", False)
    check_step: bool = setting("whether a step above the limit is refused", True)

    def __post_init__(self) -> None:
        super().__post_init__()
        both = self.archive_at is not None and self.archive_every != 1
        require(not both, "archive_at and archive_every exclude each other; give one of them")

    def plan(self, problem: MechanicalProblem) -> IntegrationPlan:
        """Return what is kept of the march.

        Raises `SettingsError` if instants are no numbers, or asked for where the problem has none.
        """
        from veridyn.solver.integrators.integration import IntegrationPlan

        if self.archive_at is None:
            return IntegrationPlan(int(self.archive_every), totals=bool(self.quantities))
        named = isinstance(self.archive_at, str) and self.archive_at == "output_times"
        wanted = problem.output_times if named else self.archive_at
        return IntegrationPlan(0, _instants(problem.name, wanted), bool(self.quantities), bool(self.land))


def completed(problem: MechanicalProblem, settings: Settings) -> Settings:
    """Return the settings of a solve: without a step those of the defaults, with one the stiffness of stick.

    Raises `SettingsError` if the scheme is unknown, or the tangential stiffness cannot be used.
    """
    from veridyn.solver.integrators.refining import default_settings, stick

    step, stiffness = settings.get("step"), settings.get("tangential_stiffness")
    if step is not None:
        return {**(stick(problem, step) if _is_positive(step) else {}), **settings}
    scheme = _scheme(settings.get("scheme"))
    if _is_positive(stiffness):
        problem = regularised(problem, stiffness)  # its spring is a time scale of the problem
    defaults = default_settings(problem, scheme)
    if {"archive_every", "archive_at"} & set(settings):
        defaults = {name: value for name, value in defaults.items() if not name.startswith("archive_")}
    return {**defaults, **settings}


def _is_positive(number: Any) -> TypeGuard[float]:
    return isinstance(number, float | int) and 0 < number < math.inf


def _scheme(name: Any) -> Scheme:
    if name not in SCHEMES:
        raise SettingsError(f"unknown scheme {name!r}; known: {', '.join(SCHEMES)}")
    return SCHEMES[name]


def read_settings(settings: Settings) -> Chosen:
    """Split the settings into scheme, options of the scheme and common settings.

    Raises `SettingsError` if the scheme or a setting is unknown, or a number is missing or out of range.
    """
    given = dict(settings)
    scheme = _scheme(given.pop("scheme", None))
    common_names, option_names = (
        {field.name for field in fields(record)} for record in (CommonSettings, scheme.options)
    )
    unknown = set(given) - name_settings(scheme.name)
    if unknown:
        known = ", ".join(sorted(name_settings(scheme.name)))
        raise SettingsError(f"{scheme.name} knows no setting {', '.join(sorted(unknown))}; known: {known}")
    if "step" not in given:
        raise SettingsError(f"{scheme.name} needs the setting step (s)")
    common = CommonSettings(**{k: v for k, v in given.items() if k in common_names})
    options = scheme.options(**{k: v for k, v in given.items() if k in option_names})
    return Chosen(scheme, options, common)


def name_settings(scheme: str) -> set[str]:
    """Return the names of the settings that a scheme knows."""
    return {field.name for record in (CommonSettings, SCHEMES[scheme].options) for field in fields(record)}


def _instants(name: str, wanted: Any) -> Floats:
    if wanted is None:
        raise SettingsError(f"archive_at = output_times: {name} states none; give instants (s)")
    try:
        instants = np.asarray(wanted, dtype=float).ravel()
    except (TypeError, ValueError):
        raise SettingsError(f"archive_at = {wanted!r} is neither a list of instants (s) nor output_times") from None
    if not np.all(np.isfinite(instants)):
        raise SettingsError("archive_at holds an instant that is not finite")
    return instants


def regularised(problem: MechanicalProblem, stiffness: float) -> MechanicalProblem:
    """Return the problem with its set-valued frictions regularised by a tangential stiffness (N/m).

    The damper beside the spring is critical for the mass that the friction moves, ``2 sqrt(m k)``. Raises
    `SettingsError` if there is set-valued friction and no stiffness.
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
            damping=2 * float(np.sqrt(moved_mass(problem, *f.tangents) * stiffness)),
        )
        if f.law == "set-valued"
        else f
        for f in problem.frictions
    )
    return replace(problem, frictions=frictions)


def element_histories(
    pairs: tuple[Any, ...], devices: tuple[Device, ...], records: Floats
) -> dict[str, dict[str, Floats]]:
    """Split the records (m, c + d, 8) of contacts and devices into named histories (m,)."""
    return {
        element.name: {name: records[:, c, column] for name, column in columns.items()}
        for c, element, columns in _recorded(pairs, devices)
    }


def element_quantities(
    pairs: tuple[Any, ...], devices: tuple[Device, ...], totals: Floats
) -> dict[str, dict[str, float]]:
    """Split the totals (c + d, 22) into named extremes of histories and integrals, {} if there are none."""
    from veridyn.solver.integrators.kernels import archive

    quantities: dict[str, dict[str, float]] = {}
    for c, element, columns in _recorded(pairs, devices) if totals.size else ():
        own = quantities[element.name] = {"impulse": float(totals[c, archive.INTEGRAL + archive.IMPULSE])}
        if "stuck" in columns:
            own["wear_energy"] = float(totals[c, archive.INTEGRAL + archive.WEAR])
            own["work"] = float(totals[c, archive.INTEGRAL + archive.WORK])
        for name, column in columns.items():
            own[f"least_{name}"] = float(totals[c, archive.LEAST + column])
            own[f"largest_{name}"] = float(totals[c, archive.LARGEST + column])
    return quantities


def _recorded(pairs: tuple[Any, ...], devices: tuple[Device, ...]) -> Iterator[tuple[int, Any, dict[str, int]]]:
    """Yield place, stop, friction or device, and the columns of its histories in a record."""
    from veridyn.solver.integrators.kernels import contact, device

    normal = {"normal_force": contact.R_FORCE}
    stop = {**normal, "normal_velocity": contact.R_VELOCITY, "gap": contact.R_GAP}
    one = {**normal, "force": contact.R_F1, "sliding_velocity": contact.R_W1, "stuck": contact.R_STUCK}
    two = {**one, "force_2": contact.R_F2, "sliding_velocity_2": contact.R_W2}
    for c, pair in enumerate(pairs):
        if pair.stop is not None:
            yield c, pair.stop, stop
        if pair.friction is not None:
            yield c, pair.friction, two if len(pair.friction.tangents) == 2 else one
    for d, each in enumerate(devices, start=len(pairs)):
        internal = {name: device.R_INTERNAL + k for k, name in enumerate(each.internal)}
        yield d, each, {"force": device.R_FORCE, "elongation": device.R_ELONGATION, **internal}


SOLVER = ModalIntegrator()
