"""SDLD31 b and SDLD321 a: the reference values of Code_Aster's test files."""

from __future__ import annotations

from veridyn.validation_cases.core.case import Published

TEST_31, TEST_321A = "Code_Aster test sdld31b", "Code_Aster test sdld321a"

SEVENTEEN = "printed with 17 digits, of which double arithmetic made the last one or two"

REFERENCE = {
    "x@0.5": "0.010784991910322289",
    "x@0.7": "-0.003745073616394888",
    "x@1.0": "-0.012563906053984213",
}

PUBLISHED: tuple[Published, ...] = (
    *(
        Published(f"{TEST_31}, reference", "31b", name, printed, "inaccurate", SEVENTEEN)
        for name, printed in REFERENCE.items()
    ),
    Published(f"{TEST_321A}, reference", "321a", "v@0.03", "0.003314", "reproduced"),
)
