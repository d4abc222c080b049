"""bt.audit_judge: agreement, biases that are there and those that are not, repeats, battles in both orders."""

from dataclasses import replace

import numpy as np
import pytest

import betterthan as bt
from betterthan.present.tables.judges import judge_audit_table
from betterthan.read.labels import read_audited


def scores(name, values, **more):
    """A table of two or more systems."""
    return bt.Scores(
        name=name,
        systems=[f"s{k}" for k in range(len(values))],
        segments=[f"q{i}" for i in range(values.shape[1])],
        values=values,
        **more,
    )


def drawn(rng, n=80, favor=0.0, per_word=0.0):
    """Quality by people, a judge who may favor the last system or long outputs, and lengths."""
    quality = rng.normal(size=(2, n))
    length = rng.normal(100, 20, size=(2, n))
    judge = quality + 0.5 * rng.normal(size=(2, n)) + per_word * (length - 100)
    judge[1] += favor
    return scores("judge", judge), scores("human", quality), scores("length", length)


def by_check(result):
    """The first row of each check."""
    rows = {}
    for row in result:
        rows.setdefault(row.check, row)
    return rows


def test_agreement_of_verdicts():
    """Kappa is nominal, the confusion counts people in rows, slices have their own."""
    rng = np.random.default_rng(1)
    human = (rng.random((2, 60)) < 0.7).astype(float)
    judge = np.where(rng.random((2, 60)) < 0.1, 1 - human, human)
    table = scores("judge", judge, groups=[f"topic{i % 3}" for i in range(60)])
    found = bt.audit_judge(table, scores("human", human))
    rows = by_check(found)
    assert rows["agreement"].value == pytest.approx((human == judge).mean())
    assert found.confusion.sum() == 120
    assert found.confusion[1, 0] == ((human == 1) & (judge == 0)).sum()
    assert rows["kappa"].low < rows["kappa"].value < rows["kappa"].high
    assert [row.part for row in found if row.check == "kappa"] == ["", "topic0", "topic1", "topic2"]
    assert "same verdict on" in judge_audit_table(found).verdict[0]
    assert bt.Result.from_json(found.to_json()) == found


def test_favoritism_length_and_own_systems_are_found():
    """With the size that they have, and adjusted together."""
    judge, human, length = drawn(np.random.default_rng(2), n=200, favor=0.6, per_word=0.02)
    found = bt.audit_judge(judge, human, length=length, own=["s1"])
    rows = by_check(found)
    assert rows["own"].low < 0.6 < rows["own"].high
    assert rows["length"].low < 0.02 * length.values.std() < rows["length"].high
    assert {row.check for row in found.biases} == {"own", "length"}
    words = " ".join(judge_audit_table(found).verdict)
    assert "its own systems 0." in words
    assert "one standard deviation longer" in words


def test_an_honest_judge_is_rarely_accused():
    """In about 5% of 200 audits of four tests each."""
    accused = 0
    for seed in range(200):
        judge, human, length = drawn(np.random.default_rng(seed))
        accused += bool(bt.audit_judge(judge, human, length=length, own=["s1"]).biases)
    assert accused / 200 < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 200)


def test_another_scale_has_no_difference():
    """Of means; agreement is the correlation."""
    judge, human, _ = drawn(np.random.default_rng(3))
    rows = by_check(bt.audit_judge(replace(judge, values=50 + 10 * judge.values), human))
    assert "difference" not in rows
    assert rows["correlation"].value == pytest.approx(
        np.corrcoef(judge.values.ravel(), human.values.ravel())[0, 1]
    )


