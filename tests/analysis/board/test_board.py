"""Boards over tasks: strengths equal independent formulas, both kinds of uncertainty, and what is refused."""

import numpy as np
import pytest
from scipy.stats import rankdata, trim_mean

import betterthan as bt
from betterthan.analysis.board.incomplete import met_strengths
from betterthan.errors import BetterThanError, MissingScores, NotEstimable, TableError
from betterthan.kernels.judges.adjusted_means import adjusted_means


def drawn(seed, m=4, n_tasks=12, *, binary=True, items=(20, 60), gap=0.15):
    """A table of items for each task."""
    rng = np.random.default_rng(seed)
    ability = np.linspace(gap, -gap, m)
    tables = {}
    for t in range(n_tasks):
        n = int(rng.integers(*items))
        scores = ability[:, None] + 0.1 * rng.standard_normal((m, 1)) + 0.5 * rng.standard_normal((m, n))
        values = (scores > 0).astype(float) if binary else scores
        tables[f"task {t}"] = bt.Scores(
            name="accuracy",
            systems=[f"s{i}" for i in range(m)],
            segments=[str(i) for i in range(n)],
            values=values,
        )
    return tables


def means(tables, board):
    """Mean score of each system of the board on each task."""
    return np.stack([table.select(board.systems).values.mean(axis=1) for table in tables.values()], axis=1)


def literal_win_rate(scores):
    """HELM's definition, written out: pick another system at random; how often is this one better?"""
    m, n_tasks = scores.shape
    rates = np.zeros(m)
    for i in range(m):
        for t in range(n_tasks):
            others = [scores[j, t] for j in range(m) if j != i]
            rates[i] += sum((scores[i, t] > x) + 0.5 * (scores[i, t] == x) for x in others) / len(others)
    return rates / n_tasks


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_those_of_independent_formulas(seed):
    """Mean, HELM's mean win rate, average rank, Borda points, SciPy's trimmed mean."""
    tables = drawn(seed)
    oracles = {
        "mean": lambda x: x.mean(axis=1),
        "mean_win_rate": literal_win_rate,
        "average_rank": lambda x: rankdata(-x, axis=0).mean(axis=1),
        "borda": lambda x: (len(x) - rankdata(-x, axis=0)).sum(axis=1),
        "iqm": lambda x: trim_mean(x, 0.25, axis=1),
    }
    whole = bt.board(tables, by="mean")
    for by, oracle in oracles.items():
        board = bt.board(tables, by=by, n_resamples=50 if by != "mean" else None)
        np.testing.assert_allclose(board.strength, oracle(means(tables, board)), rtol=1e-12)
        own = board.strength if by == "mean" else dict(zip(board.systems, board.strength, strict=True))
        if by != "mean":
            np.testing.assert_allclose([own[name] for name in whole.systems], whole.others[by], rtol=1e-12)


def test_tasks_are_the_unit_of_the_test_over_tasks():
    """The ranks for other tasks are those of a ranking whose segments are tasks."""
    tables = drawn(1)
    board = bt.board(tables)
    scores = bt.Scores(name="mean", systems=board.systems, segments=board.tasks, values=means(tables, board))
    ranking = bt.rank(scores)
    assert board.systems == ranking.systems
    assert board.rank_low.tolist() == ranking.rank_low.tolist()
    np.testing.assert_allclose(board.low, ranking.low)
    assert board.letters == ranking.letters


def test_standard_error_of_a_mean_over_tasks_is_that_of_independent_strata():
    """The interval for other items against the textbook formula, task by task."""
    tables = drawn(2, m=3, binary=False)
    board = bt.board(tables)
    order = [list(tables["task 0"].systems).index(name) for name in board.systems]
    variance = (
        sum(t.values.var(axis=1, ddof=1)[order] / t.n_segments for t in tables.values()) / len(tables) ** 2
    )
    # The degrees of freedom are those of several hundred items, so Student's t is nearly normal.
    half = (board.item_high - board.item_low) / 2
    np.testing.assert_allclose(half / np.sqrt(variance), 1.96, rtol=0.01)


def test_more_items_narrow_one_interval_and_not_the_other():
    """Other items and other tasks are different questions."""
    few, many = (bt.board(drawn(3, items=items, binary=False)) for items in ((20, 21), (2000, 2001)))
    assert np.mean(many.item_high - many.item_low) < 0.2 * np.mean(few.item_high - few.item_low)
    assert np.mean(many.high - many.low) > 0.3 * np.mean(few.high - few.low)


