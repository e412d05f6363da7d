"""SDND104: what EDF's manual V5.01.104 (6.4, 2003) prints."""

from veridyn.validation_cases.core.case import Published

MANUAL = "V5.01.104 §2.1"
TEXT = "V5.01.104 §2, text"

LABEL = "the table is headed [4, 11.99] s, but its numbers are means over [4, 12] s"


def _reference(
    a0: str, value: str, explanation: str = "", source: str = MANUAL, quantity: str = "wear_power", **more: str
) -> Published:
    return Published(source, f"a0={a0}", quantity, value, "reproduced", explanation, at=more)


PUBLISHED: tuple[Published, ...] = (
    _reference("15", "15.26709959", LABEL),
    _reference("1.5", "0.40906245", LABEL),
    _reference("1.01", "2.261641E-4", LABEL),
    _reference("0.99", "0"),
    _reference("15", "15.257521794", "mean over [4, 11.99] s, unlike the table", TEXT, t_end="11.99"),
    _reference("15", "15.1146144886", "", TEXT, "asymptotic_wear_power"),
)

# What the manual states about its own model, against what its numbers were computed with.
SETTINGS_ERRATA = (
    "The text says k_T = 9e5 N/m and a step of 3e-5 s (elsewhere 1e-4 s); only k_T = 9e6 N/m with 1e-4 s gives "
    "the printed numbers.",
    "The text defines the wear power as mu m g |v|; all its numbers are m g |v|, ten times larger, as its Maple "
    "program computes.",
)
