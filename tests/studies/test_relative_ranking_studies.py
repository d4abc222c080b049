"""The studies of relative rankings from direct assessments: thresholds, identical outputs, and taus."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.studies.test_tagging_studies import asked

import betterthan as bt
from betterthan.errors import BetterThanError
from betterthan.studies import darr_threshold
from betterthan.studies.study import study


def judged(seed=0, m=6, n=40, *, gaps=0.3):
    """Whole numbers from 0 to 100, some missing."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 101, size=(m, n)).astype(float)
    values[rng.random((m, n)) < gaps] = np.nan
    return bt.Scores(
        name="DA",
        systems=tuple(f"S{i}" for i in range(m)),
        segments=tuple(map(str, range(n))),
        values=values,
    )


def kept(scores, threshold):
    """Pairs at least so far apart, by a loop; equal scores make no ranking."""
    return sum(
        abs(a - b) >= threshold and a != b
        for column in scores.values.T
        for a, b in combinations(column[~np.isnan(column)].tolist(), 2)
    )


def test_pairs_kept_are_those_of_a_loop():
    """Every threshold, gaps included, and the mean by direction."""
    data = {"de-en": judged(1), "zh-en": judged(2, m=4), "en-de": judged(3)}
    found = darr_threshold.run(asked("darr-threshold"), darr_threshold.read(data))
    table = found.table("figure-1")
    assert table.columns[:4] == ("threshold", "to English", "from English", "all")
    for row in table.rows:
        counts = {name: kept(scores, row[0]) for name, scores in data.items()}
        assert row[1] == pytest.approx((counts["de-en"] + counts["zh-en"]) / 2)
        assert row[2] == counts["en-de"]
        assert row[3] == pytest.approx(sum(counts.values()) / 3)
    assert found.table("by-data").rows[0][3:] == tuple(
        kept(data["de-en"], threshold) for threshold in darr_threshold.THRESHOLDS
    )


def test_claims_stand_beside_what_is_printed():
    """Kept at 1 over kept at 50, printed five; kept at 25 over kept at 1, printed about half."""
    scores = judged(4)
    found = darr_threshold.run(asked("darr-threshold"), darr_threshold.read({"chat": scores}))
    claims = found.table("claims")
    assert [row[2] for row in claims.rows] == pytest.approx(
        [kept(scores, 1) / kept(scores, 50), kept(scores, 25) / kept(scores, 1)]
    )
    assert [row[2] for row in claims.printed] == [5.0, 0.5]


def test_direction_of_scores_and_names_do_not_matter():
    """Errors instead of points, systems shuffled and renamed: the same pairs are kept."""
    one = judged(5)
    other = bt.Scores(
        name="DA",
        systems=tuple("UVWXYZ"),
        segments=one.segments,
        values=-one.values[::-1],
        higher_is_better=False,
    )
    rows = [
        darr_threshold.run(asked("darr-threshold"), darr_threshold.read({"x": some})).table("figure-1").rows
        for some in (one, other)
    ]
    assert rows[0] == rows[1]


def test_nothing_judged_twice_keeps_nothing():
    """No pair: counts are 0, ratios undefined, and that is said."""
    alone = bt.Scores(
        name="DA", systems=["A", "B"], segments=["1", "2"], values=[[50.0, np.nan], [np.nan, 60.0]]
    )
    found = darr_threshold.run(asked("darr-threshold"), darr_threshold.read(alone))
    assert all(row[1] == 0 for row in found.table("figure-1").rows)
    assert np.isnan(found.table("claims").rows[0][2])
    assert "nothing to keep" in found.sentences[0]


def test_the_demo_is_run_without_data_and_other_things_are_refused():
    """Human scores of the campaign: 300 segments of eight systems are 8400 pairs."""
    found = study("darr-threshold")
    assert found.table("by-data").rows[0][:3] == ("all", "other", 8400 - found_missing())
    with pytest.raises(BetterThanError, match=r"human scores by data set"):
        darr_threshold.read({"x": 3})


def found_missing():
    """Pairs of the demo that lack a judgement."""
    from betterthan.examples.campaign import campaign

    there = (~np.isnan(campaign().human)).sum(axis=0)
    return 8400 - int((there * (there - 1) // 2).sum())


def test_files_are_read_with_their_gaps(tmp_path):
    """A wide table with an empty cell."""
    path = tmp_path / "human.csv"
    path.write_text("id,A,B,C\n1,10,80,\n2,50,50,51\n", encoding="utf-8")
    found = darr_threshold.run(asked("darr-threshold"), darr_threshold.read(path))
    assert found.table("by-data").rows[0][2:5] == (4, 3, 3)
