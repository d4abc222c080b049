"""Computing a result or a report again from what it says of itself, and the words for what came out.

Two results are compared as JSON, number by number and word by word. Of a result that does not say by which command it
was made, only the data can be looked at.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import click
from click.core import ParameterSource
from markupsafe import escape

from betterthan import __version__
from betterthan.cli.commands.report import COMPOSED
from betterthan.cli.commands.report import report as report_command
from betterthan.cli.output import COLLECTED
from betterthan.cli.wording import typed_option
from betterthan.errors import BetterThanError, ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.formats.quality.tag_files import read_tags
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any
from betterthan.receipts.receipt import (
    STANDARD_INPUT,
    File,
    MatchedFile,
    RecordedCommand,
    arguments_of,
    last_part,
    matched,
    read_command,
    read_name,
    readable,
)
from betterthan.report.command import IN_MEMORY
from betterthan.report.document import Report
from betterthan.report.page import page as page_of
from betterthan.report.sections.data import embedded
from betterthan.results.base import SCHEMA
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

_LONGEST = 60
_BEFORE = 10
_LONGEST_NOTE = 10_000
_FOLDER = r"""[^/\\\n"':;,<>=|?*]{0,80}"""


class Difference(NamedTuple):
    """A field and what stands in it, here and there; `gap` is infinite when it is not two numbers."""

    place: str
    recorded: str
    recomputed: str
    gap: float = math.inf


@dataclass(slots=True)
class DataComparison:
    """What a comparison has found so far.

    Attributes
    ----------
    tolerance : float
        Numbers this close are equal, in units of the larger one where that exceeds 1; 0 asks for every bit.
    same_words : callable
        Whether two different texts say the same.
    is_same_version : bool
        With another version, what it cannot know and what it says of itself are no differences.
    n_numbers : int
        Numbers that were compared.
    unrecorded : list of str
        Fields that this version computes and the record, of another version, does not have.
    differences : list of Difference
    """

    tolerance: float = 0.0
    same_words: Callable[[str, str], bool] = lambda recorded, recomputed: recorded == recomputed
    is_same_version: bool = True
    n_numbers: int = 0
    unrecorded: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    def compare(self, recorded: object, recomputed: object, place: str = "") -> None:
        """Compare two values as JSON has them.

        Examples
        --------
        >>> found = DataComparison()
        >>> found.compare({"strength": [1.0, 2.0]}, {"strength": [1.0, 2.5]})
        >>> found.n_numbers, found.differences[0][:3]
        (2, ('strength[1]', '2.0', '2.5'))
        """
        if isinstance(recorded, Mapping) and isinstance(recomputed, Mapping):
            self._fields(recorded, recomputed, place)
        elif isinstance(recorded, list) and isinstance(recomputed, list):
            self._entries(recorded, recomputed, place)
        elif _is_number(recorded) and _is_number(recomputed):
            self._numbers(recorded, recomputed, place)
        elif isinstance(recorded, str) and isinstance(recomputed, str):
            if recorded != recomputed and not self.same_words(recorded, recomputed):
                self._differ(place, recorded, recomputed)
        elif type(recorded) is not type(recomputed) or recorded != recomputed:
            self._differ(place, recorded, recomputed)

    def _fields(self, recorded: Mapping[str, Any], recomputed: Mapping[str, Any], place: str) -> None:
        for key in dict.fromkeys((*recorded, *recomputed)):
            inside = f"{place}.{key}" if place else str(key)
            if key not in recomputed:
                self.differences.append(Difference(inside, _shown(recorded[key]), "no such field"))
            elif key in recorded:
                self.compare(recorded[key], recomputed[key], inside)
            elif self.is_same_version:
                self.differences.append(Difference(inside, "no such field", _shown(recomputed[key])))
            else:
                self.unrecorded.append(inside)

    def _entries(self, recorded: list[Any], recomputed: list[Any], place: str) -> None:
        if len(recorded) != len(recomputed):
            self.differences.append(
                Difference(place, f"{len(recorded):,} entries", f"{len(recomputed):,} entries")
            )
        for i, (one, other) in enumerate(zip(recorded, recomputed, strict=False)):
            self.compare(one, other, f"{place}[{i}]")

    def _numbers(self, recorded: float, recomputed: float, place: str) -> None:
        self.n_numbers += 1
        if recorded == recomputed:
            return
        gap = gap_between(recorded, recomputed)
        if not gap <= self.tolerance:
            self.differences.append(Difference(place, repr(recorded), repr(recomputed), gap))

    def _differ(self, place: str, recorded: object, recomputed: object) -> None:
        start = 0
        if isinstance(recorded, str) and isinstance(recomputed, str):
            alike = takewhile(lambda pair: pair[0] == pair[1], zip(recorded, recomputed, strict=False))
            start = max(0, sum(1 for _ in alike) - _BEFORE)
        self.differences.append(Difference(place, _shown(recorded, start), _shown(recomputed, start)))


def gap_between(recorded: float, recomputed: float) -> float:
    """Return the distance of two numbers, in units of the larger one where that exceeds 1.

    Examples
    --------
    >>> gap_between(0.25, 0.5), gap_between(200.0, 100.0)
    (0.25, 0.5)
    """
    try:
        return abs(recorded - recomputed) / max(1.0, abs(recorded), abs(recomputed))
    except OverflowError:  # a whole number beyond all floats
        return math.inf


def n_numbers(value: object) -> int:
    """Count the numbers in data as JSON has them.

    Examples
    --------
    >>> n_numbers({"strength": [1.0, None], "rank": 1, "is_best": True})
    2
    """
    if isinstance(value, Mapping):
        return sum(map(n_numbers, value.values()))
    return sum(map(n_numbers, value)) if isinstance(value, list) else int(_is_number(value))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: object, start: int = 0) -> str:
    """Return a value in a few words; of a long text the part after `start`."""
    if isinstance(value, Mapping | list):
        return f"{len(value):,} entries"
    if not isinstance(value, str):
        return json.dumps(value)
    text = value[start : start + _LONGEST]
    return f'"{"…" * (start > 0)}{text}{"…" * (start + _LONGEST < len(value))}"'


