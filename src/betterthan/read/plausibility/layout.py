"""Tables whose layout may be mistaken, and rows that summarize the others."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.grid.columns import TASKS, find, is_descriptive, plain
from betterthan.read.grid.grid import (
    Grid,
    Labels,
    MemoryGrid,
    check_numbers,
    fault,
    has_numbers,
    quoted,
    score_numbers,
)
from betterthan.read.grid.numerals import parse_all
from betterthan.read.plausibility.columns import columns_option, meaning_of
from betterthan.read.plausibility.direction import refuse_truth
from betterthan.read.protocol import Options

# Tables that may be something else: without a header, transposed, or long with unknown headers.


TURNED = "each row is a system and each column a segment"
_ROLES = ("item", "system", "score", "metric", "group", "judge")
_SEGMENT = "segment"


def turned_table(grid: Grid, options: Options) -> MemoryGrid | None:
    """Return the table with one row for each segment, if it has one row for each system; else None.

    This is certain only where a column names the systems, each once, and all columns of numbers are numbered like
    segments; ``system,BLEU,COMET`` is a table of two metrics.

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
        Message(
            "Each row seems to be a system and each column a segment ({numbered}), but {others} not numbered "
            "as segments are. Leave {them} out with {ignore}.",
            numbered=numbered,
            others=what.format(listed),
            them=them,
            ignore=columns_option("ignore", names),
        ),
        code="BT210",
    )


_SEGMENT_WORDS = (
    "seg|segment|sent|sentence|item|q|question|prompt|example|ex|sample|line|instance|id|case|doc"
)
_IN_ROWS_OF_SYSTEMS = f"{_SEGMENT_WORDS}|s|i|row"
_FEW_COLUMNS = 3
_FEW_ROWS = 6


def are_numbered(names: Sequence[str], *, of_systems: bool = False) -> bool:
    """Whether names number segments: 1, 2, 3, … or seg1, seg2, ….

    Examples
    --------
    >>> are_numbered(["seg1", "seg2", "seg3"]), are_numbered(["1", "2", "10"]), are_numbered(["BLEU-1", "BLEU-2"])
    (True, True, False)
    """
    words = _IN_ROWS_OF_SYSTEMS if of_systems else _SEGMENT_WORDS
    matches = [_numbered(name, words) for name in names]
    if len(names) < _FEW_COLUMNS or not all(matches):
        return False
    numbers = [int(match.group(2)) for match in matches if match]
    return len({match.group(1) for match in matches if match}) == 1 and bool((np.diff(numbers) > 0).all())


def is_numbered(name: str) -> bool:
    """Whether a column of a table with one row for each system has the name of a segment: 1, seg1, s1."""
    return _numbered(name, _IN_ROWS_OF_SYSTEMS) is not None


def _numbered(name: str, words: str) -> re.Match[str] | None:
    return re.fullmatch(rf"({words})?[\s_.#:-]*(\d+)", name.strip(), re.IGNORECASE)


def check_layout(
    grid: Grid,
    free: Sequence[int],
    values: FloatArray,
    *,
    roles: Mapping[str, int],
    named: Mapping[str, str],
    forced: Collection[int],
) -> None:
    """Raise when a wide reading would mistake scores, segments or ids for systems.

    Parameters
    ----------
    grid : Grid
    free : sequence of int
        Columns without a role.
    values : array of float
        Their numbers, ``free × rows``.
    roles : mapping of str to int
        The columns of segments and documents.
    named : mapping of str to str
        The columns that the user named.
    forced : collection of int
        Columns that are systems by the user's choice.

    Raises
    ------
    ReadError
        Without a header (BT019), for a table whose rows may be systems (BT215), or that may be long (BT212).
    """
    if forced:
        return
    numeric = [column for column, some in zip(free, has_numbers(values), strict=True) if some]
    if not numeric:
        return
    _check_turned(grid, numeric, roles, named)
    _check_runs(grid, numeric)
    if not roles:
        _check_header(grid, numeric)
    _check_long(grid, free, values, roles, named)


_RUN = re.compile(r"(.+?)[\s_.:/-]*(?:run|seed|trial|rep|repeat|attempt|epoch)[\s_.#:-]*\d+", re.IGNORECASE)


