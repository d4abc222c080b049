"""Human judgments other than scores: relative rankings, strengths, ranks with ties, identical texts; chosen metrics."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import betterthan as bt
from betterthan.cli.main import cli
from betterthan.kernels.agreement.tau_tables import pair_table, tau

SYSTEMS = ("A", "B", "C", "D", "E")
TAUS = ("tau_ties_ignored", "tau_ties_soft", "tau_ties_hard", "tau_human_ties")


def table(name, noise, *, n=80, seed=0, digits=1):
    """A metric, or the human scores without noise; rounded, so that there are ties."""
    rng = np.random.default_rng(7)
    human = rng.normal(size=(5, n)) + np.arange(5)[:, None] / 3
    values = (human + noise * np.random.default_rng(seed).normal(size=human.shape)).round(digits)
    return bt.Scores(name=name, systems=SYSTEMS, segments=[f"s{i}" for i in range(n)], values=values)


HUMAN, METRICS = table("human", 0.0), [table("sharp", 0.6, seed=1), table("blunt", 2.5, seed=2)]


def as_matches(scores):
    """Every pair of systems on every segment, with its names."""
    rows = [
        (a, b, s, 1.0 if x > y else 0.5 if x == y else 0.0)
        for s in range(scores.n_segments)
        for a in range(5)
        for b in range(a)
        for x, y in [(scores.values[a, s], scores.values[b, s])]
    ]
    left, right, segment, outcome = (np.array(column) for column in zip(*rows, strict=True))
    return bt.Matches(
        systems=SYSTEMS, left=left, right=right, outcome=outcome, segment=segment, segments=scores.segments
    )


@pytest.mark.parametrize("by", TAUS)
def test_taus_over_matches_are_those_over_the_scores_they_come_from(by):
    """Values, intervals and tests: the same pairs, listed."""
    of_scores = bt.meta_evaluate(METRICS, HUMAN, by=by, n_resamples=200)
    of_pairs = bt.meta_evaluate(METRICS, as_matches(HUMAN), by=by, n_resamples=200)

    assert of_pairs.metrics == of_scores.metrics
    np.testing.assert_allclose(of_pairs.value, of_scores.value, atol=1e-12)
    assert of_pairs.n_pairs == of_scores.n_pairs
    assert of_pairs.n_decided.tolist() == of_scores.n_decided.tolist()
    np.testing.assert_allclose(of_pairs.high - of_pairs.low, of_scores.high - of_scores.low, rtol=0.35)
    np.testing.assert_allclose(of_pairs.comparisons.pvalue, of_scores.comparisons.pvalue, atol=0.05)


def counted_one_by_one(metric, left, right, segment, outcome):
    """Human outcomes (rows: left is worse, tied, better) against those of the metric (columns)."""
    counts = np.zeros((3, 3), dtype=np.int64)
    for a, b, s, human in zip(left, right, segment, outcome, strict=True):
        counts[int(2 * human), int(np.sign(metric[a, s] - metric[b, s])) + 1] += 1
    return counts


def test_matches_are_joined_by_names_and_count_as_often_as_they_occur():
    """Other segments, another order of systems and a system that no metric knows; weights are multiplicities."""
    rng = np.random.default_rng(3)
    names = ("X", "C", "A", "B")
    left, right = rng.integers(1, 4, 200), np.zeros(200, dtype=int)
    right = np.where(rng.random(200) < 0.2, 0, 1 + (left - 1 + rng.integers(1, 3, 200)) % 3)
    segment, outcome = rng.integers(0, 100, 200), rng.choice([1.0, 0.5, 0.0], 200)
    weight = rng.integers(1, 4, 200).astype(float)
    matches = bt.Matches(
        systems=names, left=left, right=right, outcome=outcome, weight=weight, segment=segment,
        segments=[f"s{i}" for i in range(20, 120)],
    )  # fmt: skip
    found = bt.meta_evaluate(METRICS, matches, by="tau_human_ties", significance="none", confidence=None)
    kept = (right > 0) & (segment + 20 < 80)
    times = weight[kept].astype(int)
    place = np.array([-1, 2, 0, 1])
    rows = [np.repeat(part[kept], times) for part in (place[left], place[right], segment + 20, outcome)]
    expected = [tau(counted_one_by_one(one.values, *rows), "tau_human_ties") for one in METRICS]

    assert {name: found[name].value for name in found.metrics} == pytest.approx(
        dict(zip(("sharp", "blunt"), map(float, expected), strict=True))
    )
    assert any("human comparisons left out" in note or "Systems left out" in note for note in found.notes)


@pytest.mark.parametrize("by", ["bradley_terry", "elo", "trueskill", "win_rate"])
def test_strengths_of_relative_rankings_are_human_scores(by):
    """Pearson's r of the metrics' means with the strengths that `rank` gives."""
    matches = as_matches(HUMAN)
    found = bt.meta_evaluate(METRICS, matches, by="pearson", human_by=by, significance="none", n_resamples=50)
    options = {"scale": "log"} if by == "bradley_terry" else {}
    ranked = bt.rank(matches, by=by, **options)
    strength = [ranked[name].strength for name in SYSTEMS]

    for metric in METRICS:
        expected = stats.pearsonr(metric.values.mean(axis=1), strength).statistic
        assert found[metric.name].value == pytest.approx(expected, abs=1e-9)


def test_clusters_and_fuzzy_ranks_of_systems_are_correlated_with_metrics():
    """The ranks with ties of the ranking by means."""
    ranked = bt.rank(HUMAN)
    for by, ranks in (("cluster", ranked.cluster), ("fuzzy_rank", ranked.fuzzy_rank)):
        found = bt.meta_evaluate(
            METRICS, HUMAN, by="kendall_b", human_by=by, significance="none", confidence=None
        )
        of = dict(zip(ranked.systems, ranks.tolist(), strict=True))
        expected = stats.kendalltau(METRICS[0].values.mean(axis=1), [-of[name] for name in SYSTEMS]).statistic
        assert found["sharp"].value == pytest.approx(expected)


def test_identical_texts_are_human_ties():
    """The table of pairs with the ties that the texts make, whatever the scores."""
    outputs = [
        [f"{'same' if i < 3 and s % 2 else system} {s}" for s in range(80)]
        for i, system in enumerate(SYSTEMS)
    ]
    texts = bt.Texts(systems=SYSTEMS, segments=HUMAN.segments, outputs=outputs)
    found = bt.meta_evaluate(
        METRICS, HUMAN, by="tau_human_ties", texts=texts, significance="none", confidence=None
    )
    same = np.zeros((80, 5, 5), dtype=bool)
    same[1::2, :3, :3] = True

    for metric in METRICS:
        counts = pair_table(metric.values, HUMAN.values, same_output=same)
        assert found[metric.name].value == pytest.approx(float(tau(counts, "tau_human_ties")))
    assert any("120 pairs of systems wrote the same text" in note for note in found.notes)


def test_a_bootstrap_of_human_scores_alone_keeps_the_metrics_scores():
    """Against a loop: draw segments of the human scores, correlate their means with the metric's own."""
    found = bt.meta_evaluate(
        METRICS, HUMAN, by="pearson", resample="human", significance="none", n_resamples=2000
    )
    rng = np.random.default_rng(1)
    fixed = METRICS[1].values.mean(axis=1)
    drawn = [
        np.corrcoef(HUMAN.values[:, rng.integers(0, 80, 80)].mean(axis=1), fixed)[0, 1] for _ in range(2000)
    ]
    expected = np.quantile(drawn, 0.975) - np.quantile(drawn, 0.025)

    row = found["blunt"]
    assert row.high - row.low == pytest.approx(expected, rel=0.15) or row.high == 1.0
    assert "|resample:human|" in found.settings.signature
    soft = bt.meta_evaluate(METRICS, HUMAN, resample="human", significance="none", n_resamples=100)
    both = bt.meta_evaluate(METRICS, HUMAN, significance="none", n_resamples=100)
    assert not np.allclose(soft.low, both.low)


