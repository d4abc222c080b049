"""The first rows of a table in canonical columns, and a one-line summary."""

from __future__ import annotations

from functools import singledispatch

from betterthan.tables.any_table import AnyTable
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

ROWS = 3
_LONGEST = 40

Preview = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def preview_of(tables: tuple[AnyTable, ...]) -> Preview:
    """Return canonical column names and the first rows of the first table, as text."""
    if not tables:
        return (), ()
    columns, rows = preview(tables[0])
    return columns, tuple(tuple(map(_short, row)) for row in rows)


@singledispatch
def preview(table: AnyTable) -> Preview:
    """Return canonical column names and the first rows of a table, as text."""
    raise TypeError(f"There is no preview for {type(table).__name__}.")


@preview.register
def _scores(table: Scores) -> Preview:
    shown = range(min(ROWS, table.n_segments))
    rows = tuple(
        (
            table.segments[j],
            table.systems[0],
            _number(table.values[0, j]),
            table.name,
            *_group(table.groups, j),
        )
        for j in shown
    )
    return ("item", "system", "score", "metric", *(["doc"] if table.groups else [])), rows


@preview.register
def _matches(table: Matches) -> Preview:
    if table.segment is None:
        table = table.aggregated()  # also with judges, which the preview does not show
    rows = tuple(
        (
            table.systems[table.left[t]],
            table.systems[table.right[t]],
            _number(table.outcome[t]),
            _number(table.weight[t]),
        )
        for t in range(min(ROWS, table.left.size))
    )
    return ("a", "b", "outcome", "weight"), rows


@preview.register
def _ratings(table: Ratings) -> Preview:
    rows = tuple(
        (
            table.segments[table.segment[t]],
            table.systems[table.system[t]],
            table.judges[table.judge[t]],
            _number(table.score[t]),
        )
        for t in range(min(ROWS, table.n_judgements))
    )
    return ("item", "system", "rater", "score"), rows


@preview.register
def _runs(table: Runs) -> Preview:
    rows = tuple(
        (
            table.segments[table.segment[t]],
            table.systems[table.system[t]],
            table.runs[table.run[t]],
            _number(table.score[t]),
        )
        for t in range(min(ROWS, table.score.size))
    )
    return ("item", "system", "run", "score"), rows


@preview.register
def _tags(table: WordTags) -> Preview:
    words = [bool(bad) for bad in table.gold[: table.offsets[1]]]
    tags = ["BAD" if bad else "OK" for bad in words]
    rows = tuple((table.segments[0], "@gold", str(position), tag) for position, tag in enumerate(tags[:ROWS]))
    return ("item", "system", "position", "tag"), rows


@preview.register
def _texts(table: Texts) -> Preview:
    shown = range(min(ROWS, len(table.segments)))
    rows = tuple((table.segments[j], table.systems[0], _short(table.outputs[0][j])) for j in shown)
    return ("item", "system", "text"), rows


@singledispatch
def summary(table: AnyTable) -> str:
    """Return a one-line summary of a table.

    Examples
    --------
    >>> summary(Scores(name="TER", systems=["A"], segments=["1"], values=[[3]], higher_is_better=False))
    'scores "TER": 1 system × 1 segment, lower is better'
    """
    raise TypeError(f"There is no summary for {type(table).__name__}.")


@summary.register
def _scores_summary(table: Scores) -> str:
    groups = f" in {_many(len(set(table.groups)), 'document')}" if table.groups else ""
    gaps = f", {table.n_missing:,} missing" if table.n_missing else ""
    size = f"{_many(table.n_systems, 'system')} × {_many(table.n_segments, 'segment')}{groups}"
    return f'scores "{_short(table.name)}": {size}, {table.direction}{gaps}'


@summary.register
def _matches_summary(table: Matches) -> str:
    ties = float(table.weight[table.outcome == 0.5].sum())
    return f"battles: {table.n_matches:,.10g} between {_many(table.n_systems, 'system')}, {ties:,.10g} of them ties"


@summary.register
def _ratings_summary(table: Ratings) -> str:
    size = f"{_many(len(table.systems), 'system')} × {_many(len(table.segments), 'segment')}"
    judges = _many(len(table.judges), "judge")
    return f'ratings "{_short(table.name)}": {table.n_judgements:,} of {size} by {judges}, {table.direction}'


@summary.register
def _runs_summary(table: Runs) -> str:
    size = f"{_many(table.n_systems, 'system')} × {_many(table.n_segments, 'segment')}"
    return f'runs "{_short(table.name)}": {size}, {table.runs_in_words}, {table.direction}'


@summary.register
def _tags_summary(table: WordTags) -> str:
    share = f"{100 * table.gold.mean():.1f}% BAD" if table.n_words else "no words"
    size = f"{_many(len(table.segments), 'segment')}, {_many(table.n_words, 'word')}"
    return f"word tags: {_many(len(table.systems), 'system')}, {size}, {share}"


@summary.register
def _texts_summary(table: Texts) -> str:
    size = f"{_many(len(table.systems), 'system')} × {_many(len(table.segments), 'segment')}"
    return f"texts: {size}, {_many(len(table.references), 'reference')}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:g}" if value == value else ""  # noqa: PLR0124  (a missing number differs from itself)


def _group(groups: tuple[str, ...] | None, j: int) -> tuple[str, ...]:
    return () if groups is None else (groups[j],)


def _short(text: str | None) -> str:
    if text is None:
        return ""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
