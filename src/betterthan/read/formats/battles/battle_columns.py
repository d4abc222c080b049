"""The columns of a table of battles: systems, winner, segment, judge and covariates."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from betterthan.errors import ReadError, some_of
from betterthan.messages import COLUMN, Message, Option, joined, method_note
from betterthan.read.formats.battles.winner_labels import number
from betterthan.read.grid.columns import RANKS, SEVERAL_WINNERS, SIDES, WINNERS
from betterthan.read.grid.numerals import is_missing
from betterthan.read.protocol import EVERY

# Which columns of battles are covariates: named by the user, or all that come in pairs, one for each system.
#
# A covariate may be inside an object, ``conv_metadata.sum_assistant_a_tokens`` of an arena's battles: in structs of
# Parquet, in JSON, and in cells of CSV as JSON text. A dotted name refers to a number, or to an object of numbers,
# which means their sum: ``conv_metadata.header_count_a`` is ``{"h1": 2, "h2": 5}``, seven headings.


Path = tuple[str, ...]
"""The keys from a column to a value inside its objects; empty for the column itself."""
_DEEPEST = 6


def nested_paths(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, tuple[str, Path]]:
    """Return the dotted names of all values inside objects in the rows, each with its column and path.

    Examples
    --------
    >>> nested_paths(["id", "meta"], [[1, {"bold_a": {"**": 3}}]])
    {'meta.bold_a': ('meta', ('bold_a',)), 'meta.bold_a.**': ('meta', ('bold_a', '**'))}
    """
    paths: dict[str, tuple[str, Path]] = {}
    for i, column in enumerate(header):
        for row in rows:
            for path in _paths(as_object(row[i])):
                paths.setdefault(".".join((column, *path)), (column, path))
    return {name: place for name, place in paths.items() if name not in header}


def as_object(cell: object) -> dict[str, Any]:
    """Return a cell that is an object or its JSON text; otherwise an empty object."""
    if isinstance(cell, dict):
        return cell
    if isinstance(cell, str) and cell.lstrip()[:1] == "{":
        try:
            parsed = json.loads(cell)
        except (ValueError, RecursionError):
            return {}
        return parsed if isinstance(parsed, dict) else {}
    return {}


def _paths(value: dict[str, Any], depth: int = 1) -> Iterator[Path]:
    for key, inner in value.items():
        yield (key,)
        if isinstance(inner, dict) and depth < _DEEPEST:
            yield from ((key, *path) for path in _paths(inner, depth + 1))


def nested_value(cell: object, path: Path) -> str:
    """Return the number at a path as text, the sum of an object of numbers, and "" where there is none.

    Examples
    --------
    >>> nested_value({"bold_a": {"**": 3, "__": 1}}, ("bold_a",)), nested_value('{"turns": 2}', ("turns",))
    ('4', '2')
    """
    nested: Any = as_object(cell)
    for key in path:
        nested = nested.get(key) if isinstance(nested, dict) else None
    if isinstance(nested, dict):
        values = [number(_text(value)) for value in nested.values()]
        total = math.fsum(values) if all(map(math.isfinite, values)) else math.nan
        return "" if math.isnan(total) else f"{total:.17g}"
    return _text(nested)


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, list) else str(value)


def nested_sql(cell: str, path: Path) -> str:
    """Return the equivalent SQL for a cell that holds JSON text; invalid JSON is missing."""
    from betterthan.read.grid.duck import literal  # noqa: PLC0415  (only files need it)

    place = "$" + "".join(f'."{_escaped(key)}"' for key in path)
    whole = f"CASE WHEN json_valid({cell}) THEN {cell}::JSON END"
    values = f"json_extract_string({whole}, {literal(f'{place}.*')})"
    numbers = f"[TRY_CAST(x AS DOUBLE) FOR x IN {values}]"
    # A sum skips non-numbers, so these are counted first.
    total = (
        f"CASE WHEN list_count({numbers}) = len({values}) THEN coalesce(list_sum({numbers}), 0)::VARCHAR END"
    )
    return (
        f"CASE json_type({whole}, {literal(place)}) WHEN 'OBJECT' THEN {total} WHEN 'ARRAY' THEN NULL "
        f"ELSE json_extract_string({whole}, {literal(place)}) END"
    )


def _escaped(key: str) -> str:
    return key.replace("\\", "\\\\").replace('"', '\\"')


PREFIX = "covariate "
"""Prefix of the name of a covariate that would be mistaken for another column of battles."""
_SIDES = (("a", "b"), ("1", "2"), ("left", "right"))
# Names of columns whose numbers are identifiers.
_NAMES = frozenset({"id", "ids", "index", "number", "rank", "order", "seed"})
_CANONICAL = ("a", "b", "outcome", "weight")


class KeyPath(NamedTuple):
    """A column, and the path to a number inside its objects."""

    column: str
    path: Path = ()


class Covariate(NamedTuple):
    """A number for each battle: one column, or the column of the left system minus that of the right one.

    `columns` are their names. A covariate that was not requested by name (`is_requested`) is left out where it has
    missing values.
    """

    name: str
    columns: tuple[str, ...]
    places: tuple[KeyPath, ...]
    is_requested: bool = True


def find_covariates(
    requested: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    used: Sequence[str],
    path: str | None = None,
) -> tuple[Covariate, ...]:
    """Find the requested covariates.

    Parameters
    ----------
    requested : sequence of str
        A column, a dotted name for a value inside objects (or its unambiguous end), or two of these with a minus
        between them; ``"*"`` means all that come in pairs.
    names : sequence of str
        All columns.
    rows : sequence of rows
        The first rows, which show the contents of objects.
    used : sequence of str
        Columns that are not covariates because they are systems, winners, segments or judges.
    path : str, optional
        The file, for messages.

    Raises
    ------
    ReadError
        When there is no such column (BT120).

    Examples
    --------
    >>> names, rows = ["len_a", "len_b", "meta"], [[3, 4, {"bold_a": 1, "bold_b": 0}]]
    >>> [each.name for each in find_covariates(["len_a-len_b", "bold_a"], names, rows, used=())]
    ['len_a-len_b', 'bold_a']
    >>> [each.name for each in find_covariates(["*"], names, rows, used=())]
    ['len_a-len_b', 'bold_a-bold_b']
    """
    places = _places(names, rows)
    covariates: dict[str, Covariate] = {}
    for text in requested:
        several = (
            paired(names, rows, used=used) if text == EVERY else [_named(text, places, list(names), path)]
        )
        for covariate in several:
            covariates.setdefault(covariate.name, covariate)
    return tuple(covariates.values())


def _places(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, KeyPath]:
    """Return every name that can be written for a place."""
    inside = {name: KeyPath(*place) for name, place in nested_paths(names, rows).items()}
    ends = [place.path[-1] for place in inside.values()]
    short = {
        place.path[-1]: place for place in inside.values() if ends.count(place.path[-1]) == 1
    }  # only where it is unambiguous
    prefixed = {name.removeprefix(PREFIX): KeyPath(name) for name in names if name.startswith(PREFIX)}
    # "covariate weight" in the file is the covariate "weight".
    return {**short, **inside, **{name: KeyPath(name) for name in names}, **prefixed}


def _named(text: str, places: Mapping[str, KeyPath], names: Sequence[str], path: str | None) -> Covariate:
    if text in places:
        return Covariate(text, (text,), (places[text],))
    cuts = [i for i, letter in enumerate(text) if letter == "-"]
    for first, second in ((text[:i].strip(), text[i + 1 :].strip()) for i in cuts):
        if first in places and second in places and first != second:
            return Covariate(text, (first, second), (places[first], places[second]))
    near = difflib.get_close_matches(text, [*names, *places], n=1)
    guess = f'Did you mean "{near[0]}"? ' if near else ""
    raise ReadError(
        f'There is no column "{text}" for a covariate. {guess}Name a column, or two with a minus between them: '
        f"len_a-len_b is the value of the left system minus that of the right one.",
        path=path,
        code="BT120",
    )


def paired(
    names: Sequence[str], rows: Sequence[Sequence[Any]], *, used: Sequence[str]
) -> tuple[Covariate, ...]:
    """Return the numbers that come in pairs, such as len_a and len_b, as differences.

    In a table with betterthan's own columns (a, b, outcome, weight), every other column is a covariate.
    """
    free = [name for name in names if name not in used]
    if set(_CANONICAL) <= set(names):
        rest = [name for name in free if name not in _CANONICAL]
        return tuple(
            Covariate(name.removeprefix(PREFIX), (name,), (KeyPath(name),), is_requested=False)
            for name in rest
        )
    places = _places(names, rows)
    known = {name: place for name, place in places.items() if place.column in free}
    pairs: list[Covariate] = []
    for first, second in _sided_pairs(known):
        within = any(_inside(known[first], place) for each in pairs for place in each.places)
        if not within and all(_is_number(places[name], names, rows) for name in (first, second)):
            both = (places[first], places[second])
            pairs.append(Covariate(f"{first}-{second}", (first, second), both, is_requested=False))
    return tuple(pairs)


def _sided_pairs(places: Mapping[str, KeyPath]) -> Iterator[tuple[str, str]]:
    """Yield the two names of each pair once, in their shortest form, objects before their contents."""
    shortest: dict[KeyPath, str] = {}
    for name, place in places.items():
        shortest[place] = min(shortest.get(place, name), name, key=len)
    for place in sorted(shortest, key=lambda each: len(each.path)):
        for other in _others(place):
            if other in shortest:
                yield shortest[place], shortest[other]


def _others(place: KeyPath) -> Iterator[KeyPath]:
    """Yield the columns whose names have b where this one has a."""
    keys = (place.column, *place.path)
    words = keys[-1].split("_")
    if _NAMES & {word.casefold() for word in words}:
        return
    for one, two in _SIDES:
        for i, word in enumerate(words):
            if word.casefold() == one:
                twin = two.upper() if word.isupper() else two
                changed = "_".join([*words[:i], twin, *words[i + 1 :]])
                *before, _ = keys
                column, *path = (*before, changed)
                yield KeyPath(column, tuple(path))


def _inside(place: KeyPath, other: KeyPath) -> bool:
    return place.column == other.column and place.path[: len(other.path)] == other.path


def _is_number(place: KeyPath, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Whether the first rows hold only numbers; missing values are counted when all rows are read."""
    column = list(names).index(place.column)
    cells = [row[column] for row in rows if row[column] is not None]
    texts = [nested_value(cell, place.path) if place.path else str(cell) for cell in cells]
    known = [number(text) for text in texts if not is_missing(text)]
    return bool(known) and all(map(math.isfinite, known))


