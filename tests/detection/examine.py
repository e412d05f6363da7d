"""What a worker does with one fault: try it on the cheapest variants and on its card, look for its smallest size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from veridyn.validation_cases.judgement.judge import Check

from .carded import Silent, judge_card, open_runner
from .catalogue import load_hosts
from .fault import Fault, Host
from .smallest import find_smallest
from .timed import TimedGate
from .trial import CARD, Place, Trial, find_places, is_touched, judge_place, summarise

NO_ANSWER = "no answer"
SOUND: dict[tuple[str, Place], Trial] = {}  # of sound solvers, which the next jobs of a worker need as well


@dataclass(frozen=True)
class Examination:
    """One fault of a host, and what an earlier run left of it.

    ``seconds`` is the longest time of a solve; ``trials`` are those of the fault that there are already; ``silent``:
    host and fault state neither claims nor refinement; ``entries`` are those of the journal that this one adds.
    """

    host: Host
    fault: Fault
    seconds: float
    trials: Sequence[Trial] = ()
    silent: bool = False
    entries: list[dict[str, Any]] = field(default_factory=list)

    def add(self, **content: Any) -> None:
        """Add an entry of the journal."""
        self.entries.append({"host": self.host.name, "fault": self.fault.name, **content})

    def open(self, solver: Any) -> TimedGate:
        """Return the way to a solver, which states nothing of itself if it is to be silent."""
        return TimedGate(Silent(solver) if self.silent else solver, self.seconds)


def examine(
    host: str, fault: str, cases: tuple[str, ...], sizes: bool, silent: bool, trials: Iterable[Trial], seconds: float
) -> Iterator[dict[str, Any]]:
    """Try one fault in a worker, and yield what is observed, entry by entry."""
    chosen = load_hosts()[host]
    record = next(each for each in chosen.faults if each.name == fault)
    examination = Examination(chosen, record, seconds, tuple(t for t in trials if t.fault), silent)
    SOUND.update({(t.host, t.place): t for t in trials if not t.fault})
    first = try_places(examination, find_places(cases))
    if sizes and first:
        search(examination, first)
    examination.add(finished=True)
    yield from examination.entries


def try_places(examination: Examination, places: Iterable[Place]) -> Trial | None:
    """Try the fault at its size on variants up to the first that detects it; return that trial, None if none does.

    Where no variant does, its card may; of a solver that states nothing the card comes first, as it tells most.
    """
    capabilities = frozenset(examination.host.solver.capabilities)
    for place in (CARD, *places) if examination.silent else (*places, CARD):
        if place == CARD or is_touched(examination.fault, capabilities, place):
            trial = try_place(examination, place)
            if trial.detected:
                return trial
    return None


def try_place(examination: Examination, place: Place) -> Trial:
    """Return the trial of the fault at its size on a variant; deliver it if it is new."""
    for earlier in examination.trials:
        if earlier.place == place:
            return earlier
    trial = judge_size(examination, examination.fault.size, place)
    examination.add(trial=asdict(trial))
    return trial


def search(examination: Examination, first: Trial) -> None:
    """Look for the smallest size that is detected where the fault was, and deliver it.

    There is none to look for where the solver hangs, as it might at every size, nor on its card, one of which for each
    size would take long.
    """
    fault, layers = examination.fault, first.layers
    is_lost = any(name.startswith(NO_ANSWER) for name in first.failures)
    if fault.size is None or fault.smallest is None or is_lost or first.place == CARD:
        return

    def selects(check: Check) -> bool:
        return check.layer != "invariance" or "invariance" in layers

    def attempt(size: float) -> Trial:
        trial = judge_size(examination, size, first.place, selects)
        stops = trial.layers == {"error"} != layers  # a tiny change that stops the solver shows nothing
        return replace(trial, failures={}) if stops else trial

    examination.add(place=asdict(first.place), smallest=asdict(find_smallest(attempt, first, fault.smallest)))


def judge_size(
    examination: Examination, size: float | None, place: Place, selects: Callable[[Check], bool] = lambda _: True
) -> Trial:
    """Judge the solver with the fault of a size on a variant against the sound one."""
    sound = judge_sound(examination, place)
    named: dict[str, Any] = {
        "host": examination.host.name,
        "fault": examination.fault.name,
        "size": size,
    }
    try:
        gate = examination.open(examination.fault.make(size or 0.0))
    except Exception as error:  # noqa: BLE001 - a fault that cannot be made must not end the study
        return Trial(failures={}, broken={"make": f"{type(error).__name__}: {error}"}, place=place, **named)
    if place == CARD:
        return judge_card(gate, sound, **named)
    trial = summarise(judge_place(open_runner(gate), place, selects), sound, place=place, **named)
    return replace(trial, failures={f"{NO_ANSWER}: {gate.lost}": ("error", None)}) if gate.lost else trial


def judge_sound(examination: Examination, place: Place) -> Trial:
    """Return what the checks say of the sound solver on a variant; it is judged once in a process."""
    host = examination.host
    if (host.name, place) not in SOUND:
        gate, named = examination.open(host.solver), {"host": host.name, "fault": "", "size": None}
        if place == CARD:
            trial = judge_card(gate, None, **named)
        else:
            trial = summarise(judge_place(open_runner(gate), place), None, place=place, **named)
        SOUND[host.name, place] = trial
        examination.add(trial=asdict(trial))
    return SOUND[host.name, place]
