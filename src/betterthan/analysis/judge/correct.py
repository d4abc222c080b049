"""Which system is best by human judgment, when a judge has scored all items and people only some?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.table_argument import AnyData, as_labeled
from betterthan.analysis.units import UnitName, Units, unit_note, units_of
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import TableError, some_of
from betterthan.kernels.display.ranks import greedy_clusters, simultaneous_rank_intervals
from betterthan.kernels.judges.prediction_powered import (
    LEAST_LABELS,
    CorrectedMean,
    Labeled,
    corrected_differences,
    corrected_mean,
)
from betterthan.kernels.significance.pvalues import adjusted_pairs
from betterthan.messages import Message
from betterthan.results.judges import Corrected
from betterthan.results.settings import Settings
from betterthan.tables.row_order import check_identity
from betterthan.tables.scores import Scores

_FEW_LABELS = 30


class _Joined(NamedTuple):
    """Judge, labels and weights of the systems and items that the judge has scored; NaN where there are none."""

    judge: Scores
    human: FloatArray
    weight: FloatArray
    higher_is_better: bool
    metric: str
    notes: tuple[str, ...]


@with_one_blas_thread
def correct(
    judge: AnyData,
    human: AnyData = None,
    *,
    judge_score: str | None = None,
    human_score: str | None = None,
    weight: str | Scores | None = None,
    units: UnitName = "auto",
    confidence: float = 0.95,
) -> Corrected:
    r"""Correct the scores of an automatic judge by human labels of some items.

    .. math:: \hat\theta = \bar H_w - \lambda (\bar J_w - \bar J)

    The mean of the labels, less what the judge finds peculiar about the items that were labeled: its mean over them
    less its mean over all. Whatever the judge is like, the corrected mean estimates the mean that people
    would give to all items; a good judge only makes the interval shorter. λ is chosen for the shortest interval, for
    each system, and may be 0 or negative; the judge may have any scale.

    Parameters
    ----------
    judge : Scores, Matches, or anything they can be read from
        Scores of all items by the judge, or its battles with the questions' ids: then win rates are corrected.
    human : the same, optional
        Labels of some items; every label of an item that the judge has scored is used, whether or not other systems
        have one. Labels must have been drawn at random, with known probabilities where these differ. Single judgments
        are averaged over people. Without it, `judge` has both.
    judge_score, human_score : str, optional
        The columns or metrics to read, where there are several.
    weight : str or Scores, optional
        Column of the weights of labels, the inverse of the probability of being drawn; by default the column "weight"
        if there is one, as :func:`betterthan.sample` writes it, otherwise all weigh the same.
    units : {"auto", "segments", "groups"}, default "auto"
        What is independent: items, or whole documents.
    confidence : float, default 0.95
        Of the intervals; 1 − confidence is the level of the tests.

    Returns
    -------
    Corrected

    Raises
    ------
    TableError
        When no system has three labels, or labels and judge have no items in common.

    Notes
    -----
    Intervals are about other items like these. From 30 labels a system they covered 94 to 97% of simulated true means
    of graded labels, 93 to 98% of right or wrong ones and 92 to 97% of skewed ones, with any judge, and were never
    longer than those of the labels alone. A label that was chosen because of what it would be, such as a complaint, is
    not random, and no weight corrects that.

    Of battles, the mean is the win rate: the share of the judge's comparisons that people would give to a system, a tie
    being half, with the opponents that it met there. A comparison is a question with two systems; verdicts on it, in
    both orders or of several people, are averaged, and questions are the units.

    Differences are tested by t with the covariance of systems that share items or labels, and Holm's correction.
    :func:`betterthan.rank` and :func:`betterthan.compare` take the result too, for means, and
    :func:`betterthan.board` a mapping from tasks to results; verbs that need scores of single items refuse it.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Prediction-powered inference, Science 382.
    .. [2] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference, arXiv:2311.01453.

    Examples
    --------
    A judge that favors B, and thirty labels a system:

    >>> import betterthan as bt
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> quality = rng.normal(size=500) + np.array([[0.5], [0.0]])
    >>> judge = 0.9 * quality + 0.4 * rng.normal(size=(2, 500)) + np.array([[0.0], [0.8]])
    >>> human = np.where(rng.random((2, 500)) < 0.06, quality, np.nan)
    >>> found = bt.correct({"A": judge[0], "B": judge[1]}, {"A": human[0], "B": human[1]})
    >>> found.systems, found.judge.round(2).tolist(), found.mean.round(2).tolist()
    (('A', 'B'), [0.39, 0.76], [0.42, 0.05])
    """
    check_share("confidence", confidence)
    data = as_labeled(
        judge, human, judge_score=judge_score, human_score=human_score, weight=weight, verb="correct"
    )
    joined = _joined(data.judge, data.human, data.weight)
    unit = units_of(joined.judge, units)
    is_binary = _is_binary(joined.human)
    means = _means(joined, unit, confidence, is_binary=is_binary)
    settings = Settings(
        method="correct",
        options={
            "judge": data.judge.name,
            "labels": int((~np.isnan(joined.human)).sum()),
            "weights": "given" if data.weight is not None else None,
            "units": unit.name,
            "ci": f"{100 * confidence:g}",
            "correction": "holm",
        },
        data=f"{data.judge.digest}+{data.human.digest}",
        n_systems=len(joined.judge.systems),
        n_segments=joined.judge.n_segments,
    )
    result = _result(
        joined,
        means,
        confidence,
        are_battles=data.are_battles,
        units=unit.name,
        unit_note="" if data.are_battles else unit_note(joined.judge, unit),
        is_weighted=data.weight is not None,
        is_binary=is_binary,
        notes=joined.notes,
        settings=settings,
    )
    return replace(result, notes=(*result.notes, *_notes(result)))


# ---- judge, labels and weights side by side


def _joined(judge: Scores, human: Scores, weight: Scores | None) -> _Joined:
    tables = [judge, human] if weight is None else [judge, human, weight]
    check_identity(tables, names=[table.name for table in tables])
    labels, notes = _on(judge, human)
    if weight is None:
        weights = np.ones(labels.shape)
    else:
        weights, _ = _on(judge, weight)
        _check_weights(labels, weights, judge)
    unjudged = np.isnan(judge.values) & ~np.isnan(labels)
    if unjudged.any():
        notes.append(
            f"{int(unjudged.sum()):,} labels of outputs that the judge has not scored were left out."
        )
        labels = np.where(unjudged, np.nan, labels)
    counts = (~np.isnan(labels)).sum(axis=1)
    enough = np.flatnonzero(counts >= LEAST_LABELS)
    if not enough.size:
        raise TableError(
            f'No system has {LEAST_LABELS} labels of outputs that "{judge.name}" has scored, so nothing can be '
            f"corrected. Label more outputs, drawn at random."
        )
    short = [judge.systems[i] for i in np.flatnonzero(counts < LEAST_LABELS)]
    if short:
        notes.append(
            Message(
                "Left out, with fewer than {n} labels: {systems}.", n=LEAST_LABELS, systems=some_of(short)
            )
        )
    chosen = judge.select([judge.systems[i] for i in enough])
    if chosen.groups is None and human.groups is not None and set(human.segments) >= set(judge.segments):
        documents = dict(zip(human.segments, human.groups, strict=True))
        chosen = replace(chosen, groups=tuple(documents[name] for name in judge.segments))
    return _Joined(
        chosen,
        labels[enough],
        weights[enough],
        human.sign > 0,
        human.name,
        (*judge.notes, *human.notes, *notes),
    )


def _on(judge: Scores, table: Scores) -> tuple[FloatArray, list[str]]:
    """Return values of a table for the judge's systems and segments, with notes on the rest of it."""
    rows = {name: i for i, name in enumerate(table.systems)}
    columns = {name: i for i, name in enumerate(table.segments)}
    systems = [i for i, name in enumerate(judge.systems) if name in rows]
    segments = [i for i, name in enumerate(judge.segments) if name in columns]
    for found, ours, theirs, what in (
        (systems, judge.systems, table.systems, "systems"),
        (segments, judge.segments, table.segments, "items"),
    ):
        if not found:
            raise TableError(
                f'"{judge.name}" and "{table.name}" share no {what}. {judge.name} has: {some_of(ours)}; '
                f"{table.name} has: {some_of(theirs)}."
            )
    values = np.full((len(judge.systems), len(judge.segments)), np.nan)
    values[np.ix_(systems, segments)] = table.values[
        np.ix_([rows[judge.systems[i]] for i in systems], [columns[judge.segments[i]] for i in segments])
    ]
    lost = int((~np.isnan(table.values)).sum()) - int((~np.isnan(values)).sum())
    notes = (
        [f'{lost:,} scores of "{table.name}" are of outputs that the judge does not have.'] if lost else []
    )
    return values, notes