# Which columns of a table are the two systems, the winner, the weight, the segment, the judge and covariates.


WEIGHTS = ("weight", "weights")
ITEMS = (
    "question_id",
    "item",
    "item_id",
    "segment",
    "segment_id",
    "prompt_id",
    "example_id",
    "prompt",
    "instruction",
    "id",
)
# A judge's battles include those of their sessions and rankings, so the judge comes first.
JUDGES = (
    "judge",
    "judge_id",
    "rater",
    "annotator",
    "annotator_id",
    "worker",
    "worker_id",
    "user_id",
    "evaluation_session_id",
    "session_id",
    "ranking_id",
)
ROLES = ("left", "right", "winner", "weight", "item", "judge", "category")
_WORDS = (SIDES, (WINNERS, WEIGHTS, ITEMS, JUDGES), SEVERAL_WINNERS, RANKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleColumns:
    """The columns of a battle table, by their names in the file.

    `winner` holds no column when the left system won by definition (chosen and rejected), two for two games
    with swapped sides or for two ranks, three for left, right and tie as 0 or 1. `needs_item` and `needs_judge` say
    whether a row without a value is an error, or the column is dropped. `whole` says that all available information is
    kept: segment, judge and covariates, each where it is complete. `maybe_item` is a column of segments that is used
    where segments occur in several rows. `category` divides the battles, such as a language.
    `in_order` says that every row is kept, in the order of the data; `names_items` that segments keep their names.
    """

    left: str
    right: str
    winner: tuple[str, ...]
    weight: str | None = None
    item: str | None = None
    judge: str | None = None
    needs_item: bool = True
    needs_judge: bool = True
    covariates: tuple[Covariate, ...] = ()
    whole: bool = False
    maybe_item: str | None = None
    category: str | None = None
    in_order: bool = False
    names_items: bool = False

    @property
    def is_preference(self) -> bool:
        """Whether numbers in the winner column run from 1 (first) to 2 (second)."""
        return len(self.winner) == 1 and plain_name(self.winner[0]) == "preference"

    @property
    def are_shares(self) -> bool:
        """Whether numbers in the winner column are the first system's share of a win, as betterthan writes them."""
        return tuple(map(plain_name, (self.left, self.right, *self.winner))) == ("a", "b", "outcome")

    @property
    def are_places(self) -> bool:
        """Whether the columns of the systems are numbered, so that a winner 2 is the second."""
        numbers = [re.findall(r"\d+", name) for name in (self.left, self.right)]
        return numbers == [["1"], ["2"]]

    @property
    def is_ranks(self) -> bool:
        """Whether the winner is the system with the smaller number."""
        plain = tuple(plain_name(name) for name in self.winner)
        return plain in {tuple(plain_name(word) for word in pair) for pair in RANKS}

    @property
    def keeps_rows(self) -> bool:
        """Whether single rows are needed, in the order of the data."""
        return self.in_order or self.item is not None or bool(self.covariates)


def plain_name(name: str) -> str:
    """Return a column's name without case and punctuation.

    Examples
    --------
    >>> plain_name("Model A") == plain_name("model_a")
    True
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum())


_TAKEN = frozenset(plain_name(word) for groups in _WORDS for words in groups for word in words)


def covariate_column(name: str) -> str:
    """Return the column name for writing a covariate: its name, unless that has another meaning in battles.

    Examples
    --------
    >>> covariate_column("len_a-len_b"), covariate_column("Weight")
    ('len_a-len_b', 'covariate Weight')
    """
    return f"{PREFIX}{name}" if plain_name(name) in _TAKEN or name.startswith(PREFIX) else name


def find_columns(
    names: Sequence[str],
    *,
    named: Mapping[str, str],
    keep: Sequence[str] = (),
    cluster: bool = False,
    covariates: Sequence[str] = (),
    rows: Sequence[Sequence[Any]] = (),
    path: str | None = None,
) -> BattleColumns:
    """Find the columns of a battle table.

    Parameters
    ----------
    names : sequence of str
        All columns.
    named : mapping
        Roles (left, right, winner, weight, item, judge, category) whose columns the user named.
    keep : sequence of {"item", "judge"}
        Roles whose columns are found by name and must be there.
    cluster : bool, default False
        Whether to use a column of judges or sessions if there is one, and of segments that occur in several rows,
        unless they have missing values.
    covariates : sequence of str
        Columns, or two columns with a minus between them: that of the left system and that of the right one; ``"*"``
        takes all that come in pairs, as well as the segment and the judge.
    rows : sequence of rows
        The first rows, which show the contents of objects.
    path : str, optional
        The file, for messages.

    Raises
    ------
    ReadError
        When a column is missing or ambiguous (BT120).

    Examples
    --------
    >>> find_columns(["id", "Model A", "Model B", "winner"], named={}).left
    'Model A'
    """
    for role, column in named.items():
        _check_named(role, column, names, path)
    known = _by_plain_name(names)
    left, right = _pair(known, named, path)
    roles = {role: _first(known, words) for role, words in (("item", ITEMS), ("judge", JUDGES))}
    for role in keep:
        if roles.get(role) is None and role not in named:
            raise _no_columns(f"{role}s", names, [role], path)
    whole = EVERY in covariates
    columns = BattleColumns(
        left=left,
        right=right,
        winner=_winner(known, named, left, names, path),
        weight=named.get("weight") or _first(known, WEIGHTS),
        item=named.get("item") or (roles["item"] if "item" in keep or whole else None),
        judge=named.get("judge") or (roles["judge"] if "judge" in keep or cluster or whole else None),
        needs_item="item" in keep or "item" in named,
        needs_judge="judge" in keep or "judge" in named,
        whole=whole,
        maybe_item=roles["item"] if cluster and not named.keys() & {"item", "judge"} and not keep else None,
        category=named.get("category"),
    )
    held = find_covariates(covariates, names, rows, used=_used(columns), path=path) if covariates else ()
    return replace(columns, covariates=held)


def _used(columns: BattleColumns) -> list[str]:
    systems = (columns.left, columns.right, *columns.winner)
    roles = (*systems, columns.weight, columns.item, columns.judge, columns.category)
    return [name for name in roles if name is not None]


def free_covariates(
    names: Sequence[str], rows: Sequence[Sequence[Any]], columns: BattleColumns
) -> tuple[str, ...]:
    """Return the covariates that come in pairs and are not used."""
    known = _by_plain_name(names)
    others = [name for name in (_first(known, ITEMS), _first(known, JUDGES)) if name is not None]
    held = {covariate.name for covariate in columns.covariates}
    covariates = paired(names, rows, used=[*_used(columns), *others])
    return tuple(covariate.name for covariate in covariates if covariate.name not in held)


def excluded_columns(names: Sequence[str], columns: BattleColumns) -> list[str]:
    """Return the columns that could identify segments and judges but are not used."""
    known = _by_plain_name(names)
    role_columns = [_first(known, ITEMS), _first(known, JUDGES)]
    return [name for name in role_columns if name is not None and name not in (columns.item, columns.judge)]


def _by_plain_name(names: Sequence[str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(plain_name(name), name)
    return known


def _first(known: Mapping[str, str], words: Sequence[str]) -> str | None:
    return next((known[plain_name(word)] for word in words if plain_name(word) in known), None)


def _check_named(role: str, column: str, names: Sequence[str], path: str | None) -> None:
    if column in names:
        return
    near = difflib.get_close_matches(column, names, n=1)
    guess = f' Did you mean "{near[0]}"?' if near else ""
    raise ReadError(
        f'There is no column "{column}" for the {role}.{guess} The columns are: {some_of(names, limit=20)}.',
        path=path,
        code="BT120",
    )


def _pair(known: Mapping[str, str], named: Mapping[str, str], path: str | None) -> tuple[str, str]:
    if "left" in named and "right" in named:
        if named["left"] == named["right"]:
            raise ReadError(
                Message(
                    'The column "{column}" is named for both sides. Name two columns: {left} and {right}.',
                    column=named["left"],
                    left=Option("left", COLUMN),
                    right=Option("right", COLUMN),
                ),
                path=path,
                code="BT120",
            )
        return named["left"], named["right"]
    fitting = [pair for pair in _pairs(known) if named.get("left", pair[0]) == pair[0]]
    fitting = [pair for pair in fitting if named.get("right", pair[1]) == pair[1]]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        readings = " or ".join(f'"{left}" and "{right}"' for left, right in fitting[:2])
        raise ReadError(
            Message(
                "The two systems may be in the columns {readings}. Name them with {left} and {right}.",
                readings=readings,
                left=Option("left", fitting[0][0]),
                right=Option("right", fitting[0][1]),
            ),
            path=path,
            code="BT120",
        )
    raise _no_columns("two systems", list(known.values()), ["left", "right"], path)


def _pairs(known: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (known[plain_name(left)], known[plain_name(right)])
        for left, right in SIDES
        if plain_name(left) in known and plain_name(right) in known
    ]


def has_several_pairs(names: Sequence[str]) -> bool:
    """Whether more than one pair of columns is named like the two systems of a battle.

    Examples
    --------
    >>> has_several_pairs(["model_a", "model_b", "left", "right"]), has_several_pairs(["model_a", "model_b"])
    (True, False)
    """
    return len(_pairs(_by_plain_name(names))) > 1


def _winner(
    known: Mapping[str, str], named: Mapping[str, str], left: str, names: Sequence[str], path: str | None
) -> tuple[str, ...]:
    if "winner" in named:
        return (named["winner"],)
    single = _first(known, WINNERS)
    if single is not None:
        return (single,)
    for several in (*SEVERAL_WINNERS, *RANKS):
        if all(plain_name(word) in known for word in several):
            return tuple(known[plain_name(word)] for word in several)
    if plain_name(left) == plain_name("chosen_model"):
        return ()
    raise _no_columns("winner", names, ["winner"], path)


def _no_columns(what: str, names: Sequence[str], roles: Sequence[str], path: str | None) -> ReadError:
    """Build the error for roles without a column."""
    template = (
        "No column for the {what} was found in {columns}. Rename it, or name it with {fix}."
        if len(roles) == 1
        else "No columns for the {what} were found in {columns}. Rename them, or name them with {fix}."
    )
    message = Message(
        template,
        what=what,
        columns=some_of(names, limit=12) or "no columns at all",
        fix=joined([Message("{option}", option=Option(role, COLUMN)) for role in roles], " and "),
    )
    return ReadError(message, path=path, code="BT120")


# When battles are counted by judge or session, and the notes when they are not.
#
# Battles of one judge are correlated, so errors should be clustered by judge. Counting by (left, right, winner, judge)
# keeps what is needed for that; it is omitted only where it would give millions of cells, nearly as many as rows.


MOST_CELLS = 5_000_000
FEWEST_JUDGES = 5
FEWEST_ITEMS = 5
MOSTLY_ALONE = 0.9
MOST_ROWS = 5_000_000
_ALONE = "so battles are treated as independent"
_NOT_GROUPED = "so battles are not grouped by it"


class Judged(NamedTuple):
    """Statistics of the column of the judge before battles are counted by it."""

    n_rows: int
    n_empty: int
    n_judges: int
    n_cells: int


def usable(columns: BattleColumns, judged: Judged) -> tuple[BattleColumns, tuple[str, ...]]:
    """Return the columns with the judge, or without it and the note that gives the reason.

    A requested judge column is kept however few judges there are; missing values have been rejected before. Without it
    battles are independent, unless they are grouped by question.

    Examples
    --------
    >>> columns = BattleColumns(left="a", right="b", winner=("winner",), judge="judge", needs_judge=False)
    >>> usable(columns, Judged(n_rows=100, n_empty=0, n_judges=1, n_cells=6))[1]
    ('The column "judge" has only 1 different value, so battles are treated as independent.',)
    """
    name = f'"{columns.judge}"'
    why, then = None, ""
    if judged.n_empty:
        why = f"The column {name} is empty in {judged.n_empty:,} of {judged.n_rows:,} rows"
    elif not columns.needs_judge and not columns.whole and judged.n_judges < FEWEST_JUDGES:
        values = "value" if judged.n_judges == 1 else "values"
        why = f"The column {name} has only {judged.n_judges} different {values}"
        then = " What is found then holds for these judges." if judged.n_judges > 1 else ""
    elif not columns.keeps_rows and judged.n_cells > MOST_CELLS:
        why = f"Counting by {name} would give about {judged.n_cells:,} cells, more than {MOST_CELLS:,}"
    if why is None:
        return columns, ()
    return replace(columns, judge=None), (
        f"{why}, {_ALONE if columns.item is None else _NOT_GROUPED}.{then}",
    )


def with_repeated_item(columns: BattleColumns, n_rows: int, n_items: int, n_empty: int) -> BattleColumns:
    """Return the columns with the segment where several battles share one: both orders of a question, several judges.

    Battles over one question are correlated, so errors should be clustered by question as well. A column whose values
    hardly ever repeat just numbers the rows.

    Examples
    --------
    >>> columns = BattleColumns(left="a", right="b", winner=("winner",), maybe_item="question_id")
    >>> with_repeated_item(columns, 100, 50, 0).item, with_repeated_item(columns, 100, 100, 0).item
    ('question_id', None)
    """
    is_shared = FEWEST_ITEMS <= n_items < MOSTLY_ALONE * n_rows and n_rows <= MOST_ROWS and not n_empty
    if columns.maybe_item is None or not is_shared:
        return columns
    return replace(columns, item=columns.maybe_item, needs_item=False)


def repeated_note(column: str, n_items: int) -> str:
    """Return a note that battles over one question are grouped.

    Examples
    --------
    >>> repeated_note("question_id", 80)
    'Battles with the same value in the column "question_id" are grouped (80 different values).'
    """
    return method_note(
        'Battles with the same value in the column "{column}" are grouped ({n:,} different values).',
        column=column,
        n=n_items,
    )


def grouped_note(column: str, n_judges: int) -> str:
    """Return a note on how battles are grouped.

    Examples
    --------
    >>> grouped_note("worker", 12)
    'Battles are grouped by the column "worker" (12 different values).'
    """
    return method_note(
        'Battles are grouped by the column "{column}" ({n:,} different values).', column=column, n=n_judges
    )


def empty_judge(column: str, n_empty: int, *, path: str | None, line: int | None, row: int) -> ReadError:
    """Return the error for rows without a judge or item (BT127)."""
    here = "here" if line is not None else f"in row {row:,}"
    return ReadError(
        f'The column "{column}" is empty {here} and in {n_empty - 1:,} other rows. '
        f"Fill it in, or read the battles without it.",
        path=path,
        line=line,
        row=row if line is None else None,
        code="BT127",
    )


def too_many_note(n_rows: int) -> str:
    """Return a note that battles were aggregated, and what is lost by it."""
    return (
        f"{n_rows:,} battles exceed the limit of {MOST_ROWS:,}, so they are aggregated; segments and covariates are "
        f"not kept."
    )


def gaps_note(column: str, n_empty: int, n_rows: int, what: str) -> str:
    """Return a note on why a column that was not requested by name is not kept."""
    return f'The column "{column}" has no {what} in {n_empty:,} of {n_rows:,} rows and is not kept.'


def refuse_too_many(n_rows: int, *, path: str | None) -> None:
    """Raise when covariates would need too many single rows in memory (BT129)."""
    if n_rows > MOST_ROWS:
        raise ReadError(
            f"Covariates need single battles, and {n_rows:,} are more than {MOST_ROWS:,}. "
            f"Read a random sample of the rows, or leave the covariates out.",
            path=path,
            code="BT129",
        )


def bad_covariate(column: str, cell: str, *, path: str | None, line: int | None, row: int) -> ReadError:
    """Return the error for a covariate that is not a number (BT128)."""
    where = "" if line is not None else f"Row {row:,}: "
    shown = f'"{cell}" is not a number' if cell.strip() else "a number is missing"
    return ReadError(
        f'{where}{shown} in the column "{column}", a covariate. '
        f"Fill it in, or leave the row or the covariate out.",
        path=path,
        line=line,
        row=row if line is None else None,
        code="BT128",
    )
