"""A ranking as a table, and what it says in words."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Cell, Column, Table
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
    words = tuple(line for line in (unit_line(result.unit_note, result.units), *_words(result)) if line)
    columns = [
        Column(heading="rank", kind="integer"),
        Column(heading="spread", kind="count"),
        Column(heading="system"),
        Column(heading=name, kind="number", digits=digits),
        Column(heading=percent(result.confidence), kind="interval", digits=digits),
    ]
    if result.order_spread is not None:
        columns.append(Column(heading="± orders", kind="number", digits=digits))
    columns.append(Column(heading="beats next", kind="count"))
    if any(result.letters):
        columns.append(Column(heading="letters"))
    return Table(
        title=f"Ranking by {name}: {result.unit}",
        columns=tuple(columns),
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 2) for i, r in enumerate(result.rank) if r == 1),
        words=words,
        notes=result.notes,
        signature=result.settings.signature,
    )


def _row(result: Ranking, i: int) -> tuple[Cell, ...]:
    low, high = int(result.rank_low[i]), int(result.rank_high[i])
    spread = f"{low}" if low == high else f"{low}–{high}"
    beats = float(result.beats_next[i])
    star = "*" if result.differs_from_next[i] else " "
    cells: list[Cell] = [int(result.rank[i]), spread, result.systems[i], float(result.strength[i])]
    cells.append((float(result.low[i]), float(result.high[i])))
    if result.order_spread is not None:
        cells.append(float(result.order_spread[i]))
    cells.append("" if beats != beats else f"{beats:.2f}{star}")  # noqa: PLR0124  (NaN)
    return (*cells, result.letters[i]) if any(result.letters) else tuple(cells)


def _words(result: Ranking) -> tuple[str, ...]:
    level = f"level {1 - result.confidence:.3g} ({tests_of(result)})"
    n_pairs = len(result.systems) * (len(result.systems) - 1) // 2
    letters = (
        "Systems that share a letter do not differ significantly."
        if any(result.letters)
        else "Of so many systems no letters are given."
    )
    legend = (
        f"* significantly better than the next. {letters} Beats next: share of comparisons won, ties "
        f"half. Spread: ranks the data allow. Lines separate significance clusters. "
        f"{percent(result.confidence)}: interval of each system by itself; verdicts corrected for {n_pairs:,} "
        f"{'pair' if n_pairs == 1 else 'pairs'}."
    )
    return (_winner(result, level), *_needed(result), legend)


def _needed(result: Ranking) -> tuple[str, ...]:
    """Say how many segments the first lead would need that is not significant."""
    if result.segments_needed is None:
        return ()
    there = result.settings.n_segments or 0
    for i, n in enumerate(result.segments_needed[:-1].tolist()):
        if not result.differs_from_next[i] and n > there:
            many = f"{float(f'{n:.2g}'):,.0f}"
            a, b = result.systems[i], result.systems[i + 1]
            line = (
                f"{a} and {b} do not differ significantly: a difference of this size would take about {many} segments "
                f"to be shown four times out of five."
            )
            return (line,)
    return ()


def tests_of(result: Ranking) -> str:
    """Return which tests decide, and how they are corrected."""
    names = {"wald": "Wald tests", "t": "t-tests", "mood": "median tests", "strengths": "tests of strengths"}
    return f"{names.get(result.test, f'{result.test} tests')}, {correction_words(result.correction)}"


def _winner(result: Ranking, level: str) -> str:
    if result.undecidable:
        return f"No system can be called best. {result.undecidable}"
    first = [name for name, high in zip(result.systems, result.rank_low, strict=True) if high == 1]
    if len(first) == 1:
        return f"{first[0]} is significantly better than all others at {level}."
    if len(first) == len(result.systems):
        return f"No system can be called best at {level}."
    named = ", ".join(first[:4]) + (f" and {len(first) - 4} more" if len(first) > 4 else "")
    return f"{len(first)} systems may be best, without a significant difference at {level}: {named}."
