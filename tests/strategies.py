"""Hypothesis strategies shared by the tests: tables, and values that break careless code."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from betterthan.read.grid.numerals import LARGEST, is_missing
from betterthan.read.plausibility.direction import is_truth
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

AWKWARD_LABELS = (
    "a b", " a", "a ", 'say "hi"', "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\r\nb", "é", "日本", "a\u2028b", "=1+1",
    "-a", "NA1", "nano", "0", "1.0", "true", "'", "\\", "@x", "{}", "[1]", "#c", "\ufeffx", "😀", "a\x85b",
)  # fmt: skip
AWKWARD_NUMBERS = (0.0, -0.0, 1e-300, -1e29, 0.1 + 0.2, 1 / 3, 5e-324, 123456789.123456789, -1.0, 100.0)

plain_characters = st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=("Cs",))


def labels() -> st.SearchStrategy[str]:
    """Names that readers trip over, and ordinary ones."""
    ordinary = st.text("ABCabc019-_.", min_size=1, max_size=6)
    wild = st.text(plain_characters, min_size=1, max_size=4)
    # Hypothesis finds words of the source by itself; a system called gold is refused, which has tests of its own.
    return st.one_of(ordinary, st.sampled_from(AWKWARD_LABELS), wild).filter(
        lambda name: not is_missing(name) and not is_truth(name)
    )


def numbers(*, missing: bool = True) -> st.SearchStrategy[float]:
    """Finite scores, awkward ones among them, and NaN where allowed."""
    finite = st.floats(-LARGEST, LARGEST)
    known = st.one_of(st.sampled_from(AWKWARD_NUMBERS), finite)
    return st.one_of(known, st.just(float("nan"))) if missing else known


def _distinct(draw: st.DrawFn, smallest: int, largest: int) -> tuple[str, ...]:
    return tuple(draw(st.lists(labels(), min_size=smallest, max_size=largest, unique=True)))


@st.composite
def scores(draw: st.DrawFn, *, missing: bool = True) -> Scores:
    """Tables of one to four systems and two to five segments, without notes."""
    systems, segments = _distinct(draw, 1, 4), _distinct(draw, 2, 5)
    n = len(systems) * len(segments)
    values = draw(st.lists(numbers(missing=missing), min_size=n, max_size=n))
    group = st.lists(labels(), min_size=len(segments), max_size=len(segments))
    groups = draw(st.one_of(st.none(), group))
    return Scores(
        name=draw(labels()),
        systems=systems,
        segments=segments,
        values=np.array(values).reshape(len(systems), len(segments)),
        higher_is_better=draw(st.booleans()),
        groups=None if groups is None else tuple(groups),
    )


@st.composite
def matches(draw: st.DrawFn) -> Matches:
    """Lists of one to eight matches between two to four systems."""
    systems = _distinct(draw, 2, 4)
    t = draw(st.integers(1, 8))
    left = draw(st.lists(st.integers(0, len(systems) - 1), min_size=t, max_size=t))
    step = draw(st.lists(st.integers(1, len(systems) - 1), min_size=t, max_size=t))
    right = [(i + s) % len(systems) for i, s in zip(left, step, strict=True)]
    outcome = draw(st.lists(st.sampled_from([1.0, 0.5, 0.0]), min_size=t, max_size=t))
    return Matches(
        systems=systems,
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        outcome=np.array(outcome),
    )


@st.composite
def ratings(draw: st.DrawFn) -> Ratings:
    """One to eight judgments, each of a different segment, system and judge; labels in order of appearance."""
    names = [_distinct(draw, 1, 3) for _ in range(3)]
    cells = [
        (i, j, k) for i in range(len(names[0])) for j in range(len(names[1])) for k in range(len(names[2]))
    ]
    chosen = draw(st.lists(st.sampled_from(cells), min_size=1, max_size=8, unique=True))
    columns = []
    for axis, all_names in enumerate(names):
        order = list(dict.fromkeys(cell[axis] for cell in chosen))
        index = [order.index(cell[axis]) for cell in chosen]
        columns.append((tuple(all_names[i] for i in order), np.array(index, dtype=np.int64)))
    (systems, system), (segments, segment), (judges, judge) = columns
    t = len(chosen)
    return Ratings(
        name=draw(labels()),
        systems=systems,
        segments=segments,
        judges=judges,
        system=system,
        segment=segment,
        judge=judge,
        score=np.array(draw(st.lists(numbers(missing=False), min_size=t, max_size=t))),
        higher_is_better=draw(st.booleans()),
    )


@st.composite
def tags(draw: st.DrawFn) -> WordTags:
    """Gold and predicted tags of one to three systems on one to four segments of at least one word."""
    systems = tuple(name for name in _distinct(draw, 1, 3) if name != "@gold") or ("A",)
    segments = _distinct(draw, 1, 4)
    lengths = draw(st.lists(st.integers(1, 4), min_size=len(segments), max_size=len(segments)))
    words = sum(lengths)
    marks = st.lists(st.booleans(), min_size=words, max_size=words)
    return WordTags(
        systems=systems,
        segments=segments,
        gold=np.array(draw(marks)),
        predicted=np.array([draw(marks) for _ in systems]),
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
    )


@st.composite
def texts(draw: st.DrawFn) -> Texts:
    """Outputs of one to three systems with a reference and perhaps sources."""
    systems = tuple(name for name in _distinct(draw, 1, 3) if not name.startswith("@")) or ("A",)
    segments = _distinct(draw, 1, 4)
    line = st.one_of(st.just(""), labels())
    lines = st.lists(line, min_size=len(segments), max_size=len(segments)).map(tuple)
    return Texts(
        systems=systems,
        segments=segments,
        outputs=tuple(draw(lines) for _ in systems),
        references=(draw(lines),),
        sources=draw(st.one_of(st.none(), lines)),
    )
