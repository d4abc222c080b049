"""Which command made a result: what is recorded of it, and what may be run again from a record.

A record names the verb, the parameters that matter to the numbers, and the files with the digests of their bytes.
It holds no clock, no folder of this machine, and nothing that does not change a number: neither workers nor caches nor
where the answer went. A record comes back from an untrusted file, so that only what is in
:data:`VERBS` is ever run, and only on files that the user names again.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click

from betterthan import scratch
from betterthan.errors import BetterThanError, ReadError, some_of


class MatchedFile(NamedTuple):
    """The path that the user named for a file of a record, and whether its bytes are those recorded.

    `is_same` is None where the record has no digest, or the bytes cannot be looked at twice.
    """

    path: str
    is_same: bool | None


def matched(files: Sequence[File], paths: Sequence[str]) -> dict[File, MatchedFile]:
    """Find each recorded file among those that the user names.

    A file is found by its name as it was given, by its name without folders, by its bytes, and else by its place in
    the order of what is left. What was recorded twice, such as a file with metric and human scores, is named once.

    Raises
    ------
    BetterThanError
        When a recorded file is not named, or a file is named that is not recorded.
    """
    left = list(dict.fromkeys(paths))
    digests = {path: file_digest(path) for path in left}
    recorded = {(file.name, file.digest): file for file in files}
    path_of: dict[tuple[str, str | None], str] = {}
    for fits in _RULES:
        for key, file in recorded.items():
            fitting = [path for path in left if key not in path_of and fits(file, path, digests[path])]
            if fitting:
                # Of several files of one name, the one with the recorded bytes is meant.
                same = [path for path in fitting if file.digest is not None and digests[path] == file.digest]
                path_of[key] = (same or fitting)[0]
                left.remove(path_of[key])
    _refuse(
        [file.name for key, file in recorded.items() if key not in path_of], left, list(recorded.values())
    )
    return {file: _matched_file(file, path_of[file.name, file.digest], digests) for file in files}


_RULES: tuple[Callable[[File, str, str | None], bool], ...] = (
    lambda file, path, _: file.name == path,
    lambda file, path, _: last_part(file.name) == last_part(path),
    lambda file, _, digest: file.digest is not None and file.digest == digest,
    lambda _file, _path, _digest: True,
)


def _refuse(missing: Sequence[str], left: Sequence[str], files: Sequence[File]) -> None:
    if missing:
        raise BetterThanError(
            f"The result was also made from {some_of(missing)}, and no FILE is left for it. "
            f"Name every file behind the result: {some_of([file.name for file in files])}."
        )
    if left:
        raise BetterThanError(
            f"The result was not made from {some_of(left)}. "
            f"Name the files behind it and no others: {some_of([file.name for file in files])}."
        )


def _matched_file(file: File, path: str, digests: Mapping[str, str | None]) -> MatchedFile:
    known = file.digest is not None and digests[path] is not None
    return MatchedFile(path, digests[path] == file.digest if known else None)


@contextmanager
def readable(matched_files: Mapping[File, MatchedFile]) -> Iterator[dict[File, str]]:
    """Give each file the path under which the command reads it.

    Systems and metrics are often called as their file or folder. A file that has another name now is therefore linked
    under the recorded one, in a folder that goes afterwards; what came through standard input comes through it again.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="verify-", dir=scratch.folder())))
        paths: dict[File, str] = {}
        for number, (file, (path, _)) in enumerate(matched_files.items()):
            if file.name == STANDARD_INPUT:
                stack.enter_context(_standard_input(path))
                paths[file] = STANDARD_INPUT
            elif path == STANDARD_INPUT or _ends_alike(file.name, path):
                paths[file] = path
            else:
                paths[file] = _linked(path, folder / str(number), _parts(file.name))
        yield paths


