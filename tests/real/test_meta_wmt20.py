"""Metrics against people on the WMT20 metrics task: every number from a second, literal implementation.

Where the shared task itself published a number, that is the one to be reached.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.everyday import few

import betterthan as bt
from betterthan.kernels.agreement.soft_pairwise import standard_error_of_monte_carlo

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = DATA / "wmt20-metrics"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no {FOLDER}; set BETTERTHAN_DATA to the data's folder"
)

MQM_PAIRS = ("en-de", "zh-en")
DARR_PAIRS = ("de-en", "en-de", "en-ru", "km-en", "ps-en")
# Only the values are wanted: no test of metrics, and the bootstrap as short as it can be.
VALUES_ONLY = {"significance": "none", "n_resamples": 1, "workers": 1}

# results/output/seglevel_allsys/RR-newstest2020-*-seg-nohy-cor.csv (four digits) and, where that is not to be had,
# results/tables/tbl-combined-newstest2020-nohy-seg.tex (three digits) of WMT-Metrics-task/wmt20-metrics, "all".
OFFICIAL_TAUS = {
    "de-en": {"TER": 0.3554, "YiSi-2": 0.4130, "chrF": 0.4379, "parbleu": 0.4150, "parchrf++": 0.4357},
    "en-de": {
        "TER": 0.1819,
        "YiSi-2": 0.2965,
        "Yisi-combi": 0.3989,
        "bleurt-combi": 0.3989,
        "chrF": 0.3789,
        "parbleu": 0.2986,
        "parchrf++": 0.3550,
    },
    "en-ru": {"TER": -0.121, "YiSi-2": 0.146, "chrF": 0.153, "parbleu": 0.062, "parchrf++": 0.176},
    "km-en": {
        "SWSS+METEOR": 0.2639,
        "TER": 0.1252,
        "YiSi-2": 0.2142,
        "chrF": 0.2671,
        "parbleu": 0.2035,
        "parchrf++": 0.2671,
    },
    "ps-en": {
        "SWSS+METEOR": 0.130,
        "TER": -0.036,
        "YiSi-2": 0.073,
        "chrF": 0.144,
        "parbleu": 0.100,
        "parchrf++": 0.147,
    },
}
# The same table, "all-out": without systems that lie far from the others by people's z-scores.
OFFICIAL_WITHOUT_OUTLIERS = {
    "de-en": (6185, {"TER": -0.137, "YiSi-2": 0.006, "chrF": 0.018, "parbleu": -0.039, "parchrf++": 0.009}),
    "en-de": (
        4637,
        {
            "TER": 0.044, "YiSi-2": 0.171, "Yisi-combi": 0.224, "bleurt-combi": 0.224, "chrF": 0.224,
            "parbleu": 0.136, "parchrf++": 0.192,
        },
    ),
}  # fmt: skip
OFFICIAL_PAIRS = {"de-en": 16584, "en-de": 9339, "en-ru": 8330, "km-en": 3706, "ps-en": 3507}

# results/tables/tbl-DA-Pearson-MTall-exclhuman-ento.tex there, en-de: 14 systems, people's z-scores.
OFFICIAL_PEARSON = {
    "BLEU": 0.928, "BLEURT-extended": 0.969, "COMET": 0.972, "COMET-2R": 0.972, "COMET-HTER": 0.951,
    "COMET-MQM": 0.881, "COMET-QE": 0.903, "COMET-Rank": 0.877, "CharacTER": 0.961, "EED": 0.965, "MEE": 0.954,
    "OpenKiwi-Bert": 0.852, "OpenKiwi-XLMR": 0.968, "TER": 0.941, "YiSi-0": 0.953, "YiSi-1": 0.971,
    "YiSi-2": 0.899, "Yisi-combi": 0.971, "chrF": 0.962, "chrF++": 0.958, "esim": 0.979, "mBERT-L2": 0.970,
    "parbleu": 0.910, "parchrf++": 0.957, "paresim-1": 0.974, "prism": 0.958, "sentBLEU": 0.934,
}  # fmt: skip


def rows(name):
    """Rows of a file as lists, without its head."""
    with gzip.open(FOLDER / name, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(reader)
        yield from reader


@cache
def segments():
    """Language pair to its segments (id, document), in order."""
    found = {}
    for lp, seg, doc, _ in rows("segments.tsv.gz"):
        found.setdefault(lp, []).append((seg, doc))
    return found


@cache
def scores_of_segments():
    """Language pair to metric to system to segment to score."""
    found = {}
    for lp, metric, system, seg, score in rows("metric_seg.tsv.gz"):
        found.setdefault(lp, {}).setdefault(metric, {}).setdefault(system, {})[seg] = float(score)
    return found


@cache
def scores_of_documents():
    """The same for documents."""
    found = {}
    for lp, metric, system, doc, score in rows("metric_doc.tsv.gz"):
        found.setdefault(lp, {}).setdefault(metric, {}).setdefault(system, {})[doc] = float(score)
    return found


@cache
def mqm():
    """Language pair to system to segment to score."""
    found = {}
    for lp, system, seg, score in rows("mqm_seg.tsv.gz"):
        found.setdefault(lp, {}).setdefault(system, {})[seg] = float(score)
    return found


@cache
def direct_assessment():
    """Language pair to system to segment to raw score; translations made by people are left out."""
    found = {}
    for lp, system, _, _, seg, raw, _, _ in rows("da_seg.tsv.gz"):
        if not system.startswith("Human"):
            found.setdefault(lp, {}).setdefault(system, {})[seg] = float(raw)
    return found


def table(name, by_system, columns, **options):
    """Scores out of system to column to score."""
    values = [[cells.get(column, math.nan) for column in columns] for cells in by_system.values()]
    return bt.Scores(name=name, systems=list(by_system), segments=columns, values=values, **options)


@cache
def campaign(lp, unit="segments"):
    """People and metrics of a language pair, scored on segments or on documents."""
    ids, docs = [list(column) for column in zip(*segments()[lp], strict=True)]
    human = table("MQM", mqm()[lp], ids, groups=docs)
    if unit == "segments":
        found = scores_of_segments()[lp]
        return human, {name: table(name, found[name], ids, groups=docs) for name in found}
    found = scores_of_documents()[lp]
    names = list(dict.fromkeys(docs))
    return human, {name: table(name, found[name], names) for name in found}


@cache
def cells(lp, unit="segments"):
    """Plain arrays (m, n) by hand: people's, and each metric's, of the systems that most metrics scored."""
    found = (scores_of_segments() if unit == "segments" else scores_of_documents())[lp]
    judged = mqm()[lp]
    systems = [s for s in judged if sum(s in scored for scored in found.values()) * 2 > len(found)]
    documents = {}
    for seg, doc in segments()[lp]:
        documents.setdefault(doc, []).append(seg)
    if unit == "segments":
        columns = [seg for seg, _ in segments()[lp]]
        human = [[judged[s][c] for c in columns] for s in systems]
    else:
        columns = list(documents)
        # Exactly rounded sums: the same scores in another order tie.
        human = [
            [math.fsum(judged[s][c] for c in documents[d]) / len(documents[d]) for d in columns]
            for s in systems
        ]
    metrics = {
        name: np.array([[scored[s][c] for c in columns] for s in systems]) for name, scored in found.items()
    }
    return np.array(human), metrics


def by_metric(found, field="value"):
    """Metric to number."""
    return dict(zip(found.metrics, getattr(found, field).tolist(), strict=True))


def literal_pearson(x, y):
    """Pearson's r of two short lists, None when one is constant."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    xx = sum((a - mean_x) ** 2 for a in x)
    yy = sum((b - mean_y) ** 2 for b in y)
    if min(x) == max(x) or min(y) == max(y):
        return None
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / math.sqrt(xx * yy)


