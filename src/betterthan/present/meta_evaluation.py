"""A meta-evaluation as a table, and what it says in words."""

from __future__ import annotations

import numpy as np

from betterthan.present.numbers import percent
from betterthan.present.table import Cell, Column, Table
from betterthan.results.meta_evaluation import MetaEvaluation

_NAMES = {
    "soft_pairwise_accuracy": "soft pairwise accuracy",
    "pairwise_accuracy": "pairwise accuracy",
    "accuracy_with_ties": "accuracy with ties",
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall_b": "Kendall's τ-b",
    "tau_ties_ignored": "τ, metric ties ignored",
    "tau_ties_soft": "τ, metric ties count 0",
    "tau_ties_hard": "τ, metric ties count −1",
    "tau_human_ties": "τ, human ties kept",
}
_HEADINGS = {
    "soft_pairwise_accuracy": "SPA",
    "pairwise_accuracy": "accuracy",
    "accuracy_with_ties": "accuracy",
    "tau_ties_ignored": "τ",
    "tau_ties_soft": "τ",
    "tau_ties_hard": "τ",
    "tau_human_ties": "τ",
}
_LEVELS = {
    "system": "over systems",
    "segment": "on segments",
    "within_system": "within systems",
    "global": "over all scores",
}
_TESTS = {
    "perm_inputs": "PERM-INPUTS",
    "perm_systems": "PERM-SYSTEMS",
    "perm_both": "PERM-BOTH",
    "perm_cells": "PERM-CELLS",
    "perm_pairs": "PERM-PAIRS",
    "williams": "Williams' test",
    "bootstrap": "the bootstrap",
}
_DIGITS = 3


def measure_name(method: str) -> str:
    """Return a measure's name as people write it.

    Examples
    --------
    >>> measure_name("kendall_b"), measure_name("my_measure")
    ("Kendall's τ-b", 'my measure')
    """
    return _NAMES.get(method, method.replace("_", " "))


def meta_evaluation_table(result: MetaEvaluation) -> Table:
    """Return the table of metrics: best first, a rule between clusters, as the WMT metrics task prints it."""
    has_interval = not bool(np.isnan(result.low).all())
    columns = [
        Column(heading="cluster", kind="integer"),
        Column(heading="metric"),
        Column(
            heading=_HEADINGS.get(result.method, measure_name(result.method)), kind="number", digits=_DIGITS
        ),
    ]
    if has_interval:
        columns.append(Column(heading=percent(result.confidence), kind="interval", digits=_DIGITS))
    columns += [Column(heading=name, kind="number", digits=_DIGITS) for name in result.part_names]
    if result.threshold is not None:
        columns.append(Column(heading="tie below", kind="count"))
    tested = result.comparisons.test != "none"
    if tested:
        columns += [Column(heading="better than", kind="count"), Column(heading="letters")]
    return Table(
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(
            _row(result, i, has_interval=has_interval, tested=tested) for i in range(len(result.metrics))
        ),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 1) for i, c in enumerate(result.cluster) if c == 1) if tested else frozenset(),
        words=_words(result),
        notes=result.notes,
        signature=result.settings.signature,
    )


def _title(result: MetaEvaluation) -> str:
    segments = "one score each" if result.n_segments == 1 else f"{result.n_segments:,} segments"
    size = f"{result.n_systems} systems, {segments}"
    return f"Metrics against {result.human}: {measure_name(result.method)}, {_LEVELS[result.level]} ({size})"


def _row(result: MetaEvaluation, i: int, *, has_interval: bool, tested: bool) -> tuple[Cell, ...]:
    cells: list[Cell] = [
        int(result.cluster[i]) if tested else None,
        result.metrics[i],
        float(result.value[i]),
    ]
    if has_interval:
        cells.append((float(result.low[i]), float(result.high[i])))
    if result.part_value is not None:
        cells += [float(value) for value in result.part_value[i]]
    if result.threshold is not None:
        cells.append(f"{result.threshold[i]:.3g}")
    if tested:
        cells += [str(int(result.comparisons.better[i].sum())), result.letters[i]]
    return tuple(cells)


def _words(result: MetaEvaluation) -> tuple[str, ...]:
    if result.comparisons.test == "none":
        return ("Metrics were not tested against each other.",)
    k = len(result.metrics)
    comparisons = result.comparisons
    adjusted = "uncorrected" if comparisons.correction == "none" else f"{comparisons.correction}-corrected"
    how = f"{_TESTS.get(comparisons.test, comparisons.test)}, p ≤ {comparisons.alpha:g}, {adjusted}"
    n_pairs = k * (k - 1) // 2
    told = (
        f"{result.n_significant} of {n_pairs} pair{'s' if n_pairs > 1 else ''} of metrics told apart ({how})."
    )
    legend = (
        "Clusters are greedy, so metrics of different clusters may be alike; those that share a letter are."
    )
    return (_winner(result), told, legend)


def _winner(result: MetaEvaluation) -> str:
    best = result.metrics[0]
    alike = [
        name
        for name, letters in zip(result.metrics[1:], result.letters[1:], strict=True)
        if set(letters) & set(result.letters[0])
    ]
    if not alike:
        others = result.metrics[1] if len(result.metrics) == 2 else "every other metric"
        return f"{best} agrees better with people than {others}."
    if len(alike) == len(result.metrics) - 1:
        return f"No metric is told apart from {best}, which has the highest value."
    named = ", ".join(alike[:4]) + (f" and {len(alike) - 4} more" if len(alike) > 4 else "")
    return f"{best} has the highest value; it is not told apart from {named}."
