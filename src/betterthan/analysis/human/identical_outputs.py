"""Where do systems give the same output, and did judges score the same text differently?

What share of the judgments does each margin of a relative ranking keep?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.analysis.table_argument import AnyData, as_judgements
from betterthan.analysis.wording import amount, counted, share
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.errors import TableError
from betterthan.results.human import IdenticalOutputs, IdenticalPair, KeptPairs, MetricTies
from betterthan.results.settings import Settings
from betterthan.tables.ratings import Ratings, check_margin, text_codes
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

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


class _OutputPairs(NamedTuple):
    """All pairs of systems on a segment that both have an output for, one per row."""

    left: IntArray
    right: IntArray
    segment: IntArray
    same: BoolArray
    gap: FloatArray
    kept: BoolArray


def identical_outputs(
    texts: Texts,
    judgements: Ratings | Scores | None = None,
    *,
    margin: float = 25,
    metrics: Sequence[Scores] = (),
) -> IdenticalOutputs:
    """Find the segments on which two systems give the same text, and those that judges scored differently.

    Relative rankings derived from direct assessments keep pairs whose scores differ by a margin, in order to remove
    ties. Identical outputs were often scored by different judges, so some of them remain: no metric can, or should,
    prefer one of the two [1]_.

    Parameters
    ----------
    texts : Texts
        The outputs. Texts are identical when every character is.
    judgments : Ratings or Scores, optional
        Human judgments; systems and segments are joined by name. Ratings are averaged over judges.
    margin : float, default 25
        A relative ranking keeps pairs whose scores differ by at least this much.
    metrics : sequence of Scores
        Metrics whose ties among the kept pairs are counted.

    Returns
    -------
    IdenticalOutputs

    Raises
    ------
    TableError
        When texts and judgments share no segment, or fewer than two systems.

    References
    ----------
    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT,
       section 2.3.

    Examples
    --------
    >>> import betterthan as bt
    >>> texts = bt.Texts(systems=["A", "B", "C"], segments=["1"], outputs=[["a house"], ["a house"], ["a mouse"]])
    >>> scores = bt.Scores(name="DA", systems=["A", "B", "C"], segments=["1"], values=[[90], [60], [30]])
    >>> found = bt.identical_outputs(texts, scores)
    >>> found.n_identical, found.n_kept, found.identical_pairs[0].first, found.identical_pairs[0].gap
    (1, 3, 'A', 30.0)
    """
    check_margin(margin)
    judged = judgements.to_scores() if isinstance(judgements, Ratings) else judgements
    _check_shared(texts, judged)
    goodness = _aligned(judged, texts) if judged is not None else np.full(_shape(texts), np.nan)
    rows = _pairs(texts, goodness, margin)
    identical, surviving = (
        _counts(rows, mask, len(texts.systems)) for mask in (rows.same, rows.same & rows.kept)
    )
    silent = IdenticalOutputs(
        systems=texts.systems,
        margin=float(margin),
        n_pairs=rows.left.size,
        n_judged=int((~np.isnan(rows.gap)).sum()),
        n_kept=int(rows.kept.sum()),
        identical_pairs=_identical_pairs(texts, rows),
        identical=identical,
        surviving=surviving,
        metric_ties=tuple(_metric_ties(metric, texts, rows) for metric in metrics),
        sentences=(),
        notes=tuple(dict.fromkeys((*texts.notes, *(() if judged is None else judged.notes)))),
        settings=Settings(
            method="identical_outputs",
            options={"margin": float(margin), "metrics": ",".join(m.name for m in metrics) or None},
            data=digest(texts.digest, None if judged is None else judged.digest, [m.digest for m in metrics]),
            n_systems=len(texts.systems),
            n_segments=len(texts.segments),
        ),
    )
    return replace(silent, sentences=_sentences(silent, has_judgements=judged is not None))


def _shape(texts: Texts) -> tuple[int, int]:
    return len(texts.systems), len(texts.segments)


def _check_shared(texts: Texts, judged: Scores | None) -> None:
    if len(texts.systems) < 2:
        raise TableError(f"There is one system, {texts.systems[0]}; identical outputs need two or more.")
    if judged is not None:
        text_codes(
            texts, systems=judged.systems, segments=judged.segments
        )  # the note names what is not shared


def _aligned(scores: Scores, texts: Texts) -> FloatArray:
    """Return the goodness in the order of the texts; NaN where a system or segment is not known."""
    row = {name: i for i, name in enumerate(scores.systems)}
    column = {name: j for j, name in enumerate(scores.segments)}
    rows, columns = (
        np.array([known.get(name, -1) for name in names])
        for known, names in ((row, texts.systems), (column, texts.segments))
    )
    found = scores.goodness[np.ix_(rows, columns)]
    return np.where((rows[:, None] >= 0) & (columns[None, :] >= 0), found, np.nan)


def _pairs(texts: Texts, goodness: FloatArray, margin: float) -> _OutputPairs:
    codes = text_codes(texts, systems=texts.systems, segments=texts.segments)
    noise = 1e-12 * float(np.nanmax(np.abs(goodness), initial=0.0))
    blocks = []
    for left in range(len(codes)):
        later, segment = np.nonzero((codes[left] >= 0) & (codes[left + 1 :] >= 0))
        right = left + 1 + later
        gap = goodness[left, segment] - goodness[right, segment]
        size = np.abs(gap)
        kept = (size >= margin - noise) & (size > noise)
        same = codes[left, segment] == codes[right, segment]
        blocks.append((np.full(right.size, left), right, segment, same, gap, kept))
    return _OutputPairs(*(np.concatenate(column) for column in zip(*blocks, strict=True)))


def _counts(rows: _OutputPairs, mask: BoolArray, m: int) -> IntArray:
    flat = np.bincount(rows.left[mask] * m + rows.right[mask], minlength=m * m).reshape(m, m)
    return np.asarray(flat + flat.T, dtype=np.int64)


def _identical_pairs(texts: Texts, rows: _OutputPairs) -> tuple[IdenticalPair, ...]:
    where = np.flatnonzero(rows.same)
    gap, kept = np.abs(rows.gap[where]), rows.kept[where]
    order = where[np.lexsort((where, -np.nan_to_num(gap, nan=-1.0), ~kept))]
    pairs = []
    for i in order.tolist():
        pair = (int(rows.left[i]), int(rows.right[i]))
        better, worse = pair[::-1] if rows.gap[i] < 0 else pair
        text = texts.outputs[better][rows.segment[i]]
        pairs.append(
            IdenticalPair(
                segment=texts.segments[rows.segment[i]],
                first=texts.systems[better],
                second=texts.systems[worse],
                gap=abs(float(rows.gap[i])),
                survives=bool(rows.kept[i]),
                text="" if text is None else text,
            )
        )
    return tuple(pairs)


def _metric_ties(metric: Scores, texts: Texts, rows: _OutputPairs) -> MetricTies:
    values = _aligned(metric, texts)
    tied = rows.kept & (values[rows.left, rows.segment] == values[rows.right, rows.segment])
    return MetricTies(metric=metric.name, ties=int(tied.sum()), identical=int((tied & rows.same).sum()))


def _sentences(found: IdenticalOutputs, *, has_judgements: bool) -> tuple[str, ...]:
    part = f" ({share(found.share_identical)})" if found.n_pairs else ""
    pairs = counted(found.n_pairs, "pair")
    said = [
        f"{amount(found.n_identical, 0)} of {pairs} of systems on a segment have identical outputs{part}."
    ]
    if has_judgements:
        part = f" ({share(found.share_surviving)})" if found.n_kept else ""
        judged = counted(found.n_judged, "judged pair")
        said.append(
            f"{amount(found.n_kept, 0)} of {judged} lie {found.margin:g} or more apart; "
            f"{amount(found.n_surviving, 0)} of them have identical outputs{part}."
        )
    for ties in found.metric_ties:
        alike = f"{amount(ties.identical, 0)} of them with identical outputs"
        said.append(f"{ties.metric} ties {counted(ties.ties, 'kept pair')}, {alike}.")
    return tuple(said)
