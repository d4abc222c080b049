"""Computing a result again from what it says of itself, and the words for what came out."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from betterthan import __version__
from betterthan.cli.output import COLLECTED
from betterthan.cli.receipt import STANDARD_INPUT, Command, File, arguments_of, read_command
from betterthan.cli.receipt_differences import Comparison, same_but_for_folders
from betterthan.cli.receipt_files import Found, matched, readable
from betterthan.errors import BetterThanError, ReadError, some_of
from betterthan.results.base import SCHEMA

REPORT_SCHEMA = "betterthan.report/1"
OTHER_VERSION_TOLERANCE = 1e-9
UNKNOWN_VERSION = "unknown"
MOST_LINES = 20
_IN_PAGE = re.compile(r'<script type="application/json" id="results">(.*?)</script>', re.DOTALL)


class Verdict(NamedTuple):
    """Whether a result is what came out again, and the lines that say so."""

    is_equal: bool
    lines: tuple[str, ...]


class Wish(NamedTuple):
    """How results are computed again and compared."""

    tolerance: float | None
    workers: int | None


def verdicts(
    result: str, files: Sequence[str], *, tolerance: float | None = None, workers: int | None = None
) -> list[Verdict]:
    """Compute everything in a file of results again, and compare.

    Parameters
    ----------
    result : path or "-"
        JSON as the command line writes it, or a report as HTML or JSON.
    files : sequence of paths
        What it was made from, in any order.
    tolerance : float, optional
        Numbers this close are equal; by default none but equal ones, and 1e-9 for a result of another version.
    workers : int, optional

    Raises
    ------
    BetterThanError
        When the file holds no results, its command is not one that is run from files, or files are missing.
    """
    text = _text(result)
    page = _IN_PAGE.search(text) if text.lstrip()[:1] == "<" else None
    data = _parsed(page.group(1) if page else text, result)
    wish = Wish(tolerance, workers)
    if isinstance(data, Mapping) and data.get("schema") == REPORT_SCHEMA:
        from betterthan.cli.verification_report import report_verdict

        return [report_verdict(data, result, files, wish, page=text if page else None)]
    recorded = data if isinstance(data, list) else [data]
    if not recorded or not all(isinstance(one, Mapping) and one.get("schema") == SCHEMA for one in recorded):
        raise ReadError(
            f'This file holds no results: their schema is "{SCHEMA}". Write one with -o result.json.',
            path=result,
        )
    with_command = ["command" in one for one in recorded]
    if any(with_command) and not all(with_command):
        raise ReadError("Some results in this file have no command. Verify them apart.", path=result)
    if not any(with_command):
        from betterthan.cli.verification_data import data_verdict

        return [data_verdict(one, name, files) for one, name in _named(recorded, result)]
    return _again(recorded, result, files, wish)


def _text(result: str) -> str:
    try:
        return sys.stdin.read() if result == STANDARD_INPUT else Path(result).read_text(encoding="utf-8")
    except OSError as error:
        raise ReadError(f"The file cannot be opened ({error.strerror}).", path=result) from error
    except UnicodeDecodeError as error:
        raise ReadError("The file is not UTF-8 text, so it is no result.", path=result) from error


def _parsed(text: str, result: str) -> Any:  # noqa: ANN401  (any JSON)
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no number of JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # One program would show the first value and another the last, and only one of them would be verified.
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f'the field "{twice}" is there twice')
        return found

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise ReadError(
            f"The file is not a result as JSON, nor a report ({error}). Write one with -o result.json.",
            path=result,
        ) from error


def _named(recorded: Sequence[Any], result: str) -> list[tuple[Any, str]]:
    if len(recorded) == 1:
        return [(recorded[0], result)]
    return [(one, f"{result}, {at} of {len(recorded)}") for at, one in enumerate(recorded, 1)]


def _again(recorded: Sequence[Any], result: str, files: Sequence[str], wish: Wish) -> list[Verdict]:
    """Run each different command once, and compare its results with those recorded."""
    commands = [read_command(one["command"]) for one in recorded]
    found = matched([file for command in commands for file in command.files], files)
    answers: dict[str, Callable[..., Verdict]] = {}
    given = []
    for command, (one, name) in zip(commands, _named(recorded, result), strict=True):
        key = json.dumps([command.name, command.parameters, command.files], sort_keys=True)
        if key not in answers:
            own = {file: found[file] for file in command.files}
            answers[key] = _run(command, own, wish)
        given.append(answers[key](one, name, command.result))
    return given


def _run(command: Command, found: Mapping[File, Found], wish: Wish) -> Callable[..., Verdict]:
    """Run a command and return what compares one of its results."""
    named = some_of(list(dict.fromkeys(file.name for file in found)))
    said = f"{command.name} of {named}" if named else command.name
    changed = changed_files(found)
    notes = [f"  computed again by: {command_line(command)}", *unknown_bytes(found)]
    results: list[Any] = []
    refusal = None
    with readable(found) as paths:
        try:
            results = recomputed(command, paths, workers=wish.workers)
        except click.UsageError as error:
            raise BetterThanError(
                f"The command recorded in this file is not run: {error.format_message()} Nothing was computed."
            ) from error
        except BetterThanError as error:
            refusal = str(error)
    same_words = same_but_for_folders(paths)

    def compared(one: Mapping[str, Any], name: str, at: int) -> Verdict:
        if refusal is not None:
            return Verdict(
                False, (f"{name}: differs. {said} is refused now: {refusal}", *changed[:MOST_LINES])
            )
        if at >= len(results):
            return Verdict(
                False, (f"{name}: differs. {said} has only {len(results)} results.", *changed[:MOST_LINES])
            )
        comparison, version = compared_results(one, results[at], wish.tolerance, same_words)
        place = [f"  this is number {at + 1} of the {len(results)} results of the command"] * (
            len(results) > 1
        )
        return verdict_of(comparison, name, said, changed, version, *notes, *place)

    return compared


def recomputed(command: Command, paths: Mapping[File, str], *, workers: int | None) -> list[Any]:
    """Run the command with the recorded parameters on these paths, and return its results as JSON has them."""
    context = click.get_current_context()
    target: Any = context.find_root().command
    for part in command.name.split():
        target = target.commands[part]
    arguments = arguments_of(command, target, paths, workers=workers)
    collected: list[Any] = []
    context.meta[COLLECTED] = collected
    try:
        with target.make_context(command.name, arguments, parent=context) as inside:
            target.invoke(inside)
    except click.exceptions.Exit:  # it had something else to say than results
        collected.clear()
    finally:
        del context.meta[COLLECTED]
    return [as_plain(one.to_dict()) for one in collected]


def as_plain(data: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return data as they are after they were JSON."""
    return json.loads(json.dumps(data, allow_nan=False, ensure_ascii=False))


