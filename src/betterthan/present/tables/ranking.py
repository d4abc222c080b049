"""A ranking as a table, and what it says in words."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.pairwise import correction_words
from betterthan.results.ranking import Ranking
from betterthan.results.units import unit_line

_NAMES = {"bradley_terry": "Bradley–Terry", "elo": "Elo", "trueskill": "TrueSkill"}


def method_name(method: str) -> str:
    """Return a method's name as people write it.

    Examples
    --------
    >>> method_name("bradley_terry"), method_name("win_rate")
    ('Bradley–Terry', 'win rate')
    """
    return _NAMES.get(method, method.replace("_", " "))


def ranking_table(result: Ranking) -> Table:
    """Return the table of a ranking: best first, a rule between clusters, a star for a significant lead."""
    digits = digits_for((result.high - result.low) / 2, result.strength)
    name = method_name(result.settings.method)
    columns = [
        TableColumn(heading="rank", kind="integer"),
        TableColumn(heading="rank range", kind="count"),
        TableColumn(heading="system"),
        TableColumn(heading=name, kind="number", digits=digits),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits),
    ]
    if result.order_spread is not None:
        columns.append(TableColumn(heading="± orders", kind="number", digits=digits))
    columns.append(TableColumn(heading="P(beats next)", kind="count"))
    if any(result.letters):
        columns.append(TableColumn(heading="group"))
    return Table(
        title=f"Ranking by {name}: {result.unit}",
        columns=tuple(columns),
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 2) for i, r in enumerate(result.rank) if r == 1),
        verdict=(_winner(result),),
        unit=unit_line(result.unit_note, result.units),
        words=_needed(result),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _row(result: Ranking, i: int) -> tuple[TableCell, ...]:
    low, high = int(result.rank_low[i]), int(result.rank_high[i])
    spread = f"{low}" if low == high else f"{low}–{high}"
    beats = float(result.beats_next[i])
    star = "*" if result.differs_from_next[i] else " "
    cells: list[TableCell] = [int(result.rank[i]), spread, result.systems[i], float(result.strength[i])]
    cells.append((float(result.low[i]), float(result.high[i])))
    if result.order_spread is not None:
        cells.append(float(result.order_spread[i]))
    cells.append("" if beats != beats else f"{beats:.2f}{star}")  # noqa: PLR0124  (NaN)
    return (*cells, result.letters[i]) if any(result.letters) else tuple(cells)


def _legend(result: Ranking) -> str:
    starred = "* significantly better than the next"
    if not any(result.letters):
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


def tests_of(result: Ranking) -> str:
    """Return which tests decide, and how they are corrected."""
    names = {"wald": "Wald tests", "t": "t-tests", "mood": "median tests", "strengths": "tests of strengths"}
    return f"{names.get(result.test, f'{result.test} tests')}, {correction_words(result.correction)}"


def _winner(result: Ranking) -> str:
    if result.undecidable:
        return f"No system can be called best. {result.undecidable}"
    m = len(result.systems)
    n_pairs = m * (m - 1) // 2
    over = f" for {n_pairs:,} pairs" if n_pairs > 1 and result.correction != "none" else ""
    how = f"p ≤ {1 - result.confidence:.3g}, {tests_of(result)}{over}"
    first = [name for name, low in zip(result.systems, result.rank_low, strict=True) if low == 1]
    if len(first) == 1:
        others = result.systems[1] if m == 2 else f"all {m - 1} others"
        return f"{first[0]} is significantly better than {others} ({how})."
    if len(first) == m:
        if m == 2:
            return f"There is no significant difference between {' and '.join(result.systems)} ({how})."
        return f"There are no significant differences among the {m} systems ({how})."
    named = ", ".join(first[:4]) + (f" and {len(first) - 4} more" if len(first) > 4 else "")
    return f"{len(first)} of {m} systems may be the best, with no significant difference among them: {named} ({how})."
