"""Damaged files: the outcome is a table or an error of ours, and the error is short."""

from __future__ import annotations

import gzip
import io
import random

import pytest
from tests.everyday import few
from tests.fuzz.damage import damaged, outcome

from betterthan.read.scores import read_scores
from betterthan.read.sniff import read_any
from betterthan.read.write.write import write_table

LONG = "item,system,score,metric,doc\n" + "".join(
    f"s{i},{system},{i * 0.37 + shift:.3f},BLEU,d{i // 2}\n"
    for i in range(5)
    for shift, system in enumerate("ABC")
)
WIDE = "id,domain,A,B,C\n" + "".join(f"s{i},news,{i * 0.5},{i * 0.25},{-i}\n" for i in range(6))
JSONL = "".join(
    f'{{"item": "s{i}", "system": "{system}", "score": {i * 0.5}}}\n' for i in range(5) for system in "AB"
)
RATINGS = "item,system,rater,score\n" + "".join(
    f's{i},"{system}",r{i % 2},{10 * i}\n' for i in range(4) for system in "AB"
)
CASES = {
    "long": (LONG, 320),
    "wide": (WIDE, 320),
    "tsv": (WIDE.replace(",", "\t"), 150),
    "crlf": (LONG.replace("\n", "\r\n"), 150),
    "jsonl": (JSONL, 320),
    "array": ("[" + ",".join(JSONL.split("\n")[:-1]) + "]", 100),
    "ratings": (RATINGS, 200),
}


@pytest.mark.parametrize("name", few(CASES, 3))
def test_damaged_text_gives_a_table_or_our_error(name):
    """Flipped, cut, doubled and mixed-up text never escapes as a foreign exception."""
    text, trials = CASES[name]
    rng = random.Random(f"damage {name}")  # noqa: S311  (not for secrets)
    seen = [outcome(read_any, io.BytesIO(damaged(text.encode(), rng))) for _ in range(trials)]
    assert "table" in seen
    assert len(set(seen)) > 4


@pytest.mark.parametrize("name", ["long", "wide", "jsonl"])
def test_damaged_gzip_gives_a_table_or_our_error(name):
    """The same for compressed files, damaged after compression."""
    rng = random.Random(f"gzip {name}")  # noqa: S311
    packed = gzip.compress(CASES[name][0].encode(), mtime=0)
    seen = {outcome(read_scores, io.BytesIO(damaged(packed, rng))) for _ in range(100)}
    assert "BT004" in seen


def test_damaged_parquet_gives_a_table_or_our_error(tmp_path):
    """The same for Parquet, whose every byte may matter to the engine."""
    table = read_scores(io.StringIO(LONG))
    write_table(table, tmp_path / "good.parquet")
    good = (tmp_path / "good.parquet").read_bytes()
    rng = random.Random("parquet")  # noqa: S311
    seen = [outcome(read_any, io.BytesIO(damaged(good, rng))) for _ in range(30)]
    assert "BT024" in seen
    assert "table" in seen
