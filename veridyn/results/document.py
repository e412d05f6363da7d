"""The result document: what one or several runs found, and what it says of itself."""

from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.cause import Cause
from veridyn.results.figure import Figure
from veridyn.results.plan import RUN, ExpectedFailure, Fingerprint, PlannedChecks, RunNumber
from veridyn.results.record import Record, Settings, WorkPrecisionPoint
from veridyn.results.sheet import CaseSheet
from veridyn.results.words import MessageKind, Profile

VERSION = "2.7"
SCOPES = {Profile.QUICK: "Quick profile", Profile.COMPARISON: "Problem of one's own"}
Count = Annotated[int, Meta(ge=0)]


class Environment(Struct, frozen=True, kw_only=True):
    """Where and how a run was made."""

    veridyn: Annotated[str, Meta(description="Version of veridyn.")]
    python: Annotated[str, Meta(description="Version of Python.")]
    platform: Annotated[str, Meta(description="Operating system and its version.")]
    machine: Annotated[str, Meta(description="Processor.")]
    date: Annotated[str, Meta(description="Start of the run, ISO 8601.")]
    command: Annotated[str, Meta(description="Command line of the run.")]
    packages: Annotated[dict[str, str], Meta(description="Versions of the packages that numbers may depend on.")] = {}
    further: Annotated[
        dict[str, str],
        Meta(description="Other texts, such as the commit; written as keys of the environment itself."),
    ] = {}

    @property
    def facts(self) -> dict[str, str]:
        """All that is text, by name."""
        names = ("veridyn", "python", "platform", "machine", "date", "command")
        return {name: getattr(self, name) for name in names} | self.further


class SolverVersion(Struct, frozen=True, kw_only=True):
    """A solver under test: what it states of itself, and what was asked of it."""

    name: Annotated[str, Meta(description="As in the results.")]
    version: Annotated[str, Meta(description="As the solver states it.")] = ""
    specification: Annotated[str, Meta(description="How it was named: `NAME`, `file.py:NAME`, `cmd:program`.")] = ""
    capabilities: Annotated[tuple[str, ...], Meta(description="What it offers.")] = ()
    schemes: Annotated[tuple[str, ...], Meta(description="Those that were judged; one empty name: it has none.")] = ()
    claims: Annotated[
        dict[str, Settings],
        Meta(description="What it claims, or the user claims of it, by scheme; empty name: no scheme."),
    ] = {}
    observed: Annotated[
        tuple[str, ...],
        Meta(description="Schemes whose claims were seen in its answers to simple problems, and are stated by nobody."),
    ] = ()
    refined: Annotated[bool, Meta(description="Whether it was solved on refinement levels.")] = False
    settings: Annotated[Settings, Meta(description="Settings of the user.")] = {}
    require: Annotated[str, Meta(description="Criterion of the user in place of those of the cases.")] = ""
    quantities: Annotated[tuple[str, ...], Meta(description="Quantities that the user named; all if empty.")] = ()
    relations: Annotated[
        tuple[str, ...], Meta(description="Relations of the layer invariance that were asked for; all if empty.")
    ] = ()
    seed: Annotated[
        Count | None,
        Meta(description="What moved the parameters of the copies that were judged (`moved_copy`); null: none were."),
    ] = None
    date: Annotated[str, Meta(description="Of a code that was run by hand: when, ISO 8601, as the user states it.")] = (
        ""
    )
    machine: Annotated[str, Meta(description="Of a code that was run by hand: where, as the user states it.")] = ""
    run: Annotated[RunNumber, RUN] = None


MARKED = {MessageKind.HINT: "hint", MessageKind.CARD: "identity card"}
"""Messages whose sentences say first what they are."""


class Message(Struct, frozen=True, kw_only=True):
    """A remark on a run as a whole."""

    kind: Annotated[
        MessageKind,
        Meta(
            description="note: a remark. card: a deviation on the identity card of a solver that no check of a claim "
            "states. hint: where failures may come from. gap: cases that no solver of the run "
            "takes. untested: what a solver declares and no case of the run needs."
        ),
    ] = MessageKind.NOTE
    text: Annotated[str, Meta(description="What it says.")]

    @property
    def sentence(self) -> str:
        """The text as it is printed."""
        return f"{MARKED[self.kind]}: {self.text}" if self.kind in MARKED else self.text