def literal_ranks(x):
    """Midranks by counting."""
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]


def literal_spearman(x, y):
    """Pearson's r of midranks."""
    return literal_pearson(literal_ranks(x), literal_ranks(y))


def literal_kendall_b(x, y):
    """Concordant minus discordant over the geometric mean of untied pairs."""
    excess = untied_x = untied_y = 0
    for i, j in combinations(range(len(x)), 2):
        a, b = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
        excess, untied_x, untied_y = excess + a * b, untied_x + abs(a), untied_y + abs(b)
    return excess / math.sqrt(untied_x * untied_y) if untied_x and untied_y else None


LITERAL = {"pearson": literal_pearson, "spearman": literal_spearman, "kendall_b": literal_kendall_b}
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_b": stats.kendalltau}


def mean_of(values):
    """Mean of the defined ones."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known)


def expected_coefficient(by, level, metric, human):
    """The coefficient at that level with loops: SciPy where there are few groups, plain Python where many."""
    if level == "system":
        return float(SCIPY[by](metric.mean(axis=1), human.mean(axis=1)).statistic)
    if level == "global":
        return float(SCIPY[by](metric.ravel(), human.ravel()).statistic)
    if level == "within_system":
        return mean_of(float(SCIPY[by](x, y).statistic) for x, y in zip(metric, human, strict=True))
    columns = zip(metric.T.tolist(), human.T.tolist(), strict=True)
    return mean_of(LITERAL[by](x, y) for x, y in columns)


@pytest.mark.parametrize("level", few(["system", "segment", "within_system", "global"], 2))
@pytest.mark.parametrize("by", LITERAL)
@pytest.mark.parametrize("unit", [pytest.param("segments", marks=pytest.mark.slow), "documents"])
@pytest.mark.parametrize("lp", ["en-de", pytest.param("zh-en", marks=pytest.mark.slow)])
def test_correlations_are_those_of_a_literal_loop(lp, unit, by, level):
    """To nine digits, for every metric."""
    people, metrics = campaign(lp, unit)
    human, arrays = cells(lp, unit)
    found = bt.meta_evaluate(metrics, people, by=by, level=level, **VALUES_ONLY)

    assert found.n_systems == len(human)
    assert found.n_segments == human.shape[1]
    expected = {name: expected_coefficient(by, level, arrays[name], human) for name in arrays}
    assert by_metric(found) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("unit", few(["segments", "documents"], 1))
@pytest.mark.parametrize("lp", MQM_PAIRS)
def test_pairwise_accuracy_counts_pairs(lp, unit):
    """Share of pairs of systems in the same order."""
    people, metrics = campaign(lp, unit)
    human, arrays = cells(lp, unit)
    found = bt.meta_evaluate(metrics, people, by="pairwise_accuracy", **VALUES_ONLY)
    h = human.mean(axis=1)
    pairs = list(combinations(range(len(h)), 2))

    def accuracy(m):
        return sum((m[i] - m[j]) * (h[i] - h[j]) > 0 for i, j in pairs) / len(pairs)

    assert by_metric(found) == pytest.approx(
        {name: accuracy(arrays[name].mean(axis=1)) for name in arrays}, abs=1e-9
    )
    assert found.n_pairs == len(pairs)


def literal_accuracy_with_ties(metric, human):
    """Sort all gaps; raising the threshold over a gap gains human ties and loses concordant pairs."""
    gaps, changes, start = [], [], 0
    for i, j in combinations(range(len(human)), 2):
        x, h = metric[i] - metric[j], human[i] - human[j]
        concordant, tied = x * h > 0, h == 0
        gaps.append(np.abs(x))
        changes.append(tied.astype(int) - concordant.astype(int))
        start += int(concordant.sum())
    gaps, changes = np.concatenate(gaps), np.concatenate(changes)
    best, threshold, order = start, 0.0, np.argsort(gaps, kind="stable")
    total = start + np.cumsum(changes[order])
    last_of_equals = np.append(gaps[order][1:] != gaps[order][:-1], True)
    for k in np.flatnonzero(last_of_equals):
        if total[k] > best or (total[k] == best and gaps[order][k] == 0):
            best, threshold = int(total[k]), float(gaps[order][k])
    return best / gaps.size, threshold


@pytest.mark.parametrize("unit", few(["segments", "documents"], 1))
@pytest.mark.parametrize("lp", MQM_PAIRS)
def test_accuracy_with_ties_is_the_best_over_all_thresholds(lp, unit):
    """Every gap is tried as the threshold; all groups have as many pairs, so counts can be added."""
    people, metrics = campaign(lp, unit)
    human, arrays = cells(lp, unit)
    found = bt.meta_evaluate(metrics, people, by="accuracy_with_ties", **VALUES_ONLY)
    expected = {name: literal_accuracy_with_ties(arrays[name], human) for name in arrays}

    assert by_metric(found) == pytest.approx({name: one[0] for name, one in expected.items()}, abs=1e-9)
    assert by_metric(found, "threshold") == pytest.approx(
        {name: one[1] for name, one in expected.items()}, abs=1e-9
    )
    m, n = human.shape
    assert found.n_pairs == n * m * (m - 1) // 2


def literal_edgeworth(d):
    """P(T ≥ t) under random signs: normal, and the term of the fourth cumulant −2 Σd⁴ unless it eats up the tail."""
    second = float((d**2).sum())
    if second == 0:
        return 0.5
    z = float(d.sum()) / math.sqrt(second)
    excess = -2 * float((d**4).sum()) / second**2
    far = abs(z)
    tail = stats.norm.sf(far)
    corrected = tail + stats.norm.pdf(far) * excess / 24 * (far**3 - 3 * far)
    outer = corrected if corrected > tail / 4 else tail
    return outer if z >= 0 else 1 - outer


def literal_soft_accuracy(metric, human):
    """Equation 1 of the paper on those p-values."""
    pairs = list(combinations(range(len(human)), 2))
    gaps = [
        abs(literal_edgeworth(human[i] - human[j]) - literal_edgeworth(metric[i] - metric[j]))
        for i, j in pairs
    ]
    return 1 - math.fsum(gaps) / len(pairs)


@pytest.mark.parametrize("unit", few(["segments", "documents"], 1))
@pytest.mark.parametrize("lp", MQM_PAIRS)
def test_analytic_soft_pairwise_accuracy_is_equation_1(lp, unit):
    """With Edgeworth p-values written out pair by pair."""
    people, metrics = campaign(lp, unit)
    human, arrays = cells(lp, unit)
    found = bt.meta_evaluate(metrics, people, p_values="analytic", **VALUES_ONLY)
    expected = {name: literal_soft_accuracy(arrays[name], human) for name in arrays}

    assert by_metric(found) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("lp", "n_metrics"), [("en-de", 27), ("zh-en", 31)])
def test_monte_carlo_lies_within_its_standard_error_of_the_analytic_value(lp, n_metrics, record_property):
    """For all metrics of the task, on documents, 1000 permutations."""
    people, metrics = campaign(lp, "documents")
    options = {"significance": "none", "workers": 1, "n_resamples": 1000, "mid_p": True}
    drawn = bt.meta_evaluate(metrics, people, **options)
    analytic = bt.meta_evaluate(metrics, people, p_values="analytic", **options)
    smooth = by_metric(analytic)
    place = {name: i for i, name in enumerate(analytic.metrics)}
    ratio = {}
    for name, value in by_metric(drawn).items():
        error = standard_error_of_monte_carlo(
            analytic.metric_pvalue[place[name]], analytic.human_pvalue, 1000
        )
        ratio[name] = abs(value - smooth[name]) / error
    worst = max(ratio, key=ratio.get)
    record_property("largest ratio to the standard error", f"{lp}: {ratio[worst]:.3f} ({worst})")

    assert len(ratio) == n_metrics
    assert ratio[worst] < 1


def official_pairs(lp):
    """The task's own pairs: segment, better system, worse system."""
    seg_of = {(doc, number): seg for pair, seg, doc, number in rows("segments.tsv.gz") if pair == lp}
    return [
        (seg_of[doc, number], better, worse) for doc, number, better, worse in rows(f"darr_pairs.{lp}.tsv.gz")
    ]