def test_a_table_of_one_score_per_task_has_no_items():
    """A wide table of accuracies: rows are tasks."""
    board = bt.board({"A": [0.9, 0.7, 0.6, 0.8], "B": [0.8, 0.6, 0.5, 0.7], "C": [0.3, 0.2, 0.1, 0.4]})
    assert not board.knows_items
    assert np.isnan(board.item_low).all()
    assert board.item_rank_high.tolist() == [3, 3, 3]
    assert board.tasks_won.tolist() == [4, 0, 0]
    assert "other tasks" in board.undecidable or board.undecidable == ""


def test_ranks_lie_in_their_ranges():
    """For both kinds of uncertainty, whatever combines the tasks."""
    for by in ("mean", "mean_win_rate", "borda", "iqm", "average_rank", "bradley_terry"):
        board = bt.board(drawn(5, gap=0.05), by=by)
        assert (board.rank_low <= board.rank).all()
        assert (board.rank <= board.rank_high).all()
        assert (board.item_rank_low <= board.rank).all()
        assert (board.rank <= board.item_rank_high).all()


def test_two_systems_are_compared_task_by_task():
    """The rows are those of compare, adjusted for the tasks."""
    tables = drawn(6, m=2)
    board = bt.board(tables)
    a, b = board.systems
    for row, table in zip(board.differences, tables.values(), strict=True):
        pair = bt.compare(table, systems=(a, b)).pair(a, b)
        assert row.difference == pytest.approx(pair.effect)
        assert (row.pvalue, row.low, row.high) == pytest.approx((pair.pvalue, pair.low, pair.high))
        assert row.adjusted >= row.pvalue
    text = str(board)
    assert f"{a} scores better than {b} on" in text


def test_lower_is_better_turns_everything():
    """Errors on every task: the lowest mean is first, and differences keep the direction of the data."""
    errors = {
        name: bt.Scores(
            name="errors", systems=t.systems, segments=t.segments, values=1 - t.values, higher_is_better=False
        )
        for name, t in drawn(7, m=3).items()
    }
    board, right = bt.board(errors), bt.board(drawn(7, m=3))
    assert board.systems == right.systems
    np.testing.assert_allclose(board.strength, 1 - right.strength)
    np.testing.assert_allclose(board.item_low, 1 - right.item_high)
    assert board.rank_low.tolist() == right.rank_low.tolist()


def test_mixed_directions_are_refused_for_means_only():
    """Their scores cannot be averaged; ranks can."""
    tables = drawn(8, m=3, n_tasks=6)
    turned = tables["task 0"]
    tables["task 0"] = bt.Scores(
        name="loss",
        systems=turned.systems,
        segments=turned.segments,
        values=-turned.values,
        higher_is_better=False,
    )
    with pytest.raises(BetterThanError, match='by="mean_win_rate"'):
        bt.board(tables)
    board = bt.board(tables, by="mean_win_rate", n_resamples=50)
    assert board.systems == bt.board(drawn(8, m=3, n_tasks=6), by="mean_win_rate", n_resamples=50).systems
    assert np.isnan(board.others["mean"]).all()


def test_a_task_on_another_scale_is_named():
    """One task of 0 to 100 among shares would decide the mean."""
    tables = drawn(9, binary=False)
    first = tables["task 3"]
    tables["task 3"] = bt.Scores(
        name="x", systems=first.systems, segments=first.segments, values=1000 * first.values
    )
    assert any("task 3" in note for note in bt.board(tables).notes)
    assert not bt.board(drawn(9, binary=False)).notes


def test_win_rates_for_other_items_hold_where_systems_are_close_on_every_task():
    """Five systems with leads of 0.025 on 12 tasks of 30 items: who wins a task is nearly chance."""
    rng = np.random.default_rng(3)
    truth = np.arange(5) / 4
    held = []
    for _ in range(30):
        tables = {
            f"task {t}": bt.Scores(
                name="score",
                systems=[f"s{i}" for i in range(5)],
                segments=[str(i) for i in range(30)],
                values=0.1 * truth[:, None] + rng.standard_normal((5, 30)) / 2,
            )
            for t in range(12)
        }
        board = bt.board(tables, by="mean_win_rate", n_resamples=300)
        held += [board[f"s{i}"].item_low <= truth[i] <= board[f"s{i}"].item_high for i in range(5)]
    assert np.mean(held) > 0.9


