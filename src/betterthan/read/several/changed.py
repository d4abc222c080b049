"""Items that have the same id in two files and are not the same: another question, or another correct answer."""

from __future__ import annotations

from collections.abc import Sequence

from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.columns import find, plain
from betterthan.read.grid.grid import Grid, quoted
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Options
from betterthan.read.source.source import Source

INPUTS = frozenset(
    map(
        plain,
        (
            *("question", "prompt", "input", "query", "instruction", "problem", "source", "src", "context"),
            *("reference", "ref", "target", "expected", "expected_output", "gold", "gold_answer", "ideal"),
            *("correct_answer", "ground_truth", "answer_key", "choices"),
        ),
    )
)
"""Columns that belong to an item and not to a system, in any case and punctuation."""
_SHOWN = 3


def refuse_changed_items(sources: Sequence[Source], options: Options) -> None:
    """Raise when the first two files have another question or correct answer for the same item.

    What is compared are the columns of :data:`INPUTS` that both have, except for those that the options ignore.

    Raises
    ------
    ReadError
        With the column, how many items changed, and some of them.
    """
    if len(sources) != 2 or any(source.is_folder for source in sources):
        return
    try:
        headers = [peek(source).header for source in sources]
        items = [
            find(header, options.columns, ("item",), path=source.name).get("item")
            for header, source in zip(headers, sources, strict=True)
        ]
    except ReadError:
        return  # nothing with columns; its own reader says what is wrong, if anything is
    used = {*options.columns.values(), *options.factors, *options.ignore_columns}
    columns = [
        name for name in headers[0] if plain(name) in INPUTS and name in headers[1] and name not in used
    ]
    if not columns or None in items:
        return
    known: list[dict[str, dict[str, str]]] = []
    for source, item in zip(sources, items, strict=True):
        with open_grid(source) as grid:
            known.append({name: _texts(grid, int(item or 0), grid.header.index(name)) for name in columns})
    for name in columns:
        before, after = known[0][name], known[1][name]
        common = [key for key in before if key in after]
        changed = [key for key in common if before[key] != after[key]]
        if changed:
            raise _changed(name, changed, len(common), before[changed[0]], after[changed[0]], sources)


def _texts(grid: Grid, item: int, column: int) -> dict[str, str]:
    """Return the text of each item, the first where it has several rows."""
    texts: dict[str, str] = {}
    for key, text in zip(grid.texts(item), grid.texts(column), strict=True):
        texts.setdefault(key, text)
    return texts


def _changed(
    name: str, changed: list[str], n_common: int, before: str, after: str, sources: Sequence[Source]
) -> ReadError:
    return ReadError(
        Message(
            '{n:,} of {total:,} items changed: their "{name}" is another one in {other} ({items}; item {first}: '
            "{before} became {after}). Compare runs on the same items, or leave the column out with {ignore}.",
            n=len(changed),
            total=n_common,
            name=name,
            other=sources[1].name,
            items=some_of(changed, limit=_SHOWN),
            first=quoted(changed[0]),
            before=quoted(before),
            after=quoted(after),
            ignore=Option("ignore", name),
        ),
        path=sources[0].name,
    )
