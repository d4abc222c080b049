"""All pairs as a table, and what they say in words."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from betterthan.messages import Message, Option
from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.metrics import TAG_MEASURES, tag_measure_name
from betterthan.present.tables.standing import method_name
from betterthan.results.pairwise import P_METHODS, SMALLEST_P, Pair, PairwiseTable, equals_p

_CORRECTIONS = {
    "none": "unadjusted",
    "bonferroni": "Bonferroni-adjusted",
    "holm": "Holm-adjusted",
    "benjamini_hochberg": "adjusted for the false discovery rate (Benjamini–Hochberg)",
    "max_statistic": "adjusted by the maximum statistic",
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

# Enough for a hundred systems; longer lists are not read, and thousands of systems have millions of pairs.
MOST_PAIRS = 5000
_TAG_EFFECTS = {f"difference of {name}": f"difference of {tag_measure_name(name)}" for name in TAG_MEASURES}
_TESTS = {
    "wald": "Wald test",
    "wilcoxon": "Wilcoxon test",
    "mood": "Mood's test",
    "t": "t-test",
    "strengths": "test of strengths",
}


def pairwise_table(result: PairwiseTable) -> Table:
    """Return one row per pair: effect first, then interval, then p; of very many pairs those of the best systems."""
    return _listed(result, result.pairs(MOST_PAIRS))


def pairwise_summary(result: PairwiseTable) -> Table:
    """Return the table for reading: of many systems a matrix of all pairs, and below it the neighbors in rank."""
    m = len(result.systems)
    if _n_pairs(result) <= MOST_LISTED:
        return pairwise_table(result)
    neighbors = [result.pair(a, b) for a, b in pairwise(result.systems[: MOST_NEIGHBORS + 1])]
    table = _listed(result, neighbors)
    every = Message(
        "Rows: {n} pairs of systems next to each other in rank. For all {n_pairs} pairs, use {all} or CSV.",
        n=f"the first {len(neighbors)}" if len(neighbors) < m - 1 else f"the {m - 1}",
        n_pairs=f"{_n_pairs(result):,}",
        all=Option("all", value=True),
    )
    above = (pair_signs(result),) if m <= MOST_SIGNS else ()
    return replace(table, above=above, words=(every,))


MOST_LISTED = 28
"""Pairs that are listed one by one: those of eight systems."""
MOST_NEIGHBORS = 12
MOST_SIGNS = 60
"""Systems of a matrix that has a sign for each pair; more do not fit into a terminal."""
BETTER, WORSE, ALIKE, SAME = "+", "−", "·", "="


def pair_signs(result: PairwiseTable) -> Table:
    """Return a matrix with a sign for each pair: whether the row is significantly better or worse than the column."""
    better, m = result.better(), len(result.systems)
    signs = np.where(better, BETTER, np.where(better.T, WORSE, ALIKE))
    np.fill_diagonal(signs, SAME)
    ruler = "".join(f"{i:<5d}" if i >= 5 else f"{i:<4d}" for i in (1, *range(5, m + 1, 5)))
    return Table(
        title="",
        columns=(
            TableColumn(heading="#", kind="integer"),
            TableColumn(heading="system"),
            TableColumn(heading=ruler.rstrip(), kind="code"),
        ),
        rows=tuple((i + 1, name, "".join(signs[i])) for i, name in enumerate(result.systems)),
        legend=f"Signs: {BETTER} significantly better than the system of that column, {WORSE} worse, "
        f"{ALIKE} no significant difference.",
    )


def _listed(result: PairwiseTable, pairs: list[Pair]) -> Table:
    digits = digits_for([(p.high - p.low) / 2 for p in pairs], [p.effect for p in pairs])
    several = _n_pairs(result) > 1
    corrected = result.correction != "none" and several
    columns = [
        TableColumn(heading="better?"),
        TableColumn(heading="than"),
        TableColumn(heading=_heading(result.effect_name), kind="number", digits=digits),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits),
        TableColumn(heading="won–tied–lost", kind="count", spare=2, in_paper=False),
        TableColumn(heading="p", kind="pvalue", spare=int(corrected), in_paper=not corrected),
        *([TableColumn(heading="p adjusted", kind="pvalue")] if corrected else []),
        TableColumn(heading="verdict", in_paper=False),
    ]
    of_all = " of all pairs" if several else ""
    return Table(
        title=f"{capitalized(words_of_test(result))}{of_all}{by_words(result)}: "
        f"{_measured(result)}{_effect_in_title(result.effect_name)}",
        columns=tuple(columns),
        rows=tuple(_row(pair, corrected=corrected, is_met=_is_met(result, pair)) for pair in pairs),
        verdict=tuple(line for line in (_verdict(result), result.unmet) if line),
        unit=result.unit_line,
        words=tuple(line for line in (_not_shown(result),) if line),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
        above=() if several or result.both_right is None else (right_and_wrong(*_cells(result)),),
    )


def _is_met(result: PairwiseTable, pair: Pair) -> bool:
    """Whether the two met in a battle; scores are always on the same segments."""
    return bool(result.units not in ("matches", "clusters") or pair.wins + pair.ties + pair.losses > 0)


def _cells(result: PairwiseTable) -> tuple[str, str, float, float, float, float]:
    pair = result.pairs()[0]
    both = float(result.both_right[0, 1]) if result.both_right is not None else 0.0
    return pair.a, pair.b, both, pair.wins, pair.losses, pair.ties - both


def right_and_wrong(a: str, b: str, both: float, only_a: float, only_b: float, neither: float) -> Table:
    """Return the table of McNemar's test: on how many segments both are right, only one, or none."""
    return Table(
        title="",
        columns=(
            TableColumn(heading="segments"),
            TableColumn(heading=f"{b} right", kind="integer"),
            TableColumn(heading=f"{b} wrong", kind="integer"),
            TableColumn(heading="all", kind="integer"),
        ),
        rows=(
            (f"{a} right", both, only_a, both + only_a),
            (f"{a} wrong", only_b, neither, only_b + neither),
            ("all", both + only_b, only_a + neither, both + only_a + only_b + neither),
        ),
        rules=frozenset({1}),
    )


