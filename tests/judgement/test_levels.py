"""Convergence, observed order and slope on a solver whose errors are known."""

import math
from functools import partial

import numpy as np
import pytest

from veridyn.references.certified import classification, undefined
from veridyn.solver.contract.errors import MissingHistory, SettingsError, SolverFailure, StepError
from veridyn.validation_cases.judgement.tolerances import cited, exactly
from veridyn.validation_cases.judgement.uncertainty import ORDER_LOST, ROUNDING, SAFETY, SLOPE_LOST

STEPS = (0.1, 0.05, 0.025, 0.0125)
FIRST = 0.0125 * 0.5**0.9  # the steps of the two levels that confirm, which share no instants with the others
CONFIRMED = (*STEPS, FIRST, FIRST * (FIRST / 0.0125) ** 0.9)
RTOLS = (1e-2, 1e-3, 1e-4)
COARSE = cited("a test", 1.0)


@pytest.fixture
def quantity(make_quantity):
    """The last displacement; the criterion admits everything."""
    return lambda **changes: make_quantity(criterion=COARSE, **changes)


@pytest.fixture
def found(judged, make_statement, quantity):
    """Judge convergence and claims of a solver; returns the record of one check."""

    def one(name, solver, *quantities, **asked):
        statement = make_statement(*(quantities or (quantity(),)))
        return judged(solver, statement, layers=("convergence", "claim"), **asked)[f"only-{name}"]

    return one


def square(step):
    return 0.3 * step**2


# ---- convergence


def test_a_solver_that_tends_to_the_truth_passes_and_shows_its_levels(found, stated):
    record = found("convergence:end", stated(square))
    assert (record.verdict, record.layer, record.error_kind) == ("pass", "convergence", "absolute")
    assert [row.size for row in record.levels] == list(STEPS)
    assert [row.error for row in record.levels] == pytest.approx([square(h) for h in STEPS])
    assert record.levels[0].difference is None
    assert record.levels[1].difference == pytest.approx(square(0.1) - square(0.05))
    assert {row.setting for row in record.levels} == {"step"}
    assert record.settings == {"step": 0.0125}


def test_the_parts_of_what_is_admissible_add_up(found, stated):
    record = found("convergence:end", stated(square))
    differences = [row.difference for row in record.levels[1:]]
    assert record.terms == {
        "numerical uncertainty": pytest.approx(SAFETY * max(differences[1], differences[2], differences[0] / 4)),
        "sampling": 0.0,
        "rounding": ROUNDING,
    }
    assert record.tolerance == pytest.approx(sum(record.terms.values()))
    assert record.error == pytest.approx(record.levels[-1].error)
    assert record.margin == pytest.approx(record.tolerance / record.error)
    assert record.digits == pytest.approx(-math.log10(record.error))


@pytest.mark.parametrize("off", [1e-2, 1e-5, 1e-7])
def test_a_solver_that_tends_to_something_else_fails_however_small_the_difference(found, stated, off):
    record = found("convergence:end", stated(lambda h: off + 1e-6 * off * h**2))
    assert record.verdict == "fail"
    assert record.error == pytest.approx(off, rel=1e-3)


def test_a_failure_is_confirmed_on_two_finer_levels(found, stated):
    solver = stated(lambda h: 1e-3 + 1e-9 * h)
    record = found("convergence:end", solver)
    assert [row.size for row in record.levels] == pytest.approx(CONFIRMED)
    assert record.verdict == "fail"


def test_an_event_right_after_an_instant_that_levels_share_is_met_by_levels_that_share_none(found, stated):
    """Halved steps leave it as far behind an instant as it was, and with it the error of a method of order 1."""
    event = 0.7 + 1e-3
    record = found("convergence:end", stated(lambda h: 1e-6 * h + event % h, claims={"order": 1}))
    halved = [row.error for row in record.levels[:4]]
    assert halved == pytest.approx([1e-3] * 4, rel=1e-3)
    assert record.verdict == "pass"


def test_a_truth_that_is_met_on_a_finer_level_is_met(found, stated):
    """Levels that agree by chance leave an uncertainty of nothing."""
    errors = {0.1: 0.0101, 0.05: 0.01, 0.025: 0.01, 0.0125: 0.01}
    record = found("convergence:end", stated(lambda h: errors.get(h, 0.001), claims={"order": 1}))
    assert record.verdict == "pass"
    assert len(record.levels) == 5


