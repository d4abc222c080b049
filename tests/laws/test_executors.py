"""Who does the work changes no byte: our own workers, or the threads and processes of the caller."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest
from tests.made import drawn_counts, drawn_matches, drawn_scores

import betterthan as bt
from betterthan.engine.blocks import block_ranges

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


FEW = {"n_resamples": 120}
RATED = {"n_orders": 40, "n_resamples": 120}
CASES = {
    "compare counts": (bt.compare, sent_counts(), FEW),
    "compare counts one-sided": (bt.compare, sent_counts(), {**FEW, "alternative": "greater"}),
    "compare counts by the maximum": (bt.compare, sent_counts(), {**FEW, "correction": "max_statistic"}),
    "compare counts by document": (bt.compare, sent_counts(groups=DOCUMENTS), FEW),
    "rank counts": (bt.rank, sent_counts(), FEW),
    "rank counts by percentiles": (bt.rank, sent_counts(groups=DOCUMENTS), {**FEW, "interval": "percentile"}),
    "rank counts of bootstrap corpora": (bt.rank, sent_counts(), {**FEW, "by": "bootstrap_mean"}),
    "compare matches": (bt.compare, drawn_matches(), {}),
    "rank matches": (bt.rank, drawn_matches(group=np.arange(300) % 17), FEW),
    "rank matches by percentiles": (bt.rank, drawn_matches(), {**FEW, "interval": "percentile"}),
    "rank matches by win rate": (bt.rank, drawn_matches(), {**FEW, "by": "win_rate"}),
    "Elo of matches": (bt.rank, drawn_matches(), {**RATED, "by": "elo"}),
    "TrueSkill of matches": (bt.rank, drawn_matches(), {**RATED, "by": "trueskill"}),
    "Elo of scores": (bt.rank, drawn_scores(4, 30, groups=DOCUMENTS), {**RATED, "by": "elo"}),
    "TrueSkill of scores": (bt.rank, drawn_scores(4, 30), {**RATED, "by": "trueskill"}),
    "compare Elo": (bt.compare, drawn_scores(4, 30), {**FEW, "by": "elo"}),
    "medians": (bt.rank, drawn_scores(4, 30, groups=DOCUMENTS), {**FEW, "by": "median"}),
    "maximum over permutations": (bt.compare, drawn_scores(5, 6), FEW),
    "bootstrap": (bt.compare, drawn_scores(4, 30), {**FEW, "test": "bootstrap"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def processes():
    """Two processes that know nothing of this one."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("case", CASES)
def test_who_does_the_work_changes_no_byte(case, processes, monkeypatch):
    """One worker, three, an executor of threads and one of processes: the same JSON."""
    monkeypatch.setattr("betterthan.analysis.resampling.block_ranges", partial(block_ranges, budget=40_000))
    verb, table, options = CASES[case]
    alone = verb(table, **options, workers=1).to_json()

    assert verb(table, **options, workers=3).to_json() == alone
    with ThreadPoolExecutor(3) as threads:
        assert verb(table, **options, executor=threads).to_json() == alone
    assert verb(table, **options, executor=processes).to_json() == alone
