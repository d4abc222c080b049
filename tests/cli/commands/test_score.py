"""``betterthan score``: texts in, one table with three aggregations out, and segment scores for the next command."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER

import betterthan as bt

REFERENCE = [
    "The cat sat on the mat in the kitchen.",
    "It rained all day and nobody went outside, not even the dog.",
    "Hello there!",
    "The committee postponed its decision until the beginning of next week.",
    "Why did you not tell me about the second letter?",
    "Prices rose by four percent in March, more than experts had expected.",
]
OUTPUTS = {
    "good": [
        "The cat sat on the mat in the kitchen.",
        "It rained all day, and nobody went outside, not even the dog.",
        "Hello there!",
        "The committee postponed its decision until next week.",
        "Why didn't you tell me about the second letter?",
        "Prices rose by four percent in March, more than experts expected.",
    ],
    "poor": [
        "A cat is sitting on a mat.",
        "It was raining the day and nobody was outside.",
        "Hi!",
        "The committee has moved the decision to the start of the next week.",
        "Why have you not said me of the second letter?",
        "The prices went up four percent in March.",
    ],
}
FAST = ("--resamples", "50", "--no-cache", "--workers", "1")


@pytest.fixture
def texts(tmp_path):
    """A reference and two outputs, one of them gzipped."""
    (tmp_path / "ref.txt").write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")
    (tmp_path / "good.txt").write_text("\n".join(OUTPUTS["good"]) + "\n", encoding="utf-8")
    with gzip.open(tmp_path / "poor.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(OUTPUTS["poor"]) + "\n")
    return tmp_path


@pytest.fixture
def score(betterthan, texts):
    """Call ``betterthan score METRIC`` with the reference."""

    def call(metric, *arguments):
        return betterthan("score", metric, "--reference", texts / "ref.txt", *arguments, *FAST)

    return call


def result_of(said):
    """The result in the JSON on stdout."""
    assert said.code == 0, said.err
    return bt.Result.from_dict(json.loads(said.out))


def test_all_three_aggregations_stand_side_by_side(score, texts):
    """As sacreBLEU's corpus and sentence scores, gzip and names of files included."""
    found = result_of(score("bleu", texts / "good.txt", texts / "poor.txt.gz", "--json"))
    assert found.systems == ("good", "poor")
    for i, name in enumerate(found.systems):
        corpus = sacrebleu.corpus_bleu(OUTPUTS[name], [REFERENCE]).score
        sentences = [
            sacrebleu.sentence_bleu(line, [ref]).score
            for line, ref in zip(OUTPUTS[name], REFERENCE, strict=True)
        ]
        assert found.pooled[i] == pytest.approx(corpus, abs=1e-9)
        assert found.segment_mean[i] == pytest.approx(np.mean(sentences), abs=1e-9)
        assert found.bootstrap_mean[i] == pytest.approx(corpus, abs=2)
    assert found.score.startswith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")


def test_the_table_has_intervals_signature_and_letters(score, texts):
    """What a reader needs to quote the number."""
    options = ("--aggregation", "all", "--signature", "--notes")
    said = score("bleu", texts / "good.txt", texts / "poor.txt.gz", *options)
    assert said.code == 0
    for part in (
        "pooled",
        "segments",
        "bootstrap",
        "95%",
        "group",
        "Signature: BLEU|nrefs:1",
        "|corpora:50,size=1000|",
    ):
        assert part in said.out
    assert "effective sample size" in said.out


def test_only_the_pooled_score_is_shown_by_default(score, texts):
    """Means of segments and of bootstrap corpora are in JSON, and in the table on request."""
    said = score("bleu", texts / "good.txt", texts / "poor.txt.gz")
    head = next(line for line in said.out.splitlines() if "system" in line)
    assert head.split() == ["rank", "system", "BLEU", "95%", "CI", "group"]
    assert "bootstrap" not in said.out


SEVERAL = ("--metric", "bleu", "--metric", "chrf", "--metric", "ter")


def test_several_metrics_are_one_table(betterthan, texts):
    """Scores of sacreBLEU beside each other, and one row per system."""
    files = ("--reference", texts / "ref.txt", texts / "good.txt", texts / "poor.txt.gz")
    said = betterthan("score", *SEVERAL, *files, *FAST)
    assert said.code == 0, said
    rows = [line.split() for line in said.out.splitlines() if line.strip().startswith(("good ", "poor "))]
    expected = [metric.corpus_score(OUTPUTS["good"], [REFERENCE]).score for metric in (BLEU(), CHRF(), TER())]
    assert [row[0] for row in rows] == ["good", "poor"]
    assert [float(rows[0][i]) for i in (1, 5, 9)] == pytest.approx(expected, abs=0.5)
    assert "TER (lower is better)" in said.out.splitlines()[0]


