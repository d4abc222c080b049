"""Item response theory for right and wrong answers: abilities of systems, and what the items are like."""

from __future__ import annotations

import numpy as np

from betterthan.analysis.matches.matches import check_connected
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import BetterThanError, NotEstimable
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.intervals.mean_differences import is_two_valued
from betterthan.messages import Message, Option
from betterthan.results.ranking import Items
from betterthan.tables.scores import Scores

UNITS = {
    "irt": "ability in log odds of a right answer (Rasch)",
    "irt_2pl": "ability in log odds of a right answer to an item of average discrimination",
}
MOST_SYSTEMS = 200  # the derivatives of the conditional likelihood take m⁴ steps: seconds
FEWEST_FOR_2PL = 3  # the patterns of two systems have fewer degrees of freedom than the model has parameters


def abilities_of(scores: Scores, by: str, options: RankOptions) -> tuple[FloatArray, FloatArray, Items]:
    """Return abilities (m,), the influence (n, m) of the items on them, and the items.

    Parameters
    ----------
    scores : Scores
        Complete, of two values.
    by : {"irt", "irt_2pl"}
    options : RankOptions
    """
    right = _right(scores, by, options)
    # SciPy's optimizers take a while to load, and nothing else needs them.
    from betterthan.kernels.item_response.conditional import conditional_abilities  # noqa: PLC0415
    from betterthan.kernels.item_response.marginal import item_population  # noqa: PLC0415

    if by == "irt":
        ability, influence = conditional_abilities(right)
        population = item_population(right, ability=ability, discriminates=False)
    else:
        population = item_population(right)
        ability, influence = population.ability, population.influence
    items = Items(
        segments=scores.segments,
        right=right.mean(axis=0),
        difficulty=population.difficulty,
        discrimination=None if by == "irt" else population.discrimination,
        difficulty_spread=population.difficulty_spread,
        discrimination_spread=population.discrimination_spread,
    )
    return ability, influence, items


def _right(scores: Scores, by: str, options: RankOptions) -> BoolArray:
    """Return which answers are right, or raise where there are no abilities."""
    if not is_two_valued(scores.values):
        raise BetterThanError(
            Message(
                "{by} is for scores that are right or wrong, and {name} has other values. Use {other}.",
                by=Option("by", by),
                name=scores.name,
                other=Option("by", "bradley_terry"),
            )
        )
    if options.interval != "default":
        raise BetterThanError(
            Message(
                "{interval} is not available with {by}, whose intervals come from the influence of each item. Leave it "
                "out.",
                interval=Option("interval", options.interval),
                by=Option("by", by),
            )
        )
    if scores.n_systems > MOST_SYSTEMS:
        raise BetterThanError(
            f"Item response models take at most {MOST_SYSTEMS} systems; there are {scores.n_systems:,}. Rank fewer."
        )
    if by == "irt_2pl" and scores.n_systems < FEWEST_FOR_2PL:
        raise NotEstimable(
            Message(
                "Two systems do not determine how items differ in discrimination. Use {by}.",
                by=Option("by", "irt"),
            ),
            systems=list(scores.systems),
        )
    check_connected(
        win_counts(scores.goodness).wins,
        scores.systems,
        hint=Message("Use {by}.", by=Option("by", "win_rate")),
        what="Finite abilities",
    )
    return np.asarray(scores.goodness == scores.goodness.max())
