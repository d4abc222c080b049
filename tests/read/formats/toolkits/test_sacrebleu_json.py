"""What sacreBLEU 2.6.0 printed for two systems of three segments: corpus scores as JSON, segments as lines."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys

import pytest
import sacrebleu
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff

REFERENCE = ["the cat sat on the mat", "a dog ran far away", "hello there my old friend"]
OUTPUT = ["the cat sat on a mat", "a dog ran away", "hello there my friend"]
# Printed by: sacrebleu ref.txt -i a.txt -m bleu ter (shortened)
ONE = [
    {
        "name": "BLEU",
        "score": 42.7,
        "signature": "nrefs:1|case:mixed|eff:no|tok:13a",
        "nrefs": "1",
        "tok": "13a",
    },
    {"name": "TER", "score": 18.8, "signature": "nrefs:1|case:lc|tok:tercom", "nrefs": "1", "tok": "tercom"},
]
# Printed by: sacrebleu ref.txt -i a.txt b.txt -m bleu ter
SEVERAL = [
    {"system": "a.txt", "BLEU": "42.7", "TER": "18.8"},
    {"system": "b.txt", "BLEU": "63.8", "TER": "18.8"},
]
# Printed by: sacrebleu ref.txt -i a.txt b.txt -m bleu --paired-bs
PAIRED = [
    {"system": "Baseline: a.txt",
     "BLEU": {"score": 42.74035243622997, "p_value": None, "mean": 43.1743192784317, "ci": 7.959180005915265}},
    {"system": "b.txt",
     "BLEU": {"score": 63.82562261615028, "p_value": 0.000999000999000999, "mean": 62.85, "ci": 19.08}},
]  # fmt: skip
TAIL = "(BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"
LINES = "".join(
    f"BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = {score} 83.3/60.0/50.0/33.3 {TAIL}\n"
    for score in ("53.7285", "49.7609", "49.7609")
)


def as_json(parts):
    """As the tool prints it."""
    return json.dumps(parts, indent=1)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (ONE[0], {"BLEU": {"score": 42.7}}),
        (ONE, {"BLEU": {"score": 42.7}, "TER": {"score": 18.8}}),
        (SEVERAL, {"BLEU": {"a.txt": 42.7, "b.txt": 63.8}, "TER": {"a.txt": 18.8, "b.txt": 18.8}}),
        (PAIRED, {"BLEU": {"a.txt": 42.74035243622997, "b.txt": 63.82562261615028}}),
    ],
)
def test_every_shape(parts, expected):
    """One metric, several metrics, several systems, a paired test; the baseline's mark is no part of its name."""
    tables = bt.read_metrics(io.StringIO(as_json(parts)))
    found = {name: dict(zip(t.systems, t.values[:, 0].tolist(), strict=True)) for name, t in tables.items()}
    assert found == expected
    assert all(table.segments == ("system",) for table in tables.values())
    assert [table.higher_is_better for table in tables.values()] == [name != "TER" for name in tables]


def test_the_file_names_the_only_system(tmp_path):
    """And a single corpus score cannot be tested."""
    path = tmp_path / "mine.json"
    path.write_text(as_json(ONE[0]))
    assert bt.read_metrics(path)["BLEU"].systems == ("mine",)
    with pytest.raises(ReadError, match="paired tests need the score of every segment") as caught:
        bt.read_scores(path)
    assert caught.value.code == "BT103"
    assert [problem.code for problem in bt.check(path).problems] == ["BT203"]
    assert bt.check(path).exit_code == 0


def test_a_score_that_is_null_is_missing():
    """Never 0."""
    parts = [{"system": "a", "BLEU": {"score": None, "p_value": None}}, PAIRED[1]]
    table = bt.read_metrics(io.StringIO(as_json(parts)))["BLEU"]
    assert table.n_missing == 1


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('[{"system": "a", "item": "1", "BLEU": "3"}, {"system": "b", "item": "1", "BLEU": "4"}]', "long"),
        ('[{"system": "a", "BLEU": 3.0}, {"system": "a", "BLEU": 4.0}]', "long"),
        ('[{"model_a": "x", "model_b": "y", "winner": "tie"}]', "battles"),
        (as_json(SEVERAL), "sacrebleu"),
        (LINES, "sacrebleu_lines"),
    ],
)
def test_recognised_and_nothing_stolen(text, format):  # noqa: A002
    """A table of segments has ids, or systems that come back."""
    assert sniff(io.StringIO(text)).format == format


