"""Results of MTEB: ``results/MODEL__NAME/REVISION/TASK.json``, one task of a model or a folder of models.

A file has no scores of single items, so the tasks are the items: a table of models by tasks, as a leaderboard has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from betterthan.read.formats.toolkits.toolkit_json import (
    ScoreRow,
    folder_of,
    number,
    odd_shape,
    reading_of_rows,
    whole_json,
)
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.paths import files_of, matching_files, ordinary_file, path_of
from betterthan.read.source.source import Source, open_source

FORMAT = Format(
    name="mteb",
    kind="scores",
    description="results of MTEB (MODEL/REVISION/TASK.json), one task or a folder of models; tasks are the items",
)
MAIN = "main_score"
_ABOUT = "model_meta.json"
_EXPERIMENTS = "experiments"
_DEPTH = 5
_KEYS = (b'"task_name"', b'"mteb_version"')


@dataclass(slots=True)
class _TaskResult:
    """A model on a task: the names of its splits and subsets, and the values of each metric with them."""

    file: str
    model: str
    task: str
    parts: list[str] = field(default_factory=list)
    values: dict[str, list[tuple[str, float]]] = field(default_factory=dict)


def sniff(source: Source) -> Guess | None:
    """Recognize the keys task_name and mteb_version; a folder by the description of a model beside its tasks."""
    if source.is_folder:
        files = [
            part for part in matching_files(source, _is_result, depth=_DEPTH) if path_of(part).name != _ABOUT
        ]
        return (
            Guess(confidence=0.95, because=f"a folder with {len(files):,} results of MTEB") if files else None
        )
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] == b"{" and all(key in head[:4096] for key in _KEYS) and b'"scores"' in head[:4096]:
        return Guess(confidence=0.98, because="keys task_name, mteb_version and scores, as MTEB writes them")
    return None


def _is_result(path: Path) -> bool:
    """Whether a file is beside the description of a model, which a pattern finds as well."""
    return path.suffix == ".json" and (path.parent / _ABOUT).is_file()


def read(source: Source, options: Options) -> Reading:
    """Read the main score of every task and model, and all metrics where the user chooses one.

    Splits and subsets of a task are averaged, as MTEB does; of a single task they are the items.
    """
    guess = sniff(source)
    names: dict[Path, str] = {}
    files = files_of(source, _is_result, depth=_DEPTH)
    results = [_result(file, names) for file in files if Path(file.name).name != _ABOUT]
    _check_once(results, source)
    is_main = options.metric in (None, MAIN)
    is_only = len({result.task for result in results}) == 1
    rows = [row for result in results for row in _rows(result, is_main=is_main, is_only=is_only)]
    notes = [f"The items are {'splits and subsets of the task' if is_only else 'tasks'}."]
    if not is_only and any(len(result.parts) > 1 for result in results):
        notes.append("Splits and subsets of a task were averaged.")
    return reading_of_rows(rows, source, options, format=FORMAT, guess=guess, notes=notes)


def _result(file: Source, names: dict[Path, str]) -> _TaskResult:
    parsed = whole_json(file)
    task = parsed.get("task_name") if isinstance(parsed, dict) else None
    splits = parsed.get("scores") if isinstance(parsed, dict) else None
    if not isinstance(task, str) or not task.strip() or not isinstance(splits, dict):
        raise odd_shape("MTEB writes an object with task_name and scores.", file)
    result = _TaskResult(file=file.name, model=file.called or _model_of(file, names), task=task)
    for split, parts in splits.items():
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            raise odd_shape("The scores of a split are not a list of objects.", file)
        for part in parts:
            _gather(part, split, result, file)
    if not result.parts:
        raise odd_shape(f"The task {quoted(task)} has no scores.", file)
    return result


def _gather(part: Mapping[str, Any], split: str, result: _TaskResult, file: Source) -> None:
    if MAIN not in part:
        raise odd_shape(f"A part of {quoted(result.task)} has no {MAIN}.", file)
    result.parts.append(f"{part.get('hf_subset', 'default')} ({split})")
    for metric, value in part.items():
        if metric == MAIN or (isinstance(value, int | float) and not isinstance(value, bool)):
            score = number(metric, value, file)
            value_of_part = (result.parts[-1], math.nan if score is None else score)
            result.values.setdefault(metric, []).append(value_of_part)


def _model_of(file: Source, names: dict[Path, str]) -> str:
    """Return the model in the description beside the file, else the folder above the revision."""
    if file.name.startswith("<"):
        return file.stem
    folder = folder_of(file)
    if folder not in names:
        inner = folder.parent.name == _EXPERIMENTS
        model = folder.parent.parent.parent if inner else folder.parent
        name = _described(folder) or model.name.replace("__", "/") or file.stem
        names[folder] = f"{name} ({folder.name})" if inner else name
    return names[folder]


def _described(folder: Path) -> str | None:
    beside = folder / _ABOUT
    if not beside.is_file():
        return None
    parsed = whole_json(replace(open_source(ordinary_file(beside, folder)), name=str(beside)))
    name = parsed.get("name") if isinstance(parsed, dict) else None
    return name if isinstance(name, str) and name.strip() else None


def _check_once(results: list[_TaskResult], source: Source) -> None:
    first: dict[tuple[str, str], str] = {}
    for result in results:
        other = first.setdefault((result.model, result.task), result.file)
        if other != result.file:
            raise source.error(
                f"{quoted(result.model)} has two results of {quoted(result.task)} ({other[-90:]}, "
                f"{result.file[-90:]}). "
                f"Keep one revision of the model.",
                code="BT198",
            )


def _rows(result: _TaskResult, *, is_main: bool, is_only: bool) -> Iterator[ScoreRow]:
    """Yield the mean of each metric; of the only task every part."""
    for metric, values in result.values.items():
        if is_main and metric != MAIN:
            continue
        if is_only:
            for part, value in values:
                yield ScoreRow(
                    f"{result.task}: {part}", result.model, metric, None if math.isnan(value) else value
                )
            continue
        # Exactly rounded, so that the order of the subsets does not matter; a missing part leaves the task missing.
        mean = math.fsum(value for _, value in values) / len(values)
        yield ScoreRow(result.task, result.model, metric, None if math.isnan(mean) else mean)
