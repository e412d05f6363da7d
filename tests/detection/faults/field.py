"""Faults of real releases, after public reports: small wrong solvers beside their sound twins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from ..fault import Fault, Host, always
from ..hosts.field import contact, hybrid, rigid_body, runge_kutta, structure


def report(
    name: str,
    part: str,
    what: str,
    source: str,
    wrong: Any,
    touches: Callable[[Any], bool] = always,
    unseen: str = "",
    unclaimed: str = "",
) -> Fault:
    """Return a fault that is there or not, with the public report of it."""
    return Fault(name, part, f"{what} ({source}).", lambda _: wrong, touches, unseen=unseen, unclaimed=unclaimed)


# ---- what a problem has


def has_time(problem: Any) -> bool:
    """Return whether the time is in the rates."""
    return any(sympy.Symbol("t") in rate.free_symbols for mode in problem.modes for rate in mode.rates)


def has_changes(problem: Any) -> bool:
    """Return whether an event changes anything."""
    return any(not change.is_marker for mode in problem.modes for change in mode.events)


def has_events(problem: Any) -> bool:
    """Return whether there are events."""
    return any(mode.events for mode in problem.modes)


def starts_accelerated(problem: Any) -> bool:
    """Return whether the acceleration at the start is not zero."""
    force = structure.forces(problem, np.array([problem.start]))[0]
    return bool(np.any(structure.from_equilibrium(problem, force)))


def lacks_ratios(problem: Any) -> bool:
    """Return whether the first modes have damping ratios and the last ones none."""
    ratios = structure.ratios_of(problem)
    return 0 < ratios.size < problem.initial_displacement.size


def has_loads(problem: Any) -> bool:
    """Return whether a load acts."""
    return bool(problem.loads)


def has_products(problem: Any) -> bool:
    """Return whether a free body has products of inertia."""
    return problem.states == rigid_body.STATES and "J12" in problem.parameters


# ---- Runge-Kutta methods


def with_entry(method: runge_kutta.Tableau, row: int, column: int, value: float) -> runge_kutta.Tableau:
    """Return a tableau with one entry of its stages changed."""
    stages = method.stages.copy()
    stages[row, column] = value
    return replace(method, stages=stages)


MISPRINT = (5, 2, -3554 / 2565)
FEHLBERG = runge_kutta.RungeKutta("fehlberg", runge_kutta.FEHLBERG, 5)
PRINCE = runge_kutta.RungeKutta("prince-dormand", runge_kutta.PRINCE, 8, levels=(30, 60, 120, 240))
RUNGE_KUTTA = (
    Host(
        "fehlberg",
        FEHLBERG,
        (
            report(
                "node",
                "method",
                "The last node of Fehlberg's method is 1/3 in place of 1/2",
                "BrainPy, pull request 841, 2026",
                replace(FEHLBERG, method=replace(FEHLBERG.method, nodes=np.append(FEHLBERG.method.nodes[:5], 1 / 3))),
                has_time,
            ),
            report(
                "other_row",
                "method",
                "It advances with the row of order 4 and states order 5",
                "pathsim, issue 232, 2026",
                replace(FEHLBERG, method=runge_kutta.FEHLBERG_ORDER_4),
                unclaimed="A sound method of order 4, and named so on its card, if nobody says 5.",
            ),
            report(
                "entry",
                "method",
                "An entry of the last stage is -3554/2565 in place of -3544/2565",
                "pathsim, issue 232, 2026",
                replace(FEHLBERG, method=with_entry(FEHLBERG.method, *MISPRINT)),
            ),
        ),
    ),
    Host(
        "fehlberg-4",
        FEHLBERG_4 := replace(FEHLBERG, name="fehlberg-4", method=runge_kutta.FEHLBERG_ORDER_4, order=4),
        (
            report(
                "sleeping_entry",
                "method",
                "An entry of the last stage is -3554/2565 in place of -3544/2565",
                "pathsim, issue 232, 2026",
                replace(FEHLBERG_4, method=with_entry(FEHLBERG_4.method, *MISPRINT)),
                unseen="The last stage has weight 0 in the row of order 4: no answer changes, and no check reads the "
                "tableau itself or the error estimate.",
            ),
        ),
    ),
    Host(
        "prince-dormand",
        PRINCE,
        (
            report(
                "first_row",
                "method",
                "It advances with the row of order 7 and states order 8",
                "desolver 5.1.0, RK8713M, 2026",
                replace(PRINCE, method=runge_kutta.PRINCE_ORDER_7),
                unclaimed="A sound method of order 7, as its card says, if nobody says 8.",
            ),
        ),
    ),
)

# ---- events

EVENTS = (
    Host(
        "locating",
        hybrid.LOCATING,
        (
            report(
                "signs_at_ends",
                "event",
                "Events are looked for by the signs of guards at the ends of steps, so two in a step cancel",
                "SciPy, issue 9228, 2018",
                replace(hybrid.LOCATING, shares=hybrid.AT_ENDS, dips=False),
                has_events,
            ),
        ),
    ),
    Host(
        "adaptive",
        hybrid.ADAPTIVE,
        (
            report(
                "slopes_of_the_whole_step",
                "event",
                "After an event inside a step the dense output up to it uses the slopes of the whole step",
                "OrdinaryDiffEq.jl, issue 3963, 2026",
                replace(hybrid.ADAPTIVE, cut=hybrid.cut_as_a_whole),
                has_changes,
            ),
        ),
    ),
    Host(
        "communicating",
        hybrid.COMMUNICATING,
        (
            report(
                "noticed_at_the_end",
                "event",
                "Events are noticed at communication points only",
                "OMSimulator, pull request 1341, 2024",
                replace(hybrid.COMMUNICATING, shares=hybrid.AT_ENDS, dips=False, locate=hybrid.end_of_step),
                has_changes,
            ),
        ),
    ),
)

# ---- structures


def alpha_host(solver: structure.Newmark) -> Host:
    """Return Hilber, Hughes and Taylor's method with the fault of its beta."""
    beta = report(
        "beta",
        "method",
        "Beta is (1 - alpha^2)/4 in place of (1 - alpha)^2/4",
        "ONSAS, issue 113, 2020",
        replace(solver, beta=structure.beta_of_square),
    )
    return Host(solver.name, solver, (beta,))


