"""Battles of an automatic judge: both orders of a question, and agreement with humans."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, NotEstimable
from betterthan.kernels.judges.audit import (
    AuditEstimate,
    both_orders,
    clustered_mean,
    clustered_share,
    nominal_kappa,
    sign_pvalue,
)
from betterthan.messages import COLUMN, Message, Option
from betterthan.tables.matches import Matches

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
    rows = [] if people is None else _agreement(judge, people, confidence)
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


def _agreement(judge: Matches, people: Matches, confidence: float) -> list[Row]:
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
