"""Word and character error rates as counts: hits, substitutions, deletions and insertions of every segment."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from concurrent.futures import Executor
from functools import cache as remembered
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import TableError, some_of, unknown_name
from betterthan.kernels.text.alignments import EDITS, edit_counts
from betterthan.kernels.text.error_rates import (
    error_rate,
    error_rate_of_one,
    information_lost,
    information_lost_of_one,
    match_error_rate,
    match_error_rate_of_one,
)
from betterthan.messages import Message, Option, method_note
from betterthan.scoring.extraction import Extraction, Part, extract
from betterthan.scoring.signatures import counts_of, own_signature
from betterthan.scoring.texts import Missing, Outputs, Parallel, References, parallel
from betterthan.scoring.tokens import has_no_spaces, word_numbers
from betterthan.tables.counts import Counts, Formula

_Rate = Callable[[FloatArray], FloatArray]
_RATES: dict[str, tuple[_Rate, _Rate]] = {
    "wer": (error_rate, error_rate_of_one),
    "cer": (error_rate, error_rate_of_one),
    "mer": (match_error_rate, match_error_rate_of_one),
    "wil": (information_lost, information_lost_of_one),
}
ERROR_METRICS = tuple(_RATES)
"""Names of the metrics of edits."""


class ErrorOptions(NamedTuple):
    """Options of the edits: what they count, and what is done to texts before."""

    characters: bool
    lowercase: bool
    no_punct: bool


def error_counts(
    outputs: Outputs,
    references: References = None,
    *,
    metric: str = "wer",
    lowercase: bool = False,
    no_punct: bool = False,
    missing: Missing = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Count the edits between references and outputs; :func:`betterthan.score` describes the options.

    Examples
    --------
    >>> counts = error_counts({"A": ["a x c", "yes"]}, ["a b c d", "yes"])
    >>> counts.values.tolist(), counts.pooled().tolist()
    ([[[2.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]]], [0.4])
    """
    if metric not in ERROR_METRICS:
        raise unknown_name("metric of edits", metric, ERROR_METRICS)
    texts = parallel(outputs, references, missing=missing)
    if len(texts.references) > 1:
        raise TableError(
            f"There are {len(texts.references)} references, but {metric.upper()} compares with one. Pass one of them."
        )
    options = ErrorOptions(metric == "cer", bool(lowercase), bool(no_punct))
    extraction = Extraction(name=f"edits ({metric.upper()})", counter=error_statistics, options=options)
    values = extract(texts, extraction, workers=workers, executor=executor, cache=cache, progress=progress)
    signature = {
        "tok": "characters" if options.characters else "spaces",
        "case": "lc" if lowercase else "mixed",
        "punct": "no" if no_punct else "yes",
    }
    pooled, segment = _RATES[metric]
    formula = Formula(
        name=own_signature(metric.upper(), **signature),
        pooled=pooled,
        segment=segment,
        limits=(0.0, np.inf) if pooled is error_rate else (0.0, 1.0),
    )
    notes = _notes(texts, values, options, formula)
    return counts_of(texts, values, formula, columns=EDITS, notes=notes, higher_is_better=False)


def error_statistics(part: Part, options: ErrorOptions) -> FloatArray:
    """Return hits, substitutions, deletions and insertions of some segments, shape (m, segments, 4).

    Examples
    --------
    >>> error_statistics(Part((("a b",),), (("A  b.",),)), ErrorOptions(False, True, True))
    array([[[2., 0., 0., 0.]]])
    """
    n_systems, n_segments = len(part.outputs), len(part.outputs[0])
    lines = [line or "" for lists in (*part.outputs, *part.references) for line in lists]
    split = word_numbers([_symbols(line, options) for line in lines])
    ours, theirs = split.split(n_systems * n_segments)
    # Every system is aligned with the same references.
    repeated = type(theirs).of(
        np.tile(theirs.symbols, n_systems), np.tile(theirs.lengths, n_systems).tolist()
    )
    return edit_counts(ours, repeated).reshape(n_systems, n_segments, 4).astype(np.float64)


def _symbols(line: str, options: ErrorOptions) -> list[str]:
    if options.lowercase:
        line = line.lower()
    if options.no_punct:
        line = "".join([letter for letter in line if not _is_punctuation(letter)])
    return list(line.strip()) if options.characters else line.split()


@remembered
def _is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter).startswith("P")


def _notes(texts: Parallel, values: FloatArray, options: ErrorOptions, formula: Formula) -> list[str]:
    notes: list[str] = [method_note("Signature: {formula}.", formula=formula.name)]
    unit = "characters" if options.characters else "words"
    empty = np.flatnonzero(values[0, :, :3].sum(axis=1) == 0)
    if len(empty) == len(texts.segments):
        notes.append(f"The references have no {unit}, so the rate is undefined.")
    elif len(empty):
        places = some_of([texts.segments[i] for i in empty])
        notes.append(
            f"The references of {len(empty):,} segments have no {unit} ({places}): what the outputs have there "
            f"counts as insertions."
        )
    if not options.characters and has_no_spaces("".join(x for x in texts.references[0] if x)):
        notes.append(
            Message(
                "The references are Chinese or Japanese, where whole sentences count as words. Use {cer}.",
                cer=Option("metric", "cer"),
            )
        )
    return notes