def test_intervals_of_win_rates_span_what_was_seen():
    """Also where it is far from the middle of the draws, and in the units of each method."""
    tables = drawn(4)
    for by in ("mean_win_rate", "borda", "average_rank"):
        board = bt.board(tables, by=by, n_resamples=200)
        assert np.all((board.item_low <= board.strength) & (board.strength <= board.item_high))
        assert not board.notes
    rates, points = (bt.board(tables, by=by, n_resamples=200) for by in ("mean_win_rate", "average_rank"))
    np.testing.assert_allclose(rates.item_high, (4 - points.item_low) / 3)


def test_a_task_without_a_system_is_refused_or_dropped_aloud():
    """Nothing is averaged over different tasks."""
    tables = drawn(10, m=3)
    tables["task 2"] = tables["task 2"].select(["s0", "s1"])
    with pytest.raises(MissingScores, match="task 2: no scores of s2"):
        bt.board(tables)
    board = bt.board(tables, missing="drop")
    assert "task 2" not in board.tasks
    assert any("1 of 12 tasks left out" in note for note in board.notes)


def test_strengths_that_do_not_exist_are_said():
    """A system that wins everywhere has no Bradley–Terry strength; other methods still have theirs."""
    data = {"A": [0.9, 0.8, 0.7], "B": [0.5, 0.6, 0.4], "C": [0.4, 0.7, 0.1]}
    with pytest.raises(NotEstimable, match="on every task"):
        bt.board(data, by="bradley_terry")
    assert np.isnan(bt.board(data).others["bradley_terry"]).all()


def test_leaving_out_the_one_task_that_decides():
    """One task puts A first; without it B is."""
    data = {"A": [9.0, 1.0, 1.0, 1.0], "B": [1.0, 2.0, 2.0, 2.0], "C": [0.0, 0.0, 0.0, 0.0]}
    board = bt.board(data)
    assert board.best == "A"
    assert {each.task: each.best for each in board.without}["1"] == ("B",)
    assert "without 1: B" in " ".join(str(board).split())
    assert "B by" in " ".join(str(board).split())


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ({"A": [1.0, 2.0]}, "two systems or more"),
        (
            bt.Scores(name="x", systems=["A", "B"], segments=["only"], values=[[1.0], [2.0]]),
            "two tasks or more",
        ),
    ],
)
def test_too_little_is_refused(data, match):
    """One system or one task is no board."""
    with pytest.raises(TableError, match=match):
        bt.board(data)


def test_options_without_effect_are_refused():
    """Resamples where there is nothing to draw, a task column of a table."""
    with pytest.raises(BetterThanError, match="n_resamples=10 has no effect"):
        bt.board(drawn(1), n_resamples=10)
    with pytest.raises(BetterThanError, match='task="x"'):
        bt.board(drawn(1), task="x")


def test_the_same_bytes_for_any_number_of_workers():
    """And after JSON and back."""
    boards = [bt.board(drawn(3), by="iqm", n_resamples=200, workers=workers) for workers in (1, 3)]
    assert boards[0].to_json() == boards[1].to_json()
    assert bt.Result.from_json(boards[0].to_json()) == boards[0]


def test_a_column_of_tasks_in_a_frame():
    """A long table, as a frame and from the command line."""
    pandas = pytest.importorskip("pandas")
    rows = [
        (name, item, system, float(value))
        for name, table in drawn(4, m=3, n_tasks=5).items()
        for system, values in zip(table.systems, table.values, strict=True)
        for item, value in zip(table.segments, values, strict=True)
    ]
    frame = pandas.DataFrame(rows, columns=["benchmark", "item", "system", "score"])
    board = bt.board(frame, task="benchmark")
    expected = bt.board(drawn(4, m=3, n_tasks=5))
    assert board.tasks == expected.tasks
    np.testing.assert_allclose(board.strength, expected.strength)


# ---- tasks that lack systems


