"""Fragility: equal to trying every subset on small boards, confirmed by a refit on large ones."""

import itertools

import numpy as np
import pytest

import betterthan as bt
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch
from betterthan.kernels.influence.first_place import turns_first


def strengths(wins, ties):
    """Log strengths with ties as half a win, NaN where they do not exist."""
    return bradley_terry_batch((wins + ties / 2)[None]).log_strength[0]


def kinds(wins, ties):
    """All kinds of battles with their numbers: (winner, loser, is_tie, count)."""
    won = [(i, j, False, int(wins[i, j])) for i, j in np.argwhere(wins > 0).tolist()]
    return won + [(i, j, True, int(ties[i, j])) for i, j in np.argwhere(np.triu(ties) > 0).tolist()]


def fewest_by_trying(wins, ties, change, most):
    """The size of the smallest set that turns first place, up to `most`, by trying all."""
    cells = [cell for cell in kinds(wins, ties) if change == "removal" or not cell[2]]
    first = int(np.argmax(strengths(wins, ties)))
    for k in range(1, most + 1):
        for chosen in itertools.combinations_with_replacement(range(len(cells)), k):
            taken = np.bincount(chosen, minlength=len(cells))
            if any(n > cell[3] for n, cell in zip(taken, cells, strict=True)):
                continue
            won, tied = wins.copy(), ties.copy()
            for n, (i, j, is_tie, _) in zip(taken.tolist(), cells, strict=True):
                if is_tie:
                    tied[i, j] -= n
                    tied[j, i] -= n
                else:
                    won[i, j] -= n
                    won[j, i] += n if change == "reversal" else 0
            theta = strengths(won, tied)
            if not np.isnan(theta).any() and theta.max() - theta[first] > 1e-9:
                return k
    return None


@pytest.mark.parametrize("change", ["removal", "reversal"])
def test_small_boards_agree_with_trying_every_subset(change):
    """Reversals always; of removals nearly all, others are one or two too many."""
    rng = np.random.default_rng(4)
    extra = []
    while len(extra) < 40:
        m = int(rng.integers(2, 5))
        wins = rng.poisson(1.8, (m, m)) * (1.0 - np.eye(m))
        ties = np.triu(rng.poisson(0.4, (m, m)), 1).astype(float)
        ties += ties.T
        if np.isnan(strengths(wins, ties)).any():
            continue
        found = turns_first(wins, ties, change=change)
        if not 0 < found.n_battles <= 4:
            continue
        extra.append(found.n_battles - fewest_by_trying(wins, ties, change, found.n_battles))
    assert sum(extra) <= (0 if change == "reversal" else 2)


@pytest.mark.parametrize("change", ["removal", "reversal"])
def test_large_boards_are_confirmed_by_a_refit(change):
    """Without the battles that are named, another system is first; with one of them fewer, it is not."""
    rng = np.random.default_rng(1)
    m = 30
    theta = np.sort(rng.normal(0, 0.5, m))[::-1]
    met = rng.poisson(60, (m, m)) * (1 - np.eye(m, dtype=int))
    wins = rng.binomial(met, 1 / (1 + np.exp(theta[None, :] - theta[:, None]))).astype(float)
    ties = np.triu(rng.poisson(9, (m, m)), 1).astype(float)
    ties += ties.T
    before = strengths(wins, ties)
    found = turns_first(wins, ties, change=change)
    assert 0 < found.n_battles < 0.05 * (wins.sum() + ties.sum() / 2)
    assert found.wins.sum() + found.ties.sum() == found.n_battles
    won, tied = wins - found.wins, ties - found.ties - found.ties.T
    if change == "reversal":
        won += found.wins.T
    after = strengths(won, tied)
    assert int(np.argmax(after)) == found.challenger != int(np.argmax(before))
    assert after[found.challenger] - after[int(np.argmax(before))] == pytest.approx(found.lead)
    i, j = np.unravel_index(np.argmax(found.wins), found.wins.shape)
    won[i, j] += 1
    if change == "reversal":
        won[j, i] -= 1
    assert int(np.argmax(strengths(won, tied))) == int(np.argmax(before))


def battles(**counts):
    """Columns of battles; AB=3 are three wins of A over B, and A_B=2 two ties."""
    rows = []
    for name, n in counts.items():
        a, b = name[0], name[-1]
        rows += [(f"S{a}", f"S{b}", "tie" if "_" in name else "left")] * n
    left, right, winner = zip(*rows, strict=True)
    return {"left": left, "right": right, "winner": winner}


def test_two_systems_by_hand():
    """Six wins to four: three removed or two reversed."""
    found = bt.fragility(battles(AB=6, BA=4))
    assert (found.first, found.second, found.battles) == ("SA", "SB", 10)
    assert (found.removal.votes, found.reversal.votes) == (3, 2)
    assert found.lead == pytest.approx(400 * np.log10(1.5))
    assert found.reversal.lead == pytest.approx(400 * np.log10(1.5))
    assert "Removing 3 votes of 10 (30.0%) puts SB first instead of SA" in " ".join(str(found).split())


def test_ties_can_be_removed():
    """A tie with a weaker system costs; where ties are left out, they are not listed."""
    (row,) = (row for row in bt.fragility(battles(BA=1, AC=3, B_C=2, A_C=1)) if row.change == "removal")
    assert (row.is_tie, {row.winner, row.loser}, row.votes, row.votes_of_kind) == (True, {"SB", "SC"}, 1, 2)
    assert not any(row.is_tie for row in bt.fragility(battles(AB=12, BA=10, A_B=3), ties="drop"))


def test_a_board_that_nothing_turns():
    """Two systems with one loss of the first: removing more leaves no strengths."""
    found = bt.fragility(battles(AB=1, BA=1, A_B=1))
    assert found.removal.votes is not None
    assert "SB" in str(found)


def test_errors_say_what_to_do():
    """Strengths that do not exist, fractional weights, one system too few, another table."""
    with pytest.raises(bt.NotEstimable, match="never won"):
        bt.fragility(battles(AB=3))
    with pytest.raises(bt.TableError, match="whole numbers"):
        bt.fragility({**battles(AB=2, BA=1), "weight": [0.5, 1, 1]})
    with pytest.raises(bt.BetterThanError, match="ties"):
        bt.fragility(battles(AB=2, BA=1), ties="davidson")
    with pytest.raises(bt.TableError, match="fragility takes Matches"):
        bt.fragility(bt.read_scores({"A": [1, 2], "B": [2, 1]}))
