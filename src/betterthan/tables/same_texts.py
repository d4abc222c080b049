"""Which outputs of a segment are the same text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import TableError, some_of
from betterthan.tables.texts import Texts


def text_codes(texts: Texts, *, systems: Sequence[str], segments: Sequence[str]) -> IntArray:
    """Return a code for each output, systems × segments: equal codes on a segment are the same text.

    Texts are the same when every character is, including blanks. A missing output, or a system or segment that `texts`
    does not have, matches nothing and gets a negative code.

    Parameters
    ----------
    texts : Texts
    systems, segments : sequence of str
        Rows and columns of the result, in this order.

    Raises
    ------
    TableError
        When fewer than two systems, or no segment, are shared, because the names do not match.

    Examples
    --------
    >>> texts = Texts(systems=["A", "B"], segments=["1", "2"], outputs=[["x", "y"], ["x", None]])
    >>> text_codes(texts, systems=["B", "A", "C"], segments=["1", "2"])
    array([[ 0, -1],
           [ 0,  0],
           [-1, -1]])
    """
    row = {name: i for i, name in enumerate(texts.systems)}
    column = {name: j for j, name in enumerate(texts.segments)}
    _check_shared(row, systems, what="systems", least=2)
    _check_shared(column, segments, what="segments", least=1)
    codes = np.full((len(systems), len(segments)), -1, dtype=np.int64)
    for j, segment in enumerate(segments):
        if segment in column:
            outputs = [texts.outputs[row[name]][column[segment]] if name in row else None for name in systems]
            known: dict[str, int] = {}
            codes[:, j] = [-1 if line is None else known.setdefault(line, len(known)) for line in outputs]
    return codes


def _check_shared(known: dict[str, int], wanted: Sequence[str], *, what: str, least: int) -> None:
    if sum(name in known for name in wanted) < least:
        raise TableError(
            f"The texts and the judgments share fewer than {least} {what}. "
            f"The texts have {some_of(list(known))}; the judgments have {some_of(list(wanted))}."
        )
