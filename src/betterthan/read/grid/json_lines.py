"""JSON lines, as a grid: one object per line, its keys are the columns."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from betterthan.budget import require
from betterthan.errors import ReadError
from betterthan.read.grid.beginning import MOST_COLUMNS
from betterthan.read.grid.grid import MemoryGrid, quoted
from betterthan.read.grid.numerals import Spelled, spelled
from betterthan.read.source.source import Source

_A_CELL = 8  # bytes of an empty cell; with many keys most cells are empty


def json_grid(text: str, source: Source) -> MemoryGrid:
    """Parse the text of `source`; a key that an object lacks is a missing cell."""
    lines: list[int] = []
    objects: list[dict[str, Any]] = []
    keys: dict[str, None] = {}
    for line, parsed in numbered_objects(text.split("\n"), source, decode=decode_spelled):
        lines.append(line)
        objects.append(parsed)
        keys.update(dict.fromkeys(parsed))
        check_keys(len(keys), source, line=line)
    return _grid(objects, source, lines)


def array_grid(text: str, source: Source) -> MemoryGrid:
    """Parse the text of `source` as one JSON array of objects; rows have no lines."""
    try:
        objects = decode_spelled(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        what = getattr(error, "msg", "too deeply nested")
        raise source.error(
            f"The file is not JSON ({what}). Write it again, best as one object per line.",
            line=line,
            code="BT016",
        ) from error
    odd = next((i for i, parsed in enumerate(objects) if not isinstance(parsed, dict)), None)
    if odd is not None:
        raise source.error(
            f"Element {odd + 1} of the array is not an object. Write one object for each row.", code="BT016"
        )
    for parsed in objects:
        _check_keys(parsed, source, None)
    return _grid(objects, source, None)


class _Repeating(dict[str, Any]):
    """An object in which a key occurs twice; parsers do not agree on which of its values counts."""

    key: str


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parsed = dict(pairs)
    if len(parsed) == len(pairs):
        return parsed
    seen: set[str] = set()
    repeating = _Repeating(parsed)
    repeating.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeating


def _float(text: str) -> float | Spelled:
    number = float(text)
    if math.isinf(number):
        return Spelled(text)  # ids that overflow remain distinct
    if number == 0 or _PLAIN <= abs(number) < _LARGE:
        return number
    return Spelled(spelled(number))


_PLAIN, _LARGE = 1e-4, 1e16  # in this range Python formats a number like the engine


def _constant(text: str) -> float | Spelled:
    return math.nan if text == "NaN" else Spelled(text)


_decode = json.JSONDecoder(object_pairs_hook=_object).decode
decode_spelled = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_constant=_constant
).decode
"""Parse JSON for a grid, in which a number may be a name and has the same form at every file size."""


def _check_keys(parsed: dict[str, Any], source: Source, line: int | None) -> None:
    if isinstance(parsed, _Repeating):
        raise source.error(
            f"The key {quoted(parsed.key)} occurs more than once in an object. Give every key its own name.",
            line=line,
            code="BT017",
        )


def _grid(objects: list[dict[str, Any]], source: Source, lines: list[int] | None) -> MemoryGrid:
    header = tuple(dict.fromkeys(key for parsed in objects for key in parsed))
    check_keys(len(header), source)
    require(
        _A_CELL * len(header) * len(objects),
        f"{source.name}: A table of {len(objects):,} rows × {len(header):,} keys",
    )
    columns = [[parsed.get(key) for parsed in objects] for key in header]
    return MemoryGrid(name=source.name, header=header, columns=columns, lines=lines)


def check_keys(n_keys: int, source: Source, *, line: int | None = None) -> None:
    """Raise when there are too many distinct keys, before a column is made of each.

    Raises
    ------
    ReadError
        Beyond 20,000 (BT251).
    """
    if n_keys > MOST_COLUMNS:
        raise source.error(
            f"There are more than {MOST_COLUMNS:,} different keys, and each would be a column. "
            f'Put what varies from row to row into values: {{"system": "A", "score": 0.5}} instead of {{"A": 0.5}}.',
            line=line,
            code="BT251",
        )


def numbered_objects(
    lines: Iterable[str], source: Source, *, decode: Callable[[str], Any] = _decode
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object with its line.

    Parameters
    ----------
    lines : iterable of str
    source : Source
    decode : callable, optional
        :func:`decode_spelled` where a number may be a name.

    Raises
    ------
    ReadError
        At a line that is not JSON or not an object (BT016), or has a key twice (BT017).
    """
    for number, line in enumerate(lines, 1):
        if not line.strip(_BLANKS):
            continue
        try:
            parsed = decode(line)
            if "\\ud" in line or "\\uD" in line:
                json.dumps(parsed, ensure_ascii=False).encode()  # an unpaired surrogate is not a character
        except (ValueError, RecursionError) as error:
            raise _malformed(error, source, number) from error
        if not isinstance(parsed, dict):
            raise source.error(
                f"The line holds {_KINDS.get(type(parsed), 'a number')}, not an object. "
                f'Write one object per line, such as {{"item": "1", "system": "A", "score": 0.5}}.',
                line=number,
                code="BT016",
            )
        _check_keys(parsed, source, number)
        yield number, parsed


_BLANKS = " \t\r\n"
_KINDS = {list: "a list", str: "a text", bool: "a Boolean", type(None): "null"}


def _malformed(error: Exception, source: Source, line: int) -> ReadError:
    what = getattr(error, "msg", "too deeply nested or too large")
    if isinstance(error, UnicodeEncodeError):
        what = "half of a surrogate pair"
    column = getattr(error, "colno", None)
    at = f" at character {column}" if column else ""
    return source.error(
        f"The line is not JSON ({what}{at}). Write one complete object a line.", line=line, code="BT016"
    )


def check_objects(source: Source) -> None:
    """Parse every line, so that the first fault is raised with its place."""
    for _ in numbered_objects(source.lines(), source):
        pass


class LooseJson:
    """Inspects a file piece by piece for deviations that DuckDB accepts and Python does not.

    These are a comma before a closing bracket, and nan or inf in spellings other than NaN and Infinity.

    Both may also occur in a text, which only costs time.
    """

    def __init__(self) -> None:
        self.found = False
        self._end = b""

    def see(self, chunk: bytes) -> None:
        """Look at the next piece."""
        self.found = self.found or _loose(self._end + chunk) is not None
        self._end = chunk[-_LONGEST_GAP:]


_LONGEST_GAP = 100
_loose = re.compile(
    rb",[ \t\r\n]*[}\]]"
    rb"|[\v\f]"
    rb"|[:,\[][ \t\r\n]*(?!NaN|-?Infinity)-?(?i:nan|inf|infinity)(?=[ \t\r\n,}\]])"
).search


def object_line(source: Source, row: int) -> int | None:
    """Return the line of data row `row` (from 0), by reading the file again."""
    for number, (line, _) in enumerate(numbered_objects(source.lines(), source)):
        if number == row:
            return line
    return None
