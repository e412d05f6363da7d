"""Compiled kernels: fresh, and compiled once for every kind of problem."""

from __future__ import annotations

import os

import numba
import pytest

from veridyn.solver.elements import Friction, Load, Stop, SupportMotion
from veridyn.solver.kernels import central_adaptive, devogelaere, symplectic_euler
from veridyn.solver.kernels.jit import drop_stale_caches
from veridyn.solver.time_functions import Harmonic, Sum, constant, table


def write(path, age):
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


def test_only_stale_indexes_are_dropped(tmp_path):
    """Older than the newest source means stale; machine code without an index is never read."""
    write(tmp_path / "contact.py", 10)
    write(tmp_path / "system.py", 5)
    stale = write(tmp_path / "__pycache__" / "system.integrate.nbi", 7)
    kept = [
        write(tmp_path / "__pycache__" / "contact.force.nbi", 3),
        write(tmp_path / "__pycache__" / "system.integrate.1.nbc", 7),
        write(tmp_path / "__pycache__" / "system.cpython-311.pyc", 7),
    ]
    drop_stale_caches(tmp_path)
    assert not stale.exists()
    assert all(path.exists() for path in kept)


def test_nothing_to_drop_without_a_cache(tmp_path):
    write(tmp_path / "contact.py", 0)
    drop_stale_caches(tmp_path)


def kinds(build):
    """Return problems that differ in everything a kernel could be specialised on."""
    load = Load([1.0, 0.0], Sum((Harmonic("1", "2*pi"), table([0.0, 1.0], [0.0, 1.0]))))
    support = SupportMotion.from_acceleration("base", [1.0, 1.0], constant(1))
    stop = Stop("wall", [1.0, 0.0], 0, 100, frame="absolute")
    rub = Friction("rub", ([0.0, 1.0],), "wall", 1, 0, "regularised", 10, frame="absolute")
    pad = Friction("pad", ([1.0, 0.0], [0.0, 1.0]), 1, 0.1, 0.1, "regularised", 10)
    yield build.mass()
    yield build.mass(start=0, end=1, initial_velocity=[1])
    yield build.chain(2, loads=(load,))
    yield build.chain(3, output_times=[0.5])
    yield build.chain(2, supports=(support,), stops=(stop,), frictions=(rub, pad), loads=(load,))
    yield build.chain(2, supports=(support,))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("scheme", "kernel"),
    [
        ("symplectic_euler", symplectic_euler),
        ("devogelaere", devogelaere),
        ("central_adaptive", central_adaptive),
    ],
)
def test_one_compilation_serves_every_problem(scheme, kernel, build, run):
    adaptive = scheme == "central_adaptive"
    whole = {"largest": 1, "points_per_period": 20, "grow": 2, "shrink": 2, "archive_grid": 0} if adaptive else {}
    for problem in kinds(build):
        run(problem, scheme, 0.1)
        run(problem, scheme, 1, archive_every=2, **whole)
    assert len(kernel.integrate.signatures) == 1
