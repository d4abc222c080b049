"""Boards by category: what shrinkage does, one read of a file, and errors."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.categories import category_strengths


def drawn(strengths, battles, seed=0):
    """Battles of each category as columns."""
    rng = np.random.default_rng(seed)
    m = strengths.shape[1]
    category = np.repeat(np.arange(len(battles)), battles)
    left = rng.integers(0, m, category.size)
    right = (left + rng.integers(1, m, category.size)) % m
    chance = 1 / (1 + np.exp(strengths[category, right] - strengths[category, left]))
    won = rng.random(category.size) < chance
    return {
        "model_a": [f"S{i}" for i in left],
        "model_b": [f"S{i}" for i in right],
        "winner": np.where(won, "model_a", "model_b").tolist(),
        "language": [f"L{i}" for i in category],
    }


MU = np.linspace(0.9, -0.9, 6)


def test_a_large_category_keeps_its_own_strengths():
    """With many battles, shrinkage hardly matters."""
    strengths = np.array([MU, MU[::-1], MU])
    battles = drawn(strengths, [20000, 20000, 20000])
    boards = bt.boards(battles, by="language")
    own = bt.rank(bt.read_matches(battles, category="language").of_category("L1"), scale="elo")
    board = boards["L1"]
    for name, value in zip(own.systems, own.strength, strict=True):
        assert board.strength[board.systems.index(name)] == pytest.approx(value, abs=3)
    assert board.systems[0] == "S5"
    assert boards["L0"].systems[0] == "S0"
    assert board.adjusted.min() < 1e-6
    assert "S5 in L1 (+" in str(boards)


def test_a_small_category_is_shrunk_toward_what_is_typical():
    """Ten battles say little; strengths exist although systems never won there."""
    strengths = np.tile(MU, (4, 1))
    battles = drawn(strengths, [5000, 5000, 5000, 10])
    boards = bt.boards(battles, by="language")
    assert boards.categories[-1] == "L3"
    assert boards["L3"].own_weight < 0.05
    assert boards["L3"].systems == boards["L0"].systems
    assert boards.spread < 20
    assert (boards["L3"].adjusted > 0.05).all()


def test_intervals_cover_on_average():
    """Of 40 simulated arenas with eight categories, few and many battles."""
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(40):
        mu, k, m = rng.normal(0, 1, 8), 8, 8
        theta = mu + rng.normal(0, 0.3, (k, m))
        theta -= theta.mean(axis=1, keepdims=True)
        wins = np.zeros((k, m, m))
        for c in range(k):
            n = int(rng.integers(50, 1000))
            a = rng.integers(0, m, n)
            b = (a + rng.integers(1, m, n)) % m
            won = rng.random(n) < 1 / (1 + np.exp(theta[c, b] - theta[c, a]))
            np.add.at(wins[c], (np.where(won, a, b), np.where(won, b, a)), 1)
        fit = category_strengths(wins, bradley_terry(wins.sum(axis=0)).log_strength)
        error = np.sqrt(np.diagonal(fit.covariance, axis1=1, axis2=2))
        covered.append((np.abs(fit.log_strength - theta) < 1.96 * error).mean())
    assert np.mean(covered) == pytest.approx(0.95, abs=3 * np.std(covered) / np.sqrt(40) + 0.01)


def test_the_modes_are_where_the_penalized_likelihood_is_highest():
    """For one standard deviation, no small move of strengths raises it."""
    from betterthan.kernels.comparisons import categories

    rng = np.random.default_rng(8)
    wins = rng.poisson(4, (3, 4, 4)).astype(float) * (1 - np.eye(4))
    state = categories._solved(wins, np.zeros(4), np.zeros((3, 4)), 0.4)

    def penalized(theta, typical):
        apart = ((theta - typical) ** 2).sum() / (2 * 0.16)
        return -(wins * np.logaddexp(0, theta[:, None, :] - theta[:, :, None])).sum() - apart

    best = penalized(state.theta, state.typical)
    for _ in range(50):
        moved = state.theta + rng.normal(0, 1e-3, (3, 4)), state.typical + rng.normal(0, 1e-3, 4)
        assert penalized(*moved) < best


@pytest.mark.parametrize("judge", [False, True])
def test_a_file_gives_the_same_as_a_frame(tmp_path, judge):
    """The engine counts categories as Python does, with judges or without."""
    battles = drawn(np.tile(MU, (3, 1)), [200, 100, 50])
    if judge:
        battles["judge"] = [f"J{i % 12}" for i in range(350)]
    path = tmp_path / "battles.csv"
    rows = [",".join(battles), *(",".join(row) for row in zip(*battles.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    in_memory, read = bt.boards(battles, by="language"), bt.boards(path, by="language")
    assert read.settings.data == in_memory.settings.data
    np.testing.assert_array_equal(read.strength, in_memory.strength)
    matches = bt.read_matches(path, category="language")
    assert matches.category is not None
    assert bt.boards(matches).strength.tolist() == read.strength.tolist()
    again = bt.Matches.from_dict(matches.to_dict())
    assert again == matches
    assert sum(matches.of_category(name).n_matches for name in matches.categories) == 350


def test_clusters_widen_the_intervals():
    """Votes of few judges are worth less."""
    battles = drawn(np.tile(MU, (2, 1)), [600, 600])
    rng = np.random.default_rng(0)
    judge = np.arange(1200) % 10
    favourite = np.array([f"S{i}" for i in rng.integers(0, 6, 10)])[judge]
    names = zip(battles["model_a"], battles["model_b"], battles["winner"], favourite, strict=True)
    battles["winner"] = ["model_a" if a == f else "model_b" if b == f else w for a, b, w, f in names]
    alone = bt.boards(battles, by="language")
    clustered = bt.boards({**battles, "judge": [f"J{i}" for i in judge]}, by="language")
    assert (clustered.high - clustered.low).mean() > 1.3 * (alone.high - alone.low).mean()


@pytest.mark.parametrize(("n_judges", "is_nested"), [(5, False), (12, False), (5, True)])
def test_intervals_cover_with_few_judges_of_strong_tastes(n_judges, is_nested):
    """Judges who vote in all categories, or each in one of their own."""
    rng = np.random.default_rng(1)
    k, m, n, covered = 6, 8, 3000, []
    for _ in range(25):
        theta = rng.normal(0, 0.6, m) + rng.normal(0, 0.3, (k, m))
        theta -= theta.mean(axis=1, keepdims=True)
        category, left = rng.integers(0, k, n), rng.integers(0, m, n)
        right = (left + rng.integers(1, m, n)) % m
        judge = rng.integers(0, n_judges, n) + n_judges * category * is_nested
        taste = rng.normal(0, 0.4, (n_judges * k, m))
        ahead = theta[category, left] - theta[category, right] + taste[judge, left] - taste[judge, right]
        matches = bt.Matches(
            systems=[f"S{i}" for i in range(m)],
            left=left,
            right=right,
            outcome=(rng.random(n) < 1 / (1 + np.exp(-ahead))).astype(float),
            group=judge,
            category=category,
            categories=[f"C{i}" for i in range(k)],
        )
        boards = bt.boards(matches)
        rows = [int(name[1:]) for name in boards.categories], [int(name[1:]) for name in boards.systems]
        # Tastes make the typical judge's probabilities less extreme, by 3% of these strengths.
        true = 1500 + 400 / np.log(10) * 0.97 * theta[np.ix_(*rows)]
        covered.append(((boards.low <= true) & (true <= boards.high)).mean())
    assert np.mean(covered) > 0.95 - 3 * np.std(covered) / 5


def test_errors_without_clusters_are_those_of_independent_battles():
    """With a unit for each battle, the clustered noise is the noise that the fit assumes."""
    from betterthan.kernels.comparisons.categories import category_errors, category_influence, unit_scores

    rng = np.random.default_rng(4)
    k, m, n = 3, 4, 6000
    category, left = rng.integers(0, k, n), rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    theta = rng.normal(0, 0.4, (k, m))
    won = (rng.random(n) < 1 / (1 + np.exp(theta[category, right] - theta[category, left]))).astype(float)
    wins = np.zeros((k, m, m))
    np.add.at(wins, (category, left, right), won)
    np.add.at(wins, (category, right, left), 1 - won)
    fit = category_strengths(wins, np.zeros(m))
    chance = 1 / (1 + np.exp(fit.log_strength[category, right] - fit.log_strength[category, left]))
    rows = won - chance, chance * (1 - chance)
    errors = category_errors(wins, fit, [unit_scores(np.arange(n), category, (left, right), rows, (k, m))])
    assert errors.dispersion == pytest.approx(1, abs=0.1)
    assert errors.degrees.min() > 100
    np.testing.assert_allclose(errors.covariance, fit.covariance, atol=0.15 * fit.covariance.max())
    influence = category_influence(wins, fit)
    assert (np.linalg.eigvalsh(fit.covariance - influence.noise) > -1e-9).all()


def test_an_empty_cell_is_a_category_of_its_own():
    """Nothing is dropped."""
    battles = drawn(np.tile(MU, (2, 1)), [100, 100])
    battles["language"] = ["" if name == "L1" else name for name in battles["language"]]
    assert set(bt.boards(battles, by="language").categories) == {"L0", "(none)"}


def test_errors_say_what_to_do():
    """No column, another column, too many categories, a table without categories."""
    battles = drawn(np.tile(MU, (2, 1)), [300, 300])
    with pytest.raises(bt.BetterThanError, match="Name the column of categories"):
        bt.boards(battles)
    with pytest.raises(bt.ReadError, match=r'no column "langage".*Did you mean "language"'):
        bt.boards(battles, by="langage")
    with pytest.raises(bt.TableError, match="no categories"):
        bt.boards(bt.read_matches(battles))
    with pytest.raises(bt.BetterThanError, match="no effect on a table"):
        bt.boards(bt.read_matches(battles, category="language"), by="language")
    with pytest.raises(bt.TableError, match="too many"):
        bt.boards({**battles, "id": [str(i) for i in range(600)]}, by="id")
    with pytest.raises(bt.TableError, match="category of every match"):
        bt.Matches(systems=["A", "B"], left=[0], right=[1], outcome=[1], categories=["x"])
    with pytest.raises(bt.BetterThanError, match="category"):
        bt.read_matches(battles, category="language").of_category("L9")
