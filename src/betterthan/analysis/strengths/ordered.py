"""Elo and TrueSkill: they depend on the order of play, so it is shuffled many times and the variation is reported."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.analysis.matches.match_units import two_way
from betterthan.analysis.resampling import BlockFunction, Resampling
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import even_parts, stream
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.ratings.elo import elo, shuffled_elo
from betterthan.kernels.ratings.match_play import FIXED_ORDERS, WORTH_COMPILING, MatchList, ties_to_second
from betterthan.kernels.ratings.response import (
    Covariance,
    Response,
    elo_response,
    pair_sums,
    playing_units,
    rating_covariance,
    trueskill_response,
)
from betterthan.kernels.ratings.trueskill import (
    BETA,
    DRAW_PROBABILITY,
    SIGMA,
    TAU,
    shuffled_trueskill,
    trueskill,
)
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.messages import Message, Option

PlayOrder = Literal["shuffled", "listed", "segments", "as_published"]
ORDERS = ("shuffled", *FIXED_ORDERS)
Rating = tuple[tuple[str, float], ...]
PARAMETERS = {
    "elo": ("k", "start", "scale"),
    "trueskill": ("mu", "sigma", "beta", "tau", "draw_probability"),
}
ELO_K, ELO_SCALE = 20.0, 400.0
UNITS = {"elo": "Elo points", "trueskill": "TrueSkill mean"}

MOST_RATING = 1e50  # squares of larger numbers, summed over many matches, overflow
MOST_MATCHES = 20_000_000
RESAMPLES, LEAST_RESAMPLES = 2000, 100
FEW_RESAMPLES = 1000  # below this number the 2.5th percentile depends on fewer than 25 samples
# Matches in all bootstrap samples of a fixed order together; longer lists get fewer samples, at least LEAST_RESAMPLES.
MOST_PLAYS = 200_000_000
_ORDERS_IN_A_BLOCK = 10
_SAMPLES_IN_A_BLOCK = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Matches to be played one after another, with their resampling units.

    Attributes
    ----------
    by : {"elo", "trueskill"}
    matches : MatchList
        In the order of play, unless it is shuffled; see :func:`in_order`.
    unit_of_match : array of int, shape (t,)
        Unit of each match: a segment, document, judge or the match itself.
    other_unit : array of int, shape (t,), optional
        A second kind of unit that matches share, such as questions beside judges.
    n_systems, n_units : int
    order : {"shuffled", "listed", "segments", "as_published"}
    n_orders : int
        Number of shuffles.
    rating : tuple of (str, float)
        Parameters that differ from their defaults.
    """

    by: str
    matches: MatchList
    unit_of_match: IntArray
    n_systems: int
    n_units: int
    order: PlayOrder
    n_orders: int
    rating: Rating
    other_unit: IntArray | None = None


def shown_rating(by: object, rating: Rating) -> str | None:
    """Return the parameters for a signature, None when all have their defaults; raise for those of another method."""
    known = PARAMETERS.get(by, ()) if isinstance(by, str) else ()
    for name, value in rating:
        if not known:
            raise BetterThanError(
                Message(
                    'The rating parameter "{name}" is for {elo} and {trueskill}. Leave it out, or use one of them.',
                    name=name,
                    elo=Option("by", "elo"),
                    trueskill=Option("by", "trueskill"),
                )
            )
        if name not in known:
            raise unknown_name("rating parameter", name, known)
        if abs(value) > MOST_RATING or (0 < value < 1 / MOST_RATING):
            raise BetterThanError(
                f"The rating parameter {name} is {value:g}; it must be at most {MOST_RATING:g}, and at least "
                f"{1 / MOST_RATING:g} where it is positive."
            )
    return ",".join(f"{name}={value:g}" for name, value in rating) or None


def in_order(matches: MatchList, order: PlayOrder) -> MatchList:
    """Return the matches in the order of play; shuffled ones keep their order."""
    if order not in ORDERS:
        raise unknown_name("order", order, ORDERS)
    return matches if order == "shuffled" else FIXED_ORDERS[order](matches)


class JointRatings(NamedTuple):
    """Normal draws of ratings around 0, and how uncertain the variances of their differences are.

    Attributes
    ----------
    normal : array, shape (B, m)
    degrees : array, shape (m, m)
        Degrees of freedom of the difference of two ratings.
    """

    normal: FloatArray
    degrees: FloatArray

    def of(self, systems: IntArray) -> JointRatings:
        """Return those of some systems."""
        return JointRatings(self.normal[:, systems], self.degrees[np.ix_(systems, systems)])


class Rated(NamedTuple):
    """Ratings and what is known about them.

    Attributes
    ----------
    strength : array, shape (m,)
    order_spread : array, shape (m,), or None
        Standard deviation over orders of play.
    draws : array, shape (B, m)
        Of the joint distribution of the ratings.
    sigma : array, shape (m,), or None
        Standard deviation of TrueSkill's belief about each system.
    joint : JointRatings, or None
        Of ratings that are averaged over orders of play.
    notes : tuple of str
    """

    strength: FloatArray
    order_spread: FloatArray | None
    draws: FloatArray
    sigma: FloatArray | None = None
    joint: JointRatings | None = None
    notes: tuple[str, ...] = ()


