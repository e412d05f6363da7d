"""SDND102: what EDF's manual V5.01.102 and test files print."""

from __future__ import annotations

from veridyn.validation_cases.case import Published
from veridyn.validation_cases.sdnd102.models import PRINTED_A, PRINTED_C, SAMPLE_B

A = "Code_Aster test sdnd102a, DIFF_CENTRE"
B = "Code_Aster test sdnd102b, maximum of the contact force"
C = "Code_Aster test sdnd102c, DIFF_CENT"
EULER = "symplectic_euler"

DISPLACEMENTS_A = (
    "-3.58082E-4",
    "-1.22321E-4",
    "-1.8876E-4",
    "-1.89772E-4",
    "-6.84454E-5",
    "-1.11982E-4",
    "-1.20103E-4",
    "-1.07178E-4",
)
DIFFERENCES_A = {"0.1": "5.89E-7", "0.3": "-1.89E-6", "0.5": "-1.56E-7", "0.7": "1.82E-6", "1.0": "1.72E-6"}
DISPLACEMENTS_C = ("-1.565203E-4", "-5.14832E-4", "2.812914E-4", "-4.493425E-4", "-3.757078E-4")

RESTORED = (
    "no difference of the two models but of their steps, 2.5e-4 and 2e-4 s: with one step it is zero. All but the last "
    "are read between two states of the wall's archive, which keeps every eighth step, by linear interpolation"
)
COARSE = "not converged: w_c h = 1.52, four steps per period of contact"
SAMPLED = (
    "no maximum but a sample: outputs 2e-3 s apart meet a contact of 2e-3 s once, early; with steps of 1e-3 s its "
    "force is 4.6 % too large besides. The peak of that contact is 1120.345 N, at 0.37665 s"
)

PUBLISHED: tuple[Published, ...] = (
    *(
        Published(A, "a-two-masses", f"displacement@{t}", value, "reproduced", scheme=EULER)
        for t, value in zip(PRINTED_A, DISPLACEMENTS_A, strict=True)
    ),
    *(
        Published(A, "a-two-masses", f"difference@{t}", value, "reproduced", RESTORED, scheme=EULER, unit="m")
        for t, value in DIFFERENCES_A.items()
    ),
    Published(B, "a", f"force@{SAMPLE_B}", "629.287", "inaccurate", SAMPLED),
    *(
        Published(C, "c", f"displacement@{t}", value, "reproduced", COARSE, scheme=EULER)
        for t, value in zip(PRINTED_C, DISPLACEMENTS_C, strict=True)
    ),
)
