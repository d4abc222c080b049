"""Rankings of several systems, read as battles of every two of them.

WMT collected them per sentence until 2016; elsewhere they are lists, ``A > B = C > D`` or JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import ReadError, some_of, unknown_name
from betterthan.messages import Message, Option, method_note
from betterthan.read.grid.beginning import Peek, first_lines, peek
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid, Labels, check_numbers, fault, quoted
from betterthan.read.grid.numerals import check_names, is_missing, missing_name
from betterthan.read.grid.open_grid import FrameLike, frame_grid, is_frame, open_grid, read_table
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Problem, Reading, reason
from betterthan.read.source.source import FileLike, Source, open_source
from betterthan.tables.matches import Matches

_TABLE = Format(
    name="rankings",
    kind="matches",
    description="several systems ranked by a judge in each row: system1Id, system1rank, system2Id, …",
    rows="grid",
)
Identical = Literal["tie", "drop"]
_JUDGES = ("judgeid", "judge", "rater", "annotator", "userid")
_SEGMENTS = ("srcindex", "segmentid", "segment", "item", "sid")
_LANGUAGES = ("srclang", "trglang")


class _RankColumns(NamedTuple):
    systems: tuple[int, ...]
    ranks: tuple[int, ...]
    judge: int | None
    segment: int | None
    languages: tuple[int, ...]


class _Expanded(NamedTuple):
    """Matches of all rows, and the number of those from collapsed outputs."""

    left: IntArray
    right: IntArray
    outcome: FloatArray
    row: IntArray
    n_identical: int


def sniff_table(source: Source) -> Guess | None:
    """Recognize three pairs of columns or more with a system and its rank."""
    return guess_table(peek(source), path=source.name)


def guess_table(look: Peek, *, path: str) -> Guess | None:  # noqa: ARG001  (as other layouts of tables have it)
    """Return the confidence that a table holds rankings."""
    columns = _columns(look.header)
    if len(columns.systems) < 3:
        return None  # two systems per row are battles
    because = f"{len(columns.systems)} systems and their ranks in each row"
    return Guess(confidence=0.98, because=because)


def read_ranked(source: Source, options: Options) -> Reading:
    """Read a file of relative rankings; see :func:`read_rankings`."""
    return read_table(source, options, read_table_grid, because="")


def read_table_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:  # noqa: ARG001
    """Read a grid as relative rankings."""
    return _reading(grid, languages=options.language_pair, identical="tie")


def read_rankings(
    source: FileLike | FrameLike, *, languages: str | None = None, identical: Identical = "tie"
) -> Matches:
    r"""Read relative rankings, several systems per row, as matches of every two of them.

    Parameters
    ----------
    source : path, "-", open file, data frame or dict
        With columns ``system1Id, system1rank, system2Id, system2rank, …`` in any order; ``judgeId`` and ``srcIndex``
        (or ``segmentId``) where there are any. Two systems per row are battles: see
        :func:`~betterthan.read.formats.battles.battles.read_matches`.
    languages : str, optional
        Which language pair, such as "Czech-English", when the file has several.
    identical : {"tie", "drop"}, default "tie"
        How to treat pairs of systems that were shown as one because their outputs are identical. The judge did not
        compare them, but identical outputs are equally good: a tie.

    Returns
    -------
    Matches
        One row per pair. The judge is the group, so that intervals account for the correlation of judgments by one
        judge (each row is its own group where no judge is named); the segment is kept.

    Raises
    ------
    ReadError
        When a rank is not a positive integer, a ranked system has no name or is ranked twice in a row, or the
        file has several language pairs and none was chosen.

    Notes
    -----
    Rank 1 is best and equal ranks are ties; −1 or an empty cell means not judged. Systems with identical outputs are
    named in one cell, separated by a comma, or by a plus sign where each of the names also occurs alone; each of them
    gets the matches of the cell.

    Examples
    --------
    >>> rows = {"judgeId": ["x"], "srcIndex": [7], "system1Id": ["A"], "system1rank": [1], "system2Id": ["B,C"],
    ...         "system2rank": [2], "system3Id": ["D"], "system3rank": [-1]}
    >>> matches = read_rankings(rows)
    >>> matches.wins()[0], matches.ties()[1]
    (array([0., 1., 1.]), array([0., 0., 1.]))
    """
    if identical not in ("tie", "drop"):
        raise unknown_name("treatment of identical outputs", identical, ("tie", "drop"))
    if is_frame(source):
        reading = _reading(frame_grid(source), languages=languages, identical=identical)
    else:
        with open_grid(source if isinstance(source, Source) else open_source(source)) as grid:
            reading = _reading(grid, languages=languages, identical=identical)
    matches = reading.tables[0]
    assert isinstance(matches, Matches)  # noqa: S101  (what this reader gives)
    return matches


def _columns(header: tuple[str, ...]) -> _RankColumns:
    known = {plain(name): column for column, name in reversed(list(enumerate(header)))}
    numbers = [i for i in range(1, len(header)) if {f"system{i}id", f"system{i}rank"} <= known.keys()]
    return _RankColumns(
        systems=tuple(known[f"system{i}id"] for i in numbers),
        ranks=tuple(known[f"system{i}rank"] for i in numbers),
        judge=next((known[name] for name in _JUDGES if name in known), None),
        segment=next((known[name] for name in _SEGMENTS if name in known), None),
        languages=tuple(known[name] for name in _LANGUAGES if name in known),
    )


def _reading(grid: Grid, *, languages: str | None, identical: Identical) -> Reading:
    columns = _columns(grid.header)
    if len(columns.systems) < 2:
        text = "No columns system1Id, system1rank, system2Id, system2rank … were found. Rename the columns."
        raise fault(grid, text, code="BT120")
    rows = _chosen(grid, columns, languages)
    ranks = _ranks(grid, columns)[:, rows]
    cells = [grid.labels(column) for column in columns.systems]
    judged = _judged(grid, columns, cells, ranks, rows)
    systems, members = _systems(cells, rows, judged)
    expanded = _expanded(members, ranks, judged, identical)
    _check_itself(grid, expanded, rows, systems)
    notes = _notes(ranks, judged, expanded, identical)
    table = Matches(
        systems=systems,
        left=expanded.left,
        right=expanded.right,
        outcome=expanded.outcome,
        segment=_coded(grid, columns.segment, rows, expanded.row),
        segments=() if columns.segment is None else tuple(grid.labels(columns.segment).names),
        group=expanded.row if columns.judge is None else _coded(grid, columns.judge, rows, expanded.row),
        notes=notes,
    )
    alone = int((judged.sum(axis=0) < 2).sum())
    return Reading(
        format=_TABLE,
        because=f"{len(columns.systems)} systems and their ranks in each row",
        tables=(table,),
        rows_read=grid.n_rows,
        rows_kept=rows.size - alone,
        dropped={
            reason: count
            for reason, count in (
                ("fewer than two judged", alone),
                ("other languages", grid.n_rows - rows.size),
            )
            if count
        },
        notes=notes,
    )


def _chosen(grid: Grid, columns: _RankColumns, languages: str | None) -> IntArray:
    """Return the rows of the language pair; one is needed, because systems of two pairs never met."""
    every = np.arange(grid.n_rows)
    if not columns.languages:
        return every
    sides = [grid.labels(column) for column in columns.languages]
    texts = [tuple(side.names[code] if code >= 0 else "" for code in side.codes.tolist()) for side in sides]
    pair = ["-".join(both) for both in zip(*texts, strict=True)]
    known = list(dict.fromkeys(pair))
    if languages is not None:
        if languages not in known:
            raise unknown_name("pair of languages", languages, known)
        return np.flatnonzero([name == languages for name in pair])
    if len(known) > 1:
        raise fault(
            grid,
            Message(
                "There are {n} language pairs where one is needed: {pairs}. Choose one with {languages}.",
                n=len(known),
                pairs=some_of(known),
                languages=Option("languages", known[0]),
            ),
            code="BT023",
        )
    return every


def _ranks(grid: Grid, columns: _RankColumns) -> FloatArray:
    values = grid.numbers(columns.ranks)
    check_numbers(grid, values, columns.ranks)
    odd = (values == 0) | (values < -1) | (values != np.floor(values)) & ~np.isnan(values)
    if odd.any():
        row = int(np.flatnonzero(odd.any(axis=0))[0])
        column = columns.ranks[int(np.flatnonzero(odd[:, row])[0])]
        raise fault(
            grid,
            f"{quoted(grid.cell(row, column))} is not a rank (column {quoted(grid.header[column])}). "
            f"Write 1 for the best, 2, 3 …, and -1 for what was not judged.",
            row=row,
            code="BT121",
        )
    return np.where(values > 0, values, np.nan)


def _judged(
    grid: Grid, columns: _RankColumns, cells: list[Labels], ranks: FloatArray, rows: IntArray
) -> BoolArray:
    judged = ~np.isnan(ranks)
    for slot, labels in enumerate(cells):
        nameless = np.flatnonzero(judged[slot] & (labels.codes[rows] < 0))
        if nameless.size:
            name = quoted(grid.header[columns.systems[slot]])
            row = int(rows[nameless[0]])
            why = missing_name(grid.cell(row, columns.systems[slot]), "system")
            raise fault(
                grid, f"A system is ranked but not named (column {name}). {why}", row=row, code="BT124"
            )
    return judged


def _systems(
    cells: list[Labels], rows: IntArray, judged: BoolArray
) -> tuple[tuple[str, ...], list[list[tuple[int, ...]]]]:
    """Return the systems in alphabetical order, and which of them each row's cells name."""
    used = [
        set(np.unique(labels.codes[rows][mask]).tolist()) for labels, mask in zip(cells, judged, strict=True)
    ]
    texts = {labels.names[code] for labels, codes in zip(cells, used, strict=True) for code in codes}
    by_comma = {text: tuple(part.strip() for part in text.split(",") if part.strip()) for text in texts}
    alone = {part for parts in by_comma.values() for part in parts if "+" not in part}
    parted = {text: _parted(parts, alone) for text, parts in by_comma.items()}
    systems = tuple(sorted({name for names in parted.values() for name in names}))
    index = {name: i for i, name in enumerate(systems)}
    members: list[list[tuple[int, ...]]] = []
    for labels, mask in zip(cells, judged, strict=True):
        coded = {
            code: tuple(index[name] for name in parted[text])
            for code, text in enumerate(labels.names)
            if text in parted
        }
        members.append(
            [
                coded[code] if here else ()
                for code, here in zip(labels.codes[rows].tolist(), mask.tolist(), strict=True)
            ]
        )
    return systems, members


