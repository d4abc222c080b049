"""An explanation in sentences: the verdict first, what to choose last.

Every number is read from the explanation's fields, and "significant" never stands without its level.
"""

from __future__ import annotations

import math

from betterthan.analysis.fragility import MEAN_SIGNIFICANCE, WINS_SIGNIFICANCE
from betterthan.analysis.wording import amount, counted, decimals_for, listing, p_of, share
from betterthan.results.explanation import Explanation, Flip, Mechanism, Slice

_FEW = 3
_SHOWN = 2


def sentences_of(found: Explanation) -> tuple[str, ...]:
    """Return the explanation in words, four to eight sentences."""
    if found.ties == found.n_segments:
        return _nothing_but_ties(found)
    parts = (_verdict, _wins_and_losses, _tests, _reason, _hangs_on, _reversals, _beliefs, _advice)
    return tuple(sentence for part in parts if (sentence := part(found)))


def _nothing_but_ties(found: Explanation) -> tuple[str, ...]:
    n = counted(found.n_segments, "segment")
    return (
        f"{found.a} and {found.b} have identical scores on all {n}.",
        "Mean, median and wins are level, and every test gives p = 1.",
        "No removal of segments changes that, and no slice reverses it.",
        "Only other segments, or a metric with finer steps, could show a difference.",
    )


def _claims(found: Explanation) -> tuple[str | None, str | None]:
    """Winner by mean and winner by wins, each None unless its test is significant."""
    mean, wins = found.mechanism("mean"), found.mechanism("bradley_terry")
    return (mean.winner if mean.is_significant else None, wins.winner if wins.is_significant else None)


def _better(found: Explanation) -> str:
    return "higher" if found.higher_is_better else "lower (better)"


def _other(found: Explanation, name: str) -> str:
    return found.b if name == found.a else found.a


