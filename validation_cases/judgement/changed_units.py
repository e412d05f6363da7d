"""A mechanical problem in other units, and its response back in SI: with powers of two nothing is rounded."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from veridyn.problem.devices import BucklingStop, Device, NonlinearDamper, NonlinearSpring, PiecewiseLaw, Zener
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion, TimeVarying
from veridyn.problem.matrices import Matrix
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.solver.contract.responses import Response

N = TypeVar("N", float, Floats)
Dimensions = Mapping[str, str]  # SI units of fields or histories by their names

# powers of length, mass and time
POWERS: Mapping[str, tuple[int, int, int]] = {
    "1": (0, 0, 0),
    "m": (1, 0, 0),
    "kg": (0, 1, 0),
    "s": (0, 0, 1),
    "rad/s": (0, 0, -1),
    "m/s": (1, 0, -1),
    "m/s^2": (1, 0, -2),
    "N": (1, 1, -2),
    "N/m": (0, 1, -2),
    "N s/m": (0, 1, -1),
    "N s": (1, 1, -1),
    "J": (2, 1, -2),
}

STOP: Dimensions = {"gap": "m", "offset": "m", "lateral_offset": "m", "stiffness": "N/m", "damping": "N s/m"}
FRICTION: Dimensions = {"stiffness": "N/m", "damping": "N s/m"}
DEVICES: Mapping[type[Device], Dimensions] = {
    NonlinearSpring: {"offset": "m"},
    NonlinearDamper: {"offset": "m"},
    BucklingStop: {
        **dict.fromkeys(("offset", "plateau", "softening", "crushed"), "m"),
        **dict.fromkeys(("critical_force", "post_force"), "N"),
        "contact_stiffness": "N/m",
    },
    Zener: {**dict.fromkeys(("k1", "k2", "k3"), "N/m"), "offset": "m", "path": "m"},
}
HISTORIES: Dimensions = {
    "normal_force": "N",
    "force": "N",
    "force_2": "N",
    "gap": "m",
    "elongation": "m",
    "normal_velocity": "m/s",
    "sliding_velocity": "m/s",
    "sliding_velocity_2": "m/s",
    "stuck": "1",
}
TOTALS: Dimensions = {"impulse": "N s", "wear_energy": "J", "work": "J"}


@dataclass(frozen=True)
class Units:
    """The numbers that one metre, one kilogram and one second become; powers of two."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def factor(self, unit: str) -> float:
        """Return the number that one SI unit becomes, ``unit`` as in POWERS.

        Raises
        ------
        KeyError
            If the unit is unknown.
        """
        length, mass, time = POWERS[unit]
        return self.length**length * self.mass**mass * self.time**time


SI = Units()


def is_expressible(problem: MechanicalProblem) -> bool:
    """Tell whether the units of all numbers of a problem are known: they are those of the devices of this suite."""
    return all(type(device) in DEVICES for device in problem.devices)


def in_units(problem: MechanicalProblem, units: Units) -> MechanicalProblem:
    """Return a problem with its numbers in other units."""
    by = units.factor
    times = problem.output_times
    return replace(
        problem,
        start=problem.start * by("s"),
        end=problem.end * by("s"),
        output_times=None if times is None else times * by("s"),
        modes=None if problem.modes is None else _modes(problem.modes, units),
        mass=_scaled(problem.mass, by("kg")),
        stiffness=_scaled(problem.stiffness, by("N/m")),
        damping=_scaled(problem.damping, by("N s/m")),
        initial_displacement=problem.initial_displacement * by("m"),
        initial_velocity=problem.initial_velocity * by("m/s"),
        loads=tuple(_load(load, units) for load in problem.loads),
        supports=tuple(_support(support, units) for support in problem.supports),
        stops=tuple(_stop(stop, units) for stop in problem.stops),
        frictions=tuple(_friction(friction, units) for friction in problem.frictions),
        devices=tuple(_device(device, units) for device in problem.devices),
        varying=tuple(_varying(part, units) for part in problem.varying),
    )


