"""What a reader must know before believing a verdict on metrics: human translations, duplicates, metrics that tie."""

from __future__ import annotations

import numpy as np

from betterthan.analysis.meta_inputs import Panel
from betterthan.arrays import FloatArray, IntArray
from betterthan.results.meta_evaluation import Caveat
from betterthan.tables.human_names import is_human_translation
from betterthan.tables.scores import Scores

NEARLY_ALL = 0.9  # share of pairs from which on a metric ties nearly everything


def caveats_of(panel: Panel, n_decided: IntArray | None, n_pairs: int) -> tuple[Caveat, ...]:
    """Return what must stand beside the verdict on the metrics of a panel.

    Parameters
    ----------
    panel : Panel
    n_decided : array of int, shape (k,), optional
        Pairs that each metric does not tie, of the `n_pairs` that people decide; where it is not given, all pairs of
        systems on a segment are counted, since system scores, too, rest on the segments that a metric tells apart.
    n_pairs : int
    """
    human = tuple(name for name in panel.human.systems if is_human_translation(name))
    found = [Caveat(code="by_order", names=(panel.human.name, *panel.names))] if panel.is_by_order else []
    found += [
        Caveat(code="unmatched", names=names, n_left_out=n, n_segments=n_segments)
        for names, n, n_segments in panel.unmatched
    ]
    found += [Caveat(code="human_translations", names=human)] if human else []
    found += [Caveat(code="same_systems", names=names) for names in _same_systems(panel)]
    found += [Caveat(code="same_metrics", names=names) for names in _same_metrics(panel)]
    if n_decided is None and not panel.is_systems_only:
        n_decided, n_pairs = _decided(panel.segment_scores(), panel)
    if n_decided is not None and n_pairs:
        found += [
            Caveat(code="many_ties", names=(name,), n_decided=int(n), n_pairs=n_pairs)
            for name, n in zip(panel.names, n_decided.tolist(), strict=True)
            if n <= (1 - NEARLY_ALL) * n_pairs
        ]
    return tuple(found)


def _groups(keys: dict[str, bytes]) -> list[tuple[str, ...]]:
    """Names with the same key, of which there is more than one."""
    groups: dict[bytes, list[str]] = {}
    for name, key in keys.items():
        groups.setdefault(key, []).append(name)
    return [tuple(names) for names in groups.values() if len(names) > 1]


def _same_systems(panel: Panel) -> list[tuple[str, ...]]:
    """Systems to which every metric gives the same scores: one output under several names (one score says nothing)."""
    if panel.is_systems_only:
        return []
    tables = [np.ascontiguousarray(metric.values) for metric in panel.metrics]
    varied = [table for table in tables if np.unique(table[~np.isnan(table)]).size > 2]
    if not varied:
        return []
    systems = panel.human.systems
    return _groups({name: b"".join(table[i].tobytes() for table in varied) for i, name in enumerate(systems)})


def _same_metrics(panel: Panel) -> list[tuple[str, ...]]:
    """Metrics that hold the very same scores."""
    keys = {}
    for metric in panel.metrics:
        values = metric.goodness if isinstance(metric, Scores) else metric.values
        keys[metric.name] = np.ascontiguousarray(values).tobytes()
    return _groups(keys)


def _decided(scores: FloatArray, panel: Panel) -> tuple[IntArray, int]:
    """Pairs of systems on a segment that each metric does not tie (k,), and pairs there are."""
    ordered = np.sort(np.where(panel.judged, scores, np.nan), axis=1)
    run = np.zeros((len(scores), ordered.shape[2]), dtype=np.int64)
    tied = np.zeros(len(scores), dtype=np.int64)
    for i in range(1, ordered.shape[1]):  # each score ties with those of its run that came before
        run = np.where(ordered[:, i] == ordered[:, i - 1], run + 1, 0)
        tied += run.sum(axis=1)
    judged = panel.judged.sum(axis=0)
    n_pairs = int((judged * (judged - 1) // 2).sum())
    return n_pairs - tied, n_pairs