def same_but_for_folders(paths: Mapping[File, str]) -> Callable[[str, str], bool]:
    """Return whether two texts are equal when files are called alike in both: notes name the files they are about."""

    def same(recorded: str, recomputed: str) -> bool:
        if max(len(recorded), len(recomputed)) > _LONGEST_NOTE:
            return False  # the search below is for sentences
        for file, path in paths.items():
            recomputed = recomputed.replace(path, file.name)
        for file in paths:
            # Of an absolute path only the last part was recorded, and a note may still name all of it. What stands
            # before the name must be folders: anything longer could hide a sentence that was not computed.
            name = last_part(file.name)
            way = re.compile(rf"(?:[A-Za-z]:|~)?[/\\](?:{_FOLDER}[/\\])*{re.escape(name)}")
            recorded, recomputed = (way.sub(lambda _: name, text) for text in (recorded, recomputed))  # noqa: B023
        return recorded == recomputed

    return same


_OF_ONE_TABLE = ("agreement", "diagnosis", "explanation", "judges", "kept_pairs", "pairwise", "ranking")
_OF_TAGS = ("audition", "tag_ranking")


def data_verdict(result: Mapping[str, Any], name: str, files: Sequence[str]) -> Verdict:
    """Compare the digest of a result's data with those of the tables that can be read from the files.

    Such a result never counts as equal: anyone who removes the command from a result could change every number in it.

    Raises
    ------
    BetterThanError
        For a kind of result whose data are not one table.
    """
    kind, settings = result.get("kind"), result.get("settings")
    recorded = settings.get("data") if isinstance(settings, Mapping) else None
    if kind not in (*_OF_ONE_TABLE, *_OF_TAGS):
        raise BetterThanError(
            f"{name} does not say by which command it was made, and its data are not one table, so that nothing can "
            f"be compared. Make it on the command line, with -o result.json."
        )
    digests = list(_tag_digests(files) if kind in _OF_TAGS else _digests(files, _systems(result)))
    why = "It does not say by which command it was made, as results made in Python do not"
    if recorded not in digests:
        return Verdict(
            False,
            (
                (
                    f"{name}: the data differ: recorded {recorded}, in the files "
                    f"{', '.join(dict.fromkeys(digests)) or 'none'}."
                ),
                f"  {why}. The names of table and columns count too: was another file or another option used?",
            ),
        )
    return Verdict(
        False,
        (
            f"{name}: not verified. {why}, so that none of its {n_numbers(result):,} numbers was computed again.",
            f"  Only the data were compared: they are those of the files ({recorded}).",
            "  hint: make the result on the command line, with -o result.json; then every number can be verified.",
        ),
    )