def _parted(parts: tuple[str, ...], alone: set[str]) -> tuple[str, ...]:
    """Split names at plus signs too, but only into names that also occur alone: a name may contain a plus sign."""
    names: list[str] = []
    for part in parts:
        pieces = [piece.strip() for piece in part.split("+")]
        names += pieces if len(pieces) > 1 and set(pieces) <= alone else [part]
    return tuple(dict.fromkeys(names))


def _expanded(
    members: list[list[tuple[int, ...]]], ranks: FloatArray, judged: BoolArray, identical: Identical
) -> _Expanded:
    rows: list[tuple[int, int, float, int]] = []
    n_identical = 0
    for row, slots in enumerate(zip(*members, strict=True)):
        here = [slot for slot in range(len(slots)) if judged[slot, row]]
        for slot in here:
            alike = list(combinations(slots[slot], 2))
            n_identical += len(alike)
            rows += [(a, b, 0.5, row) for a, b in alike] if identical == "tie" else []
        for i, j in combinations(here, 2):
            gap = ranks[j, row] - ranks[i, row]  # rank 1 is best
            outcome = 0.5 if gap == 0 else float(gap > 0)
            rows += [(a, b, outcome, row) for a in slots[i] for b in slots[j]]
    columns = tuple(zip(*rows, strict=True)) if rows else ((), (), (), ())
    left, right, row_of = (np.array(columns[i], dtype=np.int64) for i in (0, 1, 3))
    return _Expanded(left, right, np.array(columns[2], dtype=np.float64), row_of, n_identical)


