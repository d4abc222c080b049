"""Every sentence about a pair follows the units that were chosen and the correction for all pairs."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower
from tests.report.conftest import made_scores
from tests.report.test_report import blocks_of, section

import betterthan as bt
from betterthan.report.compose import compose
from betterthan.report.document import Bullets, Fold, Matrix, Paragraph, TableBlock, copies_of
from betterthan.report.kinds.texts import _verdict as verdict_on_texts
from betterthan.report.kinds.texts import _words as words_on_texts
from betterthan.report.page import page, section_fragment
from betterthan.results.pairwise import equals_p, pvalue

ADVICE = re.compile(r"\b[Cc]hoose [A-Z]|data are inconclusive")
LOST = "significant for this pair alone, but not after adjustment for all pairs"


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
    """The paragraphs of a section, however deep; a list is one of them."""
    return [
        " ".join(block.items) if isinstance(block, Bullets) else block.text
        for block in blocks_of(part.blocks)
        if isinstance(block, Bullets | Paragraph)
    ]


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
        "No pair could be significant at level 0.05: with 4 documents the smallest possible adjusted p-value is 0.125. "
        f"{first[0]} scores "
    )
    assert (
        f" higher than {first[1]}, but the difference is not significant at level 0.05 (95% CI "
        in few.verdict
    )
    assert f"p = {pvalue(found.adjusted)}, permutation test over 4 documents, " in few.verdict
    assert " for 3 pairs)." in few.verdict
    assert "p < 0.0001" not in few.verdict
    assert "both significant" not in few.verdict


def test_explanations_go_by_documents_too_and_advise_nothing(few):
    """In the section, in folds and in what the script shows, documents speak first and nobody is chosen."""
    part = section(few, "pair")
    assert "permutation test over 4 documents" in part.lead
    texts = paragraphs(part)
    folds = [block for block in blocks_of(part.blocks) if isinstance(block, Fold)]
    told = [" ".join(words) for words in few.payload["words"].values()]
    assert len(folds) == 1
    assert len(told) == 2
    for text in (texts[0], " ".join(folds[0].blocks[0].items), *told):
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
    assert "(permutation tests over documents, adjusted by " in section(few, "pairs").lead
    assert "a single document is not tested" in section(few, "slices").lead
    power = seen(section_fragment(section(few, "sure")))
    assert "4 documents cannot show a difference at level 0.05" in power
    assert "permutation test over them is 0.125" in power
    assert "than there are" not in power
    assert "needed" not in power.replace("More documents are needed", "")
    assert "made of single segments, not documents, drawn" in power
    assert few.cards[1].label == "segments, 4 documents as units"
    assert [test["name"] for test in few.payload["tests"]] == ["mean (permutation, documents)"]
    method = section_fragment(section(few, "method"))
    assert "95% confidence intervals of each mean (documents as units)" in method
    assert "paired permutation tests over documents" in method


def test_documents_that_are_sure_are_told_as_sure():
    """Twelve documents show a difference of the first two; the sentence has their interval."""
    scores = scores_with([8] * 12)
    report = compose(scores, units="groups")
    found = bt.compare(scores, test="permutation", units="groups").pair("S0", "S1")
    assert found.verdict == "S0"
    assert report.verdict.startswith(
        f"S0 scores {found.effect:.2f} higher than S1, a significant difference at level 0.05 "
        f"(95% CI {found.low:.2f} to {found.high:.2f} for this pair alone; p = {pvalue(found.adjusted)}, "
        "permutation test over 12 documents, Holm-adjusted for 3 pairs)."
    )


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
    smallest = TTestPower().solve_power(nobs=12, alpha=0.05, power=0.8) * spread
    block = next(block for block in section(report, "sure").blocks if isinstance(block, TableBlock))
    assert [column.heading for column in block.table.columns][-2:] == ["documents", "documents needed"]
    row = block.table.rows[0]
    assert row[2] == pytest.approx(gaps.mean())
    assert row[3] == pytest.approx(smallest, rel=1e-5)
    needed = int(np.ceil((reach / gaps.mean()) ** 2 + 1.959963985**2 / 2))
    kurtosis = np.mean((gaps - gaps.mean()) ** 4) / spread**4
    factor = np.exp(1.96 * np.sqrt((kurtosis - 9 / 11) / 12))
    assert row[4:] == (12, f"{needed} ({needed / factor:.0f}–{needed * factor:.0f})")
    assert "12 documents show a true difference of" in paragraphs(section(report, "sure"))[0]


def test_power_of_unequal_documents_is_not_guessed():
    """Their means do not weigh alike, so that nothing is said but that."""
    part = section(compose(scores_with([4, 8, 12, 6, 5, 9, 7, 8]), units="groups"), "sure")
    (words,) = paragraphs(part)
    assert (
        words == "Power is not reported, because the units are documents with different numbers of segments."
    )
    assert not [block for block in part.blocks if isinstance(block, TableBlock)]


def test_segments_as_units_are_told_as_before():
    """Where segments are asked for as units nothing is said about taking them one by one."""
    report = compose(scores_with([15, 16, 14, 15]), units="segments")
    assert "one by one" not in seen(report)
    assert re.match(
        r"S0 scores [\d.]+ higher than S1, a significant difference at level 0.05 ", report.verdict
    )
    assert "over 4 documents" not in report.verdict
    assert paragraphs(section(report, "pair"))[0].startswith(
        "For this pair alone: S0 is better than S1 by mean and by segments won, both significant at level 0.05."
    )
    assert ADVICE.search(" ".join(paragraphs(section(report, "pair"))))


def test_reports_that_know_no_documents_say_so(outputs, folder):
    """Texts are compared segment by segment whatever was asked, and the verdict says so."""
    asked = {"references": str(folder / "texts/reference.txt")}
    note = "Only reports on scores can use documents as units; this one does not."
    assert compose(outputs[:2], units="groups", **asked).verdict.endswith(note)
    assert note not in compose(outputs[:2], **asked).verdict


@pytest.mark.parametrize(
    ("seed", "lost", "end"),
    [
        (9, ("mean", "wins"), "The data do not settle which of A and B is better."),
        pytest.param(
            11, ("mean",), "The data do not settle which of A and B is better.", marks=pytest.mark.slow
        ),
        pytest.param(
            16, ("wins",), "The data do not settle which of A and C is better.", marks=pytest.mark.slow
        ),
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
    is_significant = "mean" not in lost and "only the mean" in end
    assert ("a significant difference at level" in report.verdict) == is_significant
    assert ("but the difference is not significant at level" in report.verdict) != is_significant
    assert LOST in report.verdict
    assert report.verdict.endswith(end)
    part = section(report, "pair")
    words = paragraphs(part)[0]
    assert report.verdict.startswith(part.lead)
    assert words.startswith("For this pair alone: ")
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
    alone = f"({equals_p(pair.pvalue)} for this pair alone, but {equals_p(pair.adjusted)} after adjustment"
    assert (alone in report.verdict) == is_lost


def test_a_pair_of_texts_that_correction_takes(outputs, folder):
    """The same words for texts, once the corrected p-value is above the level."""
    report = compose(outputs, references=str(folder / "texts/reference.txt"))
    pair, pairs = report.results["pair"], report.results["pairs"]
    assert pair.aggregation("pooled").is_significant
    assert LOST not in report.verdict
    doubtful = dataclasses.replace(pairs, adjusted=np.full_like(pairs.adjusted, 0.0502))
    assert "p = 0.0502, permutation test, Holm-adjusted for 3 pairs" in verdict_on_texts(pair, doubtful)
    assert f"The difference is {LOST}." in verdict_on_texts(pair, doubtful)
    words = words_on_texts(pair, doubtful)
    assert words[:-1] == pair.sentences[:-1]
    assert words[-1].endswith(f"do not settle which of {pair.a} and {pair.b} is better.")
    assert words_on_texts(pair, pairs) == pair.sentences


def test_a_constant_difference_is_not_an_equal_mean():
    """B is A and 1 more on every segment; equal scores are called equal."""
    a = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    apart = paragraphs(section(compose(bt.read_scores({"A": a, "B": a + 1})), "sure"))[0]
    assert apart.startswith("B and A differ by the same amount on every segment, 1.")
    assert "equal means" not in apart
    level = paragraphs(section(compose(bt.read_scores({"A": a, "B": a[::-1]})), "sure"))[0]
    assert "have equal means" in level
    assert "the same amount on every" not in level


def test_a_matrix_has_one_statement(reports):
    """Battles show the model's probability and say so; scores ranked by mean show differences of means."""
    for kind, words in (
        ("battles", "Probability under the model"),
        ("scores", "Difference of means, row minus column"),
    ):
        part = section(reports[kind], "pairs")
        matrix = next(block for block in blocks_of(part.blocks) if isinstance(block, Matrix))
        assert matrix.caption.startswith(words)
        assert part.lead.startswith(matrix.caption)
    pairs = reports["battles"].results["pairs"]
    cells = next(b for b in section(reports["battles"], "pairs").blocks if isinstance(b, Matrix)).cells
    assert cells[0][1].text == f"{pairs.effect[0, 1]:.2f}"


