"""The JSON that other programs read, and the functions that Python programs call."""

import json
from functools import cache
from pathlib import Path

import pytest

import veridyn as package
from veridyn.results import VERSION
from veridyn.validation_cases.judgement.catalogue import load_case

ROOT = Path(__file__).parents[2]
SCHEMES = ("LSODA", "DOP853")

QUANTITIES = {
    "sdnd104": [
        *("wear_power", "friction_power", "wear_energy", "asymptotic_wear_power"),
        *("regime", "slip_start", "slip_end"),
    ],
    "sdnd101": [
        *("peak_time_1", "peak_time_2", "peak_force", "impulse", "contact_duration", "flight_duration"),
        "impact_velocity",
    ],
    "sdnd103": [
        *(f"{what}@{t}" for what in ("displacement", "velocity", "acceleration") for t in (2, 6, 10, 14, 18)),
        "frequency",
    ],
    "sdnd105": [
        *("buckling_time", "largest_crush", "largest_time", "residual_crush", "return_stiffness", "release_time"),
        *("exit_velocity", "return_time", "dissipated_energy", "velocity@9"),
    ],
    "sdnd107": [
        "initial_force",
        *(f"{what}@{t}" for what in ("displacement", "force") for t in ("0.1", "0.2", "0.4", "0.8", "1.6", "3.2")),
        *("peak_time", "peak_force"),
    ],
    "sdld103": [
        *(
            f"{part}_{node}@{t}"
            for part in ("relative", "absolute")
            for node in ("NO2", "NO3", "NO4")
            for t in ("0.1", "0.3", "0.5", "0.7", "1.0")
        ),
        *(f"absolute_NO3@0.0{i}" for i in range(1, 10)),
        *("frequency_1", "frequency_2", "frequency_3"),
    ],
    "sdnd100": [
        *(f"component_{n}" for n in (1, 2, 3, 4)),
        *(f"component@{t}" for t in ("0.0315", "0.063", "0.0945", "0.1255")),
        *("half_cycles", "stop_time", "final_position", "dissipated_energy"),
    ],
    "sdnd106": [
        *(f"{what}@{t}" for what in ("x1", "x2", "v1", "v2") for t in ("0.02", "0.15", "0.2", "0.339965")),
        *("slip_start", "slip_end", "slips", "final_position", "dissipated_energy"),
    ],
}
PARAMETERS = {
    "sdnd100": ["m", "k", "mu", "g", "x0", "angle", "directions"],
    "sdnd106": ["m1", "m2", "k", "normal", "mu_s", "mu_d", "pull", "t_off"],
    "sdnd104": ["a0", "mu", "g", "m", "omega", "t_start", "t_end"],
    "sdnd101": ["m", "k", "kc", "v0"],
    "sdld103": ["m", "k", "a"],
    "sdnd103": ["m", "k0", "x0", "a0", "w0", "d"],
    "sdnd105": [
        *("m", "energy", "bodies", "k", "f_crit", "f_post", "plateau", "softening"),
        *("d1", "d2", "d3", "d4", "k1", "k2", "k3", "k4"),
    ],
    "sdnd107": ["m", "k1", "k2", "k3", "c", "alpha", "k", "x0", "p", "omega", "until", "end"],
}
# recomputed outside this project, to the digits known
WEAR_POWER = {
    "15": "15.2670995893716138593344827041",
    "1.5": "0.40906245101570892172858344359",
    "1.01": "2.26164121279786958072355150787e-4",
    "0.99": "0",
}
FIELDS = {
    *("case", "variant", "solver", "scheme", "quantity", "value", "reference", "error", "tolerance", "reason"),
    *("margin", "digits", "verdict", "wall_time", "unit", "layer", "levels", "terms", "settings", "detail", "id"),
}


@pytest.fixture(scope="module")
def reference(veridyn):
    """Return the document of `reference --json`; each is made once."""

    @cache
    def ask(case, *arguments):
        seen = veridyn("reference", case, *arguments, "--json")
        assert (seen.status, seen.err) == (0, "")
        return seen.document

    return ask


def by_name(document):
    return {quantity["name"]: quantity for quantity in document["quantities"]}


def same_number(text, expected):
    """Compare two decimals digit by digit, whatever their notation and trailing zeros."""
    from decimal import Decimal

    return Decimal(text) == Decimal(expected)