def _check_itself(grid: Grid, expanded: _Expanded, rows: IntArray, systems: tuple[str, ...]) -> None:
    twice = np.flatnonzero(expanded.left == expanded.right)
    if expanded.left.size == 0:
        raise fault(grid, "No row ranks two systems, so there are no matches.", code="BT126")
    if twice.size:
        name = quoted(systems[int(expanded.left[twice[0]])])
        text = f"System {name} is ranked twice in the row. Remove one of the two."
        raise fault(grid, text, row=int(rows[expanded.row[twice[0]]]), code="BT123")


def _coded(grid: Grid, column: int | None, rows: IntArray, row_of: IntArray) -> IntArray | None:
    if column is None:
        return None
    codes = grid.labels(column).codes[rows]
    empty = np.flatnonzero(codes < 0)
    if empty.size:
        text = f"The row has no value in column {quoted(grid.header[column])}. Fill the cell in."
        raise fault(grid, text, row=int(rows[empty[0]]), code="BT127")
    return codes.astype(np.int64)[row_of]


def _notes(
    ranks: FloatArray, judged: BoolArray, expanded: _Expanded, identical: Identical
) -> tuple[str, ...]:
    ties = int((expanded.outcome == 0.5).sum())
    notes = [
        f"Rankings read: {ranks.shape[1]:,}; they make {expanded.left.size:,} matches, {ties:,} of them ties."
    ]
    skipped = int((~judged).sum())
    if skipped:
        notes.append(f"{skipped:,} of {judged.size:,} outputs shown were not judged.")
    if expanded.n_identical:
        how = "counted as ties" if identical == "tie" else "left out"
        notes.append(
            f"{expanded.n_identical:,} pairs of systems shown as one, with identical outputs, were {how}."
        )
    return tuple(notes)


