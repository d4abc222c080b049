"""Explaining a pair: tests against oracles, flips against brute force, and laws that hold for all tables."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan.analysis.explain.explain import swapped_documents
from betterthan.analysis.explain.fragility import MEAN_SIGNIFICANCE, WINS_SIGNIFICANCE
from betterthan.analysis.explain.slices import difficulty, thirds
from betterthan.analysis.units import Units
from betterthan.examples.campaign import campaign


def table(values, *, systems=None, name="points", segments=None, **options):
    """Scores with short names."""
    values = np.asarray(values, dtype=float)
    return bt.Scores(
        name=name,
        systems=systems or list("ABCDEFGH"[: len(values)]),
        segments=segments or [f"s{i}" for i in range(values.shape[1])],
        values=values,
        **options,
    )


def by_documents(x, y, document):
    """P-values with documents as units, also where each has one segment."""
    return swapped_documents(x, y, Units(document, len(set(document.tolist()))), alpha=0.05)


@st.composite
def tables(draw):
    """Two to four systems on one to nine segments: whole numbers with ties, thirds, or wild sizes; maybe groups."""
    m, n = draw(st.integers(2, 4)), draw(st.integers(1, 9))
    cell = draw(
        st.sampled_from(
            [
                st.integers(0, 3).map(float),
                st.integers(-9, 9).map(lambda k: k / 3),
                st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False),
                st.floats(0, 1).map(lambda x: round(x, 2)),
            ]
        )
    )
    values = [[draw(cell) for _ in range(n)] for _ in range(m)]
    groups = draw(st.none() | st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    return table(values, higher_is_better=draw(st.booleans()), groups=groups)


@pytest.fixture(scope="module")
def human():
    """The example campaign's human scores, by document."""
    c = campaign()
    return table(c.human, systems=c.systems, segments=list(c.segments), name="human", groups=c.documents)


@pytest.fixture(scope="module")
def texts():
    """The example campaign's texts."""
    c = campaign()
    return bt.Texts(
        systems=c.systems,
        segments=c.segments,
        outputs=list(c.outputs.values()),
        references=[c.reference],
        sources=c.source,
    )


