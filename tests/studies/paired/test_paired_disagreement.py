"""Section 5: disagreements of setups, counted here once more by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import betterthan as bt
from betterthan.studies.paired.paired_disagreement import (
    FAMILIES,
    PAIRS,
    TABLE_3,
    TABLE_4,
    DisagreementBlocks,
    family_of,
    rules_table,
    table_3,
    task_of,
)
from betterthan.studies.paired.subsamples import RULES
from betterthan.studies.setups import Setup
from betterthan.studies.study import study


def tables(seed=1, m=5, n=40):
    """Two metrics on the same systems."""
    rng = np.random.default_rng(seed)
    return {
        name: bt.Scores(
            name=name,
            systems=tuple(f"S{i}" for i in range(m)),
            segments=tuple(map(str, range(n))),
            values=rng.gamma(1.0, size=(m, n)) + 0.2 * rng.normal(size=(m, 1)),
        )
        for name in ("BLEU", "ROUGE_1")
    }


@pytest.fixture(scope="module")
def found():
    """The study of two setups."""
    return study("paired-disagreement", tables(), options={"repeats": 6, "orders": 2})


def test_table_one_is_the_agreement_of_rankings(found):
    """The verbs rank and agreement, setup by setup, give the same shares."""
    rows = []
    for scores in tables().values():
        rankings = {by: bt.rank(scores, by=by, n_resamples=10) for by in ("mean", "median", "bradley_terry")}
        concord = {(c.first, c.second): c for c in bt.agreement(rankings, top=3).comparisons}
        rows.append(
            [
                (concord[pair].flipped, not concord[pair].same_best, not concord[pair].same_top)
                for pair in PAIRS
            ]
        )
    expected = np.mean(np.array(rows, dtype=float), axis=0)
    table = found.table("table-1")
    np.testing.assert_allclose([row[1:] for row in table.rows], expected)
    np.testing.assert_allclose([row[1:] for row in found.table("table-4").rows[:3]], expected)
    assert len(found.table("table-4").rows) == 10


def test_the_printed_numbers_stand_beside_ours(found):
    """Tables 1 and 4 for all; table 3 only where the data set is one of the paper's."""
    assert found.table("table-1").printed == tuple((None, *TABLE_4[pair]) for pair in PAIRS)
    assert found.table("table-3-fifth").printed is None
    assert not any(table.name == "table-3-rules" for table in found.tables)


def test_table_three_was_copied_whole():
    """Ten data sets, three measures, fifteen columns, nine of them empty for MSCOCO; some cells by hand."""
    assert len(TABLE_3) == 10 * 3 * 15 - 3 * 9
    assert table_3("TAC08", "BLEU", "disagree", ("mean", "median")) == 0.15
    assert table_3("pc", "BERTScore", "top3", ("mean", "median")) == 0.07
    assert table_3("WMT18", "ROUGE-WE", "best", ("median", "bradley_terry")) == 0.67
    assert table_3("MSCOCO", "MoverScore", "best", ("mean", "median")) is None
    assert table_3("elsewhere", "BLEU", "best", ("mean", "median")) is None
    assert {family for _, family, _, _ in TABLE_3} == set(FAMILIES)


def test_shares_of_single_metrics_are_thirtieths():
    """That there were 30 draws: two digits of a multiple of 1/30, but for MSCOCO and the WMT's several languages."""
    once = {"tac08", "tac09", "tac11"}
    for (dataset, family, measure, _), value in TABLE_3.items():
        if dataset in once and family in ("BLEU", "MoverScore", "BERTScore") and measure != "disagree":
            assert abs(round(value * 30) / 30 - value) < 0.005 + 1e-9, (dataset, family, value)


def test_a_rule_that_is_the_paper_s_own_is_found():
    """Numbers that lie on table 3 under one rule make that rule the closest."""
    any_scores = next(iter(tables().values()))
    setups = tuple(Setup("TAC08", family, any_scores) for family in FAMILIES)
    blocks = []
    for setup in setups:
        truth = np.array(
            [
                [
                    table_3("TAC08", family_of(setup.metric), measure, pair)
                    for measure in ("disagree", "best", "top3")
                ]
                for pair in PAIRS
            ]
        )
        both = np.stack([truth + 0.2, truth])
        drawn = np.repeat(both[None], 4, axis=0)
        block = {rule: drawn + (0.0 if rule == "bootstrap" else 0.1) for rule in RULES if rule != "full"}
        blocks.append({**block, "full": both + 0.3})
    rows = rules_table(DisagreementBlocks(setups, blocks, 0)).rows
    assert rows[0][0] == RULES["bootstrap"].title
    assert rows[0][1] == "as published"
    assert rows[0][2:6] == pytest.approx([0.0] * 4)
    assert [row[5] for row in rows] == sorted(row[5] for row in rows)


