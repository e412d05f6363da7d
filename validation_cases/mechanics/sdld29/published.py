"""SDLD22, SDLD27 and SDLD29: what Code_Aster's test files print."""

from __future__ import annotations

from collections.abc import Iterator

from veridyn.validation_cases.core.case import Published
from veridyn.validation_cases.core.case import PublishedVerdict as Verdict

TEST_22, TEST_27, TEST_29 = "Code_Aster test sdld22a", "Code_Aster test sdld27", "Code_Aster test sdld29a"

COARSE = "an external calculation, printed with three digits and wrong in the third or second"
RATIOS = "about 0.1 % too large; the frequencies beside them are right"

TIMES_29 = ("0.09", "0.18", "0.27", "0.36", "0.45", "0.54", "0.63", "0.72", "0.81", "0.91", "0.99", "1.45")
TABLE_22 = {
    "0.09": "4.02E-5",
    "0.184": "4.22E-6",
    "0.272": "3.89E-5",
    "0.365": "5.98E-6",
    "0.455": "3.73E-5",
    "0.544": "7.14E-6",
    "0.633": "3.64E-5",
    "0.724": "8.07E-6",
    "0.812": "3.58E-5",
    "0.904": "8.76E-6",
    "0.993": "3.52E-5",
    "1.089": "-3.08E-5",
    "1.182": "3.02E-5",
    "1.271": "-2.88E-5",
    "1.362": "2.80E-5",
    "1.452": "-2.65E-5",
}
RIGHT_22 = ("0.09", "0.633", "1.089", "1.182", "1.362")
RATIOS_27 = ("0.0396", "0.04709", "0.05098", "0.05183", "0.05115", "0.05036")  # of modes 3 to 8


def _cells() -> Iterator[Published]:
    name = "non-proportional"
    yield Published(f"{TEST_29}, reference", name, "x4@0.91", "1.11E-5", "inaccurate", f"1.8 % too small; {COARSE}")
    for mode, value in enumerate(RATIOS_27, start=3):
        verdict: Verdict = "reproduced" if mode == 3 else "inaccurate"
        yield Published(f"{TEST_27}, reference", name, f"damping_{mode}", value, verdict, "" if mode == 3 else RATIOS)
    for time, value in TABLE_22.items():
        if time in RIGHT_22:
            yield Published(f"{TEST_22}, reference", "proportional", f"x4@{time}", value, "reproduced")
        else:
            yield Published(f"{TEST_22}, reference", "proportional", f"x4@{time}", value, "inaccurate", COARSE)


PUBLISHED: tuple[Published, ...] = tuple(_cells())
