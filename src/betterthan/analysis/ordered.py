"""Elo and TrueSkill: the order of play matters, so it is shuffled many times and the spread is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan import __version__
from betterthan.analysis.computing import Computing
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Job
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.elo import elo, shuffled_elo
from betterthan.kernels.match_order import FIXED_ORDERS, MatchList, ties_to_second
from betterthan.kernels.match_play import WORTH_COMPILING
from betterthan.kernels.resample import bootstrap_counts
from betterthan.kernels.trueskill import shuffled_trueskill, trueskill

Order = Literal["shuffled", "listed", "segments", "as_published"]
ORDERS = ("shuffled", *FIXED_ORDERS)
Rating = tuple[tuple[str, float], ...]
PARAMETERS = {
    "elo": ("k", "start", "scale"),
    "trueskill": ("mu", "sigma", "beta", "tau", "draw_probability"),
}
UNITS = {"elo": "Elo points", "trueskill": "TrueSkill mean"}

MOST_MATCHES = 20_000_000
MOST_PLAYS = 200_000_000  # of all bootstrap samples together; more matches mean fewer samples, at least LEAST
RESAMPLES, LEAST_RESAMPLES = 100, 20
ORDERS_PER_RESAMPLE = 10
LARGE_ERROR = 1.645  # in standard errors; the normal quantile of 0.95
_ORDERS_IN_A_BLOCK = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Matches to be played one after another, and what of them is drawn as one.

    Attributes
    ----------
    by : {"elo", "trueskill"}
    matches : MatchList
        In the order of play, unless that is shuffled; see :func:`in_order`.
    unit_of_match : array of int, shape (t,)
        Segment, document, judge or the match itself.
    n_systems, n_units : int
    order : {"shuffled", "listed", "segments", "as_published"}
    n_orders : int
        Shuffles behind the ratings.
    rating : tuple of (str, float)
        Parameters that differ from the usual ones.
    n_resamples : int, optional
    seed : int
    digest : str
    computing : Computing
    """

    by: str
    matches: MatchList
    unit_of_match: IntArray
    n_systems: int
    n_units: int
    order: Order
    n_orders: int
    rating: Rating
    n_resamples: int | None
    seed: int
    digest: str
    computing: Computing

    @property
    def key(self) -> str:
        """What finished parts are found again by."""
        return f"{self.digest} {self.by} {self.rating} {self.order} {self.n_units} {self.seed} {__version__}"


def shown_rating(by: object, rating: Rating) -> str | None:
    """Return the parameters for a signature, None when all are the usual ones; refuse those of another mechanism."""
    known = PARAMETERS.get(by, ()) if isinstance(by, str) else ()
    for name, _ in rating:
        if not known:
            raise BetterThanError(f'The rating parameter "{name}" is for by="elo" and by="trueskill".')
        if name not in known:
            raise unknown_name("rating parameter", name, known)
    return ",".join(f"{name}={value:g}" for name, value in rating) or None


def in_order(matches: MatchList, order: Order) -> MatchList:
    """Return the matches as they are played; shuffled ones stay as they are."""
    if order not in ORDERS:
        raise unknown_name("order", order, ORDERS)
    return matches if order == "shuffled" else FIXED_ORDERS[order](matches)


class Rated(NamedTuple):
    """Ratings, their spread over orders of play, and bootstrap draws."""

    strength: FloatArray
    order_spread: FloatArray | None
    draws: FloatArray


def refuse_too_many(by: str, n_matches: float) -> None:
    """Raise when a single round would play more matches than is sensible."""
    if n_matches > MOST_MATCHES:
        raise BetterThanError(
            f"{by} would play {n_matches:,.0f} matches one after another. "
            f'Rank by="bradley_terry", which needs only who beat whom how often.'
        )


