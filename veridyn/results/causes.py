"""Failures grouped by what explains them: each failed check of a document has one cause.

Groups are formed one after another, from what is certain to what is left: the same error, a default that is too
coarse, answers that are 0, the same factor, a claim that the card contradicts, a feature, a claim, a relation, a case.
A check that an earlier group explains is in no later one, nor is another failure of the same quantity: an answer that
is wrong by a factor keeps no order.
"""

import math
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from veridyn.results.cause import Cause
from veridyn.results.document import Document, SolverVersion
from veridyn.results.grouping import group
from veridyn.results.ratios import (
    compute_ratio,
    count_quantities,
    find_alike,
    get_ratio,
    name_factor,
    name_quantity,
    read_size,
)
from veridyn.results.recomputing import TRUTH
from veridyn.results.record import LevelRow, Record, Settings
from veridyn.results.words import CARD, CauseKind, ErrorKind, Layer, Verdict

Place = tuple[str, str]  # case and variant
Records = Sequence[Record]

FAILED = (Verdict.FAIL, Verdict.ERROR)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
FEWEST = 3  # quantities that share a factor, in answers that have nothing else in common
LOST = "an answer or a load never arrives: look at what is returned"
SHOWN = 3  # cases that a remedy lists
SAME_CLAIM = {"stability_limit": ("stability",), "printed": ("digits",), "method": ("method", "order")}
"""Claims of cases that a contradicted claim breaks, where they are not of its name."""


@dataclass(frozen=True)
class JudgedScheme:
    """A solver with one of its schemes in one run: its records, how it was named, what each variant needs.

    ``is_observed``: its ``claims`` were seen, and are stated by nobody.
    """

    run: int | None
    solver: str
    scheme: str
    records: Records
    specification: str
    is_observed: bool
    claims: Settings
    needs: dict[Place, frozenset[str]]


@dataclass(frozen=True)
class Explanation:
    """What some failures have in common, the one to begin with, and what to look at."""

    kind: CauseKind
    members: Records
    first: Record
    text: str
    remedy: str = ""


Grouping = Callable[[JudgedScheme, Records], Iterator[Explanation]]
"""Groups some of the failures that are left; no two groups have a failure in common."""


def find_causes(document: Document) -> tuple[Cause, ...]:
    """Return the causes of all failures of a document, those that explain most first."""
    return tuple(cause for cause, _ in explain_failures(document))


def explain_failures(document: Document) -> list[tuple[Cause, Records]]:
    """Return each cause with its failures, those that explain most first; the failure to begin with is the first."""
    explained = [
        (_make_cause(subject, explanation), _put_first(explanation.first, explanation.members))
        for subject in _list_subjects(document)
        for explanation in _explain(subject, (*CERTAIN, *FURTHER))
    ]
    return sorted(explained, key=lambda pair: -pair[0].count)


def _put_first(first: Record, records: Records) -> Records:
    return [first, *(record for record in records if record is not first)]


def list_unexplained(document: Document) -> tuple[Record, ...]:
    """Return the records of a document without the failures that an error, a coarse default or a factor explains."""
    explained = {
        id(record)
        for subject in _list_subjects(document)
        for explanation in _explain(subject, CERTAIN)
        for record in explanation.members
    }
    return tuple(record for record in document.results if id(record) not in explained)


def _list_subjects(document: Document) -> Iterator[JudgedScheme]:
    stated = {(one.run, one.name): one for one in document.solvers}
    needs = {
        (entry.run, entry.solver, entry.case, entry.variant): frozenset(entry.needs) for entry in document.plan or ()
    }
    for (run, solver, scheme), records in group(document.results, lambda r: (r.run, r.solver, r.scheme)).items():
        places = dict.fromkeys((record.case, record.variant) for record in records)
        version = stated.get((run, solver), SolverVersion(name=solver))
        yield JudgedScheme(
            run,
            solver,
            scheme,
            records,
            version.specification,
            scheme in version.observed,
            version.claims.get(scheme, {}),
            {place: needs.get((run, solver, *place), frozenset()) for place in places},
        )


def _explain(subject: JudgedScheme, rules: Iterable[Grouping]) -> Iterator[Explanation]:
    """Yield what rules explain of the failures of a subject; each sees what those before have left."""
    left: Records = [record for record in subject.records if record.verdict in FAILED]
    for rule in rules:
        explanations = list(rule(subject, left))
        yield from explanations
        left = _leave_out(left, (record for explanation in explanations for record in explanation.members))


def _leave_out(records: Records, explained: Iterable[Record]) -> Records:
    gone = set(map(id, explained))
    return [record for record in records if id(record) not in gone]


def _make_cause(subject: JudgedScheme, explanation: Explanation) -> Cause:
    return Cause(
        kind=explanation.kind,
        solver=subject.solver,
        scheme=subject.scheme,
        count=len(explanation.members),
        cases=tuple(dict.fromkeys(record.case for record in explanation.members)),
        text=explanation.text,
        remedy=explanation.remedy,
        command=_repeat(subject, explanation.first),
        run=subject.run,
    )


