"""The folder of the metrics task as a format: recognised by its subfolders, read one language pair at a time."""

from __future__ import annotations

from dataclasses import replace

from betterthan.errors import ReadError, some_of, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.doubts.doubts import doubts_of
from betterthan.read.formats.metrics_task.metrics_folder import FolderReading, read_pair
from betterthan.read.formats.metrics_task.metrics_folder_files import Folder, is_metrics_folder, pairs_of
from betterthan.read.grid.where import by_column
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="metrics_folder",
    kind="scores",
    description="a folder of the metrics task: human-scores and metric-scores of a test set",
)


def sniff(source: Source) -> Guess | None:
    """Recognise a folder with human-scores or metric-scores in it."""
    if not source.is_folder or not is_metrics_folder(source.path):
        return None
    pairs = pairs_of(Folder(source.name, source.path))
    said = f"{len(pairs)} language pair{'' if len(pairs) == 1 else 's'}: {some_of(pairs)}"
    return Guess(confidence=0.99, because=f"human-scores or metric-scores in a folder; {said}")


def read(source: Source, options: Options) -> Reading:
    """Read the human and metric scores of one language pair."""
    options, domain = with_conditions(options)
    return _reading(source, [read_pair(Folder(source.name, source.path), options, domain=domain)])


def read_all(source: Source, options: Options) -> Reading:
    """Read every language pair, for a look at the whole: scores are called after their pair, "en-de BLEU-refA"."""
    options, domain = with_conditions(options)
    folder = Folder(source.name, source.path)
    found = [
        read_pair(folder, replace(options, language_pair=pair), domain=domain) for pair in pairs_of(folder)
    ]
    return _reading(source, found, named=True)


_CONDITIONS = {
    "lp": "language_pair",
    "language_pair": "language_pair",
    "level": "level",
    "reference": "reference",
    "gold": "gold",
}


def with_conditions(options: Options) -> tuple[Options, str | None]:
    """Read conditions such as ``lp=en-de`` as what they mean for a folder; the second is the domain, if one is chosen.

    Raises
    ------
    UnknownName
        For a condition that a folder does not know.
    ReadError
        When one of them has two values, or another one than an option of the same meaning (BT167).
    """
    domain = None
    for column, values in by_column(options.where).items():
        if column != "domain" and column not in _CONDITIONS:
            raise unknown_name("condition for a folder", column, [*_CONDITIONS, "domain"])
        if len(values) > 1:
            raise ReadError(f"One {column} can be chosen, not {len(values)}.", code="BT167")
        if column == "domain":
            domain = values[0]
            continue
        name = _CONDITIONS[column]
        if getattr(options, name) not in (None, values[0]):
            raise ReadError(
                Message(
                    "{where} contradicts {other}. Leave one of the two out.",
                    where=Option("where", {column: values[0]}),
                    other=Option(name, getattr(options, name)),
                ),
                code="BT167",
            )
        options = replace(options, **{name: values[0]})  # type: ignore[arg-type]
    return replace(options, where=()), domain


def _reading(source: Source, found: list[FolderReading], *, named: bool = False) -> Reading:
    guess = sniff(source)
    tables: list[Scores] = []
    dropped: dict[str, int] = {}
    for folder, account in found:
        prefix = f"{folder.language_pair} " if named else ""
        held = (*folder.human.values(), *folder.metrics.values())
        tables += [replace(table, name=prefix + table.name) for table in held]
        for reason, count in account.dropped.items():
            dropped[reason] = dropped.get(reason, 0) + count
    rows = sum(account.rows for _, account in found)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tuple(tables),
        rows_read=rows,
        rows_kept=rows - sum(dropped.values()),
        dropped=dropped,
        notes=tuple(note for folder, _ in found for note in folder.notes),
        problems=doubts_of(tables, place=source.name),
    )
