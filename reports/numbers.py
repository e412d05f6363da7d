"""How numbers are printed, in one place.

Values have up to twelve significant digits, errors two, margins two (rounded down, so that a failed
check never shows 1.0), correct digits one decimal. Missing numbers are a dash.
"""

import math
import re

NONE = "–"
LONGEST = 20  # characters of a value that is no number
_DECIMAL = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?")


def value(number: float | str | None, digits: int = 12) -> str:
    """Print a value; decimal strings that are longer than `digits` are cut and end in an ellipsis.

    Words, such as the name of a regime, are returned unchanged, long lists of them cut.
    """
    if number is None:
        return NONE
    if isinstance(number, str):
        return _shortened(number, digits)
    return _shortened(_rounded(number, digits, zeros=False), digits)


def full(number: float | str | None) -> str:
    """Print every digit that was recorded; empty if there is none."""
    return "" if number is None else str(number)


def error(number: float | None) -> str:
    """Print an error with two significant digits, zeros included."""
    return NONE if number is None else _shortened(_rounded(number, 2, zeros=True), 2)


def tolerance(number: float | None) -> str:
    """Print a tolerance with up to two significant digits."""
    return value(number, 2)


def margin(number: float | None) -> str:
    """Print a margin with two significant digits, rounded down."""
    if number is None or number <= 0.0:
        return error(number)
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    # The nudge undoes the rounding of the division itself: 0.29/0.01 is 28.999999999999996.
    return error(math.floor(number / unit * (1.0 + 1e-12)) * unit) if unit > 0.0 else error(number)


def correct_digits(number: float | None) -> str:
    """Print the number of correct digits (LRE) with one decimal."""
    return NONE if number is None else f"{number:.1f}"


def time(seconds: float | None) -> str:
    """Print a duration in ms below one second, else in s."""
    if seconds is None:
        return NONE
    return f"{value(1000.0 * seconds, 2)} ms" if seconds < 1.0 else f"{value(seconds, 3)} s"


def plural(count: int, noun: str, many: str = "") -> str:
    """Print a count with its noun: '1 check', '2 checks'."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def _rounded(number: float, digits: int, *, zeros: bool) -> str:
    """Round to significant digits, with or without trailing zeros."""
    try:
        mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
    except OverflowError:  # an integer beyond the range of floats
        return str(number)
    return f"{mantissa if zeros else mantissa.rstrip('0').rstrip('.')}e{exponent}"


def _shortened(text: str, digits: int) -> str:
    """Lay out a decimal string, very small and large ones with an exponent; words are only cut."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    sign, whole, fraction, power = match.groups("")
    figures = (whole + fraction).lstrip("0")
    if not figures:
        return "0"
    exponent = len(whole) - 1 + int(power or 0) - (len(whole + fraction) - len(figures))
    ellipsis = "…" if len(figures.rstrip("0")) > digits else ""
    return sign.replace("+", "") + _layout(figures[:digits], exponent, ellipsis, plain=-3 <= exponent < max(digits, 4))


def _layout(figures: str, exponent: int, ellipsis: str, *, plain: bool) -> str:
    """Place the decimal point: `figures` begin at 10**exponent."""
    if not plain:
        return f"{figures[0]}{'.' * (len(figures) > 1)}{figures[1:]}{ellipsis}e{exponent}"
    padded = "0" * -exponent + figures.ljust(exponent + 1, "0")
    whole = max(exponent, 0) + 1
    return f"{padded[:whole]}{'.' * (len(padded) > whole)}{padded[whole:]}{ellipsis}"
