"""Tidy texts: one row for each text, with columns item, system and text; @src and @ref are roles, not systems."""

from __future__ import annotations

import numpy as np

from betterthan.read.formats.tables.tidy import REFERENCE, SOURCE
from betterthan.read.formats.tables.tidy_rows import check_once, has_columns, load_rows, position
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.grid import Grid, fault, quoted
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.texts import Texts

FORMAT = Format(
    name="texts_table",
    kind="texts",
    description="a table with one row for each text: item, system (or @src, @ref:NAME) and text",
    columns=frozenset({"item", "system", "group"}),
    rows="copy",
)
_BECAUSE = "columns for item, system and text"


def sniff(source: Source) -> Guess | None:
    """Recognise the columns item, system and text."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:  # noqa: ARG001  (as other layouts of tables have it)
    """Say how sure it is that a table holds texts."""
    if not has_columns(look, "text") or position(look.header, "score") is not None:
        return None
    return Guess(confidence=0.92, because=_BECAUSE)


def read(source: Source, options: Options) -> Reading:
    """Read a tidy table of texts."""
    with open_grid(source) as grid:
        return read_grid(grid, options, stem=source.stem, because=_BECAUSE)


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:  # noqa: ARG001
    """Read a grid as a tidy table of texts, which have no name."""
    return Reading(
        format=FORMAT,
        because=because,
        tables=(_texts(grid, options),),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows,
    )


def _texts(grid: Grid, options: Options) -> Texts:
    rows = load_rows(grid, options)
    check_once(grid, rows)
    column = position(grid.header, "text")
    if column is None:
        raise fault(grid, 'No column is named "text".', code="BT021")
    lines: dict[str, list[str | None]] = {name: [None] * len(rows.items.names) for name in rows.systems.names}
    codes = zip(rows.systems.codes.tolist(), rows.items.codes.tolist(), grid.texts(column), strict=True)
    for system, item, text in codes:
        lines[rows.systems.names[system]][item] = text
    outputs = {name: texts for name, texts in lines.items() if not _is_role(name)}
    references = {name: texts for name, texts in lines.items() if _is_role(name) and name != SOURCE}
    if not outputs:
        raise fault(grid, "There is no system, only sources and references. Add outputs.", code="BT021")
    return Texts(
        systems=tuple(outputs),
        segments=rows.items.names,
        outputs=tuple(map(tuple, outputs.values())),
        references=tuple(_whole(grid, name, texts, rows.items.names) for name, texts in references.items()),
        reference_names=tuple(name.removeprefix(f"{REFERENCE}:").removeprefix("@") for name in references),
        sources=_whole(grid, SOURCE, lines[SOURCE], rows.items.names) if SOURCE in lines else None,
        groups=rows.groups,
    )


def _is_role(name: str) -> bool:
    return name in {SOURCE, REFERENCE} or name.startswith(f"{REFERENCE}:")


def _whole(grid: Grid, name: str, texts: list[str | None], segments: tuple[str, ...]) -> tuple[str, ...]:
    whole = tuple(text for text in texts if text is not None)
    if len(whole) < len(texts):
        first = segments[int(np.argmax([text is None for text in texts]))]
        raise fault(grid, f"{quoted(name)} has no text for segment {quoted(first)}. Add it.", code="BT133")
    return whole