def rated(play: Play) -> Rated:
    """Ratings averaged over shuffles (or of the fixed order), with bootstrap draws of the same."""
    if play.order == "as_published" and play.by == "elo":
        play = replace(play, matches=ties_to_second(play.matches))
    if play.n_orders * play.matches.left.size >= WORTH_COMPILING:
        load_compiler()
    if play.order != "shuffled":
        strength = _rate(play)
        return Rated(strength, None, _draws(play))
    job: Job[Play, FloatArray] = Job(
        name=f"{play.by} over {play.n_orders} orders",
        function=_shuffles,
        payload=play,
        n_blocks=-(-play.n_orders // _ORDERS_IN_A_BLOCK),
        digest=f"{play.key} {play.n_orders}",
    )
    drawn = np.concatenate(play.computing.run(job))
    spread = drawn.std(axis=0, ddof=1) if play.n_orders > 1 else np.full(play.n_systems, np.nan)
    strength = drawn.mean(axis=0)
    return Rated(strength, spread, _without_order_noise(_draws(play), strength, spread))


def _shuffles(play: Play, block: int) -> FloatArray:
    n_here = min(_ORDERS_IN_A_BLOCK, play.n_orders - block * _ORDERS_IN_A_BLOCK)
    rng = stream(play.seed, f"orders of {play.by}", block)
    rating: dict[str, Any] = dict(play.rating)
    m = play.n_systems
    if play.by == "elo":
        return shuffled_elo(*play.matches[:3], n_systems=m, n_shuffles=n_here, rng=rng, **rating)
    return shuffled_trueskill(*play.matches[:3], n_systems=m, n_shuffles=n_here, rng=rng, **rating).mu


def _rate(play: Play, order: IntArray | None = None) -> FloatArray:
    rating: dict[str, Any] = dict(play.rating)
    if play.by == "elo":
        return elo(*play.matches[:3], n_systems=play.n_systems, order=order, **rating)
    return trueskill(*play.matches[:3], n_systems=play.n_systems, order=order, **rating).mu


def _draws(play: Play) -> FloatArray:
    t = max(play.matches.left.size, 1)
    fitting = MOST_PLAYS // (t * ORDERS_PER_RESAMPLE)
    n = play.n_resamples or max(LEAST_RESAMPLES, min(RESAMPLES, fitting))
    job: Job[Any, FloatArray] = Job(
        name=f"bootstrap of {play.by} ({n} resamples)",
        function=_draw,
        payload=play,
        n_blocks=n,
        digest=f"{play.key} draws",
    )
    return np.stack(play.computing.run(job))


def _draw(play: Play, block: int) -> FloatArray:
    """Ratings of one bootstrap sample of units; a shuffled order is averaged over a few shuffles."""
    rng = stream(play.seed, f"bootstrap of {play.by}", block)
    times = bootstrap_counts(1, play.n_units, rng)[0].astype(np.int64)[play.unit_of_match]
    drawn = np.repeat(np.arange(times.size), times)
    if play.order != "shuffled":
        return _rate(play, drawn)
    orders = rng.permuted(np.tile(drawn, (ORDERS_PER_RESAMPLE, 1)), axis=1)
    return np.asarray(_rate(play, orders).mean(axis=0))


def _without_order_noise(draws: FloatArray, strength: FloatArray, spread: FloatArray) -> FloatArray:
    r"""Draws around the ratings, without the variance that comes from having seen only a few orders.

    A draw is the mean over K orders, so its variance is that of the sample plus :math:`s^2 / K`, s being the
    spread over orders; the ratings themselves are averaged over many more. The difference of two estimated variances
    may come out near 0 or below by chance, so it is never taken to be less than the error of the first.
    """
    if len(draws) < 2:
        return draws
    variance = draws.var(axis=0, ddof=1)
    noise = np.nan_to_num(spread) ** 2 / ORDERS_PER_RESAMPLE
    least = min(1.0, LARGE_ERROR * np.sqrt(2 / (len(draws) - 1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        shrink = np.sqrt(np.where(variance > 0, np.maximum(1 - noise / variance, least), 1.0))
    return np.asarray(strength + (draws - draws.mean(axis=0)) * shrink)
