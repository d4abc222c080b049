"""One place decides: what can be decided at all, by which units, with which correction, with which digits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.everyday import few
from tests.made import by_pair, drawn_counts, drawn_scores, scores_of

import betterthan as bt

UNDECIDABLE = "No pair could be significant at level"


def apart(m, n, **options):
    """Scores of systems that are far apart on every segment, so that only the design limits a p-value."""
    rng = np.random.default_rng(0)
    return scores_of(rng.random((m, n)) + 10.0 * np.arange(m)[:, None], **options)


@pytest.mark.parametrize("by", ["mean", "median", "win_rate", "bradley_terry", "elo", "trueskill"])
@pytest.mark.parametrize("m", [2, 3])
def test_a_design_that_cannot_decide_says_so_first(by, m):
    """Four segments: no p-value below 1/8. Twelve: 1/2,048 and a verdict is possible."""
    prior = {"prior": 0.5} if by == "bradley_terry" else {}
    few, enough = (bt.compare(apart(m, n), by=by, **prior) for n in (4, 12))

    assert not few.is_decidable
    assert few.undecidable.startswith(
        f"{UNDECIDABLE} 0.05: with 4 segments the smallest possible adjusted p-value"
    )
    assert few.n_different == 0
    assert np.nanmin(few.adjusted) >= few.least >= 2.0**-3
    assert enough.is_decidable
    assert not enough.undecidable
    assert np.nanmin(enough.adjusted) >= enough.least


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({}, 2**-5),
        ({"correction": "holm"}, 6 * 2**-5),
        ({"correction": "bonferroni"}, 6 * 2**-5),
        ({"correction": "none"}, 2**-5),
        ({"correction": "benjamini_hochberg"}, 2**-5),
        ({"correction": "holm", "alternative": "greater"}, 12 * 2**-6),
        ({"correction": "none", "alternative": "less"}, 2**-6),
        ({"correction": "none", "method": "monte_carlo", "n_resamples": 9}, 1 / 10),
        ({"test": "sign"}, 6 * 2**-5),
        ({"test": "wilcoxon"}, 6 * 2**-5),
        ({"test": "bootstrap", "n_resamples": 19}, 1 / 20),
        ({"by": "median"}, 2**-5),
        ({"by": "median", "correction": "holm"}, 6 * 2**-5),
        ({"by": "median", "n_resamples": 9}, 1 / 10),
        ({"by": "bradley_terry", "prior": 0.5}, 6 * 2**-5),
        ({"by": "bradley_terry", "prior": 0.5, "correction": "none"}, 2**-5),
        ({"test": "t"}, 0),
    ],
)
def test_the_smallest_adjusted_p_value_that_six_segments_of_four_systems_can_give(options, least):
    """2¹⁻⁶ two-sided, times the pairs where the correction multiplies, and not below one in all resamples."""
    found = bt.compare(apart(4, 6), **options)

    assert found.least == pytest.approx(least)
    assert np.nanmin(found.adjusted) >= found.least * (1 - 1e-12)
    assert found.is_decidable == (least <= 0.05)
    assert bool(found.undecidable) == (least > 0.05)


def test_the_level_decides_what_is_decidable():
    """Five segments and two systems: 1/16 is enough at 0.1 and not at 0.05."""
    scores = apart(2, 5)

    assert not bt.compare(scores).is_decidable
    assert bt.compare(scores, alpha=0.1).n_different == 1
    assert bt.compare(scores, alternative="less").n_different == 1


GROUPS = [f"d{i // 4}" for i in range(40)]


def alike_in_documents(seed=0, m=3, **options):
    """Ten documents of four segments, in which the difference of systems belongs to the document."""
    rng = np.random.default_rng(seed)
    values = np.repeat(rng.normal(size=(m, 10)), 4, axis=1) + 0.1 * rng.normal(size=(m, 40))
    return scores_of(values, **options)


@pytest.mark.parametrize("by", ["mean", "win_rate", "median", "bradley_terry"])
def test_documents_are_the_units_where_they_are_known(by):
    """Without being asked; the unit is named, and the p-values are those of units="groups"."""
    scores = alike_in_documents(groups=GROUPS)
    auto, groups, segments = (
        bt.compare(scores, by=by, units=units) for units in ("auto", "groups", "segments")
    )

    assert (auto.units, auto.n_units) == (groups.units, groups.n_units) == ("groups", 10)
    assert (segments.units, segments.n_units) == ("segments", 40)
    assert auto.unit_note.startswith("Unit: 10 documents (40 segments)")
    assert not any(note.startswith("Unit:") for note in auto.notes + groups.notes + segments.notes)
    assert segments.unit_note.startswith("Unit: 40 segments, although")
    np.testing.assert_array_equal(auto.pvalue, groups.pvalue)
    assert by_pair(auto, "pvalue")["A", "B"] > by_pair(segments, "pvalue")["A", "B"]


@pytest.mark.parametrize("groups", [None, ["d"] * 40, [f"d{i}" for i in range(40)]])
def test_segments_are_the_units_where_no_documents_are_known(groups):
    """No groups, a single one, or one for every segment: nothing to choose, nothing to say."""
    found = bt.compare(alike_in_documents(groups=groups))

    assert found.units == "segments"
    assert not found.unit_note
    np.testing.assert_array_equal(found.pvalue, bt.compare(alike_in_documents()).pvalue)


@pytest.mark.parametrize(
    ("test", "why"), [("sign", "sign test treats"), ("wilcoxon", "wilcoxon test treats")]
)
def test_what_cannot_take_documents_takes_segments_and_warns(test, why):
    """The p-values may be too small, and the unit says why."""
    found = bt.compare(alike_in_documents(groups=GROUPS), test=test)

    assert found.units == "segments"
    assert found.unit_note.startswith(f"Unit: single segments, because the {why} segments as independent.")


def test_gaps_leave_single_segments_and_a_warning():
    """Documents cannot be summed over gaps; asked for by name they are refused."""
    values = alike_in_documents().values.copy()
    values[0, 3] = np.nan
    scores = scores_of(values, groups=GROUPS)
    found = bt.compare(scores, missing="pairwise")

    assert found.units == "segments"
    assert found.unit_note.startswith("Unit: single segments, because scores are missing.")
    assert bt.compare(scores, missing="drop").units == "groups"
    with pytest.raises(bt.BetterThanError, match="need every score"):
        bt.compare(scores, missing="pairwise", units="groups")


@pytest.mark.parametrize(
    ("m", "n", "options", "correction"),
    [
        (4, 12, {}, "holm"),
        (4, 6, {}, "max_statistic"),
        (2, 4, {}, "holm"),
        (4, 6, {"alternative": "greater"}, "holm"),
        (4, 12, {"method": "monte_carlo"}, "max_statistic"),
        (4, 12, {"test": "bootstrap"}, "max_statistic"),
        (4, 6, {"test": "sign"}, "holm"),
        (4, 12, {"by": "median"}, "max_statistic"),
        (4, 12, {"by": "win_rate"}, "holm"),
        (4, 12, {"by": "bradley_terry", "prior": 0.5}, "holm"),
        (4, 12, {"by": "elo"}, "max_statistic"),
    ],
)
def test_the_correction_is_holm_or_the_maximum_where_holm_could_decide_nothing(m, n, options, correction):
    """Six pairs and 2¹⁻ⁿ: Holm up to 0.05, beyond it and for resampled p-values the step-down maximum."""
    found = bt.compare(apart(m, n), **options)
    named = bt.compare(apart(m, n), **{**options, "correction": correction})

    assert found.correction == correction
    assert found == named


def test_the_maximum_is_refused_where_nothing_is_drawn():
    """Tests by formula, and strengths by influence, with what to use instead."""
    for options in ({"test": "t"}, {"by": "bradley_terry", "prior": 0.5}):
        with pytest.raises(bt.BetterThanError, match='Use correction="holm"'):
            bt.compare(apart(3, 12), correction="max_statistic", **options)


@pytest.mark.parametrize("units", ["auto", "segments", "groups"])
@pytest.mark.parametrize("groups", [GROUPS, [f"d{i % 7}" for i in range(40)]])
@pytest.mark.parametrize("seed", few(range(3), 1))
def test_an_explanation_has_the_digits_of_the_comparison(units, groups, seed):
    """The mean's p-value, interval and units, with documents of equal and of unequal size."""
    scores = drawn_scores(4, 40, seed=seed, gap=0.3, groups=groups)
    compared = bt.compare(scores, units=units)
    for a, b in (("A", "B"), ("D", "A"), ("B", "C")):
        explained, pair = bt.explain(scores, a, b, units=units), compared.pair(a, b)
        assert explained.mechanism("mean").pvalue == pair.pvalue
        assert (explained.low, explained.high) == pytest.approx((pair.low, pair.high), rel=1e-10)
        assert explained.settings.options["units"] == compared.units


