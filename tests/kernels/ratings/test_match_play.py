"""Three ways to play, one result: compiled, in lockstep, one match at a time."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.everyday import few

from betterthan.arrays import FloatArray, read_only
from betterthan.errors import BetterThanError, TableError
from betterthan.kernels.compiled import compiled
from betterthan.kernels.ratings import elo as elo_module
from betterthan.kernels.ratings import match_play
from betterthan.kernels.ratings import trueskill as trueskill_module
from betterthan.kernels.ratings.elo import elo, shuffled_elo
from betterthan.kernels.ratings.loops import pack_loop
from betterthan.kernels.ratings.match_play import packed
from betterthan.kernels.ratings.trueskill import shuffled_trueskill, trueskill

METHODS = {"elo": elo, "trueskill": trueskill}
SHUFFLED = {"elo": shuffled_elo, "trueskill": shuffled_trueskill}
WAYS = ("compiled", "lockstep", "one by one")
# Settings that visit upsets, runaway favourites, wide and hair-thin margins.
SETTINGS = {
    "elo": [{}, {"k": 1e4}, {"k": 1e-3, "scale": 1e-2}, {"start": -7.0, "scale": 3.0}],
    "trueskill": [
        {},
        {"tau": 0.0, "draw_probability": 0.9},
        {"beta": 1e-3, "draw_probability": 0.5},
        {"draw_probability": 1e-9},
        {"sigma": 100.0, "tau": 30.0, "beta": 0.1},
    ],
}


def shuffled_orders(n_matches, n_shuffles, rng):
    """Random orders, each one permutation of all matches, as the block of shuffles draws them."""
    return np.array([rng.permutation(n_matches) for _ in range(n_shuffles)])


def matches(n_systems: int, n_matches: int, seed: int = 0, ties: float = 0.2) -> tuple[FloatArray, ...]:
    """Random matches between systems of different strength, a share of them ties."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_systems, n_matches)
    right = (left + rng.integers(1, n_systems, n_matches)) % n_systems
    won = (rng.normal(size=n_matches) < (left - right) / 2).astype(float)
    return left, right, np.where(rng.random(n_matches) < ties, 0.5, won)


