"""Small tables and results that several tests make, so that each test shows only what matters to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import betterthan as bt

NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def scores_of(values: Any, **options: Any) -> bt.Scores:
    """Scores of systems A, B, … on segments 1, 2, …; a mapping brings its own names."""
    names = list(values) if isinstance(values, Mapping) else None
    table = np.array(list(values.values()) if names else values, dtype=np.float64)
    systems = names or [NAMES[i] if len(table) <= 26 else f"S{i:03}" for i in range(len(table))]
    segments = [str(i + 1) for i in range(table.shape[1])]
    return bt.Scores(**{"name": "score", "systems": systems, "segments": segments, "values": table} | options)


def accuracy_counts(values: Any, **options: Any) -> bt.Counts:
    """Counts (right, all) of systems A, B, … whose score is right over all."""
    table = np.array(values, dtype=np.float64)
    formula = bt.Formula(name="accuracy", pooled=lambda sums: sums[..., 0] / sums[..., 1])
    return bt.Counts(
        **{
            "name": "accuracy",
            "systems": list(NAMES[: len(table)]),
            "segments": [str(i + 1) for i in range(table.shape[1])],
            "columns": ["right", "all"],
            "values": table,
            "formula": formula,
        }
        | options
    )


def matches_of(rows: Sequence[tuple[str, str, float]], **options: Any) -> bt.Matches:
    """Matches from rows (left, right, outcome); the systems in alphabetical order unless given."""
    systems = list(
        options.pop("systems", sorted({name for left, right, _ in rows for name in (left, right)}))
    )
    return bt.Matches(
        systems=systems,
        left=np.array([systems.index(left) for left, _, _ in rows]),
        right=np.array([systems.index(right) for _, right, _ in rows]),
        outcome=np.array([outcome for _, _, outcome in rows], dtype=np.float64),
        **options,
    )


def drawn_scores(m: int = 4, n: int = 25, *, seed: int = 0, gap: float = 0.4, **options: Any) -> bt.Scores:
    """Normal scores around shared difficulties, each system `gap` better than the one before."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n) + rng.normal(size=(m, n)) + gap * np.arange(m)[:, None]
    return scores_of(values, **options)


def drawn_matches(
    m: int = 4, n: int = 300, *, seed: int = 0, ties: float = 0.2, **options: Any
) -> bt.Matches:
    """Matches between random systems, the later ones stronger."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    won = rng.random(n) < 1 / (1 + np.exp((right - left) * 0.4))
    outcome = np.where(rng.random(n) < ties, 0.5, won.astype(np.float64))
    return bt.Matches(systems=list(NAMES[:m]), left=left, right=right, outcome=outcome, **options)


def drawn_counts(m: int = 3, n: int = 20, *, seed: int = 0, **options: Any) -> bt.Counts:
    """Counts of right answers out of 5 to 9 a segment, the later systems better."""
    rng = np.random.default_rng(seed)
    size = np.tile(rng.integers(5, 10, n), (m, 1))
    right = rng.binomial(size, 0.5 + 0.06 * np.arange(m)[:, None])
    return accuracy_counts(np.stack([right, size], axis=2), **options)


def by_system(result: bt.Ranking, field: str = "strength") -> dict[str, float]:
    """One column of a ranking, system to value."""
    return dict(zip(result.systems, getattr(result, field).tolist(), strict=True))


def by_pair(result: bt.PairwiseTable, field: str) -> dict[tuple[str, str], float]:
    """One matrix of a comparison, ordered pair to value."""
    matrix = getattr(result, field)
    return {
        (a, b): float(matrix[i, j])
        for i, a in enumerate(result.systems)
        for j, b in enumerate(result.systems)
        if i != j
    }


def same_after_json(result: bt.Result) -> bool:
    """Whether a result is the same after a trip through JSON text."""
    return bt.Result.from_dict(json.loads(result.to_json())) == result


def a_ranking(
    systems: Sequence[str] = ("Aster", "Birch"),
    *,
    strength: Any = None,
    low: Any = None,
    **options: Any,
) -> bt.Ranking:
    """A ranking by mean that was never computed: all systems told apart, unless said otherwise."""
    m = len(systems)
    value = np.linspace(60, 50, m) if strength is None else np.array(strength, dtype=np.float64)
    fields = {
        "systems": tuple(systems),
        "strength": value,
        "low": value - 0.8 if low is None else np.array(low, dtype=np.float64),
        "high": value + 0.8,
        "confidence": 0.95,
        "rank": np.arange(1, m + 1),
        "rank_low": np.arange(1, m + 1),
        "rank_high": np.arange(1, m + 1),
        "cluster": np.arange(1, m + 1),
        "letters": tuple(NAMES.lower()[:m]),
        "beats_next": np.append(np.full(m - 1, 0.75), np.nan),
        "differs_from_next": np.append(np.full(m - 1, True), False),
        "order_spread": None,
        "unit": "points, higher is better",
        "test": "permutation",
        "notes": ("3 rows dropped.",),
        "settings": bt.Settings(method="mean", options={}, data="abc", version="1"),
    }
    return bt.Ranking(**{**fields, **options})


def means_without_one(values):
    """Means of each row of `values` with one segment left out, one row for each segment; NaN where it is missing."""
    rows = [np.nanmean(np.delete(values, j, axis=1), axis=1) for j in range(values.shape[1])]
    return np.where(np.isnan(values.T), np.nan, rows)


def runs_of(values: Any, **options: Any) -> bt.Runs:
    """Runs from systems × items × runs, of systems A, B, …; NaN is a missing row."""
    table = np.array(values, dtype=np.float64)
    m, n, n_runs = table.shape
    system, segment, run = np.nonzero(~np.isnan(table))
    return bt.Runs(
        **{
            "name": "score",
            "systems": list(NAMES[:m]),
            "segments": [str(i + 1) for i in range(n)],
            "runs": [f"seed {r + 1}" for r in range(n_runs)],
            "system": system,
            "segment": segment,
            "run": run,
            "score": table[system, segment, run],
        }
        | options
    )


def drawn_runs(n: int = 20, n_runs: int = 3, *, seed: int = 0, **options: Any) -> bt.Runs:
    """Two models with two prompts each: items, runs and chance vary, and the first model is better."""
    rng = np.random.default_rng(seed)
    levels = [(model, prompt) for model in ("Aster", "Birch") for prompt in ("long", "short")]
    values = (
        rng.normal(size=(1, n, 1)) + 0.2 * rng.normal(size=(4, 1, n_runs)) + rng.normal(size=(4, n, n_runs))
    )
    values[:2] += 0.6
    design = {
        "systems": [" + ".join(row) for row in levels],
        "factors": ("model", "prompt"),
        "levels": levels,
    }
    return runs_of(values, **design, **options)
