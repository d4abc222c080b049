"""Why do two systems compare as they do by a score of summed counts, and do all aggregations agree?

In the sentences the verdict comes first and the recommendation last; every number is read from the explanation's
fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.pairs.pairwise import TEST_RESAMPLES, edge_note
from betterthan.analysis.rank.aggregate import LONGEST, length_weights
from betterthan.analysis.rank.bootstrap_mean import bootstrap_mean
from betterthan.analysis.rank.rank_scores import pairs_of_counts
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.units import UnitName, units_of
from betterthan.analysis.wording import amount, counted, decimals_for, listing, share
from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import TableError, unknown_name
from betterthan.kernels.influence.influence import leave_one_out_scores, n_largest
from betterthan.results.explanation import Aggregation, CountsExplanation, Mover
from betterthan.results.pairwise import PairwiseTable, equals_p
from betterthan.results.settings import Settings
from betterthan.tables.counts import Counts

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
    """Return "A by 0.52", or "neither"."""
    if math.isnan(effect) or effect == 0:
        return "neither"
    return f"{found.a if effect > 0 else found.b} by {amount(abs(effect), decimals(found))}"


def _verdict(found: CountsExplanation) -> str:
    winners = {way.winner for way in found.aggregations}
    if winners == {None}:
        return f"{found.a} and {found.b} are equal by all three aggregations."
    if len(winners) == 1:
        winner = winners.pop()
        loser = found.b if winner == found.a else found.a
        return f"{winner} is ahead of {loser} by all three aggregations."
    told = [f"{_NAMES[way.name]} favors {way.winner or 'neither'}" for way in found.aggregations]
    start = (
        "The aggregations disagree: " if found.disagree else "The aggregations do not all favor one system: "
    )
    return f"{start}{listing(told)}."


def _tests(found: CountsExplanation) -> str:
    first, second = found.aggregation("pooled"), found.aggregation("segment_mean")
    told = [_tested_sentence(found, way) for way in (first, second)]
    drawn = found.aggregation("bootstrap_mean")
    third = f"the mean of bootstrap corpora favors {_lead(found, drawn.effect)}"
    return f"{told[0][0].upper()}{told[0][1:]}; {told[1]}; {third}."


def _tested_sentence(found: CountsExplanation, way: Aggregation) -> str:
    verdict = "" if way.is_significant else "not "
    return (
        f"{_NAMES[way.name]} favors {_lead(found, way.effect)} ({equals_p(way.pvalue)}, {verdict}significant at level "
        f"{found.alpha:g})"
    )


def _weights(found: CountsExplanation) -> str:
    if not found.length:
        return ""
    return (
        f"Pooling weights segments by length ({found.length}): the effective sample size is "
        f"{amount(found.effective_segments, 0)} of {counted(found.n_segments, 'segment')}, and the longest tenth "
        f"carries {share(found.longest_tenth)} of the weight."
    )


def _long(found: CountsExplanation) -> str:
    if not found.length or math.isnan(found.effect_of_rest):
        return ""
    unit = "" if found.length == "lengths given" else f" {found.length}"
    least = f"{amount(found.shortest_of_longest, 0)}{unit}"
    start = (
        "Long segments decide the result"
        if found.long_segments_decide
        else "Long segments do not decide the result"
    )
    return (
        f"{start}: the longest tenth ({least} or more) alone favors {_lead(found, found.effect_of_longest)}, "
        f"the rest favors {_lead(found, found.effect_of_rest)}."
    )


def _moved(found: CountsExplanation) -> str:
    if not found.movers:
        return ""
    first = found.movers[0]
    others = [mover.segment for mover in found.movers[1:_SHOWN]]
    then = f"; next are {listing(others)}" if others else ""
    without = _lead(found, first.effect_without)
    pooled = _lead(found, found.aggregation("pooled").effect)
    return (
        f"Segment {first.segment} influences the pooled difference most: it favors {pooled} with this segment and "
        f"{without} without it{then}."
    )


def _turned(found: CountsExplanation) -> str:
    if found.aggregation("pooled").winner is None:
        return ""
    if found.n_to_turn is None:
        return "Removing the segments that favor the leader most does not reverse the order of the pooled scores."
    n = found.n_to_turn
    removed = f"{counted(n, 'segment')} ({share(n / found.n_segments)})"
    return f"Removing {removed} is enough to reverse the order of the pooled scores."


def _advice(found: CountsExplanation) -> str:
    pooled, means = found.aggregation("pooled"), found.aggregation("segment_mean")
    by_word = pooled.winner if pooled.is_significant else None
    by_segment = means.winner if means.is_significant else None
    if by_word and by_word == by_segment:
        return f"Choose {by_word}, whether segments are weighted by length or equally."
    if not by_word and not by_segment:
        return "The data are inconclusive, which does not show that the systems are equal; collect more segments."
    first, second = (
        f"choose {name}" if name else "the data are inconclusive" for name in (by_word, by_segment)
    )
    return f"If segments are weighted by length, {first}; if they count equally, {second}."


N_MOVERS = 10
_TIE = 1e-12
LengthsArgument = Sequence[float] | Mapping[str, float] | None


class _Lengths(NamedTuple):
    """The lengths of the pair's segments as far as they are known; NaN and "" otherwise."""

    name: str
    of_segment: FloatArray
    weight: FloatArray
    effective_segments: float
    gini: float
    longest_tenth: float


