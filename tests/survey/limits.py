"""How far proofs of one's own problem go: size, events, digits, stiffness: ``python -m tests.survey.limits``.

Writes docs/prove-limits.md. CPU seconds are those of the first route of one value, the problem made anew for each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from veridyn.api.proving import follow_problem, make_reference
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.certified import CertificationError, compute_in_time, forget, undefined
from veridyn.references.problems.queries import read_query
from veridyn.reports.markdown import table

PAGE = Path(__file__).parents[2] / "docs" / "prove-limits.md"
SECONDS = 60.0  # for a value
LONGEST = 110  # characters of a reason

INTRODUCTION = """\
# Limits of proofs

How long `veridyn prove` takes for one value, by its first route: CPU seconds on one core of the machine on which
`python -m tests.survey.limits` made this page, with {seconds:g} s for each value. *What it took* are phases and events
of the motion, parts of phases that were searched, and bits of the numbers."""


def make_chain(size: int, *, stiffness: float = 1e4, has_friction: bool = False) -> MechanicalProblem:
    """Return a chain of masses of 1 kg between springs, the first of them thrown at a stop, the last rubbing or not."""
    springs = 2 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    first, last = np.eye(size)[0], np.eye(size)[-1]
    return MechanicalProblem(
        name="chain",
        mass=np.eye(size),
        stiffness=100.0 * springs,
        damping=0.5 * springs,
        end=3.0,
        initial_velocity=first,
        stops=(Stop("stop", first, 0.05, stiffness),),
        frictions=(Friction("sole", (last,), 5.0, 0.3, 0.2),) if has_friction else (),
    )


def make_shaker(end: float, *, has_friction: bool = False) -> MechanicalProblem:
    """Return an oscillator under a harmonic load that hits a stop again and again, or rubs."""
    one = np.ones(1)
    return MechanicalProblem(
        name="shaker",
        mass=np.eye(1),
        stiffness=np.array([[100.0]]),
        damping=np.array([[0.0 if has_friction else 0.5]]),
        end=end,
        loads=(Load(one, Harmonic(30.0, 9.0)),),
        stops=() if has_friction else (Stop("stop", one, 0.05, 1e4),),
        frictions=(Friction("sole", (one,), 20.0, 0.5, 0.4),) if has_friction else (),
    )


def measure(make: Callable[[], MechanicalProblem], digits: int = 30) -> tuple[str, str]:
    """Return CPU seconds for the first place at the end, and what its proof took, or why it has no value."""
    forget()
    begin = time.process_time()
    try:
        reference = make_reference(follow_problem(make()), read_query("x1@end"))
        value = compute_in_time(partial(reference.compute, {}, digits), SECONDS)
    except CertificationError as reason:
        value = undefined(str(reason))
    took = f"{time.process_time() - begin:.1f}"
    return took, value.proved if value.value is not None else "; ".join(value.routes)[:LONGEST]


def make_rows() -> Iterator[tuple[str, Sequence[str], list[tuple[str, ...]]]]:
    """Yield the tables: heading, heads of columns, rows."""
    sizes = [
        (str(n), "yes" if rubs else "no", *measure(partial(make_chain, n, has_friction=rubs)))
        for n in (2, 10, 20, 40)
        for rubs in (False, True)
    ]
    yield "Size", ("coordinates", "friction", "s", "what it took"), sizes
    events = [
        (f"{end:g} s", "slips" if rubs else "hits", *measure(partial(make_shaker, end, has_friction=rubs)))
        for end in (10.0, 40.0, 80.0)
        for rubs in (False, True)
    ]
    yield "Events", ("span", "events are", "s", "what it took"), events
    digits = [(str(n), *measure(partial(make_chain, 4), n)) for n in (30, 100, 300, 1000)]
    yield "Digits, of four coordinates", ("digits", "s", "what it took"), digits
    stiffness = [(f"{k:g}", *measure(partial(make_chain, 4, stiffness=k))) for k in (1e2, 1e4, 1e6, 1e8, 1e10)]
    heading = "Stiffness of the stop, beside springs of 100 N/m, of four coordinates"
    yield heading, ("N/m", "s", "what it took"), stiffness


def main() -> None:
    """Write the page."""
    parts = [INTRODUCTION.format(seconds=SECONDS)]
    for heading, heads, rows in make_rows():
        parts += [f"## {heading}", table(heads, rows)]
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
