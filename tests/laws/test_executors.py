"""Who does the work changes no byte: our own workers, or the threads and processes of the caller."""

from __future__ import annotations

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from functools import partial
from inspect import isfunction, signature
from multiprocessing import get_context
from typing import ClassVar

import numpy as np
import pytest
from tests.everyday import few
from tests.made import drawn_counts, drawn_matches, drawn_runs, drawn_scores, scores_of
from tests.made_tags import drawn_tags

import betterthan as bt
from betterthan.analysis.resampling import Computing
from betterthan.engine.blocks import block_ranges
from betterthan.studies.study import study

DOCUMENTS = [f"d{i // 3}" for i in range(30)]


def share(sums):
    """Right over all; at the top of a module, so that it can be sent to a process."""
    return sums[..., 0] / sums[..., 1]


def sent_counts(**options):
    """Counts whose formula can be sent to a process."""
    table = drawn_counts(3, 30, **options)
    return bt.Counts(
        name="share",
        systems=table.systems,
        segments=table.segments,
        columns=table.columns,
        values=table.values,
        formula=bt.Formula(name="share", pooled=share),
        groups=table.groups,
    )


def trimmed(goodness):
    """A mechanism of the caller's, at the top of a module."""
    return np.sort(goodness, axis=1)[:, 2:-2].mean(axis=1)


def correlated(metric, human):
    """A measure of the caller's that does not depend on the scale of a metric."""
    return float(np.corrcoef(metric.ravel(), human.ravel())[0, 1])


def metric(name, noise, seed):
    """A metric that follows the human scores more or less."""
    values = drawn_scores(7, 30).values + noise * np.random.default_rng(seed).normal(size=(7, 30))
    return scores_of(values, name=name)


