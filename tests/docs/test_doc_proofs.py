"""The page of proofs says of each quantity what was proved and what confirmed it."""

import re

import proofs_page
import pytest

from veridyn.cli.proofs import main
from veridyn.validation_cases.judgement.catalogue import case_names, load_case


def test_every_quantity_stands_beside_its_proof_and_its_second_route():
    written = []
    main(["sdnd101", "duffing_free"], written.append)
    (page,) = written
    for name in ("sdnd101", "duffing_free"):
        _, _, part = page.partition(f"\n## {name}: ")
        rows = [line.split(" | ") for line in part.partition("\n## ")[0].splitlines() if line.startswith("| ")][2:]
        listed = [one for row in rows for one in row[0].removeprefix("| ").split(", ")]
        assert sorted(listed) == sorted(q.name for q in load_case(name).quantities)
        assert all(row[1] == "30" and row[2] for row in rows)
        assert any("bits" in row[3] for row in rows)
        assert all(("bits" in row[3]) == bool(row[4].strip(" |")) for row in rows)  # counts follow from the structure


def test_a_case_that_is_none_ends_in_a_line():
    with pytest.raises(SystemExit, match="unknown case 'sdnd1'"):
        main(["sdnd1"])


@pytest.mark.parametrize("name", ["bouncing_ball", "den_hartog", "sdnd101", "pin_pendulum"])
def test_routes_are_recorded_again(name):
    assert proofs_page.record(load_case(name)) == proofs_page.read_recorded()[name]


def test_every_case_is_recorded():
    assert sorted(proofs_page.read_recorded()) == sorted(case_names())


def test_a_line_says_what_a_case_proves_and_rests_on():
    page = proofs_page.write_page(
        map(load_case, ("sdnd101", "pin_pendulum", "den_hartog", "plane_slide")), proofs_page.read_recorded()
    )
    lines = dict(re.findall(r"^\| \[(\w+)\]\(.*?\) \| (.*)", page, re.MULTILINE))
    assert "which place of its stops follows it" in lines["sdnd101"]
    assert "Every later cycle is like the first" in lines["sdnd101"]
    assert "In long all along: the string is taut" in lines["pin_pendulum"]
    assert "the events are release_left, stop, release_right, stop, in this order" in lines["den_hartog"]
    assert "follows it" not in lines["plane_slide"]  # whose motion the engine does not follow
    assert all(line.count(" | ") == len(proofs_page.HEAD) - 2 for line in lines.values())
