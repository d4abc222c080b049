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
from betterthan.report.inputs import Inputs
from betterthan.report.wording import LOST, corrected, count, equals_p
from betterthan.results.explanation import Explanation
from betterthan.results.pairwise import Pair, PairwiseTable

# Which test of all pairs belongs to which claim of an explanation.
_TESTS = {"mean": ("permutation", "mean"), "bradley_terry": ("sign", "wins")}


class Standing(NamedTuple):
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


def standing(pair: Explanation, tests: Mapping[str, PairwiseTable], documents: int | None) -> Standing:
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
    first, *rest = pair.sentences
    counts, undecidable = rest[0], tests["permutation"].undecidable
    if documents is not None:
        decision = decided(tests["permutation"], pair.a, pair.b, documents)
        if _n_pairs(tests["permutation"]) == 1:
            return Standing(f"{decision} {counts}", decision, pair.sentences)
        # The last sentence says what to choose, also by wins, which are not corrected for all pairs here.
        words = (f"For this pair alone: {first}", *rest[:-1])
        return Standing(f"{decision} {counts}", decision, words)
    lost = lost_claims(pair, tests)
    n_pairs = _n_pairs(tests["permutation"])
    adjusted = tests["permutation"].pair(pair.a, pair.b).adjusted
    if undecidable and not lost:
        return Standing(f"{undecidable} {counts}", f"{undecidable} {first}", tuple(rest))
    if not lost:
        return Standing(f"{first} {counts}{corrected(adjusted, n_pairs)}", first, tuple(rest))
    alone = f"Taken alone, {first}"
    return Standing(
        f"{alone} {counts} {_left(pair, lost, n_pairs)}", alone, (*rest[:-1], _left(pair, lost, n_pairs))
    )


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
    kept = [
        name
        for mechanism, (_, name) in _TESTS.items()
        if pair.mechanism(mechanism).is_significant and name not in lost
    ]
    if kept:
        return (
            f"{start}; only the {kept[0]} still {'differs' if kept[0] == 'mean' else 'differ'} significantly."
        )
    return f"{start}, so that nothing is decided between {pair.a} and {pair.b}."


def decided(table: PairwiseTable, a: str, b: str, documents: int) -> str:
    """Say what documents as units decide about a pair."""
    found, n_pairs = table.pair(a, b), _n_pairs(table)
    tested = f"{table.test} test over {count(documents)} documents, {equals_p(found.pvalue)}"
    tested += f"; corrected for all {count(n_pairs)} pairs, {equals_p(found.adjusted)}" if n_pairs > 1 else ""
    if found.verdict is not None:
        other = b if found.verdict == a else a
        said = f"With documents as units, {found.verdict} is better than {other} by mean"
        return f"{said}, significant at level {table.alpha:g}: {_size(table, found)} ({tested})."
    lost = f" The pair is {LOST}." if n_pairs > 1 and found.pvalue <= table.alpha else ""
    said = f"With documents as units, {a} and {b} do not differ significantly at level {table.alpha:g}"
    if table.undecidable:
        said = f"With documents as units, nothing can be decided between {a} and {b}. {table.undecidable} For this pair"
    return f"{said}: {_size(table, found)} ({tested}).{lost}"


def _size(table: PairwiseTable, found: Pair) -> str:
    if found.effect == 0:
        return "the means are equal"
    ahead = found.a if found.effect > 0 else found.b
    low, high = (found.low, found.high) if found.effect > 0 else (-found.high, -found.low)
    digits = decimals_for((high - low) / 2, found.effect)
    said = f"the mean favours {ahead} by {amount(abs(found.effect), digits)}"
    if math.isnan(low) or math.isnan(high):
        return said
    interval = f"{amount(low, digits)} to {amount(high, digits)}"
    return f"{said}, {100 * table.confidence:g}% interval for this pair alone {interval}"


def _n_pairs(table: PairwiseTable) -> int:
    m = len(table.systems)
    return m * (m - 1) // 2
