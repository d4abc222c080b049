"""Quotation marks never hide rows: between tabs the lines decide, elsewhere hidden rows are refused or announced."""

from __future__ import annotations

import csv
import io

import pytest

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.problems import PROBLEMS
from betterthan.read.sniff import read_any
from betterthan.read.source.source import open_source

BATTLES = [
    ["model_a", "model_b", "winner", "comment"],
    ["X", "Y", "model_a", "fine"],
    ["X", "Y", "model_b", '"well'],
    ["X", "Y", "model_b", "no"],
    ["X", "Y", "model_b", 'good"'],
    ["X", "Y", "model_a", "ok"],
]
LONG = [
    ["item", "system", "score", "comment"],
    *([str(i // 2), "AB"[i % 2], f"0.{i}", "-"] for i in range(8)),
]
LONG[3][3], LONG[6][3] = '"odd', 'end"'
WIDE = [["id", "A", "B"], *([f"s{i}", f"0.{i}", f"0.{9 - i}"] for i in range(8))]
WIDE[2][0], WIDE[5][0] = '"s', 's"'
TEXTS = [["item", "system", "text"], *([str(i // 2), "AB"[i % 2], f"word {i}"] for i in range(8))]
TEXTS[3][2], TEXTS[6][2] = '"He said', 'and went."'
TABLES = {"battles": BATTLES, "long": LONG, "wide": WIDE, "texts": TEXTS}


def joined(rows, delimiter):
    """Rows as they stand, with nothing quoted."""
    return "".join(delimiter.join(row) + "\n" for row in rows)


def cells(path, small):
    """The cells of a table, or the code and the line of the error."""
    try:
        with open_grid(open_source(path), small=small) as grid:
            return [list(row) for row in zip(*map(grid.texts, range(len(grid.header))), strict=True)]
    except ReadError as error:
        return error.code, error.line


def both(tmp_path, text):
    """The same of a small and of a large file."""
    path = tmp_path / "x.txt"
    path.write_text(text, newline="")
    small, large = cells(path, 1 << 20), cells(path, 1)
    assert small == large
    return small


@pytest.mark.parametrize("name", TABLES)
def test_a_quote_between_tabs_hides_no_rows(tmp_path, name):
    """Every line has the right number of cells, so every line is a row; a note says so."""
    rows = TABLES[name]
    assert both(tmp_path, joined(rows, "\t")) == rows[1:]
    reading = read_any(io.StringIO(joined(rows, "\t")))
    assert reading.rows_read == len(rows) - 1
    assert any("Quotation marks are read as text" in note for note in reading.notes)
    assert any("Quotation marks are read as text" in note for note in reading.tables[0].notes)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_quoted_cell_that_looks_like_rows_is_refused(tmp_path, name, delimiter):
    """Between commas quotes enclose cells, but lines with the right number of cells may be rows."""
    rows = TABLES[name]
    first = next(i for i, row in enumerate(rows, 1) if any(cell.startswith('"') for cell in row))
    assert both(tmp_path, joined(rows, delimiter)) == ("BT240", first)
    with pytest.raises(ReadError, match="several rows if they are text"):
        read_any(io.StringIO(joined(rows, delimiter)))
    checkup = bt.check(io.StringIO(joined(rows, delimiter)))
    assert [problem.code for problem in checkup.problems] == ["BT240"]


def test_battles_are_all_counted():
    """Three of the five battles were read, and the wrong system had won."""
    matches = bt.read_matches(io.StringIO(joined(BATTLES, "\t")))
    assert matches.n_matches == 5
    assert "Battles read: 5 (left 2, right 3)." in " ".join(matches.notes)


def test_the_code_is_explained():
    """As every code is."""
    assert PROBLEMS["BT240"].title == "quotation marks that may hide rows"


def written(rows, delimiter, quoting=csv.QUOTE_MINIMAL):
    """Rows as a program writes them."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    return file.getvalue()


PLAIN = [
    ["item", "system", "score", "text"],
    ["1", "A", "0.5", 'He said "no".'],
    ["1", "B", "0.25", "plain"],
    ["2", "A", "0.75", '"whole"'],
    ["2", "B", "0.5", ""],
]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
def test_what_programs_write_is_read_back_without_a_word(tmp_path, delimiter, quoting):
    """Quotes in cells, cells in quotes, and every cell in quotes."""
    text = written(PLAIN, delimiter, quoting)
    assert both(tmp_path, text) == PLAIN[1:]
    assert not any("uot" in note for note in read_any(io.StringIO(text)).notes)


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_cells_with_line_ends_are_announced(tmp_path, delimiter):
    """They are read as programs write them, and a note says which lines."""
    rows = [*PLAIN[:3], ["2", "A", "0.75", f"Dear Sir,\nno{delimiter}\n\nyours"], PLAIN[4]]
    text = written(rows, delimiter)
    assert both(tmp_path, text) == rows[1:]
    (table,) = read_any(io.StringIO(text)).tables
    assert "One row spans lines 4 to 7, because a quoted cell contains line breaks." in table.notes


def test_verses_with_commas_are_no_rows(tmp_path):
    """Lines with the right number of commas are no rows where the other rows have numbers and known systems."""
    verse = "Roses, red, and blue,\nviolets, white, too\na, b, c, d"
    rows = [["item", "system", "score", "text"]]
    rows += [[str(i // 2), "AB"[i % 2], f"0.{i}", verse if i == 5 else "short"] for i in range(8)]
    assert both(tmp_path, written(rows, ",")) == rows[1:]


def test_a_row_inside_a_cell_is_refused_although_other_lines_do_not_fit(tmp_path):
    """A comma in a comment does not make the rows beside it disappear."""
    lines = joined(LONG, ",").replace("2,A,0.4,-", "2,A,0.4,well, no")
    assert both(tmp_path, lines) == ("BT240", 4)


def test_cells_between_tabs_with_quotes_of_their_own(tmp_path):
    """A sentence in quotation marks keeps them where the others of its column have none."""
    rows = [
        ["item", "system", "text"],
        ["1", "A", '"Yes."'],
        ["1", "B", "No."],
        ["2", "A", "So?"],
        ["2", "B", "Oh"],
    ]
    assert both(tmp_path, joined(rows, "\t")) == rows[1:]
    assert any('line 2: ""Yes.""' in note for note in read_any(io.StringIO(joined(rows, "\t"))).notes)


def test_lines_between_tabs_that_may_be_a_cell_are_refused(tmp_path):
    """Each line has two cells, but the id of the second would be no number."""
    text = 'id\ttext\n1\tone\n2\ttwo\n3\t"three\nor\tmore"\n4\tfour\n5\tfive\n'
    assert both(tmp_path, text) == ("BT240", 4)
