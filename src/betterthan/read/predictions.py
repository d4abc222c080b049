"""Tables of predictions: a column of gold labels, and the predictions of one or several systems."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from betterthan.errors import ReadError, some_of, unknown_name
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.grid.columns import GOLD, find, plain, role_option
from betterthan.read.grid.grid import Grid, quoted
from betterthan.read.grid.numerals import parse_all
from betterthan.read.grid.open_grid import frame_grid, is_frame, open_grid
from betterthan.read.inputs import one_of
from betterthan.read.several.runs import run_names
from betterthan.read.source.source import Source, open_source
from betterthan.tables.row_order import RowOrder
from betterthan.tables.texts import Texts

_PREDICTIONS = frozenset(
    (
        "prediction",
        "predictions",
        "predicted",
        "pred",
        "ypred",
        "predictedlabel",
        "output",
        "hypothesis",
        "response",
    )
)
_LABELS = 0.9
"""So many of the values of a prediction are labels that occur in the gold column."""


class _Predicted(NamedTuple):
    """The gold labels of a table and the predictions of its systems; `items` is None without a column of ids."""

    name: str
    items: tuple[str, ...] | None
    gold: tuple[str, ...]
    outputs: dict[str, tuple[str | None, ...]]


def read_predictions(
    data: Any,  # noqa: ANN401  (files or frames)
    *more: Any,  # noqa: ANN401
    gold: str | None = None,
    prediction: str | Sequence[str] | None = None,
    item: str | None = None,
) -> Texts:
    """Read gold labels and predictions, for :func:`betterthan.score` with metrics of labels.

    One table has a column for the predictions of each system; several files hold one system each, named after the file,
    and are joined by their ids. Without ids the rows must have the same gold labels in the same order.

    Parameters
    ----------
    data, *more : path, data frame or dict of columns, or a mapping of names to paths
    gold : str, optional
        The column of gold labels; by default one called gold, label, y_true, target, …
    prediction : str or sequence of str, optional
        The columns of predictions. By default one called prediction, y_pred, …, else all that hold the gold labels.
    item : str, optional
        The column of ids.

    Returns
    -------
    Texts
        The gold labels are the reference.

    Raises
    ------
    ReadError
        When a column is not found (BT021), files have other ids or other gold labels (BT236), or no ids and other
        rows (BT130).

    Examples
    --------
    >>> import betterthan as bt
    >>> table = {"gold": ["a", "b", "a", "b"], "svm": ["a", "b", "b", "b"], "bert": ["a", "b", "a", "b"]}
    >>> texts = bt.read_predictions(table)
    >>> bt.score(texts, metric="accuracy").pooled().tolist()
    [0.75, 1.0]
    """
    one = one_of((data, *more))
    sources = list(one) if isinstance(one, list) else [one]
    if all(is_frame(each) for each in sources) and len(sources) == 1:
        return _joined([_of_grid(frame_grid(sources[0]), "data", None, gold, prediction, item)])
    files = [each if isinstance(each, Source) else open_source(os.fspath(each)) for each in sources]
    names = run_names(files).names if len(files) > 1 else (files[0].called or files[0].stem,)
    tables = []
    for file, name in zip(files, names, strict=True):
        with open_grid(file) as grid:
            tables.append(_of_grid(grid, file.name, name, gold, prediction, item))
    return _joined(tables)


def has_gold(source: Source) -> bool:
    """Whether a file is a table with a column of gold labels."""
    from betterthan.read.grid.beginning import peek  # noqa: PLC0415

    header = () if source.is_folder else peek(source).header
    return len(header) > 1 and any(plain(name) in GOLD for name in header)


def _of_grid(
    grid: Grid,
    place: str,
    system: str | None,
    gold: str | None,
    prediction: str | Sequence[str] | None,
    item: str | None,
) -> _Predicted:
    truth = _gold_column(grid, place, gold)
    ids = find(grid.header, {} if item is None else {"item": item}, ("item",), path=place).get("item")
    correct = grid.texts(truth)
    chosen = _prediction_columns(grid, place, prediction, {truth, ids}, correct)
    is_alone = len(chosen) == 1 and system is not None and plain(grid.header[chosen[0]]) in _PREDICTIONS
    texts = _as_labels([correct, *(grid.texts(column) for column in chosen)])
    if any(not text.strip() for text in texts[0]):
        raise ReadError(
            f"{quoted(grid.header[truth])} is empty in a row. Remove rows without a gold label.",
            path=place,
            line=None,
            code="BT133",
        )
    outputs = {
        (system or "") if is_alone else grid.header[column]: tuple(
            text if text.strip() else None for text in row
        )
        for column, row in zip(chosen, texts[1:], strict=True)
    }
    items = None if ids is None else tuple(grid.texts(ids))
    if items is not None and len(set(items)) < len(items):
        twice = next(name for name, count in Counter(items).items() if count > 1)
        raise ReadError(
            f"Segment {quoted(twice)} occurs twice. Remove one of its rows.", path=place, code="BT101"
        )
    return _Predicted(place, items, tuple(texts[0]), outputs)


def _gold_column(grid: Grid, place: str, gold: str | None) -> int:
    if gold is not None:
        if gold not in grid.header:
            raise unknown_name("column", gold, grid.header)
        return grid.header.index(gold)
    found = [column for column, name in enumerate(grid.header) if plain(name) in GOLD]
    if len(found) != 1:
        what = "No column is" if not found else "Several columns are"
        raise ReadError(
            Message(
                "{what} named like gold labels (columns: {columns}). Name it: {gold}.",
                what=what,
                columns=some_of(grid.header),
                gold=Option("gold", COLUMN),
            ),
            path=place,
            code="BT021",
        )
    return found[0]


def _prediction_columns(
    grid: Grid,
    place: str,
    prediction: str | Sequence[str] | None,
    taken: set[int | None],
    gold: Sequence[str],
) -> list[int]:
    if prediction is not None:
        names = [prediction] if isinstance(prediction, str) else list(prediction)
        for name in names:
            if name not in grid.header:
                raise unknown_name("column", name, grid.header)
        return [grid.header.index(name) for name in names]
    free = [column for column in range(len(grid.header)) if column not in taken and grid.header[column]]
    named = [column for column in free if plain(grid.header[column]) in _PREDICTIONS]
    if named:
        return named
    labels = set(_as_labels([gold])[0])
    found = [column for column in free if _holds_labels(_as_labels([grid.texts(column)])[0], labels)]
    if not found:
        raise ReadError(
            Message(
                "No column holds predictions (columns: {columns}). Call it prediction, or name it: {prediction}.",
                columns=some_of(grid.header),
                prediction=Option("prediction", COLUMN),
            ),
            path=place,
            code="BT021",
        )
    return found


def _holds_labels(texts: Sequence[str], labels: set[str]) -> bool:
    filled = [text for text in texts if text.strip()]
    return bool(filled) and sum(text in labels for text in filled) >= _LABELS * len(filled)


def _as_labels(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return labels as texts; 1 and 1.0 are the same where all are whole numbers."""
    numbers = [parse_all(row) for row in rows]
    if not all((np.isnan(row) | (np.isfinite(row) & (row == np.round(row)))).all() for row in numbers):
        return [list(row) for row in rows]
    return [
        ["" if np.isnan(number) else str(int(number)) for number in row.tolist()] if row.size else []
        for row in numbers
    ]


