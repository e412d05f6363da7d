"""SDND107: what Code_Aster's test files sdnd107a and sdnd107c print: a force, a table of 201 points."""

from veridyn.validation_cases.core.case import Published

TABLE = "Code_Aster test sdnd107c, table"
TIMES = ("0.1", "0.2", "0.4", "0.8", "1.6", "3.2")

OFF = "the Runge-Kutta integration behind the table is off in the ninth digit from the end of the load on"
RIGHT = {
    "displacement@0.1": "-3.09076712e-03",
    "displacement@0.2": "-4.90498885e-03",
    "displacement@0.4": "-3.33665136e-03",
    "force@0.1": "-1.33445445e-01",
    "force@0.2": "-1.79146576e-01",
    "force@0.4": "-7.40844004e-02",
}
WRONG = {
    "displacement@0.8": "1.76840310e-03",
    "displacement@1.6": "-1.09691577e-03",
    "displacement@3.2": "-1.04371370e-03",
    "force@0.8": "1.06586430e-01",
    "force@1.6": "-4.03011996e-02",
    "force@3.2": "-5.33424722e-02",
}

PUBLISHED: tuple[Published, ...] = (
    Published("Code_Aster test sdnd107a, scale of its deviations", "linear", "initial_force", "4.42", "reproduced"),
    *(Published(TABLE, "power", name, value, "reproduced") for name, value in RIGHT.items()),
    *(Published(TABLE, "power", name, value, "inaccurate", OFF) for name, value in WRONG.items()),
)