def gapped(seed=0, m=5, n_tasks=16, share=0.25):
    """Scores of tasks with gaps; the first system lacks the hardest tasks."""
    rng = np.random.default_rng(seed)
    values = 0.5 + 0.05 * np.arange(m)[:, None] + 0.2 * rng.standard_normal(n_tasks)
    values = values + 0.02 * rng.standard_normal((m, n_tasks))
    gaps = rng.random(values.shape) < share
    gaps[-1] = False
    gaps[0] = values[-1] < np.sort(values[-1])[n_tasks // 2]
    return values, np.where(gaps, np.nan, values)


def table_of(values):
    """One table with a task in each column."""
    return bt.Scores(
        name="score",
        systems=[f"s{i}" for i in range(len(values))],
        segments=[f"t{i}" for i in range(values.shape[1])],
        values=values,
    )


@pytest.mark.parametrize("by", ["mean", "mean_win_rate"])
def test_without_gaps_nothing_changes(by):
    """Every score there is are all scores."""
    values, _ = gapped()
    assert bt.board(table_of(values), by=by, missing="available") == bt.board(table_of(values), by=by)


def test_means_are_not_flattered_by_easy_tasks():
    """The worst system lacks the hard half: its plain mean is second, its adjusted mean is last, as on all tasks."""
    values, seen = gapped()
    plain = np.nanmean(seen, axis=1)
    assert plain[0] > plain[1:4].max()
    board = bt.board(table_of(seen), missing="available")
    assert board.systems[-1] == "s0"
    kept = np.count_nonzero(~np.isnan(seen), axis=0) > 1
    seen, values = seen[:, kept], values[:, kept]
    model = adjusted_means(seen, np.arange(seen.shape[1]))
    found = [board[f"s{i}"].strength for i in range(5)]
    np.testing.assert_allclose(found, model.mean, rtol=1e-12)
    np.testing.assert_allclose(met_strengths(seen, "mean"), model.mean, rtol=1e-12)
    np.testing.assert_allclose(found, values.mean(axis=1), atol=0.02)
    assert "which assumes that no score is missing because" in board.notes[0]
    assert np.isnan(board.scores).sum() == np.isnan(seen).sum()


def test_win_rates_are_over_the_systems_that_are_there():
    """By hand, task by task, as HELM does."""
    _, seen = gapped()
    board = bt.board(table_of(seen), by="mean_win_rate", missing="available")
    for i, row in enumerate(seen):
        rates = []
        for t in np.flatnonzero(~np.isnan(row)):
            others = np.delete(seen[:, t], i)
            others = others[~np.isnan(others)]
            if not others.size:
                continue
            rates.append(((row[t] > others) + (row[t] == others) / 2).mean())
        assert board[f"s{i}"].strength == pytest.approx(np.mean(rates))
    assert board.others["mean"][0] == pytest.approx(
        bt.board(table_of(seen), missing="available")[board.best].strength
    )
    assert np.isnan(board.others["borda"]).all()


def test_items_of_tasks_that_lack_systems():
    """Intervals for other items come from the systems of each task; the render names the gaps."""
    tables = drawn(3, m=4, n_tasks=8)
    whole = bt.board(tables, n_resamples=None)
    tables["task 2"] = tables["task 2"].select(["s0", "s1", "s3"])
    tables["task 5"] = tables["task 5"].select(["s3", "s2"])
    board = bt.board(tables, missing="available", n_resamples=500)
    for name in whole.systems:
        width, before = (each[name].item_high - each[name].item_low for each in (board, whole))
        assert 0.8 * before < width < 1.6 * before
        assert board[name].item_low < board[name].strength < board[name].item_high
    assert len(board.without) == 8
    assert "3 of 32 scores are missing" in str(board)


def test_two_systems_are_compared_on_the_tasks_of_both():
    """The others say nothing about their difference, and are left out with a note."""
    _, seen = gapped()
    both = ~np.isnan(seen[[1, 4]]).any(axis=0)
    board = bt.board(table_of(seen[[1, 4]]), missing="available")
    assert len(board.tasks) == len(board.differences) == both.sum() < 16
    assert "fewer than two systems" in board.notes[0]


def test_gaps_are_refused_with_the_ways_out():
    """By default; for other ways of combining tasks; for a system on a single task; for systems that share none."""
    _, seen = gapped()
    with pytest.raises(
        MissingScores, match=r't\d+: no score of .* missing="drop" .* missing="available" with by="mean"'
    ):
        bt.board(table_of(seen))
    with pytest.raises(BetterThanError, match='missing="available" is for by="mean" and by="mean_win_rate"'):
        bt.board(table_of(seen), by="borda", missing="available")
    alone = seen.copy()
    alone[1, 1:] = np.nan
    alone[1, 0] = 0.5
    with pytest.raises(NotEstimable, match="s1 has scores on a single task"):
        bt.board(table_of(alone), missing="available")
    apart = np.full((4, 8), np.nan)
    apart[:2, :4], apart[2:, 4:] = 0.5, 0.6
    apart += 0.01 * np.random.default_rng(1).standard_normal(apart.shape)
    with pytest.raises(NotEstimable, match="share no task with the others"):
        bt.board(table_of(apart), missing="available")
