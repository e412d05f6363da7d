"""Galperin's billiard: the number of collisions spells the digits of pi."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (Parameter("M", "kg", "mass of the large body; the small one has 1 kg", "100", "positive"),)
AFTER = {"x": "X", "V": "((M - 1)*V + 2*v)/(M + 1)", "v": "((1 - M)*v + 2*M*V)/(M + 1)"}
WINDOW = 10  # s
PROBLEM = InitialValueProblem(
    name="galperin",
    states=("X", "V", "x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=("V", 0, "v", 0),
            events=(
                Change(name="hit", guard="X - x", direction=-1, reset=AFTER),
                Change(name="wall", guard="x", direction=-1, reset={"x": 0, "v": "-v"}),
            ),
        ),
    ),
    initial=(2, -1, 1, 0),
    end=float(WINDOW),
    output_times=evenly(float(WINDOW), 2000),
    invariants={"energy": "M*V**2/2 + v**2/2"},
)


def angle(p: Any) -> Any:
    """Return the angle of the wedge in which both bodies are one point that moves straight on."""
    return mpmath.atan(1 / mpmath.sqrt(p.M))


def collisions(p: Any) -> Any:
    """Return the number of collisions within the window: sides of the unfolded wedge that a straight line crosses."""
    turned = mpmath.pi - mpmath.acot((WINDOW - 2) * mpmath.sqrt(p.M))  # of the line, seen from the corner, at the end
    sides = turned / angle(p)
    whole = mpmath.nint(sides)
    if abs(sides - whole) < mpmath.sqrt(mpmath.eps):
        raise CertificationError("a collision comes at the end of the window")
    return mpmath.floor(sides)


def hits(p: Any) -> Any:
    """Return how often the bodies collide: every other side, the first included."""
    return mpmath.ceil(collisions(p) / 2)


def last(p: Any) -> Any:
    """Return the instant of the last collision: where the unfolded line crosses the last side."""
    return 2 - mpmath.cot(collisions(p) * angle(p)) / mpmath.sqrt(p.M)


def speed(p: Any) -> Any:
    """Return the velocity of the small body at the end: from the wall if it was there last."""
    side = 1 if collisions(p) % 2 == 0 else -1
    return side * mpmath.sqrt(p.M) * mpmath.sin(2 * hits(p) * angle(p))


def recoils(values: Values) -> bool:
    """Whether the small body moves at the end: of equal bodies it stops."""
    return float(values["M"]) != 1.0


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), how="the unfolded wedge")
QUANTITIES = (
    of.count("hit", "10", name="hits", second=hits),
    of.count("wall", "10", name="walls", second=lambda p: collisions(p) - hits(p)),
    of.event("hit", 2, second=lambda p: 2 - mpmath.cot(3 * angle(p)) / mpmath.sqrt(p.M)),
    of.value("V", "10", "m/s", scale="1", second=lambda p: -mpmath.cos(2 * hits(p) * angle(p))),
    of.value("v", "10", "m/s", scale="sqrt(M)", second=speed, applies=recoils),
    of.value("X", "10", "m", second=lambda p: last_place(p) - (WINDOW - last(p)) * mpmath.cos(2 * hits(p) * angle(p))),
)


def last_place(p: Any) -> Any:
    """Return where the large body is at the last collision: the distance from the corner of the wedge."""
    distance = 1 / mpmath.sin(collisions(p) * angle(p))
    odd = collisions(p) % 2 == 1
    return distance * (mpmath.cos(angle(p)) if odd else 1) / mpmath.sqrt(p.M)


CASE = Case(
    name="galperin",
    title="Galperin's billiard",
    document="Galperin 2003",
    topics=("impact", "simultaneous events"),
    summary="A large body drives a small one against a wall: elastic collisions, as many as pi has it.",
    statement=(
        "A body M moves with 1 m/s to a body of 1 kg at rest in front of a wall; all collisions are elastic.",
        "With M = 100^k kg there are as many collisions as the first k + 1 digits of pi say: 3, 31, 314.",
        "In the plane of sqrt(M) X and x a point moves straight in a wedge; unfolded, it crosses a side a collision.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 0), (6.2, 0)),
        draw.ground((0, 1.8), (0, 0)),
        draw.box((1.9, 0.4), 0.9, 0.8, "1 kg"),
        draw.box((4.6, 0.7), 1.4, 1.4, "M"),
        draw.arrow((4.4, 1.7), (3.4, 1.7), "1 m/s"),
        draw.span((0, -0.5), (1.45, -0.5), ""),
        draw.words((0.7, -0.8), "x"),
    ),
    shown=ShownMotion(curves=("X", "x")),
    equations=of.equations("θ = atan(1/sqrt(M)), N = ceil(π/θ) - 1, V = -cos(2 ceil(N/2) θ)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("hundred", {}), Variant("equal", {"M": "1"}), Variant("ten_thousand", {"M": "10000"})),
    quantities=QUANTITIES,
    sources=(
        "G. Galperin: Playing pool with π (the number π from a billiard point of view). Regular and Chaotic "
        "Dynamics 8 (2003) 375-394. https://doi.org/10.1070/RD2003v008n04ABEH000252",
    ),
    remarks=(
        "Collisions crowd about t = 2 s: a solver that tests the guards at its steps alone loses some, in pairs.",
        "A lost or doubled collision turns the final velocities by 2 θ; stiff springs for impacts do, too.",
    ),
    held={"M": "collisions are counted: another mass has another number of them"},
)

test_galperin = verifies(CASE)
