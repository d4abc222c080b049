"""Folders of the word-level task, and the translations beside a file of tags."""

from __future__ import annotations

import gzip

import pytest

import betterthan as bt
from betterthan.cli.main import main
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any

GOLD = "OK BAD OK\nOK\n"


def run(*words):
    """Run the command line and return its exit code."""
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code


@pytest.fixture
def folder(tmp_path):
    """Two language pairs, one file compressed, with the tokens of one."""
    for pair in ("en-de", "zh-en"):
        (tmp_path / pair / "sys").mkdir(parents=True)
        (tmp_path / pair / "gold.tags").write_text(GOLD)
        (tmp_path / pair / "sys" / "ours.tags").write_text("OK OK OK\nBAD\n")
        (tmp_path / pair / "sys" / "base.tags.gz").write_bytes(gzip.compress(GOLD.encode()))
    (tmp_path / "en-de" / "mt_tok.txt").write_text("a b <EOS>\n<EOS>\n")
    return tmp_path


def test_a_language_pair_is_a_table(folder):
    """Systems by name; rows are the lines of all files."""
    reading = read_any(folder / "en-de")
    (table,) = reading.tables
    assert (reading.format.name, reading.rows_read, reading.rows_kept) == ("tag_folder", 6, 6)
    assert (table.systems, table.segments) == (("base", "ours"), ("1", "2"))
    assert table.gold.tolist() == [False, True, False, False]
    assert table.predicted.tolist() == [[False, True, False, False], [False, False, False, True]]


def test_several_pairs_are_several_tables(folder):
    """Sentence 1 of one is not sentence 1 of the other; one can be chosen."""
    reading = read_any(folder)
    assert [table.segments for table in reading.tables] == [("en-de:1", "en-de:2"), ("zh-en:1", "zh-en:2")]
    assert reading.because == "2 folders with gold.tags and 4 files of systems: en-de, zh-en"
    for options in (Options(language_pair="zh-en"), Options(where=(("lp", "zh-en"),))):
        (one,) = read_any(folder, options).tables
        assert one == read_any(folder / "zh-en").tables[0]
    with pytest.raises(
        bt.ReadError, match='no language pair "xx" in this folder, but en-de, zh-en'
    ) as caught:
        read_any(folder, Options(language_pair="xx"))
    assert caught.value.code == "BT307"
    with pytest.raises(bt.UnknownName, match="condition"):
        read_any(folder, Options(where=(("level", "seg"),)))


def test_convert_and_back(folder, tmp_path):
    """A folder of one language pair becomes a tidy table that reads the same."""
    assert run("convert", folder / "en-de", "-o", tmp_path / "tidy.parquet") == 0
    (again,) = read_any(tmp_path / "tidy.parquet").tables
    (table,) = read_any(folder / "en-de").tables
    assert (again.systems, again.segments) == (table.systems, table.segments)
    assert again.predicted.tolist() == table.predicted.tolist()


def test_systems_without_the_truth_are_counted(folder):
    """Nothing can be said of them, and that is said."""
    found = bt.check(folder / "en-de" / "sys")
    assert (found.format, found.contents, found.rows_read) == ("tag_folder", (), 4)
    assert found.notes[0] == "base.tags.gz: Sentences: 2; tags: 4; BAD: 25.0%."
    assert "read it together with the gold tags" in found.notes[-1]


def test_faults_are_placed_and_links_do_not_lead_out(folder, tmp_path_factory):
    """The file inside the folder is named; two files of one system are refused."""
    damaged = folder / "en-de" / "sys" / "ours.tags"
    damaged.write_text("OK OK OK\nBAAD\n")
    with pytest.raises(bt.ReadError, match=r'en-de/sys/ours\.tags, line 2: Word 1 is "BAAD"'):
        read_any(folder)
    damaged.unlink()
    (folder / "en-de" / "sys" / "base.tags").write_text(GOLD)
    with pytest.raises(bt.ReadError, match='are both called "base"'):
        read_any(folder / "en-de")
    (folder / "en-de" / "sys" / "base.tags").unlink()
    outside = tmp_path_factory.mktemp("outside") / "x.tags"
    outside.write_text(GOLD)
    (folder / "en-de" / "sys" / "x.tags").symlink_to(outside)
    with pytest.raises(bt.ReadError, match="leads out of the folder"):
        read_any(folder / "en-de")


@pytest.mark.parametrize(
    ("tags", "tokens", "words", "told"),
    [
        ("OK BAD OK\nOK\n", "a b c\nd\n", 4, "every token has a tag, so there are no gap tags"),
        ("OK BAD OK\nOK BAD OK\n", "a\nb\n", 2, "N tokens have 2N + 1 tags, so words and gaps alternate"),
        ("OK BAD\nOK BAD OK\n", "a\nb c\n", 5, "and so has the end of each sentence"),
        ("OK BAD\nOK BAD OK\n", "a\n", 5, "does not match the tags, and was not used"),
    ],
)
def test_translations_beside_the_tags_tell_words_from_gaps(tmp_path, tags, tokens, words, told):
    """The file of the same name that ends in .mt is looked at, and check says what it showed."""
    (tmp_path / "test.tags").write_text(tags)
    (tmp_path / "test.mt").write_text(tokens)
    assert any(told in note for note in bt.check(tmp_path / "test.tags").notes)
    assert bt.read_tags(tmp_path / "test.tags", tmp_path / "test.tags").n_words == words


def test_gap_and_source_tags_with_the_files_beside_them(tmp_path):
    """Gaps on request; a system may have tagged the words alone; source tags have the source beside them."""
    (tmp_path / "test.tags").write_text("BAD OK OK BAD OK\nOK BAD BAD\n")
    (tmp_path / "test.mt").write_text("a b\nc\n")
    (tmp_path / "test.source_tags").write_text("OK BAD BAD\n")
    (tmp_path / "test.src").write_text("x y z\n")
    (tmp_path / "words.tags").write_text("OK OK\nBAD\n")
    gold = tmp_path / "test.tags"
    tags = bt.read_tags(gold, tmp_path / "words.tags")
    assert (tags.gold.tolist(), tags.predicted.tolist()) == ([False, True, True], [[False, False, True]])
    assert bt.read_tags(gold, gold, side="gap").gold.tolist() == [True, False, False, False, True]
    source = tmp_path / "test.source_tags"
    assert bt.read_tags(source, source, side="source").gold.tolist() == [False, True, True]
    assert any("every token has a tag" in note for note in bt.check(source).notes)
