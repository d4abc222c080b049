"""A report computed again: the results inside it, and the page around them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import click
from click.core import ParameterSource
from markupsafe import escape

from betterthan import __version__
from betterthan.cli.receipt import Command, File, arguments_of, last_part, read_name
from betterthan.cli.receipt_differences import Comparison, Difference, same_but_for_folders
from betterthan.cli.receipt_files import matched, readable
from betterthan.cli.report import COMPOSED
from betterthan.cli.report import report as report_command
from betterthan.cli.verification import (
    OTHER_VERSION_TOLERANCE,
    UNKNOWN_VERSION,
    Verdict,
    Wish,
    as_plain,
    comparable,
    is_other,
    verdict_of,
)
from betterthan.errors import BetterThanError
from betterthan.report.command import IN_MEMORY
from betterthan.report.document import Report
from betterthan.report.files import embedded
from betterthan.report.page import page as page_of

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
    data: Mapping[str, Any], name: str, given: Sequence[str], wish: Wish, *, page: str | None
) -> Verdict:
    """Compute a report again and compare its results; of a page made by this version also everything that it shows.

    Raises
    ------
    BetterThanError
        When the report's command is not one that is run from a file, or the files do not fit it.
    """
    asked = _asked(data.get("command"), given)
    found = matched(asked.files, given)
    with readable(found) as paths:
        try:
            again = _composed(asked, paths, wish)
        except BetterThanError as error:
            return Verdict(False, (f"{name}: differs. The report is refused now: {error}",))
    version = _version(data)
    is_same = not is_other(version)
    exact = 0.0 if is_same else OTHER_VERSION_TOLERANCE
    comparison = Comparison(
        tolerance=exact if wish.tolerance is None else wish.tolerance,
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


def _asked(command: object, given: Sequence[str]) -> Command:
    """Read the command line of a report as the command itself would, and keep what may be run again."""
    words = _split(command)
    if words[:2] != ["betterthan", "report"]:
        raise _refused("it is not betterthan report")
    if any(word.startswith("[") and word.endswith(IN_MEMORY) for word in words):
        raise BetterThanError(
            "This report was made in Python from tables in memory, so that it cannot be made again from files. "
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
        for called, path in [_name_and_path(value, given)]
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
    return Command("report", parameters, tuple(files), 0)


def _name_and_path(value: str, given: Sequence[str]) -> tuple[str | None, str]:
    """Return the name before ``=``, unless the user names a file that is really called so."""
    if last_part(value) in map(last_part, given):
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


def _composed(asked: Command, paths: Mapping[File, str], wish: Wish) -> Report:
    """Run the command on these paths; it hands over the report instead of writing it."""
    context = click.get_current_context()
    arguments = arguments_of(asked, report_command, paths, workers=wish.workers)
    found: list[Report] = []
    context.meta[COMPOSED] = found
    try:
        with report_command.make_context("report", arguments, parent=context) as inside:
            report_command.invoke(inside)
    except click.UsageError as error:
        raise _refused(error.format_message()) from error
    finally:
        del context.meta[COMPOSED]
    return found[0]


def _version(data: Mapping[str, Any]) -> str:
    results = data.get("results")
    found = {
        str(one["settings"].get("version"))
        for one in (results.values() if isinstance(results, Mapping) else ())
        if isinstance(one, Mapping) and isinstance(one.get("settings"), Mapping)
    }
    return ", ".join(sorted(found)) or UNKNOWN_VERSION


def _words_and_results(data: Mapping[str, Any], is_same_version: bool) -> dict[str, Any]:  # noqa: FBT001
    results = data.get("results")
    if not isinstance(results, Mapping):
        raise BetterThanError("There are no results in this report. Make it again with betterthan report.")
    plain = {
        name: comparable(one, is_same_version) if isinstance(one, Mapping) else one
        for name, one in results.items()
    }
    return {**{key: value for key, value in data.items() if key != "command"}, "results": plain}


def _page_differences(
    recorded: str, again: Report, command: str, paths: Mapping[File, str]
) -> list[Difference]:
    """Compare two pages line by line, but for the places of files and the versions of other packages."""
    shown = page_of(again).replace(escape(again.command), escape(command))
    for file, path in paths.items():
        shown = shown.replace(escape(path), escape(file.name))
    one, other = (_APART.sub("", text).splitlines() for text in (recorded, shown))
    comparison = Comparison()
    for number, (left, right) in enumerate(zip_longest(one, other), 1):
        comparison.compare(left, right, f"page, line {number}")
    return comparison.differences
