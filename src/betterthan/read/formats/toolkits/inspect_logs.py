"""Logs of Inspect: ``.eval`` (a ZIP file) and ``.json``, one log or a folder of them, each with one model and one task.

Members of a ZIP file may be packed with Zstandard, which the standard library cannot open. Nothing is unpacked to
disk, so the paths in the archive do not matter.
"""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betterthan.errors import MissingExtra, ReadError, some_of
from betterthan.read.formats.toolkits.toolkit_json import (
    ScoreRow,
    odd_shape,
    parsed_json,
    reading_of_rows,
    whole_json,
)
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.packed import zstandard
from betterthan.read.source.paths import files_of, matching_files
from betterthan.read.source.source import Source

ZSTANDARD = 93
LARGEST_MEMBER = 512 << 20
_LOCAL = struct.Struct("<26xHH")
_ENCRYPTED = 1
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError,
           struct.error, OverflowError, KeyError, IndexError)  # fmt: skip


def names(source: Source) -> frozenset[str]:
    """Return the names of the members; none when it is not a ZIP file."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            return frozenset(archive.namelist())
    except _FAULTS:
        return frozenset()


def member(source: Source, name: str) -> bytes | None:
    """Return the bytes of a member, or None when there is none with this name.

    Raises
    ------
    ReadError
        When the archive is damaged or the member is encrypted, or larger than 512 MiB (BT195), or a member's path is
        outside the archive (BT340).
    MissingExtra
        When it is compressed with Zstandard and the package `zstandard` is not installed.
    """
    try:
        with zipfile.ZipFile(source.path) as archive:
            inside = archive.namelist()
            _refuse_dangerous(inside, source)
            if name not in inside:
                return None
            info = archive.getinfo(name)
            if info.flag_bits & _ENCRYPTED or info.file_size > LARGEST_MEMBER:
                raise _damaged(f"{name} is encrypted or larger than {LARGEST_MEMBER >> 20} MiB", source)
            data = _zstandard(source, info) if info.compress_type == ZSTANDARD else _plain(archive, info)
    except (ReadError, MissingExtra):
        raise
    except _FAULTS as error:
        raise _damaged("The archive is truncated or damaged", source) from error
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise _damaged(f"{name} is damaged", source)
    return data


def _refuse_dangerous(inside: list[str], source: Source) -> None:
    """Raise when unpacking an archive would write outside its folder: such an archive is hostile."""
    for name in inside:
        # Windows separates with \\ and begins with a letter.
        parts = name.replace("\\", "/").split("/")
        if not parts[0] or ".." in parts or (len(parts[0]) == 2 and parts[0][1] == ":"):
            raise source.error(
                f"The archive holds {quoted(name)}, a path outside the archive. Do not unpack it; obtain it again "
                f"from its source.",
                code="BT340",
            )


def _plain(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as stream:
        # One byte more than declared, so that a false size is noticed.
        return stream.read(info.file_size + 1)


def _zstandard(source: Source, info: zipfile.ZipInfo) -> bytes:
    engine = zstandard("A log packed with Zstandard")
    with source.path.open("rb") as file:
        file.seek(info.header_offset)
        name_length, extra_length = _LOCAL.unpack(file.read(_LOCAL.size))
        file.seek(name_length + extra_length, io.SEEK_CUR)
        packed = io.BytesIO(file.read(info.compress_size))
    try:
        with engine.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            unpacked: bytes = stream.read(info.file_size + 1)
    except engine.ZstdError as error:
        raise _damaged(f"{info.filename} is damaged", source) from error
    return unpacked


def _damaged(what: str, source: Source) -> ReadError:
    return source.error(f"{what}. Copy the file again.", code="BT195")


FORMAT = Format(
    name="inspect", kind="scores", description="logs of Inspect (.eval or .json), one log or a folder of logs"
)
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly correct, incorrect, no answer, as Inspect itself counts them."""
_ZIP = b"PK\x03\x04"
_KEYS = (b'"status"', b'"eval"', b'"task_id"')

