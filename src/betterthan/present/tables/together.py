"""Several results that answer one question, as one table: rankings by several methods, metrics by several measures.

The first result gives the order of the rows. Each of the others adds its columns, so that a reader sees at once where
they disagree. CSV has the rows of all results, and a first column that says to which each belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.meta_evaluation import (
    DIGITS,
    different_measure_names,
    measured_words,
    meta_evaluation_table,
    meta_verdict,
)
from betterthan.present.tables.ranking import ranking_table, ranking_verdict
from betterthan.present.tables.standing import method_name, rank_range
from betterthan.results.base import Result
from betterthan.results.meta_evaluation import MetaEvaluation
from betterthan.results.ranking import Ranking
from betterthan.results.settings import short_signature

MOST_WITH_INTERVALS = 2
"""Methods beside each other that show their intervals; with more, rows would not fit into a terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Results that are shown as one table.

    Parameters
    ----------
    results : tuple of Result
    table : Table
    labels : tuple of str
        What the rows of each result are marked with where all rows are listed, as in CSV.
    label_name : str
        The name of that column.
    listed : dict, optional
        Other tidy columns than those of the results under each other.
    """

    results: tuple[Result, ...]
    table: Table
    labels: tuple[str, ...] = ()
    label_name: str = "method"
    listed: dict[str, list[Any]] | None = None

    def columns(self) -> dict[str, list[Any]]:
        """Return the tidy columns of all results under each other, the label first; what one lacks is None."""
        if self.listed is not None:
            return self.listed
        tables = [result.columns() for result in self.results]
        names = dict.fromkeys(name for table in tables for name in table)
        sizes = [len(next(iter(table.values()))) for table in tables]
        labels = [label for label, n in zip(self.labels, sizes, strict=True) for _ in range(n)]
        rest = {
            name: [
                cell for table, n in zip(tables, sizes, strict=True) for cell in table.get(name, [None] * n)
            ]
            for name in names
            if name != self.label_name
        }
        return {self.label_name: labels, **rest}


def combined(results: Sequence[Result]) -> Together | None:
    """Return results of the same kind as one table, or None where each needs its own.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [1.0, 3.0], "B": [2.0, 1.0]})
    >>> both = combined([bt.rank(scores, by="mean"), bt.rank(scores, by="median")])
    >>> [column.heading for column in both.table.columns]
    ['system', 'rank', 'mean', '95% CI', 'rank', 'median', '95% CI']
    >>> both.columns()["method"]
    ['mean', 'mean', 'median', 'median']
    """
    if len(results) < 2:
        return None
    rankings = [result for result in results if isinstance(result, Ranking)]
    metas = [result for result in results if isinstance(result, MetaEvaluation)]
    if len(rankings) == len(results) and len({frozenset(one.systems) for one in rankings}) == 1:
        return _rankings(rankings)
    if len(metas) == len(results) and len({frozenset(one.metrics) for one in metas}) == 1:
        return _metas(metas)
    return None


def _rankings(rankings: Sequence[Ranking]) -> Together:
    with_intervals = len(rankings) <= MOST_WITH_INTERVALS
    columns: list[TableColumn] = [TableColumn(heading="system")]
    cells: list[list[TableCell]] = [[name] for name in rankings[0].systems]
    for ranking in rankings:
        digits = digits_for((ranking.high - ranking.low) / 2, ranking.strength)
        columns += [
            TableColumn(heading="rank", kind="count"),
            TableColumn(heading=method_name(ranking.settings.method), kind="number", digits=digits),
        ]
        if with_intervals:
            columns.append(
                TableColumn(
                    heading=f"{percent(ranking.confidence)} CI", kind="interval", digits=digits, spare=1
                )
            )
        place = {name: i for i, name in enumerate(ranking.systems)}
        for name, row in zip(rankings[0].systems, cells, strict=True):
            i = place[name]
            row.extend([_rank_with_range(ranking, i), float(ranking.strength[i])])
            row.extend([(float(ranking.low[i]), float(ranking.high[i]))] if with_intervals else [])
    names = [method_name(one.settings.method) for one in rankings]
    first = ranking_table(rankings[0])
    table = Table(
        title=f"Ranking by {_listed(names)}: {rankings[0].unit}",
        columns=tuple(columns),
        rows=tuple(map(tuple, cells)),
        rules=first.rules,
        bold=frozenset((i, 0) for i, rank in enumerate(rankings[0].rank) if rank == 1),
        verdict=by_each(names, [ranking_verdict(one) for one in rankings]),
        unit=first.unit,
        legend=f"In brackets the range of ranks; rules separate significance clusters by {names[0]}.",
        notes=_all_notes(rankings),
        signature="\n".join(one.settings.signature for one in rankings),
        short_signature=short_signature([one.settings for one in rankings]),
    )
    return Together(
        results=tuple(rankings), table=table, labels=tuple(one.settings.method for one in rankings)
    )


def _rank_with_range(ranking: Ranking, i: int) -> str:
    rank, low, high = (int(values[i]) for values in (ranking.rank, ranking.rank_low, ranking.rank_high))
    return f"{rank} ({rank_range(low, high)})"


def _metas(metas: Sequence[MetaEvaluation]) -> Together:
    with_intervals = len(metas) <= MOST_WITH_INTERVALS
    columns: list[TableColumn] = [TableColumn(heading="metric")]
    cells: list[list[TableCell]] = [[name] for name in metas[0].metrics]
    names = different_measure_names([meta.method for meta in metas])
    for name_of_measure, meta in zip(names, metas, strict=True):
        columns += [
            TableColumn(heading="cluster", kind="integer"),
            TableColumn(heading=name_of_measure, kind="number", digits=DIGITS),
        ]
        if with_intervals:
            columns.append(
                TableColumn(heading=f"{percent(meta.confidence)} CI", kind="interval", digits=DIGITS, spare=1)
            )
        place = {name: i for i, name in enumerate(meta.metrics)}
        tested = meta.comparisons.test != "none"
        for name, row in zip(metas[0].metrics, cells, strict=True):
            i = place[name]
            row.extend([int(meta.cluster[i]) if tested else None, float(meta.value[i])])
            row.extend([(float(meta.low[i]), float(meta.high[i]))] if with_intervals else [])
    first = meta_evaluation_table(metas[0])
    sentences = [meta_verdict(one) for one in metas]
    caveats = dict.fromkeys(line for _, *rest in sentences for line in rest)
    table = Table(
        title=f"Metrics against {metas[0].human}: {'; '.join(map(measured_words, metas))} "
        f"({metas[0].n_systems} systems)",
        columns=tuple(columns),
        rows=tuple(map(tuple, cells)),
        rules=first.rules,
        bold=frozenset((i, 0) for i, c in enumerate(metas[0].cluster) if c == 1),
        verdict=(*by_each(names, [one[0] for one in sentences]), *caveats),
        unit=first.unit,
        words=first.words,
        legend=f"Clusters: metrics in one do not differ significantly; rules are those of {names[0]}.",
        notes=_all_notes(metas),
        signature="\n".join(one.settings.signature for one in metas),
        short_signature=short_signature([one.settings for one in metas]),
    )
    return Together(results=tuple(metas), table=table, labels=tuple(one.method for one in metas))


def by_each(names: Sequence[str], sentences: Sequence[str]) -> tuple[str, ...]:
    """Return what each method says; methods that say the same share a sentence.

    Examples
    --------
    >>> by_each(["BLEU", "chrF2", "TER"], ["A is best.", "B is best.", "A is best."])
    ('By BLEU and TER: A is best.', 'By chrF2: B is best.')
    """
    same: dict[str, list[str]] = {}
    for name, sentence in zip(names, sentences, strict=True):
        same.setdefault(sentence, []).append(name)
    return tuple(f"By {_listed(sharing)}: {sentence}" for sentence, sharing in same.items())


def _all_notes(results: Sequence[Result]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for result in results for note in result.notes))


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
