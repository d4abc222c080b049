"""Metrics of single items: ROUGE of summaries, exact match and F1 of answers, word and character error rates.

The error rates are counts: hits, substitutions, deletions and insertions of every segment.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import cache as remembered
from functools import partial
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import TableError, some_of, unknown_name
from betterthan.kernels.text.alignments import EDITS, common_lengths, edit_counts
from betterthan.kernels.text.error_rates import (
    Sentences,
    error_rate,
    error_rate_of_one,
    information_lost,
    information_lost_of_one,
    match_error_rate,
    match_error_rate_of_one,
    union_hits,
)
from betterthan.kernels.text.ngrams import SymbolSequences, ngram_matches, ngram_totals
from betterthan.messages import Message, Option, method_note
from betterthan.scoring.extraction import Extraction, Part, extract
from betterthan.scoring.signatures import counts_of, own_signature
from betterthan.scoring.texts import Missing, Outputs, Parallel, References, parallel
from betterthan.scoring.tokens import has_no_spaces, word_numbers
from betterthan.tables.counts import Counts, Formula

_ROUGE = {"rouge-1": "ROUGE-1", "rouge-2": "ROUGE-2", "rouge-l": "ROUGE-L", "rouge-lsum": "ROUGE-Lsum"}
_PARTS = ("", "-precision", "-recall")
ROUGE_METRICS = tuple(f"{name}{part}" for name in _ROUGE for part in _PARTS)
"""Names of the metrics on summaries."""
ANSWER_METRICS = ("exact-match", "token-f1")
"""Names of the metrics on short answers."""

_ALPHANUMERIC = re.compile("[a-z0-9]+")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MOST_LOST = 0.2


class OverlapOptions(NamedTuple):
    """What is counted, which words, and the part of precision, recall and F-measure."""

    name: str
    part: str


def rouge_counts(
    outputs: Outputs,
    references: References = None,
    *,
    metric: str = "rouge-l",
    missing: Missing = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Score summaries by ROUGE; :func:`betterthan.score` describes the options.

    Examples
    --------
    >>> rouge_counts({"A": ["The cat sat."]}, ["the cat sat down"], metric="rouge-l").pooled().round(4)
    array([0.8571])
    """
    if metric not in ROUGE_METRICS:
        raise unknown_name("metric of summaries", metric, ROUGE_METRICS)
    texts = parallel(outputs, references, missing=missing)
    name = next(name for name in reversed(_ROUGE) if metric.startswith(name))
    options = OverlapOptions(name, metric.removeprefix(name)[1:] or "F")
    signature = {"tok": "a-z0-9", "case": "lc", "stem": "no"}
    shown = _ROUGE[name] + ("" if options.part == "F" else f" {options.part}")
    run = partial(extract, workers=workers, executor=executor, cache=cache, progress=progress)
    counts = _averaged(
        texts, shown, Extraction(name=shown, counter=rouge_statistics, options=options), signature, run
    )
    return counts_of(
        texts, counts[0], counts[1], columns=("score", "items"), notes=[*counts[2], *_rouge_notes(texts, name)]
    )  # fmt: skip


