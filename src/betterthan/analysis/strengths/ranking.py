"""What a ranking is asked for, and how its parts are put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from betterthan.analysis.computing import Computing
from betterthan.analysis.matches.matches import TIES, TiesModel
from betterthan.analysis.pairs.leaderboard import SLACK, SLACK_OF_MEANS, shared_ranks, standing
from betterthan.analysis.pairs.pairwise import Decision
from betterthan.analysis.strengths.aggregations import SCALES
from betterthan.analysis.strengths.ordered import ORDERS, Order, Rating, shown_rating
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.budget import MOST_RESAMPLES, MOST_SEGMENTS, check_count
from betterthan.errors import BetterThanError, unknown_name
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Option, Settings

CHOICES = {
    "ties": ("default", *TIES),
    "scale": tuple(SCALES),
    "order": ORDERS,
    "missing": ("raise", "drop"),
    "interval": ("default", "percentile", "bca", "robust"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The options of :func:`betterthan.analysis.rank.rank.rank`, checked."""

    by: str | Callable[[FloatArray], FloatArray] | None
    ties: TiesModel
    prior: float
    scale: str
    order: Order
    n_orders: int
    missing: str
    units: UnitName
    interval: str
    confidence: float
    n_resamples: int | None
    seed: int
    computing: Computing
    size: int = 1000
    rating: Rating = ()

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise BetterThanError(
                f"confidence must lie between 0 and 1, such as 0.95; it is {self.confidence}."
            )
        if self.n_resamples is not None and self.n_resamples < 1:
            raise BetterThanError(f"n_resamples must be 1 or more; it is {self.n_resamples}.")
        check_count("n_resamples", self.n_resamples, MOST_RESAMPLES)
        if self.size < 1:
            raise BetterThanError(f"size must be 1 or more segments; it is {self.size}.")
        check_count("size", self.size, MOST_SEGMENTS)
        if self.n_orders < 1:
            raise BetterThanError(f"n_orders must be 1 or more; it is {self.n_orders}.")
        check_count("n_orders", self.n_orders, MOST_RESAMPLES)
        if not 0 <= self.prior < np.inf:
            raise BetterThanError(f"prior must be 0 or more; it is {self.prior}.")
        if self.prior and self.ties == "davidson":
            raise BetterThanError('ties="davidson" takes no prior. Use ties="half" with it.')
        shown_rating(self.by, self.rating)
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise unknown_name(name, getattr(self, name), known)

    def decision(self) -> Decision:
        """How the pairwise tests behind rank intervals and clusters decide."""
        return Decision(
            alternative="two-sided",
            correction="auto",
            alpha=1 - self.confidence,
            confidence=self.confidence,
            n_resamples=9999,
            seed=self.seed,
            computing=self.computing,
        )


def wish_for(
    decision: Decision,
    by: str | Callable[[FloatArray], FloatArray],
    *,
    ties: str,
    prior: float = 0.0,
    n_resamples: int | None,
) -> Wish:
    """Return the request of :func:`betterthan.rank` at its defaults, so that both verbs compare the same strengths."""
    return Wish(
        by=by,
        ties=ties,  # type: ignore[arg-type]  # a policy of the sign test is one of Bradley–Terry
        prior=prior,
        scale="share",
        order="shuffled",
        n_orders=100,
        missing="raise",
        units="auto",
        interval="default",
        confidence=decision.confidence,
        n_resamples=n_resamples,
        seed=decision.seed,
        computing=decision.computing,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """Strengths of systems in the order of the table, with their intervals."""

    systems: tuple[str, ...]
    method: str
    unit: str
    strength: FloatArray
    low: FloatArray
    high: FloatArray
    higher_is_better: bool
    data: str
    n_segments: int | None
    order_spread: FloatArray | None = None
    options: dict[str, Option] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    drew: bool = True


def ranking(found: Strengths, pairs: PairwiseTable, wish: Wish) -> Ranking:
    """Sort the systems best first and wrap everything in a result."""
    goodness = found.strength if found.higher_is_better else -found.strength
    slack = SLACK_OF_MEANS if found.method == "mean" else SLACK
    order = np.argsort(shared_ranks(goodness, slack), kind="stable")
    systems = tuple(found.systems[i] for i in order)
    stand = standing(systems, goodness[order], pairs, slack=slack)
    settings = Settings(
        method=found.method,
        options={**found.options, "test": f"{pairs.test},{pairs.correction},{1 - wish.confidence:.3g}"},
        data=found.data,
        seed=wish.seed if found.drew or pairs.settings.seed is not None else None,
        n_systems=len(systems),
        n_segments=found.n_segments,
    )
    return Ranking(
        systems=systems,
        strength=found.strength[order],
        low=found.low[order],
        high=found.high[order],
        confidence=wish.confidence,
        rank=stand.rank,
        rank_low=stand.rank_low,
        rank_high=stand.rank_high,
        cluster=stand.cluster,
        letters=stand.letters,
        beats_next=stand.beats_next,
        differs_from_next=stand.differs_from_next,
        order_spread=None if found.order_spread is None else found.order_spread[order],
        unit=found.unit,
        test=pairs.test,
        correction=pairs.correction,
        units=pairs.units,
        unit_note=pairs.unit_note,
        undecidable=pairs.undecidable,
        notes=found.notes,
        settings=settings,
    )
