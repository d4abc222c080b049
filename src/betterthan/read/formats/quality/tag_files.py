"""Plain ``.tags`` files, one sentence per line, OK or BAD for each word; and tags of every layout matched.

The tokens show which tags belong to words and which to the gaps between them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import BetterThanError, ReadError, some_of, unknown_name
from betterthan.messages import Message, Option, joined
from betterthan.read.formats.quality.quality_rows import of_pair, refuse_same_names
from betterthan.read.formats.quality.tag_labels import (
    ALONE,
    IS_BAD,
    Labelling,
    Labellings,
    matched,
    split_words,
)
from betterthan.read.formats.quality.tag_tables import TAG_TABLES
from betterthan.read.grid.selection import by_column
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Reading, reason
from betterthan.read.source.paths import (
    NamedSource,
    Several,
    files_in,
    folders_in,
    open_named,
    open_one,
    ordinary_file,
)
from betterthan.read.source.source import HEAD_BYTES, FileLike, Source, open_source
from betterthan.tables.tags import WordTags

Side = Literal["mt", "gap", "source"]
_GAPS = Message(
    "Gap tags are present (2N + 1); words and gaps are scored separately, gaps with {gap}.",
    severity="info",
    gap=Option("side", "gap"),
)
_END = (
    "Each sentence has one tag more than tokens, which is read as its end (<EOS>) and scored with the words."
)
# Files with these suffixes may accompany a file of tags; folders of the shared task have the last.
_BESIDE = {".tags": (".mt",), ".source_tags": (".src",), ".src_tags": (".src",)}
_TOKENS = "mt_tok.txt"


class Tokens(NamedTuple):
    """The number of tokens in each line of a file."""

    lengths: IntArray
    path: str


def of_side(tags: WordTags, *, tokens: Tokens | None, side: Side | None) -> WordTags:
    """Return the tags of one side: words or gaps.

    Parameters
    ----------
    tags : WordTags
    tokens : Tokens, optional
        Tokens of the translations. They show whether N words have N tags, or 2N + 1 with gaps, or N + 1 with one for
        the end of the sentence.
    side : {"mt", "gap"}, optional
        By default words when `tokens` show that there are gap tags, and otherwise all tags. Tags of the source
        ("source") are in separate files.

    Raises
    ------
    ReadError
        When the numbers of lines (BT141) or of tags (BT142) do not match.

    Examples
    --------
    >>> tags = WordTags(systems=["A"], segments=["1"], gold=[False, True, False], predicted=[[False] * 3],
    ...                 offsets=[0, 3])
    >>> of_side(tags, tokens=None, side="mt").n_words
    1
    """
    if side == "source":
        return tags
    if tokens is None:
        return tags if side is None else tags.side(side)
    lengths, path = tokens
    n_tags = np.diff(tags.offsets)
    if lengths.size != n_tags.size:
        raise ReadError(
            f"This file has {lengths.size:,} lines, but there are {n_tags.size:,} lines of tags. "
            f"Line k of both must be sentence k.",
            path=path,
            code="BT141",
        )
    fit = _fit(n_tags, lengths)
    if fit == "gaps":
        chosen = tags.side("mt" if side is None else side)
        return chosen if side is not None else replace(chosen, notes=(*chosen.notes, _GAPS))
    if fit is None:
        raise _no_fit(n_tags, lengths, path)
    if side == "gap":
        raise BetterThanError(
            Message(
                "There are no gap tags: every word of {path} has one tag. Leave out {gap}.",
                path=path,
                gap=Option("side", "gap"),
            )
        )
    return replace(tags, notes=(*tags.notes, *([_END] if fit == "end" else [])))


def tokens_of(mt: FileLike) -> Tokens:
    """Count the tokens of a file, one sentence per line."""
    return _counted(open_named(mt)[0].source)


def tokens_beside(source: Source, lengths: IntArray) -> tuple[Tokens | None, tuple[str, ...]]:
    """Look for the translations in the folder of a file of tags, and return notes on them.

    They are used only if the numbers of tags match.
    """
    for path in _side_beside(Path(source.name)):
        if not path.is_file():
            continue
        try:
            tokens = _counted(open_source(ordinary_file(path, path.parent)))._replace(path=str(path))
        except ReadError:
            continue
        if tokens.lengths.size == lengths.size and (fit := _fit(lengths, tokens.lengths)):
            return tokens, (f"{path}: {_SHOWN[fit]}",)
        return None, (f"{path} is in the same folder, but does not match the tags, and was not used.",)
    return None, ()


_SHOWN = {
    "words": "every token has a tag, so there are no gap tags.",
    "end": "every token has a tag, and so has the end of each sentence.",
    "gaps": "N tokens have 2N + 1 tags, so words and gaps alternate.",
}


def _side_beside(tags: Path) -> list[Path]:
    name = tags.name.removesuffix(".gz")
    suffix = Path(name).suffix
    near = [name.removesuffix(suffix) + other for other in _BESIDE.get(suffix, ())]
    near += [_TOKENS] if suffix == ".tags" else []
    return [tags.with_name(one + end) for one in near for end in ("", ".gz")]


def _counted(source: Source) -> Tokens:
    lengths = [len(split_words(line)) for line in source.lines()]
    return Tokens(np.array(lengths, dtype=np.int64), source.name)


def _fit(n_tags: IntArray, lengths: IntArray) -> Literal["words", "end", "gaps"] | None:
    """Return how the numbers of tags relate to the numbers of tokens, in every line."""
    # Gaps first: a line without tokens has one tag then, and one for its end otherwise.
    if (n_tags == 2 * lengths + 1).all():
        return "gaps"
    if (n_tags == lengths).all():
        return "words"
    return "end" if (n_tags == lengths + 1).all() else None


def _no_fit(n_tags: IntArray, lengths: IntArray, path: str) -> ReadError:
    # The line that deviates from the majority is the one to report.
    counts = (lengths, lengths + 1, 2 * lengths + 1)
    most = max(counts, key=lambda count: np.count_nonzero(n_tags == count))
    line = int(np.flatnonzero(n_tags != most)[0])
    return ReadError(
        f"This line has {lengths[line]} tokens, but {n_tags[line]} tags; N tokens need N tags, 2N + 1 with gaps, or "
        f"N + 1 with the end. Tag the tokens of this file.",
        path=path,
        line=line + 1,
        code="BT142",
    )


_FILE = Format(name="tags", kind="tags", description="OK or BAD for each word, one sentence per line.")

_SIDES = ("mt", "gap", "source")


def sniff_file(source: Source) -> Guess | None:
    """Return the confidence that a file holds tags: by its words, or else by its name."""
    if source.is_folder:
        return None
    head = source.head if len(source.head) < HEAD_BYTES else source.head.rpartition(b"\n")[0]
    words = head.decode("utf-8-sig", errors="replace").split()
    named = source.suffix.endswith("tags")
    if words and all(word.casefold() in IS_BAD for word in words):
        confidence = 0.98 if named else 0.9
        return Guess(confidence=confidence, because="every word of the first lines is OK or BAD")
    return Guess(confidence=0.5, because="the name ends in .tags") if named else None


def read_file(source: Source, options: Options) -> Reading:  # noqa: ARG001  (the protocol's shape; tags have no options)
    """Count what is in one file of tags.

    A single file cannot be compared with anything, so there is no table yet; :func:`read_tags` makes one from a gold
    file and at least one prediction. Translations in the same folder show whether there are gap tags.
    """
    held = labellings(source)
    (tags,) = held.parts
    tokens, beside = tokens_beside(source, tags.lengths)
    gaps = () if tokens is not None else _gap_note(tags)
    return Reading(
        format=_FILE,
        because="every word is OK or BAD",
        tables=(),
        rows_read=held.rows_read,
        rows_kept=held.rows_read,
        notes=(tags.summary, *held.notes, *beside, *gaps, ALONE),
    )


def read_tags(
    gold: FileLike,
    predictions: Several,
    *,
    mt: FileLike | None = None,
    side: Side | None = None,
    language_pair: str | None = None,
) -> WordTags:
    r"""Read gold tags and the predictions of one or more systems.

    Tags are OK or BAD, case ignored; GOOD is read as OK, with a note. Layouts may differ from file to file: one
    sentence per line, one row per word (submissions of WMT20 to WMT23), one row per sentence (``lp name sid mt mttok
    tags``), or error spans (``lp name sid mt start_id end_id error``), whose characters are tagged, or the words they
    touch where the gold file tags words. Sentences are paired by their ids, and words are compared after lowercasing.

    Parameters
    ----------
    gold : path
    predictions : path, list of paths, or mapping of names to paths
        A system is named by the mapping, by ``"NAME=path"``, by the file's own column, or by the file's stem.
    mt : path, optional
        The translations, tokens separated by blanks: they distinguish words from gaps when there are 2N + 1 tags. By
        default the file next to the gold file is used (``test.mt`` for ``test.tags``).
    side : {"mt", "gap", "source"}, optional
        Tags of words, of the gaps between them, or of source words. By default words when `mt` shows that there are
        gaps, else all tags; of files that name the type of each tag, those of the translation if there are any.
    language_pair : str, optional
        The language pair to read where the files share several.

    Raises
    ------
    ReadError
        When a word is not a tag (BT140), files differ in their number of lines (BT141) or of tags in a line
        (BT142) or in words (BT302), or two systems have the same name (BT131); other codes as
        :mod:`betterthan.read.problems` explains them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gold, ours = Path(folder, "gold.tags"), Path(folder, "ours.tags")
    ...     _ = gold.write_text("OK BAD\nOK\n"), ours.write_text("OK OK\nBAD\n")
    ...     read_tags(gold, [ours])
    WordTags(1 systems, 2 segments, 3 words, 33.3% BAD)
    """
    if side is not None and side not in _SIDES:
        raise unknown_name("side", side, _SIDES)
    truth = open_one(gold)
    systems = open_named(predictions)
    if not systems:
        raise ReadError(
            "No prediction was given. Pass at least one file.", path=truth.source.name, code="BT134"
        )
    held = [held_by(named, side) for named in (truth, *systems)]
    tokens = tokens_of(mt) if mt is not None else _beside(held[0], truth.source)
    if tokens is not None or side is not None:
        held = [_of_side(one, tokens, side) for one in held]
    labellings_of = [part.parts for part in held]
    one, others = of_pair(labellings_of[0], labellings_of[1:], language_pair, path=truth.source.name)
    refuse_same_names(others)
    return matched(one, others, notes=[note for part in held for note in part.notes])


def held_by(named: NamedSource, side: str | None = None) -> Labellings:
    """Return the contents of a file of any layout of tags; a name given by the user takes precedence."""
    layout = next((table for table in TAG_TABLES if table.sniff(named.source)), None)
    if layout is None:
        held = labellings(named.source)
        return replace(held, parts=(replace(held.parts[0], name=named.name),))
    layout_labellings = layout.labellings(named.source, side)
    if named.is_explicit and len({one.name for one in layout_labellings.parts}) == 1:
        return replace(
            layout_labellings, parts=tuple(replace(one, name=named.name) for one in layout_labellings.parts)
        )
    return layout_labellings


def labellings(source: Source) -> Labellings:
    """Return the tags of a file of one sentence per line.

    Raises
    ------
    ReadError
        When a word is not a tag (BT140).
    """
    bad: list[bool] = []
    lengths: list[int] = []
    n_good = 0
    for number, line in enumerate(source.lines(), 1):
        words = split_words(line)
        for position, word in enumerate(words, 1):
            tag = IS_BAD.get(word.casefold())
            if tag is None:
                raise _not_a_tag(source, number, position, word)
            bad.append(tag)
            n_good += word.casefold() == "good"
        lengths.append(len(words))
    tags = Labelling(
        name=source.stem,
        path=source.name,
        pair="",
        unit="word",
        bad=np.array(bad, dtype=np.bool_),
        lengths=np.array(lengths, dtype=np.int64),
    )
    return Labellings(parts=(tags,), rows_read=len(lengths), notes=_notes(tags, n_good))


def _not_a_tag(source: Source, number: int, position: int, word: str) -> ReadError:
    shown = word if len(word) <= 40 else word[:40] + "…"
    return source.error(
        f'Word {position} is "{shown}", but every word must be OK or BAD. '
        f"Write one sentence per line and one tag per word.",
        line=number,
        code="BT140",
    )


def _beside(gold: Labellings, source: Source) -> Tokens | None:
    """Return the translations in the folder of a gold file of one sentence per line."""
    plain = [one for one in gold.parts if one.ids is None]
    return tokens_beside(source, plain[0].lengths)[0] if plain else None


def _of_side(held: Labellings, tokens: Tokens | None, side: Side | None) -> Labellings:
    """Return the labelings restricted to one side, where only the number of tags distinguishes the sides."""
    chosen_parts, notes = [], list(held.notes)
    for one in held.parts:
        if one.ids is not None or not one.n_sentences:
            chosen_parts.append(one)
            continue
        table = WordTags(
            systems=("tags",),
            segments=tuple(str(i) for i in range(1, one.n_sentences + 1)),
            gold=one.bad,
            predicted=one.bad[None],
            offsets=np.concatenate([[0], np.cumsum(one.lengths)]),
        )
        chosen = of_side(table, tokens=tokens, side=side)
        notes += chosen.notes
        unit = "gap" if side == "gap" else one.unit
        chosen_parts.append(replace(one, bad=chosen.gold, lengths=np.diff(chosen.offsets), unit=unit))
    return replace(held, parts=tuple(chosen_parts), notes=tuple(notes))


def _notes(tags: Labelling, n_good: int) -> tuple[str, ...]:
    notes = []
    if n_good:
        notes.append(f"{tags.path}: GOOD was read as OK ({n_good:,} times).")
    empty = int((tags.lengths == 0).sum())
    if empty:
        notes.append(f"{tags.path}: lines without a tag, kept as empty sentences: {empty:,}.")
    return tuple(notes)


def _gap_note(tags: Labelling) -> Sequence[str]:
    if tags.lengths.size < 5 or not (tags.lengths % 2 == 1).all():
        return ()
    return ("Every line has an odd number of tags, so gap tags (2N + 1) may be among them.",)


_FOLDER = Format(
    name="tag_folder",
    kind="tags",
    description="a folder with gold.tags and the tags of systems, or with such a folder for each language pair",
)
_ENDS = (".tags", ".tags.gz")
_GOLD = tuple(f"gold{end}" for end in _ENDS)
_SYSTEMS = "sys"


class _PairFiles(NamedTuple):
    """The files of one language pair: gold labels, if available, and systems."""

    name: str
    gold: Path | None
    systems: tuple[Path, ...]


def sniff_folder(source: Source) -> Guess | None:
    """Recognize a folder with files of tags, or with folders that have gold.tags."""
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


def read_folder(source: Source, options: Options) -> Reading:
    """Read every language pair into a table of its own; where there are several, segments are called ``en-de:1``."""
    found = _parts(source)
    if not found:
        raise source.error("No file in this folder ends in .tags.", code="BT011")
    parts = _chosen(found, options, source)
    tables: list[WordTags] = []
    notes: list[str] = []
    n_rows = 0
    for part in parts:
        if part.gold is None or not part.systems:
            n_rows += _without_table(part, source, notes)
            continue
        table = _table(part, source)
        n_rows += len(table.segments) * (1 + len(table.systems))
        notes.append(_summary(part, table))
        tables.append(table)
    guess = sniff_folder(source)
    return Reading(
        format=_FOLDER,
        because=reason(guess),
        tables=tuple(tables),
        rows_read=n_rows,
        rows_kept=n_rows,
        notes=tuple(notes),
    )


def _parts(source: Source) -> list[_PairFiles]:
    """Return the folder itself if it has tags, else those of its folders that have gold labels."""
    here = _part(source.path, "")
    if here is not None:
        return [here]
    parts = [_part(folder, folder.name) for folder in folders_in(source.path)]
    return [part for part in parts if part is not None and part.gold is not None]


def _part(folder: Path, name: str) -> _PairFiles | None:
    files = [path for path in files_in(folder) if path.name.endswith(_ENDS)]
    gold = next((path for path in files if path.name in _GOLD), None)
    systems = [path for path in files if path != gold]
    systems += [path for path in files_in(folder / _SYSTEMS) if path.name.endswith(_ENDS)] if gold else []
    return _PairFiles(name, gold, tuple(systems)) if files else None


def _chosen(parts: list[_PairFiles], options: Options, source: Source) -> list[_PairFiles]:
    pair = options.language_pair
    for column, values in by_column(options.where).items():
        if column not in ("lp", "language_pair"):
            raise unknown_name("condition for a folder", column, ("lp",))
        pair = values[0]
    if pair is None:
        return parts
    chosen = [part for part in parts if part.name == pair]
    if not chosen:
        names = [part.name for part in parts if part.name]
        raise source.error(
            f'There is no language pair "{pair}" in this folder'
            f"{f', but {some_of(names)}' if names else ''}. Choose one of these.",
            code="BT307",
        )
    return [chosen[0]._replace(name="")]


def _table(part: _PairFiles, source: Source) -> WordTags:
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


def _summary(part: _PairFiles, table: WordTags) -> str:
    name = f"{part.name}: " if part.name else ""
    size = f"{len(table.segments):,} sentences, {table.n_words:,} tags"
    return joined([f"{name}{len(table.systems)} systems ({some_of(table.systems)}), {size}.", *table.notes])


def _without_table(part: _PairFiles, source: Source, notes: list[str]) -> int:
    """Count the sentences of files that cannot be compared."""
    n_rows = 0
    for path in (part.gold, *part.systems):
        if path is not None:
            reading = read_file(replace(open_source(path), name=_opened(path, source)), Options())
            n_rows += reading.rows_read
            notes.append(joined([f"{path.name}:", reading.notes[0]]))
    notes.append(ALONE)
    return n_rows


FILE = FormatReader(_FILE, sniff_file, read_file)
FOLDER = FormatReader(_FOLDER, sniff_folder, read_folder)
"""A folder of the word-level task: ``gold.tags``, systems in ``sys/`` or in the same folder, one folder per language
pair.

::

    en-de/gold.tags      en-de/mt_tok.txt      en-de/sys/TEAM.tags

Each file may be compressed (``.gz``). The folder may be that of one language pair, one that holds several, or one
with systems only.
"""
