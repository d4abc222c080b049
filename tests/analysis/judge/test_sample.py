"""bt.sample: what is drawn, with what weights, and that corrections with them are unbiased."""

from dataclasses import replace

import numpy as np
import pytest
from tests.made import drawn_scores

import betterthan as bt
from betterthan.present.tables.judges import sample_table


def judged(n=200, m=2, seed=1):
    """A judge whose errors are larger where the systems differ more."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    quality = rng.normal(size=(m, n)) * (0.2 + hard) + 0.3 * np.arange(m)[:, None]
    scores = quality + rng.normal(size=(m, n)) * hard
    make = lambda name, values: bt.Scores(  # noqa: E731
        name=name, systems=[f"s{k}" for k in range(m)], segments=[f"q{i}" for i in range(n)], values=values
    )
    return make("judge", scores), make("human", quality)


def test_items_have_all_their_outputs():
    """In random order, outputs of an item together, with one weight."""
    judge, _ = judged()
    drawn = bt.sample(judge, 20)
    assert (drawn.n_drawn, len(drawn)) == (20, 40)
    assert (drawn.weight == 10).all()
    assert drawn.item[::2] == drawn.item[1::2]
    assert len(set(drawn.item)) == 20
    assert drawn.item[::2] != tuple(sorted(drawn.item[::2], key=lambda name: int(name[1:])))
    assert {drawn.system[0], drawn.system[1]} == {"s0", "s1"}
    assert bt.Result.from_json(drawn.to_json()) == drawn
    assert "40 outputs of 20 items by 2 systems to label" in sample_table(drawn).verdict[0]


def test_outputs_are_drawn_separately():
    """Of all systems together."""
    judge, _ = judged()
    drawn = bt.sample(judge, 30, of="outputs")
    assert len(drawn) == drawn.n_drawn == 30
    assert drawn.n_available == 400
    assert drawn.weight[0] == pytest.approx(400 / 30)


def test_the_seed_decides():
    """The same twice, another with another."""
    judge, _ = judged()
    assert bt.sample(judge, 20) == bt.sample(judge, 20)
    assert bt.sample(judge, 20, rng=1).item != bt.sample(judge, 20, rng=2).item


def test_disagreement_of_systems_and_of_judges():
    """What differs is drawn more often, and nothing is more than twice as rare as in a uniform sample."""
    judge, _ = judged()
    drawn = bt.sample(judge, 20, by="disagreement")
    gaps = dict(zip(judge.segments, np.abs(np.diff(judge.values, axis=0))[0], strict=True))
    assert np.corrcoef([gaps[name] for name in drawn.item], drawn.probability)[0, 1] > 0.99
    assert drawn.weight.max() <= 20 + 1e-9
    rows = [(i, j, (i % 5) * j) for i in range(50) for j in range(3)]
    ratings = bt.read_ratings(
        {"item": [i for i, _, _ in rows], "system": ["A"] * 150, "rater": [f"j{j}" for _, j, _ in rows],
         "score": [s for _, _, s in rows]},
        name="judges",
    )  # fmt: skip
    drawn = bt.sample(ratings, 10, by="disagreement")
    spread = [int(name) % 5 for name in drawn.item]
    assert np.corrcoef(spread, drawn.probability)[0, 1] > 0.99


def test_strata():
    """Documents, or classes of the judge's score, in proportion."""
    judge, _ = judged()
    documents = replace(judge, groups=tuple(f"d{i % 4}" for i in range(200)))
    drawn = bt.sample(documents, 20, strata="group")
    assert set(drawn.strata.values()) == {5}
    drawn = bt.sample(judge, 20, strata=5)
    assert set(drawn.strata.values()) == {4}
    assert "From each of 5 strata: 4 items." in sample_table(drawn).words


@pytest.mark.parametrize("by", ["uniform", "disagreement"])
def test_corrections_with_the_weights_are_unbiased(by):
    """The mean over 300 samples is the mean of all labels within four standard errors."""
    judge, human = judged(seed=3)
    rows = {name: k for k, name in enumerate(judge.systems)}
    columns = {name: k for k, name in enumerate(judge.segments)}
    means, truth = [], human.values.mean(axis=1)
    for seed in range(300):
        drawn = bt.sample(judge, 40, by=by, strata=4, rng=seed)
        labels, weights = (np.full(judge.values.shape, np.nan) for _ in range(2))
        for row in drawn:
            at = rows[row.system], columns[row.item]
            labels[at], weights[at] = human.values[at], row.weight
        found = bt.correct(judge, replace(human, values=labels), weight=replace(human, values=weights))
        means.append([found[name].mean for name in judge.systems])
    error = np.std(means, axis=0, ddof=1) / np.sqrt(300)
    assert (np.abs(np.mean(means, axis=0) - truth) < 4 * error).all()


def test_a_labeled_file_goes_to_correct():
    """The sheet that sample writes, filled in, has its weights."""
    judge, human = judged()
    sheet = bt.sample(judge, 40, by="disagreement").to_frame().to_dict("list")
    cells = {
        (s, q): human.values[i, j] for i, s in enumerate(human.systems) for j, q in enumerate(human.segments)
    }
    sheet["score"] = [cells[pair] for pair in zip(sheet["system"], sheet["item"], strict=True)]
    found = bt.correct(judge, sheet)
    assert found.is_weighted
    assert found.labels.tolist() == [40, 40]


def test_what_cannot_be_drawn_is_refused():
    """Too many, one system without judges, strata that are not there."""
    scores = drawn_scores(1, 10)
    for given, words in (
        ({"n": 11}, "from 1 to 10"),
        ({"n": 3, "by": "disagreement"}, "two systems, or several judges"),
        ({"n": 3, "strata": "group"}, "has no groups"),
        ({"n": 3, "strata": 1}, "strata must be"),
        ({"n": 3, "by": "size"}, "way of drawing"),
        ({"n": 3, "of": "words"}, "unit of drawing"),
    ):
        with pytest.raises(bt.BetterThanError, match=words):
            bt.sample(replace(scores, groups=None), **given)
