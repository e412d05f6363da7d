"""What a run set out to judge, and what tells that from anything else: checks by name, expected failures, hashes."""

from fnmatch import fnmatchcase
from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.words import FingerprintKind

RunNumber = Annotated[int, Meta(ge=1)] | None
RUN = Meta(description="Only in merged files: number of the environment, from 1.")


class PlannedChecks(Struct, frozen=True, kw_only=True):
    """The checks that a run set out to make of one solver on one variant of a case."""

    solver: Annotated[str, Meta(description="Solver under test.")]
    case: Annotated[str, Meta(description="Name of the case.")]
    variant: Annotated[str, Meta(description="Parameter set.")]
    parameters: Annotated[
        dict[str, str], Meta(description="Parameters of the user in place of those of a variant, as text.")
    ] = {}
    checks: Annotated[tuple[str, ...], Meta(description="The `id` of each check.")]
    needs: Annotated[
        tuple[str, ...], Meta(description="What the problem needs of a solver, as tags of capabilities.")
    ] = ()
    run: Annotated[RunNumber, RUN] = None


class ExpectedFailure(Struct, frozen=True, kw_only=True):
    """A line of the list of expected failures: which checks fail, and why."""

    pattern: Annotated[
        str,
        Meta(description="`case/id`, or `solver/case/id` for one of several solvers; `*` and `?` stand for anything."),
    ]
    reason: Annotated[str, Meta(description="Why they fail.")]
    place: Annotated[str, Meta(description="File and line.")] = ""

    def covers(self, case: str, check: str, solver: str) -> bool:
        """Tell whether the line means this check."""
        names = (f"{case}/{check}", f"{solver}/{case}/{check}")
        return any(fnmatchcase(name, self.pattern) for name in names)


class Fingerprint(Struct, frozen=True, kw_only=True):
    """What tells a part of a run from every other: the hash of its bytes."""

    kind: Annotated[
        FingerprintKind,
        Meta(
            description="solver: files of a solver under test. suite: all files of veridyn. input: a file that the "
            "run has read. answers: a file with answers of a code that was run by hand. environment: names and "
            "versions of all installed distributions."
        ),
    ]
    name: Annotated[str, Meta(description="Of the solver, the distribution, the file.")]
    version: Annotated[str, Meta(description="Of the distribution that the files belong to; empty for others.")] = ""
    files: Annotated[
        tuple[str, ...],
        Meta(description="Names of the files that were hashed, in this order; empty where there are many."),
    ] = ()
    sha256: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            description="SHA-256 of the lines `hash of a file, blanks, its name`; of answers, that of the file itself.",
        ),
    ]
    run: Annotated[RunNumber, RUN] = None