def _parts(name: str) -> list[str]:
    """Return the folders and the name of a recorded file that say something: no root, and no way upwards."""
    return [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..", "~")]


def _ends_alike(name: str, path: str) -> bool:
    parts = _parts(name)
    return list(Path(path).expanduser().absolute().parts[-len(parts) :]) == parts


def _linked(path: str, folder: Path, parts: Sequence[str]) -> str:
    target = folder.joinpath(*parts)
    # On Windows a name such as "c:x" leads elsewhere.
    if not target.is_relative_to(folder) or target == folder:
        raise BetterThanError(f'"{"/".join(parts)}" is not the name of a file. Nothing was computed.')
    real = Path(path).expanduser().absolute()
    if not real.exists():
        return path  # a pattern, or nothing: the command says so in its own words
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.symlink_to(real, target_is_directory=real.is_dir())
        except (OSError, NotImplementedError):  # not every system allows links
            (shutil.copytree if real.is_dir() else shutil.copyfile)(real, target)
    except OSError as error:
        raise BetterThanError(f"{path} cannot be read under its recorded name ({error.strerror}).") from error
    return str(target)


@contextmanager
def _standard_input(path: str) -> Iterator[None]:
    if path == STANDARD_INPUT:
        yield
        return
    before = sys.stdin
    try:
        with Path(path).expanduser().open(encoding="utf-8") as sys.stdin:
            yield
    except OSError as error:
        raise BetterThanError(f"{path} cannot be opened ({error.strerror}).") from error
    finally:
        sys.stdin = before


RecordedValue = str | int | float | bool | list[str] | list[float]
STANDARD_INPUT = "-"
_MAGIC = frozenset("*?[")
_ROLES = ("item", "system", "score", "metric", "group", "judge", "run", "left", "right", "winner", "weight")
_READING = (
    "format_in",
    *(f"{role}_column" for role in _ROLES),
    "where",
    "ignore",
    "keep",
    "lower_is_better",
    "higher_is_better",
    "duplicates",
    "both_bad",
    "winner_labels",
)
_COMPUTING = ("seed", "resamples")
_BATTLES = ("cluster", "covariates")
_JUDGES = ("drop_judges", "max_variance_ratio", "controls", "min_judgements", "units", "confidence")
_TEXTS = ("missing", "confidence", "size", "baseline", "aggregation", *_COMPUTING)


class Verb(NamedTuple):
    """The parameters of a command that name files to read, and those that matter to the numbers."""

    files: tuple[str, ...]
    parameters: tuple[str, ...]


VERBS: dict[str, Verb] = {
    "agree": Verb(("files",), ("by", "top", "metrics", "missing", "prior", "units", *_READING, *_COMPUTING)),
    "audit-judge": Verb(
        ("files", "human"), ("judge_score", "human_score", "length", "own", "confidence", *_READING)
    ),
    "board": Verb(
        ("files",),
        ("by", "task_column", "tasks", "metric", "missing", "units", "confidence", *_READING, *_COMPUTING),
    ),
    "board-diff": Verb(("old", "new"), ("overlap", "ties", "confidence", *_READING)),
    "voters": Verb(("files",), ("by", "confidence", *_READING)),
    "fragility": Verb(("files",), ("ties", *_READING)),
    "boards": Verb(("files",), ("by", "categories", "ties", "confidence", *_BATTLES, *_READING)),
    "calibrate": Verb(
        ("files",),
        (
            *("systems", "metric", "difference", "missing", "units", "alpha", "confidence"),
            *(*_READING, *_COMPUTING),
        ),
    ),
    "check": Verb(("files",), _READING),
    "compare": Verb(
        ("file",),
        (
            *(
                "systems",
                "test",
                "by",
                "method",
                "metric",
                "ties",
                "prior",
                "missing",
                "units",
                "over",
                "alternative",
            ),
            *("correction", "alpha", "confidence", "simultaneous", *_BATTLES, *_READING, *_COMPUTING),
        ),
    ),
    "correct": Verb(("files", "human"), ("judge_score", "human_score", "units", "confidence", *_READING)),
    "diagnose": Verb(("files",), ("metric", *_READING)),
    "explain": Verb(("file", "source"), ("a", "b", "metric", "missing", "units", "alpha", *_READING)),
    "factors": Verb(("files",), ("metric", "missing", "units", "over", "alpha", "confidence", *_READING)),
    "gate": Verb(
        ("file",),
        (
            *(
                "systems",
                "margin",
                "metrics",
                "slices",
                "missing",
                "units",
                "over",
                "alpha",
                "power",
                "undecided",
            ),
            *_READING,
        ),
    ),
    "human da": Verb(("file",), ("metric", "raw", "by_margin", *_JUDGES, *_READING)),
    "human mqm": Verb(("file",), ("weights", "standardize", *_JUDGES)),
    "human rr": Verb(("file",), ("by", "languages", "identical", "ties", "prior", "confidence", *_COMPUTING)),
    "meta": Verb(
        ("sources", "human", "texts"),
        (
            *("leave_out_metrics", "metric_kind", "human_by", "resample"),
            *("by", "level", "significance", "p_values", "mid_p", "units", "margin", "metric_margin"),
            *(
                "leave_out",
                "outliers",
                "only",
                "alternative",
                "correction",
                "alpha",
                "confidence",
                "language_pair",
            ),
            *("gold", "reference", "pool", *_READING, *_COMPUTING),
        ),
    ),
    "plan": Verb(
        ("files",),
        (
            *("difference", "number", "power", "alpha", "alternative", "systems", "n_systems", "metric"),
            *("sd", "discordance", "ties", "noise_sd", "run_sd", "repeats", "document_size", "icc"),
            *("judged", "judge_correlation", "missing", "units", "confidence", *_READING),
        ),
    ),
    "multiverse": Verb(("files",), ("claim", "metric", "missing", "alpha", *_READING, *_COMPUTING)),
    "quality": Verb(
        ("gold", "systems"),
        ("missing", "language_pair", "interval", "alpha", "confidence", *_COMPUTING),
    ),
    "rank": Verb(
        ("files",),
        (
            *(
                "by",
                "metric",
                "ties",
                "prior",
                "scale",
                "anchor",
                "order",
                "rating",
                "missing",
                "units",
                "over",
            ),
            *("interval", "confidence", *_BATTLES, *_READING, *_COMPUTING),
        ),
    ),
    "sample": Verb(("files",), ("n", "by", "of", "strata", "metric", "seed", *_READING)),
    "score bleu": Verb(
        ("files", "references"),
        (
            *("tokenize", "language", "literal", "lowercase", "smoothing", "smoothing_value"),
            *("max_order", "effective_order", *_TEXTS),
        ),
    ),
    "score chrf": Verb(
        ("files", "references"),
        ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing", *_TEXTS),
    ),
    "score metrics": Verb(
        ("files", "references"),
        ("metrics", "positive", "labels", "lowercase", "no_punct", "language", "tokenize", *_TEXTS),
    ),
    "score ter": Verb(
        ("files", "references"), ("normalized", "no_punct", "asian_support", "case_sensitive", *_TEXTS)
    ),
    "study": Verb(
        ("data",),
        ("name", "as_published", "quick", "settings", "lower_is_better", "higher_is_better", "seed"),
    ),
    "tradeoffs": Verb(
        ("files",),
        ("metric", "systems", "baseline", "missing", "units", "alpha", "confidence", *_READING, *_COMPUTING),
    ),
    "variation": Verb(("files",), ("metric", "confidence", *_READING)),
    "tags": Verb(
        ("gold", "systems", "mt"),
        (
            *("by", "side", "language_pair", "audition", "middle", "no_synthetic", "no_pairs"),
            *("as_published", "units", "correction", "alpha", "confidence", *_COMPUTING),
        ),
    ),
    "watch": Verb(
        ("files",),
        (
            *("systems", "horizon", "expected", "bounds", "margin", "alternative", "alpha", "metric"),
            *("missing", "cluster", "units", "top", "ask", "append", *_READING),
        ),
    ),
}


class File(NamedTuple):
    """A file of a record.

    Attributes
    ----------
    parameter : str
        The argument or option that it was given to.
    name : str
        As it was given; of an absolute path only the last part. ``"-"`` is standard input.
    called : str, optional
        The name before ``=``, where there was one.
    digest : str, optional
        Of the bytes, such as ``"sha256:9f86…"``; None where they could not be read again.
    """

    parameter: str
    name: str
    called: str | None
    digest: str | None


class RecordedCommand(NamedTuple):
    """A record that was read back and may be run again; `result` counts the results of the command from 0."""

    name: str
    parameters: dict[str, RecordedValue]
    files: tuple[File, ...]
    result: int


def record(context: click.Context | None) -> dict[str, Any] | None:
    """Return what is recorded of the command that runs, or None where nothing can be run again."""
    name = " ".join(reversed([str(each.info_name) for each in _lineage(context)]))
    if context is None or name not in VERBS:
        return None
    verb, values = VERBS[name], context.params
    if not values.keys() >= {*verb.files, *verb.parameters}:
        return None  # half a record would be worse than none; a test keeps VERBS and the commands alike
    return {
        "name": name,
        "parameters": {
            key: list(values[key]) if isinstance(values[key], tuple) else values[key]
            for key in verb.parameters
            # What was not asked for is left to the method's own default.
            if values[key] is not None and values[key] is not False and values[key] != ()
        },
        "files": [_recorded(key, value) for key in verb.files for value in _each(values[key])],
    }


def _lineage(context: click.Context | None) -> Iterator[click.Context]:
    while context is not None and context.parent is not None:
        yield context
        context = context.parent


def _each(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value


def _recorded(parameter: str, argument: str) -> dict[str, str | None]:
    called, path = name_and_path(argument)
    entry = {"parameter": parameter, "name": shown_name(path), "digest": file_digest(path)}
    return entry if called is None else {**entry, "called": called}


def name_and_path(argument: str) -> tuple[str | None, str]:
    """Return the name before ``=``, if any, and the path or pattern after it.

    Examples
    --------
    >>> name_and_path("ours=runs/7.csv"), name_and_path("runs/7.csv")
    (('ours', 'runs/7.csv'), (None, 'runs/7.csv'))
    """
    from betterthan.read.source.paths import split_name

    called = None if argument == STANDARD_INPUT else split_name(argument)[0]
    return called, argument if called is None else argument[len(called) + 1 :]


def read_name(argument: str) -> tuple[str | None, str]:
    """Return the same of a name that was recorded, whose file need not be here.

    Examples
    --------
    >>> read_name("ours=7.csv"), read_name("a/b=7.csv")
    (('ours', '7.csv'), (None, 'a/b=7.csv'))
    """
    called, sign, path = argument.partition("=")
    return (called, path) if sign and path and _is_plain(called) else (None, argument)


def _is_plain(called: str) -> bool:
    """Whether a name can stand before the user's own path without making it another path or a pattern."""
    return bool(called.strip()) and not set(called) & {*_MAGIC, *"=/\\~\x00"}


def shown_name(path: str) -> str:
    """Return a path as it was given, without the folders of this machine.

    Examples
    --------
    >>> shown_name("runs/7.csv"), shown_name("/home/somebody/7.csv"), shown_name("~/7.csv")
    ('runs/7.csv', '7.csv', '7.csv')
    """
    is_absolute = Path(path).is_absolute() or PureWindowsPath(path).is_absolute() or path.startswith("~")
    return last_part(path) if is_absolute else path


def last_part(path: str) -> str:
    """Return the name of a file without its folders, whichever system wrote it."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def file_digest(path: str) -> str | None:
    """Return the SHA-256 of a file's bytes; of a folder or pattern that of the list of its files' digests.

    Returns
    -------
    str or None
        None for standard input, which is gone, and for what cannot be read.
    """
    from betterthan.read.source.paths import split_name

    if path == STANDARD_INPUT:
        return None
    try:
        (first, *others) = paths = [Path(each).expanduser() for each in split_name(path)[1]]
        if not others and not first.is_dir():
            return f"sha256:{_sha256(first)}" if first.is_file() else None
        lines = [line for each in paths for line in _listed(each)]
    except (OSError, ReadError, RuntimeError):
        return None
    return f"sha256:{hashlib.sha256(''.join(sorted(lines)).encode()).hexdigest()}"


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _listed(path: Path) -> Iterator[str]:
    """Yield one line per file, as sha256sum writes it; hidden files are not data."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        inside = file.relative_to(path if path.is_dir() else path.parent)
        if file.is_file() and not any(part.startswith(".") for part in inside.parts):
            yield f"{_sha256(file)}  {inside.as_posix()!a}\n"


def read_command(data: object) -> RecordedCommand:
    """Check a record and return it.

    Raises
    ------
    BetterThanError
        For a verb or parameter that is not run from a file, and for what is no record at all.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("files"), list):
        raise _refused("it is not written as betterthan writes it")
    if unknown := data.keys() - {"name", "parameters", "files", "result"}:
        raise _refused(f"{_quoted(min(unknown, key=str))} is no part of a command")
    name, parameters, at = data.get("name"), data.get("parameters"), data.get("result", 0)
    if not isinstance(name, str) or name not in VERBS:
        raise _refused(f"{_quoted(name)} is none of {', '.join(VERBS)}")
    if not isinstance(parameters, dict) or isinstance(at, bool) or not isinstance(at, int) or at < 0:
        raise _refused("it is not written as betterthan writes it")
    for key, value in parameters.items():
        if key not in VERBS[name].parameters:
            raise _refused(f"{name} takes no {_quoted(key)} from a file")
        if not _is_value(value):
            raise _refused(f"the value of {_quoted(key)} is neither text nor number")
    files = tuple(_read_file(name, entry) for entry in data["files"])
    return RecordedCommand(name, dict(parameters), files, at)


def _is_value(value: object) -> bool:
    if isinstance(value, list):
        return all(not isinstance(each, list) and _is_value(each) for each in value)
    return isinstance(value, int | float) or (isinstance(value, str) and "\x00" not in value)


def _read_file(verb: str, entry: object) -> File:
    if not isinstance(entry, Mapping):
        raise _refused("its files are not written as betterthan writes them")
    if unknown := entry.keys() - {"parameter", "name", "called", "digest"}:
        raise _refused(f"{_quoted(min(unknown, key=str))} is no part of a file")
    parameter, name = entry.get("parameter"), entry.get("name")
    called, digest = entry.get("called"), entry.get("digest")
    if parameter not in VERBS[verb].files:
        raise _refused(f"{verb} takes no file as {_quoted(parameter)}")
    if not isinstance(name, str) or not last_part(name) or "\x00" in name:
        raise _refused(f"{_quoted(name)} is not the name of a file")
    if called is not None and not (isinstance(called, str) and _is_plain(called)):
        raise _refused(f"{_quoted(called)} is not the name of a system")
    if digest is not None and not isinstance(digest, str):
        raise _refused(f"{_quoted(digest)} is not a digest")
    return File(str(parameter), name, called, digest)


def _refused(why: str) -> BetterThanError:
    return BetterThanError(f"The command recorded in this file is not run: {why}. Nothing was computed.")


def _quoted(value: object) -> str:
    text = str(value)
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'


def arguments_of(
    command: RecordedCommand, target: click.Command, paths: Mapping[File, str], *, workers: int | None
) -> list[str]:
    """Return the command line that runs a record again on these paths.

    Every value stands in a word of its own with its option, and positional ones behind ``--``; so none can become
    another option. Finished parts of other runs are not used.
    """
    options: list[str] = []
    positional: list[str] = []
    for parameter in target.params:
        values = _values(command, str(parameter.name), paths)
        if isinstance(parameter, click.Argument):
            positional += [str(value) for value in values]
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            options += [parameter.opts[-1]] * (values == [True])
        else:
            options += [f"{_long(parameter.opts)}={value}" for value in values]
    known = {parameter.name for parameter in target.params}
    flags = ["--no-cache"] * ("no_cache" in known)
    flags += [f"--workers={workers}"] * (workers is not None and "workers" in known)
    return [*options, *flags, "--", *positional]


def _values(command: RecordedCommand, parameter: str, paths: Mapping[File, str]) -> list[Any]:
    files = [
        paths[file] if file.called is None else f"{file.called}={paths[file]}"
        for file in command.files
        if file.parameter == parameter
    ]
    value = command.parameters.get(parameter)
    return [*files, *(value if isinstance(value, list) else [] if value is None else [value])]


def _long(names: Iterable[str]) -> str:
    return next(name for name in names if name.startswith("--"))
