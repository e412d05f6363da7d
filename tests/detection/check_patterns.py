"""From which similarity on hints are right."""

from .patterns import find_threshold


def test_least_similarity_is_that_of_nine_right_hints_of_ten():
    trials = [*[(0.9, True)] * 9, (0.8, False), (0.8, True), (0.6, False), (0.5, True)]
    assert find_threshold(trials) == 0.8
    assert find_threshold(trials[:9]) is None
    assert find_threshold([(0.9, True), *[(0.8, False)] * 20]) is None
