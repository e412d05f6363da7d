"""Detached signatures of result files by SSH keys, in the format SSHSIG, made and checked by ``ssh-keygen``.

A checksum says that a file is whole; a signature says whose file it is. The key stays outside: with whoever signs, in a
file or in an agent. Whom a reader believes stands in a file of allowed signers (``man ssh-keygen``, ALLOWED SIGNERS).
"""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from veridyn.results.errors import ReportError

TOOL = "ssh-keygen"
NAMESPACE = "veridyn"  # a signature for another purpose is none of results
SUFFIX = ".sig"
PATIENCE = 60.0  # s, for a check, which asks nobody anything


@dataclass(frozen=True)
class Signature:
    """A good signature: who signed which file, its SHA-256, and the fingerprint of the key as ssh-keygen prints it."""

    file: str
    sha256: str
    signer: str
    key: str

    def __str__(self) -> str:
        return f"{self.file} (SHA-256 {self.sha256}) is signed by {self.signer}, key {self.key}"


def locate_signature(file: Path) -> Path:
    """Return the file that holds the signature of another: beside it, with a suffix."""
    return file.with_name(file.name + SUFFIX)


def sign_file(file: Path, key: Path) -> Path:
    """Sign a file by a private SSH key, or by a public one whose private half an agent holds; return the signature.

    ssh-keygen asks for a passphrase on the terminal. Raises ReportError if the file or the key cannot be used.
    """
    for path, what in ((file, "file"), (key, "key")):
        if not path.is_file():
            raise ReportError(f"{path}: no such {what}")
    made, place = locate_signature(file.absolute()), file.absolute()
    if made.exists():
        raise ReportError(f"{made} is there already; remove it to sign anew")
    command = [_find_tool(), "-q", "-Y", "sign", "-f", str(key.absolute()), "-n", NAMESPACE, str(place)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode or not made.is_file():
        raise ReportError(f"{file} was not signed by {key}: {_explain(done.stderr)}")
    return locate_signature(file)


def check_signature(file: Path, signers: Path) -> Signature:
    """Return the signature of a file by one of the allowed signers.

    Raises
    ------
    ReportError
        If there is no signature beside the file, if it is none of these bytes, if its key is none of an allowed
        signer, or if a file cannot be read.
    """
    signed = locate_signature(file)
    for path, remedy in ((file, ""), (signed, f"; make it with: veridyn sign {file} --key KEY"), (signers, "")):
        if not path.is_file():
            raise ReportError(f"{path}: no such file{remedy}")
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ReportError(f"{file}: cannot be read ({error.strerror})") from None
    common = ["-f", str(signers.absolute()), "-n", NAMESPACE, "-s", str(signed.absolute())]
    principals = _run(["-Y", "find-principals", *common], content)
    names = principals.stdout.decode("utf-8", errors="replace").splitlines()
    if principals.returncode or not names:
        raise ReportError(f"{signed}: is by none of the signers in {signers} ({_explain(principals.stderr)})")
    # an allowed-signers file may give one key to several names
    for name in names:
        checked = _run(["-Y", "verify", "-I", name, *common], content)
        if not checked.returncode:
            key = checked.stdout.decode("utf-8", errors="replace").strip().rpartition(" key ")[2]
            return Signature(str(file), hashlib.sha256(content).hexdigest(), _print(name), _print(key))
    raise ReportError(
        f"{file}: its signature does not fit: it was changed after {names[0]} signed it ("
        f"{_explain(checked.stderr + checked.stdout)})"
    )


def _run(arguments: list[str], content: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run ssh-keygen on the bytes of a file, so that the bytes that are checked are those that were read."""
    environment = os.environ | {"LC_ALL": "C"}
    try:
        return subprocess.run(
            [_find_tool(), *arguments],
            input=content,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise ReportError(f"{TOOL} did not end within {PATIENCE:g} s") from None


def _find_tool() -> str:
    tool = shutil.which(TOOL)
    if tool is None:
        raise ReportError(f"signatures need {TOOL} on the path; install OpenSSH 8.2 or later (package openssh-client)")
    return tool


def _explain(output: bytes) -> str:
    """Return what ssh-keygen says, in one printable line."""
    return _print(" ".join(output.decode("utf-8", errors="replace").split())) or f"{TOOL} does not say why"


def _print(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
