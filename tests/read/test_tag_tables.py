"""Word-level quality estimation as rows: a row a word, a row a sentence, a row of spans."""

from __future__ import annotations

import io

import numpy as np
import pytest

import betterthan as bt
from betterthan.read.formats.quality.tag_labels import on_words
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any, sniff

# A submission as of 2023: three lines of facts, then a row a word; types and tags in any case.
ROWS = """2357242105
589270071
1
en-de\tours\tMT\t0\t0\tJa\tOK
en-de\tours\tMT\t0\t1\t,\tgood
en-de\tours\tMT\t0\t2\tDAS\tBAD
en-de\tours\tMT\t0\t3\t<EOS>\tOK
en-de\tours\tMT\t1\t1\tist\tBAD
en-de\tours\tMT\t1\t0\tDas\tOK
en-de\tours\tMT\t1\t2\t<EOS>\tbad
"""
# Gold labels of 2023: the second column is called gold; a CSV writer quoted a cell that has quotes inside.
SENTENCES = """lp\tgold\tsid\tmt\tmttok\ttags
en-de\tgold\t1\tDas ist\tDas ist <EOS>\tBAD BAD OK
en-de\tgold\t0\tJa, das\tJa , das <EOS>\tOK OK BAD BAD
zh-en\tgold\t0\t"A ""yes""."\t"A "" yes "" . <EOS>"\tOK OK OK OK BAD OK
"""
SPANS = """lp\tgold\tsid\tmt\tstart_id\tend_id\terror
en-de\tgold\t0\tJa, das\t4 0\t7 0\tmajor minor
en-de\tgold\t1\tDas ist\t-1\t-1\tno-error
en-de\tgold\t2\tKeiner\t6\t6\tmajor
"""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def writer(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return writer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ROWS, "tag_rows"),
        (ROWS.split("\n", 3)[3], "tag_rows"),
        (ROWS.split("\n", 1)[1], "tag_rows"),
        (SENTENCES, "tag_sentences"),
        (SENTENCES.split("\n", 1)[1], "tag_sentences"),
        (SENTENCES.replace("lp\tgold", "lp\tname", 1), "tag_sentences"),
        (SPANS, "tag_spans"),
        (SPANS.split("\n", 1)[1], "tag_spans"),
        ("2252351659\n563041309\n1\n" + SPANS.split("\n", 1)[1], "tag_spans"),
    ],
)
def test_layouts_are_recognised(write, text, expected):
    """With and without header or facts, whatever the name of the file; and WMT21 calls its gold rows .tags."""
    for name in ("predictions.txt", "gold.tsv", "goldlabels_mt.tags"):
        assert sniff(write(name, text)).format == expected
    assert bt.check(write("a.tsv", text)).problems == ()


def test_rows_and_sentences_are_held_against_each_other(write):
    """By sentence and number of the word, not by line; words after lowercasing; zh-en is in one file only."""
    tags = bt.read_tags(write("gold.tsv", SENTENCES), [write("predictions.txt", ROWS)])
    assert (tags.systems, tags.segments) == (("ours",), ("1", "0"))
    assert tags.gold.tolist() == [True, True, False, False, False, True, True]
    assert tags.predicted.tolist() == [[False, True, True, False, False, True, False]]
    assert tags.offsets.tolist() == [0, 3, 7]
    assert any("quoted cells" in note for note in tags.notes)
    assert any("<EOS> has its own tag in 3 sentences" in note for note in tags.notes)
    assert any("the first 3 lines are metadata of the submission, not" in note for note in tags.notes)


def test_by_a_literal_loop(write):
    """Shuffled rows, as a loop over dictionaries has them."""
    rng = np.random.default_rng(8)
    lengths = rng.integers(1, 9, size=30).tolist()
    gold = {(s, w): bool(rng.random() < 0.3) for s, n in enumerate(lengths) for w in range(n)}
    ours = {key: bool(rng.random() < 0.4) for key in gold}
    keys = list(gold)
    rows = [f"en-de\tours\tmt\t{s}\t{w}\tw{w}\t{'BAD' if ours[s, w] else 'OK'}\n" for s, w in keys]
    rng.shuffle(rows)
    sentences = [
        f"en-de\tgold\t{s}\tx\t{' '.join(f'W{w}' for w in range(n))}\t"
        f"{' '.join('BAD' if gold[s, w] else 'OK' for w in range(n))}\n"
        for s, n in enumerate(lengths)
    ]
    tags = bt.read_tags(write("gold.tsv", "".join(sentences)), [write("ours.tsv", "".join(rows))])
    assert tags.gold.tolist() == [gold[key] for key in keys]
    assert tags.predicted[0].tolist() == [ours[key] for key in keys]


def test_names_come_from_the_user_then_from_the_file(write):
    """NAME=path goes before the column; two systems of one name are refused."""
    gold, rows = write("gold.tsv", SENTENCES), write("predictions.txt", ROWS)
    other = write("other.txt", ROWS.replace("\tours\t", "\ttheirs\t"))
    assert bt.read_tags(gold, [rows, other]).systems == ("ours", "theirs")
    assert bt.read_tags(gold, [f"first={rows}", f"second={rows}"]).systems == ("first", "second")
    with pytest.raises(bt.ReadError, match='both have a system called "ours"') as caught:
        bt.read_tags(gold, [rows, write("again.txt", ROWS)])
    assert caught.value.code == "BT131"


