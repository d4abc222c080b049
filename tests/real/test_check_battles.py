"""What check says of published judgments without any flag, against the counts that their README states."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
LLMFAO = DATA / "llmfao" / "llmfao.csv.gz"
# Rows of each file, as the collection's README states them.
WMT16 = {
    "deu-eng": 20937,
    "eng-ron": 11352,
    "eng-tur": 11184,
    "fin-eng": 30519,
    "ron-eng": 15822,
    "rus-eng": 27353,
    "tur-eng": 10188,
}

pytestmark = pytest.mark.skipif(
    not LLMFAO.exists(), reason=f"no {LLMFAO}; set BETTERTHAN_DATA to the data's folder"
)


def rows_of(path):
    """The rows of a file by the csv module alone."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line.replace("\r\r\n", "\n") for line in file))


def test_llmfao_is_recognised():
    """8 931 judgments of 59 models, none dropped, ties counted."""
    found = bt.check(LLMFAO)
    assert (found.format, found.problems) == ("battles", ())
    assert (found.rows_read, found.rows_kept, found.dropped) == (8931, 8931, {})
    ties = sum(row["winner"] == "tie" for row in rows_of(LLMFAO))
    assert found.contents == (f"battles: 8,931 between 59 systems, {ties:,} of them ties",)


@pytest.mark.parametrize("pair", few(WMT16))
def test_wmt16_is_recognised(pair):
    """Every row is a match; equal ranks are ties."""
    path = DATA / "wmt16-rr" / f"wmt16.{pair}.csv.gz"
    found = bt.check(path)
    assert (found.format, found.problems) == ("battles", ())
    assert (found.rows_read, found.rows_kept) == (WMT16[pair], WMT16[pair])
    rows = rows_of(path)
    systems = {row[name] for row in rows for name in ("system1Id", "system2Id")}
    ties = sum(row["system1rank"] == row["system2rank"] for row in rows)
    assert found.contents == (
        f"battles: {WMT16[pair]:,} between {len(systems)} systems, {ties:,} of them ties",
    )


@pytest.mark.parametrize(
    "path", [LLMFAO, DATA / "wmt16-rr" / "wmt16.tur-eng.csv.gz"], ids=lambda path: path.stem
)
def test_what_convert_writes_is_the_same_data(path, tmp_path):
    """Rows, segments and judges survive; so does the ranking."""
    whole = read_any(path, Options(covariates=("*",))).tables[0]
    bt.write_table(whole, tmp_path / "tidy.parquet")
    again = read_any(tmp_path / "tidy.parquet", Options(covariates=("*",))).tables[0]
    assert again.digest == whole.digest
    assert whole.aggregated().digest == bt.read_matches(path, cluster=False).digest
    assert whole.group is not None
    assert whole.segment is not None
