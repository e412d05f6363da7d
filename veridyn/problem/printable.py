"""Foreign text as it may reach a terminal."""

from typing import TextIO


def make_printable(text: str) -> str:
    """Return a text with blanks in place of characters that would do something to a terminal."""
    if text.isprintable():  # nearly all are, and the loop costs seconds over all texts of a run
        return text
    return "".join(letter if letter.isprintable() else " " for letter in text)


def print_line(text: object, file: TextIO | None = None) -> None:
    """Print a line, of standard output without a file, whose characters do nothing to a terminal."""
    print(make_printable(str(text)), file=file)
