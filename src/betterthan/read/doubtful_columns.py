"""Columns of a wide table that may be something other than a system: ids, lengths, ranks, averages, costs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError, some_of
from betterthan.read.column_meanings import is_human_system, meaning_of, says
from betterthan.read.grid import Grid, fault, quoted

# With fewer rows nothing can be said from values alone.
_ENOUGH_ROWS = 5
_ROWS_LOOKED_AT = 20_000
# How likely values may agree with a sum or mean by chance before it counts as one.
_CHANCE = 1e-6
_MOST_PAIRS = 40
# A column this many times as large as all others is on another scale; two columns have no majority to judge by.
_TIMES_LARGER = 10.0
_TIMES_LARGER_OF_TWO = 20.0


class Doubt(NamedTuple):
    """A column that may not be a system, and what was seen."""

    column: int
    reason: str
    is_metric: bool = False
    is_id: bool = False


def doubtful_columns(
    header: Sequence[str], columns: Sequence[int], values: FloatArray, *, kept: Collection[int] = ()
) -> list[Doubt]:
    """Return the columns of a wide table that look like something other than a system.

    Parameters
    ----------
    header : sequence of str
    columns : sequence of int
        Those with numbers that play no other role.
    values : array of float
        ``columns × rows``; NaN is missing.
    kept : collection of int
        Columns that are systems by the user's word.

    Examples
    --------
    >>> values = np.array([[37.0, 512, 80, 95, 41], [0.5, 0.25, 0.75, 1, 0], [0.25, 0.75, 0.5, 0, 1]])
    >>> doubtful_columns(("length", "A", "B"), (0, 1, 2), values)[0].reason
    'is named like a length'
    """
    if len(columns) < 2:  # a single system cannot be ranked, and this is said elsewhere
        return []
    step = max(1, values.shape[1] // _ROWS_LOOKED_AT)
    doubts: dict[int, Doubt] = {}
    for column, row in zip(columns, values, strict=True):
        found = None if column in kept else _by_name(header[column], row, column)
        if found is not None:
            doubts[column] = found
    rest = [column for column in columns if column not in doubts]
    if all(doubt.is_metric for doubt in doubts.values()) and _are_humans(header, rest, kept):
        # Beside metrics, "human" is no human baseline but what the metrics are compared with.
        doubts.update(
            {column: Doubt(column, "is named like human judgments", is_metric=True) for column in rest}
        )
    for judge in (_counting, _summarising, _on_another_scale):
        open_ = [i for i, column in enumerate(columns) if column not in doubts]
        if len(open_) < 2:
            break
        names = [header[columns[i]] for i in open_]
        rows = values[open_] if judge is _counting else values[open_][:, ::step]
        settled = [columns[i] in kept for i in open_]
        for i, reason in judge(names, rows, settled).items():
            doubts[columns[open_[i]]] = Doubt(columns[open_[i]], reason, is_id=judge is _counting)
    return [doubts[column] for column in columns if column in doubts]


def _are_humans(header: Sequence[str], columns: Sequence[int], kept: Collection[int]) -> bool:
    return all(is_human_system(header[column]) and column not in kept for column in columns)


def _by_name(name: str, row: FloatArray, column: int) -> Doubt | None:
    meaning = meaning_of(name)
    if meaning is None or is_human_system(name):
        return None
    if name == name.strip() and meaning == "count" and len(name) == 1 and not _counts(row):
        return None  # systems may be called m and n
    return Doubt(
        column, f"is named like {says(meaning)}", is_metric=meaning == "metric", is_id=meaning == "identifier"
    )


def _counts(row: FloatArray) -> bool:
    known = row[np.isfinite(row)]
    return bool(known.size and (known == np.round(known)).all() and known.max() > 1)


def _counting(_: Sequence[str], rows: FloatArray, settled: Sequence[bool]) -> dict[int, str]:
    """Find ids: whole numbers that rise from row to row while other columns do not."""
    if rows.shape[1] < _ENOUGH_ROWS:
        return {}
    rising = [_is_rising(row) for row in rows]
    if all(rising):
        return {}
    found = {}
    for i, row in enumerate(rows):
        if settled[i]:
            continue
        if rising[i]:
            found[i] = f"rises from row to row ({_first_numbers(row)}) as ids do"
        elif row.size >= 2 * _ENOUGH_ROWS and _is_permutation(row):
            found[i] = (
                f"holds every number from {int(row.min())} to {int(row.max())} once, as ids and ranks do"
            )
    return found


def _is_rising(row: FloatArray) -> bool:
    return bool(np.isfinite(row).all() and (row == np.round(row)).all() and (np.diff(row) > 0).all())


def _is_permutation(row: FloatArray) -> bool:
    if not np.isfinite(row).all() or row.min() not in (0, 1) or row.max() != row.min() + row.size - 1:
        return False
    return bool(np.array_equal(np.sort(row), np.arange(row.size) + row.min()))


def _first_numbers(row: FloatArray) -> str:
    return ", ".join(f"{value:.0f}" for value in row[:3]) + ", …"


def _summarising(names: Sequence[str], rows: FloatArray, settled: Sequence[bool]) -> dict[int, str]:
    """Find a column that is computed from the others: their mean, sum, difference, minimum or maximum."""
    complete = rows[:, np.isfinite(rows).all(axis=0)]
    if len(rows) < 3 or complete.shape[1] < 3:
        return {}
    # What is computed usually stands behind what it is computed from.
    for i in reversed(range(len(rows))):
        if settled[i]:
            continue
        reason = _made_of(i, names, complete)
        if reason is not None:
            return {i: f"{reason} on every row"}
    return {}


_SUMMARIES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "mean": lambda others: others.mean(axis=0),
    "sum": lambda others: others.sum(axis=0),
    "minimum": lambda others: others.min(axis=0),
    "maximum": lambda others: others.max(axis=0),
}


def _made_of(i: int, names: Sequence[str], rows: FloatArray) -> str | None:
    everything = [j for j in range(len(rows)) if j != i]
    for chosen in ([j for j in everything if j < i], everything, [j for j in everything if j > i]):
        if len(chosen) < 2:
            continue
        for word, summary in _SUMMARIES.items():
            if _agrees(rows[i], summary(rows[chosen]), rows[chosen], is_extreme=word.endswith("imum")):
                return f"is the {word} of {some_of([quoted(names[j]) for j in chosen], limit=3)}"
    if len(rows) <= _MOST_PAIRS:
        for j in everything:
            for k in everything:
                # Only the last of three columns: of A = B + C any could be the one that was computed.
                if j != k and i > max(j, k) and _agrees(rows[i], rows[j] - rows[k], rows[[j, k]]):
                    return f"is {quoted(names[j])} minus {quoted(names[k])}"
    return None


def _agrees(row: FloatArray, summary: FloatArray, parts: FloatArray, *, is_extreme: bool = False) -> bool:
    """Whether a column is a summary up to its own rounding, beyond what chance explains."""
    size = float(np.abs(parts).max(initial=0.0))
    decimals = next(
        (d for d in range(7) if np.allclose(np.round(row, d), row, rtol=0, atol=1e-12 * size)), None
    )
    rounding = 0.0 if decimals in (None, 0) else 0.5 * 10.0**-decimals
    slack = rounding * (1 + 1e-6) + 1e-9 * size
    if not (np.abs(row - summary) <= slack).all():
        return False
    if is_extreme and (decimals == 0 or any((row != part).sum() < 3 for part in parts)):
        return False  # a good system that is right wherever another one is
    if any(np.array_equal(row, part) for part in parts):
        return False
    spread = float(np.ptp(row))
    by_chance = max(2 * slack / spread if spread else 1.0, 1 / np.unique(row).size)
    return bool(by_chance < 1 and row.size * np.log(by_chance) < np.log(_CHANCE))


def _on_another_scale(_: Sequence[str], rows: FloatArray, settled: Sequence[bool]) -> dict[int, str]:
    """Find columns whose values all lie far above, or on the other side of zero from, those of all others."""
    known = [row[np.isfinite(row)] for row in rows]
    usable = [i for i, row in enumerate(known) if row.size >= _ENOUGH_ROWS]
    if len(usable) < 2 or (len(usable) == 2 and any(settled[i] for i in usable)):
        return {}
    found = {}
    for i in usable:
        others = np.concatenate([known[j] for j in usable if j != i])
        reason = None if settled[i] else _scale_of(known[i], others, n_columns=len(usable))
        if reason is not None:
            found[i] = reason
    # If all are far from each other there is no scale that one could leave.
    return found if len(found) < len(usable) or len(usable) == 2 else {}


def _scale_of(row: FloatArray, others: FloatArray, *, n_columns: int) -> str | None:
    ranges = f"({_range(row)}; the others {_range(others)})"
    for sign, word, opposite in ((1, "positive", "negative"), (-1, "negative", "positive")):
        # Of two columns only one is named.
        if (sign > 0 or n_columns > 2) and _is_positive(sign * row) and _is_positive(-sign * others):
            return f"is {word} where the others are {opposite} {ranges}"
    are_shares = others.min() >= 0 and others.max() <= 1
    if are_shares and row.min() >= 0 and row.max() <= 1:
        return None  # all within the scale from 0 to 1
    is_grade = _is_grade(row, others)
    if _is_far_above(row, others, n_columns=n_columns, is_grade=is_grade):
        may_be_percent = are_shares and row.min() >= 0 and row.max() <= 100 and not is_grade
        reading = ": percent where the others are shares of 1, or something else" if may_be_percent else ""
        return f"is on another scale {ranges}{reading}"
    return f"is on another scale {ranges}" if n_columns > 2 and _is_tiny(row, others) else None


def _is_far_above(row: FloatArray, others: FloatArray, *, n_columns: int, is_grade: bool) -> bool:
    low, middle = np.quantile(np.abs(row), [0.1, 0.5])
    largest, high = np.abs(others).max(), np.quantile(np.abs(others), 0.9)
    times = _TIMES_LARGER if n_columns > 2 else _TIMES_LARGER_OF_TWO
    return bool(0 < largest < low and (is_grade or middle > times * high))


def _is_positive(values: FloatArray) -> bool:
    return bool(values.min() >= 0 and (values > 0).mean() >= 0.5)


def _is_grade(row: FloatArray, others: FloatArray) -> bool:
    """Whether a column holds grades such as 1 to 5 where all others hold decimals."""
    whole = bool((row == np.round(row)).all())
    return whole and np.unique(row).size >= 3 and float((others == np.round(others)).mean()) < 0.1


def _is_tiny(row: FloatArray, others: FloatArray) -> bool:
    high = np.quantile(np.abs(row), 0.9)
    low = np.quantile(np.abs(others), 0.1)
    return bool(high > 0 and high * _TIMES_LARGER_OF_TWO < low)


def _range(values: FloatArray) -> str:
    return f"{values.min():.4g} to {values.max():.4g}"


def refuse_summary_system(grid: Grid, systems: Sequence[str], values: FloatArray) -> None:
    """Raise when a system of a long table is called like a mean or sum of the others and is one (BT210)."""
    complete = values[:, np.isfinite(values).all(axis=0)]
    if len(systems) < 3 or complete.shape[1] < 3:
        return
    for i, name in enumerate(systems):
        reason = _made_of(i, systems, complete) if meaning_of(name) == "summary" else None
        if reason is not None:
            raise fault(
                grid,
                f"System {quoted(name)} {reason} on every segment, so it may not be a system. Remove its rows; if it "
                f"is a system, give it another name.",
                code="BT210",
            )


def refuse(grid: Grid, doubts: Sequence[Doubt], systems: Sequence[int]) -> ReadError:
    """Build the error for doubtful columns, with the options that settle it.

    Parameters
    ----------
    grid : Grid
    doubts : sequence of Doubt
    systems : sequence of int
        Every column that would be a system.
    """
    doubtful = {doubt.column for doubt in doubts}
    left = [column for column in systems if column not in doubtful]
    if not left and all(doubt.is_metric for doubt in doubts):
        return _metrics_of_one_system(grid, systems)
    seen = ", and column ".join(f"{quoted(grid.header[d.column])} {d.reason}" for d in doubts[:3])
    more = f" (and {len(doubts) - 3} more such columns)" if len(doubts) > 3 else ""
    names = [grid.header[doubt.column] for doubt in doubts]
    several = len(doubts) > 1
    one = "" if len(left) != 1 else f", which leaves only one system, {quoted(grid.header[left[0]])}"
    none = "" if left else ", which leaves no system"
    ids = [grid.header[doubt.column] for doubt in doubts if doubt.is_id]
    item = f" If {quoted(ids[0])} names the segments, say --item {shlex.quote(ids[0])}." if ids else ""
    return fault(
        grid,
        f"Column {seen}{more}, so {'they' if several else 'it'} may not be {'systems' if several else 'a system'}. "
        f"Leave {'them' if several else 'it'} out with {options('ignore', names)}{one}{none}; if "
        f"{'they are systems' if several else 'it is a system'}, say {options('keep', names)}.{item}",
        code="BT210",
    )


def _metrics_of_one_system(grid: Grid, systems: Sequence[int]) -> ReadError:
    names = [grid.header[column] for column in systems]
    return fault(
        grid,
        f"The columns are named like metrics ({some_of(names, limit=4)}), not like systems, and no column names the "
        f"systems. Add a column called system with one row for each system and segment; if these are systems, say "
        f"{options('keep', names)}.",
        code="BT211",
    )


def options(name: str, columns: Sequence[str], *, limit: int = 4) -> str:
    """Return the option that names columns, as it is typed.

    Examples
    --------
    >>> options("ignore", ["rank", "n tokens"])
    "--ignore rank --ignore 'n tokens'"
    """
    typed = " ".join(f"--{name} {shlex.quote(column)}" for column in columns[:limit])
    return f"{typed} …" if len(columns) > limit else typed
