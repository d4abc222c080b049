"""Several tables in one file, distinguished by a column such as ``lp`` or ``dataset``.

Segment 1 of English–German and segment 1 of Chinese–English are unrelated. Such a file is read table by table, so that
all of it can be checked; where one table is needed, :func:`whole` raises an error with a hint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.messages import MORE, Message, Option
from betterthan.read.grid.columns import TASKS, find, plain
from betterthan.read.grid.grid import Grid, quoted
from betterthan.read.grid.selection import select
from betterthan.read.protocol import Options, Problem, Reading
from betterthan.tables.any_table import AnyTable

_LANGUAGES = (
    "targetlang", "targetlanguage", "tgtlang", "tgtlanguage", "trglang", "sourcelang", "sourcelanguage", "srclang",
    "srclanguage",
)  # fmt: skip
PAIRS = ("lp", "langs", "langpair", "languagepair", "langdir", "direction", "pair", *_LANGUAGES)
"""Columns that hold language pairs or one side of them, without case and punctuation."""
_TEST_SETS = ("dataset", "testset", "benchmark", "split", "language", "lang")
_SUBJECTS = ("task", "subject")
# Most test sets have these, and are used as a whole: only `check` reports them.
_DOMAINS = ("domain", "category", "genre")
_SETS = (*PAIRS, *_TEST_SETS, *_SUBJECTS, *_DOMAINS, "data")
_is_pair = re.compile(r"[A-Za-z]{2,3}(?:_[A-Za-z]+)?\s*[-–→>_]+\s*[A-Za-z]{2,3}(?:_[A-Za-z]+)?").fullmatch
_of_names = re.compile(r"([^\W\d_]+)(?:\s*[-–→>_/]+\s*|\s+to\s+)([^\W\d_]+)").fullmatch
_NAMES = (
    "afrikaans amharic arabic armenian assamese azerbaijani basque belarusian bengali bhojpuri bosnian "
    "bulgarian burmese catalan chinese croatian czech danish dutch english estonian farsi finnish french "
    "galician georgian german greek gujarati hausa hebrew hindi hungarian icelandic igbo indonesian inuktitut "
    "irish italian japanese javanese kannada kazakh khmer korean kurdish kyrgyz lao latin latvian lithuanian "
    "livonian macedonian malay malayalam maltese mandarin maori marathi mongolian nepali norwegian odia pashto "
    "persian polish portuguese punjabi romanian russian sanskrit scottish serbian sindhi sinhala slovak "
    "slovene slovenian somali sorbian spanish sundanese swahili swedish tagalog tajik tamil tatar telugu thai "
    "tibetan turkish turkmen ukrainian urdu uyghur uzbek vietnamese welsh xhosa yakut yiddish yoruba zulu "
)
_LANGUAGE_NAMES = frozenset(_NAMES.split())
_MOST = 200
_SHOWN = 12
DUPLICATE = "BT101"
SEVERAL = "BT180"
_OF_ONE_TABLE = ("BT102", "BT104")  # missing scores, only one system


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparateReading(Reading):
    """Unrelated tables of one file, and the error for use where one table is needed."""

    error: ReadError


def whole(reading: Reading) -> Reading:
    """Return a reading whose tables belong together.

    Raises
    ------
    ReadError
        When they do not (BT101, BT180), with the condition that chooses one of them.
    """
    if isinstance(reading, SeparateReading):
        raise reading.error
    return reading


def read_separately(grid: Grid, options: Options, read_one: Callable[[Grid], Reading]) -> Reading:
    """Read a grid as one table, or as several where a column distinguishes them.

    Parameters
    ----------
    grid : Grid
    options : Options
    read_one : callable
        Reads a grid as one table of each metric.

    Returns
    -------
    Reading
        An :class:`SeparateReading` when there are several language pairs, or when the same segment of a system occurs
        again and a column distinguishes the two; its tables are named after the values of that column.
    """
    spelled = _spelled_differently(grid)
    pairs = pair_column(grid, options)
    roles = find(grid.header, options.columns, ("item", "system", "group"), path=grid.name)
    if pairs is not None and "system" in roles and "item" not in roles:
        return _with_problems(_parted(grid, pairs, read_one, None), spelled)
    try:
        reading = read_one(grid)
    except ReadError as error:
        parted = _separated(grid, read_one, error) if error.code == DUPLICATE else None
        if parted is None:
            raise
        return _with_problems(parted, spelled)
    sets = [column for column in _several(grid, _TEST_SETS) if column not in _named_columns(options)]
    parted = _not_pooled(grid, pairs, sets, roles, read_one)
    if parted is not None:
        return _with_problems(parted, spelled)
    pooled = [Problem(code="BT239", place=grid.name, message=_together(grid, column)) for column in sets]
    reading = replace(_with_problems(reading, (*spelled, *pooled)), pairs=_language_pairs(grid))
    for column in _several(grid, (*_SUBJECTS, *_DOMAINS)):
        if column not in _named_columns(options):
            note = _together(grid, column)
            is_domain = plain(column) in _DOMAINS
            reading = replace(reading, notes=(*reading.notes, note)) if is_domain else reading.with_note(note)
    return reading


def _separated(grid: Grid, read_one: Callable[[Grid], Reading], error: ReadError) -> SeparateReading | None:
    """Return the tables among which no segment of a system occurs twice, or None if no column separates them."""
    tried = (_tried(grid, column, read_one, error) for column in _several(grid, _SETS))
    return next((parted for parted in tried if parted is not None), None)


def _not_pooled(
    grid: Grid,
    pairs: str | None,
    sets: Sequence[str],
    roles: Mapping[str, int],
    read_one: Callable[[Grid], Reading],
) -> SeparateReading | None:
    """Return the tables of language pairs, and of sets that share names of segments; None where rows may be pooled."""
    is_pair = pairs is not None and ("item" in roles or "system" not in roles)
    if "item" in roles and "group" not in roles:
        for column in (*((pairs,) if pairs is not None else ()), *sets):
            if _share_segments(grid, column, roles["item"]):
                return _parted(grid, column, read_one, None)
    return (
        _parted_languages(grid, pairs, read_one)
        if pairs and is_pair and _are_languages(grid, pairs)
        else None
    )


def _parted_languages(grid: Grid, column: str, read_one: Callable[[Grid], Reading]) -> SeparateReading:
    """Read language pairs without common segments, which could be pooled but are kept separate by default."""
    error = _pooled(grid, column)
    try:
        return _parted(grid, column, read_one, error)
    except ReadError as other:  # a single pair does not form a table
        raise error from other


def _with_problems(reading: Reading, problems: Sequence[Problem]) -> Reading:
    """Add problems to a reading, and to the notes of its tables, so that they appear with every result."""
    if not problems:
        return reading
    messages = tuple(problem.message for problem in problems)
    tables = tuple(
        cast("AnyTable", replace(cast("Any", table), notes=(*messages, *table.notes)))
        for table in reading.tables
    )
    return replace(reading, tables=tables, problems=(*problems, *reading.problems))


def pair_column(grid: Grid, options: Options) -> str | None:
    """Return the column of language pairs, if there is one with at least two of them and the user chose none."""
    columns = _named_columns(options)
    named = (name for name in grid.header if plain(name) in PAIRS and name not in columns)
    return next((name for name in named if len(_values(grid, name)) > 1), None)


def _named_columns(options: Options) -> set[str]:
    """Return the columns that the user gave a role, or chose rows by."""
    return {*options.columns.values(), *options.factors, *(column for column, _ in options.where)}


def _language_pairs(grid: Grid) -> tuple[str, ...]:
    """Return the language pairs in a column, even if there is only one."""
    columns = (name for name in grid.header if plain(name) in PAIRS and _are_languages(grid, name))
    return next((tuple(_values(grid, name)) for name in columns), ())


def _are_languages(grid: Grid, column: str) -> bool:
    """Whether a column holds languages; "pair" may also count pairs of anything, so it must look like a pair."""
    return plain(column) in _LANGUAGES or all(map(_is_language_pair, _values(grid, column)))


def _is_language_pair(value: str) -> bool:
    """Whether a value is a pair of codes, such as en-de, or of names, such as English–German."""
    names = _of_names(value)
    are_names = names is not None and _LANGUAGE_NAMES.issuperset(name.casefold() for name in names.groups())
    return are_names or bool(_is_pair(value))


def _several(grid: Grid, names: Sequence[str]) -> list[str]:
    """Return the columns with these names that distinguish at least two sets of rows."""
    return [name for name in grid.header if plain(name) in names and 2 <= len(_values(grid, name)) <= _MOST]


def _share_segments(grid: Grid, column: str, item: int) -> bool:
    """Whether a segment of the same name occurs in several language pairs, not distinguished by documents."""
    items = grid.labels(item)
    keys = np.array([*_keys(grid, column).values(), -1], dtype=np.int64)
    pairs = keys[grid.labels(grid.header.index(column)).codes]
    known = (items.codes >= 0) & (pairs >= 0)
    cell = items.codes[known].astype(np.int64) * keys.size + pairs[known]
    return np.unique(cell).size > np.unique(items.codes[known]).size


def _spellings(grid: Grid, name: str) -> dict[str, list[str]]:
    """Return the canonical form of each value of a column, ignoring surrounding blanks and case."""
    try:
        names = grid.labels(grid.header.index(name)).names
    except ReadError:  # objects or lists
        return {}
    spellings: dict[str, list[str]] = {}
    for each in names:
        spellings.setdefault(each.strip().casefold(), []).append(each)
    return spellings


def _values(grid: Grid, name: str) -> tuple[str, ...]:
    """Return the values of a column, each as it is written first."""
    return tuple(spelled[0].strip() for spelled in _spellings(grid, name).values())


def _keys(grid: Grid, name: str) -> dict[str, int]:
    """Return the number of the value that each label of a column is, in the order of the labels."""
    numbers = {each: k for k, spelled in enumerate(_spellings(grid, name).values()) for each in spelled}
    return {each: numbers[each] for each in grid.labels(grid.header.index(name)).names}


def _spelled_differently(grid: Grid) -> tuple[Problem, ...]:
    """Yield warnings for language pairs and test sets with several spellings, which count as one."""
    variants = []
    for name in grid.header:
        if plain(name) not in _SETS:
            continue
        for spelled in _spellings(grid, name).values():
            if len(spelled) > 1:
                ways = some_of([quoted(each) for each in spelled])
                message = f"Column {quoted(name)} has several spellings of the same value, which count as one: {ways}."
                variants.append(
                    Problem(code="BT238", place=grid.name, message=f"{message} Use one spelling.")
                )
    return tuple(variants)


def _tried(
    grid: Grid, column: str, read_one: Callable[[Grid], Reading], error: ReadError
) -> SeparateReading | None:
    try:
        return _parted(grid, column, read_one, error)
    except ReadError as other:
        if other.code != DUPLICATE:
            raise
        return None


def _parted(
    grid: Grid, column: str, read_one: Callable[[Grid], Reading], error: ReadError | None
) -> SeparateReading:
    parts: dict[str, Reading] = {}
    rows: dict[str, int] = {}
    for value, spelled in zip(_values(grid, column), _spellings(grid, column).values(), strict=True):
        chosen = select(grid, tuple((column, each) for each in spelled))
        parts[value], rows[value] = read_one(chosen.grid), chosen.grid.n_rows
    first = next(iter(parts.values()))
    n_rows = sum(reading.rows_kept for reading in parts.values())
    return SeparateReading(
        format=first.format,
        because=first.because,
        tables=tuple(_named(table, value) for value, part in parts.items() for table in part.tables),
        rows_read=grid.n_rows,
        rows_kept=n_rows,
        dropped=_dropped(parts, grid.n_rows - sum(rows.values()), column),
        notes=(_note(column, rows), *_notes(parts)),
        problems=_problems(parts),
        error=error or _not_comparable(grid, column, rows),
    )


def _named(table: AnyTable, value: str) -> AnyTable:
    name = f"{value} {table.name}"  # type: ignore[union-attr]  # scores and ratings, which all have names
    return cast("AnyTable", replace(cast("Any", table), name=name))


def _dropped(parts: dict[str, Reading], nameless: int, column: str) -> dict[str, int]:
    dropped: dict[str, int] = {f"no {column}": nameless} if nameless else {}
    for reading in parts.values():
        for reason, count in reading.dropped.items():
            dropped[reason] = dropped.get(reason, 0) + count
    return dropped


def _note(column: str, rows: dict[str, int]) -> str:
    listed = [f"{value} ({count:,} rows)" for value, count in rows.items()]
    return Message(
        "Column {column} distinguishes {n} tables: {tables}. Choose one with {where}.",
        severity="info",
        column=quoted(column),
        n=len(rows),
        tables=some_of(listed, limit=_SHOWN),
        where=Option("where", {column: next(iter(rows))}),
    )


def _notes(parts: dict[str, Reading]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for reading in parts.values() for note in reading.notes))


def _problems(parts: dict[str, Reading]) -> tuple[Problem, ...]:
    """Return the problems of all parts, without those that matter only for a single table."""
    problems_of = [(value, problem) for value, reading in parts.items() for problem in reading.problems]
    return tuple(
        dict.fromkeys(
            problem
            if problem.code == "BT203"  # the same for every part
            else replace(problem, message=Message("{value}: {message}", value=value, message=problem.message))
            for value, problem in problems_of
            if problem.code not in _OF_ONE_TABLE
        )
    )


def _not_comparable(grid: Grid, column: str, rows: dict[str, int]) -> ReadError:
    first = next(iter(rows))
    listed = [f"{value}: {count:,} rows" for value, count in rows.items()]
    return ReadError(
        Message(
            "Column {column} holds {n} {values} ({listed}) with segments of the same names, which are not "
            "comparable. Choose one with {where}; if the column means something else, leave it out: {ignore}.",
            column=quoted(column),
            n=len(rows),
            values=_what(column),
            listed=some_of(listed),
            where=Option("where", {column: first}),
            ignore=Option("ignore", [column]),
        ),
        path=grid.name,
        code=SEVERAL,
    )


def _pooled(grid: Grid, column: str) -> ReadError:
    values = _values(grid, column)
    every = [*values[:_SHOWN], *([MORE] if len(values) > _SHOWN else [])]
    return ReadError(
        Message(
            "Column {column} holds {n} {what} ({values}), and systems differ between them. "
            "Choose one with {one}; to pool them, list all: {every}.",
            column=quoted(column),
            n=len(values),
            what=_what(column),
            values=some_of(values),
            one=Option("where", {column: values[0]}),
            every=Option("where", {column: every}),
        ),
        path=grid.name,
        code="BT237",
    )


def _what(column: str) -> str:
    """Return what a column distinguishes, in words."""
    if plain(column) not in PAIRS:
        return "values"
    return "languages" if plain(column) in _LANGUAGES else "language pairs"


def _together(grid: Grid, column: str) -> str:
    values = _values(grid, column)
    told: dict[str, Any] = {
        "n": len(values),
        "column": quoted(column),
        "values": some_of(values),
        "where": Option("where", {column: values[0]}),
    }
    if plain(column) in TASKS:
        return Message(
            "Rows with {n} values of {column} are analyzed together ({values}). To keep one, use {where}; to rank over "
            "all of them as tasks, use board.",
            **told,
        )
    return Message(
        "Rows with {n} values of {column} are analyzed together ({values}). To keep one, use {where}.", **told
    )
