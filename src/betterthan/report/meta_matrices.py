"""Matrices of a report on metrics: which metrics differ significantly, and who is sure of which systems."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.meta_evaluation import correction_name, measure_name, scope_sentence
from betterthan.present.numbers import pvalue
from betterthan.report.document import Block, Choice, Matrix, MatrixCell, Section, Switch
from betterthan.results.meta_evaluation import MetaEvaluation

_MOST_SYSTEMS = 24


def significance_section(found: MetaEvaluation) -> Section:
    """Return which metrics differ significantly: the row is better than the column."""
    better, k = found.comparisons.better, len(found.metrics)
    cells = tuple(
        tuple(None if i == j else _metric_cell(found, i, j, is_better=bool(better[i, j])) for j in range(k))
        for i in range(k)
    )
    ends = frozenset(i for i in range(k - 1) if found.cluster[i] != found.cluster[i + 1])
    matrix = Matrix(
        key="metric-matrix",
        caption=_pvalue_of(found),
        corner="row better than column",
        rows=found.metrics,
        columns=found.metrics,
        cells=cells,
        rules=ends,
    )
    lead = (
        f"{_pvalue_of(found)}, by {measure_name(found.method)}, {correction_name(found.comparisons.correction)}. Green "
        f"and bold: the row is significantly better at level {found.comparisons.alpha:g}. Rules separate clusters. "
        f"{scope_sentence(found)}"
    )
    return Section(
        key="pairs", title="Which metrics differ significantly?", menu="Pairs", lead=lead, blocks=(matrix,)
    )


def _pvalue_of(found: MetaEvaluation) -> str:
    if found.comparisons.alternative == "wmt":
        return "One-sided p-value that the row agrees better with human judgments than the column"
    return "Two-sided p-value that the row and the column agree differently with human judgments"


def _metric_cell(found: MetaEvaluation, i: int, j: int, *, is_better: bool) -> MatrixCell | None:
    p = float(found.comparisons.adjusted[i, j])
    if np.isnan(p):
        return MatrixCell(text="–", shade=0, is_sure=False, title="not tested")
    text = _small_p(p)
    verb = "better than" if is_better or found.comparisons.alternative == "wmt" else "against"
    said = f"{found.metrics[i]} {verb} {found.metrics[j]}: p {pvalue(p)}"
    return MatrixCell(text=text, shade=6 if is_better else 0, is_sure=is_better, title=said)


def _small_p(p: float) -> str:
    """Write a p-value in a small cell, and never as 0 or 1 when it is neither.

    Examples
    --------
    >>> _small_p(0.0004), _small_p(0.004), _small_p(0.13), _small_p(0.998), _small_p(1.0)
    ('<.001', '.004', '.13', '>.99', '1')
    """
    if p < 0.001:
        return "<.001"
    if 0.995 <= p < 1:
        return ">.99"
    return "1" if p >= 1 else f"{p:.{3 if p < 0.01 else 2}f}".removeprefix("0")


def systems_section(found: MetaEvaluation) -> Section:
    """Return how people and the best metric see each pair of systems: three matrices one below the other."""
    order = np.argsort(-found.human_mean, kind="stable")[:_MOST_SYSTEMS]
    names = tuple(found.systems[i] for i in order)
    blocks: list[Block] = []
    if found.human_pvalue is not None and found.metric_pvalue is not None:
        people, metric = (p[np.ix_(order, order)] for p in (found.human_pvalue, found.metric_pvalue[0]))
        views = (
            ("people", found.human, people, True),
            ("metric", found.metrics[0], metric, True),
            ("agreement", "one less the gap", 1 - np.abs(people - metric), False),
        )
        choices = tuple(
            Choice(key=key, label=label, blocks=(_heat(key, label, names, values, is_p=is_p),))
            for key, label, values, is_p in views
        )
        blocks.append(Switch(key="view", label="Who is sure of what", choices=choices))
    first = found.metrics[0]
    lead = (
        f"How sure {found.human} and {first} are that the row is better than the column: one-sided p-values, green for "
        f"the row, orange for the column. Systems stand in the order of people. Soft pairwise accuracy is the mean of "
        f"one less the gap."
    )
    return Section(
        key="systems", title="Who is sure of which systems?", menu="Systems", lead=lead, blocks=tuple(blocks)
    )


def _heat(key: str, label: str, names: tuple[str, ...], values: FloatArray, *, is_p: bool) -> Matrix:
    cells = tuple(
        tuple(
            None if i == j else _heat_cell(names, i, j, float(values[i, j]), is_p=is_p)
            for j in range(len(names))
        )
        for i in range(len(names))
    )
    return Matrix(key=f"heat-{key}", caption=label, corner=label, rows=names, columns=names, cells=cells)


def _heat_cell(names: tuple[str, ...], i: int, j: int, value: float, *, is_p: bool) -> MatrixCell:
    if np.isnan(value):
        return MatrixCell(text="–", shade=0, is_sure=False, title=f"{names[i]}, {names[j]}: unknown")
    shade = round(20 * (0.5 - value)) if is_p else round(20 * (value - 0.5))
    return MatrixCell(
        text=_share(value),
        shade=max(-10, min(10, shade)),
        is_sure=is_p and min(value, 1 - value) <= 0.05,
        title=f"{names[i]} against {names[j]}: {value:.3f}",
    )


def _share(value: float) -> str:
    """Write a p-value or share with two decimals, and never as 0 or 1 when it is neither."""
    if 0 < value < 0.005:
        return "<.01"
    return ">.99" if 0.995 <= value < 1 else f"{value:.2f}"
