"""The page on timing is made from what was measured."""

from tests.timing.page import PAGE, make_page


def test_the_page_is_that_of_the_stored_results():
    assert PAGE.read_text(encoding="utf-8") == make_page(), "python -m tests.timing.page writes it"