def _systems(result: Mapping[str, Any]) -> list[str]:
    """Return the systems that a result is about, where it is about some only."""
    systems = result.get("systems", [result.get("a"), result.get("b")])
    return [each for each in systems if isinstance(each, str)] if isinstance(systems, list) else []


def _digests(files: Sequence[str], systems: Sequence[str]) -> Iterator[str]:
    """Yield the digests of every table in the files: whole, without missing segments, of some systems only."""
    for file in files:
        for table in read_any(file).tables:
            yield table.digest
            scores = table.to_scores() if isinstance(table, Ratings | Runs) else table
            if isinstance(scores, Scores):
                yield from _of_scores(scores, systems)
            elif isinstance(table, Matches):
                yield from (each.digest for each in read_any(file, Options(cluster=True)).tables)


def _of_scores(scores: Scores, systems: Sequence[str]) -> Iterator[str]:
    known = [name for name in systems if name in scores.systems]
    # A result lists systems from best to worst; they may have been chosen so, the other way round, or as they stood.
    orders = [list(scores.systems), known, known[::-1], [name for name in scores.systems if name in known]]
    for order in orders:
        if order:
            chosen = scores.select(order)
            yield chosen.digest
            yield chosen.complete(missing="drop").digest


def _tag_digests(files: Sequence[str]) -> Iterator[str]:
    """Yield the digest of the tags, with each file as the gold one in turn: the order is not known."""
    for gold in files:
        others = [file for file in files if file != gold]
        if others:
            yield read_tags(gold, others).digest


_FILES = ("files", "human", "references", "source")
_USUAL_SEED = 12345
# These stand in no command that a report writes.
_NEVER_WRITTEN = ("resamples", "workers", "no_cache")
# The results are compared as data; versions are those of the packages around us, and nothing else may stand there.
_APART = re.compile(
    r'(?<=<script type="application/json" id="results">).*?(?=</script>)'
    r'|(?<=<p class="label">Versions</p><pre tabindex="0">)[\w-]+ [\w.+]+(?:, [\w-]+ [\w.+]+)*(?=</pre>)',
    re.DOTALL,
)


def report_verdict(
    data: Mapping[str, Any],
    name: str,
    named_files: Sequence[str],
    options: VerifyOptions,
    *,
    page: str | None,
) -> Verdict:
    """Compute a report again and compare its results; of a page made by this version also everything that it shows.

    Raises
    ------
    BetterThanError
        When the report's command is not one that is run from a file, or the files do not fit it.
    """
    command = _report_arguments(data.get("command"), named_files)
    matched_files = matched(command.files, named_files)
    with readable(matched_files) as paths:
        try:
            again = _composed(command, paths, options)
        except BetterThanError as error:
            refusal = Message(
                "{name}: differs. The report cannot be made now: {error}", name=name, error=error.text
            )
            return Verdict(False, (refusal,))
    version = _version(data)
    is_same = not is_other(version)
    exact = 0.0 if is_same else OTHER_VERSION_TOLERANCE
    comparison = DataComparison(
        tolerance=exact if options.tolerance is None else options.tolerance,
        same_words=same_but_for_folders(paths),
        is_same_version=is_same,
    )
    # A page leaves out what would make it too large.
    now = again.to_dict() if page is None else embedded(again)
    comparison.compare(_words_and_results(data, is_same), _words_and_results(as_plain(now), is_same))
    notes = [f"  computed again by: {data['command']}"]
    if page is not None and is_same:
        comparison.differences += _page_differences(page, again, str(data["command"]), paths)
        if not comparison.differences:
            notes.append("  and the page shows nothing else")
    verdict = verdict_of(comparison, name, "The report", (), version, *notes)
    if page is None or is_same or not verdict.is_equal:
        return verdict
    # Readers see the page, not the results inside it, and the words around the numbers are those of its version.
    head = (
        f"{name}: not verified. The {comparison.n_numbers:,} numbers inside the page are the same again, but what the "
        f"page shows was made by betterthan {version} and cannot be compared."
    )
    hint = f"  hint: verify it with betterthan {version}, or make the report again with this one ({__version__})."
    return Verdict(False, (head, *notes, hint))


