"""What the first routes of the references cost: ``python -m tests.timing.references [CASE…]``.

A line a variant: the CPU time (s) of the first routes of all its quantities to 30 digits, with nothing remembered.
``--digits 30 100 300 1000`` prints the default variant alone, to several numbers of digits, and the exponent by which
the time grows from the second last to the last. What takes longer than ``--seconds``, of the clock on the wall, ends
the line. Without names of cases, or with ``--store``, the table is stored.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence

from veridyn.references.certified import forget
from veridyn.references.deadline import OutOfTime, time_limit
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import case_names, load_case

from .storing import Cell, store

Row = tuple[Cell, ...]


def compute(case: Case, variant: Variant, digits: int) -> float:
    """Return the CPU time (s) of the first routes of a variant, with nothing remembered."""
    values = case.values(variant.changes)
    forget()
    begin = time.process_time()
    for quantity in case.select_quantities(variant):
        quantity.reference.compute_anew(values, digits)
    return time.process_time() - begin


def exponent(digits: Sequence[int], times: Sequence[float]) -> float:
    """Return the exponent of the growth of times over digits, from the last two; NaN of fewer."""
    if len(times) < 2:
        return math.nan
    return math.log(times[-1] / times[-2]) / math.log(digits[len(times) - 1] / digits[len(times) - 2])


def time_variants(case: Case, digits: int) -> Iterator[Row]:
    """Yield a row a variant."""
    for variant in case.variants:
        yield case.name, variant.name, round(compute(case, variant, digits), 2)


def time_digits(case: Case, digits: Sequence[int], seconds: float) -> Iterator[Row]:
    """Yield a row of the times of the default variant to several numbers of digits, and the exponent."""
    times = list[float]()
    for number in digits:
        try:
            with time_limit(seconds):
                times.append(compute(case, case.default_variant, number))
        except OutOfTime:
            break
    cells = [round(each, 3) for each in times] + ["longer"] * (len(digits) - len(times))
    yield case.name, *cells, round(exponent(digits, times), 1) if len(times) > 1 else ""


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--digits", type=int, nargs="+", default=[30])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    several, rows = len(given.digits) > 1, list[Row]()
    for case in map(load_case, given.cases or case_names()):
        timed = time_digits(case, given.digits, given.seconds) if several else time_variants(case, given.digits[0])
        for row in timed:
            rows.append(row)
            print(*row, flush=True)
    if given.store or not given.cases:
        section = "digits" if several else "references"
        head = ("case", *map(str, given.digits), "exponent") if several else ("case", "variant", "CPU s")
        command = f"python -m tests.timing.references --digits {' '.join(map(str, given.digits))}"
        store(section, command, head, rows)


if __name__ == "__main__":
    main()