class _Tails(NamedTuple):
    shortest_of_longest: float
    effect_of_longest: float
    effect_of_rest: float


def explain_counts(
    counts: Counts,
    a: str,
    b: str,
    *,
    alpha: float,
    lengths: LengthsArgument,
    size: int,
    rng: Rng,
    missing: str = "raise",
    units: UnitName = "auto",
) -> CountsExplanation:
    """Compare a pair under the three aggregations; see :func:`betterthan.explain`."""
    pair = _pair(counts, a, b)
    options = RankOptions(confidence=1 - alpha, size=size, missing=missing, units=units)
    resampling = Resampling.of(rng)
    side = 1.0 if counts.higher_is_better else -1.0
    pooled = pairs_of_counts(pair, options, resampling)
    ways = _aggregations(pair, pooled, options, resampling, side, alpha)
    known, note = _known_lengths(pair, lengths)
    tails = _tails(pair, known, side)
    movers, n_to_turn = _movers(pair, known, side)
    winners = {way.winner for way in ways} - {None}
    silent = CountsExplanation(
        a=a,
        b=b,
        metric=counts.name,
        higher_is_better=counts.higher_is_better,
        alpha=alpha,
        n_segments=pair.n_segments,
        aggregations=ways,
        disagree=len(winners) > 1,
        length=known.name,
        effective_segments=known.effective_segments,
        gini=known.gini,
        longest_tenth=known.longest_tenth,
        **tails._asdict(),
        long_segments_decide=ways[0].effect * tails.effect_of_rest < 0,
        movers=movers,
        n_to_turn=n_to_turn,
        sentences=(),
        notes=(*edge_note(pooled), *counts.notes, *note),
        settings=_settings(counts, pair, options, resampling.seed, alpha),
        unit_note=pooled.unit_note,
        undecidable=pooled.undecidable,
    )
    return replace(silent, sentences=sentences_of(silent))


def _pair(counts: Counts, a: str, b: str) -> Counts:
    for name in (a, b):
        if name not in counts.systems:
            raise unknown_name("system", name, counts.systems)
    if a == b:
        raise TableError(f'"{a}" is named twice. Name two different systems of {", ".join(counts.systems)}.')
    return counts.select([a, b])


def _aggregations(
    pair: Counts,
    pooled: PairwiseTable,
    options: RankOptions,
    resampling: Resampling,
    side: float,
    alpha: float,
) -> tuple[Aggregation, ...]:
    segments = pair.per_segment().complete(missing=options.missing)  # type: ignore[arg-type]  # checked by the options
    means = compare(
        segments,
        test="permutation",
        alpha=alpha,
        confidence=options.confidence,
        rng=resampling.seed,
        correction="none",
        units=options.units,
    )
    drawn = bootstrap_mean(pair, options, resampling)
    effect = side * float(drawn.mean[0] - drawn.mean[1])
    found = pooled.pair(*pair.systems)
    turned = effect * found.effect < 0
    contrast = np.array([1.0, -1.0])
    half = -float(stdtrit(max(drawn.n_units - 1, 1), alpha / 2)) * _root(
        contrast @ drawn.covariance @ contrast
    )
    return (
        _tested(pair, "pooled", pair.pooled(), pooled, alpha),
        _tested(pair, "segment_mean", segments.values.mean(axis=1), means, alpha),
        _way(
            pair,
            "bootstrap_mean",
            drawn.mean,
            (effect, effect - half, effect + half),
            ("permutation, pooled", 1.0 if turned else found.pvalue),
            alpha,
        ),
    )


def _root(variance: float) -> float:
    return math.sqrt(variance) if variance >= 0 else math.nan


def _tested(pair: Counts, name: str, scores: FloatArray, table: PairwiseTable, alpha: float) -> Aggregation:
    found = table.pair(*pair.systems)
    return _way(pair, name, scores, (found.effect, found.low, found.high), (table.test, found.pvalue), alpha)


