"""A table does not depend on the size of its file: what Python parses below 4 MB and DuckDB above is the same."""

from __future__ import annotations

import random

import pytest

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.source.source import SMALL, open_source

ATOMS = ("a", '"', '""', "b c", "'", 'x"y', "", "1", '"q"', '"q', 'q"', "\\", '"a""b"', " ")


def table(path, small):
    """Everything that a grid shows, or the code and line of the error."""
    try:
        with open_grid(open_source(path), small=small) as grid:
            cells = [grid.texts(column) for column in range(len(grid.header))]
            return grid.header, cells, [grid.line(row) for row in range(grid.n_rows)]
    except ReadError as error:
        return error.code, error.line


@pytest.mark.parametrize("delimiter", ["\t", ","])
@pytest.mark.parametrize("trials", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_the_engine_reads_quotes_as_python_does(tmp_path, delimiter, trials):
    """Random cells of quotes and spaces, read both ways."""
    rng = random.Random(f"{delimiter} {trials}")  # noqa: S311  (not for secrets)
    path = tmp_path / "x.tsv"
    outcomes = set()
    for _ in range(trials):
        rows = [
            delimiter.join("".join(rng.choices(ATOMS, k=rng.randint(0, 3))) for _ in range(3))
            for _ in range(rng.randint(1, 4))
        ]
        path.write_text("\n".join([delimiter.join(("h1", "h2", "h3")), *rows]) + rng.choice(["\n", ""]))
        by_python, by_engine = table(path, SMALL), table(path, 0)
        assert by_engine == by_python, path.read_text()
        outcomes.add(len(by_python))
    assert outcomes == ({3} if delimiter == "\t" else {2, 3})  # between tabs every quote can be text


def test_quotes_between_tabs_are_text_in_a_file_of_any_size(tmp_path):
    """The front door: 30 rows, and the same 30 systems and segments in a file above the limit."""
    row = '{i}\t{s}\t{v}\t"No," he said, and "went\n'
    parts = [row.format(i=i, s=s, v=i + 0.5) for i in range(15) for s in "AB"]
    header = "item\tsystem\tscore\ttext\n"
    (tmp_path / "m.tsv").write_text(header + "".join(parts))
    small = bt.read_scores(tmp_path / "m.tsv")
    padded = [part.replace("went", "went" + "." * (SMALL // 20)) for part in parts]
    (tmp_path / "large").mkdir()
    (tmp_path / "large" / "m.tsv").write_text(header + "".join(padded))
    assert (tmp_path / "large" / "m.tsv").stat().st_size > SMALL
    assert bt.read_scores(tmp_path / "large" / "m.tsv") == small


def test_a_wide_table_with_loose_quotes_outlives_its_copy(tmp_path):
    """Above 200 columns the engine reads the copy again for each question."""
    names = [f"s{i}" for i in range(250)]
    row = "\t".join(["1"] * 249 + ['"q" 2'])
    (tmp_path / "w.tsv").write_text("\t".join(names) + "\n" + f"{row}\n" * 4)
    with open_grid(open_source(tmp_path / "w.tsv"), small=0) as grid:
        assert grid.texts(249) == ['"q" 2'] * 4
        assert grid.numbers([0]).tolist() == [[1.0] * 4]