def test_a_refined_tolerance_is_not_refined_further(found, stated):
    solver = stated(
        lambda _: 1e-3,
        claims={"tolerance": "rtol"},
        settings={"rtol": "tolerance"},
        refinement=[{"rtol": t} for t in RTOLS],
    )
    record = found("convergence:end", solver)
    assert (record.verdict, len(record.levels)) == ("fail", 3)


def test_identical_answers_that_are_wrong_name_the_setting_that_does_not_act(found, stated):
    record = found("convergence:end", stated(lambda _: 1e-3))
    assert (record.verdict, record.detail) == ("fail", "all levels give the same answer: does the setting step act?")


def test_identical_answers_that_are_right_pass(found, stated):
    record = found("convergence:end", stated(lambda _: 0.0))
    assert (record.verdict, record.detail, record.error) == ("pass", "", 0.0)


@pytest.mark.parametrize(("error", "verdict"), [(0.9e-9, "pass"), (1.1e-9, "fail")])
def test_a_billionth_of_the_scale_is_left_to_rounding(found, stated, error, verdict):
    assert found("convergence:end", stated(lambda _: error)).verdict == verdict


def test_levels_that_are_not_monotone_are_as_uncertain_as_they_jump(found, stated):
    jumps = dict(zip(STEPS, (0.03, -0.02, 0.015, -0.01), strict=True))
    record = found("convergence:end", stated(jumps.__getitem__))
    assert record.verdict == "pass"
    assert record.terms["numerical uncertainty"] == pytest.approx(SAFETY * 0.035)


NO_IMPACT = SolverFailure("no impact")


def failing(*steps, error=NO_IMPACT):
    """Return a measure that finds nothing on some levels."""

    def measure(seen):
        value = float(seen.response.displacement[-1, 0])
        if any(value == pytest.approx(1 + square(step), abs=1e-12) for step in steps):
            raise error
        return value

    return measure


def test_coarse_levels_that_cannot_be_measured_are_left_out(found, stated, quantity):
    record = found("convergence:end", stated(square), quantity(measure=failing(0.1)))
    assert (record.verdict, [row.size for row in record.levels]) == ("pass", [0.05, 0.025, 0.0125])


@pytest.mark.parametrize("check", ["convergence:end", "claim:order:end"])
def test_below_three_levels_nothing_is_judged_and_it_is_said_why(found, stated, quantity, check):
    record = found(check, stated(square), quantity(measure=failing(0.1, 0.05)))
    assert record.verdict == "not applicable"
    assert record.detail == "2 of 4 levels could be measured, 3 are needed; at step=0.05: no impact"


def test_a_gap_ends_what_can_be_measured(found, stated, quantity):
    record = found("convergence:end", stated(square), quantity(measure=failing(0.025)))
    assert record.detail == "1 of 4 levels could be measured, 3 are needed; at step=0.025: no impact"


def test_the_finest_level_must_be_measured(found, stated, quantity):
    record = found("convergence:end", stated(square), quantity(measure=failing(0.0125)))
    assert (record.verdict, record.detail) == ("fail", "no impact")


def test_a_missing_history_is_not_applicable(found, stated, quantity):
    missing = failing(*STEPS, error=MissingHistory("no force of stop 'wall'"))
    record = found("convergence:end", stated(square), quantity(measure=missing))
    assert (record.verdict, record.detail) == ("not applicable", "no force of stop 'wall'")


def refusing(stated, *steps, error=StepError):
    class Refusing(stated):
        def solve(self, problem, settings):
            if settings.get("step") in steps:
                raise error("a shorter step is needed")
            return super().solve(problem, settings)

    return Refusing(square)


@pytest.mark.parametrize("error", [StepError, SettingsError, SolverFailure, ZeroDivisionError])
def test_a_coarse_level_that_is_refused_or_breaks_is_left_out(found, stated, error):
    record = found("convergence:end", refusing(stated, 0.1, error=error))
    assert (record.verdict, len(record.levels)) == ("pass", 3)


def test_levels_that_are_all_refused_fail_with_the_reason(found, stated):
    record = found("convergence:end", refusing(stated, *STEPS))
    assert record.verdict == "fail"
    assert record.detail == "the level step=0.0125 is refused: a shorter step is needed"


