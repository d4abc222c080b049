"""The simulation of section 4: what the paper concludes, and what each generator can show."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan.studies.paired.paired_simulation import GRID, PANELS, figure_3, findings, points
from betterthan.studies.study import study


@pytest.fixture(scope="module")
def released():
    """One data set at each of the 288 settings, drawn as the released program does."""
    return study("paired-simulation", quick=True, options={"generator": "released", "orders": 1})


def failing(found, generator, trouble):
    """Which mechanisms fail."""
    rows = found.table("findings").rows
    return {row[2] for row in rows if row[:2] == (generator, trouble) and row[9] == "yes"}


def test_the_mean_fails_with_outliers_the_median_with_types_bradley_terry_with_neither(released):
    """Section 4, figure 3 c–f; Elo and TrueSkill, not in the figure, hold as Bradley–Terry does."""
    assert failing(released, "released", "outliers") == {"mean"}
    assert failing(released, "released", "types") == {"median"}
    assert failing(released, "released", "both") == {"mean", "median"}
    assert all(row[11] in ("yes", None) for row in released.table("findings").rows)


def test_without_problems_all_improve_with_segments_and_worsen_with_systems(released):
    """Figure 3 a and b, mean, median and Bradley–Terry; two systems apart, where tau is ±1."""
    table = released.table("figure-3-released")
    for name in ("mean", "median", "Bradley–Terry"):
        by = {
            panel: [row[table.columns.index(name)] for row in table.rows if row[0] == panel and row[2] > 2]
            for panel in "ab"
        }
        assert by["b"][0] < by["b"][-1] - 0.1
        assert by["a"][0] > by["a"][-1] - 0.1


def test_taus_are_held_against_the_truth_setting_by_setting(released):
    """288 rows, all taus in [−1, 1] or undefined; means over setups are those of the sentences' count."""
    grid = released.table("grid")
    assert len(grid.rows) == 288
    values = np.array([row[5:] for row in grid.rows], dtype=float)
    assert np.nanmin(values) >= -1
    assert np.nanmax(values) <= 1
    assert released.sentences[1].startswith("288 simulated setups")


def test_panels_take_the_settings_they_say():
    """Numbers of settings behind the panels, counted by hand: 24 without problems, 72 with one type, and so on."""
    sizes = {panel.letter: sum(panel.inside(setting) for setting in GRID) for panel in PANELS}
    assert sizes == {"a": 24, "b": 24, "c": 72, "d": 96, "e": 216, "f": 192, "g": 288, "h": 288}


@pytest.mark.parametrize(("as_published", "wide"), [(False, 1), (True, 2)])
def test_bars_are_so_many_standard_errors(as_published, wide):
    """A bootstrap interval reaches 1.96 standard errors to each side; E13: as published it is twice that."""
    taus = np.random.default_rng(1).normal(0.5, 0.2, size=(288, 10, 5))
    taus[:, 0, 3] = np.nan
    for point in points("x", taus, GRID, seed=3, as_published=as_published):
        assert point.low < point.tau < point.high
        if point.n > 150:
            half = 1.96 * wide * 0.2 / np.sqrt(point.n)
            assert point.high - point.low == pytest.approx(2 * half, rel=0.25)


def test_nobody_fails_when_all_taus_are_alike():
    """The findings are not built in: noise alone is no failure."""
    taus = np.random.default_rng(2).normal(0.5, 0.1, size=(288, 10, 5))
    assert {row[9] for row in findings({"x": taus}, GRID, 1).rows} == {"no"}


def test_a_mechanism_made_worse_is_found():
    """Taking 0.2 from the median where there are types is seen there, and with both, and nowhere else."""
    taus = np.random.default_rng(2).normal(0.5, 0.1, size=(288, 10, 5))
    types = np.array([setting.types > 1 for setting in GRID])
    taus[types, :, 1] -= 0.2
    rows = findings({"x": taus}, GRID, 1).rows
    assert {row[1:3] for row in rows if row[9] == "yes"} == {("types", "median"), ("both", "median")}
    assert next(row[6] for row in rows if row[1:3] == ("types", "median")) == pytest.approx(0.2, abs=0.03)


def test_the_figure_has_eight_panels_of_five_lines():
    """Figure 3 a–h."""
    taus = np.full((288, 2, 5), 0.5)
    each = points("offsets", taus, GRID, seed=1, as_published=False)
    chart = figure_3("offsets", each, as_published=False)
    assert len(set(chart.columns["panel"])) == 8
    assert len(set(chart.columns["series"])) == 5


@pytest.mark.slow
def test_the_words_of_the_paper_do_not_let_the_mean_fail():
    """Outliers that change hands are no larger than other scores: only the median fails, with types."""
    found = study("paired-simulation", options={"generator": "offsets", "repeats": 5, "orders": 1})
    assert failing(found, "offsets", "outliers") & {"mean", "median", "Bradley–Terry"} == set()
    assert failing(found, "offsets", "types") & {"mean", "median", "Bradley–Terry"} == {"median"}
    assert failing(found, "offsets", "both") & {"mean", "median", "Bradley–Terry"} == {"median"}
