"""Foreign text as it may reach a terminal."""


def make_printable(text: str) -> str:
    """Return a text with blanks in place of characters that would do something to a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
