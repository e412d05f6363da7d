"""SDLD31 b and SDLD321 a, c: what Code_Aster's test files print."""

from __future__ import annotations

from collections.abc import Iterator

from veridyn.validation_cases.case import Published

TEST_31, TEST_321A, TEST_321C = "Code_Aster test sdld31b", "Code_Aster test sdld321a", "Code_Aster test sdld321c"

SEVENTEEN = "printed with 17 digits, of which double arithmetic made the last one or two"
LAG = (
    "the load of the step's start is taken for that of its end: the answer of one step earlier, "
    "an error of order 1 (option lagged=True of our scheme, newmark)"
)
ROUNDED = (
    f"{LAG}; rounding: the displacement form of Newmark divides differences of displacements by h²/4, 1e-9 m/s² per "
    "step, and three ways to write it differ by 1e-12 m"
)
TABLE = (
    "the load is read from a table of 1e-4 s by linear interpolation: (Ω h)²/12 = 3.6e-7 "
    "too small; the last of 13 digits is the rounding of 10 000 steps"
)

REFERENCE = {
    "x@0.5": "0.010784991910322289",
    "x@0.7": "-0.003745073616394888",
    "x@1.0": "-0.012563906053984213",
}
EULER = {"x@0.5": "0.01078498050573", "x@0.7": "-0.003744962434751", "x@1.0": "-0.01256376884684"}
DEVOGE = {"x@0.5": "0.01078498804642", "x@0.7": "-0.003745072274667", "x@1.0": "-0.01256390155277"}
NEWMARK = {
    "x@0.5": ("0.01079639373628", 1000.0),
    "x@0.7": ("-0.003777604369249", 10_000.0),
    "x@1.0": ("-0.01260003866495", 1000.0),
}


def _cells() -> Iterator[Published]:
    for name, printed in REFERENCE.items():
        yield Published(f"{TEST_31}, reference", "31b", name, printed, "inaccurate", SEVENTEEN)
    for name, printed in EULER.items():
        yield Published(f"{TEST_31}, DIFF_CENTRE", "31b", name, printed, "reproduced", scheme="symplectic_euler")
    for name, printed in DEVOGE.items():
        yield Published(f"{TEST_31}, DEVOGE", "31b", name, printed, "last digit", TABLE, "devogelaere", units=1.0)
    for name, (value, units) in NEWMARK.items():
        yield Published(f"{TEST_31}, NEWMARK", "31b", name, value, "last digit", ROUNDED, "newmark", units=units)
    for name, value in {"x@0.06": "1.18911942093E-4", "x@0.12": "-9.43330468471E-5"}.items():
        yield Published(f"{TEST_321A}, DIFF_CENTRE", "321a", name, value, "reproduced", scheme="symplectic_euler")
    yield Published(f"{TEST_321A}, NEWMARK", "321a", "x@0.06", "1.18916806964E-4", "reproduced", LAG, "newmark")
    yield Published(
        f"{TEST_321A}, NEWMARK", "321a", "x@0.12", "-9.41332969901E-5", "last digit", ROUNDED, "newmark", units=2.0
    )
    yield Published(
        f"{TEST_321C}, NEWMARK", "321c", "x@4.96", "0.0243368015492", "last digit", ROUNDED, "newmark", units=100.0
    )
    yield Published(f"{TEST_321A}, reference", "321a", "v@0.03", "0.003314", "reproduced")


PUBLISHED: tuple[Published, ...] = tuple(_cells())
