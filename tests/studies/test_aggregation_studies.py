"""The studies of aggregation: three ways to score a system, correct and with references turned round."""

from __future__ import annotations

import re
import statistics
from functools import cache

import numpy as np
import pytest
import sacrebleu
from scipy import stats
from tests.studies.test_tagging_studies import asked

import betterthan as bt
from betterthan.errors import BetterThanError
from betterthan.present.charts.save import chart_bytes
from betterthan.present.charts.study import study_chart
from betterthan.present.charts.theme import LIGHT
from betterthan.studies.aggregation import aggregation_grid, aggregation_human, aggregation_robustness
from betterthan.studies.aggregation.three_ways import NAMES, turned_scores
from betterthan.studies.study import study
from betterthan.studies.translated import Translated, demo_translated, on_judged, read_translated, target

SMALL = {"corpora": 40, "size": 50, "turned_corpora": 3, "turned_size": 6}


@cache
def translations(n=12):
    """The first segments of two domains of the demo."""
    return tuple(
        one._replace(
            texts=one.texts.select(segments=one.texts.segments[:n]),
            human=one.human.select(segments=one.human.segments[:n]),
        )
        for one in demo_translated()[:2]
    )


def by_sacrebleu(texts):
    """BLEU, m-BLEU, chrF and m-chrF of every system, by the reference implementation; shape (4, m)."""
    references = list(texts.references[0])
    found = []
    for row in texts.outputs:
        lines = list(row)
        found.append(
            [
                sacrebleu.corpus_bleu(lines, [references]).score,
                np.mean(
                    [sacrebleu.sentence_bleu(a, [b]).score for a, b in zip(lines, references, strict=True)]
                ),
                sacrebleu.corpus_chrf(lines, [references]).score,
                np.mean(
                    [sacrebleu.sentence_chrf(a, [b]).score for a, b in zip(lines, references, strict=True)]
                ),
            ]
        )
    return np.array(found).T


def test_scores_are_those_of_sacrebleu():
    """Pooled and mean of segments of both metrics; the bootstrap is within its noise of the pooled score."""
    used = translations()
    found = aggregation_grid.run(asked("aggregation-grid", **SMALL | {"corpora": 400}), used)
    rows = np.array([row[2:] for row in found.table("scores").rows]).T
    expected = np.concatenate([by_sacrebleu(one.texts) for one in used], axis=1)
    assert rows[[0, 1, 3, 4]] == pytest.approx(expected, abs=1e-9)
    assert rows[[2, 5]] == pytest.approx(rows[[0, 3]], abs=1.5)


def test_correlations_are_those_of_scipy_and_stand_beside_the_printed_ones():
    """All fifteen pairs of six scores; nine are printed."""
    found = aggregation_grid.run(asked("aggregation-grid", **SMALL), translations())
    scores = dict(zip(NAMES, np.array([row[2:8] for row in found.table("scores").rows]).T, strict=True))
    table = found.table("correlations")
    for a, b, _, r in table.rows:
        assert r == pytest.approx(stats.pearsonr(scores[a], scores[b]).statistic)
    assert len(table.rows) == 15
    assert sum(row[3] is not None for row in table.printed) == 9
    figures = {(a, b): figure for a, b, figure, _ in table.rows}
    assert figures["BLEU", "x-BLEU"] == 1
    assert figures["m-chrF", "x-chrF"] == 2
    assert figures["m-BLEU", "m-chrF"] == 3
    assert figures["BLEU", "m-chrF"] == 4
    means = {row[0]: row[1] for row in found.table("means").rows}
    assert means["BLEU"] == pytest.approx(scores["BLEU"].mean() / 100)


def test_references_turned_round_score_the_first_output_alone():
    """E32: the call is sacreBLEU's with all references for the first segment."""
    texts = translations()[0].texts
    references = list(texts.references[0])
    first = [row[0] for row in texts.outputs]
    expected = [sacrebleu.sentence_bleu(line, references, use_effective_order=False).score for line in first]
    assert turned_scores(texts, "BLEU", np.arange(len(references))) == pytest.approx(expected, abs=1e-9)
    expected = [sacrebleu.sentence_chrf(line, references).score for line in first]
    assert turned_scores(texts, "chrF", np.arange(len(references))) == pytest.approx(expected, abs=1e-9)


