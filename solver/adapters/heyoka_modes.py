"""heyoka's integrators of initial value problems: a mode compiled from its expressions, parameters left open."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from operator import mul
from typing import Any

import heyoka
import numpy as np
import sympy

from veridyn.problem.expressions import CONSTANTS, FUNCTIONS, Expr
from veridyn.problem.generated import Names, translated
from veridyn.solver.event_driven.legs import Floats, Leg
from veridyn.solver.event_driven.modes import ModeLeg

LARGE = 8  # states from which compact code compiles in bearable time


def _of_heyoka(name: str) -> Callable[[Any], Any]:
    function = getattr(heyoka, name)
    return lambda x: function(x if isinstance(x, heyoka.expression) else heyoka.expression(float(x)))


WHOLE = sympy.Function("whole_power")
LIBRARY = {name: _of_heyoka(name) for name in FUNCTIONS} | {name: getattr(heyoka, name) for name in CONSTANTS}
LIBRARY["whole_power"] = lambda base, n: reduce(mul, [base] * n)


def _multiplied(expression: Expr) -> Expr:
    """Write whole powers as products: a power of what is exactly zero has no series in heyoka."""
    return expression.replace(lambda e: e.is_Pow and e.exp.is_Integer and e.exp > 2, lambda e: WHOLE(*e.args))


@lru_cache(maxsize=256)
def _compiled(names: Names, rates: tuple[Expr, ...], guards: tuple[Expr, ...], tolerance: float) -> Any:
    """Return an integrator; its parameters are those of the problem, then factor and offset of every guard."""
    y = [heyoka.expression(f"y{i}") for i in range(len(names.unknowns))]
    p = [heyoka.par[i] for i in range(len(names.parameters))]
    right, of_guards = (translated(names, tuple(map(_multiplied, part)), [LIBRARY]) for part in (rates, guards))
    result = [heyoka.expression(0.0) + rate for rate in right(heyoka.time, y, p)]
    events = [
        heyoka.t_event(
            heyoka.par[len(p) + 2 * i] * guard + heyoka.par[len(p) + 2 * i + 1],
            direction=heyoka.event_direction.negative,
            cooldown=0.0,  # as for mechanical problems: what starts at zero is disarmed
        )
        for i, guard in enumerate(of_guards(heyoka.time, y, p))
    ]
    return heyoka.taylor_adaptive(
        list(zip(y, result, strict=True)),
        [0.0] * len(y),
        t_events=events,
        tol=tolerance,
        compact_mode=len(y) > LARGE,
    )


def prepared(leg: Leg, tolerance: float) -> tuple[Any, Callable[[float], Floats]]:
    """Return the compiled integrator of a leg, and its parameters from an instant on (s).

    A guard that is not armed is the constant one. Raises what `ModeLeg.expressions` raises.
    """
    assert isinstance(leg, ModeLeg)
    ta = _compiled(*leg.expressions, tolerance)
    numbers = np.array(leg.equations.plain.problem.parameter_numbers)

    def parameters(now: float) -> Floats:
        armed = leg.armed[: leg.guards] <= now
        switches = np.column_stack((np.where(armed, leg.signs, 0.0), np.where(armed, 0.0, 1.0)))
        return np.concatenate((numbers, switches.ravel()))[: ta.pars.size]  # a mode may not need the last ones

    return ta, parameters