def _check_runs(grid: Grid, numeric: Sequence[int]) -> None:
    """Raise when columns are named like repeated runs of one system, such as GPT_run1 and GPT_run2."""
    runs: dict[str, list[str]] = {}
    for column in numeric:
        match = _RUN.fullmatch(grid.header[column].strip())
        if match is not None:
            runs.setdefault(match.group(1), []).append(grid.header[column])
    repeated = {system: names for system, names in runs.items() if len(names) > 1}
    if not repeated:
        return
    system, names = next(iter(repeated.items()))
    every = [name for several in repeated.values() for name in several]
    raise fault(
        grid,
        Message(
            "Columns {names} are named like repeated runs of {system}, and would be ranked as different systems. "
            "Write a row for each run, with columns such as item, system, run and score; if each column is a system, "
            "use {keep}.",
            names=some_of([quoted(name) for name in names], limit=3),
            system=quoted(system),
            keep=columns_option("keep", every),
        ),
        code="BT210",
    )


def _check_header(grid: Grid, numeric: Sequence[int]) -> None:
    names = [grid.header[column] for column in numeric]
    if np.isfinite(parse_all(names)).all():
        raise fault(
            grid,
            f"The first line holds numbers ({some_of(names, limit=3)}), not the names of the systems. "
            f"Add a header, or a letter to names that are numbers.",
            code="BT019",
        )


def _check_turned(
    grid: Grid, numeric: Sequence[int], roles: Mapping[str, int], named: Mapping[str, str]
) -> None:
    names = [grid.header[column] for column in numeric]
    if "item" in named or not are_numbered(names):
        return
    is_bare = names[0].strip().isdigit()
    label = roles.get("item", _first_text(grid, numeric))
    if is_bare and (label is None or ("item" in roles and len(numeric) <= max(grid.n_rows, _FEW_ROWS))):
        return  # systems may be called 1, 2 and 3 if there is a column of segments
    first = some_of([quoted(name) for name in names], limit=3)
    column = COLUMN if label is None else grid.header[label]
    raise fault(
        grid,
        Message(
            "The columns are numbered like segments ({first}), so each row may be a system. If so, name the column "
            "of systems: {system}. If each row is a segment, name its column: {item}.",
            first=first,
            system=Option("system", column),
            item=Option("item", column),
        ),
        code="BT215",
    )


def _first_text(grid: Grid, numeric: Sequence[int]) -> int | None:
    """Return the first column if it holds a different text on every row."""
    if 0 in numeric or not grid.header:
        return None
    labels = _labels(grid, 0)
    return 0 if labels is not None and len(labels.names) == grid.n_rows else None


def _check_long(
    grid: Grid, free: Sequence[int], values: FloatArray, roles: Mapping[str, int], named: Mapping[str, str]
) -> None:
    """Raise when two columns together identify each row, as system and segment do in a long table."""
    if grid.n_rows < _FEW_ROWS or "item" in named:
        return
    numeric = {column: row for column, row in zip(free, values, strict=True) if np.isfinite(row).any()}
    texts = {column: labels for column in free if column not in numeric and (labels := _labels(grid, column))}
    whole = {column: _encoded(row) for column, row in numeric.items() if (row == np.round(row)).all()}
    items = _possible_items(grid, {**whole, **texts}, roles)
    for system, labels in {**texts, **whole}.items():
        name = grid.header[system]
        if is_descriptive(name) or plain(name) in TASKS or not 2 <= len(labels.names) <= grid.n_rows // 2:
            continue
        for item, other in items.items():
            scores = [column for column in numeric if column not in (item, system)]
            # Systems may be numbered too, but scores can be integers as well: then every pair must occur.
            least = 0.5 if system in texts else 1.0
            if system not in texts and len(other.names) < len(labels.names):
                continue  # there are fewer systems than segments
            if item != system and scores and _are_crossed(labels, other, grid.n_rows, least=least):
                raise _long(grid, system, item, scores)


def _possible_items(
    grid: Grid, names: Mapping[int, Labels], roles: Mapping[str, int]
) -> Mapping[int, Labels]:
    """Return the column of segments; where none is known, every column that may name something."""
    if "item" not in roles:
        return names
    labels = _labels(grid, roles["item"])
    return {} if labels is None else {roles["item"]: labels}


def _encoded(numbers: FloatArray) -> Labels:
    distinct, codes = np.unique(numbers, return_inverse=True)
    return Labels(codes.astype(np.int32), tuple(map(str, distinct.tolist())))


def _labels(grid: Grid, column: int) -> Labels | None:
    try:
        labels = grid.labels(column)
    except ReadError:  # objects or lists
        return None
    return None if (labels.codes < 0).any() else labels


def _are_crossed(systems: Labels, items: Labels, n_rows: int, *, least: float) -> bool:
    """Whether each pair occurs at most once, and at least a share of all pairs."""
    n_cells = len(systems.names) * len(items.names)
    if len(items.names) < 2 or n_rows < least * n_cells or 3 * n_rows < 4 * len(items.names):
        return False
    if least == 1.0 and n_rows < 2 * _FEW_ROWS:
        return False
    pairs = systems.codes.astype(np.int64) * len(items.names) + items.codes
    return bool(np.unique(pairs).size == n_rows)


