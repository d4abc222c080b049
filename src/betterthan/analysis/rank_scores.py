"""Rank systems by their scores on shared segments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan.analysis.decide import Request, decide
from betterthan.analysis.detectable import segments_needed
from betterthan.analysis.ranking import Strengths, Wish, ranking
from betterthan.analysis.strength_intervals import Basis, strength_limits
from betterthan.analysis.strengths import By, Estimated, estimate
from betterthan.analysis.units import Units, chosen_units, few_units_note
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError
from betterthan.results.ranking import Ranking
from betterthan.results.units import FEW_UNITS
from betterthan.tables.scores import Scores


def rank_scores(scores: Scores, wish: Wish) -> Ranking:
    """Rank by any mechanism, with intervals of its strengths and the test that belongs to it."""
    complete = scores.complete(missing=wish.missing)  # type: ignore[arg-type]  # checked by the wish
    by: By = "mean" if wish.by is None else wish.by
    if isinstance(by, str) and by in ("pooled", "segment_mean", "bootstrap_mean"):
        raise BetterThanError(f'by="{by}" is for counts, such as corpus BLEU. Rank scores by="mean".')
    if wish.interval == "robust":
        raise BetterThanError(
            'interval="robust" is for matches. Use interval="percentile" or "bca" for scores.'
        )
    units, notes = chosen_units(complete, wish.units)
    found = estimate(complete, by, units, wish)
    request = Request(
        by=by,
        ties="drop" if wish.ties in ("default", "davidson") else wish.ties,  # type: ignore[arg-type]  # of the sign test
        units=wish.units,
        intervals=False,
    )
    pairs = decide(complete, request, wish.decision(), wish=wish, estimated=found)
    ranked = ranking(_strengths(complete, found, units, notes, wish), pairs, wish)
    return replace(ranked, segments_needed=_segments_needed(complete, ranked, units, wish))


def _segments_needed(scores: Scores, ranked: Ranking, units: Units, wish: Wish) -> FloatArray | None:
    """Segments that would show each lead over the next system; for means of segments only, and not for a few."""
    if ranked.settings.method != "mean" or not units.are_segments or scores.n_segments < FEW_UNITS:
        return None
    order = [scores.systems.index(name) for name in ranked.systems]
    return np.append(segments_needed(scores.goodness[order], alpha=1 - wish.confidence), np.nan)


def _strengths(
    scores: Scores, found: Estimated, units: Units, unit_notes: tuple[str, ...], wish: Wish
) -> Strengths:
    basis = Basis(found.name, found.strength, found.draws, found.jackknife)
    low, high, interval, notes = strength_limits(scores, units, basis, wish)
    # Mean and median are shown in the metric's own direction; all other strengths are better when higher.
    is_turned = found.unit == "" and not scores.higher_is_better
    return Strengths(
        systems=scores.systems,
        method=found.name,
        unit=f"{scores.name}, {scores.direction}{f'; {found.unit}' if found.unit else ''}",
        strength=-found.strength if is_turned else found.strength,
        low=-high if is_turned else low,
        high=-low if is_turned else high,
        higher_is_better=not is_turned,
        data=scores.digest,
        n_segments=scores.n_segments,
        order_spread=found.order_spread,
        drew=len(found.draws) > 0,
        options={
            **found.options,
            "ci": f"{100 * wish.confidence:g},{interval}",
            "units": units.name,
        },
        notes=(
            *unit_notes,
            *scores.notes,
            *found.notes,
            *notes,
            *few_units_note(units),
        ),
    )
