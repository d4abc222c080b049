"""The studies of word tags: labelings that know nothing, and repeated sampling."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.made_tags import drawn_tags

import betterthan as bt
from betterthan.analysis.resampling import Resampling
from betterthan.errors import BetterThanError
from betterthan.studies.catalogue import listed
from betterthan.studies.request import StudyRequest
from betterthan.studies.study import study
from betterthan.studies.tagging import tagging_duel, tagging_sampling, tagging_synthetic
from betterthan.studies.tagging.tagged import Tagged, demo_tags, read_tagged
from betterthan.studies.tagging.tagging_sampling import pool_of, sampled_scores


def asked(name, *, quick=True, as_published=False, workers=1, **options):
    """A study asked for without scores."""
    entry = listed(name)
    return StudyRequest(
        name=name,
        listed=entry,
        setups=(),
        as_published=as_published,
        quick=quick,
        options=entry.chosen(options, quick=quick),
        resampling=Resampling.of(12345, workers=workers),
    )


def by_measure(table):
    """Rows of a table by their first cell, as dictionaries."""
    return {row[0]: dict(zip(table.columns[1:], row[1:], strict=True)) for row in table.rows}


def test_systems_below_a_labelling_are_counted_by_scikit_learn():
    """F1 of BAD and of both classes, on two data sets together."""
    metrics = pytest.importorskip("sklearn.metrics")
    tagged = (Tagged("x", drawn_tags(5, seed=1)), Tagged("y", drawn_tags(4, seed=2, share=0.6)))
    found = by_measure(tagging_synthetic.run(asked("tagging-synthetic"), tagged).table("table-1"))

    def product(gold, tags):
        bad, ok = metrics.f1_score(gold, tags, average=None, labels=[True, False], zero_division=0)
        return bad * ok

    scorers = {
        "f1_bad": lambda gold, tags: metrics.f1_score(gold, tags, zero_division=0),
        "f1_mult": product,
        "mcc": metrics.matthews_corrcoef,
    }
    for measure, score in scorers.items():
        expected = dict.fromkeys(("all-bad", "all-good", "optimistic", "pessimistic", "random"), 0)
        for one in tagged:
            shown = bt.with_synthetic(one.tags, rng=12345)
            values = {
                name: score(shown.gold, tags)
                for name, tags in zip(shown.systems, shown.predicted, strict=True)
            }
            for labelling in expected:
                expected[labelling] += sum(values[name] < values[labelling] for name in one.tags.systems)
        assert {name: found[measure][name] for name in expected} == expected
        assert found[measure]["sum"] == sum(expected.values())


def test_pairs_told_apart_are_weighted_by_their_number():
    """The share of two data sets together is the number of pairs told apart over all pairs."""
    tagged = (Tagged("x", drawn_tags(5, n=80, seed=1)), Tagged("y", drawn_tags(3, n=80, seed=2)))
    together = by_measure(tagging_synthetic.run(asked("tagging-synthetic"), tagged).table("table-1"))
    each = [bt.audition(one.tags, correction="bonferroni", n_resamples=499) for one in tagged]
    for i, measure in enumerate(each[0].measures):
        told = 10 * each[0].d[i] + 3 * each[1].d[i]
        assert together[measure]["d"] == pytest.approx(told / 13)


def test_the_literal_phrase_measure_is_won_by_tagging_everything():
    """E34: all-bad outscores more systems when precision is read literally."""
    tagged = (Tagged("x", drawn_tags(5, seed=3)),)
    text, literal = (
        by_measure(
            tagging_synthetic.run(asked("tagging-synthetic", as_published=reading), tagged).table("table-1")
        )
        for reading in (False, True)
    )
    assert literal["phrase_f1_bad_as_published"]["all-bad"] == 5
    assert text["phrase_f1_bad"]["all-bad"] < 5
    assert literal["f1_mult"] == text["f1_mult"]


def test_renaming_and_reordering_systems_changes_nothing():
    """Table 1 has measures, not systems."""
    tags = drawn_tags(4, seed=4)
    order = [2, 0, 3, 1]
    other = drawn_tags(4, seed=4, systems=["W", "X", "Y", "Z"], predicted=tags.predicted[order])
    one, two = (
        tagging_synthetic.run(asked("tagging-synthetic"), (Tagged("x", some),)).table("table-1")
        for some in (tags, other)
    )
    assert [row[:7] for row in one.rows] == [row[:7] for row in two.rows]


def test_tags_of_a_folder_are_read_by_language_pair(tmp_path):
    """gold.tags and two systems, in two folders; scores are refused."""
    for pair in ("en-de", "zh-en"):
        folder = tmp_path / pair / "sys"
        folder.mkdir(parents=True)
        (tmp_path / pair / "gold.tags").write_text("OK BAD\nOK OK BAD\n", encoding="utf-8")
        (folder / "A.tags").write_text("OK BAD\nBAD OK BAD\n", encoding="utf-8")
        (folder / "B.tags").write_text("OK OK\nOK OK OK\n", encoding="utf-8")
    assert [(one.dataset, one.tags.systems) for one in read_tagged(tmp_path)] == [
        ("en-de", ("A", "B")),
        ("zh-en", ("A", "B")),
    ]
    assert [one.dataset for one in read_tagged([tmp_path / "en-de"])] == ["en-de"]
    scores = bt.Scores(name="m", systems=["A"], segments=["1"], values=[[1.0]])
    with pytest.raises(BetterThanError, match=r"takes word tags"):
        read_tagged({"m": scores})
    with pytest.raises(BetterThanError, match=r"two or more systems"):
        read_tagged(drawn_tags(1))
    with pytest.raises(BetterThanError, match=r"takes word tags"):
        study(
            "tagging-synthetic",
            {"m": bt.Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])},
        )


def test_the_demo_has_four_taggers_and_says_that_it_is_the_demo():
    """Without data; the settings carry the digest of the tags."""
    found = study("tagging-synthetic", quick=True, workers=1)
    assert any("demo campaign" in note for note in found.notes)
    assert "of 4 systems" in found.table("table-1").title
    other = tagging_synthetic.run(asked("tagging-synthetic"), (Tagged("x", drawn_tags(4)),))
    assert other.settings.data != found.settings.data
    assert not any("demo campaign" in note for note in other.notes)
    assert np.isclose(demo_tags()[0].tags.gold.mean(), 0.276, atol=0.001)


@pytest.mark.parametrize("name", ["tagging-synthetic", "tagging-sampling"])
def test_bytes_do_not_depend_on_workers(name):
    """One worker or two."""
    one, two = (study(name, quick=True, workers=n).to_json() for n in (1, 2))
    assert one == two


ALL = ("f1_bad", "f1_mult", "phrase_f1_bad", "phrase_f1_mult", "mcc", "sequence_correlation")


@pytest.mark.parametrize("n_errors", [0, 1, 7, 20])
def test_drawn_data_sets_have_exactly_as_many_errors(n_errors):
    """Accuracy of words says how many tags are wrong; whole numbers, no overshooting (E38)."""
    tags = drawn_tags(4, seed=5)
    measures = ("accuracy", "f1_bad")
    drawn = sampled_scores(pool_of(tags, measures), measures, n_errors, 120, np.random.default_rng(1))
    assert (1 - drawn[:, 0]) * tags.n_words == pytest.approx([n_errors] * 120)
    assert (np.ptp(drawn[:, 1]) > 0) == (n_errors > 0)


def test_sums_of_sentences_score_as_the_drawn_tags_themselves():
    """One system and all of its errors: the drawn data set is the system, by every measure."""
    tags = drawn_tags(1, seed=6)
    n_errors = int((tags.predicted[0] != tags.gold).sum())
    drawn = sampled_scores(pool_of(tags, ALL), ALL, n_errors, 3, np.random.default_rng(2))
    expected = [bt.tag_counts(tags, by=name).pooled()[0] for name in ALL]
    assert drawn == pytest.approx(np.tile(expected, (3, 1)), abs=1e-12)


def test_the_last_sentence_keeps_its_first_errors():
    """One sentence, three wrong tags, two wanted: the third is put right."""
    gold = [False, True, False, False]
    given, kept = (
        bt.WordTags(systems=["A"], segments=["1"], gold=gold, predicted=[tags], offsets=[0, 4])
        for tags in ([True, True, True, True], [True, True, True, False])
    )
    drawn = sampled_scores(pool_of(given, ALL), ALL, 2, 1, np.random.default_rng(0))[0]
    expected = [bt.tag_counts(kept, by=name).pooled()[0] for name in ALL]
    assert drawn == pytest.approx(expected)


def test_more_errors_than_systems_make_are_refused():
    """With a level that would do."""
    tags = drawn_tags(2, seed=7)
    with pytest.raises(BetterThanError, match=r"Choose a lower level"):
        sampled_scores(pool_of(tags, ALL), ALL, tags.n_words, 1, np.random.default_rng(0))


def test_unpaired_tests_are_those_of_scipy():
    """Student's, two-sided, column by column; nothing varies, nothing is said."""
    x, y = np.random.default_rng(8).normal(size=(2, 15, 4))
    mean, variance = np.array([x, y]).mean(axis=1), np.array([x, y]).var(axis=1, ddof=1)
    found = tagging_sampling.unpaired_pvalues(mean[0], variance[0], mean[1], variance[1], 15)
    assert found == pytest.approx(stats.ttest_ind(x, y).pvalue)
    assert np.isnan(tagging_sampling.unpaired_pvalues(mean[0], 0 * mean[0], mean[0], 0 * mean[0], 5)).all()