def test_the_published_pattern_appears_with_references_turned_round():
    """Correct: pooled and bootstrap go together. Turned: they do not, and means of segments are what they were."""
    used = translations()
    right, turned = (
        aggregation_grid.run(asked("aggregation-grid", as_published=reading, **SMALL), used)
        for reading in (False, True)
    )
    r, t = ({row[:2]: row[3] for row in one.table("correlations").rows} for one in (right, turned))
    assert r["BLEU", "x-BLEU"] > 0.99
    assert t["BLEU", "x-BLEU"] < 0.9
    assert t["m-BLEU", "m-chrF"] == r["m-BLEU", "m-chrF"]


def test_correlation_with_people_is_averaged_over_data_sets():
    """By SciPy, from sacreBLEU's scores and the means of people; a given metric counts as well."""
    used = translations()
    found = aggregation_human.run(asked("aggregation-human", **SMALL), used)
    rows = {row[2]: row[3] for row in found.table("table-1").rows}
    for place, name in ((0, "BLEU"), (1, "m-BLEU"), (2, "chrF"), (3, "m-chrF")):
        each = [
            stats.pearsonr(by_sacrebleu(one.texts)[place], one.human.values.mean(axis=1)).statistic
            for one in used
        ]
        assert rows[name] == pytest.approx(np.mean(each))
    given = [
        stats.pearsonr(one.metrics["Learned"].values.mean(axis=1), one.human.values.mean(axis=1)).statistic
        for one in used
    ]
    assert rows["Learned"] == pytest.approx(np.mean(given))
    assert list(rows.values()) == sorted(rows.values(), reverse=True)


def test_printed_correlations_stand_beside_scores_of_their_kind():
    """MQM and DA have columns in table 1 of the paper; other human scores have none."""
    used = tuple(
        one._replace(human=bt.Scores(name=name, systems=one.human.systems, segments=one.human.segments,
                                     values=one.human.values))
        for one, name in zip(translations(), ("MQM", "DA"), strict=True)
    )  # fmt: skip
    table = aggregation_human.run(asked("aggregation-human", **SMALL), used).table("table-1")
    told = {(row[0], row[2]): told[3] for row, told in zip(table.rows, table.printed, strict=True)}
    assert told["MQM", "m-chrF"] == 0.806
    assert told["DA", "BLEU"] == -0.006
    assert told["DA", "Learned"] is None
    plain = aggregation_human.run(asked("aggregation-human", **SMALL), translations()).table("table-1")
    assert plain.printed is None


def test_people_who_score_errors_are_turned_round():
    """The same correlations when less is better."""
    used = translations()
    errors = tuple(
        one._replace(
            human=bt.Scores(
                name="human",
                systems=one.human.systems,
                segments=one.human.segments,
                values=-one.human.values,
                higher_is_better=False,
            )
        )
        for one in used
    )
    one, other = (aggregation_human.run(asked("aggregation-human", **SMALL), some) for some in (used, errors))
    assert [row[3] for row in one.table("table-1").rows] == pytest.approx(
        [row[3] for row in other.table("table-1").rows]
    )


def test_one_segment_is_pooled_and_averaged_alike():
    """On chrF, which has one formula for both; on the whole test set both are what they are there."""
    used = translations(12)
    found = aggregation_robustness.run(asked("aggregation-robustness", repeats=20, **SMALL), used)
    rows = {row[:3]: row[3:] for row in found.table("figure-5").rows}
    assert rows["chrF", "pooled with mean of segments", 1] == pytest.approx([1] * 5)
    some = rows["chrF", "pooled with bootstrap", 10]
    assert some[2] > rows["chrF", "pooled with bootstrap", 1][2]
    assert list(some) == sorted(some)
    told = [row[5] for row in found.table("figure-5").printed if row[5] is not None]
    assert told == [1.0, 0.7, 1.0, 0.7]


def test_whole_test_sets_have_no_spread():
    """A draw of as many segments as there are is the test set: all quantiles are one number, that of the grid."""
    used = translations(10)
    found = aggregation_robustness.run(asked("aggregation-robustness", repeats=4, **SMALL), used)
    grid = aggregation_grid.run(asked("aggregation-grid", **SMALL), used)
    whole = {row[:2]: row[3] for row in grid.table("correlations").rows}
    rows = {row[:3]: row[3:] for row in found.table("figure-5").rows}
    for what, pair in (
        ("pooled with mean of segments", ("BLEU", "m-BLEU")),
        ("pooled with bootstrap", ("BLEU", "x-BLEU")),
    ):
        assert rows["BLEU", what, 10] == pytest.approx([whole[pair]] * 5)