def _modes(modes: Modes, units: Units) -> Modes:
    return replace(
        modes,
        omega=modes.omega * units.factor("rad/s"),
        masses=modes.masses * units.factor("kg"),
        coupling=_scaled(modes.coupling, units.factor("N s/m")),
        stiffness_coupling=_scaled(modes.stiffness_coupling, units.factor("N/m")),
    )


def _scaled(matrix: Matrix, factor: float) -> Matrix:
    return None if matrix is None else matrix * factor


def _load(load: Load, units: Units) -> Load:
    return replace(load, direction=load.direction * units.factor("N"), function=load.function.rescaled(1.0, units.time))


def _varying(part: TimeVarying, units: Units) -> TimeVarying:
    factor = units.factor("N/m" if part.of == "stiffness" else "N s/m")
    return replace(part, matrix=part.matrix * factor, function=part.function.rescaled(1.0, units.time))


def _support(support: SupportMotion, units: Units) -> SupportMotion:
    return replace(
        support,
        acceleration=support.acceleration.rescaled(units.factor("m/s^2"), units.time),
        velocity=support.velocity.rescaled(units.factor("m/s"), units.time),
        displacement=support.displacement.rescaled(units.factor("m"), units.time),
    )


def _numbers(record: object, dimensions: Dimensions, units: Units) -> dict[str, Any]:  # of fields named in a table
    return {name: getattr(record, name) * units.factor(unit) for name, unit in dimensions.items()}


def _stop(stop: Stop, units: Units) -> Stop:
    if stop.profile is None:
        return replace(stop, **_numbers(stop, STOP, units))
    profile = stop.profile * [1.0, units.length]  # angles and radii
    return replace(stop, profile=profile, **_numbers(stop, STOP, units))


def _friction(friction: Friction, units: Units) -> Friction:
    numbers = _numbers(friction, FRICTION, units)
    if not isinstance(friction.normal, str):
        numbers["normal"] = friction.normal * units.factor("N")
    return replace(friction, **numbers)


def _device(device: Device, units: Units) -> Device:
    return replace(device, **_numbers(device, DEVICES[type(device)], units), **_law(device, units))


def _law(device: Device, units: Units) -> dict[str, Any]:
    """Return what of a device is no plain number of one unit."""
    by = units.factor
    if isinstance(device, PiecewiseLaw):
        rows, unit = device.coefficients, by(device.of[1])
        return {
            "breaks": tuple(b * unit for b in device.breaks),
            "coefficients": tuple(tuple(c * by("N") / unit**k for k, c in enumerate(row)) for row in rows),
        }
    if isinstance(device, BucklingStop):
        return {"returns": tuple((d * by("m"), k * by("N/m")) for d, k in device.returns)}
    assert isinstance(device, Zener)
    return {"damping": device.damping * by("N") / by("m/s") ** device.alpha}


def in_si(problem: MechanicalProblem, response: Response, units: Units) -> Response:
    """Return the response of a problem in SI from what was answered in other units.

    Histories and quantities that a solver has beyond the documented ones are left out: their units are unknown.
    """
    back = {unit: 1.0 / units.factor(unit) for unit in POWERS}
    return Response(
        time=response.time * back["s"],
        displacement=response.displacement * back["m"],
        velocity=response.velocity * back["m/s"],
        elements={
            name: _in_si(histories, _histories(problem, name), back) for name, histories in response.elements.items()
        },
        counters=response.counters,
        events={name: instants * back["s"] for name, instants in response.events.items()},
        quantities={
            name: _in_si(numbers, _totals(problem, name), back) for name, numbers in response.quantities.items()
        },
    )


def _in_si(values: Mapping[str, N], dimensions: Dimensions, back: Mapping[str, float]) -> dict[str, N]:
    return {name: value * back[dimensions[name]] for name, value in values.items() if name in dimensions}


def _histories(problem: MechanicalProblem, element: str) -> Dimensions:
    internal = {device.name: device.internal for device in problem.devices}
    return {**HISTORIES, **internal.get(element, {})}


def _totals(problem: MechanicalProblem, element: str) -> Dimensions:
    extremes = {
        f"{which}_{name}": unit for name, unit in _histories(problem, element).items() for which in ("least", "largest")
    }
    return {**TOTALS, **extremes}
