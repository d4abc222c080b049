"""Logs of OpenAI Evals: the JSON lines that ``oaieval`` records, one model on one eval in each file.

The first line describes the run, the others are events of samples in order of arrival, and a final report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.toolkits.toolkit_json import REPEAT, RUN, ScoreRow, number, reading_of_rows
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.paths import files_of, matching_files
from betterthan.read.source.source import Source

FORMAT = Format(
    name="openai_evals",
    kind="scores",
    description="logs of OpenAI Evals (JSON lines of oaieval), one log or a folder of logs",
)
_KEYS = (b'"spec"', b'"completion_fns"', b'"eval_name"')
_HEAD = 1 << 16
_DEPTH = 2
_MATCH = "match"
_GRADED = ("match", "metrics")


@dataclass(slots=True)
class _Log:
    """A model on an eval: the values of each sample and metric, and what was left out."""

    file: str
    model: str
    task: str
    run: str
    values: dict[tuple[str, str], list[float | None]] = field(default_factory=dict)
    samples: dict[str, None] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    texts: dict[str, int] = field(default_factory=dict)
    is_finished: bool = False


def sniff(source: Source) -> Guess | None:
    """Recognize the description of a run in the first line; a folder by such files."""
    if source.is_folder:
        files = matching_files(source, _is_log, depth=_DEPTH)
        return (
            Guess(confidence=0.95, because=f"a folder with {len(files)} logs of OpenAI Evals")
            if files
            else None
        )
    if _is_beginning(source.head):
        return Guess(confidence=0.98, because="spec with completion_fns and eval_name, as oaieval writes it")
    return None


def _is_beginning(head: bytes) -> bool:
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n")[0]
    return first[:1] == b"{" and all(key in first for key in _KEYS)


def _is_log(path: Path) -> bool:
    if path.suffix != ".jsonl" or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return _is_beginning(file.read(_HEAD))
    except OSError:
        return False


def read(source: Source, options: Options) -> Reading:
    """Read the verdict and the metrics of every sample; several logs of a model on an eval are runs."""
    guess = sniff(source)
    logs = [_log(file) for file in files_of(source, _is_log, depth=_DEPTH)]
    has_runs = len({(log.model, log.task) for log in logs}) < len(logs)
    several = len({log.task for log in logs}) > 1
    is_repeated = any(len(values) > 1 for log in logs for values in log.values.values())
    rows = [
        row for log in logs for row in _rows(log, several=several, has_runs=has_runs, is_repeated=is_repeated)
    ]
    texts = {name: sum(log.texts.get(name, 0) for log in logs) for log in logs for name in log.texts}
    problems = list(_problems(logs))
    notes = [problem.message for problem in problems]
    if texts:
        notes.append(f"Metrics that are not numbers were left out: {some_of(list(map(quoted, texts)))}.")
    return reading_of_rows(
        rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped={"text, not a number": sum(texts.values())},
        notes=notes,
        problems=problems,
        runs=RUN if has_runs and not is_repeated else REPEAT,
    )


def _log(file: Source) -> _Log:
    log: _Log | None = None
    for line, event in numbered_objects(file.lines(), file):
        if log is None:
            log = _described(event.get("spec"), file, line)
        elif "final_report" in event:
            log.is_finished = True
        elif "spec" not in event:
            _take(event, log, file, line)
    if log is None:
        raise file.error("The file has no scores. Check the program that wrote the file.", code="BT011")
    return log


def _described(spec: Any, file: Source, line: int) -> _Log:  # noqa: ANN401  (JSON)
    listed = spec.get("completion_fns") if isinstance(spec, dict) else None
    models = listed if isinstance(listed, list) else []
    is_named = bool(models) and all(isinstance(name, str) and name for name in models)
    if not is_named or not isinstance(spec.get("eval_name"), str):
        raise _odd("The first line is not a spec with completion_fns and eval_name.", file, line)
    run = spec.get("run_id")
    return _Log(
        file=file.name,
        model=file.called or " + ".join(models),
        task=spec["eval_name"],
        run=run if isinstance(run, str) and run else file.stem,
    )


def _take(event: Mapping[str, Any], log: _Log, file: Source, line: int) -> None:
    kind, sample, data = event.get("type"), event.get("sample_id"), event.get("data")
    if not isinstance(kind, str) or not isinstance(sample, str) or not sample.strip():
        raise _odd("The event has no type or no sample_id.", file, line)
    log.samples.setdefault(sample)
    if kind == "error":
        log.failed.add(sample)
    if kind not in _GRADED:
        return
    if not isinstance(data, dict) or (kind == _MATCH and "correct" not in data):
        raise _odd(f"The event {quoted(kind)} has no data of its kind.", file, line)
    values = {_MATCH: data["correct"]} if kind == _MATCH else data
    for name, value in values.items():
        if isinstance(value, dict | list) or (kind != _MATCH and isinstance(value, str)):
            log.texts[name] = log.texts.get(name, 0) + 1
        else:
            log.values.setdefault((sample, name), []).append(number(name, value, file, line=line))


def _odd(what: str, file: Source, line: int) -> ReadError:
    return file.error(f"{what} Record the log again with oaieval.", line=line, code="BT190")


def _rows(log: _Log, *, several: bool, has_runs: bool, is_repeated: bool) -> Iterator[ScoreRow]:
    """Yield a row for every sample and metric, also where a sample has none; samples in order of their numbers."""
    metrics = dict.fromkeys(metric for _, metric in log.values)
    for metric in metrics:
        name = f"{log.task}: {metric}" if several else metric
        for sample in sorted(log.samples, key=lambda text: (len(text), text)):
            for again, value in enumerate(log.values.get((sample, metric), [None]), 1):
                run = log.run if has_runs else ""
                yield ScoreRow(
                    sample, log.model, name, value, f"{run} {again}".strip() if is_repeated else run
                )


def _problems(logs: Sequence[_Log]) -> Iterator[Problem]:
    for log in logs:
        if not log.is_finished:
            message = (
                f"The log of {quoted(log.model)} has no final report, so the run may not have finished and samples may "
                f"be missing. Run it again."
            )
            yield Problem(code="BT196", place=log.file, message=message)
        if log.failed:
            message = (
                f"{len(log.failed):,} of {len(log.samples):,} samples of {quoted(log.model)} had an error; without a "
                f"score they are missing, not 0. Run them again."
            )
            yield Problem(code="BT199", place=log.file, message=message)
