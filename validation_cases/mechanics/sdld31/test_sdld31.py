"""SDLD31 b and SDLD321 (EDF): an oscillator under a sine force, beside resonance and at it."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.references import forced_oscillator
from veridyn.solver.problem.elements import Load
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.time_functions import Harmonic
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited
from veridyn.validation_cases.measures.consistency import energy, velocities
from veridyn.validation_cases.mechanics.sdld31 import measures
from veridyn.validation_cases.mechanics.sdld31.figures import figures
from veridyn.validation_cases.mechanics.sdld31.published import PUBLISHED

Floats = NDArray[np.float64]

OUTPUT_NUMBER = 0.05  # omega0 times the spacing of the requested output
INSTANTS: dict[str, dict[str, tuple[str, ...]]] = {
    "31b": {"x": ("0.5", "0.7", "1.0"), "v": ("0.5", "0.7", "1.0")},
    "321a": {
        "x": ("0.06", "0.12", "0.19", "0.25", "0.31", "0.38", "0.44"),
        "v": ("0.03", "0.09", "0.16", "0.22", "0.28", "0.35", "0.41", "0.47"),
    },
    "321b": {
        "x": ("0.06", "0.13", "0.25", "0.69", "1.01", "2.32", "3.64", "4.96"),
        "v": ("0.04", "0.1", "0.22", "0.66", "1.04", "2.36", "3.68", "5.0"),
    },
}
INSTANTS |= {
    "321c": INSTANTS["321b"],
    "undamped": INSTANTS["321b"],
    "let-go": {"x": ("0.13", "0.69", "1.01"), "v": ("0.1", "0.66", "1.04")},  # away from zeros
}
LATEST = 5.0  # s
DECIMALS = 9  # of an instant (s); instants nearer than that are one
RESONANCE = {"m": "10", "omega0": "50", "F": "5", "omega": "50", "T": "5"}
ASTER = "5e-3 of Code_Aster's test SDLD321"


def outputs(end: float, spacing: float) -> Floats:
    """Return the instants (s) of the requested output: a grid, and the instants that are measured."""
    measured = [float(time) for seen in INSTANTS.values() for times in seen.values() for time in times]
    grid = np.linspace(0.0, end, int(np.ceil(end / spacing)) + 1)
    return np.unique(np.round(np.concatenate((grid, measured)), DECIMALS))


def problem(values: Values) -> MechanicalProblem:
    """Return the oscillator under its force; the span exceeds T, so that all instants lie inside it."""
    m, w, xi, F, W = (float(values[name]) for name in ("m", "omega0", "xi", "F", "omega"))
    end = round(1.01 * max(float(values["T"]), LATEST), DECIMALS)
    return MechanicalProblem(
        name="sdld31",
        mass=np.array([[m]]),
        stiffness=np.array([[m * w**2]]),
        damping=np.array([[2 * xi * w * m]]),
        initial_displacement=np.array([float(values["x0"])]),
        initial_velocity=np.zeros(1),
        end=end,
        output_times=outputs(end, OUTPUT_NUMBER / max(w, W)),
        loads=(Load(np.ones(1), Harmonic(F, W)),),
        coordinates=("x",),
    )


def _memory(values: Values, time: float) -> float:
    """Return how long (s) an oscillator remembers, at most the time passed: max(1, 2 ξ²)/(ξ w)."""
    xi, w = float(values["xi"]), float(values["omega0"])
    return min(time, max(1.0, 2 * xi**2) / (xi * w)) if xi else time


def _amplitude(values: Values, time: float) -> float:
    """Return a bound of the displacement up to an instant (m)."""
    forced = float(values["F"]) / float(values["m"]) / float(values["omega0"]) * _memory(values, time)
    return abs(float(values["x0"])) + forced


def _scale(part: str, time: str, values: Values) -> float:
    """Return the amplitude of a displacement (m) or velocity (m/s) at an instant."""
    return _amplitude(values, float(time)) * (1.0 if part == "x" else float(values["omega0"]))


def _criterion(part: str, time: str, values: Values) -> Tolerance:
    return cited(
        f"{ASTER}, of the amplitude F/(m w) min(t, memory)", 5e-3 * _scale(part, time, values), kind="absolute"
    )


def at(part: str, time: str) -> Quantity:
    """Return the quantity of a displacement or velocity at an instant."""
    unit, word = ("m", "displacement") if part == "x" else ("m/s", "velocity")
    compute = forced_oscillator.displacement if part == "x" else forced_oscillator.velocity
    name = f"{part}@{time}"
    reader = measures.reader(part, time)
    return Quantity(
        name,
        unit,
        f"{word} at {time} s",
        partial(compute, time=time),
        reader,
        partial(_criterion, part, time),
        partial(_scale, part, time),
    )


def _peak_criterion(values: Values) -> Tolerance:
    return _criterion("x", str(float(values["T"])), values)


def _peak_time_criterion(values: Values) -> Tolerance:
    return cited(f"{ASTER}, of the time span", 5e-3 * float(values["T"]), kind="absolute")


def _forced(values: Values) -> bool:
    """Without force no displacement exceeds that of the start."""
    return float(values["F"]) != 0.0


INSTANT_NAMES = {part: sorted({t for seen in INSTANTS.values() for t in seen[part]}, key=float) for part in ("x", "v")}
QUANTITIES = (
    *(at(part, time) for part, times in INSTANT_NAMES.items() for time in times),
    Quantity(
        "peak",
        "m",
        "largest magnitude of x up to T",
        forced_oscillator.peak,
        measures.peak,
        _peak_criterion,
        applies=_forced,
    ),
    Quantity(
        "peak_time",
        "s",
        "instant of the peak",
        forced_oscillator.peak_time,
        measures.peak_time,
        _peak_time_criterion,
        applies=_forced,
    ),
)
ENERGY = cited("twice the 5e-3 of Code_Aster's test SDLD321 for displacements", 1e-2, kind="absolute")


def _stored(o: Observation) -> float:
    """Return the largest strain energy (J)."""
    return 0.5 * o["m"] * o["omega0"] ** 2 * float(np.abs(o.response.displacement).max()) ** 2


def _undamped(values: Values) -> bool:
    """Damping takes many times what is stored."""
    return float(values["xi"]) == 0.0


RESIDUALS = (energy("of the largest stored energy", _stored, ENERGY, _undamped), velocities())


def _variant(name: str, changes: dict[str, str]) -> Variant:
    asked = {f"{part}@{time}" for part, times in INSTANTS[name].items() for time in times}
    turns = {"peak", "peak_time"} if "x0" not in changes else set()  # let go, the largest displacement is the first
    return Variant(name, changes, frozenset(asked | turns))


CASE = Case(
    name="sdld31",
    title="Oscillator under a sine force, beside resonance and at it",
    document="V2.01.031",
    summary="A sine force starts on an oscillator at rest, ten percent above its frequency (SDLD31 b) or at it "
    "(SDLD321: critical, light and hardly any damping): growth, peaks, the phase drift of a method, and its start.",
    statement=(
        "m (x'' + 2 ξ w0 x' + w0² x) = F sin(Ω t), from rest at x = 0 or at x0.",
        "At resonance without damping x = F/(2 m w0²) (sin w0 t - w0 t cos w0 t): the amplitude grows for ever. "
        "With damping it follows F/(2 ξ m w0²) (1 - e^(-ξ w0 t)).",
        "A method whose free vibration runs ahead by e per radian is off resonance by e, and its response ahead by "
        "e w0 t/2: half the phase error, and it takes 1/e radians until the growth ends.",
        "Without the force it swings freely from x0: the zeros tell the drift of a method, and what its start leaves.",
        "From rest at x = 0 nothing accelerates the mass at t = 0, and no start of a method can go wrong. Let go at x0 "
        "it has the acceleration -w0² x0 at once.",
    ),
    equations=(
        "m (x'' + 2 xi w0 x' + w0² x) = F sin(Omega t), x(0) = x'(0) = 0",
        "x = F/m Im(e^{z_1 t}/((z_1 - z_2) (z_1 - z_3)) + e^{z_2 t}/((z_2 - z_3) (z_2 - z_1)) "
        "+ e^{z_3 t}/((z_3 - z_1) (z_3 - z_2)))",
        "z_1 = i Omega, z_2 = w0 (-xi + sqrt(xi² - 1)), z_3 = w0 (-xi - sqrt(xi² - 1))",
        "Omega = w0, xi = 0: x = F/(2 m w0²) (sin(w0 t) - w0 t cos(w0 t))",
        "Omega = w0, xi = 1: x = F/(2 m w0²) ((1 + w0 t) e^{-w0 t} - cos(w0 t))",
    ),
    parameters=forced_oscillator.PARAMETERS,
    variants=(
        _variant("31b", {}),
        _variant("321a", {**RESONANCE, "xi": "1", "T": "0.5"}),
        _variant("321b", {**RESONANCE, "xi": "0.01"}),
        _variant("321c", {**RESONANCE, "xi": "1e-5"}),
        _variant("undamped", {**RESONANCE, "xi": "0"}),
        _variant("let-go", {"xi": "0", "F": "0", "x0": "0.05"}),
    ),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    linear=True,
    problem=problem,
    modelling=("One coordinate. Values between samples lie on polynomials through eight of them, peaks on splines.",),
    published=PUBLISHED,
    remarks=(
        "A load that is taken one step early or late is an error of order 1; beside resonance, at 1e-4 s, it is 0.3 % "
        "of x(1 s), 1200 times the error of Newmark's rule without the delay.",
        "A damping ratio of 0.01 instead of 1e-5 changes x(0.06 s) by 1.5 % and x(4.96 s) by 63 %: look late.",
        "A load that starts as a cosine, or an oscillator that starts at the amplitude of the steady "
        "state, is wrong at once.",
        "A method that looks half a step back at its start needs the force there: de Vogelaere's, with zero for it, is "
        "late by (w h)³/36 for ever, and of order 3. From rest at x = 0 no digit tells.",
        "At w0 h = 0.2 Newmark's rule has lost 0.41 rad of phase after 250 rad, symplectic Euler has gained 0.21.",
    ),
    errata=(
        "The values of NEWMARK in the test files (2020) are of order 1: the load of a step's start stands for that of "
        "its end. In SDLD31 b their error is 0.1 % to 0.9 % of the value, 260 to 1000 times that of DIFF_CENTRE beside "
        "them; tolerances of 1 % hide it.",
    ),
    figures=(figures,),
    benchmark_variant="321c",
)

test_sdld31 = verifies(CASE)
