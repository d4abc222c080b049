"""Why one of two systems is right more often: the words for scores that are only 0 and 1.

Medians, sizes of wins and outliers mean nothing there. All that counts is on how many segments only one is right.
"""

from __future__ import annotations

import math

from betterthan.analysis.wording import amount, counted, share
from betterthan.results.explanation import Explanation, Flip
from betterthan.results.pairwise import equals_p


def outcome_sentences(found: Explanation, *, slices: str, needed: str) -> tuple[str, ...]:
    """Return the explanation in words.

    Parameters
    ----------
    found : Explanation
        With `both_right`.
    slices : str
        The sentence on parts of the test set; may be empty.
    needed : str
        What to do where the data do not decide.
    """
    parts = (_verdict(found), _counts(found), _removals(found), slices, _advice(found, needed))
    return tuple(sentence for sentence in parts if sentence)


def test_of_outcomes(found: Explanation) -> str:
    """Return the name of the test of who is right more often."""
    return "McNemar's exact test" if found.units == "segments" else "permutation test of documents"


def _verdict(found: Explanation) -> str:
    mean, both = found.mechanism("mean"), found.both_right or 0
    n = max(found.n_segments, 1)
    of_a, of_b = (_percent(both + only, n) for only in (found.wins, found.losses))
    ends = f"{100 * (1 - found.alpha):g}% CI {_points(found.low)} to {_points(found.high)}, "
    numbers = (
        f"difference {_points(found.mean_difference)} points, {'' if math.isnan(found.low) else ends}"
        f"{equals_p(mean.pvalue)}, {test_of_outcomes(found)}"
    )
    shares = f"{found.a} is right on {of_a} and {found.b} on {of_b} of {counted(found.n_segments, 'segment')}"
    is_sure = mean.winner is not None and mean.is_significant
    verdict = "a significant difference" if is_sure else "no significant difference"
    return f"{shares}: {verdict} at level {found.alpha:g} ({numbers})."


def _counts(found: Explanation) -> str:
    # The one that is right more often first, whichever was named first.
    turned = found.losses > found.wins
    first, second = (found.b, found.a) if turned else (found.a, found.b)
    more, fewer = max(found.wins, found.losses), min(found.wins, found.losses)
    return (
        f"Both are right on {counted(found.both_right or 0, 'segment')}, only {first} on {amount(more, 0)}, only "
        f"{second} on {amount(fewer, 0)}, and neither on {amount(found.both_wrong or 0, 0)}."
    )


def _removals(found: Explanation) -> str:
    if found.mechanism("mean").winner is None:
        return "Each of the two alone is right on equally many segments."
    flip, undo = found.flip("mean"), found.flip("significance of the mean")
    text = (
        "No removal of segments would reverse the order"
        if flip.n_segments is None
        else f"Removing {_removed(flip)} would reverse the order"
    )
    if undo.n_segments is None:
        return f"{text}."
    make = "make" if undo.is_exact else "be enough to make"
    return f"{text}; removing {_removed(undo)} would {make} it non-significant at level {found.alpha:g}."


def _removed(flip: Flip) -> str:
    return f"{counted(flip.n_segments or 0, 'segment')} ({share(flip.share)})"


def _advice(found: Explanation, needed: str) -> str:
    mean = found.mechanism("mean")
    return f"Choose {mean.winner}." if mean.winner and mean.is_significant else needed


def _percent(count: int, n: int) -> str:
    return f"{100 * count / n:.1f}%"


def _points(difference: float) -> str:
    """Return a difference of shares in percentage points."""
    return amount(100 * difference, 1)
