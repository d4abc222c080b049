"""Judges, word tags, quality of sentences and aggregated counts: false claims, coverage and power by the verbs."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np
from tests.calibration.cells import Cell

import betterthan as bt
from betterthan.analysis.tags.tag_counts import MEASURES

# --- Judges ---------------------------------------------------------------------------------------------------


def campaign(rng, n_judges, n_outputs, shape="normal", bad=None):
    """Judge 0 is bad where a way to be so is named: "random" or "reversed"; all others are equally good."""
    size = (n_judges, n_outputs)
    if shape == "normal":  # a single judgment has the reliability 1/2
        score = rng.normal(size=n_outputs) + rng.normal(size=size)
    elif shape == "errors":  # counts of errors with weights 1 and 5, as in MQM
        rate = rng.gamma(0.7, 1.5, size=n_outputs)
        score = -1.0 * rng.poisson(rate, size=size) - 5.0 * rng.poisson(rate / 6, size=size)
    else:
        score = 1.2 * rng.normal(size=n_outputs) + 0.7 * rng.standard_t(3, size=size)
    if bad == "random":
        score[0] = rng.permutation(score[0])
    elif bad == "reversed":
        score[0] *= -1
    return score


def ratings_of(score):
    """Every judge of every output."""
    judge, output = np.indices(score.shape).reshape(2, -1)
    return bt.Ratings(
        name="quality",
        systems=["A"],
        segments=[str(i) for i in range(score.shape[1])],
        judges=[f"J{i}" for i in range(score.shape[0])],
        system=np.zeros(judge.size, dtype=int),
        segment=output,
        judge=judge,
        score=score.ravel(),
    )


def honest_judge_dropped(n_judges, n_outputs, shape, bad, rng):
    """Whether anybody but the bad judge is dropped."""
    dropped = bt.judges(ratings_of(campaign(rng, n_judges, n_outputs, shape, bad))).dropped
    return float(bool(set(dropped) - ({"J0"} if bad else set())))


def bad_judge_dropped(n_judges, n_outputs, shape, bad, rng):
    """Whether the bad judge is dropped."""
    return float("J0" in bt.judges(ratings_of(campaign(rng, n_judges, n_outputs, shape, bad))).dropped)


def controlled(rng, n_judges, n_controls, right):
    """Control items alone, which judge j sees with probability right[j]; judges share nothing else."""
    sees = rng.random((n_judges, n_controls)) < np.asarray(right)[:, None]
    judge, item = np.indices(sees.shape).reshape(2, -1)
    gap = np.where(sees, 1.0, -1.0).ravel() * (1 + rng.random(judge.size))
    n = judge.size
    segment = judge * n_controls + item
    return bt.Ratings(
        name="quality",
        systems=["A", "A#bad"],
        segments=[str(i) for i in range(n)],
        judges=[f"J{i}" for i in range(n_judges)],
        system=np.repeat([0, 1], n),
        segment=np.tile(segment, 2),
        judge=np.tile(judge, 2),
        score=np.concatenate([np.full(n, 50.0), 50 - gap]),
    )


def careful_judge_dropped(n_judges, n_controls, rng):
    """Whether any judge is dropped who is right on nine of ten control items in the long run."""
    table = controlled(rng, n_judges, n_controls, [0.9] * n_judges)
    return float(bool(bt.judges(table, controls={"A#bad": "A"}).dropped))


def careless_judge_dropped(n_judges, n_controls, rng):
    """Whether the one is dropped who is right on half."""
    table = controlled(rng, n_judges, n_controls, [0.5] + [0.9] * (n_judges - 1))
    return float("J0" in bt.judges(table, controls={"A#bad": "A"}).dropped)


SIZES = (5, 12, 50)


def _screenings():
    """Judges who must stay and judges who must go; fewer shapes where a campaign is large."""
    for bad in (None, "random"):
        for shape, n_judges, n_outputs in product(("normal", "errors", "heavy tails"), SIZES, (10, 30, 100)):
            small = n_judges * n_outputs <= (500 if shape == "normal" and not bad else 360)
            if small or (n_judges == 12 and shape == "normal" and not bad):
                yield Cell(
                    table="judges/honest judge dropped",
                    row=f"{n_judges} judges, {shape}, {bad or 'all honest'}",
                    column=f"{n_outputs} outputs",
                    trial=partial(honest_judge_dropped, n_judges, n_outputs, shape, bad),
                    low=0.0,
                    high=0.06,
                    tables=500,
                )
    for bad, n_judges, n_outputs in product(("random", "reversed"), (5, 12), (10, 30, 100)):
        if n_judges * n_outputs <= 500:
            yield Cell(
                table="judges/bad judge dropped",
                row=f"{n_judges} judges, normal, {bad}",
                column=f"{n_outputs} outputs",
                trial=partial(bad_judge_dropped, n_judges, n_outputs, "normal", bad),
                low=0.0,
                high=1.0,
                tables=500,
            )


JUDGE_CELLS = list(_screenings())
CONTROL_CELLS = [
    Cell(
        table=f"judges/{'careful judge dropped' if event is careful_judge_dropped else 'careless judge dropped'}",
        row=f"{n_judges} judges",
        column=f"{n_controls} controls",
        trial=partial(event, n_judges, n_controls),
        low=0.0,
        high=0.05 if event is careful_judge_dropped else 1.0,
        tables=2000,
    )
    for event in (careful_judge_dropped, careless_judge_dropped)
    for n_judges in SIZES
    for n_controls in (5, 10, 30)
]


# --- Word tags ------------------------------------------------------------------------------------------------

# Recall of BAD words and share of OK words that are tagged BAD: two ways to the same F1-mult where 20% are BAD.
CAUTIOUS, BOLD = (0.40, 0.02188), (0.70, 0.18540)


def tagged(rng, n_systems, n_sentences, share=0.2, *, skewed=False, finds=((0.5, 0.08),)):
    """Sentences with shares of BAD words and quality of tags of their own; systems take turns in `finds`."""
    spread = 0.9 if skewed else 0.4
    lengths = np.maximum(1, np.rint(15 * np.exp(spread * rng.normal(size=n_sentences)))).astype(int)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    sentence = np.repeat(np.arange(n_sentences), lengths)
    gold = rng.random(offsets[-1]) < rng.beta(2 * share, 2 * (1 - share), size=n_sentences)[sentence]
    predicted = np.empty((n_systems, gold.size), dtype=bool)
    for system in range(n_systems):
        recall, alarm = finds[system % len(finds)]
        found = rng.beta(3 * recall, 3 * (1 - recall), size=n_sentences)[sentence]
        false = rng.beta(3 * alarm, 3 * (1 - alarm), size=n_sentences)[sentence]
        predicted[system] = rng.random(gold.size) < np.where(gold, found, false)
    return bt.WordTags(
        systems=[f"S{i}" for i in range(n_systems)],
        segments=[str(i) for i in range(n_sentences)],
        gold=gold,
        predicted=predicted,
        offsets=offsets,
    )


def tags_differ(n_systems, n_sentences, share, finds, rng):
    """Whether any pair of equal systems differs significantly by the first measure."""
    table = tagged(rng, n_systems, n_sentences, share, finds=finds)
    return float(bt.rank_tags(table, by=["f1_mult"], synthetic=False).n_different[0] > 0)


def audition_differs(n_systems, n_sentences, rng):
    """Whether an audition finds any pair of equal systems significantly different, by the F1 of BAD words."""
    return float(bt.audition(tagged(rng, n_systems, n_sentences), by=["f1_bad"]).d[0] > 0)


@cache
def true_scores(share, skewed):
    """Scores of the words of very many sentences."""
    rng = np.random.default_rng(271_828)
    sums = sum(
        bt.tag_counts(tagged(rng, 1, 20_000, share, skewed=skewed)).values[0].sum(axis=0) for _ in range(10)
    )
    return {name: float(MEASURES[name][1](sums)) for name in ("f1_mult", "f1_bad", "f1_ok", "mcc")}


def tag_interval_holds(measure, n_sentences, share, skewed, rng):
    """Whether the interval holds the score of endless sentences; no interval holds nothing."""
    found = bt.rank_tags(tagged(rng, 1, n_sentences, share, skewed=skewed), by=[measure], synthetic=False)
    return float(found.low[0, 0] <= true_scores(share, skewed)[measure] <= found.high[0, 0])


NOT_ALIKE = (
    "Cautious and bold systems mark words in ways that cannot be swapped, and 20 sentences are too few to compare "
    "their scores alone: some pair differs in 7% of tables of 6 systems, and in 11% of 17. With two systems it holds."
)
RARE = "With very few BAD words hardly any is found, and the distribution of the coefficient is far from symmetric."
TAG_CELLS = [
    *(
        Cell(
            table="rank-tags/any false difference",
            row=f"{n_systems} systems, {name}",
            column=f"{n} sentences",
            trial=partial(tags_differ, n_systems, n, share, finds),
            low=0.0,
            high=0.06,
            tables=2000 if n_systems < 17 else 500,
            limit=NOT_ALIKE if len(finds) > 1 and n_systems > 2 and n == 20 else "",
        )
        for name, share, finds in (
            ("20% BAD", 0.2, ((0.5, 0.08),)),
            ("3% BAD", 0.03, ((0.5, 0.08),)),
            ("cautious and bold, 20% BAD", 0.2, (CAUTIOUS, BOLD)),
        )
        for n_systems in (2, 6, 17)
        for n in (20, 200)
    ),
    *(
        Cell(
            table="audition/any false difference",
            row=f"{n_systems} systems",
            column=f"{n} sentences",
            trial=partial(audition_differs, n_systems, n),
            low=0.0,
            high=0.06,
            tables=2000 if n_systems < 17 else 500,
        )
        for n_systems in (2, 6, 17)
        for n in (20, 200)
    ),
    *(
        Cell(
            table="rank-tags/coverage",
            row=f"{measure}, {100 * share:.0f}% BAD{', skewed lengths' if skewed else ''}",
            column=f"{n} sentences",
            trial=partial(tag_interval_holds, measure, n, share, skewed),
            low=0.93,
            high=0.97,
            tables=2000,
            limit=RARE if n == 50 and share < 0.1 else "",
        )
        for measure in ("f1_mult", "mcc", "f1_ok")
        for share in (0.2, 0.03)
        for skewed in (False, True)
        for n in (50, 200, 1000)
    ),
]

# --- Quality of sentences -------------------------------------------------------------------------------------


def predictions(rng, n_systems, n, shape):
    """Truth, and systems that follow it equally well."""
    size = (n_systems, n)
    if shape == "normal":
        truth = rng.normal(size=n)
        shared = 0.4 * rng.normal(size=n)
        return truth, 0.6 * truth + shared + 0.7 * rng.normal(size=size)
    if shape == "rates":  # many near 0, and errors that grow with the rate
        truth = np.maximum(0, rng.gamma(0.8, 0.25, size=n) - 0.05)
        return truth, 0.15 + 0.6 * truth + (0.05 + 0.5 * truth) * rng.normal(size=size)
    truth = rng.standard_t(3, size=n)
    return truth, 0.6 * truth + 0.8 * rng.standard_t(3, size=size)


def quality_of(rng, n_systems, n, shape):
    """What the verb says of one such table."""
    truth, values = predictions(rng, n_systems, n, shape)
    segments = [str(i) for i in range(n)]
    gold = bt.Scores(name="rate", systems=["truth"], segments=segments, values=truth[None])
    systems = [f"S{i}" for i in range(n_systems)]
    return bt.sentence_quality(
        bt.Scores(name="rate", systems=systems, segments=segments, values=values), gold
    )


def quality_differs(n_systems, n, shape, rng):
    """Whether any pair of equal systems differs significantly."""
    return float(len(set(quality_of(rng, n_systems, n, shape).letters)) > 1)


@cache
def true_quality(shape):
    """Pearson, Spearman, MAE and RMSE on very many sentences."""
    rng = np.random.default_rng(141_421)
    found = []
    for _ in range(20):
        truth, values = predictions(rng, 1, 200_000, shape)
        error = np.abs(values[0] - truth)
        ranks = np.argsort(np.argsort([truth, values[0]], axis=1), axis=1)
        found.append(
            [
                np.corrcoef(truth, values[0])[0, 1],
                np.corrcoef(ranks)[0, 1],
                error.mean(),
                (error**2).mean(),
            ]
        )
    *first, square = np.mean(found, axis=0)
    return (*first, np.sqrt(square))


def quality_interval_holds(place, n, shape, rng):
    """Whether the interval of the measure at this place holds the truth."""
    found = quality_of(rng, 1, n, shape)
    return float(found.low[0, place] <= true_quality(shape)[place] <= found.high[0, place])


TAILS = "The root mean squared error depends on a few large errors, of which a sample may have none."
QUALITY_CELLS = [
    *(
        Cell(
            table="sentence-quality/any false difference",
            row=f"{n_systems} systems, {shape}",
            column=f"{n} sentences",
            trial=partial(quality_differs, n_systems, n, shape),
            low=0.0,
            high=0.06,
        )
        for shape in ("normal", "rates", "heavy tails")
        for n_systems in (2, 6, 17)
        for n in (20, 50, 200, 1000)
    ),
    *(
        Cell(
            table="sentence-quality/coverage",
            row=f"{name}, {shape}",
            column=f"{n} sentences",
            trial=partial(quality_interval_holds, place, n, shape),
            low=0.93,
            high=0.97,
            limit=TAILS if name == "RMSE" and shape != "normal" else "",
        )
        for shape in ("normal", "rates", "heavy tails")
        for place, name in enumerate(("Pearson", "Spearman", "MAE", "RMSE"))
        for n in (50, 200, 1000)
    ),
]

# --- Aggregated counts ----------------------------------------------------------------------------------------


def errors_of(rng, n_systems, n):
    """Edits over words, on sentences of skewed lengths; all systems are equal, and the rate is 0.2."""
    words = np.maximum(1, np.rint(15 * np.exp(0.9 * rng.normal(size=n)))).astype(int)
    rate = rng.beta(0.8, 3.2, size=n)
    edits = rng.binomial(words, rate, size=(n_systems, n))
    return bt.Counts(
        name="edit rate",
        systems=[f"S{i}" for i in range(n_systems)],
        segments=[str(i) for i in range(n)],
        values=np.stack([edits, np.broadcast_to(words, edits.shape)], axis=2).astype(float),
        columns=("edits", "words"),
        formula=RATE,
        higher_is_better=False,
    )


RATE = bt.Formula(name="rate", pooled=lambda sums: sums[..., 0] / sums[..., 1])


def aggregate_differs(n_systems, n, rng):
    """Whether any of equal systems is put into another significance cluster."""
    return float(bt.aggregate(errors_of(rng, n_systems, n)).cluster.max() > 1)


def aggregate_holds(way, n, rng):
    """Whether the interval of one way to aggregate holds the rate, which is 0.2 for all three."""
    found = bt.aggregate(errors_of(rng, 1, n))
    return float(getattr(found, f"{way}_low")[0] <= 0.2 <= getattr(found, f"{way}_high")[0])


BOOTSTRAP_MEANS = (
    "Percentiles of bootstrap corpora, as published, are too narrow with 50 segments of skewed lengths. Those of the "
    "pooled rate are not."
)
AGGREGATE_CELLS = [
    *(
        Cell(
            table="aggregate/any false difference",
            row=f"{n_systems} systems",
            column=f"{n} segments",
            trial=partial(aggregate_differs, n_systems, n),
            low=0.0,
            high=0.06,
            tables=2000 if n_systems < 17 else 500,
        )
        for n_systems in (2, 6, 17)
        for n in (20, 200)
    ),
    *(
        Cell(
            table="aggregate/coverage",
            row=way.replace("_", " "),
            column=f"{n} segments",
            trial=partial(aggregate_holds, way, n),
            low=0.93,
            high=0.97,
            limit=BOOTSTRAP_MEANS if (way, n) == ("bootstrap_mean", 50) else "",
        )
        for way in ("pooled", "segment_mean", "bootstrap_mean")
        for n in (50, 200, 1000)
    ),
]

CELLS: list[Cell] = [*JUDGE_CELLS, *CONTROL_CELLS, *TAG_CELLS, *QUALITY_CELLS, *AGGREGATE_CELLS]