SampleMetric = tuple[str, str]
"""Sample and metric."""


class _InspectLog(NamedTuple):
    """A model on a task: the values of each sample and metric by epoch."""

    file: str
    model: str
    task: str
    arguments: str
    status: str
    samples: tuple[str, ...]
    n_samples: int
    n_failed: int
    values: Mapping[SampleMetric, dict[str, float]]


def sniff(source: Source) -> Guess | None:
    """Recognize the members of the archive, or the keys at the beginning of the JSON; a folder by such files."""
    if source.is_folder:
        files = matching_files(source, _is_log, depth=0)
        return (
            Guess(confidence=0.95, because=f"a folder with {len(files)} logs of Inspect") if files else None
        )
    if source.head.startswith(_ZIP):
        if source.suffix == ".eval" or (
            "header.json" in (inside := names(source)) and "summaries.json" in inside
        ):
            return Guess(
                confidence=0.98, because="a ZIP file with the log of an evaluation, as Inspect writes it"
            )
        return None
    return _sniff_json(source.head)


def _sniff_json(head: bytes) -> Guess | None:
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" and all(key in head for key in _KEYS):
        return Guess(confidence=0.97, because="keys status, eval and task_id, as Inspect writes them")
    return None


def _is_log(path: Path) -> bool:
    return path.suffix == ".eval" or _is_json_log(path)


def _is_json_log(path: Path) -> bool:
    if path.suffix != ".json" or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return _sniff_json(file.read(1 << 16)) is not None
    except OSError:
        return False


def read(source: Source, options: Options) -> Reading:
    """Read the samples' scores; epochs are repeated runs, and a sample that failed has no score."""
    guess = sniff(source)
    logs = [_log(file) for file in files_of(source, _is_log, depth=0)]
    systems = _systems(logs, source)
    tasks = {log.task for log in logs}
    rows = list(_rows(logs, systems, several=len(tasks) > 1))
    problems = list(_problems(logs))
    return reading_of_rows(
        rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        notes=[problem.message for problem in problems],
        problems=problems,
    )


def _log(file: Source) -> _InspectLog:
    header, samples = _parts(file)
    about = header.get("eval") if isinstance(header, dict) else None
    if not isinstance(about, dict) or not isinstance(samples, list):
        raise odd_shape("The log has no evaluation or no samples.", file)
    model, task = about.get("model"), about.get("task")
    if not (isinstance(model, str) and model.strip() and isinstance(task, str) and task.strip()):
        raise odd_shape("The log names no model or no task.", file)
    values: dict[SampleMetric, dict[str, float]] = {}
    unknown: dict[str, int] = {}
    ids = [_gather(sample, values, unknown, file) for sample in samples]
    if unknown:
        raise _unknown_grades(unknown, file)
    return _InspectLog(
        file=file.name,
        model=file.called or model,
        task=task,
        arguments=json.dumps(about.get("task_args") or {}, sort_keys=True),
        status=str(header.get("status")),
        samples=tuple(dict.fromkeys(ids)),
        n_samples=len(ids),
        n_failed=sum(bool(sample.get("error")) for sample in samples),
        values=values,
    )


def _parts(file: Source) -> tuple[Any, Any]:
    if not file.head.startswith(_ZIP):
        parsed = whole_json(file)
        return parsed, parsed.get("samples") if isinstance(parsed, dict) else None
    header, samples = (member(file, name) for name in ("header.json", "summaries.json"))
    if header is None or samples is None:
        raise file.error(
            "The log has no header or no summaries, so the run has not finished. Wait for it or run it again.",
            code="BT196",
        )
    return parsed_json(header, path=file.name), parsed_json(samples, path=file.name)


