"""Test runs of DeepEval: ``test_run_TIME.json`` in its results folder, or ``.deepeval/.latest_run_full.json``.

A test case is identified by its input and expected output, because its name counts cases and its order depends on when
it finished.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from betterthan.read.formats.toolkits.toolkit_json import (
    REPEAT,
    RUN,
    GradedCase,
    case_rows,
    content_name,
    failures,
    number,
    odd_shape,
    reading_of_rows,
    whole_json,
)
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.paths import files_of, matching_files
from betterthan.read.source.source import Source

FORMAT = Format(
    name="deepeval",
    kind="scores",
    description="test runs of DeepEval (test_run_TIME.json), one file or a folder of them",
    is_run=True,
)
_file_name = re.compile(r"(?:test_run_(?P<time>[0-9]{8}_[0-9]{6}).*|\.latest_run_full)\.json").fullmatch
_WRAPPER = "testRunData"
_CASES = ("testCases", "conversationalTestCases")
_DEPTH = 2


@dataclass(frozen=True, slots=True)
class _TestRun:
    """A file: its system, the time of the run, and its test cases."""

    file: Source
    system: str
    time: str
    cases: Sequence[Any]


def sniff(source: Source) -> Guess | None:
    """Recognize the keys testCases and metricsData; a folder by the names of its files."""
    if source.is_folder:
        files = matching_files(source, _is_test_run, depth=_DEPTH)
        return (
            Guess(confidence=0.95, because=f"a folder with {len(files)} test runs of DeepEval")
            if files
            else None
        )
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if (
        head[:1] == b"{"
        and b'"testCases"' in head[:4096]
        and (b'"metricsData"' in head or b'"turns"' in head)
    ):
        return Guess(confidence=0.98, because="keys testCases and metricsData, as DeepEval writes them")
    return None


def _is_test_run(path: Path) -> bool:
    return _file_name(path.name) is not None


def read(source: Source, options: Options) -> Reading:
    """Read the score of every metric and test case; several files of one system are runs."""
    guess = sniff(source)
    runs = [_test_run(file, options) for file in files_of(source, _is_test_run, depth=_DEPTH)]
    is_repeated = len({run.system for run in runs}) < len(runs)
    cases = [case for run in runs for case in _cases(run, run.time if is_repeated else "")]
    found = case_rows(cases)
    problems = list(
        failures(cases, source.name, fix="Run the test again, or look at the errors in the file.")
    )
    notes = [f"{quoted(metric)} has no score and was left out." for metric in found.left_out]
    return reading_of_rows(
        found.rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped={"metric without any score": sum(found.left_out.values())},
        notes=[*notes, *(problem.message for problem in problems)],
        problems=problems,
        runs=RUN if is_repeated else REPEAT,
    )


def _test_run(file: Source, options: Options) -> _TestRun:
    parsed = whole_json(file)
    if isinstance(parsed, dict) and isinstance(parsed.get(_WRAPPER), dict):
        parsed = parsed[_WRAPPER]
    if not isinstance(parsed, dict) or _CASES[0] not in parsed:
        raise odd_shape("DeepEval writes an object with a list of testCases.", file)
    lists = [parsed.get(key) or [] for key in _CASES]
    if not all(isinstance(cases, list) for cases in lists):
        raise odd_shape("The test cases are not a list.", file)
    named = parsed.get("identifier")
    identifier = named if isinstance(named, str) and named.strip() else None
    otherwise = options.run.system if options.run else _name_of(file)
    match = _file_name(Path(file.name).name)
    return _TestRun(
        file=file,
        system=file.called or identifier or otherwise,
        time=(match["time"] if match else None) or file.stem,
        cases=[case for cases in lists for case in cases],
    )


def _name_of(file: Source) -> str:
    """Return the name of the folder of a file that DeepEval named."""
    if file.name.startswith("<") or not _is_test_run(Path(file.name)):
        return file.stem
    folder = Path(file.name).expanduser().resolve().parent
    return (folder.parent if folder.name == ".deepeval" else folder).name or file.stem


def _cases(run: _TestRun, time: str) -> Iterator[GradedCase]:
    for case in run.cases:
        metrics = case.get("metricsData") if isinstance(case, dict) else None
        if not isinstance(case, dict) or not isinstance(metrics, list | None):
            raise odd_shape("A test case is not an object with a list of metricsData.", run.file)
        scores: dict[str, float | None] = {}
        failed = False
        for metric in metrics or []:
            name = metric.get("name") if isinstance(metric, dict) else None
            if not isinstance(name, str) or not name.strip():
                raise odd_shape("A metric of a test case has no name.", run.file)
            scores[name] = number(name, metric.get("score"), run.file)
            failed |= scores[name] is None and bool(metric.get("error"))
        yield GradedCase(
            system=run.system, item=_item(case, run.file), scores=scores, run=time, failed=failed
        )


def _item(case: Mapping[str, Any], file: Source) -> str:
    """Name a test case by what was asked, a conversation by its scenario or the user's turns."""
    if isinstance(case.get("input"), str):
        return content_name(case["input"], case.get("expectedOutput"))
    if isinstance(case.get("scenario"), str):
        return content_name(case["scenario"], case.get("expectedOutcome"))
    turns = case.get("turns")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise odd_shape("A test case has neither an input nor turns.", file)
    return content_name([turn.get("content") for turn in turns if turn.get("role") == "user"])
