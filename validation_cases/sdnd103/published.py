"""SDND103: what Code_Aster's test file prints; its spring has a dead zone of 1e-6 m."""

from collections.abc import Iterator

from veridyn.validation_cases.case import Published
from veridyn.validation_cases.sdnd103.measures import TIMES

TEST_FILE = "Code_Aster test sdnd103a"

ROUNDED = (
    "the acceleration is the difference of terms of 2 m/s², whose rounding amounts to a unit of the last digit: the "
    "order of summation decides it"
)

COMPUTED: dict[tuple[str, str], tuple[str, ...]] = {
    ("symplectic_euler", "displacement"): (
        "9.999883729946E-3",
        "-9.999848874655E-3",
        "9.999902314109E-3",
        "-9.999855237058E-3",
        "9.999873975236E-3",
    ),
    ("symplectic_euler", "velocity"): ("6.134E-5", "-6.183E-5", "6.180E-5", "-6.136E-5", "6.206E-5"),
    ("symplectic_euler", "acceleration"): (
        "-6.17005445271E-3",
        "6.16385785824E-3",
        "-6.17335835406E-3",
        "6.16498897043E-3",
        "-6.16832025506E-3",
    ),
    ("devogelaere_adaptive", "displacement"): (
        "9.999876897338E-3",
        "-9.99986926961E-3",
        "9.999879054771E-3",
        "-9.999874216933E-3",
        "9.999870598095E-3",
    ),
}
NAMES = {"symplectic_euler": "DIFF_CENTRE", "devogelaere_adaptive": "DEVOGE"}


def _references() -> Iterator[Published]:
    yield Published(f"{TEST_FILE}, reference", "chosen", "frequency", "2.37254181139", "reproduced")
    for i, time in enumerate(TIMES):
        sign = "-" if i % 2 else ""
        source = f"{TEST_FILE}, reference"
        yield Published(source, "chosen", f"displacement@{time}", f"{sign}0.01", "reproduced")
        yield Published(source, "chosen", f"velocity@{time}", "0", "reproduced")
        turned = "" if i % 2 else "-"
        yield Published(source, "chosen", f"acceleration@{time}", f"{turned}6.168502750680849E-3", "reproduced")


def _computed() -> Iterator[Published]:
    for (scheme, what), values in COMPUTED.items():
        for time, value in zip(TIMES, values, strict=True):
            source = f"{TEST_FILE}, {NAMES[scheme]}"
            rounded = what == "acceleration"
            yield Published(
                source,
                "dead-zone",
                f"{what}@{time}",
                value,
                "last digit" if rounded else "reproduced",
                ROUNDED if rounded else "",
                scheme=scheme,
                units=2.0 if rounded else 0.0,
            )


PUBLISHED: tuple[Published, ...] = (*_references(), *_computed())
