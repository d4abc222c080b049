"""Systems that give the same text, and what people made of it."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt


def texts_of(outputs, *, systems=None, segments=None):
    """Texts with plain names."""
    return bt.Texts(
        systems=systems or [f"S{i}" for i in range(len(outputs))],
        segments=segments or [str(j) for j in range(len(outputs[0]))],
        outputs=outputs,
    )


def scores_of(values, *, name="DA", systems=None, segments=None, **more):
    """Scores with the same names."""
    return bt.Scores(
        name=name,
        systems=systems or [f"S{i}" for i in range(len(values))],
        segments=segments or [str(j) for j in range(len(values[0]))],
        values=values,
        **more,
    )


OUTPUTS = [["a", "b", "c"], ["a", "B", None], ["a", "b", "c"]]
VALUES = [[90, 10, 50], [60, 80, 50], [80, 40, 49]]


def test_identical_outputs_that_survive_the_margin_are_listed():
    """By hand: five equal pairs, two of them judged 25 or more apart; widest gap first."""
    found = bt.identical_outputs(texts_of(OUTPUTS), scores_of(VALUES))
    told = [(t.segment, t.first, t.second, t.gap, t.survives) for t in found.identical_pairs]
    assert told == [
        ("0", "S0", "S1", 30, True),
        ("1", "S2", "S0", 30, True),
        ("0", "S2", "S1", 20, False),
        ("0", "S0", "S2", 10, False),
        ("2", "S0", "S2", 1, False),
    ]
    assert (found.n_pairs, found.n_identical, found.n_judged, found.n_kept, found.n_surviving) == (
        7,
        5,
        7,
        4,
        2,
    )
    assert (found.share_identical, found.share_surviving) == (5 / 7, 0.5)
    assert found.identical.tolist() == [[0, 1, 3], [1, 0, 1], [3, 1, 0]]
    assert found.surviving.tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert found.identical_pairs[0].text == "a"
    assert found.sentences == (
        "5 of 7 pairs of systems on a segment have identical outputs (71%).",
        "4 of 7 judged pairs lie 25 or more apart; 2 of them have identical outputs (50%).",
    )


def test_texts_alone_tell_what_is_identical():
    """Nothing is judged, so nothing survives; gaps are missing."""
    found = bt.identical_outputs(texts_of(OUTPUTS))
    assert (found.n_identical, found.n_judged, found.n_kept) == (5, 0, 0)
    assert all(np.isnan(twin.gap) for twin in found.identical_pairs)
    assert np.isnan(found.share_surviving)
    assert len(found.sentences) == 1


def test_the_direction_of_the_scores_names_the_better_one():
    """Penalties: less is better."""
    found = bt.identical_outputs(texts_of([["a"], ["a"]]), scores_of([[40], [1]], higher_is_better=False))
    assert (found.identical_pairs[0].first, found.identical_pairs[0].gap) == ("S1", 39)


def test_ratings_are_averaged_and_joined_by_name():
    """In another order, with systems and segments that the texts do not have."""
    ratings = bt.read_ratings(
        {
            "item": ["0", "0", "0", "9"],
            "system": ["S1", "S1", "S0", "X"],
            "rater": ["x", "y", "x", "x"],
            "score": [0, 20, 60, 5],
        },
        name="q",
    )
    found = bt.identical_outputs(texts_of(OUTPUTS), ratings)
    assert (found.n_judged, found.n_kept) == (1, 1)
    assert (
        found.identical_pairs[0].segment,
        found.identical_pairs[0].first,
        found.identical_pairs[0].gap,
    ) == ("0", "S0", 50)


def test_ties_of_metrics_are_counted_among_the_kept_pairs():
    """Table 3 of the paper: how many of a metric's ties come from identical outputs."""
    metric = scores_of([[1, 2, 3], [1, 9, 3], [1, 9, 3]], name="chrF")
    found = bt.identical_outputs(texts_of(OUTPUTS), scores_of(VALUES), metrics=[metric])
    # Kept: S0–S1 on 0 (tie, identical), S0–S1 and S1–S2 on 1 (no tie; tie, not identical), S0–S2 on 1 (no tie).
    assert (found.metric_ties[0].ties, found.metric_ties[0].identical) == (2, 1)
    assert found.sentences[-1] == "chrF ties 2 kept pairs, 1 of them with identical outputs."


@given(
    st.lists(st.lists(st.sampled_from(["x", "y", None]), min_size=3, max_size=3), min_size=2, max_size=4),
    st.lists(st.integers(0, 60), min_size=12, max_size=12),
    st.integers(0, 40),
)
def test_counts_are_those_of_a_plain_loop(outputs, numbers, margin):
    """And the pairs that survive are exactly those that a relative ranking with ties at equal texts loses."""
    values = np.array(numbers, dtype=float).reshape(4, 3)[: len(outputs)]
    texts, scores = texts_of(outputs), scores_of(values.tolist())
    found = bt.identical_outputs(texts, scores, margin=margin)
    identical = surviving = kept = 0
    for a, b in combinations(range(len(outputs)), 2):
        for j in range(3):
            if outputs[a][j] is None or outputs[b][j] is None:
                continue
            gap = abs(values[a, j] - values[b, j])
            apart = gap >= margin and gap > 0
            kept += apart
            identical += outputs[a][j] == outputs[b][j]
            surviving += outputs[a][j] == outputs[b][j] and apart
    assert (found.n_identical, found.n_surviving, found.n_kept) == (identical, surviving, kept)
    assert found.identical.sum() == 2 * identical
    ratings = bt.Ratings(
        name="q",
        systems=scores.systems,
        segments=scores.segments,
        judges=["x"],
        system=np.repeat(np.arange(len(outputs)), 3),
        segment=np.tile(np.arange(3), len(outputs)),
        judge=np.zeros(3 * len(outputs), int),
        score=values.ravel(),
    )
    lost = (
        ratings.to_matches(margin=margin).n_matches - ratings.to_matches(margin=margin, texts=texts).n_matches
    )
    assert lost == surviving


def test_what_shares_nothing_is_refused():
    """With both sides' names."""
    with pytest.raises(bt.TableError, match="share fewer than 2 systems"):
        bt.identical_outputs(texts_of(OUTPUTS), scores_of(VALUES, systems=["X", "Y", "Z"]))
    with pytest.raises(bt.TableError, match="There is one system, S0"):
        bt.identical_outputs(texts_of([["a"]]))
    with pytest.raises(bt.TableError, match="margin must be a non-negative number"):
        bt.identical_outputs(texts_of(OUTPUTS), margin=-1)


def test_the_result_survives_json_and_is_shown():
    """Surviving ones in the table, all of them in CSV."""
    found = bt.identical_outputs(texts_of(OUTPUTS), scores_of(VALUES))
    assert bt.Result.from_dict(json.loads(found.to_json())) == found
    shown = str(found)
    assert "judged better" in shown
    assert "3 more identical outputs are not shown" in shown
    assert bt.render(found, "csv").count("\n") >= 6
    alone = str(bt.identical_outputs(texts_of(OUTPUTS)))
    assert "judged better" not in alone
    assert repr(found) == "IdenticalOutputs(5 of 7 pairs, 2 survive the margin)"
