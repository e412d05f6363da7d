"""The card, its page, its JSON and the command."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.identification.solvers import Stepper, generalised
from veridyn import Card, identify
from veridyn.identification.card import read_card
from veridyn.identification.drawing import draw_card
from veridyn.identification.pages import say_value, write_card
from veridyn.identification.reading import CardFigure
from veridyn.solver.contract.errors import SettingsError


@pytest.fixture(scope="module")
def wrong() -> Card:
    (card,) = identify(Stepper(generalised(0.26, 0.5), name="mine", version="3.1"))
    return card


def test_card_is_json_and_repeats(wrong: Card) -> None:
    text = json.dumps(wrong.to_dict(), allow_nan=False)
    data = json.loads(text)
    assert data["deviations"] == ["Newmark, gamma 1/2, beta 0.2600: none of 1/4, 1/6, 1/12, 0"]
    assert (data["solver"], data["version"], data["solves"]) == ("mine", "3.1", wrong.solves)
    assert data["method"] == "Newmark, gamma 1/2, beta 0.2600"
    curves = data["readings"]["mechanical"]["curves"]
    assert [curve["name"] for curve in curves] == ["solver", "Newmark, gamma 1/2, beta 0.2600"]
    (again,) = identify(Stepper(generalised(0.26, 0.5), name="mine", version="3.1"))
    assert json.dumps(again.to_dict()) == text


def test_page_has_eighty_columns_and_the_deviation_first(wrong: Card) -> None:
    lines = write_card(wrong).splitlines()
    assert max(map(len, lines)) <= 80
    page = "\n".join(lines)
    assert "! Newmark, gamma 1/2, beta 0.2600: none of 1/4, 1/6, 1/12, 0" in page
    assert page.index("Deviations") < page.index("precision")
    assert f"{wrong.solves} problems were solved." in page


def test_card_is_read_again(wrong: Card) -> None:
    data = json.loads(json.dumps(wrong.to_dict()))
    assert read_card(data).to_dict() == data


def test_drawings_show_solver_and_family(wrong: Card) -> None:
    root = ElementTree.fromstring(draw_card(wrong))
    drawn = [element.get("id", "") for element in root.iter()]
    assert sum(name.startswith("axes_") for name in drawn) == 3
    assert draw_card(wrong) == draw_card(read_card(wrong.to_dict()))
    reading = wrong.readings["mechanical"]
    solver, family = reading.curves
    radius = np.interp(np.log(solver.ratio), np.log(family.ratio), family.radius)
    np.testing.assert_allclose(radius, solver.radius, atol=1e-6)


def test_values_have_no_digits_beyond_their_uncertainty() -> None:
    assert say_value(CardFigure(name="beta", value=0.2600000004, uncertainty=2e-6, meaning="")) == "0.26 within 2e-06"
    assert (
        say_value(CardFigure(name="beta", value=0.2612345678, uncertainty=2e-6, meaning="")) == "0.261235 within 2e-06"
    )
    assert say_value(CardFigure(name="zero", value=1e-14, uncertainty=2e-13, meaning="")) == "0 within 2e-13"


def test_wrong_names_are_refused() -> None:
    with pytest.raises(SettingsError, match="no scheme 'none'"):
        identify(Stepper(generalised(0.25, 0.5)), schemes=["none"])
    with pytest.raises(SettingsError, match="no setting 'none'"):
        identify(Stepper(generalised(0.25, 0.5)), settings={"none": 1})


OWN = {
    "symplectic_euler": "symplectic Euler, velocity first",
    "devogelaere": "de Vogelaere",
    "newmark": "Newmark, gamma 1/2, beta 1/4 (average acceleration",
    "generalised_alpha": "generalised-alpha, rho_inf 4/5",
}


@pytest.mark.parametrize("scheme", OWN)
def test_command_names_our_schemes(scheme, veridyn, tmp_path):
    seen = veridyn("identify", "--scheme", scheme, "--json", "--output", tmp_path / "cards")
    assert seen.status == 0
    (card,) = json.loads(seen.out)
    assert card["method"].startswith(OWN[scheme])
    assert card["deviations"] == []
    assert card["solves"] < 150
    assert json.loads((tmp_path / "cards/cards.json").read_text(encoding="utf-8")) == [card]
    assert (tmp_path / "cards" / f"{scheme.replace('_', '-')}.svg").is_file()
