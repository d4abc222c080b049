"""Plain ``.tags`` files: one sentence a line, OK or BAD for each word, separated by blanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.errors import ReadError
from betterthan.read.named_files import NamedSource, Several, open_named
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source import HEAD_BYTES, Given, Source
from betterthan.read.tag_sides import Side, of_side
from betterthan.tables.tags import WordTags

FORMAT = Format(name="tags", kind="tags", description="OK or BAD for each word, one sentence a line.")

_ALONE = "One file of tags says nothing about a system; read it together with the gold tags: GOLD PREDICTION."
_IS_BAD = {"ok": False, "good": False, "bad": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tags:
    """The tags of one file: True where BAD, the number of tags of each line, and how many said GOOD."""

    name: str
    path: str
    bad: BoolArray
    lengths: IntArray
    n_good: int


def sniff(source: Source) -> Guess | None:
    """Say how sure it is that a file holds tags: by its words, or else by its name."""
    head = source.head if len(source.head) < HEAD_BYTES else source.head.rpartition(b"\n")[0]
    words = head.decode("utf-8-sig", errors="replace").split()
    named = source.suffix.endswith("tags")
    if words and all(word.casefold() in _IS_BAD for word in words):
        confidence = 0.98 if named else 0.9
        return Guess(confidence=confidence, because="every word of the first lines is OK or BAD")
    return Guess(confidence=0.5, because="the name ends in .tags") if named else None


def read(source: Source, options: Options) -> Reading:  # noqa: ARG001  (the protocol's shape; tags have no options)
    """Count what is in one file of tags.

    One file has nothing to be compared with, so there is no table yet; :func:`read_tags` makes one from a
    gold file and at least one prediction.
    """
    tags = _read_file(NamedSource(source.stem, source, is_given=False))
    return Reading(
        format=FORMAT,
        because="every word is OK or BAD",
        tables=(),
        rows_read=tags.lengths.size,
        rows_kept=tags.lengths.size,
        notes=(_summary(tags), *_notes(tags), *_gap_note(tags), _ALONE),
    )


def read_tags(
    gold: Given, predictions: Several, *, mt: Given | None = None, side: Side | None = None
) -> WordTags:
    r"""Read gold tags and the predictions of one or more systems.

    Tags are OK or BAD in either case; GOOD is read as OK, with a note.

    Parameters
    ----------
    gold : path
    predictions : path, list of paths, or mapping of names to paths
        A system is named by the mapping, by ``"NAME=path"``, or by its file's stem.
    mt : path, optional
        The translations, tokens separated by blanks: they tell words from gaps when there are 2N + 1 tags.
    side : {"mt", "gap"}, optional
        Tags of words or of the gaps between them, where both take turns. By default words when `mt` shows that there
        are gaps, else all tags. Tags of source words stand in files of their own, and are read like any other.

    Raises
    ------
    ReadError
        When a word is no tag (BT140), files differ in their number of lines (BT141) or of tags in a line
        (BT142), or two systems have the same name (BT131).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gold, ours = Path(folder, "gold.tags"), Path(folder, "ours.tags")
    ...     _ = gold.write_text("OK BAD\nOK\n"), ours.write_text("OK OK\nBAD\n")
    ...     read_tags(gold, [ours])
    WordTags(1 systems, 2 segments, 3 words, 33.3 % BAD)
    """
    truth = _read_file(open_named(gold)[0])
    systems = [_read_file(named) for named in open_named(predictions)]
    if not systems:
        raise ReadError("No prediction was given. Pass at least one file.", path=truth.path, code="BT134")
    for system in systems:
        _check_parallel(truth, system)
    table = WordTags(
        systems=tuple(system.name for system in systems),
        segments=tuple(str(i) for i in range(1, truth.lengths.size + 1)),
        gold=truth.bad,
        predicted=np.stack([system.bad for system in systems]),
        offsets=np.concatenate([[0], np.cumsum(truth.lengths)]),
        notes=tuple(note for tags in [truth, *systems] for note in _notes(tags)),
    )
    return of_side(table, mt=mt, side=side)


def _read_file(named: NamedSource) -> _Tags:
    bad: list[bool] = []
    lengths: list[int] = []
    n_good = 0
    for number, line in enumerate(named.source.lines(), 1):
        # Blanks and tabs only: a word with U+2028 inside is no tag.
        words = [word for word in line.replace("\t", " ").split(" ") if word]
        for position, word in enumerate(words, 1):
            if word.casefold() not in _IS_BAD:
                raise _not_a_tag(named.source, number, position, word)
            bad.append(_IS_BAD[word.casefold()])
            n_good += word.casefold() == "good"
        lengths.append(len(words))
    return _Tags(
        name=named.name,
        path=named.source.name,
        bad=np.array(bad, dtype=np.bool_),
        lengths=np.array(lengths, dtype=np.int64),
        n_good=n_good,
    )


def _not_a_tag(source: Source, number: int, position: int, word: str) -> ReadError:
    shown = word if len(word) <= 40 else word[:40] + "…"
    return ReadError(
        f'Word {position} is "{shown}", but every word must be OK or BAD. '
        f"Write one sentence a line and one tag a word.",
        path=source.name,
        line=number,
        code="BT140",
    )


def _check_parallel(gold: _Tags, system: _Tags) -> None:
    if gold.lengths.size != system.lengths.size:
        raise ReadError(
            f"This file has {system.lengths.size:,} lines, but {gold.path} has {gold.lengths.size:,}. "
            f"Line k of both must be sentence k.",
            path=system.path,
            code="BT141",
        )
    different = np.flatnonzero(gold.lengths != system.lengths)
    if different.size:
        line = int(different[0])
        theirs, ours = int(gold.lengths[line]), int(system.lengths[line])
        raise ReadError(
            f"This line has {ours} tags, but the same line of {gold.path} has {theirs}. {_cure(theirs, ours)}",
            path=system.path,
            line=line + 1,
            code="BT142",
        )


def _cure(one: int, other: int) -> str:
    if max(one, other) == 2 * min(one, other) + 1:
        return "The longer one seems to have gap tags (2N + 1); keep every second tag."
    return "Tag the same words in both."


def _notes(tags: _Tags) -> list[str]:
    notes = []
    if tags.n_good:
        notes.append(f"{tags.path}: GOOD was read as OK ({tags.n_good:,} times).")
    empty = int((tags.lengths == 0).sum())
    if empty:
        notes.append(f"{tags.path}: lines without a tag, kept as empty sentences: {empty:,}.")
    return notes


def _summary(tags: _Tags) -> str:
    share = 100 * tags.bad.mean() if tags.bad.size else float("nan")
    return f"Sentences: {tags.lengths.size:,}; tags: {tags.bad.size:,}; BAD: {share:.1f} %."


def _gap_note(tags: _Tags) -> Sequence[str]:
    if tags.lengths.size < 5 or not (tags.lengths % 2 == 1).all():
        return ()
    return ("Every line has an odd number of tags, so gap tags (2N + 1) may be among them.",)
