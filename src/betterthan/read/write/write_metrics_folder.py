"""Write scores in the layout of the metrics task, so that reading the folder gives the same numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from betterthan.errors import BetterThanError
from betterthan.messages import Message, Option
from betterthan.read.formats.metrics_task.metrics_folder import MetricsFolder
from betterthan.tables.scores import Scores
from betterthan.writing import write_whole

_DOMAIN = "all"
"""The domain of documents of which none is known; the layout has a field for it."""


def write_metrics_folder(
    path: str | os.PathLike[str],
    parts: MetricsFolder | Iterable[MetricsFolder],
    *,
    overwrite: bool = False,
) -> None:
    r"""Write human and metric scores as a folder of the metrics task.

    Parameters
    ----------
    path : path
        The folder to make; its name is the name of the test set.
    parts : MetricsFolder or several
        One for each language pair and level.
    overwrite : bool, default False
        Whether files in a folder that exists may be replaced. Other files there stay.

    Raises
    ------
    BetterThanError
        When the folder exists and is not empty, a name cannot be written in this layout, or a file cannot be written.

    Notes
    -----
    Written are the documents and the scores, not the texts. Numbers are written with all their digits, missing ones as
    ``None``. Segments have no names in this layout: reading them back numbers them.

    Examples
    --------
    >>> import tempfile
    >>> from betterthan.read.formats.metrics_task.metrics_folder import read_metrics_folder
    >>> bleu = Scores(name="BLEU-refA", systems=["A", "B"], segments=["1", "2"], values=[[0.1, 0.2], [0.3, 0.4]])
    >>> parts = MetricsFolder(name="mini", language_pair="en-de", segments=("1", "2"), human={},
    ...                       metrics={"BLEU-refA": bleu}, groups=("x", "x"))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_metrics_folder(f"{place}/mini", parts)
    ...     read_metrics_folder(f"{place}/mini").metrics["BLEU-refA"].values.tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    target = Path(path)
    several = [parts] if isinstance(parts, MetricsFolder) else list(parts)
    files = dict(_all_files(several))
    if target.exists() and any(target.iterdir() if target.is_dir() else [target]) and not overwrite:
        raise BetterThanError(
            Message(
                "{path} exists and is not empty. Choose another place, or use {overwrite} to replace files in it.",
                path=path,
                overwrite=Option("overwrite", True),
            )
        )
    try:
        for place, lines in files.items():
            _write(target / place, lines)
    except OSError as error:
        raise BetterThanError(f"{path}: The folder cannot be written ({error.strerror}).") from error


def _write(target: Path, lines: Sequence[str]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, "".join(f"{line}\n" for line in lines))


def _all_files(parts: Sequence[MetricsFolder]) -> Iterator[tuple[str, list[str]]]:
    """Yield the place of each file and its lines; nothing is written before all names are known to be good."""
    seen: set[str] = set()
    # Documents of segments come last, so that they replace those of a part that knows only documents.
    for part in sorted(parts, key=lambda each: each.level == "seg"):
        for place, lines in _files(part):
            if place in seen and not place.startswith("documents/"):
                raise BetterThanError(
                    f"{place} would be written twice. Give each level of a language pair once."
                )
            seen.add(place)
            yield place, lines


def _files(part: MetricsFolder) -> Iterator[tuple[str, list[str]]]:
    pair = _safe(part.language_pair, "language pair")
    documents = _documents(part)
    if documents:
        yield f"documents/{pair}.docs", documents
    for name, table in part.human.items():
        yield f"human-scores/{pair}.{_safe(name, 'human score')}.{part.level}.score", _lines(table, part)
    for name, table in part.metrics.items():
        yield f"metric-scores/{pair}/{_safe(name, 'metric')}.{part.level}.score", _lines(table, part)


def _documents(part: MetricsFolder) -> list[str]:
    names = part.segments if part.level == "doc" else part.groups
    if part.level not in ("seg", "doc") or names is None:
        return []
    domains = part.domains or (_DOMAIN,) * len(names)
    return [
        f"{_word(domain, 'domain')} {_word(name, 'document')}"
        for domain, name in zip(domains, names, strict=True)
    ]


def _lines(table: Scores, part: MetricsFolder) -> list[str]:
    """Return the lines of a score file, system by system in the order of the segments."""
    _check_segments(table, part)
    place = {name: j for j, name in enumerate(table.segments)}
    columns = [place.get(name) for name in part.segments]
    # Adding a missing column at the end lets a segment that the table lacks be taken from there.
    values = np.column_stack([table.values, np.full(table.n_systems, np.nan)])
    taken = values[:, [-1 if column is None else column for column in columns]].tolist()
    starts = [f"{_word(name, 'domain')} " for name in part.segments] if part.level == "domain" else None
    return [
        f"{starts[j] if starts else ''}{_word(system, 'system')}\t{_number(value)}"
        for system, row in zip(table.systems, taken, strict=True)
        for j, value in enumerate(row)
    ]


def _check_segments(table: Scores, part: MetricsFolder) -> None:
    unknown = set(table.segments) - set(part.segments)
    if unknown:
        raise BetterThanError(
            f'"{table.name}" has a score for {min(unknown)}, which is none of the {len(part.segments):,} '
            f"segments of {part.language_pair}. Select the segments first."
        )


def _number(value: float) -> str:
    return "None" if value != value else repr(value)  # noqa: PLR0124  (a missing number differs from itself)


def _word(name: str, what: str) -> str:
    """Return a name that stands in a field between white space."""
    if not name or name.split() != [name]:
        raise BetterThanError(
            f'The {what} "{name}" contains white space, which separates the fields of this layout. Rename it.'
        )
    return name


def _safe(name: str, what: str) -> str:
    """Return a name that can be part of a file's name."""
    if not name or name.startswith(".") or {"/", "\\", "\0"} & set(name):
        raise BetterThanError(f'The {what} "{name}" cannot be part of the name of a file. Rename it.')
    return name


def metrics_folder_of(
    name: str,
    language_pair: str,
    *,
    metrics: Mapping[str, Scores],
    human: Mapping[str, Scores] | None = None,
    segments: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    domains: Sequence[str] | None = None,
) -> MetricsFolder:
    """Put tables of scores together, ready to be written.

    Parameters
    ----------
    name, language_pair : str
    metrics, human : mapping of str to Scores
        Metric names end in the reference used, as in "BLEU-refA", or in "-src" for none.
    segments, groups, domains : sequence of str, optional
        The order of the segments, their documents and their domains; by default those of the first table.
    """
    tables = [*metrics.values(), *(human or {}).values()]
    if not tables:
        raise BetterThanError("There are no scores to put together. Pass metrics or human scores.")
    systems = dict.fromkeys(system for table in tables for system in table.systems)
    documents = groups if groups is not None else tables[0].groups
    return MetricsFolder(
        name=name,
        language_pair=language_pair,
        segments=tuple(segments if segments is not None else tables[0].segments),
        groups=None if documents is None else tuple(documents),
        domains=None if domains is None else tuple(domains),
        human=dict(human or {}),
        metrics=dict(metrics),
        systems=tuple(systems),
    )
