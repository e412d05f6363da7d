"""A small document with every verdict, every layer, and names that try to break out of their place."""

import copy
import json
import math
from collections import Counter
from decimal import Decimal

import msgspec
import pytest

from veridyn.results import Document, WorkPrecisionPoint, compute_checksum, convert, convert_record, unstructure

HOSTILE = "<script>alert('x')</script> | \"quoted\" & [bold]*star* `code` $x_1$ {{ page }}"

ENVIRONMENT = {
    "veridyn": "0.1.0",
    "python": "3.12.1",
    "platform": "Linux",
    "machine": "x86_64",
    "date": "2025-01-02T03:04:05+00:00",
    "command": "veridyn run --report report",
    "packages": {"numpy": "2.0.0"},
    "cores": "4",
}


def settle(record):
    """Return a check whose numbers follow from each other, as those of a file do; the sample states them roughly."""
    record, value, reference = copy.deepcopy(record), record["value"], record["reference"]
    if record["error"] is None:
        return record | {"tolerance": None}
    if record["layer"] in ("criterion", "convergence") and isinstance(value, float):
        apart, size = abs(Decimal(value) - Decimal(reference)), abs(Decimal(reference))
        record["error"] = float(apart / size if record["error_kind"] == "relative" else apart)
        record["digits"] = -math.log10(apart / size)
        for row in record["levels"]:
            row["error"] = float(abs(Decimal(row["value"]) - Decimal(reference)))
    if not record["error"]:
        return record | {"margin": None}
    if not record["terms"]:
        record["tolerance"] = record["margin"] * record["error"]
    return record | {"margin": record["tolerance"] / record["error"]}


def result(**changes):
    """One passed check, with changes."""
    record = {
        "case": "shoe",
        "variant": "a0=15",
        "solver": "veridyn",
        "scheme": "euler",
        "quantity": "wear_power",
        "layer": "criterion",
        "unit": "W",
        "value": 15.2668,
        "reference": "15.2670995893716138593344827041",
        "reference_digits": 30,
        "error": 1.96e-5,
        "error_kind": "relative",
        "tolerance": 1e-4,
        "reason": "penalty",
        "margin": 5.1,
        "digits": 4.7,
        "verdict": "pass",
        "detail": "",
        "settings": {"step": 1e-4},
        "levels": [],
        "terms": {},
        "wall_time": 0.012,
        "counters": {"steps": 1000},
        "id": "a0=15-wear_power-euler",
    }
    return record | changes


LEVELS = [
    {"setting": "step", "size": 4e-4, "value": 15.30, "difference": None, "error": 0.033},
    {"setting": "step", "size": 2e-4, "value": 15.28, "difference": 15.30 - 15.28, "error": 0.013},
    {"setting": "step", "size": 1e-4, "value": 15.27, "difference": 15.28 - 15.27, "error": 0.003},
]
TERMS = {"numerical uncertainty": 0.03, "sampling": 0.0, "rounding": 1.5e-8}
CHANGES = [
    {"quantity": "wear_power", "before": 15.27, "after": 15.28, "change": 15.28 - 15.27, "admissible": 0.002},
    {"quantity": "regime", "before": "slip-slip", "after": "slip-slip", "change": 0.0, "admissible": 0.0},
]


FAR = [
    LEVELS[0] | {"value": 15.34},
    LEVELS[1] | {"value": 15.32, "difference": 15.34 - 15.32},
    LEVELS[2] | {"value": 15.3071, "difference": 15.32 - 15.3071},
]
SHARE = (15.28 - 15.27) / 0.002  # of the largest change over the admissible one


def converged(**changes):
    """One check of convergence, with terms and level table, and changes."""
    made = {"layer": "convergence", "value": 15.27, "error": 0.003, "error_kind": "absolute", "digits": 3.7}
    return result(**(made | {"tolerance": 0.03, "margin": 10.0, "terms": TERMS, "levels": LEVELS} | changes))


