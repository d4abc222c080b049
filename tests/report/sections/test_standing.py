"""Every sentence about a pair follows the units that were chosen and the correction for all pairs."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from tests.report.conftest import made_scores
from tests.report.test_report import blocks_of, section

import betterthan as bt
from betterthan.present.numbers import pvalue
from betterthan.report.compose import compose
from betterthan.report.copies import copies_of
from betterthan.report.document import Fold, Matrix, Paragraph, TableBlock
from betterthan.report.kinds.texts import _verdict as verdict_on_texts
from betterthan.report.kinds.texts import _words as words_on_texts
from betterthan.report.page import page, section_fragment

ADVICE = re.compile(r"\bchoose [A-Z]|data do not decide")
LOST = "alone significant, but not after correction for all pairs"


def scores_with(sizes, *, lead=3.0, seed=1, m=3, shift=0.0):
    """Scores in documents of these sizes; `shift` moves whole documents for and against the first system."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.normal(60, 10, groups.size) + rng.normal(0, 4, (m, groups.size))
    values += lead * np.arange(m, 0, -1)[:, None]
    values[0] += shift * np.where(groups % 2 == 0, 1.0, -1.0)
    return bt.Scores(
        name="chrF",
        systems=[f"S{i}" for i in range(m)],
        segments=[str(i) for i in range(groups.size)],
        values=values,
        groups=[f"doc{g}" for g in groups],
    )


def three(seed, n=60):
    """Three systems of which the first is a little better."""
    rng = np.random.default_rng(seed)
    values = rng.normal(50, 5, n) + rng.normal(0, 5, (3, n)) + np.array([1.5, 0, -0.3])[:, None]
    return bt.Scores(name="m", systems=["A", "B", "C"], segments=[str(i) for i in range(n)], values=values)


