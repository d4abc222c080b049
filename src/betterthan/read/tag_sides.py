"""Which tags belong to words and which to the gaps between them, told by the tokens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import BetterThanError, ReadError
from betterthan.read.folders import ordinary_file
from betterthan.read.named_files import open_named
from betterthan.read.source import Given, Source, open_source
from betterthan.read.tag_labels import split_words
from betterthan.tables.tags import WordTags

Side = Literal["mt", "gap", "source"]
_GAPS = 'Gap tags are present (2N + 1); words and gaps are scored separately, gaps with side="gap".'
_END = "Each sentence has one tag more than tokens, taken for its end (<EOS>) and scored with the words."
# The name of the tags' file, less its suffix, has these beside it; the shared task's own folders have the last.
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
        Of the translations. They tell whether N words have N tags, or 2N + 1 with gaps, or N + 1 with one for the
        end of the sentence.
    side : {"mt", "gap"}, optional
        Without it, words are taken when `tokens` show that there are gap tags, and otherwise all tags. Tags of
        the source ("source") stand in files of their own.

    Raises
    ------
    ReadError
        When the numbers of lines (BT141) or of tags (BT142) fit no such count.

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
    found = np.diff(tags.offsets)
    if lengths.size != found.size:
        raise ReadError(
            f"This file has {lengths.size:,} lines, but there are {found.size:,} lines of tags. "
            f"Line k of both must be sentence k.",
            path=path,
            code="BT141",
        )
    fit = _fit(found, lengths)
    if fit == "gaps":
        chosen = tags.side("mt" if side is None else side)
        return chosen if side is not None else replace(chosen, notes=(*chosen.notes, _GAPS))
    if fit is None:
        raise _no_fit(found, lengths, path)
    if side == "gap":
        raise BetterThanError(
            f'There are no gap tags: every word of {path} has one tag. Leave out side="gap".'
        )
    return replace(tags, notes=(*tags.notes, *([_END] if fit == "end" else [])))


def tokens_of(mt: Given) -> Tokens:
    """Count the tokens of a file, a sentence a line."""
    return _counted(open_named(mt)[0].source)


def tokens_beside(source: Source, lengths: IntArray) -> tuple[Tokens | None, tuple[str, ...]]:
    """Look for the translations in the folder of a file of tags, and say what they show.

    They are taken only if the numbers of tags fit, because nobody said that they belong together.
    """
    for path in _beside(Path(source.name)):
        if not path.is_file():
            continue
        try:
            tokens = _counted(open_source(ordinary_file(path, path.parent)))._replace(path=str(path))
        except ReadError:
            continue
        if tokens.lengths.size == lengths.size and (fit := _fit(lengths, tokens.lengths)):
            return tokens, (f"{path}: {_SHOWN[fit]}",)
        return None, (f"{path} is beside it, but does not fit the tags, and was not used.",)
    return None, ()


_SHOWN = {
    "words": "every token has a tag, so there are no gap tags.",
    "end": "every token has a tag, and so has the end of each sentence.",
    "gaps": "N tokens have 2N + 1 tags, so words and gaps take turns.",
}


def _beside(tags: Path) -> list[Path]:
    name = tags.name.removesuffix(".gz")
    suffix = Path(name).suffix
    near = [name.removesuffix(suffix) + other for other in _BESIDE.get(suffix, ())]
    near += [_TOKENS] if suffix == ".tags" else []
    return [tags.with_name(one + end) for one in near for end in ("", ".gz")]


def _counted(source: Source) -> Tokens:
    lengths = [len(split_words(line)) for line in source.lines()]
    return Tokens(np.array(lengths, dtype=np.int64), source.name)


def _fit(found: IntArray, lengths: IntArray) -> Literal["words", "end", "gaps"] | None:
    """Say what the numbers of tags are to the numbers of tokens, in every line."""
    # Gaps first: a line without tokens has one tag then, and one for its end otherwise.
    if (found == 2 * lengths + 1).all():
        return "gaps"
    if (found == lengths).all():
        return "words"
    return "end" if (found == lengths + 1).all() else None


def _no_fit(found: IntArray, lengths: IntArray, path: str) -> ReadError:
    # The line that contradicts the count which most lines keep is the one to look at.
    counts = (lengths, lengths + 1, 2 * lengths + 1)
    most = max(counts, key=lambda count: np.count_nonzero(found == count))
    line = int(np.flatnonzero(found != most)[0])
    return ReadError(
        f"This line has {lengths[line]} tokens, but {found[line]} tags; N tokens need N tags, 2N + 1 with gaps, or "
        f"N + 1 with the end. Tag the tokens of this file.",
        path=path,
        line=line + 1,
        code="BT142",
    )
