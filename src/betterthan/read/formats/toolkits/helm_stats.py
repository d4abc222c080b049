"""Statistics of HELM by instance: ``SCENARIO:ARGS,model=NAME/per_instance_stats.json``, one run or a folder of runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from betterthan.read.formats.toolkits.toolkit_json import (
    ScoreRow,
    folder_of,
    odd_shape,
    reading_of_rows,
    whole_json,
)
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.paths import files_of, matching_files, ordinary_file
from betterthan.read.source.source import Source, open_source

FORMAT = Format(
    name="helm", kind="scores", description="per_instance_stats.json of HELM, one run or a folder of runs"
)
_FILE = "per_instance_stats.json"
_ABOUT = "run_spec.json"
_KEYS = (b'"instance_id"', b'"train_trial_index"', b'"stats"')
_DEPTH = 2
_model = re.compile(r",?\bmodel=(?P<model>[^,]+)").search

InstanceMetric = tuple[str, str]
"""Instance and metric."""


@dataclass(slots=True)
class _HelmRun:
    """A model on a scenario: the values of each instance and metric, one for each trial."""

    file: str
    model: str
    scenario: str
    values: dict[InstanceMetric, list[float]] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)


def sniff(source: Source) -> Guess | None:
    """Recognize the keys instance_id, train_trial_index and stats; a folder by the names of its files."""
    if source.is_folder:
        files = matching_files(source, _is_stats, depth=_DEPTH)
        return Guess(confidence=0.95, because=f"a folder with {len(files)} runs of HELM") if files else None
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] == b"[" and all(key in head for key in _KEYS):
        return Guess(
            confidence=0.98, because="keys instance_id, train_trial_index and stats, as HELM writes them"
        )
    return None


def _is_stats(path: Path) -> bool:
    return path.name == _FILE


def read(source: Source, options: Options) -> Reading:
    """Read the mean of every statistic on the test instances without perturbation; trials are averaged."""
    guess = sniff(source)
    runs = [_run(file) for file in files_of(source, _is_stats, depth=_DEPTH)]
    _check_once(runs, source)
    several = len({run.scenario for run in runs}) > 1
    rows = [row for run in runs for row in _rows(run, several=several)]
    dropped: dict[str, int] = {}
    for run in runs:
        for why, count in run.dropped.items():
            dropped[why] = dropped.get(why, 0) + count
    n_trials = max((len(values) for run in runs for values in run.values.values()), default=1)
    notes = [f"{count:,} statistics were left out: {why}." for why, count in dropped.items()]
    if n_trials > 1:
        notes.append(f"Up to {n_trials} trials of an instance were averaged.")
    return reading_of_rows(rows, source, options, format=FORMAT, guess=guess, dropped=dropped, notes=notes)


def _run(file: Source) -> _HelmRun:
    name = "score" if file.name.startswith("<") else folder_of(file).name
    match = _model(name)
    scenario = name.replace(match[0], "").rstrip(":,") if match else name
    run = _HelmRun(
        file=file.name,
        model=file.called or _model_beside(file) or (match["model"] if match else name),
        scenario=scenario,
    )
    instances = whole_json(file)
    if not isinstance(instances, list):
        raise odd_shape("HELM writes a list of instances.", file)
    for instance in instances:
        _gather(instance, run, file)
    return run


def _model_beside(file: Source) -> str | None:
    """Return the model in the specification next to the file."""
    beside = file.path.parent / _ABOUT
    if file.name.startswith("<") or not beside.is_file():
        return None
    spec = whole_json(replace(open_source(ordinary_file(beside, beside.parent)), name=str(beside)))
    adapter = spec.get("adapter_spec") if isinstance(spec, dict) else None
    model = adapter.get("model") if isinstance(adapter, dict) else None
    return model if isinstance(model, str) and model.strip() else None


def _gather(instance: Any, run: _HelmRun, file: Source) -> None:  # noqa: ANN401  (JSON)
    identity = instance.get("instance_id") if isinstance(instance, dict) else None
    stats = instance.get("stats") if isinstance(instance, dict) else None
    if not isinstance(identity, str) or not identity.strip() or not isinstance(stats, list):
        raise odd_shape("An instance has no instance_id or no list of stats.", file)
    for stat in stats:
        about = stat.get("name") if isinstance(stat, dict) else None
        metric = about.get("name") if isinstance(about, dict) else None
        if not isinstance(about, dict) or not isinstance(metric, str) or not metric.strip():
            raise odd_shape(f"A statistic of instance {quoted(identity)} has no name.", file)
        why = _left_out(instance, about)
        if why:
            run.dropped[why] = run.dropped.get(why, 0) + 1
            continue
        number = parse(stat.get("mean"))
        if math.isinf(number):
            raise file.error(
                f"The mean of {quoted(metric)} of instance {quoted(identity)} is not a number. "
                f"Write it again with the toolkit.",
                code="BT013",
            )
        part = f" [{about['sub_split']}]" if isinstance(about.get("sub_split"), str) else ""
        run.values.setdefault((identity, metric + part), []).append(number)


def _left_out(instance: Mapping[str, Any], about: Mapping[str, Any]) -> str | None:
    """Return the reason why a statistic is not used."""
    if instance.get("perturbation") or about.get("perturbation"):
        return "perturbed instance"
    return None if about.get("split") == "test" else "not of the test split"


def _check_once(runs: list[_HelmRun], source: Source) -> None:
    first: dict[tuple[str, str], str] = {}
    for run in runs:
        other = first.get((run.model, run.scenario))
        if other is not None:
            raise source.error(
                f"{quoted(run.model)} ran {quoted(run.scenario)} in two folders ({other[-90:]}, {run.file[-90:]}). "
                f"Keep one of them.",
                code="BT198",
            )
        first[run.model, run.scenario] = run.file


def _rows(run: _HelmRun, *, several: bool) -> Iterator[ScoreRow]:
    for (item, metric), values in run.values.items():
        known = [number for number in values if not math.isnan(number)]
        # Exactly rounded, so that the order of the trials does not matter.
        mean = math.fsum(known) / len(known) if known else None
        yield ScoreRow(item, run.model, f"{run.scenario}: {metric}" if several else metric, mean)