def seen(report_or_text):
    """What a reader sees of a page: no pictures, no copies, no data."""
    text = report_or_text if isinstance(report_or_text, str) else page(report_or_text)
    text = re.sub(r"<(svg|pre|script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    return re.sub(r"[ \n]+", " ", re.sub(r"<[^>]*>", " ", text)).replace("&#39;", "'").replace("&lt;", "<")


def paragraphs(part):
    """The paragraphs of a section, however deep."""
    return [block.text for block in blocks_of(part.blocks) if isinstance(block, Paragraph)]


@pytest.fixture(scope="module")
def few():
    """Four documents of about fifteen segments: segments one by one are sure, documents cannot be."""
    return compose(scores_with([15, 16, 14, 15]), units="groups")


def test_documents_as_units_make_the_verdict(few):
    """The sentence has the p-values of compare(units="groups"), and none of those of single segments."""
    pairs = bt.compare(scores_with([15, 16, 14, 15]), test="permutation", units="groups")
    first = bt.rank(scores_with([15, 16, 14, 15]), by="mean", units="groups").systems[:2]
    found = pairs.pair(*first)
    assert found.pvalue == pytest.approx(0.125)  # 2 / 2^4: four documents cannot say more
    assert few.headline == "No system can be called best."
    assert few.verdict.startswith(
        f"With documents as units, nothing can be decided between {first[0]} and {first[1]}. No pair could be "
        f"significant at level 0.05: with 4 documents the smallest possible adjusted p-value is 0.125."
    )
    assert (
        f"p = {pvalue(found.pvalue)}; corrected for all 3 pairs, p = {pvalue(found.adjusted)})" in few.verdict
    )
    assert "p < 0.0001" not in few.verdict
    assert "both significant" not in few.verdict


def test_explanations_go_by_documents_too_and_advise_nothing(few):
    """In the section, in folds and in what the script shows, documents speak first and nobody is chosen."""
    part = section(few, "pair")
    assert part.lead.startswith("With documents as units, ")
    texts = paragraphs(part)
    folds = [block for block in blocks_of(part.blocks) if isinstance(block, Fold)]
    told = [" ".join(words) for words in few.payload["words"].values()]
    assert len(folds) == 1
    assert len(told) == 2
    for text in (texts[0], folds[0].blocks[0].text, *told):
        _, mark, rest = text.partition("For this pair alone: There is no significant difference between ")
        assert mark
        assert ", significant at" not in rest
        assert "p < 0.0001" not in rest
    for text in (*texts, *told, seen(few)):
        assert not ADVICE.search(text), text
    tables = [block for block in blocks_of(part.blocks) if isinstance(block, TableBlock)]
    assert few.results["pair"].units == "groups"
    found = bt.explain(scores_with([15, 16, 14, 15]), *few.results["ranking-mean"].systems[:2])
    assert few.results["pair"].mechanisms == found.mechanisms
    assert "one by one" not in seen(few)
    assert 'units="' not in seen(few)
    copies = [copy.text for block in tables if block.copies for copy in copies_of(block)]
    assert copies
    assert not [text for text in copies if ADVICE.search(text)]


def test_other_sections_follow_the_units_too(few):
    """Matrix, slices, power, method, cards and the tests of the script name their units."""
    assert "by permutation tests over documents after correction" in section(few, "pairs").lead
    assert "a single one is not tested by itself" in section(few, "slices").lead
    power = seen(section_fragment(section(few, "sure")))
    assert "4 documents as units show no difference at level 0.05" in power
    assert "permutation test over them is 0.125" in power
    assert "which are there" not in power
    assert "needed" not in power.replace("More documents are needed", "")
    assert "drawn from single segments, not from documents" in power
    assert few.cards[1].label == "segments, 4 documents as units"
    assert [test["name"] for test in few.payload["tests"]] == ["mean (permutation, documents)"]
    method = section_fragment(section(few, "method"))
    assert "95% intervals of each mean by itself, documents as units" in method
    assert "paired permutation tests over documents" in method


def test_documents_that_are_sure_are_told_as_sure():
    """Twelve documents show a difference of the first two; the sentence has their interval."""
    scores = scores_with([8] * 12)
    report = compose(scores, units="groups")
    found = bt.compare(scores, test="permutation", units="groups").pair("S0", "S1")
    assert found.verdict == "S0"
    assert report.verdict.startswith(
        "With documents as units, S0 is better than S1 by mean, significant at level 0.05"
    )
    assert f"interval for this pair alone {found.low:.2f} to {found.high:.2f} " in report.verdict


def test_power_of_equal_documents_is_that_of_their_means():
    """Twelve documents of eight segments: the table counts documents, and its numbers are those of a slow loop."""
    scores = scores_with([8] * 12, shift=5.0)
    report = compose(scores, units="groups")
    a, b = report.results["ranking-mean"].systems[:2]
    rows = [scores.goodness[scores.systems.index(name)] for name in (a, b)]
    means = [[np.mean([row[8 * g + k] for k in range(8)]) for g in range(12)] for row in rows]
    gaps = np.subtract(*means)
    spread = np.sqrt(sum((gap - gaps.mean()) ** 2 for gap in gaps) / 11)
    reach = (1.959963985 + 0.841621234) * spread
    block = next(block for block in section(report, "sure").blocks if isinstance(block, TableBlock))
    assert [column.heading for column in block.table.columns][-2:] == ["documents", "documents needed"]
    row = block.table.rows[0]
    assert row[2] == pytest.approx(gaps.mean())
    assert row[3] == pytest.approx(reach / np.sqrt(12))
    assert row[4:] == (12, int(np.ceil((reach / gaps.mean()) ** 2 + 1.959963985**2 / 2)))
    assert "12 documents show a true difference of" in paragraphs(section(report, "sure"))[0]


def test_power_of_unequal_documents_is_not_guessed():
    """Their means do not weigh alike, so that nothing is said but that."""
    part = section(compose(scores_with([4, 8, 12, 6, 5, 9, 7, 8]), units="groups"), "sure")
    (words,) = paragraphs(part)
    assert words.startswith("Documents are the units, and they have different numbers of segments;")
    assert words.endswith("is therefore not said.")
    assert not [block for block in part.blocks if isinstance(block, TableBlock)]


def test_segments_as_units_are_told_as_before():
    """Where segments are asked for as units nothing is said about taking them one by one."""
    report = compose(scores_with([15, 16, 14, 15]), units="segments")
    assert "one by one" not in seen(report)
    assert report.verdict.startswith(
        "S0 is better than S1 by mean and by wins, both significant at level 0.05."
    )
    assert ADVICE.search(" ".join(paragraphs(section(report, "pair"))))


def test_reports_that_know_no_documents_say_so(outputs, folder):
    """Texts are compared segment by segment whatever was asked, and the verdict says so."""
    asked = {"references": str(folder / "texts/reference.txt")}
    note = "Documents as units are known to reports on scores only; this one does not use them."
    assert compose(outputs[:2], units="groups", **asked).verdict.endswith(note)
    assert note not in compose(outputs[:2], **asked).verdict


@pytest.mark.parametrize(
    ("seed", "lost", "end"),
    [
        (9, ("mean", "wins"), "so that nothing is decided between A and B."),
        pytest.param(11, ("mean",), "so that nothing is decided between A and B.", marks=pytest.mark.slow),
        pytest.param(16, ("wins",), "so that nothing is decided between A and C.", marks=pytest.mark.slow),
        (1, ("mean",), "only the wins still differ significantly."),
        (0, ("wins",), "only the mean still differs significantly."),
    ],
)
def test_what_correction_takes_is_not_recommended(seed, lost, end):
    """Significant alone and not after correction: the verdict and the section say so, and advise nothing."""
    scores = three(seed)
    report = compose(scores)
    a, b = report.results["ranking-mean"].systems[:2]
    tests = {"mean": "permutation", "wins": "sign"}
    for name, test in tests.items():
        pair = bt.compare(scores, test=test).pair(a, b)
        assert (pair.pvalue <= 0.05 < pair.adjusted) == (name in lost)
        assert (f"p = {pvalue(pair.adjusted)} for the {name}" in report.verdict) == (name in lost)
    assert report.verdict.startswith("Taken alone, ")
    assert LOST in report.verdict
    assert report.verdict.endswith(end)
    part = section(report, "pair")
    words = paragraphs(part)[0]
    assert part.lead.startswith("Taken alone, ")
    assert words.endswith(end)
    assert not ADVICE.search(words)
    shown = report.payload["words"]["0 1"]
    assert " ".join(shown) == f"{part.lead} {words}"


@pytest.mark.parametrize(("wins", "is_lost"), [(54, False), (58, True), (66, False)])
def test_a_pair_of_battles_that_correction_takes(wins, is_lost):
    """The same words for battles; not where a pair is never sure, nor where it stays so."""
    won = [np.arange(100) < n for n in (wins, 60, 50)]
    left, right = np.repeat([0, 0, 1], 100), np.repeat([1, 2, 2], 100)
    outcome = np.concatenate(won).astype(float)
    report = compose(bt.Matches(systems=["A", "B", "C"], left=left, right=right, outcome=outcome))
    pair = report.results["pairs"].pair(*report.results["ranking-bradley_terry"].systems[:2])
    assert (pair.pvalue <= 0.05 < pair.adjusted) == is_lost
    assert (f"p = {pvalue(pair.adjusted)}: {LOST}." in report.verdict) == is_lost


def test_a_pair_of_texts_that_correction_takes(outputs, folder):
    """The same words for texts, once the corrected p-value is above the level."""
    report = compose(outputs, references=str(folder / "texts/reference.txt"))
    pair, pairs = report.results["pair"], report.results["pairs"]
    assert pair.aggregation("pooled").is_significant
    assert LOST not in report.verdict
    doubtful = dataclasses.replace(pairs, adjusted=np.full_like(pairs.adjusted, 0.0502))
    assert verdict_on_texts(pair, doubtful).endswith(f"all 3 pairs, p = 0.0502: {LOST}.")
    words = words_on_texts(pair, doubtful)
    assert words[:-1] == pair.sentences[:-1]
    assert words[-1].endswith(f"nothing is decided between {pair.a} and {pair.b}.")
    assert words_on_texts(pair, pairs) == pair.sentences


def test_a_constant_difference_is_not_an_equal_mean():
    """B is A and 1 more on every segment; equal scores are called equal."""
    a = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    apart = paragraphs(section(compose(bt.read_scores({"A": a, "B": a + 1})), "sure"))[0]
    assert apart.startswith("The difference between B and A is the same on every segment, 1.")
    assert "equal means" not in apart
    level = paragraphs(section(compose(bt.read_scores({"A": a, "B": a[::-1]})), "sure"))[0]
    assert "have equal means" in level
    assert "the same on every" not in level


def test_a_matrix_has_one_statement(reports):
    """Battles show the model's probability and say so; scores ranked by mean show differences of means."""
    for kind, words in (
        ("battles", "Probability by the model"),
        ("scores", "Difference of means, row minus column"),
    ):
        part = section(reports[kind], "pairs")
        matrix = next(block for block in blocks_of(part.blocks) if isinstance(block, Matrix))
        assert matrix.caption.startswith(words)
        assert part.lead.startswith(matrix.caption)
    pairs = reports["battles"].results["pairs"]
    cells = next(b for b in section(reports["battles"], "pairs").blocks if isinstance(b, Matrix)).cells
    assert cells[0][1].text == f"{pairs.effect[0, 1]:.2f}"


def test_segments_needed_are_for_one_pair_alone():
    """The amber card says of what test it speaks, as the ranking does."""
    report = compose(made_scores(m=3, n=40, seed=5), units="segments")
    needed = report.results["pair"].n_needed
    card = report.cards[-1]
    assert needed > 40
    assert card.is_warning
    assert card.number == f"{needed:,}"
    assert card.label == (
        "segments would show the difference of the first two, for this pair alone, with 80% power"
    )


def test_notes_that_are_no_doubts(reports):
    """Signatures and tokenisers are notes, a guessed direction is a doubt, and no repr of Python is shown."""
    items = {
        item.text: item.state
        for kind in ("texts", "tags", "meta", "battles")
        for item in section(reports[kind], "data").blocks[0].items
    }
    notes = [text for text, state in items.items() if state == "note"]
    assert sum(text.startswith("Signature: ") for text in notes) >= 2
    assert any(text.startswith("Tokeniser 13a") for text in notes)
    doubts = [text for text, state in items.items() if state == "doubt"]
    assert doubts
    assert not [text for text in doubts if text.startswith(("Signature", "Tokeniser"))]
    assert "Texts of 2 systems on 60 segments, with 1 reference." in items
    assert not [text for text in items if re.search(r"\b(?:Texts|WordTags|Scores|Matches)\(", text)]
    assert '<li class="note"><span class="unseen">note: </span>' in page(reports["texts"])


@pytest.mark.parametrize("kind", ["scores", "battles", "meta", "texts", "tags"])
def test_thousands_have_commas(reports, kind):
    """No thin space, and no number that is written in two ways on one page."""
    assert "\u202f" not in seen(reports[kind])


def test_thousands_of_large_tables_have_commas():
    """Counts in the table of pairs are written as those in the words around it."""
    rng = np.random.default_rng(1)
    table = bt.Matches(
        systems=["A", "B"],
        left=np.zeros(9000, dtype=int),
        right=np.ones(9000, dtype=int),
        outcome=rng.choice([0.0, 1.0], 9000),
    )
    text = seen(compose(table))
    assert "\u202f" not in text
    wins = int((table.outcome == 1).sum())
    assert f"{wins // 1000},{wins % 1000:03d}–0–" in text


def test_two_systems_make_one_pair(outputs, folder):
    """No "1 pairs", no "all 1 pair", whatever the kind of report."""
    tags = [str(folder / "tags" / f"{name}.tags") for name in ("gold", "Finch", "Heron")]
    made = [
        compose(made_scores(m=2)),
        compose(outputs[:2], references=str(folder / "texts/reference.txt")),
        compose(tags),
        compose(
            bt.Matches(systems=["A", "B"], left=[0] * 40, right=[1] * 40, outcome=[1.0] * 22 + [0.0] * 18)
        ),
    ]
    for report in made:
        text = seen(report)
        assert not re.search(r"\b1 pairs\b|all 1 pair\b|of 1 pair (?:is|are)\b", text), report.kind
        assert "of 1 pair significantly different" in text
        lead = section(report, "pairs").lead
        is_sure = report.results["pairs"].n_different == 1
        assert ("; the one pair is." in lead, "; the one pair is not." in lead) == (is_sure, not is_sure)
