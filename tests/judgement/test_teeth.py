"""Damaged copies of our own solver: the checks that should see the damage do."""

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

from veridyn.solver.devices import NonlinearSpring
from veridyn.solver.modal import SOLVER, ModalIntegrator
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.judge import judge
from veridyn.validation_cases.workbench import Workbench

VARIANTS = {"sdnd101": "2-shocks", "sdnd103": "dead-zone", "sdnd104": "a0=1.5", "sdnd105": "c", "sdnd107": "power"}
SCHEME = "symplectic_euler"


@dataclass(frozen=True)
class Damaged(ModalIntegrator):
    """Our own solver with the problem changed before, or the response after."""

    before: object = None
    after: object = None

    def solve(self, problem, settings):
        asked = self.before(problem) if self.before else problem
        response = super().solve(asked, settings)
        return self.after(problem, response) if self.after else response


def seen_by(solver, case_name):
    """Return kind:quantity of the checks that fail, for one scheme and variant.

    Frozen values are left out (they see everything), and orders (they take long).
    """
    case, bench = load_case(case_name), Workbench(solver)
    chosen = replace(case, variants=(case.variant(VARIANTS.get(case_name, case.variants[0].name)),))
    subject = Subject(solver.name, (SCHEME,), own=True)
    asked = [check for check in checks(chosen, subject) if check.kind not in ("frozen", "order")]
    records = [judge(check, bench) for check in asked]
    assert len(records) > 10
    return {f"{r.kind}:{re.split('@[A-Z]', r.quantity)[0]}" for r in records if r.verdict != "pass"}


def larger(_, response):
    return replace(response, displacement=response.displacement * 1.01)


def late(_, response):
    return replace(response, displacement=np.roll(response.displacement, 1, axis=0))


def late_contact_velocity(_, response):
    stop = response.elements["stop"]
    rolled = {**stop, "normal_velocity": np.roll(stop["normal_velocity"], 1)}
    return replace(response, elements={**response.elements, "stop": rolled})


def without_adherence(_, response):
    shoe = {k: v for k, v in response.elements["shoe"].items() if k != "stuck"}
    return replace(response, elements={**response.elements, "shoe": shoe | {"stuck": np.zeros_like(response.time)}})


def without_third_mode(problem, response):
    _, shapes = np.linalg.eigh(problem.stiffness)  # the masses are equal
    third = shapes[:, 2]
    return replace(response, displacement=response.displacement - np.outer(response.displacement @ third, third))


def squared_friction(problem):
    return replace(
        problem, frictions=tuple(replace(f, static=f.static**2, kinetic=f.kinetic**2) for f in problem.frictions)
    )


def static_mode(factor):
    def change(problem):
        return replace(problem, supports=tuple(replace(s, influence=factor * s.influence) for s in problem.supports))

    return change


def stop_stiffness(factor):
    def change(problem):
        return replace(problem, stops=tuple(replace(s, stiffness=factor * s.stiffness) for s in problem.stops))

    return change


def without_stops(problem):
    return replace(problem, stops=())


def device_with(**changes):
    def change(problem):
        return replace(problem, devices=tuple(replace(d, **changes) for d in problem.devices))

    return change


def without_devices(problem):
    silent = tuple(replace(d, coefficients=tuple((0.0,) for _ in d.coefficients)) for d in problem.devices)
    return replace(problem, devices=silent)


def without_dead_zone(problem):
    (spring,) = problem.devices
    whole = NonlinearSpring.odd(name=spring.name, direction=[1.0], coefficients=(0.0, 0.0, spring.coefficients[-1][2]))
    return replace(problem, devices=(whole,))


def undamped(problem):
    return replace(problem, damping=np.zeros_like(problem.damping))


def relative_stop(problem):
    return replace(problem, stops=tuple(replace(stop, frame="relative") for stop in problem.stops))


def launched(factor):
    return lambda problem: replace(problem, initial_velocity=factor * problem.initial_velocity)


