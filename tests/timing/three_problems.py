"""Three more problems by the exact solver and by heyoka: ``python -m tests.timing.three_problems``.

A mass on a damped stop, two masses under friction that a spring couples, and a whirling rotor against its stop. As a
user of heyoka writes them: one integrator each, built before, whose parameters tell in which mode it is; its events
end modes, and a few lines of Python choose the next. Both give instants of events and the last state. Least times (µs)
of many calls in turn, within one run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import heyoka
import numpy as np

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.exact.solver import SOLVER
from veridyn.validation_cases.judgement.catalogue import load_case

from .storing import store
from .turns import least

Result = tuple[int, list[float]]
"""The number of events, and the last displacements (m)."""
Pair = tuple[MechanicalProblem, Callable[[], Result]]

K, KC, CC, V0 = 1e2, 1e4, 5.0, 1.0  # N/m, N/m, N s/m, m/s of 1 kg
PULL, DRIVE, CONE, COUPLING = 4.0, 3.0, 1.5, 20.0  # N, 1/s, N, N/m of 1 kg each
COOLDOWN = 1e-3  # s; as in `beside_heyoka`
RISES, FALLS = heyoka.event_direction.positive, heyoka.event_direction.negative


def drive(taylor: heyoka.taylor_adaptive, end: float, size: int, change: Callable[[int], None]) -> Result:
    """Carry a motion from event to event; `change` takes the number of the event and sets the next mode."""
    count = 0
    while (outcome := taylor.propagate_until(end)[0]) != heyoka.taylor_outcome.time_limit:
        change(-int(outcome) - 1)
        count += 1
    return count, [float(taylor.state[i]) for i in range(size)]


def pose_damped_stop() -> Pair:
    """Return free vibration against a stop with a dashpot, which pushes until its force has fallen to zero."""
    problem = MechanicalProblem(
        mass=np.eye(1),
        stiffness=np.array([[K]]),
        initial_velocity=np.array([V0]),
        end=6.0,
        stops=(Stop("stop", np.ones(1), gap=0.01, stiffness=KC, damping=CC),),
        output_times=np.array([0.0, 6.0]),
    )
    x, v = heyoka.make_vars("x", "v")
    push = KC * (x - 0.01) + CC * v
    rates = [(x, v), (v, -K * x - heyoka.par[0] * push)]
    touch, part = (heyoka.t_event(g, direction=d, cooldown=1e-6) for g, d in ((x - 0.01, RISES), (push, FALLS)))
    taylor = heyoka.taylor_adaptive(rates, [0.0, V0], t_events=[touch, part], pars=[0.0])

    def change(event: int) -> None:
        taylor.pars[0] = 1.0 - event

    def solve() -> Result:
        taylor.time, taylor.state[:], taylor.pars[0] = 0.0, [0.0, V0], 0.0
        taylor.reset_cooldowns()
        return drive(taylor, problem.end, 1, change)

    return problem, solve


def pose_two_frictions() -> Pair:
    """Return two masses that a spring couples, each under friction of its own, the first driven."""
    problem = MechanicalProblem(
        mass=np.eye(2),
        stiffness=np.array([[COUPLING, -COUPLING], [-COUPLING, COUPLING]]),
        end=12.0,
        loads=(Load(np.array([1.0, 0.0]), Harmonic(PULL, DRIVE)),),
        frictions=tuple(Friction(f"{i}", np.eye(2)[i], CONE, 1.0, 1.0) for i in range(2)),
        output_times=np.array([0.0, 12.0]),
    )
    x0, v0, x1, v1 = heyoka.make_vars("x0", "v0", "x1", "v1")
    spring = COUPLING * (x1 - x0)
    forces = PULL * heyoka.sin(DRIVE * heyoka.time) + spring, -spring
    slips, signs = (heyoka.par[0], heyoka.par[1]), (heyoka.par[2], heyoka.par[3])
    pulled = [slip * (force - sign * CONE) for slip, sign, force in zip(slips, signs, forces, strict=True)]
    guards = [s * v + (1 - s) * (f * f - CONE**2) for s, v, f in zip(slips, (v0, v1), forces, strict=True)]
    taylor = heyoka.taylor_adaptive(
        [(x0, v0), (v0, pulled[0]), (x1, v1), (v1, pulled[1])],
        [0.0] * 4,
        t_events=[heyoka.t_event(guard, cooldown=COOLDOWN) for guard in guards],
        pars=[0.0] * 4,
    )

    def change(event: int) -> None:
        stretch = COUPLING * (taylor.state[2] - taylor.state[0])
        force = PULL * math.sin(DRIVE * taylor.time) + stretch if event == 0 else -stretch
        stays = taylor.pars[event] and abs(force) < CONE
        taylor.state[2 * event + 1], taylor.pars[event] = 0.0, 0.0 if stays else 1.0
        taylor.pars[2 + event] = math.copysign(1.0, force)

    def solve() -> Result:
        taylor.time, taylor.state[:], taylor.pars[:] = 0.0, [0.0] * 4, [0.0] * 4
        taylor.reset_cooldowns()
        count, (first, _, second) = drive(taylor, problem.end, 3, change)
        return count, [first, second]

    return problem, solve


def pose_rotor() -> Pair:
    """Return the default variant of the case ``whirling_rotor``, without its histories."""
    case = load_case("whirling_rotor")
    values = case.values(case.default_variant.changes)
    problem: MechanicalProblem = case.problem(values)
    problem = replace(problem, output_times=np.array([0.0, problem.end]))
    x, y, u, v = heyoka.make_vars("x", "y", "u", "v")
    m, damping, stiffness = (np.asarray(each, float) for each in (problem.mass, problem.damping, problem.stiffness))
    (stop,) = problem.stops
    push = heyoka.par[0] * stop.stiffness * (x - stop.gap)
    pulls = [d[0] * u + d[1] * v + k[0] * x + k[1] * y for d, k in zip(damping, stiffness, strict=True)]
    rates = [(x, u), (y, v), (u, -(pulls[0] + push) / m[0, 0]), (v, -pulls[1] / m[1, 1])]
    start = [*problem.initial_displacement.tolist(), *problem.initial_velocity.tolist()]
    taylor = heyoka.taylor_adaptive(rates, start, t_events=[heyoka.t_event(x - stop.gap, cooldown=1e-6)], pars=[0.0])

    def change(_: int) -> None:
        taylor.pars[0] = 1.0 - taylor.pars[0]

    def solve() -> Result:
        taylor.time, taylor.state[:], taylor.pars[0] = 0.0, start, 0.0
        taylor.reset_cooldowns()
        return drive(taylor, problem.end, 2, change)

    return problem, solve


def measure(name: str, pair: Pair) -> tuple[str, int, float, float, float, float, str]:
    """Return a row: events, times (µs) and their ratio, also of a new problem, and how far the two differ."""
    problem, by_heyoka = pair
    _, places = by_heyoka()
    response = SOLVER.solve(problem, {})
    apart = float(np.abs(response.displacement[-1] - places).max() / np.abs(places).max())
    works: dict[str, Callable[[], object]] = {
        "solve": lambda: SOLVER.solve(problem, {}),
        "heyoka": by_heyoka,
        "new": lambda: SOLVER.solve(replace(problem), {}),
    }
    ours, theirs, new = (round(time, 1) for time in least(works, calls=10).values())
    return name, response.instants.size, ours, theirs, round(theirs / ours, 1), new, f"{apart:.0e}"


def main() -> None:
    """Print and store the table."""
    rows = [
        measure("stop with damping", pose_damped_stop()),
        measure("two frictions", pose_two_frictions()),
        measure("rotor on its stop", pose_rotor()),
    ]
    print(*rows, sep="\n")
    head = ("problem", "events", "`solve`, µs", "heyoka, built before, µs", "ratio", "new problem, µs", "apart")
    store("three", "python -m tests.timing.three_problems", head, rows)


if __name__ == "__main__":
    main()
