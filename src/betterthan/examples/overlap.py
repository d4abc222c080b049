"""Three metrics computed on the texts: character overlap, word edits, and length."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

CHARACTER_ORDERS = range(1, 7)
_RECALL_WEIGHT = 4.0  # beta = 2, squared


def character_f(output: str, reference: str) -> float:
    """Character n-gram F-score of one segment, 0 to 100: chrF2 without smoothing.

    Precision and recall are averaged over the orders 1 to 6 that both texts are long enough for; recall
    counts twice as much. Spaces do not count.

    Examples
    --------
    >>> character_f("The cat sat.", "The cat sat.")
    100.0
    >>> round(character_f("The cat.", "The cat sat."), 2)
    53.5
    """
    precision = recall = 0.0
    n_orders = 0
    for found, wanted in zip(_ngrams(output), _ngrams(reference), strict=True):
        if found and wanted:
            common = (found & wanted).total()
            precision += common / found.total()
            recall += common / wanted.total()
            n_orders += 1
    weighted = _RECALL_WEIGHT * precision + recall
    if not weighted:
        return 0.0
    return 100 * (1 + _RECALL_WEIGHT) * precision * recall / (weighted * n_orders)


def word_edit_rate(output: str, reference: str) -> float:
    """Word edits that turn an output into the reference, per 100 words of the reference; lower is better.

    An insertion, a deletion, a substitution and the swap of two neighbours count one edit each. Capitals do
    not count. TER allows for longer moves too; the systems of the example make none, so that the two differ
    only on a handful of segments where hardly a word is right.

    Examples
    --------
    >>> word_edit_rate("the sat cat there", "The cat sat")
    66.66666666666667
    """
    words, wanted = output.lower().split(), reference.lower().split()
    before: list[int] = []
    above = list(range(len(wanted) + 1))
    for i, word in enumerate(words):
        row = [i + 1]
        for j, target in enumerate(wanted):
            cost = min(above[j] + (word != target), above[j + 1] + 1, row[j] + 1)
            if i and j and word == wanted[j - 1] and words[i - 1] == target:
                cost = min(cost, before[j - 1] + 1)
            row.append(cost)
        before, above = above, row
    return 100 * above[-1] / len(wanted)


def length_ratio(output: str, reference: str) -> float:
    """Characters of the shorter text per character of the longer one, 0 to 1.

    Examples
    --------
    >>> length_ratio("abc", "abcdef"), length_ratio("abcdef", "abc")
    (0.5, 0.5)
    """
    return min(len(output), len(reference)) / max(len(output), len(reference))


@lru_cache(maxsize=16)
def _ngrams(text: str) -> tuple[Counter[str], ...]:
    letters = "".join(text.split())
    return tuple(
        Counter(letters[start : start + order] for start in range(len(letters) - order + 1))
        for order in CHARACTER_ORDERS
    )