def test_segments_needed_are_those_of_the_ranking():
    """The amber card plans for the level after adjustment, as the ranking beside it does; both have two digits."""
    report = compose(made_scores(m=3, n=40, seed=5), units="segments")
    needed = report.results["ranking-mean"].segments_needed[0]
    card = report.cards[-1]
    assert needed > report.results["pair"].n_needed > 40
    assert card.is_warning
    assert card.number == f"≈ {float(f'{needed:.2g}'):,.0f}"
    low, high = (float(n.replace(",", "")) for n in re.fullmatch(r"\(([\d,]+)–([\d,]+)\)", card.of).groups())
    assert low < needed < high
    assert card.label == "segments would show a difference like that of the top two with 80% power"


def test_notes_that_are_no_warnings(reports):
    """Signatures and tokenizers are notes, other notes of the data are warnings, and no repr of Python is shown."""
    items = {
        item.text: item.state
        for kind in ("texts", "tags", "meta", "battles")
        for item in section(reports[kind], "data").blocks[0].items
    }
    notes = [text for text, state in items.items() if state == "note"]
    assert sum(text.startswith("Signature: ") for text in notes) >= 2
    assert any(text.startswith("Tokenizer 13a") for text in notes)
    doubts = [text for text, state in items.items() if state == "warning"]
    assert doubts
    assert not [text for text in doubts if text.startswith(("Signature", "Tokenizer"))]
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
        is_sure = report.results["pairs"].n_different == 1
        assert report.headline.startswith("No significant difference") == (not is_sure)
        assert 'class="matrix' not in section_fragment(section(report, "pairs"))
