"""Defects of local nonlinear devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from veridyn.mutation.defects.changes import devices, histories
from veridyn.mutation.defects.defect import Defect
from veridyn.mutation.defects.rebuilt import FIRST, part
from veridyn.solver.integrators.kernels import buckling_stop
from veridyn.solver.integrators.kernels.device import device_force
from veridyn.solver.problem.devices import BucklingStop, Device, NonlinearSpring, Zener

EASY = 1e-9  # m: a return that begins a little later than the softening ends, whatever is rounded


@part
def forgetful(u, constants, memory, internal):
    """Law of a stop without memory: the way back is the way there."""
    memory[0] = 0.0
    crush = max(0.0, u)
    internal[buckling_stop.R_LARGEST] = crush
    internal[buckling_stop.R_RESIDUAL] = 0.0
    if crush <= constants[buckling_stop.POINTS]:
        return constants[buckling_stop.STIFFNESS] * crush
    return buckling_stop.envelope(crush, constants)


@part
def no_residual(largest, constants):  # noqa: ARG001 - the signature of the sound part
    """Residual crush of a stop that always springs back."""
    return 0.0


@part
def late_device(t, law, u, rate, constants, memory, record):
    """Law at the elongation of the evaluation before, in the last column of the memory."""
    now, seen = u, memory[FIRST] if t > 0.0 else u
    force = device_force(t, law, seen, rate, constants, memory, record)
    memory[FIRST] = now
    return force


def _of(kind: type[Device], change: Callable[[Any], Device]) -> Callable[[Device], Device]:
    return lambda device: change(device) if isinstance(device, kind) else device


def _device(name: str, what: str, needs: str, kind: type[Device], change: Callable[[Any], Device]) -> Defect:
    return Defect(name, "device", what, (needs,), before=devices(_of(kind, change)))


def _stiff_return(stop: BucklingStop) -> Device:
    total = stop.buckling_crush + stop.plateau + stop.softening + EASY
    return replace(stop, returns=((total - stop.post_force / stop.contact_stiffness, stop.contact_stiffness),))


def _tangent(spring: NonlinearSpring) -> Device:
    return replace(spring, coefficients=tuple(tuple(row[:2]) for row in spring.coefficients))


def _even(spring: NonlinearSpring) -> Device:
    """Return the spring whose powers above the first lose their sign below the first break."""
    below = tuple(c if k < 2 else -c for k, c in enumerate(spring.coefficients[0]))
    return replace(spring, coefficients=(below, *spring.coefficients[1:]))


def _closed(spring: NonlinearSpring) -> Device:
    left, *_, right = spring.coefficients
    return replace(spring, breaks=(0.0,), coefficients=(left, right))


ZENER, BUCKLING, SPRING = "Zener device", "buckling stop", "nonlinear spring"

DEFECTS = (
    _device("dashpot_linear", "The dashpot is linear where it should obey a power law.", "power-law dashpot", Zener,
        lambda d: replace(d, alpha=1.0)),
    _device("dashpot_exponent_inverted", "The exponent of the dashpot is halved.", ZENER, Zener,
        lambda d: replace(d, alpha=d.alpha / 2)),
    _device("dashpot_one_percent_strong", "The constant of the dashpot is 1 % too large.", ZENER, Zener,
        lambda d: replace(d, damping=1.01 * d.damping)),
    _device("zener_springs_swapped",
        "The spring beside the dashpot and that in series with it have each other's stiffness.", ZENER, Zener,
        lambda d: replace(d, k2=d.k3, k3=d.k2)),
    _device("zener_first_spring_rigid", "The spring in series with the rest of the device is rigid.", ZENER, Zener,
        lambda d: replace(d, k1=1e6 * d.k1)),
    _device("buckling_force_one_percent_high", "The stop buckles at a force 1 % too large.", BUCKLING, BucklingStop,
        lambda d: replace(d, critical_force=1.01 * d.critical_force)),
    _device("post_force_one_percent_high", "The force that is left after the collapse is 1 % too large.", BUCKLING,
        BucklingStop, lambda d: replace(d, post_force=1.01 * d.post_force)),
    _device("plateau_dropped", "The force of the stop falls at once, without a plateau.", "buckling plateau",
        BucklingStop, lambda d: replace(d, plateau=0.0)),
    _device("softening_dropped", "The force of the stop collapses where it should fall along a line.",
        "buckling softening", BucklingStop, lambda d: replace(d, softening=0.0)),
    _device("return_with_first_stiffness", "The stop returns with the stiffness of the first contact.", BUCKLING,
        BucklingStop, _stiff_return),
    Defect("crush_forgotten", "device", "The stop remembers no crush: the way back is the way there.", (BUCKLING,),
        parts={"buckling_force": forgetful}),
    Defect("no_residual_crush", "device", "The stop returns to its first length.", (BUCKLING,),
        parts={"residual_crush": no_residual}),
    Defect("device_one_step_late", "device", "Devices see the elongation of the evaluation before.", ("device",),
        parts={"device_force": late_device}),
    _device("spring_linearised", "The nonlinear spring is its tangent.", SPRING, NonlinearSpring, _tangent),
    _device("square_without_sign", "The powers of the nonlinear spring have lost their sign on one side.", SPRING,
        NonlinearSpring, _even),
    _device("dead_zone_closed", "The nonlinear spring has no dead zone.", "dead zone", NonlinearSpring, _closed),
    Defect("device_force_reversed", "device", "The force of devices has the wrong sign in the histories.", ("device",),
        after=histories("force", lambda force: -force)),
)  # fmt: skip
