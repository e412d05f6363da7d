"""What a worker does with one fault: try it on the cheapest variants, then look for its smallest size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from veridyn.run.workers import Channel, Watch
from veridyn.solver.contract.gate import LocalGate
from veridyn.validation_cases.judgement.judge import Check
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request

from .catalogue import load_hosts
from .fault import Fault, Host
from .smallest import find_smallest
from .trial import Place, Trial, find_places, is_touched, judge_place, summarise

NO_ANSWER = "no answer"
SOUND: dict[tuple[str, Place], Trial] = {}  # of sound solvers, which the next jobs of a worker need as well


@dataclass(frozen=True)
class Examination:
    """One fault of a host, and what an earlier run left of it.

    ``lost`` are runs that ended their process, why by key; ``trials`` those of the fault that there are already.
    """

    channel: Channel
    host: Host
    fault: Fault
    lost: Mapping[str, str] = field(default_factory=dict)
    trials: Sequence[Trial] = ()

    def tell(self, **content: Any) -> None:
        """Deliver an entry of the journal."""
        self.channel.tell({"host": self.host.name, "fault": self.fault.name, **content})


def examine(
    channel: Channel,
    host: str,
    fault: str,
    cases: tuple[str, ...],
    sizes: bool,
    trials: Iterable[Trial],
    lost: Mapping[str, str],
) -> None:
    """Try one fault in a worker, and deliver what is observed, entry by entry."""
    chosen = load_hosts()[host]
    record = next(each for each in chosen.faults if each.name == fault)
    examination = Examination(channel, chosen, record, lost, tuple(t for t in trials if t.fault))
    SOUND.update({(t.host, t.place): t for t in trials if not t.fault})
    first = try_places(examination, find_places(cases))
    if sizes and first:
        search(examination, first)
    examination.tell(finished=True)


def try_places(examination: Examination, places: Iterable[Place]) -> Trial | None:
    """Try the fault at its size on variants up to the first that detects it; return that trial, None if none does."""
    capabilities = frozenset(examination.host.solver.capabilities)
    for place in places:
        if is_touched(examination.fault, capabilities, place):
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
    examination.tell(trial=asdict(trial))
    return trial


def search(examination: Examination, first: Trial) -> None:
    """Look for the smallest size that is detected where the fault was, and deliver it.

    There is none to look for where the solver hangs, as it might at every size.
    """
    fault, layers = examination.fault, first.layers
    if fault.size is None or fault.smallest is None or any(name.startswith(NO_ANSWER) for name in first.failures):
        return

    def selects(check: Check) -> bool:
        return check.layer != "invariance" or "invariance" in layers

    def attempt(size: float) -> Trial:
        trial = judge_size(examination, size, first.place, selects)
        stops = trial.layers == {"error"} != layers  # a tiny change that stops the solver shows nothing
        return replace(trial, failures={}) if stops else trial

    examination.tell(place=asdict(first.place), smallest=asdict(find_smallest(attempt, first, fault.smallest)))


def judge_size(
    examination: Examination, size: float | None, place: Place, selects: Callable[[Check], bool] = lambda _: True
) -> Trial:
    """Judge the solver with the fault of a size on a variant against the sound one."""
    sound = judge_sound(examination, place)
    prefix = "" if size is None else f"{size:g} "
    named: dict[str, Any] = {
        "host": examination.host.name,
        "fault": examination.fault.name,
        "size": size,
        "place": place,
    }
    if why := find_loss(examination.lost, prefix, place):  # every further run might hang as long
        return Trial(failures={f"{NO_ANSWER}: {why}": ("error", None)}, **named)
    try:
        runner = make_runner(examination, examination.fault.make(size or 0.0), prefix)
    except Exception as error:  # noqa: BLE001 - a fault that cannot be made must not end the study
        return Trial(failures={}, broken={"make": f"{type(error).__name__}: {error}"}, **named)
    return summarise(judge_place(runner, place, selects), sound, **named)


def judge_sound(examination: Examination, place: Place) -> Trial:
    """Return what the checks say of the sound solver on a variant; it is judged once in a process."""
    host = examination.host
    if (host.name, place) not in SOUND:
        runner = make_runner(examination, host.solver, "sound ")
        trial = summarise(judge_place(runner, place), None, host=host.name, fault="", size=None, place=place)
        SOUND[host.name, place] = trial
        examination.tell(trial=asdict(trial))
    return SOUND[host.name, place]


def find_loss(lost: Mapping[str, str], prefix: str, place: Place) -> str:
    """Return why a run of a size on a variant was lost with its process; empty if none was."""
    begins = f"{prefix}{place.case}/{place.variant}/"
    return next((why for key, why in lost.items() if key.startswith(begins)), "")


def make_runner(examination: Examination, solver: Any, prefix: str) -> Runner:
    """Return a runner; runs are told apart by the size of the fault, too."""
    lost = {key.removeprefix(prefix): why for key, why in examination.lost.items() if key.startswith(prefix)}
    watch = examination.channel.watched
    return Runner(
        LocalGate(solver), Request(), lost, lambda key: watch(Watch("solve", examination.fault.name, prefix + key))
    )
