"""The one generator of checks: it serves `verify`, the command line and pytest alike."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from veridyn.results import Layer
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.contract.statements import DERIVATIVES, FORWARD, REVERSE, WHAT_TO_CLAIM, Claims
from veridyn.validation_cases.judgement import levels, methods, orders
from veridyn.validation_cases.judgement.case import Case, Quantity, Variant
from veridyn.validation_cases.judgement.derivatives import BY, DerivativeStatement, list_statements
from veridyn.validation_cases.judgement.gradients import GRADIENT_CHECKS
from veridyn.validation_cases.judgement.invariance import invariance
from veridyn.validation_cases.judgement.judge import Check, Finding, measured_error, required
from veridyn.validation_cases.judgement.missing_terms import explain_derivative
from veridyn.validation_cases.judgement.moved import MOVED, moved_copy
from veridyn.validation_cases.judgement.relations import RELATIONS, STRUCTURAL, Relation
from veridyn.validation_cases.judgement.reverse import REVERSE_CHECK, reverse
from veridyn.validation_cases.judgement.runner import NotJudged, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Subject
from veridyn.validation_cases.judgement.tolerances import Tolerance

NO_DIGIT = 0.5  # correct digits; less is none


def checks(
    case: Case, subject: Subject, variants: Iterable[Variant] | None = None, only: str | None = None
) -> Iterator[Check]:
    """Yield every check of a case for a solver, grouped by variant and scheme.

    Parameters
    ----------
    case, subject
        What is verified and who is under test.
    variants
        Those of the case if None; a parameter set of the user otherwise.
    only
        One variant of the case, by name.
    """
    if variants is None:
        variants = case.variants if only is None else (case.variant(only),)
    for variant in variants:
        statement = Statement(case, variant)
        derived = list_derivatives(statement, subject)
        for scheme in subject.schemes:
            listed = checks_of(statement, subject, scheme, derived)
            yield from (check for check in listed if _is_wanted(check, subject))


def _is_wanted(check: Check, subject: Subject) -> bool:
    """Tell whether a check belongs to a quantity that the user asks for, if any is named."""
    wanted = subject.request.quantities
    return not wanted or check.name.partition(":")[2] in wanted or check.name in wanted


def _is_asked(subject: Subject, relation: Relation) -> bool:
    """Tell whether a relation is of a kind of problems that a solver offers, and is asked of it."""
    wanted = subject.request.relations
    return (not relation.kind or relation.kind in subject.capabilities) and (not wanted or relation.name in wanted)


def checks_of(
    statement: Statement, subject: Subject, scheme: str, derived: Sequence[DerivativeStatement] | None = None
) -> Iterator[Check]:
    """Yield the checks of one statement for one scheme of a solver, layer by layer.

    ``derived``: the derivatives that are judged of the solver, where they are listed already: all schemes share them.
    """
    measured = statement.quantities
    claims = subject.claims.get(scheme, Claims())
    yield from (_check(statement, scheme, Layer.CRITERION, q.name, q.unit, criterion, q) for q in measured)
    if not measured:
        return
    tending = [q for q in measured if q.converges]
    if subject.refined:
        yield from (
            _check(statement, scheme, Layer.CONVERGENCE, q.name, q.unit, levels.convergence, q, claims) for q in tending
        )
    yield from _claims(statement, subject, scheme, claims, tending)
    for relation in filter(partial(_is_asked, subject), RELATIONS):
        yield _check(statement, scheme, Layer.INVARIANCE, relation.name, "", invariance, relation, claims)
    listed = list_derivatives(statement, subject) if derived is None else derived
    yield from _derivatives(listed, subject, scheme, claims)
    seed = subject.request.seed
    if seed is not None and statement.variant is statement.case.default_variant:
        yield _check(statement, scheme, Layer.INVARIANCE, MOVED, "", moved_copy, seed)


def _derivatives(
    listed: Sequence[DerivativeStatement], subject: Subject, scheme: str, claims: Claims
) -> Iterator[Check]:
    """Yield what is asked of the derivatives of a solver that offers them."""
    offered, wanted = subject.capabilities, subject.request.relations
    for derived in listed:
        checks = _forward(derived, subject, scheme, claims) if FORWARD in offered else iter(())
        if REVERSE in offered:
            name = f"{REVERSE_CHECK}{BY}{derived.parameter.name}"
            checks = chain(checks, [_check(derived, scheme, Layer.INVARIANCE, name, "", reverse)])
        yield from (c for c in checks if c.layer is not Layer.INVARIANCE or _is_relation_wanted(c, wanted))


def list_derivatives(statement: Statement, subject: Subject) -> list[DerivativeStatement]:
    """Return the derivatives of a statement that are judged of a solver: none but of default variants."""
    able = DERIVATIVES & subject.capabilities and statement.needs <= subject.capabilities
    if not able or statement.variant is not statement.case.default_variant:
        return []
    return list_statements(statement.case, statement, brief=bool(subject.request.relations))


def _is_relation_wanted(check: Check, wanted: tuple[str, ...]) -> bool:
    return not wanted or check.name.partition(BY)[0] in wanted


def _forward(derived: DerivativeStatement, subject: Subject, scheme: str, claims: Claims) -> Iterator[Check]:
    """Yield what is asked of derivatives forward."""
    yield from checks_of_derivatives(derived, subject, scheme)
    make, by = partial(_check, derived, scheme, Layer.INVARIANCE), f"{BY}{derived.parameter.name}"
    yield from (make(f"{name}{by}", "", compare) for name, compare in GRADIENT_CHECKS.items())
    for relation in STRUCTURAL:
        if relation.applies(derived.problem):
            yield make(f"{relation.name}{by}", "", invariance, relation, claims)


def checks_of_derivatives(derived: DerivativeStatement, subject: Subject, scheme: str) -> Iterator[Check]:
    """Yield what compares derivatives by a parameter with the proved ones."""
    make, claims = partial(_check, derived, scheme), subject.claims.get(scheme, Claims())
    for q in derived.differentiated:
        yield make(Layer.CRITERION, q.name, q.unit, derivative_criterion, q)
    for q in derived.differentiated if subject.refined else ():
        yield make(Layer.CONVERGENCE, q.name, q.unit, derivative_convergence, q, claims)


def _refuse_undefined(runner: Runner, statement: DerivativeStatement, scheme: str, quantity: Quantity) -> None:
    """Raise `NotJudged` where there is no derivative, none that is proved, or none whose error has a scale."""
    if quantity not in statement.quantities:
        raise NotJudged("what is differentiated is zero or undefined, and has no scale")
    answer = runner.measured(runner.default_run(statement, scheme))[quantity.name]
    if isinstance(answer, CapabilityError):  # what a solver declines needs no proof, which may take long
        raise answer
    truth = statement.truth(quantity)
    if truth.value is None:
        raise NotJudged(f"undefined: {'; '.join(truth.routes)}")


def derivative_criterion(runner: Runner, statement: DerivativeStatement, scheme: str, quantity: Quantity) -> Finding:
    """Compare the derivative of the default answer with the proved one."""
    _refuse_undefined(runner, statement, scheme, quantity)
    return _explain(runner, statement, scheme, criterion(runner, statement, scheme, quantity))


def derivative_convergence(
    runner: Runner, statement: DerivativeStatement, scheme: str, quantity: Quantity, claims: Claims
) -> Finding:
    """Compare the derivative on the finest level with the proved one; see `levels.convergence`."""
    _refuse_undefined(runner, statement, scheme, quantity)
    finding = levels.convergence(runner, statement, scheme, quantity, claims)
    return _explain(runner, statement, scheme, finding)


def _explain(runner: Runner, statement: DerivativeStatement, scheme: str, finding: Finding) -> Finding:
    """Return a finding, with what is missing in a derivative that fails."""
    if finding.passes:
        return finding
    return replace(finding, detail=explain_derivative(runner, statement, scheme, finding))


def _claims(
    statement: Statement, subject: Subject, scheme: str, claims: Claims, tending: list[Quantity]
) -> Iterator[Check]:
    """Yield what the claims of a scheme say of a statement."""
    make = partial(_check, statement, scheme, Layer.CLAIM)
    if claims.digits:
        yield from (make(f"digits:{q.name}", q.unit, methods.digits, q, claims) for q in tending)
    if not subject.refined:
        return
    if claims.order:
        reach = {q.name: q.smooth_to(statement.values) for q in tending}
        ordered = [q for q in tending if not _is_exact(q)]
        smooth = [q for q in ordered if math.isinf(reach[q.name]) and claims.order > 1]
        kinked = [q for q in ordered if 1 < reach[q.name] <= claims.order]
        yield from (make(f"order:{q.name}", "", orders.order, q, claims) for q in smooth)
        if kinked:
            yield make("order", "", orders.pooled_order, kinked, claims)
    if claims.tolerance:
        yield make("slope", "", orders.tolerance_slope, tending)
    if claims.factor:
        yield make("error_over_tolerance", "", orders.tolerance_factor, tending, claims)
    if statement.case.linear:
        yield from _linear(statement, claims, make, is_lag_stated=scheme not in subject.observed)


def _is_exact(quantity: Quantity) -> bool:
    """Tell whether a quantity is counted or named: it is right or wrong, and has no order."""
    return isinstance(quantity.criterion, Tolerance) and quantity.criterion.kind == "exact"


def _linear(
    statement: Statement, claims: Claims, make: Callable[..., Check], *, is_lag_stated: bool
) -> Iterator[Check]:
    """Yield what a linear problem shows of a method; the free vibration of its fastest mode once a case.

    Where nobody states anything nobody says that velocities are not late.
    """
    if claims.method:
        yield make("method", "", methods.discrete, claims)
    if statement.variant.name != statement.case.variants[0].name:
        return
    if claims.numerical_damping is not None:
        yield make("numerical_damping", "", methods.damping, claims)
    if claims.order and is_lag_stated:
        yield make("lag", "steps", methods.lag, claims)
    if claims.stability is not None:
        yield make("stability", "", methods.stability, claims)


def _check(
    statement: Statement, scheme: str, layer: Layer, name: str, unit: str, find: Callable[..., Finding], *given: object
) -> Check:
    return Check(statement, scheme, layer, name, unit, lambda runner: find(runner, statement, scheme, *given))


def criterion(runner: Runner, statement: Statement, scheme: str, quantity: Quantity) -> Finding:
    """Compare the default answer with the truth by what a document, or the user, asks for."""
    run = runner.default_run(statement, scheme)
    value = runner.measured(run)[quantity.name]
    if isinstance(value, Exception):
        raise value
    reference = statement.truth(quantity)
    tolerance, terms = required(quantity, statement, runner.subject.request.require), {}
    if not quantity.converges and tolerance.kind == "absolute" and isinstance(value, int | float):
        terms = {"criterion": tolerance.value, "sampling": runner.sampling(run, quantity, float(value))}
        tolerance = Tolerance(sum(terms.values()), "absolute", f"{tolerance.reason} + {SAMPLING}")
    error = measured_error(value, reference.value, tolerance)
    finding = Finding(run, value, reference, error, tolerance, terms=terms, counts_digits=True)
    return replace(finding, detail=_why_no_digit(finding, quantity, statement))


SAMPLING = "sampling (change where every second sample is read)"


def _why_no_digit(finding: Finding, quantity: Quantity, statement: Statement) -> str:
    """Return why an answer that keeps the criterion may have no correct digit; empty if it has some."""
    truth = statement.truth(quantity).value
    within = finding.error is not None and finding.error <= finding.tolerance.value
    if not within or finding.tolerance.kind != "absolute" or not isinstance(finding.value, float) or not truth:
        return ""
    if isinstance(truth, str) or abs(finding.value - float(truth)) < 10**-NO_DIGIT * abs(float(truth)):
        return ""
    share = abs(float(truth)) / statement.size(quantity)
    return f"no correct digit, admissible: the truth is {share:.1g} of the scale of the quantity" if share < 1 else ""


def describe_observed(subject: Subject, scheme: str) -> str:
    """Say by what a scheme is judged that nobody stated; empty if that is nothing."""
    seen = _say_observed(subject, scheme, subject.claims[scheme] if scheme in subject.observed else Claims())
    who = f"{subject.name} {scheme}".strip()
    shown = f"{who}: judged by what its answers to simple motions showed ({seen}), as nobody states it; {WHAT_TO_CLAIM}"
    return shown if seen else ""


def _say_observed(subject: Subject, scheme: str, claims: Claims) -> str:
    """Say what the answers of a scheme showed; empty if that is nothing."""
    name, beside = subject.request.get_refinement(scheme), subject.request.get_absolute(scheme)
    if claims.digits:
        return f"a restart changes nothing in them: {claims.digits:g} digits are asked"
    if claims.order:
        return f"order {claims.order:g} in {name}"
    both = f"{name} and {beside}" if beside else name
    return f"its errors follow {both}" if claims.tolerance else f"{name} refines it" if name else ""


def what_it_could_claim(subject: Subject, scheme: str) -> str:
    """Return what a solver without claims is told; empty if it claims, or shows, what can be judged."""
    claims = subject.claims.get(scheme, Claims())
    if (claims and (subject.refined or claims.digits)) or describe_observed(subject, scheme):
        return ""
    who = f"{subject.name} {scheme}".strip()
    if claims and not subject.refined:
        return f"{who} claims something, but states no refinement: convergence and claims were not judged"
    judged = "criterion, convergence and invariance" if subject.refined else "criterion and invariance"
    return f"{who} claims nothing, so only {judged} were judged; {WHAT_TO_CLAIM}"
