"""The studies of relative rankings from direct assessments: thresholds, identical outputs, and taus."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.studies.test_tagging_studies import asked

import betterthan as bt
from betterthan.errors import BetterThanError
from betterthan.studies.relative_ranking import darr_identical, darr_threshold
from betterthan.studies.study import study
from betterthan.studies.translated import Translated


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
    claims = found.table("ratios")
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
    assert np.isnan(found.table("ratios").rows[0][2])
    assert found.table("claims").column("holds") == ("–", "–")
    assert "nothing to keep" in found.sentences[1]


def test_the_demo_is_run_without_data_and_other_things_are_refused():
    """Human scores of the campaign: 300 segments of eight systems are 8400 pairs."""
    found = study("darr-threshold")
    assert found.table("by-data").rows[0][:3] == ("all", "other", 8400 - found_missing())
    with pytest.raises(BetterThanError, match=r"human scores by data set"):
        darr_threshold.read({"x": 3})


def found_missing():
    """Pairs of the demo that lack a judgment."""
    from betterthan.examples.campaign import campaign

    there = (~np.isnan(campaign().human)).sum(axis=0)
    return 8400 - int((there * (there - 1) // 2).sum())


def test_a_file_is_cut_by_its_language_pairs_and_raw_scores_are_taken(tmp_path):
    """As direct assessments are published: raw and standardized scores and a count; the name says the direction."""
    path = tmp_path / "da.tsv"
    rows = [
        f"{pair}\t{system}\t{segment}\t{raw}\t{(raw - 50) / 20}\t2"
        for pair, shift in (("de-en", 0), ("en-de", 40))
        for system, raw in (("A", 10), ("B", 30 + shift))
        for segment in "12"
    ]
    path.write_text("\n".join(["lp\tsystem\tseg_id\traw\tz\tn", *rows]) + "\n", encoding="utf-8")
    found = study("darr-threshold", path)
    assert [row[:3] for row in found.table("by-data").rows] == [
        ("de-en", "to English", 2),
        ("en-de", "from English", 2),
    ]
    kept_at_25 = found.table("by-data").column("at 25")
    assert kept_at_25 == (0, 2)


def test_two_files_of_one_name_are_two_data_sets_whatever_their_folder(tmp_path):
    """Called apart by their place in the order; the result does not say where the files lie."""
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "human.csv").write_text("id,A,B\n1,10,80\n2,20,30\n", encoding="utf-8")
    found = study("darr-threshold", [tmp_path / "a" / "human.csv", tmp_path / "b" / "human.csv"])
    assert found.table("by-data").column("data") == ("human", "human (2)")
    assert str(tmp_path) not in found.to_json()


def test_files_are_read_with_their_gaps(tmp_path):
    """A wide table with an empty cell."""
    path = tmp_path / "human.csv"
    path.write_text("id,A,B,C\n1,10,80,\n2,50,50,51\n", encoding="utf-8")
    found = darr_threshold.run(asked("darr-threshold"), darr_threshold.read(path))
    assert found.table("by-data").rows[0][2:5] == (4, 3, 3)


def tables():
    """Human scores without gaps, and two metrics with few values."""
    human = judged(6, m=5, n=30, gaps=0)
    rng = np.random.default_rng(7)
    noisy = {
        name: np.round((human.values + noise * rng.normal(size=human.values.shape)) / step) * step
        for name, noise, step in (("fine", 20, 1), ("coarse", 40, 25))
    }
    made = {
        name: bt.Scores(name=name, systems=human.systems, segments=human.segments, values=values)
        for name, values in noisy.items()
    }
    return {"human": human, **made}


def taus_by_loop(human, metric, margin, metric_margin):
    """The four taus, pair by pair: concordant, discordant, ties of the metric, of people, of both."""
    agree = differ = metric_ties = human_ties = both = 0
    for h, m in zip(human.values.T, metric.values.T, strict=True):
        for i, j in combinations(range(len(h)), 2):
            if np.isnan([h[i], h[j], m[i], m[j]]).any():
                continue
            tied_people = abs(h[i] - h[j]) < margin or h[i] == h[j]
            tied_metric = abs(m[i] - m[j]) <= metric_margin
            if tied_people:
                both += tied_metric
                human_ties += not tied_metric
            elif tied_metric:
                metric_ties += 1
            elif (h[i] > h[j]) == (m[i] > m[j]):
                agree += 1
            else:
                differ += 1
    decided = agree + differ
    return [
        (agree - differ) / decided,
        (agree - differ) / (decided + metric_ties),
        (agree - differ - metric_ties) / (decided + metric_ties),
        (agree - differ + both) / (decided + metric_ties + human_ties + both),
    ]


def test_taus_are_those_of_a_loop():
    """All four treatments, with and without a threshold for the metric."""
    data = tables()
    found = study("tau-variants", data, workers=1)
    for row in found.table("metric-thresholds").rows:
        expected = taus_by_loop(data["human"], data[row[1]], 25, row[3])
        assert row[4:] == pytest.approx(expected)
    values = {row[1]: row[2:] for row in found.table("taus").rows}
    assert values["coarse"] == pytest.approx(taus_by_loop(data["human"], data["coarse"], 25, 0))


def test_taus_with_gaps_are_those_of_the_pairs_that_were_judged():
    """A pair needs two judgments and no more; its segment stays for the others."""
    data = tables()
    values = data["human"].values.copy()
    values[np.random.default_rng(9).random(values.shape) < 0.3] = np.nan
    data["human"] = bt.Scores(
        name="human", systems=data["human"].systems, segments=data["human"].segments, values=values
    )
    found = study("tau-variants", data, workers=1)
    taus = {row[1]: row[2:] for row in found.table("taus").rows}
    for name in ("fine", "coarse"):
        assert taus[name] == pytest.approx(taus_by_loop(data["human"], data[name], 25, 0))
    there = (~np.isnan(values)).sum(axis=0)
    pairs = int((there * (there - 1) // 2).sum())
    counts = found.table("counts")
    assert set(counts.column("pairs")) == {pairs}
    assert all(sum(row[3:]) == pairs for row in counts.rows)


def test_taus_of_system_scores_are_refused():
    """There are no pairs on a segment."""
    whole = {
        name: bt.Scores(name=name, systems=one.systems, segments=("system",), values=one.values[:, :1])
        for name, one in tables().items()
    }
    with pytest.raises(BetterThanError, match=r"Name scores of segments"):
        study("tau-variants", whole, workers=1)


@pytest.mark.parametrize("name", ["tau-variants", "darr-threshold", "darr-identical"])
def test_bytes_do_not_depend_on_workers(name):
    """One or two, on the demo campaign."""
    one, two = (study(name, quick=True, workers=workers).to_json() for workers in (1, 2))
    assert one == two


def test_the_examples_of_the_paper_come_out_as_printed():
    """Section 3: 1, 0.4, 0.8 and 0.2."""
    table = study("tau-variants", tables(), quick=True, workers=1).table("examples")
    assert [ours for ours, _ in table.pairs()] == pytest.approx([told for _, told in table.pairs()])
    assert sorted(told for _, told in table.pairs()) == [0.2, 0.4, 0.8, 1.0]


def test_the_margin_is_an_option():
    """A margin of 50 makes other ties."""
    data = tables()
    found = study("tau-variants", data, options={"margin": 50, "thresholds": 1}, workers=1)
    values = {row[1]: row[2:] for row in found.table("taus").rows}
    assert values["fine"] == pytest.approx(taus_by_loop(data["human"], data["fine"], 50, 0))


def test_identical_texts_are_those_of_a_loop():
    """Two of three systems often say the same; some of them were scored 25 or more apart."""
    rng = np.random.default_rng(11)
    outputs = rng.choice(["a b", "a c", "b c"], size=(3, 40)).tolist()
    scores = bt.Scores(
        name="DA",
        systems=["A", "B", "C"],
        segments=[str(i) for i in range(40)],
        values=rng.integers(0, 101, size=(3, 40)),
    )
    texts = bt.Texts(
        systems=scores.systems, segments=scores.segments, outputs=outputs, references=[["a b"] * 40]
    )
    found = darr_identical.run(asked("darr-identical"), (Translated("x", texts, scores, {"m": scores}),))
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    same, kept, both = 0, 0, 0
    for k in range(40):
        for i, j in combinations(range(3), 2):
            far = abs(scores.values[i, k] - scores.values[j, k]) >= 25
            same += outputs[i][k] == outputs[j][k]
            kept += far
            both += far and outputs[i][k] == outputs[j][k]
    assert (row["pairs"], row["judged"]) == (120, 120)
    assert (row["identical"], row["kept"], row["identical and kept"]) == (same, kept, both)
    assert row["identical and judged"] == same
    assert (row["ties of DA"], row["ties of DA, identical"]) == (0, 0)
    twins = found.table("tables-1-and-2").rows
    assert len(twins) == both
    assert all(row[4] >= 25 for row in twins)
    assert [row[4] for row in twins] == sorted((row[4] for row in twins), reverse=True)


def test_identical_texts_that_nobody_judged_are_not_counted_as_judged():
    """Two of three identical pairs lack a score."""
    texts = bt.Texts(
        systems=["A", "B"], segments=["1", "2", "3"], outputs=[["a"] * 3] * 2, references=[["a"] * 3]
    )
    scores = bt.Scores(
        name="DA", systems=["A", "B"], segments=["1", "2", "3"], values=[[0, np.nan, 1], [30, 1, np.nan]]
    )
    found = darr_identical.run(asked("darr-identical"), (Translated("x", texts, scores),))
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    assert (row["identical"], row["identical and judged"], row["identical and kept"]) == (3, 1, 1)
    assert "Of 1 pair of systems with identical texts and human scores, 1" in found.sentences[1]


def test_identical_texts_need_people():
    """Texts alone say nothing about who is called better."""
    texts = bt.Texts(systems=["A", "B"], segments=["1"], outputs=[["a"], ["a"]], references=[["a"]])
    with pytest.raises(BetterThanError, match=r"No data set has human scores"):
        darr_identical.run(asked("darr-identical"), (Translated("x", texts),))