def answer_counts(
    outputs: Outputs,
    references: References = None,
    *,
    metric: str = "exact-match",
    missing: Missing = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Score short answers; :func:`betterthan.score` describes the options.

    Examples
    --------
    >>> answers, references = {"A": ["The Nile.", "in Rome"]}, [["Nile", "Rome"], ["river Nile", "Italy"]]
    >>> answer_counts(answers, references, metric="token-f1").pooled().round(4)
    array([0.8333])
    """
    if metric not in ANSWER_METRICS:
        raise unknown_name("metric of answers", metric, ANSWER_METRICS)
    texts = parallel(outputs, references, missing=missing, are_prose=False)
    shown = {"exact-match": "exact match", "token-f1": "token F1"}[metric]
    extraction = Extraction(name=shown, counter=answer_statistics, options=OverlapOptions(metric, "F"))
    signature = {"norm": "squad", "case": "lc", "punct": "no", "articles": "no"}
    run = partial(extract, workers=workers, executor=executor, cache=cache, progress=progress)
    values, formula, notes = _averaged(texts, shown, extraction, signature, run)
    return counts_of(texts, values, formula, columns=("score", "items"), notes=notes)


def _averaged(
    texts: Parallel,
    name: str,
    extraction: Extraction,
    signature: dict[str, str],
    run: Callable[[Parallel, Extraction], FloatArray],
) -> tuple[FloatArray, Formula, list[str]]:
    """Return the score and a one for every item, the mean as formula, and its signature as a note."""
    settings = {"nrefs": texts.n_references, **signature}
    if texts.n_references != "1":
        settings["refs"] = "best"
    formula = Formula(name=own_signature(name, **settings), pooled=mean_of_items, limits=(0.0, 1.0))
    return run(texts, extraction), formula, [method_note("Signature: {formula}.", formula=formula.name)]


def mean_of_items(sums: FloatArray) -> FloatArray:
    """Sum of the scores by the number of items.

    Examples
    --------
    >>> float(mean_of_items(np.array([3.0, 4.0])))
    0.75
    """
    return np.asarray(sums[..., 0] / sums[..., 1])


def rouge_statistics(part: Part, options: OverlapOptions) -> FloatArray:
    """Return the score and a one for each of some texts, shape (m, segments, 2)."""
    shape = (len(part.outputs), len(part.outputs[0]))
    ours = [line for lines in part.outputs for line in lines]
    found = np.full(
        (len(ours), 2), -1.0
    )  # the F-measure of the best reference so far, and the part that is shown
    for lines in part.references:
        present = [i for i, line in enumerate(lines) if line is not None]
        rows = [s * shape[1] + i for s in range(shape[0]) for i in present]
        theirs = [lines[i] or "" for i in present]
        scores = _rouge([ours[i] for i in rows], theirs, shape[0], options)
        is_better = scores[:, 0] > found[rows, 0]
        found[np.array(rows)[is_better]] = scores[is_better]
    return np.stack([found[:, 1].reshape(shape), np.ones(shape)], axis=-1)


def _rouge(outputs: Sequence[str], references: Sequence[str], m: int, options: OverlapOptions) -> FloatArray:
    """F-measure and the part that is shown, of m systems against the same references: (m × references, 2)."""
    if options.name == "rouge-lsum":
        matches, ours, theirs = _sentence_matches(outputs, references, m)
    else:
        words = word_numbers([_words(line) for line in (*outputs, *references)])
        output, reference = words.split(len(outputs))
        order = 2 if options.name == "rouge-2" else 1
        ours = ngram_totals(output.lengths, order)[:, -1]
        theirs = np.tile(ngram_totals(reference.lengths, order)[:, -1], m)
        repeated = SymbolSequences.of(np.tile(reference.symbols, m), np.tile(reference.lengths, m).tolist())
        if options.name == "rouge-l":
            matches = common_lengths(output, repeated)
        else:
            group = np.arange(len(outputs))
            matches = ngram_matches(output, group, repeated, group, max_order=order)[:, -1]
    return _measures(matches, ours, theirs, options.part)


def _measures(matches: IntArray, ours: IntArray, theirs: IntArray, part: str) -> FloatArray:
    precision, recall = matches / np.maximum(ours, 1), matches / np.maximum(theirs, 1)
    both = precision + recall
    f = np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1.0), 0.0)
    return np.stack([f, {"F": f, "precision": precision, "recall": recall}[part]], axis=-1)


def _sentence_matches(
    outputs: Sequence[str], references: Sequence[str], m: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Matches, words of the outputs and words of the references, by sentences that are lines."""
    ours = [(i, _words(line)) for i, text in enumerate(outputs) for line in text.split("\n") if line]
    theirs = [
        (i, _words(line)) for i, text in enumerate([*references] * m) for line in text.split("\n") if line
    ]
    words = word_numbers([line for _, line in (*ours, *theirs)])
    output, reference = words.split(len(ours))
    of_ours, of_theirs = (np.array([i for i, _ in each], dtype=np.int64) for each in (ours, theirs))
    hits = union_hits(Sentences(output, of_ours), Sentences(reference, of_theirs), len(outputs))
    n_ours = np.bincount(of_ours, weights=output.lengths, minlength=len(outputs))
    n_theirs = np.bincount(of_theirs, weights=reference.lengths, minlength=len(outputs))
    return hits, n_ours.astype(np.int64), n_theirs.astype(np.int64)


def _words(line: str) -> list[str]:
    return _ALPHANUMERIC.findall(line.lower())


def _rouge_notes(texts: Parallel, name: str) -> list[str]:
    notes: list[str] = []
    lines = "".join(line for lines in texts.references for line in lines if line).lower()
    letters = sum(map(str.isalnum, lines))
    lost = letters - sum(map(len, _ALPHANUMERIC.findall(lines)))
    if lost > _MOST_LOST * letters:
        notes.append(
            f"ROUGE keeps only the letters a to z and digits, and so loses {lost / letters:.0%} of the letters of the "
            "references. Do not use it for this language."
        )
    if name == "rouge-lsum" and not any("\n" in line for lines in texts.outputs for line in lines):
        notes.append("Sentences end at line ends, and no output has any: ROUGE-Lsum is ROUGE-L here.")
    return notes


def answer_statistics(part: Part, options: OverlapOptions) -> FloatArray:
    """Return the score and a one for each of some answers, the best over the references: (m, segments, 2)."""
    shape = (len(part.outputs), len(part.outputs[0]))
    values = np.ones((*shape, 2))
    for i in range(shape[1]):
        known = [normalized_answer(lines[i] or "") for lines in part.references if lines[i] is not None]
        gold = list(dict.fromkeys(filter(None, known))) or [""]
        for system, lines in zip(values, part.outputs, strict=True):
            answer = normalized_answer(lines[i])
            is_equal = answer in gold
            system[i, 0] = is_equal or (
                options.name == "token-f1" and max(_shared_words(answer, each) for each in gold)
            )
    return values


def normalized_answer(text: str) -> str:
    """Return an answer in lower case, without ASCII punctuation, articles and repeated blanks.

    Examples
    --------
    >>> normalized_answer("The  Beatles' a-side!")
    'beatles aside'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION)).split())


def _shared_words(answer: str, gold: str) -> float:
    """F1 of the words of two texts, each word as often as both have it."""
    ours, theirs = answer.split(), gold.split()
    rest = list(theirs)
    n_shared = 0
    for word in ours:
        if word in rest:
            rest.remove(word)
            n_shared += 1
    if n_shared == 0:
        return 0.0
    precision, recall = n_shared / len(ours), n_shared / len(theirs)
    return 2 * precision * recall / (precision + recall)


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