def _verdict(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    level = f"significant at level {found.alpha:g}"
    if by_mean and by_mean == by_wins:
        loser, but = _other(found, by_mean), _but_median(found, by_mean)
        return f"{by_mean} is better than {loser} by mean and by wins, both {level}{but}."
    if by_mean and by_wins:
        return f"{by_mean} has the {_better(found)} mean, {by_wins} wins more often; both are {level}."
    if by_mean:
        return f"{by_mean} has the {_better(found)} mean, {level}; wins do not differ significantly."
    if by_wins:
        means = "means do not differ significantly" if found.mean_difference else "the means are equal"
        return f"{by_wins} wins more often, {level}; {means}."
    return (
        f"There is no significant difference between {found.a} and {found.b}, neither of means nor of wins, at level "
        f"{found.alpha:g}."
    )


def _but_median(found: Explanation, winner: str) -> str:
    median = found.mechanism("median").winner
    if median in (winner, None):
        return ""
    return f", though {median} has the {_better(found)} median"


def decimals(found: Explanation) -> int:
    """Decimals of differences of this pair: two digits of the half-width of the interval."""
    return decimals_for((found.high - found.low) / 2, found.mean_difference)


def _wins_and_losses(found: Explanation) -> str:
    # Told from the side that wins more often.
    turned = found.losses > found.wins
    name = found.b if turned else found.a
    wins, losses = (found.losses, found.wins) if turned else (found.wins, found.losses)
    won, lost = (found.mean_loss, found.mean_win) if turned else (found.mean_win, found.mean_loss)
    counts = (
        f"{name} wins {counted(wins, 'segment')}, loses {amount(losses, 0)} and ties {amount(found.ties, 0)}"
    )
    places = decimals(found)
    if math.isnan(lost):
        return f"{counts}; its wins average {amount(won, places)}."
    if lost > won:
        return f"{counts}, but its wins average {amount(won, places)} and its losses {amount(lost, places)}."
    return f"{counts}; its wins average {amount(won, places)}, its losses {amount(lost, places)}."


def _tests(found: Explanation) -> str:
    mean, wins = found.mechanism("mean"), found.mechanism("bradley_terry")
    counts = f"{amount(max(found.wins, found.losses), 0)} of {amount(found.wins + found.losses, 0)} decided segments"
    test = f"({counts}, sign test {p_of(wins.pvalue)})"
    if wins.winner is None:
        by_wins = f"the wins are level {test}"
    elif wins.winner == mean.winner:
        by_wins = f"so do the wins {test}"
    else:
        by_wins = f"the wins favour {wins.winner} {test}"
    if mean.winner is None:
        return f"The means are equal; {by_wins}."
    by = amount(abs(found.mean_difference), decimals(found))
    return f"The mean favours {mean.winner} by {by} {_interval(found, mean)}; {by_wins}."


def _interval(found: Explanation, mean: Mechanism) -> str:
    test = f"permutation test {p_of(mean.pvalue)}"
    if math.isnan(found.low):
        return f"({test})"
    ends = (found.low, found.high) if mean.winner == found.a else (-found.high, -found.low)
    low, high = (amount(end, decimals(found)) for end in ends)
    return f"({100 * (1 - found.alpha):g}% interval {low} to {high}, {test})"


_REASONS = {
    "outliers": "mean against median points at outliers: few segments with large differences carry the mean",
    "types of segments": (
        "median against wins points at types of segments, easy and hard ones, which only a comparison segment by "
        "segment sees past"
    ),
    "both": "median against both mean and wins points at outliers and types of segments together",
}
_RESTS_ON = {
    "outliers": ("mean",),
    "types of segments": ("bradley_terry",),
    "both": ("mean", "bradley_terry"),
}


def _reason(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    if by_mean and not by_wins and found.reason != "outliers":
        return "The difference lies in how large the wins and losses are, more than in how many."
    if found.reason == "none":
        return ""
    if found.reason == "unclear":
        return (
            "The medians are level, so they do not tell whether outliers or types of segments are behind it."
        )
    is_sure = all(found.mechanism(name).is_significant for name in _RESTS_ON[found.reason])
    doubt = "" if is_sure else "if that is more than chance, "
    by = amount(abs(found.median_difference), decimals(found))
    return f"The median favours {found.mechanism('median').winner} by {by}; {doubt}{_REASONS[found.reason]}."


def _hangs_on(found: Explanation) -> str:
    told = [
        _removals(found, "mean", "the mean, and {} its", MEAN_SIGNIFICANCE),
        _removals(found, "bradley_terry", "the wins, and {} their", WINS_SIGNIFICANCE),
    ]
    text = "; ".join(part for part in told if part)
    return text and f"{text[0].upper()}{text[1:]}."


def _removals(found: Explanation, name: str, pattern: str, significance: str) -> str:
    turn, undo = found.flip(name), found.flip(significance)
    if found.mechanism(name).winner is None:
        return ""
    start = "no removal turns" if turn.n_segments is None else f"removing {_removed(turn)} turns"
    if undo.n_segments is None:
        return f"{start} {pattern.partition(',')[0]}"
    at_most = "" if undo.is_exact else "at most "
    undoing = f"{at_most}{_removed(undo)} undo{'es' if undo.n_segments == 1 else ''}"
    return f"{start} {pattern.format(undoing)} significance at level {found.alpha:g}"


def _removed(flip: Flip) -> str:
    n = flip.n_segments or 0
    named = f"{listing(list(flip.segments))}; " if n <= _FEW else ""
    return f"{counted(n, 'segment')} ({named}{share(flip.share)})"


def _reversals(found: Explanation) -> str:
    if not found.n_slices or found.mechanism("mean").winner is None:
        return ""
    n, level = amount(found.n_slices, 0), f"at level {found.alpha:g} after adjustment"
    if not found.slices:
        return f"The order of the means is the same in all {n} slices looked at."
    sure = [part for part in found.slices if part.is_significant]
    if math.isnan(found.slices[0].pvalue):
        return (
            f"The order of the means is reversed in {amount(len(found.slices), 0)} of {n} slices, most in "
            f"{_named(found.slices[0])}; single documents cannot be tested where documents are the units."
        )
    if not sure:
        clearest = f"most clearly in {_named(found.slices[0])}"
        return (
            f"The order of the means is reversed in {amount(len(found.slices), 0)} of {n} slices, {clearest}, but "
            f"nowhere significantly {level}."
        )
    named = [_led(found, part) for part in sure[:_SHOWN]]
    more = [f"{amount(len(sure) - _SHOWN, 0)} more"] if len(sure) > _SHOWN else []
    over = (
        f" for {n} slices" if found.units == "segments" else ""
    )  # single documents are not among those tested
    return f"The order of the means is reversed in {listing(named + more)}, significantly {level}{over}."


def _named(part: Slice, *facts: str) -> str:
    what = f"group {part.value}" if part.by == "group" else f"the {part.value} by {part.by}"
    inside = [part.limits, counted(part.n_segments, "segment"), *facts]
    return f"{what} ({', '.join(fact for fact in inside if fact)})"


def _led(found: Explanation, part: Slice) -> str:
    by = amount(abs(part.effect), decimals_for((found.high - found.low) / 2, part.effect))
    return _named(part, f"{part.winner} by {by}", p_of(part.adjusted))


def _beliefs(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    if not by_mean or not by_wins or by_mean == by_wins:
        return ""
    fewer, decided = min(found.wins, found.losses), found.wins + found.losses
    return (
        f"The scores cannot say which is right: siding with the mean is to believe that the better system may win "
        f"only {amount(fewer, 0)} of {amount(decided, 0)} decided segments, siding with the wins that a large loss "
        f"counts no more than a small one."
    )


def _advice(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    if by_mean and by_mean == by_wins:
        return f"Whether sizes are weighed or segments counted, choose {by_mean}."
    if by_mean or by_wins:
        counting = f"choose {by_wins}" if by_wins else "the data do not decide"
        weighing = f"choose {by_mean}" if by_mean else "the data do not decide"
        return (
            f"If every segment counts the same, {counting}; if the size of a difference matters, {weighing}."
        )
    unit = "segments" if found.units == "segments" else "documents"
    if found.n_needed is None or found.n_needed <= found.n_units:
        return f"The data do not decide between the two, which does not show that they are equal; gather more {unit}."
    return (
        f"The data do not decide between the two, which does not show that they are equal: about "
        f"{_rounded(found.n_needed)} {unit} would show a mean difference of this size four times out of five."
    )


def _rounded(n: int) -> str:
    """Two digits, because no more are known."""
    return amount(round(n, 2 - len(str(n))), 0) if n > 99 else amount(n, 0)