def _long(grid: Grid, system: int, item: int, scores: Sequence[int]) -> ReadError:
    who, which = grid.header[system], grid.header[item]
    options: dict[str, Any] = {"system": Option("system", who), "item": Option("item", which)}
    if len(scores) == 1:
        columns = [grid.header[column] for column in sorted({item, *scores})]
        options |= {"score": Option("score", grid.header[scores[0]]), "keep": columns_option("keep", columns)}
        fixes = "use {system}, {item} and {score}; if each column of numbers is a system, use {keep}"
    else:
        options["group"] = Option("group", who)
        fixes = "use {system} and {item}; if it names documents, use {group} and {item}"
    message = Message(
        "Columns {who} and {which} together identify every row, so this may be a long table with one row for each "
        "system and segment. If {who} names the systems, " + fixes + ".",
        who=quoted(who),
        which=quoted(which),
        **options,
    )
    return fault(grid, message, code="BT212")


def check_systems(grid: Grid, labels: Mapping[str, Labels], named: Mapping[str, str]) -> None:
    """Raise when the systems of a long table may be its segments, or gold labels.

    Raises
    ------
    ReadError
        When systems are numbered, segments are not, and there are more of the former (BT217), or when a system is
        called gold, truth or label (BT231).
    """
    systems, items = labels["system"].names, labels["item"].names
    is_open = not {"system", "item"} & named.keys() and len(systems) > len(items) > 1
    if is_open and np.isfinite(parse_all(systems)).all() and not np.isfinite(parse_all(items)).any():
        raise fault(
            grid,
            Message(
                "There are {n_systems:,} systems called {systems} and {n_items:,} segments called {items}; "
                "the two columns may be swapped. Name both: {system} and {item}.",
                n_systems=len(systems),
                systems=some_of(systems, limit=3),
                n_items=len(items),
                items=some_of(items, limit=3),
                system=Option("system", COLUMN),
                item=Option("item", COLUMN),
            ),
            code="BT217",
        )
    refuse_truth(systems, path=grid.name)


# Rows that summarize the others: an average, a total or a standard deviation below the scores.


# Summaries are at the end of a table; elsewhere a segment may be called "mean".
LAST_ROWS = 5
_ENOUGH_ROWS = 5
_FEW_IN_WORDS = 2
_CHANCE = 1e-5


class SummaryRows(NamedTuple):
    """Rows that are summaries, with notes."""

    rows: BoolArray
    note: str


def summary_rows(grid: Grid, labels: Sequence[str], values: FloatArray) -> SummaryRows | None:
    """Return the rows that are the mean or sum of the others.

    Parameters
    ----------
    grid : Grid
        For the places in messages.
    labels : sequence of str
        Names of the last rows; empty where a row has no name.
    values : array of float
        ``systems × rows``.

    Raises
    ------
    ReadError
        For a row that is named like a summary and is not one, or is one without being named like one (BT216).
    """
    n = values.shape[1]
    if n < 3:
        return None
    start = n - len(labels)
    named = [start + k for k, label in enumerate(labels) if label and meaning_of(label) == "summary"]
    is_summary = np.zeros(n, dtype=np.bool_)
    is_summary[named] = True
    if named:
        plain = values[:, ~is_summary]
        if not any(_summary_of(values[:, row], plain) for row in named):
            row = named[0]
            raise fault(
                grid,
                f"The row is called {quoted(labels[row - start])}, but its scores are neither the means nor the sums "
                f"of the other rows. Remove it if it is a summary, or rename it if it is a segment.",
                row=row,
                code="BT216",
            )
        shown = ", ".join(dict.fromkeys(quoted(labels[row - start]) for row in named))
        count = len(named)
        return SummaryRows(
            is_summary,
            f"{count} row{'' if count == 1 else 's'} that summarize{'s' if count == 1 else ''} the others "
            f"{'was' if count == 1 else 'were'} left out: {shown}.",
        )
    return _unnamed(grid, labels[-1] if labels else "", values)


