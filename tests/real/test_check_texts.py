"""What check says of published texts of WMT23 without any flag, against the counts that their README states."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.read.sniff import sniff

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
WMT21, WMT23 = DATA / "wmt21-newstest-mqm", DATA / "wmt23-general-text"
# Segments, systems and references of each pair, as the READMEs state them.
SETS = {
    WMT23 / "de-en": (549, 13, 1), WMT23 / "en-de": (557, 12, 1), WMT23 / "he-en": (1910, 12, 2),
    WMT23 / "zh-en": (1976, 15, 1), WMT23 / "en-zh": (2074, 15, 1), WMT23 / "en-ja": (2074, 16, 1),
}  # fmt: skip
PLAIN = {WMT21 / "en-de": (1002, 20), WMT21 / "zh-en": (1948, 23)}

pytestmark = pytest.mark.skipif(
    not (WMT21.exists() and WMT23.exists()),
    reason=f"no WMT data in {DATA}; set BETTERTHAN_DATA to the data's folder",
)


def n_lines(path):
    """The lines of a file, counted as bytes."""
    return gzip.decompress(path.read_bytes()).count(b"\n")


@pytest.mark.parametrize("folder", few(SETS), ids=lambda path: path.name)
def test_a_pair_is_a_set_of_texts(folder):
    """Outputs, references and the source, told apart by their names."""
    n_segments, n_systems, n_references = SETS[folder]
    found = bt.check(folder)
    assert (found.format, found.exit_code) == ("several", 0)
    said = f"{n_systems} systems × {n_segments:,} segments, {n_references} reference"
    assert found.contents[0].startswith(f"together: texts: {said}")
    assert len(found.contents) == 1 + n_systems + n_references + 1
    texts = bt.read_texts(folder)
    assert (len(texts.systems), len(texts.segments), len(texts.references)) == (
        n_systems,
        n_segments,
        n_references,
    )
    assert texts.sources is not None
    assert texts.systems == tuple(
        sorted(path.name.split(".txt")[0].rpartition(".")[0] for path in (folder / "sys").iterdir())
    )


@pytest.mark.slow
def test_the_collection_is_listed_file_by_file():
    """97 files, each with its format and its size; none is a problem."""
    found = bt.check(WMT23)
    files = sorted(path for path in WMT23.rglob("*.gz"))
    assert len(files) == 97
    assert (found.format, found.exit_code, len(found.contents)) == ("several", 0, 97)
    said = dict(line.split(": ", 1) for line in found.contents)
    for path in files:
        line = said[str(path.relative_to(WMT23))]
        if path.suffixes[-2:] == [".txt", ".gz"]:
            assert line.startswith(f"text, texts: 1 system × {n_lines(path):,} segments")
    assert said["da_sqm_sys.tsv.gz"].startswith("long, scores")
    assert any("6 language pairs" in note for note in found.notes)


@pytest.mark.parametrize("folder", PLAIN, ids=lambda path: path.name)
def test_sentences_with_commas_are_no_tables(folder):
    """Every output and reference of newstest2021 is text, although German sentences have commas in the first line."""
    n_segments, n_systems = PLAIN[folder]
    outputs = sorted((folder / "sys").iterdir())
    assert len(outputs) == n_systems
    for path in [*outputs, *folder.glob("ref-*.txt.gz"), *folder.glob("src.*")]:
        assert sniff(path).format == "text"
        assert n_lines(path) == n_segments
    texts = bt.read_texts(folder / "sys")
    assert (len(texts.systems), len(texts.segments)) == (n_systems, n_segments)
