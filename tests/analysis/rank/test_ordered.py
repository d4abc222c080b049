"""Elo and TrueSkill through `rank`: orders of play, their spread, their bootstrap."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import Executor, Future

import numpy as np
import pytest
from tests.made import by_system, drawn_matches, drawn_scores, scores_of

import betterthan as bt
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths import ordered
from betterthan.analysis.strengths.ordered import in_order
from betterthan.errors import BetterThanError
from betterthan.kernels.ratings.match_play import score_matches

both = pytest.mark.parametrize("by", ["elo", "trueskill"])


@both
def test_a_fixed_order_has_no_spread_and_needs_no_orders(by):
    """Nothing is shuffled, so nothing of it is shown or signed."""
    found = bt.rank(drawn_scores(3, 20), by=by, order="segments", n_resamples=5)

    assert found.order_spread is None
    assert "orders:" not in found.settings.signature
    assert "|order:segments|" in found.settings.signature


@both
def test_more_orders_bring_two_seeds_together(by):
    """The mean over orders settles."""
    scores = drawn_scores(3, 20)
    gaps = []
    for n_orders in (4, 400):
        one, other = (
            by_system(bt.rank(scores, by=by, n_orders=n_orders, n_resamples=2, rng=seed)) for seed in (1, 2)
        )
        gaps.append(max(abs(one[name] - other[name]) for name in one))

    assert gaps[1] < gaps[0] / 2


@both
def test_the_interval_is_about_segments_and_not_about_orders(by):
    """The same segments a hundred times over: hardly any uncertainty is left, though orders still matter."""
    base = drawn_scores(2, 20, gap=0.3).values
    few = bt.rank(scores_of(base), by=by, n_resamples=60)
    documents = [str(i) for i in range(20)] * 10
    same = bt.rank(scores_of(np.tile(base, 10), groups=documents), by=by, n_resamples=60, units="groups")

    # Drawn by document the ten copies count as one segment: about as uncertain as the twenty were.
    assert np.all(same.high - same.low > 0.3 * (few.high - few.low))


@both
def test_the_sum_of_elo_points_is_kept(by):
    """What one wins another loses; TrueSkill has no such law."""
    found = bt.rank(drawn_scores(4, 30), by=by, n_orders=10, n_resamples=3)
    if by == "elo":
        assert found.strength.sum() == pytest.approx(4 * 1500)


@both
def test_too_many_matches_are_refused_before_they_are_listed(by, monkeypatch):
    """With the mechanism that needs only counts as the cure."""
    monkeypatch.setattr(ordered, "MOST_MATCHES", 50)
    with pytest.raises(bt.BetterThanError, match=r'would play 60 matches.*Use by="bradley_terry"'):
        bt.rank(drawn_scores(3, 20), by=by)
    with pytest.raises(bt.BetterThanError, match="would play 300 matches"):
        bt.rank(drawn_matches(), by=by)


def test_there_are_as_many_draws_as_for_other_mechanisms_unless_a_fixed_order_is_long(monkeypatch):
    """Only a fixed order plays again for every draw; then a budget of plays, and never fewer than a hundred draws."""
    monkeypatch.setattr(ordered, "MOST_PLAYS", 9_000)

    for order, n, draws in (("shuffled", 100, 2000), ("segments", 20, 150), ("segments", 100, 100)):
        found = bt.rank(drawn_scores(3, n), by="elo", n_orders=2, order=order)
        assert f"|ci:95,percentile,{draws}|" in found.settings.signature


@both
@pytest.mark.parametrize(("sets", "tolerance"), [(40, 0.36), pytest.param(300, 0.13, marks=pytest.mark.slow)])
def test_the_interval_is_that_of_many_test_sets_played_in_many_orders(by, sets, tolerance):
    """Standard errors without playing again against drawn test sets, each played in 40 orders.

    A standard deviation of 300 numbers is off by 4 % (one standard error), one of 40 numbers by 11 %.
    """
    scores = drawn_scores(4, 60, gap=0.4)
    rng = np.random.default_rng(5)
    drawn = [
        by_system(
            bt.rank(
                scores_of(scores.values[:, rng.integers(0, 60, 60)]),
                by=by,
                n_orders=40,
                n_resamples=2,
                rng=trial,
            )
        )
        for trial in range(sets)
    ]
    found = bt.rank(scores, by=by)
    # 1.96 of the normal distribution; t with 59 degrees of freedom and 60 / 59 units are 2.0 and 1.008.
    width = {name: by_system(found, "high")[name] - by_system(found, "low")[name] for name in found.systems}
    for name in found.systems:
        spread = np.std([one[name] for one in drawn], ddof=1)
        assert width[name] == pytest.approx(2 * 2.001 * 1.008 * spread, rel=tolerance)


@both
def test_a_system_that_wins_everything_is_not_certain(by):
    """All segments say the same, and still there may be others."""
    found = bt.rank(scores_of(np.array([[1.0] * 15, [0.0] * 15]) + np.arange(15)), by=by)

    assert (found.high - found.low > 0.1 * abs(found.strength[0] - found.strength[1])).all()


@both
def test_draws_move_together(by):
    """Two systems share their points: what one draw gives to the first it takes from the second."""
    matches = in_order(score_matches(drawn_scores(2, 30).goodness), "shuffled")
    play = ordered.Play(
        by=by,
        matches=matches,
        unit_of_match=np.asarray(matches.segment),
        n_systems=2,
        n_units=30,
        order="shuffled",
        n_orders=20,
        rating=(),
    )
    draws = ordered.rated(play, Resampling.of(1, 500, workers=1)).draws

    assert draws.shape == (500, 2)
    assert np.corrcoef(draws.T)[0, 1] < -0.99


@both
def test_matches_are_played_as_often_as_their_weight_says(by):
    """A row of weight 3 is three matches, in the published order too."""
    rows = drawn_matches(3, 12, seed=2)
    weight = np.tile([1.0, 3.0], 6)
    times = weight.astype(int)
    once = bt.Matches(
        systems=rows.systems, left=rows.left, right=rows.right, outcome=rows.outcome, weight=weight
    )
    repeated = bt.Matches(
        systems=rows.systems, **{n: np.repeat(getattr(rows, n), times) for n in ("left", "right", "outcome")}
    )
    one, other = (bt.rank(table, by=by, order="as_published", n_resamples=2) for table in (once, repeated))

    assert by_system(one) == by_system(other)


class Elsewhere(Executor):
    """Sends work away as other machines need it: pickled. It cannot be sent itself."""

    def __init__(self):
        self.lock = threading.Lock()

    def submit(self, fn, /, *args, **kwargs):
        """Do it at once."""
        function, args, kwargs = pickle.loads(pickle.dumps((fn, args, kwargs)))  # noqa: S301  (our own)
        done = Future()
        done.set_result(function(*args, **kwargs))
        return done


@both
@pytest.mark.parametrize("order", ["shuffled", "segments"])
def test_matches_are_played_by_any_executor(by, order):
    """What is sent to the workers does not hold the executor that sends it."""
    scores = drawn_scores(3, 20)
    alone = bt.rank(scores, by=by, order=order, n_orders=20, n_resamples=60, workers=1)

    assert bt.rank(scores, by=by, order=order, n_orders=20, n_resamples=60, executor=Elsewhere()) == alone


def listed_matches(n=200, seed=3):
    """Matches row by row, as an arena writes them down."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 4, n)
    right = (left + rng.integers(1, 4, n)) % 4
    columns = {"left": [f"S{i}" for i in left], "right": [f"S{i}" for i in right]}
    winner = rng.choice(["left", "right", "tie"], n, p=[0.5, 0.3, 0.2])
    return columns | {"winner": winner.tolist(), "question": [str(i) for i in range(n)]}


