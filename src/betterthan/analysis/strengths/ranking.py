"""The options of a ranking, and the assembly of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from betterthan.analysis.matches.matches import TIES, TiesModel, refuse_prior
from betterthan.analysis.pairs.pairwise import SLACK, SLACK_OF_MEANS, PairOptions, shared_ranks, standing
from betterthan.analysis.strengths.aggregations import SCALES
from betterthan.analysis.strengths.ordered import ORDERS, PlayOrder, Rating, shown_rating
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.budget import MOST_RESAMPLES, MOST_SEGMENTS, check_count, check_share
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.comparisons.wins import check_prior
from betterthan.results.pairwise import Effects, PairwiseTable, SideEffect
from betterthan.results.ranking import Items, Ranking
from betterthan.results.settings import OptionValue, Settings

CHOICES = {
    "ties": ("default", *TIES),
    "scale": tuple(SCALES),
    "order": ORDERS,
    "missing": ("raise", "drop"),
    "interval": ("default", "percentile", "bca", "robust"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """The options of :func:`betterthan.analysis.rank.rank.rank`, validated, with defaults."""

    by: str | Callable[[FloatArray], FloatArray] | None = None
    ties: TiesModel = "default"
    prior: float = 0.0
    scale: str = "share"
    anchor: str | None = None
    order: PlayOrder = "shuffled"
    n_orders: int = 100
    missing: str = "raise"
    units: UnitName = "auto"
    interval: str = "default"
    confidence: float = 0.95
    size: int = 1000
    rating: Rating = ()
    plans: bool = True
    """Whether the segments needed to show each lead are computed."""

    def __post_init__(self) -> None:
        check_share("confidence", self.confidence)
        if self.size < 1:
            raise BetterThanError(f"size must be 1 or more segments; it is {self.size}.")
        check_count("size", self.size, MOST_SEGMENTS)
        if self.n_orders < 1:
            raise BetterThanError(f"n_orders must be 1 or more; it is {self.n_orders}.")
        check_count("n_orders", self.n_orders, MOST_RESAMPLES)
        check_prior(self.prior)
        refuse_prior(self.ties, self.prior)
        shown_rating(self.by, self.rating)
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise unknown_name(name, getattr(self, name), known)

    def pair_options(self) -> PairOptions:
        """Options of the pairwise tests behind rank ranges and clusters."""
        return PairOptions(alpha=1 - self.confidence, confidence=self.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStrengths:
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
    sigma: FloatArray | None = None
    items: Items | None = None
    effects: Effects | None = None
    side: SideEffect | None = None
    votes: FloatArray | None = None
    options: dict[str, OptionValue] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    drew: bool = True


def ranking(
    strengths: SystemStrengths, pairs: PairwiseTable, options: RankOptions, *, seed: int | None = None
) -> Ranking:
    """Sort the systems best first and build the result.

    `seed` is that of the random numbers, where strengths or tests use any.
    """
    goodness = strengths.strength if strengths.higher_is_better else -strengths.strength
    slack = SLACK_OF_MEANS if strengths.method == "mean" else SLACK
    order = np.argsort(shared_ranks(goodness, slack), kind="stable")
    systems = tuple(strengths.systems[i] for i in order)
    stand = standing(systems, goodness[order], pairs, slack=slack)
    settings = Settings(
        method=strengths.method,
        options={
            **strengths.options,
            "test": f"{pairs.test},{pairs.correction},{1 - options.confidence:.3g}",
        },
        data=strengths.data,
        seed=seed if strengths.drew or pairs.settings.seed is not None else None,
        n_systems=len(systems),
        n_segments=strengths.n_segments,
    )
    return Ranking(
        systems=systems,
        strength=strengths.strength[order],
        low=strengths.low[order],
        high=strengths.high[order],
        confidence=options.confidence,
        rank=stand.rank,
        rank_low=stand.rank_low,
        rank_high=stand.rank_high,
        cluster=stand.cluster,
        letters=stand.letters,
        beats_next=stand.beats_next,
        differs_from_next=stand.differs_from_next,
        order_spread=None if strengths.order_spread is None else strengths.order_spread[order],
        sigma=None if strengths.sigma is None else strengths.sigma[order],
        fuzzy_rank=stand.fuzzy_rank,
        items=strengths.items,
        effects=strengths.effects,
        side=strengths.side,
        votes=None if strengths.votes is None else np.rint(strengths.votes[order]).astype(np.int64),
        unit=strengths.unit,
        test=pairs.test,
        correction=pairs.correction,
        units=pairs.units,
        unit_note=pairs.unit_note,
        undecidable=pairs.undecidable,
        notes=strengths.notes,
        settings=settings,
    )
