"""Compiled kernels: fresh, and compiled once for every kind of problem."""

from __future__ import annotations

import os
import sys
from dataclasses import fields

import numba
import pytest

from veridyn.solver.devices import NonlinearSpring
from veridyn.solver.elements import Friction, Load, Stop, SupportMotion
from veridyn.solver.kernels.jit import drop_stale_caches
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import Harmonic, Sum, Windowed, constant, table


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
    bow = NonlinearSpring.odd(name="bow", direction=[1.0, 0.0], coefficients=(0, 1))
    yield build.chain(2, devices=(bow,), stops=(stop,), loads=(Load([1.0, 0.0], Windowed(Harmonic(1, 2), 0, 1)),))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_compilation_serves_every_problem(scheme, build, run):
    """Neither the problem nor whole numbers where others are expected have a kernel compiled once more."""
    numbers = [f for f in fields(SCHEMES[scheme].options) if isinstance(f.default, float) and f.name != "smallest"]
    whole = {f.name: 1 + int(f.default) for f in numbers}
    for problem in kinds(build):
        run(problem, scheme, 0.1)
        run(problem, scheme, 1, archive_every=2, **whole)
    compiled = [module.integrate for name, module in sys.modules.items() if is_kernel(name, module)]
    assert compiled
    assert {len(integrate.signatures) for integrate in compiled} <= {0, 1}


def is_kernel(name, module):
    return name.startswith("veridyn.solver.kernels.") and hasattr(module, "integrate")