@pytest.mark.parametrize("lp", few(DARR_PAIRS, 2))
def test_the_official_taus_of_wmt20_are_reached(lp):
    """From raw direct assessment with a margin of 25, and from the task's list of pairs; then as published."""
    ids = [seg for seg, _ in segments()[lp]]
    judged = direct_assessment()[lp]
    scored = scores_of_segments()[lp]
    found = bt.meta_evaluate(
        {name: table(name, scored[name], ids) for name in scored},
        table("DA", judged, ids),
        by="tau_ties_hard",
        margin=25,
        **VALUES_ONLY,
    )
    pairs = official_pairs(lp)
    expected = {}
    for name, score in scored.items():
        won = sum(score[better][seg] > score[worse][seg] for seg, better, worse in pairs)
        expected[name] = (2 * won - len(pairs)) / len(pairs)

    assert found.n_pairs == len(pairs) == OFFICIAL_PAIRS[lp]
    assert by_metric(found) == pytest.approx(expected, abs=1e-12)
    digits = 4 if lp in {"de-en", "en-de", "km-en"} else 3
    published = OFFICIAL_TAUS[lp]
    assert by_metric(found).keys() == published.keys()
    assert by_metric(found) == pytest.approx(published, abs=0.5 * 10**-digits + 1e-12)


