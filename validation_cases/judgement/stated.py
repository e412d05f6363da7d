"""Claims that the card of a solver can contradict, whoever states them, and how such checks are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from veridyn.results import Layer
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.subject import Subject

STATED: Mapping[str, Callable[[Claims], float | None]] = {
    "order": lambda claims: claims.order,
    "method": lambda claims: 0.0 if claims.method else None,
    "stability_limit": lambda claims: claims.stability,
    "numerical_damping": lambda claims: claims.numerical_damping,
    "digits": lambda claims: claims.digits,
    "printed": lambda claims: claims.printed,
    "slope": lambda claims: 1.0 if claims.tolerance else None,
    "error_over_tolerance": lambda claims: claims.factor,
}
"""Claims that a card can contradict, as checks are named, and what is stated of them; None: nothing."""


def list_stated(subject: Subject) -> tuple[str, ...]:
    """Return the schemes of which somebody states claims that a card may contradict."""
    return tuple(s for s in subject.schemes if s not in subject.observed and _list_claims(subject, s))


def _list_claims(subject: Subject, scheme: str) -> tuple[str, ...]:
    claims = subject.claims.get(scheme, Claims())
    return tuple(name for name, find in STATED.items() if find(claims) is not None)


def list_ids(subject: Subject) -> tuple[str, ...]:
    """Return the ids of all checks that may fail because a card contradicts a claim."""
    return tuple(name_check(name, scheme) for scheme in list_stated(subject) for name in _list_claims(subject, scheme))


def name_check(claim: str, scheme: str) -> str:
    """Return the id of the check of a claim against the card of a scheme."""
    return "-".join(filter(None, (f"{Layer.CLAIM}:{claim}", scheme)))
