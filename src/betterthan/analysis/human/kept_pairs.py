"""What share of the judgments does each margin of a relative ranking keep?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from betterthan.analysis.table_argument import AnyData, as_judgements
from betterthan.results.human import KeptPairs
from betterthan.results.settings import Settings
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores

MARGINS = (0, 1, 5, 10, 15, 20, 25, 30, 40, 50)


def kept_pairs(judgements: AnyData, margins: npt.ArrayLike = MARGINS) -> KeptPairs:
    r"""Compute the share of pairs of systems, judged on the same segment, whose scores differ by at least each margin.

    A relative ranking derived from direct assessments drops closer pairs as ties; a larger margin keeps fewer but
    more reliable pairs [1]_.

    .. math:: \text{share}(m) = \frac{\#\{(a, b, s) : \lvert \bar x_{as} - \bar x_{bs} \rvert \ge m\}}
              {\#\{(a, b, s)\}}

    Parameters
    ----------
    judgments : Ratings or Scores, or what they are read from
    margins : array_like of float, shape (k,)

    Returns
    -------
    KeptPairs

    References
    ----------
    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT, figure 1.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.Scores(name="DA", systems=["A", "B", "C"], segments=["1"], values=[[70], [40], [50]])
    >>> bt.kept_pairs(scores, [1, 25]).share.round(3).tolist()
    [1.0, 0.333]
    """
    judgements = as_judgements(judgements, verb="kept_pairs")
    ratings = as_ratings(judgements) if isinstance(judgements, Scores) else judgements
    share = ratings.kept_by_margin(margins)
    judged = ~np.isnan(ratings.to_scores().values)
    meetings = judged.sum(axis=0)
    return KeptPairs(
        metric=ratings.name,
        n_pairs=int((meetings * (meetings - 1) // 2).sum()),
        margin=np.array(margins, dtype=np.float64),
        share=share,
        notes=judgements.notes,
        settings=Settings(
            method="kept_pairs",
            options={},
            data=judgements.digest,
            n_systems=len(ratings.systems),
            n_segments=len(ratings.segments),
        ),
    )


def as_ratings(scores: Scores) -> Ratings:
    """Return scores as the ratings of a single judge, such as means whose single judgments are not available.

    Examples
    --------
    >>> as_ratings(Scores(name="DA", systems=["A"], segments=["1", "2"], values=[[70, float("nan")]]))
    Ratings('DA', 1 judgments of 1 systems × 2 segments by 1 judges)
    """
    system, segment = np.nonzero(~np.isnan(scores.values))
    return Ratings(
        name=scores.name,
        systems=scores.systems,
        segments=scores.segments,
        judges=("mean",),
        system=system,
        segment=segment,
        judge=np.zeros(system.size, dtype=np.int64),
        score=scores.values[system, segment],
        higher_is_better=scores.higher_is_better,
        groups=scores.groups,
        notes=scores.notes,
        direction_doubt=scores.direction_doubt,
    )