class TestMechanisms:
    """Each way of aggregating says what it should, with the p-value of the test that belongs to it."""

    def test_pvalues_are_those_of_scipy(self):
        """Permutation, paired t, Mood, sign test and Wilcoxon against scipy.stats."""
        x, y = np.random.default_rng(7).integers(0, 12, size=(2, 11)).astype(float)
        found = bt.explain(table([x, y]), "A", "B")
        exact = stats.permutation_test(
            (x - y,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
        )
        d = (x - y)[x != y]

        assert (found.mechanism("mean").test, found.units, found.n_units) == ("permutation", "segments", 11)
        assert found.mechanism("mean").pvalue == pytest.approx(exact.pvalue)
        assert found.mechanism("mean").other_tests[0].pvalue == pytest.approx(stats.ttest_rel(x, y).pvalue)
        assert found.mechanism("median").pvalue == pytest.approx(stats.median_test(x, y).pvalue)
        sign = stats.binomtest(int((d > 0).sum()), d.size).pvalue
        assert found.mechanism("bradley_terry").pvalue == pytest.approx(sign)
        wilcoxon = stats.wilcoxon(d, method=stats.PermutationMethod())
        assert found.mechanism("shift").pvalue == pytest.approx(wilcoxon.pvalue)

    def test_the_interval_is_that_of_compare(self):
        """Low and high hold Student's interval of the mean difference, and a little more for skewness."""
        x, y = np.random.default_rng(3).normal(size=(2, 20))
        found = bt.explain(table([x, y]), "A", "B", alpha=0.1)
        student = stats.ttest_rel(x, y).confidence_interval(0.9)
        pair = bt.compare(table([x, y]), confidence=0.9).pair("A", "B")

        assert (found.low, found.high) == pytest.approx((pair.low, pair.high))
        assert (found.low, found.high) == pytest.approx((student.low, student.high), abs=0.05)

    def test_the_segments_needed_give_the_power_asked_for(self):
        """With that many segments of the same spread, the normal test finds the difference four times in five."""
        x, y = np.random.default_rng(3).normal(size=(2, 40))
        found = bt.explain(table([x, y]), "A", "B")
        error = (x - y).std(ddof=1) / np.sqrt(found.n_needed)
        power = stats.norm.sf(stats.norm.isf(0.025) - abs(found.mean_difference) / error)

        assert power == pytest.approx(0.8, abs=0.01)

    def test_real_numbers_give_the_p_value_of_many_permutations(self):
        """Without a common unit the p-value is that of drawn permutations, without drawing any."""
        x, y = np.random.default_rng(1).normal(size=(2, 60))
        mean = bt.explain(table([x + 0.3, y]), "A", "B").mechanism("mean")
        drawn = stats.permutation_test(
            (x + 0.3 - y,), np.mean, permutation_type="samples", n_resamples=9999, rng=1
        )

        assert mean.pvalue == pytest.approx(drawn.pvalue, abs=0.02)

    def test_whole_groups_are_swapped_where_there_are_enough(self, human):
        """Documents are swapped where they are known; with four of them no verdict can be reached, which is said."""
        found = bt.explain(human, "Daphne", "Elm")
        few = bt.explain(table(human.values[:2, :20], groups=list("abcd" * 5)), "A", "B")

        assert (found.units, found.n_units) == ("groups", 30)
        assert found.unit_note.startswith("Unit: 30 documents")
        assert few.mechanism("mean").pvalue >= 0.125
        assert few.undecidable.startswith("No pair could be significant at level 0.05: with 4 documents")

    def test_every_test_has_the_unit_of_the_verdict(self, human):
        """With documents as units each p-value is that of swapping whole documents, counted one by one."""
        some = human.select(["Daphne", "Elm"], [s for s, g in zip(human.segments, human.groups, strict=True)
                                                if g in sorted(set(human.groups))[:9]])  # fmt: skip
        found = bt.explain(some, "Daphne", "Elm")
        x, y = some.goodness
        documents = [np.array([g == name for g in some.groups]) for name in sorted(set(some.groups))]
        above = (x > np.median([x, y])).astype(float) - (y > np.median([x, y]))
        d = x - y
        ranks = np.sign(d) * np.where(d != 0, stats.rankdata(np.abs(d)) - np.count_nonzero(d == 0), 0)
        for name, terms in (("mean", d), ("median", above), ("bradley_terry", np.sign(d)), ("shift", ranks)):
            sums = np.array([terms[rows].sum() for rows in documents])
            swapped = np.abs(np.array(list(product((-1, 1), repeat=9))) @ sums)
            expected = np.mean(swapped >= abs(sums.sum()) - 1e-9)
            assert found.mechanism(name).pvalue == pytest.approx(expected), name

    @pytest.mark.parametrize("pair", [("Daphne", "Elm"), ("Birch", "Cedar"), ("Hazel", "Fern")])
    def test_documents_give_the_answers_of_compare(self, human, pair):
        """Mean, its t-test and wins have the p-values that compare has for documents."""
        found = bt.explain(human, *pair)
        two = human.select(list(pair))
        by_compare = [
            bt.compare(two, **options).pair(*pair).pvalue
            for options in ({}, {"test": "t"}, {"by": "win_rate"})
        ]
        mean = found.mechanism("mean")

        assert [
            mean.pvalue,
            mean.other_tests[0].pvalue,
            found.mechanism("bradley_terry").pvalue,
        ] == by_compare
        assert len(mean.other_tests) == 1

    def test_a_document_a_segment_is_the_test_of_segments(self):
        """Documents of one segment each: signs and ranks give the same p-values as without documents."""
        x, y = np.random.default_rng(5).integers(0, 9, size=(2, 14)).astype(float)
        plain = by_documents(x, y, np.arange(14))
        found = bt.explain(table([x, y]), "A", "B")

        assert plain.wins == pytest.approx(found.mechanism("bradley_terry").pvalue)
        assert plain.shift == pytest.approx(found.mechanism("shift").pvalue)

    def test_segments_that_go_together_are_not_counted_twice(self):
        """Six documents of which every segment says the same: p is that of six, not of sixty."""
        x = np.repeat([3.0, 4, 5, 6, 7, 8], 10)
        scores = table([x, np.repeat([1.0, 1, 1, 2, 2, 2], 10)], groups=list(np.repeat(list("abcdef"), 10)))
        found = bt.explain(scores, "A", "B")

        assert [m.pvalue for m in found.mechanisms] == [2**-5] * 4
        assert bt.explain(scores, "A", "B", units="segments").mechanism("bradley_terry").pvalue < 1e-12

    def test_rounding_makes_no_winner(self):
        """0.1 + 0.2 and 0.3 + 0.0 have the same mean, whatever the last bit says."""
        found = bt.explain(table([[0.1, 0.2, 0.3], [0.3, 0.3, 0.0]]), "A", "B")

        assert found.mean_difference == 0
        assert found.mechanism("mean").winner is None

    def test_moods_test_may_be_undefined(self):
        """When more than half of all scores are the best possible, p is missing and a note says why."""
        found = bt.explain(table([[2, 2, 2, 2, 0], [2, 2, 2, 2, 2]]), "A", "B")

        assert np.isnan(found.mechanism("median").pvalue)
        assert not found.mechanism("median").is_significant
        assert any("Mood" in note for note in found.notes)


class TestRightAndWrong:
    """Scores of 0 and 1: one table of four cells, one test, no medians."""

    def test_the_four_cells_and_mcnemars_test(self):
        """By hand: 10 segments on which one is right, 8 of them A; the exact p-value is that of 8 heads of 10."""
        x = [1] * 5 + [1] * 8 + [0] * 2 + [0] * 3
        y = [1] * 5 + [0] * 8 + [1] * 2 + [0] * 3
        found = bt.explain(table([x, y]), "A", "B")

        assert (found.both_right, found.wins, found.losses, found.both_wrong) == (5, 8, 2, 3)
        assert found.mechanism("mean").pvalue == pytest.approx(2 * (1 + 10 + 45) / 2**10, rel=1e-12)
        assert "McNemar's exact test" in found.verdict
        assert "A is right on 72.2% and B on 38.9% of 18 segments" in found.verdict
        assert found.evidence == "Both are right on 5 segments, only A on 8, only B on 2, and neither on 3."
        assert not any("median" in sentence for sentence in (*found.sentences, *found.notes))

    def test_an_error_rate_is_right_where_it_is_zero(self):
        """Lower is better: 0 is right."""
        scores = bt.Scores(
            name="errors",
            systems=["A", "B"],
            segments=list("1234"),
            values=[[0, 0, 1, 1], [0, 1, 1, 0]],
            higher_is_better=False,
        )
        found = bt.explain(scores, "A", "B")
        assert (found.both_right, found.both_wrong) == (1, 1)

    @pytest.mark.parametrize(
        "values", [[[0.5, 1, 0], [1, 1, 0]], [[1, 1, 1], [1, 1, 1]], [[0, 2, 1], [1, 1, 0]]]
    )
    def test_other_scores_are_not_right_or_wrong(self, values):
        """Neither shares, nor small integers, nor a column of ones."""
        assert bt.explain(table(values), "A", "B").both_right is None

    def test_documents_are_not_mcnemars_test(self):
        """It takes segments for independent."""
        values = [[1, 0, 1, 1, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1, 0, 1]]
        found = bt.explain(table(values, groups=list("aabbccdd")), "A", "B")
        assert "McNemar" not in found.verdict
        assert "permutation test of documents" in found.verdict


class TestCases:
    """What the agreement or disagreement of mechanisms is called, and what it points at."""

    @pytest.mark.parametrize(
        ("x", "y", "mean_case", "median_case", "reason"),
        [
            ([3, 4, 5], [1, 2, 3], "agree", "agree", "none"),
            ([2, 3, 4, 5, 0], [1, 2, 2.5, 4, 99], "disagree", "agree", "outliers"),
            ([1, 5, 11, 12, 18], [2, 6, 7, 13, 18.5], "disagree", "disagree", "types of segments"),
            ([0, 1, 1, 1, 0, 0], [5, 0, 0, 0, 1, 1], "level", "level", "none"),
            ([2, 2, 2, 0, 2], [1, 1, 2, 9, 2], "disagree", "level", "unclear"),
        ],
    )
    def test_cases_and_reasons(self, x, y, mean_case, median_case, reason):
        """Mean against median points at outliers, median against wins at types of segments."""
        found = bt.explain(table([x, y]), "A", "B")

        assert (found.mean_case, found.median_case, found.reason) == (mean_case, median_case, reason)

    def test_the_example_campaign_shows_all_three_stories(self, human):
        """Daphne and Elm disagree, Birch and Cedar do not differ significantly, Aster beats Hazel."""
        first = {
            pair: bt.explain(human, *pair, units="segments").sentences[0]
            for pair in (("Daphne", "Elm"), ("Birch", "Cedar"))
        }

        assert first["Daphne", "Elm"] == (
            "Elm has the higher mean, but Daphne wins more segments; both are significant at level 0.05."
        )
        assert "no significant difference" in first["Birch", "Cedar"]
        assert "Aster is better than Hazel" in bt.explain(human, "Hazel", "Aster").sentences[0]

    def test_when_mechanisms_disagree_no_side_is_called_right(self, human):
        """What one must believe to side with each is said; which is right is not."""
        found = bt.explain(human, "Daphne", "Elm", units="segments")

        assert any("cannot show which is right" in sentence for sentence in found.sentences)
        assert found.sentences[-1].startswith("If every segment counts the same, choose Daphne;")


def flipped_by(x, y, removed, lead):
    """Whether the verdict is reversed without the segments removed."""
    keep = [i for i in range(len(x)) if i not in removed]
    return bool(keep) and lead(x[keep], y[keep]) * lead(x, y) < 0


def fewest(x, y, lead):
    """The smallest number of segments whose removal reverses `lead`, by trying all subsets."""
    for k in range(1, len(x)):
        if any(flipped_by(x, y, removed, lead) for removed in combinations(range(len(x)), k)):
            return k
    return None


class TestFlips:
    """The fewest segments that turn a verdict."""

    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=7))
    def test_flips_are_the_fewest(self, cells):
        """Mean, median and wins against all subsets of small tables."""
        x, y = np.array(cells, dtype=float).T
        found = bt.explain(table([x, y]), "A", "B")
        leads = {
            "mean": lambda a, b: np.sum(a - b),
            "median": lambda a, b: np.median(a) - np.median(b),
            "bradley_terry": lambda a, b: np.sum(np.sign(a - b)),
        }
        for name, lead in leads.items():
            flip = found.flip(name)
            assert flip.n_segments == (fewest(x, y, lead) if lead(x, y) else None), name
            if flip.n_segments:
                assert flipped_by(x, y, [int(s[1:]) for s in flip.segments], lead), name
                assert flip.share == flip.n_segments / x.size

    @pytest.mark.parametrize("seed", range(5))
    def test_without_the_named_segments_nothing_is_significant(self, seed):
        """Removing them undoes the permutation test, and the sign test with exactly so many."""
        x, y = np.random.default_rng(seed).integers(0, 10, size=(2, 30)).astype(float)
        scores = table([x + 2, y])
        found = bt.explain(scores, "A", "B")
        for verdict, name in ((MEAN_SIGNIFICANCE, "mean"), (WINS_SIGNIFICANCE, "bradley_terry")):
            flip = found.flip(verdict)
            if not found.mechanism(name).is_significant:
                assert flip.n_segments is None
                continue
            rest = [segment for segment in scores.segments if segment not in flip.segments]
            assert not bt.explain(scores.select(segments=rest), "A", "B").mechanism(name).is_significant

    @pytest.mark.parametrize("seed", range(5))
    def test_significance_by_documents_is_undone_by_documents(self, seed):
        """Without the named segments the test of documents is not significant; at most one fewer segments leave it."""
        rng = np.random.default_rng(seed)
        groups = [f"d{i // 4}" for i in range(48)]
        scores = table(rng.integers(0, 10, size=(2, 48)) + np.array([[3], [0]]), groups=groups)
        found = bt.explain(scores, "A", "B")
        for verdict, name in ((MEAN_SIGNIFICANCE, "mean"), (WINS_SIGNIFICANCE, "bradley_terry")):
            flip = found.flip(verdict)
            assert found.mechanism(name).is_significant == (flip.n_segments is not None)
            rest = [segment for segment in scores.segments if segment not in flip.segments]
            left = bt.explain(scores.select(segments=rest), "A", "B", units="groups").mechanism(name)
            assert not left.is_significant

    def test_significance_that_hangs_on_one_segment_is_known_exactly(self):
        """Six wins of six are significant, five of five are not."""
        flip = bt.explain(table([[2, 3, 4, 5, 6, 7], [1] * 6]), "A", "B").flip(MEAN_SIGNIFICANCE)

        assert flip.n_segments == 1
        assert flip.is_exact

    @given(st.lists(st.integers(-3, 9), min_size=1, max_size=16), st.sampled_from([0.05, 0.2, 0.6]))
    def test_significance_is_undone_wherever_it_is_found(self, gaps, alpha):
        """Short tables and any level: what is named undoes it, and one segment is proven to be the fewest."""
        scores = table([gaps, [0] * len(gaps)])
        found = bt.explain(scores, "A", "B", alpha=alpha)
        flip = found.flip(MEAN_SIGNIFICANCE)
        rest = [segment for segment in scores.segments if segment not in flip.segments]
        if flip.n_segments is None:
            assert not found.mechanism("mean").is_significant or len(gaps) < 3
        else:
            assert (
                not bt.explain(scores.select(segments=rest), "A", "B", alpha=alpha)
                .mechanism("mean")
                .is_significant
            )
            assert flip.is_exact == (flip.n_segments == 1)

    def test_what_no_removal_can_turn_is_said(self):
        """When one system wins everywhere, nothing turns the mean."""
        found = bt.explain(table([[2, 3, 4], [1, 1, 1]]), "A", "B")

        assert found.flip("mean").n_segments is None
        assert any("no removal of segments flips the order by wins" in s.lower() for s in found.sentences)


