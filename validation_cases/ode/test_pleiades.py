"""The Pleiades: seven stars in a plane that pass each other closely."""

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.references.second_routes.series_steps import InverseCube, Vector, final
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (Parameter("G", "1", "constant of gravity", "1", "positive"),)
STARS = range(1, 8)  # star i has the mass i
START: dict[str, tuple[int | str, ...]] = {
    "x": (3, 3, -1, -3, 2, -2, 2),
    "y": (3, -3, 2, 0, 0, -4, 4),
    "u": (0, 0, 0, 0, 0, "7/4", "-3/2"),
    "v": (0, 0, 0, "-5/4", 1, 0, 0),
}
DRAWN = [(0.65 * float(x), 0.65 * float(y)) for x, y in zip(START["x"], START["y"], strict=True)]
PAIRS = tuple(combinations(STARS, 2))
TOTAL = sum(STARS)
SPARE = 10  # digits of the second route beyond those asked for
HOW = "Taylor series of six stars and of the centre of mass"


def apart(i: int, j: int) -> str:
    """Return the square of the distance of two stars."""
    return f"((x{j} - x{i})**2 + (y{j} - y{i})**2)"


def pull(axis: str, i: int) -> str:
    """Return the acceleration of a star along an axis."""
    terms = (
        (f"{'-' if j < i else '+'} G*{j}*({axis}{max(i, j)} - {axis}{min(i, j)})*{apart(*sorted((i, j)))}**(-3/2)")
        for j in STARS
        if j != i
    )
    return " ".join(terms)


def of_all(term: str) -> str:
    """Return a sum over all stars."""
    return " + ".join(term.format(i=i) for i in STARS)


PROBLEM = InitialValueProblem(
    name="pleiades",
    states=tuple(f"{name}{i}" for name in START for i in STARS),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=(*(f"{rate}{i}" for rate in "uv" for i in STARS), *(pull(axis, i) for axis in "xy" for i in STARS)),
        ),
    ),
    initial=tuple(x for column in START.values() for x in column),
    end=1.0,
    output_times=evenly(1.0, 1000),
    invariants={
        "energy": of_all("{i}*(u{i}**2 + v{i}**2)/2") + "".join(f" - G*{i * j}/sqrt({apart(i, j)})" for i, j in PAIRS),
        "momentum along x": of_all("{i}*u{i}"),
        "momentum along y": of_all("{i}*v{i}"),
        "angular momentum": of_all("{i}*(x{i}*v{i} - y{i}*u{i})"),
    },
)


# ---- second route: six stars by Taylor series, the seventh from the centre of mass, which moves evenly


def series(g: Any, _time: Any, start: Vector, order: int) -> list[Vector]:
    """Return Taylor coefficients of six stars and of the centre of mass: places, then velocities."""
    columns = [[z] for z in start]
    gaps: dict[Any, tuple[Vector, Vector, InverseCube]] = {pair: ([], [], InverseCube()) for pair in PAIRS}
    for k in range(order):
        now = [[c[k] for c in columns[first : first + 7]] for first in (0, 7)]
        for at in now:
            at[6] = (TOTAL * at[6] - sum(i * z for i, z in zip(STARS, at[:6], strict=False))) / 7
        pulls = [[mpmath.mpf(0)] * 7 for _ in range(2)]
        for (i, j), (dx, dy, inverse) in gaps.items():
            for d, at in zip((dx, dy), now, strict=True):
                d.append(at[j - 1] - at[i - 1])
            inverse.extend(dx, dy)
            back = inverse.cubes[::-1]
            for d, along in zip((dx, dy), pulls, strict=True):
                force = g * mpmath.fdot(d, back)
                along[i - 1] += j * force
                along[j - 1] -= i * force
        rates = [*(c[k] for c in columns[14:]), *pulls[0][:6], 0, *pulls[1][:6], 0]
        for column, rate in zip(columns, rates, strict=True):
            column.append(mpmath.mpf(rate) / (k + 1))
    return columns


@per_precision
def flown(g: Any, end: int) -> Vector:
    """Return the places of six stars and of the centre of mass at an instant: along x, then along y."""
    with mpmath.extradps(SPARE):
        begin = [[exact(z).mpf() for z in map(str, column)] for column in START.values()]
        for column in begin:
            column[6] = sum(i * z for i, z in zip(STARS, column, strict=True)) / TOTAL
        return final(partial(series, g), mpmath.mpf(0), [z for column in begin for z in column], mpmath.mpf(end))


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS))


def coordinate(p: Any, *, time: int, place: int) -> Any:
    """Return a coordinate at an instant, from Taylor series."""
    return flown(p.G, time)[place]


def places(time: int) -> Iterator[Quantity]:
    """Yield the coordinates of six stars at an instant."""
    for place, name in enumerate(f"{axis}{i}" for axis in "xy" for i in STARS):
        if place % 7 < 6:
            second = partial(coordinate, time=time, place=place)
            yield of.value(name, str(time), "1", scale="1", second=second, how=HOW)


CASE = Case(
    name="pleiades",
    title="Pleiades",
    document="IVP test set",
    topics=("close encounter", "sensitive"),
    summary="Seven stars attract each other in a plane: 28 states and close encounters.",
    statement=(
        "Star i, 1 to 7, has the mass i. All attract all: r_i'' = G times the sum of j (r_j - r_i)/|r_j - r_i|³.",
        "At the start stars 6 and 7 move along x, 4 and 5 along y; the others are at rest.",
    ),
    sketch=draw.sketch(
        *(draw.disc((x, y), 0.14 + 0.025 * i) for i, (x, y) in enumerate(DRAWN, 1)),
        *(draw.words((x + 0.5, y), str(i)) for i, (x, y) in enumerate(DRAWN, 1)),
        draw.arrow((-1.95, -0.3), (-1.95, -1.3), ""),
        draw.arrow((1.3, 0.3), (1.3, 1.0), ""),
        draw.arrow((-1.0, -2.6), (0.2, -2.6), ""),
        draw.arrow((1.0, 2.6), (-0.1, 2.6), ""),
        draw.axes((-2.9, -3.2), 5.6, 6.2, ("x", "y")),
    ),
    shown=ShownMotion(curves=("x1", "y1"), portraits=tuple((f"x{i}", f"y{i}") for i in STARS), true_to_scale=True),
    equations=("r_i'' = G Σ_j j (r_j - r_i)/|r_j - r_i|^3", "E = Σ_i i v_i^2/2 - G Σ_{i<j} i j/|r_j - r_i|"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("to_one", {}),),
    quantities=tuple(places(1)),
    modelling=("Masses, lengths and the constant of gravity have no units; G = 1 in the literature.",),
    sources=(
        "E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, 2nd edition, section II.10. "
        "Springer (1993). https://doi.org/10.1007/978-3-540-78862-1",
        "F. Mazzia, C. Magherini: Test Set for Initial Value Problem Solvers, release 2.4. Universities of Bari and "
        "Padova (2008). https://archimede.uniba.it/~testset",
    ),
    remarks=(
        "Star 7 follows from the others: the centre of mass moves evenly.",
        "At 3, after the close encounters, the motion was proved to 20 digits, x1 = 0.37061391439705129008 and "
        "x5 = 0.34255817071565797904, in half a minute: too long for a variant. Of 0.3706139143970502 and "
        "0.3425581707156584, which the Test Set prints, 14 and 15 digits are right.",
    ),
)

test_pleiades = verifies(CASE)