_BETTER_WORSE = Format(
    name="better_worse",
    kind="matches",
    description="a list of pairs with a header: segment, better system and worse system",
)
_ENDS = ["better", "worse"]
_PAIR = "lp"
_DEPENDENT = "Pairs of one segment share its judgments, so they are clustered by segment."


@dataclass(slots=True)
class _PairLines:
    """Better, worse and segment of each line."""

    better: list[str] = field(default_factory=list)
    worse: list[str] = field(default_factory=list)
    segment: list[int] = field(default_factory=list)
    segments: dict[tuple[str, ...], int] = field(default_factory=dict)
    pairs: dict[str, int] = field(default_factory=dict)
    n_rows: int = 0
    n_other: int = 0


def sniff_better_worse(source: Source) -> Guess | None:
    """Recognize a header that ends with BETTER and WORSE."""
    if source.is_parquet:
        return None
    header = next(iter(first_lines(source)), "").lower().split()
    if len(header) < 3 or header[-2:] != _ENDS:
        return None
    return Guess(confidence=0.98, because="the last two columns are called better and worse")


def read_better_worse(source: Source, options: Options) -> Reading:
    """Read the pairs into :class:`Matches`, the better system on the left, with the segment of each."""
    lines = _pair_lines(source, options)
    dropped = {"another language pair": lines.n_other} if lines.n_other else {}
    table = _matches(lines, options)
    guess = sniff_better_worse(source)
    return Reading(
        format=_BETTER_WORSE,
        because=reason(guess),
        tables=(table,),
        rows_read=lines.n_rows,
        rows_kept=lines.n_rows - lines.n_other,
        dropped=dropped,
        notes=table.notes,
        problems=_doubts(lines, source),
    )


