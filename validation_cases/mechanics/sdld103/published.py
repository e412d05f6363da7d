"""SDLD103: what EDF's manual V2.01.103 (STA 5, 2001) prints, modelling A (translation) and B (rotation).

Relative displacements are printed as magnitudes; the true ones are negative.
"""

from collections.abc import Iterator

from veridyn.validation_cases.core.case import Published

DOCUMENT = "V2.01.103"
TIMES = ("0.1", "0.3", "0.5", "0.7", "1.0")
EARLY_TIMES = ("0.01", "0.02", "0.03", "0.04", "0.05", "0.06", "0.07", "0.08", "0.09")

REFERENCE: dict[str, tuple[str, ...]] = {
    "relative_NO2": ("8.47734E-01", "1.55202E+01", "4.36449E+01", "8.50830E+01", "1.74790E+02"),
    "relative_NO3": ("7.68449E-01", "1.76923E+01", "4.99310E+01", "9.70711E+01", "1.99722E+02"),
    "relative_NO4": ("4.09632E-01", "1.10372E+01", "3.12415E+01", "6.05833E+01", "1.24803E+02"),
    "absolute_NO2": ("4.02266E-01", "8.57298E+01", "7.37605E+02", "2.91617E+03", "1.23252E+04"),
    "absolute_NO3": ("6.48847E-02", "4.98077E+01", "4.70902E+02", "1.90376E+03", "8.13361E+03"),
    "absolute_NO4": ("7.03506E-03", "2.27128E+01", "2.29175E+02", "9.39833E+02", "4.04186E+03"),
}
EARLY_REFERENCE = (
    "9.87666E-10",
    "2.49501E-07",
    "6.25468E-06",
    "6.05829E-05",
    "3.47191E-04",
    "1.42349E-03",
    "4.62144E-03",
    "1.26245E-02",
    "3.01825E-02",
)
HEADING = "printed in the table of relative displacements; it is the absolute displacement"


def _tables(modelling: str) -> Iterator[Published]:
    source, wrong = f"{DOCUMENT} {modelling}, reference", modelling == "A"
    for quantity, row in REFERENCE.items():
        for time, value in zip(TIMES, row, strict=True):
            yield Published(source, modelling, f"{quantity}@{time}", value, "reproduced")
    for time, value in zip(EARLY_TIMES, EARLY_REFERENCE, strict=True):
        name = f"absolute_NO3@{time}"
        if wrong:
            yield Published(source, modelling, name, value, "misprint", HEADING)
        else:
            yield Published(source, modelling, name, value, "reproduced")


STATEMENTS = (
    "The second mode that Code_Aster's newer test computes with holds -6.1250e-8 of the first mode and 5.3418e-8 of "
    "the third: these two numbers explain the printed digits of DIFF_CENTRE, DEVOGE and RUNGE_KUTTA_54 "
    "and of the run with two modes, up to thirteen each. Orthogonalisation takes the part of the first mode away and "
    "leaves -9.1176e-8 of the second in the third.",
    "The accelerogram of the newer test is a table of 1e-4 s, read by linear interpolation: 6e-7 m of the 0.065 m at "
    "0.1 s come from it, whatever the scheme.",
    "The absolute displacements that the newer test checks under the name of RUNGE_KUTTA_32 are those of "
    "RUNGE_KUTTA_54, digit for digit: the wrong run is read again, and RUNGE_KUTTA_32 is tested by its relative "
    "displacements only.",
)

PUBLISHED: tuple[Published, ...] = (
    Published(f"{DOCUMENT} §2.2", "A", "frequency_1", "3.85", "reproduced"),
    Published(f"{DOCUMENT} §2.2", "A", "frequency_2", "7.12", "reproduced"),
    Published(f"{DOCUMENT} §2.2", "A", "frequency_3", "9.3", "reproduced"),
    *_tables("A"),
    *_tables("B"),
)
