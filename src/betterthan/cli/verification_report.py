"""A report computed again: the results inside it, and the page around them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import click
from markupsafe import escape

from betterthan import __version__
from betterthan.cli.receipt import File, read_name
from betterthan.cli.receipt_differences import Comparison, Difference, same_but_for_folders
from betterthan.cli.receipt_files import matched, readable
from betterthan.cli.report import report as report_command
from betterthan.cli.verification import (
    OTHER_VERSION_TOLERANCE,
    Verdict,
    Wish,
    as_plain,
    comparable,
    verdict_of,
)
from betterthan.errors import BetterThanError
from betterthan.report.compose import compose
from betterthan.report.document import Report
from betterthan.report.page import page as page_of

_FILES = ("files", "human", "references", "source")
_PARAMETERS = ("question", "metric", "missing", "units", "seed", "no_texts")
# The results are compared as data; versions are those of the packages around us.
_APART = re.compile(
    r'(?<=<script type="application/json" id="results">).*?(?=</script>)'
    r'|(?<=<div class="code" id="versions">).*?(?=</pre>)',
    re.DOTALL,
)
_WORDS = ("title", "kind", "headline", "verdict", "notes")


class Asked(NamedTuple):
    """What a report's command asks for: files, and parameters that matter."""

    files: tuple[File, ...]
    parameters: dict[str, Any]


def report_verdict(
    data: Mapping[str, Any], name: str, given: Sequence[str], wish: Wish, *, page: str | None
) -> Verdict:
    """Compute a report again and compare its results; of a page made by this version also everything that it shows.

    Raises
    ------
    BetterThanError
        When the report's command is not one that is run from a file, or the files do not fit it.
    """
    asked = _asked(data.get("command"))
    found = matched(asked.files, given)
    with readable(found) as paths:
        try:
            again = _composed(asked, paths, wish)
        except BetterThanError as error:
            return Verdict(False, (f"{name}: differs. The report is refused now: {error}",))
    version = _version(data)
    is_same = version == __version__
    exact = 0.0 if is_same else OTHER_VERSION_TOLERANCE
    comparison = Comparison(
        tolerance=exact if wish.tolerance is None else wish.tolerance,
        same_words=same_but_for_folders(paths),
        is_same_version=is_same,
    )
    comparison.compare(
        _words_and_results(data, is_same), _words_and_results(as_plain(again.to_dict()), is_same)
    )
    notes = []
    if page is not None and is_same:
        comparison.differences += _page_differences(page, again, str(data["command"]), paths)
        if not comparison.differences:
            notes.append("  and the page shows nothing else")
    elif page is not None:
        notes.append("  what the page shows was not compared, only the results inside it")
    return verdict_of(comparison, name, "The report", (), version, *notes)


def _asked(command: object) -> Asked:
    """Read the command line of a report as the command itself would, and keep what may be run again."""
    words = _split(command)
    if words[:2] != ["betterthan", "report"]:
        raise _refused("it is not betterthan report")
    if any(word.startswith("[") and word.endswith(" in memory]") for word in words):
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
        for called, path in [read_name(value)]
    ]
    for parameter in report_command.params:
        key = str(parameter.name)
        source = context.get_parameter_source(key)
        if key not in (*_FILES, *_PARAMETERS, "output") and source is click.core.ParameterSource.COMMANDLINE:
            raise _refused(f"it has the option {parameter.opts[-1]}")
    return Asked(tuple(files), {key: context.params[key] for key in _PARAMETERS})


def _split(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError as error:
        raise _refused("its quotation marks do not fit") from error


def _each(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value


def _refused(why: str) -> BetterThanError:
    return BetterThanError(f"The command recorded in this report is not run: {why}. Nothing was computed.")


def _composed(asked: Asked, paths: Mapping[File, str], wish: Wish) -> Report:
    of = {
        parameter: [
            path if file.called is None else f"{file.called}={path}"
            for file, path in paths.items()
            if file.parameter == parameter
        ]
        for parameter in _FILES
    }
    given = asked.parameters
    return compose(
        of["files"],
        question=given["question"],
        human=next(iter(of["human"]), None),
        references=of["references"],
        source=next(iter(of["source"]), None),
        metric=given["metric"],
        missing=given["missing"],
        units=given["units"],
        texts=not given["no_texts"],
        rng=given["seed"],
        workers=wish.workers,
    )


def _version(data: Mapping[str, Any]) -> str:
    results = data.get("results")
    found = {
        str(one["settings"].get("version"))
        for one in (results.values() if isinstance(results, Mapping) else ())
        if isinstance(one, Mapping) and isinstance(one.get("settings"), Mapping)
    }
    return ", ".join(sorted(found)) or "unknown"


def _words_and_results(data: Mapping[str, Any], is_same_version: bool) -> dict[str, Any]:  # noqa: FBT001
    results = data.get("results")
    if not isinstance(results, Mapping):
        raise BetterThanError("There are no results in this report. Make it again with betterthan report.")
    plain = {
        name: comparable(one, is_same_version) if isinstance(one, Mapping) else one
        for name, one in results.items()
    }
    return {**({key: data.get(key) for key in _WORDS} if is_same_version else {}), "results": plain}


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
