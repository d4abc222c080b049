"""Item response models through the verbs: intervals, tests, items, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from tests.made import drawn_scores, same_after_json, scores_of

import betterthan as bt

both = pytest.mark.parametrize("by", ["irt", "irt_2pl"])


def answers(seed=0, ability=(-0.8, -0.2, 0.2, 0.8), n=150, *, higher_is_better=True):
    """A table of right and wrong."""
    rng = np.random.default_rng(seed)
    right = rng.random((len(ability), n)) < expit(np.array(ability)[:, None] - rng.normal(0, 1.2, n))
    values = right if higher_is_better else ~right
    return scores_of(values.astype(float), higher_is_better=higher_is_better)


@both
def test_rank_and_compare_agree_and_items_are_kept(by):
    """One test for both verbs; items survive JSON; wrong answers may be what is counted."""
    table = answers()
    found, pairs = bt.rank(table, by=by), bt.compare(table, by=by)
    turned = bt.rank(answers(higher_is_better=False), by=by)

    assert found.systems == pairs.systems
    assert found.test == "strengths"
    assert (found.low < found.strength).all()
    assert same_after_json(found)
    assert (found.items.discrimination is None) == (by == "irt")
    np.testing.assert_allclose(turned.strength, found.strength, atol=1e-5)
    np.testing.assert_allclose(turned.items.difficulty, found.items.difficulty, atol=1e-3)
    assert pairs.is_probability == (by == "irt")


def test_the_probability_of_winning_is_that_where_only_one_is_right():
    """For two systems the share of discordant items, and nearly McNemar's test."""
    table = answers(ability=(-0.15, 0.15), n=400)
    pair = bt.compare(table, by="irt").pairs()[0]

    assert pair.effect == pytest.approx(pair.wins / (pair.wins + pair.losses), abs=1e-8)
    assert pair.pvalue == pytest.approx(bt.compare(table).pairs()[0].pvalue, rel=0.3)


@both
def test_documents_widen_the_intervals(by):
    """Every item ten times over is no more evidence than once."""
    once = answers(n=60)
    values = np.repeat(once.values, 10, axis=1)
    copied = scores_of(values, groups=[str(i // 10) for i in range(600)])
    width = [np.mean(found.high - found.low) for found in (bt.rank(once, by=by), bt.rank(copied, by=by))]

    assert width[1] == pytest.approx(width[0], rel=0.15)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (drawn_scores(3, 20), {"by": "irt"}, "is for scores that are right or wrong"),
        (answers(), {"by": "irt", "interval": "bca"}, 'interval="bca" is not available with by="irt"'),
        (answers(ability=(0, 0.1)), {"by": "irt_2pl"}, 'Use by="irt"'),
        (scores_of(np.array([[1.0, 1, 1], [0, 1, 0]])), {"by": "irt"}, "Finite abilities do not exist"),
        (answers(), {"by": "irt", "ties": "half"}, 'ties="half" has no effect'),
    ],
)
def test_what_it_cannot_do_is_refused(table, options, message):
    """In one sentence, with what to use instead."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(table, **options)


@pytest.mark.slow
@both
def test_intervals_hold_the_truth(by):
    """Log odds of four systems on 100 items: 95% intervals hold them in 93% to 97.5% of the tables."""
    truth = np.array([-0.8, -0.2, 0.2, 0.8])
    held, claimed = [], []
    for seed in range(200 if by == "irt_2pl" else 500):
        table = answers(seed, n=100)
        found = bt.rank(table, by=by)
        true = truth[[table.systems.index(name) for name in found.systems]]
        held.append(((found.low <= true) & (true <= found.high)).mean())
        claimed.append(bt.compare(answers(seed, (0.0,) * 4, n=100), by=by).n_different > 0)

    assert 0.93 <= np.mean(held) <= 0.975
    assert np.mean(claimed) <= 0.08
