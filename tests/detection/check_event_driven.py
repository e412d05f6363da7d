"""The event-driven host: accuracy on every kind of element, events, error control, parts that faults replace."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from veridyn import verify
from veridyn.problem.devices import BucklingStop, NonlinearSpring, Zener
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, Piecewise, Sum, Windowed, pulse, table
from veridyn.solver.contract.responses import read_response
from veridyn.solver.exact.solver import SOLVER as EXACT

from .hosts.event_driven import SOLVER, EventDriven
from .hosts.event_driven.time_functions import signal

FIRST, LAST = np.array([1.0, 0.0]), np.array([0.0, 1.0])
UNIT = np.eye(3)
CHAIN = 500 * np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
NOISE = np.sin(np.arange(61.0) ** 2)


def problem(n=1, **changes):
    """Return n masses on springs, as given otherwise."""
    rest = {"initial_displacement": np.zeros(n), "initial_velocity": np.zeros(n)}
    return MechanicalProblem(
        **{"name": "p", "mass": np.eye(n), "stiffness": 100 * np.eye(n), "end": 2.0, **rest, **changes}
    )


def shaken(name, influence, *wave):
    return SupportMotion.from_acceleration(name, influence, Harmonic(*wave))


def pushed(n, *wave):
    return (Load(np.arange(n, 0.0, -1.0), Harmonic(*wave)),)


def released(at):
    """Return a mass that swings between ±0.1 m, with a stop at a distance."""
    return problem(initial_displacement=[0.1], stops=(Stop("s", [-1.0], at, 1e4),))


RUBBING = (
    Friction("f", (UNIT[0],), 3.0, 0.6, 0.4),
    Friction("g", (UNIT[1],), 2.0, 0.5, 0.5),
    Friction("h", (UNIT[2] - UNIT[1],), 1.0, 0.9, 0.4),
)
ON_STOP = Friction("f", (FIRST,), "s", 0.5, 0.3)
MODES = Modes(
    omega=[3.0, 9.0],
    damping=[0.01, 0.02],
    masses=[1.0, 2.0],
    shapes=[[1.0, 0.5], [0.5, -1.0], [0.2, 0.3]],
    coupling=[[0.1, 0.05], [0.05, 0.2]],
)
BURST = Sum((Harmonic(3.0, 4.0), Windowed(Harmonic(5.0, 6.0), 2.5, 3.5), pulse(4.0, 3.6, 3.8)))

PROBLEMS = {
    "parallel planes, damped": problem(
        stops=(Stop("s", [1.0], 0.02, 4e3, damping=5.0, offset=0.005, geometry="parallel planes"),),
        loads=pushed(1, 8.0, 9.0),
    ),
    "friction on a stop": problem(
        2,
        stiffness=np.diag([1.0, 400.0]),
        stops=(Stop("s", LAST, -0.01, 2e3),),
        frictions=(ON_STOP,),
        loads=pushed(2, 9.0, 7.0),
    ),
    "friction between parallel planes": problem(
        2,
        stiffness=np.diag([1.0, 400.0]),
        stops=(Stop("s", LAST, 0.01, 2e3, damping=10.0, geometry="parallel planes"),),
        frictions=(ON_STOP,),
        loads=pushed(2, 15.0, 7.0),
        initial_velocity=[2.0, 0.0],
    ),
    "three frictions": problem(3, stiffness=CHAIN, frictions=RUBBING, loads=(Load(UNIT[2], Harmonic(9.0, 11.0)),)),
    "absolute frame": problem(
        2,
        stiffness=[[200.0, -100.0], [-100.0, 200.0]],
        damping=[[1.0, -0.5], [-0.5, 0.6]],
        supports=(shaken("a", [0.6, 0.3], 3.0, 5.0), shaken("b", [0.4, 0.7], 2.0, 8.0, 1.0)),
        stops=(Stop("s", FIRST, 0.05, 5e3, frame="absolute"), Stop("d", LAST - FIRST, 0.03, 3e3, damping=3.0)),
    ),
    "start at 2 s": problem(
        start=2.0,
        end=4.0,
        initial_displacement=[0.3],
        loads=(Load([1.0], BURST),),
        stops=(Stop("s", [1.0], 0.1, 1e3, damping=20.0),),
    ),
    "modes": MechanicalProblem(
        name="m",
        modes=MODES,
        initial_displacement=np.zeros(3),
        initial_velocity=[1.0, 0.5, 0.2],
        end=3.0,
        stops=(Stop("s", UNIT[0], 0.1, 300.0),),
        supports=(shaken("a", np.ones(3), 1.0, 4.0),),
        frictions=(Friction("f", (UNIT[1],), 0.2, 0.3, 0.3),),
    ),
    "table": problem(
        loads=(Load([1.0], table(np.linspace(0.0, 2.0, 61), 20 * NOISE)),), stops=(Stop("s", [1.0], 0.1, 1e4),)
    ),
    "parting": problem(
        stops=(Stop("s", [1.0], 0.0, 1e4),), loads=(Load([1.0], Piecewise((0.5, 1.0), ((50.0,), (-30.0,)))),)
    ),
    "dip within a step": released(0.1 * (1 - 1e-8)),
}


def both(solver, statement, **settings):
    """Return the responses of a solver and of the exact one, and where they share samples."""
    one, other = (read_response(statement, s.solve(statement, g), "s") for s, g in ((solver, settings), (EXACT, {})))
    _, here, there = np.intersect1d(one.time, other.time, return_indices=True)
    return one, other, here, there


def difference(solver, statement, **settings):
    """Return the largest difference from the exact solver, in parts of the largest displacement."""
    one, other, here, there = both(solver, statement, **settings)
    assert here.size > 1900
    return np.abs(one.displacement[here] - other.displacement[there]).max() / np.abs(other.displacement).max()


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_kind_of_element(name):
    assert difference(SOLVER, PROBLEMS[name]) < 1e-12


@pytest.mark.parametrize("name", sorted(set(PROBLEMS) - {"parting"}))  # it touches with no velocity
def test_events(name):
    one, other, here, there = both(SOLVER, PROBLEMS[name])
    assert any(instants.size for instants in one.events.values())
    for element, instants in other.events.items():
        assert one.events[element] == pytest.approx(instants, abs=1e-9)
    for element, histories in one.elements.items():
        for history in histories.keys() & other.elements[element].keys():
            expected = other.elements[element][history][there]
            assert np.abs(histories[history][here] - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())


def test_a_stop_out_of_reach_is_not_touched():
    assert not SOLVER.solve(released(0.1 * (1 + 1e-8)), {})["events"]["s"].size


@pytest.mark.parametrize("name", ["parallel planes, damped", "three frictions", "absolute frame", "modes"])
def test_answers_improve_from_level_to_level(name):
    errors = [difference(SOLVER, PROBLEMS[name], **level) for level in SOLVER.refinement]
    tolerances = [level["rtol"] for level in SOLVER.refinement]
    assert all(fine < coarse / 5 for coarse, fine in pairwise(errors))
    assert all(error < 30 * max(rtol, 1e-14) for error, rtol in zip(errors, tolerances, strict=True))
    assert SOLVER.defaults(PROBLEMS[name]) == SOLVER.refinement[-1]


def stretched(device, **changes):
    return problem(stiffness=[[0.0]], devices=(device,), **{"end": 3.0, **changes})


def energy(response, potential):
    return 0.5 * response["velocity"][:, 0] ** 2 + potential(response["displacement"][:, 0])


def test_nonlinear_spring_conserves_energy():
    spring = NonlinearSpring.odd(name="d", direction=[1.0], coefficients=(0.0, 30.0, 4.0, 50.0), slack=0.05)
    response = SOLVER.solve(stretched(spring, initial_displacement=[0.4]), {})
    beyond = lambda x: np.maximum(np.abs(x) - 0.05, 0.0)  # noqa: E731
    total = energy(response, lambda x: 15 * beyond(x) ** 2 + 4 / 3 * beyond(x) ** 3 + 12.5 * beyond(x) ** 4)
    assert np.ptp(total) < 1e-12 * total[0]
    assert response["events"]["d"].size > 4


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.4])
def test_zener_takes_what_its_dashpot_takes(alpha):
    device = Zener(name="d", direction=[1.0], k1=30.0, k2=10.0, k3=20.0, damping=3.0, alpha=alpha, path=0.02)
    response = SOLVER.solve(stretched(device, initial_displacement=[0.4]), {"rtol": 1e-10})
    x, (d, z) = (
        response["displacement"][:, 0],
        (response["elements"]["d"][k] for k in ("dashpot_force", "dashpot_path")),
    )
    inner = (30 * x + 20 * z) / 60  # elongation of what stands in series with k1
    stored = 0.5 * response["velocity"][:, 0] ** 2 + 15 * (x - inner) ** 2 + 5 * inner**2 + 10 * (inner - z) ** 2
    power = np.abs(d) ** (1 + 1 / alpha) / 3.0 ** (1 / alpha)
    taken = np.concatenate(([0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(response["time"]))))
    assert taken[-1] > 0.5 * stored[0]
    assert np.abs(stored + taken - stored[0]).max() < 5e-5 * stored[0]  # of the trapezoids


def test_buckling_stop_follows_its_branches():
    changes = {"critical_force": 10.0, "post_force": 4.0, "plateau": 0.05, "softening": 0.1, "returns": ((0.3, 200.0),)}
    stop = BucklingStop(name="d", direction=[1.0], contact_stiffness=100.0, **changes)
    response = SOLVER.solve(stretched(stop, initial_velocity=[2.0]), {})
    largest = response["displacement"].max()
    elastic, plateau, softening = 0.5 * 10 * 0.1, 10 * 0.05, 7 * 0.1
    assert elastic + plateau + softening + 4 * (largest - 0.25) == pytest.approx(2.0, rel=1e-12)
    residual = 0.05 + (largest - 0.15) / (0.3 + 4 / 200 - 0.15) * 0.25
    back = 2 * 0.5 * 4 * (largest - residual) if largest < 0.32 else 2 * 0.5 * 4 * (0.02)
    assert response["velocity"][-1, 0] == pytest.approx(-np.sqrt(back), rel=1e-12)
    assert response["events"]["d"].size == 5  # ends of elastic, plateau and softening, turning point, release


PARTS = {
    "load": "parallel planes, damped",
    "support": "absolute frame",
    "gap": "parallel planes, damped",
    "gap_rate": "parallel planes, damped",
    "contact_force": "absolute frame",
    "slip_force": "three frictions",
    "stick_limit": "three frictions",
    "normal_force": "friction on a stop",
    "initial_state": "modes",
    "restored": "modes",
    "participation": "modes",
}


@pytest.mark.parametrize("part", PARTS)
def test_every_small_part_can_be_replaced(part):
    """A part that is off by 1e-7 shows, and by about that."""
    original = getattr(EventDriven, part)
    wrong = type("Wrong", (EventDriven,), {part: lambda *changes: original(*changes) * (1 + 1e-7)})
    assert 1e-11 < difference(wrong(), PROBLEMS[PARTS[part]]) < 1e-4


def test_late_events_show():
    class Late(EventDriven):
        def located(self, values, above, below):
            return super().located(values, above, below) + 1e-7

    assert difference(Late(), PROBLEMS["absolute frame"]) > 1e-10


@pytest.mark.parametrize("settings", [{"rtol": 0.0}, {"step": 1e-3}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match="settings are positive rtol, max_step"):
        SOLVER.solve(PROBLEMS["table"], settings)


REFUSED = {
    "circle": problem(2, stops=(Stop("s", FIRST, 1.0, 1e3, geometry="circle", lateral=LAST),)),
    "law 'regularised'": problem(frictions=(Friction("f", ([1.0],), 1.0, 0.3, 0.3, "regularised", 1e3),)),
    "may turn": problem(2, frictions=(Friction("f", (FIRST, LAST), 1.0, 0.3, 0.3),)),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_treated_is_refused(text):
    with pytest.raises(NotImplementedError, match=text):
        SOLVER.solve(REFUSED[text], {})


def test_largest_step_is_kept():
    statement = problem(initial_displacement=[0.1])
    steps = [SOLVER.solve(statement, {"max_step": h})["counters"]["steps"] for h in (1e-2, 5e-3)]
    assert steps[0] >= 200
    assert steps[1] >= 400


@pytest.mark.parametrize(
    "function", [BURST, BURST.summands[1].antiderivative().antiderivative(), Harmonic("3/4", "2*pi", "pi/3", -2)]
)
def test_functions_of_time(function):
    pieces = signal(function)
    times = np.linspace(0.05, 5.0, 100)
    values = [float(pieces.near(t)(t)) for t in times]
    assert values == pytest.approx(function(times).tolist(), rel=1e-13, abs=1e-14)


def test_a_case_of_the_suite():
    records = verify(SOLVER, ["sdnd101"])
    assert {record.verdict for record in records} == {"pass", "not applicable"}  # slopes of errors within rounding


def test_an_event_at_a_break_of_a_load_is_reported():
    spring = NonlinearSpring.odd(name="d", direction=[1.0], coefficients=(0.0, 1.0))
    half = np.pi / np.sqrt(101)
    load = Load([1.0], Piecewise((0.0, half), ((0.0,), (1e-3,))))
    statement = problem(devices=(spring,), loads=(load,), initial_velocity=[1.0], end=1.5 * half)
    assert SOLVER.solve(statement, {})["events"]["d"] == pytest.approx([half], rel=1e-12)


@pytest.mark.parametrize("rtol", [1e-6, 1e-10, 1e-12])
@pytest.mark.parametrize(("size", "friction"), [(0.9, 0.7), (0.7, 0.3)])
def test_what_is_held_at_rest_needs_no_short_steps(size, friction, rtol):
    """Forces that hold a body cancel but for rounding, of which no error control asks a relative accuracy."""
    statement = problem(
        mass=[[0.9]],
        stiffness=[[0.0]],
        end=10.0,
        supports=(shaken("a", [1.0], size, 3.9),),
        frictions=(Friction("f", ([1.0],), 0.9, friction, friction),),
    )
    response = SOLVER.solve(statement, {"rtol": rtol})
    assert response["counters"]["events"] > 10
    assert response["counters"]["tries"] < 10 * response["counters"]["events"]
