"""SDND101: what EDF's manual V5.01.101 (STA 5, 2001) prints."""

from typing import Any

from veridyn.validation_cases.core.case import Published
from veridyn.validation_cases.core.case import PublishedVerdict as Verdict

MANUAL = "V5.01.101 §4.1, reference"

IMPULSE = "2 k_c v0/w_c² = 20000/101 = 198.0198…: the printed 198.05 is 1.5e-4 too large"
SHORT = "2-shocks"


def _reference(quantity: str, value: str, **more: Any) -> Published:
    verdict: Verdict = "inaccurate" if "explanation" in more else "reproduced"
    return Published(MANUAL, SHORT, quantity, value, verdict, **more)


PUBLISHED: tuple[Published, ...] = (
    _reference("peak_time_1", "1.5630E-2"),
    _reference("peak_time_2", "3.6100E-1", explanation="rounded to three digits and printed with five: 3.6105E-1"),
    _reference("peak_force", "9.95E3"),
    _reference("contact_duration", "3.1260E-2"),
    _reference("impulse", "1.9805E2", explanation=IMPULSE),
    _reference("impact_velocity", "-1."),
)
