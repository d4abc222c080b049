"""A ranking as a table, and what it says in words.

Agreements as tables, two rankings per row; scores aggregated three ways, one system per row.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from betterthan.messages import HUMANS_RANKED, Message
from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.pairwise import correction_words
from betterthan.present.tables.standing import best_sentence, method_name, rank_range, shows_letters
from betterthan.results.pairwise import equals_p
from betterthan.results.ranking import Aggregated, Agreement, Ranking
from betterthan.results.settings import unit_line

_FEW_ITEMS = 3


def ranking_table(result: Ranking) -> Table:
    """Return the table of a ranking: best first, a rule between clusters, a star for a significant lead."""
    digits = digits_for((result.high - result.low) / 2, result.strength)
    columns = [
        TableColumn(heading="rank", kind="integer"),
        TableColumn(heading="rank range", kind="count", in_paper=not any(result.letters)),
        TableColumn(heading="system"),
        TableColumn(heading=method_name(result.settings.method), kind="number", digits=digits),
        _interval_column(result, digits),
    ]
    if result.votes is not None:
        columns.append(TableColumn(heading="votes", kind="integer", spare=1))
    if result.order_spread is not None:
        columns.append(TableColumn(heading="± orders", kind="number", digits=digits, spare=2))
    if result.sigma is not None:
        columns.append(TableColumn(heading="σ", kind="number", digits=digits, spare=2))
    columns.append(TableColumn(heading="P(beats next)", kind="count", spare=3))
    if shows_letters(result.letters):
        columns.append(TableColumn(heading="group", spare=1))
    return Table(
        title=f"Ranking by {method_name(result.settings.method)}: {result.unit}",
        columns=tuple(columns),
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 2) for i, r in enumerate(result.rank) if r == 1),
        verdict=(ranking_verdict(result), *(note for note in result.notes if _changes_verdict(note))),
        unit=unit_line(result.unit_note, result.units),
        words=(*_needed(result), *_about_items(result), *_about_effects(result)),
        legend=_legend(result),
        notes=tuple(note for note in result.notes if not _changes_verdict(note)),
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _changes_verdict(note: str) -> bool:
    return isinstance(note, Message) and note.code == HUMANS_RANKED


def _interval_column(result: Ranking, digits: int) -> TableColumn:
    """Return the column of intervals: as ± where both sides are alike, as those of battles are."""
    level = percent(result.confidence)
    if _is_plus_minus(result):
        return TableColumn(heading=f"± ({level})", kind="number", digits=digits)
    return TableColumn(heading=f"{level} CI", kind="interval", digits=digits)


def _is_plus_minus(result: Ranking) -> bool:
    up, down = result.high - result.strength, result.strength - result.low
    return result.votes is not None and bool(np.allclose(up, down, rtol=1e-6))


def _row(result: Ranking, i: int) -> tuple[TableCell, ...]:
    ranks = rank_range(int(result.rank_low[i]), int(result.rank_high[i]))
    low, high = float(result.low[i]), float(result.high[i])
    cells: list[TableCell] = [int(result.rank[i]), ranks, result.systems[i], float(result.strength[i])]
    cells.append((high - low) / 2 if _is_plus_minus(result) else (low, high))
    if result.votes is not None:
        cells.append(int(result.votes[i]))
    if result.order_spread is not None:
        cells.append(float(result.order_spread[i]))
    if result.sigma is not None:
        cells.append(float(result.sigma[i]))
    cells.append(_beats_next(result, i))
    return (*cells, result.letters[i]) if shows_letters(result.letters) else tuple(cells)


def _beats_next(result: Ranking, i: int) -> str:
    share = float(result.beats_next[i])
    star = "*" if result.differs_from_next[i] else " "
    if not math.isnan(share):
        return f"{share:.2f}{star}"
    is_last = i == len(result.systems) - 1
    return "" if is_last or result.votes is None else f"never met{star}"


def _legend(result: Ranking) -> str:
    starred = "* significantly better than the next"
    if not shows_letters(result.letters):
        return f"{starred}; rules separate significance clusters."
    return f"{starred}; systems that share a letter do not differ significantly."


def _needed(result: Ranking) -> tuple[str, ...]:
    """Say how many segments the first lead would need that is not significant."""
    if result.segments_needed is None:
        return ()
    there = result.settings.n_segments or 0
    for i, n in enumerate(result.segments_needed[:-1].tolist()):
        if not result.differs_from_next[i] and n > there:
            many = f"{float(f'{n:.2g}'):,.0f}"
            a, b = result.systems[i], result.systems[i + 1]
            line = f"To show a difference like that of {a} and {b} with 80% power would take about {many} segments."
            return (line,)
    return ()


def _about_items(result: Ranking) -> tuple[str, ...]:
    """Name the hardest items, and those that separate the systems best."""
    if result.items is None:
        return ()
    hardest, spread = ", ".join(result.items.hardest(_FEW_ITEMS)), result.items.difficulty_spread
    line = f"Hardest items: {hardest} (difficulties vary with a standard deviation of {spread:.2g})."
    sharpest = ", ".join(result.items.most_discriminating(_FEW_ITEMS))
    return (line, f"Items that separate the systems best: {sharpest}.") if sharpest else (line,)


def _about_effects(result: Ranking) -> tuple[str, ...]:
    """State the effect of each covariate on the odds of winning."""
    if result.effects is None:
        return ()
    effects, level, lines = result.effects, percent(result.confidence), []
    limits = np.exp(np.clip([effects.log_odds, effects.low, effects.high], -300, 300)).T.tolist()
    for name, (odds, low, high), p in zip(effects.names, limits, effects.pvalue.tolist(), strict=True):
        reach = f"{level} CI {low:.3g} to {high:.3g}, {equals_p(p)}"
        lines.append(f"Effect of {name}: odds × {odds:.3g} per standard deviation ({reach}).")
    return ("Strengths are those at equal covariates.", *lines)


def tests_of(result: Ranking) -> str:
    """Return which tests decide, and how they are corrected."""
    names = {"wald": "Wald tests", "t": "t-tests", "mood": "median tests", "strengths": "tests of strengths"}
    tests = names.get(result.test, f"{result.test} tests")
    return tests if len(result.systems) == 2 else f"{tests}, {correction_words(result.correction)}"


def ranking_verdict(result: Ranking) -> str:
    """Return which system is best, or why none can be called so."""
    if result.undecidable:
        return f"No system can be called best. {result.undecidable}"
    m = len(result.systems)
    n_pairs = m * (m - 1) // 2
    over = f" for {n_pairs:,} pairs" if n_pairs > 1 and result.correction != "none" else ""
    return best_sentence(result, 1 - result.confidence, f"{tests_of(result)}{over}")


# Short headings, so that names of systems fit.
_WAYS = {"pooled": "pooled", "segment_mean": "segment mean", "bootstrap_mean": "bootstrap mean"}

_LEGEND = (
    "Pooled: score of the summed counts. Segment mean: mean of segment scores. Bootstrap mean: mean over resampled "
    "corpora."
)


def aggregated_table(result: Aggregated) -> Table:
    """Return the three scores of each system with their intervals, and in words where their orders differ."""
    digits = digits_for((result.pooled_high - result.pooled_low) / 2, result.pooled)
    columns = [TableColumn(heading="rank", kind="integer"), TableColumn(heading="system")]
    for heading in _WAYS.values():
        columns.append(TableColumn(heading=heading, kind="number", digits=digits))
        columns.append(
            TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits)
        )
    direction = "higher" if result.higher_is_better else "lower"
    segments = f"{result.n_segments:,} segment{'' if result.n_segments == 1 else 's'}"
    cluster = result.cluster.tolist()
    return Table(
        title=f"{result.metric}, {direction} is better, {segments}",
        columns=(*columns, _last_column(result)),
        rows=tuple(_aggregated_row(result, i) for i in range(len(result.systems))),
        rules=frozenset(i for i in range(len(cluster) - 1) if cluster[i] != cluster[i + 1]),
        bold=frozenset((i, 1) for i, rank in enumerate(result.rank) if rank == 1),
        verdict=tuple(line for line in (result.undecidable or _best(result),) if line),
        unit=unit_line(result.unit_note, str(result.settings.options["units"])),
        words=_words(result),
        legend=_LEGEND,
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _aggregated_row(result: Aggregated, i: int) -> tuple[TableCell, ...]:
    cells: list[TableCell] = [int(result.rank[i]), result.systems[i]]
    for way in _WAYS:
        cells.append(float(getattr(result, way)[i]))
        cells.append((float(getattr(result, f"{way}_low")[i]), float(getattr(result, f"{way}_high")[i])))
    ranks = rank_range(int(result.rank_low[i]), int(result.rank_high[i]))
    return (*cells, result.letters[i] if shows_letters(result.letters) else ranks)


def _last_column(result: Aggregated) -> TableColumn:
    if shows_letters(result.letters):
        return TableColumn(heading="group", spare=1)
    return TableColumn(heading="rank range", kind="count", spare=1)


def _words(result: Aggregated) -> tuple[str, ...]:
    words = [_orders(result)] if len(result.systems) > 1 else []
    if not math.isnan(result.effective_segments):
        words.append(
            f"Pooled scores have an effective sample size of {number(result.effective_segments, 0)} of "
            f"{number(result.n_segments, 0)} segments; the longest 10% carry {100 * result.longest_tenth:.0f}% of the "
            f"weight."
        )
    return tuple(words)


def _best(result: Aggregated) -> str:
    return best_sentence(
        result, 1 - result.confidence, "permutation tests of the pooled score, Holm-adjusted"
    )


def _orders(result: Aggregated) -> str:
    """Return how many pairs each of the other two orders otherwise than the pooled score."""
    n_pairs = len(result.systems) * (len(result.systems) - 1) // 2
    parts = []
    for way in ("segment_mean", "bootstrap_mean"):
        turned = [
            (a, b)
            for (a, x, u), (b, y, v) in combinations(
                zip(result.systems, result.pooled.tolist(), getattr(result, way).tolist(), strict=True), 2
            )
            if (x - y) * (u - v) < 0
        ]
        named = "; ".join(f"{a} and {b}" for a, b in turned[:3]) + ("; …" if len(turned) > 3 else "")
        parts.append(f"the {_WAYS[way]} reverses {len(turned) or 'none'}" + (f" ({named})" if turned else ""))
    pairs = "the one pair" if n_pairs == 1 else f"the {n_pairs:,} pairs"
    return f"Compared with the pooled score, of {pairs} {' and '.join(parts)}."


def agreement_table(result: Agreement) -> Table:
    """Return how each two rankings order the pairs of systems, and whether their tops are the same."""
    columns = (
        TableColumn(heading="rankings"),
        TableColumn(heading="alike", kind="number"),
        TableColumn(heading="opposite", kind="number"),
        TableColumn(heading="tied in one", kind="number"),
        TableColumn(heading="tau-b", kind="number"),
        TableColumn(heading="same best"),
        TableColumn(heading=f"same top {result.top}"),
    )
    rows = tuple(
        (
            f"{c.first} and {c.second}",
            _share(c.alike),
            _share(c.flipped),
            _share(c.tied),
            c.tau_b,
            "yes" if c.same_best else "no",
            "yes" if c.same_top else "no",
        )
        for c in result.comparisons
    )
    return Table(
        title=f"Agreement of {len(result.rankings)} rankings of {len(result.systems)} systems",
        columns=columns,
        rows=rows,
        verdict=result.sentences[:1],
        words=result.sentences[1:],
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _share(value: float) -> str:
    return "–" if value != value else percent(round(value, 3))  # noqa: PLR0124  (NaN is not equal to itself)
