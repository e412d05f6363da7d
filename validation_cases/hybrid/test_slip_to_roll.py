"""Ball that slides before it rolls: bowling, backspin, and a billiard ball on a curved path."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("mu", "1", "coefficient of friction", "0.2", "positive"),
    Parameter("r", "m", "radius", "0.03", "positive"),
    Parameter("v_0", "m/s", "velocity at the start, along x", "2", "positive"),
    Parameter("w_x", "rad/s", "spin about x at the start", "20", "any"),
    Parameter("w_y", "rad/s", "spin about y at the start, negative: backspin", "-60", "any"),
)
SLIP_X, SLIP_Y = "(v_0 - r*w_y)", "(r*w_x)"  # velocity of the point of contact at the start
SIZE = f"sqrt({SLIP_X}**2 + {SLIP_Y}**2)"
PULL_X, PULL_Y = (f"(-mu*g*{part}/{SIZE})" for part in (SLIP_X, SLIP_Y))
# p and q are the spins about x and y; friction keeps its direction, since the slip does
PROBLEM = InitialValueProblem(
    name="slip_to_roll",
    states=("x", "y", "u", "v", "p", "q"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="slide",
            rates=("u", "v", PULL_X, PULL_Y, f"5*{PULL_Y}/(2*r)", f"-5*{PULL_X}/(2*r)"),
            events=(
                Change(name="roll", guard=f"(u - r*q)*{SLIP_X} + (v + r*p)*{SLIP_Y}", direction=-1, mode="rolling"),
            ),
        ),
        Mode(name="rolling", rates=("u", "v", 0, 0, 0, 0)),
    ),
    initial=(0, 0, "v_0", 0, "w_x", "w_y"),
    end=1.0,
    output_times=evenly(1.0, 400),
    invariants={"u about the contact": "u + 2*r*q/5", "v about the contact": "v - 2*r*p/5"},
)


REQUIRED = (Requirement(f"{SLIP_X}**2 + {SLIP_Y}**2 > 0", "the ball rolls from the start", "another v_0 or w_y"),)


def slip(p: Any) -> Any:
    """Return the slip at the start, x + i y."""
    return mpmath.mpc(p.v_0 - p.r * p.w_y, p.r * p.w_x)


def sliding(p: Any) -> Any:
    """Return how long the ball slides (s)."""
    return 2 * abs(slip(p)) / (7 * p.mu * p.g)


def rolls(p: Any, part: str) -> Any:
    """Return a part of the velocity with which it rolls (m/s): moments about the contact keep 5/7 of v and the spin."""
    return getattr(mpmath.mpc(5 * p.v_0 + 2 * p.r * p.w_y, -2 * p.r * p.w_x) / 7, part)


def place(p: Any, part: str, share: Any) -> Any:
    """Return a coordinate (m) after a share of the slide: a parabola in the direction of the slip."""
    time = sliding(p) * mpmath.mpf(share)
    return getattr(p.v_0 * time - p.mu * p.g * time**2 / 2 * slip(p) / abs(slip(p)), part)


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)), how="complex numbers")
LATE = f"9*{SIZE}/(35*mu*g)"
QUANTITIES = (
    of.event("roll", name="t_roll", second=sliding),
    of.value("u", ("roll", 1), "m/s", name="u_roll", second=partial(rolls, part="real")),
    of.value("v", ("roll", 1), "m/s", name="v_roll", scale="v_0", second=partial(rolls, part="imag")),
    of.value("x", ("roll", 1), "m", name="x_roll", second=partial(place, part="real", share=1)),
    of.value("x", LATE, "m", name="x_late", second=partial(place, part="real", share="0.9")),
    of.value("y", LATE, "m", name="y_late", scale="v_0**2/(mu*g)", second=partial(place, part="imag", share="0.9")),
)
STRAIGHT = frozenset(("t_roll", "u_roll", "x_roll"))

CASE = Case(
    name="slip_to_roll",
    title="Ball that slides before it rolls",
    document="Coriolis 1835",
    topics=("multibody", "friction"),
    summary="A ball with spin slides on a table: friction bends its path until it rolls straight on.",
    statement=(
        "A solid ball slides on a plane with the coefficient mu; u, v are the velocities of its centre along x and y, "
        "p and q its spins about x and y. The point of contact slips with (u - r q, v + r p).",
        "The slip keeps its direction and falls at 7/2 mu g, so that the centre moves on a parabola; then it rolls.",
    ),
    sketch=draw.sketch(
        draw.ground((-1.2, 0), (6.0, 0)),
        draw.disc((0, 0.8), 0.8),
        draw.dot((0, 0.8)),
        draw.arrow((0.95, 0.8), (1.9, 0.8), "v"),
        draw.arc((0, 0.8), 1.05, 60, 140, "", turns=True),
        draw.words((-0.7, 2.0), "spin"),
        draw.dashed((1.2, 0.4), (4.3, 0.4)),
        draw.disc((4.6, 0.8), 0.8),
        draw.dot((4.6, 0.8)),
        draw.arc((4.6, 0.8), 1.05, 130, 50, "", turns=True),
        draw.words((4.6, -0.5), "rolls"),
        draw.words((0.3, -0.5), "slides, mu"),
    ),
    shown=ShownMotion(curves=("u", "v"), portraits=(("x", "y"),), true_to_scale=True),
    equations=(
        "u' = -μ g (v_0 - r w_y)/U, v' = -μ g r w_x/U, U = sqrt((v_0 - r w_y)^2 + r^2 w_x^2)",
        "p' = 5 v'/(2 r), q' = -5 u'/(2 r)",
        "t_r = 2 U/(7 μ g), u_r = (5 v_0 + 2 r w_y)/7, v_r = -2 r w_x/7",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("billiard", {}),
        Variant("bowling", {"v_0": "3", "r": "0.05", "w_x": "0", "w_y": "0"}, STRAIGHT),
        Variant("backspin", {"v_0": "3", "r": "0.05", "w_x": "0", "w_y": "-50"}, STRAIGHT),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=(
        "Friction is written in the direction of the slip at the start, which it keeps: in that of the present slip "
        "the equations are the same, and singular where rolling begins.",
    ),
    sources=("G. Coriolis: Théorie mathématique des effets du jeu de billard. Carilian-Goeury, Paris (1835).",),
    remarks=(
        "The wrong sign of the spin coupling turns backspin into topspin: the ball rolls on too fast, and the path "
        "bends to the other side.",
        "Friction against the velocity of the centre, not of the contact, gives a straight path.",
        "Friction that is made continuous creeps: the slip tends to zero and never is, and t_roll is late or missing.",
        "All is a polynomial of the second degree up to rolling: what is wrong then comes from its instant.",
    ),
)

test_slip_to_roll = verifies(CASE)
