"""One question has one answer: rank, compare, explain, the report and the app agree on every pair."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.everyday import few
from tests.made import scores_of

import betterthan as bt
from betterthan.report.compose import compose
from betterthan.report.pair.view import decided_data, inputs_of_pair

KINDS = ("distinct", "ties", "right and wrong", "mostly zero", "lower is better")
DOCUMENTS = (None, "even", "uneven")
# Every kind with and without documents, twice; 2 to 12 systems.
CASES = [(kind, documents, seed) for seed in (0, 1) for kind in KINDS for documents in DOCUMENTS]
each_case = pytest.mark.parametrize(("kind", "documents", "seed"), few(CASES, 10, tuples=True))
CLOSE = {"rel": 1e-9, "abs": 1e-12}


def made(kind, documents, seed):
    """A table of that kind; document effects are shared by all systems but differ a little between them."""
    number = CASES.index((kind, documents, seed))
    rng = np.random.default_rng(number)
    m, n = 2 + number % 11, int(rng.integers(24, 90))
    document = np.arange(n) // 4 if documents == "even" else np.sort(rng.integers(0, 9, n))
    level = rng.normal(size=n) + rng.normal(size=(m, n)) + rng.normal(0, 0.4, (m, 1))
    if documents is not None:
        level = level + rng.normal(0, 0.4, (m, document.max() + 1))[:, document]
    values = {
        "ties": np.round(level),
        "right and wrong": (level > 0).astype(float),
        "mostly zero": np.maximum(level - 1, 0.0),
    }.get(kind, level)
    groups = None if documents is None else [f"d{g}" for g in document]
    return scores_of(values, groups=groups, higher_is_better=kind != "lower is better")


@each_case
def test_explain_gives_the_numbers_of_compare(kind, documents, seed):
    """P-value, interval and unit of a pair, whether it is compared among all, alone or explained."""
    scores = made(kind, documents, seed)
    table = bt.compare(scores)
    for pair in table.pairs()[:4]:
        alone = bt.compare(scores.select([pair.a, pair.b]))
        told = bt.explain(scores, pair.a, pair.b)
        mean = told.mechanism("mean")
        by_wins = bt.compare(scores.select([pair.a, pair.b]), by="win_rate").pair(pair.a, pair.b)
        assert table.units == alone.units == told.units == ("segments" if documents is None else "groups")
        assert alone.pair(pair.a, pair.b).pvalue == pytest.approx(pair.pvalue, **CLOSE)
        assert mean.pvalue == pytest.approx(pair.pvalue, **CLOSE)
        assert (told.low, told.high) == pytest.approx((pair.low, pair.high), **CLOSE)
        verdict = alone.pair(pair.a, pair.b).verdict
        assert (mean.winner if mean.is_significant else None) == verdict
        assert told.mechanism("bradley_terry").pvalue == pytest.approx(by_wins.pvalue, rel=1e-6)


@each_case
def test_ranks_are_the_verdicts_of_compare(kind, documents, seed):
    """Ranges, letters and neighbors of a ranking say what the table of all pairs says."""
    scores = made(kind, documents, seed)
    table, ranked = bt.compare(scores), bt.rank(scores)
    better = np.array(
        [[a != b and table.pair(a, b).verdict == a for b in ranked.systems] for a in ranked.systems]
    )
    different = better | better.T
    share = np.array([[bool(set(x) & set(y)) for y in ranked.letters] for x in ranked.letters])
    assert ranked.units == table.units
    np.testing.assert_array_equal(ranked.rank_low, 1 + better.sum(axis=0))
    np.testing.assert_array_equal(ranked.rank_high, len(better) - better.sum(axis=1))
    np.testing.assert_array_equal(share, ~different)
    np.testing.assert_array_equal(ranked.differs_from_next[:-1], np.diagonal(different, offset=1))


@pytest.mark.parametrize(("kind", "documents", "seed"), CASES[1::6])
def test_the_report_and_the_app_show_these_numbers(kind, documents, seed):
    """What is kept of a report as JSON, and what the app answers about its first pair."""
    scores = made(kind, documents, seed)
    kept = {name: json.loads(found.to_json()) for name, found in compose(scores).results.items()}
    table, pairs = bt.compare(scores), bt.Result.from_dict(kept["pairs"])
    ranked, told = bt.Result.from_dict(kept["ranking-mean"]), bt.Result.from_dict(kept["pair"])
    decided = decided_data(pairs, told.a, told.b)
    pair = table.pair(told.a, told.b)
    for name in ("pvalue", "adjusted", "low", "high"):
        np.testing.assert_allclose(getattr(pairs, name), getattr(table, name), rtol=1e-9)
        assert decided[name] == pytest.approx(getattr(pair, name), **CLOSE)
    assert (decided["verdict"], decided["units"]) == (pair.verdict, table.units)
    assert (told.units, told.mechanism("mean").pvalue) == (table.units, pytest.approx(pair.pvalue, **CLOSE))
    assert (told.low, told.high) == pytest.approx((pair.low, pair.high), **CLOSE)
    assert ranked.letters == bt.rank(scores).letters
    app = inputs_of_pair(scores, units=decided["units"]).options
    again = bt.explain(scores, told.a, told.b, **app)
    assert again.mechanisms == told.mechanisms


@pytest.mark.parametrize(("kind", "documents", "seed"), few(CASES, 4, tuples=True))
def test_a_multiverse_and_a_gate_repeat_compare(kind, documents, seed):
    """Analyses with a permutation, t, Mood's, Wilcoxon's or the sign test, and the gate's test of a difference."""
    scores = made(kind, documents, seed)
    a, b = scores.systems[:2]
    asked = {
        "Mood": {"test": "mood"},
        "Wilcoxon": {"test": "wilcoxon"},
        "Wald": {"by": "bradley_terry"},
        "t": {"test": "t"},
    }
    answers = {}
    for one in bt.multiverse(f"{a} > {b}", scores):
        options = {"test": "sign", "ties": one.ties} if one.test == "sign" else asked.get(one.test, {})
        options = {**options, "ties": one.ties} if one.test == "Wald" and one.ties else options
        if one.test == "permutation":
            options = {"by": "win_rate"} if one.aggregation == "win rate" else {"by": "mean"}
        if not options or one.items != "all":
            continue
        options["units"] = "segments" if one.unit == "segments" else "groups"
        options["systems"] = (a, b) if one.compared == "only those" else None
        key = json.dumps([options, one.correction])
        if key not in answers:
            answers[key] = bt.compare(scores, correction=one.correction, **options).pair(a, b).adjusted
        assert one.pvalue == pytest.approx(answers[key], **CLOSE), options
    assert len(answers) > 3
    table, decided = bt.compare(scores.select([a, b])), bt.gate(scores, margin=0.2, systems=[a, b]).columns()
    pair = table.pair(b, a)
    assert (decided["pvalue"][0], decided["low"][0], decided["high"][0]) == pytest.approx(
        (pair.pvalue, pair.low, pair.high), **CLOSE
    )
