"""A stepper of thirty lines keeps what it claims, or is found out: method, numerical damping, lag, stability."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.elements import Load, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import StepError
from veridyn.validation_cases.judgement.case import Variant
from veridyn.validation_cases.judgement.statement import Statement

STEPS = (0.04, 0.02, 0.01)


def pair(values=None):
    """Two masses on springs, damped, under a load, for two seconds; frequencies of 1.9 and 3.4 rad/s."""
    return MechanicalProblem(
        name="pair",
        mass=np.diag([1.0, 2.0]),
        stiffness=np.array([[9.0, -4.0], [-4.0, 12.0]]),
        damping=np.array([[0.3, 0.0], [0.0, 0.1]]),
        initial_displacement=np.array([0.5, -0.2]),
        initial_velocity=np.array([0.0, 1.0]),
        end=2.0,
        loads=(Load(np.array([1.0, 0.5]), Harmonic(2.0, 5.0, 0.3)),),
    )


class Newmark:
    """Newmark's method with any beta and gamma."""

    name, version = "newmark", "1"
    capabilities = frozenset({"mechanical", "multi-dof", "loads", "support-motion", "damping", "damping:coupled"})
    refinement = tuple({"step": step} for step in STEPS)

    def __init__(self, beta=0.25, gamma=0.5, late=0.0, behind=0.0, **claims):
        self.beta, self.gamma, self.late, self.behind, self.claims = beta, gamma, late, behind, claims

    @np.errstate(over="ignore", invalid="ignore")  # an unstable step
    def solve(self, problem, settings):
        h, b, g = settings.get("step", STEPS[-1]), self.beta, self.gamma
        count = round((problem.end - problem.start) / h)
        x, v = problem.initial_displacement, problem.initial_velocity
        a = np.linalg.solve(problem.mass, self.force(problem, problem.start, x, v))
        left = problem.mass + g * h * problem.damping + b * h**2 * problem.stiffness
        states = [(x, v - self.behind * h * a)]
        for i in range(1, count + 1):
            t = problem.start + (i - self.late) * h
            x, v = x + h * v + (0.5 - b) * h**2 * a, v + (1 - g) * h * a
            a = np.linalg.solve(left, self.force(problem, t, x, v))
            x, v = x + b * h**2 * a, v + g * h * a
            states.append((x, v - self.behind * h * a))
        displacement, velocity = map(np.array, zip(*states, strict=True))
        return {"time": problem.start + h * np.arange(count + 1), "displacement": displacement, "velocity": velocity}

    def force(self, problem, t, x, v):
        pushes = sum(load.direction * load.function(t) for load in problem.loads)
        shakes = sum(problem.mass @ support.influence * support.acceleration(t) for support in problem.supports)
        return pushes - shakes - problem.damping @ v - problem.stiffness @ x


@pytest.fixture
def claimed(judged, make_statement, make_quantity):
    """Judge what claims say of the linear problem; returns the record of one check, or of none."""

    def one(solver, name, problem=pair, **changes):
        quantity = make_quantity(truth=TRUTH, scale=lambda _: 1.0)
        statement = make_statement(quantity, problem=problem, **{"linear": True} | changes)
        return judged(solver, statement, layers=("claim",)).get(f"only-claim:{name}")

    return one


def limit():
    """Richardson's limit of two fine answers of the trapezoidal rule: the truth to 1e-9."""
    ends = [Newmark().solve(pair(), {"step": step})["displacement"][-1, 0] for step in (1e-3, 5e-4)]
    return float(ends[1] + (ends[1] - ends[0]) / 3)


TRUTH = limit()

# ---- the method


def claiming(solver, **claims):
    """Let a stepper claim what it is not."""
    solver.claims = claims
    return solver


TRAPEZOIDAL = {"method": "newmark", "beta": "1/4", "gamma": "1/2", "order": 2}


@pytest.mark.parametrize(
    ("beta", "gamma", "said"),
    [
        (0.25, 0.5, {}),
        (0.25, 0.5, {"beta": "1/4", "gamma": "1/2"}),
        (1 / 6, 0.5, {"beta": "1/6"}),
        (0.0, 0.5, {"beta": 0}),
        (0.3025, 0.6, {"beta": 0.3025, "gamma": 0.6}),
    ],
)
def test_the_method_that_is_claimed_is_recognised(claimed, beta, gamma, said):
    record = claimed(claiming(Newmark(beta, gamma), method="newmark", **said), "method")
    assert (record.verdict, record.reference, record.tolerance) == ("pass", 0.0, 1e-9)
    assert record.error < 1e-11
    assert record.detail == "50 steps of 0.04 s"


