"""Problems are data: they survive JSON, know what they need and refuse nonsense by name."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, Sum, pulse, table

NAN = float("nan")
SHAKE = Harmonic("1.5", "2*pi")


def rich(**changes):
    default = {
        "name": "rich",
        "start": 0.5,
        "end": 2.5,
        "output_times": [0.5, 1.0, 2.5],
        "mass": [[2.0, 0.1], [0.1, 3.0]],
        "stiffness": [[4.0, -1.0], [-1.0, 1.0]],
        "damping": [[0.04, -0.01], [-0.01, 0.01]],
        "initial_displacement": [0.1, 0.2],
        "initial_velocity": [0.0, -1.0],
        "loads": (Load([1.0, 0.0], Sum((SHAKE, pulse("0.1", 1, "1.5")))),),
        "supports": (
            SupportMotion.from_acceleration("left", [0.75, 0.25], SHAKE),
            SupportMotion.from_acceleration("right", [0.25, 0.75], table([0.0, 1.0], [0.0, 1.0])),
        ),
        "stops": (Stop("wall", [1.0, 0.0], 0.1, 1e3, 2.0, 0.3, "parallel planes", "absolute"),),
        "frictions": (
            Friction("shoe", ([0.0, 1.0], [1.0, 0.0]), "wall", 0.3, 0.2, "regularised", 1e4, 3.0, "absolute"),
            Friction("pad", ([0.0, 1.0],), 10.0, 0.1, 0.1),
        ),
        "coordinates": ("u", "v"),
    }
    return MechanicalProblem(**{**default, **changes})


def modal(**changes):
    default = {
        "name": "modal",
        "end": 1.0,
        "modes": Modes(omega=[1.0], damping=[0.01], masses=[2.0], shapes=[[1.0], [0.5]]),
        "initial_displacement": [0.0, 0.0],
        "initial_velocity": [0.0, 0.0],
    }
    return MechanicalProblem(**{**default, **changes})


def document(**changes):
    return json.dumps({**json.loads(rich().to_json()), **changes})


SQUARE = [[0.0, 0.1], [1.5, 0.2], [3.0, 0.2], [5.0, 0.1], [2 * math.pi, 0.1]]
ROUND = {"lateral": [0.0, 1.0], "lateral_offset": -0.1}
CURVED = {
    "circle": Stop("tube", [1.0, 0.0], 0.5, 1e3, geometry="circle", **ROUND),
    "outside circle": Stop("rod", [1.0, 0.0], 0.5, 1e3, geometry="outside circle", offset=2.0, **ROUND),
    "profile": Stop("hole", [1.0, 0.0], 0.0, 1e3, geometry="profile", profile=SQUARE, **ROUND),
}


def curved():
    """Return the rich problem on curved stops, one of them rubbed."""
    rub = Friction("rub", ([0.0, 1.0], [0.5, 0.5]), "tube", 0.3, 0.2)
    return rich(stops=tuple(CURVED.values()), frictions=(rub,))


@pytest.mark.parametrize("problem", [rich(), modal(), rich(output_times=None, damping=None), curved()])
def test_json_round_trip(problem):
    assert problem_from_json(problem.to_json()).to_json() == problem.to_json()


def test_json_carries_every_number():
    data = json.loads(rich().to_json())
    assert data["format_version"] == 1
    assert data["kind"] == "mechanical"
    assert data["stops"][0] == {
        "name": "wall",
        "normal": [1.0, 0.0],
        "gap": 0.1,
        "stiffness": 1e3,
        "damping": 2.0,
        "offset": 0.3,
        "geometry": "parallel planes",
        "frame": "absolute",
    }
    assert data["frictions"][0]["tangents"] == [[0.0, 1.0], [1.0, 0.0]]
    assert data["supports"][0]["acceleration"] == SHAKE.to_dict()
    assert data["mass"] == [[2.0, 0.1], [0.1, 3.0]]


def test_json_carries_the_section_of_curved_stops_alone():
    data = {stop["geometry"]: stop for stop in json.loads(curved().to_json())["stops"]}
    assert data["circle"]["lateral"] == [0.0, 1.0]
    assert data["circle"]["lateral_offset"] == -0.1
    assert "profile" not in data["circle"]
    assert data["profile"]["profile"] == SQUARE


def test_problem_read_from_json_is_the_problem():
    problem, read = rich(), problem_from_json(rich().to_json())
    assert np.array_equal(read.mass, problem.mass)
    assert np.array_equal(read.output_times, problem.output_times)
    assert read.loads[0].function == problem.loads[0].function
    assert read.supports[1].displacement == problem.supports[1].displacement
    assert read.coordinates == ("u", "v")


def test_support_motion_is_integrated_twice():
    support = SupportMotion.from_acceleration("plate", [1.0], SHAKE)
    assert support.velocity == SHAKE.antiderivative()
    assert support.displacement == SHAKE.antiderivative().antiderivative()


def test_coordinates_have_names():
    assert modal().coordinates == ("x1", "x2")


@pytest.mark.parametrize("name", ["mass", "stiffness", "initial_displacement", "output_times"])
def test_data_cannot_be_changed(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(rich(), name)[0] = 7.0


RICH_TAGS = """mechanical multi-dof damping loads support-motion multi-support absolute-frame
    contact contact:parallel-planes contact:damped
    friction:set-valued friction:regularised friction:on-stop friction:two-tangents"""


@pytest.mark.parametrize(
    ("problem", "tags"),
    [
        (rich(), RICH_TAGS),
        (modal(), "mechanical multi-dof modes damping"),
        (
            rich(supports=rich().supports[:1], loads=(), stops=(), frictions=(), damping=None),
            "mechanical multi-dof support-motion",
        ),
        (
            rich(supports=(), loads=(), frictions=(), damping=None),
            "mechanical multi-dof contact contact:parallel-planes contact:damped",
        ),
        (
            rich(supports=(), loads=(), frictions=(), damping=None, stops=tuple(CURVED.values())),
            "mechanical multi-dof contact contact:circle contact:outside-circle contact:profile",
        ),
    ],
)
def test_needs_follow_from_the_content(problem, tags):
    assert problem.needs == set(tags.split())


def test_one_coordinate_needs_no_more_than_mechanics(build):
    assert build.mass().needs == {"mechanical"}


MALFORMED = [
    ({"end": 0.5}, "time span"),
    ({"end": 0.0}, "time span"),
    ({"end": NAN}, "time span"),
    ({"end": "L/c"}, "end must be a number of seconds, got 'L/c'"),
    ({"output_times": [0.5, 3.0]}, "output_times"),
    ({"output_times": [0.0, 1.0]}, "output_times"),
    ({"output_times": [1.0, 1.0]}, "output_times"),
    ({"output_times": []}, "output_times"),
    ({"output_times": [1.0, NAN]}, "output_times"),
    ({"mass": [[2.0, NAN], [NAN, 3.0]]}, "mass"),
    ({"mass": [[-2.0, 0.0], [0.0, 3.0]]}, "mass"),
    ({"mass": [[2.0, 0.0], [0.0, 0.0]]}, "every coordinate needs mass"),
    ({"mass": [[2.0, 1.0], [0.0, 3.0]]}, "mass is not symmetric"),
    ({"mass": [[1.0]]}, "mass has shape (1, 1)"),
    ({"mass": [[1.0, 0.0], [1.0]]}, "mass must be a matrix of numbers"),
    ({"mass": "heavy"}, "mass must be a matrix of numbers"),
    ({"mass": None}, "either"),
    ({"stiffness": [4.0, 1.0]}, "stiffness has shape (2,)"),
    ({"stiffness": [[4.0, -1.0, 0.0], [1.0, 1.0, 0.0]]}, "stiffness has shape (2, 3)"),
    ({"damping": [[float("inf"), 0.0], [0.0, 0.0]]}, "damping"),
    ({"initial_displacement": [[0.0, 0.0]]}, "initial_displacement must be a vector"),
    ({"initial_displacement": ["far", 0.0]}, "initial_displacement must be a vector of numbers"),
    ({"initial_velocity": [0.0]}, "initial_velocity has 1 components"),
    ({"initial_velocity": [0.0, NAN]}, "initial_velocity"),
    ({"coordinates": ("u",)}, "coordinate names"),
    ({"coordinates": ("u", "u")}, "2 coordinate names for 2, each its own"),
]


@pytest.mark.parametrize(("change", "culprit"), MALFORMED)
def test_malformed_problem_is_refused(change, culprit, refused):
    with refused(ProblemError, "rich", culprit):
        rich(**change)


@pytest.mark.parametrize(("change", "culprit"), MALFORMED)
def test_malformed_document_is_refused(change, culprit, refused):
    culprit = "end" if change == {"end": NAN} else culprit  # a text with NaN is no JSON: its place is named
    with refused(ProblemError, culprit):
        problem_from_json(document(**change))


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"loads": (Load([1.0], SHAKE),)}, "load 1 has 1 components"),
        ({"supports": (SupportMotion.from_acceleration("left", [1.0], SHAKE),)}, "support 'left'"),
        ({"stops": (Stop("wall", [1.0], 0.0, 1.0),)}, "stop 'wall'"),
        ({"frictions": (Friction("pad", ([1.0, 0.0], [1.0]), 1.0, 0.1, 0.1),)}, "friction 'pad' tangent 2"),
        ({"frictions": (Friction("pad", ([1.0, 0.0],), "floor", 0.1, 0.1),)}, "unknown stop 'floor'"),
        ({"frictions": (Friction("wall", ([1.0, 0.0],), 1.0, 0.1, 0.1),)}, "different names"),
        ({"stops": (replace(CURVED["circle"], lateral=[1.0]),)}, "stop 'tube' direction 2"),
        (
            {"stops": tuple(CURVED.values()), "frictions": (Friction("rub", ([1.0, 0.0],), "tube", 0.1, 0.1),)},
            "'rub' rests on the curved stop 'tube': its first tangent must be the lateral",
        ),
        ({"modes": modal().modes}, "either"),
        ({"modes": modal().modes, "mass": None}, "modes bring their own stiffness"),
    ],
)
def test_parts_must_fit_together(change, culprit, refused):
    with refused(ProblemError, "rich", culprit):
        rich(**change)


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"gap": NAN}, "gap"),
        ({"offset": float("inf")}, "offset"),
        ({"stiffness": -1.0}, "stiffness = -1.0"),
        ({"stiffness": 0.0}, "stiffness = 0.0 must be finite and positive"),
        ({"stiffness": NAN}, "stiffness"),
        ({"damping": -1.0}, "damping = -1.0"),
        ({"geometry": "cone"}, "'cone'"),
        ({"frame": "rotating"}, "'rotating'"),
        ({"normal": [NAN]}, "normal"),
        ({"normal": 1.0}, "normal must be a vector"),
    ],
)
def test_malformed_stop_is_refused(change, culprit, refused):
    with refused(ProblemError, "Stop 'wall'", culprit):
        Stop(**{"name": "wall", "normal": [1.0], "gap": 0.0, "stiffness": 1.0, **change})


def bent(k, angle=0.0, radius=0.0):
    """Return the profile with one point moved."""
    points = np.array(SQUARE)
    points[k] += angle, radius
    return {"profile": points}


@pytest.mark.parametrize(
    ("geometry", "change", "culprit"),
    [
        ("circle", {"gap": 0.0}, "gap = 0.0 m is the radius of the circle: positive"),
        ("outside circle", {"gap": -1.0}, "gap = -1.0 m is the radius of the outside circle"),
        ("circle", {"lateral": None}, "circle takes lateral"),
        ("circle", {"lateral": [NAN]}, "lateral"),
        ("circle", {"lateral_offset": NAN}, "lateral_offset = nan must be a finite number"),
        ("circle", {"profile": SQUARE}, "circle takes lateral"),
        ("circle", {"geometry": "plane"}, "plane takes no lateral and no profile"),
        ("profile", {"profile": None}, "profile takes lateral and profile"),
        ("profile", {"gap": 0.1}, "gap = 0.1 m; the radii"),
        ("profile", {"profile": "square"}, "profile must be pairs"),
        ("profile", {"profile": [1.0, 2.0, 3.0, 4.0]}, "got shape (4,)"),
        ("profile", {"profile": SQUARE[:3]}, "at least four"),
        ("profile", {"profile": SQUARE[:-1]}, "not closed"),
        ("profile", bent(4, radius=0.01), "not closed"),
        ("profile", bent(4, angle=0.01), "not closed"),
        ("profile", bent(2, radius=-0.2), "the radius 0 m of the profile must be positive"),
        ("profile", bent(2, radius=NAN), "finite pairs"),
        ("profile", bent(2, angle=-1.5), "crosses itself"),
        ("profile", bent(3, angle=-3.0), "point 3 has 3 rad, point 4 2 rad"),
        ("profile", {"profile": [[0, 1], [0.5, 1], [1.0, 1], [4.2, 1], [2 * math.pi, 1]]}, "behind its centre"),
    ],
)
def test_malformed_curved_stop_is_refused(geometry, change, culprit, refused):
    with refused(ProblemError, f"Stop {CURVED[geometry].name!r}", culprit):
        replace(CURVED[geometry], **change)


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"static": 0.05}, "static coefficient 0.05 is below the kinetic 0.1"),
        ({"static": NAN}, "static"),
        ({"kinetic": -0.1}, "kinetic = -0.1"),
        ({"stiffness": -1.0}, "stiffness = -1.0"),
        ({"damping": -1.0}, "damping = -1.0"),
        ({"normal": -1.0}, "normal = -1.0"),
        ({"law": "viscous"}, "'viscous'"),
        ({"law": "regularised"}, "tangential stiffness"),
        ({"frame": "rotating"}, "'rotating'"),
        ({"tangents": ()}, "one or two tangents"),
        ({"tangents": ([1.0], [1.0], [1.0])}, "got 3"),
        ({"tangents": ([NAN],)}, "tangent"),
    ],
)
def test_malformed_friction_is_refused(change, culprit, refused):
    default = {"name": "shoe", "tangents": ([1.0],), "normal": 1.0, "static": 0.1, "kinetic": 0.1}
    with refused(ProblemError, "Friction 'shoe'", culprit):
        Friction(**{**default, **change})


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"damping": [0.1, 0.2]}, "1 frequencies"),
        ({"shapes": [[1.0, 2.0]]}, "1 frequencies"),
        ({"shapes": [1.0]}, "1 frequencies"),
        ({"shapes": [[NAN], [1.0]]}, "Modes.shapes"),
        ({"shapes": [[1.0], []]}, "Modes.shapes"),
        ({"omega": [-1.0]}, "must not be negative"),
        ({"masses": [0.0]}, "masses positive"),
        ({"omega": [NAN]}, "Modes.omega"),
    ],
)
def test_malformed_modes_are_refused(change, culprit, refused):
    default = {"omega": [1.0], "damping": [0.0], "masses": [1.0], "shapes": [[1.0], [1.0]]}
    with refused(ProblemError, culprit):
        Modes(**{**default, **change})


def test_mode_shapes_must_have_the_size_of_the_problem(refused):
    with refused(ProblemError, "modal", "2 rows, not 1"):
        modal(initial_displacement=[0.0], initial_velocity=[0.0])


STOP = {"name": "wall", "normal": [1.0, 0.0], "gap": 0.0, "stiffness": 1.0}


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("{", "ends too early"),
        ("[]", "format_version"),
        ("{}", "format_version"),
        (document(format_version=2), "format_version 1"),
        (document(kind="thermal"), "'thermal'"),
        (document(kind=["mechanical"]), "mechanical"),
        (document(colour="red"), "'colour'"),
        (document(start="soon"), "start must be a number of seconds"),
        (document(loads=5), "malformed"),
        (document(loads=[{"direction": [1.0, 0.0]}]), "'function'"),
        (document(loads=[{"direction": ["up", 0.0], "function": SHAKE.to_dict()}]), "Load.direction"),
        (document(loads=[{"direction": [1.0, 0.0], "function": {"kind": "noise"}}]), "'noise'"),
        (document(loads=[{"direction": [1.0, 0.0], "function": []}]), "malformed"),
        (document(supports=[{"name": "left"}]), "malformed"),
        (document(stops=[{**STOP, "colour": "red"}]), "colour"),
        (document(stops=[{**STOP, "normal": [[1.0], 2.0]}]), "Stop 'wall': normal"),
        (document(frictions=[{"name": "shoe"}]), "malformed"),
        (document(modes={"omega": [1.0]}), "malformed"),
    ],
)
def test_malformed_json_is_refused(text, culprit, refused):
    with refused(ProblemError, culprit):
        problem_from_json(text)


def test_missing_field_is_named(refused):
    data = json.loads(document())
    del data["end"]
    with refused(ProblemError, "end"):
        problem_from_json(json.dumps(data))