def test_list(veridyn):
    seen = veridyn("list", "--json")
    document = seen.document
    assert (seen.status, seen.err, document["schema_version"]) == (0, "", "1.0")
    listed = {case["case"]: case["quantities"] for case in document["cases"]}
    assert {case: names[: len(QUANTITIES[case])] for case, names in listed.items() if case in QUANTITIES} == QUANTITIES
    assert PARAMETERS.items() <= {case["case"]: case["parameters"] for case in document["cases"]}.items()
    assert all(case["title"] and case["document"] and case["variants"] for case in document["cases"])


@pytest.mark.parametrize("case", QUANTITIES)
def test_reference_has_its_names(reference, case):
    document = reference(case)
    assert document["schema_version"] == "1.0"
    assert document["case"] == case
    assert list(document["parameters"]) == PARAMETERS[case]
    names = [quantity["name"] for quantity in document["quantities"]]
    assert set(QUANTITIES[case]) <= set(names)
    assert names == [quantity.name for quantity in load_case(case).quantities]


@pytest.mark.parametrize("case", QUANTITIES)
def test_references_are_text_with_certified_digits(reference, case):
    for quantity in reference(case)["quantities"]:
        assert {"name", "unit", "value", "digits", "kind", "published"} <= quantity.keys()
        assert isinstance(quantity["value"], str) or quantity["kind"] == "undefined"
        if quantity["kind"] not in ("classification", "undefined") and quantity["value"] != "0":
            assert quantity["digits"] == 30 == significant(quantity["value"])


def significant(text):
    mantissa = text.lower().partition("e")[0].lstrip("-")
    return len(mantissa.replace(".", "").lstrip("0"))


@pytest.mark.parametrize("case", QUANTITIES)
def test_published_values_have_a_verdict(reference, case):
    published = [p for quantity in reference(case)["quantities"] for p in quantity["published"]]
    assert published
    for p in published:
        assert p["source"]
        float(p["value"])
        assert p["verdict"] in ("reproduced", "misprint", "inaccurate")


def test_published_values_belong_to_their_parameters(reference):
    assert by_name(reference("sdnd101", "--set", "v0=2"))["peak_force"]["published"] == []
    window = by_name(reference("sdnd104", "--set", "a0=15", "--set", "t_end=11.99"))
    assert [p["value"] for p in window["wear_power"]["published"]] == ["15.257521794"]


@pytest.mark.parametrize("a0", WEAR_POWER)
def test_decimals_are_kept_exactly(reference, a0):
    document = reference("sdnd104", "--set", f"a0={a0}")
    assert document["parameters"]["a0"] == a0
    assert same_number(by_name(document)["wear_power"]["value"], WEAR_POWER[a0])


def test_expressions_are_exact(reference):
    two = [by_name(reference("sdnd104", "--set", text)) for text in ("omega=2*pi", "a0=3/2")]
    assert two[0] == two[1]


@pytest.mark.parametrize("digits", [1, 17, 100])
def test_digits(reference, digits):
    value = by_name(reference("sdnd104", "--digits", digits))["wear_power"]
    assert value["digits"] == digits == significant(value["value"])
    assert value["value"][: min(digits, 25)] == "0.409062451015708921728583443590"[: min(digits, 25)]


@pytest.mark.parametrize(
    ("more", "there", "absent"),
    [
        ((), "period", "rotation_period"),
        (("--set", "theta0=0", "--set", "Om0=5/2"), "rotation_period", "period"),
    ],
)
def test_a_quantity_of_another_motion_is_undefined(reference, more, there, absent):
    found = by_name(reference("pendulum", *more))
    assert found[there]["value"] is not None
    assert found[absent]["value"] is None
    assert "another motion" in found[absent]["routes"][0]


def test_its_derivative_is_undefined_too():
    case = load_case("pendulum")
    values = case.values({})
    (turning,) = (q for q in case.quantities if q.name == "rotation_period")
    found = turning.truth({**values, "w0": values["w0"].varied()})
    assert (found.value, found.derivative) == (None, None)
    assert "another motion" in found.routes[0]


def test_what_does_not_exist_is_null(reference):
    stick = by_name(reference("sdnd104", "--set", "a0=0.99"))
    start = stick["slip_start"]
    assert (start["value"], start["digits"], start["kind"], start["published"]) == (None, None, "undefined", [])
    assert stick["regime"]["value"] == "stick"


