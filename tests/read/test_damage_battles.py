"""Damaged files of battles, texts and tags give a table or one of our own errors, and nothing else."""

from __future__ import annotations

import gzip
import io
import json
import random
import re

import polars as pl
import pytest
from tests.everyday import few
from tests.fuzz.damage import MORE_EDITS, damaged

from betterthan.errors import BetterThanError, ReadError
from betterthan.read.formats.battles import battles
from betterthan.read.formats.battles.battles import read_matches
from betterthan.read.formats.quality.tag_files import FILE as TAG_FILES
from betterthan.read.formats.quality.tag_files import read_tags
from betterthan.read.formats.tables import parallel_text
from betterthan.read.formats.tables.parallel_text import read_texts
from betterthan.read.protocol import Options
from betterthan.read.source.source import open_source
from betterthan.tables.matches import Matches
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

COLUMNS = {
    "question_id": [f"q{i}" for i in range(12)],
    "model_a": ["Kea", "Tui", "Moa"] * 4,
    "model_b": ["Tui", "Moa", "Kea"] * 4,
    "winner": ["model_a", "tie", "model_b", "tie (bothbad)"] * 3,
    "weight": [1, 2, 3] * 4,
}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
CSV = "\n".join(",".join(map(str, row)) for row in [COLUMNS, *(r.values() for r in RECORDS)]).encode()
TEXT = "Ein Satz.\nNoch einer, \u2028 länger.\n\n[No translation supplied]\n".encode()
TAGS = b"OK BAD OK\nBAD\n\nOK OK GOOD\n" * 3


def parquet() -> bytes:
    """Write the battles as Parquet."""
    stream = io.BytesIO()
    pl.DataFrame(COLUMNS).write_parquet(stream)
    return stream.getvalue()


WHOLE = {
    "battles.csv": CSV,
    "battles.csv.gz": gzip.compress(CSV, mtime=0),
    "battles.jsonl": "\n".join(map(json.dumps, RECORDS)).encode(),
    "battles.json": json.dumps(RECORDS).encode(),
    "battles.parquet": parquet(),
    "text.txt": TEXT,
    "text.txt.gz": gzip.compress(TEXT, mtime=0),
    "a.tags": TAGS,
}


def read_battles(path):
    """Read battles both ways."""
    read_matches(path, both_bad="drop")
    battles.read(open_source(path), Options())
    return read_matches(path, keep=("item",))


READERS = {
    "battles": (read_battles, battles, Matches),
    "text": (lambda path: read_texts([path], references=path), parallel_text, Texts),
    "a": (lambda path: read_tags(path, path), TAG_FILES, WordTags),
}


@pytest.mark.parametrize(
    "seed", [seed if seed < 8 else pytest.param(seed, marks=pytest.mark.slow) for seed in range(90)]
)
@pytest.mark.parametrize("name", few(WHOLE, 3))
def test_damage_never_gives_a_foreign_exception(tmp_path, name, seed):
    """A table, or an error of at most three sentences with a code."""
    path = tmp_path / name
    path.write_bytes(damaged(WHOLE[name], random.Random(f"{name} {seed}"), MORE_EDITS))  # noqa: S311
    reader, module, table = READERS[name.split(".")[0]]
    try:
        module.sniff(open_source(path))
        assert isinstance(reader(path), table)
    except BetterThanError as error:
        check_message(error, str(path))


def check_message(error: BetterThanError, path: str) -> None:
    """Check that an error has a code, names the file, and is short."""
    if isinstance(error, ReadError):
        assert error.code is not None
        assert error.path == path
        said = re.sub(r'"(?:[^"]|"(?=[^\s.,;:)]))*"|\([^)]*\)', "", error.message)
        assert len(re.findall(r"[.?]( |$)", said)) <= 3, error.message


@pytest.mark.parametrize("name", WHOLE)
def test_the_whole_files_are_read(tmp_path, name):
    """Otherwise the damage would prove nothing."""
    path = tmp_path / name
    path.write_bytes(WHOLE[name])
    if name.startswith("text"):
        assert isinstance(read_texts(path), Texts)
    else:
        reader, _, table = READERS[name.split(".")[0]]
        assert isinstance(reader(path), table)
