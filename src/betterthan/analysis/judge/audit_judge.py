"""Can an automatic judge be trusted? Agreement with humans, biases, consistency, calibration.

Battles of an automatic judge: both orders of a question, and agreement with humans.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from betterthan.analysis.judge.correct import label_values
from betterthan.analysis.table_argument import AnyData, as_audited
from betterthan.arrays import FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, NotEstimable, TableError, unknown_name
from betterthan.kernels.judges.audit import (
    AuditEstimate,
    adjusted_effect,
    both_orders,
    calibration_bins,
    clustered_correlation,
    clustered_mean,
    clustered_share,
    confusion,
    nominal_kappa,
    sign_pvalue,
)
from betterthan.kernels.judges.reliability import alpha_interval, krippendorff_alpha
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.judges import TESTED, JudgeAudit
from betterthan.results.settings import Settings
from betterthan.tables.matches import Matches
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

_LEAST = 8
"""Pairs below which nothing is said."""
Row = tuple[str, str, AuditEstimate, int]
"""Name of the check, system or slice, the number, and what it rests on."""


def battle_checks(judge: Matches, people: Matches | None, confidence: float) -> list[Row]:
    """Return what both orders of a question, and people's verdicts, show of a judge.

    Raises
    ------
    NotEstimable
        When neither is there.
    """
    rows = [] if people is None else _battle_agreement(judge, people, confidence)
    rows += _orders(judge, confidence)
    if not rows:
        raise NotEstimable(
            f"Fewer than {_LEAST} pairs of outputs were judged in both orders, and fewer than {_LEAST} by judge and "
            f"humans. There is nothing to compare the judge with."
        )
    return rows


def _questions(matches: Matches) -> IntArray:
    if matches.segment is None:
        raise BetterThanError(
            Message(
                "The battles have no ids of questions, so their orders cannot be compared. Name their column with "
                "{item}.",
                item=Option("item", COLUMN),
            )
        )
    return matches.segment


def _orders(judge: Matches, confidence: float) -> list[Row]:
    found = both_orders(
        _questions(judge), judge.left, judge.right, judge.outcome, n_systems=len(judge.systems)
    )
    n = found.kind.size
    if n < _LEAST:
        return []
    same = (found.kind == 0).astype(float)
    rows: list[Row] = [("both_orders", "", clustered_share(same, found.question, confidence=confidence), n)]
    against = (found.kind == 1) | (found.kind == 2)
    if against.any():
        is_left = (found.kind[against] == 1).astype(float)
        question = found.question[against]
        share = clustered_share(is_left, question, confidence=confidence)
        is_repeated = np.unique(question).size < question.size
        left = int(is_left.sum())
        p = (
            clustered_mean(2 * is_left - 1, question, confidence=confidence).pvalue
            if is_repeated
            else sign_pvalue(left, is_left.size - left)
        )
        rows.append(("left", "", share._replace(pvalue=p), is_left.size))
    return rows


def _battle_agreement(judge: Matches, people: Matches, confidence: float) -> list[Row]:
    """Compare the verdicts on the same pairs of outputs, over both orders and all votes."""
    if not (judge.segments and people.segments):
        raise BetterThanError(
            Message(
                "Battles of judge and humans are matched by the ids of questions. Name their column with {item}.",
                item=Option("item", COLUMN),
            )
        )
    ours, theirs = _verdicts(judge), _verdicts(people)
    shared = [pair for pair in ours if pair in theirs]
    if len(shared) < _LEAST:
        return []
    first = np.array([ours[pair] for pair in shared])
    second = np.array([theirs[pair] for pair in shared])
    index = {name: k for k, name in enumerate(dict.fromkeys(pair[0] for pair in shared))}
    question = np.array([index[pair[0]] for pair in shared])
    n = len(shared)
    same = (first == second).astype(float)
    rows: list[Row] = [
        ("agreement", "", clustered_share(same, question, confidence=confidence), n),
        ("kappa", "", nominal_kappa(first, second, question, confidence=confidence), n),
    ]
    decided = (first != 0) & (second != 0)
    if decided.sum() >= _LEAST:
        share = clustered_share(same[decided], question[decided], confidence=confidence)
        rows.append(("agreement", "without ties", share, int(decided.sum())))
    return rows


def _verdicts(matches: Matches) -> dict[tuple[str, str, str], float]:
    """Return for each question and pair of systems, in order of their names, who wins most: 1, 0 or -1."""
    total: dict[tuple[str, str, str], float] = {}
    values: FloatArray = matches.weight * (matches.outcome - 0.5)
    for question, left, right, value in zip(
        _questions(matches).tolist(),
        matches.left.tolist(),
        matches.right.tolist(),
        values.tolist(),
        strict=True,
    ):
        a, b = matches.systems[left], matches.systems[right]
        key, side = (
            ((matches.segments[question], a, b), 1) if a < b else ((matches.segments[question], b, a), -1)
        )
        total[key] = total.get(key, 0.0) + side * value
    return {key: float(np.sign(value)) for key, value in total.items()}


_MOST_CATEGORIES = 10
_MOST_SLICES = 12
"""More groups than this are documents, which are the units, and not slices."""
_NONE = np.zeros(0)


class Check(NamedTuple):
    """A row of the audit."""

    check: str
    part: str
    found: AuditEstimate
    n: int


class _Labeled(NamedTuple):
    """Outputs with a score of the judge and a human label, one entry each."""

    judge: FloatArray
    human: FloatArray
    system: IntArray
    segment: IntArray
    cluster: IntArray
    part: tuple[str, ...]
    length: FloatArray | None


@with_one_blas_thread
def audit_judge(
    judge: AnyData,
    human: AnyData = None,
    *,
    judge_score: str | None = None,
    human_score: str | None = None,
    length: str | Scores | None = None,
    own: Sequence[str] = (),
    confidence: float = 0.95,
) -> JudgeAudit:
    """Check an automatic judge against human labels, and against itself.

    Parameters
    ----------
    judge : Scores, Runs, Matches, or anything they can be read from
        Scores of outputs by the judge, also several times each (runs), or its battles, with the questions' ids.
    human : the same, optional
        Human labels of some of the outputs, or people's battles on some of the questions.
    judge_score, human_score : str, optional
        The columns or metrics to read, where there are several; with both, `judge` may hold both.
    length : str or Scores, optional
        The length of each output, a column of the judge's data: does the judge favor long outputs?
    own : sequence of str, optional
        Systems of the judge's own family: does it favor them?
    confidence : float, default 0.95
        Of the intervals; 1 − confidence is the level of the tests.

    Returns
    -------
    JudgeAudit

    Notes
    -----
    **Agreement**: the share of equal verdicts, Cohen's kappa (nominal) and Krippendorff's alpha (nominal; of scores,
    interval) where both use the same few verdicts; otherwise the correlation. Also by group, for up to 12 of them.

    **Favoritism**: among outputs that humans rate alike, how much higher does the judge score those of one system, of
    its own family, or those that are one standard deviation longer? A linear regression of the judge's scores on the
    human label and the property, in points of the judge. Labels with errors of their own make good systems look
    favored, so average the labels of several people where there are any.

    **Both orders** of battles: how often the same of two outputs wins, and whether contradictions favor the left side.

    Intervals leave out one item (or document) at a time; p-values of all biases are adjusted together (Holm).

    References
    ----------
    .. [1] Zheng et al. (2023), Judging LLM-as-a-judge with MT-bench and chatbot arena, NeurIPS.
    .. [2] Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania.

    Examples
    --------
    >>> import betterthan as bt
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> quality = rng.normal(size=(2, 60))
    >>> judge = quality + 0.3 * rng.normal(size=(2, 60)) + np.array([[0.0], [0.5]])
    >>> found = bt.audit_judge({"A": judge[0], "B": judge[1]}, {"A": quality[0], "B": quality[1]}, own=["B"])
    >>> [(row.check, round(row.value, 1)) for row in found.biases if row.check == "own"]
    [('own', 0.5)]
    """
    check_share("confidence", confidence)
    data = as_audited(judge, human, judge_score=judge_score, human_score=human_score, length=length)
    if isinstance(data.judge, Matches):
        _refuse_of_battles(own, data.length)
        people = data.human if isinstance(data.human, Matches) else None
        checks = [Check(*each) for each in battle_checks(data.judge, people, confidence)]
        return _result(data, checks, confidence, own)
    if isinstance(data.human, Matches):
        raise TableError("The judge gave scores and humans battles. Both need the same kind of data.")
    checks = _repeats(data.judge, confidence) if isinstance(data.judge, Runs) else []
    if data.human is None:
        if not checks:
            raise BetterThanError(
                Message(
                    "Without human labels, only battles in both orders and repeated scores can be checked. Pass "
                    "{human}.",
                    human=Option("human"),
                )
            )
        return _result(data, checks, confidence, own)
    scores = data.judge.to_scores() if isinstance(data.judge, Runs) else data.judge
    labeled = _labeled(scores, data.human, data.length)
    checks = [*_agreement(labeled, confidence), *_biases(labeled, scores.systems, own, confidence), *checks]
    return _result(data, checks, confidence, own, labeled)


def _refuse_of_battles(own: Sequence[str], length: Scores | None) -> None:
    for name, given in (("own", own), ("length", length)):
        if given:
            raise BetterThanError(
                Message("{option} is for scores, and these are battles. Leave it out.", option=Option(name))
            )


def _labeled(scores: Scores, human: Scores, length: Scores | None) -> _Labeled:
    labels = label_values(scores, human)
    system, segment = np.nonzero(~np.isnan(scores.values) & ~np.isnan(labels))
    if system.size < _LEAST:
        raise NotEstimable(
            f"Only {system.size} outputs have a score of the judge and a human label; {_LEAST} are needed."
        )
    groups = (
        scores.groups
        if scores.groups is not None
        else human.groups
        if human.segments == scores.segments
        else None
    )
    is_sliced = groups is not None and len(set(groups)) <= _MOST_SLICES
    names = scores.segments if groups is None or is_sliced else groups
    index = {name: k for k, name in enumerate(dict.fromkeys(names))}
    cluster = np.array([index[names[i]] for i in segment.tolist()], dtype=np.int64)
    part = () if groups is None else tuple(groups[i] for i in segment.tolist())
    lengths = None if length is None else label_values(scores, length)[system, segment]
    if lengths is not None and np.isnan(lengths).any():
        raise TableError(f"{int(np.isnan(lengths).sum()):,} labeled outputs have no length.")
    return _Labeled(
        scores.values[system, segment], labels[system, segment], system, segment, cluster, part, lengths
    )


def _categories(data: _Labeled) -> FloatArray:
    """Return the verdicts where judge and humans give the same few, otherwise none."""
    judge, human = np.unique(data.judge), np.unique(data.human)
    both = np.union1d(judge, human)
    shared = np.intersect1d(judge, human).size
    return (
        both
        if both.size <= _MOST_CATEGORIES and shared >= min(2, judge.size, human.size) and shared
        else _NONE
    )


def _same_scale(data: _Labeled) -> bool:
    if _categories(data).size:
        return True
    both = np.concatenate([data.judge, data.human])
    return bool((both >= 0).all() and (both <= 1).all())


def _agreement(data: _Labeled, confidence: float) -> list[Check]:
    n = data.judge.size
    is_nominal = _categories(data).size > 0
    checks = []
    if is_nominal:
        same = (data.judge == data.human).astype(float)
        checks.append(Check("agreement", "", clustered_share(same, data.cluster, confidence=confidence), n))
        checks.append(
            Check("kappa", "", nominal_kappa(data.judge, data.human, data.cluster, confidence=confidence), n)
        )
    unit = np.repeat(np.arange(n), 2)
    pairs = np.stack([data.judge, data.human], axis=1).ravel()
    if _same_scale(data):
        is_two = np.unique(pairs).size <= 2
        alpha = krippendorff_alpha(unit, pairs, level="nominal" if is_two else "interval").alpha
        ends = alpha_interval(unit, pairs, cluster=np.repeat(data.cluster, 2), confidence=confidence)
        checks.append(Check("alpha", "", AuditEstimate(alpha, *ends), n))
    correlation = clustered_correlation(data.judge, data.human, data.cluster, confidence=confidence)
    checks.append(Check("correlation", "", correlation, n))
    return [*checks, *_slices(data, confidence, is_nominal=is_nominal)]


def _slices(data: _Labeled, confidence: float, *, is_nominal: bool) -> list[Check]:
    """Agreement in each group, where they are few."""
    names = list(dict.fromkeys(data.part))
    checks = []
    for name in names if len(names) <= _MOST_SLICES else ():
        inside = np.array([each == name for each in data.part])
        if inside.sum() < _LEAST:
            continue
        judge, human, segment = data.judge[inside], data.human[inside], data.segment[inside]
        measure = nominal_kappa if is_nominal else clustered_correlation
        found = measure(judge, human, segment, confidence=confidence)
        checks.append(Check("kappa" if is_nominal else "correlation", name, found, int(inside.sum())))
    return checks


def _biases(data: _Labeled, systems: tuple[str, ...], own: Sequence[str], confidence: float) -> list[Check]:
    for name in own:
        if name not in systems:
            raise unknown_name("system", name, systems)
    human = data.human[:, None]
    checks = []

    def check(kind: str, part: str, effect: FloatArray, n: int) -> None:
        found = adjusted_effect(data.judge, effect, human, data.cluster, confidence=confidence)
        if not np.isnan(found.value):
            checks.append(Check(kind, part, found, n))

    if _same_scale(data):
        gap = data.judge - data.human
        checks.append(
            Check("difference", "", clustered_mean(gap, data.cluster, confidence=confidence), gap.size)
        )
    if len(own):
        mine = np.isin(data.system, [systems.index(name) for name in own]).astype(float)
        check("own", "", mine, int(mine.sum()))
    if data.length is not None:
        spread = float(data.length.std())
        scaled = (data.length - data.length.mean()) / (spread if spread > 0 else 1.0)
        check("length", "", scaled, scaled.size)
    present = np.unique(data.system)
    # Of two systems one row says it all, and none is needed beside that of the judge's own.
    named = present if present.size > 2 else present[:0] if len(own) else present[:1]
    for k in named:
        inside = (data.system == k).astype(float)
        check("favor", systems[k], inside, int(inside.sum()))
    return checks


def _repeats(runs: Runs, confidence: float) -> list[Check]:
    """How often repeated scores of an output are the same, and their alpha."""
    unit = runs.system * len(runs.segments) + runs.segment
    order = np.argsort(unit, kind="stable")
    unit, score = unit[order], runs.score[order]
    counts = np.bincount(np.unique(unit, return_inverse=True)[1])
    if (counts > 1).sum() < _LEAST:
        return []
    ends = np.cumsum(counts)
    same, cluster = [], []
    for start, k in zip((ends - counts).tolist(), counts.tolist(), strict=True):
        if k > 1:
            times = np.unique(score[start : start + k], return_counts=True)[1]
            same.append(float((times * (times - 1)).sum()) / (k * (k - 1)))
            cluster.append(int(unit[start]) % len(runs.segments))
    segments = unit % len(runs.segments)
    alpha = krippendorff_alpha(unit, score, level="interval").alpha
    limits = alpha_interval(unit, score, cluster=segments, confidence=confidence)
    return [
        Check(
            "repeats", "", clustered_mean(np.array(same), np.array(cluster), confidence=confidence), len(same)
        ),
        Check("repeats_alpha", "", AuditEstimate(alpha, *limits), len(same)),
    ]


def _result(
    data: Any,  # noqa: ANN401  (what was read)
    checks: list[Check],
    confidence: float,
    own: Sequence[str],
    labeled: _Labeled | None = None,
) -> JudgeAudit:
    p = np.array([each.found.pvalue if each.check in TESTED else np.nan for each in checks])
    holm = np.full(p.size, np.nan)
    tested = ~np.isnan(p)
    if tested.any():
        holm[tested] = adjusted(p[tested], correction="holm")
    categories = _NONE if labeled is None else _categories(labeled)
    bins = []
    if labeled is not None:
        is_binary = bool(np.isin(labeled.human, (0.0, 1.0)).all())
        bins = calibration_bins(labeled.judge, labeled.human, confidence=confidence, is_binary=is_binary)
    tables = [each for each in (data.judge, data.human) if each is not None]
    return JudgeAudit(
        judge=getattr(data.judge, "name", "judge"),
        human="" if data.human is None else getattr(data.human, "name", "people"),
        check=tuple(each.check for each in checks),
        part=tuple(each.part for each in checks),
        value=np.array([each.found.value for each in checks]),
        low=np.array([each.found.low for each in checks]),
        high=np.array([each.found.high for each in checks]),
        n=np.array([each.n for each in checks], dtype=np.int64),
        pvalue=p,
        adjusted=holm,
        categories=categories,
        confusion=confusion(labeled.human, labeled.judge, categories)
        if labeled is not None and categories.size
        else np.zeros((0, 0), dtype=np.int64),
        bin_judge=np.array([each.judge for each in bins]),
        bin_human=np.array([each.human for each in bins]),
        bin_low=np.array([each.low for each in bins]),
        bin_high=np.array([each.high for each in bins]),
        bin_n=np.array([each.n for each in bins], dtype=np.int64),
        same_scale=labeled is not None and _same_scale(labeled),
        confidence=confidence,
        notes=tuple(note for table in tables for note in table.notes),
        settings=Settings(
            method="audit_judge",
            options={
                "labels": None if labeled is None else labeled.judge.size,
                "length": None if data.length is None else data.length.name,
                "own": ",".join(own) or None,
                "ci": f"{100 * confidence:g}",
                "correction": "holm",
            },
            data="+".join(table.digest for table in tables),
            n_systems=len(data.judge.systems),
        ),
    )
