"""Draw sound solvers at random, each from its seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from .methods import (
    ADAMS,
    BACKWARD,
    Adams,
    Alpha,
    Backward,
    CentralDifference,
    Exact,
    ExponentialEuler,
    Gragg,
    Method,
    Multistep,
    Rosenbrock,
    RungeKutta,
    SymplecticEuler,
    TwoStages,
    Verlet,
    Wilson,
)
from .solvers import Adaptive, Habits, Stepping

Random: TypeAlias = np.random.Generator
Sound: TypeAlias = Stepping | Adaptive

ORDERS = {
    "euler": 1, "midpoint": 2, "heun": 2, "kutta-3": 3, "rk4": 4, "three-eighths": 4, "heun-3": 3, "ralston": 2,
    "gill": 4, "merson": 4, "ssp-3": 3, "bogacki-shampine": 3, "fehlberg-5": 5, "fehlberg-4": 4, "verner-6": 6,
    "cash-karp": 5,
    "dormand-prince": 5, "implicit-euler": 1, "implicit-midpoint": 2, "trapezoidal": 2, "gauss-2": 4, "gauss-3": 6,
    "radau-iia-2": 3, "radau-iia-3": 5, "lobatto-iiic-2": 2, "lobatto-iiia-3": 4, "norsett-3": 3, "sdirk-2": 2,
    "tr-bdf2": 2,
}  # fmt: skip
CUBIC = 4  # order of the cubic between steps
SETTINGS = ("step", "dt", "h", "time_step", "delta_t")
DIGITS = (6, 7, 8, 10, 12)


def draw_solver(seed: int) -> Sound:
    """Return the sound solver of a seed, the same in every run."""
    random = np.random.default_rng(seed)
    make = FAMILIES[seed % len(FAMILIES)]  # one after the other, so that each is met as often
    return make(random, seed)


def _draw_habits(random: Random, method: Method) -> Habits:
    steps = ["fit", "overrun", "own"] if method.order <= CUBIC else ["own"]
    steps += [] if isinstance(method, Multistep) else ["landing", "grid"]
    return Habits(
        steps=_choose(random, steps),
        setting=_choose(random, SETTINGS),
        finer={1: 16, 2: 8}.get(method.order, 4),
        single=bool(random.random() < 0.15),
        summed=bool(random.random() < 0.3),
        printed=_choose(random, DIGITS) if random.random() < 0.25 else 0,
        flat=bool(random.random() < 0.3),
    )


def _choose(random: Random, choices: Any) -> Any:
    return choices[random.integers(len(choices))]


def _draw_claims(random: Random, method: Method, habits: Habits) -> Mapping[str, Any]:
    """Return no claims, some, or all; what is claimed is true."""
    amount = random.integers(3)
    if amount == 0 and method.damped_order is None:
        return {}
    some: dict[str, Any] = {"order": method.order}
    if method.damped_order:
        some["damped_order"] = method.damped_order
    if amount < 2:
        return some
    printed = {"printed": habits.printed} if habits.printed else {}
    return {**some, **method.claims, **printed}


def _make_stepping(random: Random, seed: int, method: Method) -> Stepping:
    kinds = ("mechanical",) if method.needs_structure else _choose(random, KINDS)
    if isinstance(method, Rosenbrock | ExponentialEuler):
        kinds = ("initial-value",)
    habits = _draw_habits(random, method)
    claims = _draw_claims(random, method, habits)
    return Stepping(
        name=f"sound-{seed}",
        method=method,
        kinds=kinds,
        habits=habits,
        claims=claims,
        refined=bool(claims and random.random() < 0.5),
    )


KINDS = (("mechanical",), ("initial-value",), ("initial-value",), ("mechanical", "initial-value"))


def _draw_adaptive(random: Random, seed: int) -> Adaptive:
    name = _choose(random, ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"))
    printed = _choose(random, (0, 0, 8, 12))
    # a tolerance that printed digits cut off is no true claim
    every = {"tolerance": "rtol", **({"printed": printed} if printed else {})}
    claims = _choose(random, ({}, every, every))
    habits = Habits(finer=int(random.integers(3)), printed=printed)
    return Adaptive(
        name=f"sound-{seed}",
        method=name,
        kinds=_choose(random, KINDS),
        habits=habits,
        claims=claims,
        refined=bool(claims),
    )


def _draw_newmark(random: Random) -> Alpha:
    if random.random() < 0.3:
        gamma = round(random.uniform(0.51, 0.7), 3)
        beta = (gamma + 0.5) ** 2 / 4
    else:
        beta, gamma = _choose(random, (1 / 4, 1 / 6, 1 / 12)), 0.5
    return Alpha(beta, gamma, name={"method": "newmark", "beta": _exactly(beta), "gamma": _exactly(gamma)})


def _exactly(number: float) -> Any:
    return {1 / 6: "1/6", 1 / 12: "1/12"}.get(number, number)


def _draw_hht(random: Random) -> Alpha:
    alpha, middle = -round(random.uniform(0.01, 0.33), 3), bool(random.random() < 0.5)
    name = {"method": "hht-alpha", "alpha": alpha, "load": "midpoint" if middle else "interpolated"}
    return Alpha((1 - alpha) ** 2 / 4, 0.5 - alpha, of_force=-alpha, middle=middle, name=name)


def _draw_bossak(random: Random) -> Alpha:
    alpha = -round(random.uniform(0.01, 0.33), 3)
    return Alpha((1 - alpha) ** 2 / 4, 0.5 - alpha, of_mass=alpha)


def _draw_generalised(random: Random) -> Alpha:
    rho, middle = round(random.uniform(0, 1), 3), bool(random.random() < 0.5)
    of_mass, of_force = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    shift = of_force - of_mass
    name = {"method": "generalised-alpha", "rho_inf": rho, "load": "midpoint" if middle else "interpolated"}
    return Alpha((1 + shift) ** 2 / 4, 0.5 + shift, of_mass, of_force, middle, name)


def _stepping(draw: Callable[[Random], Method]) -> Callable[[Random, int], Sound]:
    return lambda random, seed: _make_stepping(random, seed, draw(random))


def _draw_runge_kutta(random: Random) -> RungeKutta:
    name = _choose(random, tuple(ORDERS))
    return RungeKutta(name, ORDERS[name])


FAMILIES: tuple[Callable[[Random, int], Sound], ...] = (
    _stepping(_draw_newmark),
    _stepping(_draw_runge_kutta),
    _stepping(_draw_hht),
    _stepping(lambda random: Backward(_choose(random, tuple(BACKWARD)))),
    _stepping(_draw_generalised),
    _stepping(_draw_runge_kutta),
    _stepping(lambda _: Verlet()),
    _draw_adaptive,
    _stepping(lambda _: CentralDifference()),
    _stepping(lambda random: Adams(_choose(random, tuple(ADAMS)))),
    _stepping(lambda _: Exact()),
    _stepping(_draw_runge_kutta),
    _stepping(_draw_bossak),
    _stepping(lambda random: Gragg(int(random.integers(1, 4)))),
    _stepping(lambda random: Wilson(round(random.uniform(1.37, 2.0), 3))),
    _stepping(lambda _: Rosenbrock()),
    _stepping(lambda _: SymplecticEuler()),
    _stepping(lambda random: TwoStages(round(random.uniform(0.55, 1.0), 3))),
    _stepping(lambda _: ExponentialEuler()),
    _draw_adaptive,
)


def sharpen(solver: Sound) -> Sound:
    """Return the same solver in double precision, without printing, with steps a quarter as long.

    What it does not lose as well is lost by the default step, single precision or printed digits, not by the suite.
    """
    sharper = replace(solver.habits, single=False, printed=0, finer=solver.habits.finer * 4)
    if isinstance(solver, Adaptive):
        sharper = replace(sharper, finer=solver.habits.finer + 2)
    elif solver.habits.steps == "grid":
        sharper = replace(sharper, steps="landing")
    return replace(solver, habits=sharper)
