"""The commands `sign` and `check-signature`, and what `report` finds out of signatures and by the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from veridyn.problem.printable import print_line
from veridyn.results import Document, ReportError, read
from veridyn.results.signatures import Signature, check_signature, locate_signature, sign_file
from veridyn.run.exit_code import ExitCode


def sign(results: Path, key: Path) -> int:
    """Sign a result file that contradicts itself nowhere, by an SSH key."""
    read(results)
    print_line(str(sign_file(results, key)))
    return ExitCode.FINE


def check_signer(results: Path, signers: Path) -> int:
    """Check the signature of a result file, and what the file says of itself."""
    signature = check_signature(results, signers)
    read(results)
    print_line(str(signature))
    return ExitCode.FINE


def list_signatures(files: Sequence[Path], signers: Path | None) -> list[str]:
    """Return who signed which file, a sentence each; raises ReportError if one is not signed by an allowed signer.

    Without a list of signers nothing is checked, and the sentence says so.
    """
    if signers is not None:
        return [str(signature) for signature in check_all(files, signers)]
    return [
        f"{file} has a signature, which was not checked: --signers names who may sign"
        for file in files
        if locate_signature(file).is_file()
    ]


def check_all(files: Sequence[Path], signers: Path) -> list[Signature]:
    """Return the signatures of files; raises ReportError for the first that is not signed by an allowed signer."""
    return [check_signature(file, signers) for file in files]


def verify(document: Document) -> str:
    """Return what agrees with the installed library; raises ReportError with the first difference."""
    from veridyn.run.evidence import verify_evidence

    evidence = verify_evidence(document)
    for remark in evidence.remarks:
        print_line(f"not verified: {remark}")
    if evidence.differences:
        more = f" (and {len(evidence.differences) - 1} more)" if len(evidence.differences) > 1 else ""
        raise ReportError(f"the results are not what the library makes of them: {evidence.differences[0]}{more}")
    return evidence.summary
