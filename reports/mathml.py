"""Formulas in one line of text as MathML, which browsers typeset without script, font or network.

The notation is that of the case files: ``m x'' + k x = -F_c``, ``omega_c = sqrt((k + k_c)/m)``, ``(v h)²/2``. Greek
letters may be spelled; ``x'`` and ``x''`` are time derivatives; ``_`` lowers, ``^`` or ² raises: a letter, a word, or
what stands in braces. Sums and integrals take their limits so, ``Σ_{n=1}^N``, ``∫_0^T``. ``/`` divides the factor
before it by the one after it. Nothing is an error: what is not understood is set as text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from veridyn.reports.svg import escape

GREEK = {
    **dict(zip(("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"), "αβγδεζηθ", strict=True)),
    **dict(zip(("iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau"), "ικλμνξπρστ", strict=True)),
    **dict(
        zip(("phi", "chi", "psi", "omega", "Delta", "Theta", "Phi", "Psi", "Omega", "Sigma"), "φχψωΔΘΦΨΩΣ", strict=True)
    ),
}
FUNCTIONS = {
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "ln"),
    "sign",
    "max",
    "min",
}
WORDS = {"for", "if", "else", "and", "or", "where", "with"}
OPERATORS = {"-": "−", "<=": "≤", ">=": "≥", "!=": "≠", "*": "·", "->": "→", "Σ": "∑"}
WITH_EXPONENT = {"msub": "msubsup", "munder": "munderover"}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789−+", strict=True))
BRACKETS = {"(": ")", "[": "]", "{": "}"}
DOTS = {1: "˙", 2: "¨"}
THIN, WIDE, BETWEEN = (f"<mspace width='{width}em'/>" for width in (".17", ".5", ".8"))

_LOWERED = r"_(?:[A-Za-z0-9Ͱ-Ͽ]+|\{[^}]*\})"
_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?…?)"
    rf"|(?P<large>[∫Σ])(?P<limit>{_LOWERED})?"
    rf"|(?P<name>[A-Za-zͰ-Ͽ]+)(?P<digits>[0-9]*)(?P<sub>{_LOWERED})?(?P<primes>'*)"
    r"(?P<star>\*(?=\s|$|[=<>)]))?"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)"
    r"|(?P<operator><=|>=|!=|->|[-+*=<>≤≥≠≈±·×−→∂,;:])"
    r"|(?P<mark>[()\[\]{}/^|])"
    r"|(?P<space>\s+)"
    r"|(?P<other>.)",
    re.DOTALL,
)


def math(formula: str) -> str:
    """Return a ``<math>`` element; its text, for those who cannot see it, is the formula as written."""
    return f'<math display="block" alttext="{escape(formula)}">{_reader(formula).everything()}</math>'


def inline(formula: str) -> str:
    """Return a ``<math>`` element that stands within a line of text."""
    return f'<math alttext="{escape(formula)}">{_reader(formula).everything()}</math>'


def _reader(formula: str) -> "_TokenReader":
    return _TokenReader([match for match in _TOKEN.finditer(formula) if not match["space"]])


@dataclass
class _TokenReader:
    """Reads tokens from left to right."""

    tokens: list[re.Match[str]]
    at: int = 0

    def everything(self) -> str:
        """Read to the end; a bracket that closes nothing is set as it is."""
        rows = [self.row("")]
        while self.at < len(self.tokens):
            rows += [_operator(self._next()[0]), self.row("")]
        return _joined(rows)

    def _next(self) -> re.Match[str]:
        self.at += 1
        return self.tokens[self.at - 1]

    def _is(self, marks: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][0] in tuple(marks)

    def row(self, closing: str) -> str:
        """Read terms up to a closing bracket, which is left to the caller; outside of any there is none."""
        return _joined(list(self._terms(closing)))

    def _terms(self, closing: str) -> Iterator[str]:
        while self.at < len(self.tokens) and not self._is(closing or ")]}"):
            if self.tokens[self.at]["operator"]:
                sign = self._next()[0]
                yield _operator(sign)
                if sign in ",;" and not closing:  # what comes next is another formula
                    yield BETWEEN
            else:
                if self.at and _apart(self.tokens[self.at - 1], self.tokens[self.at]):
                    yield THIN
                yield self._quotient()

    def _quotient(self) -> str:
        top, bare = self._power()
        while self._is("/"):
            self._next()
            if self.at == len(self.tokens):
                return _joined([top, _operator("/")])
            bottom = self._power()[1]
            top = bare = f"<mfrac>{bare}{bottom}</mfrac>"
        return top

    def _power(self) -> tuple[str, str]:
        """Read a factor with its exponent; the second form has no brackets around it, for a fraction."""
        base, bare = self._factor()
        if self.at < len(self.tokens) and self.tokens[self.at]["raised"]:
            exponent = "".join(RAISED[c] for c in self._next()[0])
            return _twice(_raised(base, f"<mn>{exponent}</mn>"))
        if self._is("^"):
            self._next()
            if self.at < len(self.tokens):
                return _twice(_raised(base, self._factor()[1]))
        return base, bare

    def _factor(self) -> tuple[str, str]:
        token = self._next()
        if token["name"]:
            return self._named(token)
        if token["large"]:
            return _twice(_large(token))
        if token["number"]:
            return _twice(f"<mn>{escape(token[0])}</mn>")
        if token[0] in BRACKETS:
            return self._bracketed(token[0], BRACKETS[token[0]])
        if token[0] == "|" and any(later[0] == "|" for later in self.tokens[self.at :]):
            return _twice(self._bracketed("|", "|")[0])
        return _twice(_operator(token[0]))

    def _named(self, token: re.Match[str]) -> tuple[str, str]:
        if token["name"] == "sqrt" and self._is("("):
            self._next()
            return _twice(f"<msqrt>{self._inside(')')}</msqrt>")
        if token["name"] in FUNCTIONS and self._is("("):
            self._next()
            return _twice(_joined([_identifier(token), self._bracketed("(", ")")[0]]))
        return _twice(_identifier(token))

    def _bracketed(self, opening: str, closing: str) -> tuple[str, str]:
        inside = self._inside(closing)
        return f"<mrow>{_operator(opening)}{inside}{_operator(closing)}</mrow>", inside

    def _inside(self, closing: str) -> str:
        inside = self.row(closing)
        if self._is(closing):
            self._next()
        return inside


def _apart(before: re.Match[str], token: re.Match[str]) -> bool:
    """Whether two factors would read as one word: one of them is a name of several letters, or a function."""
    return (_is_word(token) and not before["operator"] and before[0] not in "([{|") or _is_word(before)


def _is_word(token: re.Match[str]) -> bool:
    name = token["name"] or ""
    return len(GREEK.get(name, name)) > 1 and name not in WORDS


def _twice(element: str) -> tuple[str, str]:
    return element, element


def _joined(elements: list[str]) -> str:
    return f"<mrow>{''.join(elements)}</mrow>"


def _operator(sign: str) -> str:
    return f"<mo>{escape(OPERATORS.get(sign, sign))}</mo>"


def _large(token: re.Match[str]) -> str:
    """Set a sum or an integral with its lower limit: beneath the one, beside the other."""
    sign, limit = _operator(token["large"]), token["limit"]
    if not limit:
        return sign
    tag = "munder" if token["large"] == "Σ" else "msub"
    return f"<{tag}>{sign}{_index(limit[1:])}</{tag}>"


def _raised(base: str, exponent: str) -> str:
    """Set an exponent, above the index if there is one."""
    tag = base[1 : base.index(">")]
    if tag in WITH_EXPONENT:
        return f"<{WITH_EXPONENT[tag]}>{base[len(tag) + 2 : -len(tag) - 3]}{exponent}</{WITH_EXPONENT[tag]}>"
    return f"<msup>{base}{exponent}</msup>"


def _index(text: str) -> str:
    """Set an index: a letter or word as it is, what has braces as a formula."""
    if "{" in text:
        return _reader(text.replace("{", "").replace("}", "")).row("}")
    return f"<mi>{escape(GREEK.get(text, text))}</mi>"


def _identifier(token: re.Match[str]) -> str:
    """Set a name with dots and index: omega_c, x'', v0; digits after a word stay part of it."""
    word, digits = token["name"], token["digits"]
    letter = GREEK.get(word, word)
    is_symbol = len(letter) == 1
    symbol = f"<mi>{escape(letter if is_symbol else letter + digits)}</mi>"
    if primes := len(token["primes"]):
        symbol = f"<mover>{symbol}<mo>{DOTS.get(primes, '′' * primes)}</mo></mover>"
    index = (digits if is_symbol else "") + (token["sub"] or "")[1:]
    if index:
        symbol = f"<msub>{symbol}{_index(index)}</msub>"
    if token["star"]:
        symbol = f"<msup>{symbol}<mo>*</mo></msup>"
    return _joined([WIDE, symbol, WIDE]) if word in WORDS else symbol
