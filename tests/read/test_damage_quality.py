"""Damaged files of quality estimation: the outcome is a reading or an error of ours, and the error is short."""

from __future__ import annotations

import io
import random
import time

import pytest
from tests.everyday import few
from tests.fuzz.damage import damaged, outcome
from tests.read.formats.quality.test_sentence_scores import GOLD, OURS, TRAINING
from tests.read.test_tag_tables import ROWS, SENTENCES, SPANS

import betterthan as bt
from betterthan.read.sniff import read_any

PLAIN = "OK BAD OK\nOK\nBAD GOOD\n"
CASES = {
    "tags": PLAIN,
    "tag_rows": ROWS,
    "tag_sentences": SENTENCES,
    "tag_spans": SPANS,
    "sentence_scores": GOLD + OURS.split("\n", 3)[3],
    "sentence_training": TRAINING,
    "numbers": "0.25\n1\n\n0.5\n",
}
TOKENS = [
    b"\t", b"\n", b"\t\t\t", b"-1", b"999999999999", b"1e400", b"nan", b"[", b"]", b"[[[[[[", b"hallucination",
    b"BAD", b"ok", b"gap", b"major", b"no-error", b'""', b'"', b"\x00", b"\xff", b"\xe2\x80\xa8", b"\xef\xbb\xbf",
    b"gold", b"<EOS>", b"lp", b"1_0", "٣".encode(), b" ",
]  # fmt: skip


def mixed_up(data, rng):
    """Damage of text in general, or a token of these layouts, or cells of a row mixed up."""
    way = rng.randrange(4)
    if way == 0:
        return damaged(data, rng)
    if way == 1:
        at = rng.randrange(len(data) + 1)
        return data[:at] + rng.choice(TOKENS) + data[at:]
    lines = data.split(b"\n")
    cells = lines[at := rng.randrange(len(lines))].split(b"\t")
    if way == 2:
        rng.shuffle(cells)
    else:
        cells[rng.randrange(len(cells))] = rng.choice(TOKENS) * rng.choice([1, 1, 50])
    lines[at] = b"\t".join(cells)
    return b"\n".join(lines)


def trial(name, trials):
    """Read damaged files by name, as what they look like, and against whole ones."""
    text = CASES[name].encode()
    rng = random.Random(f"quality {name} {trials}")  # noqa: S311  (not for secrets)
    read_pair = bt.read_tags if name.startswith("tag") else bt.read_sentence_scores
    ways = [
        lambda data: read_any(io.BytesIO(data), format=name),
        lambda data: read_any(io.BytesIO(data)),
        lambda data: read_pair(io.BytesIO(data), {"whole": io.BytesIO(text)}, language_pair=pair),
        lambda data: read_pair(io.BytesIO(text), {"hurt": io.BytesIO(data)}, language_pair=pair),
    ]
    pair = None if name in ("tags", "numbers", "sentence_training") else "en-de"
    seen = []
    for _ in range(trials):
        data = mixed_up(text, rng)
        began = time.process_time()  # what it works, not what the clock says
        seen.append(outcome(ways[rng.randrange(len(ways))], data))
        assert time.process_time() - began < 10
    return seen


@pytest.mark.parametrize("name", few(CASES, 3))
def test_damage_gives_a_table_or_our_error(name):
    """A hundred of each layout; some are still read, others are refused for several reasons."""
    seen = trial(name, 120)
    assert "table" in seen
    assert len(set(seen)) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_much_damage_gives_a_table_or_our_error(name):
    """The same six hundred times."""
    assert len(set(trial(name, 600))) > 4


@pytest.mark.parametrize("name", CASES)
def test_every_place_at_which_a_file_may_be_cut(name):
    """No end is a bad end."""
    text = CASES[name].encode()
    for end in range(1, len(text), 3):
        outcome(lambda data: read_any(io.BytesIO(data), format=name), text[:end])


def test_deep_brackets_and_long_lines_do_not_hurt():
    """Lists are split, never parsed by recursion; a line of a million cells is refused."""
    deep = TRAINING.replace("[50, 55]", "[" * 100_000 + "]" * 100_000)
    assert outcome(lambda text: read_any(io.StringIO(text)), deep) == "BT013"
    wide = SENTENCES.replace("\tDas ist\t", "\t" * 1_000_000)
    assert outcome(lambda text: read_any(io.StringIO(text)), wide) == "BT012"
    far = SPANS.replace("4 0\t7 0", "4 0\t999999999 0")
    reading = read_any(io.StringIO(far))
    assert "truncated: 1" in "".join(reading.notes)
