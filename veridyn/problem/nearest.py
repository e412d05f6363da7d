"""Which name was probably meant, for messages about unknown ones; every room may import this."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(wrong: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the known name that was meant, or all of them."""
    names = list(known)
    return did_you_mean(wrong, names) or f"known are {', '.join(names) or 'none'}"


def did_you_mean(wrong: str, known: Iterable[str], more: str = "") -> str:
    """Ask whether the known name next to a wrong one was meant, whatever its case, if one is near; then say more."""
    import difflib  # late: most runs have no wrong name

    names = {name.lower(): name for name in known}
    name = wrong.lower()
    longer = [other for other in names if len(name) > 2 and other.startswith(name)]  # mid for midpoint
    alike = [other for other in names if len(other) == len(name)]  # v1 for v0: half of a short name is right
    near = difflib.get_close_matches(name, names, n=1) or longer[:1]
    near = near or difflib.get_close_matches(name, alike, n=1, cutoff=0.5)
    question = f"did you mean {names[near[0]]}?" if near else ""
    return f"{question} {more}".strip()
