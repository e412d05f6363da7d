"""What the first routes of the references cost: ``python -m tests.timing.references [CASE…]``.

A line a variant: the CPU time (s) of the first routes of all its quantities to 30 digits, with nothing remembered.
``--digits 30 100 300 1000`` prints the default variant alone, to several numbers of digits, and the exponent by which
the time grows from the second last to the last; what takes longer than ``--seconds`` ends the line.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence

from veridyn.references.certified import forget
from veridyn.references.deadline import OutOfTime, time_limit
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import case_names, load_case


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


def print_variants(case: Case, digits: int) -> None:
    """Print a line a variant."""
    for variant in case.variants:
        print(f"{compute(case, variant, digits):8.2f} {case.name} {variant.name}", flush=True)


def print_growth(case: Case, digits: Sequence[int], seconds: float) -> None:
    """Print the times of the default variant to several numbers of digits, and the exponent."""
    times = list[float]()
    for number in digits:
        try:
            with time_limit(seconds):
                times.append(compute(case, case.default_variant, number))
        except OutOfTime:
            break
    cells = "".join(f"{each:9.3f}" for each in times) + "   longer  " * (len(times) < len(digits))
    print(f"{case.name:24}{cells} exponent {exponent(digits, times):.1f}", flush=True)


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--digits", type=int, nargs="+", default=[30])
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    for case in map(load_case, given.cases or case_names()):
        if len(given.digits) == 1:
            print_variants(case, given.digits[0])
        else:
            print_growth(case, given.digits, given.seconds)


if __name__ == "__main__":
    main()
