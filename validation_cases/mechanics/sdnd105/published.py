"""SDND105: what Code_Aster's test files sdnd105a, b, c (2018 to 2020) print."""

from veridyn.validation_cases.core.case import Published

A, B, C = (f"Code_Aster test sdnd105{letter}" for letter in "abc")

EXIT = "the velocity after release, but the mass is released at 9.10073 s; at 9 s it is -1.302867871 m/s"

PUBLISHED: tuple[Published, ...] = (
    Published(A, "a", "residual_crush", "3.0", "reproduced"),
    Published(A, "a", "return_time", "10.45178254693452", "reproduced"),
    Published(B, "b", "residual_crush", "3.0", "reproduced"),
    Published(C, "c", "residual_crush", "3.1", "reproduced"),
    Published(C, "c", "velocity@9", "-1.303840481", "inaccurate", EXIT),
)