def test_levels_of_a_function_that_cannot_be_used_fail_with_the_reason(found, stated):
    record = found("convergence:end", stated(square, refinement=lambda problem: [{"step": 1.0}]))
    assert record.verdict == "fail"
    assert record.detail.startswith("refinement cannot be used: solver right: 1 refinement levels; give 3")


def test_the_finest_level_is_the_default_run_where_defaults_say_so(judged, stated):
    solver = stated(square, defaults=lambda problem: {"step": 0.0125})
    judged(solver, layers=("criterion", "convergence"))
    assert solver.calls == [{"step": h} for h in (0.0125, 0.1, 0.05, 0.025)]


def test_a_word_must_be_right_on_the_finest_level(found, stated, quantity):
    def word(seen):
        return "slip" if seen.response.displacement[-1, 0] < 1 + 1.5 * square(0.0125) else "stick"

    truths = {"slip": "pass", "stick": "fail"}
    for truth, verdict in truths.items():
        told = quantity(measure=word, truth=classification(truth, "by hand"))
        assert found("convergence:end", stated(square), told).verdict == verdict


def test_what_does_not_exist_must_not_be_found(found, stated, quantity):
    for value, verdict in ((None, "pass"), (1.0, "fail")):
        nothing = quantity(measure=lambda _, value=value: value, truth=undefined("no slip"))
        assert found("convergence:end", stated(square), nothing).verdict == verdict


def test_a_number_that_is_none_on_a_level_is_not_judged(found, stated, quantity):
    def measure(seen):
        value = float(seen.response.displacement[-1, 0])
        return None if value > 1 + square(0.04) else value

    record = found("convergence:end", stated(square), quantity(measure=measure))
    assert (record.verdict, record.detail) == ("not applicable", "end is no number on every level")


# ---- sampling


def mean(seen):
    """The mean of squares of the samples depends on how many there are."""
    return float((seen.response.displacement[:, 0] ** 2).mean())


def test_what_depends_on_the_samples_is_as_uncertain_as_it_changes_without_every_second(found, stated, quantity):
    """Eleven samples: 0.35; six: 0.3667."""
    record = found("convergence:end", stated(lambda _: 0.0), quantity(measure=mean, truth=0.36))
    assert record.terms["sampling"] == pytest.approx(0.3666667 - 0.35, rel=1e-5)
    assert record.verdict == "pass"


def test_a_failure_is_confirmed_on_either_half_of_the_samples(found, stated, quantity):
    """Eleven samples of a parabola: the one at 0.4 s is in one half of them, not in the other."""

    def fifth(seen):
        return float(np.interp(0.4, seen.response.time, seen.response.displacement[:, 0] ** 2))

    record = found("convergence:end", stated(lambda _: 0.0), quantity(measure=fifth, truth=0.165))
    assert (record.verdict, record.terms["sampling"]) == ("pass", pytest.approx(0.01))
    record = found("convergence:end", stated(lambda _: 0.0), quantity(measure=fifth, truth=0.16))
    assert (record.verdict, record.terms["sampling"]) == ("pass", 0.0)
    record = found("convergence:end", stated(lambda _: 0.0), quantity(measure=fifth, truth=0.171))
    assert (record.verdict, record.terms["sampling"]) == ("fail", pytest.approx(0.01))


def test_what_depends_on_few_printed_digits_is_as_uncertain_as_it_changes_with_one_less(found, stated, quantity):
    record = found("convergence:end", stated(square, claims={"order": 2, "printed": 3}), quantity())
    assert record.terms["sampling"] == pytest.approx(abs(record.value - float(f"{record.value:.1e}")), abs=1e-12)
    assert record.terms["sampling"] > 0


def test_an_instant_that_is_read_at_a_sample_may_be_a_distance_of_samples_late(found, stated, quantity):
    for late, verdict in ((0.05, "pass"), (0.15, "fail")):
        flag = quantity(measure=lambda _: 0.5, truth=0.5 - late, at_samples=True)
        record = found("convergence:end", stated(square), flag)
        assert (record.verdict, record.terms["sampling"]) == (verdict, pytest.approx(0.1))