def refuse_too_many(by: str, n_matches: float) -> None:
    """Raise when a single pass would play too many matches."""
    if n_matches > MOST_MATCHES:
        raise BetterThanError(
            Message(
                "{given} would play {n:,.0f} matches one after another. Use {by}, which needs only the "
                "number of wins of each pair.",
                given=Option("by", by),
                n=n_matches,
                by=Option("by", "bradley_terry"),
            )
        )


def rated(play: Play, resampling: Resampling) -> Rated:
    """Ratings averaged over shuffles (or in the fixed order), with draws of their joint distribution.

    Ratings averaged over shuffles are smooth functions of the outcomes, so their sampling covariance follows from the
    influence of each unit, without playing more matches; draws are then cheap, and there are as many as for other
    methods. A fixed order has no such shortcut: there units are drawn with replacement and replayed in that order, as
    often as the number of matches allows.
    """
    if play.order == "as_published" and play.by == "elo":
        play = replace(play, matches=ties_to_second(play.matches))
    if play.n_orders * play.matches.left.size >= WORTH_COMPILING:
        load_compiler()
    if play.order != "shuffled":
        strength, sigma = _rate(play)
        draws = _played_draws(play, resampling)
        tails = stream(resampling.seed, f"tails of {play.by}", 0).random(len(draws))
        return Rated(
            strength, None, _widened(play, strength, draws, tails), sigma, None, _about_few(len(draws))
        )
    ratings = _played(play, resampling, f"orders of {play.by}", _shuffles, _ORDERS_IN_A_BLOCK)
    strength = ratings[:, 0].mean(axis=0)
    many = play.n_orders > 1
    spread = ratings[:, 0].std(axis=0, ddof=1) if many else np.full(play.n_systems, np.nan)
    found = _covariance(play, ratings)
    # The number of orders is finite: a share of their variance remains in the mean.
    noise = (
        np.atleast_2d(np.cov(ratings[:, 0].T)) / play.n_orders if many else np.zeros_like(found.covariance)
    )
    n = resampling.n_resamples or RESAMPLES
    rng = stream(resampling.seed, f"draws of {play.by}", 0)
    sigma = np.sqrt(ratings[:, 1].mean(axis=0)) if play.by == "trueskill" else None
    normal, draws = t_draws(strength, found.covariance + noise, found.df, n, rng)
    return Rated(strength, spread, draws, sigma, JointRatings(normal, found.pair_df), _about_few(n))


def _about_few(n_draws: int) -> tuple[str, ...]:
    """Return a note where the ends of intervals come from so few samples that they are rough."""
    if n_draws >= FEW_RESAMPLES:
        return ()
    note = f"Intervals and tests come from {n_draws:,} bootstrap samples, so they are rough; {RESAMPLES:,} are usual."
    return (note,)


def _played(
    play: Play, resampling: Resampling, name: str, block: BlockFunction[Play, FloatArray], size: int
) -> FloatArray:
    """Ratings of a number of orders or samples, `size` of them per block."""
    is_shuffled = play.order == "shuffled"
    n = play.n_orders if is_shuffled else resampling.n_resamples
    blocks = resampling.run(
        name,
        play,
        block,
        parts=even_parts(n, size),
        key=f"{n} {play.rating} {play.order} {play.n_units}",
        label=f"{play.by} over {n} orders" if is_shuffled else "",
    )
    return np.concatenate(blocks)


def _shuffles(play: Play, part: range, rng: np.random.Generator) -> FloatArray:
    """Ratings after some orders, shape (orders, 1, m), or (orders, 2, m) with the variances of TrueSkill's beliefs."""
    n_here = len(part)
    rating: dict[str, Any] = dict(play.rating)
    m = play.n_systems
    if play.by == "elo":
        points = shuffled_elo(*play.matches[:3], n_systems=m, n_shuffles=n_here, rng=rng, **rating)
        return points[:, None, :]
    beliefs = shuffled_trueskill(*play.matches[:3], n_systems=m, n_shuffles=n_here, rng=rng, **rating)
    return np.stack([beliefs.mu, beliefs.sigma**2], axis=1)


def _covariance(play: Play, ratings: FloatArray) -> Covariance:
    rating = dict(play.rating)
    if play.by == "elo":
        response = elo_response(
            ratings[:, 0], play.matches, k=rating.get("k", ELO_K), scale=rating.get("scale", ELO_SCALE)
        )
    else:
        mu, variance = ratings.mean(axis=0)
        response = trueskill_response(
            mu,
            variance,
            play.matches,
            sigma=rating.get("sigma", SIGMA),
            beta=rating.get("beta", BETA),
            tau=rating.get("tau", TAU),
            draw_probability=rating.get("draw_probability", DRAW_PROBABILITY),
        )
    own = rating_covariance(response, play.matches, play.unit_of_match, play.n_units)
    return own if play.other_unit is None else _with_other(own, play, play.other_unit, response)