def test_samples_needed_are_read_from_the_mean_p_values():
    """Smallest number whose p, times ten pairs, is below alpha; the paper's numbers stand beside."""
    tagged = (Tagged("x", drawn_tags(4, n=150, seed=9)),)
    found = tagging_sampling.run(asked("tagging-sampling", level=8, unit=0.1, rounds=3), tagged)
    rows = found.table("p-values").rows
    table = found.table("table-2")
    levels = sorted({row[1] for row in rows} | {row[2] for row in rows})
    place = found.table("p-values").columns.index("f1_mult")
    widest = {row[0]: row[place] for row in rows if (row[1], row[2]) == (levels[0], levels[-1])}
    expected = next((n for n, p in sorted(widest.items()) if p * 10 < 0.05), None)
    assert {row[0]: row[-1] for row in table.rows}["f1_mult"] == expected
    assert len(table.columns) == 9
    printed = {row[0]: told for row, told in zip(table.rows, table.printed, strict=True)}
    # Of the gaps 0.1, 0.4, 0.5, … the paper has the first only.
    assert printed["mcc"][1:] == (500, *[None] * 7)


def test_the_schedule_is_an_option():
    """Other numbers of samples; what is not a rising list of numbers is refused."""
    tagged = (Tagged("x", drawn_tags(4, n=150, seed=9)),)
    chosen = asked("tagging-sampling", level=8, unit=0.1, rounds=2, schedule="20, 60 150", samples=100)
    rows = tagging_sampling.run(chosen, tagged).table("p-values").rows
    assert sorted({row[0] for row in rows}) == [20, 60]
    for wrong in ("20,10", "many", "1,20", ""):
        with pytest.raises(BetterThanError, match="rising numbers of samples from 2 on"):
            tagging_sampling.run(asked("tagging-sampling", schedule=wrong), tagged)