def test_what_does_not_converge_is_asked_the_criterion_alone(judged, stated, make_statement, quantity):
    found = judged(stated(square), make_statement(quantity(converges=False)))
    assert [name for name in found if "invariance" not in name] == ["only-end"]
    assert {r.verdict for name, r in found.items() if "invariance" in name} == {"not applicable"}


# ---- observed order


@pytest.mark.parametrize(
    ("order", "verdict"), [(1.0, "fail"), (1.35, "fail"), (1.45, "pass"), (2.0, "pass"), (4.0, "pass")]
)
def test_a_claimed_order_of_two_may_lose_six_tenths(found, stated, order, verdict):
    record = found("claim:order:end", stated(lambda h: 0.3 * h**order))
    assert (record.verdict, record.value, record.reference) == (verdict, pytest.approx(order), 2.0)
    assert (record.tolerance, record.error) == (ORDER_LOST, pytest.approx(max(0.0, 2.0 - order), abs=1e-9))
    assert len(record.levels) == (4 if verdict == "pass" else 6)


def test_an_order_that_is_kept_on_finer_levels_is_kept(found, stated):
    errors = dict(zip(STEPS, (0.004, 0.002, 0.001, 0.0005), strict=True))
    record = found("claim:order:end", stated(lambda h: errors.get(h, 3.2 * h**2)))
    assert (record.verdict, len(record.levels)) == ("pass", 6)
    assert record.value == pytest.approx(2.0)


def test_a_lost_order_that_finer_levels_contradict_is_not_judged(found, stated):
    """Local orders agree by chance on four levels, and jump on the two that should confirm them."""
    errors = (0.004, 0.002, 0.001, 0.0005, 0.00005, 0.00004)
    known = {round(h, 12): error for h, error in zip(CONFIRMED, errors, strict=True)}
    record = found("claim:order:end", stated(lambda h: known[round(h, 12)]))
    assert record.verdict == "not applicable"
    assert record.detail == "not in the asymptotic range: orders 1, 1, 1, 3.7, 0.4 from level to level; refine more"


def test_a_lost_order_stands_where_finer_levels_cannot_be_solved(found, stated):
    errors = dict(zip(STEPS, (0.004, 0.002, 0.001, 0.0005), strict=True))
    record = found("claim:order:end", stated(errors.__getitem__))
    assert (record.verdict, record.value, len(record.levels)) == ("fail", pytest.approx(1.0), 4)


@pytest.fixture
def kinked(judged, make_statement, quantity):
    """Judge the order of quantities together whose force has a kink; each has a factor of its error on each level."""

    def one(solver, *rows, regularity=2.0):
        quantities = [
            quantity(name=f"q{i}", regularity=regularity, measure=partial(scattered, row)) for i, row in enumerate(rows)
        ]
        return judged(solver, make_statement(*quantities), layers=("claim",)).get("only-claim:order")

    return one


def scattered(factors, seen):
    """Return the last displacement with an error that scatters from level to level."""
    error = float(seen.response.displacement[-1, 0]) - 1
    level = min(range(4), key=lambda i: abs(error - square(STEPS[i])))
    return 1 + factors[level] * error


SCATTER = [(1, 1, 1, 1), (5, 0.2, 3, 0.4), (0.2, 5, 0.4, 2)]


def test_of_quantities_with_a_kink_the_order_is_that_of_all_together(kinked, stated):
    record = kinked(stated(square, claims={"order": 5}), *SCATTER)
    assert (record.verdict, record.reference) == ("pass", 2.0)
    assert record.value == pytest.approx(2.0, abs=0.3)
    assert record.detail == "geometric mean of 3 errors over their scales"
    means = [square(h) * math.prod(row[i] for row in SCATTER) ** (1 / 3) for i, h in enumerate(STEPS)]
    assert [row.error for row in record.levels] == pytest.approx(means)


@pytest.mark.parametrize(("longest", "verdict", "levels"), [(1, "pass", 3), (2, "not applicable", 0)])
def test_steps_that_the_outputs_cut_to_the_same_length_are_no_levels(kinked, stated, longest, verdict, levels):
    """A method of order 2 would seem to have a lower one."""
    cut = stated(lambda h: square(min(h, STEPS[longest])), claims={"order": 2})
    record = kinked(cut, *[(1, 1, 1, 1)] * 3)
    assert (record.verdict, len(record.levels)) == (verdict, levels)


