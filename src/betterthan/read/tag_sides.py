"""Which tags belong to words and which to the gaps between them, told by the tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import BetterThanError, ReadError
from betterthan.read.named_files import open_named
from betterthan.read.source import Given
from betterthan.tables.tags import WordTags

Side = Literal["mt", "gap"]
_GAPS = 'Gap tags are present (2N + 1); words and gaps are scored separately, gaps with side="gap".'


def of_side(tags: WordTags, *, mt: Given | None, side: Side | None) -> WordTags:
    """Return the tags of one side: words or gaps.

    Parameters
    ----------
    tags : WordTags
    mt : path, optional
        The translations, a sentence a line, tokens separated by blanks. They tell whether N words have N tags, or
        2N + 1 with gaps, or N + 1 with one for the end of the sentence.
    side : {"mt", "gap"}, optional
        Without it, words are taken when `mt` shows that there are gap tags, and otherwise all tags.

    Raises
    ------
    ReadError
        When the numbers of lines (BT141) or of tags (BT142) fit no such count.

    Examples
    --------
    >>> tags = WordTags(systems=["A"], segments=["1"], gold=[False, True, False], predicted=[[False] * 3],
    ...                 offsets=[0, 3])
    >>> of_side(tags, mt=None, side="mt").n_words
    1
    """
    if mt is None:
        return tags if side is None else tags.side(side)
    lengths, path = _tokens(mt)
    found = np.diff(tags.offsets)
    if lengths.size != found.size:
        raise ReadError(
            f"This file has {lengths.size:,} lines, but there are {found.size:,} lines of tags. "
            f"Line k of both must be sentence k.",
            path=path,
            code="BT141",
        )
    if (found == 2 * lengths + 1).all():
        chosen = tags.side("mt" if side is None else side)
        return chosen if side is not None else replace(chosen, notes=(*chosen.notes, _GAPS))
    extra = _check_words(found, lengths, path)
    if side == "gap":
        raise BetterThanError(
            f'There are no gap tags: every word of {path} has one tag. Leave out side="gap".'
        )
    return replace(tags, notes=(*tags.notes, *extra))


def _tokens(mt: Given) -> tuple[IntArray, str]:
    source = open_named(mt)[0].source
    # Blanks and tabs only, as in the files of tags: a no-break space is part of a token.
    lengths = [len([word for word in line.replace("\t", " ").split(" ") if word]) for line in source.lines()]
    return np.array(lengths, dtype=np.int64), source.name


def _check_words(found: IntArray, lengths: IntArray, path: str) -> tuple[str, ...]:
    if (found == lengths).all():
        return ()
    if (found == lengths + 1).all():
        return (
            "Each sentence has one tag more than tokens, taken for its end (<EOS>) and scored with the words.",
        )
    # The line that contradicts the count which most lines keep is the one to look at.
    counts = (lengths, lengths + 1, 2 * lengths + 1)
    most = max(counts, key=lambda count: np.count_nonzero(found == count))
    line = int(np.flatnonzero(found != most)[0])
    raise ReadError(
        f"This line has {lengths[line]} tokens, but {found[line]} tags; N tokens need N tags, 2N + 1 with gaps, or "
        f"N + 1 with the end. Tag the tokens of this file.",
        path=path,
        line=line + 1,
        code="BT142",
    )
