"""When battles are counted by judge or session, and what is said when they are not.

Battles of one judge resemble each other, so errors should be clustered by judge. Counting by (left, right, winner,
judge) keeps what that needs; only where it would give millions of cells, nearly as many as rows, is it given up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from betterthan.errors import ReadError
from betterthan.read.formats.battles.battle_columns import BattleColumns

MOST_CELLS = 5_000_000
FEWEST_JUDGES = 5
FEWEST_ITEMS = 5
MOSTLY_ALONE = 0.9
MOST_ROWS = 5_000_000
_ALONE = "so every battle counts as independent of the others"
_NOT_GROUPED = "so battles are not grouped by it"


class Judged(NamedTuple):
    """What is known about the column of the judge before battles are counted by it."""

    n_rows: int
    n_empty: int
    n_judges: int
    n_cells: int


def usable(columns: BattleColumns, found: Judged) -> tuple[BattleColumns, tuple[str, ...]]:
    """Return the columns with the judge, or without it and the note that says why.

    A judge that the user asked for is kept however few there are; gaps must have been refused before. Without it
    battles are independent, unless they are still grouped by question.

    Examples
    --------
    >>> columns = BattleColumns(left="a", right="b", winner=("winner",), judge="judge", needs_judge=False)
    >>> usable(columns, Judged(n_rows=100, n_empty=0, n_judges=1, n_cells=6))[1]
    ('The column "judge" has only 1 different value, so every battle counts as independent of the others.',)
    """
    name = f'"{columns.judge}"'
    why = None
    if found.n_empty:
        why = f"The column {name} is empty in {found.n_empty:,} of {found.n_rows:,} rows"
    elif not columns.needs_judge and not columns.whole and found.n_judges < FEWEST_JUDGES:
        values = "value" if found.n_judges == 1 else "values"
        why = f"The column {name} has only {found.n_judges} different {values}"
    elif not columns.keeps_rows and found.n_cells > MOST_CELLS:
        why = f"Counting by {name} would give about {found.n_cells:,} cells, more than {MOST_CELLS:,}"
    if why is None:
        return columns, ()
    return replace(columns, judge=None), (f"{why}, {_ALONE if columns.item is None else _NOT_GROUPED}.",)


def with_repeated_item(columns: BattleColumns, n_rows: int, n_items: int, n_empty: int) -> BattleColumns:
    """Return the columns with the segment where battles share it: both orders of a question, several judges of it.

    Battles over one question resemble each other, so errors should be clustered by question as well. A column that
    hardly ever repeats itself numbers the rows.

    Examples
    --------
    >>> columns = BattleColumns(left="a", right="b", winner=("winner",), maybe_item="question_id")
    >>> with_repeated_item(columns, 100, 50, 0).item, with_repeated_item(columns, 100, 100, 0).item
    ('question_id', None)
    """
    is_shared = FEWEST_ITEMS <= n_items < MOSTLY_ALONE * n_rows and n_rows <= MOST_ROWS and not n_empty
    if columns.maybe_item is None or not is_shared:
        return columns
    return replace(columns, item=columns.maybe_item, needs_item=False)


def repeated_note(column: str, n_items: int) -> str:
    """Say that battles over one question belong together.

    Examples
    --------
    >>> repeated_note("question_id", 80)
    'Battles with the same value in the column "question_id" belong together (80 different values).'
    """
    return f'Battles with the same value in the column "{column}" belong together ({n_items:,} different values).'


def grouped_note(column: str, n_judges: int) -> str:
    """Say by what battles are grouped.

    Examples
    --------
    >>> grouped_note("worker", 12)
    'Battles are grouped by the column "worker" (12 different values).'
    """
    return f'Battles are grouped by the column "{column}" ({n_judges:,} different values).'


def empty_judge(column: str, n_empty: int, *, path: str | None, line: int | None, row: int) -> ReadError:
    """Return the error for rows without a judge or item (BT127)."""
    here = "here" if line is not None else f"in row {row:,}"
    return ReadError(
        f'The column "{column}" is empty {here} and in {n_empty - 1:,} other rows. '
        f"Fill it in, or read the battles without it.",
        path=path,
        line=line,
        row=row if line is None else None,
        code="BT127",
    )


def too_many_note(n_rows: int) -> str:
    """Say that battles were counted, and what that gives up."""
    return (
        f"{n_rows:,} battles are more than {MOST_ROWS:,}, so they are counted by kind; "
        f"segments and covariates are not kept."
    )


def gaps_note(column: str, n_empty: int, n_rows: int, what: str) -> str:
    """Say why a column that nobody asked for by name is not kept."""
    return f'The column "{column}" has no {what} in {n_empty:,} of {n_rows:,} rows and is not kept.'


def refuse_too_many(n_rows: int, *, path: str | None) -> None:
    """Raise when covariates would need more single rows in memory than is sensible (BT129)."""
    if n_rows > MOST_ROWS:
        raise ReadError(
            f"Covariates need every battle by itself, and {n_rows:,} are more than {MOST_ROWS:,}. "
            f"Read a random sample of the rows, or leave the covariates out.",
            path=path,
            code="BT129",
        )


def bad_covariate(column: str, cell: str, *, path: str | None, line: int | None, row: int) -> ReadError:
    """Return the error for a covariate that is no number (BT128)."""
    where = "" if line is not None else f"Row {row:,}: "
    shown = f'"{cell}" is not a number' if cell.strip() else "a number is missing"
    return ReadError(
        f'{where}{shown} in the column "{column}", a covariate. '
        f"Fill it in, or leave the row or the covariate out.",
        path=path,
        line=line,
        row=row if line is None else None,
        code="BT128",
    )
