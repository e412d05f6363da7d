"""A driven mass on a damper with valves: forces that are functions of the velocity, with bends and with powers."""

from functools import partial

import numpy as np

from veridyn.problem.devices import NonlinearDamper
from veridyn.problem.elements import Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.interpolation import crossings
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Values, Variant, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.consistency import device_law, energy, positions, rates, velocities
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import displacement_at, velocity_at

PARAMETERS = (
    Parameter("m", "kg", "mass", "400", "positive"),
    Parameter("k", "N/m", "stiffness of the spring", "4e4", "positive"),
    Parameter("c", "N s/m", "slope of the force of the damper around rest", "4000", "positive"),
    Parameter("v_b", "m/s", "rate from which the valve for compression is open", "0.1", "positive"),
    Parameter("v_r", "m/s", "rate from which the valve for rebound is open", "0.2", "positive"),
    Parameter("s_b", "N s/m", "slope of the force beyond v_b", "400", "any"),
    Parameter("s_r", "N s/m", "slope of the force beyond -v_r", "1000", "any"),
    Parameter("q", "N s^2/m^2", "square of the rate beyond v_b and -v_r", "0", "non-negative"),
    Parameter("a", "m", "displacement at the start, negative", "0.1", "positive"),
    Parameter("p", "N", "amplitude of the load", "8000", "positive"),
    Parameter("W", "rad/s", "angular frequency of the load", "8", "positive"),
)
END = 1.0
INSTANTS = ("0.25", "0.5", "0.75", "1")
SPACING = 5e-4  # s, of the output
DAMPER = "damper"


def damper(values: Values) -> NonlinearDamper:
    """Return the damper: three polynomials of the rate."""
    c, v_b, v_r, s_b, s_r, q = numbers(values, "c", "v_b", "v_r", "s_b", "s_r", "q")
    rows = ((-c * v_r, s_r, -q), (-c * v_r, c), (c * v_b, s_b, q))
    return NonlinearDamper(name=DAMPER, direction=np.ones(1), breaks=(-v_r, v_b), coefficients=rows)


def problem(values: Values) -> MechanicalProblem:
    """Return the motion over a second."""
    m, k, a, p, W = numbers(values, "m", "k", "a", "p", "W")
    return MechanicalProblem(
        name="valve_damper",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.array([-a]),
        end=END,
        output_times=np.linspace(0.0, END, round(END / SPACING) + 1),
        loads=(Load(np.ones(1), Harmonic(p, W)),),
        devices=(damper(values),),
        coordinates=("x",),
    )


MOTION = make_quantities(problem, PARAMETERS)
OPENS = f"{DAMPER}_rises_2"  # the event: the rate rises into the third row


def _regularity(values: Values) -> float:
    """Return 3 where the force goes on with the slope it had, as into a turbulent orifice; else 2."""
    return 3.0 if values["s_b"] == values["s_r"] == values["c"] else 2.0


def opens(o: Observation, number: int) -> float:
    """Instant (s) at which the valve for compression opens for the time with this number."""
    rises = [t for t, side in crossings(o.response.time, o.response.velocity[:, 0] - o["v_b"]) if side > 0]
    if len(rises) < number:
        raise SolverFailure(f"the velocity rises through v_b {len(rises)} times, not {number}")
    return rises[number - 1]


places, speeds, times = (
    Quantities(MOTION, share, f"this suite asks {words}", regularity=_regularity)
    for share, words in (
        (1e-2, "1e-2 of the displacement at the start"),
        (1e-2, "1e-2 of the velocity of a free motion"),
        (1e-3, "1e-3 of the span"),
    )
)


def _at(time: str) -> tuple[Quantity, ...]:
    place, speed = (partial(measure, time=float(time)) for measure in (displacement_at, velocity_at))
    x, v = (MOTION.value(name, time) for name in ("x", "v_x"))
    return (
        places.quantity(f"x@{time}", "m", f"displacement at {time} s", x, place, scale="a"),
        speeds.quantity(f"v@{time}", "m/s", f"velocity at {time} s", v, speed, scale="a*sqrt(k/m)"),
    )


def _opens(number: int) -> Quantity:
    truth, words = MOTION.event(OPENS, number), f"opening {number} of the valve for compression"
    return times.quantity(f"opens_{number}", "s", words, truth, partial(opens, number=number), scale=str(END))


CASE = Case(
    name="valve_damper",
    title="Mass on a damper with valves",
    document="Dixon 2007",
    topics=("nonlinear damper",),
    summary="A mass on a spring is driven beside a damper whose valves open at a rate: the slope of its force falls, "
    "turns negative, or grows with the square of the rate.",
    statement=(
        "A mass m on a spring k, let go at x = -a, is driven by p sin(W t). Its damper pushes back with F(v), v = x': "
        "c v around rest, with another slope beyond the rates v_b and -v_r at which valves open.",
        "Variant valves: the slopes fall to s_b and s_r (relief valves). Variant falls: s_b is negative, as the "
        "friction of a lubricated bearing falls with the speed. Variant orifice: the slope goes on and a square of the "
        "rate beyond is added, as where laminar flow turns turbulent.",
        "From bend to bend the first two motions are sums of exponentials; the third has no closed form.",
    ),
    equations=(
        "m x'' + F(x') + k x = p sin(W t), x(0) = -a, x'(0) = 0",
        "F(v) = c v for -v_r <= v <= v_b",
        "F(v) = c v_b + s_b (v - v_b) + q (v - v_b)^2 for v > v_b",
        "F(v) = -c v_r + s_r (v + v_r) - q (v + v_r)^2 for v < -v_r",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("valves", {}),
        Variant("falls", {"s_b": "-300"}),
        Variant("orifice", {"s_b": "4000", "s_r": "4000", "q": "6000", "p": "20000"}),
    ),
    quantities=(*(q for t in INSTANTS for q in _at(t)), *map(_opens, (1, 2))),
    residuals=(
        energy("of k a²/2", lambda o: 0.5 * o["k"] * o["a"] ** 2),
        velocities(),
        positions(),
        rates(),
        device_law(),
    ),
    problem=problem,
    modelling=(
        "The damper is a device of type nonlinear-damper; without squares it is piecewise linear, which the exact "
        "solver and event-driven integrators take as it is: bends are events.",
        "Openings are roots of v - v_b between the samples.",
    ),
    sources=("J. C. Dixon: The Shock Absorber Handbook. 2nd edition, Wiley (2007).",),
    remarks=("A damper that sees the velocity of a step ago is of order 1: the schemes that do so claim it.",),
)

test_valve_damper = verifies(CASE)