def _report_arguments(command: object, named_files: Sequence[str]) -> RecordedCommand:
    """Read the command line of a report as the command itself would, and keep what may be run again."""
    words = _split(command)
    if words[:2] != ["betterthan", "report"]:
        raise _refused("it is not betterthan report")
    if any(word.startswith("[") and word.endswith(IN_MEMORY) for word in words):
        raise BetterThanError(
            "This report was made in Python from tables in memory, so it cannot be reproduced from files. "
            "Make it with betterthan report."
        )
    try:
        context = report_command.make_context("report", words[2:])
    except click.UsageError as error:
        raise _refused(error.format_message()) from error
    files = [
        File(parameter, path, called, None)
        for parameter in _FILES
        for value in _each(context.params[parameter])
        for called, path in [_name_and_path(value, named_files)]
    ]
    parameters: dict[str, Any] = {}
    for parameter in report_command.params:
        key, value = str(parameter.name), context.params.get(str(parameter.name))
        if context.get_parameter_source(key) is not ParameterSource.COMMANDLINE or key in (*_FILES, "output"):
            continue
        if key in _NEVER_WRITTEN:
            raise _refused(f"it has the option {parameter.opts[-1]}")
        parameters[key] = list(value) if isinstance(value, tuple) else value
    # Neither the surroundings of the first run nor those of this one may change a number.
    parameters.setdefault("seed", _USUAL_SEED)
    return RecordedCommand("report", parameters, tuple(files), 0)


def _name_and_path(value: str, named_files: Sequence[str]) -> tuple[str | None, str]:
    """Return the name before ``=``, unless the user names a file that is really called so."""
    if last_part(value) in map(last_part, named_files):
        return None, value
    return read_name(value)


