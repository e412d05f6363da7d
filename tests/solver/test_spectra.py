"""Response spectra against closed forms and the exact solver; baselines against what they are by definition."""

import math

import numpy as np
import pytest

import veridyn
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.problem.time_functions import Piecewise, pulse

TURN = 2 * math.pi


def make_record(times, values):
    slopes = np.diff(values) / np.diff(times)
    return Piecewise(tuple(times), (*zip(values[:-1], slopes, strict=True), (0.0,)))


TIMES = np.arange(0.0, 6.001, 0.02)
SHAKE = np.sin(7 * TIMES) * np.exp(-0.4 * TIMES) + 0.3 * np.sin(41 * TIMES + 1)
RECORD = make_record(TIMES.tolist(), SHAKE.tolist())


def test_the_shock_spectrum_of_a_rectangular_pulse():
    hertz, lasts = np.array([0.2, 0.7, 2.0, 2.5, 11.0, 80.0]), 0.2
    factor = np.where(hertz * lasts < 0.5, 2 * np.sin(math.pi * hertz * lasts), 2.0)
    spectrum = veridyn.response_spectrum(pulse(3.0, 0.0, lasts), hertz, 0.0)
    np.testing.assert_allclose(spectrum.pseudo_acceleration, 3.0 * factor, rtol=1e-9)
    np.testing.assert_allclose(spectrum.pseudo_velocity * TURN * hertz, spectrum.pseudo_acceleration)


@pytest.mark.parametrize(("hertz", "damping"), [(0.4, 0.05), (3.0, 0.02), (9.0, 0.3)])
def test_the_exact_solver_meets_the_spectrum(hertz, damping):
    corrected = veridyn.correct_baseline(RECORD)  # parabolas between breaks
    problem = veridyn.MechanicalProblem(
        mass=1.0,
        stiffness=(TURN * hertz) ** 2,
        damping=2 * damping * TURN * hertz,
        end=9.0,
        supports=veridyn.SupportMotion.from_acceleration("ground", [1.0], corrected),
    )
    solved = veridyn.solve(problem, "exact", times=np.linspace(0.0, 9.0, 90001))
    largest = veridyn.response_spectrum(corrected, [hertz], damping).displacement[0]
    assert abs(np.abs(solved["x1"]).max() / largest - 1) < 1e-6


def test_what_gives_no_spectrum():
    for record, hertz, damping, words in (
        (veridyn.constant(1.0), [1.0], 0.0, "a record that ends"),
        (veridyn.Harmonic(1.0, 1.0), [1.0], 0.0, "a record that ends"),
        (RECORD, [1.0, 0.0], 0.0, "must be positive"),
        (RECORD, [1.0], 1.0, "from 0 to below 1"),
    ):
        with pytest.raises(ProblemError, match=words):
            veridyn.response_spectrum(record, hertz, damping)


@pytest.mark.parametrize("degree", [0, 1, 2, 5])
def test_the_velocity_that_is_left_is_orthogonal_to_every_drift(degree):
    velocity = veridyn.correct_baseline(RECORD, degree).antiderivative()
    grid = np.linspace(0.0, TIMES[-1], 60001)
    size = np.sqrt(np.trapezoid(velocity(grid) ** 2, grid))
    for power in range(1, degree + 2):
        drift = (grid / TIMES[-1]) ** power
        assert abs(np.trapezoid(velocity(grid) * drift, grid)) < 1e-6 * size
    assert size < np.sqrt(np.trapezoid(RECORD.antiderivative()(grid) ** 2, grid))


def test_a_parabola_is_nothing_but_baseline():
    t = TIMES - 1.0
    drifted = make_record(t.tolist(), (SHAKE + 0.5 - 0.1 * TIMES).tolist())
    np.testing.assert_allclose(
        veridyn.correct_baseline(drifted)(t[:-1]), veridyn.correct_baseline(RECORD)(TIMES[:-1]), atol=1e-12
    )


def test_what_has_no_baseline():
    with pytest.raises(ProblemError, match="from 0 to 5, got 6"):
        veridyn.correct_baseline(RECORD, 6)
    with pytest.raises(ProblemError, match="two breaks"):
        veridyn.correct_baseline(veridyn.constant(1.0))


def read(folder, text, **options):
    file = folder / "record.csv"
    file.write_text(text, encoding="utf-8")
    return veridyn.read_acceleration(file, **options)


def test_records_are_read_in_their_units(tmp_path):
    record = read(tmp_path, "time [ms];acc [g]\n0;0\n10;0,5\n30;-1,0\n", baseline=None)
    np.testing.assert_allclose(record.breaks, [0.0, 0.01, 0.03])
    np.testing.assert_allclose(record(np.array([0.0, 0.005, 0.02, 0.03])), np.array([0, 0.25, -0.25, 0]) * 9.80665)
    plain = read(tmp_path, "t,east,north\n0,0,1\n1,2,3\n2,1,0\n", column="north")
    assert plain(0.5) == veridyn.correct_baseline(make_record([0.0, 1.0, 2.0], [1.0, 3.0, 0.0]))(0.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n0,1\n1,2\n", "no column of the time; name it time or t"),
        ("t,a,b\n0,1,1\n1,2,2\n", "which column is the acceleration\\? name one of a, b"),
        ("t\n0\n1\n", "1 cells under 1 columns"),
        ("t,a\n0,1\n", "two samples"),
        ("t,a\n0,1\n2,1\n1,1\n", "line 4, column t: the time does not increase"),
        ("t,a [m]\n0,1\n1,1\n", "does not measure"),
        ("t,a\n0,x\n1,1\n", "'x' is not a number"),
    ],
)
def test_what_is_no_record(tmp_path, text, words):
    with pytest.raises(SolverInputError, match=words):
        read(tmp_path, text)
    with pytest.raises(SolverInputError, match="no column 'c'"):
        read(tmp_path, "t,a\n0,1\n1,1\n", column="c")