def test_p_values_of_growing_samples_are_those_of_scipy():
    """Unpaired t-tests of the first 5, 20 and 60 rows."""
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(60, 3)), rng.normal(0.4, size=(60, 3))
    found = tagging_duel.growing_pvalues(first, second, (5, 20, 60))
    for row, n in zip(found, (5, 20, 60), strict=True):
        assert row == pytest.approx(stats.ttest_ind(first[:n], second[:n]).pvalue)


def test_a_duel_ends_when_one_of_two_measures_sees_the_difference():
    """Algorithm 1 as a loop over all pairs of measures, with ties and duels that never end."""
    rng = np.random.default_rng(4)
    sizes = (100, 200, 300, 400)
    for share in (0.05, 0.3, 0.7):
        is_seen = rng.random((4, 6)) < share
        outcome, size = tagging_duel.duels(is_seen, sizes)
        for k, (a, b) in enumerate(combinations(range(6), 2)):
            expected = (tagging_duel.NEITHER, 0)
            for n, seen in zip(sizes, is_seen, strict=True):
                if seen[a] or seen[b]:
                    both = tagging_duel.BOTH if seen[b] else tagging_duel.FIRST
                    expected = (both if seen[a] else tagging_duel.SECOND, n)
                    break
            assert (outcome[k], size[k]) == expected


def test_duels_are_counted_and_won_by_the_measures_of_table_2():
    """Every pair of measures in every round; products of F1 scores beat those of phrases on the demo."""
    found = study("tagging-duel", quick=True, workers=1)
    table = found.table("duels")
    assert len(table.rows) == 15
    assert all(sum(row[2:6]) == 20 for row in table.rows)
    winners = {row[:2]: row[7] for row in table.rows}
    assert winners["F1-mult", "phrase F1-BAD"] == "F1-mult"
    assert winners["F1-BAD", "MCC"] == "MCC"
    matrix = found.chart("algorithm-1").columns
    share = dict(zip(zip(matrix["series"], matrix["x"], strict=True), matrix["y"], strict=True))
    for first, second, *wins in (row[:4] for row in table.rows):
        assert [share[first, second], share[second, first]] == [count / 20 for count in wins]
    with pytest.raises(BetterThanError, match="less than one of 4,088 tags"):
        study("tagging-duel", quick=True, workers=1, options={"gap": 0.001})


def test_claims_about_labelings_are_read_from_table_1():
    """On the demo all-bad outscores one of four systems by phrases, and all halves differ completely."""
    found = study("tagging-synthetic", quick=True, workers=1)
    claims = {row[0]: row[2:] for row in found.table("claims").rows}
    assert claims["By phrase F1-BAD all-bad and pessimistic outscore 16 of 17 systems"] == (
        "no",
        "1 and 1 of 4",
    )
    assert claims["MCC ranks the optimistic labeling above most systems"] == ("no", "above 1 of 4")
    assert claims["The distinction coefficient d of MCC is the lowest"][0] == "no"
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[1], strict=True))
    assert claims["F1-mult does well in both: few errors, and a high d"][1].startswith(f"{row['sum']} errors")


def test_levels_that_are_the_same_number_of_tags_are_noted():
    """A hundredth of a percent of few words is no word."""
    tagged = (Tagged("x", drawn_tags(4, seed=10)),)
    found = tagging_sampling.run(asked("tagging-sampling", rounds=1, level=5, unit=0.01), tagged)
    assert any("same number of tags" in note for note in found.notes)