def label_values(judge: Scores, table: Scores) -> FloatArray:
    """Return the values of a table for the judge's systems and items; NaN where there are none."""
    check_identity([judge, table], names=[judge.name, table.name])
    return _on(judge, table)[0]


def _check_weights(labels: FloatArray, weights: FloatArray, judge: Scores) -> None:
    labeled = ~np.isnan(labels)
    wrong = labeled & ~(weights > 0)
    if wrong.any():
        row, column = (int(each[0]) for each in np.nonzero(wrong))
        value = weights[row, column]
        shown = "is missing" if np.isnan(value) else f"is {value:g}"
        raise TableError(
            f"The weight of {judge.systems[row]} on {judge.segments[column]}, which has a label, {shown}. A weight is "
            f"the inverse of the probability with which the output was drawn, and positive."
        )


def _is_binary(labels: FloatArray) -> bool:
    known = labels[~np.isnan(labels)]
    return bool(((known == 0) | (known == 1)).all())


# ---- means and differences


def _means(joined: _Joined, units: Units, confidence: float, *, is_binary: bool) -> list[CorrectedMean]:
    found = []
    for judged, labels, weights in zip(joined.judge.values, joined.human, joined.weight, strict=True):
        known = ~np.isnan(judged)
        data = Labeled(judged[known], labels[known], weights[known], units.of_segment[known])
        found.append(corrected_mean(data, n_units=units.n_units, confidence=confidence, is_binary=is_binary))
    return found