def test_metrics_are_left_out_by_name_and_by_kind():
    """By what their names say, with a note; a pattern that fits nothing is a mistake."""
    tables = {
        name: table(name, 1.0, seed=i) for i, name in enumerate(["chrF", "COMET-QE", "Kiwi[noref]", "BLEU"])
    }
    quick = {"significance": "none", "confidence": None, "by": "pearson"}
    based = bt.meta_evaluate(tables, HUMAN, metric_kind="reference_based", **quick)
    free = bt.meta_evaluate(tables, HUMAN, metric_kind="reference_free", **quick)
    some = bt.meta_evaluate(tables, HUMAN, leave_out_metrics=["*QE", "BLEU"], **quick)

    assert set(based.metrics) == {"chrF", "BLEU"}
    assert set(free.metrics) == {"COMET-QE", "Kiwi[noref]"}
    assert set(some.metrics) == {"chrF", "Kiwi[noref]"}
    assert any("they use no reference: COMET-QE, Kiwi[noref]" in note for note in based.notes)
    assert any("on request: COMET-QE, BLEU" in note for note in some.notes)
    with pytest.raises(bt.BetterThanError, match="Unknown metric"):
        bt.meta_evaluate(tables, HUMAN, leave_out_metrics=["METEOR"], **quick)
    pooled = bt.meta_evaluate(
        {"x": tables, "y": tables}, {"x": HUMAN, "y": HUMAN}, leave_out_metrics="*QE", **quick
    )
    assert "COMET-QE" not in pooled.metrics


