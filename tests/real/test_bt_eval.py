"""The data behind "Better than average": 13 metrics on five data sets, some without Bradley–Terry strengths."""

from __future__ import annotations

import csv
import gzip
import math
import os
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from tests.everyday import few

import betterthan as bt
from betterthan.analysis.rank.agreement import rank_each
from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons.wins import win_counts

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = DATA / "bt-eval"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no {FOLDER}; set BETTERTHAN_DATA to the data's folder"
)

SIZES = {"TAC08": (58, 48), "TAC09": (55, 44), "TAC11": (50, 44), "tc": (5, 60), "pc": (4, 60)}
METRICS = (
    "S3_pyr", "S3_resp", "ROUGE_WE_1", "ROUGE_WE_2", "JS_1", "JS_2", "ROUGE_L", "ROUGE_1", "ROUGE_2", "BLEU",
    "Chrfpp", "BERTScore", "MoverScore",
)  # fmt: skip
DIVERGENCES = {"JS_1", "JS_2"}  # the only ones where less is better
EXACT = {"mean": np.mean, "median": np.median}
SETUPS = [(dataset, metric) for dataset in SIZES for metric in METRICS]
# Every day a divergence, and a metric that leaves two of the data sets without strengths.
some_metrics = pytest.mark.parametrize(
    "metrics",
    [("JS_1", "MoverScore"), pytest.param(METRICS, marks=pytest.mark.slow)],
    ids=["two metrics", "all metrics"],
)

# The package's own normal distribution is good to 1e-7; it accepts a better one.
EXACT_NORMAL = (
    lambda x: float(ndtr(x)),
    lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    lambda p: float(ndtri(p)),
)

NEVER_LOST = {("TAC09", metric): ("M1",) for metric in ("BLEU", "Chrfpp", "BERTScore", "MoverScore")}
# Nine metrics in which two systems never win, and the divergence in which they always lose.
NEVER_WON = {
    ("TAC11", metric): ("M26", "M29")
    for metric in METRICS
    if metric not in {"S3_pyr", "S3_resp", "JS_1"}
}  # fmt: skip


@cache
def tables():
    """Every setup as a table of scores, systems and instances in the order of the file."""
    cells = {}
    for name in ("tac", "dialogue"):
        with gzip.open(FOLDER / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                setup = cells.setdefault((row["dataset"], row["metric"]), {})
                setup.setdefault(row["system"], {})[row["instance"]] = float(row["score"])
    return {
        (dataset, metric): bt.Scores(
            name=metric,
            systems=tuple(systems),
            segments=tuple(next(iter(systems.values()))),
            values=[list(scores.values()) for scores in systems.values()],
            higher_is_better=metric not in DIVERGENCES,
        )
        for (dataset, metric), systems in cells.items()
    }


def test_all_setups_are_there():
    """13 metrics times five data sets, of the sizes that are told."""
    assert set(tables()) == set(SETUPS)
    for (dataset, _), scores in tables().items():
        assert scores.values.shape == SIZES[dataset]


@pytest.mark.parametrize("setup", few(SETUPS, 16), ids="-".join)
def test_bradley_terry_exists_or_says_who_is_to_blame(setup):
    """Strengths as choix finds them, or the names and the cure; never an endless loop, never a silent 0."""
    scores = tables()[setup]
    if setup in NEVER_LOST or setup in NEVER_WON:
        never = f"{', '.join(NEVER_WON[setup])} never won" if setup in NEVER_WON else "M1 never lost"
        with pytest.raises(NotEstimable) as caught:
            bt.rank(scores, by="bradley_terry")
        assert str(caught.value) == (
            f'Bradley–Terry strengths do not exist: {never}. Use by="win_rate", or add prior=0.5.'
        )
        assert caught.value.systems == (NEVER_LOST | NEVER_WON)[setup]
        found = bt.rank(scores, by="bradley_terry", prior=0.5, scale="log", n_resamples=20)
        assert np.isfinite(found.strength).all()
        concerned = found.systems[:1] if setup in NEVER_LOST else found.systems[-2:]
        assert sorted(concerned) == sorted(caught.value.systems)
        return
    choix = pytest.importorskip("choix")
    found = bt.rank(scores, by="bradley_terry", ties="drop", scale="log", n_resamples=20)
    wins = win_counts(scores.goodness).wins
    expected = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-13)
    ours = dict(zip(found.systems, found.strength.tolist(), strict=True))
    np.testing.assert_allclose([ours[name] for name in scores.systems], expected - expected.mean(), atol=1e-8)


def test_the_setups_without_strengths_are_these():
    """Four in which one system always wins, nine in which two never do, and a divergence that says the same."""
    assert len(NEVER_LOST) == 4
    assert len(NEVER_WON) == 9 + 1


