"""Drop on a floor for a grid of coefficients of restitution: instants, speeds and heights of three bounces."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Values, Variant, floats
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("h", "m", "height of release", "1"),
    Parameter("e", "1", "coefficient of restitution", "0.75"),
)
DROP = (PARAMETERS[0], PARAMETERS[1])
OUTPUTS = 400


def dropped(rebound: Change, parameters: tuple[Parameter, ...]) -> InitialValueProblem:
    """Return a drop with what happens at the floor; tops are markers."""
    top = Change(name="top", guard="v", direction=-1)
    return InitialValueProblem(
        name="restitution_grid",
        states=("y", "v"),
        parameters={p.name: p.default for p in parameters},
        modes=(Mode(name="flight", rates=("v", "-g"), events=(rebound, top)), Mode(name="rest", rates=(0, 0))),
        initial=("h", 0),
        end=10.0,
    )


BOUNCES = dropped(Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"}), PARAMETERS)
SETTLES = dropped(Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": 0}, mode="rest"), DROP)


def fall(p: Any) -> Any:
    """Return the time of the first fall (s)."""
    return mpmath.sqrt(2 * p.h / p.g)


def impact(p: Any, number: int) -> Any:
    """Return the instant of an impact (s)."""
    return fall(p) * (1 + 2 * mpmath.fsum(p.e**k for k in range(1, number)))


def top(p: Any, number: int) -> Any:
    """Return the instant (s) of a top: the middle of two impacts."""
    return (impact(p, number) + impact(p, number + 1)) / 2


def speed(p: Any, number: int, before: bool) -> Any:
    """Return the velocity at an impact (m/s)."""
    return (-1 if before else p.e) * p.e ** (number - 1) * p.g * fall(p)


def bounces(values: Values) -> InitialValueProblem:
    """Return the motion until some time after the third top."""
    g, h, e = floats(values, "g", "h", "e")
    end = float((2 * h / g) ** 0.5 * (1 + 2 * e + 2 * e**2 + 1.5 * e**3))
    return BOUNCES.with_parameters(values, end=end, output_times=evenly(end, OUTPUTS))


def settles(values: Values) -> InitialValueProblem:
    """Return the drop without restitution, for two and a half times the fall."""
    g, h = floats(values, "g", "h")
    end = float(2.5 * (2 * h / g) ** 0.5)
    plain = {name: values[name] for name in ("g", "h")}
    return SETTLES.with_parameters(plain, end=end, output_times=evenly(end, OUTPUTS))


def height(p: Any, *, number: int) -> Any:
    """Return the height after an impact (m), counted from 1."""
    return p.e ** (2 * number) * p.h


REQUIRED = (Requirement("e <= 1", REBOUND),)
of = Quantities(hybrid.motion(BOUNCES, PARAMETERS, restrict(*REQUIRED)), how="geometric series")
at_rest = Quantities(hybrid.motion(SETTLES, DROP), how="geometric series")
GRID = (
    *(of.event("impact", n, second=partial(impact, number=n)) for n in (1, 2, 3)),
    of.value("v", ("impact", 2), "m/s", before=True, name="v_before_2", second=partial(speed, number=2, before=True)),
    of.value("v", ("impact", 2), "m/s", name="v_after_2", second=partial(speed, number=2, before=False)),
    of.event("top", 2, second=partial(top, number=2)),
    *(of.value("y", ("top", n), "m", name=f"height_{n}", second=partial(height, number=n)) for n in (1, 3)),
)
LATE = "3*sqrt(2*h/g)/2"
REST = (
    at_rest.event("impact", name="landing", second=fall),
    at_rest.value("y", LATE, "m", name="y_rest", scale="h"),
    at_rest.value("v", LATE, "m/s", name="v_rest", scale="sqrt(2*g*h)"),
)
BOUNCING, RESTING = (frozenset(q.name for q in group) for group in (GRID, REST))

CASE = Case(
    name="restitution_grid",
    title="Grid of restitution",
    document="Newton 1687",
    topics=("impact",),
    summary="A body falls on a floor with e = 0, 1/4, 1/2, 3/4 and 1: instants, speeds and heights of three bounces.",
    statement=(
        "A body falls from the height h; at the floor its velocity v becomes -e v. Bounce n reaches e^(2 n) h.",
        "Without restitution it rests on the floor from the first impact on.",
    ),
    sketch=draw.sketch(
        draw.ground((-0.6, 0), (6.2, 0)),
        *(draw.disc((0.2 + 1.35 * i, 2.5), 0.2) for i in range(5)),
        *(draw.dashed((0.2 + 1.35 * i, 2.3), (0.2 + 1.35 * i, 0.2)) for i in range(5)),
        *(draw.graph((0.5 + 1.35 * i, 0.05), (0.5 + 1.35 * i, 0.1 + 2.4 * (i / 4) ** 2)) for i in range(5)),
        *(draw.words((0.3 + 1.35 * i, -0.5), f"e = {e}") for i, e in enumerate(("0", "1/4", "1/2", "3/4", "1"))),
        draw.span((-0.4, 0), (-0.4, 2.3), "h"),
    ),
    equations=(*equations(BOUNCES), "t_n = sqrt(2 h/g) (1 + 2 Σ_{k=1}^{n-1} e^k), h_n = e^(2 n) h"),
    parameters=PARAMETERS,
    variants=(
        Variant("e=0", {"e": "0.5"}, RESTING, settles),
        Variant("e=1/4", {"e": "0.25"}, BOUNCING),
        Variant("e=1/2", {"e": "0.5"}, BOUNCING),
        Variant("e=3/4", {}, BOUNCING),
        Variant("e=1", {"e": "1"}, BOUNCING),
    ),
    quantities=(*GRID, *REST),
    requirements=REQUIRED,
    problem=bounces,
    modelling=("The motion ends after the third top, long before impacts accumulate.",),
    sources=(
        "I. Newton: Philosophiae naturalis principia mathematica. London (1687), scholium to the laws of motion.",
    ),
    remarks=(
        "Restitution by a spring and a dashpot is right at one speed and one step only: the grid shows it.",
        "A contact that knows no restitution (e = 0 whatever is asked) passes the first instant and nothing else.",
        "An impact that is found late adds g h/2 of speed a step: with e = 1 the body gains height.",
    ),
    benchmark_variant="e=3/4",
)

test_restitution_grid = verifies(CASE)