def force(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the thresholds choose this way, whatever the size of the work."""
    if way == "compiled":
        pytest.importorskip("numba")
    monkeypatch.setattr(match_play, "WORTH_COMPILING", 0 if way == "compiled" else 2**62)
    monkeypatch.setattr(match_play, "is_loaded", lambda: False)
    for module in (elo_module, trueskill_module):
        monkeypatch.setattr(module, "WORTH_LOCKSTEP", 1 if way == "lockstep" else 2**62)


@pytest.mark.parametrize(
    ("method", "settings"),
    few([(method, settings) for method, choices in SETTINGS.items() for settings in choices], 4, tuples=True),
)
def test_every_way_gives_the_same_numbers_to_the_last_bit(method, settings, monkeypatch):
    """Compiled, in lockstep or one by one: an optional package changes the speed and nothing else."""
    pytest.importorskip("numba")
    data = matches(7, 600)
    order = shuffled_orders(600, 5, np.random.default_rng(1))
    found = []
    for way in WAYS:
        force(way, monkeypatch)
        found.append(METHODS[method](*data, n_systems=7, order=order, **settings))
    assert np.isfinite(found[0]).all()
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("method", METHODS)
def test_long_work_without_numba_gives_the_same_numbers_slower(method, monkeypatch):
    """Beyond the threshold numba is asked for; when it is absent the interpreter plays on."""
    pytest.importorskip("numba")
    data = matches(20, 20_000)
    monkeypatch.setattr(match_play, "WORTH_COMPILING", 10_000)
    with_numba = METHODS[method](*data, n_systems=20)
    compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    without = METHODS[method](*data, n_systems=20)
    compiled.cache_clear()
    assert np.array_equal(with_numba, without)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", METHODS)
def test_many_orders_equal_one_after_the_other(method, way, monkeypatch):
    """Rows do not know each other."""
    force(way, monkeypatch)
    data = matches(5, 120)
    order = shuffled_orders(120, 4, np.random.default_rng(2))
    together = METHODS[method](*data, n_systems=5, order=order)
    single = [METHODS[method](*data, n_systems=5, order=row) for row in order]
    listed = [METHODS[method](*(column[row] for column in data), n_systems=5) for row in order]
    assert np.array_equal(np.stack(single, axis=-2), together)
    assert np.array_equal(np.stack(listed, axis=-2), together)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", METHODS)
def test_shuffles_are_orders_drawn_by_the_generator(method, way, monkeypatch):
    """The block of shuffles needs no memory for its orders, and is nothing new."""
    force(way, monkeypatch)
    monkeypatch.setattr(match_play, "AT_ONCE", 3 * 90)  # three orders at once, then the fourth
    data = matches(4, 90)
    drawn = SHUFFLED[method](*data, n_systems=4, n_shuffles=4, rng=np.random.default_rng(3))
    order = shuffled_orders(90, 4, np.random.default_rng(3))
    assert np.array_equal(drawn, METHODS[method](*data, n_systems=4, order=order))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", METHODS)
def test_no_matches_change_nothing(method, way, monkeypatch):
    """An empty list leaves everybody at the start, in every way."""
    force(way, monkeypatch)
    none = np.array([], dtype=np.int64), np.array([], dtype=np.int64), np.array([])
    before = {"elo": (1500.0,), "trueskill": (25.0, 25 / 3)}[method]
    found = METHODS[method](*none, n_systems=3)
    assert np.allclose(np.reshape(found, (-1, 3)), np.array(before)[:, None], rtol=1e-15)
    assert np.shape(SHUFFLED[method](*none, n_systems=3, n_shuffles=2, rng=np.random.default_rng(0)))[
        -2:
    ] == (2, 3)


@pytest.mark.parametrize("method", METHODS)
def test_read_only_and_strided_arrays_are_welcome(method, monkeypatch):
    """Tables are read-only; columns of a matrix are not contiguous."""
    force("compiled", monkeypatch)
    data = matches(4, 50)
    strided = tuple(np.repeat(column, 2)[::2] for column in data)
    frozen = tuple(read_only(column.copy()) for column in data)
    expected = METHODS[method](*data, n_systems=4)
    assert np.array_equal(METHODS[method](*strided, n_systems=4), expected)
    assert np.array_equal(METHODS[method](*frozen, n_systems=4), expected)


def test_an_order_may_repeat_and_leave_out_matches():
    """A bootstrap sample of matches is an order too."""
    data = matches(3, 10)
    order = np.array([3, 3, 7, 0])
    assert np.array_equal(
        elo(*data, n_systems=3, order=order), elo(*(column[order] for column in data), n_systems=3)
    )


def test_packing_in_a_loop_and_by_arrays_is_the_same():
    """The compiled packing is the array expression."""
    data = matches(1000, 500)
    codes = np.empty(500, dtype=np.int64)
    assert pack_loop(*data, 1000, codes)
    assert np.array_equal(codes, packed(*data, n_systems=1000))


ONE = np.array([0]), np.array([1]), np.array([1.0])


@pytest.mark.parametrize("way", ["compiled", "one by one"])
@pytest.mark.parametrize(
    ("left", "right", "outcome", "n_systems", "message"),
    [
        ([0, 1], [1], [1.0], 2, r"one length; their shapes are \(2,\), \(1,\) and \(1,\)"),
        ([[0]], [[1]], [[1.0]], 2, "must be lists of one length"),
        ([0], [1], [1.0], 0, "n_systems is 0; it must be 1 or more"),
        ([0], [2], [1.0], 2, "right must hold systems from 0 to 1"),
        ([-1], [1], [1.0], 2, "left must hold systems from 0 to 1"),
        ([0, 1], [1, 1], [1.0, 0.0], 2, "Match 2: a system meets itself"),
        (
            [0, 0],
            [1, 1],
            [1.0, 0.7],
            2,
            r"Match 2: the outcome is 0\.7; use 1 \(left wins\), 0\.5 \(tie\) or 0",
        ),
        ([0], [1], [2.0], 2, r"Match 1: the outcome is 2\.0"),
        ([0], [1], [np.nan], 2, "Match 1: the outcome is nan"),
    ],
)
def test_matches_that_make_no_sense_are_refused(left, right, outcome, n_systems, message, way, monkeypatch):
    """The same message whether the packing is compiled or not; nothing is ever read outside an array."""
    force(way, monkeypatch)
    with pytest.raises(TableError, match=message):
        elo(np.array(left), np.array(right), np.array(outcome), n_systems=n_systems)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([1], "indices of matches, from 0 to 0"),
        ([[-1]], "indices of matches, from 0 to 0"),
        ([[[0]]], r"one row per order of the matches; its shape is \(1, 1, 1\)"),
        (0, r"its shape is \(\)"),
    ],
)
def test_orders_that_make_no_sense_are_refused(order, message):
    """An order holds indices of matches."""
    with pytest.raises(TableError, match=message):
        elo(*ONE, n_systems=2, order=np.array(order))


def test_at_least_one_shuffle_is_needed():
    """A mean over no shuffles does not exist."""
    with pytest.raises(BetterThanError, match="n_shuffles is 0; it must be 1 or more"):
        shuffled_elo(*ONE, n_systems=2, n_shuffles=0, rng=np.random.default_rng(0))
