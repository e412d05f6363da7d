"""The file of a run of the benchmarks, as pytest-benchmark writes it and as far as a timing report reads it."""

import math

import msgspec
from msgspec import Struct, field


class Processor(Struct, frozen=True):
    """What pytest-benchmark knows of the processor."""

    brand_raw: str = ""


class Machine(Struct, frozen=True, kw_only=True):
    """Where the benchmarks ran."""

    python_version: str
    cpu: Processor | None = None
    processor: str = ""
    machine: str = ""

    @property
    def name(self) -> str:
        """The processor as it calls itself, as far as that is known."""
        brand = self.cpu.brand_raw if self.cpu else ""
        return brand or self.processor or self.machine or "unknown processor"


class Commit(Struct, frozen=True):
    """The commit of the checkout that was measured."""

    id: str = ""


class Info(Struct, frozen=True, kw_only=True):
    """What our benchmarks add: of a solution the first call in s and digits, of a kernel its ratio to others."""

    solver: str = ""
    case: str = ""
    variant: str = ""
    scheme: str = ""
    first_call: float | None = None
    digits: float | None = None
    fewest_digits: float | None = None
    ratio: float | None = None
    against: str = ""
    general_ns_per_step: float = math.nan
    others_ns_per_step: dict[str, float] = {}
    gigaflops: float | None = None


class Statistics(Struct, frozen=True, kw_only=True):
    """Times in s over the rounds; what is missing is no number."""

    min: float = math.nan
    median: float = math.nan
    mean: float = math.nan
    stddev: float = math.nan
    q1: float = math.nan
    q3: float = math.nan
    rounds: int = 0

    @property
    def times(self) -> tuple[float, ...]:
        """All that are times."""
        return (self.min, self.median, self.mean, self.stddev, self.q1, self.q3)


class Benchmark(Struct, frozen=True, kw_only=True):
    """One benchmark."""

    name: str = ""
    extra_info: Info
    stats: Statistics = field(default_factory=Statistics)


class BenchmarkFile(Struct, frozen=True, kw_only=True):
    """A run of the benchmarks."""

    machine_info: Machine
    datetime: str
    commit_info: Commit | None = None
    benchmarks: tuple[Benchmark, ...]


def read_benchmarks(data: object) -> BenchmarkFile:
    """Return what JSON holds as a run of the benchmarks; raises ValueError if it is none."""
    try:
        return msgspec.convert(data, BenchmarkFile)
    except msgspec.ValidationError as error:  # a ValueError in some versions only
        raise ValueError(str(error)) from None