def _gather(
    sample: Any,  # noqa: ANN401  (JSON)
    values: dict[SampleMetric, dict[str, float]],
    unknown: dict[str, int],
    file: Source,
) -> str:
    """Store the scores of a sample, and return its id."""
    identity = sample.get("id") if isinstance(sample, dict) else None
    scores = sample.get("scores") or {} if isinstance(sample, dict) else None
    if not isinstance(identity, str | int) or not str(identity).strip() or not isinstance(scores, dict):
        raise odd_shape("A sample has no id, or its scores are not an object.", file)
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else None
        for metric, single in _singles(scorer, value):
            number = GRADES.get(single, parse(single)) if isinstance(single, str) else parse(single)
            if math.isinf(number):
                shown = quoted(str(single), limit=20)
                unknown[shown] = unknown.get(shown, 0) + 1
            by_epoch = values.setdefault((str(identity), metric), {})
            epoch = str(sample.get("epoch", len(by_epoch) + 1))
            if epoch in by_epoch:
                epoch = f"{epoch}.{len(by_epoch) + 1}"  # the log was continued
            by_epoch[epoch] = number
    return str(identity)


def _singles(scorer: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  (JSON)
    """Yield a value, or each of several values with a name of its own."""
    if isinstance(value, dict):
        yield from ((f"{scorer}/{key}", single) for key, single in value.items())
    elif isinstance(value, list):
        yield from ((f"{scorer}/{number}", single) for number, single in enumerate(value, 1))
    else:
        yield scorer, value


def _unknown_grades(unknown: Mapping[str, int], file: Source) -> ReadError:
    listed = [f"{grade}: {count}" for grade, count in sorted(unknown.items(), key=lambda pair: -pair[1])]
    return file.error(
        f"Values that are neither numbers nor the grades C, P, I, N: {some_of(listed)}. "
        f"Score the log again with numbers.",
        code="BT197",
    )


def _systems(logs: Sequence[_InspectLog], source: Source) -> list[str]:
    """Name each log by its model, with the task's arguments where one model ran with several."""
    by_model: dict[tuple[str, str], set[str]] = {}
    for log in logs:
        by_model.setdefault((log.model, log.task), set()).add(log.arguments)
    systems = [
        log.model if len(by_model[log.model, log.task]) == 1 else f"{log.model} {log.arguments}"
        for log in logs
    ]
    first: dict[tuple[str, str], str] = {}
    for log, system in zip(logs, systems, strict=True):
        if (system, log.task) in first:
            raise source.error(
                f"{quoted(system)} ran {quoted(log.task)} in {Path(first[system, log.task]).name[:90]} and in "
                f"{Path(log.file).name[:90]}. Keep one of the two logs in the folder.",
                code="BT198",
            )
        first[system, log.task] = log.file
    return systems


def _rows(logs: Sequence[_InspectLog], systems: Sequence[str], *, several: bool) -> Iterator[ScoreRow]:
    """Yield a row for every sample and metric of a task, also where a sample has no score."""
    metrics: dict[str, dict[str, None]] = {}
    for log in logs:
        metrics.setdefault(log.task, {}).update(dict.fromkeys(metric for _, metric in log.values))
    is_repeated = any(len(by_epoch) > 1 for log in logs for by_epoch in log.values.values())
    for log, system in zip(logs, systems, strict=True):
        for metric in metrics[log.task]:
            name = f"{log.task}: {metric}" if several else metric
            for item in log.samples:
                for epoch, number in log.values.get((item, metric), {"1": math.nan}).items():
                    score = None if math.isnan(number) else number
                    yield ScoreRow(item, system, name, score, epoch if is_repeated else "")


def _problems(logs: Sequence[_InspectLog]) -> Iterator[Problem]:
    for log in logs:
        if log.status != "success":
            message = (
                f"The run of {quoted(log.model)} did not finish successfully (status {quoted(log.status)}), so "
                f"samples may be "
                f"missing. Run it again, or finish it with inspect eval-retry."
            )
            yield Problem(code="BT196", place=log.file, message=message)
        if log.n_failed:
            message = (
                f"{log.n_failed} of {log.n_samples} samples of {quoted(log.model)} failed; without a score they are "
                f"missing, not 0. Run them again with inspect eval-retry."
            )
            yield Problem(code="BT199", place=log.file, message=message)
