"""bt.correct: joins of judge and labels, what every verb takes, coverage, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import betterthan as bt
from betterthan.present.tables.judges import corrected_table


def drawn(rng, n=300, labels=40, systems=("A", "B"), bias=1.0, *, shared=False):
    """Judge and labels of systems of falling quality; the judge favors the last."""
    m = len(systems)
    quality = rng.normal(size=n) + 0.8 * rng.normal(size=(m, n)) - 0.4 * np.arange(m)[:, None]
    judge = 0.8 * quality + 0.6 * rng.normal(size=(m, n)) + bias * np.arange(m)[:, None]
    human = np.full((m, n), np.nan)
    chosen = rng.choice(n, labels, replace=False)
    for row in range(m):
        chosen = chosen if shared else rng.choice(n, labels, replace=False)
        human[row, chosen] = quality[row, chosen]
    names = [f"q{i}" for i in range(n)]
    make = lambda name, values: bt.Scores(name=name, systems=systems, segments=names, values=values)  # noqa: E731
    return make("judge", judge), make("human", human)


def test_a_biased_judge_is_corrected():
    """The judge prefers B; people prefer A."""
    judge, human = drawn(np.random.default_rng(1), labels=60, bias=1.5)
    found = bt.correct(judge, human)
    assert bt.rank(judge).best == "B"
    assert found.best == "A"
    assert found.pair("A", "B").verdict == "A"
    assert (found.effective_labels > 60).all()
    words = corrected_table(found)
    assert words.verdict[0].startswith("A scores ")
    assert "The judge alone would put B first." in words.words


def test_all_labels_are_used():
    """Also those of items on which other systems have none; a third system changes nothing for two others."""
    judge, human = drawn(np.random.default_rng(2), systems=("A", "B", "C"))
    found = bt.correct(judge, human)
    assert found.labels.tolist() == [40, 40, 40]
    two = bt.correct(judge.select(["A", "B"]), human.select(["A", "B"]))
    for name in ("A", "B"):
        assert two[name].mean == found[name].mean
        assert two[name].low == found[name].low
    assert two.pair("A", "B").pvalue == found.pair("A", "B").pvalue


def test_every_verb_takes_the_result():
    """And says what the correction says: the same ranks, intervals and p-values."""
    judge, human = drawn(np.random.default_rng(3), systems=("A", "B", "C"))
    for metric in (human, replace(human, higher_is_better=False)):
        found = bt.correct(judge, metric)
        ranking, pairs = bt.rank(found), bt.compare(found)
        assert ranking.systems == found.systems
        for name, theirs in (
            ("strength", "mean"),
            *((one, one) for one in ("low", "high", "rank_low", "cluster")),
        ):
            np.testing.assert_array_equal(getattr(ranking, name), getattr(found, theirs))
        for pair in found.pairs():
            here = pairs.pair(pair.a, pair.b)
            sign = 1 if metric.higher_is_better else -1
            ends = sorted((sign * pair.low, sign * pair.high))
            np.testing.assert_allclose([here.effect, here.low, here.high], [sign * pair.difference, *ends])
            np.testing.assert_allclose([here.pvalue, here.adjusted], [pair.pvalue, pair.adjusted])
            assert (here.verdict or "") == pair.verdict
        assert bt.Result.from_json(found.to_json()) == found


def test_a_pair_is_counted_once():
    """Holm's correction of two systems changes nothing, and that of three multiplies the least p-value by three."""
    judge, human = drawn(np.random.default_rng(5), systems=("A", "B", "C"))
    two = bt.correct(judge.select(["A", "B"]), human.select(["A", "B"]))
    three = bt.correct(judge, human)
    assert two.adjusted[0, 1] == two.pvalue[0, 1]
    assert np.nanmin(three.adjusted) == pytest.approx(min(1, 3 * np.nanmin(three.pvalue)))


def test_what_the_correction_settles_cannot_be_asked_for():
    """Its scores of items have no other intervals and tests."""
    judge, human = drawn(np.random.default_rng(6))
    found = bt.correct(judge, human)
    for call in (
        lambda: bt.rank(found, confidence=0.9),
        lambda: bt.rank(found, interval="bca"),
        lambda: bt.compare(found, units="groups"),
    ):
        with pytest.raises(bt.BetterThanError, match="is not possible for corrected means"):
            call()
    with pytest.raises(bt.TableError, match="needs scores of single items"):
        bt.compare(found, test="permutation")
    wide = bt.compare(found, confidence=0.99).pair("A", "B")
    assert wide.low < found.pair("A", "B").low


def test_labels_are_joined_by_name():
    """The order of items and systems does not matter, and labels of unknown outputs are noted."""
    judge, human = drawn(np.random.default_rng(4))
    found = bt.correct(judge, human)
    turned = human.select(["B", "A"], human.segments[::-1])
    assert bt.correct(judge, turned).mean == pytest.approx(found.mean)
    more = replace(human, systems=("A", "X"))
    other = bt.correct(judge, more)
    assert other.systems == ("A",)
    assert any("40 scores" in note for note in other.notes)
    assert any("fewer than 3 labels: B" in note for note in other.notes)


