"""Methods of Nystrom, and compositions of drifts and kicks: order, name, and the number that is off."""

from __future__ import annotations

import pytest

from tests.identification.second_order_solvers import OfHalves, OfSecondOrder
from veridyn.identification.coloured import SECOND_ORDER, SEPARABLE, list_coloured
from veridyn.identification.coloured_weights import ColouredWeight
from veridyn.identification.examinee import Examinee
from veridyn.identification.initial_value import read_initial_value
from veridyn.identification.nystrom_match import compute_nystrom, make_fit, read_nystrom
from veridyn.identification.reading import Reading
from veridyn.references.methods.nystrom import NYSTROM
from veridyn.solver.contract.local_gate import LocalGate

ORDERS = {
    "symplectic Euler, velocity first": 1, "symplectic Euler, position first": 1, "velocity Verlet": 2,
    "position Verlet": 2, "Ruth 3, velocity first": 3, "Ruth 3, position first": 3, "Yoshida 4, position first": 4,
    "Yoshida 4, velocity first": 4, "nystrom-4": 4, "nystrom-5": 5, "dormand-el-mikkawy-prince-4": 4,
    "dormand-el-mikkawy-prince-6": 6,
}  # fmt: skip


def read(method: str, change: tuple[str, int, float] | tuple[()] = (), order: float | None = None) -> Reading:
    claims = {} if order is None else {"order": order}
    return read_initial_value(Examinee(LocalGate(OfSecondOrder("mine", method, change, claims))))


def value(reading: Reading, name: str) -> float | str:
    return next(figure.value for figure in reading.figures if figure.name == name)


def test_trees_are_complete_and_have_their_densities() -> None:
    """Separable ones are plain trees, whose colours alternate."""
    counts = [sum(tree.colour == "v" for tree in list_coloured(SEPARABLE, n)) for n in range(1, 8)]
    assert counts == [1, 1, 2, 4, 9, 20, 48]
    densities = sorted(tree.density for tree in list_coloured(SECOND_ORDER, 4) if tree.colour == "v")
    assert densities == [4, 4, 4, 4, 8, 8, 24, 24]


@pytest.mark.parametrize("name", NYSTROM)
def test_printed_methods_have_their_order(name: str) -> None:
    trees = [tree for nodes in range(1, 8) for tree in list_coloured(SECOND_ORDER, nodes)]
    values = compute_nystrom(read_nystrom(NYSTROM[name]), trees)
    weights = [ColouredWeight(tree=t, value=float(v), scatter=0.0) for t, v in zip(trees, values, strict=True)]
    assert make_fit(weights).find_measured_order(1e-13) == ORDERS[name]


@pytest.mark.parametrize("name", ["velocity Verlet", "Yoshida 4, position first", "dormand-el-mikkawy-prince-6"])
def test_sound_methods_are_named(name: str) -> None:
    reading = read(name, order=ORDERS[name])
    assert reading.method == name
    assert reading.deviations == ()
    assert value(reading, "order, second-order problems") in (ORDERS[name], f"{ORDERS[name]} or more")
    assert value(reading, "order, u'' = f(t, u, u')") == "refused"


@pytest.mark.parametrize(
    ("name", "change", "line"),
    [
        ("nystrom-4", ("stages", 7, 1e-6), "nystrom-4: a[3,2] is 0.500001 where 1/2 belongs"),
        ("nystrom-4", ("instants", 1, 1e-6), "nystrom-4: c[2] is 0.500001 where 1/2 belongs"),
        ("Ruth 3, velocity first", ("kicks", 1, 1e-6), "kick 2 is 0.750001 where 3/4 belongs"),
    ],
)
def test_number_off_by_a_millionth_is_named(name: str, change: tuple[str, int, float], line: str) -> None:
    assert any(line in each for each in read(name, change).deviations)


def test_claimed_order_that_is_not_reached_is_a_deviation() -> None:
    assert "order 4 is claimed; order 2 is seen: velocity Verlet" in read("velocity Verlet", order=4).deviations


@pytest.mark.parametrize(("name", "order"), [("symplectic Euler, velocity first", 1.0), ("velocity Verlet", 2.0)])
def test_partitioned_method_that_takes_any_rates_is_named(name: str, order: float) -> None:
    """The states of trees are no positions and velocities: listed the other way round they give other weights."""
    reading = read_initial_value(Examinee(LocalGate(OfHalves("mine", name))))
    assert (reading.method, reading.deviations) == (name, ())
    assert value(reading, "order, u' = g(v), v' = f(u)") == order
    assert [gap.name for gap in reading.gaps] == ["weights", "events"]


def test_share_of_a_partitioned_method_that_takes_any_rates_is_named() -> None:
    solver = OfHalves("mine", "Ruth 3, velocity first", ("kicks", 1, 1e-6))
    reading = read_initial_value(Examinee(LocalGate(solver)))
    assert "Ruth 3, velocity first: kick 2 is 0.750001 where 3/4 belongs" in reading.deviations


def test_order_of_second_order_problems_does_not_hold_for_rates_of_any_form() -> None:
    """Who takes them, and does not refuse them, is held to the order that is claimed, and is told where it holds."""
    reading = read_initial_value(Examinee(LocalGate(OfHalves("mine", "velocity Verlet", claims={"order": 2}))))
    (line,) = [line for line in reading.deviations if line.startswith("order 2 is claimed; 0.98 is seen")]
    assert "; order 2 holds for u'' = f(t, u), not for rates of any form: refuse" in line


def test_lost_order_is_not_said_to_hold_where_it_does_not() -> None:
    reading = read_initial_value(Examinee(LocalGate(OfHalves("mine", "velocity Verlet", claims={"order": 3}))))
    assert not any("holds for" in line for line in reading.deviations)