@pytest.mark.parametrize(
    ("human", "options", "message"),
    [
        (as_matches(HUMAN), {}, "Relative rankings have no scores of segments"),
        (as_matches(HUMAN), {"by": "accuracy_with_ties"}, "Relative rankings have no scores of segments"),
        (as_matches(HUMAN), {"by": "tau_ties_hard", "margin": 5.0}, "margin=5 has no effect"),
        (as_matches(HUMAN), {"by": "pearson", "human_by": "median"}, 'human_by="median" is not available'),
        (HUMAN, {"by": "tau_ties_hard", "human_by": "elo"}, 'human_by="elo" has no effect'),
        (HUMAN, {"by": "tau_ties_hard", "resample": "human"}, 'resample="human" has no effect'),
        (bt.Matches(systems=SYSTEMS, left=[0, 1], right=[1, 2], outcome=[1, 0], segment=[0, 1]),
         {"by": "tau_ties_hard"}, "no names of segments"),
    ],
)  # fmt: skip
def test_what_these_judgments_cannot_do_is_refused(human, options, message):
    """In one sentence, with what to use instead."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.meta_evaluate(METRICS, human, **options)


def test_pairs_of_relative_rankings_are_joined_by_their_segments(tmp_path):
    """The layout of WMT16, two ranked systems per row: the taus are those counted row by row."""
    rng = np.random.default_rng(16)
    rows = ["segmentId,judgeID,system1Id,system1rank,system2Id,system2rank"]
    counts = {name: np.zeros((3, 3), int) for name in ("sharp", "blunt")}
    for i in range(300):
        (a, b), s = rng.permutation(3)[:2], int(rng.integers(0, 60))
        first, second = rng.integers(1, 6, 2)
        rows.append(f"{METRICS[0].segments[s]},judge{i % 5},{SYSTEMS[a]},{first},{SYSTEMS[b]},{second}")
        for one in METRICS:
            own = np.sign(one.values[a, s] - one.values[b, s])
            counts[one.name][int(np.sign(second - first)) + 1, int(own) + 1] += 1
    path = tmp_path / "rankings.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    metrics = tmp_path / "metrics.csv"
    lines = [
        f"{one.name},{name},{segment},{value!r}"
        for one in METRICS
        for name, scores in zip(one.systems, one.values.tolist(), strict=True)
        for segment, value in zip(one.segments, scores, strict=True)
    ]
    metrics.write_text("\n".join(["metric,system,segment,score", *lines]) + "\n", encoding="utf-8")

    for by in ("tau_ties_ignored", "tau_human_ties"):
        arguments = ("meta", str(metrics), "--human", str(path), "--by", by.replace("_", "-"), "--json", "-q")
        done = CliRunner().invoke(cli, [*arguments, "--significance", "none"], catch_exceptions=False)
        answer = json.loads(done.stdout)
        found = dict(zip(answer["metrics"], answer["value"], strict=True))
        expected = {name: float(tau(table, by)) for name, table in counts.items()}
        assert found == pytest.approx(expected)
        named = bt.read_matches(path, item="segmentId")
        again = bt.meta_evaluate(METRICS, named, by=by, significance="none", confidence=None)
        assert {name: again[name].value for name in again.metrics} == pytest.approx(expected)