def test_lines_of_segments_against_the_library(tmp_path):
    """The numbers of sacreBLEU's own sentence_bleu, to the printed digits."""
    path = tmp_path / "mine.txt"
    path.write_text(LINES)
    scores = bt.read_scores(path)
    literal = [sacrebleu.sentence_bleu(o, [r]).score for o, r in zip(OUTPUT, REFERENCE, strict=True)]
    assert (scores.name, scores.systems, scores.segments) == ("BLEU", ("mine",), ("1", "2", "3"))
    assert scores.values[0].tolist() == pytest.approx(literal, abs=5e-5)
    assert any("tok:13a" in note for note in scores.notes)


def test_what_the_tool_prints_now_is_read(tmp_path):
    """Run the installed sacreBLEU itself, in both manners."""
    for name, lines in (("ref.txt", REFERENCE), ("out.txt", OUTPUT)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")

    def printed(*options):
        command = [sys.executable, "-m", "sacrebleu", "ref.txt", "-i", "out.txt", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
        return io.BytesIO(done.stdout)

    corpus = bt.read_metrics(printed("-m", "bleu", "chrf", "-w", "6"))
    assert corpus["BLEU"].values.item() == pytest.approx(
        sacrebleu.corpus_bleu(OUTPUT, [REFERENCE]).score, abs=1e-6
    )
    assert corpus["chrF2"].values.item() == pytest.approx(
        sacrebleu.corpus_chrf(OUTPUT, [REFERENCE]).score, abs=1e-6
    )
    lines = bt.read_scores(printed("-m", "chrf", "-sl", "-w", "6", "-sh"))
    literal = [sacrebleu.sentence_chrf(o, [r]).score for o, r in zip(OUTPUT, REFERENCE, strict=True)]
    assert lines.values[0].tolist() == pytest.approx(literal, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "format", "code", "message"),
    [
        (as_json(SEVERAL)[:-30], "sacrebleu", "BT016", "The file is not JSON"),
        ("[" * 100_000, "sacrebleu", "BT016", "too deeply nested"),
        ('[{"system": "a", "BLEU": "x"}]', "sacrebleu", "BT013", '"x" is not a number'),
        ('[{"system": "a", "BLEU": 1e999}]', "sacrebleu", "BT014", '"inf" is infinite'),
        ('[{"system": "a"}]', "sacrebleu", "BT190", "neither name, score and signature"),
        ('[{"system": 3, "BLEU": "1"}]', "sacrebleu", "BT190", "is not a text"),
        ("[]", "sacrebleu", "BT011", "The file has no scores"),
        (
            '[{"system": "a", "BLEU": "1"}, {"system": "a", "BLEU": "2"}]',
            "sacrebleu",
            "BT101",
            "already has a score of",
        ),
        (LINES.replace("\n", "\n\n", 1), "sacrebleu_lines", "BT190", "line 2: The line is empty"),
        (LINES + "done\n", "sacrebleu_lines", "BT190", 'line 4: "done" is not a segment score'),
        (LINES + LINES.replace("13a", "zh"), "sacrebleu_lines", "BT191", "line 4: The signature changes"),
        (LINES.replace("53.7285", "5e999"), "sacrebleu_lines", "BT014", "infinite"),
    ],
)
def test_damage(text, format, code, message):  # noqa: A002
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format=format)
    assert caught.value.code == code


CASES = {
    "one": ("sacrebleu", as_json(ONE)),
    "several": ("sacrebleu", as_json(SEVERAL)),
    "paired": ("sacrebleu", as_json(PAIRED)),
    "lines": ("sacrebleu_lines", LINES),
}


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_damaged_files_give_a_table_or_our_error(name, trials):
    """Recognised or named, no foreign exception escapes."""
    format, text = CASES[name]  # noqa: A001
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(text.encode(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format=format), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 2