STRUCTURES = (
    Host(
        "velocity-verlet",
        structure.VERLET,
        (
            report(
                "shares_swapped",
                "method",
                "The displacement goes by (h/2) v + h^2 a in place of h v + (h^2/2) a",
                "Boost.odeint, issue 150, 2015",
                replace(structure.VERLET, drift=structure.drift_with_shares_swapped),
            ),
        ),
    ),
    alpha_host(structure.DAMPING_ALPHA),
    alpha_host(structure.NAMED_ALPHA),
    Host(
        "average-acceleration",
        structure.AVERAGE,
        (
            report(
                "first_acceleration",
                "method",
                "The first step begins with acceleration 0",
                "Kratos, pull request 8185, 2021",
                replace(structure.AVERAGE, first_acceleration=structure.zero),
                starts_accelerated,
            ),
        ),
    ),
    Host(
        "modal-superposition",
        structure.MODAL,
        (
            report(
                "first_ratio_for_all",
                "modal",
                "The first damping ratio is taken for all modes where there are fewer ratios than modes",
                "OpenSees, pull request 1093, 2022",
                replace(structure.MODAL, ratios=structure.first_for_all),
                lacks_ratios,
            ),
        ),
    ),
)

# ---- rigid bodies

BODIES = (
    Host(
        "impulses-at-a-stop",
        contact.BOUNCING,
        (
            report(
                "gravity_reversed",
                "contact",
                "The forces of a step are added to the velocity before the contact reverses it",
                "JoltPhysics, issue 1286, 2024; rapier, issue 97",
                replace(contact.BOUNCING, impact_speed=contact.speed_with_gravity),
                has_loads,
            ),
        ),
    ),
    Host(
        "rigid-body",
        rigid_body.BODY,
        tuple(
            report(
                name,
                "method",
                what,
                "avian, pull request 745, 2025",
                replace(rigid_body.BODY, law=law),
                has_products,
            )
            for name, what, law in (
                ("diagonal_divided", "Torques are divided by the diagonal of the inertia", rigid_body.spin_by_diagonal),
                (
                    "diagonal_in_the_product",
                    "The angular momentum is that of the diagonal of the inertia",
                    rigid_body.spin_by_diagonal_product,
                ),
            )
        ),
    ),
    Host(
        "impulses-of-friction",
        contact.SLIDING,
        (
            report(
                "box",
                "friction",
                "Friction along each of two tangents is limited by itself",
                "rapier, issue 137, 2021",
                replace(contact.SLIDING, limit=contact.in_a_box),
            ),
        ),
    ),
)

HOSTS = (*RUNGE_KUTTA, *EVENTS, *STRUCTURES, *BODIES)
