"""SDLD31 b and SDLD321 (EDF): an oscillator under a sine force, beside resonance and at it."""

from collections.abc import Callable
from functools import partial

import numpy as np

from veridyn.problem.elements import Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.certified import Certified
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter, exact
from veridyn.references.reference import Reference
from veridyn.references.second_routes import divided_differences
from veridyn.solver.postprocessing.interpolation import turning_points, value_at
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Observation,
    Published,
    Quantity,
    Values,
    Variant,
    floats,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures.consistency import energy, velocities
from veridyn.validation_cases.measures.plotting import Curves, convergence, displacement, history, series
from veridyn.validation_cases.measures.quantities import displacement_at, if_it_exists, velocity_at
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("omega0", "rad/s", "natural frequency", "18.8495559215"),
    Parameter("xi", "1", "damping ratio", "1e-3", "non-negative"),
    Parameter("F", "N", "amplitude of the force", "1", "non-negative"),
    Parameter("omega", "rad/s", "frequency of the force", "20.73451151365"),
    Parameter("T", "s", "time span", "1"),
    Parameter("x0", "m", "displacement at which the oscillator is let go", "0", "any"),
)
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
SMOOTH = 8  # samples that a value is read from: nothing has a kink, and methods of order 5 are to be seen
AROUND = 4  # samples on each side of a peak
NEARLY = 0.99  # of the highest sample: a lower one may belong to a higher peak, which lies between samples
ASTER = "5e-3 of Code_Aster's test SDLD321"


def find_end(values: Values) -> float:
    """Return the end of the run (s): the span exceeds T, so that all instants lie inside it."""
    return round(1.01 * max(float(values["T"]), LATEST), DECIMALS)


def outputs(values: Values) -> Floats:
    """Return the instants (s) of the requested output: a grid, and the instants that are measured."""
    end, spacing = find_end(values), OUTPUT_NUMBER / max(floats(values, "omega0", "omega"))
    measured = [float(time) for seen in INSTANTS.values() for times in seen.values() for time in times]
    grid = evenly(end, end / spacing)
    return np.unique(np.round(np.concatenate((grid, measured)), DECIMALS))


def oscillator(values: Values) -> MechanicalProblem:
    """Return the oscillator under its force."""
    m, w, xi, F, W, x0 = numbers(values, "m", "omega0", "xi", "F", "omega", "x0")
    return MechanicalProblem(
        name="sdld31",
        mass=np.array([[m]]),
        stiffness=np.array([[m * w**2]]),
        damping=np.array([[2 * xi * w * m]]),
        initial_displacement=np.array([x0]),
        end=find_end(values),
        loads=(Load(np.ones(1), Harmonic(F, W)),),
        coordinates=("x",),
    )


MOTION = make_quantities(oscillator, PARAMETERS)
DIVIDED = "divided difference of the exponential"
SEARCHED = "divided differences, branch and bound"


def find_displacement(t: str) -> Reference[Certified]:
    """Return the true displacement (m) at an instant (s)."""
    return MOTION.value("x", t, second=lambda p: divided_differences.displacement(p, exact(t).mpf()), how=DIVIDED)


def find_velocity(t: str) -> Reference[Certified]:
    """Return the true velocity (m/s) at an instant (s)."""
    return MOTION.value("v_x", t, second=lambda p: divided_differences.velocity(p, exact(t).mpf()), how=DIVIDED)


PEAK = MOTION.peak("x", until="T", second=lambda p: divided_differences.find_peak(p)[0], how=SEARCHED)
PEAK_TIME = MOTION.peak_time("x", until="T", second=lambda p: divided_differences.find_peak(p)[1], how=SEARCHED)


def _amplitude(values: Values, time: float) -> float:
    """Return a bound of the displacement up to an instant (m): an oscillator remembers max(1, 2 ξ²)/(ξ w) at most."""
    m, w, xi, F, x0 = floats(values, "m", "omega0", "xi", "F", "x0")
    return abs(x0) + F / m / w * (min(time, max(1.0, 2 * xi**2) / (xi * w)) if xi else time)


def _speed(values: Values, time: float) -> float:
    return _amplitude(values, time) * float(values["omega0"])


def _share(size: Callable[[Values, float], float], values: Values, time: float) -> Tolerance:
    """Return the criterion of a displacement or velocity at an instant."""
    source = f"{ASTER}, of the amplitude F/(m w) min(t, memory)"
    return cited(source, 5e-3 * size(values, time), kind="absolute")


def _of_peak(values: Values) -> Tolerance:
    return _share(_amplitude, values, float(values["T"]))


def _of_span(values: Values) -> Tolerance:
    return cited(f"{ASTER}, of the time span", 5e-3 * float(values["T"]), kind="absolute")


def _forced(values: Values) -> bool:
    """Without force no displacement exceeds that of the start."""
    return float(values["F"]) != 0.0


def _peak(o: Observation) -> tuple[float | None, float | None]:
    """Return height and instant of the largest turning point up to T; None where the start or T itself is higher."""
    t, x = o.response.time, np.abs(o.response.displacement[:, 0])
    ends = (x[0], abs(value_at(t, x, o["T"], samples=SMOOTH)))
    turns = [turn for top in _tops(np.where(t <= o["T"], x, 0.0)) for turn in _refined(t, x, top) if turn[1] <= o["T"]]
    height, instant = max(turns, default=(0.0, 0.0))
    return (height, instant) if height > max(ends) else (None, None)