def test_elo_as_listed_is_the_literal_loop():
    """Match by match in the order of the rows, with other parameters than the usual ones."""
    rows = listed_matches()
    rating = dict.fromkeys(("S0", "S1", "S2", "S3"), 1000.0)
    for a, b, winner in zip(rows["left"], rows["right"], rows["winner"], strict=True):
        expected = 1 / (1 + 10 ** ((rating[b] - rating[a]) / 173))
        step = 32 * ({"left": 1.0, "right": 0.0, "tie": 0.5}[winner] - expected)
        rating[a] += step
        rating[b] -= step
    found = bt.rank(
        bt.read_matches(rows, item="question"),
        by="elo",
        order="listed",
        rating={"k": 32, "start": 1000, "scale": 173},
        n_resamples=2,
    )

    assert by_system(found) == pytest.approx(rating, abs=1e-9)
    assert "|rating:k=32,scale=173,start=1000|" in found.settings.signature


def test_trueskill_as_listed_equals_the_package():
    """Its package, told the same parameters."""
    trueskill = pytest.importorskip("trueskill")
    world = trueskill.TrueSkill(mu=20, sigma=6, beta=3, tau=0.05, draw_probability=0.2)
    rows = listed_matches()
    rating = {name: world.create_rating() for name in ("S0", "S1", "S2", "S3")}
    for a, b, winner in zip(rows["left"], rows["right"], rows["winner"], strict=True):
        first, second = (b, a) if winner == "right" else (a, b)
        ranks = [0, 0] if winner == "tie" else [0, 1]
        (rating[first],), (rating[second],) = world.rate([(rating[first],), (rating[second],)], ranks)
    given = {"mu": 20, "sigma": 6, "beta": 3, "tau": 0.05, "draw_probability": 0.2}
    table = bt.read_matches(rows, item="question")
    found = bt.rank(table, by="trueskill", order="listed", rating=given, n_resamples=2)

    assert by_system(found) == pytest.approx({name: one.mu for name, one in rating.items()}, abs=1e-6)


