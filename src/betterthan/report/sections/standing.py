"""What the page says about a pair: after correction for all pairs, and by the units that were chosen.

An explanation looks at one pair alone. The report looks at all pairs; so its sentences are put under what the table of
all pairs decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from betterthan.analysis.units import units_of
from betterthan.analysis.wording import amount, decimals_for
from betterthan.present.numbers import equals_p
from betterthan.report.inputs import Inputs
from betterthan.report.wording import LOST, corrected, count
from betterthan.results.explanation import Explanation
from betterthan.results.pairwise import Pair, PairwiseTable

# Which test of all pairs belongs to which claim of an explanation.
_TESTS = {"mean": ("permutation", "mean"), "bradley_terry": ("sign", "wins")}


class PairStanding(NamedTuple):
    """A pair in words.

    Attributes
    ----------
    verdict : str
        A few sentences for the head of the report.
    lead : str
        The line below the title of the pair.
    words : tuple of str
        The explanation that follows.
    """

    verdict: str
    lead: str
    words: tuple[str, ...]


def n_documents(inputs: Inputs) -> int | None:
    """Return how many documents are the units, or None where single segments are."""
    if inputs.options.get("units", "segments") == "segments":
        return None
    scores = inputs.scores.complete(missing=inputs.options.get("missing", "raise"))
    return units_of(scores, "groups").n_units


def standing(pair: Explanation, tests: Mapping[str, PairwiseTable], documents: int | None) -> PairStanding:
    """Return what may be said about a pair.

    Parameters
    ----------
    pair : Explanation
        Of the pair alone, in the units that were chosen.
    tests : mapping of str to PairwiseTable
        All pairs by "permutation", in the units that were chosen; where these are segments also by "sign".
    documents : int, optional
        How many documents are the units; None where single segments are.
    """
    undecidable = tests["permutation"].undecidable
    if documents is not None:
        decision = decided(tests["permutation"], pair.a, pair.b, documents)
        verdict = f"{decision} {pair.evidence}"
        if _n_pairs(tests["permutation"]) == 1:
            return PairStanding(verdict, decision, pair.sentences)
        # The advice is also about wins, which are not corrected for all pairs here.
        return PairStanding(verdict, decision, (f"For this pair alone: {pair.verdict}", *pair.reasons))
    lost = lost_claims(pair, tests)
    n_pairs = _n_pairs(tests["permutation"])
    adjusted = tests["permutation"].pair(pair.a, pair.b).adjusted
    words = (*pair.reasons, pair.advice)
    if undecidable and not lost:
        return PairStanding(f"{undecidable} {pair.evidence}", f"{undecidable} {pair.verdict}", words)
    if not lost:
        verdict = f"{pair.verdict} {pair.evidence}{corrected(adjusted, n_pairs)}"
        return PairStanding(verdict, pair.verdict, words)
    alone, left = f"Taken alone, {pair.verdict}", _left(pair, lost, n_pairs)
    return PairStanding(f"{alone} {pair.evidence} {left}", alone, (*pair.reasons, left))


def lost_claims(pair: Explanation, tests: Mapping[str, PairwiseTable]) -> dict[str, float]:
    """Return what is significant for this pair alone and not after correction: "mean" or "wins" to the corrected p."""
    if _n_pairs(tests["permutation"]) < 2:
        return {}
    lost = {}
    for mechanism, (test, name) in _TESTS.items():
        adjusted = tests[test].pair(pair.a, pair.b).adjusted
        if pair.mechanism(mechanism).is_significant and not adjusted <= tests[test].alpha:
            lost[name] = adjusted
    return lost


def _left(pair: Explanation, lost: Mapping[str, float], n_pairs: int) -> str:
    """Say what correction leaves of the claims about a pair."""
    numbers = " and ".join(f"{equals_p(p)} for the {name}" for name, p in lost.items())
    start = f"Corrected for looking at all {count(n_pairs)} pairs, {numbers}: {LOST}"
    still_significant = [
        name
        for mechanism, (_, name) in _TESTS.items()
        if pair.mechanism(mechanism).is_significant and name not in lost
    ]
    if still_significant:
        name = still_significant[0]
        return f"{start}; only the {name} still {'differs' if name == 'mean' else 'differ'} significantly."
    return f"{start}, so that nothing is decided between {pair.a} and {pair.b}."


def decided(table: PairwiseTable, a: str, b: str, documents: int) -> str:
    """Say what documents as units decide about a pair."""
    pair, n_pairs = table.pair(a, b), _n_pairs(table)
    tested = f"{table.test} test over {count(documents)} documents, {equals_p(pair.pvalue)}"
    tested += f"; corrected for all {count(n_pairs)} pairs, {equals_p(pair.adjusted)}" if n_pairs > 1 else ""
    if pair.verdict is not None:
        other = b if pair.verdict == a else a
        sentence = f"With documents as units, {pair.verdict} is better than {other} by mean"
        return f"{sentence}, significant at level {table.alpha:g}: {_size(table, pair)} ({tested})."
    lost = f" The pair is {LOST}." if n_pairs > 1 and pair.pvalue <= table.alpha else ""
    sentence = f"With documents as units, {a} and {b} do not differ significantly at level {table.alpha:g}"
    if table.undecidable:
        undecided = f"With documents as units, nothing can be decided between {a} and {b}."
        sentence = f"{undecided} {table.undecidable} For this pair"
    return f"{sentence}: {_size(table, pair)} ({tested}).{lost}"


def _size(table: PairwiseTable, pair: Pair) -> str:
    if pair.effect == 0:
        return "the means are equal"
    ahead = pair.a if pair.effect > 0 else pair.b
    low, high = (pair.low, pair.high) if pair.effect > 0 else (-pair.high, -pair.low)
    digits = decimals_for((high - low) / 2, pair.effect)
    sentence = f"the mean favors {ahead} by {amount(abs(pair.effect), digits)}"
    if math.isnan(low) or math.isnan(high):
        return sentence
    interval = f"{amount(low, digits)} to {amount(high, digits)}"
    return f"{sentence}, {100 * table.confidence:g}% interval for this pair alone {interval}"


def _n_pairs(table: PairwiseTable) -> int:
    m = len(table.systems)
    return m * (m - 1) // 2