@pytest.mark.parametrize("case", QUANTITIES)
def test_show_says_everything(veridyn, case):
    seen = veridyn("show", case)
    assert (seen.status, seen.err) == (0, "")
    chosen = package.validation_cases.judgement.catalogue.load_case(case)
    for text in (case, chosen.document, *PARAMETERS[case], *QUANTITIES[case], *chosen.remarks):
        assert " ".join(text.split()) in " ".join(seen.out.split())


@pytest.fixture(scope="module")
def run(veridyn):
    """One run with two schemes, for several tests."""
    schemes = [part for scheme in SCHEMES for part in ("--scheme", scheme)]
    return veridyn("run", "sdnd101", "--set", "v0=2", "--solver", "scipy", *schemes, "--json", "-")


def test_run_to_standard_output_prints_one_document(run):
    assert (run.status, run.err) == (0, "")
    document = run.document
    assert document["schema_version"] == VERSION
    assert {"veridyn", "python", "platform", "machine", "date", "command", "packages"} <= document["environment"].keys()
    assert document["environment"]["command"].startswith("veridyn run sdnd101 --set v0=2 --solver scipy")


def test_rows_have_their_fields(run):
    rows = run.document["results"]
    assert {row["scheme"] for row in rows} == set(SCHEMES)
    assert {row["layer"] for row in rows} == {"criterion", "convergence", "claim", "invariance"}
    for row in rows:
        assert row.keys() >= FIELDS
        assert (row["case"], row["variant"], row["solver"]) == ("sdnd101", "v0=2", "scipy")
        assert row["verdict"] in ("pass", "not applicable")
        if row["verdict"] == "pass":
            assert row["error"] == 0 or row["margin"] == pytest.approx(row["tolerance"] / row["error"])
            assert row["reason"]
            assert row["wall_time"] > 0
    criteria = {row["quantity"]: row for row in rows if row["layer"] == "criterion" and row["verdict"] == "pass"}
    assert set(QUANTITIES["sdnd101"]) <= set(criteria)
    assert {significant(criteria[name]["reference"]) for name in QUANTITIES["sdnd101"]} == {30}


def test_settings_reach_the_schemes(veridyn):
    settings = ("--set", "step=1e-4", "--set", "v0=2", "--scheme", "symplectic_euler")
    rows = veridyn("run", "sdnd101", *settings, "--json", "-").document["results"]
    assert {row["settings"]["step"] for row in rows if row["layer"] == "criterion"} == {1e-4}
    finest = {row["levels"][-1]["size"] for row in rows if row["layer"] == "convergence" and row["levels"]}
    assert min(finest) == 1e-4  # its levels are moved with it


def test_the_sheet_of_a_case_has_certified_references(run):
    (sheet,) = run.document["cases"]
    values = {line["quantity"]: line["value"] for line in sheet["references"]}
    assert {significant(values[name]) for name in QUANTITIES["sdnd101"]} == {30}


def test_a_file_holds_the_same_document(veridyn, foreign, tmp_path):
    file = tmp_path / "results.json"
    seen = veridyn("run", "sdnd101", "--set", "v0=2", "--solver", foreign("Foreign"), "--json", file)
    assert seen.status == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert f"{len(rows)} checks" in seen.out


def test_cases_of_python():
    files = (
        f
        for kind in ("mechanics", "ode", "hybrid", "dae")
        for f in (ROOT / "validation_cases" / kind).rglob("test_*.py")
    )
    assert package.cases() == tuple(sorted(file.stem.removeprefix("test_") for file in files))


def test_reference_of_python():
    found = package.reference("sdnd104", a0="1.01")["wear_power"]
    assert same_number(found.text(), WEAR_POWER["1.01"])
    assert float(found) == 2.26164121279786958e-4


def test_wrong_parameters_of_python():
    from veridyn.references import ParameterError

    with pytest.raises(ParameterError, match="did you mean a0"):
        package.reference("sdnd104", a=1.2)
    with pytest.raises(AttributeError, match="no attribute 'verfiy'"):
        package.verfiy  # noqa: B018


def test_references_of_variants(veridyn):
    every = veridyn("reference", "bouncing_ball", "--variant", "all", "--json").document
    one = veridyn("reference", "bouncing_ball", "--variant", "elastic", "--json").document
    assert [found["variant"] for found in every["variants"]] == ["lossy", "elastic"]
    assert {**every["variants"][1], "schema_version": "1.0", "case": "bouncing_ball"} == one
    assert one["parameters"]["e"] == "1"
    assert [q["name"] for q in one["quantities"]] == ["t_impact_1", "t_impact_2", "y@2", "v@2"]