def test_directions():
    """Lower is better for people and higher for the judge: the ranking is that of people."""
    judge, human = drawn(np.random.default_rng(5))
    errors = replace(human, values=-human.values, higher_is_better=False)
    found = bt.correct(judge, errors)
    same = bt.correct(judge, human)
    assert found.systems == same.systems
    assert found.mean == pytest.approx(-same.mean)
    assert found.pair("A", "B").verdict == same.pair("A", "B").verdict


def test_one_frame_with_both_and_weights():
    """Columns are named; a column "weight" is used without being named."""
    rng = np.random.default_rng(6)
    n = 200
    difficulty = rng.random(n)
    drawn_with = np.where(difficulty > 0.5, 0.4, 0.1)
    right = (rng.random(n) > difficulty).astype(float)
    label = np.where(rng.random(n) < drawn_with, right, np.nan)
    data = {
        "item": list(range(n)),
        "system": ["A"] * n,
        "verdict": rng.random(n).tolist(),
        "label": [None if np.isnan(each) else each for each in label],
        "weight": (1 / drawn_with).tolist(),
    }
    found = bt.correct(data, judge_score="verdict", human_score="label")
    assert found.is_weighted
    assert found.is_binary
    known = ~np.isnan(label)
    assert found.human[0] == pytest.approx(np.average(label[known], weights=1 / drawn_with[known]))
    without = bt.correct(
        {key: data[key] for key in data if key != "weight"}, judge_score="verdict", human_score="label"
    )
    assert not without.is_weighted
    assert without.human[0] == pytest.approx(label[known].mean())


def test_documents_are_units():
    """Items of a document are alike, so the interval is wider than that of single items."""
    rng = np.random.default_rng(7)
    document = np.repeat(np.arange(40), 5)
    quality = rng.normal(size=40)[document] + 0.3 * rng.normal(size=200)
    judge = bt.Scores(
        name="judge", systems=["A"], segments=list(map(str, range(200))), values=[rng.normal(size=200)],
        groups=list(map(str, document)),
    )  # fmt: skip
    human = replace(judge, name="human", values=np.where(document % 2, quality, np.nan)[None], groups=None)
    by_documents, by_items = bt.correct(judge, human), bt.correct(judge, human, units="segments")
    assert by_documents.units == "groups"
    assert by_documents.high[0] - by_documents.low[0] > 1.5 * (by_items.high[0] - by_items.low[0])


@pytest.mark.parametrize("shared", [False, True])
def test_thirty_labels_cover(shared):
    """Means and the difference of two systems, by a judge with a bias of one standard deviation."""

    def event(rng):
        judge, human = drawn(rng, labels=30, shared=shared)
        found = bt.correct(judge, human)
        pair = found.pair("A", "B")
        return found["A"].low <= 0 <= found["A"].high, pair.low <= 0.4 <= pair.high

    hits = [event(np.random.default_rng(seed)) for seed in range(300)]
    assert np.abs(np.mean(hits, axis=0) - 0.95).max() < 3.5 * np.sqrt(0.95 * 0.05 / 300)


def test_what_cannot_be_corrected_is_refused():
    """Too few labels, nothing in common, one file without columns, bad weights."""
    judge, human = drawn(np.random.default_rng(8))
    with pytest.raises(bt.TableError, match="No system has 3 labels"):
        bt.correct(
            judge,
            human.select(segments=[s for s in human.segments if np.isnan(human.values[:, int(s[1:])]).all()]),
        )
    with pytest.raises(bt.TableError, match="share no systems"):
        bt.correct(judge, replace(human, systems=("X", "Y")))
    with pytest.raises(bt.BetterThanError, match="judge_score=COLUMN and human_score=COLUMN"):
        bt.correct(judge)
    with pytest.raises(bt.TableError, match="which has a label, is 0"):
        bt.correct(judge, human, weight=replace(human, values=np.zeros(human.values.shape)))
    with pytest.raises(bt.BetterThanError, match="confidence"):
        bt.correct(judge, human, confidence=95)


def test_other_verbs_are_right_or_say_why_not():
    """A board has corrected results as tasks; what needs scores of single items is refused."""
    first, second = (
        bt.correct(*drawn(np.random.default_rng(seed), systems=("A", "B", "C"))) for seed in (8, 9)
    )
    board = bt.board({"math": first, "code": second})
    for name in ("A", "B", "C"):
        assert board[name].strength == pytest.approx((first[name].mean + second[name].mean) / 2)
    with pytest.raises(bt.TableError, match="A board is of several tasks"):
        bt.board(first)
    for call, words in (
        (
            lambda: bt.gate(first, margin=0.1, systems=["A", "B"]),
            "Compare the interval of the pair with the margin",
        ),
        (lambda: bt.plan(first), "Plan from the number of judged items"),
        (lambda: bt.watch(first), "watch needs scores of single items"),
        (lambda: bt.diagnose(first), "diagnose needs scores of single items"),
        (lambda: bt.rank(first, by="median"), 'rank by "median" needs scores'),
        (lambda: bt.compare(first, test="wilcoxon"), 'compare by "wilcoxon" needs scores'),
    ):
        with pytest.raises(bt.TableError, match=words):
            call()
    assert bt.compare(first, test="t").pair("A", "B").effect == pytest.approx(first.pair("A", "B").difference)