# ---- rules


def _group_errors(_: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield errors of the same text; numbers in it do not count."""
    errors = [record for record in left if record.verdict is Verdict.ERROR]
    for members in group(errors, lambda record: NUMBER.sub("#", record.detail)).values():
        first = members[0]
        text = f"{_count(members, 'ends', 'end')} in {'an error' if len(members) == 1 else 'the same error'}"
        text += f": {first.detail or 'no text'}"
        yield Explanation(CauseKind.ERROR, members, first, text)


def _group_zeros(_: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield answers that are exactly 0 where the truth is not, with what fails of the same quantities beside."""
    zeros = [record for record in left if record.layer in TRUTH and compute_ratio(record) == 0.0]
    if count_quantities(zeros) >= FEWEST:
        members = _join(zeros, left)
        text = f"{_count_answers(zeros)} 0{_count_further(members, zeros)}"
        yield Explanation(CauseKind.FACTOR, members, zeros[0], text, LOST)


def _group_factors(_: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield answers that are the same multiple of the truth, with what fails of the same quantities beside.

    Of many wrong answers some are alike by chance. So in each case half of the answers whose ratio to the truth is
    known, and two at least, must share the factor, and three in all cases together.
    """
    rated = [record for record in left if record.layer in TRUTH and compute_ratio(record) is not None]
    shares = [
        alike
        for records in group(rated, lambda record: record.case).values()
        if count_quantities(alike := find_alike(records)) >= max(2, count_quantities(records) / 2)
    ]
    sharing: Records = [record for share in shares for record in share]
    while count_quantities(alike := find_alike(sharing)) >= FEWEST:
        middle = sorted(map(get_ratio, alike))[len(alike) // 2]
        named = name_factor(middle)
        what = named or f"a factor of {middle:.7g} in what is returned, or in data that all of them share"
        members = _join(alike, left)
        text = f"{_count_answers(alike)} {middle:.7g} times the truth{_count_further(members, alike)}"
        yield Explanation(CauseKind.FACTOR, members, alike[0], text, f"look for {what}")
        sharing, left = _leave_out(sharing, members), _leave_out(left, members)


def _group_coarse(subject: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield criteria that fail at default settings and hold on a level whose errors are known."""
    tables = {
        name_quantity(r): r for r in subject.records if r.layer is Layer.CONVERGENCE and r.verdict is Verdict.PASS
    }
    enough = {
        id(record): row
        for record in left
        if record.layer is Layer.CRITERION
        and record.verdict is Verdict.FAIL
        and name_quantity(record) in tables
        and (row := _find_level(record, tables[name_quantity(record)].levels)) is not None
    }
    members = [record for record in left if id(record) in enough]
    if not members:
        return
    advice = []
    for (case, variant), mine in group(members, _place).items():
        row = min((enough[id(record)] for record in mine), key=lambda row: row.size or 0.0)
        advice.append(f"{row.setting}={row.size:.3g} in {_call(case, variant)}")
    more = f", and {len(advice) - SHOWN} more" if len(advice) > SHOWN else ""
    ends = "fails" if len(members) == 1 else "fail"
    yield Explanation(
        CauseKind.COARSE,
        members,
        members[0],
        f"{_count(members, ends, ends)} at the default settings and would hold on a finer level: "
        "the default is too coarse",
        f"{', '.join(advice[:SHOWN])}{more} would do",
    )


def _group_features(subject: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield what all variants with a feature have in common: each of them fails, none without it does.

    Nothing is concluded from one case, nor where everything fails.
    """
    judged = {_place(r) for r in subject.records if r.verdict in (*FAILED, Verdict.PASS)}
    failed = {_place(record) for record in left}
    passed = judged - {_place(r) for r in subject.records if r.verdict in FAILED}
    if not passed:
        return
    tags = sorted(frozenset().union(*(subject.needs[place] for place in failed)))
    explaining = [
        tag
        for tag in tags
        if all(tag in subject.needs[place] for place in failed) and not any(tag in subject.needs[p] for p in passed)
    ]
    if not explaining or len({case for case, _ in failed}) < 2:
        return
    text = (
        f"all {len(failed)} variants with {' and '.join(explaining)} fail ({len(left)} checks), "
        f"none of {len(passed)} without"
    )
    yield Explanation(CauseKind.FEATURE, left, left[0], text)


def _group_contradictions(_: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield claims that the card contradicts, with checks of the same claims, and what fails of their quantities."""
    remedy = "correct the claim or the method: the card has all that was measured"
    contradicted = [record for record in left if record.case == CARD]
    left = [record for record in _leave_out(left, contradicted) if record.layer in (Layer.CLAIM, *TRUTH)]
    for record in contradicted:
        names = SAME_CLAIM.get(record.quantity, (record.quantity,))
        claims = [each for each in left if each.layer is Layer.CLAIM and _name_claim(each) in names]
        beside = _join(claims, [each for each in left if each.layer in TRUTH or each in claims])
        left = _leave_out(left, beside)
        text = f"the card contradicts a claim: {record.detail}{_count_further([*beside, record], [record])}"
        yield Explanation(CauseKind.CLAIM, [record, *beside], record, text, remedy)


def _group_claims(subject: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield claims of one name that are not kept, with what fails of the same quantities beside."""
    beside: Records = [record for record in left if record.layer in TRUTH]
    for name, claims in group([r for r in left if r.layer is Layer.CLAIM], _name_claim).items():
        reach = _say_reach(subject, name, claims)
        members = _join(claims, [*claims, *beside])
        further = _count_further(members, claims)
        text = f"{_count(claims, 'does', 'do')} not keep the claim of {name}{reach}{further}"
        beside = _leave_out(beside, members)
        yield Explanation(CauseKind.CLAIM, members, claims[0], text)


def _say_reach(subject: JudgedScheme, name: str, claims: Records) -> str:
    """Say what was reached, and what is claimed: orders as they were seen, digits as they are correct."""
    counted = [record.digits for record in claims if name == "digits" and record.digits is not None]
    values = sorted(counted or [float(r.value) for r in claims if isinstance(r.value, int | float)])
    stated = subject.claims.get(name) if counted else claims[0].reference
    how = "was observed on simple problems" if subject.is_observed else "is claimed"
    where = f" where {stated:g} {how}" if isinstance(stated, int | float) else ""
    return f": {_spread(values)}{where}" if values else ""


def _group_relations(_: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield relations that do not hold, each with all its cases."""
    for name, members in group([r for r in left if r.layer is Layer.INVARIANCE], lambda r: r.quantity).items():
        text = f"the answer to the same problem put otherwise is another: {name}, {_count(members, 'fails', 'fail')}"
        yield Explanation(CauseKind.INVARIANCE, members, members[0], text)


def _group_cases(_: JudgedScheme, left: Records) -> Iterator[Explanation]:
    """Yield what nothing else explains."""
    for members in group(left, lambda record: record.case).values():
        worst = min(members, key=lambda record: math.inf if record.margin is None else record.margin)
        most = f", {worst.quantity} most" if len(members) > 1 else ""
        how = f" ({worst.layer})" + (f": {worst.detail}" if worst.detail else "")
        text = f"{_count(members, 'fails', 'fail')}{most}{how}"
        yield Explanation(CauseKind.CASE, members, worst, text)


CERTAIN: tuple[Grouping, ...] = (_group_errors, _group_coarse, _group_zeros, _group_factors)
FURTHER: tuple[Grouping, ...] = (_group_contradictions, _group_features, _group_claims, _group_relations, _group_cases)


# ---- parts of rules


def _find_level(record: Record, levels: Iterable[LevelRow]) -> LevelRow | None:
    """Return the coarsest level whose error keeps a criterion; None if there is none."""
    if record.tolerance is None:
        return None
    relative = record.error_kind is ErrorKind.RELATIVE
    allowed = record.tolerance * (read_size(record) if relative else 1.0)
    return next((row for row in levels if row.error is not None and row.size and row.error <= allowed), None)


def _join(members: Records, left: Records) -> Records:
    """Return members with what else fails of the same quantities."""
    names = {name_quantity(record) for record in members}
    chosen = {id(record) for record in members}
    return [record for record in left if id(record) in chosen or name_quantity(record) in names]


def _name_claim(record: Record) -> str:
    return record.quantity.partition(":")[0]


def _place(record: Record) -> Place:
    return record.case, record.variant


def _count(records: Records, one: str, several: str) -> str:
    """Return '1 check fails' or '12 checks of 3 cases fail'."""
    cases = len({record.case for record in records})
    if len(records) == 1:
        return f"{records[0].quantity} of {_call(*_place(records[0]))} {one}"
    return f"{len(records)} checks of {records[0].case if cases == 1 else f'{cases} cases'} {several}"


def _count_answers(records: Records) -> str:
    cases = list(dict.fromkeys(record.case for record in records))
    where = cases[0] if len(cases) == 1 else f"{len(cases)} cases"
    return f"{len(records)} answers of {where} are"


def _count_further(members: Records, core: Records) -> str:
    """Say how many failures of the same quantities come to those that a text is about."""
    further = len(members) - len(core)
    what = "failure of the same quantity" if len(core) == 1 else "failures of the same quantities"
    return f", with {further} further {what}" if further else ""


def _call(case: str, variant: str) -> str:
    return f"{case}[{variant}]" if variant else case


def _spread(values: Sequence[float]) -> str:
    low, high = f"{values[0]:.3g}", f"{values[-1]:.3g}"
    return low if low == high else f"{low} to {high}"


def _repeat(subject: JudgedScheme, record: Record) -> str:
    """Return the command that judges one check again, which is where to begin."""
    options = (("--variant", record.variant), ("--scheme", subject.scheme), ("--solver", subject.specification))
    words = ["veridyn", "identify"] if record.case == CARD else ["veridyn", "run", record.case]
    words += [word for name, value in options if value for word in (name, value)]
    return shlex.join(words) if record.case == CARD else f"{shlex.join(words)} -v"