@pytest.mark.parametrize("lp", OFFICIAL_WITHOUT_OUTLIERS)
def test_the_official_taus_without_outliers_are_reached(lp):
    """Outliers by z-scores of all that was judged, human translations among them, as the task did it."""
    z = {row[1]: {"system": float(row[3])} for row in rows("da_sys.tsv.gz") if row[0] == lp}
    people = table("DA z", z, ["system"])
    kept = bt.meta_evaluate({"m": people}, people, by="pearson", outliers="drop").systems
    ids = [seg for seg, _ in segments()[lp]]
    judged, scored = direct_assessment()[lp], scores_of_segments()[lp]
    found = bt.meta_evaluate(
        {name: table(name, scored[name], ids) for name in scored},
        table("DA", judged, ids),
        by="tau_ties_hard",
        margin=25,
        leave_out=[name for name in judged if name not in kept],
        **VALUES_ONLY,
    )
    n_pairs, published = OFFICIAL_WITHOUT_OUTLIERS[lp]
    assert found.n_pairs == n_pairs
    assert by_metric(found) == pytest.approx(published, abs=0.0005 + 1e-12)


def test_the_official_correlations_of_systems_are_reached():
    """One score a system: 27 published values of Pearson's r, with Williams' test between metrics."""
    lp = "en-de"
    people = {
        row[1]: float(row[3]) for row in rows("da_sys.tsv.gz") if row[0] == lp and "Human" not in row[1]
    }
    found = {}
    for pair, metric, system, score in rows("metric_sys.tsv.gz"):
        if pair == lp and metric in OFFICIAL_PEARSON:
            found.setdefault(metric, {})[system] = {"system": float(score)}
    human = table("DA z", {name: {"system": z} for name, z in people.items()}, ["system"])
    metrics = {name: table(name, found[name], ["system"]) for name in found}
    result = bt.meta_evaluate(metrics, human, by="pearson", significance="williams")

    assert result.n_systems == 14
    assert by_metric(result) == pytest.approx(OFFICIAL_PEARSON, abs=0.0005 + 1e-12)
    assert result.comparisons.test == "williams"
    better = result.pvalue("esim", "COMET-Rank")
    assert better == result.pvalue("COMET-Rank", "esim")


