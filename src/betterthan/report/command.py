"""The command line that makes a report again, byte for byte."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from betterthan.errors import ReadError
from betterthan.read.grid.selection import parse_conditions
from betterthan.read.protocol import Options

IN_MEMORY = " in memory]"
# Of several options of one meaning the usual value is not written.
_USUAL: dict[str, Any] = {
    "source": None,
    "metric": None,
    "question": "auto",
    "missing": "raise",
    "units": "auto",
    "rng": 12345,
}
_CALLED = {"rng": "seed"}
# Every other role is an option of the same name; this one would be taken for the metric itself.
_COLUMNS = {"metric": "metric-column"}


def command_of(
    files: Sequence[Any],
    *,
    options: Options | None = None,
    format: str | None = None,  # noqa: A002  (the user's word)
    **arguments: Any,  # noqa: ANN401  (what else the report was asked)
) -> str:
    """Return the command line that makes the report again; what was only in memory stands in brackets.

    Parameters
    ----------
    files : sequence of paths and tables
    options, format
        What was said about the files.
    **given
        `human`, `references`, `source`, `metric`, `question`, `missing`, `units`, `rng` and `texts`.

    Examples
    --------
    >>> print(command_of(["my scores.csv"], options=Options(where=(("lp", "en-de"),)), rng=7))
    betterthan report 'my scores.csv' --where lp=en-de --seed 7 -o report.html
    """
    named = [_named(file) for file in files]
    words_of_options = [
        *_option("human", arguments.get("human")),
        *(
            word
            for reference in arguments.get("references") or ()
            for word in _option("reference", reference)
        ),
        *(word for name in arguments.get("leave_out") or () for word in _option("leave-out", name)),
        *_reading(options or Options(), format),
    ]
    for key, usual in _USUAL.items():
        if arguments.get(key) is not None and arguments[key] != usual:
            words_of_options += _option(_CALLED.get(key, key), arguments[key])
    if not arguments.get("texts", True):
        words_of_options.append("--no-texts")
    words_of_options += ["-o", "report.html"]
    # A file called "-x.csv" would be an option, unless all options are over.
    plain = not any(name.startswith("-") and name != "-" for name in named)
    words = [*named, *words_of_options] if plain else [*words_of_options, "--", *named]
    return shlex.join(["betterthan", "report", *words])


def _reading(options: Options, format: str | None) -> Iterator[str]:  # noqa: A002
    """Yield what was said about the layout, the columns, the rows and the directions."""
    yield from _option("format-in", format)
    for role, column in options.columns.items():
        yield from _option(_COLUMNS.get(role, role), column)
    repeated = {
        "where": [f"{column}={value}" for column, value in options.where],
        "system": options.factors,
        "ignore": options.ignore_columns,
        "keep": options.keep_columns,
        "lower-is-better": sorted(options.lower_is_better),
        "higher-is-better": sorted(options.higher_is_better),
        "winner-label": [f"{label}={meaning}" for label, meaning in options.winner_labels.items()],
    }
    for name, values in repeated.items():
        for value in values:
            yield from _option(name, value)
    for name in ("duplicates", "both_bad", "language_pair", "gold"):
        value = getattr(options, name)
        if value != getattr(Options(), name):
            yield from _option(name.replace("_", "-"), value)
    if not _has_options_for(options):
        yield f"[Options{IN_MEMORY}"


def _has_options_for(options: Options) -> bool:
    """Whether the command line has words for everything in these options."""
    plain = Options()
    directions = ("lower_is_better", "higher_is_better")
    sayable = (
        "columns",
        *directions,
        "duplicates",
        "both_bad",
        "winner_labels",
        "where",
        "ignore_columns",
        "keep_columns",
        "factors",
        "language_pair",
        "gold",
    )
    rest = replace(options, **{name: getattr(plain, name) for name in sayable})
    try:
        read_back = parse_conditions(f"{column}={value}" for column, value in options.where)
    except ReadError:
        return False
    return rest == plain and read_back == options.where


def _option(name: str, value: Any) -> list[str]:  # noqa: ANN401  (a path, a table, a name or a number)
    if value is None:
        return []
    word = _named(value) if not isinstance(value, int) else str(value)
    return [f"--{name}={word}"] if word.startswith("-") else [f"--{name}", word]


def _named(value: Any) -> str:  # noqa: ANN401
    return str(value) if isinstance(value, str | Path) else f"[{type(value).__name__}{IN_MEMORY}"