def _split(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError as error:
        raise _refused("its quotation marks do not fit") from error


def _each(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value


def _refused(why: str) -> BetterThanError:
    return BetterThanError(f"The command recorded in this report is not run: {why}. Nothing was computed.")


def _composed(command: RecordedCommand, paths: Mapping[File, str], options: VerifyOptions) -> Report:
    """Run the command on these paths; it hands over the report instead of writing it."""
    context = click.get_current_context()
    arguments = arguments_of(command, report_command, paths, workers=options.workers)
    reports: list[Report] = []
    context.meta[COMPOSED] = reports
    try:
        with report_command.make_context("report", arguments, parent=context) as inside:
            report_command.invoke(inside)
    except click.UsageError as error:
        raise _refused(error.format_message()) from error
    finally:
        del context.meta[COMPOSED]
    return reports[0]


def _version(data: Mapping[str, Any]) -> str:
    results = data.get("results")
    versions = {
        str(one["settings"].get("version"))
        for one in (results.values() if isinstance(results, Mapping) else ())
        if isinstance(one, Mapping) and isinstance(one.get("settings"), Mapping)
    }
    return ", ".join(sorted(versions)) or UNKNOWN_VERSION


def _words_and_results(data: Mapping[str, Any], is_same_version: bool) -> dict[str, Any]:  # noqa: FBT001
    results = data.get("results")
    if not isinstance(results, Mapping):
        raise BetterThanError("There are no results in this report. Create it again with betterthan report.")
    plain = {
        name: comparable(one, is_same_version) if isinstance(one, Mapping) else one
        for name, one in results.items()
    }
    return {**{key: value for key, value in data.items() if key != "command"}, "results": plain}


def _page_differences(
    recorded: str, again: Report, command: str, paths: Mapping[File, str]
) -> list[Difference]:
    """Compare two pages line by line, but for the places of files and the versions of other packages."""
    # A page made on the command line names options as flags, one made in Python as arguments.
    pages = [page_of(again, spelling=spelling) for spelling in (typed_option(), str)]
    differences = []
    for page in pages:
        shown = page.replace(escape(again.command), escape(command))
        for file, path in paths.items():
            shown = shown.replace(escape(path), escape(file.name))
        one, other = (_APART.sub("", text).splitlines() for text in (recorded, shown))
        comparison = DataComparison()
        for number, (left, right) in enumerate(zip_longest(one, other), 1):
            comparison.compare(left, right, f"page, line {number}")
        differences.append(comparison.differences)
    return min(differences, key=len)


REPORT_SCHEMA = "betterthan.report/1"
OTHER_VERSION_TOLERANCE = 1e-9
UNKNOWN_VERSION = "unknown"
MOST_LINES = 20
_IN_PAGE = re.compile(r'<script type="application/json" id="results">(.*?)</script>', re.DOTALL)


class Verdict(NamedTuple):
    """Whether a result is what came out again, and the lines that say so."""

    is_equal: bool
    lines: tuple[str, ...]


class VerifyOptions(NamedTuple):
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
    options = VerifyOptions(tolerance, workers)
    if isinstance(data, Mapping) and data.get("schema") == REPORT_SCHEMA:
        return [report_verdict(data, result, files, options, page=text if page else None)]
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
        return [data_verdict(one, name, files) for one, name in _named(recorded, result)]
    return _again(recorded, result, files, options)


def _text(result: str) -> str:
    try:
        return sys.stdin.read() if result == STANDARD_INPUT else Path(result).read_text(encoding="utf-8")
    except OSError as error:
        raise ReadError(f"The file cannot be opened ({error.strerror}).", path=result) from error
    except UnicodeDecodeError as error:
        raise ReadError("The file is not UTF-8 text, so it is no result.", path=result) from error


def _parsed(text: str, result: str) -> Any:  # noqa: ANN401  (any JSON)
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a JSON number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # One program would show the first value and another the last, and only one of them would be verified.
        parsed = dict(pairs)
        if len(parsed) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f'the field "{twice}" is there twice')
        return parsed

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


def _again(
    recorded: Sequence[Any], result: str, files: Sequence[str], options: VerifyOptions
) -> list[Verdict]:
    """Run each different command once, and compare its results with those recorded."""
    commands = [read_command(one["command"]) for one in recorded]
    matched_files = matched([file for command in commands for file in command.files], files)
    answers: dict[str, Callable[..., Verdict]] = {}
    arguments = []
    for command, (one, name) in zip(commands, _named(recorded, result), strict=True):
        key = json.dumps([command.name, command.parameters, command.files], sort_keys=True)
        if key not in answers:
            command_files = {file: matched_files[file] for file in command.files}
            answers[key] = _run(command, command_files, options)
        arguments.append(answers[key](one, name, command.result))
    return arguments


def _run(
    command: RecordedCommand, matched_files: Mapping[File, MatchedFile], options: VerifyOptions
) -> Callable[..., Verdict]:
    """Run a command and return what compares one of its results."""
    named = some_of(list(dict.fromkeys(file.name for file in matched_files)))
    subject = f"{command.name} of {named}" if named else command.name
    changed = changed_files(matched_files)
    notes = [f"  computed again by: {command_line(command)}", *unknown_bytes(matched_files)]
    results: list[Any] = []
    refusal: str | None = None
    with readable(matched_files) as paths:
        try:
            results = recomputed(command, paths, workers=options.workers)
        except click.UsageError as error:
            raise BetterThanError(
                f"The command recorded in this file is not run: {error.format_message()} Nothing was computed."
            ) from error
        except BetterThanError as error:
            refusal = error.text
    same_words = same_but_for_folders(paths)

    def compared(one: Mapping[str, Any], name: str, at: int) -> Verdict:
        if refusal is not None:
            head = Message(
                "{name}: differs. {subject} cannot be computed now: {refusal}",
                name=name,
                subject=subject,
                refusal=refusal,
            )
            return Verdict(False, (head, *changed[:MOST_LINES]))
        if at >= len(results):
            return Verdict(
                False, (f"{name}: differs. {subject} has only {len(results)} results.", *changed[:MOST_LINES])
            )
        comparison, version = compared_results(one, results[at], options.tolerance, same_words)
        place = [f"  this is number {at + 1} of the {len(results)} results of the command"] * (
            len(results) > 1
        )
        return verdict_of(comparison, name, subject, changed, version, *notes, *place)

    return compared


def recomputed(command: RecordedCommand, paths: Mapping[File, str], *, workers: int | None) -> list[Any]:
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


def changed_files(matched_files: Mapping[File, MatchedFile]) -> tuple[str, ...]:
    """Return a line for each file whose bytes are not those recorded."""
    lines = [
        f"  {path} has other bytes than {file.name} had"
        for file, (path, is_same) in matched_files.items()
        if is_same is False
    ]
    return tuple(dict.fromkeys(lines))


def unknown_bytes(matched_files: Mapping[File, MatchedFile]) -> tuple[str, ...]:
    """Return a line for each file whose bytes cannot be compared with the record."""
    lines = [
        f"  no digest of {file.name} was recorded, so that only its numbers were compared, not its bytes"
        for file, (_, is_same) in matched_files.items()
        if is_same is None
    ]
    return tuple(dict.fromkeys(lines))


def command_line(command: RecordedCommand) -> str:
    """Return a record as it could be typed, without what is the default: all of it decides what the numbers mean."""
    target: Any = click.get_current_context().find_root().command
    for part in command.name.split():
        target = target.commands[part]
    usual = {parameter.name: parameter.default for parameter in target.params}
    chosen = {key: value for key, value in command.parameters.items() if value != usual.get(key)}
    names = {file: file.name for file in command.files}
    words = arguments_of(command._replace(parameters=chosen), target, names, workers=None)
    return shlex.join(
        ["betterthan", *command.name.split(), *(w for w in words if w not in ("--no-cache", "--"))]
    )


def compared_results(
    recorded: Mapping[str, Any],
    again: Mapping[str, Any],
    tolerance: float | None,
    same_words: Callable[[str, str], bool],
) -> tuple[DataComparison, str]:
    """Compare two results; also return the version that made the first."""
    settings = recorded.get("settings")
    version = str(settings.get("version")) if isinstance(settings, Mapping) else UNKNOWN_VERSION
    is_same = not is_other(version)
    exact = 0.0 if is_same else OTHER_VERSION_TOLERANCE
    comparison = DataComparison(
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
    comparison: DataComparison, name: str, subject: str, changed: Sequence[str], version: str, *more: str
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
        head = f"{name}: reproduced. {subject} gives the same {comparison.n_numbers:,} numbers again{within}."
        data = [f"{line}, but the same data" for line in changed]
        return Verdict(True, (head, *notes, *data))
    lines: list[str] = [
        f"  {place}: recorded {recorded}, computed again {again}"
        for place, recorded, again, _ in comparison.differences
    ]
    if len(lines) > MOST_LINES:
        rest = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES - 1], f"  and {rest:,} more differences"]
    widest = max(difference.gap for difference in comparison.differences)
    if widest <= OTHER_VERSION_TOLERANCE:
        lines.append(
            Message(
                "  The largest difference is {widest:.1g}; another processor may cause it. {tolerance} allows for it.",
                widest=widest,
                tolerance=Option("tolerance", OTHER_VERSION_TOLERANCE),
            )
        )
    head = f"{name}: differs. {subject} gives something else{within}."
    return Verdict(False, (head, *notes, *changed, *lines))
