"""Claims about six systems at once: any false claim, the share of false claims, and rank intervals."""

from __future__ import annotations

from functools import partial

import numpy as np
from tests.calibration.false_positives import question
from tests.calibration.simulate import ALPHA, KINDS, TRIALS, Kind, compare, scores_of, single_segments, tally

from betterthan.analysis.leaderboard import decisions
from betterthan.analysis.permutation import stepped_down
from betterthan.analysis.significance import TESTS
from betterthan.kernels.pvalues import adjusted_pairs
from betterthan.kernels.rank_intervals import simultaneous_rank_intervals

SYSTEMS = 6
SEGMENTS = 40
UNEQUAL = np.array([1.0, 0.5, 0.5, 0.0, 0.0, 0.0])
_ABOVE = np.triu_indices(SYSTEMS, 1)

KINDS_HERE = {
    name: Kind(KINDS[f"{name}, 100"].draw, SEGMENTS) for name in ("normal", "heavy tails", "grades 0–4")
}


def _smallest(test, correction, values, seed):
    asked = question(values, single_segments(SEGMENTS), method="monte_carlo", seed=seed, n_resamples=1999)
    if correction == "max_statistic":
        return stepped_down(asked)[_ABOVE].min()
    return adjusted_pairs(TESTS[test].run(asked).pvalue, correction=correction)[_ABOVE].min()


ALL_EQUAL = {
    "t, none": ("t", "none"),
    "t, Bonferroni": ("t", "bonferroni"),
    "t, Holm": ("t", "holm"),
    "t, Benjamini–Hochberg": ("t", "benjamini_hochberg"),
    "sign, Holm": ("sign", "holm"),
    "permutation, Holm": ("permutation", "holm"),
    "permutation, maximum statistic": ("permutation", "max_statistic"),
}


def any_false_claim(kind, rng):
    """Six systems that are equally good: every claim is false, so Benjamini–Hochberg must keep the level too."""
    tables = KINDS_HERE[kind].tables(rng, m=SYSTEMS)
    return {
        name: {kind: tally([_smallest(*how, values, i) <= ALPHA for i, values in enumerate(tables)])}
        for name, how in ALL_EQUAL.items()
    }


CLAIMED = {
    "t, Holm": {"test": "t", "correction": "holm"},
    "t, Benjamini–Hochberg": {"test": "t", "correction": "benjamini_hochberg"},
    "sign, Holm": {"test": "sign", "correction": "holm"},
    "permutation, maximum statistic": {
        "test": "permutation",
        "method": "monte_carlo",
        "correction": "max_statistic",
        "n_resamples": 999,
    },
}
ANY, SHARE, RANKS = "any false claim", "false among the claims", "all ranks covered"


def unequal(name, rng, trials=TRIALS):
    """One best system, two equal ones, three equal ones: wrong directions and claims between equals are false."""
    wrong = UNEQUAL[:, None] <= UNEQUAL[None, :]
    first = 1 + (UNEQUAL[None, :] > UNEQUAL[:, None]).sum(axis=1)
    last = (UNEQUAL[None, :] >= UNEQUAL[:, None]).sum(axis=1)
    found = {ANY: [], SHARE: [], RANKS: []}
    for i in range(trials):
        values = KINDS_HERE["normal"].tables(rng, 1, SYSTEMS)[0] + UNEQUAL[:, None]
        table = scores_of(values)
        better = decisions(table.systems, compare(table, rng=i, workers=1, **CLAIMED[name]))
        low, high = simultaneous_rank_intervals(better)
        found[ANY].append(bool((better & wrong).any()))
        found[SHARE].append((better & wrong).sum() / max(1, better.sum()))
        found[RANKS].append(bool(((low <= first) & (last <= high)).all()))
    shares = np.rint(np.sum(found.pop(SHARE)))  # a mean share, written as a count of the trials
    counts = {what: tally(happened) for what, happened in found.items()}
    return {name: {**counts, SHARE: counts[ANY]._replace(hits=int(shares))}}


EXPERIMENTS = {
    **{f"all_equal: {kind}": partial(any_false_claim, kind) for kind in KINDS_HERE},
    **{f"unequal: {name}": partial(unequal, name) for name in CLAIMED},
}
