"""SDND102: what EDF's manual V5.01.102 and test files print."""

from __future__ import annotations

from veridyn.validation_cases.core.case import Published
from veridyn.validation_cases.mechanics.sdnd102.models import SAMPLE_B

B = "Code_Aster test sdnd102b, maximum of the contact force"
SAMPLED = (
    "no maximum but a sample: outputs 2e-3 s apart meet a contact of 2e-3 s once, early; with steps of 1e-3 s its "
    "force is 4.6 % too large besides. The peak of that contact is 1120.345 N, at 0.37665 s"
)

PUBLISHED: tuple[Published, ...] = (Published(B, "a", f"force@{SAMPLE_B}", "629.287", "inaccurate", SAMPLED),)