def test_a_baseline_gives_differences_with_interval_and_p(betterthan, texts):
    """In CSV with all digits: the score less that of the baseline; a lower TER is a negative difference."""
    files = ("--reference", texts / "ref.txt", texts / "good.txt", texts / "poor.txt.gz")
    said = betterthan("score", *SEVERAL, *files, "--baseline", "poor", "-f", "csv", *FAST)
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert [(row["metric"], row["system"]) for row in rows] == [
        (metric, name) for metric in ("BLEU", "chrF2", "TER") for name in ("good", "poor")
    ]
    for row, metric in zip(rows[::2], (BLEU(), CHRF(), TER()), strict=True):
        good, poor = (metric.corpus_score(OUTPUTS[name], [REFERENCE]).score for name in ("good", "poor"))
        assert float(row["difference"]) == pytest.approx(good - poor, abs=1e-9)
        assert float(row["difference_low"]) <= float(row["difference"]) <= float(row["difference_high"])
        assert 0 < float(row["pvalue"]) <= float(row["adjusted"]) <= 1
    assert rows[1]["difference"] == rows[1]["pvalue"] == ""
    table = betterthan("score", *SEVERAL, *files, "--baseline", "poor", *FAST).out
    assert "compared with poor" in table
    assert table.count("baseline") == 3


def test_a_comparison_with_a_baseline_is_corrected_for_its_own_tests_only(betterthan, texts):
    """Holm over two comparisons, not over three pairs."""
    (texts / "third.txt").write_text("\n".join(OUTPUTS["poor"][::-1]) + "\n", encoding="utf-8")
    files = [texts / name for name in ("good.txt", "poor.txt.gz", "third.txt")]
    said = betterthan(
        "score", "bleu", "--reference", texts / "ref.txt", *files, "--baseline", "poor", "--json", *FAST
    )
    _, pairs = map(bt.Result.from_dict, json.loads(said.out))
    small, large = sorted([pairs["good", "poor"], pairs["third", "poor"]], key=lambda pair: pair.pvalue)
    assert small.adjusted == pytest.approx(min(2 * small.pvalue, 1))
    assert large.adjusted == pytest.approx(max(large.pvalue, small.adjusted))
    assert np.isnan(pairs["good", "third"].adjusted)
    assert pairs["good", "third"].verdict is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "god"), 'Unknown system "god". Did you mean "good"?'),
        (("--metric", "chrf", "--language", "zh"), "--language is for BLEU"),
        (("--baseline", "good", "--aggregation", "all"), "--baseline compares pooled scores"),
        (("--metric", "rouge"), "'rouge' is not one of"),
    ],
)
def test_several_metrics_refuse_what_changes_nothing(betterthan, texts, arguments, message):
    """In one style, with exit code 2."""
    files = ("--reference", texts / "ref.txt", texts / "good.txt", texts / "poor.txt.gz")
    said = betterthan("score", *files, *arguments, *FAST)
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert message in said.err


