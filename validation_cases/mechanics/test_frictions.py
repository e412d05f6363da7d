"""Frictions: slip, stick, slip of a block on a floor that presses, in a plane, under two frictions, elastically."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike

from veridyn.problem.basis import driven_displacement
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, constant, polynomial
from veridyn.references.mechanics.frictions import friction_of
from veridyn.references.mechanics.motions import MechanicalQuantities, make_quantities
from veridyn.references.parameters import Exact, Parameter, exact
from veridyn.references.requirements import Requirement, restrict
from veridyn.references.second_routes import rubbing_waves as waves
from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Observation,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    floats,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited, exactly
from veridyn.validation_cases.measures import plotting, quantities
from veridyn.validation_cases.measures.consistency import energy, flags, friction_cone, friction_law, rates, velocities
from veridyn.validation_cases.measures.friction import OVERSHOOT, Grip, SlipMeasures, find_spare
from veridyn.validation_cases.measures.quantities import share_of, size
from veridyn.validation_cases.measures.sliding import PHASE_WORDS
from veridyn.validation_cases.measures.trajectories import evenly

RUBBING, SHARING = "rub", "rub too"
MOST = 6  # changes of phase that are asked for one by one
LINE = np.array([0.6, 0.8])  # of the motion in a plane
COSINE, SINE = 15 / 17, 8 / 17  # of the angle between that line and oblique frictions
INSTANTS = ("0.4", "0.67", "0.9", "1.06", "1.3")  # in slip and in stick, far from the changes
OUTPUTS = 1000  # in a period of the spring
JUMPS = 1.0  # regularity: friction jumps
PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("k", "N/m", "stiffness of the spring", "200"),
    Parameter("W", "N", "force that presses the block on the floor", "400"),
    Parameter("kc", "N/m", "stiffness of the floor", "5000"),
    Parameter("w0", "m/s", "velocity towards the floor at the start", "1.2", "non-negative"),
    Parameter("mu_s", "1", "coefficient of friction at rest, above mu_d", "0.5"),
    Parameter("mu_d", "1", "coefficient of friction in motion", "0.25"),
    Parameter("F", "N", "amplitude of the push along the floor", "140"),
    Parameter("Omega", "rad/s", "circular frequency of the push", "7"),
    Parameter("x0", "m", "displacement at the start", "0.4", "any"),
    Parameter("v0", "m/s", "velocity at the start", "10"),
    Parameter("kt", "N/m", "stiffness of the stick; 0: rigid", "0", "non-negative"),
    Parameter("ct", "N s/m", "dashpot of the stick", "0", "non-negative"),
    Parameter("t0", "s", "start", "0.3", "non-negative"),
    Parameter("t1", "s", "end", "1.4"),
    Parameter("v1", "m/s", "velocity across at the start", "6"),
)
REQUIRED = (
    Requirement("mu_s > mu_d", "friction would not be larger at rest than in motion"),
    Requirement("W**2 > kc*m*w0**2", "the block leaves the floor", "w0 < W/sqrt(kc m)"),
    Requirement("t1 > t0", "the motion ends before it starts"),
    Requirement("kt == 0 or w0 == 0", "an elastic stick under a force that swings may have no consistent state"),
)
period = size("2*pi*sqrt(m/k)")  # period of the block on its spring (s)
_reach = size("F/k + v0*sqrt(m/k)")  # displacement scale (m): what push and launch do to the spring
_limit = size("mu_s*W")  # force scale (N): mu_s W


# ---- the problem


def state(
    values: Values, push: ArrayLike, launch: tuple[str, ...], groups: tuple[tuple[int, ...], ...], *, floor: bool
) -> MechanicalProblem:
    """Return a problem of one or two coordinates along the floor and, where it is elastic, one into it.

    ``push`` is the direction of force, displacement and velocity at the start, the size of which ``launch`` names for
    each coordinate; ``groups`` are the coordinates of each friction.
    """
    m, k, W, kc, w0, x0, t0, t1 = numbers(values, "m", "k", "W", "kc", "w0", "x0", "t0", "t1")
    F, Omega, mu_s, mu_d, kt, ct = numbers(values, "F", "Omega", "mu_s", "mu_d", "kt", "ct")
    line = np.asarray(push)
    unit = np.eye(line.size + floor, dtype=int)
    along, down = unit[: line.size], unit[-1]
    laws: dict[str, Any] = {"law": "regularised", "stiffness": kt, "damping": ct} if kt else {}
    pushes = (Load(line @ along, Harmonic(F, Omega, phase="pi/2")),)
    presses = {RUBBING: "floor" if floor else W, "guide": W}
    return MechanicalProblem(
        name="frictions",
        start=t0,
        end=t1,
        mass=m * unit,
        stiffness=k * np.diag(np.sum(along, axis=0)),
        initial_displacement=x0 * line @ along,
        initial_velocity=line * numbers(values, *launch) @ along + (w0 * down if floor else 0),
        loads=(*pushes, Load(down, constant(W))) if floor else pushes,
        stops=(Stop("floor", down, -W / kc, kc),) if floor else (),
        frictions=tuple(
            Friction(name, tuple(along[i] for i in group), normal, mu_s, mu_d, **laws)
            for (name, normal), group in zip(presses.items(), groups, strict=False)
        ),
    )


def make_problem(
    push: ArrayLike, launch: tuple[str, ...], groups: tuple[tuple[int, ...], ...], *, floor: bool
) -> Callable[[Values], MechanicalProblem]:
    """Return a problem for solvers, see `state`."""

    def problem(values: Values) -> MechanicalProblem:
        t0, t1 = floats(values, "t0", "t1")
        times = evenly(t1, round((t1 - t0) / period(values) * OUTPUTS), start=t0)
        return replace(state(values, push, launch, groups, floor=floor), output_times=times)

    return problem


ALONG, BOTH = ([1], ("v0",), ((0,),)), ([1, 1], ("v0", "v1"), ((0,), (1,)))  # directions, starts, frictions
floor = make_problem(*ALONG, floor=True)
plane = make_problem(LINE, ("v0", "v0"), ((0, 1),), floor=True)
two = make_problem(*BOTH, floor=True)
table = make_problem(*ALONG, floor=False)
table_in_plane = make_problem(LINE, ("v0", "v0"), ((0, 1),), floor=False)


def oblique(values: Values) -> MechanicalProblem:
    """Return the motion in a plane under two frictions, whose directions lie alike on both sides of its line.

    Each is pressed by W/(2 cos a), a being the angle between: together they are one friction along the line.
    """
    across = np.array([-LINE[1], LINE[0]])
    W, mu_s, mu_d = floats(values, "W", "mu_s", "mu_d")
    frictions = (
        Friction(name, (COSINE * LINE + side * across,), W / (2 * COSINE), mu_s, mu_d)
        for name, side in ((RUBBING, SINE), (SHARING, -SINE))
    )
    return replace(table_in_plane(values), frictions=tuple(frictions))


def passing(values: Values) -> MechanicalProblem:
    """Return the table as told from a support that passes at v0/4 + F t/(4 m).

    The foot of the spring stands still: a load adds what the spring has from the way of the support.
    """
    still = table(values)
    m, k, F, v0 = floats(values, "m", "k", "F", "v0")
    way = (0.0, v0 / 4, F / (8 * m))
    moved, moves, pulls = polynomial(*way), polynomial(way[1], 2 * way[2]), polynomial(2 * way[2])
    return replace(
        still,
        initial_displacement=still.initial_displacement - moved(still.start),
        initial_velocity=still.initial_velocity - moves(still.start),
        loads=(*still.loads, Load(np.ones(1), polynomial(*(-k * part for part in way)))),
        supports=(SupportMotion("ground", np.ones(1), pulls, moves, moved),),
        frictions=tuple(replace(friction, frame="absolute") for friction in still.frictions),
    )


# ---- the truth: where the floor does not swing, W presses


def _prove(push: ArrayLike, launch: tuple[str, ...], groups: tuple[tuple[int, ...], ...]) -> MechanicalQuantities:
    return make_quantities(
        lambda values: state(values, push, launch, groups, floor=values["w0"] != 0),
        PARAMETERS,
        record=restrict(*REQUIRED),
    )


MOTION, MOTION_OF_BOTH = _prove(*ALONG), _prove(*BOTH)
PLACE, FRICTION = "x1", friction_of(RUBBING)
ORDER = MOTION.phase_order(RUBBING, PHASE_WORDS, from_start=False)
CHANGES = MOTION.phase_changes(RUBBING, PHASE_WORDS)
HISTORY = MOTION.history(displacement=PLACE, force=FRICTION)
WAVES = "sums of exponentials from phase to phase"
ROOTS = "sums of exponentials, roots proved by bounds of their derivatives"


@dataclass(frozen=True)
class Across:
    """The parameters of the motion across the line: another velocity at the start, an even force."""

    line: Any
    w0 = mpmath.mpf(0)

    @property
    def v0(self) -> Any:
        """The velocity at the start (m/s)."""
        return self.line.v1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.line, name)


def _grip(values: Values, time: float) -> Grip:
    """Return what a stick begins with at an instant (s)."""
    m, k, W, kc, w0, t0 = floats(values, "m", "k", "W", "kc", "w0", "t0")
    F, Omega, mu_s, mu_d = floats(values, "F", "Omega", "mu_s", "mu_d")
    normal = W + math.sqrt(kc * m) * w0 * math.sin(math.sqrt(kc / m) * (time - t0))
    place = float(HISTORY.compute(values, 15)("displacement", repr(time)))
    return Grip(k * place - F * math.cos(Omega * time), mu_s * normal, mu_d * normal)


def find_least_spare(values: Values) -> float:
    """Return what the weakest stick has to spare, as a share of the jump of friction; one by a spring has no jump."""
    return math.inf if values["kt"].rational else find_spare("slip+", CHANGES, values, partial(_grip, values))


def _holds(values: Values) -> bool:
    """Tell whether penalised stick, which overshoots, holds where rigid stick does: nothing can be asked elsewhere."""
    return find_least_spare(values) > OVERSHOOT


def _holds_across(values: Values) -> bool:
    return _holds({**values, "v0": values["v1"], "w0": Exact(Fraction(0))})


# ---- what is measured


def _on_block(o: Observation) -> list[Friction]:
    return [friction for friction in o.problem.frictions if friction.name in (RUBBING, SHARING)]


def _place(o: Observation) -> Floats:
    """Return the absolute displacement (m,) along the line of the push: what of it the frictions on the block see."""
    seen = np.array([tangent for friction in _on_block(o) for tangent in friction.tangents])
    place = o.response.displacement + driven_displacement(o.problem, o.response.time)
    return np.asarray(place @ (np.linalg.pinv(seen) @ (seen @ o.problem.loads[0].direction)))


def _displacement(o: Observation, time: float) -> float:
    return value_at(o.response.time, _place(o), time, cuts=o.response.instants)


def _friction(o: Observation, time: float) -> float:
    push = o.problem.loads[0].direction
    forces = (
        (tangent @ push) * element_history(o.response, friction.name, name)
        for friction in _on_block(o)
        for tangent, name in zip(friction.tangents, ("force", "force_2"), strict=False)
    )
    force = np.sum(list(forces), axis=0)
    return value_at(o.response.time, force, time, cuts=o.response.instants, jumps=True)


class _Block(SlipMeasures):
    """Slips at the start from a velocity, so that the first change of phase is its end."""

    def changes(self, o: Observation) -> list[tuple[float, str]]:
        if o.problem.frictions[0].law == "regularised":  # such a stick moves: no velocity tells it
            element_history(o.response, RUBBING, "stuck")
        first, last = o.response.time[[0, -1]]
        return [(time, kind) for time, kind in super().changes(o) if first < time < last]


block = _Block(RUBBING, period, size("mu_d*W"))


def _exists(values: Values, number: int) -> bool:
    """Tell whether there are so many changes of phase."""
    return number <= len(str(ORDER.compute(values).value or "").split())


SPAN = share_of(period, 1e-2, "this suite asks 1e-2 of the period of the spring")
PLACES = share_of(_reach, 1e-2, "this suite asks 1e-2 of F/k + v0/ω0")
FORCES = share_of(_limit, 2e-2, "this suite asks 2e-2 of mu_s W")
BALANCE = cited("this suite asks 2e-2", 2e-2, kind="absolute")


def _change(number: int) -> Quantity:
    """Return the instant of a change of phase."""
    return Quantity(
        name=f"change_{number}",
        unit="s",
        definition=f"instant of change of phase {number}",
        reference=MOTION.change(
            RUBBING, PHASE_WORDS, number, second=partial(waves.find_change, number=number), how=ROOTS
        ),
        measure=partial(block.change, number=number),
        criterion=SPAN,
        scale=period,
        regularity=JUMPS,
        at_samples=True,
        applies=partial(_exists, number=number),
        observable=_holds,
    )


def _displacement_at(t: str) -> Quantity:
    """Return the displacement along the line at an instant (s)."""
    definition = f"displacement along the line of the push at {t} s"
    truth = MOTION.value(PLACE, t, second=lambda p: waves.read_displacement(p, exact(t).mpf()), how=WAVES)
    measure = partial(_displacement, time=float(t))
    return Quantity(f"displacement@{t}", "m", definition, truth, measure, PLACES, _reach, JUMPS, observable=_holds)


def _friction_at(t: str) -> Quantity:
    """Return the friction on the block at an instant (s)."""
    definition = f"friction on the block along the line at {t} s"
    truth = MOTION.value(FRICTION, t, second=lambda p: waves.read_friction(p, exact(t).mpf()), how=WAVES)
    measure = partial(_friction, time=float(t))
    return Quantity(f"friction@{t}", "N", definition, truth, measure, FORCES, _limit, JUMPS, observable=_holds)


def _across_at(t: str) -> Quantity:
    """Return the displacement across the line at an instant (s)."""
    definition = f"displacement across at {t} s"
    truth = MOTION_OF_BOTH.value(
        "x2", t, second=lambda p: waves.read_displacement(Across(p), exact(t).mpf()), how=WAVES
    )
    measure = partial(quantities.displacement_at, time=float(t), place=1)
    return Quantity(f"across@{t}", "m", definition, truth, measure, PLACES, _reach, JUMPS, observable=_holds_across)


PHASES, ORDERED = "phases after the first one", exactly("phases have an order")
ON_LINE = (
    Quantity("phase_order", "", PHASES, ORDER, block.phases, ORDERED, observable=_holds),
    *map(_change, range(1, MOST + 1)),
    *map(_displacement_at, INSTANTS),
    *map(_friction_at, INSTANTS),
)
ON_ONE_LINE = frozenset(q.name for q in ON_LINE)


def _presses_evenly(values: Values) -> bool:
    return not values["w0"].rational


CASE = Case(
    name="frictions",
    title="Block that slips, sticks and slips",
    document="this suite",
    topics=("friction",),
    summary="A block on a spring is pushed back and forth on a floor: friction under a force that swings, in a plane, "
    "under two frictions; stick between the kinetic and the static limit; stick by a spring and a dashpot.",
    statement=(
        "A block m on a spring k is pushed along a floor by F cos Ωt; the clock shows t0 at the start. Friction is "
        "mu_d N in motion and at most mu_s N at rest. Where the block comes to rest, friction that holds it may lie "
        "between the two.",
        "Variants floor, plane and two: W presses the block on an elastic floor, on which it swings without leaving "
        "it. In plane the line of the motion is oblique to both tangents of the friction; in two, there is "
        "a second coordinate, with another velocity at the start, and a guide, which W presses evenly, rubs along it.",
        "Variants capture, passing, oblique and regularised: N = W. Passing is told from a support that passes at "
        "v0/4 + F t/(4 m), while floor and spring stay where they are. In oblique two frictions, whose "
        "directions lie alike on both sides of the motion, share it: each changes what the other has to hold. "
        "In regularised stick is a spring kt and a "
        "dashpot ct, which hang on the place where the slip ended and begin with its friction.",
    ),
    shown=ShownMotion(curves=("x1", "v_x1")),
    equations=(
        "m x'' + k x = F cos(Omega t) + R, x(t_0) = x_0, x'(t_0) = v_0",
        "N = W + sqrt(k_c m) w_0 sin(omega_z (t - t_0)), omega_z = sqrt(k_c/m)",
        "slip: R = -mu_d N sign(x'), stick: |R| <= mu_s N",
        "regularised: R = R_a - k_t (x - x_a) - c_t x', |R| <= mu_s N",
        "x = x_c + Σ_{j=1}^6 a_j e^{lambda_j tau}, tau = t - t_a",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    variants=(
        Variant("floor", {}, ON_ONE_LINE, floor),
        Variant("plane", {}, ON_ONE_LINE, plane),
        Variant("two", {}),
        Variant("capture", {"w0": "0"}, ON_ONE_LINE, table),
        Variant("passing", {"w0": "0"}, ON_ONE_LINE, passing),
        Variant("oblique", {"w0": "0", "F": "200", "Omega": "4", "v0": "3"}, ON_ONE_LINE, oblique),
        Variant("regularised", {"w0": "0", "kt": "2000", "ct": "60"}, ON_ONE_LINE, table),
    ),
    quantities=(*ON_LINE, *map(_across_at, INSTANTS)),
    residuals=(
        energy("of m v0²/2", lambda o: o["m"] * o["v0"] ** 2 / 2, BALANCE),
        friction_cone("of mu_s W", lambda o: o["mu_s"] * o["W"], _presses_evenly),
        velocities(),
        flags(),
        rates(),
        friction_law(),
    ),
    problem=two,
    modelling=(
        "One or two coordinates along the floor; where it is elastic, one more into it, with W as a load and a stop "
        "that is closed by W/kc at the start.",
        "Changes of phase are read in the flags of adherence and in the sign of the velocity.",
    ),
    remarks=(
        "Who lets the clock begin at zero pushes with another phase: the block begins at t0 = 0.3 s.",
        "The block comes to rest at 0.645 s (capture) with 151 N to hold, 100 N being the kinetic and 200 N the static "
        "limit: with one coefficient it would slip back at once.",
        "Friction with the mean normal force instead of that of the instant is off by up to 30 % while the block "
        "swings on its floor.",
        "A spring and a critical damper in place of rigid stick overshoot the jump of friction by 13.5 %: with v1 = 16 "
        "m/s (two) the limit has less to spare at 1.015 s, and such a stick yields where the true one holds. "
        "Nothing is asked of a motion in which a stick has less than a sixth of the jump to spare.",
        "A velocity below which a slip may end, 1e-6 m/s say, ends slips early where motions are slow: a block twenty "
        "times slower, in units of a kilometre, shows it.",
        "In stick the friction is what holds the block, and not the limit: only its value at instants shows that.",
        "Oblique frictions come to rest at one instant, and let go at one. Who decides on one before the other has "
        "taken its share lets the block go at four fifths of the limit.",
    ),
    figures=(
        plotting.history(
            "motion",
            "Displacement and friction",
            "The block sticks twice, with a friction that follows the push.",
            plotting.HistoryCurve("x (m)", _place, plotting.true(HISTORY, "displacement")),
            plotting.element(HISTORY, RUBBING),
            variant="capture",
            window=lambda values: (float(values["t0"]), float(values["t1"])),
            events=plotting.changes(HISTORY),
        ),
        plotting.convergence("displacement@1.3", "friction jumps, wherever in a step", "capture"),
    ),
    held={"kt": "no stick but that of the variant", "ct": "as kt", "t0": "a start", "t1": "the end of the observation"},
)

test_frictions = verifies(CASE)