def test_texts_are_read_from_a_folder_with_people_beside(tmp_path):
    """texts/ and human.csv, as the demo writes them; scores and texts without reference are refused."""
    folder = tmp_path / "chat"
    (folder / "texts").mkdir(parents=True)
    for name, lines in (
        ("reference", "a b c d\ne f g h\n"),
        ("A", "a b c d\ne f x h\n"),
        ("B", "a b\ne f g\n"),
    ):
        (folder / "texts" / f"{name}.txt").write_text(lines, encoding="utf-8")
    (folder / "human.csv").write_text("segment,A,B\nx:1,90,20\nx:2,80,30\n", encoding="utf-8")
    (one,) = read_translated(folder)
    assert one.texts.segments == ("x:1", "x:2")
    assert "by their order" in one.texts.notes[-1]
    assert (one.dataset, one.texts.systems, one.human.name) == ("chat", ("A", "B"), "human")
    with pytest.raises(BetterThanError, match=r"takes texts"):
        read_translated({"x": 3})
    with pytest.raises(BetterThanError, match=r"no reference"):
        read_translated(bt.Texts(systems=["A"], segments=["1"], outputs=[["a"]]))
    scores = bt.Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])
    with pytest.raises(BetterThanError, match=r"takes texts"):
        study("aggregation-grid", scores)
    alone = Translated("x", one.texts)
    with pytest.raises(BetterThanError, match=r"No data set has human scores"):
        aggregation_human.run(asked("aggregation-human", **SMALL), (alone,))


def laid_out(folder, pairs=("en-de", "en-ja")):
    """Folders of language pairs as WMT has them: outputs in sys, references and human scores beside."""
    for pair in pairs:
        (folder / pair / "sys").mkdir(parents=True)
        for name, lines in (("A", "a b c d\ne f x h\ni j k l\n"), ("B", "a b\ne f g\ni j k m\n")):
            (folder / pair / "sys" / f"{name}.xx.txt").write_text(lines, encoding="utf-8")
        for name in ("refB", "refA"):
            (folder / pair / f"{name}.xx.txt").write_text("a b c d\ne f g h\ni j k l\n", encoding="utf-8")


def test_folders_of_language_pairs_are_read_with_scores_beside(tmp_path):
    """One data set a pair, the first of two references, official scores and metrics cut by pair."""
    laid_out(tmp_path / "wmt")
    (tmp_path / "wmt" / "da_sys.tsv").write_text(
        "lp\tsystem\tn\tz\traw\nen-de\tA\t5\t0.5\t80\nen-de\tB\t5\t0.1\t70\nen-de\tC\t5\t-0.1\t60\n",
        encoding="utf-8",
    )
    (tmp_path / "wmt" / "metrics_sys.tsv").write_text(
        "lp\tsystem\tCOMET\nen-de\tA\t0.9\nen-de\tB\t0.7\n", encoding="utf-8"
    )
    german, japanese = read_translated(tmp_path / "wmt")
    assert (german.dataset, japanese.dataset) == ("wmt en-de", "wmt en-ja")
    assert len(german.texts.references) == 1
    assert "Of 2 references the first was used." in german.texts.notes
    assert german.human.name == "DA"
    assert german.human.values[:, 0].tolist() == [0.5, 0.1, -0.1]
    assert german.metrics["COMET"].values[:, 0].tolist() == [0.9, 0.7]
    assert japanese.human is None
    assert japanese.metrics == {}
    judged = on_judged(german)
    assert (judged.texts.systems, len(judged.texts.segments)) == (("A", "B"), 3)


def test_only_what_people_judged_is_scored(tmp_path):
    """Segments without a score of every system go, and systems that nobody judged; the rest is by sacreBLEU."""
    laid_out(tmp_path, pairs=("en-de",))
    (tmp_path / "en-de" / "mqm_seg.tsv").write_text(
        "system\tseg_id\tmqm\n" + "".join(
            f"{name}\t{line}\t{-line}\n" for name in ("A", "B", "Z") for line in (1, 3)
        ) + "A\t2\t-1\n",
        encoding="utf-8",
    )  # fmt: skip
    (one,) = read_translated(tmp_path / "en-de")
    assert one.human.name == "MQM"
    judged = on_judged(one)
    assert judged.texts.segments == ("1", "3")
    assert judged.human.systems == ("A", "B")
    found = aggregation_human.run(asked("aggregation-human", **SMALL), (one,))
    assert found.table("by-data").rows[0][:4] == ("en-de", "MQM", 2, 2)