def test_rules_draw_as_many_segments_as_they_say():
    """Of 48 segments: all, 10, 30, and 48 with replacement; of 1000 a fifth is 200 under both."""
    rng = np.random.default_rng(1)
    sizes = {name: RULES[name].draw(48, rng) for name in RULES}
    assert [len(sizes[name]) for name in ("full", "fifth", "fifth_or_30", "bootstrap")] == [48, 10, 30, 48]
    assert len(set(sizes["fifth_or_30"].tolist())) == 30
    assert len(set(sizes["bootstrap"].tolist())) < 48
    assert len(RULES["fifth"].draw(1000, rng)) == len(RULES["fifth_or_30"].draw(1000, rng)) == 200
    assert len(RULES["fifth_or_30"].draw(12, rng)) == 12


def test_sizes_beyond_the_test_set_are_left_out(found):
    """Sizes below 40 segments and all of them, of the same setups; the last is the disagreement on all segments."""
    table = found.table("figure-4c")
    assert table.column("segments") == (10, 20, "all")
    assert len(set(table.column("setups"))) == 1
    full = [row[1] for row in found.table("table-1").rows]
    assert table.rows[-1][2:] == pytest.approx(full)


def test_a_line_of_figure_4c_is_always_of_the_same_setups():
    """Test sets of 15 and of 40 segments: each group has lines of its own, up to its own size."""
    mixed = {
        **tables(),
        **{f"small {name}": one.select(segments=one.segments[:15]) for name, one in tables().items()},
    }
    found = study("paired-disagreement", mixed, options={"repeats": 2, "orders": 1}, workers=1)
    table = found.table("figure-4c")
    small, large = dict.fromkeys(table.column("setups"))
    sizes = {group: [row[1] for row in table.rows if row[0] == group] for group in (small, large)}
    assert sizes == {small: [10, "all"], large: [10, 20, "all"]}
    chart = found.chart("figure-4c")
    assert chart.log_x
    assert set(chart.columns["panel"]) == {small, large}


def test_claims_about_metrics_and_tasks_are_read_from_the_tables():
    """What is said to be affected most is the first row, and tasks are known by the names of their data sets."""
    assert [task_of(name) for name in ("TAC08", "pc", "wmt17 de-en", "MSCOCO")] == [
        *("summarization", "dialogue", "machine translation", "image captioning")
    ]
    rng = np.random.default_rng(5)
    ranked = {"BLEU": 0.1, "BERTScore": 2.0, "ROUGE_L": 0.4}
    metrics = {
        name: replace(
            next(iter(tables().values())),
            name=name,
            values=rng.normal(size=(5, 40)).round(1) + gap * np.arange(5)[:, None],
            systems=tuple("ABCDE"),
        )
        for name, gap in ranked.items()
    }
    found = study("paired-disagreement", metrics, options={"repeats": 8, "orders": 1}, workers=1)
    assert found.table("figure-4a").column("metric")[0] == "BLEU"
    claims = {row[0]: row[2] for row in found.table("claims").rows}
    assert claims["BLEU is affected most"] == "yes"
    assert claims["BERTScore and MoverScore are affected less than most metrics"] == "yes"
    assert claims["Dialogue and captioning show more disagreement than translation and summarization"] == "–"


def test_renaming_systems_changes_nothing_in_the_text(found):
    """Another order of systems permutes strengths, and every measure stays."""
    turned = {name: scores.select(systems=scores.systems[::-1]) for name, scores in tables().items()}
    again = study("paired-disagreement", turned, options={"repeats": 6, "orders": 2})
    for name in ("table-1", "table-3-fifth", "table-3-bootstrap", "figure-4c"):
        np.testing.assert_allclose(
            *(
                np.array([[c for c in row if isinstance(c, float)] for row in one.table(name).rows])
                for one in (found, again)
            ),
            atol=1e-12,
        )


@pytest.mark.parametrize(("n", "sizes"), [(40, (10, "all")), (60, (10, 50, "all"))])
def test_figures_4a_and_4b_average_over_the_sizes_of_the_text(n, sizes):
    """Appendix A.3: each size below n and all segments, once each; the program draws a fifth, for 4a at least 30."""
    one = {"BLEU": tables(n=n)["BLEU"]}
    options = {"repeats": 6, "orders": 2}
    text, program = (
        study("paired-disagreement", one, options=options, as_published=each) for each in (False, True)
    )
    by_size = {row[1]: row[2:] for row in text.table("figure-4c").rows}
    expected = np.mean([by_size[size] for size in sizes], axis=0)
    for name in ("figure-4a", "figure-4b"):
        assert text.table(name).rows[0][2:] == pytest.approx(expected)
    notes = [program.table(name).notes[0] for name in ("figure-4a", "figure-4b")]
    assert ["at least 30" in note for note in notes] == [True, False]
    assert all("a fifth of the segments" in note for note in notes)
    assert text.chart("figure-4a").columns["y"] == pytest.approx(expected)
