"""SDND107 (Code_Aster tests sdnd107a to e): a mass on a Zener device whose dashpot obeys a power law."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from veridyn.references import zener
from veridyn.solver.devices import Zener
from veridyn.solver.elements import Load
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import Harmonic, Windowed
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdnd107 import further, measures, theory
from veridyn.validation_cases.sdnd107.figures import figures
from veridyn.validation_cases.sdnd107.published import PUBLISHED, TIMES

STEP_NUMBER = math.pi / 100  # step times the fastest rate: 1e-3 s under the load of variant power
SPACINGS = 1600  # of the requested output: 2e-3 s at the default parameters


def fastest(values: Values) -> float:
    """Return the fastest rate (rad/s): oscillation on the sudden stiffness, relaxation if linear, load."""
    p = {name: float(value) for name, value in values.items()}
    total = p["k1"] + p["k2"] + p["k3"]
    rates = [math.sqrt((p["k1"] * (p["k2"] + p["k3"]) / total + p["k"]) / p["m"])]
    rates += [p["k3"] * (p["k1"] + p["k2"]) / total / p["c"]] if p["alpha"] == 1 else []
    rates += [p["omega"]] if p["p"] and p["until"] else []
    return max(rates)


def problem(values: Values) -> MechanicalProblem:
    """Return the motion, with the load as it acts on the mass."""
    p = {name: float(value) for name, value in values.items()}
    wave = Harmonic(-p["p"], str(values["omega"]))
    loads = (Load(np.ones(1), Windowed(wave, 0.0, p["until"])),) if p["p"] and p["until"] else ()
    device = Zener(
        name=measures.DEVICE,
        direction=np.ones(1),
        k1=p["k1"],
        k2=p["k2"],
        k3=p["k3"],
        damping=p["c"],
        alpha=p["alpha"],
    )
    return MechanicalProblem(
        name="sdnd107",
        mass=np.array([[p["m"]]]),
        stiffness=np.array([[p["k"]]]),
        initial_displacement=np.array([p["x0"]]),
        initial_velocity=np.zeros(1),
        end=p["end"],
        output_times=np.linspace(0.0, p["end"], SPACINGS + 1),
        loads=loads,
        devices=(device,),
    )


def settings(values: Values, scheme: str) -> Settings:
    """Step of our schemes: 1e-3 s under the load of variant power."""
    return {"scheme": scheme, "step": STEP_NUMBER / fastest(values), **SCHEMES[scheme].only_shorter}


def at(kind: str, time: str) -> Quantity:
    """Return the quantity of a displacement or a force at an instant."""
    what = "displacement of the mass" if kind == "displacement" else "force of the device"
    return Quantity(
        f"{kind}@{time}",
        "m" if kind == "displacement" else "N",
        f"{what} at {time} s",
        partial(getattr(zener, kind), time=time),
        measures.reader(kind, time),
        (theory.displacement_at if kind == "displacement" else theory.force_at)(time),
    )


QUANTITIES = (
    Quantity(
        "initial_force",
        "N",
        "force of the device right after the sudden stretch",
        zener.initial_force,
        measures.initial_force,
        theory.of_initial_force,
    ),
    *(at(kind, time) for kind in ("displacement", "force") for time in TIMES),
    Quantity(
        "peak_time",
        "s",
        "instant of the largest extreme of the force after t = 0",
        zener.peak_time,
        measures.peak_time,
        theory.of_peak_time,
    ),
    Quantity("peak_force", "N", "force at that instant", zener.peak_force, measures.peak_force, theory.of_peak_force),
)
SHAKEN = {"alpha": "1/2", "k": "1", "x0": "0", "p": "1"}
LOADED = frozenset(quantity.name for quantity in QUANTITIES) - {"initial_force"}


CASE = Case(
    name="sdnd107",
    title="Mass on a Zener device",
    document="Code_Aster",
    summary="A viscoelastic device with a linear or a power-law dashpot: sudden stretch, and shaking by a burst of "
    "sine; displacement and force.",
    statement=(
        "A mass m hangs on a device: spring K1 in series with [K2 beside (K3 in series with a dashpot)]. The dashpot "
        "carries C sign(w) |w|^alpha at the rate w.",
        "Variant linear: alpha = 1, the support jumps by x0 at t = 0 and the displacement is counted from its new "
        "place (EDF's modelling A counts it from the old one: u = x0 - x). Everything is a sum of three exponentials.",
        "Variant power: alpha = 1/2, a spring k to a second support, a load -p sin(w t) for 0.8 s; EDF's modellings B "
        "to E. Variant cubic: the same with alpha = 1/3.",
        "The force D of the dashpot enters as sign(D) |D|^(1/alpha): the motion is analytic between the zeros of D, "
        "where a high derivative has a kink.",
    ),
    equations=(
        "m x'' + k x + F = -p sin(omega t) for t < until else 0",
        "F = K1/S ((K2 + K3) x - K3 z), D = K3/S (K1 x - (K1 + K2) z)",
        "S = K1 + K2 + K3, D = C sign(z') |z'|^alpha, z' = sign(D) |D/C|^{1/alpha}",
        "x(0) = x0, x'(0) = 0, z(0) = 0",
        "x = Σ_{j=1}^3 A_j e^{lambda_j t} for alpha = 1, p = 0",
        "m lambda_j² + k + K1/S (K2 + K3 - K1 K3²/(S C lambda_j + K3 (K1 + K2))) = 0",
        "x = Σ_{n=0}^∞ c_n (t - t_j)^n for alpha < 1, D(t_j) = 0",
    ),
    parameters=zener.PARAMETERS,
    variants=(
        Variant("linear", {}),
        Variant("power", SHAKEN, LOADED),
        Variant("cubic", {**SHAKEN, "alpha": "1/3"}, LOADED),
    ),
    quantities=QUANTITIES,
    problem=problem,
    settings=settings,
    modelling=(
        "The device keeps the force of its dashpot between evaluations; the elongation is taken for linear in between, "
        "and the law solved exactly for alpha = 1 and 1/2, by implicit stages of order 2 otherwise.",
        "Step 1e-3 s under the load, 1.4e-3 s for the free motion of variant linear.",
        "Parity runs take the step 2.5e-3 s of test sdnd107c and compare at its 201 instants.",
    ),
    published=PUBLISHED,
    remarks=(
        "All schemes have order 2 on this law, however high their own: between two evaluations the device sees a line.",
        "Symplectic Euler has order 1 in variant linear: it takes v(0) for the velocity half a step earlier, and the "
        "sudden stretch gives an acceleration at once.",
        "A device that every stage of a Runge-Kutta pair moves on from where the stage before left it sees other times "
        "than the motion; ours starts each stage from the memory of the step.",
        "A dashpot placed beside K2 + K3, not in series with K3, has no sudden force: a wrong initial force tells.",
        "Energy put into the device = energy of its three springs + work of the dashpot, to rounding at any step: all "
        "are quadratic in quantities that are taken for linear.",
        "The twelve digits that Code_Aster stores for DIFF_CENTRE, 0.000551957958468 and 0.000445667677015, are met to "
        "3e-12 and 1e-11. It integrates the law within a step by Runge-Kutta, we solve it.",
    ),
    errata=(
        "Code_Aster tests sdnd107b to e: the table of 201 points that serves as reference is right to 1e-10 m and "
        "2e-9 N; from the end of the load on the ninth printed digit is wrong.",
        "Code_Aster tests sdnd107d and e (RUNGE_KUTTA_54 and 32): the deviations that they store, 5.9e-3 and 7.2e-4, "
        "are five and 2.6 times those that they declare, behind tolerances of 3e-2 and 5e-3. The pair of order 5 "
        "deviates ten times more than DIFF_CENTRE at the same step: the order is lost in the stages.",
        "Code_Aster test sdnd107a: the deviations called analytical, 2e-5 m, 1.4e-5 m and 5.46e-5, are the errors of "
        "the code itself.",
    ),
    further_checks=further.MAKERS,
    held={
        "alpha": "the truth is known for 1, 1/2, 1/3, … alone",
        "end": "displacement and force are asked for up to this instant",
    },
    figures=figures,
    benchmark_variant="power",
)