def changed_files(found: Mapping[File, Found]) -> tuple[str, ...]:
    """Return a line for each file whose bytes are not those recorded."""
    lines = [
        f"  {path} has other bytes than {file.name} had"
        for file, (path, is_same) in found.items()
        if is_same is False
    ]
    return tuple(dict.fromkeys(lines))


def unknown_bytes(found: Mapping[File, Found]) -> tuple[str, ...]:
    """Return a line for each file of which nobody can say whether its bytes are those recorded."""
    lines = [
        f"  no digest of {file.name} was recorded, so that only its numbers were compared, not its bytes"
        for file, (_, is_same) in found.items()
        if is_same is None
    ]
    return tuple(dict.fromkeys(lines))


def command_line(command: Command) -> str:
    """Return a record as it could be typed, without what is the default: all of it decides what the numbers mean."""
    target: Any = click.get_current_context().find_root().command
    for part in command.name.split():
        target = target.commands[part]
    usual = {parameter.name: parameter.default for parameter in target.params}
    asked = {key: value for key, value in command.parameters.items() if value != usual.get(key)}
    names = {file: file.name for file in command.files}
    words = arguments_of(command._replace(parameters=asked), target, names, workers=None)
    return shlex.join(
        ["betterthan", *command.name.split(), *(w for w in words if w not in ("--no-cache", "--"))]
    )


def compared_results(
    recorded: Mapping[str, Any],
    again: Mapping[str, Any],
    tolerance: float | None,
    same_words: Callable[[str, str], bool],
) -> tuple[Comparison, str]:
    """Compare two results; also return the version that made the first."""
    settings = recorded.get("settings")
    version = str(settings.get("version")) if isinstance(settings, Mapping) else UNKNOWN_VERSION
    is_same = not is_other(version)
    exact = 0.0 if is_same else OTHER_VERSION_TOLERANCE
    comparison = Comparison(
        tolerance=exact if tolerance is None else tolerance, same_words=same_words, is_same_version=is_same
    )
    comparison.compare(comparable(recorded, is_same), comparable(again, is_same))
    return comparison, version


def is_other(version: str) -> bool:
    """Whether a result says that another version made it; one that says nothing gets no allowance for it."""
    return version not in (__version__, UNKNOWN_VERSION, "None")


def comparable(result: Mapping[str, Any], is_same_version: bool) -> dict[str, Any]:  # noqa: FBT001
    """Return a result without its command and, for another version, without what names the version."""
    plain = {key: value for key, value in result.items() if key != "command"}
    if is_same_version:
        return plain
    plain.pop("signature", None)
    if isinstance(plain.get("settings"), Mapping):
        plain["settings"] = {key: value for key, value in plain["settings"].items() if key != "version"}
    return plain


def verdict_of(
    comparison: Comparison, name: str, said: str, changed: Sequence[str], version: str, *more: str
) -> Verdict:
    """Put a comparison into words: at most twenty lines of differences."""
    within = f" within {comparison.tolerance:g}" if comparison.tolerance else ""
    notes = [*more]
    if is_other(version):
        notes.append(f"  made by betterthan {version}, computed again by {__version__}")
    if comparison.unrecorded:
        notes.append(f"  not in the result, and so not compared: {some_of(comparison.unrecorded)}")
    if not comparison.differences and not comparison.n_numbers:
        return Verdict(False, (f"{name}: not verified. It holds no number that could be compared.", *notes))
    if not comparison.differences:
        head = f"{name}: equal. {said} gives the same again{within}: {comparison.n_numbers:,} numbers."
        data = [f"{line}, but the same data" for line in changed]
        return Verdict(True, (head, *notes, *data))
    lines = [
        f"  {place}: recorded {recorded}, computed again {again}"
        for place, recorded, again, _ in comparison.differences
    ]
    if len(lines) > MOST_LINES:
        rest = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES - 1], f"  and {rest:,} more differences"]
    widest = max(difference.gap for difference in comparison.differences)
    if widest <= OTHER_VERSION_TOLERANCE:
        lines.append(
            f"  The widest gap is {widest:.1g}: another processor may do this. --tolerance 1e-9 allows for it."
        )
    head = f"{name}: differs. {said} gives something else{within}."
    return Verdict(False, (head, *notes, *changed, *lines))