def words_of_test(result: PairwiseTable) -> str:
    """Return the test as people write it; of right and wrong on single segments it is McNemar's.

    To swap the scores of two systems at random, or to count wins against losses, is then the same: only the segments
    on which one of the two is right matter.
    """
    counts_segments = result.test in ("permutation", "sign") and result.units == "segments"
    if result.both_right is None or not counts_segments or not result.is_mean_difference:
        return name_of_test(result.test)
    drawn = [P_METHODS.index(name) for name in ("permutations", "bootstrap", "extrapolation")]
    above = np.triu_indices(len(result.systems), k=1)
    return "McNemar's test" if np.isin(result.p_method[above], drawn).any() else "McNemar's exact test"


def by_words(result: PairwiseTable) -> str:
    """Return the aggregation behind strengths that are compared, as the end of a phrase; empty for other tests."""
    by = result.settings.options.get("by")
    return f" by {method_name(str(by))}" if by else ""


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


def capitalized(words: str) -> str:
    """Return words with a capital first letter; the others stay, as in a name.

    Examples
    --------
    >>> capitalized("t-test"), capitalized("Mood's test")
    ('T-test', "Mood's test")
    """
    return words[:1].upper() + words[1:]


def effect_words(effect: str) -> str:
    """Return an effect in words; measures of tags are called as people write them.

    Examples
    --------
    >>> effect_words("difference of f1_mult"), effect_words("difference of means")
    ('difference of F1-mult', 'difference of means')
    """
    return _TAG_EFFECTS.get(effect, effect)


def _effect_in_title(effect: str) -> str:
    return "probability of winning" if effect == "P(row beats column)" else effect_words(effect)


def _heading(effect: str) -> str:
    return {"P(row beats column)": "P(beats)", "difference of means": "difference"}.get(
        effect, effect_words(effect)
    )


def _row(pair: Pair, *, corrected: bool, is_met: bool) -> tuple[TableCell, ...]:
    counts = f"{pair.wins:,.10g}–{pair.ties:,.10g}–{pair.losses:,.10g}" if is_met else "never met"
    cells: list[TableCell] = [pair.a, pair.b, pair.effect, (pair.low, pair.high), counts, pair.pvalue]
    if corrected:
        cells.append(pair.adjusted)
    return (*cells, f"{pair.verdict} *" if pair.verdict else "not significant")


def correction_words(correction: str) -> str:
    """Return how p-values are adjusted, as part of a sentence.

    Examples
    --------
    >>> correction_words("holm"), correction_words("none")
    ('Holm-adjusted', 'unadjusted')
    """
    return _CORRECTIONS[correction]