def test_a_kink_leaves_no_less_than_its_order(kinked, stated):
    flat = [(1, 1, 1, 1)] * 3
    assert kinked(stated(square, claims={"order": 5}), *flat).verdict == "pass"
    slow = kinked(stated(lambda h: 0.3 * h, claims={"order": 5}), *flat)
    assert (slow.verdict, slow.value) == ("fail", pytest.approx(1.0))


def test_fewer_than_three_quantities_scatter_too_much(kinked, stated):
    record = kinked(stated(square, claims={"order": 2}), *SCATTER[:2])
    assert record.verdict == "not applicable"
    assert record.detail == "2 quantities have errors above rounding on all levels; 3 are needed"


def test_no_order_above_the_claimed_one_is_asked_of_a_kink(kinked, stated):
    assert kinked(stated(square, claims={"order": 1}), *SCATTER) is None


def test_what_is_counted_has_no_order(judged, stated, make_statement, make_quantity):
    counted = make_quantity(criterion=exactly("counted"), truth=1.0)
    assert judged(stated(square), make_statement(counted), layers=("claim",)) == {}


def test_of_what_jumps_no_order_is_asked(judged, stated, make_statement, quantity):
    found = judged(stated(square), make_statement(quantity(regularity=1.0)), layers=("claim",))
    assert found == {}


def test_before_the_asymptotic_range_nothing_is_judged(found, stated):
    errors = dict(zip(STEPS, (0.04, 0.02, 0.018, 0.004), strict=True))
    record = found("claim:order:end", stated(errors.__getitem__))
    assert record.verdict == "not applicable"
    assert record.detail == ("not in the asymptotic range: orders 1, 0.15, 2.2 from level to level; refine more")


def test_within_rounding_there_is_no_order(found, stated):
    record = found("claim:order:end", stated(lambda h: 1e-10 * h**2))
    assert (record.verdict, record.detail) == (
        "not applicable", "errors are within rounding on all but two levels",
    )  # fmt: skip


def test_within_sampling_there_is_no_order(found, stated, quantity):
    record = found("claim:order:end", stated(lambda h: 1e-3 * h**2), quantity(measure=mean, truth=0.35))
    assert (record.verdict, "within rounding" in record.detail) == ("not applicable", True)


@pytest.mark.parametrize(("unit", "claims", "expected"), [("m", {}, 2.0), ("m/s", {}, 1.0), ("m/s", {"lag": 0}, 2.0)])
def test_velocities_that_lie_behind_are_of_order_one(found, stated, quantity, unit, claims, expected):
    solver = stated(lambda h: 0.3 * h**expected, claims={"order": 2, "lag": 0.5} | claims)
    record = found("claim:order:end", solver, quantity(unit=unit))
    assert (record.reference, record.verdict) == (expected, "pass")


# ---- slope over the tolerance, and its factor


@pytest.fixture
def by_tolerance(stated):
    class Adaptive(stated):
        def solve(self, problem, settings):
            return super().solve(problem, {"step": settings.get("rtol", RTOLS[-1])})

    return lambda error, **claims: Adaptive(
        error,
        claims={"tolerance": "rtol", **claims},
        settings={"rtol": "relative tolerance"},
        refinement=[{"rtol": t} for t in RTOLS],
    )


@pytest.mark.parametrize(("power", "verdict"), [(1.0, "pass"), (2.0, "pass"), (0.55, "pass"), (0.45, "fail")])
def test_the_slope_over_the_tolerance_may_lose_a_half(found, by_tolerance, power, verdict):
    record = found("claim:slope", by_tolerance(lambda t: 5 * t**power))
    assert (record.verdict, record.value) == (verdict, pytest.approx(power, rel=1e-2))
    assert (record.reference, record.tolerance) == (1.0, SLOPE_LOST)
    assert [row.size for row in record.levels][: len(RTOLS)] == list(RTOLS)  # two more confirm what fails


def test_errors_within_the_tolerance_lose_no_slope(found, by_tolerance):
    """Events cut the steps at coarse tolerances: the first error is a thousandth of what was asked."""
    record = found("claim:slope", by_tolerance(lambda t: min(t, 1e-3 * t**0.3)))
    assert (record.verdict, record.error) == ("pass", 0.0)
    assert record.value == pytest.approx(0.3, rel=1e-2)