def refuse_odd_row(grid: Grid, segments: Labels, values: FloatArray) -> None:
    """Raise for a row at the edge of a wide table that seems to sum up the others (BT216).

    It is called in words where all other segments are numbers, or it is the first row, and their mean or sum. Rows at
    the end that are called so are left to :func:`summary_rows`.
    """
    n = segments.codes.size
    if n <= _ENOUGH_ROWS or len(segments.names) < n:
        return
    first = segments.names[segments.codes[0]]
    if meaning_of(first) == "summary" and _summary_of(values[:, 0], values[:, 1:]) is not None:
        raise _odd_row(grid, first, 0, "and holds the means or sums of the other rows")
    in_words = np.flatnonzero(~np.isfinite(parse_all(segments.names)))
    if not 0 < in_words.size <= _FEW_IN_WORDS:
        return
    for code in in_words.tolist():
        row, name = int(np.flatnonzero(segments.codes == code)[0]), segments.names[code]
        is_at_edge = row == 0 or row >= n - LAST_ROWS
        if is_at_edge and meaning_of(name) != "summary" and not any(c.isdigit() for c in name):
            raise _odd_row(grid, name, row, "where the other segments are numbered")


def _odd_row(grid: Grid, name: str, row: int, reason: str) -> ReadError:
    return fault(
        grid,
        f"The row is called {quoted(name)} {reason}, so it may not be a segment. Remove it if it sums up or describes "
        f"the others, or number it if it is a segment.",
        row=row,
        code="BT216",
    )


def refuse_summary(grid: Grid, segments: Labels, rows: IntArray) -> None:
    """Raise when one of the last segments of a long table is named like a summary of the others (BT216)."""
    if len(segments.names) < 3:
        return
    for code in range(max(0, len(segments.names) - LAST_ROWS), len(segments.names)):
        if meaning_of(segments.names[code]) == "summary":
            first = int(np.flatnonzero(segments.codes == code)[0])
            raise fault(
                grid,
                f"Segment {quoted(segments.names[code])} seems to be a summary of the others and would count as a "
                f"segment. Remove its rows; if it is a segment, give it another name.",
                row=int(rows[first]),
                code="BT216",
            )


def _unnamed(grid: Grid, label: str, values: FloatArray) -> SummaryRows | None:
    last = values.shape[1] - 1
    if last < _ENOUGH_ROWS or values.shape[0] < 2:
        return None
    is_filled = np.isfinite(values)
    if not is_filled[:, last].all() or (is_filled[:, :last].sum(axis=1) < _ENOUGH_ROWS).any():
        return None  # too few rows to distinguish a sum from a recurring score
    word = _summary_of(values[:, last], values[:, :last], chance=_CHANCE)
    if word is None:
        return None
    if label:
        raise fault(
            grid,
            f"The last row holds the {word} of all rows above it, in every column, so it may be a summary and not a "
            f"segment. Remove it.",
            row=last,
            code="BT216",
        )
    is_summary = np.zeros(last + 1, dtype=np.bool_)
    is_summary[last] = True
    return SummaryRows(is_summary, f"1 row was left out: the last one, which holds the {word} of the others.")


def _summary_of(row: FloatArray, others: FloatArray, *, chance: float | None = None) -> str | None:
    """Return "means" or "sums" if a row holds them, up to its own rounding."""
    known = np.isfinite(row)
    if not known.any() or others.shape[1] < 2:
        return None
    row, others = row[known], others[known]
    filled = np.isfinite(others)
    if not filled.any(axis=1).all():
        return None
    sums = np.where(filled, others, 0.0).sum(axis=1)
    means = sums / filled.sum(axis=1)
    size = float(np.abs(np.where(filled, others, 0.0)).max())
    decimals = next(
        (d for d in range(7) if np.allclose(np.round(row, d), row, rtol=0, atol=1e-12 * size)), None
    )
    slack = 1e-9 * max(size, float(np.abs(row).max())) + (
        0.0 if decimals is None else 0.5001 * 10.0**-decimals
    )
    for word, expected in (("means", means), ("sums", sums)):
        fits = bool((np.abs(row - expected) <= slack).all())
        if fits and (chance is None or _by_chance(row, others, slack) < chance):
            return word
    return None


def _by_chance(row: FloatArray, others: FloatArray, slack: float) -> float:
    """Return the approximate probability that an ordinary row agrees as well."""
    low, high = np.nanmin(others, axis=1), np.nanmax(others, axis=1)
    fractions = others[np.isfinite(others)]
    is_fraction_of_whole = (fractions == np.round(fractions)).all() and (row != np.round(row)).any()
    # Tolerance of rounding: all values may be 0.
    is_outside = (row < low - 2 * slack) | (row > high + 2 * slack)
    if (is_fraction_of_whole and (high > low).any()) or is_outside.all():
        return 0.0
    spread = np.where(high > low, high - low, slack)
    return float(np.prod(np.minimum(1.0, 2 * slack / spread)))