@pytest.mark.parametrize(
    "changes",
    [{"beta": 0.2525}, {"beta": 0.2500025}, {"gamma": 0.505}, {"late": 1.0}, {"late": 1e-4}],
    ids=str,
)
def test_another_method_is_found_out(claimed, changes):
    record = claimed(claiming(Newmark(**changes), **TRAPEZOIDAL), "method")
    assert (record.verdict, record.error > 1e-9) == ("fail", True)


def test_a_wrong_beta_keeps_the_order(claimed):
    solver = claiming(Newmark(beta=0.2525), **TRAPEZOIDAL)
    assert claimed(solver, "order:end").verdict == "pass"
    assert claimed(solver, "method").verdict == "fail"


def test_a_late_load_has_order_one(claimed):
    record = claimed(Newmark(late=1.0, order=2), "order:end")
    assert (record.verdict, record.value) == ("fail", pytest.approx(1.0, abs=0.2))


def test_supports_are_loads_too(claimed):
    ground = SupportMotion.from_acceleration("ground", [1.0, 1.0], Harmonic(3.0, 4.0))
    record = claimed(Newmark(method="newmark"), "method", lambda _: replace(pair(), supports=(ground,)))
    assert record.verdict == "pass"


def test_a_problem_of_modes_is_marched_in_its_modes(claimed):
    """One of two modes; the stepper sees the coordinate that both share."""
    modes = Modes(omega=[2.0, 5.0], damping=[0.02, 0.0], masses=[1.0, 1.0], shapes=[[1.0, 1.0], [1.0, -1.0]])
    by_modes = replace(pair(), mass=None, stiffness=None, damping=None, modes=modes)

    class InModes(Newmark):
        capabilities = Newmark.capabilities | {"modes"}

        def solve(self, problem, settings):
            if problem.modes is None:
                return super().solve(problem, settings)
            given, inverse = problem.modes, np.linalg.inv(problem.modes.shapes)
            plain = MechanicalProblem(
                name="modal", mass=np.diag(given.masses), stiffness=np.diag(given.masses * given.omega**2),
                damping=np.diag(2 * given.damping * given.omega * given.masses),
                initial_displacement=inverse @ problem.initial_displacement,
                initial_velocity=inverse @ problem.initial_velocity, end=problem.end,
                loads=tuple(Load(given.shapes.T @ load.direction, load.function) for load in problem.loads),
            )  # fmt: skip
            found = super().solve(plain, settings)
            return found | {name: found[name] @ given.shapes.T for name in ("displacement", "velocity")}

    record = claimed(InModes(method="newmark"), "method", lambda _: by_modes)
    assert record.verdict == "pass"


def test_samples_off_the_steps_are_not_judged(claimed):
    class Resampled(Newmark):
        def solve(self, problem, settings):
            found = super().solve(problem, settings)
            time = np.linspace(problem.start, problem.end, 37)
            resampled = {
                name: np.stack([np.interp(time, found["time"], column) for column in found[name].T], axis=1)
                for name in ("displacement", "velocity")
            }
            return {"time": time, **resampled}

    record = claimed(Resampled(method="newmark"), "method")
    assert record.verdict == "not applicable"
    assert record.detail == (
        "the samples are no multiples of step=0.04 s; report the states of the steps themselves, or their number as "
        'counters["steps"]'
    )


class Divided(Newmark):
    """Takes the next smaller step that divides the span, as `ceil` and `linspace` make it."""

    stride, counts = 1, False

    def solve(self, problem, settings):
        span = problem.end - problem.start
        steps = math.ceil(span / settings.get("step", STEPS[-1]) / self.stride) * self.stride
        found = super().solve(problem, settings | {"step": span / steps})
        counters = {"counters": {"steps": steps}} if self.counts else {}
        return {name: found[name][:: self.stride] for name in ("time", "displacement", "velocity")} | counters


@pytest.mark.parametrize(("beta", "verdict"), [(0.25, "pass"), (0.26, "fail")])
def test_the_step_that_divides_the_span_is_the_one_that_was_taken(claimed, beta, verdict):
    odd = replace(pair(), end=3.0 + 0.013)
    assert claimed(Divided(beta, method="newmark"), "method", lambda _: odd).verdict == verdict


@pytest.mark.parametrize(("counts", "verdict"), [(False, "not applicable"), (True, "fail")])
def test_samples_between_steps_need_the_number_of_steps(claimed, counts, verdict):
    odd = replace(pair(), end=3.0 + 0.013)
    solver = Divided(0.26, method="newmark")
    solver.stride, solver.counts = 2, counts
    assert claimed(solver, "method", lambda _: odd).verdict == verdict


class Halved(Newmark):
    """Takes half the step that it is asked for; shows every state or every second one, and counts or not."""

    stride, counted = 2, None

    def solve(self, problem, settings):
        found = super().solve(problem, settings | {"step": settings.get("step", STEPS[-1]) / 2})
        counters = {} if self.counted is None else {"counters": {"steps": self.counted * (found["time"].size - 1)}}
        return {name: found[name][:: self.stride] for name in ("time", "displacement", "velocity")} | counters


