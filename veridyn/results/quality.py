"""What a quality system adds to results for the manual: its document, requirements, and what it says of deviations."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from veridyn.results.record import Record
from veridyn.results.words import ErrorKind


@dataclass(frozen=True)
class AdmissibleError:
    """The largest error that a requirement admits: relative to the reference, or absolute in the quantity's unit."""

    value: float
    kind: ErrorKind
    text: str


@dataclass(frozen=True)
class UserRequirement:
    """A requirement by the identifier of its user, with the cases and quantities that verify it.

    ``*`` and ``?`` stand for anything in both; without cases it is every case that has the quantities, without
    quantities every check of the cases.
    """

    id: str
    text: str
    cases: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    tolerance: AdmissibleError | None = None

    def covers(self, record: Record) -> bool:
        """Tell whether a check verifies the requirement, at least in part."""
        return self.covers_case(record.case) and self.covers_quantity(record.quantity)

    def covers_case(self, case: str) -> bool:
        """Tell whether the requirement names a case."""
        return not self.cases or _matches(case, self.cases)

    def covers_quantity(self, quantity: str) -> bool:
        """Tell whether the requirement names a quantity; a check of ``order:x`` is one of x."""
        return not self.quantities or _matches(quantity.partition(":")[2] or quantity, self.quantities)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@dataclass(frozen=True)
class DocumentRevision:
    """An entry of the revision history, as the user writes it."""

    revision: str
    date: str
    author: str
    change: str


@dataclass(frozen=True)
class DeviationAssessment:
    """What the user says of checks that did not pass: `case/id`, in which ``*`` and ``?`` stand for anything."""

    checks: str
    text: str

    def covers(self, record: Record) -> bool:
        """Tell whether a check is meant."""
        return fnmatchcase(f"{record.case}/{record.id}", self.checks)


@dataclass(frozen=True)
class QualityRecord:
    """All that a quality system adds; nothing of it is needed. `files` are names and SHA-256 of the files it is of."""

    number: str = ""
    intended_use: str = ""
    revisions: tuple[DocumentRevision, ...] = ()
    assessments: tuple[DeviationAssessment, ...] = ()
    requirements: tuple[UserRequirement, ...] | None = None
    files: tuple[tuple[str, str], ...] = field(default=())

    @property
    def revision(self) -> str:
        """The current revision: the last one of the history."""
        return self.revisions[-1].revision if self.revisions else ""


NO_QUALITY = QualityRecord()
