"""Times the kernels of the gate by pytest-benchmark: ``tox -e benchmarks``."""

from __future__ import annotations

import time

import pytest

from .kernels import KERNELS, turn

ROUNDS = 15


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.benchmark(timer=time.process_time)
def test_kernel(benchmark, name):
    work = KERNELS[name]()
    work()  # compiles, or loads
    turns = []

    def time_turn():
        begin = time.process_time()
        turn()
        turns.append(time.process_time() - begin)

    benchmark.pedantic(work, setup=time_turn, rounds=ROUNDS)
    benchmark.extra_info.update(kernel=name, turn=min(turns))
