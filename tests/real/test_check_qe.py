"""What check says of the word-level task of WMT22 without any flag, against the counts its README states."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import pytest

import betterthan as bt
from betterthan.read.sniff import read_any

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = DATA / "wmt22-qe-word"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no {FOLDER}; set BETTERTHAN_DATA to the data's folder"
)


def stated():
    """Sentences and tags of each language pair, out of the README."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"([a-z]{2}-[a-z]{2}) (\d+) \((\d+)\)", text)
    return {pair: (int(sentences), int(tags)) for pair, sentences, tags in found}


def test_every_file_is_recognised_with_its_counts():
    """53 files: 45 of tags, 8 of tokens; no problem in any."""
    sizes = stated()
    assert len(sizes) == 8
    files = sorted(FOLDER.rglob("*.gz"))
    assert len(files) == 53
    kinds = []
    for path in files:
        found = bt.check(path)
        n_sentences, n_tags = sizes[path.relative_to(FOLDER).parts[0]]
        assert (found.rows_read, found.rows_kept, found.problems) == (n_sentences, n_sentences, ())
        kinds.append(found.format)
        if found.format == "tags":
            assert found.notes[0].startswith(f"Sentences: {n_sentences:,}; tags: {n_tags:,}; BAD: ")
        if path.name == "gold.tags.gz":
            assert any("every token has a tag, so there are no gap tags" in note for note in found.notes)
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"tags": 45, "text": 8}


@pytest.mark.slow
def test_the_folder_is_recognised_as_such():
    """A table a language pair, with 4 or 5 submissions each and the stated sizes."""
    sizes = stated()
    found = bt.check(FOLDER)
    assert (found.format, found.problems, len(found.contents)) == ("tag_folder", (), 8)
    assert found.because.startswith("8 folders with gold.tags and 37 files of systems")
    reading = read_any(FOLDER)
    for (pair, (n_sentences, n_tags)), table in zip(sorted(sizes.items()), reading.tables, strict=True):
        assert (len(table.segments), table.n_words) == (n_sentences, n_tags)
        assert len(table.systems) in (4, 5)
        assert table.segments[0] == f"{pair}:1"
    assert sum(len(table.systems) for table in reading.tables) == 37


@pytest.mark.parametrize("pair", ["en-cs", "zh-en"])
def test_one_pair_is_what_a_plain_loop_reads(pair):
    """Tag by tag; the folder of the systems alone is recognized too."""
    (table,) = read_any(FOLDER / pair).tables
    with gzip.open(FOLDER / pair / "gold.tags.gz", "rt", encoding="utf-8") as file:
        assert table.gold.tolist() == [word == "BAD" for line in file for word in line.split()]
    for name, tags in zip(table.systems, table.predicted, strict=True):
        with gzip.open(FOLDER / pair / "sys" / f"{name}.tags.gz", "rt", encoding="utf-8") as file:
            assert tags.tolist() == [word == "BAD" for line in file for word in line.split()]
    assert bt.check(FOLDER / pair / "sys").format == "tag_folder"
