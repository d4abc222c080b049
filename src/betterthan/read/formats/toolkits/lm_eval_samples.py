"""Samples of the lm-evaluation-harness: ``MODEL/samples_TASK_DATE.jsonl``, one file or a folder of them.

A line is a document under one filter, with one key for each metric. Documents are joined by the hash of their
content, because their numbers change when a data set is filtered or sorted again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.toolkits.toolkit_json import (
    REPEAT,
    RUN,
    ScoreRow,
    folder_of,
    reading_of_rows,
)
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.paths import files_of, matching_files
from betterthan.read.source.source import Source

FORMAT = Format(
    name="lm_eval",
    kind="scores",
    description="samples_TASK_DATE.jsonl of the lm-evaluation-harness, one file or a folder of models",
)
_file_name = re.compile(
    r"samples_(?P<task>.+?)(?:_(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.\-]+))?\.jsonl(?:\.gz)?"
).fullmatch
_KEYS = frozenset({"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
                   "doc_hash", "prompt_hash", "target_hash"})  # fmt: skip
_TYPICAL = frozenset({"doc_hash", "filtered_resps"})
_NO_FILTER = "none"
_DEPTH = 2
_LABEL = 16


@dataclass(slots=True)
class _Samples:
    """Contents of the files, and anomalies."""

    rows: list[ScoreRow] = field(default_factory=list)
    repeated: int = 0
    lists: dict[str, int] = field(default_factory=dict)
    prompts: dict[str, dict[str, str]] = field(default_factory=dict)
    """By item, the hash of each system's prompt."""


def sniff(source: Source) -> Guess | None:
    """Recognize the keys doc_hash and filtered_resps; a folder by the names of its files."""
    if source.is_folder:
        files = matching_files(source, _is_samples, depth=_DEPTH)
        return (
            Guess(confidence=0.95, because=f"a folder with {len(files)} samples_*.jsonl") if files else None
        )
    if source.is_parquet or source.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        return None
    if b'"doc_hash"' in source.head and set(peek(source).header) >= _TYPICAL:
        return Guess(
            confidence=0.98, because="keys doc_hash and filtered_resps of lm-evaluation-harness samples"
        )
    return None


def _is_samples(path: Path) -> bool:
    return _file_name(path.name) is not None


def read(source: Source, options: Options) -> Reading:
    """Read samples; the system is the folder of a file, and each metric, filter and task gives one table."""
    guess = sniff(source)
    samples = _Samples()
    files = list(files_of(source, _is_samples, depth=_DEPTH))
    tasks = {_task(file) for file in files}
    runs = _runs(files)
    for file, run in zip(files, runs, strict=True):
        _gather(file, samples, prefix=f"{_task(file)}: " if len(tasks) > 1 else "", run=run)
    if samples.lists and not samples.rows:
        raise source.error(_corpus_level(samples.lists), code="BT193")
    dropped = {"written twice": samples.repeated, "list, not a score": sum(samples.lists.values())}
    notes = [f"{samples.repeated} scores were written twice and counted once."] if samples.repeated else []
    problems = list(_problems(samples, source))
    return reading_of_rows(
        samples.rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped=dropped,
        notes=[*notes, *(problem.message for problem in problems)],
        problems=problems,
        runs=RUN if any(runs) else REPEAT,
    )


def _runs(files: Sequence[Source]) -> list[str]:
    """Return the date of each file where a model ran a task several times; otherwise empty texts."""
    ran = [(_system(file), _task(file)) for file in files]
    if len(set(ran)) == len(ran):
        return ["" for _ in files]
    dates = [match["date"] if (match := _file_name(Path(file.name).name)) else None for file in files]
    return [date or f"file {number}" for number, date in enumerate(dates, 1)]


def _task(file: Source) -> str:
    match = _file_name(Path(file.name).name)
    return match["task"] if match else file.stem


def _system(file: Source) -> str:
    if file.called is not None or file.name.startswith("<"):
        return file.stem
    return folder_of(file).name or file.stem


def _gather(file: Source, samples: _Samples, *, prefix: str, run: str) -> None:
    task, system = _task(file), _system(file)
    seen: dict[tuple[str, str], Any] = {}
    twins: dict[str, dict[str, int]] = {}
    for line, record in numbered_objects(file.lines(), file):
        digest = record.get("doc_hash")
        if not (isinstance(digest, str) and digest.strip()):
            raise _odd("The line has no doc_hash, so documents cannot be joined.", file, line)
        # Equal documents within a data set are distinguished by their numbers.
        numbers = twins.setdefault(digest, {})
        twin = numbers.setdefault(str(record.get("doc_id")), len(numbers) + 1)
        item = f"{task}:{digest[:_LABEL]}" + (f"#{twin}" if twin > 1 else "")
        if isinstance(record.get("prompt_hash"), str):
            samples.prompts.setdefault(item, {})[system] = record["prompt_hash"]
        for metric, value in _metrics(record, file, line):
            if isinstance(value, list | dict):
                samples.lists[metric] = samples.lists.get(metric, 0) + 1
            elif (item, metric) in seen and seen[item, metric] == value:
                samples.repeated += 1
            else:
                seen[item, metric] = value
                samples.rows.append(ScoreRow(item, system, prefix + metric, value, run))


def _metrics(record: Mapping[str, Any], file: Source, line: int) -> Iterator[tuple[str, Any]]:
    """Yield each metric of a line with its value; the filter is part of the name."""
    listed = record.get("metrics", [key for key in record if key not in _KEYS])
    if not isinstance(listed, list) or not all(isinstance(name, str) and name.strip() for name in listed):
        raise _odd('"metrics" is not a list of names.', file, line)
    kind = record.get("filter", _NO_FILTER)
    if not isinstance(kind, str):
        raise _odd('"filter" is not a name.', file, line)
    for name in dict.fromkeys(listed):
        yield name if kind == _NO_FILTER else f"{name} [{kind}]", record.get(name)


def _odd(what: str, file: Source, line: int) -> ReadError:
    return file.error(
        f"{what} Write the samples again with a recent lm-evaluation-harness (--log_samples).",
        line=line,
        code="BT190",
    )


def _problems(samples: _Samples, source: Source) -> Iterator[Problem]:
    if samples.lists:
        yield Problem(code="BT193", place=source.name, message=_corpus_level(samples.lists))
    odd = [item for item, by_system in samples.prompts.items() if len(set(by_system.values())) > 1]
    if odd:
        message = (
            f"Systems had different prompts on {len(odd):,} documents ({some_of(odd, limit=2)}), so a difference may "
            f"be due to the prompt. Run them with the same settings."
        )
        yield Problem(code="BT194", place=source.name, message=message)


def _corpus_level(lists: Mapping[str, int]) -> str:
    names: Sequence[str] = [f"{quoted(name)} ({count:,} lines)" for name, count in lists.items()]
    return (
        f"Not scores of single documents: {some_of(names, limit=3)}. These metrics are computed from lists over the "
        f"whole corpus, so they were left out. Use a metric with a number for each document."
    )