def test_shuffled_ratings_take_parameters_too():
    """A tenth of the step moves ratings about a tenth as far in few matches."""
    scores = drawn_scores(3, 4, gap=1.0)
    far, near = (
        np.ptp(bt.rank(scores, by="elo", rating={"k": k}, n_orders=20, n_resamples=2).strength)
        for k in (2.0, 0.2)
    )

    assert far == pytest.approx(10 * near, rel=0.1)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"by": "elo", "rating": {"mu": 3}}, 'Unknown rating parameter "mu"'),
        ({"by": "mean", "rating": {"k": 3}}, 'The rating parameter "k" is for by="elo" and by="trueskill"'),
        ({"by": "elo", "rating": {"k": -3}}, "k and scale must be positive"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(wish, message):
    """With the names that are known."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(drawn_scores(3, 20), **wish)


def test_matches_that_were_counted_have_no_order():
    """The cure is to keep every row."""
    rows = listed_matches()
    counted = bt.read_matches({name: rows[name] for name in ("left", "right", "winner")})
    with pytest.raises(bt.BetterThanError, match="order of play is not known"):
        bt.rank(counted, by="elo", order="listed")


@pytest.mark.parametrize("given", [{"tau": 1e308}, {"sigma": 1e-60}, {"mu": -1e300}])
def test_parameters_that_overflow_are_refused(given):
    """With the parameter and its bounds."""
    with pytest.raises(BetterThanError, match="must be at most 1e\\+50, and at least 1e-50"):
        bt.rank({"A": [1.0, 2, 3], "B": [2.0, 1, 2]}, by="trueskill", rating=given)
    with pytest.raises(BetterThanError, match="The rating parameter k is 1e\\+200"):
        bt.rank({"A": [1.0, 2, 3], "B": [2.0, 1, 2]}, by="elo", rating={"k": 1e200})
