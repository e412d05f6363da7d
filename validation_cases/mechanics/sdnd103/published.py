"""SDND103: the references of Code_Aster's test file; its spring has a dead zone of 1e-6 m."""

from collections.abc import Iterator

from veridyn.validation_cases.core.case import Published
from veridyn.validation_cases.mechanics.sdnd103.measures import TIMES

TEST_FILE = "Code_Aster test sdnd103a"


def _references() -> Iterator[Published]:
    yield Published(f"{TEST_FILE}, reference", "chosen", "frequency", "2.37254181139", "reproduced")
    for i, time in enumerate(TIMES):
        sign = "-" if i % 2 else ""
        source = f"{TEST_FILE}, reference"
        yield Published(source, "chosen", f"displacement@{time}", f"{sign}0.01", "reproduced")
        yield Published(source, "chosen", f"velocity@{time}", "0", "reproduced")
        turned = "" if i % 2 else "-"
        yield Published(source, "chosen", f"acceleration@{time}", f"{turned}6.168502750680849E-3", "reproduced")


PUBLISHED: tuple[Published, ...] = tuple(_references())
