"""SDND101: what EDF's manual V5.01.101 (STA 5, 2001) and test file print."""

from typing import Any

from veridyn.validation_cases.case import Published
from veridyn.validation_cases.case import PublishedVerdict as Verdict

MANUAL = "V5.01.101 §4.1, reference"
COMPUTED = "V5.01.101 §4.1, EULER"
TEST_FILE = "Code_Aster test sdnd101a"

TWICE = "the manual prints the value of impact 2 for impact 1 as well"
IMPULSE = "2 k_c v0/w_c² = 20000/101 = 198.0198…: the printed 198.05 is 1.5e-4 too large"
EULER = "symplectic_euler"
SHORT = "2-shocks"


def _reference(quantity: str, value: str, **more: Any) -> Published:
    verdict: Verdict = "inaccurate" if "explanation" in more else "reproduced"
    return Published(MANUAL, SHORT, quantity, value, verdict, **more)


def _computed(quantity: str, unit: str, value: str, source: str = COMPUTED, **more: Any) -> Published:
    verdict: Verdict = "misprint" if "correct" in more else "reproduced"
    return Published(source, SHORT, quantity, value, verdict, scheme=EULER, unit=unit, **more)


PUBLISHED: tuple[Published, ...] = (
    _reference("peak_time_1", "1.5630E-2"),
    _reference("peak_time_2", "3.6100E-1", explanation="rounded to three digits and printed with five: 3.6105E-1"),
    _reference("peak_force", "9.95E3"),
    _reference("contact_duration", "3.1260E-2"),
    _reference("impulse", "1.9805E2", explanation=IMPULSE),
    _reference("impact_velocity", "-1."),
    _computed("sampled_peak_time_1", "s", "1.55000E-2"),
    _computed("sampled_peak_force_1", "N", "9.95269E3"),
    _computed("sampled_duration_1", "s", "3.15000E-2", correct="3.10000E-2", explanation=TWICE),
    _computed("sampled_impulse_1", "N s", "1.98093E2", correct="1.98051E2", explanation=TWICE),
    _computed("sampled_velocity_1", "m/s", "-1.00031E0", correct="-1.00000E0", explanation=TWICE),
    _computed("sampled_peak_time_2", "s", "3.61000E-1"),
    _computed("sampled_peak_force_2", "N", "9.95478E3"),
    _computed("sampled_duration_2", "s", "3.15000E-2"),
    _computed("sampled_impulse_2", "N s", "1.98093E2"),
    _computed("sampled_velocity_2", "m/s", "-1.00031E0"),
    _computed("sampled_absolute_peak_force", "N", "9.95478E3"),
    _computed("sampled_peak_time_1", "s", "0.0155", TEST_FILE),
    _computed("sampled_peak_force_1", "N", "9952.685590457", TEST_FILE),
    _computed("sampled_peak_time_2", "s", "0.361", TEST_FILE),
    _computed("sampled_peak_force_2", "N", "9954.7807740037", TEST_FILE),
    _computed("sampled_duration_2", "s", "0.0315", TEST_FILE),
    _computed("sampled_impulse_2", "N s", "198.09273674733", TEST_FILE),
    _computed("sampled_velocity_2", "m/s", "-1.0003141755606", TEST_FILE),
    _computed("sampled_absolute_peak_force", "N", "9954.7807740037", TEST_FILE),
)