def test_names_of_files_lose_what_all_share(betterthan, texts):
    """newstest.good.de.txt and newstest.poor.de.txt are good and poor; a single file keeps its name."""
    for name, lines in OUTPUTS.items():
        (texts / f"newstest.{name}.de.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    both = [texts / f"newstest.{name}.de.txt" for name in OUTPUTS]
    found = result_of(betterthan("score", "bleu", "--reference", texts / "ref.txt", *both, "--json", *FAST))
    assert found.systems == ("good", "poor")
    one = result_of(betterthan("score", "bleu", "--reference", texts / "ref.txt", both[0], "--json", *FAST))
    assert one.systems == ("newstest.good.de",)


def test_chrf_takes_its_options(score, texts):
    """chrF++ and case, with the same numbers and signature as sacreBLEU."""
    options = ("--word-order", "2", "--lowercase")
    found = result_of(score("chrf", texts / "good.txt", texts / "poor.txt.gz", *options, "--json"))
    metric = CHRF(word_order=2, lowercase=True)
    for i, name in enumerate(found.systems):
        assert found.pooled[i] == pytest.approx(
            metric.corpus_score(OUTPUTS[name], [REFERENCE]).score, abs=1e-9
        )
    assert found.score.startswith("chrF2++|nrefs:1|case:lc|")


def test_ter_is_better_when_lower(score, texts):
    """Order, numbers and signature; the weight of a segment is its share of the reference's words."""
    found = result_of(score("ter", texts / "good.txt", texts / "poor.txt.gz", "--case-sensitive", "--json"))
    metric = TER(case_sensitive=True)
    assert found.systems == ("good", "poor")
    assert not found.higher_is_better
    for i, name in enumerate(found.systems):
        assert found.pooled[i] == pytest.approx(
            metric.corpus_score(OUTPUTS[name], [REFERENCE]).score, abs=1e-9
        )
    lengths = np.array([len(line.split()) for line in REFERENCE])
    assert found.effective_segments == pytest.approx(lengths.sum() ** 2 / (lengths**2).sum())
    assert "|case:mixed|" in found.score


def test_bleu_takes_its_options(score, texts):
    """Tokeniser, language, case and smoothing reach the counts."""
    said = score(
        "bleu", texts / "good.txt", "--tokenize", "char", "--lowercase", "--smoothing", "floor", "--json"
    )
    metric = BLEU(tokenize="char", lowercase=True, smooth_method="floor")
    assert result_of(said).pooled[0] == pytest.approx(
        metric.corpus_score(OUTPUTS["good"], [REFERENCE]).score, abs=1e-9
    )
    assert "|tok:zh|" in result_of(score("bleu", texts / "good.txt", "--language", "zh", "--json")).score
    literal = score("bleu", texts / "good.txt", "--language", "zh", "--literal", "--json")
    assert "|tok:13a|" in result_of(literal).score


def test_several_references(betterthan, texts):
    """Each one option."""
    said = betterthan(
        *("score", "bleu", "--reference", texts / "ref.txt", "--reference", f"second={texts / 'good.txt'}"),
        *(texts / "poor.txt.gz", "--json", *FAST),
    )
    expected = sacrebleu.corpus_bleu(OUTPUTS["poor"], [REFERENCE, OUTPUTS["good"]]).score
    assert result_of(said).pooled[0] == pytest.approx(expected, abs=1e-9)
    assert "|nrefs:2|" in f"|{result_of(said).score}|"


def test_patterns_are_expanded_and_names_can_be_given(score, texts):
    """Where no shell does it; a pattern with a name must fit one file."""
    found = result_of(score("bleu", texts / "[gp]oo*.txt*", "--json"))
    assert sorted(found.systems) == ["good", "poor"]
    found = result_of(score("bleu", f"ours={texts / 'goo*.txt'}", f"base={texts / 'poor.txt.gz'}", "--json"))
    assert found.systems == ("ours", "base")
    said = score("bleu", f"ours={texts / '[gp]oo*'}")
    assert said.code == 2
    assert "2 files match this pattern, but they cannot all be called ours" in said.err
    said = score("bleu", texts / "nothing*.txt")
    assert said.code == 2
    assert "No file matches this pattern" in said.err


def test_standard_input_can_be_a_system(score, texts, monkeypatch):
    """Named or not; once only."""
    text = ("\n".join(OUTPUTS["poor"]) + "\n").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))
    found = result_of(score("bleu", texts / "good.txt", "piped=-", "--json"))
    assert found.systems == ("good", "piped")
    assert found.pooled[1] == pytest.approx(
        sacrebleu.corpus_bleu(OUTPUTS["poor"], [REFERENCE]).score, abs=1e-9
    )
    said = score("bleu", "-", "-")
    assert said.code == 2
    assert "Standard input (-) is named twice" in said.err


def test_the_bare_number_of_one_system(score, texts):
    """All digits, nothing else; of several systems it is refused."""
    said = score("bleu", "--score-only", texts / "good.txt")
    assert float(said.out) == pytest.approx(
        sacrebleu.corpus_bleu(OUTPUTS["good"], [REFERENCE]).score, abs=1e-12
    )
    assert len(said.out.split()) == 1
    said = score("bleu", "--score-only", texts / "good.txt", texts / "poor.txt.gz")
    assert said.code == 2
    assert "there are 2 systems. Name one file" in said.err


def test_segment_scores_go_to_a_file_or_to_stdout(score, texts):
    """The same table by every way, equal to sentence scores."""
    files = (texts / "good.txt", texts / "poor.txt.gz")
    said = score("chrf", *files, "--segments")
    assert said.code == 0
    assert said.out.splitlines()[0] == "item\tsystem\tscore\tmetric\thigher_is_better"
    assert len(said.out.splitlines()) == 1 + 12
    (texts / "piped.tsv").write_text(said.out, encoding="utf-8")
    assert score("chrf", *files, "--segments", "-o", texts / "scores.tsv").code == 0
    assert score("chrf", *files, "--segments", "-f", "csv").out.startswith("item,system,score,")
    expected = bt.chrf(OUTPUTS, REFERENCE).per_segment()
    for name in ("piped.tsv", "scores.tsv"):
        read = bt.read_scores(texts / name)
        assert read.systems == expected.systems
        assert (read.values == expected.values).all()
    said = score("chrf", *files, "--segments", "-f", "latex")
    assert said.code == 2
    assert "--segments are written as tsv or csv, not as latex" in said.err


