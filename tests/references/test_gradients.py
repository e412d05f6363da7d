"""Derivatives through impact, stick and slip against closed forms that are written down by hand, to 30 digits."""

from itertools import product
from types import SimpleNamespace

import mpmath
import pytest
from mpmath import mpf

from veridyn.references.parameters import exact
from veridyn.validation_cases.hybrid import test_ball_column as column
from veridyn.validation_cases.hybrid import test_penalty_wall as penalty
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.proved_derivatives import differentiate_truth

DIGITS = 30


def rising_speed(p):
    """Return the speed c of the first impact against the floor, and the weight seen from it."""
    return mpmath.sqrt((p.v0 - p.w) ** 2 + 2 * (p.g + p.a) * p.h), p.g + p.a


def rising_place(p):
    """Return dy/dh at 2 s after n = 3 impacts: z = e^n c s - G s²/2 with s = 2 - t_n seen from the floor."""
    c, weight = rising_speed(p)
    flights = 1 + 2 * (p.e + p.e**2)
    since = 2 - ((p.v0 - p.w) / weight + c / weight * flights)
    return p.e**3 * weight / c * since - (p.e**3 * c - weight * since) * flights / c


def rising_final_speed(p):
    """Return dv/de at 2 s: of e^n c - G s."""
    c, _ = rising_speed(p)
    return 3 * p.e**2 * c + 2 * c * (1 + 2 * p.e)


def pushed_speed(p):
    """Return the speed at which the balls meet."""
    return mpmath.sqrt((p.v1 - p.v2) ** 2 + 2 * p.F / p.m1 * p.d)


def pushed_place(p):
    """Return dx1/dd at 3 s after n = 2 impacts, from centre of mass and distance."""
    c, weight, flights = pushed_speed(p), p.F / p.m1, 1 + 2 * p.e
    since = 3 - ((p.v2 - p.v1) + c * flights) / weight
    gap = p.e**2 * weight / c * since - (p.e**2 * c - weight * since) * flights / c
    return p.m2 / (p.m1 + p.m2) * (1 - gap)


def ridge_root(p, side):
    return mpmath.sqrt((p.s * p.u0 / p.g) ** 2 + 2 * (p.h + side * p.s * p.d) / p.g)


def stop_root(p):
    return mpmath.sqrt((p.mu * p.N) ** 2 - 2 * p.P * p.m * p.v0)


def stop_time(p):
    return (p.mu * p.N - stop_root(p)) / p.P


def wall_energy(p):
    return p.m * p.v0**2 / 2 + p.F * p.l * mpmath.exp(-p.d / p.l)


CLOSED = [
    ("rising_floor", "rises", "t_impact_1", "h", lambda p: 1 / rising_speed(p)[0]),
    ("rising_floor", "rises", "t_impact_1", "v0", lambda p: (1 + (p.v0 - p.w) / rising_speed(p)[0]) / (p.g + p.a)),
    ("rising_floor", "rises", "y@2", "h", rising_place),
    ("rising_floor", "rises", "v@2", "e", rising_final_speed),
    ("pushed_balls", "inelastic", "u2@hit_1", "d", lambda p: (1 + p.e) * p.F / ((p.m1 + p.m2) * pushed_speed(p))),
    ("pushed_balls", "elastic", "t_hit_1", "v2", lambda p: p.m1 / p.F * (1 - (p.v1 - p.v2) / pushed_speed(p))),
    ("pushed_balls", "inelastic", "x1@3", "d", pushed_place),
    (
        "pushed_balls",
        "inelastic",
        "D@3",
        "e",
        lambda p: -2 * p.e**3 * p.m1 * p.m2 / (p.m1 + p.m2) * pushed_speed(p) ** 2,
    ),
    ("ridge", "left", "t_hit", "d", lambda p: p.s / p.g / ridge_root(p, 1)),
    ("ridge", "right", "t_hit", "d", lambda p: -p.s / p.g / ridge_root(p, -1)),
    ("ridge", "edge", "t_left", "d", lambda p: p.s / p.g / ridge_root(p, 1)),
    ("ridge", "edge", "t_right", "d", lambda p: -p.s / p.g / ridge_root(p, -1)),
    ("stop_and_go", "goes", "t_stop", "v0", lambda p: p.m / stop_root(p)),
    ("stop_and_go", "goes", "x@3", "v0", stop_time),
    ("stop_and_go", "goes", "W@3", "v0", lambda p: p.mu * p.N * stop_time(p)),
    ("stop_and_go", "goes", "v@3", "mu", lambda p: -p.N / p.m * (3 - p.mu * p.N / p.P)),
    ("stop_and_go", "stays", "t_stop", "mu", lambda p: -p.m * p.v0 / (p.mu**2 * p.N)),
    ("stop_and_go", "stays", "x_stop", "v0", lambda p: p.m * p.v0 / (p.mu * p.N)),
    ("stop_and_go", "stays", "x@3", "N", lambda p: -p.m * p.v0**2 / (2 * p.mu * p.N**2)),
    ("bank_shot", "off", "range", "b", lambda p: 2 * (1 + p.e) / p.g * p.a),
    (
        "bank_shot",
        "off",
        "cost",
        "a",
        lambda p: p.r * p.a + (2 * (1 + p.e) / p.g * p.a * p.b - p.L) * 2 * (1 + p.e) / p.g * p.b,
    ),
    ("penalty_wall", "stiff", "x@2.5", "v0", lambda p: mpmath.pi * mpmath.sqrt(p.m / p.k) - mpf("2.5")),
    ("penalty_wall", "stiff", "x@2.5", "k", lambda p: -mpmath.pi * p.v0 * mpmath.sqrt(p.m / p.k) / (2 * p.k)),
    ("soft_wall", "soft", "x_max", "v0", lambda p: p.l * p.m * p.v0 / wall_energy(p)),
    ("soft_wall", "stiff", "x_max", "F", lambda p: p.l * (p.l * mpmath.exp(-p.d / p.l) / wall_energy(p) - 1 / p.F)),
    ("grazing_impact", "graze", "v_before_1", "A", lambda p: p.A / mpmath.sqrt(p.A**2 - p.d**2)),
    ("bouncing_ball", "lossy", "t_infinity", "e", lambda p: 2 * mpmath.sqrt(2 * p.h / p.g) / (1 - p.e) ** 2),
]
"""Case, variant, quantity, parameter, and the derivative."""
ZERO = [
    ("stop_and_go", "goes", "t_go", "v0"),  # a rest forgets the start
    ("stop_and_go", "goes", "v@3", "v0"),
    ("stop_and_go", "goes", "v@3", "x0"),
    ("stop_and_go", "stays", "v@3", "mu"),
    ("bank_shot", "best", "cost", "a"),  # the minimum
    ("bank_shot", "best", "cost", "b"),
]
KINKS = {"t_hit": "the slopes differ beside the edge", "x@0.8": "the edge turns the ball", "y@0.8": "the edge turns"}