def pvalue_words(result: PairwiseTable) -> str:
    """Return how the p-values were found and how far off they may be, as a sentence; empty where there is none."""
    above = np.triu_indices(len(result.systems), k=1)
    values, low, high = (getattr(result, name)[above] for name in ("pvalue", "p_low", "p_high"))
    codes, known = result.p_method[above], ~np.isnan(values)
    if known.sum() == 1:
        return pair_pvalue_words(result.pairs()[0])
    parts = []
    for code, name in enumerate(P_METHODS):
        of_it = known & (codes == code)
        if not of_it.any():
            continue
        share = "" if of_it.sum() == known.sum() else f"{np.count_nonzero(of_it):,} "
        parts.append(share + _pvalue_method(name, _largest_error(values[of_it], low[of_it], high[of_it])))
    return f"P-values: {'; '.join(parts)}." if parts else ""


def pair_pvalue_words(pair: Pair) -> str:
    """Return how the p-value of one pair was found and how far off it may be; empty where all digits are right."""
    error = _largest_error(pair.pvalue, pair.p_low, pair.p_high)
    is_plain = pair.p_method in ("exact", "formula", "inversion") and not error >= SMALLEST_P / 2
    if np.isnan(pair.pvalue) or is_plain:
        return ""
    if pair.p_method == "bound":
        return "The p-value is an upper bound."
    return f"P-value: {_pvalue_method(pair.p_method, error)}."


def _largest_error(values: ArrayLike, low: ArrayLike, high: ArrayLike) -> float:
    """Return how far the p-values may be off, at most; what four decimals do not show is not worth words."""
    return float(np.maximum(np.subtract(high, values), np.subtract(values, low)).max())


def _pvalue_method(method: str, error: float) -> str:
    return _P_WORDS[method] + (f", off by up to {error:.1g}" if error >= SMALLEST_P / 2 else "")


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


def _verdict(result: PairwiseTable) -> str:
    if result.undecidable:
        return result.undecidable
    n_pairs = _n_pairs(result)
    sides = "" if result.alternative == "two-sided" else f", one-sided ({result.alternative})"
    if n_pairs == 1:
        return _single(result, result.pairs()[0], sides)
    over = f" for {n_pairs:,} pairs" if result.correction != "none" else ""
    how = f"{result.alpha:g}, {words_of_test(result)}, {correction_words(result.correction)}{over}{sides}"
    if not result.n_different:
        return f"None of the {n_pairs:,} pairs differs significantly (level {how})."
    return f"{result.n_different:,} of {n_pairs:,} pairs differ significantly (p ≤ {how})."


def _legend(result: PairwiseTable) -> str:
    """Say what the intervals hold for, and how p-values were found."""
    n_pairs = _n_pairs(result)
    level = percent(result.confidence)
    if result.simultaneous and n_pairs > 1:
        intervals = f"{level} CI: simultaneous for all {n_pairs:,} differences. "
    elif result.correction != "none" and n_pairs > 1:
        intervals = f"{level} CI: for each difference by itself, not adjusted. "
    else:
        intervals = ""
    return f"{intervals}{pvalue_words(result)}".strip()


def _shares(result: PairwiseTable) -> str:
    """Return how often each of two systems is right; empty for other scores than right and wrong."""
    if result.both_right is None or not result.is_mean_difference:
        return ""
    _, _, both, only_a, only_b, neither = _cells(result)
    n = max(both + only_a + only_b + neither, 1.0)
    return f"right on {100 * (both + only_a) / n:.1f}% and {100 * (both + only_b) / n:.1f}% of {n:,.0f} segments, "


def _effect_of_pair(result: PairwiseTable, pair: Pair) -> str:
    if result.is_probability:
        return f"P({pair.a} beats {pair.b})"
    return effect_words(result.effect_name)


def _single(result: PairwiseTable, pair: Pair, sides: str) -> str:
    digits = digits_for([(pair.high - pair.low) / 2], [pair.effect])
    level = percent(result.confidence)
    found = (
        f"{level} CI {number(pair.low, digits)} to {number(pair.high, digits)}, {equals_p(pair.pvalue)}, "
        f"{words_of_test(result)}{sides}"
    )
    effect = f"{_shares(result)}{_effect_of_pair(result, pair)} {number(pair.effect, digits)}"
    if pair.verdict is None:
        return f"There is no significant difference between {pair.a} and {pair.b} ({effect}, {found})."
    other = pair.b if pair.verdict == pair.a else pair.a
    by_model = " under the model" if result.unmet else ""
    return f"{pair.verdict} is significantly better than {other}{by_model} ({effect}, {found})."