def test_segment_scores_are_read_by_the_next_command(texts):
    """``score --segments | compare -``, through a real pipe."""
    run = [sys.executable, "-c", "from betterthan.cli.main import main; main()"]
    files = [str(texts / name) for name in ("good.txt", "poor.txt.gz")]
    scored = subprocess.run(
        [*run, "score", "bleu", "--reference", str(texts / "ref.txt"), *files, "--segments", "--no-cache"],
        capture_output=True,
        check=True,
    )
    compared = subprocess.run(
        [*run, "compare", "-", "--json", "--no-cache"], input=scored.stdout, capture_output=True, check=True
    )
    found = bt.Result.from_dict(json.loads(compared.stdout))
    expected = bt.compare(bt.bleu(OUTPUTS, REFERENCE).per_segment())
    assert found.pair("good", "poor").effect == pytest.approx(expected.pair("good", "poor").effect)
    assert found.pair("good", "poor").pvalue == expected.pair("good", "poor").pvalue


def test_unequal_files_are_refused_with_both_names_and_counts(score, texts):
    """Which file has how many lines, and which the others."""
    (texts / "short.txt").write_text("One line.\n", encoding="utf-8")
    said = score("bleu", texts / "good.txt", texts / "short.txt")
    assert said.code == 2
    assert said.err.startswith("error[BT130]")
    for part in ("short.txt", "1 line", "good.txt", "6"):
        assert part in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "bleu", "good.txt"), "No reference was given. Pass one or more: --reference FILE"),
        (("score", "bleu", "--reference", "ref.txt"), "No output was given"),
        (("score", "bleu", "--reference", "no.txt", "good.txt"), "error[BT001]"),
        (("score", "bleu", "--reference", "ref.txt", "empty.txt"), "error[BT003]"),
        (("score", "bleu", "--reference", "ref.txt", "good.txt", "good.txt"), "error[BT131]"),
        (("score", "bleu", "--reference", "ref.txt", "--tokenize", "13b", "good.txt"), '"13b"'),
        (("score", "bleu", "--reference", "ref.txt", "absent.txt"), "Use --missing drop"),
        (
            ("score", "rouge", "--reference", "ref.txt", "good.txt"),
            'Unknown metric "rouge". Did you mean "rouge-l"?',
        ),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(betterthan, texts, monkeypatch, arguments, message):
    """Exit code 2, no traceback."""
    monkeypatch.chdir(texts)
    (texts / "empty.txt").write_bytes(b"")
    lines = [*OUTPUTS["good"][:-1], "[No translation supplied]"]
    (texts / "absent.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = betterthan(*arguments, *(() if "rouge" in arguments else FAST))
    assert said.code == 2
    assert message in said.err
    assert "Traceback" not in said.err


def test_missing_outputs_can_be_left_out(score, texts):
    """With a note that says so."""
    lines = [*OUTPUTS["good"][:-1], "[No translation supplied]"]
    (texts / "absent.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = result_of(score("bleu", texts / "absent.txt", "--missing", "drop", "--json"))
    expected = sacrebleu.corpus_bleu(OUTPUTS["good"][:-1], [REFERENCE[:-1]]).score
    assert found.pooled[0] == pytest.approx(expected, abs=1e-9)
    assert found.n_segments == 5


@pytest.mark.parametrize("written", ["csv", "tsv", "markdown", "latex", "html", "jsonl"])
def test_every_format_of_an_answer(score, texts, written):
    """Both systems appear in each."""
    said = score("bleu", texts / "good.txt", texts / "poor.txt.gz", "-f", written)
    assert said.code == 0
    assert "good" in said.out
    assert "poor" in said.out


def test_a_warning_stands_before_the_scores(betterthan, tmp_path):
    """On standard error, with its code; also where only the bare score is printed."""
    from betterthan.examples.campaign import campaign
    from betterthan.examples.write import write_campaign

    write_campaign(tmp_path / "demo", campaign())
    texts = tmp_path / "demo" / "texts"
    said = betterthan("score", "bleu", "--reference", texts / "source.txt", texts / "Elm.txt", "--score-only")
    assert said.err.startswith(
        "warning[BT261]: The outputs and the reference have hardly a frequent word in common."
    )
    said = betterthan(
        "score", "bleu", "--reference", texts / "reference.txt", texts / "Elm.txt", "--score-only"
    )
    assert said.code == 0
    assert "BT261" not in said.err
