"""Tables with one row for each system and one column for each segment."""

from __future__ import annotations

from collections.abc import Sequence

from betterthan.errors import ReadError, some_of
from betterthan.read.columns import find, is_descriptive
from betterthan.read.doubtful_columns import options as typed
from betterthan.read.grid import Grid, MemoryGrid, check_numbers, fault, has_numbers, quoted
from betterthan.read.layout_doubts import are_numbered, is_numbered
from betterthan.read.percents import score_numbers
from betterthan.read.protocol import Options

TURNED = "each row is a system and each column a segment"
_ROLES = ("item", "system", "score", "metric", "group", "judge")
_SEGMENT = "segment"


def turned_table(grid: Grid, options: Options) -> MemoryGrid | None:
    """Return the table with one row for each segment, if it has one row for each system; else None.

    This is certain only where a column names the systems, each once, and all columns of numbers are numbered as
    segments are; ``system,BLEU,COMET`` is a table of two metrics.

    Raises
    ------
    ReadError
        When such a table has another column, such as an average (BT210), or at a cell that is not a number (BT013,
        BT014).
    """
    roles = find(grid.header, options.columns, _ROLES, path=grid.name)
    if set(roles) != {"system"}:
        return None
    free = [
        i for i, name in enumerate(grid.header) if i != roles["system"] and name and not is_descriptive(name)
    ]
    others = [column for column in free if not is_numbered(grid.header[column])]
    free = [column for column in free if column not in others]
    if not are_numbered([grid.header[column] for column in free], of_systems=True):
        return None
    systems = grid.labels(roles["system"])
    if len(systems.names) != grid.n_rows or (systems.codes < 0).any():
        return None
    if others:
        raise _others(grid, others, free)
    values, _ = score_numbers(grid, free)
    if not has_numbers(values).all():
        return None
    check_numbers(grid, values, free)
    segments = [grid.header[column] for column in free]
    return MemoryGrid(name=grid.name, header=(_SEGMENT, *systems.names), columns=[segments, *values.T.copy()])


def _others(grid: Grid, others: Sequence[int], segments: Sequence[int]) -> ReadError:
    names = [grid.header[column] for column in others]
    listed = some_of([quoted(name) for name in names], limit=3)
    numbered = some_of([quoted(grid.header[column]) for column in segments], limit=3)
    is_one = len(names) == 1
    what, them = ("column {} is", "it") if is_one else ("columns {} are", "them")
    return fault(
        grid,
        f"Each row seems to be a system and each column a segment ({numbered}), but {what.format(listed)} not numbered "
        f"as segments are. Leave {them} out with {typed('ignore', names)}.",
        code="BT210",
    )
