"""Expected failures: checks that fail for a known reason, kept in a file and refused as soon as they are stale."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from veridyn.inputs import LARGEST_SETTINGS, InputError, read_text
from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import did_you_mean
from veridyn.results import ExpectedFailure, Record, Verdict


class ExpectationError(SolverInputError):
    """A list of expected failures cannot be read, or names checks that do not exist."""


@dataclass(frozen=True)
class Expectations:
    """The lines of a list; the first that covers a check gives the reason."""

    entries: tuple[ExpectedFailure, ...] = ()

    def find(self, case: str, check: str, solver: str) -> ExpectedFailure | None:
        """Return the line that covers a check, None if it is expected to pass."""
        return next((entry for entry in self.entries if entry.covers(case, check, solver)), None)

    def refuse_unknown(self, known: Iterable[tuple[str, str, str]]) -> None:
        """Refuse lines that cover none of the checks, each given as (case, check, solver).

        No more checks are asked for once each line covers one: to list those of a case may import it.

        Raises
        ------
        ExpectationError
            If there are such lines; a check may have been renamed.
        """
        stale, ids, unseen = list(self.entries), list[str](), iter(known)
        while stale and (name := next(unseen, None)):
            ids.append(f"{name[0]}/{name[1]}")
            stale = [entry for entry in stale if not entry.covers(*name)]
        if stale:
            listed = ", ".join(f"{entry.pattern} ({entry.place})" for entry in stale)
            hint = did_you_mean(stale[0].pattern, ids) or "the result document of run --json has the ids"
            raise ExpectationError(f"expected failures match no check: {listed}; {hint}")

    def settle(self, record: Record) -> Record:
        """Return a record with the verdict that the list gives it.

        What fails as expected is no failure any more; what passes although it is listed is one, so that the
        list never hides more than it says.
        """
        entry = self.find(record.case, record.id, record.solver)
        if entry is None or record.verdict is Verdict.NOT_APPLICABLE:
            return record
        if record.verdict is Verdict.PASS:
            detail = f"unexpectedly passes, remove {entry.place}: {entry.reason}"
            return structs.replace(record, verdict=Verdict.FAIL, detail=detail)
        more = f" ({record.detail})" if record.detail else ""
        return structs.replace(record, verdict=Verdict.EXPECTED_FAILURE, detail=entry.reason + more)


def read_expectations(file: Path) -> Expectations:
    """Read a list of expected failures: lines ``case/check: reason``; ``#`` begins a comment.

    ``*`` and ``?`` in a name stand for anything, as in file names.

    Raises
    ------
    ExpectationError
        If the file cannot be read or a line is no such pair.
    """
    try:
        text = read_text(file, LARGEST_SETTINGS)
    except OSError as error:
        raise ExpectationError(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    except InputError as error:
        raise ExpectationError(f"{file} {error}") from None
    lines = enumerate(text.splitlines(), start=1)
    return Expectations(
        tuple(_entry(file, number, line.strip()) for number, line in lines if line.strip() and line.lstrip()[0] != "#")
    )


def _entry(file: Path, number: int, line: str) -> ExpectedFailure:
    place = f"{file.name} line {number}"
    # names of checks hold colons, but no white space after them
    pair = re.fullmatch(r"(\S.*?):\s+(\S.*)", line)
    if pair is None:
        raise ExpectationError(f"{file}, line {number}: {line!r} has no reason; write CASE/CHECK: REASON")
    return ExpectedFailure(pattern=pair[1].strip(), reason=pair[2], place=place)
