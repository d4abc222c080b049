"""Battles: pairs of systems with a winner, from arena dumps, evalica files and plain tables.

Layouts understood: ``model_a, model_b, winner``; ``left, right, winner``; ``a, b, outcome``; two generators
with ``preference`` on the scale 1 to 2; three columns of 0 and 1 for left, right and tie; two games with
swapped sides; two ranks (the relative ranking of WMT, where 1 is best and equal ranks are a tie); chosen and
rejected models.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError, some_of, unknown_name
from betterthan.read.formats.battles.battle_columns import (
    ROLES,
    BattleColumns,
    Judged,
    KeyPath,
    bad_covariate,
    empty_judge,
    excluded_columns,
    find_columns,
    free_covariates,
    gaps_note,
    has_several_pairs,
    nested_value,
    plain_name,
    refuse_too_many,
    usable,
    with_repeated_item,
)
from betterthan.read.formats.battles.battle_query import column_names, look_at, with_plain_line_ends
from betterthan.read.formats.battles.battle_tally import OutcomeKind, Settled, Tally, settle
from betterthan.read.formats.battles.winner_labels import check_winner_labels, number
from betterthan.read.formats.registry import reader
from betterthan.read.grid.beginning import Peek
from betterthan.read.grid.numerals import is_missing, parse
from betterthan.read.grid.selection import conditions, select
from betterthan.read.protocol import EVERY, Format, Guess, Options, Reading
from betterthan.read.source.source import Source, open_source
from betterthan.tables.matches import Matches

IN_MEMORY = "the data"
_SAMPLE = 50


class BattleFrame(NamedTuple):
    """Columns in memory: their names, and a function that returns one of them."""

    names: list[str]
    column: Callable[[str], list[Any]]


def open_frame(data: object) -> BattleFrame:
    """Return the columns of a data frame supported by narwhals, or of a mapping of columns.

    Raises
    ------
    ReadError
        When `data` is neither, or a column is not a list (BT120).

    Examples
    --------
    >>> open_frame({"left": ["A"], "right": ["B"]}).names
    ['left', 'right']
    """
    if isinstance(data, Mapping):
        columns = {str(name): values for name, values in data.items()}
        return BattleFrame(list(columns), lambda name: _listed(name, columns[name]))
    import narwhals as nw  # noqa: PLC0415  (imported when a frame is given)

    try:
        native: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(cast("Any", data))
    except (TypeError, ValueError) as error:
        raise ReadError(
            f"Battles cannot be read from {type(data).__name__}. "
            f"Pass a path, an open file, a data frame or a dictionary of columns.",
            code="BT120",
        ) from error
    frame = native.collect() if isinstance(native, nw.LazyFrame) else native
    # pandas allows numbers and tuples as names; a column must be found by its real name.
    real = {str(name): name for name in frame.columns}
    return BattleFrame(list(real), lambda name: frame.get_column(real[name]).to_list())


def tally_frame(frame: BattleFrame, columns: BattleColumns) -> Tally:
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
    used = [columns.left, columns.right, *columns.winner, columns.weight, columns.item, columns.judge]
    used.append(columns.category)
    data = {name: _texts(frame.column(name)) for name in used if name is not None}
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
            judge, more = usable(columns, Judged(rows.size, 0, n_judges, rows.size))
            remarks, group = (*remarks, *more), None if judge.judge is None else group
        return replace(
            tally,
            item=columns.item if columns.item == columns.maybe_item else None,
            rows=rows,
            segment=segment,
            segments=sorted(set(data[columns.item]))
            if columns.names_items and columns.item is not None and segment is not None
            else (),
            group=group,
            covariates=covariates,
            covariate_names=names,
            remarks=remarks,
        )
    return tally if group is None else _by_judge(tally, rows, group, columns)


def first_rows(frame: BattleFrame) -> list[tuple[Any, ...]]:
    """Return the first rows, which show the contents of objects."""
    return list(zip(*(frame.column(name)[:_SAMPLE] for name in frame.names), strict=False))


def _measured(frame: BattleFrame, place: KeyPath) -> list[str]:
    cells = frame.column(place.column)
    return [nested_value(cell, place.path) for cell in cells] if place.path else _texts(cells)


def _by_kind(data: Mapping[str, list[str]], columns: BattleColumns) -> tuple[Tally, IntArray]:
    """Return the kinds of battle, and the kind of each row."""
    left = data[columns.left]
    ends = zip(*(data[name] for name in columns.winner), strict=True) if columns.winner else [()] * len(left)
    weight = data[columns.weight] if columns.weight else [""] * len(left)
    category = data[columns.category] if columns.category else [""] * len(left)
    cells = zip(left, data[columns.right], ends, weight, category, strict=True)
    counts: dict[OutcomeKind, int] = {}
    rows = np.array([counts.setdefault(OutcomeKind(*cell), len(counts)) for cell in cells], dtype=np.int64)
    # Sorted, as files are, so that the same data give the same table.
    kinds = sorted(counts)
    order = np.argsort([counts[kind] for kind in kinds])
    rows = order[rows] if rows.size else rows
    names = sorted({name for kind in kinds for name in kind[:2]})
    winners = sorted({kind.winner for kind in kinds})
    texts = sorted({kind.weight for kind in kinds})
    categories = sorted({kind.category for kind in kinds}) if columns.category else []
    tally = Tally(
        names=names,
        winners=winners,
        weights=texts,
        left=_indices([kind.left for kind in kinds], names),
        right=_indices([kind.right for kind in kinds], names),
        winner=_indices([kind.winner for kind in kinds], winners),
        weight=_indices([kind.weight for kind in kinds], texts),
        counts=np.bincount(rows, minlength=len(kinds)).astype(np.int64),
        category=_indices([kind.category for kind in kinds], categories) if categories else None,
        categories=categories,
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
    judge, remarks = usable(columns, Judged(rows.size, 0, n_judges, cells.size))
    if judge.judge is None:
        return replace(tally, judge=None, remarks=remarks)
    return replace(tally, rows=cells // n_judges, times=times.astype(np.int64), group=cells % n_judges)


def _covariates(
    measured: Mapping[KeyPath, list[str]], columns: BattleColumns, n_rows: int
) -> tuple[FloatArray | None, tuple[str, ...], tuple[str, ...]]:
    """Return rows × covariates (a column, or left minus right), their names, and why others are left out."""
    if not columns.covariates:
        return None, (), ()
    refuse_too_many(n_rows, path=IN_MEMORY)
    arrays: dict[str, FloatArray] = {}
    remarks: list[str] = []
    for covariate in columns.covariates:
        cells = [measured[place] for place in covariate.places]
        values = [np.array([number(cell) for cell in each], dtype=np.float64) for each in cells]
        odd = ~np.isfinite(values).all(axis=0)
        if odd.any() and not covariate.is_requested:
            remarks.append(gaps_note(covariate.name, int(odd.sum()), n_rows, "number"))
            continue
        for name, each in zip(covariate.columns, cells, strict=True):
            _check_numbers(name, each)
        arrays[covariate.name] = values[0] - values[1] if len(values) == 2 else values[0]
    table = np.column_stack(list(arrays.values())) if arrays else None
    return table, tuple(arrays), tuple(remarks)


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


FORMAT = Format(
    name="battles",
    kind="matches",
    description="two systems and a winner per row: CSV, TSV, JSON, JSONL or Parquet",
    columns=frozenset({"item", "system", "group", "judge", "left", "right", "winner", "weight", "category"}),
    rows="copy",
)
_CERTAIN = 0.95
_WITHOUT_WINNER = 0.75  # above a wide table with two columns of numbers
SEVERAL = "several"


def sniff(source: Source) -> Guess | None:
    """Return the confidence that a file holds battles: by its column names."""
    try:
        names = column_names(source)
    except ReadError:
        return _without_winner(source)
    if has_several_pairs(names):
        return Guess(confidence=0.6, because="two pairs of systems' columns")
    try:
        columns = find_columns(names, named={}, path=source.name)
    except ReadError:
        return _without_winner(source)
    winner = f'the winner in "{", ".join(columns.winner)}"' if columns.winner else "the first always winning"
    because = f'two systems in the columns "{columns.left}" and "{columns.right}", {winner}'
    return Guess(confidence=_CERTAIN, because=because)


def _without_winner(source: Source) -> Guess | None:
    """Recognize battles without a winner column, so that the error can ask for it."""
    try:
        look = look_at(source)
        columns = find_columns(look.header, named={"winner": look.header[0]}, path=source.name)
    except (ReadError, IndexError):
        return None
    if not look.rows or len(columns.left) == 1:  # systems, too, may be called A and B
        return None
    sides = [look.column(look.header.index(name)) for name in (columns.left, columns.right)]
    if not all(isinstance(cell, str) and not isfinite(parse(cell)) for side in sides for cell in side):
        return None
    because = f'two systems in the columns "{columns.left}" and "{columns.right}", and no winner'
    return Guess(confidence=_WITHOUT_WINNER, because=because)


def read(source: Source, options: Options) -> Reading:
    """Read a file of battles; see :func:`read_matches`.

    With ``"*"`` in `options.covariates` all available information is kept, unless there are too many battles.
    """
    source = with_plain_line_ends(source)
    look = look_at(source)
    columns = _columns(look, options, path=source.name)
    settled = _settle(_tally_file(source, look.header, columns), columns, options)
    return _reading(settled, columns, look)


def _columns(look: Peek, options: Options, *, path: str) -> BattleColumns:
    columns = find_columns(
        look.header,
        named={role: options.columns[role] for role in ROLES if role in options.columns},
        keep=options.keep,
        cluster=options.cluster,
        covariates=options.covariates,
        rows=look.rows,
        path=path,
    )
    return replace(columns, in_order=options.in_order, names_items=options.names_items)


def _reading(settled: Settled, columns: BattleColumns, look: Peek) -> Reading:
    if settled.matches.segment is not None and columns.item is None:
        columns = replace(columns, item=columns.maybe_item)
    return Reading(
        format=FORMAT,
        because=f'two systems in the columns "{columns.left}" and "{columns.right}"',
        tables=(settled.matches,),
        rows_read=settled.n_rows,
        rows_kept=settled.n_rows - settled.n_dropped,
        dropped={"both bad": settled.n_dropped} if settled.n_dropped else {},
        notes=(*settled.matches.notes, *_unused(look, columns)),
    )


def read_matches(
    data: object,
    *,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    weight: str | None = None,
    item: str | None = None,
    judge: str | None = None,
    category: str | None = None,
    keep: Sequence[Literal["item", "judge"]] = (),
    cluster: bool = True,
    covariates: Sequence[str] = (),
    in_order: bool = False,
    both_bad: Literal["tie", "drop"] = "tie",
    winner_labels: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    language_pair: str | None = None,
) -> Matches:
    """Read battles, aggregated unless single rows are needed.

    Columns are found by their names (case and punctuation ignored) or named by the caller. The winner may be given by
    side (left, right; model_a, model_b; a, b), or by the name of one of the row's two systems; tie, both_bad and their
    usual spellings are known. Numbers are accepted where their meaning is clear: 0, 0.5 and 1 are the left system's
    share, 1 and 2 the systems of the columns model_1 and model_2; elsewhere `winner_labels` must define them, because a
    1 alone may mean "won" or the second of 0 and 1. Two columns of ranks define the winner as well: 1 is best, equal
    ranks are a tie. A preference between 1 and 2 is a share of a win. Anything else, including an empty cell, is an
    error: a typo must never become a tie.

    Other layouts that hold matches, such as rankings of five systems per row and lists of better and worse systems, are
    recognized as well.

    Parameters
    ----------
    data : path, "-", open file, data frame or dict of columns
        A file is CSV, TSV, JSON (lines or an array of objects) or Parquet, possibly gzipped; a folder where its
        layout has one.
    left, right, winner, weight : str, optional
        Columns, where they are not found by name. A column called "weight" is used automatically.
    item : str, optional
        The column of the segment (question, prompt). If given, every row is kept, in the order of the data, with a code
        in `segment` and the names in `segments`.
    judge : str, optional
        The column of the judge (worker, session). If given, battles are counted by judge, with a code in `group`, so
        that errors are clustered by judge; no more rows than needed are kept.
    category : str, optional
        The column that divides the battles, such as a language; :func:`betterthan.boards` ranks within each category.
    keep : sequence of {"item", "judge"}, optional
        As `item` and `judge`, with the columns found by name. A judge takes precedence over a session or ranking,
        because all battles of a session have the same judge.
    cluster : bool, default True
        Whether to cluster errors by judge or session, and by question, where such columns exist (five or more of each;
        a question in both orders, by several judges, or for several pairs). Has no effect on a judge or item that is
        named.
    covariates : sequence of str, optional
        Columns of numbers that rankings adjust for (style control): a difference between the two systems, such as
        "length_difference", or two columns with a minus between them, such as "len_a-len_b", the left system's first.
        Dots access objects, as in "conv_metadata.header_count_a", where an object of numbers means their sum; "*" takes
        all numbers that come in such pairs. Every row is kept.
    in_order : bool, default False
        Whether to keep every row, in the order of the data, as :func:`betterthan.watch` needs them.
    both_bad : {"tie", "drop"}, default "tie"
        How to count "both are bad"; a note gives their number.
    winner_labels : mapping of str to {"left", "right", "tie", "both_bad"}, optional
        Meanings of winner labels that are not self-explanatory, such as ``{"1": "left", "0": "right"}``.
    where : mapping of str to str, optional
        Keep only the rows with these values in these columns, such as ``{"language": "English"}``.
    language_pair : str, optional
        Which language pair, where the layout has several.

    Returns
    -------
    Matches
        With the systems in alphabetical (code point) order, whatever the order of the rows. A battle with a fractional
        outcome becomes a win and a loss with corresponding weights, in one group.

    Raises
    ------
    ReadError
        When columns are not found, labels are unknown, a system has no name or meets itself, or covariates are
        requested for more than five million rows.

    Notes
    -----
    Rows in which a system meets itself are an error, not dropped: they often mean that a column was misread.
    Files are counted inside DuckDB: memory grows with the pairs of systems, not with the rows. With judges it grows
    with the number of distinct (left, right, winner, judge); above five million of these the judges are ignored, with a
    note.

    Examples
    --------
    >>> battles = {"left": ["A", "B", "A"], "right": ["B", "A", "C"], "winner": ["left", "tie", "C"]}
    >>> matches = read_matches(battles)
    >>> matches
    Matches(3 systems, 3 matches in 3 rows)
    >>> matches.notes
    ('Battles read: 3 (left 1, tie 1, right 1).',)
    """
    _check_choices(both_bad, keep)
    roles = {"left": left, "right": right, "winner": winner, "weight": weight, "item": item, "judge": judge}
    roles["category"] = category
    options = Options(
        columns={role: column for role, column in roles.items() if column is not None},
        both_bad=both_bad,
        winner_labels={str(label): meaning for label, meaning in (winner_labels or {}).items()},
        keep=tuple(keep),
        cluster=cluster and not keep,
        covariates=tuple(covariates),
        in_order=in_order,
        names_items=item is not None,
        where=conditions(where),
        language_pair=language_pair,
    )
    if isinstance(data, str | os.PathLike | list | tuple) or hasattr(data, "read"):
        return _matches_of_file(open_source(data, folders=True), options)  # type: ignore[arg-type]  # or has read()
    return _matches_of_frame(data, options)


def _matches_of_file(source: Source, options: Options) -> Matches:
    name = _layout(source, options)
    if name == FORMAT.name and not options.where:
        matches = read(source, options).tables[0]
        assert isinstance(matches, Matches)  # noqa: S101  (what this reader gives)
        return matches
    from betterthan.read.sniff import read_any  # noqa: PLC0415  (it knows all readers, this one among them)

    if name not in (FORMAT.name, SEVERAL):
        _refuse_unused(source, options, name)
    reading = read_any(source, options, format=name)
    tables = [table for table in reading.tables if isinstance(table, Matches)]
    if len(tables) != 1:
        message = f"These are {reading.format.contents}, not one table of battles ({reading.because})."
        raise source.error(message, code="BT310")
    return tables[0] if name in (FORMAT.name, SEVERAL) else _aggregated(tables[0], options, source.name)


def _layout(source: Source, options: Options) -> str:
    """Return the recognized layout of matches; otherwise battles, whose reader reports what is missing."""
    if {"left", "right", "winner"} & options.columns.keys():
        return SEVERAL if source.is_folder else FORMAT.name
    if not source.is_folder and _is_certain(source):
        return FORMAT.name
    from betterthan.read.sniff import recognise  # noqa: PLC0415

    try:
        layout = recognise(source).format
    except ReadError:
        if source.is_folder:
            raise
        return FORMAT.name
    return layout if source.is_folder or reader(layout).FORMAT.kind == FORMAT.kind else FORMAT.name


def _is_certain(source: Source) -> bool:
    """Whether every row has two systems and a winner, so that no other reader has to be loaded."""
    guess = sniff(source)
    return guess is not None and guess.confidence >= _CERTAIN and not _are_rankings(column_names(source))


def _refuse_unused(source: Source, options: Options, name: str) -> None:
    """Raise when an option applies only to tables of battles and another layout would ignore it."""
    named = [*options.columns, *(["covariates"] if options.covariates else [])]
    if named:
        raise source.error(
            f"This is {reader(name).FORMAT.description}; {some_of(named)} cannot be chosen there. Leave them out, or "
            f"pass left= and right= to read it as battles.",
            code="BT311",
        )


def _aggregated(matches: Matches, options: Options, path: str) -> Matches:
    """Return matches aggregated, with the requested judges and segments."""
    if "judge" in options.keep and matches.group is None:
        raise ReadError("This layout names no judges. Read it without them.", path=path, code="BT120")
    if options.cluster:
        return matches
    if "item" not in options.keep:
        return matches.aggregated(keep_groups="judge" in options.keep)
    return matches if "judge" in options.keep else replace(matches, group=None)


def _matches_of_frame(data: object, options: Options) -> Matches:
    notes: tuple[str, ...] = ()
    if options.where:
        data, notes = _some_rows(data, options)
    frame = open_frame(data)
    if _are_rankings(frame.names) and not options.columns:
        from betterthan.read.formats.battles.rankings import read_rankings  # noqa: PLC0415  (few have rankings)

        ranked = read_rankings(data, languages=options.language_pair)
        return _aggregated(ranked, options, IN_MEMORY)
    matches = _settled(frame, _look(frame, with_rows=bool(options.covariates)), options)[0].matches
    return replace(matches, notes=(*notes, *matches.notes)) if notes else matches


def read_frame(data: object, options: Options) -> Reading:
    """Read a data frame or dict of columns as battles; see :func:`read_matches`."""
    frame = open_frame(data)
    look = _look(frame, with_rows=True)
    settled, columns = _settled(frame, look, options)
    return _reading(settled, columns, look)


def _look(frame: BattleFrame, *, with_rows: bool) -> Peek:
    return Peek(container="delimited", header=tuple(frame.names), rows=first_rows(frame) if with_rows else [])


def _settled(frame: BattleFrame, look: Peek, options: Options) -> tuple[Settled, BattleColumns]:
    columns = _columns(look, options, path=IN_MEMORY)
    return _settle(tally_frame(frame, columns), columns, options), columns


def _settle(tally: Tally, columns: BattleColumns, options: Options) -> Settled:
    labels = check_winner_labels(options.winner_labels)
    return settle(tally, columns, both_bad=options.both_bad, labels=labels)


def _some_rows(data: object, options: Options) -> tuple[dict[str, list[object]], tuple[str, ...]]:
    """Return the rows of a frame that satisfy the conditions, and a note with their number."""
    from betterthan.read.grid.open_grid import frame_grid  # noqa: PLC0415  (it brings the layouts of scores)

    grid = frame_grid(data)
    chosen = select(grid, options.where, named=grid.header)
    rows = chosen.grid.rows.tolist()
    return {name: [grid.columns[i][row] for row in rows] for i, name in enumerate(grid.header)}, (
        chosen.note,
    )


def _are_rankings(names: Sequence[str]) -> bool:
    """Whether a row has three or more systems, each with its rank."""
    known = {plain_name(name) for name in names}
    return all({f"system{i}id", f"system{i}rank"} <= known for i in (1, 2, 3))


def _tally_file(source: Source, names: Sequence[str], columns: BattleColumns) -> Tally:
    from betterthan.read.formats.battles.battle_query import tally_file  # noqa: PLC0415  (brings DuckDB)

    return tally_file(source, names, columns)


def _check_choices(both_bad: str, keep: Sequence[str]) -> None:
    if both_bad not in ("tie", "drop"):
        raise unknown_name("policy for both bad", both_bad, ["tie", "drop"])
    for role in keep:
        if role not in ("item", "judge"):
            raise unknown_name("role to keep", role, ["item", "judge"])


def _unused(look: Peek, columns: BattleColumns) -> list[str]:
    notes = []
    unused = excluded_columns(look.header, columns)
    if unused:
        listed = " and ".join(f'"{name}"' for name in unused)
        notes.append(
            f"Not used: {listed}; name them as item (to keep single rows) or judge (to cluster errors)."
        )
    free = free_covariates(look.header, look.rows, columns)
    if free and not columns.whole:
        notes.append(
            f"Numbers that can be adjusted for: {some_of(free)}; name them as covariates, or all of them with "
            f'"{EVERY}".'
        )
    return notes
