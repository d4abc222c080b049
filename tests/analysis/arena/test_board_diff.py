"""Two snapshots of a board: by hand, size under no change, overlap, systems that enter and leave, errors."""

import numpy as np
import pytest

import betterthan as bt

NAMES = tuple(f"S{i}" for i in range(6))
MU = np.linspace(0.8, -0.8, 6)


def drawn(n, theta, seed):
    """Battles of all systems."""
    rng = np.random.default_rng(seed)
    m = theta.size
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    tied = rng.random(n) < 0.15
    won = rng.random(n) < 1 / (1 + np.exp(theta[right] - theta[left]))
    return left, right, np.where(tied, 0.5, won.astype(float))


def matches(*parts, names=NAMES, group=None):
    """The parts as one table."""
    left, right, outcome = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return bt.Matches(systems=names, left=left, right=right, outcome=outcome, group=group)


def test_two_systems_by_hand():
    """Log odds of 30 to 10 and of 10 to 30, each with a variance of 1/30 + 1/10."""
    old = {"left": ["X"] * 40, "right": ["Y"] * 40, "winner": ["left"] * 30 + ["right"] * 10}
    new = {"left": ["X"] * 40, "right": ["Y"] * 40, "winner": ["left"] * 10 + ["right"] * 30}
    row = bt.board_diff(old, new)["X"]
    points = 400 / np.log(10)
    assert row.change == pytest.approx(-points * np.log(3))
    error = np.sqrt(2 * (1 / 30 + 1 / 10) * 40 / 39) / 2  # half of the difference, and 40 battles
    assert row.high - row.change == pytest.approx(1.959964 * points * error, rel=1e-5)
    assert (row.old_rank, row.new_rank, row.old_votes) == (1, 2, 40)
    assert "Significantly changed: Y stronger; X weaker" in " ".join(str(bt.board_diff(old, new)).split())


@pytest.mark.parametrize("overlap", ["none", "included"])
def test_no_change_is_found_as_often_as_it_should(overlap):
    """Five percent of p-values below 0.05, and of boards with any adjusted one."""
    single, family = [], []
    for seed in range(150):
        old, new = drawn(400, MU, seed), drawn(300, MU, 1000 + seed)
        parts = (old, new) if overlap == "included" else (new,)
        found = bt.board_diff(matches(old), matches(*parts), overlap=overlap)
        single.append((found.pvalue < 0.05).mean())
        family.append((found.adjusted < 0.05).any())
    assert np.mean(single) == pytest.approx(0.05, abs=0.025)
    assert np.mean(family) < 0.1


def test_a_changed_system_is_found_and_covered():
    """The last system becomes better; the change is covered by its interval."""
    better = MU + np.array([0, 0, 0, 0, 0, 1.2])
    old, new = drawn(3000, MU, 1), drawn(3000, better, 2)
    found = bt.board_diff(matches(old), matches(new))
    row = found["S5"]
    truth = 400 / np.log(10) * 1.2 * 5 / 6
    assert row.low < truth < row.high
    assert row.adjusted < 1e-6
    assert not found.is_cumulative


def test_overlap_is_recognized_by_the_numbers():
    """Where others would hardly look like it; otherwise the user is asked."""
    old, new = drawn(3000, MU, 1), drawn(300, MU, 2)
    assert bt.board_diff(matches(old), matches(old, new)).is_cumulative
    few = bt.board_diff(matches(drawn(30, MU, 3)), matches(drawn(3000, MU, 4)))
    assert not few.is_cumulative
    assert any("may include the old ones" in note and 'overlap="included"' in note for note in few.notes)
    separate = bt.board_diff(matches(old), matches(old, new), overlap="none")
    together = bt.board_diff(matches(old), matches(old, new))
    assert (together.high - together.low < separate.high - separate.low).all()
    with pytest.raises(bt.TableError, match="do not include"):
        bt.board_diff(matches(old, new), matches(old), overlap="included")


def test_systems_enter_and_leave():
    """Changes are among those on both boards."""
    old = matches(drawn(900, MU[:5], 1), names=("gone", *NAMES[1:5]))
    found = bt.board_diff(old, matches(drawn(900, MU, 2)))
    assert (found.entered, found.left, set(found.systems)) == (("S0", "S5"), ("gone",), set(NAMES[1:5]))
    assert found.old.mean() == pytest.approx(1500)
    assert found.new.mean() == pytest.approx(1500)
    assert (found.old_first, found.new_first) == ("gone", "S0")
    text = " ".join(str(found).split())
    assert "New: S0 and S5." in text
    assert "No longer there: gone." in text


def test_clusters_widen_the_intervals():
    """Judges are units on each board."""
    old, new = drawn(400, MU, 1), drawn(400, MU, 2)
    alone = bt.board_diff(matches(old), matches(new))
    clustered = bt.board_diff(matches(old, group=np.arange(400) % 4), matches(new, group=np.arange(400) % 4))
    assert (clustered.high - clustered.low).mean() > (alone.high - alone.low).mean()


def test_errors_say_what_to_do():
    """No common systems, an unknown choice, another table."""
    old, new = matches(drawn(300, MU, 1)), matches(drawn(300, MU, 2), names=tuple("ABCDEF"))
    with pytest.raises(bt.TableError, match="No system is on both boards"):
        bt.board_diff(old, new)
    with pytest.raises(bt.BetterThanError, match="overlap"):
        bt.board_diff(old, old, overlap="some")
    with pytest.raises(bt.TableError, match="board_diff takes Matches"):
        bt.board_diff(old, bt.read_scores({"A": [1, 2], "B": [2, 1]}))


def test_a_snapshot_and_itself():
    """Nothing can have changed, and a warning says so."""
    board = matches(drawn(300, MU, 1))
    found = bt.board_diff(board, board)
    assert found.notes[0].startswith("Both snapshots have the same battles")
    assert not found.change.any()
