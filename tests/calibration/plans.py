"""Studies of the planned size: how often the test of each kind of data shows the difference that was planned for."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from tests.calibration.cells import Cell
from tests.calibration.gates import right_wrong
from tests.calibration.runs import table_of
from tests.calibration.simulate import scores_of

import betterthan as bt

JUDGED = 500
LABELS = (
    "The plan takes the correlation of differences alone. What correct makes of a judge depends on how it scores each "
    "system, too, so the power is lower with a weak judge and higher with a good one."
)


@cache
def planned(power, **assumed):
    """The planned number of units."""
    return int(bt.plan(power=power, **assumed)[0].needed)


def means(rng, n, difference):
    """Normal differences of standard deviation 1."""
    gaps = rng.normal(size=n) + difference
    return scores_of(np.stack([np.zeros(n), gaps]))


def answers(rng, n, discordance, difference):
    """Right and wrong answers."""
    return scores_of(right_wrong(rng, n, discordance, difference))


def documents(rng, n, document_size, icc, difference):
    """Documents of equal size with correlated differences."""
    groups = np.repeat(np.arange(n), document_size)
    gaps = np.sqrt(icc) * rng.normal(size=n)[groups] + np.sqrt(1 - icc) * rng.normal(size=groups.size)
    return scores_of(np.stack([np.zeros(groups.size), gaps + difference]), groups)


def repeated(rng, n, run_sd, noise_sd, repeats, difference):
    """Runs that differ as a whole."""
    values = noise_sd * rng.normal(size=(2, n, repeats)) + run_sd * rng.normal(size=(2, 1, repeats))
    values[1] += difference + rng.normal(size=n)[:, None]
    return table_of(values)


def battles(rng, n, ties, difference):
    """Battles of two systems."""
    draw, win = rng.random(n), 0.5 + difference - ties / 2
    outcome = np.where(draw < ties, 0.5, np.where(draw < ties + win, 1.0, 0.0))
    return bt.Matches(
        systems=["s0", "s1"], left=np.zeros(n, dtype=int), right=np.ones(n, dtype=int), outcome=outcome
    )


def labels(rng, n, judge_correlation, difference):
    """Corrected scores of judged items, of which n have labels of both systems."""
    item, gaps = rng.normal(size=JUDGED), rng.normal(size=JUDGED)
    judge = judge_correlation * gaps + np.sqrt(1 - judge_correlation**2) * rng.normal(size=JUDGED)
    human = np.full((2, JUDGED), np.nan)
    chosen = rng.choice(JUDGED, n, replace=False)
    human[:, chosen] = np.stack([item - gaps / 2, item + gaps / 2 + difference])[:, chosen]
    names, items = ["s0", "s1"], [str(i) for i in range(JUDGED)]
    seen = np.stack([item - judge / 2, item + judge / 2])
    return bt.correct(
        bt.Scores(name="judge", systems=names, segments=items, values=seen),
        bt.Scores(name="human", systems=names, segments=items, values=human),
    )


def found(make, assumed, given, power, rng):
    """Whether the difference is significant in a study of the planned size."""
    table = make(rng, planned(power, **assumed), **given)
    return float(bt.compare(table).pairs()[0].pvalue <= 0.05)


def _designs():
    for difference in (0.8, 0.5, 0.2):
        yield f"scores, {difference:g} standard deviations", means, {"sd": 1.0}, {"difference": difference}
    for discordance, difference in ((0.2, 0.1), (0.1, 0.05), (0.05, 0.03)):
        own = {"discordance": discordance, "difference": difference}
        yield f"right or wrong, {100 * difference:g} points, {100 * discordance:g}% change", answers, {}, own
    for size, icc in ((5, 0.3), (10, 0.1)):
        own = {"document_size": size, "icc": icc, "difference": 0.3}
        yield f"documents of {size}, correlation {icc:g}", documents, {"sd": 1.0}, own
    for repeats, run_sd, noise_sd, difference in (
        (2, 0.1, 0.3, 0.6),
        (3, 0.1, 0.5, 0.5),
        (5, 0.05, 1.0, 0.5),
    ):
        own = {"repeats": repeats, "run_sd": run_sd, "noise_sd": noise_sd, "difference": difference}
        yield f"{repeats} runs, run deviation {run_sd:g}", repeated, {"sd": 1.0}, own
    for ties, difference in ((0.0, 0.1), (0.2, 0.1), (0.2, 0.25)):
        own = {"ties": ties, "difference": difference}
        yield f"battles, win probability {0.5 + difference:g}, {100 * ties:g}% ties", battles, {}, own
    for correlation, difference in ((0.5, 0.4), (0.7, 0.4), (0.9, 0.3)):
        own = {"judge_correlation": correlation, "difference": difference}
        yield (
            f"labels beside a judge, correlation {correlation:g}",
            labels,
            {"sd": 1.0, "judged": JUDGED},
            own,
        )


CELLS = [
    Cell(
        table="plan/power",
        row=row,
        column=f"planned for {100 * power:g}%",
        trial=partial(found, make, fixed | given, given, power),
        low=power - 0.02,
        high=power + (0.05 if make is battles else 0.03),
        tables=1500 if power == 0.8 else 800,
        limit=LABELS if make is labels else "",
        seconds=0.004,
    )
    for row, make, fixed, given in _designs()
    for power in (0.8, 0.9)
]
