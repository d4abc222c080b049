"""Files of one number a line, such as ``.hter``: true scores and predictions of sentences."""

from __future__ import annotations

import math

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError
from betterthan.read.named_files import NamedSource, Several, open_named
from betterthan.read.numerals import parse
from betterthan.read.source import Given
from betterthan.tables.scores import Scores


def read_sentence_scores(
    gold: Given, predictions: Several, *, name: str = "quality"
) -> tuple[Scores, Scores]:
    r"""Read the true scores of sentences and the predictions of one or more systems, a number a line.

    Parameters
    ----------
    gold : path
    predictions : path, list of paths, or mapping of names to paths
        A system is named by the mapping, by ``"NAME=path"``, or by its file's stem.
    name : str, default "quality"
        What the numbers are.

    Returns
    -------
    gold, predicted : Scores
        Of the same segments. An empty line is a missing score.

    Raises
    ------
    ReadError
        When a line is no number (BT013), or files differ in their number of lines (BT130).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gold, ours = Path(folder, "gold.hter"), Path(folder, "ours.hter")
    ...     _ = gold.write_text("0.1\n0.3\n"), ours.write_text("0.2\n0.2\n")
    ...     truth, predicted = read_sentence_scores(gold, [ours])
    >>> truth.values.tolist(), predicted.systems
    ([[0.1, 0.3]], ('ours',))
    """
    truth = open_named(gold)[0]
    systems = open_named(predictions)
    if not systems:
        raise ReadError(
            "No prediction was given. Pass at least one file.", path=truth.source.name, code="BT134"
        )
    known = _numbers(truth)
    found = [_numbers(named) for named in systems]
    for named, numbers in zip(systems, found, strict=True):
        if numbers.size != known.size:
            raise ReadError(
                f"This file has {numbers.size:,} lines, but {truth.source.name} has {known.size:,}. "
                f"Line k of both must be sentence k.",
                path=named.source.name,
                code="BT130",
            )
    segments = tuple(str(i) for i in range(1, known.size + 1))
    return (
        Scores(name=name, systems=(truth.name,), segments=segments, values=known[None]),
        Scores(name=name, systems=tuple(s.name for s in systems), segments=segments, values=np.stack(found)),
    )


def _numbers(named: NamedSource) -> FloatArray:
    numbers = []
    for line, text in enumerate(named.source.lines(), 1):
        value = parse(text)
        if math.isinf(value):
            shown = text if len(text) <= 40 else text[:40] + "…"
            raise ReadError(
                f'"{shown}" is not a number. Write one number a line, and leave the line empty if it is missing.',
                path=named.source.name,
                line=line,
                code="BT013",
            )
        numbers.append(value)
    return np.array(numbers, dtype=np.float64)
