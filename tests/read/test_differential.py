"""The same table in any container is the same table, or the same error.

Text small and large, packed and streamed, JSON lines, Parquet and data frames. Every case is drawn from a seed, which a
failure names; the everyday suite draws some hundreds of them, `slow` thousands.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import betterthan as bt
from betterthan.errors import BetterThanError, ReadError
from betterthan.read.grid.open_grid import frame_grid, open_grid
from betterthan.read.source.source import open_source

NAMES = (*"AB*/$#é", "a.b", "x y", "A_1", "c0", "json", "~1", "[0]", "item", "system", "b=1", '"q"')
CELLS = (
    "",
    *'1x"\\',
    "0.5",
    "-2e3",
    "NA",
    "true",
    " y ",
    "a,b",
    "a\tb",
    "a;b",
    '""',
    '"q"',
    "it's",
    "é\u2028",
)
NOISE = (*'"\r\n,\t\ufeff\u00a0\x0c x', '""', '"\n', ',"', '\t"', '" ', ' "', "\r\n", "\n\n")
JSON_NOISE = (*'{},]"\n \ufeff\u00a01\\', ",}", '"a":1,', '"A":1,', "\r\n", "null", "\\ud83d")
USUAL = ("", "x", 1, 0.5, -2000.0, True, None)
ODD = (float("nan"), 12345678901234567890123, {"k": 1}, [1, "é"], '"', "\u2028")
TRIALS = [20, pytest.param(1500, marks=pytest.mark.slow)]
LARGE = 1  # bytes above which the engine reads


def shown(grid):
    """All that a grid says about its table."""
    columns = range(len(grid.header))
    labels = [grid.labels(column) for column in columns]
    return (
        grid.header,
        [grid.texts(column) for column in columns],
        [(label.codes.tolist(), label.names) for label in labels],
        repr(grid.numbers(list(columns)).tolist()),
    )


def outcome(given, *, small=1 << 20, lines=True):
    """What reading gives: a table with the lines of its rows, or the code and the line of the error."""
    try:
        with open_grid(open_source(given), small=small) as grid:
            return shown(grid), [grid.line(row) for row in range(grid.n_rows)] if lines else None
    except ReadError as error:
        return error.code, error.line if lines else None


def draw_table(rng):
    """Distinct columns and rows of texts."""
    header = rng.sample(NAMES, rng.randint(2, 5))
    return header, [[rng.choice(CELLS) for _ in header] for _ in range(rng.randint(1, 6))]


def as_csv(header, rows, delimiter, **style):
    """A table as a program writes it."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, **style).writerows([header, *rows])
    return file.getvalue()


def damaged(rng, text, noise):
    """A text with some characters put in, taken out or doubled; its first characters stay, so that it is recognized."""
    for _ in range(rng.randint(0, 4)):
        at = rng.randrange(2, len(text) + 1)
        text = text[:at] + rng.choice(noise) + text[at + rng.choice((0, 0, 0, 1)) :]
    return text


