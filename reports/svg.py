"""Hand-made SVG: escaping, numbers, elements. Text of a document goes in through `text` only."""

import re
from collections.abc import Iterable

_UNSAFE = {ord(character): f"&#{ord(character)};" for character in "<>&\"'"}


_NOT_XML = re.compile("[^\\t\\n\\r\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def clean(text: str) -> str:
    """Replace characters that XML cannot carry, such as control codes, by question marks."""
    return _NOT_XML.sub("?", text)


def escape(text: str) -> str:
    """Escape text for content and attributes."""
    return clean(text).translate(_UNSAFE)


def number(value: float) -> str:
    """Print a coordinate with one decimal, which is less than the eye can tell."""
    return f"{value:.1f}".removesuffix(".0")


def path(points: Iterable[tuple[float, float]], style: str) -> str:
    """Return a broken line; `style` holds attributes of our own."""
    corners = "L".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<path d="M{corners}" {style}/>'


def text(x: float, y: float, words: str, style: str) -> str:
    """Return a line of text, escaped; `style` holds attributes of our own."""
    return f'<text x="{number(x)}" y="{number(y)}" {style}>{escape(words)}</text>'


def drawing(width: float, height: float, name: str, parts: Iterable[str], kind: str) -> str:
    """Return a whole ``<svg>`` element; `name` is what a screen reader says, `kind` the CSS class."""
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}'
    font = 'font-family="system-ui, DejaVu Sans, Arial, sans-serif"'
    return "\n".join([f'{head} class="{kind}" role="img" aria-label="{escape(name)}" {font}>', *parts, "</svg>\n"])