class Document(Struct, frozen=True, kw_only=True):
    """What one or several runs found."""

    schema_version: Annotated[
        str,
        Meta(
            pattern=r"^2\.[0-9]+$",
            description="MAJOR.MINOR of this format. Readers refuse an unknown major version.",
        ),
    ]
    environment: Annotated[
        Environment, Meta(description="Where and how the run was made; of merged files, the first one.")
    ]
    environments: Annotated[
        tuple[Environment, ...],
        Meta(
            description="Only in merged files: the environment of every run, numbered from 1 by `run` in the results."
        ),
    ] = ()
    planned: Annotated[
        Count | None,
        Meta(
            description="Number of checks that the run set out to make; fewer results mean that it ended early. null: "
            "not recorded."
        ),
    ] = None
    plan: Annotated[
        tuple[PlannedChecks, ...] | None,
        Meta(
            description="Every check that the run set out to make. Each result must stand there; unless `ended` says "
            "why the run ended early, each of these checks must have a result. null: not recorded."
        ),
    ] = None
    ended: Annotated[str, Meta(description="Why the run ended before its plan was done; empty if it was done.")] = ""
    expected_failures: Annotated[
        tuple[ExpectedFailure, ...],
        Meta(description="Failures that the user expects; a result is an expected failure only if a line covers it."),
    ] = ()
    fingerprints: Annotated[
        tuple[Fingerprint, ...], Meta(description="Hashes of what was judged, of the judge, and of what they read.")
    ] = ()
    profile: Annotated[
        Profile | None,
        Meta(
            description="What was asked for: quick (default variants, one scheme of each solver), selection (what the "
            "user named), all, comparison (of solvers on a problem of one's own). null: not recorded."
        ),
    ] = None
    available: Annotated[
        Count | None,
        Meta(
            description="Number of checks that the cases of the run have for its solvers; more than planned: a part "
            "was asked for. null: not recorded."
        ),
    ] = None
    solvers: Annotated[tuple[SolverVersion, ...], Meta(description="The solvers under test.")] = ()
    cases: Annotated[tuple[CaseSheet, ...], Meta(description="The problem sheet of every case that was run.")] = ()
    results: Annotated[tuple[Record, ...], Meta(description="One record per check, in the order of the run.")]
    work_precision: Annotated[
        tuple[WorkPrecisionPoint, ...],
        Meta(
            description="Time and error of every solver from its coarsest settings to its finest, one entry per "
            "setting, in this order."
        ),
    ] = ()
    figures: Annotated[
        tuple[Figure, ...], Meta(description="Curves recorded during the run, as data; the report draws them.")
    ] = ()
    messages: Annotated[
        tuple[Message, ...],
        Meta(
            description="Remarks on the run as a whole, for instance expected failures that no longer fail; until "
            "version 2.2 plain strings, which are read as notes."
        ),
    ] = ()
    counts: Annotated[
        dict[str, Count] | None,
        Meta(description="Number of results by verdict; must be that of the results. null: not recorded."),
    ] = None
    causes: Annotated[
        tuple[Cause, ...] | None,
        Meta(
            description="Failures grouped by what explains them, those that explain most first; must follow from the "
            "results. null: not recorded."
        ),
    ] = None
    digest: Annotated[
        str | None,
        Meta(
            description="Checksum: SHA-256 of the document without this key, as JSON with sorted keys, without spaces, "
            "in UTF-8. A file whose content differs is refused. Anybody can compute it anew: it finds accidents. null: "
            "not recorded, which no document with a plan may have."
        ),
    ] = None

    @property
    def runs(self) -> tuple[Environment, ...]:
        """The environment of every run, at least one."""
        return self.environments or (self.environment,)


def find_gaps(document: Document) -> list[str]:
    """Say what a document lacks, a sentence each: a plan, checks that were planned, cases without a result."""
    planned, number = document.planned or 0, len(document.results)
    why = document.ended or "the run ended early"
    early = [f"{planned - number} of {planned} checks are missing: {why}"] if planned > number else []
    judged = {record.case for record in document.results}
    empty = [sheet.case for sheet in document.cases if sheet.case not in judged]
    return [
        *early,
        *([NO_PLAN] if document.plan is None else []),
        *(f"{name} is described, but no check of it was recorded" for name in empty),
    ]


NO_PLAN = "the results state no plan: nobody can say whether checks are missing; repeat the run with this version"


def describe_scope(document: Document) -> str:
    """Say that a run was asked for a part of its cases only; empty if for all of them, or if that is unknown."""
    planned, available = document.planned or len(document.results), document.available
    share = f"{planned} of {available} checks" if available and available > planned else ""
    usual = "Selection" if share else ""
    name = usual if document.profile is None else SCOPES.get(document.profile, usual)
    return ", ".join(part for part in (name, share) if part)