def test_an_explanation_of_counts_has_the_digits_of_the_comparison():
    """The pooled score, by documents where they are known, small p-values extrapolated in both."""
    for options in ({}, {"groups": [str(i // 3) for i in range(45)]}):
        counts = drawn_counts(3, 45, seed=2, **options)
        for a, b in (("A", "B"), ("A", "C")):
            pair = bt.compare(counts, systems=(a, b)).pair(a, b)
            assert bt.explain(counts, a, b).aggregations[0].pvalue == pair.pvalue


@pytest.mark.parametrize("by", ["mean", "median", "win_rate", "bradley_terry", "elo"])
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_rank_and_compare_decide_alike(by, groups):
    """Letters of the ranking say what the verdicts of the comparison say, by segments and by documents."""
    scores = drawn_scores(5, 40, gap=0.45 if groups is None else 0.7, groups=groups)
    found, pairs = bt.rank(scores, by=by), bt.compare(scores, by=by)
    letters = dict(zip(found.systems, found.letters, strict=True))

    assert 0 < pairs.n_different < 10
    for pair in pairs.pairs():
        assert (pair.verdict is None) == bool(set(letters[pair.a]) & set(letters[pair.b]))


@pytest.mark.parametrize("test", ["permutation", "t", "bootstrap"])
@pytest.mark.parametrize("scale", [1e-300, 1e-162, 1e154, 1e300])
def test_no_test_minds_the_scale_of_scores(test, scale):
    """Squares of these would vanish or overflow; the second is no power of two, and whole numbers stay whole."""
    values = np.rint(30 * drawn_scores(2, 30).values)
    one, other = (bt.compare(scores_of(values * by), test=test).pair("A", "B") for by in (1.0, scale))

    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-9)
    assert other.effect / scale == pytest.approx(one.effect)


def test_p_values_of_standardised_grades_are_those_of_the_grades():
    """Sums that are equal tie, whatever the step of the scores; the stated error is right, too."""
    rng = np.random.default_rng(10)
    for _ in range(5):
        values = np.rint(30 * rng.normal(size=(2, 60)))
        one = bt.compare(scores_of(values)).pair("A", "B")
        for other in (values / 17, (values - values.mean()) / values.std()):
            found = bt.compare(scores_of(other)).pair("A", "B")
            assert found.pvalue == pytest.approx(one.pvalue, rel=1e-8)
            assert found.p_low - 1e-9 <= one.pvalue <= found.p_high + 1e-9
