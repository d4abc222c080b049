"""BLEU as counts: lengths, matches and n-grams of every segment."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.kernels.text.formulas import SMOOTHING_VALUES, Smoothing, bleu_score, smoothing_constant
from betterthan.kernels.text.ngrams import ngram_matches, ngram_totals
from betterthan.messages import Message, Option, method_note
from betterthan.scoring.extraction import Extraction, Part, extract
from betterthan.scoring.signatures import counts_of, signed
from betterthan.scoring.texts import Missing, Outputs, Parallel, References, order_of, parallel
from betterthan.scoring.tokens import (
    Choice,
    choose_tokenizer,
    has_no_spaces,
    tokenizer_signature,
    tokens,
    word_numbers,
)
from betterthan.tables.checks import flag
from betterthan.tables.counts import Counts, Formula


class BleuOptions(NamedTuple):
    """Options of the BLEU statistics."""

    tokenize: str
    tokenizer_signature: str
    lowercase: bool
    max_order: int


def bleu(
    outputs: Outputs,
    references: References = None,
    *,
    tokenize: str | None = None,
    language: str | None = None,
    literal: bool = False,
    lowercase: bool = False,
    smoothing: Smoothing = "exp",
    smoothing_value: float | None = None,
    max_order: int = 4,
    effective_order: bool = False,
    missing: Missing = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Counts:
    r"""Count the sufficient statistics of BLEU, segment by segment.

    The counts of a segment are lengths, matching n-grams and n-grams. :meth:`Counts.pooled` sums first and
    gives corpus BLEU; :meth:`Counts.per_segment` gives sentence BLEU. Both equal sacreBLEU's numbers, and the formula
    has sacreBLEU's signature as its name, so that every result from the counts carries it.

    .. math:: 100 \cdot \min(1, e^{1 - r/c}) \cdot \Big(\prod_{n=1}^{N} \frac{m_n}{t_n}\Big)^{1/N}

    with matches m, n-grams t, and lengths c of the outputs and r of the references, summed over segments.

    Parameters
    ----------
    outputs : Texts, or mapping of system to list of str
        One text per segment; an empty one counts as empty.
    references : list of str, list of lists, or mapping of name to list; optional
        One list per reference, as in sacreBLEU, not one list per segment. Among several references None marks the
        segments that one of them lacks. Texts contain theirs.
    tokenize : str, optional
        A tokenizer of sacreBLEU: "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none", "flores200", …
    language : str, optional
        The language of the outputs, such as "zh". Without `tokenize` it chooses the tokenizer: "zh", "ja-mecab" or
        "ko-mecab" for Chinese, Japanese and Korean, "13a" otherwise.
    literal : bool, default False
        Use "13a" for every language, as sacreBLEU does by default.
    lowercase : bool, default False
    smoothing : {"exp", "floor", "add-k", "none"}, default "exp"
        What replaces a precision of 0; see :func:`betterthan.kernels.text.formulas.bleu_score`.
    smoothing_value : float, optional
        For "floor" (0.1) and "add-k" (1).
    max_order : int, default 4
        N, the longest n-grams.
    effective_order : bool, default False
        For the pooled score: leave out orders without any n-gram of a system. Single segments are always scored this
        way, as by sacreBLEU's ``sentence_bleu``.
    missing : {"raise", "drop", "empty"}, default "raise"
        Treatment of outputs that are None: raise an error; leave out their segments for all systems; count them as
        empty.
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Counts
        Columns: length of the output, length of the nearest reference, matches and n-grams of order 1 to N.

    Raises
    ------
    TableError
        When outputs and references do not match; transposed lists of references are recognized.
    MissingScores
        When outputs are missing and `missing` is "raise".

    Notes
    -----
    With several references, the length closest to that of the output is used (the shorter on ties), and each n-gram is
    clipped at its largest count in any reference.

    References
    ----------
    .. [1] Papineni, Roukos, Ward and Zhu (2002), BLEU: a method for automatic evaluation of machine translation, ACL.
    .. [2] Post (2018), A call for clarity in reporting BLEU scores, WMT.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.bleu({"A": ["the cat sat on a mat", "hello there"]}, ["the cat sat on the mat", "hello"])
    >>> counts.values[0].astype(int).tolist()
    [[6, 6, 5, 3, 2, 1, 6, 5, 4, 3], [2, 1, 1, 0, 0, 0, 2, 1, 0, 0]]
    >>> counts.pooled().round(1)
    array([50.])
    >>> counts.per_segment().values.round(1)
    array([[53.7, 50. ]])
    >>> counts.formula.name.rpartition("|")[0]
    'BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
    """
    texts = parallel(outputs, references, missing=missing)
    choice = choose_tokenizer(tokenize, language, literal=literal)
    options = BleuOptions(
        tokenize=choice.name,
        tokenizer_signature=tokenizer_signature(choice.name),
        lowercase=flag(lowercase, what="lowercase"),
        max_order=order_of(max_order, what="max_order", at_least=1),
    )
    formula = bleu_formula(
        options,
        n_references=texts.n_references,
        smoothing=smoothing,
        smoothing_value=smoothing_value,
        effective_order=flag(effective_order, what="effective_order"),
    )
    extraction = Extraction(
        name="BLEU statistics",
        counter=bleu_statistics,
        options=options,
        uses="processes",
        steps_per_character=options.max_order / 5,
    )
    values = extract(texts, extraction, workers=workers, executor=executor, cache=cache, progress=progress)
    return counts_of(
        texts, values, formula, columns=_columns(options.max_order), notes=_notes(texts, choice, formula)
    )


def bleu_formula(
    options: BleuOptions,
    *,
    n_references: str,
    smoothing: Smoothing,
    smoothing_value: float | None,
    effective_order: bool,
) -> Formula:
    """Return BLEU with its signature as the name."""
    value = smoothing_constant(smoothing, smoothing_value)
    amount = f"[{value:.2f}]" if smoothing in SMOOTHING_VALUES else ""
    score = partial(bleu_score, smoothing=smoothing, smoothing_value=smoothing_value)
    return Formula(
        name=signed(
            "BLEU",
            nrefs=n_references,
            case="lc" if options.lowercase else "mixed",
            eff="yes" if effective_order else "no",
            tok=options.tokenizer_signature,
            smooth=f"{smoothing}{amount}",
        ),
        pooled=partial(score, effective_order=effective_order),
        segment=partial(score, effective_order=True),
    )


def bleu_statistics(part: Part, options: BleuOptions) -> FloatArray:
    """Return lengths, matches and n-grams of some segments, shape (m, segments, 2 + 2 N)."""
    n_systems, n_segments = len(part.outputs), len(part.outputs[0])
    # Segment by segment, so that related rows are adjacent.
    ours = [lines[i] for i in range(n_segments) for lines in part.outputs]
    present = [(i, lines[i]) for i in range(n_segments) for lines in part.references]
    theirs = [(i, line) for i, line in present if line is not None]
    lines = [*ours, *(line for _, line in theirs)]
    prepared = [line.lower().rstrip() if options.lowercase else line.rstrip() for line in lines]
    numbered = word_numbers(tokens(options.tokenize, prepared))
    outputs, references = numbered.split(len(ours))
    group = np.array([i for i, _ in theirs], dtype=np.int64)
    matches = ngram_matches(
        outputs,
        np.repeat(np.arange(n_segments), n_systems),
        references,
        group,
        max_order=options.max_order,
    )
    lengths = outputs.lengths
    closest = _closest(lengths.reshape(n_segments, n_systems), references.lengths, group)
    totals = ngram_totals(lengths, options.max_order)
    rows = np.column_stack([lengths, closest.reshape(-1), matches, totals]).astype(np.float64)
    return rows.reshape(n_segments, n_systems, -1).swapaxes(0, 1)


def _closest(lengths: IntArray, reference_lengths: IntArray, group: IntArray) -> IntArray:
    """Return the reference length closest to that of each output, the shorter on ties; (segments, m)."""
    # The place of each reference among those of its segment: references of the same place are compared at once.
    place = np.arange(len(group)) - np.searchsorted(group, group)
    closest = np.full(lengths.shape, -1, dtype=np.int64)
    for i in range(int(place.max()) + 1):
        segments = group[place == i]
        length = reference_lengths[place == i][:, None]
        held, ours = closest[segments], lengths[segments]
        gap, held_gap = np.abs(ours - length), np.abs(ours - held)
        is_nearer = (held < 0) | (gap < held_gap) | ((gap == held_gap) & (length < held))
        closest[segments] = np.where(is_nearer, length, held)
    return closest


def _columns(max_order: int) -> tuple[str, ...]:
    orders = range(1, max_order + 1)
    return (
        "output length",
        "reference length",
        *(f"matches {n}" for n in orders),
        *(f"n-grams {n}" for n in orders),
    )


def _notes(texts: Parallel, choice: Choice, formula: Formula) -> list[str]:
    notes: list[str] = [
        method_note(
            "Signature: {formula}; single segments with eff:yes, as sacreBLEU's sentence_bleu.",
            formula=formula.name,
        ),
        method_note("Tokenizer {name}: {reason}.", name=choice.name, reason=choice.reason),
    ]
    if choice.is_default and has_no_spaces("".join(x for x in chain(*texts.references) if x)):
        notes.append(
            Message(
                "The references are Chinese or Japanese, which 13a does not split into words. Use {zh}, {ja} or "
                "{char}.",
                zh=Option("language", "zh"),
                ja=Option("language", "ja"),
                char=Option("tokenize", "char"),
            )
        )
    return notes