def test_repeated_scores():
    """The share of equal pairs of repeats, with or without labels."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 40)
    score = np.where(rng.random((3, 40)) < 0.1, 1 - truth, truth)
    runs = bt.Runs(
        name="judge", systems=["A"], segments=[str(i) for i in range(40)], runs=["1", "2", "3"],
        system=np.zeros(120, dtype=int), segment=np.tile(np.arange(40), 3), run=np.repeat(np.arange(3), 40),
        score=score.ravel(),
    )  # fmt: skip
    rows = by_check(bt.audit_judge(runs))
    same = np.mean([(score[a] == score[b]).mean() for a, b in ((0, 1), (0, 2), (1, 2))])
    assert rows["repeats"].value == pytest.approx(same)
    assert 0 < rows["repeats_alpha"].value < 1


def battles(verdicts):
    """Battles of A and B in both orders, one question per pair of verdicts."""
    n = len(verdicts)
    return {
        "item": [f"q{i}" for i in range(n) for _ in range(2)],
        "model_a": ["A", "B"] * n,
        "model_b": ["B", "A"] * n,
        "winner": [word for pair in verdicts for word in pair],
    }


def test_both_orders_of_battles():
    """Ten consistent pairs, eight that name the left side twice, one the right."""
    judge = battles([("model_a", "model_b")] * 10 + [("model_a", "model_a")] * 8 + [("model_b", "model_b")])
    rows = by_check(bt.audit_judge(judge))
    assert rows["both_orders"].value == pytest.approx(10 / 19)
    assert (rows["left"].value, rows["left"].n) == (pytest.approx(8 / 9), 9)
    assert rows["left"].pvalue == pytest.approx(2 * 10 / 512)
    words = " ".join(judge_audit_table(bt.audit_judge(judge)).verdict)
    assert "The left side wins 89% of the 9 pairs whose orders contradict each other" in words


def test_battles_against_votes():
    """The verdict over both orders is compared with the votes of people on the same question."""
    judge = battles(
        [("model_a", "model_b")] * 8 + [("model_b", "model_a")] * 4 + [("model_a", "model_a")] * 4
    )
    people = battles([("model_a", "model_b")] * 10 + [("model_b", "model_a")] * 6)
    rows = by_check(bt.audit_judge(judge, people))
    assert rows["agreement"].n == 16
    assert rows["agreement"].value == pytest.approx((8 + 2) / 16)
    parts = [row for row in bt.audit_judge(judge, people) if row.part == "without ties"]
    assert parts[0].value == pytest.approx(10 / 12)


@pytest.mark.parametrize("in_file", [True, False])
def test_battles_that_are_left_out_do_not_hide_the_questions(tmp_path, in_file):
    """A row without a system or a verdict is not compared; the other rows keep the ids of their questions."""
    judge = battles([("model_a", "model_b")] * 8 + [("model_b", "model_a")] * 4)
    people = battles([("model_a", "model_b")] * 12)
    for key, value in (("item", "q99"), ("model_a", "A"), ("model_b", "B"), ("winner", "tie (bothbad)")):
        people[key].insert(3, value)
    if in_file:
        for name, data in (("judge", judge), ("people", people)):
            rows = "\n".join(",".join(row) for row in zip(*data.values(), strict=True))
            (tmp_path / f"{name}.csv").write_text(f"{','.join(data)}\n{rows}\n")
        judge, people = tmp_path / "judge.csv", tmp_path / "people.csv"
    data = read_audited(judge, people, options=bt.Options(both_bad="drop"))
    rows = by_check(bt.audit_judge(data.judge, data.human))
    assert (rows["agreement"].value, rows["agreement"].n) == (pytest.approx(8 / 12), 12)


def test_a_column_that_is_not_there_is_named():
    """Not a metric that is not there."""
    table = {"system": ["A", "B"] * 8, "item": [f"q{i // 2}" for i in range(16)], "score": [0.5, 0.25] * 8}
    known = 'Unknown column "words". Known: item, score, system.'
    for call in (
        lambda: bt.audit_judge(table, {"A": [1.0] * 8, "B": [0.0] * 8}, length="words"),
        lambda: bt.correct({"A": [1.0] * 8, "B": [0.0] * 8}, table, weight="words"),
    ):
        with pytest.raises(bt.UnknownName, match=known):
            call()
    with pytest.raises(bt.UnknownName, match=r'Unknown column "scor"\. Did you mean "score"\?'):
        bt.audit_judge(table, table, length="scor")


def test_what_cannot_be_audited_is_refused():
    """No labels, too few, options of scores with battles, unknown systems."""
    judge, human, length = drawn(np.random.default_rng(5))
    few = replace(human, values=np.where(np.arange(80) < 3, human.values, np.nan))
    for given, words in (
        ((judge,), "Without human labels"),
        ((judge, few), "8 are needed"),
        ((judge, battles([("model_a", "model_b")] * 9)), "same kind of data"),
    ):
        with pytest.raises(bt.BetterThanError, match=words):
            bt.audit_judge(*given)
    with pytest.raises(bt.BetterThanError, match="is for scores"):
        bt.audit_judge(battles([("model_a", "model_b")] * 9), own=["A"])
    with pytest.raises(bt.UnknownName, match="s7"):
        bt.audit_judge(judge, human, own=["s7"])
    with pytest.raises(bt.TableError, match="have no length"):
        bt.audit_judge(judge, human, length=replace(length, values=np.full((2, 80), np.nan)))
    with pytest.raises(bt.NotEstimable, match="Fewer than 8 pairs"):
        bt.audit_judge(battles([("model_a", "model_b")] * 3))
