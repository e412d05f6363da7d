"""Parity: what a code printed for a scheme and its settings, against our scheme with the same settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from veridyn.validation_cases.case import Bench, Case, Check, Number, Published, Run, Subject, Variant
from veridyn.validation_cases.tolerances import HALF_UNIT, Tolerance, combined, exactly, printed_digits, roundings

RunMaker = Callable[[Case, Published], Run | tuple[Run, ...]]
Reader = Callable[..., Number]  # of what is printed and an observation of every run


def parity_checks(case: Case, subject: Subject, variant: Variant, make_run: RunMaker, read: Reader) -> Iterator[Check]:
    """Yield one check per value that the documents print for one of our schemes.

    Parameters
    ----------
    make_run
        The run that copies the published model and settings, or the runs, where two models are compared.
    read
        Reads the printed quantity from the response, or the responses, the way the code did.
    """
    if not subject.own or subject.overrides:
        return
    for cell in case.published:
        if cell.verdict != "not reproduced" and cell.scheme in subject.schemes and cell.variant == variant.name:
            yield _parity_check(case, cell, make_run(case, cell), read)


def _parity_check(case: Case, cell: Published, made: Run | tuple[Run, ...], read: Reader) -> Check:
    printed = cell.correct or cell.value
    runs = made if isinstance(made, tuple) else (made,)

    def measure(bench: Bench) -> Number:
        return read(cell, *(bench.observe(run) for run in runs))

    unit = {q.name: q.unit for q in case.quantities}.get(cell.quantity, cell.unit)
    return Check(
        case=case.name,
        variant=cell.variant,
        quantity=_name(cell),
        scheme=cell.scheme,
        kind="parity",
        unit=unit,
        run=runs[0],
        measure=measure,
        reference=lambda: float(printed),
        tolerance=lambda: _tolerance(cell, printed),
        published=cell.value,
    )


def parity_id(cell: Published) -> str:
    """Return the id of the check that compares with a published value."""
    return f"{cell.variant}-parity:{_name(cell)}-{cell.scheme}"


def _name(cell: Published) -> str:
    return f"{cell.quantity}@{_slug(cell.source)}"


def _slug(source: str) -> str:
    """Source as part of a test id: no spaces, no brackets."""
    return re.sub(r"[^\w.]+", "_", source.replace("§", "")).strip("_")


def _tolerance(cell: Published, printed: str) -> Tolerance:
    if float(printed) == 0:
        return exactly("printed as zero")
    digits = printed_digits(printed, cell.units or HALF_UNIT, why=cell.explanation)
    return combined(digits, roundings(cell.rounding, what=cell.explanation)) if cell.rounding else digits
