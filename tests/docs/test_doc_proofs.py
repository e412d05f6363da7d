"""The page of proofs says of each quantity what was proved and what confirmed it."""

import pytest

from veridyn.cli.proofs import main
from veridyn.validation_cases.judgement.catalogue import load_case


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
