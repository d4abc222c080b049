"""Damaged files: the outcome is a table or an error of ours, and the error is short."""

from __future__ import annotations

import gzip
import io
import random

import pytest

from betterthan.errors import BetterThanError
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
TOKENS = [
    b",", b";", b"\t", b"|", b'"', b"\n", b"\r", b"\x00", b"\xff", b"\xc3", b"nan", b"inf", b"1e400",
    b"-", b"=", b"{", b"}", b"[", b"\\", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"99999999999999999999",
    b"0x1F", b"NULL", b"'", b"--", b"\x1f\x8b", b"PAR1", b"system", b"score", b"true", b"\x80\x04",
    b"1_000", b"1,5", b" ", b"@gold", b"higher_is_better",
]  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Hurt a file in one to three ways."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        data = rng.choice([flip, delete, insert, cut, repeat_line, swap_cells, drop_line])(data, rng)
    return data


def flip(data, rng):
    """Flip a bit."""
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def delete(data, rng):
    """Delete some bytes."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice([1, 1, 2, 5, 20]) :]


def insert(data, rng):
    """Insert an odd token."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS) + data[at:]


def cut(data, rng):
    """Cut the end off."""
    return data[: rng.randrange(len(data) + 1)]


def repeat_line(data, rng):
    """Write a line twice."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join([*lines[: at + 1], *lines[at:]])


def drop_line(data, rng):
    """Leave a line out."""
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def swap_cells(data, rng):
    """Mix up the cells of a line."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    cells = lines[at].split(b",")
    rng.shuffle(cells)
    lines[at] = b",".join(cells)
    return b"\n".join(lines)


def outcome(read, given):
    """Read, and return the code of the error or "table"; any other exception fails the test."""
    try:
        read(given)
    except BetterThanError as error:
        said, code = str(error), getattr(error, "code", None) or type(error).__name__
    else:
        said, code = "read", "table"
    assert 0 < len(said) <= 400, said
    return code


CASES = {
    "long": (LONG, 320),
    "wide": (WIDE, 320),
    "tsv": (WIDE.replace(",", "\t"), 150),
    "crlf": (LONG.replace("\n", "\r\n"), 150),
    "jsonl": (JSONL, 320),
    "array": ("[" + ",".join(JSONL.split("\n")[:-1]) + "]", 100),
    "ratings": (RATINGS, 200),
}


@pytest.mark.parametrize("name", CASES)
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
