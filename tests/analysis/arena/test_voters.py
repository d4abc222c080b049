"""Voters: false alarms, planted voters of every kind, and what is bounded."""

import numpy as np
import pytest

import betterthan as bt

MU = np.linspace(0.9, -0.9, 8)
NAMES = tuple(f"S{i}" for i in range(8))


def drawn(seed, n=6000, n_voters=60):
    """Battles of honest voters: left, right, outcome, voter."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 8, n)
    right = (left + rng.integers(1, 8, n)) % 8
    outcome = (rng.random(n) < 1 / (1 + np.exp(MU[right] - MU[left]))).astype(float)
    outcome[rng.random(n) < 0.1] = 0.5
    return left, right, outcome, rng.integers(0, n_voters, n)


def table(left, right, outcome, voter, n_voters=60):
    """The same as matches."""
    names = [f"J{i:02d}" for i in range(n_voters)]
    return bt.Matches(
        systems=NAMES, left=left, right=right, outcome=outcome, category=voter, categories=names
    )


def test_honest_voters_are_not_accused():
    """None of 20 boards with 60 voters: bounds hold, and more."""
    assert sum(len(bt.voters(table(*drawn(seed))).deviating) for seed in range(20)) == 0


def test_planted_voters_are_found_with_their_reason():
    """One for the left side, one against the board, one for the last system."""
    left, right, outcome, voter = drawn(1)
    outcome[voter == 1] = 1.0
    outcome[voter == 3] = 1 - outcome[voter == 3]
    last = (voter == 2) & ((left == 7) | (right == 7))
    outcome[last] = left[last] == 7
    found = bt.voters(table(left, right, outcome, voter))
    assert set(found.deviating) == {"J01", "J02", "J03"}
    assert {name: found[name].reason for name in found.deviating} == {
        "J01": "prefers the left",
        "J02": "for S7",
        "J03": "against the board",
    }
    assert found["J03"].agreement < 0.5 < found["J03"].expected
    assert found.first == found.first_without == "S0"
    assert "3 voters deviate significantly from the board" in " ".join(str(found).split())


def test_a_first_place_that_depends_on_them():
    """Without a voter who stuffs the ballot, another system is first."""
    honest = [("X" if i % 20 < 11 else "Y", f"H{i // 20}") for i in range(400)]
    rows = [*honest, *[("Y", f"J{i // 40}") for i in range(80)]]
    battles = {
        "left": ["X"] * len(rows),
        "right": ["Y"] * len(rows),
        "winner": [winner for winner, _ in rows],
        "judge": [judge for _, judge in rows],
    }
    found = bt.voters(battles, by="judge")
    assert (found.first, found.first_without) == ("Y", "X")
    assert "X is first instead of Y" in " ".join(str(found).split())


def test_a_single_vote_is_no_evidence():
    """Its bound is at least its probability, times the number of kinds."""
    left, right, outcome, voter = drawn(2, n=600)
    alone = np.array([60])
    parts = (np.r_[left, 0], np.r_[right, 7], np.r_[outcome, 0.0], np.r_[voter, alone])
    found = bt.voters(table(*parts, n_voters=61))
    assert found["J60"].pvalue > 0.3


def test_errors_say_what_to_do():
    """No column, and a table of scores."""
    with pytest.raises(bt.BetterThanError, match="Name the column"):
        bt.voters({"left": ["X"], "right": ["Y"], "winner": ["left"]})
    with pytest.raises(bt.TableError, match="voters takes battles"):
        bt.voters(bt.read_scores({"A": [1, 2], "B": [2, 1]}), by="judge")