def results():
    empty = {"value": None, "error": None, "margin": None, "digits": None, "wall_time": None}
    uncounted = {"error_kind": "absolute", "digits": None}
    rough = [
        result(),
        result(layer="baseline", quantity="digits:wear_power", value=11.0, reference=11.0, error=0.0, **uncounted),
        result(layer="claim", quantity="order:wear_power", reference=2.0, value=1.97, error=2.0 - 1.97, margin=20.0)
        | {**uncounted, "unit": "", "tolerance": 0.6},
        converged(),
        result(quantity="slip_start[1]", unit="s", margin=1.4),
        result(quantity="energy", margin=5000.0, error=2e-8, value=15.26709928),
        result(layer="invariance", quantity="mirrored", value=SHARE, reference=0.0, levels=CHANGES, error=SHARE)
        | {**uncounted, "verdict": "expected failure", "margin": 0.2, "tolerance": 1.0, "detail": "known"},
        result(quantity="regime", value="slip-slip", reference="slip-slip", error=0.0, error_kind="exact")
        | {"digits": None, "tolerance": 0.0, "reference_digits": None},
        result(case="spring", variant="", verdict="fail", margin=0.333, error=3e-4, detail="too slow", value=15.2625),
        converged(case="spring", variant="", verdict="fail", margin=0.75, value=15.3071, levels=FAR),
        result(case="spring", variant="", scheme="rk", verdict="error", detail="ZeroDivisionError: x", **empty),
        result(case="spring", solver="foreign", scheme="", verdict="not applicable", detail="friction", **empty),
        result(
            case=HOSTILE,
            variant=HOSTILE,
            solver=HOSTILE,
            quantity=HOSTILE,
            unit=HOSTILE,
            verdict="fail",
            tolerance=1e-5,
            margin=0.5,
        ),
    ]
    return name_apart(map(settle, rough))


def name_apart(records):
    """Return checks of which no two of a solver on a variant have one name."""
    seen = Counter()
    for record in records:
        place = tuple(record[key] for key in ("solver", "case", "variant", "id"))
        seen[place] += 1
        yield record | ({"id": f"{record['id']}-{seen[place]}"} if seen[place] > 1 else {})


def plan(records):
    """Return the plan that some checks fulfil, and what it states of solvers."""
    places = {}
    for record in records:
        places.setdefault((record["solver"], record["case"], record["variant"]), []).append(record["id"])
    made = [{"solver": s, "case": c, "variant": v, "checks": checks} for (s, c, v), checks in places.items()]
    solvers = [{"name": name, "specification": name} for name in dict.fromkeys(s for s, _, _ in places)]
    return {"plan": made, "planned": len(records), "solvers": solvers}


def point(**changes):
    """One refinement level, with changes."""
    record = {
        "case": "shoe",
        "variant": "a0=15",
        "solver": "veridyn",
        "version": "0.1.0",
        "scheme": "euler",
        "settings": {"scheme": "euler", "step": 1e-4, "penalty": 9e6},
        "first_call": 0.5,
        "wall_time": 0.012,
        "repeats": 20,
        "error": 1.96e-5,
        "quantity": "wear_power",
        "digits": 4.7,
        "scd": None,
        "mescd": None,
        "uncertainty": 0.0,
        "passed": 6,
        "checks": 7,
        "counters": {"steps": 1000},
        "detail": "",
    }
    return record | changes


def points():
    names = {"case": HOSTILE, "variant": HOSTILE, "solver": HOSTILE, "version": HOSTILE, "quantity": HOSTILE}
    nothing = dict.fromkeys(("first_call", "wall_time", "error", "digits"))
    finer = {"scheme": "euler", "step": 5e-5, "penalty": 9e6}
    return [
        point(),
        point(settings=finer, wall_time=0.025, repeats=12, error=9e-6, digits=5.0),
        point(
            solver="foreign",
            scheme="",
            version="7",
            settings={},
            wall_time=0.1,
            repeats=3,
            error=1e-8,
            digits=8.0,
            scd=8.0,
        ),
        point(solver="limp", scheme="", settings={}, **nothing, repeats=0, checks=0, passed=0, detail="not applicable"),
        point(**names, settings={HOSTILE: HOSTILE}, detail=HOSTILE),
        point(case="spring", variant="", **nothing, detail="diverged"),
    ]


def system(**changes):
    """A mass of every kind of element, with names that try to break out, and changes."""
    made = {
        "masses": [{"name": name, "mass": 2.0, "velocity": speed} for name, speed in (("u", 1.0), (HOSTILE, -1.0))],
        "springs": [{"ends": ["ground", "u"], "value": 1e4}, {"ends": ["u", HOSTILE], "value": 5.0}],
        "dampers": [{"ends": ["ground", HOSTILE], "value": 3.0}],
        "stops": [{"name": HOSTILE, "ends": ["u"], "side": "both", "gap": 0.01, "stiffness": 1e6}],
        "frictions": [{"name": "pad", "ends": ["u"], "on": HOSTILE, "static": 0.3, "kinetic": 0.2}],
        "loads": ["u"],
        "supports": [HOSTILE],
    }
    return made | changes