def _pair_lines(source: Source, options: Options) -> _PairLines:
    lines, header, width, tab = _PairLines(), [""], 0, False
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        if header == [""]:
            tab, header = "\t" in text, text.lower().split()
            _check_header(header, source, line)
            continue
        row = [cell.strip() for cell in (text.split("\t") if tab else text.split())]
        # A header may lack the name of one column, but all rows have the same fields.
        width = width or max(len(row), len(header))
        _check_row(row, width if len(row) - len(header) in (0, 1) else len(header), source, line)
        lines.n_rows += 1
        if header[0] == _PAIR:
            lines.pairs[row[0]] = lines.pairs.get(row[0], 0) + 1
            if options.language_pair not in (None, row[0]):
                lines.n_other += 1
                continue
        lines.better.append(row[-2])
        lines.worse.append(row[-1])
        lines.segment.append(lines.segments.setdefault(tuple(row[:-2]), len(lines.segments)))
    if len(lines.pairs) > 1 and options.language_pair is None:
        raise _several(lines, source)
    if not lines.better:
        raise source.error("There are no pairs below the header.", code="BT126")
    return lines


def _check_header(header: list[str], source: Source, line: int) -> None:
    if len(header) < 3 or header[-2:] != _ENDS:
        raise source.error(
            "The header must end with BETTER and WORSE, after the columns that name the segment. Add it.",
            line=line,
            code="BT120",
        )


def _check_row(row: list[str], width: int, source: Source, line: int) -> None:
    if len(row) != width:
        raise source.error(
            f"The line has {len(row)} fields where {width} are needed. Write all fields on every line.",
            line=line,
            code="BT177",
        )
    if not all(row):
        raise source.error(
            "The line has an empty field. Fill it in or remove the line.",
            line=line,
            code="BT124" if not all(row[-2:]) else "BT127",
        )
    check_names(
        {"segment": row[-3], "better system": row[-2], "worse system": row[-1]}, path=source.name, line=line
    )
    if row[-1] == row[-2]:
        raise source.error(
            f"{quoted(row[-1])} is listed as better than itself. Remove the line.", line=line, code="BT123"
        )


def _several(lines: _PairLines, source: Source) -> ReadError:
    listed = [f"{pair}: {count}" for pair, count in lines.pairs.items()]
    first = next(iter(lines.pairs))
    return source.error(
        Message(
            "There are {n} language pairs ({pairs}), and their systems never meet. Keep the lines of one of them: "
            "grep -E '^(LP|{first}) ' FILE > ONE.csv",
            n=len(lines.pairs),
            pairs=some_of(listed),
            first=first,
        ),
        code="BT178",
    )


def _matches(lines: _PairLines, options: Options) -> Matches:
    systems = tuple(sorted({*lines.better, *lines.worse}))
    index = {name: i for i, name in enumerate(systems)}
    segment = np.array(lines.segment, dtype=np.int64)
    count = f"Pairs read: {len(lines.better):,} on {np.unique(segment).size:,} segments; there are no ties."
    return Matches(
        systems=systems,
        left=np.array([index[name] for name in lines.better], dtype=np.int64),
        right=np.array([index[name] for name in lines.worse], dtype=np.int64),
        outcome=np.ones(segment.size),
        segment=segment,
        segments=tuple(":".join(key) for key in lines.segments),
        group=segment if options.cluster else None,
        notes=(count, *((_DEPENDENT,) if options.cluster else ())),
    )


def _doubts(lines: _PairLines, source: Source) -> tuple[Problem, ...]:
    """Report lines that contradict or repeat another on the same segment."""
    rows = list(zip(lines.segment, lines.better, lines.worse, strict=True))
    distinct = set(rows)
    again = len(rows) - len(distinct)
    opposite = sum((segment, worse, better) in distinct for segment, better, worse in distinct) // 2
    if not again and not opposite:
        return ()
    text = (
        f"{again} pairs occur twice on the same segment and {opposite} in both directions. They are kept as they are; "
        f"remove them if they were not judged twice."
    )
    return (Problem(code="BT179", place=source.name, message=text),)