# case and what is wrong: (damage, checks that must see it)
DAMAGES = {
    "sdnd101: displacements 1 % larger": ({"after": larger}, {"truth:peak_force", "truth:impulse"}),
    "sdld103: displacements 1 % larger": (
        {"after": larger},
        {"truth:relative_NO2@1.0", "truth:absolute_NO4@0.3", "parity:relative_NO2@0.5"},
    ),
    "sdnd104: displacements 1 % larger": ({"after": larger}, {"truth:wear_power", "balance:energy_residual"}),
    "sdnd101: velocities of contact one step late": (
        {"after": late_contact_velocity},
        {"parity:sampled_velocity_2"},
    ),
    "sdnd104: friction squared": (
        {"before": squared_friction},
        {"truth:regime", "truth:wear_power", "events:phase_order"},
    ),
    "sdnd104: no adherence flag": ({"after": without_adherence}, {"parity:wear_power"}),
    "sdld103: third mode dropped": (
        {"after": without_third_mode},
        {"truth:relative_NO2@0.1", "truth:relative_NO3@1.0", "truth:relative_NO4@0.5"},
    ),
    "sdld103: sign of the static mode": (
        {"before": static_mode(-1.0)},
        {"truth:relative_NO2@1.0", "truth:absolute_NO3@0.5", "balance:energy_residual"},
    ),
    "sdld103: static mode dropped": (
        {"before": static_mode(0.0)},
        {"truth:relative_NO2@0.1", "truth:absolute_NO2@0.1"},
    ),
    "sdld103: one step late": ({"after": late}, {"truth:relative_NO3@0.3", "parity:relative_NO3@0.3"}),
    "sdnd101: one step late": (
        {"after": late},
        {"truth:peak_time_1", "truth:peak_time_2", "events:contact_instants"},
    ),
    "sdnd101: stop 2 % too soft": (
        {"before": stop_stiffness(0.98)},
        {"truth:contact_duration", "balance:energy_residual"},
    ),
    "sdnd103: no softening": (
        {"before": without_devices},
        {"truth:displacement@2", "truth:acceleration@6", "parity:displacement@18"},
    ),
    "sdnd103: no dead zone": ({"before": without_dead_zone}, {"truth:displacement@2", "parity:acceleration@10"}),
    "sdnd103: one step late": ({"after": late}, {"truth:displacement@6", "parity:displacement@2"}),
    "sdnd101: no stop": ({"before": without_stops}, {"events:impacts", "truth:peak_force"}),
    "sdnd105: no softening": (
        {"before": device_with(softening=0.0)},
        {"truth:largest_crush", "truth:residual_crush", "truth:exit_velocity", "truth:largest_time"},
    ),
    "sdnd105: returns as if there were no table": (
        {"before": device_with(returns=())},
        {"truth:residual_crush", "truth:return_stiffness", "truth:exit_velocity", "truth:velocity@9"},
    ),
    "sdnd105: stop 0.1 % too soft": (
        {"before": device_with(contact_stiffness=0.999)},
        {"truth:buckling_time", "events:phase_instants"},
    ),
    "sdnd105: one step late": ({"after": late}, {"truth:buckling_time", "truth:return_time"}),
    "sdnd105: displacements 1 % larger": ({"after": larger}, {"truth:largest_crush", "balance:energy_residual"}),
    "sdnd107: a linear dashpot": (
        {"before": device_with(alpha=1.0)},
        {
            "truth:displacement@0.1",
            "truth:force@3.2",
            "truth:peak_force",
            "parity:deviation_of_force@Code_Aster_test_sdnd107c",
        },
    ),
    "sdnd107: dashpot 1 % too weak": (
        {"before": device_with(damping=1.683)},
        {"truth:displacement@3.2", "truth:force@1.6"},
    ),
    "sdnd107: one step late": ({"after": late}, {"truth:displacement@0.4", "balance:energy_residual"}),
    "sdnd102: damping left out": ({"before": undamped}, {"truth:touch_1", "truth:displacement@0.25"}),
    "sdnd102: stop in the relative frame": (
        {"before": relative_stop},
        {"truth:release_1", "truth:largest_force", "events:contact_instants"},
    ),
    "sdnd121: stop 2 % too soft": (
        {"before": stop_stiffness(0.98)},
        {"truth:release_1", "truth:peak_force_1", "balance:force_law"},
    ),
    "sdnd121: no stop": ({"before": without_stops}, {"events:contacts", "truth:release_1"}),
    "sdnd121: one step late": ({"after": late}, {"truth:touch_1", "truth:release_1"}),
    "sdnd101: launched 1 % too fast": (
        {"before": launched(1.01)},
        {"truth:peak_force", "truth:impact_velocity"},
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_seen(name):
    damage, expected = DAMAGES[name]
    assert expected - seen_by(Damaged(**damage), name.partition(":")[0]) == set()


@pytest.mark.parametrize("case", VARIANTS)
def test_the_healthy_solver_passes(case):
    assert seen_by(Damaged(), case) == set()
    assert Damaged().capabilities == SOLVER.capabilities


def test_periods_do_not_see_the_amplitude():
    seen = seen_by(Damaged(before=launched(1.01)), "sdnd101")
    assert not seen & {"truth:contact_duration", "truth:flight_duration", "truth:peak_time_1", "events:impacts"}
