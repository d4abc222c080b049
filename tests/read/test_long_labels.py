"""Names and cells of ten thousand characters are cut in every message, and the cure is still there."""

from __future__ import annotations

import random
import re

import pytest
from tests.everyday import few
from tests.read.seeds import FILES

import betterthan as bt
from betterthan.errors import LONGEST_MESSAGE, BetterThanError, TableError, some_of, unknown_name
from betterthan.read.sniff import read_any

LONG = (b"x" * 10_000, b"y z " * 2500, "é".encode() * 5000, b'"' * 5000, b"a/b" * 4000)
PLACE = 300
TEXTS = [name for name, (called, _) in FILES.items() if not called.endswith((".eval", ".parquet"))]


def told(path, name):
    """Every sentence that reading and looking at a file produce."""
    found = []
    for format_in in (name, None):
        try:
            reading = read_any(path, format=format_in)
        except BetterThanError as error:
            found.append(str(error))
        else:
            found += [*reading.notes, reading.because, *(problem.message for problem in reading.problems)]
    looked = bt.check(path)
    found += [
        *looked.notes,
        looked.because,
        *looked.contents,
        *(cell for row in looked.preview for cell in row),
    ]
    return [*found, *(problem.message for problem in looked.problems)]


@pytest.mark.parametrize("name", few(TEXTS, 13))
def test_no_message_is_longer_than_a_screen(name, tmp_path):
    """A word of the seed, here or everywhere, grows to ten thousand characters."""
    called, data = FILES[name]
    rng = random.Random(name)  # noqa: S311  (not for secrets)
    words = sorted(set(re.findall(rb"[A-Za-z0-9_.]+", data)))
    for _ in range(4):
        path = tmp_path / called
        path.write_bytes(data.replace(rng.choice(words), rng.choice(LONG), rng.choice([1, -1])))
        assert max(map(len, told(path, name))) <= LONGEST_MESSAGE + PLACE


def test_the_label_is_cut_and_the_cure_is_not(tmp_path):
    """Column, cell and system."""
    name = "n" * 10_000
    (tmp_path / "a.csv").write_text(f"item,system,{name}\n1,A,2\n1,B,oops{'!' * 9000}\n")
    with pytest.raises(bt.ReadError) as caught:
        bt.read_scores(tmp_path / "a.csv")
    message = str(caught.value)
    assert "nnn…" in message
    assert "oops!!!" in message
    assert message.endswith("Leave the cell empty if the score is missing.")
    assert len(message) < 400


def test_every_error_of_ours_is_cut():
    """Also those that are not about files; short ones are not touched."""
    assert len(str(TableError("word " * 5000))) == LONGEST_MESSAGE
    assert len(str(unknown_name("system", "q" * 10_000, ["w" * 10_000] * 30))) <= LONGEST_MESSAGE
    assert str(TableError("Rows differ. Mend them.")) == "Rows differ. Mend them."
    assert some_of(["v" * 100, "u"]) == f"{'v' * 59}…, u"


def test_words_between_two_quoted_names_are_kept():
    """Only what is quoted is taken for a label."""
    text = '"A" ' + "is told apart from others by the column that comes after it, " * 4 + 'called "B".'
    assert str(TableError(text)) == text