def _way(
    pair: Counts,
    name: str,
    scores: FloatArray,
    difference: tuple[float, float, float],
    test: tuple[str, float],
    alpha: float,
) -> Aggregation:
    effect, low, high = difference
    is_level = abs(effect) <= _TIE * float(np.abs(scores).max())
    return Aggregation(
        name=name,
        score_a=float(scores[0]),
        score_b=float(scores[1]),
        winner=None if is_level else pair.systems[0 if effect > 0 else 1],
        effect=effect,
        low=low,
        high=high,
        test=test[0],
        pvalue=test[1],
        is_significant=test[1] <= alpha,
    )


def _known_lengths(pair: Counts, lengths: LengthsArgument) -> tuple[_Lengths, tuple[str, ...]]:
    try:
        found = length_weights(pair, lengths=lengths)
    except TableError as error:
        if lengths is not None:
            raise
        nothing = np.full(pair.n_segments, math.nan)
        return _Lengths("", nothing, nothing, math.nan, math.nan, math.nan), (error.text,)
    return (
        # The weights depend on the lengths of each system's outputs; the mean of the two is reported.
        _Lengths(
            found.length,
            found.lengths.mean(axis=0),
            found.pooled.mean(axis=0),
            float(found.effective_segments.mean()),
            float(found.gini.mean()),
            float(found.longest_tenth.mean()),
        ),
        (),
    )


def _effect(pair: Counts, rows: BoolArray, side: float) -> float:
    """Pooled difference of some segments; NaN where there are none or they have no score."""
    if not rows.any():
        return math.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = np.asarray(pair.formula.pooled(pair.values[:, rows].sum(axis=1)), dtype=np.float64)
    return side * float(first - second)


def _tails(pair: Counts, known: _Lengths, side: float) -> _Tails:
    """The longest tenth and the rest by themselves; equal lengths go by the segment's name."""
    if not known.name:
        return _Tails(math.nan, math.nan, math.nan)
    many = n_largest(pair.n_segments, LONGEST)
    ranked = sorted(range(pair.n_segments), key=lambda i: (-known.of_segment[i], pair.segments[i]))
    longest = np.zeros(pair.n_segments, dtype=bool)
    longest[ranked[:many]] = True
    return _Tails(
        float(known.of_segment[ranked[many - 1]]),
        _effect(pair, longest, side),
        _effect(pair, ~longest, side),
    )


def _movers(pair: Counts, known: _Lengths, side: float) -> tuple[tuple[Mover, ...], int | None]:
    without = side * leave_one_out_scores(pair.values, formula=pair.formula.pooled)
    goodness = side * pair.pooled()
    effect = float(goodness[0] - goodness[1])
    left = without[0] - without[1]
    change = effect - left
    size = np.where(np.isnan(change), -1.0, np.abs(change))
    ranked = sorted(range(pair.n_segments), key=lambda i: (-size[i], pair.segments[i]))
    movers = tuple(
        Mover(
            segment=pair.segments[i],
            effect_without=float(left[i]),
            change=float(change[i]),
            weight=float(known.weight[i]),
        )
        for i in ranked[:N_MOVERS]
        if size[i] > 0
    )
    return movers, _turning(pair, effect, change, side)


def _turning(pair: Counts, effect: float, change: FloatArray, side: float) -> int | None:
    """How many segments must go, those that add most to the lead first, until the other system leads."""
    toward = np.sign(effect) * np.where(np.isnan(change), -np.inf, change)
    ranked = sorted(range(pair.n_segments), key=lambda i: (-toward[i], pair.segments[i]))
    totals = pair.values.sum(axis=1, keepdims=True)
    rest = totals - np.cumsum(pair.values[:, ranked], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = side * np.asarray(pair.formula.pooled(rest[:, :-1]), dtype=np.float64)
    turned = np.flatnonzero((scores[0] - scores[1]) * np.sign(effect) < -_TIE * np.abs(scores).max(axis=0))
    return int(turned[0]) + 1 if turned.size else None


def _settings(counts: Counts, pair: Counts, options: RankOptions, seed: int, alpha: float) -> Settings:
    return Settings(
        method="explain",
        options={
            "pair": ",".join(pair.systems),
            "score": counts.formula.name,
            "units": units_of(pair, options.units).name,
            "alpha": alpha,
            "size": options.size,
            "p": str(TEST_RESAMPLES),
        },
        data=counts.digest,
        seed=seed,
        n_systems=counts.n_systems,
        n_segments=pair.n_segments,
    )