def derivative_of(name, variant, quantity, parameter, digits=DIGITS):
    """Return the derivative of a quantity of a variant, with the parameters in mpmath."""
    case = load_case(name)
    values = case.values(case.variant(variant).changes)
    chosen = next(q for q in case.quantities if q.name == quantity)
    slope = differentiate_truth(chosen, values, (parameter,), digits, chosen.truth)
    with mpmath.workdps(digits + 20):
        return slope, SimpleNamespace(**{n: v.mpf() for n, v in values.items()})


@pytest.mark.parametrize(("name", "variant", "quantity", "parameter", "closed"), CLOSED)
def test_derivatives_are_the_closed_forms(name, variant, quantity, parameter, closed):
    slope, p = derivative_of(name, variant, quantity, parameter)
    with mpmath.workdps(DIGITS + 20):
        assert slope.digits == DIGITS, slope.routes
        assert abs(slope.value - closed(p)) <= slope.radius + mpf(10) ** -DIGITS * abs(slope.value)


@pytest.mark.parametrize(("name", "variant", "quantity", "parameter"), ZERO)
def test_what_does_not_depend_on_a_parameter_has_the_derivative_zero(name, variant, quantity, parameter):
    assert derivative_of(name, variant, quantity, parameter)[0].text() == "0"


@pytest.mark.parametrize("quantity", KINKS)
def test_on_an_edge_there_is_no_derivative_and_one_line_says_why(quantity):
    slope, _ = derivative_of("ridge", "edge", quantity, "d")
    assert (slope.value, KINKS[quantity] in slope.routes[0]) == (None, True)


def test_the_derivatives_by_the_start_have_the_determinant_one():
    """Elastic balls keep volume in the phase space: velocities count with their masses, which cancel."""
    rows = [
        [derivative_of("ball_column", "heavy_below", f"{state}@5", start, 20)[0].value for start in column.START]
        for state in column.BALLS
    ]
    with mpmath.workdps(30):
        assert abs(mpmath.det(mpmath.matrix(rows)) - 1) < mpf(10) ** -10
        assert max(abs(each) for row in rows for each in row) > 10**3


def test_a_tangent_beside_the_motion_is_its_derivative():
    slope, _ = derivative_of("ball_column", "thrown", "y1@5", "h1")
    beside = column.growth("5").reference(w1="2", w2="-1")
    assert abs(slope.value - beside.value) <= slope.radius + beside.radius


@pytest.mark.parametrize(("name", "parameter"), [*product("x", ("k", "d", "v0", "m")), ("v", "v0")])
def test_the_followed_contact_has_the_derivatives_of_the_closed_form(name, parameter):
    """The closed form of a linear contact tells nothing of the events that the engine moves."""
    default = next(p.default for p in penalty.PARAMETERS if p.name == parameter)
    varied = {parameter: exact(default).varied()}
    proved = penalty.FOLLOWED.value(name, penalty.END)(**varied)
    closed = next(q for q in penalty.QUANTITIES if q.name == f"{name}@{penalty.END}").reference(**varied)
    assert abs(proved.derivative.value - closed.derivative.value) < mpf(10) ** -28