def _tops(x: Floats) -> list[int]:
    """Return the samples that are higher than their neighbours and nearly as high as the highest."""
    highest = int(np.argmax(x))
    inner = x[1:-1]
    tops = 1 + np.flatnonzero((inner >= x[:-2]) & (inner > x[2:]) & (inner >= NEARLY * x[highest]))
    return sorted({highest, *map(int, tops)})


def _refined(t: Floats, x: Floats, top: int) -> list[tuple[float, float]]:
    """Return heights and instants of the turning points about a sample."""
    near = slice(max(top - AROUND, 0), top + AROUND + 1)
    turning, heights = turning_points(t[near], x[near])
    return list(zip(np.abs(heights).tolist(), turning.tolist(), strict=True))


X_AT, V_AT = (sorted({t for seen in INSTANTS.values() for t in seen[part]}, key=float) for part in ("x", "v"))


def _displacement_at(t: str) -> Quantity:
    """Return the displacement at an instant (s)."""
    truth = find_displacement(t)
    measure = partial(displacement_at, time=float(t), samples=SMOOTH)
    criterion, scale = partial(_share, _amplitude, time=float(t)), partial(_amplitude, time=float(t))
    return Quantity(f"x@{t}", "m", f"displacement at {t} s", truth, measure, criterion, scale)


def _velocity_at(t: str) -> Quantity:
    """Return the velocity at an instant (s)."""
    truth = find_velocity(t)
    measure = partial(velocity_at, time=float(t), samples=SMOOTH)
    criterion, scale = partial(_share, _speed, time=float(t)), partial(_speed, time=float(t))
    return Quantity(f"v@{t}", "m/s", f"velocity at {t} s", truth, measure, criterion, scale)


_turns = partial(if_it_exists, PEAK, "the largest displacement lies at an end of the span")
QUANTITIES = (
    *map(_displacement_at, X_AT),
    *map(_velocity_at, V_AT),
    Quantity(
        name="peak",
        unit="m",
        definition="largest magnitude of x up to T",
        reference=PEAK,
        measure=lambda o: _peak(o)[0],
        criterion=_turns(_of_peak),
        applies=_forced,
    ),
    Quantity(
        name="peak_time",
        unit="s",
        definition="instant of the peak",
        reference=PEAK_TIME,
        measure=lambda o: _peak(o)[1],
        criterion=_turns(_of_span),
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


TURNS = frozenset({"peak", "peak_time"})


def _select(name: str) -> frozenset[str]:
    """Return what a variant asks for at its instants."""
    return frozenset(f"{part}@{time}" for part, times in INSTANTS[name].items() for time in times)


SEVENTEEN = "printed with 17 digits, of which double arithmetic made the last one or two"
PUBLISHED = (
    *(
        Published("Code_Aster test sdld31b, reference", "31b", name, printed, "inaccurate", SEVENTEEN)
        for name, printed in (
            ("x@0.5", "0.010784991910322289"),
            ("x@0.7", "-0.003745073616394888"),
            ("x@1.0", "-0.012563906053984213"),
        )
    ),
    Published("Code_Aster test sdld321a, reference", "321a", "v@0.03", "0.003314", "reproduced"),
)


def _envelope(o: Observation, time: Floats) -> Curves:
    m, w, xi, F = floats(o.values, "m", "omega0", "xi", "F")
    return [series("envelope", "limit", time, F / (2 * xi * m * w**2) * (1 - np.exp(-xi * w * time)))]


FIGURES = (
    history(
        "growth-at-resonance",
        "Growth at resonance, ξ = 0.01",
        "The envelope is F/(2 ξ m w0²) (1 - e^(-ξ w0 t)).",
        displacement(MOTION.history(displacement="x")),
        variant="321b",
        beside=_envelope,
        window=lambda values: (0.0, float(values["T"])),
    ),
    convergence("x@1.0", "a smooth load beside resonance caps no order", "31b"),
)


CASE = Case(
    name="sdld31",
    title="Oscillator under a sine force, beside resonance and at it",
    document="V2.01.031",
    topics=("resonance", "modal superposition"),
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
    parameters=PARAMETERS,
    variants=(
        Variant("31b", {}, _select("31b") | TURNS),
        Variant("321a", {**RESONANCE, "xi": "1", "T": "0.5"}, _select("321a") | TURNS),
        Variant("321b", {**RESONANCE, "xi": "0.01"}, _select("321b") | TURNS),
        Variant("321c", {**RESONANCE, "xi": "1e-5"}, _select("321c") | TURNS),
        Variant("undamped", {**RESONANCE, "xi": "0"}, _select("undamped") | TURNS),
        Variant(
            "let-go", {"xi": "0", "F": "0", "x0": "0.05"}, _select("let-go")
        ),  # let go, the largest displacement is the first
    ),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    linear=True,
    problem=Watched(oscillator, outputs),
    modelling=("One coordinate. Values between samples lie on polynomials through eight of them, peaks on splines.",),
    published=PUBLISHED,
    sources=(
        "EDF: Code_Aster, Validation Manual, document V2.01.031; tests sdld31b, sdld321a to c. https://code-aster.org",
    ),
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
    figures=FIGURES,
    benchmark_variant="321c",
)

test_sdld31 = verifies(CASE)