class Extrapolated(Halved):
    """Richardson's extrapolation from the step that it is asked for and its half."""

    def solve(self, problem, settings):
        fine, coarse = super().solve(problem, settings), Newmark.solve(self, problem, settings)
        better = {name: fine[name] + (fine[name] - coarse[name]) / 3 for name in ("displacement", "velocity")}
        return {"time": fine["time"], **better}


@pytest.mark.parametrize(
    ("solver", "stride", "counted", "verdict"),
    [
        (Halved, 2, None, "fail"),
        (Halved, 2, 1.0, "fail"),
        (Halved, 2, 0.5, "fail"),  # counts as many steps as it was asked for
        (Halved, 1, None, "not applicable"),  # shows each state, but not how many steps there were
        (Halved, 1, 1.0, "pass"),  # hides nothing: the check says which step was taken
        (Extrapolated, 2, None, "fail"),
    ],
)
def test_finer_steps_than_asked_for_are_not_those_of_the_claimed_method(claimed, solver, stride, counted, verdict):
    cheat = solver(method="newmark", order=2)
    cheat.stride, cheat.counted = stride, counted
    record = claimed(cheat, "method")
    assert record.verdict == verdict
    assert verdict != "pass" or (record.detail, record.counters) == ("100 steps of 0.02 s", {"steps": 100.0})


def test_finer_steps_than_asked_for_are_not_seen_where_no_method_is_claimed(claimed):
    """Docs list it as not detectable by answers: they are right, and the order is that of the method."""
    assert claimed(Halved(order=2), "order:end").verdict == "pass"


def test_only_linear_problems_have_a_discrete_solution(claimed):
    assert claimed(Newmark(method="newmark"), "method", linear=False) is None


# ---- free vibration of the fastest mode


@pytest.mark.parametrize(
    ("gamma", "claim", "verdict"),
    [(0.5, 0, "pass"), (0.6, 0, "fail"), (0.6, 0.02, "pass"), (0.505, 0, "fail"), (0.45, 0, "fail")],
)
def test_numerical_damping_is_read_from_the_peaks(claimed, gamma, claim, verdict):
    """The ratio is (gamma - 1/2) w h/2, and negative where a method gains energy."""
    beta = (gamma + 0.5) ** 2 / 4
    record = claimed(Newmark(beta, gamma, numerical_damping=claim, order=1), "numerical_damping")
    assert record.verdict == verdict
    assert record.value == pytest.approx((gamma - 0.5) * np.pi / 63, rel=0.02, abs=1e-8)


@pytest.mark.parametrize(
    ("behind", "claim", "verdict"), [(0.0, 0.0, "pass"), (0.5, 0.0, "fail"), (0.5, 0.5, "pass"), (1.0, 0.5, "fail")]
)
def test_how_far_velocities_lie_behind_is_read_from_the_displacements(claimed, behind, claim, verdict):
    record = claimed(Newmark(behind=behind, order=2, lag=claim), "lag")
    assert (record.verdict, record.unit) == (verdict, "steps")
    assert record.value == pytest.approx(behind, abs=0.03)


@pytest.mark.parametrize(
    ("beta", "claim", "verdict"),
    [(0.25, "inf", "pass"), (0.0, 2.0, "pass"), (0.0, 2.2, "fail"), (0.0, "inf", "fail"), (1 / 6, 12**0.5, "pass")],
)
def test_a_step_just_below_the_claimed_limit_is_stable(claimed, beta, claim, verdict):
    assert claimed(Newmark(beta, order=2, stability=claim), "stability").verdict == verdict


def test_the_fastest_mode_is_asked_once_a_case(make_statement, judged):
    solver = Newmark(order=2, numerical_damping=0, stability="inf", method="newmark")
    first = make_statement(problem=pair, linear=True)
    case = replace(first.case, variants=(Variant("other", {}), first.variant))
    asked = [set(judged(solver, s, layers=("claim",))) for s in (first, Statement(case, first.variant))]
    assert asked[0] - asked[1] == {f"only-claim:{name}" for name in ("numerical_damping", "lag", "stability")}
    assert "only-claim:method" in asked[1]


def test_a_step_that_is_refused_there_is_not_judged(claimed):
    class Careful(Newmark):
        def solve(self, problem, settings):
            if settings.get("step", 0.0) > 0.1:
                raise StepError("too long")
            return super().solve(problem, settings)

    record = claimed(Careful(order=2, stability="inf"), "stability")
    assert (record.verdict, record.detail.endswith(" is refused: too long")) == ("not applicable", True)
