"""Claims that no check could judge: what looks sound only because nobody looked."""

from collections import Counter
from collections.abc import Iterator

from veridyn.results.document import Document
from veridyn.results.grouping import group
from veridyn.results.record import Record
from veridyn.results.words import Layer, Verdict


def list_unjudged_claims(document: Document) -> Iterator[str]:
    """Yield the claims of a solver that were judged nowhere in a run, with the commonest reason, which says the remedy.

    A claim that was judged somewhere is left out: where it does not apply, others stand for it.
    """
    claims = [record for record in document.results if record.layer is Layer.CLAIM]
    names = group(claims, lambda record: (record.run, record.solver, record.scheme, record.quantity.partition(":")[0]))
    for (_, solver, scheme, name), records in names.items():
        if all(record.verdict is Verdict.NOT_APPLICABLE for record in records):
            subject = " ".join(filter(None, (solver, scheme)))
            yield f"{subject}: the claim of {name} was judged nowhere; {_state_reason(records)}"


def _state_reason(records: list[Record]) -> str:
    reason, often = Counter(record.detail for record in records).most_common(1)[0]
    return reason if often == len(records) else f"in {often} of {len(records)} checks: {reason}"
