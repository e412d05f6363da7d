"""Compiled kernels: fresh, and compiled once for every kind of problem."""

from __future__ import annotations

import os
import sys
from dataclasses import fields

import numba
import numpy as np
import pytest

from veridyn.problem.basis import modal_basis
from veridyn.problem.compiling import compiler
from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.time_functions import Harmonic, Sum, Windowed, constant, table
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.integration import IntegrationJob, Storage
from veridyn.solver.integrators.kernels import symplectic_euler
from veridyn.solver.integrators.kernels.jit import drop_old_caches, shared
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import entry


def write(path, age):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"compiled")
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


def test_what_is_older_than_the_newest_source_is_dropped(tmp_path):
    write(tmp_path / "contact.py", 10)
    write(tmp_path / "system.py", 5)
    cache = tmp_path / "cache"
    stale = [write(cache / name, 7) for name in ("system.integrate.nbi", "system.integrate.1.nbc")]
    kept = [write(cache / "contact.force.nbi", 3), write(cache / "system.cpython-311.pyc", 7)]
    drop_old_caches(tmp_path, cache)
    assert not any(path.exists() for path in stale)
    assert all(path.exists() for path in kept)


def test_nothing_to_drop_without_a_cache(tmp_path):
    write(tmp_path / "contact.py", 0)
    drop_old_caches(tmp_path, tmp_path / "cache")


def double(x):
    return 2 * x


def damage(file, content):
    file.write_bytes(content(file.read_bytes()))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [lambda whole: b"", lambda whole: whole[:-9], lambda whole: b"x" * len(whole)])
def test_a_damaged_cache_is_replaced(suffix, content, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert compiler()(double)(3) == 6
    (file,) = tmp_path.rglob(f"*{suffix}")
    damage(file, content)
    assert compiler()(double)(3) == 6
    again = compiler()(double)
    assert (again(3), again.stats.cache_hits.total()) == (6, 1)


@pytest.mark.skipif(numba.config.DISABLE_JIT or sys.platform == "win32", reason="nothing is compiled, or no limits")
def test_a_full_disk_costs_the_cache_alone(tmp_path, monkeypatch):
    import resource

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        assert compiler()(double)(3) == 6
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.skipif(numba.config.DISABLE_JIT or sys.platform != "linux", reason="nothing is compiled, or no /proc")
def test_without_a_home_the_current_folder_is_no_place(tmp_path, monkeypatch):
    """Who writes there would choose what runs here; numba takes a folder `~` in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    names = {}
    exec(compile("def double(x): return 2 * x", "/proc/version", "exec"), names)
    assert compiler()(names["double"])(3) == 6
    assert list(tmp_path.iterdir()) == []


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
def test_one_compilation_serves_one_mode_and_one_all_else(build, run):
    """Neither the problem nor whole numbers where others are expected have a kernel compiled once more.

    All schemes run in one test: others in this process may have run some of them on one mode only.
    """
    for scheme in SCHEMES:
        numbers = [f for f in fields(SCHEMES[scheme].options) if isinstance(f.default, float) and f.name != "smallest"]
        whole = {f.name: 1 + int(f.default) for f in numbers}
        for problem in kinds(build):
            run(problem, scheme, 0.1)
            run(problem, scheme, 1, archive_every=2, **whole)
    compiled = [module.integrate for name, module in sys.modules.items() if is_kernel(name, module)]
    assert compiled
    for integrate in compiled:
        alone = [numba.types.none in system.types for system, *_ in integrate.signatures]
        assert sorted(alone) in ([], [False, True])


@pytest.mark.parametrize(
    ("modes", "even", "reason"), [(2, True, "several modes.* must say so"), (1, False, "schemes with even steps")]
)
def test_what_a_scheme_cannot_count_on_is_refused(modes, even, reason, build):
    problem = build.chain(modes)
    system = system_arrays(problem, modal_basis(problem))._replace(several=None)
    storage = Storage(5, IntegrationJob(system, np.zeros(modes), np.zeros(modes), 0.0, 1.0, 0.5), even=even)
    with pytest.raises(ValueError, match=reason):
        symplectic_euler.integrate(system, 0.0, 0.5, 2, *storage.arguments())


def test_a_shared_number_is_that_of_the_array():
    assert [entry(shared)(np.array([3, 5]), i) for i in (0, 1)] == [3, 5]


def is_kernel(name, module):
    return name.startswith("veridyn.solver.integrators.kernels.") and hasattr(module, "integrate")