def test_rows_that_fit_the_lines_only_in_part_are_refused(tmp_path):
    """Ids that happen to look like line numbers would join scores with the wrong lines."""
    folder = tmp_path / "en-de"
    (folder / "sys").mkdir(parents=True)
    for name in ("A", "B"):
        (folder / "sys" / f"{name}.txt").write_text("one\ntwo\nthree\n")
    (folder / "refA.txt").write_text("one\ntwo\nfour\n")
    (folder / "mqm.csv").write_text("item,A,B\n2,1,2\n3,2,2\n17,0,1\n")
    with pytest.raises(bt.BetterThanError, match=r"mqm\.csv scores segments of which .* others not \(17\)"):
        read_translated(folder)


def test_each_data_set_has_its_own_correlations_and_weights():
    """By SciPy from the table of scores, and by the lengths of outputs."""
    used = translations()
    found = aggregation_grid.run(asked("aggregation-grid", **SMALL), used)
    scores = [[row[2:] for row in found.table("scores").rows if row[0] == one.dataset] for one in used]
    for row in found.table("by-data").rows:
        place = 3 * ("BLEU", "chrF").index(row[0])
        columns = np.array(scores[[one.dataset for one in used].index(row[1])]).T[place : place + 3]
        expected = [stats.pearsonr(columns[i], columns[j]).statistic for i, j in ((0, 1), (0, 2), (1, 2))]
        assert row[4:7] == pytest.approx(expected)
        assert row[7:10] == pytest.approx(columns.mean(axis=1) / 100)
    lengths = np.array(
        [[len(line.split()) for line in lines] for lines in used[0].texts.outputs], dtype=float
    )
    words = bt.length_weights(bt.bleu(used[0].texts)).lengths
    assert stats.pearsonr(words.ravel(), lengths.ravel()).statistic > 0.95
    effective = np.median(words.sum(axis=1) ** 2 / (words**2).sum(axis=1))
    assert found.table("by-data").rows[0][10] == round(effective)


def test_as_published_words_are_those_of_the_default_tokeniser():
    """E33: 13a knows no words of Japanese; ours takes characters there."""
    texts = bt.Texts(
        systems=["A", "B"], segments=["1", "2"],
        outputs=[["今日は雨です。", "猫がいる。"], ["今日は晴れ。", "犬がいる。"]],
        references=[["今日は雨だ。", "猫がいる。"]],
    )  # fmt: skip
    used = (Translated("wmt en-ja", texts),)
    ours, published = (
        aggregation_grid.run(asked("aggregation-grid", as_published=reading, **SMALL), used).table("scores")
        for reading in (False, True)
    )
    place = ours.columns.index("m-BLEU")
    for found, tokenize in ((ours, "char"), (published, "13a")):
        expected = np.mean(
            [
                sacrebleu.sentence_bleu(line, [reference], tokenize=tokenize).score
                for line, reference in zip(texts.outputs[1], texts.references[0], strict=True)
            ]
        )
        assert found.rows[1][place] == pytest.approx(expected)


def test_grids_hold_every_system_and_the_correlations_of_the_table():
    """Figures 1 to 4: each score of each system once, on a scale to 1, and r as in the first table."""
    found = aggregation_grid.run(asked("aggregation-grid", **SMALL), translations())
    r = {(row[0], row[1]): row[3] for row in found.table("correlations").rows}
    scores = dict(zip(NAMES, np.array([row[2:8] for row in found.table("scores").rows]).T, strict=True))
    for number, n_pairs in ((1, 3), (2, 3), (3, 3), (4, 4)):
        chart = found.chart(f"figure-{number}")
        assert chart.kind == ("grid" if number < 3 else "pairs")
        assert len(chart.pairs) == n_pairs
        for a, b, shown in chart.pairs:
            assert shown == pytest.approx(r[a, b] if (a, b) in r else r[b, a])
        for name in set(chart.columns["panel"]):
            values = [
                y
                for panel, y in zip(chart.columns["panel"], chart.columns["y"], strict=True)
                if panel == name
            ]
            assert values == pytest.approx(scores[name] / 100)
    picture = chart_bytes(study_chart(found, LIGHT, figure="figure-1"), "svg").decode()
    assert len(re.findall(r">r = [\d.]+<", picture)) == 12  # with a halo each
    for name in NAMES[:3]:
        assert f">{name}<" in picture


def test_means_of_segments_have_standard_deviations():
    """Section 3.1: the deviation of each system's segment scores, by sacreBLEU and the statistics module."""
    used = translations()
    table = aggregation_grid.run(asked("aggregation-grid", **SMALL), used).table("scores")
    texts = used[0].texts
    expected = statistics.stdev(
        sacrebleu.sentence_chrf(line, [reference]).score
        for line, reference in zip(texts.outputs[0], texts.references[0], strict=True)
    )
    assert table.rows[0][table.columns.index("SD of chrF of segments")] == pytest.approx(expected)


