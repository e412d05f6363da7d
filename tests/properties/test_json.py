"""Problems of every kind survive JSON to the last bit."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, polynomial, pulse

examples = settings(derandomize=True, deadline=None, max_examples=60)
finite = st.floats(-1e6, 1e6)
positive = st.floats(1e-6, 1e6)
Y, Z = np.eye(2)
frames = st.sampled_from(["relative", "absolute"])
functions = st.one_of(
    st.builds(Harmonic, finite, positive, finite),
    st.builds(Harmonic, st.sampled_from(["1/3", "pi/7", "1e-20"]), st.just("2*pi")),
    st.lists(finite, min_size=1, max_size=5).map(lambda c: polynomial(*c)),
    st.builds(pulse, finite, st.just(0.25), st.just(0.5)),
)
planes = st.builds(
    Stop, st.just("plane"), st.just(Y), finite, positive, damping=positive, offset=finite,
    geometry=st.sampled_from(["plane", "parallel planes"]), frame=frames,
)  # fmt: skip
rings = st.builds(
    Stop, st.just("ring"), st.just(Y), positive, positive, geometry=st.sampled_from(["circle", "outside circle"]),
    lateral=st.just(Z), lateral_offset=finite, frame=frames,
)  # fmt: skip


@st.composite
def profiles(draw):
    sides = draw(st.integers(3, 9))
    radii = draw(st.lists(st.floats(0.9, 1.1), min_size=sides, max_size=sides))
    points = np.column_stack((2 * math.pi * np.arange(sides + 1) / sides, [*radii, radii[0]]))
    return Stop("profile", Y, 0.0, draw(positive), geometry="profile", lateral=Z, profile=points)


frictions = st.builds(
    lambda tangents, normal, kinetic, more, law, stiffness, damping: Friction(
        "rub", tangents, normal, kinetic + more, kinetic, law, stiffness, damping
    ),
    st.sampled_from([(Y,), (Y, Z)]), positive, positive, positive, st.sampled_from(["set-valued", "regularised"]),
    positive, positive,
)  # fmt: skip
springs = st.builds(
    lambda place, rows, offset: NonlinearSpring(
        name="spring", direction=Y, offset=offset, breaks=(place,), coefficients=rows
    ),
    finite, st.tuples(st.tuples(finite, finite), st.tuples(finite)), finite,
)  # fmt: skip


@st.composite
def problems(draw):
    a = draw(st.tuples(positive, positive, finite))
    span = draw(st.tuples(st.floats(-10, 10), positive))
    stops = draw(st.lists(st.one_of(planes, rings, profiles()), max_size=3, unique_by=lambda s: s.name))
    support = draw(st.none() | functions)
    return MechanicalProblem(
        name=draw(st.text(min_size=1, max_size=8)),
        mass=np.diag(a[:2]),
        stiffness=np.array([[abs(a[2]), a[2]], [a[2], abs(a[2])]]),
        initial_displacement=draw(st.tuples(finite, finite)),
        initial_velocity=draw(st.tuples(finite, finite)),
        start=span[0],
        end=span[0] + span[1],
        output_times=draw(st.none() | st.just([span[0], span[0] + span[1]])),
        stops=tuple(stops),
        frictions=tuple(draw(st.lists(frictions, max_size=1))),
        devices=tuple(draw(st.lists(springs, max_size=1))),
        loads=tuple(Load(Y, f) for f in draw(st.lists(functions, max_size=2))),
        supports=() if support is None else (SupportMotion.from_acceleration("ground", Y, support),),
    )


@examples
@given(problems(), st.floats(-10, 10))
def test_a_problem_survives_json(problem, t):
    text = problem.to_json()
    back = problem_from_json(text)
    assert back.to_json() == text
    assert back.needs == problem.needs
    for one, other in zip(problem.loads, back.loads, strict=True):
        assert one.function(t) == other.function(t)
    for one, other in zip(problem.stops, back.stops, strict=True):
        assert all(np.array_equal(vars(one)[name], vars(other)[name]) for name in vars(one))
