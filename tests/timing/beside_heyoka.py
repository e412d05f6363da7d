"""SDND104 of 12 s by the exact solver and by heyoka as its users call it: ``python -m tests.timing.beside_heyoka``.

The user of heyoka has compiled integrators, with a parameter for the friction that serves both directions, and takes
what they give: the instants of the events and the last state. One user finds break-away as an event, of the drive as an
oscillator. The other knows the problem: break-away is an arcsine, so that only the ends of slips are events. Least
times (µs) of many calls in turn, within one run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

import heyoka
import numpy as np

from veridyn.solver.exact.solver import SOLVER, ExactComputation
from veridyn.validation_cases.judgement.catalogue import load_case

from .storing import store
from .turns import least

A0, OMEGA, CONE, END = 1.5, 2 * math.pi, 1.0, 12.0  # m/s^2, 1/s, m/s^2, s
COOLDOWN = 1e-3  # s; heyoka's own guess, from the slope, overlooks the end of a slip whose acceleration begins at zero
BREAK_AWAY = math.asin(CONE / A0) / OMEGA


def built() -> heyoka.taylor_adaptive:
    """Return the integrator of a slip under the friction ``par[0]`` (m/s^2), which ends where the velocity vanishes."""
    x, v = heyoka.make_vars("x", "v")
    rates = [(x, v), (v, -A0 * heyoka.sin(OMEGA * heyoka.time) - heyoka.par[0])]
    return heyoka.taylor_adaptive(rates, [0.0, 0.0], t_events=[heyoka.t_event(v, cooldown=COOLDOWN)], pars=[0.0])


def watched() -> heyoka.taylor_adaptive:
    """Return the integrator of stick, that is of the sine and cosine of the drive; it ends at the cone."""
    s, c = heyoka.make_vars("s", "c")
    rates = [(s, OMEGA * c), (c, -OMEGA * s)]
    return heyoka.taylor_adaptive(rates, [0.0, 1.0], t_events=[heyoka.t_event((A0 * s) ** 2 - CONE**2)])


def by_events(slip: heyoka.taylor_adaptive, stick: heyoka.taylor_adaptive) -> tuple[float, list[float]]:
    """Return the last place (m) and the instants (s) at which slips begin and end; all of them are events."""
    events, t = list[float](), 0.0
    slip.state[:] = 0.0
    while True:
        stick.time, stick.state[0], stick.state[1] = t, math.sin(OMEGA * t), math.cos(OMEGA * t)
        stick.reset_cooldowns()
        if stick.propagate_until(END)[0] == heyoka.taylor_outcome.time_limit:
            break
        events.append(t := stick.time)
        slip.time, slip.state[1], slip.pars[0] = t, 0.0, -math.copysign(CONE, stick.state[0])
        slip.reset_cooldowns()
        slip.propagate_until(END)  # the root at the start
        if slip.propagate_until(END)[0] == heyoka.taylor_outcome.time_limit:
            break
        events.append(t := slip.time)
    return float(slip.state[0]), events


def by_heyoka(slip: heyoka.taylor_adaptive) -> tuple[float, list[float]]:
    """Return the last place (m) and the instants (s) at which slips begin and end."""
    events, t = list[float](), 0.0
    slip.state[:] = 0.0
    while (t := BREAK_AWAY + 0.5 * math.ceil((t - BREAK_AWAY) / 0.5)) < END:
        events.append(t)
        slip.time, slip.state[1], slip.pars[0] = t, 0.0, -math.copysign(CONE, math.sin(OMEGA * t))
        slip.reset_cooldowns()
        slip.propagate_until(END)  # the root at the start
        outcome = slip.propagate_until(END)[0]
        if outcome == heyoka.taylor_outcome.time_limit:
            break
        events.append(t := slip.time)
    return float(slip.state[0]), events


def main() -> None:
    """Print the times, and how far the two differ."""
    case = load_case("sdnd104")
    posed = case.problem(case.values({"a0": str(A0)}))
    posed = replace(posed, end=END, output_times=np.array([0.0, END]))
    begin = time.perf_counter()
    slip, stick = built(), watched()
    print(f"heyoka's integrators are built in {1e3 * (time.perf_counter() - begin):.0f} ms, without the import")
    prepared, response, (place, events) = ExactComputation(posed), SOLVER.solve(posed, {}), by_heyoka(slip)
    place_too, events_too = by_events(slip, stick)
    np.testing.assert_allclose([place_too, *events_too], [place, *events], rtol=1e-12)
    apart = np.abs(response.instants - events).max(), abs(response.displacement[-1, 0] - place)
    print(f"{len(events)} events; they differ by {apart[0]:.1e} s, the last place by {apart[1]:.1e} m")
    works: dict[str, Callable[[], object]] = {
        "ExactComputation.run": lambda: prepared.run(prepared.outputs),
        "solve": lambda: SOLVER.solve(posed, {}),
        "solve, and the events by element": lambda: dict(SOLVER.solve(posed, {}).events),
        "solve of a new problem": lambda: SOLVER.solve(replace(posed), {}),
        "heyoka, break-away as event, built before": lambda: by_events(slip, stick),
        "heyoka, break-away by arcsine, built before": lambda: by_heyoka(slip),
        "the same, built in the same process before": lambda: by_heyoka(built()),
    }
    rows = [(name, round(microseconds, 1)) for name, microseconds in least(works).items()]
    for name, microseconds in rows:
        print(f"{name:44}{microseconds:8.1f} µs")
    store("heyoka", "python -m tests.timing.beside_heyoka", ("SDND104 of 12 s, 47 events", "µs"), rows)


if __name__ == "__main__":
    main()