RANKINGS = FormatReader(_TABLE, sniff_table, read_ranked, guess=guess_table, read_grid=read_table_grid)
"""Relative rankings: a judge ranks several systems on a segment, all in one row (WMT13 to WMT15: five).

The header is ``srclang, trglang, srcIndex, documentId, segmentId, judgeId, system1Number, system1Id, …,
system1rank, …``, with as many systems as there are. Rank 1 is best, equal ranks are a tie, −1 or an empty cell means
not judged. A row of five becomes ten matches.
"""
BETTER_WORSE = FormatReader(_BETTER_WORSE, sniff_better_worse, read_better_worse)
"""Lists of better and worse: ``RR-seglevel.csv``, ``DArr-seglevel.csv``, and tables with these two columns.

The last two fields of a line are the better and the worse system, those before them identify the segment: ``LP DATA SID
BETTER WORSE``. WMT18's header names only four of the five, so columns are counted from the end. There are no ties.
"""


_FORMAT = Format(
    name="ranking_lists",
    kind="matches",
    description='a ranking per row in a column called ranking: "A > B = C > D", or JSON lists',
    columns=frozenset({"judge"}),
    rows="grid",
)
_COLUMNS = ("ranking", "rankings", "rankinglist")
_LIST_JUDGES = ("judge", "judgeid", "rater", "annotator", "worker", "workerid", "userid", "voter")
REST = "*"
"""Stands for all other systems, which were available and are not ranked."""


class _List(NamedTuple):
    """Places of a ranking, best first, and whether all other systems were available."""

    places: list[list[str]]
    has_rest: bool


