"""Battles from the caller's own data: a data frame, or a dictionary of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError
from betterthan.read.formats.battles.battle_clusters import (
    Judged,
    bad_covariate,
    empty_judge,
    gaps_note,
    refuse_too_many,
    usable,
    with_repeated_item,
)
from betterthan.read.formats.battles.battle_columns import BattleColumns
from betterthan.read.formats.battles.battle_covariates import Place, nested_value
from betterthan.read.formats.battles.battle_tally import Kind, Tally
from betterthan.read.formats.battles.winner_labels import number
from betterthan.read.grid.missing import is_missing

IN_MEMORY = "the data"
_SAMPLE = 50


class Frame(NamedTuple):
    """Columns in memory: their names, and a function that returns one of them."""

    names: list[str]
    column: Callable[[str], list[Any]]


def open_frame(data: object) -> Frame:
    """Return the columns of a data frame that narwhals knows, or of a mapping of columns.

    Raises
    ------
    ReadError
        When `data` is neither, or a column is no list (BT120).

    Examples
    --------
    >>> open_frame({"left": ["A"], "right": ["B"]}).names
    ['left', 'right']
    """
    if isinstance(data, Mapping):
        columns = {str(name): values for name, values in data.items()}
        return Frame(list(columns), lambda name: _listed(name, columns[name]))
    import narwhals as nw  # noqa: PLC0415  (imported when a frame is given)

    try:
        given: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(cast("Any", data))
    except (TypeError, ValueError) as error:
        raise ReadError(
            f"Battles cannot be read from {type(data).__name__}. "
            f"Pass a path, an open file, a data frame or a dictionary of columns.",
            code="BT120",
        ) from error
    frame = given.collect() if isinstance(given, nw.LazyFrame) else given
    # pandas allows numbers and tuples as names; a column must be found again by what it is really called.
    real = {str(name): name for name in frame.columns}
    return Frame(list(real), lambda name: frame.get_column(real[name]).to_list())


def tally_frame(frame: Frame, columns: BattleColumns) -> Tally:
    """Count the battles of columns in memory by kind, and by judge where `columns` has one.

    Raises
    ------
    ReadError
        When the columns differ in length (BT120), a row has no item or judge (BT127), or covariates are not
        numbers (BT128) or too many (BT129).
    """
    if columns.maybe_item is not None and columns.item is None:
        cells = _texts(frame.column(columns.maybe_item))
        n_empty = sum(map(is_missing, cells))
        columns = with_repeated_item(columns, len(cells), len(set(cells)), n_empty)
    wanted = [columns.left, columns.right, *columns.winner, columns.weight, columns.item, columns.judge]
    data = {name: _texts(frame.column(name)) for name in wanted if name is not None}
    places = [place for covariate in columns.covariates for place in covariate.places]
    measured = {place: _measured(frame, place) for place in places}
    _check_lengths({**data, **{place.column: cells for place, cells in measured.items()}})
    tally, rows = _by_kind(data, columns)
    segment = _codes(data, columns.item, needed=columns.needs_item)
    group = _codes(data, columns.judge, needed=columns.needs_judge)
    if columns.keeps_rows:
        covariates, names, remarks = _covariates(measured, columns, rows.size)
        if group is not None:
            n_judges = int(group.max(initial=-1)) + 1
            kept, more = usable(columns, Judged(rows.size, 0, n_judges, rows.size))
            remarks, group = (*remarks, *more), None if kept.judge is None else group
        return replace(
            tally,
            item=columns.item if columns.item == columns.maybe_item else None,
            rows=rows,
            segment=segment,
            group=group,
            covariates=covariates,
            covariate_names=names,
            remarks=remarks,
        )
    return tally if group is None else _by_judge(tally, rows, group, columns)


def first_rows(frame: Frame) -> list[tuple[Any, ...]]:
    """Return the first rows, which show what objects hold."""
    return list(zip(*(frame.column(name)[:_SAMPLE] for name in frame.names), strict=False))


def _measured(frame: Frame, place: Place) -> list[str]:
    cells = frame.column(place.column)
    return [nested_value(cell, place.path) for cell in cells] if place.path else _texts(cells)


def _by_kind(data: Mapping[str, list[str]], columns: BattleColumns) -> tuple[Tally, IntArray]:
    """Return the kinds of battle, and the kind of each row."""
    left = data[columns.left]
    ends = zip(*(data[name] for name in columns.winner), strict=True) if columns.winner else [()] * len(left)
    weight = data[columns.weight] if columns.weight else [""] * len(left)
    cells = zip(left, data[columns.right], ends, weight, strict=True)
    found: dict[Kind, int] = {}
    rows = np.array([found.setdefault(Kind(*cell), len(found)) for cell in cells], dtype=np.int64)
    # Sorted, as files are, so that the same data give the same table.
    kinds = sorted(found)
    order = np.argsort([found[kind] for kind in kinds])
    rows = order[rows] if rows.size else rows
    names = sorted({name for kind in kinds for name in kind[:2]})
    winners = sorted({kind.winner for kind in kinds})
    texts = sorted({kind.weight for kind in kinds})
    tally = Tally(
        names=names,
        winners=winners,
        weights=texts,
        left=_indices([kind.left for kind in kinds], names),
        right=_indices([kind.right for kind in kinds], names),
        winner=_indices([kind.winner for kind in kinds], winners),
        weight=_indices([kind.weight for kind in kinds], texts),
        counts=np.bincount(rows, minlength=len(kinds)).astype(np.int64),
        judge=columns.judge,
        preference=columns.is_preference,
        ranks=columns.is_ranks,
        weighted=columns.weight is not None,
        path=IN_MEMORY,
    )
    return tally, rows


def _by_judge(tally: Tally, rows: IntArray, group: IntArray, columns: BattleColumns) -> Tally:
    n_judges = int(group.max(initial=-1)) + 1
    cells, times = np.unique(rows * max(n_judges, 1) + group, return_counts=True)
    kept, remarks = usable(columns, Judged(rows.size, 0, n_judges, cells.size))
    if kept.judge is None:
        return replace(tally, judge=None, remarks=remarks)
    return replace(tally, rows=cells // n_judges, times=times.astype(np.int64), group=cells % n_judges)


def _covariates(
    measured: Mapping[Place, list[str]], columns: BattleColumns, n_rows: int
) -> tuple[FloatArray | None, tuple[str, ...], tuple[str, ...]]:
    """Return rows × covariates (a column, or left's less right's), their names, and why others are left out."""
    if not columns.covariates:
        return None, (), ()
    refuse_too_many(n_rows, path=IN_MEMORY)
    found: dict[str, FloatArray] = {}
    remarks: list[str] = []
    for covariate in columns.covariates:
        cells = [measured[place] for place in covariate.places]
        values = [np.array([number(cell) for cell in each], dtype=np.float64) for each in cells]
        odd = ~np.isfinite(values).all(axis=0)
        if odd.any() and not covariate.asked:
            remarks.append(gaps_note(covariate.name, int(odd.sum()), n_rows, "number"))
            continue
        for name, each in zip(covariate.columns, cells, strict=True):
            _check_numbers(name, each)
        found[covariate.name] = values[0] - values[1] if len(values) == 2 else values[0]
    table = np.column_stack(list(found.values())) if found else None
    return table, tuple(found), tuple(remarks)


def _check_numbers(column: str, cells: list[str]) -> None:
    odd = next((i for i, cell in enumerate(cells) if not math.isfinite(number(cell))), None)
    if odd is not None:
        raise bad_covariate(column, cells[odd], path=IN_MEMORY, line=None, row=odd + 1)


def _indices(cells: Sequence[Hashable], known: Sequence[Hashable]) -> IntArray:
    index = {cell: i for i, cell in enumerate(known)}
    return np.array([index[cell] for cell in cells], dtype=np.int64)


def _check_lengths(data: Mapping[str, list[str]]) -> None:
    first, *others = data
    for other in others:
        if len(data[other]) != len(data[first]):
            raise ReadError(
                f'The column "{first}" has {len(data[first])} values and "{other}" has {len(data[other])}. '
                f"Columns must be equally long.",
                path=IN_MEMORY,
                code="BT120",
            )


def _listed(name: str, values: object) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ReadError(
            f'The column "{name}" is a single {type(values).__name__}. Pass a list of values.',
            path=IN_MEMORY,
            code="BT120",
        )
    return list(values)


def _texts(values: Iterable[Any]) -> list[str]:
    """Return cells as text, None as empty; a NaN becomes "nan", which is also missing."""
    return ["" if value is None else value if isinstance(value, str) else _text(value) for value in values]


def _text(value: object) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def _codes(data: Mapping[str, list[str]], column: str | None, *, needed: bool = True) -> IntArray | None:
    if column is None:
        return None
    texts = data[column]
    empty = [i for i, text in enumerate(texts, 1) if is_missing(text)]
    if empty and not needed:
        return None
    if empty:
        raise empty_judge(column, len(empty), path=IN_MEMORY, line=None, row=empty[0])
    return _indices(texts, sorted(set(texts)))