def test_a_file_with_the_truth_and_systems_is_a_table(write, tmp_path):
    """From check, and from convert, and back."""
    both = write("both.tsv", SENTENCES + SENTENCES.split("\n", 1)[1].replace("\tgold\t", "\tours\t"))
    reading = read_any(both)
    assert [(len(t.segments), t.systems) for t in reading.tables] == [(2, ("ours",)), (1, ("ours",))]
    (table,) = read_any(both, Options(language_pair="en-de")).tables
    assert table == reading.tables[0]
    bt.write_table(table, tmp_path / "tidy.csv")
    (again,) = read_any(tmp_path / "tidy.csv").tables
    assert again.gold.tolist() == table.gold.tolist()
    chosen = bt.read_tags(both, both, language_pair="zh-en")
    assert chosen.gold.tolist() == chosen.predicted[0].tolist() == [False, False, False, False, True, False]
    with pytest.raises(bt.ReadError, match=r"several language pairs \(en-de, zh-en\)") as caught:
        bt.read_tags(both, both)
    assert caught.value.code == "BT307"
    with pytest.raises(bt.ReadError, match='No "en-fr" is in all of the files'):
        bt.read_tags(both, both, language_pair="en-fr")


def test_sides_of_rows(write):
    """Words by default, gaps and source words on request; what is left out is counted."""
    text = "".join(
        f"en-de\tours\t{kind}\t0\t{w}\t{word}\t{tag}\n"
        for kind, words in (
            ("mt", ["a:OK", "b:BAD"]),
            ("gap", ["gap:BAD", "gap:OK", "gap:OK"]),
            ("source", ["x:BAD"]),
        )
        for w, (word, tag) in enumerate(one.split(":") for one in words)
    )
    path = write("rows.tsv", text)
    found = {
        side: bt.read_tags(path, path, side=side).gold.tolist() for side in (None, "mt", "gap", "source")
    }
    assert found == {
        None: [False, True],
        "mt": [False, True],
        "gap": [True, False, False],
        "source": [True],
    }
    reading = read_any(path)
    assert (reading.rows_read, reading.rows_kept) == (6, 2)
    assert reading.dropped == {'side "gap"': 3, 'side "source"': 1}
    only = write("only.tsv", "".join(line for line in text.splitlines(keepends=True) if "\tgap\t" in line))
    assert bt.read_tags(only, only).n_words == 3
    gaps = write("gold.tags", "BAD OK OK BAD OK\n")
    assert bt.read_tags(gaps, only, side="gap").gold.tolist() == [True, False, False]
    with pytest.raises(bt.ReadError, match='no tags of side "mt", only of gap') as caught:
        bt.read_tags(only, only, side="mt")
    assert caught.value.code == "BT308"
    for text in (SENTENCES, SPANS):
        with pytest.raises(bt.ReadError, match='no tags of side "gap"'):
            bt.read_tags(write("g.tsv", text), write("h.tsv", text), side="gap")


def test_lines_without_ids_are_matched_with_counted_sentences(write):
    """Line 1 is number 0; ids that do not count the lines are refused."""
    plain = write("gold.tags", "OK OK BAD BAD\nBAD BAD OK\n")
    tags = bt.read_tags(plain, [write("rows.txt", ROWS)])
    assert tags.predicted.tolist() == [[False, False, True, False, False, True, True]]
    rows = write("truth.txt", ROWS)
    assert bt.read_tags(rows, [plain]).predicted.tolist() == [[False, False, True, True, True, True, False]]
    with pytest.raises(bt.ReadError, match="must be numbered 0, 1, 2, …") as caught:
        bt.read_tags(plain, [write("odd.txt", ROWS.replace("MT\t1\t", "MT\t7\t"))])
    assert caught.value.code == "BT304"
    with pytest.raises(bt.ReadError, match=r"This file has 2 lines, but .*gold\.tags has 3"):
        bt.read_tags(write("gold.tags", "OK\nOK\nOK\n"), [rows])


def test_spans_tag_characters(write):
    """The end is not part of a span, a span without length marks its place, and one place is behind the last."""
    path = write("spans.tsv", SPANS)
    tags = bt.read_tags(path, path)
    marks = "".join("x" if bad else "." for bad in tags.gold)
    assert marks == "x...xxx." + "........" + "......x"
    assert tags.offsets.tolist() == [0, 8, 16, 23]
    assert "severities are not distinguished (minor 1, major 2)" in tags.notes[0]