def test_box_plots_show_the_quantiles_of_the_table():
    """Figure 5: whiskers, quartiles and medians of all 18 boxes."""
    found = aggregation_robustness.run(asked("aggregation-robustness", repeats=20, **SMALL), translations())
    chart, rows = found.chart("figure-5"), found.table("figure-5").rows
    assert chart.kind == "boxes"
    boxes = sorted(zip(*(chart.columns[name] for name in ("low", "q1", "y", "q3", "high")), strict=True))
    assert boxes == sorted(tuple(row[3:]) for row in rows)
    assert b"<svg" in chart_bytes(study_chart(found, LIGHT, figure="figure-5"), "svg")


ROWS = [
    ("challenge", "ACES", "de-en", "A", "der Hund", "a dog", "the dog"),
    ("challenge", "ACES", "de-en", "B", "der Hund", "the dog", "the dog"),
    ("general", "news", "en-zh", "A", "a cat", "猫", "一只猫"),
    ("general", "news", "en-zh", "B", "a cat", "一只猫", "一只猫"),
    ("general", "news", "en-zh", "A", "two cats", "两只猫", "两只猫"),
    ("general", "news", "en-zh", "C", "two cats", "两猫", "两只猫"),
    ("general", "news", "en-zh", "B", "two cats", "两猫", "两只猫"),
]


def test_a_table_of_translations_is_grouped_as_in_the_paper(tmp_path):
    """By type of data set, data set, language pair and system; a system with other segments stands alone."""
    path = tmp_path / "wmt23.tsv"
    lines = ["type\tdataset\tlp\tsystem\tsource\thypothesis\treference", *("\t".join(row) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    one, two, three = read_translated(path)
    assert (one.dataset, two.dataset, three.dataset) == (
        *("challenge ACES de-en", "general news en-zh", "general news (2) en-zh"),
    )
    assert [target(each.dataset) for each in (one, two, three)] == ["en", "zh", "zh"]
    assert (two.texts.systems, two.texts.outputs) == (("A", "B"), (("猫", "两只猫"), ("一只猫", "两猫")))
    assert three.texts.systems == ("C",)
    assert one.texts.notes == ("7 rows of wmt23 are 5 systems in 3 data sets.",)
    found = aggregation_grid.run(asked("aggregation-grid", **SMALL), (one, two, three))
    assert len(found.table("scores").rows) == 5


def test_a_table_without_translations_or_with_two_of_one_is_refused(tmp_path):
    """Columns are needed for both, and a segment has one translation by each system."""
    path = tmp_path / "scores.csv"
    path.write_text("system,segment,score\nA,1,2\n", encoding="utf-8")
    with pytest.raises(BetterThanError, match="columns hypothesis and reference"):
        read_translated(path)
    path.write_text("system,segment,hypothesis,reference\nA,1,a,b\nA,1,c,b\n", encoding="utf-8")
    with pytest.raises(BetterThanError, match='"A" has two translations of a segment'):
        read_translated(path)


def test_the_survey_of_papers_has_the_slips_that_are_known():
    """210 of 341 is 61.6 %, printed 60.1; 183 and 36 exceed 210; the ways add up to 342."""
    found = study("aggregation-survey")
    assert found.table("table-3").rows[0][2] == pytest.approx(100 * 210 / 341)
    assert found.table("table-3").printed[0][2] == 60.1
    claims = {row[0]: row[2:] for row in found.table("claims").rows}
    assert claims["The ways of aggregating BLEU add up to 341 papers"] == ("no", "their counts add up to 342")
    assert claims["210 papers name a tool, 183 SacreBLEU and 36 Moses"][1].startswith("219 in all")
    wrong = claims["The percentages of table 3 are those of its counts"]
    assert wrong[0] == "no"
    assert "210 of 341 is 61.6%, not 60.1%" in wrong[1]


@pytest.mark.parametrize("name", ["aggregation-grid", "aggregation-human", "aggregation-robustness"])
@pytest.mark.parametrize("reading", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_bytes_do_not_depend_on_workers(name, reading):
    """One worker or two."""
    module = {
        "aggregation-grid": aggregation_grid,
        "aggregation-human": aggregation_human,
        "aggregation-robustness": aggregation_robustness,
    }[name]
    options = SMALL | ({"repeats": 30} if name == "aggregation-robustness" else {})
    used = translations(10)
    one, two = (
        module.run(asked(name, workers=n, as_published=reading, **options), used).to_json() for n in (1, 2)
    )
    assert one == two
