"""SDND104: what EDF's manual V5.01.104 (6.4, 2003) and test file print."""

from typing import Any

from veridyn.validation_cases.case import Published

MANUAL = "V5.01.104 §2.1"
TEXT = "V5.01.104 §2, text"
COMPUTED = "V5.01.104 §4.1"
TEST_FILE = "Code_Aster test sdnd104a (2020)"

LABEL = "the table is headed [4, 11.99] s, but its numbers are means over [4, 12] s"
REPEATED = (
    "the cell repeats the analytical reference; the scheme gives 2.26326E-4 with the settings of the test file "
    "(k_T = 9e6 N/m, step 1e-4 s), 0.072 % above it, as the manual's own last column says"
)
TYPING = "a 1 printed for a 2 in the fifth digit: the manual's own difference of 0.072 % fits 2.26326E-4 only"
ROBUST = (
    "the 2002 step control restarts the friction law where the rejected try left it; the sixth digit depends on "
    "when the easy-step counter starts again (reproduced: at every rejection)"
)

DEVOGE_TIGHT = (
    "our adaptive scheme gives 2.2632579E-4 with the settings of the other amplitudes, 6e-7 above, and comes no nearer "
    "than 1.4e-7 with 240 other sets of first step, bounds and tolerance; at the other two amplitudes all digits agree"
)


def _computed(a0: str, scheme: str, name: str, value: str, **more: Any) -> Published:
    wrong = "correct" in more
    return Published(
        source=f"{COMPUTED}, {name}",
        variant=f"a0={a0}",
        quantity="wear_power",
        value=value,
        verdict="misprint" if wrong else "reproduced",
        scheme=scheme,
        **more,
    )


def _reference(
    a0: str, value: str, explanation: str = "", source: str = MANUAL, quantity: str = "wear_power", **more: str
) -> Published:
    return Published(source, f"a0={a0}", quantity, value, "reproduced", explanation, at=more)


def _test_file(a0: str, scheme: str, value: str) -> Published:
    return Published(TEST_FILE, f"a0={a0}", "wear_power", value, "reproduced", scheme=scheme)


PUBLISHED: tuple[Published, ...] = (
    _reference("15", "15.26709959", LABEL),
    _reference("1.5", "0.40906245", LABEL),
    _reference("1.01", "2.261641E-4", LABEL),
    _reference("0.99", "0"),
    _reference("15", "15.257521794", "mean over [4, 11.99] s, unlike the table", TEXT, t_end="11.99"),
    _reference("15", "15.1146144886", "", TEXT, "asymptotic_wear_power"),
    _computed("15", "central_adaptive", "ADAPT", "15.2660", explanation=ROBUST),
    _computed("15", "devogelaere", "DEVOGE", "15.2665"),
    _computed("15", "symplectic_euler", "EULER", "15.2668"),
    _computed("1.5", "central_adaptive", "ADAPT", "0.409077", explanation=ROBUST),
    _computed("1.5", "devogelaere", "DEVOGE", "0.409077"),
    _computed("1.5", "symplectic_euler", "EULER", "0.409077"),
    _computed("1.01", "central_adaptive", "ADAPT", "2.26164E-4", correct="2.26326E-4", explanation=REPEATED),
    _computed("1.01", "devogelaere", "DEVOGE", "2.26164E-4", correct="2.26326E-4", explanation=REPEATED),
    _computed("1.01", "symplectic_euler", "EULER", "2.26316E-4", correct="2.26326E-4", explanation=TYPING),
    _computed("0.99", "central_adaptive", "ADAPT", "0"),
    _computed("0.99", "devogelaere", "DEVOGE", "0"),
    _computed("0.99", "symplectic_euler", "EULER", "0"),
    _test_file("15", "symplectic_euler", "15.2667964799"),
    _test_file("1.5", "symplectic_euler", "0.409077335988"),
    _test_file("1.01", "symplectic_euler", "2.26326449113E-4"),
    _test_file("15", "central_adaptive", "15.2692159728"),
    _test_file("1.5", "central_adaptive", "0.40907821451"),
    _test_file("1.01", "central_adaptive", "2.26322195456E-4"),
    _test_file("15", "devogelaere_adaptive", "15.2665617905"),
    _test_file("1.5", "devogelaere_adaptive", "0.409073290655"),
    Published(
        TEST_FILE,
        "a0=1.01",
        "wear_power",
        "2.26325663739E-4",
        "not reproduced",
        DEVOGE_TIGHT,
        scheme="devogelaere_adaptive",
    ),
    _test_file("15", "runge_kutta_54", "15.2662856039"),
    _test_file("1.5", "runge_kutta_54", "0.409077374963"),
    _test_file("1.01", "runge_kutta_54", "2.26325137801E-4"),
    _test_file("15", "runge_kutta_32", "15.266825679"),
    _test_file("1.5", "runge_kutta_32", "0.409077374702"),
)

# What the manual states about its own model, against what its numbers were computed with.
SETTINGS_ERRATA = (
    "The text says k_T = 9e5 N/m and a step of 3e-5 s (elsewhere 1e-4 s); only k_T = 9e6 N/m with 1e-4 s gives "
    "the printed numbers.",
    "The text defines the wear power as mu m g |v|; all its numbers are m g |v|, ten times larger, as its Maple "
    "program computes.",
)