FEW = {"n_resamples": 120}
FEWER = {"n_resamples": 40}
RATED = {"n_orders": 40, "n_resamples": 120}
SMALL = drawn_scores(4, 30)
GROUPED = drawn_scores(4, 30, groups=DOCUMENTS)
GOLD = scores_of(SMALL.values[:1] + 0.2)
IN_ORDER = drawn_matches(segment=np.arange(300) // 3)
CASES = {
    "compare counts": (bt.compare, sent_counts(), FEW),
    "compare counts one-sided": (bt.compare, sent_counts(), {**FEW, "alternative": "greater"}),
    "compare counts by the maximum": (bt.compare, sent_counts(), {**FEW, "correction": "max_statistic"}),
    "compare counts by document": (bt.compare, sent_counts(groups=DOCUMENTS), FEW),
    "compare matches": (bt.compare, drawn_matches(), {}),
    "compare Elo": (bt.compare, SMALL, {**FEW, "by": "elo"}),
    "permutation test": (bt.compare, GROUPED, {}),
    "permutation test one-sided": (bt.compare, SMALL, {"alternative": "less"}),
    "exact permutation test": (bt.compare, scores_of(SMALL.values.round()), {"method": "exact"}),
    "sampled permutation test": (bt.compare, SMALL, {**FEW, "method": "monte_carlo"}),
    "maximum over permutations": (bt.compare, drawn_scores(5, 6), FEW),
    "bootstrap": (bt.compare, SMALL, {**FEW, "test": "bootstrap"}),
    "bootstrap by the maximum": (bt.compare, SMALL, {**FEW, "test": "bootstrap", "correction": "max_statistic"}),
    "rank counts": (bt.rank, sent_counts(), {}),
    "rank counts by percentiles": (bt.rank, sent_counts(groups=DOCUMENTS), {**FEW, "interval": "percentile"}),
    "rank counts of bootstrap corpora": (bt.rank, sent_counts(), {**FEW, "by": "bootstrap_mean"}),
    "aggregate": (bt.aggregate, sent_counts(), FEW),
    "rank matches": (bt.rank, drawn_matches(group=np.arange(300) % 17), FEW),
    "rank matches by percentiles": (bt.rank, drawn_matches(), {**FEW, "interval": "percentile"}),
    "rank groups of matches by percentiles":
        (bt.rank, drawn_matches(group=np.arange(300) % 17), {**FEW, "interval": "percentile"}),
    "rank matches by Davidson":
        (bt.rank, drawn_matches(), {**FEWER, "ties": "davidson", "interval": "percentile"}),
    "rank matches by win rate": (bt.rank, drawn_matches(), {**FEW, "by": "win_rate"}),
    "Elo of matches": (bt.rank, drawn_matches(), {**RATED, "by": "elo"}),
    "Elo of matches in order": (bt.rank, IN_ORDER, {**RATED, "by": "elo", "order": "listed"}),
    "TrueSkill of matches": (bt.rank, drawn_matches(), {**RATED, "by": "trueskill"}),
    "Elo of scores": (bt.rank, GROUPED, {**RATED, "by": "elo"}),
    "Elo of scores in order": (bt.rank, GROUPED, {**RATED, "by": "elo", "order": "segments"}),
    "TrueSkill of scores": (bt.rank, SMALL, {**RATED, "by": "trueskill"}),
    "TrueSkill of scores in order": (bt.rank, SMALL, {**RATED, "by": "trueskill", "order": "as_published"}),
    "means": (bt.rank, GROUPED, {**FEW, "interval": "bca"}),
    "medians": (bt.rank, GROUPED, {**FEW, "by": "median"}),
    "win rates": (bt.rank, GROUPED, {**FEW, "by": "win_rate", "interval": "percentile"}),
    "Bradley–Terry": (bt.rank, GROUPED, {**FEW, "by": "bradley_terry", "interval": "percentile"}),
    "a user-defined function": (bt.rank, SMALL, {**FEW, "by": trimmed}),
    "tags": (bt.rank_tags, drawn_tags(), {**FEW, "by": ["f1_mult", "mcc"]}),
    "tags by p-values": (bt.rank_tags, drawn_tags(), {**FEW, "by": ["f1_mult"], "correction": "holm"}),
    "audition": (bt.audition, drawn_tags(), {**FEWER, "by": ["f1_bad", "sequence_correlation"]}),
    "compare runs": (bt.compare, drawn_runs(20), {**FEW, "over": "items"}),
    "rank runs": (bt.rank, drawn_runs(20), {**FEW, "by": "median", "over": "items"}),
    "compare win rates": (bt.compare, GROUPED, {**FEW, "by": "win_rate"}),
    "board of win rates": (
        bt.board, {"a": metric("a", 0.5, 1), "b": metric("b", 2.0, 2)}, {**FEW, "by": "mean_win_rate"},
    ),
    "calibrate": (bt.calibrate, scores_of(SMALL.values[:2]), FEWER),
    "multiverse": (partial(bt.multiverse, "A > B"), SMALL, FEWER),
    "tradeoffs": (bt.tradeoffs, {"a": sent_counts(), "b": sent_counts(seed=1)}, FEW),
    "sentence quality": (partial(bt.sentence_quality, gold=GOLD), SMALL, {**FEW, "interval": "percentile"}),
}  # fmt: skip


def agreement(by, significance, **options):
    """A case of meta_evaluate."""
    human = metric("people", 0.3, 0)
    groups = options.pop("groups", None)
    if groups:
        human = scores_of(human.values, name="people", groups=groups)
    given = {**FEWER, "by": by, "significance": significance, **options}
    return partial(bt.meta_evaluate, human=human), [metric("a", 0.5, 1), metric("b", 2.0, 2)], given


CASES |= {
    f"{by} of metrics by {significance}": agreement(by, significance)
    for by in ("soft_pairwise_accuracy", "pearson")
    for significance in ("perm_inputs", "perm_systems", "perm_both", "perm_cells", "bootstrap")
}
CASES |= {
    "exact p-values of metrics": agreement("soft_pairwise_accuracy", "perm_inputs", p_values="exact"),
    "documents of metrics": agreement("soft_pairwise_accuracy", "perm_inputs", units="groups", groups=DOCUMENTS),
    "Williams' test of metrics": agreement("pearson", "williams"),
    "correlations by segment": agreement("kendall_b", "perm_inputs", level="segment"),
    "correlations by system": agreement("spearman", "perm_both", level="within_system"),
    "correlations drawn again": agreement("pearson", "bootstrap", level="global"),
    "accuracy with ties": agreement("accuracy_with_ties", "perm_cells"),
    "accuracy with ties by pairs": agreement("accuracy_with_ties", "perm_pairs"),
    "taus": agreement("tau_human_ties", "perm_inputs", margin=0.2, groups=DOCUMENTS),
    "a measure of the caller": agreement(correlated, "default"),
    "a measure of the caller, swapped": agreement(correlated, "perm_inputs"),
}  # fmt: skip

LINES = [
    [" ".join("abcdefgh"[(s * i + j) % 8] for j in range(3 + i % 4)) for i in range(20)] for s in (1, 2, 3)
]
SCORED = {
    "bleu": (bt.bleu, {}),
    "chrf": (bt.chrf, {}),
    "ter": (bt.ter, {}),
    "rouge": (bt.score, {"metric": "rouge-l"}),
    "word errors": (bt.score, {"metric": "wer"}),
    "answers": (bt.score, {"metric": "token-f1"}),
}


@pytest.mark.parametrize("name", few(SCORED, 2))
def test_who_scores_texts_changes_no_byte(name, processes):
    """Counts of this process and of others: the same digest."""
    function, options = SCORED[name]
    outputs, references = {"A": LINES[0], "B": LINES[1]}, [LINES[2]]
    alone = function(outputs, references, **options, workers=1)
    there = function(outputs, references, **options, executor=processes)
    assert there.values.tobytes() == alone.values.tobytes()
    assert there.digest == alone.digest


def test_every_verb_with_an_executor_is_tried():
    """In one of the lists of this file."""
    verbs = {
        name
        for name in bt.__all__
        if isfunction(getattr(bt, name)) and "executor" in signature(getattr(bt, name)).parameters
    }
    listed = [case[0] for case in CASES.values()] + [case[0] for case in SCORED.values()]
    tried = {getattr(verb, "func", verb).__name__ for verb in listed}
    assert verbs - {"study"} == tried


TABLES = {"m": drawn_scores(4, 24, seed=1), "k": drawn_scores(4, 24, seed=2)}
STUDIED = {
    "independence": {"draws": 1},
    "paired-disagreement": {"repeats": 1, "orders": 1},
    "paired-simulation": {"generator": "offsets", "repeats": 1, "orders": 1},
    "tests-agreement": {"draws": 40},
    "spa-significance": {"permutations": 20},
    "spa-ties": {"permutations": 20},
    "spa-systems": {"permutations": 20, "subsets": 5},
    "spa-segments": {"permutations": 20, "draws": 60, "metrics": 1},
    "spa-speed": {"permutations": 20, "repeats": 2},
    "tagging-synthetic": {"permutations": 39},
    "tagging-sampling": {"rounds": 2, "samples": 100},
    "aggregation-human": {"corpora": 10},
    "aggregation-grid": {"corpora": 10},
    "aggregation-robustness": {"repeats": 30, "corpora": 10},
    "tau-variants": {"thresholds": 1},
}
"""Studies that work in blocks; the simulation is of 288 settings and takes long."""
PUBLISHED = ("independence", "tests-agreement", "aggregation-grid")


@pytest.fixture(scope="module")
def processes():
    """Two processes that know nothing of this one."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("case", few(CASES, 20))
def test_who_does_the_work_changes_no_byte(case, processes, monkeypatch):
    """One worker, three, an executor of threads and one of processes: the same JSON.

    No task holds an executor: that cannot be sent to the workers that it leads.
    """

    class Watcher(ThreadPoolExecutor):
        payloads: ClassVar[list] = []

        def submit(self, function, /, *args, **options):
            self.payloads.append(args)
            return super().submit(function, *args, **options)

    monkeypatch.setattr("betterthan.analysis.resampling.block_ranges", partial(block_ranges, budget=40_000))
    verb, table, options = CASES[case]
    alone = verb(table, **options, workers=1).to_json()

    assert verb(table, **options, workers=3).to_json() == alone
    with Watcher(3) as threads:
        assert verb(table, **options, executor=threads).to_json() == alone
    assert not computings(Watcher.payloads)
    assert verb(table, **options, executor=processes).to_json() == alone


STUDY_CASES = [(name, False) for name in STUDIED] + [(name, True) for name in PUBLISHED]


@pytest.mark.parametrize(
    ("name", "as_published"),
    [
        pytest.param(*case, marks=pytest.mark.slow) if place % 3 or case[0] == "paired-simulation" else case
        for place, case in enumerate(STUDY_CASES)
    ],
)
def test_who_does_the_work_of_a_study_changes_no_byte(name, as_published, processes):
    """One worker and an executor of processes: the same JSON."""
    data = TABLES if name in ("independence", "paired-disagreement", "tests-agreement") else None
    options = {"quick": True, "options": STUDIED[name], "as_published": as_published}
    alone = study(name, data, **options, workers=1).to_json()

    assert study(name, data, **options, executor=processes).to_json() == alone


def computings(value, seen=None):
    """Every Computing inside an object, wherever it hides."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, str | bytes | int | float | np.ndarray | None):
        return []
    seen.add(id(value))
    if isinstance(value, Computing | Executor):
        return [value]
    inside = list(value) if isinstance(value, list | tuple | set) else []
    inside += [*value.values()] if isinstance(value, dict) else []
    inside += [value.func, *value.args, *value.keywords.values()] if isinstance(value, partial) else []
    inside += [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    names = (
        [field.name for field in fields(value)] if is_dataclass(value) and not isinstance(value, type) else ()
    )
    inside += [getattr(value, name, None) for name in names]
    return [one for each in inside for one in computings(each, seen)]