def put(path, text):
    """Write a text as it stands."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("trials", TRIALS)
def test_damaged_text_is_read_alike_at_any_size(tmp_path, delimiter, trials):
    """Quotes, line ends, blank lines, byte-order marks and separators anywhere."""
    kinds = set()
    for seed in range(trials):
        rng = random.Random(f"text {delimiter} {seed}")  # noqa: S311  (not for secrets)
        header, rows = draw_table(rng)
        ends = rng.choice(("\n", "\r\n"))
        quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
        plain = as_csv(header, rows, delimiter, lineterminator=ends, quoting=quoting)
        if rng.random() < 0.3:
            plain = ends.join(delimiter.join(row) for row in [header, *rows])
        text = damaged(rng, plain, NOISE)
        path = put(tmp_path / "x.txt", text)
        small = outcome(path)
        kinds.add(len(small[0]))
        other = rng.choice(("large", "packed", "large and packed", "stream"))
        if "packed" in other:
            path = put(tmp_path / "x.txt.gz", gzip.compress(text.encode(), 1))
        if other == "stream":
            assert outcome(io.BytesIO(text.encode())) == small, (seed, other, text)
        assert (
            outcome(path, small=LARGE if "packed" not in other or "large" in other else 1 << 20) == small
        ), (
            seed,
            other,
            text,
        )
    assert len(kinds) == 2  # tables and errors


@pytest.mark.parametrize("trials", TRIALS)
def test_damaged_json_lines_are_read_alike_at_any_size(tmp_path, trials):
    """Keys twice, missing or late, commas too many, byte-order marks, and lines that are no objects."""
    kinds = set()
    for seed in range(trials):
        rng = random.Random(f"json {seed}")  # noqa: S311  (not for secrets)
        header, rows = draw_table(rng)
        objects = [
            {name: rng.choice(USUAL if rng.random() < 0.9 else ODD) for name in header if rng.random() < 0.9}
            for _ in rows
        ]
        lines = [json.dumps(each, ensure_ascii=rng.random() < 0.5) for each in objects]
        text = "{" + rng.choice(("\n", "\r\n")).join(lines)[1:]
        text = damaged(rng, text, JSON_NOISE) if rng.random() < 0.7 else text
        path = put(tmp_path / "x.jsonl", text)
        small = outcome(path)
        kinds.add(len(small[0]))
        if rng.random() < 0.3:
            path = put(tmp_path / "x.jsonl.gz", gzip.compress(text.encode(), 1))
        assert outcome(path, small=LARGE) == small, (seed, text)
    assert len(kinds) == 2


@pytest.mark.parametrize("trials", [15, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_table_is_the_same_in_every_container(tmp_path, trials):
    """As programs write it: CSV, TSV, JSON lines and arrays, Parquet, a dict of columns."""
    for seed in range(trials):
        rng = random.Random(f"container {seed}")  # noqa: S311  (not for secrets)
        header, rows = draw_table(rng)
        header = [name.strip('"') for name in header]  # quotes round a name are no part of it in text
        columns = {name: [row[i] for row in rows] for i, name in enumerate(header)}
        expected = shown(frame_grid(columns))
        objects = [dict(zip(header, row, strict=True)) for row in rows]
        pq.write_table(pa.table(columns), tmp_path / "x.parquet")
        files = {
            "csv": put(tmp_path / "x.csv", as_csv(header, rows, ",", quoting=csv.QUOTE_ALL)),
            "tsv": put(tmp_path / "x.tsv", as_csv(header, rows, "\t", quoting=csv.QUOTE_ALL)),
            "json": put(tmp_path / "x.json", json.dumps(objects)),
            "jsonl": put(tmp_path / "x.jsonl", "".join(json.dumps(each) + "\n" for each in objects)),
            "parquet": tmp_path / "x.parquet",
        }
        for name, path in files.items():
            assert outcome(path, lines=False)[0] == expected, (seed, name, rows)
        for name in rng.sample(("csv", "tsv", "jsonl"), 1):
            assert outcome(files[name], small=LARGE, lines=False)[0] == expected, (seed, name, rows)


def battles_of(given):
    """The battles of a file or frame, or the code of the error."""
    try:
        found = bt.read_matches(given)
    except BetterThanError as error:
        return getattr(error, "code", None)
    kept = (found.left, found.right, found.outcome, found.weight)
    return found.systems, [part.tolist() for part in kept], found.notes[0]


@pytest.mark.parametrize("trials", [10, pytest.param(400, marks=pytest.mark.slow)])
def test_battles_are_the_same_in_every_container(tmp_path, trials):
    """They are counted inside the engine whatever their size, but a frame is counted by Python."""
    for seed in range(trials):
        rng = random.Random(f"battles {seed}")  # noqa: S311  (not for secrets)
        systems = ("X", "y", 'Z "q"', "a,b", "é\t", "n\nl")
        pairs = [rng.sample(systems, 2) for _ in range(rng.randint(1, 9))]
        winners = ("model_a", "model_b", "tie") if rng.random() < 0.9 else ("model_a", "", "what")
        rows = [[*pair, rng.choice(winners), rng.choice(CELLS)] for pair in pairs]
        header = ["model_a", "model_b", "winner", rng.choice(("text", "*", "Winner_"))]
        columns = {name: [row[i] for row in rows] for i, name in enumerate(header)}
        objects = [dict(zip(header, row, strict=True)) for row in rows]
        pq.write_table(pa.table(columns), tmp_path / "x.parquet")
        lines = "".join(json.dumps(each) + "\n" for each in objects)
        text = as_csv(header, rows, "\t")
        files = {
            "csv": put(tmp_path / "x.csv", as_csv(header, rows, ",", lineterminator="\n")),
            "tsv": put(tmp_path / "x.tsv", text),
            "tsv.gz": put(tmp_path / "x.tsv.gz", gzip.compress(text.encode(), 1)),
            "json": put(tmp_path / "x.json", json.dumps(objects)),
            "jsonl": put(tmp_path / "x.jsonl", lines),
            "parquet": tmp_path / "x.parquet",
            "stream": io.StringIO(lines),
        }
        expected = battles_of(columns)
        for name in ("csv", *rng.sample(sorted(set(files) - {"csv"}), 2)):
            assert battles_of(files[name]) == expected, (seed, name, text)


@pytest.mark.parametrize("value", ["nan", "NaN", "NAN", "-NaN", "inf", "Inf", "-inf", "infinity"])
def test_bare_numbers_that_are_none_are_read_alike_at_any_size(tmp_path, value):
    """DuckDB takes every spelling of nan and inf, Python one of each."""
    for gap in ("", " "):
        row = f'{{"item": "1, nan, inf", "A":{gap}{value}{gap}, "B": 1}}\n'
        path = put(tmp_path / "x.jsonl", '{"item": "0", "A": 1, "B": 2}\n' + row)
        assert outcome(path, small=LARGE) == outcome(path), row