def test_the_slope_is_that_of_the_worst_quantity_over_its_scale(found, by_tolerance, quantity):
    """The second quantity has a scale of a hundred and so a hundredth of the share."""
    wide = quantity(name="wide", scale=lambda _: 100.0)
    record = found("claim:slope", by_tolerance(lambda t: 0.5 * t), quantity(), wide)
    assert [row.error for row in record.levels] == pytest.approx([0.5 * t for t in RTOLS])


def test_a_tolerance_that_does_not_act_fails(found, by_tolerance):
    assert found("claim:slope", by_tolerance(lambda t: 1e-3)).verdict == "fail"


def test_within_rounding_there_is_no_slope(found, by_tolerance):
    record = found("claim:slope", by_tolerance(lambda t: 1e-9 * t))
    assert (record.verdict, "within rounding" in record.detail) == ("not applicable", True)


@pytest.mark.parametrize(("factor", "verdict"), [(9.0, "fail"), (11.0, "pass")])
def test_the_largest_error_over_the_tolerance_is_a_claim_of_its_own(found, by_tolerance, factor, verdict):
    record = found("claim:error_over_tolerance", by_tolerance(lambda t: 10 * t, factor=factor))
    assert (record.verdict, record.value, record.tolerance) == (verdict, pytest.approx(10.0), factor)


def test_without_a_true_number_there_is_no_slope(found, by_tolerance, quantity):
    word = quantity(measure=lambda _: "slip", truth=classification("slip", "by hand"))
    record = found("claim:slope", by_tolerance(lambda t: t), word)
    assert (record.verdict, record.detail) == ("not applicable", "no quantity has a true number on three levels")


# ---- who is asked what


@pytest.mark.parametrize(
    ("claims", "refinement", "layers"),
    [
        ({}, (), {"criterion", "invariance"}),
        ({"order": 2}, (), {"criterion", "invariance"}),
        ({}, [{"step": h} for h in STEPS], {"criterion", "convergence", "invariance"}),
        ({"order": 2}, [{"step": h} for h in STEPS], {"criterion", "convergence", "claim", "invariance"}),
        ({"digits": 12}, (), {"criterion", "claim", "invariance"}),
    ],
)
def test_layers_follow_from_what_is_stated(judged, stated, claims, refinement, layers):
    found = judged(stated(lambda _: 0.0, claims=claims, refinement=refinement))
    assert {record.layer for record in found.values()} == layers
    assert {record.verdict for record in found.values()} <= {"pass", "not applicable"}


def test_the_user_may_claim_and_refine(judged, make_right):
    found = judged(
        make_right(), claims={"order": 2}, refinement=[{"step": h} for h in STEPS], layers=("convergence", "claim")
    )
    assert {name: r.verdict for name, r in found.items()} == {
        "only-convergence:end": "pass", "only-claim:order:end": "not applicable",
    }  # fmt: skip


@pytest.mark.parametrize(("error", "verdict"), [(0.9e-8, "pass"), (1.1e-8, "fail")])
def test_digits_are_compared_on_the_default_answer(judged, stated, error, verdict):
    solver = stated(lambda _: error, claims={"digits": 8}, refinement=())
    record = judged(solver)["only-claim:digits:end"]
    assert (record.verdict, record.tolerance) == (verdict, pytest.approx(1e-8))


def test_digits_are_of_the_scale(judged, stated, make_statement, quantity):
    solver = stated(lambda _: 1e-7, claims={"digits": 8}, refinement=())
    found = judged(solver, make_statement(quantity(scale=lambda _: 100.0)))
    assert found["only-claim:digits:end"].verdict == "pass"


def test_words_and_what_does_not_exist_are_exact_for_whoever_claims_digits(judged, stated, make_statement, quantity):
    word = quantity(measure=lambda _: "slip", truth=classification("stick", "by hand"), name="word")
    none = quantity(measure=lambda _: None, truth=undefined("no slip"), name="none")
    exact = exactly("must be equal")
    solver = stated(lambda _: 0.0, claims={"digits": 8}, refinement=())
    found = judged(solver, make_statement(word, none))
    assert found["only-claim:digits:word"].verdict == "fail"
    assert found["only-claim:digits:none"].verdict == "pass"
    assert found["only-claim:digits:word"].error_kind == exact.kind