def _result(
    joined: _Joined,
    means: list[CorrectedMean],
    confidence: float,
    *,
    are_battles: bool,
    **described: Any,  # noqa: ANN401  (fields of the result)
) -> Corrected:
    sign = 1.0 if joined.higher_is_better else -1.0
    mean = np.array([each.mean for each in means])
    order = np.argsort(-sign * mean, kind="stable")
    means = [means[i] for i in order]
    mean = mean[order]
    differences = corrected_differences(means, opposed=are_battles)
    holm = adjusted_pairs(differences.pvalue, correction="holm")
    lead = mean[:, None] - mean[None, :]
    half = stdtrit(differences.degrees, 0.5 + confidence / 2) * differences.error
    better = (holm <= 1 - confidence) & (sign * lead > 0)
    rank_low, rank_high = simultaneous_rank_intervals(better)
    judge = joined.judge

    def each(name: str) -> FloatArray:
        values = np.array([getattr(found, name) for found in means], dtype=np.float64)
        return np.clip(values, 0, 1) if are_battles and name.endswith(("low", "high")) else values

    return Corrected(
        metric=joined.metric,
        judge_metric=judge.name,
        higher_is_better=joined.higher_is_better,
        systems=tuple(judge.systems[i] for i in order),
        rank=1 + (sign * lead < 0).sum(axis=1),
        mean=mean,
        low=each("low"),
        high=each("high"),
        rank_low=rank_low,
        rank_high=rank_high,
        cluster=greedy_clusters(better),
        judge=np.nanmean(judge.values, axis=1)[order],
        human=each("human"),
        human_low=each("human_low"),
        human_high=each("human_high"),
        items=(~np.isnan(judge.values)).sum(axis=1)[order],
        labels=(~np.isnan(joined.human)).sum(axis=1)[order],
        effective_labels=each("effective"),
        slope=each("slope"),
        degrees=each("degrees"),
        pvalue=differences.pvalue,
        adjusted=holm,
        difference_low=lead - half,
        difference_high=lead + half,
        confidence=confidence,
        segments=judge.segments,
        groups=judge.groups,
        values=_item_scores(judge.values[order], means),
        are_battles=are_battles,
        **described,
    )


def _item_scores(judged: FloatArray, means: list[CorrectedMean]) -> FloatArray:
    """Return corrected scores of items; see :func:`betterthan.corrected_scores`."""
    values = np.full(judged.shape, np.nan)
    for row, found in enumerate(means):
        pull = found.items - found.items.mean()
        values[row, ~np.isnan(judged[row])] = found.mean + pull * pull.size
    return values


def _notes(result: Corrected) -> tuple[str, ...]:
    """Return warnings where the labels are few, or the intervals rest on a few heavy ones."""
    notes = []
    if (result.labels < _FEW_LABELS).any():
        few = [
            f"{name} ({n})"
            for name, n in zip(result.systems, result.labels.tolist(), strict=True)
            if n < _FEW_LABELS
        ]
        notes.append(
            Message(
                "Fewer than {n} labels: {systems}. Intervals from so few labels are rough.",
                n=_FEW_LABELS,
                systems=some_of(few),
            )
        )
    return tuple(notes)