def test_what_was_left_out_and_what_is_one_metric_under_two_names_is_said():
    """A60: Yisi-combi and bleurt-combi hold the same scores; the reference most metrics were made with is no system."""
    people, metrics = campaign("en-de")
    found = bt.meta_evaluate(metrics, people, p_values="analytic", n_resamples=99)
    notes = "\n".join(found.notes)

    assert "most metrics have no score for them: Human-A.0." in notes
    named = {one.code: set(one.names) for one in found.caveats}
    assert named == {
        "human_translations": {"Human-B.0", "Human-P.0"},
        "same_metrics": {"Yisi-combi", "bleurt-combi"},
    }
    assert found.pvalue("Yisi-combi", "bleurt-combi") == 1
    assert found.n_distinct == 6
    assert "Human-A.0" not in found.systems
    assert bt.meta_evaluate(
        metrics, people, leave_out="Human-*", p_values="analytic", **VALUES_ONLY
    ).systems == tuple(name for name in found.systems if not name.startswith("Human"))


def test_direct_assessment_has_gaps_and_pairs_are_compared_on_what_both_have():
    """E27: p-values of pairs of systems on the segments both were judged on, counted in a note."""
    lp = "de-en"
    ids = [seg for seg, _ in segments()[lp]]
    judged, scored = direct_assessment()[lp], scores_of_segments()[lp]["chrF"]
    found = bt.meta_evaluate(
        {"chrF": table("chrF", scored, ids)}, table("DA", judged, ids), p_values="analytic", **VALUES_ONLY
    )
    shared = []
    for i, j in combinations(range(found.n_systems), 2):
        a, b = found.systems[i], found.systems[j]
        both = [seg for seg in ids if seg in judged[a] and seg in judged[b]]
        shared.append(len(both))
        people = literal_edgeworth(np.array([judged[a][seg] - judged[b][seg] for seg in both]))
        metric = literal_edgeworth(np.array([scored[a][seg] - scored[b][seg] for seg in both]))
        assert found.human_pvalue[i, j] == pytest.approx(people, abs=1e-9)
        assert found.metric_pvalue[0, i, j] == pytest.approx(metric, abs=1e-9)
    n = sum(len(one) for one in judged.values())
    assert (
        f"Human scores cover {n:,} of {len(judged) * len(ids):,} cells; pairs of systems share "
        f"{min(shared):,} to {max(shared):,} segments."
    ) in found.notes


@pytest.mark.parametrize("by", few(["mean", "median", "win_rate", "bradley_terry"], 2))
@pytest.mark.parametrize("lp", ["en-de", pytest.param("zh-en", marks=pytest.mark.slow)])
def test_no_rank_lies_outside_its_range(lp, by):
    """People's scores and those of every metric, by documents as is the default, with a prior where it is needed."""
    people, metrics = campaign(lp)
    for scores in (people, *metrics.values()):
        try:
            found = bt.rank(scores, by=by, missing="drop")
        except bt.NotEstimable:
            found = bt.rank(scores, by=by, missing="drop", prior=0.5)
        assert (found.rank_low <= found.rank).all(), scores.name
        assert (found.rank <= found.rank_high).all(), scores.name
        assert found.rank_low.min() == 1
        assert found.rank_high.max() == scores.n_systems