def test_spans_against_words(write):
    """A word is BAD that a span touches; a blank stands for what is missing before the next word."""
    gold = write("gold.tsv", SENTENCES)
    spans = SPANS.replace("\tgold\t", "\tspans\t").replace("-1\t-1\tno-error", "3\t4\tminor")
    tags = bt.read_tags(gold, [write("spans.tsv", spans)])
    assert tags.predicted.tolist() == [[False, True, False, True, False, True, False]]
    assert any("sentences without gold tags, left out: 1" in note for note in tags.notes)
    with pytest.raises(bt.ReadError, match=r"every word has a tag, but in .* every character") as caught:
        bt.read_tags(write("spans.tsv", spans.rpartition("en-de")[0]), [gold])
    assert caught.value.code == "BT309"


def test_spans_on_words_by_hand():
    """Each rule once, and words of another text."""
    words = ["Und", "hier", ",", "ja", "<EOS>"]
    text = "Und hier, ja"

    def marked(*places):
        return on_words(text, [place in places for place in range(len(text) + 1)], words)

    assert marked(3) == [False, True, False, False, False]
    assert marked(0, 1, 2, 3) == [True, False, False, False, False]
    assert marked(8) == [False, False, True, False, False]
    assert marked(12) == [False, False, False, False, True]
    assert marked(11) == [False, False, False, True, False]
    assert on_words(text, [True] * 13, words[:-1]) == [True] * 4
    assert on_words(text, [False] * 13, ["Und", "da"]) is None
    assert on_words(text, [False] * 13, words[:3]) is None


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (ROWS.replace("\tDas\t", "\t"), "BT012", "line 9: The row has 6 cells, but 7 are needed"),
        (ROWS.replace("good", "fine"), "BT140", 'line 5: The tag is "fine", but it must be OK or BAD'),
        (ROWS.replace("MT\t1\t2", "MT\t1\t3"), "BT303", 'line 9: Word 2 of sentence 1 by "ours" has no tag'),
        (ROWS.replace("MT\t1\t2", "MT\t1\t1"), "BT303", "line 10: Word 1 of sentence 1 .* already tagged in line 8"),
        (ROWS.replace("MT\t1\t2", "MT\t1\tx"), "BT303", 'line 10: "x" is not the number of a word'),
        (ROWS.replace("MT\t1", "word\t1"), "BT306", 'Unknown types of tags: "word": 3. Known values are mt'),
        (ROWS.replace("ours\tMT\t1\t0", "\tMT\t1\t0"), "BT105", "line 9: The row names no system"),
        (SENTENCES.replace("BAD BAD OK", "BAD BAD"), "BT142", r"line 2: This row has 3 words \(mttok\), but 2 tags"),
        (SENTENCES.replace("BAD BAD OK", "BAD BADD OK"), "BT140", 'line 2: Tag 2 is "BADD"'),
        (SENTENCES.replace("gold\t0\tJa", "gold\t1\tJa"), "BT101", "line 3: Segment 1 .* was already given"),
        (SPANS.replace("4 0\t7 0", "4 0\t7"), "BT305", "line 2: The row has 2 starts, 1 ends and 2 labels"),
        (SPANS.replace("4 0\t7 0", "8 0\t9 0"), "BT305", "line 2: Start 8 and end 9 are outside the 7 characters"),
        (SPANS.replace("4 0\t7 0", "4 0\t3 0"), "BT305", "line 2: Start 4 and end 3 are outside"),
        (SPANS.replace("4 0\t7 0", "4 0\tx 0"), "BT305", "line 2: Start 4 and end x are not offsets"),
        (SPANS.replace("-1\t-1", "0\t1"), "BT305", 'line 3: Start 0 and end 1 and "no-error" contradict'),
        (SPANS.replace("major", "huge"), "BT306", 'Unknown severities: "huge": 2. Known values are minor, major'),
        ("lp\tname\tsid\tmt\tmttok\ttags\n", "BT011", "There is no row"),
    ],
)  # fmt: skip
def test_damage_is_placed(write, text, code, message):
    """File, line and cure; check says the same, and the layout is still recognized."""
    path = write("damaged.txt", text)
    with pytest.raises(bt.ReadError, match=message) as caught:
        bt.read_tags(path, path)
    assert caught.value.code == code
    found = bt.check(path)
    assert [problem.code for problem in found.problems] == [code]
    assert found.format.startswith("tag_")


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (ROWS.replace("DAS", "DER"), "BT302", 'Sentence 0 of "ours" and of .* word 3 is "der" here and "das" there'),
        ("".join(line + "\n" for line in ROWS.splitlines() if "EOS" not in line), "BT302", r"the end \(<EOS>\)"),
        ("".join(ROWS.splitlines(keepends=True)[:7]), "BT304", 'that "ours" did not tag, .*: 1 .the first is 1'),
    ],
)  # fmt: skip
def test_predictions_that_do_not_fit(write, text, code, message):
    """The same sentences and the same words, or none."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        bt.read_tags(write("gold.tsv", SENTENCES), write("ours.txt", text))
    assert caught.value.code == code


def test_streams_are_read_too():
    """Standard input has no name, but an id for each sentence."""
    assert read_any(io.StringIO(ROWS)).rows_kept == 7
    tags = bt.read_tags(io.StringIO(SENTENCES), io.StringIO(ROWS))
    assert tags.systems == ("ours",)
