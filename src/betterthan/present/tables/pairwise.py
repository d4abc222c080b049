"""All pairs as a table, and what they say in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Cell, Column, Table
from betterthan.present.tables.tags import tag_measure_name
from betterthan.results.pairwise import P_METHODS, Pair, PairwiseTable

_CORRECTIONS = {
    "none": "uncorrected",
    "bonferroni": "Bonferroni-corrected",
    "holm": "Holm-corrected",
    "benjamini_hochberg": "false discovery rate (Benjamini–Hochberg)",
    "max_statistic": "corrected by the maximum statistic",
}

_P_WORDS = {
    "exact": "exact",
    "certified": "within certain bounds",
    "inversion": "by numerical inversion",
    "bound": "upper bounds",
    "permutations": "from random permutations",
    "bootstrap": "from bootstrap samples",
    "extrapolation": "extrapolated from permutations",
    "formula": "from a reference distribution",
}

# Of a hundred systems; more rows nobody reads, and thousands of systems have millions of pairs.
MOST_PAIRS = 5000
_DIFFERENCE = "difference of "
_TESTS = {
    "wald": "Wald test",
    "wilcoxon": "Wilcoxon test",
    "mood": "Mood's test",
    "t": "t-test",
    "strengths": "test of strengths",
}


def pairwise_table(result: PairwiseTable) -> Table:
    """Return one row a pair: effect first, then interval, then p; of very many pairs those of the best systems."""
    pairs = result.pairs(MOST_PAIRS)
    digits = digits_for([(p.high - p.low) / 2 for p in pairs], [p.effect for p in pairs])
    corrected = result.correction != "none"
    words = tuple(line for line in (result.unit_line, *_words(result), _not_shown(result)) if line)
    columns = [
        Column(heading="better?"),
        Column(heading="than"),
        Column(heading=_heading(result.effect_name), kind="number", digits=digits),
        Column(heading=percent(result.confidence), kind="interval", digits=digits),
        Column(heading="won–tied–lost", kind="count"),
        Column(heading="p", kind="pvalue"),
        *([Column(heading="p adjusted", kind="pvalue")] if corrected else []),
        Column(heading="verdict"),
    ]
    return Table(
        title=f"{name_of_test(result.test)} of all pairs: {_measured(result)}{effect_words(result.effect_name)}",
        columns=tuple(columns),
        rows=tuple(_row(pair, corrected=corrected) for pair in pairs),
        words=words,
        notes=result.notes,
        signature=result.settings.signature,
    )


def _measured(result: PairwiseTable) -> str:
    return f"{result.measured}; " if result.measured else ""


def name_of_test(test: str) -> str:
    """Return a test as people write it.

    Examples
    --------
    >>> name_of_test("wald"), name_of_test("strengths"), name_of_test("sign")
    ('Wald test', 'test of strengths', 'sign test')
    """
    return _TESTS.get(test, f"{test} test")


def effect_words(effect: str) -> str:
    """Return an effect in words; measures of tags are called as people write them.

    Examples
    --------
    >>> effect_words("difference of f1_mult"), effect_words("difference of means")
    ('difference of F1-mult', 'difference of means')
    """
    measure = effect.removeprefix(_DIFFERENCE)
    return effect if measure == effect else _DIFFERENCE + tag_measure_name(measure)


def _heading(effect: str) -> str:
    return {"P(row beats column)": "P(beats)", "difference of means": "difference"}.get(
        effect, effect_words(effect)
    )


def _row(pair: Pair, *, corrected: bool) -> tuple[Cell, ...]:
    counts = f"{pair.wins:,.10g}–{pair.ties:,.10g}–{pair.losses:,.10g}"
    cells: list[Cell] = [pair.a, pair.b, pair.effect, (pair.low, pair.high), counts, pair.pvalue]
    if corrected:
        cells.append(pair.adjusted)
    return (*cells, f"{pair.verdict} *" if pair.verdict else "not significant")


def correction_words(correction: str) -> str:
    """Return how p-values are corrected, as part of a sentence.

    Examples
    --------
    >>> correction_words("holm"), correction_words("none")
    ('Holm-corrected', 'uncorrected')
    """
    return _CORRECTIONS[correction]


def pvalue_words(result: PairwiseTable) -> str:
    """Return how the p-values were found and how far off they may be, as a sentence; empty where there is none."""
    above = np.triu_indices(len(result.systems), k=1)
    pvalue, low, high = (getattr(result, name)[above] for name in ("pvalue", "p_low", "p_high"))
    codes, known = result.p_method[above], ~np.isnan(pvalue)
    parts = []
    for code, name in enumerate(P_METHODS):
        of_it = known & (codes == code)
        if not of_it.any():
            continue
        share = "" if of_it.sum() == known.sum() else f"{np.count_nonzero(of_it):,} "
        parts.append(share + _pvalue_method(name, _largest_error(pvalue[of_it], low[of_it], high[of_it])))
    return f"p: {'; '.join(parts)}." if parts else ""


def pair_pvalue_words(pair: Pair) -> str:
    """Return how the p-value of one pair was found and how far off it may be, as a sentence."""
    return (
        ""
        if np.isnan(pair.pvalue)
        else f"p: {_pvalue_method(pair.p_method, _largest_error(pair.pvalue, pair.p_low, pair.p_high))}."
    )


def _largest_error(pvalue: ArrayLike, low: ArrayLike, high: ArrayLike) -> float:
    """Return how far the p-values may be off, at most."""
    return float(np.maximum(np.subtract(high, pvalue), np.subtract(pvalue, low)).max())


def _pvalue_method(method: str, error: float) -> str:
    return _P_WORDS[method] + (f", off by up to {error:.1g}" if error > 0 else "")


def _n_pairs(result: PairwiseTable) -> int:
    return len(result.systems) * (len(result.systems) - 1) // 2


def _not_shown(result: PairwiseTable) -> str:
    """Say how many pairs the table leaves out; empty where it has all."""
    n_pairs = _n_pairs(result)
    if n_pairs <= MOST_PAIRS:
        return ""
    return (
        f"{MOST_PAIRS:,} of {n_pairs:,} pairs are shown, those of the best systems; {n_pairs - MOST_PAIRS:,} are not. "
        f"CSV and JSON have all of them."
    )


def _words(result: PairwiseTable) -> tuple[str, ...]:
    n_pairs = _n_pairs(result)
    how = correction_words(result.correction)
    unmet = (result.unmet,) if result.unmet else ()
    pvalues = pvalue_words(result)
    sides = "" if result.alternative == "two-sided" else f", one-sided ({result.alternative})"
    if n_pairs == 1:
        verdict = result.undecidable or _single(result, result.pairs()[0], f"level {result.alpha:g}{sides}")
        return (verdict, *unmet, pvalues)
    counted = f"{result.n_different} of {n_pairs} pairs {'is' if result.n_different == 1 else 'are'}"
    verdict = (
        result.undecidable or f"{counted} significantly different at level {result.alpha:g}, {how}{sides}."
    )
    level = percent(result.confidence)
    if result.simultaneous:
        return (
            verdict,
            *unmet,
            f"{level}: intervals that hold for all {n_pairs:,} differences at once. {pvalues}",
        )
    if result.correction == "none":
        return (verdict, *unmet, pvalues)
    legend = (
        f"{level}: interval of each difference by itself; verdicts corrected for {n_pairs:,} pairs. {pvalues}"
    )
    return (verdict, *unmet, legend)


def _single(result: PairwiseTable, pair: Pair, level: str) -> str:
    how = f"{level} ({name_of_test(result.test)})"
    if pair.verdict is None:
        return f"There is no significant difference between {pair.a} and {pair.b} at {how}."
    other = pair.b if pair.verdict == pair.a else pair.a
    by_model = " under the model" if result.unmet else ""
    return f"{pair.verdict} is better than {other}{by_model} at {how}."
