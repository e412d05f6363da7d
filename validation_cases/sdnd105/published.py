"""SDND105: what Code_Aster's test files sdnd105a, b, c (2018 to 2020) print."""

from veridyn.validation_cases.case import Published

A, B, C = (f"Code_Aster test sdnd105{letter}" for letter in "abc")

EXIT = "the velocity after release, but the mass is released at 9.10073 s; at 9 s it is -1.302867871 m/s"
ROUNDED = "evaluated in double precision: the last digit is 6, from a launch velocity of 2.828427125 m/s"
TYPED = {"energy": "4.0000000007178828828125"}  # 2.828427125²/2

PUBLISHED: tuple[Published, ...] = (
    Published(A, "a", "buckling_time", "0.52359877559829882", "inaccurate", "the double nearest to pi/6: …829887"),
    Published(A, "a", "residual_crush", "3.0", "reproduced"),
    Published(A, "a", "return_time", "10.45178254693452", "reproduced"),
    Published(A, "a", "archived_buckling_time", "0.523895026469", "reproduced", scheme="central_adaptive", unit="s"),
    Published(B, "b", "residual_crush", "3.0", "reproduced"),
    Published(C, "c", "largest_crush", "6.500000001435767", "inaccurate", ROUNDED, at=TYPED),
    Published(C, "c", "residual_crush", "3.1", "reproduced"),
    Published(C, "c", "velocity@9", "-1.303840481", "inaccurate", EXIT),
)
