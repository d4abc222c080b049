"""Where the variation of repeated runs comes from, and what would make answers more precise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.blocks import stream
from betterthan.errors import TableError
from betterthan.kernels.runs.components import (
    SOURCES,
    Components,
    component_draws,
    components,
    needed_for_half,
)
from betterthan.messages import method_note
from betterthan.results.settings import Settings
from betterthan.results.tasks import Needed, Variation
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

_DRAWS = 4000
_RANGE = (0.1, 0.9)
_SEED = 12345


@with_one_blas_thread
def variation(
    table: AnyData,
    *more: AnyData,
    metric: str | None = None,
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    confidence: float = 0.95,
) -> Variation:
    r"""Split the variance of scores into systems, items, their interaction, runs and the rest.

    .. math:: y_{sir} = \mu + s_s + a_i + c_{si} + b_{sr} + e_{sir}

    Parameters
    ----------
    table, *more : Runs, or what they are read from
        As for :func:`betterthan.compare`.
    metric, system, run
        As for :func:`betterthan.compare`.
    confidence : float, default 0.95
        Confidence level of the shares.

    Returns
    -------
    Variation
        With the numbers of further runs or items that would halve the interval of a difference.

    Raises
    ------
    TableError
        With a single system or a single item.

    Notes
    -----
    Variances are those of the analysis of variance, or of Henderson's first method where numbers of runs differ; with
    equal numbers they equal restricted maximum likelihood estimates (lme4, statsmodels' MixedLM) where none is
    negative. Intervals of shares are generalized confidence intervals [1]_.

    With n items and R runs the variance of a difference of two systems is
    :math:`2 (\sigma^2_c / n + \sigma^2_b / R + \sigma^2_e / (nR))`. More runs do nothing about the first part, more
    items nothing about the second.

    References
    ----------
    .. [1] Weerahandi (1993), Generalized confidence intervals, J. American Statistical Association 88.
    .. [2] Searle, Casella and McCulloch (1992), Variance components.

    Examples
    --------
    >>> import betterthan as bt
    >>> runs = {"item": [1, 1, 2, 2, 3, 3] * 2, "system": ["A"] * 6 + ["B"] * 6, "seed": [1, 2] * 6,
    ...         "score": [3, 4, 5, 6, 4, 5, 2, 2, 3, 5, 3, 2]}
    >>> bt.variation(runs, run="seed")["residual"].variance.__round__(3)
    0.583
    """
    runs = as_runs(table, *more, metric=metric, system=system, run=run, verb="variation")
    check_share("confidence", confidence)
    if runs.n_systems < 2 or runs.n_segments < 2:
        raise TableError(
            f"Variances need two or more systems and items; there are {runs.n_systems} and {runs.n_segments}."
        )
    shape = (runs.n_systems, runs.n_segments, len(runs.runs))
    found = components(runs.system, runs.segment, runs.run, runs.goodness, shape=shape)
    drawn = component_draws(found, _DRAWS, stream(_SEED, "variance components", 0))
    positive = np.maximum(found.variance, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = drawn / drawn.sum(axis=1, keepdims=True)
        share = positive / positive.sum()
    tail = (1 - confidence) / 2
    low, high = np.quantile(shares, [tail, 1 - tail], axis=0)
    needed = _needed(found, positive, drawn) if found.sources == SOURCES else (None, None)
    return Variation(
        sources=found.sources,
        variance=found.variance,
        share=share,
        low=np.minimum(low, share),
        high=np.maximum(high, share),
        confidence=confidence,
        more_runs=needed[0],
        more_items=needed[1],
        n_items=runs.n_segments,
        n_runs=found.n_runs,
        measured=f"{runs.name}, {runs.direction}",
        notes=(*runs.notes, *_notes(runs, found)),
        settings=Settings(
            method="variation",
            options={"ci": f"{100 * confidence:g},generalized"},
            data=runs.digest,
            n_systems=runs.n_systems,
            n_segments=runs.n_segments,
        ),
    )


def as_runs(
    table: AnyData,
    *more: AnyData,
    metric: str | None,
    system: str | Sequence[str] | None,
    run: str | None,
    verb: str,
) -> Runs:
    """Return the runs that a verb takes; scores are a single run of each system."""
    kinds: tuple[type[Runs | Scores], ...] = (Runs, Scores)
    found: Runs | Scores = as_table(
        table, *more, kinds=kinds, verb=verb, metric=metric, system=system, run=run
    )
    if isinstance(found, Runs):
        return found
    known = ~np.isnan(found.values)
    places = np.nonzero(known)
    return Runs(
        name=found.name,
        systems=found.systems,
        segments=found.segments,
        runs=("1",),
        system=places[0],
        segment=places[1],
        run=np.zeros(places[0].size, dtype=np.int64),
        score=found.values[known],
        higher_is_better=found.higher_is_better,
        groups=found.groups,
        notes=found.notes,
        direction_doubt=found.direction_doubt,
    )


def _needed(found: Components, positive: FloatArray, drawn: FloatArray) -> tuple[Needed, Needed]:
    sizes = (found.n_runs, found.n_items)
    estimates = needed_for_half(positive[2:], found.n_items, found.n_runs)
    draws = needed_for_half(drawn[:, 2:], found.n_items, found.n_runs)
    return tuple(  # type: ignore[return-value]  # two of them
        Needed(
            more=_further(float(estimate), size),
            low=_further(float(np.quantile(many, _RANGE[0], method="nearest")), size),
            high=_further(float(np.quantile(many, _RANGE[1], method="nearest")), size),
        )
        for estimate, many, size in zip(estimates, draws, sizes, strict=True)
    )


def _further(number: float, there: float) -> float:
    return math.ceil(number - there - 1e-9) if math.isfinite(number) else math.inf


def _notes(runs: Runs, found: Components) -> tuple[str, ...]:
    notes = []
    if found.sources != SOURCES:
        notes.append(
            "Without repeated runs, runs and the interaction of items and systems are part of the residual."
        )
    negative = [name for name, value in zip(found.sources, found.variance.tolist(), strict=True) if value < 0]
    if negative:
        notes.append(f"Estimated variances below 0 count as 0: {', '.join(negative)}.")
    if not runs.is_balanced:
        notes.append(
            method_note("Numbers of runs or items differ: variances by Henderson's first method of moments.")
        )
    return tuple(notes)