def sniff(source: Source) -> Guess | None:
    """Recognize a column of rankings."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:  # noqa: ARG001  (as other layouts of tables have it)
    """Return the confidence that a table has a column of rankings."""
    column = _column(look.header)
    if column is None:
        return None
    cells = [row[column] for row in look.rows if column < len(row)]
    shown = [cell for cell in cells if isinstance(cell, list) or (isinstance(cell, str) and _is_list(cell))]
    if not shown or len(shown) < len(cells) / 2:
        return None
    return Guess(confidence=0.97, because=f"rankings of systems in the column {quoted(look.header[column])}")


def _is_list(cell: str) -> bool:
    return ">" in cell or cell.lstrip().startswith("[")


def _column(header: tuple[str, ...]) -> int | None:
    return next((i for i, name in enumerate(header) if plain(name) in _COLUMNS), None)


def read(source: Source, options: Options) -> Reading:
    """Read a file of rankings."""
    return read_table(source, options, read_grid, because="")


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:  # noqa: ARG001
    """Read a grid with a ranking per row."""
    column = _column(grid.header)
    if column is None:
        raise fault(grid, "There is no column called ranking. Rename the column of rankings.", code="BT120")
    lists = [_parsed(grid, row, text) for row, text in enumerate(grid.texts(column))]
    systems = tuple(sorted({name for one in lists for place in one.places for name in place}))
    index = {name: i for i, name in enumerate(systems)}
    rows = [row for i, one in enumerate(lists) for row in _list_matches(i, one, index)]
    if not rows:
        raise fault(grid, "No row ranks two systems, so there are no matches.", code="BT126")
    left, right, segment = (np.array([row[k] for row in rows], dtype=np.int64) for k in (0, 1, 3))
    judge = _judge(grid, options)
    matches = Matches(
        systems=systems,
        left=left,
        right=right,
        outcome=np.array([row[2] for row in rows], dtype=np.float64),
        segment=segment,
        group=None if judge is None else _judges(grid, judge)[segment],
        notes=_list_notes(lists),
    )
    return Reading(
        format=_FORMAT,
        because=f"rankings of systems in the column {quoted(grid.header[column])}",
        tables=(matches,),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows,
        notes=matches.notes,
    )


def _list_notes(lists: list[_List]) -> tuple[str, ...]:
    partial = sum(one.has_rest for one in lists)
    tied = sum(any(len(place) > 1 for place in one.places) for one in lists)
    note = method_note("Rankings read: {n:,}; {tied:,} have ties.", n=len(lists), tied=tied)
    if not partial:
        return (note,)
    rest = method_note("{n:,} rankings name the best only; all other systems are below.", n=partial)
    return (note, rest)


def _parsed(grid: Grid, row: int, text: str) -> _List:
    try:
        places = _json_places(text) if text.lstrip().startswith("[") else _text_places(text)
    except ValueError as error:
        wrong = (
            f"{quoted(text)} is not a ranking: {error}. Write the best first, as in A > B = C > D, and * for all other "
            f"systems at the end."
        )
        raise fault(grid, wrong, row=row, code="BT121") from error
    has_rest = places[-1] == [REST]
    places = places[:-1] if has_rest else places
    names = [name for place in places for name in place]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise fault(grid, f"System {quoted(twice)} is ranked twice in the row.", row=row, code="BT123")
    word = next((name for name in names if name.strip() and is_missing(name)), None)
    if word is not None:
        wrong = f"A system in {quoted(text)} is ranked but not named. {missing_name(word, 'system')}"
        raise fault(grid, wrong, row=row, code="BT124")
    if REST in names or any(is_missing(name) for name in names):
        raise fault(grid, f"A system in {quoted(text)} has no name.", row=row, code="BT124")
    return _List(places, has_rest)


def _text_places(text: str) -> list[list[str]]:
    if not text.strip():
        raise ValueError("the cell is empty")
    return [[name.strip() for name in place.split("=")] for place in text.split(">")]


def _json_places(text: str) -> list[list[str]]:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("the list is not JSON") from error
    places = [place if isinstance(place, list) else [place] for place in found]
    if not places or not all(place and all(isinstance(name, str) for name in place) for place in places):
        raise ValueError("a list holds names of systems, and lists of those that are tied")
    return [[name.strip() for name in place] for place in places]


def _list_matches(row: int, one: _List, index: dict[str, int]) -> list[tuple[int, int, float, int]]:
    placed = [(index[name], k) for k, place in enumerate(one.places) for name in place]
    found = [(a, b, 1.0 if i < j else 0.5, row) for (a, i), (b, j) in combinations(placed, 2)]
    if one.has_rest:
        named = {system for system, _ in placed}
        rest = [system for system in index.values() if system not in named]
        found += [(a, b, 1.0, row) for a, _ in placed for b in rest]
    return found


def _judge(grid: Grid, options: Options) -> int | None:
    named = options.columns.get("judge")
    if named is not None:
        if named not in grid.header:
            raise fault(grid, f"There is no column {quoted(named)} for the judge.", code="BT120")
        return grid.header.index(named)
    if not options.cluster:
        return None
    return next((i for i, name in enumerate(grid.header) if plain(name) in _LIST_JUDGES), None)


def _judges(grid: Grid, column: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    codes = np.asarray(grid.labels(column).codes, dtype=np.int64)
    empty = np.flatnonzero(codes < 0)
    if empty.size:
        text = f"The row has no value in column {quoted(grid.header[column])}. Fill the cell in."
        raise fault(grid, text, row=int(empty[0]), code="BT127")
    return codes


LISTS = FormatReader(_FORMAT, sniff, read, guess=guess, read_grid=read_grid)
"""Rankings of any length, with ties, in a column called ranking.

``A > B = C > D`` ranks four systems, B and C tied; in JSON it is ``["A", ["B", "C"], "D"]``. Systems that are not named
were not available, unless the list ends with ``*``: ``A > B > *`` says that A was the best of all systems of the file
and B the second. A row of n systems becomes n (n − 1) / 2 matches of one segment, from which ``rank --by
plackett-luce`` recovers the ranking.
"""
