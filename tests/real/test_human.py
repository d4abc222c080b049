"""Human judgments of WMT16, WMT20 and WMT23: official relative rankings, agreement, and strengths."""

from __future__ import annotations

import csv
import gzip
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.analysis.human.identical_outputs import as_ratings

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(
    not (DATA / "wmt20-metrics").exists(), reason=f"no {DATA}; set BETTERTHAN_DATA to the data's folder"
)

OFFICIAL = {"de-en": 16584, "en-de": 9339, "en-ru": 8330, "km-en": 3706, "ps-en": 3507}


def rows(path):
    """Read a gzipped TSV without quoting, with the standard library."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def assessed():
    """Raw direct assessments of WMT20 by language pair, human translations left out, as ratings of one judge."""
    by_pair = {}
    for row in rows(DATA / "wmt20-metrics" / "da_seg.tsv.gz"):
        if not row["system"].startswith("Human"):
            by_pair.setdefault(row["lp"], []).append(row)
    tables = {}
    for pair, found in by_pair.items():
        columns = {
            "item": [f"{row['doc']}:{row['doc_seg_id']}" for row in found],
            "system": [row["system"] for row in found],
            "score": [float(row["raw"]) for row in found],
            "doc": [row["doc"] for row in found],
        }
        tables[pair] = as_ratings(bt.read_scores(columns, name="DA"))
    return tables


@pytest.mark.parametrize(("pair", "n"), few(OFFICIAL.items(), tuples=True))
def test_the_official_relative_rankings_are_ours(pair, n, assessed):
    """Every pair that WMT20 published, and no other: raw scores 25 or more apart (E29: 25 itself is kept)."""
    ratings = assessed[pair]
    matches = ratings.to_matches(margin=25)
    ours = set()
    for a, b, outcome, segment in zip(
        matches.left, matches.right, matches.outcome, matches.segment, strict=True
    ):
        better, worse = (a, b) if outcome == 1 else (b, a)
        ours.add((ratings.segments[segment], ratings.systems[better], ratings.systems[worse]))
    official = {
        (f"{row['doc']}:{row['doc_seg_id']}", row["better"], row["worse"])
        for row in rows(DATA / "wmt20-metrics" / f"darr_pairs.{pair}.tsv.gz")
    }
    assert len(official) == matches.n_matches == n
    assert ours == official


def test_a_wider_margin_keeps_less(assessed):
    """Figure 1 of the paper, on WMT20: what 25 keeps of what 1 keeps, and 1 against 50 (WMT19: half, five times)."""
    kept = {pair: ratings.kept_by_margin([1, 25, 50]) for pair, ratings in assessed.items()}
    into = np.mean([share for pair, share in kept.items() if pair.endswith("-en")], axis=0)
    out = np.mean([share for pair, share in kept.items() if pair.startswith("en-")], axis=0)
    assert (into[1] / into[0], out[1] / out[0]) == (
        pytest.approx(0.42, abs=0.005),
        pytest.approx(0.31, abs=0.005),
    )
    assert (into[0] / into[2], out[0] / out[2]) == (
        pytest.approx(6.05, abs=0.05),
        pytest.approx(11.2, abs=0.1),
    )
    for ratings in assessed.values():
        share = ratings.kept_by_margin(np.arange(0, 101))
        assert (np.diff(share) <= 0).all()
        assert ratings.kept_by_margin([25])[0] == pytest.approx(
            ratings.to_matches(margin=25).n_matches / ratings.to_matches(margin=0, keep_ties=True).n_matches
        )


@pytest.mark.parametrize("pair", few(OFFICIAL, 2))
def test_patchy_assessments_are_ranked(pair, assessed):
    """All judgments count; adjusting for segments keeps the order of plain means but for near ties."""
    scores = assessed[pair].to_scores()
    assert scores.n_missing > 0
    # Khmer and Pashto have one document each.
    units = "segments" if pair in {"km-en", "ps-en"} else "groups"
    adjusted = bt.rank_ratings(scores, units=units)
    plain = bt.rank_ratings(scores, adjust=False)
    concord = bt.agreement({"adjusted": adjusted, "plain": plain}).comparisons[0]
    assert concord.tau_b > 0.75
    assert (adjusted.low < adjusted.strength).all()
    assert (adjusted.strength < adjusted.high).all()
    means = {name: np.nanmean(row) for name, row in zip(scores.systems, scores.values, strict=True)}
    np.testing.assert_allclose(plain.strength, [means[name] for name in plain.systems])


MQM = {
    # Judgments, judges, alpha, ICC(1), alike, opposite: the last four as found here by the loops below.
    "en-de": (3120, 10, 0.533, 0.533, 0.589, 0.184),
    "zh-en": (11310, 8, 0.456, 0.456, 0.502, 0.149),
}


def mqm(pair):
    """Ratings of WMT23, three raters an output."""
    path = DATA / "wmt23-mqm-3raters" / f"{pair}.tsv.gz"
    return bt.read_ratings(path, item="line", system="system", judge="rater", score="mqm", name="MQM")


@pytest.mark.parametrize("pair", MQM)
def test_raters_of_mqm_agree_as_a_plain_loop_says(pair):
    """Alpha, intraclass correlation and order from dictionaries; nobody is left out at the default."""
    found = bt.judges(mqm(pair))
    n, j, alpha, icc, alike, opposite = MQM[pair]
    assert (int(found.n_judgements.sum()), len(found.judges)) == (n, j)
    outputs = {}
    for row in rows(DATA / "wmt23-mqm-3raters" / f"{pair}.tsv.gz"):
        outputs.setdefault((row["line"], row["system"]), {})[row["rater"]] = float(row["mqm"])
    a = found.agreement
    assert a.alpha == pytest.approx(loop_alpha(outputs), abs=1e-9) == pytest.approx(alpha, abs=0.001)
    assert a.icc == pytest.approx(loop_icc(outputs), abs=1e-9) == pytest.approx(icc, abs=0.001)
    counts = loop_order(outputs)
    assert a.order_pairs == counts[0]
    assert a.order_alike == pytest.approx(counts[1] / counts[0]) == pytest.approx(alike, abs=0.001)
    assert a.order_opposite == pytest.approx(counts[2] / counts[0]) == pytest.approx(opposite, abs=0.001)
    assert a.alpha_standardized > a.alpha
    assert found.dropped == ()
    assert (found.correlation > 0.4).all()


def loop_alpha(outputs):
    """Interval alpha from all pairs within outputs and the spread of all values."""
    values = np.array([v for given in outputs.values() for v in given.values()])
    within = sum(
        2 * (x - y) ** 2 / (len(given) - 1)
        for given in outputs.values()
        for x, y in combinations(given.values(), 2)
    )
    between = 2 * values.size * ((values - values.mean()) ** 2).sum()
    return 1 - within / values.size / (between / (values.size * (values.size - 1)))


def loop_icc(outputs):
    """ICC(1) of three judgments an output, from the two mean squares."""
    table = np.array([list(given.values()) for given in outputs.values()])
    n, k = table.shape
    between = k * table.mean(axis=1).var(ddof=1)
    within = table.var(axis=1, ddof=1).mean()
    assert k == 3
    assert n == len(outputs)
    return (between - within) / (between + (k - 1) * within)


def loop_order(outputs):
    """Pairs of systems on a segment by pairs of raters: all, alike, opposite."""
    segments = {}
    for (segment, system), given in outputs.items():
        for rater, value in given.items():
            segments.setdefault(segment, {}).setdefault(rater, {})[system] = value
    total = alike = opposite = 0
    for raters in segments.values():
        for one, other in combinations(raters.values(), 2):
            for a, b in combinations(sorted(one.keys() & other.keys()), 2):
                signs = np.sign(one[a] - one[b]), np.sign(other[a] - other[b])
                total += 1
                alike += signs[0] == signs[1]
                opposite += signs[0] * signs[1] < 0
    return total, alike, opposite


def test_mqm_of_wmt23_is_ranked():
    """Complete within the judged segments: the strengths are the plain means; the reference beats the last system."""
    ratings = mqm("en-de")
    found = bt.rank_ratings(ratings, standardize=False)
    means = ratings.to_scores()
    assert means.n_missing == 0
    plain = dict(zip(means.systems, means.values.mean(axis=1), strict=True))
    np.testing.assert_allclose(found.strength, [plain[name] for name in found.systems])
    assert found.letters[0] != found.letters[-1]


def test_relative_rankings_of_wmt16_by_trueskill_and_bradley_terry():
    """Romanian–English: both name the same best and last system, with intervals."""
    matches = bt.read_matches(DATA / "wmt16-rr" / "wmt16.ron-eng.csv.gz", keep=["judge"])
    terry = bt.rank(matches, scale="elo")
    skill = bt.rank(matches, by="trueskill", n_resamples=50)
    assert terry.systems[0] == skill.systems[0] == "newstest2016.online-B.0.ro-en"
    assert terry.systems[-1] == skill.systems[-1] == "newstest2016.LIMSI.4422.ro-en"
    assert bt.agreement([terry, skill]).comparisons[0].tau_b > 0.9
    assert (terry.low < terry.strength).all()
    assert (terry.strength < terry.high).all()
    assert (skill.low <= skill.high).all()
    assert 25 < skill.strength[0] < 27


def test_identical_outputs_of_wmt23_and_what_raters_made_of_them():
    """Chinese–English: hundreds of equal outputs on the judged segments, some of them an error of five points apart."""
    folder = DATA / "wmt23-general-text" / "zh-en" / "sys"
    ratings = mqm("zh-en")
    names = [name for name in ratings.systems if (folder / f"{name}.en.txt.gz").exists()]
    lines = []
    for name in names:
        with gzip.open(folder / f"{name}.en.txt.gz", "rt", encoding="utf-8", newline="\n") as file:
            lines.append(file.read().rstrip("\n").split("\n"))
    texts = bt.Texts(systems=names, segments=[str(i) for i in range(1, len(lines[0]) + 1)], outputs=lines)
    found = bt.identical_outputs(texts, ratings, margin=5)
    same = {
        (str(i + 1), *sorted((names[a], names[b])))
        for i in range(len(lines[0]))
        for a, b in combinations(range(len(names)), 2)
        if lines[a][i] == lines[b][i]
    }
    assert {(twin.segment, *sorted((twin.first, twin.second))) for twin in found.identical_pairs} == same
    means = ratings.to_scores()
    value = {
        (segment, system): means.values[i, j]
        for i, system in enumerate(means.systems)
        for j, segment in enumerate(means.segments)
    }
    apart = [
        one
        for one in same
        if (one[0], one[1]) in value and abs(value[one[0], one[1]] - value[one[0], one[2]]) >= 5
    ]
    assert found.n_surviving == len(apart)
    assert 0 < found.n_surviving < found.n_identical