def case(name):
    return {
        "case": name,
        "title": f"Title of {name}",
        "document": "V5.01.104",
        "summary": "A mass slides.",
        "statement": ["First paragraph.", "# not a heading"],
        "equations": ["m x'' + k x = -mu N", HOSTILE],
        "system": system(),
        "parameters": [{"name": "a0", "unit": "m/s²", "default": "1.5", "help": "amplitude"}],
        "quantities": [{"name": "wear_power", "unit": "W", "definition": "mean of N |v|"}],
        "references": [
            {
                "variant": "a0=15",
                "quantity": "wear_power",
                "unit": "W",
                "value": "15.2670995893716138593344827041",
                "digits": 30,
                "kind": "quasi-analytical",
                "routes": ["event by event", "quadrature"],
            },
            {"variant": "a0=1", "quantity": "wear_power", "unit": "W", "value": None, "digits": None},
        ],
        "sources": ["Author: A title. A journal 1 (2001) 1. https://example.org/title"],
        "modelling": ["a stiff spring"],
        "published": [
            {
                "source": "manual",
                "variant": "a0=15",
                "quantity": "wear_power",
                "value": "15.2671",
                "verdict": verdict,
                "truth": "15.2671",
                "explanation": f"because {verdict}",
            }
            for verdict in ("reproduced", "misprint", "inaccurate")
        ],
        "remarks": ["Do not forget the overlap."],
    }


def figure(**changes):
    time = [0.0, 0.5, 1.0]
    series = [
        {"label": role, "role": role, "marker": role == "limit", "x": time, "y": [0.1, None, 0.3]}
        for role in ("reference", "computed", "limit", "guide", "error")
    ]
    axes = {"xlabel": "t [s]", "ylabel": "v", "xscale": "linear", "yscale": "linear"}
    events = [{"x": 0.5, "label": "slip"}, {"x": 0.501, "label": "hidden"}, {"x": 0.9, "label": ""}]
    panel = axes | {"series": series, "events": events}
    return {
        "case": "shoe",
        "id": "velocity",
        "title": "Velocity",
        "caption": "Seen.",
        "panels": [panel],
    } | changes


def document(**changes):
    made = {
        "schema_version": "2.0",
        "environment": ENVIRONMENT,
        "cases": [case("shoe"), case("spring"), case(HOSTILE) | {"published": [], "system": None}],
        "results": list(results()),
        "expected_failures": [{"pattern": "shoe/*", "reason": "known"}],
        "work_precision": points(),
        "figures": [figure(), figure(id=HOSTILE, title=HOSTILE, caption=HOSTILE)],
        "messages": [HOSTILE],
    }
    made |= changes
    return copy.deepcopy(plan(made["results"]) | made)


def add_digest(content):
    """Return what a file holds that was written whole: with its checksum, if it states a plan."""
    whole = isinstance(content, dict) and content.get("plan") is not None
    return content | {"digest": compute_checksum(content)} if whole else content


@pytest.fixture
def doc():
    return document()


@pytest.fixture
def typed(doc):
    """The document as reports have it."""
    return convert(doc)


@pytest.fixture(scope="session")
def make_record():
    """Make a check as reports have it."""
    return lambda **changes: convert_record(result(**changes))


@pytest.fixture(scope="session")
def make_typed_point():
    """Make a refinement level as reports have it."""
    return lambda **changes: msgspec.convert(point(**changes), WorkPrecisionPoint)


@pytest.fixture(scope="session")
def make_document():
    return document


@pytest.fixture(scope="session")
def make_plain():
    """Make a document without what takes time to draw, for tests that look at words and numbers."""
    return lambda **changes: document(**{"figures": [], "work_precision": []} | changes)


@pytest.fixture(scope="session")
def make_result():
    return result


@pytest.fixture(scope="session")
def make_converged():
    return converged


@pytest.fixture(scope="session")
def make_point():
    return point


@pytest.fixture(scope="session")
def make_system():
    return system


@pytest.fixture(scope="session")
def make_figure():
    return figure


@pytest.fixture
def hostile():
    return HOSTILE


@pytest.fixture
def save(tmp_path):
    """Write a document or a text to a file."""

    def write(content, name="results.json"):
        path = tmp_path / name
        content = unstructure(content) if isinstance(content, Document) else content
        path.write_text(content if isinstance(content, str) else json.dumps(add_digest(content)), encoding="utf-8")
        return path

    return write


@pytest.fixture
def without(monkeypatch):
    """Make a package look as if it were not installed."""
    import sys

    def remove(name):
        for module in [module for module in sys.modules if module.split(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, name, None)

    return remove
