"""An explanation of counts in sentences: the verdict first, what to choose last.

Every number is read from the explanation's fields, and "significant" never stands without its level.
"""

from __future__ import annotations

import math

from betterthan.analysis.wording import amount, counted, decimals_for, listing, p_of, share
from betterthan.results.counts_explanation import Aggregation, CountsExplanation

_NAMES = {
    "pooled": "the pooled score",
    "segment_mean": "the mean of segments",
    "bootstrap_mean": "the mean of bootstrap corpora",
}
_SHOWN = 3


def sentences_of(found: CountsExplanation) -> tuple[str, ...]:
    """Return the explanation in words."""
    parts = (_verdict, _tests, _weights, _long, _moved, _turned, _advice)
    return tuple(sentence for part in parts if (sentence := part(found)))


def decimals(found: CountsExplanation) -> int:
    """Decimals of differences of this pair: two digits of the half-width of the pooled interval."""
    pooled = found.aggregation("pooled")
    return decimals_for((pooled.high - pooled.low) / 2, pooled.effect)


def _lead(found: CountsExplanation, effect: float) -> str:
    """Return "A by 0.52", or "nobody"."""
    if math.isnan(effect) or effect == 0:
        return "nobody"
    return f"{found.a if effect > 0 else found.b} by {amount(abs(effect), decimals(found))}"


def _verdict(found: CountsExplanation) -> str:
    winners = {way.winner for way in found.aggregations}
    if winners == {None}:
        return f"{found.a} and {found.b} are level by all three aggregations."
    if len(winners) == 1:
        return f"{winners.pop()} leads by all three aggregations."
    told = [f"{_NAMES[way.name]} favours {way.winner or 'nobody'}" for way in found.aggregations]
    start = (
        "The aggregations disagree: " if found.disagree else "The aggregations do not all favour one system: "
    )
    return f"{start}{listing(told)}."


def _tests(found: CountsExplanation) -> str:
    first, second = found.aggregation("pooled"), found.aggregation("segment_mean")
    told = [_tested(found, way) for way in (first, second)]
    drawn = found.aggregation("bootstrap_mean")
    return f"{told[0][0].upper()}{told[0][1:]}; {told[1]}; the mean of bootstrap corpora {_lead(found, drawn.effect)}."


def _tested(found: CountsExplanation, way: Aggregation) -> str:
    verdict = "" if way.is_significant else "not "
    return (
        f"{_NAMES[way.name]} favours {_lead(found, way.effect)} ({p_of(way.pvalue)}, {verdict}significant at level "
        f"{found.alpha:g})"
    )


def _weights(found: CountsExplanation) -> str:
    if not found.length:
        return ""
    return (
        f"Pooling weighs segments by length ({found.length}): the {counted(found.n_segments, 'segment')} weigh as "
        f"{amount(found.effective_segments, 0)} of equal length would, and the longest tenth carries "
        f"{share(found.longest_tenth)} of the weight."
    )


def _long(found: CountsExplanation) -> str:
    if not found.length or math.isnan(found.effect_of_rest):
        return ""
    unit = "" if found.length == "lengths given" else f" {found.length}"
    least = f"{amount(found.shortest_of_longest, 0)}{unit}"
    start = "Long segments decide" if found.long_segments_decide else "Long segments do not decide"
    return (
        f"{start}: the longest tenth ({least} or more) alone favours {_lead(found, found.effect_of_longest)}, "
        f"all others {_lead(found, found.effect_of_rest)}."
    )


def _moved(found: CountsExplanation) -> str:
    if not found.movers:
        return ""
    first = found.movers[0]
    others = [mover.segment for mover in found.movers[1:_SHOWN]]
    then = f"; then come {listing(others)}" if others else ""
    without = _lead(found, first.effect_without)
    pooled = _lead(found, found.aggregation("pooled").effect)
    return f"Segment {first.segment} moves the pooled difference most: {without} without it, {pooled} with it{then}."


def _turned(found: CountsExplanation) -> str:
    if found.aggregation("pooled").winner is None:
        return ""
    if found.n_to_turn is None:
        return "No removal of its strongest segments turns the pooled score."
    n = found.n_to_turn
    return f"Removing at most {counted(n, 'segment')} ({share(n / found.n_segments)}) turns the pooled score."


def _advice(found: CountsExplanation) -> str:
    pooled, means = found.aggregation("pooled"), found.aggregation("segment_mean")
    by_word = pooled.winner if pooled.is_significant else None
    by_segment = means.winner if means.is_significant else None
    if by_word and by_word == by_segment:
        return f"Whether every unit of length or every segment counts the same, choose {by_word}."
    if not by_word and not by_segment:
        return "The data do not decide between the two, which does not show that they are equal; gather more segments."
    first, second = (f"choose {name}" if name else "the data do not decide" for name in (by_word, by_segment))
    return f"If every unit of length counts the same, {first}; if every segment does, {second}."
