"""Several test sets or language pairs together: averages of measures, and whether metrics differ over all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np

from betterthan.analysis.meta_bootstrap import bootstrap_tails
from betterthan.analysis.meta_caveats import caveats_of
from betterthan.analysis.meta_comparisons import SWAPS, Question, chosen_test, untested
from betterthan.analysis.meta_inputs import Metrics, Panel, panel_of
from betterthan.analysis.meta_measures import Measure, Request, Taken, Wish
from betterthan.analysis.meta_result import (
    Findings,
    Systems,
    about_gaps,
    about_undefined,
    meta_evaluation,
    taken_and_drawn,
    unit_choice,
    unit_sentence,
)
from betterthan.analysis.meta_swaps import Tails, swapped_leads, tails_of_systems
from betterthan.arrays import FloatArray, digest
from betterthan.errors import BetterThanError, TableError, some_of
from betterthan.results.meta_evaluation import MetaEvaluation
from betterthan.tables.scores import Scores

POOLS = ("average", "pairs")


def panels_of(
    metrics: Metrics | Mapping[str, Metrics],
    human: Mapping[str, Scores],
    *,
    leave_out: Collection[str] = (),
    outliers: Literal["keep", "drop"] = "keep",
) -> dict[str, Panel]:
    """Return a panel for each test set, with the metrics that all of them have.

    Parameters
    ----------
    metrics : mapping from test set to metrics
    human : mapping from test set to Scores
    leave_out : collection of str
        Systems to leave out, wherever they occur.
    outliers : {"keep", "drop"}
    """
    if not isinstance(metrics, Mapping) or set(metrics) != set(human):
        having = some_of(list(metrics)) if isinstance(metrics, Mapping) else "no names"
        raise TableError(
            f"Metrics and human scores must be for the same test sets. Human scores are for {some_of(list(human))}; "
            f"metrics for {having}."
        )
    panels = {
        name: panel_of(
            metrics[name],
            table,
            leave_out=_occurring(leave_out, table),
            outliers=outliers,
        )
        for name, table in human.items()
    }
    common = set.intersection(*[set(panel.names) for panel in panels.values()])
    if not common:
        raise TableError("No metric has scores for every one of the test sets. Evaluate them one by one.")
    return {name: _restricted(panel, common) for name, panel in panels.items()}


def _occurring(patterns: Collection[str], human: Scores) -> list[str]:
    given = [patterns] if isinstance(patterns, str) else list(patterns)
    return [pattern for pattern in given if any(fnmatchcase(name, pattern) for name in human.systems)]


def _restricted(panel: Panel, common: set[str]) -> Panel:
    without = [name for name in panel.names if name not in common]
    if not without:
        return panel
    note = f"Metrics left out, absent from another test set: {some_of(without)}."
    kept = tuple(metric for metric in panel.metrics if metric.name in common)
    return replace(panel, metrics=kept, notes=(*panel.notes, note))


def evaluated_together(
    panels: Mapping[str, Panel], measure: Measure, wish: Wish, question: Question, *, pool: str
) -> MetaEvaluation:
    """Hold metrics against people on every test set, and pool the measures with weights."""
    names = next(iter(panels.values())).names
    ordered = {part: _in_order(panel, names) for part, panel in panels.items()}
    requests = {
        part: wish.about(panel.human, unit_choice(question), part=f" {part}")
        for part, panel in ordered.items()
    }
    parts = {
        part: taken_and_drawn(panel, measure, requests[part], question) for part, panel in ordered.items()
    }
    weights = _weights([taken for taken, _ in parts.values()], pool)
    value = np.stack([taken.value for taken, _ in parts.values()])
    draws = _pooled([drawn for _, drawn in parts.values()], weights)
    test = chosen_test(measure, list(ordered.values()), question)
    pooled = Taken(
        value=weights @ value,
        n_pairs=sum(taken.n_pairs for taken, _ in parts.values()),
        options=next(iter(parts.values()))[0].options,
    )
    findings = Findings(
        metrics=names,
        human=", ".join(dict.fromkeys(panel.human.name for panel in ordered.values())),
        taken=pooled,
        draws=draws,
        test=test if len(names) > 1 else "none",
        tails=_tails(test, ordered, measure, requests, weights, pooled.value, draws),
        systems=Systems(),
        n_systems=sum(panel.human.n_systems for panel in ordered.values()),
        n_segments=sum(panel.human.n_segments for panel in ordered.values()),
        n_drawn=sum(request.drawn.n_units for request in requests.values()),
        data=digest(tuple((part, panel.digest) for part, panel in ordered.items())),
        unit_note=_unit_sentence(ordered, requests, measure, test),
        lower_is_better=tuple(
            dict.fromkeys(name for panel in ordered.values() for name in panel.lower_is_better)
        ),
        notes=_notes(ordered, parts),
        options={"pool": pool, "parts": len(parts)},
        caveats=tuple(dict.fromkeys(one for panel in ordered.values() for one in caveats_of(panel, None, 0))),
        part_names=tuple(parts),
        part_value=value.T,
    )
    return meta_evaluation(findings, measure, wish, question)


def _in_order(panel: Panel, names: tuple[str, ...]) -> Panel:
    at = {metric.name: metric for metric in panel.metrics}
    return replace(panel, metrics=tuple(at[name] for name in names))


def _weights(taken: list[Taken], pool: str) -> FloatArray:
    size = np.array([one.n_pairs if pool == "pairs" else 1 for one in taken], dtype=np.float64)
    return np.asarray(size / size.sum())


def _pooled(draws: list[FloatArray | None], weights: FloatArray) -> FloatArray | None:
    known = [one for one in draws if one is not None]
    if len(known) < len(draws):
        return None
    return np.asarray(np.tensordot(weights, np.stack(known), axes=1))


def _tails(
    test: str,
    panels: Mapping[str, Panel],
    measure: Measure,
    requests: Mapping[str, Request],
    weights: FloatArray,
    value: FloatArray,
    draws: FloatArray | None,
) -> Tails:
    """P-values of the pooled measure; every test set is swapped or drawn by itself."""
    if test == "none" or value.size < 2:
        return untested(value.size)
    if test == "bootstrap":
        return bootstrap_tails(draws, value, measure)
    if test not in SWAPS:
        raise BetterThanError(
            f'Several test sets are compared together by "perm_inputs", "perm_systems", "perm_both", "perm_cells" or '
            f'"bootstrap", not by "{test}".'
        )
    parts = [swapped_leads(measure, panel, requests[part], test) for part, panel in panels.items()]  # type: ignore[arg-type]
    pooled = parts[0]._replace(
        observed=np.tensordot(weights, np.stack([part.observed for part in parts]), axes=1),
        swapped=np.tensordot(weights, np.stack([part.swapped for part in parts]), axes=1),
    )
    fewest = min(panel.human.n_systems for panel in panels.values())
    return tails_of_systems(pooled, test, fewest)  # type: ignore[arg-type]


def _unit_sentence(
    panels: Mapping[str, Panel], requests: Mapping[str, Request], measure: Measure, test: str
) -> str:
    """Say what is drawn as one; of each test set where they differ."""
    said = {part: unit_sentence(panel.human, requests[part], measure, test) for part, panel in panels.items()}
    return " ".join(f"{part}: {one}" for part, one in said.items() if one)


def _notes(
    panels: Mapping[str, Panel], parts: Mapping[str, tuple[Taken, FloatArray | None]]
) -> tuple[str, ...]:
    said = []
    for part, panel in panels.items():
        taken = parts[part][0]
        notes = (
            *panel.notes,
            *taken.notes,
            *about_undefined(panel.names, taken.value),
            *about_gaps(panel),
        )
        said += [f"{part}: {note}" for note in notes]
    return tuple(said)
