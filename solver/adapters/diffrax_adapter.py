"""diffrax: Runge-Kutta methods in JAX, with events located on the interpolant of a step.

Loading it switches JAX to double precision. Every mode of a problem is compiled once for each scheme.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import optimistix

from veridyn.problem.expressions import CONSTANTS, FUNCTIONS, Expr
from veridyn.problem.generated import Names, translated
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.answer import MODES, EventDrivenLibrary, ToleranceControls
from veridyn.solver.event_driven.legs import Arrival, Floats, Leg, until
from veridyn.solver.event_driven.modes import ModeLeg

jax.config.update("jax_enable_x64", True)

SCHEMES = {"Dopri8": diffrax.Dopri8, "Tsit5": diffrax.Tsit5, "Kvaerno5": diffrax.Kvaerno5}
MOST_STEPS = 10_000_000
FEWEST_OUTPUTS = 1024  # outputs are filled up to a power of two, since each number of them is compiled anew
ROUNDING = 2.0**-52
LIBRARY = {name: getattr(jnp, name) for name in FUNCTIONS} | dict.fromkeys(CONSTANTS, math.pi)


class InTime(optimistix.Bisection):  # type: ignore[misc]
    """Bisection that ends where the instant is known to rounding; that of optimistix asks for a small guard, too.

    diffrax gives it one function for each event, all but that of the event that fired zero everywhere.
    """

    def init(self, fn: Any, y: Any, args: Any, options: Any, f_struct: Any, aux_struct: Any, tags: Any) -> Any:
        return super().init(_total(fn), y, args, options, jax.tree.leaves(f_struct)[0], aux_struct, tags)

    def step(self, fn: Any, y: Any, args: Any, options: Any, state: Any, tags: Any) -> Any:
        return super().step(_total(fn), y, args, options, state, tags)

    def terminate(self, fn: Any, y: Any, args: Any, options: Any, state: Any, tags: Any) -> Any:  # noqa: ARG002
        width = jnp.abs(state.upper - state.lower)
        return width <= 4 * ROUNDING * jnp.abs(y), optimistix.RESULTS.successful


def _total(fn: Callable[..., Any]) -> Callable[..., Any]:
    def total(y: Any, args: Any) -> Any:
        values, aux = fn(y, args)
        return sum(jax.tree.leaves(values)), aux

    return total


@lru_cache(maxsize=64)
def _compiled(names: Names, rates: tuple[Expr, ...], guards: tuple[Expr, ...], scheme: str) -> Any:
    """Return the compiled integration of a stage; guards and minus their rates can fire, as far as they are armed."""
    right, of_guards = (translated(names, part, [LIBRARY]) for part in (rates, guards))

    def rate(t: Any, y: Any, args: Any) -> Any:
        return jnp.stack([jnp.asarray(value, dtype=float) for value in right(t, y, args["p"])])

    def falls(index: int) -> Callable[..., Any]:
        def watched(t: Any, y: Any, args: Any, **_: Any) -> Any:
            def guard(t: Any, y: Any) -> Any:
                return of_guards(t, y, args["p"])[index % len(guards)] + 0.0 * t

            if index < len(guards):
                value = guard(t, y)
            else:
                value = -jax.jvp(guard, (t, y), (jnp.ones_like(t), rate(t, y, args)))[1]
            return jnp.where(args["armed"][index], args["signs"][index % len(guards)] * value, 1.0)

        return watched

    events = [falls(index) for index in range(2 * len(guards))]
    event = diffrax.Event(events, InTime(rtol=ROUNDING, atol=0.0), direction=False) if events else None

    def stage(start: Any, end: Any, y: Any, outputs: Any, args: Any, controls: Any) -> Any:
        rtol, atol, largest = controls
        result = diffrax.diffeqsolve(
            diffrax.ODETerm(rate),
            SCHEMES[scheme](),
            start,
            end,
            None,
            y,
            args,
            saveat=diffrax.SaveAt(subs=[diffrax.SubSaveAt(ts=outputs), diffrax.SubSaveAt(t1=True)]),
            stepsize_controller=diffrax.PIDController(rtol=rtol, atol=atol, dtmax=largest),
            event=event,
            max_steps=MOST_STEPS,
            throw=False,
        )
        return (
            result.ts[1][0],
            result.ys[1][0],
            result.ys[0],
            result.event_mask,
            result.result,
            result.stats["num_steps"],
        )

    return jax.jit(stage)


@dataclass(frozen=True)
class Diffrax:
    """Integrator of legs by a method of diffrax."""

    scheme: str
    controls: ToleranceControls
    sees_dips: bool = False

    def integrate(self, leg: Leg) -> Arrival:
        """Integrate a leg stage by stage; raises what `ModeLeg.expressions` raises; see `legs.Integrator`."""
        assert isinstance(leg, ModeLeg)
        stage, numbers = _compiled(*leg.expressions, self.scheme), leg.equations.plain.problem.parameter_numbers
        controls = (self.controls.rtol, self.controls.atol, min(leg.largest_step, self.controls.max_step))
        args: dict[str, Any] = {"p": np.array(numbers), "signs": leg.signs}
        now, state, fired, outputs, parts = leg.start, leg.state, None, leg.outputs, [np.empty((0, leg.state.size))]
        counters = Counter(steps=0)
        for end in leg.stages:
            args["armed"] = leg.armed[: leg.functions] <= now
            inner = until(outputs, end)
            result = stage(now, end, state, _filled(inner, end), args, controls)
            now, state, fired = float(result[0]), np.array(result[1]), _fired(result[3])
            if fired is None and result[4] != diffrax.RESULTS.successful:
                reason = diffrax.RESULTS[result[4]].strip().splitlines()[0]
                raise SolverFailure(f"diffrax ({self.scheme}) gave up after t = {leg.start:.9g} s: {reason}")
            reached = until(outputs, now)
            parts.append(np.array(result[2])[: len(reached)])
            outputs = outputs[len(reached) :]
            counters["steps"] += int(result[5])
            if fired is not None:
                break
        return Arrival(now, state, fired, np.vstack(parts), counters)


def _filled(outputs: Floats, end: float) -> Floats:
    """Return outputs filled up with the end of the stage."""
    size = max(FEWEST_OUTPUTS, 1 << (len(outputs) - 1).bit_length())
    return np.concatenate((outputs, np.full(size - len(outputs), end)))


def _fired(mask: Any) -> int | None:
    return next((index for index, happened in enumerate(mask or ()) if happened), None)


SOLVER = EventDrivenLibrary(
    name="diffrax",
    distribution="diffrax",
    schemes=tuple(SCHEMES),
    integrator=lambda controls, _problem: Diffrax(controls.scheme, controls),
    capabilities=MODES,
)
