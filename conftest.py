"""Loads the plugin from the checkout as well as from an installation; one process runs the tests of a file."""

import gc
import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from veridyn.garbage import collect_rarely

pytest_plugins = ["veridyn.validation_cases.core.plugin"]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Spread files over processes, if there are several: what the tests of a file share is solved or proved once.

    Stated as an option of every run, that would switch benchmarks off where there is one process. Several share the
    cores: threads of numerical libraries, which wait by spinning, would keep each other from work.
    """
    if getattr(config.option, "numprocesses", None):
        from veridyn.workers import THREADS

        os.environ.update({name: "1" for name in THREADS if name not in os.environ})
        if config.option.dist in ("no", "load"):
            config.option.dist = "loadfile"
        # in the order of the folders: cases, many files of a few seconds, come last and fill up what longer ones leave.
        # By number of tests, as xdist would have it, those with few tests, and long ones, come last: one core waits
        config.option.loadscopereorder = False


BY_FIRST_PARAMETER = ("tests/adapters/test_initial_value_cases.py",)
"""Files too long for one process, whose tests share something only for the same first parameter."""
TOGETHER = "tests/judgement/"
"""Files for one process: several of them ask what all cases are in truth, which is found once."""


class Numbered(list[str]):
    """Names, all different, that are found without a search through all of them."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._places = {name: place for place, name in enumerate(self)}

    def index(self, name: str, *_: Any) -> int:
        """Return the place of a name."""
        return self._places[name]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Spread long files by the first parameter of their tests, and keep some files together, where files are spread."""
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        """Counts what is to do without a look at what is done: that took a quarter of the time of pytest itself."""

        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(TOGETHER):
                return TOGETHER
            return nodeid.rpartition("-")[0] if nodeid.startswith(BY_FIRST_PARAMETER) else super()._split_scope(nodeid)

        def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
            super().add_node_collection(node, collection)
            self.registered_collections[node] = Numbered(self.registered_collections[node])

        def mark_test_complete(self, node: Any, item_index: int, *_: Any, **__: Any) -> None:
            nodeid = self.registered_collections[node][item_index]
            scope, assigned = self._split_scope(nodeid), self.assigned_work[node]
            del assigned[scope][nodeid]
            if not assigned[scope]:
                del assigned[scope]
            self._reschedule(node)

        def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
            return sum(map(len, workload.values()))

    return Scheduling(config, log)


def pytest_pycollect_makemodule(module_path: Path) -> None:
    """Let the module of a case be the one that the catalogue loads: it would be read twice, under two names."""
    name = ".".join(module_path.relative_to(Path(__file__).parent).with_suffix("").parts)
    if name.startswith("validation_cases."):
        sys.modules[name] = importlib.import_module(f"veridyn.{name}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collect no garbage while tests are collected, which all stay: it took a quarter of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exempt tens of thousands of tests, which stay, from every later collection of garbage: each took a second.

    Those are rarer than by default, too: they took a fifteenth of the time of tests/judgement, now a fiftieth.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    collect_rarely()


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let one process at a time compile a scheme: the others load what it leaves in the cache."""
    from veridyn.solver.integrators.modal import SOLVER

    compiles, lock = type(SOLVER).warm_up, FileLock(tmp_path_factory.getbasetemp().parent / "compiling.lock")

    def alone(solver: Any, settings: Mapping[str, Any]) -> None:
        with lock:
            compiles(solver, settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(SOLVER), "warm_up", alone)
        yield


@pytest.fixture(scope="module", autouse=True)
def _references_are_forgotten() -> Iterator[None]:
    """Let go of enclosed motions after a file: gigabytes of balls make every collection of garbage slow."""
    yield
    enclosure = sys.modules.get("veridyn.references.enclosure")
    if enclosure is not None:
        enclosure.forget()
