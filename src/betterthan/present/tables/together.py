"""Several results that answer one question, as one table: rankings by several methods, metrics by several measures.

The first result gives the order of the rows. Each of the others adds its columns, so that a reader sees at once where
they disagree. CSV has the rows of all results, and a first column that says to which each belongs.

Pooled scores of texts: one metric by rank, several metrics beside each other, or each against a baseline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.metrics import (
    DIGITS,
    different_measure_names,
    measured_words,
    meta_evaluation_table,
    meta_verdict,
)
from betterthan.present.tables.ranking import aggregated_table, ranking_table, ranking_verdict
from betterthan.present.tables.standing import method_name, rank_range, shows_letters, some_names
from betterthan.results.base import Result
from betterthan.results.metrics import MetaEvaluation
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Aggregated, Ranking
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


def pooled_scores(
    results: Sequence[Aggregated], pairs: Sequence[PairwiseTable] = (), baseline: str | None = None
) -> Together:
    """Return the pooled scores of one or several metrics as one table.

    Parameters
    ----------
    results : sequence of Aggregated
        One for each metric, of the same systems.
    pairs : sequence of PairwiseTable, optional
        For each metric the comparisons with the baseline.
    baseline : str, optional
    """
    if baseline is not None:
        table, listed = _against(results, pairs, baseline), _differences(results, pairs, baseline)
        return Together(results=(*results, *pairs), table=table, listed=listed)
    table = _ranked(results[0]) if len(results) == 1 else _beside(results)
    labels = tuple(result.metric for result in results)
    return Together(results=tuple(results), table=table, labels=labels, label_name="metric")


def _ranked(result: Aggregated) -> Table:
    """Return one metric with ranks and groups; the other ways of aggregating are left out."""
    digits = _digits(result)
    has_letters = shows_letters(result.letters)
    columns = (
        TableColumn(heading="rank", kind="integer"),
        *([] if has_letters else [TableColumn(heading="rank range", kind="count", spare=1)]),
        TableColumn(heading="system"),
        TableColumn(heading=result.metric, kind="number", digits=digits),
        TableColumn(heading=_interval(result), kind="interval", digits=digits),
        *([TableColumn(heading="group", spare=1)] if has_letters else []),
    )
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            int(result.rank[i]),
            *([] if has_letters else [rank_range(int(result.rank_low[i]), int(result.rank_high[i]))]),
            result.systems[i],
            float(result.pooled[i]),
            (float(result.pooled_low[i]), float(result.pooled_high[i])),
            *([result.letters[i]] if has_letters else []),
        )
        for i in range(len(result.systems))
    )
    place = 1 if has_letters else 2
    whole = aggregated_table(result)
    return replace(
        whole,
        columns=columns,
        rows=rows,
        bold=frozenset((i, place) for i, _ in whole.bold),
        words=(),
        legend=_legend(result, has_letters=has_letters),
        notes=_notes([result]),
    )


def _legend(result: Aggregated, *, has_letters: bool) -> str:
    if len(result.systems) < 2:
        return ""
    if has_letters:
        return "Systems that share a letter do not differ significantly."
    return "Rules separate significance clusters."


def _beside(results: Sequence[Aggregated]) -> Table:
    """Return metrics beside each other, systems in the order of the first."""
    first = results[0]
    columns: list[TableColumn] = [TableColumn(heading="system")]
    cells: list[list[TableCell]] = [[name] for name in first.systems]
    for result in results:
        digits = _digits(result)
        columns += [
            TableColumn(heading=result.metric, kind="number", digits=digits),
            TableColumn(heading=_interval(result), kind="interval", digits=digits, spare=1),
        ]
        place = {name: i for i, name in enumerate(result.systems)}
        for name, row in zip(first.systems, cells, strict=True):
            i = place[name]
            row.extend([float(result.pooled[i]), (float(result.pooled_low[i]), float(result.pooled_high[i]))])
    cluster = first.cluster.tolist()
    verdicts = [" ".join(aggregated_table(result).verdict) for result in results]
    return Table(
        title=_title(results),
        columns=tuple(columns),
        rows=tuple(map(tuple, cells)),
        rules=frozenset(i for i in range(len(cluster) - 1) if cluster[i] != cluster[i + 1]),
        verdict=by_each([result.metric for result in results], verdicts) if any(verdicts) else (),
        unit=aggregated_table(first).unit,
        legend=f"Rules separate significance clusters by {first.metric}." if len(first.systems) > 1 else "",
        notes=_notes(results),
        signature="\n".join(one.settings.signature for one in results),
        short_signature=short_signature([one.settings for one in results]),
    )


def _against(results: Sequence[Aggregated], pairs: Sequence[PairwiseTable], baseline: str) -> Table:
    """Return for each metric the baseline, and every other system with its difference from it."""
    rows: list[tuple[TableCell, ...]] = []
    rules: set[int] = set()
    verdicts = []
    n_tests = len(results) * (len(results[0].systems) - 1)
    corrected = n_tests > 1
    digits = max(_digits(result) for result in results)
    for result, compared in zip(results, pairs, strict=True):
        order = [baseline, *(name for name in result.systems if name != baseline)]
        place = {name: i for i, name in enumerate(result.systems)}
        base = float(result.pooled[place[baseline]])
        for name in order:
            i = place[name]
            score = float(result.pooled[i])
            if name == baseline:
                difference: tuple[TableCell, ...] = ("baseline", "", "")
            else:
                pair = compared.pair(name, baseline)
                # Pairs speak of goodness; here a lower TER is a negative difference.
                ends = (pair.low, pair.high) if result.higher_is_better else (-pair.high, -pair.low)
                star = "*" if pair.verdict else " "
                p = TableColumn(heading="p", kind="pvalue").written(pair.adjusted)
                difference = (score - base, ends, f"{p}{star}")
            rows.append((result.metric if name == baseline else "", name, score, *difference))
        rules.add(len(rows) - 1)
        verdicts.append(_baseline_verdict(compared, order, baseline))
    level = percent(results[0].confidence)
    by = f" of {len(results)} metrics" if len(results) > 1 else ""
    adjusted = f", Holm-adjusted for {n_tests:,} comparisons{by}" if corrected else ""
    return Table(
        title=f"{_title(results)}, compared with {baseline}",
        columns=(
            TableColumn(heading="metric"),
            TableColumn(heading="system"),
            TableColumn(heading="score", kind="number", digits=digits),
            TableColumn(heading="difference", kind="number", digits=digits),
            TableColumn(heading=f"{level} CI", kind="interval", digits=digits),
            TableColumn(heading="p adjusted" if corrected else "p", kind="count"),
        ),
        rows=tuple(rows),
        rules=frozenset(rules),
        verdict=by_each([result.metric for result in results], verdicts),
        unit=aggregated_table(results[0]).unit,
        legend=f"* p ≤ {pairs[0].alpha:g}, permutation test of the pooled score{adjusted}.",
        notes=_notes([*results, *pairs]),
        signature="\n".join(one.settings.signature for one in (*results, *pairs)),
        short_signature=short_signature([one.settings for one in results]),
    )


def _baseline_verdict(compared: PairwiseTable, order: Sequence[str], baseline: str) -> str:
    verdicts = {name: compared.pair(name, baseline).verdict for name in order[1:]}
    better = [name for name, winner in verdicts.items() if winner == name]
    worse = [name for name, winner in verdicts.items() if winner == baseline]
    alike = [name for name, winner in verdicts.items() if winner is None]
    parts = []
    if better:
        parts.append(f"{some_names(better)} {_is(better)} significantly better than {baseline}")
    if worse:
        parts.append(f"{some_names(worse)} {_is(worse)} significantly worse than {baseline}")
    if alike:
        parts.append(f"{some_names(alike)} {_is(alike)} not significantly different from {baseline}")
    return f"{'; '.join(parts)}."


def _title(results: Sequence[Aggregated]) -> str:
    n = results[0].n_segments
    return f"{', '.join(map(_heading, results))}, {n:,} segment{'' if n == 1 else 's'}"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _heading(result: Aggregated) -> str:
    """Return the metric and, where a reader may not expect it, its direction."""
    return result.metric if result.higher_is_better else f"{result.metric} (lower is better)"


def _digits(result: Aggregated) -> int:
    return digits_for((result.pooled_high - result.pooled_low) / 2, result.pooled)


def _interval(result: Aggregated) -> str:
    return f"{percent(result.confidence)} CI"


def _differences(
    results: Sequence[Aggregated], pairs: Sequence[PairwiseTable], baseline: str
) -> dict[str, list[Any]]:
    """Return one row per metric and system with all digits; a difference is the score less that of the baseline."""
    rows = []
    for result, compared in zip(results, pairs, strict=True):
        place = {name: i for i, name in enumerate(result.systems)}
        base = float(result.pooled[place[baseline]])
        for name, i in place.items():
            score = float(result.pooled[i])
            row = {"metric": result.metric, "system": name, "score": score}
            row |= {"low": float(result.pooled_low[i]), "high": float(result.pooled_high[i])}
            if name == baseline:
                rest: dict[str, Any] = dict.fromkeys(_OF_DIFFERENCE)
            else:
                pair = compared.pair(name, baseline)
                ends = (pair.low, pair.high) if result.higher_is_better else (-pair.high, -pair.low)
                values = (score - base, *ends, pair.pvalue, pair.adjusted, pair.verdict)
                rest = dict(zip(_OF_DIFFERENCE, values, strict=True))
            rows.append({**row, "baseline": baseline, **rest})
    return {name: [row[name] for row in rows] for name in rows[0]}


_OF_DIFFERENCE = ("difference", "difference_low", "difference_high", "pvalue", "adjusted", "verdict")


def _notes(results: Sequence[Aggregated | PairwiseTable]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for result in results for note in result.notes))
