import itertools
from statistics import mean, median

from betterthan.examples.figure_one import figure_one


def test_means_are_equal_and_medians_are_11_7_11():
    """The figure's data, not the numbers of its text."""
    scores = figure_one()

    assert [mean(values) for values in scores.values()] == [9.2, 9.2, 9.2]
    assert [median(values) for values in scores.values()] == [11, 7, 11]


def test_each_later_system_beats_each_earlier_one_on_four_of_five():
    """B beats A, C beats A, C beats B."""
    for worse, better in itertools.combinations(figure_one().values(), 2):
        assert sum(b > w for w, b in zip(worse, better, strict=True)) == 4


def test_a_caller_may_change_what_it_got():
    """Each call gives new lists."""
    figure_one()["A"].clear()

    assert len(figure_one()["A"]) == 5
