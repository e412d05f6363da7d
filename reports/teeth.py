"""What a run of deliberate defects says: who is caught by what, who survives, which checks never bite."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

Findings = Mapping[str, Any]
Entry = dict[str, Any]
Place = tuple[str, str]  # case and name of a check

VIEWS = ("theory", "documents")
ABOVE, BELOW, ELSE = "+", "-", ""


def check_name(record: Mapping[str, Any]) -> str:
    """Return the name of a check without the scheme, e.g. ``a0=1.5-truth:wear_power``."""
    return f"{record['variant']}-{record['kind']}:{record['quantity']}"


def side(record: Mapping[str, Any]) -> str:
    """Return on which side of the truth a value lies: ``+``, ``-``, or nothing if there is no telling."""
    try:
        difference = float(record["value"]) - float(record["reference"])
    except (TypeError, ValueError):
        return ELSE
    return ABOVE if difference > 0 else BELOW if difference < 0 else ELSE


def joined(documents: Iterable[Findings]) -> dict[str, Any]:
    """Return several result documents as one: a later one adds cases, defects and runs, or replaces them.

    ``made`` of a run is the number of its document, the place of its entry among ``environments``.
    """
    found: dict[str, Any] = {}
    cases: dict[str, None] = {}
    defects: dict[str, Entry] = {}
    runs: dict[tuple[str, str, str], Entry] = {}
    environments = []
    for number, document in enumerate(documents):
        found |= document
        environments.append(document["environment"])
        cases |= dict.fromkeys(document["cases"])
        defects |= {defect["name"]: defect for defect in document["defects"]}
        runs |= {(run["defect"], run["case"], run["judged_by"]): {**run, "made": number} for run in document["runs"]}
    joint = {"cases": sorted(cases), "defects": list(defects.values()), "runs": list(runs.values())}
    return found | joint | {"environments": environments}


def current(found: Findings, defects: Iterable[str], checks: Collection[Place]) -> dict[str, Any]:
    """Return what is still asked: defects that exist, in their order, and checks that exist, by case and name.

    ``checks`` of the result are all, those included that no defect was asked.
    """
    cases = sorted({case for case, _ in checks})
    known = {defect["name"]: defect for defect in found["defects"]}
    kept = [known[name] for name in defects if name in known]
    names = {defect["name"] for defect in kept}
    runs = [_trimmed(run, checks) for run in found["runs"] if run["defect"] in names and run["case"] in cases]
    return {**found, "cases": cases, "defects": kept, "runs": runs, "checks": sorted(checks)}


def _trimmed(run: Entry, checks: Collection[Place]) -> Entry:
    asked = [check for check in run["asked"] if (run["case"], check) in checks]
    return {**run, "asked": asked, "caught": {c: side for c, side in run["caught"].items() if c in asked}}


def runs_of(found: Findings, defect: str, judged_by: str | None = None) -> list[Entry]:
    """Return the runs of a defect, in one judgement or both."""
    return [
        run for run in found["runs"] if run["defect"] == defect and (judged_by is None or run["judged_by"] == judged_by)
    ]


def lines(found: Findings) -> Iterator[tuple[Entry, str, dict[str, int]]]:
    """Yield defect, judgement, and by case how many checks catch it."""
    for defect in found["defects"]:
        for judged_by in VIEWS:
            counts = {run["case"]: len(run["caught"]) for run in runs_of(found, defect["name"], judged_by)}
            if counts or judged_by == VIEWS[0]:
                yield defect, judged_by, counts


def caught_by_case(found: Findings, judged_by: str | None = None) -> dict[str, set[str]]:
    """Return by defect the cases that catch it."""
    cases: dict[str, set[str]] = {defect["name"]: set() for defect in found["defects"]}
    for run in found["runs"]:
        if run["caught"] and judged_by in (None, run["judged_by"]):
            cases[run["defect"]].add(run["case"])
    return cases


def untried(found: Findings) -> list[str]:
    """Return the defects that no case has anything for."""
    tried = {run["defect"] for run in found["runs"]}
    return [defect["name"] for defect in found["defects"] if defect["name"] not in tried]


def survivors(found: Findings, judged_by: str = VIEWS[0]) -> list[str]:
    """Return the defects that were tried in a judgement, by a check that applies to it, and not caught in it."""
    caught = caught_by_case(found, judged_by)
    tried = {run["defect"] for run in found["runs"] if run["judged_by"] == judged_by and run["asked"]}
    return [defect["name"] for defect in found["defects"] if defect["name"] in tried and not caught[defect["name"]]]


def unseen(found: Findings) -> dict[str, str]:
    """Return the defects that survive where documents judge, as they must, each with the reason."""
    reasons = {defect["name"]: defect.get("unseen", "") for defect in found["defects"]}
    return {name: reasons[name] for name in survivors(found, VIEWS[1]) if reasons[name]}


def broken(found: Findings) -> list[str]:
    """Return what went wrong in defects that could not run."""
    return sorted({reason for run in found["runs"] for reason in run["broken"]})


def catches(found: Findings, judged_by: str | None = None) -> dict[Place, list[str]]:
    """Return by case and check the defects that it catches, checks that catch none included."""
    caught: dict[Place, list[str]] = {}
    for run in found["runs"]:
        if judged_by not in (None, run["judged_by"]):
            continue
        for check in run["asked"]:
            caught.setdefault((run["case"], check), [])
        for check in run["caught"]:
            if run["defect"] not in caught[run["case"], check]:
                caught[run["case"], check].append(run["defect"])
    return caught


def silent(found: Findings) -> list[Place]:
    """Return case and name of the checks that catch no defect."""
    return [place for place, defects in catches(found).items() if not defects]


def unasked(found: Findings) -> list[Place]:
    """Return case and name of the checks that no defect was asked, as far as all checks are known (`current`)."""
    asked = catches(found)
    return [place for place in found.get("checks", ()) if place not in asked]


def only_by_parity(found: Findings) -> list[str]:
    """Return the defects that nothing but comparison with the printed digits of the same scheme catches."""
    caught = {
        defect["name"]: [c for run in runs_of(found, defect["name"]) for c in run["caught"]]
        for defect in found["defects"]
    }
    return [name for name, checks in caught.items() if checks and all("-parity:" in check for check in checks)]


def only_caught_by(found: Findings) -> dict[str, list[str]]:
    """Return by case the defects that no other case catches."""
    alone: dict[str, list[str]] = defaultdict(list)
    for defect, cases in caught_by_case(found).items():
        if len(cases) == 1:
            alone[next(iter(cases))].append(defect)
    return dict(alone)


def summary(found: Findings) -> Iterator[str]:
    """Yield what there is to say in a few sentences."""
    missing = untried(found)
    tried = len(found["defects"]) - len(missing)
    survived = survivors(found)
    yield f"{tried - len(survived)} of {tried} defects are caught"
    yield from _named("survive", survived)
    yield from _named("could not run", broken(found))
    yield from _named("need something that no case asked for has", missing)
    small = unseen(found)
    open_ended = [name for name in survivors(found, VIEWS[1]) if name not in small]
    yield from _named("survive around the exact solver, where documents judge", open_ended)
    yield from _named("are too small around the exact solver for what documents ask", small)
    yield from _named("are caught by parity with printed digits alone", only_by_parity(found))
    yield f"{len(silent(found))} of {len(catches(found))} checks catch none of them"
    if "checks" in found:
        yield f"{len(unasked(found))} of {len(found['checks'])} checks were asked about none of them"


def _named(what: str, names: Iterable[str]) -> Iterator[str]:
    listed = list(names)
    if listed:
        yield f"{len(listed)} {what}: {', '.join(listed)}"
