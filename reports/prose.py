"""Sentences with formulas in them, as HTML: the formulas as MathML, in the notation of `mathml`.

Cases write ``w = sqrt(k/m)`` in plain letters, which a terminal shows as they are. Here such parts are recognised by
what no English word has: a letter alone (but the article a and the pronoun I), an index, a prime, a Greek name, a
function of something, and what operators and brackets join to these. A number with a unit stays text, and so does
everything in doubt: the sentence reads as before.
"""

import re
from collections.abc import Iterator

from veridyn.reports.mathml import FUNCTIONS, GREEK, inline
from veridyn.reports.svg import escape

_GREEK = "|".join(sorted(GREEK, key=len, reverse=True))
_NAMES = "|".join(sorted({*FUNCTIONS, "sqrt", "sgn", "det", "cn", "sn", "dn", "sech", "arcosh"}, key=len, reverse=True))
_UNIT = r"(?:kg|km|mm|ms|kN|m|s|N|J|W|Hz|Pa|rad|%)[²³]?(?:(?: |/)(?:m|s|N|kg|rad|mm)[²³]?(?!\w))*"
_TOKEN = re.compile(
    r"(?P<code>`[^`]*`)"
    rf"|(?P<measured>(?<![\w)]|')-?\d+(?:\.\d+)?(?:e-?\d+)? ?{_UNIT}"
    r"(?![\w'^(=]| [-+=*/]| \((?![a-z]{3})| [A-Za-z](?![a-z])))"
    rf"|(?P<function>(?<![\w.])(?:{_NAMES})[²³]?(?=[( ]))"
    rf"|(?P<symbol>(?<![\w.])(?:{_GREEK}|√\d|[A-Za-z]*[Ͱ-Ͽ][A-Za-zͰ-Ͽ]*|[A-Za-z])\d*(?:_(?:[A-Za-z0-9Ͱ-Ͽ]+|\{{[^}}]*\}}))?"
    r"'*[²³ᵀ]?(?![\w'])(?!\.\w|-[A-Za-z]{2}))"
    r"|(?P<number>(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?[²³]?(?![\w.]\w|[A-Za-z_%]))"
    r"|(?P<operator><=|>=|!=|->|(?<= )\|(?= )|(?<=\w)\|(?=\w\))"
    r"|[-+*/^](?=[\w(|√-])|[-+*/=<>≤≥≠≈±·×→](?= ))"
    r"|(?P<closing>\)[²³]?|\|[²³])"
    r"|(?P<opening>[(|])"
    r"|(?P<comma>,)"
    r"|(?P<space> )"
    r"|(?P<word>\w[\w.'’-]*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_ARTICLES = {"a", "A", "I"}


def typeset(sentence: str) -> str:
    """Return a sentence as HTML, escaped, its formulas typeset and what stands between backticks as code."""
    return "".join(_write(text, is_formula) for text, is_formula in split(sentence))


def split(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a sentence in order, each with whether it is a formula; together they are the sentence."""
    tokens = list(_TOKEN.finditer(sentence))
    at = done = 0
    while at < len(tokens):
        end = _Reader(tokens).read(at)
        if end == at:
            at += 1
            continue
        start, stop = tokens[at].start(), tokens[end - 1].end()
        if start > done:
            yield sentence[done:start], False
        yield sentence[start:stop], True
        at, done = end, stop
    if done < len(sentence):
        yield sentence[done:], False


def _write(text: str, is_formula: bool) -> str:
    return inline(text) if is_formula else re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


class _Reader:
    """Finds how far a formula goes that begins at a token."""

    def __init__(self, tokens: list[re.Match[str]]) -> None:
        self.tokens = tokens

    def read(self, at: int) -> int:
        """Return the place after the formula that begins here; the same place if none does."""
        end = self._terms(at, is_inside=False, has_words=False)
        parts = self.tokens[at:end]
        return end if any(part["function"] or part["symbol"] for part in parts) else at

    def _terms(self, at: int, *, is_inside: bool, has_words: bool) -> int:
        """Read factors that operators or a space join; an operator without a factor after it is left out."""
        begin = self._sign(at)
        end = self._factor(begin, is_alone=not is_inside, follows_factor=False, has_words=has_words)
        if end == begin:
            return at
        while True:
            after = self._operator(end)
            is_product = all(token["space"] for token in self.tokens[end:after])
            is_alone = is_product and not is_inside
            factor = self._factor(after, is_alone=is_alone, follows_factor=is_product, has_words=has_words)
            if factor == after:
                return end
            end = factor

    def _sign(self, at: int) -> int:
        is_sign = self._text(at) in ("-", "±") and self._text(at + 1) not in ("", " ")
        return at + 1 if is_sign else at

    def _operator(self, at: int) -> int:
        """Skip a space, an operator with what blanks stand around it, and a sign."""
        after = self._blank(at)
        return self._sign(self._blank(after + 1)) if self._is(after, "operator") else after

    def _blank(self, at: int) -> int:
        return at + 1 if self._is(at, "space") else at

    def _factor(self, at: int, *, is_alone: bool, follows_factor: bool, has_words: bool) -> int:
        """Read a number, a symbol, a function of something, or brackets around these; a product ends in no number.

        Words are factors where something is a function of them, as the phase is in ``cos(W t + phase)``.
        """
        if self._is(at, "number"):
            return at if follows_factor else at + 1
        if self._is(at, "symbol"):
            is_article = is_alone and self._text(at) in _ARTICLES and not self._goes_on(at + 1, follows_factor)
            return at if is_article else self._bracket(at + 1) if self._text(at + 1) == "(" else at + 1
        if self._is(at, "function"):
            bracket = self._bracket(at + 1, has_words=True)
            return bracket if bracket > at + 1 else self._argument(at)
        if has_words and self._is(at, "word"):
            return at + 1
        return self._bracket(at, has_words=has_words)

    def _argument(self, at: int) -> int:
        """Read the argument of a function that has no brackets, as in ``cos t`` and ``cos 2 t``."""
        blank = self._blank(at + 1)
        if blank == at + 1:
            return at
        if self._is(blank, "number") and self._is(self._blank(blank + 1), "symbol"):
            return self._blank(blank + 1) + 1
        return blank + 1 if self._is(blank, "symbol") else at

    def _goes_on(self, at: int, follows_factor: bool) -> bool:
        """Whether a lone letter a is no article: an operator, an argument or a function follows, or a product ends."""
        after = self._blank(at)
        begins_product = self._is(after, "symbol") and self._is(self._blank(after + 1), "operator")
        if begins_product or self._is(after, "operator") or self._is(after, "function"):
            return True
        return follows_factor and (after == len(self.tokens) or not self._is(after, "word"))

    def _bracket(self, at: int, *, has_words: bool = False) -> int:
        """Read brackets or bars around formulas that commas may part; the same place if they hold something else."""
        if not self._is(at, "opening"):
            return at
        closing = ")" if self._text(at) == "(" else "|"
        end = at + 1
        while (inside := self._terms(end, is_inside=True, has_words=has_words)) > end:
            if self._text(inside).startswith(closing):
                return inside + 1
            if not self._is(inside, "comma"):
                return at
            end = self._blank(inside + 1)
        return at

    def _is(self, at: int, kind: str) -> bool:
        return at < len(self.tokens) and self.tokens[at][kind] is not None

    def _text(self, at: int) -> str:
        return self.tokens[at][0] if at < len(self.tokens) else ""
