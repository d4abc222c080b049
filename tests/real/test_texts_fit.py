"""Published outputs and references fit; with the source in the place of the reference they do not."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from tests.everyday import few

from betterthan.scoring.mismatches import mismatches

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = DATA / "wmt23-general-text"
PAIRS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir()) if FOLDER.is_dir() else []


def lines(path):
    """The lines of a packed file."""
    return tuple(gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")[:-1])


# The other four every day would take 6 s; a script with blanks and one without stay.
@pytest.mark.parametrize(
    "pair",
    few(PAIRS, 1),
)
def test_no_system_is_doubted_and_the_source_always_is(pair):
    """Every system of six language pairs, three of them with scripts without blanks."""
    references = tuple(lines(file) for file in sorted((FOLDER / pair).glob("ref*")))
    (source,) = (FOLDER / pair).glob("src*")
    files = sorted((FOLDER / pair / "sys").iterdir())
    systems, outputs = tuple(file.name for file in files), tuple(map(lines, files))
    for reference in references:
        assert mismatches(systems, outputs, (reference,)) == ()
    assert mismatches(systems, outputs, references) == ()
    assert [each.code for each in mismatches(systems, outputs, (lines(source),))] == ["BT261"]


@pytest.mark.parametrize("pair", few(PAIRS, 1))
def test_no_excerpt_is_doubted_and_most_with_the_source_are(pair):
    """A few segments in a row, together of 30 to 200 words; all systems, and each system alone."""
    references = [lines(file) for file in sorted((FOLDER / pair).glob("ref*"))]
    (source,) = (lines(file) for file in (FOLDER / pair).glob("src*"))
    files = sorted((FOLDER / pair / "sys").iterdir())
    systems, outputs = tuple(file.name for file in files), tuple(map(lines, files))
    draw, n_doubted, n_excerpts = np.random.default_rng(1), 0, 20
    for _ in range(n_excerpts):
        first = int(draw.integers(len(source) - 8))
        part = slice(first, first + int(draw.integers(1, 9)))
        cut = tuple(each[part] for each in outputs)
        for reference in references:
            codes = {each.code for each in mismatches(systems, cut, (reference[part],))}
            assert "BT261" not in codes, part
            for name, output in zip(systems, cut, strict=True):
                codes = {each.code for each in mismatches((name,), (output,), (reference[part],))}
                assert "BT261" not in codes, (part, name)
        n_doubted += any(each.code == "BT261" for each in mismatches(systems, cut, (source[part],)))
    assert n_doubted >= n_excerpts / 2
