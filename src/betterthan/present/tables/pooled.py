"""Pooled scores of texts: one metric by rank, several metrics beside each other, or each against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.agreement import aggregated_table
from betterthan.present.tables.standing import rank_range, shows_letters, some_names
from betterthan.present.tables.together import Together, by_each
from betterthan.results.agreement import Aggregated
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.settings import short_signature


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
