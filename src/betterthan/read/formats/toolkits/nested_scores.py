"""Runs in JSON whose rows hold their scores in an object: ``{"id": "q1", "scores": {"accuracy": 1, "f1": 0.5}}``.

Own evaluation scripts and several toolkits write such rows. A score may itself be an object with the score and its
reason. The keys of the object are the metrics, so no column has to be guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from betterthan.errors import ReadError, some_of
from betterthan.messages import Message
from betterthan.read.formats.toolkits.toolkit_json import (
    ScoreRow,
    content_name,
    number,
    reading_of_rows,
    whole_json,
)
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.columns import find, is_called_score, plain, role_option
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.plausibility.columns import meaning_of
from betterthan.read.plausibility.direction import hint_of
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="nested_scores",
    kind="scores",
    description="JSON or JSON lines with the scores of each row in an object: scores or metrics",
    columns=frozenset({"item", "system", "run"}),
    is_run=True,
)
OBJECTS = ("scores", "metrics", "evaluation", "evaluations", "grades", "eval", "evals", "score")
"""Names of the key with the object of scores, without case and punctuation."""
_VALUES = ("score", "value")
_QUESTIONS = ("question", "input", "prompt", "query", "userinput", "instruction")
_ROLES = ("item", "system", "run")


def sniff(source: Source) -> Guess | None:
    """Recognize a key called scores or metrics that holds an object with numbers in most rows."""
    if source.is_folder or source.is_parquet:
        return None
    look = peek(source)
    column = _column(look)
    if column is None or any(is_called_score(name) for name in look.header if name != column):
        return None
    return Guess(confidence=0.93, because=f"rows with an object of scores in {quoted(column)}")


def _column(look: Peek) -> str | None:
    if look.container not in ("json", "jsonl"):
        return None
    for place, name in enumerate(look.header):
        cells = look.column(place)
        if plain(name) in OBJECTS and 2 * sum(map(_holds_scores, cells)) > len(cells) > 0:
            return name
    return None


def _holds_scores(cell: object) -> bool:
    return isinstance(cell, dict) and any(
        isinstance(_bare(value), bool | int | float) for value in cell.values()
    )


def _bare(value: Any) -> Any:  # noqa: ANN401  (JSON)
    """Return a score without what was written beside it, such as the reason of a judge."""
    if isinstance(value, dict):
        return next((value[name] for name in _VALUES if name in value), value)
    return value


def read(source: Source, options: Options) -> Reading:
    """Read every score of every row; rows of one item that a column tells apart are runs."""
    look = peek(source)
    column = _column(look)
    if column is None:
        raise source.error(
            "No key called scores or metrics holds an object of numbers in most rows. Name the format of the file.",
            code="BT190",
        )
    roles = {
        role: look.header[place]
        for role, place in find(look.header, options.columns, _ROLES, path=source.name).items()
    }
    objects = list(_objects(source))
    if "system" not in roles and options.run is None and source.called is None:
        _refuse_systems(column, [row.get(column) for _, row in objects], source)
    texts: dict[str, int] = {}
    rows = _rows(objects, column, roles, source, options, texts)
    notes = (
        [f"Values that are not numbers were left out: {some_of(list(map(quoted, texts)))}."] if texts else []
    )
    return reading_of_rows(
        rows,
        source,
        options,
        format=FORMAT,
        guess=sniff(source),
        dropped={"text, not a number": sum(texts.values())},
        notes=notes,
    )


def _refuse_systems(column: str, cells: Sequence[Any], source: Source) -> None:
    """Raise when the keys of a single file may be systems and not metrics (BT212)."""
    names = list(dict.fromkeys(name for cell in cells if isinstance(cell, dict) for name in cell))
    if names and not any(meaning_of(name) or hint_of(name) for name in names):
        raise source.error(
            f"The keys in {quoted(column)} may be systems or metrics: {some_of(names, limit=3)}. For systems, write a "
            f"column for each. For metrics, name the system: NAME={source.name}",
            code="BT212",
        )


def _objects(source: Source) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    if peek(source).container == "jsonl":
        yield from numbered_objects(source.lines(), source)
        return
    parsed = whole_json(source)
    for place, row in enumerate(parsed if isinstance(parsed, list) else (), 1):
        if not isinstance(row, dict):
            raise source.error(
                f"Element {place} of the array is not an object. Write one object for each row.", code="BT016"
            )
        yield None, row


def _rows(
    objects: Sequence[tuple[int | None, Mapping[str, Any]]],
    column: str,
    roles: Mapping[str, str],
    source: Source,
    options: Options,
    texts: dict[str, int],
) -> list[ScoreRow]:
    """Return a row for each score; a metric that a row lacks, as after an error, is missing."""
    name_of = _item_of([row for _, row in objects], roles, source)
    scored = [(line, row, _numbers(row.get(column), line, source, texts)) for line, row in objects]
    metrics = dict.fromkeys(metric for _, _, values in scored for metric in values)
    keys = [(_system(row, roles, source, options), name_of(row, line)) for line, row, _ in scored]
    are_runs = "run" in roles and ("run" in options.columns or len(set(keys)) < len(keys))
    return [
        ScoreRow(item, system, metric, values.get(metric), str(row.get(roles["run"], "")) if are_runs else "")
        for metric in metrics
        for (system, item), (_, row, values) in zip(keys, scored, strict=True)
    ]


def _numbers(cell: Any, line: int | None, source: Source, texts: dict[str, int]) -> dict[str, float | None]:  # noqa: ANN401
    values: dict[str, float | None] = {}
    for metric, value in cell.items() if isinstance(cell, dict) else ():
        bare = _bare(value)
        if isinstance(bare, str | dict | list):
            texts[metric] = texts.get(metric, 0) + 1
        else:
            values[metric] = number(metric, bare, source, line=line)
    return values


def _system(row: Mapping[str, Any], roles: Mapping[str, str], source: Source, options: Options) -> str:
    named = row.get(roles["system"]) if "system" in roles else None
    if named is not None and source.called is None:
        return str(named)
    return options.run.system if options.run else source.called or source.stem


def _item_of(rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str], source: Source) -> Any:  # noqa: ANN401
    """Return the function that names the item of a row: by its id, else by its question.

    Raises
    ------
    ReadError
        Without either (BT021).
    """
    if "item" in roles:
        column = roles["item"]

        def by_id(row: Mapping[str, Any], line: int | None) -> str:
            value = row.get(column)
            if value is None or not str(value).strip():
                raise source.error(
                    f"The row names no segment ({quoted(column)}). Fill it in or remove the row.",
                    line=line,
                    code="BT105",
                )
            return str(value)

        return by_id
    question = next((name for row in rows[:1] for name in row if plain(name) in _QUESTIONS), None)
    if question is None:
        raise _no_item(rows, source)
    return lambda row, _: content_name(row.get(question))


def _no_item(rows: Sequence[Mapping[str, Any]], source: Source) -> ReadError:
    return source.error(
        Message(
            "No key identifies the items (keys: {columns}). Name it with {item}.",
            columns=some_of(list(rows[0]) if rows else []),
            item=role_option("item"),
        ),
        code="BT021",
    )
