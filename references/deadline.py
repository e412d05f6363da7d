"""A limit of time for what may take long.

Whoever marches, searches or raises the precision looks at the clock, by `check_time`. Quadratures, special functions
and algebra look at none. For them an alarm rings too: in the main thread, where the program has no alarm of its own.
In other threads, and beside an alarm of the user's, only `check_time` acts.

Work is cut where it happens to be. Who has set the limit calls `certified.forget`, since a motion may be half-made, and
says how far the work came.
"""

from __future__ import annotations

import inspect
import math
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from types import FrameType

import mpmath
from flint import ctx

TICK = 0.05  # s, from one look of the alarm to the next
AGAIN = 1.0  # s, after which the alarm rings again, if what it has cut caught the exception and went on
NEVER = math.inf
# Of weak references: Python prints what is raised in them, and goes on.
CALLBACKS = frozenset({inspect.getfile(weakref), inspect.getfile(weakref.WeakSet)})
# What is raised in the first is printed and forgotten. The others set something or set it back, as a precision is: cut
# where they begin, they would do so later, when whoever holds the traceback lets go of it, or never.
UNCUT = frozenset({"__del__", "__enter__", "__exit__"})


class Depth(IntEnum):
    """How deep in a proof a place lies: who looks at the clock at one leaves what was said of deeper ones behind."""

    VALUE = 0  # its precision, or its second route
    TRIAL = 1  # of a parameter that is sought
    PHASE = 2
    PART = 3  # of a phase


@dataclass(eq=False)
class Limit:
    """An instant of the clock (s), and the words for how far the work has come, by depth."""

    ends: float
    reached: dict[Depth, tuple[object, ...]] = field(default_factory=dict)
    is_silent: bool = False

    def reach(self, depth: Depth, *words: object) -> None:
        """Note how far the work has come at a depth."""
        self.reached = {above: said for above, said in self.reached.items() if above < depth} | {depth: words}

    @property
    def words(self) -> str:
        """How far the work has come, for a reader."""
        return ", ".join(" ".join(map(str, words)) for words in self.reached.values()) or "its formulas"


_LIMIT: ContextVar[Limit | None] = ContextVar("limit", default=None)


class OutOfTime(Exception):
    """The time that was set is up; the text says how far the work came."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTime` in what follows after some seconds; None: there is no limit of its own."""
    outer = _LIMIT.get()
    if seconds is None:
        yield
        return
    limit = Limit(min(time.monotonic() + seconds, outer.ends if outer else NEVER))
    rings, token = _may_ring(), _LIMIT.set(limit)
    with precisions_restored():
        try:
            if rings:
                signal.signal(signal.SIGALRM, _ring)
                signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
            yield
        finally:
            _LIMIT.reset(token)
            if rings:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextmanager
def precisions_restored() -> Iterator[None]:
    """Set back all precisions of numbers and series in the end: what is cut in between may not have done so."""
    bits, terms, digits, width = ctx.prec, ctx.cap, mpmath.mp.prec, mpmath.iv.prec
    try:
        yield
    finally:
        ctx.prec, ctx.cap, mpmath.mp.prec, mpmath.iv.prec = bits, terms, digits, width


def check_time(*reached: object, depth: Depth = Depth.VALUE) -> None:
    """Raise `OutOfTime` if the time is up; ``reached`` are the words for how far the work has come at a depth."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.reach(depth, *reached)
        if time.monotonic() > limit.ends:
            raise OutOfTime(limit.words)


@contextmanager
def silence() -> Iterator[None]:
    """Let no alarm ring in what follows, as where C calls back: only `check_time` acts."""
    limit = _LIMIT.get() or Limit(NEVER)
    before, limit.is_silent = limit.is_silent, True
    try:
        yield
    finally:
        limit.is_silent = before


def _may_ring() -> bool:
    """Tell whether an alarm takes nothing from the program: it has none, and no limit outside has set one."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    is_free = signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    return is_free and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def _ring(_: int, frame: FrameType | None) -> None:
    """Raise `OutOfTime` in whatever runs, if its time is up."""
    limit = _LIMIT.get()
    now = time.monotonic()
    if limit is not None and now > limit.ends and not limit.is_silent and may_be_cut(frame):
        limit.ends = now + AGAIN
        raise OutOfTime(limit.words)


def may_be_cut(frame: FrameType | None) -> bool:
    """Tell whether what is raised here is heard, and leaves nothing half set: it is, but in some callbacks."""
    while frame is not None:
        if frame.f_code.co_name in UNCUT or frame.f_code.co_filename in CALLBACKS:
            return False
        frame = frame.f_back
    return True