@some_metrics
@pytest.mark.parametrize("dataset", few(SIZES))
def test_rankings_are_compared_in_every_setup(dataset, metrics):
    """Mean, median and Bradley–Terry: with a prior and a note exactly where strengths do not exist without."""
    for metric in metrics:
        found = bt.agreement(
            rank_each(tables()[dataset, metric], ("mean", "median", "bradley_terry"), n_resamples=20)
        )
        without = (dataset, metric) in NEVER_LOST or (dataset, metric) in NEVER_WON
        assert any("only with a prior" in note for note in found.notes) == without


@some_metrics
@pytest.mark.parametrize("by", few(["mean", "median", "win_rate", "elo", "trueskill"], 2))
@pytest.mark.parametrize("dataset", few(SIZES))
def test_the_other_mechanisms_rank_every_setup(dataset, by, metrics):
    """Every strength is a number inside its interval, every rank inside its spread, best first."""
    cheap = {"n_orders": 2, "n_resamples": 2} if by in ("elo", "trueskill") else {"n_resamples": 20}
    for metric in metrics:
        scores = tables()[dataset, metric]
        found = bt.rank(scores, by=by, **cheap)
        goodness = found.strength if scores.higher_is_better or by not in EXACT else -found.strength
        assert sorted(found.systems) == sorted(scores.systems)
        assert np.isfinite(found.strength).all()
        assert (np.diff(goodness) <= 1e-9).all()
        known = ~np.isnan(found.low)  # a system whose scores are all the same has no interval
        assert (found.low <= found.high)[known].all()
        assert known.mean() > 0.9
        assert ((found.rank_low <= found.rank) & (found.rank <= found.rank_high)).mean() > 0.9


@pytest.mark.parametrize(("n_systems", "ties"), [(15, 14), pytest.param(58, 294, marks=pytest.mark.slow)])
def test_trueskill_as_published_is_the_package_played_pair_by_pair_with_draws(n_systems, ties):
    """TAC08, ROUGE_1, the first systems or all 58: all segments of a pair, then the next pair; ties are draws."""
    package = pytest.importorskip("trueskill")
    scores = tables()["TAC08", "ROUGE_1"]
    scores = scores.select(scores.systems[:n_systems])
    environment = package.TrueSkill(backend=EXACT_NORMAL)
    ratings = [environment.create_rating() for _ in scores.systems]
    n_ties = 0
    for a, b in combinations(range(scores.n_systems), 2):
        for one, other in zip(scores.values[a].tolist(), scores.values[b].tolist(), strict=True):
            n_ties += one == other
            first, second = (a, b) if one >= other else (b, a)
            ratings[first], ratings[second] = package.rate_1vs1(
                ratings[first], ratings[second], drawn=one == other, env=environment
            )
    found = bt.rank(scores, by="trueskill", order="as_published", n_resamples=2)
    ours = dict(zip(found.systems, found.strength.tolist(), strict=True))
    assert n_ties == ties
    np.testing.assert_allclose(
        [ours[name] for name in scores.systems], [rating.mu for rating in ratings], atol=1e-6
    )


@some_metrics
@pytest.mark.parametrize("by", few(["mean", "median", "win_rate", "bradley_terry"], 2))
@pytest.mark.parametrize("dataset", few(SIZES))
def test_no_rank_lies_outside_its_range(dataset, by, metrics):
    """All setups at the defaults, with a prior where strengths do not exist without; a range is from 1 to m."""
    for metric in metrics:
        scores = tables()[dataset, metric]
        without = by == "bradley_terry" and (dataset, metric) in NEVER_LOST | NEVER_WON
        found = bt.rank(scores, by=by, **({"prior": 0.5} if without else {}))
        assert (found.rank_low <= found.rank).all(), metric
        assert (found.rank <= found.rank_high).all(), metric
        assert found.rank_low.min() == 1
        assert found.rank_high.max() == scores.n_systems


def test_rank_and_compare_find_the_same_pairs_of_tac08():
    """58 systems, 1,653 pairs by BLEU: 229 are significantly different after Holm's correction, whoever is asked."""
    scores = tables()["TAC08", "BLEU"]
    found, pairs = bt.rank(scores), bt.compare(scores)
    letters = dict(zip(found.systems, map(set, found.letters), strict=True))
    by_rank = {pair for pair in combinations(sorted(letters), 2) if not letters[pair[0]] & letters[pair[1]]}
    by_compare = {tuple(sorted((pair.a, pair.b))) for pair in pairs.pairs() if pair.verdict is not None}

    assert found.settings.options["test"] == "permutation,holm,0.05"
    assert pairs.correction == "holm"
    assert by_rank == by_compare
    assert len(by_compare) == pairs.n_different == 229