def _joined(tables: Sequence[_Predicted]) -> Texts:
    """Return one table of all systems, joined by ids, or by rows where no table has ids."""
    first = tables[0]
    systems = [name for table in tables for name in table.outputs]
    if len(set(systems)) < len(systems):
        twice = next(name for name, count in Counter(systems).items() if count > 1)
        raise ReadError(f"Two systems are called {quoted(twice)}. Name one of them: NAME=path.", code="BT131")
    orders = [_order(table, first) for table in tables]
    outputs = [
        tuple(row[at] for at in order)
        for table, order in zip(tables, orders, strict=True)
        for row in table.outputs.values()
    ]
    n = len(first.gold)
    return Texts(
        systems=tuple(systems),
        segments=first.items or tuple(str(row) for row in range(1, n + 1)),
        outputs=tuple(outputs),
        references=(first.gold,),
        reference_names=("gold",),
        row_order=None if first.items else RowOrder(n),
    )


def _order(table: _Predicted, first: _Predicted) -> Sequence[int]:
    """Return the rows of a table in the order of the first; its gold labels must be the same."""
    if (table.items is None) != (first.items is None) or (
        table.items is None and len(table.gold) != len(first.gold)
    ):
        raise ReadError(
            Message(
                "This file and {file} have other numbers of rows, or only one of them has ids, so rows cannot be "
                "paired. Name the column of ids: {item}.",
                file=first.name,
                item=role_option("item"),
            ),
            path=table.name,
            code="BT130",
        )
    if table.items is None or first.items is None:
        order: Sequence[int] = range(len(first.gold))
    else:
        place = {name: at for at, name in enumerate(table.items)}
        missing = [name for name in first.items if name not in place] or sorted(
            set(table.items) - set(first.items)
        )
        if missing:
            raise ReadError(
                f"This file and {first.name} do not have the same segments: {some_of(missing, limit=3)} "
                f"{'is' if len(missing) == 1 else 'are'} in one of them only. Predict the same items.",
                path=table.name,
                code="BT236",
            )
        order = [place[name] for name in first.items]
    odd = next((k for k, at in enumerate(order) if table.gold[at] != first.gold[k]), None)
    if odd is not None:
        name = first.items[odd] if first.items else str(odd + 1)
        raise ReadError(
            f"Segment {quoted(name)} has the gold label {quoted(table.gold[order[odd]])} here and "
            f"{quoted(first.gold[odd])} in {first.name}, so rows do not belong together. Check both files.",
            path=table.name,
            code="BT236",
        )
    return order


def named_predictions(files: Sequence[str], gold: str | None = None) -> Texts:
    """Read tables of predictions as a command line names them."""
    return read_predictions(list(files) if len(files) > 1 else files[0], gold=gold)
