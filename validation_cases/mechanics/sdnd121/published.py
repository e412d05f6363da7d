"""SDND121: what EDF's manual V5.01.121 and test file print, as far as it is at hand."""

from veridyn.validation_cases.core.case import Published

TEST_FILE = "Code_Aster test sdnd121a, reference"

PUBLISHED: tuple[Published, ...] = (
    Published(TEST_FILE, "a", "touch_1", "0.024867876", "reproduced"),
    Published(TEST_FILE, "a", "release_1", "0.025260518", "reproduced"),
)