class TestSlices:
    """Where the order is reversed."""

    def test_a_reversed_group_is_found_and_tested(self):
        """B leads in group y although A has the higher mean; Holm is over all parts."""
        x = np.array([9.0] * 12 + [1.0] * 8)
        y = np.array([5.0] * 12 + [4.0] * 8)
        scores = table([x, y], groups=["x"] * 12 + ["y"] * 8)
        found = bt.explain(scores, "A", "B", units="segments")
        part = next(s for s in found.slices if s.by == "group")

        assert (part.value, part.winner, part.n_segments, part.effect) == ("y", "B", 8, -3.0)
        assert part.pvalue == 2**-7
        assert (
            part.adjusted == 2 * part.pvalue
        )  # two parts, both groups of x, have smaller p-values than the two of y
        assert part.is_significant
        assert any("group y" in sentence and "at level 0.05" in sentence for sentence in found.sentences)

    def test_a_single_document_is_not_tested_where_documents_are_the_units(self):
        """Its effect is told and its p-value is missing; Holm counts only what was tested."""
        rng = np.random.default_rng(1)
        groups = list(np.repeat(list("abcdefgh"), 6))
        values = rng.normal(size=(3, 48)) + np.array([[0.4], [0], [0]])
        found = bt.explain(table(values, groups=groups), "A", "B")
        documents = [part for part in found.slices if part.by == "group"]

        assert documents
        assert all(np.isnan([part.pvalue, part.adjusted]).all() for part in documents)
        assert not any(part.is_significant for part in documents)
        assert found.n_slices == 11
        if len(documents) == len(found.slices):
            assert any("are not tested, because documents are the units" in s for s in found.sentences)

    def test_length_tells_daphne_and_elm_apart(self, human, texts):
        """Daphne breaks off long segments, so on short and middling ones the order is reversed."""
        found = bt.explain(human, "Daphne", "Elm", texts=texts)
        sure = {part.value for part in found.slices if part.is_significant}

        assert sure == {"shortest third", "middle third"}
        assert all(part.winner == "Daphne" for part in found.slices)
        assert "words" in found.slices[0].limits

    def test_others_judge_the_difficulty(self):
        """With a third system its scores make the bands; without one the mean of both does, and a note says so."""
        scores = table([[1, 2, 3], [4, 5, 6], [9, 8, 7]])
        pair = table([[1, 4, 9], [2, 5, 7]])

        assert difficulty(scores, scores.select(["A", "B"])).tolist() == [9, 8, 7]
        assert difficulty(pair, pair).tolist() == [1.5, 4.5, 8]

    def test_a_note_says_who_judged_the_difficulty(self):
        """Hard segments are defined by the others, or because there are no other systems by both."""
        x = np.repeat([0.0, 5.0, 9.0], 6)
        y = np.repeat([2.0, 1.0, 1.0], 6)
        alone = bt.explain(table([x, y]), "A", "B")
        with_third = bt.explain(table([x, y, x]), "A", "B")

        assert any("because there are no other systems" in note for note in alone.notes)
        assert any("the other 1 system " in note for note in with_third.notes)

    def test_thirds_keep_equals_together_and_leave_out_the_unknown(self):
        """Equal values never fall into two parts; a constant gives no parts."""
        parts = thirds("d", np.array([1.0, 1, 1, 1, 2, np.nan]), ("low", "mid", "high"))

        assert [(p.value, p.members.size) for p in parts] == [("low", 4), ("high", 1)]
        assert thirds("d", np.ones(4), ("low", "mid", "high")) == []
        assert thirds("d", np.full(4, np.nan), ("low", "mid", "high")) == []

    def test_lengths_come_in_any_order_and_from_any_text(self, human):
        """Mapping, sequence and texts give the same parts; without spaces characters are counted."""
        scores = human.select(["Daphne", "Elm"], human.segments[:12])
        sizes = [float(i) for i in range(12)]
        given_ = bt.explain(scores, "Daphne", "Elm", lengths=sizes)
        mapped = bt.explain(scores, "Daphne", "Elm", lengths=dict(zip(scores.segments, sizes, strict=True)))
        words = bt.Texts(
            systems=["Daphne", "Elm"], segments=scores.segments, outputs=[["w " * i for i in range(12)]] * 2
        )
        signs = bt.Texts(
            systems=["Daphne", "Elm"],
            segments=scores.segments,
            outputs=[[None] * 12] * 2,
            references=[["字" * i for i in range(12)]],
        )

        assert given_ == mapped
        for texts, unit in ((words, "words"), (signs, "characters")):
            found = bt.explain(scores, "Daphne", "Elm", texts=texts)
            assert [s.n_segments for s in found.slices] == [s.n_segments for s in given_.slices]
            assert all(s.limits.endswith(unit) for s in found.slices if s.by == "length")

    def test_lengths_must_fit(self, human, texts):
        """Too few, unknown segments, or both kinds at once are refused."""
        with pytest.raises(bt.TableError, match="2 lengths for 300 segments"):
            bt.explain(human, "Elm", "Fern", lengths=[1, 2])
        with pytest.raises(bt.TableError, match=r"299 of 300 segments .* have no lengths"):
            bt.explain(human, "Elm", "Fern", lengths={human.segments[0]: 1.0})
        with pytest.raises(bt.TableError, match="Both texts and lengths"):
            bt.explain(human, "Elm", "Fern", lengths=[1.0] * 300, texts=texts)


NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+−-]?\d+)?")


def numbers_in_fields(found):
    """Every way in which a field may be written in a sentence."""
    fields = {
        name: getattr(found, name)
        for name in found.__dataclass_fields__
        if name not in {"sentences", "notes"}
    }
    values = [1, 0.0001, found.wins + found.losses, 100 * (1 - found.alpha), len(found.slices)]
    values += [sum(s.is_significant for s in found.slices) - 2]
    if found.both_right is not None:
        right = [found.both_right + only for only in (found.wins, found.losses)]
        values += [found.both_wrong, *(100 * n / found.n_segments for n in right)]
    texts = []
    stack = list(fields.values())
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            texts += NUMBER.findall(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            values += [value, 100 * value]
        elif isinstance(value, tuple | list):
            stack += value
        elif hasattr(value, "__dataclass_fields__"):
            stack += [getattr(value, name) for name in value.__dataclass_fields__]
    return values, texts


def is_told(text, values, texts):
    """Whether some field gives this text, rounded to the digits shown."""
    number = float(text.replace(",", "").replace("−", "-"))
    decimals = len(text.partition(".")[2]) if "e" not in text else 0
    if text in texts:
        return True
    for value in values:
        if value != value:  # noqa: PLR0124
            continue
        digits = float(f"{abs(value):.2g}")
        if number in (round(abs(value), decimals), digits) or f"{abs(value):.{decimals}f}" == text:
            return True
    return False


class TestWords:
    """What the sentences may and may not say."""

    @given(tables())
    def test_every_number_is_in_a_field(self, scores):
        """Sentences make up no numbers; "significant" has its level; no p is 0; four to eight of them."""
        found = bt.explain(scores, "A", "B")
        values, texts = numbers_in_fields(found)

        assert 4 <= len(found.sentences) <= 8
        for sentence in found.sentences:
            assert sentence.endswith(".")
            assert "nan" not in sentence
            assert "p = 0.0000" not in sentence
            assert "signific" not in sentence or "at level 0.05" in sentence
            for number in NUMBER.findall(sentence.replace("80% power", "")):  # a convention, not a result
                assert is_told(number, values, texts), (number, sentence)

    def test_numbers_of_the_campaign_are_in_fields(self, human, texts):
        """The same with groups, lengths, documents and every pair of systems."""
        for a, b in combinations(human.systems, 2):
            found = bt.explain(human, a, b, texts=texts)
            values, words = numbers_in_fields(found)
            for sentence in found.sentences:
                for number in NUMBER.findall(sentence.replace("80% power", "")):
                    assert is_told(number, values, words), (number, sentence)

    def test_lower_is_better_is_said(self):
        """The winner has the lower mean, and the words say that lower is better."""
        scores = table([[1, 2, 1, 2, 1, 2, 1], [5, 6, 7, 5, 6, 7, 6]], higher_is_better=False)
        found = bt.explain(scores, "A", "B")

        assert found.mechanism("mean").winner == "A"
        assert found.mean_difference > 0
        disagree = table([[1, 2, 1, 2, 1, 2, 1, 1, 99], [5, 6, 7, 5, 6, 7, 6, 6, 5]], higher_is_better=False)
        assert "wins significantly more segments" in bt.explain(disagree, "A", "B").sentences[0]

    def test_the_median_may_dissent(self):
        """Mean and wins agree significantly, and the median is against both."""
        x = np.array([1.0] * 12 + [10, 10, 10, 10] + [30.0] * 13)
        y = np.array([0.0] * 12 + [20, 20, 20, 20] + [18.0] * 13)
        found = bt.explain(table([x, y]), "A", "B")

        assert found.reason == "both"
        assert "though B has the higher median" in found.sentences[0]


class TestLaws:
    """What must hold for every table."""

    @given(tables())
    def test_the_pair_can_be_mirrored(self, scores):
        """(a, b) and (b, a) have opposite effects, equal p-values and the same flips, slices and words."""
        one, other = bt.explain(scores, "A", "B"), bt.explain(scores, "B", "A")

        assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
        assert one.to_dict()["flips"] == other.to_dict()["flips"]
        assert one.sentences[1:] == other.sentences[1:] or one.wins == one.losses
        for mine, theirs in zip(one.mechanisms, other.mechanisms, strict=True):
            assert mine.effect == -theirs.effect
            assert mine.winner == theirs.winner
            assert np.array_equal(mine.pvalue, theirs.pvalue, equal_nan=True)
        assert [(s.value, s.effect, repr(s.adjusted)) for s in one.slices] == [
            (s.value, -s.effect, repr(s.adjusted)) for s in other.slices
        ]

    @given(tables(), st.randoms())
    def test_the_order_of_segments_and_systems_changes_nothing(self, scores, random):
        """Shuffled rows and columns give the same explanation to the last bit."""
        systems, segments = list(scores.systems), list(scores.segments)
        random.shuffle(systems)
        random.shuffle(segments)
        one = bt.explain(scores, "A", "B").to_dict()
        other = bt.explain(scores.select(systems, segments), "A", "B").to_dict()

        for found in (one, other):
            del found["settings"], found["signature"]
        assert one == other

    @given(tables())
    def test_renaming_systems_changes_only_names(self, scores):
        """The explanation of X against Y is that of A against B with the names replaced."""
        new = {"A": "Xenon", "B": "Ytterbium", "C": "Zinc", "D": "Lead"}
        renamed = bt.Scores(
            name=scores.name,
            systems=[new[s] for s in scores.systems],
            segments=scores.segments,
            values=scores.values,
            higher_is_better=scores.higher_is_better,
            groups=scores.groups,
        )
        found = bt.explain(renamed, "Xenon", "Ytterbium")
        expected = bt.explain(scores, "A", "B")

        assert [new.get(m.winner) for m in expected.mechanisms] == [m.winner for m in found.mechanisms]
        assert [m.pvalue for m in expected.mechanisms] == pytest.approx(
            [m.pvalue for m in found.mechanisms], rel=0, abs=0, nan_ok=True
        )
        back = tuple(re.sub("Ytterbium", "B", re.sub("Xenon", "A", s)) for s in found.sentences)
        assert back == expected.sentences

    @given(tables())
    def test_the_result_survives_json(self, scores):
        """To JSON and back is the same explanation."""
        found = bt.explain(scores, "A", "B")

        assert bt.Result.from_dict(found.to_dict()) == found

    @given(tables())
    def test_pvalues_are_probabilities_above_zero(self, scores):
        """P is in (0, 1] or missing."""
        for mechanism in bt.explain(scores, "A", "B").mechanisms:
            for p in (mechanism.pvalue, *(test.pvalue for test in mechanism.other_tests)):
                assert np.isnan(p) or 0 < p <= 1


class TestBadInput:
    """What is refused, and what is answered although there is little to say."""

    def test_all_ties(self):
        """No verdict, p = 1 everywhere, and the words say so."""
        for values in ([[1, 2, 3]] * 2, [[5, 5, 5]] * 2):
            found = bt.explain(table(values), "A", "B")
            assert [m.winner for m in found.mechanisms] == [None] * 4
            assert [m.pvalue for m in found.mechanisms] == [1.0] * 4
            assert all(flip.n_segments is None for flip in found.flips)
            assert "identical scores on all 3 segments" in found.sentences[0]

    @pytest.mark.parametrize("values", [[[1], [2]], [[1], [1]], [[1, 5], [2, 2]], [[1, 2], [2, 3]]])
    def test_one_or_two_segments(self, values):
        """Little data give an answer without a claim."""
        found = bt.explain(table(values), "A", "B")

        assert not any(m.is_significant for m in found.mechanisms if m.name != "median")
        assert len(found.sentences) >= 3

    def test_an_unknown_system_is_named_with_its_neighbour(self, human):
        """A slip is met with a suggestion."""
        with pytest.raises(bt.UnknownName, match='Did you mean "Daphne"'):
            bt.explain(human, "Daphn", "Elm")

    def test_a_system_is_not_compared_with_itself(self, human):
        """Two names are needed."""
        with pytest.raises(bt.TableError, match='"Elm" is named twice'):
            bt.explain(human, "Elm", "Elm")

    def test_missing_scores(self):
        """Gaps of the two are refused or dropped; gaps of others do not matter."""
        nan = np.nan
        gaps = table([[1, 2, nan, 4], [2, 1, 3, 3], [nan, 1, 2, nan]])
        with pytest.raises(bt.MissingScores, match="1 of 8 scores"):
            bt.explain(gaps, "A", "B")
        found = bt.explain(gaps, "A", "B", missing="drop")
        assert found.n_segments == 3
        assert any("1 of 4 segments left out" in note for note in found.notes)
        assert bt.explain(gaps.select(segments=["s0", "s1", "s3"]), "A", "B").n_segments == 3

    def test_no_shared_segment(self):
        """Two systems that share nothing cannot be explained."""
        apart = table([[1, np.nan], [np.nan, 2]])
        with pytest.raises(bt.MissingScores, match="No segment"):
            bt.explain(apart, "A", "B", missing="drop")

    def test_bad_options(self, human):
        """Alpha is a probability, missing a known word, and scores of a size that can be squared."""
        with pytest.raises(bt.BetterThanError, match="alpha must lie between 0 and 1"):
            bt.explain(human, "Elm", "Fern", alpha=5)
        with pytest.raises(bt.UnknownName, match="ignore"):
            bt.explain(human, "Elm", "Fern", missing="ignore")
        with pytest.raises(bt.TableError, match="cannot be squared"):
            bt.explain(table([[1e300, 1], [0, 1]]), "A", "B")


def test_the_three_quantities_of_the_paper_stand_in_one_sentence():
    """Means equal, medians 11 and 7, and the median of the differences has the other sign: none implies another."""
    scores = bt.Scores(
        name="score",
        systems=["A", "B"],
        segments=["1", "2", "3", "4", "5"],
        values=[[1, 5, 11, 12, 17], [2, 6, 7, 13, 18]],
    )
    found = bt.explain(scores, "A", "B")
    sentence = next(line for line in found.sentences if "none of the three implies another" in line)

    assert sentence == (
        "B minus A: difference of means 0.0, difference of medians −4.0, median of differences 1.0; "
        "none of the three implies another."
    )
