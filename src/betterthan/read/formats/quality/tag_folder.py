"""A folder of the word-level task: ``gold.tags``, systems in ``sys/`` or beside it, one folder a language pair.

::

    en-de/gold.tags      en-de/mt_tok.txt      en-de/sys/TEAM.tags

Each file may be compressed (``.gz``). The folder may be that of one language pair, one that holds several, or one
with systems only.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from betterthan.errors import ReadError, some_of, unknown_name
from betterthan.messages import joined
from betterthan.read.formats.quality.tag_files import read as read_alone
from betterthan.read.formats.quality.tag_files import read_tags
from betterthan.read.formats.quality.tag_match import ALONE
from betterthan.read.grid.where import by_column
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.folders import files_in, folders_in, ordinary_file
from betterthan.read.source.source import Source, open_source
from betterthan.tables.tags import WordTags

FORMAT = Format(
    name="tag_folder",
    kind="tags",
    description="a folder with gold.tags and the tags of systems, or with such a folder for each language pair",
)
_ENDS = (".tags", ".tags.gz")
_GOLD = tuple(f"gold{end}" for end in _ENDS)
_SYSTEMS = "sys"


class _Part(NamedTuple):
    """The files of one language pair: the truth, if it is there, and the systems."""

    name: str
    gold: Path | None
    systems: tuple[Path, ...]


def sniff(source: Source) -> Guess | None:
    """Recognise a folder with files of tags, or with folders that have gold.tags."""
    if not source.is_folder:
        return None
    parts = _parts(source)
    if not parts:
        return None
    n_systems = sum(len(part.systems) for part in parts)
    systems = f"{n_systems} file{'' if n_systems == 1 else 's'} of systems"
    if parts[0].name:
        return Guess(
            confidence=0.97,
            because=f"{len(parts)} folders with gold.tags and {systems}: {some_of([p.name for p in parts])}",
        )
    what = "gold.tags and " if parts[0].gold else "no gold.tags, but "
    return Guess(confidence=0.97 if parts[0].gold else 0.92, because=f"a folder with {what}{systems}")


def read(source: Source, options: Options) -> Reading:
    """Read every language pair into a table of its own; where there are several, segments are called ``en-de:1``."""
    parts = _chosen(_parts(source), options, source)
    tables: list[WordTags] = []
    notes: list[str] = []
    n_rows = 0
    for part in parts:
        if part.gold is None or not part.systems:
            n_rows += _counted(part, source, notes)
            continue
        table = _table(part, source)
        n_rows += len(table.segments) * (1 + len(table.systems))
        notes.append(_said(part, table))
        tables.append(table)
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tuple(tables),
        rows_read=n_rows,
        rows_kept=n_rows,
        notes=tuple(notes),
    )


def _parts(source: Source) -> list[_Part]:
    """Return the folder itself if it has tags, else those of its folders that have the truth."""
    here = _part(source.path, "")
    if here is not None:
        return [here]
    found = [_part(folder, folder.name) for folder in folders_in(source.path)]
    return [part for part in found if part is not None and part.gold is not None]


def _part(folder: Path, name: str) -> _Part | None:
    files = [path for path in files_in(folder) if path.name.endswith(_ENDS)]
    gold = next((path for path in files if path.name in _GOLD), None)
    systems = [path for path in files if path != gold]
    systems += [path for path in files_in(folder / _SYSTEMS) if path.name.endswith(_ENDS)] if gold else []
    return _Part(name, gold, tuple(systems)) if files else None


def _chosen(parts: list[_Part], options: Options, source: Source) -> list[_Part]:
    wanted = options.language_pair
    for column, values in by_column(options.where).items():
        if column not in ("lp", "language_pair"):
            raise unknown_name("condition for a folder", column, ("lp",))
        wanted = values[0]
    if wanted is None:
        return parts
    chosen = [part for part in parts if part.name == wanted]
    if not chosen:
        names = [part.name for part in parts if part.name]
        raise ReadError(
            f'There is no language pair "{wanted}" in this folder'
            f"{f', but {some_of(names)}' if names else ''}. Choose one of these.",
            path=source.name,
            code="BT307",
        )
    return [chosen[0]._replace(name="")]


def _table(part: _Part, source: Source) -> WordTags:
    paths = [path for path in (part.gold, *part.systems) if path is not None]
    gold, *systems = (Path(_opened(path, source)) for path in paths)
    table = read_tags(gold, systems)
    if not part.name:
        return table
    # Sentence 1 of one language pair is not sentence 1 of another.
    return replace(table, segments=tuple(f"{part.name}:{segment}" for segment in table.segments))


def _opened(path: Path, source: Source) -> str:
    ordinary_file(path, source.path)
    return os.path.join(source.name, path.relative_to(source.path))  # noqa: PTH118  (as the user named the folder)


def _said(part: _Part, table: WordTags) -> str:
    name = f"{part.name}: " if part.name else ""
    size = f"{len(table.segments):,} sentences, {table.n_words:,} tags"
    return joined([f"{name}{len(table.systems)} systems ({some_of(table.systems)}), {size}.", *table.notes])


def _counted(part: _Part, source: Source, notes: list[str]) -> int:
    """Count the sentences of files that cannot be held against each other."""
    n_rows = 0
    for path in (part.gold, *part.systems):
        if path is not None:
            reading = read_alone(replace(open_source(path), name=_opened(path, source)), Options())
            n_rows += reading.rows_read
            notes.append(joined([f"{path.name}:", reading.notes[0]]))
    notes.append(ALONE)
    return n_rows
