"""Comparison of systems that ran several times: for other items and other runs.

One score for each item of each system from its runs: the mean, pass@k or pass^k.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.compare.decide import ComparisonOptions, decide, direction_note
from betterthan.analysis.pairs.effects import (
    EFFECTS,
    EffectOptions,
    PairScores,
    clustered_mean_differences,
)
from betterthan.analysis.pairs.pairwise import PairFindings, PairOptions, pairwise_table
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.units import Units, few_units_note, units_of
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.kernels.runs.components import all_of, pass_at
from betterthan.kernels.runs.limits import (
    RunMoments,
    joined_limits,
    joined_pvalue,
    pair_run_variance,
    run_effect_pvalue,
    run_moments,
)
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

_PASS = re.compile(r"pass([@^])([1-9][0-9]{0,5})").fullmatch


class PassRule(NamedTuple):
    """One of k runs is right ("@"), or all of them ("^")."""

    name: str
    sign: str
    k: int


def pass_rule(by: object) -> PassRule | None:
    """Return the rule that "pass@5" or "pass^5" names; None for other aggregations.

    Examples
    --------
    >>> pass_rule("pass@5"), pass_rule("mean")
    (PassRule(name='pass@5', sign='@', k=5), None)
    """
    match = _PASS(by) if isinstance(by, str) else None
    return None if match is None else PassRule(match[0], match[1], int(match[2]))


def pass_scores(runs: Runs, rule: PassRule) -> Scores:
    """Return pass@k or pass^k of each item.

    Raises
    ------
    TableError
        When scores are not 0 and 1, lower is better, or an item has fewer than k runs.
    """
    if not ((runs.score == 0) | (runs.score == 1)).all() or not runs.higher_is_better:
        raise TableError(
            f'{rule.name} counts runs that are right: "{runs.name}" must be 1 for right and 0 for wrong.'
        )
    shape = (runs.n_systems, runs.n_segments)
    cell = runs.system * shape[1] + runs.segment
    size = shape[0] * shape[1]
    right = np.bincount(cell, weights=runs.score, minlength=size).reshape(shape)
    count = np.bincount(cell, minlength=size).reshape(shape)
    few = (count > 0) & (count < rule.k)
    if few.any():
        a, i = (int(place) for place in np.argwhere(few)[0])
        raise TableError(
            f"{rule.name} needs {rule.k} runs of every item; {int(few.sum()):,} have fewer, such as "
            f'item "{runs.segments[i]}" of {runs.systems[a]}, with {int(count[a, i])}.'
        )
    estimate = pass_at if rule.sign == "@" else all_of
    return runs.with_values(np.where(count > 0, estimate(right, count, rule.k), np.nan))


Over = Literal["items and runs", "items", "runs"]
_CLEARLY = 0.01  # below this p-value runs are not taken as independent draws, whatever their column is called


class RunsDesign(NamedTuple):
    """What an answer about runs generalizes to.

    Attributes
    ----------
    runs : Runs
        Without the items that some system lacks.
    scores : Scores
        One score for each item of each system.
    over : {"items and runs", "items", "runs"}
        What varies. With "items" the comparison is that of the scores.
    method : str
        "mean", "pass@5", …
    moments : RunMoments
    notes : tuple of str
    unit_note : str
    """

    runs: Runs
    scores: Scores
    over: Over
    method: str
    moments: RunMoments
    notes: tuple[str, ...]
    unit_note: str = ""


def design_of(runs: Runs, over: str, by: object, missing: str) -> RunsDesign:
    """Decide what an answer generalizes to.

    Runs that were drawn independently for every item need no variance of their own: it is part of that of the item
    means. A single run of each system shows nothing of other runs.

    Raises
    ------
    TableError
        When only runs shall vary and no system has several.
    """
    if over not in get_args(Over):
        raise unknown_name("over", over, get_args(Over))
    rule = pass_rule(by)
    if rule is not None and over == "runs":
        raise _refused(Option("over", over), Option("by", rule.name))
    whole = _complete(runs, missing)
    moments = _moments(whole)
    scores = whole.to_scores() if rule is None else pass_scores(whole, rule)
    method = "mean" if rule is None else rule.name
    design = RunsDesign(whole, scores, over, method, moments, _uneven(whole))  # type: ignore[arg-type]  # one of them
    if rule is not None or over == "items":
        if rule is not None and over == "runs":
            raise _refused(Option("over", over), Option("by", rule.name))
        note = (
            f"Each item's {method} is over its runs ({whole.runs_in_words}); intervals are for other items."
        )
        return design._replace(over="items", notes=(*design.notes, note))
    if np.isnan(moments.between).all():
        if over == "runs":
            raise TableError("Each system has one run, so nothing is known of other runs.")
        note = "Each system has one run: intervals are for other items, and nothing is known of other runs."
        return design._replace(over="items", notes=(note, *design.notes))
    if over == "items and runs" and runs.independent and not run_effect_pvalue(moments) < _CLEARLY:
        note = (
            f"Runs ({whole.runs_in_words}) are taken as independent draws for every item, as their column is named; "
            f"intervals are for other items and other draws."
        )
        return design._replace(over="items", notes=(*design.notes, note))
    return design._replace(unit_note=_unit_note(design), notes=(*design.notes, *_without_repeats(design)))


def _complete(runs: Runs, missing: str) -> Runs:
    """Return the items that every system has; some of their runs may be missing."""
    if missing not in ("raise", "drop"):
        raise _refused(Option("missing", missing), Option("over", "items and runs"))
    scores = runs.to_scores()
    kept = set(scores.complete(missing=missing).segments)  # type: ignore[arg-type]  # one of the two
    gone = [name for name in runs.segments if name not in kept]
    return runs.without_segments(gone, because="because a system has no score there") if gone else runs


def _moments(runs: Runs) -> RunMoments:
    shape = (runs.n_systems, runs.n_segments, len(runs.runs))
    return run_moments(runs.system, runs.segment, runs.run, runs.goodness, shape=shape)


def _uneven(runs: Runs) -> tuple[str, ...]:
    if runs.is_balanced:
        return ()
    cell = np.bincount(runs.system * runs.n_segments + runs.segment)
    count = cell[cell > 0]
    if count.min() == count.max():
        return ()
    return (f"Items have {count.min()} to {count.max()} runs; each item counts once, whatever its runs.",)


def _without_repeats(design: RunsDesign) -> tuple[str, ...]:
    single = [
        name
        for name, between in zip(design.runs.systems, design.moments.between.tolist(), strict=True)
        if np.isnan(between)
    ]
    if not single:
        return ()
    return (
        f"{some_of(single)}: no repeated runs, so the variance between runs is that of the other systems.",
    )


def _unit_note(design: RunsDesign) -> str:
    runs = design.runs
    n_items = f"{runs.n_segments:,} items, " if design.over == "items and runs" else ""
    return f"Unit: {n_items}{runs.runs_in_words}."


def _refused(given: Option, why: Option) -> BetterThanError:
    return BetterThanError(
        Message("{given} cannot be combined with {why}. Leave out one of the two.", given=given, why=why)
    )


def refuse_without_runs(table: object, over: str, by: object) -> None:
    """Raise when `over`, pass@k or pass^k was given for a table without runs."""
    if isinstance(table, Runs):
        return
    if over != "items and runs":
        raise BetterThanError(
            Message(
                "{over} is for repeated runs. Leave it out, or name the column of runs with {run}.",
                over=Option("over", over),
                run=Option("run", COLUMN),
            )
        )
    if pass_rule(by) is not None:
        raise BetterThanError(
            Message(
                "{by} needs several runs of each item. Name the column that numbers them with {run}.",
                by=Option("by", by),
                run=Option("run", COLUMN),
            )
        )


def refuse_of_items(usual: Mapping[str, tuple[object, ...]], given: Mapping[str, object]) -> None:
    """Raise when an option was given that belongs to the means over these runs.

    Parameters
    ----------
    usual : mapping of str to tuple
        For each option the values that have no effect.
    given : mapping of str to object
    """
    for name, values in usual.items():
        if given[name] not in values:
            value = getattr(given[name], "__name__", given[name])
            raise BetterThanError(
                Message(
                    "{option} does not apply where other runs count as well. Leave it out, or use {items} to compare "
                    "the means over these runs.",
                    option=Option(name, value),
                    items=Option("over", "items"),
                )
            )


def compare_runs(
    runs: Runs,
    over: str,
    comparison: ComparisonOptions,
    options: PairOptions,
    resampling: Resampling,
    *,
    ranked: RankOptions,
) -> PairwiseTable:
    """Compare every pair of systems by the mean over runs, by pass@k, or by the means over these runs."""
    design = design_of(runs, over, comparison.by, comparison.missing)
    if design.method != "mean":
        comparison, ranked = replace(comparison, by="mean"), replace(ranked, by="mean")
    pairs = decide_runs(design, comparison, options, resampling, ranked=ranked)
    how = "" if design.method == "mean" else f", {design.method}"
    return replace(pairs, measured=f"{runs.name}{how}, {runs.direction}")


def decide_runs(
    design: RunsDesign,
    comparison: ComparisonOptions,
    options: PairOptions,
    resampling: Resampling,
    *,
    ranked: RankOptions,
) -> PairwiseTable:
    """Return p-value, interval and verdict of every pair of systems; :func:`decide` where only items vary."""
    if design.over == "items":
        pairs = decide(design.scores, comparison, options, resampling, ranked=ranked)
        return replace(pairs, notes=(*pairs.notes, *design.notes))
    usual = {"test": ("auto", "t"), "by": ("mean",), "method": ("auto",), "ties": ("drop",)}
    refuse_of_items(usual, {name: getattr(comparison, name) for name in usual})
    findings = _findings(design, comparison, options)
    return pairwise_table(findings, options)


def _findings(design: RunsDesign, comparison: ComparisonOptions, options: PairOptions) -> PairFindings:
    goodness = design.scores.goodness
    units = units_of(design.scores, comparison.units)
    seen, effect = PairScores(goodness), EFFECTS["mean_difference"]
    confidence = options.confidence_of_one(len(goodness))
    setting = EffectOptions(units, confidence, "drop", partial(stream, 0, "intervals of effects", 0))
    difference = effect.of(seen, setting)
    fixed_items = design.over == "runs"
    low, high = (difference, difference) if fixed_items else effect.interval(seen, setting)
    degrees = degrees_of_items(goodness, units)
    between = pair_run_variance(design.moments, fixed_items=fixed_items)
    error = np.where(difference > 0, difference - low, high - difference) / -stdtrit(
        degrees, (1 - confidence) / 2
    )
    pvalue = joined_pvalue(difference, error, degrees, between)
    low, high = joined_limits(difference, low, high, between, confidence=confidence)
    np.fill_diagonal(pvalue, np.nan)
    return PairFindings(
        systems=design.scores.systems,
        goodness=goodness.mean(axis=1),
        test="t",
        effect_name=effect.name,
        size_name=effect.size_name,
        effect=difference,
        low=low,
        high=high,
        size=effect.size(seen),
        wins=seen.counts.wins,
        ties=seen.counts.ties,
        pvalue=_sided(pvalue, difference, options.alternative),
        data=design.runs.digest,
        n_segments=design.scores.n_segments,
        options={"p": "satterthwaite", "over": design.over, "units": units.name},
        notes=(*design.runs.notes, *direction_note(design.runs), *design.notes, *few_units_note(units)),
        units="runs",
        n_units=units.n_units,
        unit_note=design.unit_note,
    )


def degrees_of_items(goodness: FloatArray, units: Units) -> float:
    """Degrees of freedom of a standard error over items, or over documents."""
    if units.are_segments:
        return float(max(goodness.shape[1] - 1, 1))
    return float(clustered_mean_differences(goodness[:2], units).degrees)


def _sided(pvalue: FloatArray, effect: FloatArray, alternative: Alternative) -> FloatArray:
    if alternative == "two-sided":
        return pvalue
    is_expected = effect > 0 if alternative == "greater" else effect < 0
    return np.where(is_expected, pvalue / 2, 1 - pvalue / 2)
