"""chrF and chrF++ as counts: n-grams of outputs and references, and matches, of every segment."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError
from betterthan.kernels.text.formulas import chrf_score
from betterthan.kernels.text.ngrams import SymbolSequences, ngram_matches, ngram_totals
from betterthan.messages import method_note
from betterthan.scoring.extraction import Extraction, Part, extract
from betterthan.scoring.signatures import counts_of, signed
from betterthan.scoring.texts import Missing, Outputs, References, order_of, parallel
from betterthan.scoring.tokens import word_numbers
from betterthan.tables.checks import flag
from betterthan.tables.counts import Counts, Formula

PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class ChrfOptions(NamedTuple):
    """Options of the chrF statistics."""

    char_order: int
    word_order: int
    lowercase: bool
    whitespace: bool
    beta: float
    eps_smoothing: bool


def chrf(
    outputs: Outputs,
    references: References = None,
    *,
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
    missing: Missing = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Counts:
    r"""Count the sufficient statistics of chrF, segment by segment; ``word_order=2`` is chrF++.

    The counts hold the n-grams of characters (and words) of each segment, and how many match.
    :meth:`Counts.pooled` sums first and gives the corpus score; :meth:`Counts.per_segment` gives sentence scores.
    Both equal sacreBLEU's numbers, and the formula has sacreBLEU's signature as its name.

    .. math:: 100 \cdot \frac{(1 + \beta^2)\, P R}{\beta^2 P + R}

    with precision P and recall R averaged over orders.

    Parameters
    ----------
    outputs : Texts, or mapping of system to list of str
        One text per segment; an empty one counts as empty.
    references : list of str, list of lists, or mapping of name to list; optional
        One list per reference, as in sacreBLEU, not one list per segment. Among several references None marks the
        segments that one of them lacks. Texts contain theirs.
    char_order : int, default 6
        The longest n-grams of characters.
    word_order : int, default 0
        The longest n-grams of words; 2 for chrF++.
    beta : float, default 2
        Weight of recall relative to precision.
    lowercase : bool, default False
    whitespace : bool, default False
        Whether spaces count as characters.
    eps_smoothing : bool, default False
        False averages over the orders that output and reference both have; True averages the F-scores of all
        orders, as chrF++.py, NLTK and Moses do. See :func:`betterthan.kernels.text.formulas.chrf_score`.
    missing : {"raise", "drop", "empty"}, default "raise"
        Treatment of outputs that are None: raise an error; leave out their segments for all systems; count them as
        empty.
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Counts
        Columns, for each order: n-grams of the output, of the reference, and matches.

    Raises
    ------
    TableError
        When outputs and references do not match; transposed lists of references are recognized.
    MissingScores
        When outputs are missing and `missing` is "raise".

    Notes
    -----
    With several references, the one with the best score is used, segment by segment.

    References
    ----------
    .. [1] Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, WMT.
    .. [2] Popović (2017), chrF++: words helping character n-grams, WMT.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.chrf({"A": ["the cat sat on a mat", "hello there"]}, ["the cat sat on the mat", "hello"])
    >>> counts.pooled().round(2), counts.per_segment().values.round(2)
    (array([66.55]), array([[65.98, 73.29]]))
    >>> counts.formula.name.rpartition("|")[0]
    'chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no'
    """
    texts = parallel(outputs, references, missing=missing)
    options = ChrfOptions(
        char_order=order_of(char_order, what="char_order", at_least=1),
        word_order=order_of(word_order, what="word_order", at_least=0),
        lowercase=flag(lowercase, what="lowercase"),
        whitespace=flag(whitespace, what="whitespace"),
        beta=_positive(beta),
        eps_smoothing=flag(eps_smoothing, what="eps_smoothing"),
    )
    formula = chrf_formula(options, n_references=texts.n_references)
    extraction = Extraction(
        name="chrF statistics",
        counter=chrf_statistics,
        options=options,
        steps_per_character=options.char_order,
    )
    values = extract(texts, extraction, workers=workers, executor=executor, cache=cache, progress=progress)
    return counts_of(
        texts,
        values,
        formula,
        columns=_columns(options),
        notes=[method_note("Signature: {formula}.", formula=formula.name)],
    )


def chrf_formula(options: ChrfOptions, *, n_references: str) -> Formula:
    """Return chrF with its signature as the name."""
    return Formula(
        name=signed(
            f"chrF{options.beta}" + "+" * options.word_order,
            nrefs=n_references,
            case="lc" if options.lowercase else "mixed",
            eff="no" if options.eps_smoothing else "yes",
            nc=options.char_order,
            nw=options.word_order,
            space="yes" if options.whitespace else "no",
        ),
        pooled=partial(chrf_score, beta=options.beta, eps_smoothing=options.eps_smoothing),
    )


def chrf_statistics(part: Part, options: ChrfOptions) -> FloatArray:
    """Return n-grams and matches of some segments, shape (m, segments, 3 orders), for the best reference."""
    n_systems, n_segments = len(part.outputs), len(part.outputs[0])
    # Segment by segment, so that related rows are adjacent.
    ours = _prepared([lines[i] for i in range(n_segments) for lines in part.outputs], options)
    theirs = [
        _prepared(["" if line is None else line for line in lines], options) for lines in part.references
    ]
    beside = [_characters(ours, theirs, options)]
    if options.word_order:
        beside.append(_words(ours, theirs, options))
    best = np.zeros((n_systems * n_segments, 3 * (options.char_order + options.word_order)))
    best_score = np.full(len(best), -1.0)
    for statistics, lines in zip(map(np.hstack, zip(*beside, strict=True)), part.references, strict=True):
        is_there = np.repeat([line is not None for line in lines], n_systems)
        score = chrf_score(statistics, beta=options.beta, eps_smoothing=options.eps_smoothing)
        is_better = is_there & (score > best_score)
        best[is_better] = statistics[is_better]
        best_score[is_better] = score[is_better]
    return best.reshape(n_segments, n_systems, -1).swapaxes(0, 1)


def _prepared(lines: list[str], options: ChrfOptions) -> list[str]:
    return [line.lower() for line in lines] if options.lowercase else lines


def _characters(ours: list[str], theirs: list[list[str]], options: ChrfOptions) -> list[FloatArray]:
    """Return the statistics of characters for each reference."""

    def encoded(lines: list[str]) -> SymbolSequences:
        if not options.whitespace:
            lines = ["".join(line.split()) for line in lines]
        symbols = np.frombuffer("".join(lines).encode("utf-32-le"), dtype="<u4").astype(np.int64)
        return SymbolSequences.of(symbols, [len(line) for line in lines])

    outputs = encoded(ours)
    return [_statistics(outputs, encoded(lines), options.char_order) for lines in theirs]


def _words(ours: list[str], theirs: list[list[str]], options: ChrfOptions) -> list[FloatArray]:
    """Return the statistics of words for each reference."""
    rest = word_numbers([split_words(line) for line in chain(ours, *theirs)])
    outputs, rest = rest.split(len(ours))
    statistics = []
    for lines in theirs:
        reference, rest = rest.split(len(lines))
        statistics.append(_statistics(outputs, reference, options.word_order))
    return statistics


def _statistics(outputs: SymbolSequences, references: SymbolSequences, max_order: int) -> FloatArray:
    """Return n-grams of the outputs, of the reference and matches, order by order: (outputs, 3 N)."""
    group = np.arange(len(references.lengths))
    n_systems = len(outputs.lengths) // len(group)
    matches = ngram_matches(outputs, np.repeat(group, n_systems), references, group, max_order=max_order)
    of_references = np.repeat(ngram_totals(references.lengths, max_order), n_systems, axis=0)
    # As in sacreBLEU, an output's n-grams do not count where the reference has none of that order.
    of_outputs = np.where(of_references > 0, ngram_totals(outputs.lengths, max_order), 0)
    stacked = np.stack([of_outputs, of_references, matches], axis=-1)
    return stacked.reshape(len(matches), -1).astype(np.float64)


def split_words(line: str) -> list[str]:
    """Split a line into words, with one mark of punctuation split off at the end, or else at the beginning.

    Examples
    --------
    >>> split_words("(Oh, no!)")
    ['(Oh', ',', 'no!', ')']
    """
    words = []
    for word in line.split():
        if len(word) == 1:
            words.append(word)
        elif word[-1] in PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif word[0] in PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def _columns(options: ChrfOptions) -> list[str]:
    orders = [f"characters {n}" for n in range(1, options.char_order + 1)]
    orders += [f"words {n}" for n in range(1, options.word_order + 1)]
    return [f"{what} {order}" for order in orders for what in ("output", "reference", "matches")]


_MOST_BETA = 1_000_000  # the square of a much larger one does not fit into a float


def _positive(beta: float) -> float:
    is_number = isinstance(beta, int | float | np.integer | np.floating) and not isinstance(beta, bool)
    if not is_number or not 0 < beta < np.inf:
        raise BetterThanError(f"beta must be a positive number, not {beta!r}.")
    if beta > _MOST_BETA:
        raise BetterThanError(
            f"beta must be at most {_MOST_BETA:,}, where chrF is recall alone; it is {beta:g}."
        )
    # A whole number is written as one in the name: chrF2, not chrF2.0.
    return int(beta) if beta == int(beta) else float(beta)