def _with_other(own: Covariance, play: Play, other: IntArray, response: Response) -> Covariance:
    """Covariance with two-way clustering, or that of one kind of unit where it is larger, with the fewest degrees."""
    both = play.unit_of_match * (int(other.max()) + 1) + other
    second, cells = (
        rating_covariance(response, play.matches, code, int(code.max()) + 1)
        for code in (numbered(other), numbered(both))
    )
    together = two_way(own.covariance, second.covariance, cells.covariance)
    largest = max((together, own.covariance, second.covariance), key=np.trace)
    return Covariance(largest, np.minimum(own.df, second.df), np.minimum(own.pair_df, second.pair_df))


def numbered(code: IntArray) -> IntArray:
    """Number different codes from 0 without gaps."""
    return np.unique(code, return_inverse=True)[1].astype(np.int64).reshape(-1)


def t_draws(
    centre: FloatArray, covariance: FloatArray, df: FloatArray, n_draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw from a multivariate t distribution around `centre`; each system has its own degrees of freedom.

    Draws come in antithetic pairs, so that their mean is the center. The mixing variable of a draw is one quantile for
    all systems, because all share the same few units.

    Returns
    -------
    normal : array, shape (n_draws, m)
        The normal draws behind them, around 0.
    draws : array, shape (n_draws, m)
    """
    values, vectors = np.linalg.eigh(covariance)
    half = -(-n_draws // 2)
    normal = rng.normal(size=(half, centre.size)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    deviation = normal / np.sqrt(_mixing(df, rng.random(half)))
    around, drawn = (np.concatenate([half, -half])[:n_draws] for half in (normal, deviation))
    return around, np.asarray(centre + drawn)


def _widened(play: Play, strength: FloatArray, draws: FloatArray, tails: FloatArray) -> FloatArray:
    r"""Draws for a fixed order around the ratings, with the tails of Student's t.

    A bootstrap of k units has :math:`(k - 1) / k` of the variance, which is itself uncertain. Elo forgets: the effect
    of a match shrinks by :math:`1 - K \frac{\ln 10}{\text{scale}} p (1 - p)` with each later match of that system, so
    that a rating depends on the last units only: effectively :math:`2 / r` of them when it shrinks by r per unit.
    """
    n_playing = playing_units(play.matches, play.unit_of_match, play.n_systems)
    if play.by == "elo":
        rating = dict(play.rating)
        k, scale = rating.get("k", ELO_K), rating.get("scale", ELO_SCALE)
        response = elo_response(strength[None], play.matches, k=k, scale=scale)
        played = pair_sums(play.matches, None, play.n_systems)
        forgotten = k * math.log(10) / scale * (played * response.variance).sum(axis=1)
        with np.errstate(divide="ignore"):
            n_playing = np.minimum(n_playing, 2 * n_playing / forgotten)
    df = np.maximum(n_playing - 1, 1.0)
    factor = np.sqrt((df + 1) / df) / np.sqrt(_mixing(df, tails))
    return np.asarray(strength + (draws - draws.mean(axis=0)) * factor)


def _mixing(df: FloatArray, level: FloatArray) -> FloatArray:
    """Chi-square quantiles divided by their degrees of freedom, shape (levels, systems)."""
    from scipy.special import gammaincinv  # noqa: PLC0415  (keeps start-up free of SciPy)

    different, which = np.unique(df, return_inverse=True)
    columns = [2 * gammaincinv(one / 2, level) / one for one in different.tolist()]
    return np.asarray(np.maximum(np.stack(columns, axis=1), np.finfo(np.float64).tiny)[:, which.reshape(-1)])


def _rate(play: Play, order: IntArray | None = None) -> tuple[FloatArray, FloatArray | None]:
    """Ratings, and the standard deviations of TrueSkill's beliefs."""
    rating: dict[str, Any] = dict(play.rating)
    if play.by == "elo":
        return elo(*play.matches[:3], n_systems=play.n_systems, order=order, **rating), None
    beliefs = trueskill(*play.matches[:3], n_systems=play.n_systems, order=order, **rating)
    return beliefs.mu, beliefs.sigma


def _played_draws(play: Play, resampling: Resampling) -> FloatArray:
    """Ratings of bootstrap samples of units, each played in the fixed order."""
    fitting = MOST_PLAYS // max(play.matches.left.size, 1)
    n = resampling.n_resamples or max(LEAST_RESAMPLES, min(RESAMPLES, fitting))
    return _played(play, resampling.times(n), f"bootstrap of {play.by}", _samples, _SAMPLES_IN_A_BLOCK)


def _samples(play: Play, part: range, rng: np.random.Generator) -> FloatArray:
    times = bootstrap_counts(len(part), play.n_units, rng).astype(np.int64)[:, play.unit_of_match]
    orders = [np.repeat(np.arange(own.size), own) for own in times]
    if len({order.size for order in orders}) == 1:
        return _rate(play, np.stack(orders))[0]
    return np.stack([_rate(play, order)[0] for order in orders])
