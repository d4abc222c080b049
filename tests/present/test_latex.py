"""LaTeX for papers: narrow columns, labels, notes, long tables; and that pdfLaTeX sets it without overfull boxes."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from tests.made import a_ranking, drawn_scores
from tests.present.charts.pictures import subject

import betterthan as bt
from betterthan.present.renderers.latex import MOST_NOTES, MOST_ROWS, label_of, render_latex
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.describe import describe

HOSTILE = r"\input{x} % $a_1$ & #2 ~^ {“q”} <b> |c| [5pt] *"
LONG = "a-system-with-a-very-long-name-of-sixty-characters-in-total-1"


def table_of(rows: int, **options: object) -> Table:
    """A table of so many rows."""
    columns = (TableColumn(heading="system"), TableColumn(heading="mean score", kind="number"))
    return Table(
        title="Scores: a_b", columns=columns, rows=tuple((f"s_{i}", i / 7) for i in range(rows)), **options
    )


def test_a_paper_has_the_narrow_columns():
    """Rank ranges are left out where letters say the same; pairs keep the corrected p-value only."""
    ranking = render_latex(describe(a_ranking()))
    assert "rank range" not in ranking
    assert r"\begin{table}[t]" in ranking
    pairs = render_latex(describe(bt.compare(drawn_scores(4, 30))))
    assert r"better? & than & difference" in pairs
    assert "verdict" not in pairs
    assert "tied" not in pairs
    assert pairs.count(r"adjusted}") == 1


def test_an_interval_is_written_in_brackets():
    """A row that begins with a bracket is protected: it would be an argument of the line break before it."""
    columns = (TableColumn(heading="CI", kind="interval"), TableColumn(heading="b"))
    text = render_latex(Table(title="t", columns=columns, rows=(((-1.0, 2.5), "[x]"),)))
    assert r"{[}$-$1.00, 2.50] & [x] \\" in text


def test_every_table_has_a_label_made_of_its_title():
    """Labels have plain letters only."""
    assert rf"\label{{{label_of('Scores: a_b')}}}" in render_latex(table_of(2))
    assert label_of("Scores: a_b") == "tab:scores-a-b"
    assert label_of("Überblick: 通义") == "tab:u-berblick"
    assert label_of("通义") == "tab:table"
    assert re.fullmatch(r"tab:[a-z0-9-]{1,48}", label_of(f"{HOSTILE} {LONG}"))


def test_notes_are_a_block_below_the_rows():
    """The legend and the first notes are printed; other notes, the verdict and the signature are comments."""
    notes = tuple(f"Note {i} on a_b." for i in range(5))
    text = render_latex(
        table_of(2, legend="The legend.", notes=notes, verdict=("A wins.",), signature="betterthan|x")
    )
    below = text[text.index(r"\end{tabular}") : text.index(r"\caption")]
    assert "The legend.\\par" in below
    assert below.count("Note ") == MOST_NOTES
    assert r"Note 0 on a\_\allowbreak{}b.\par" in below
    for comment in ("% A wins.", "% betterthan|x", "% Note 3 on a_b.", "% Note 4 on a_b."):
        assert comment in text.split(r"\begin{table}")[0].split("\n")


def test_many_rows_are_a_longtable():
    """It breaks over pages and repeats its heading; a paper of two columns changes to one and back."""
    assert "longtable" not in render_latex(table_of(MOST_ROWS))
    text = render_latex(table_of(MOST_ROWS + 1))
    assert text.startswith(r"% needs \usepackage{booktabs,longtable}")
    assert text.count(r"system & \shortstack[r]{mean\\score} \\") == 2
    assert r"\endhead" in text
    assert r"\ifbetterthancolumns\twocolumn\fi" in text


@pytest.mark.parametrize(
    ("columns", "environment", "size"),
    [(3, "table", "small"), (9, "table*", "small"), (40, "table*", "footnotesize")],
)
def test_a_table_takes_the_smallest_form_in_which_it_fits(columns, environment, size):
    """One column, or both columns, to which it is scaled down where it is wider than the page."""
    table = Table(
        title="t",
        columns=tuple(TableColumn(heading=f"c{i}", kind="number") for i in range(columns)),
        rows=((1234.5,) * columns,),
    )
    text = render_latex(table)
    assert rf"\begin{{{environment}}}[t]" in text
    assert f"\\{size}\n" in text
    assert (r"\resizebox{\linewidth}" in text) == ("graphicx" in text) == (environment == "table*")


def test_letters_that_pdflatex_lacks_are_announced():
    """The table needs another engine and a font."""
    table = replace(table_of(2), rows=(("通义", 1.0), ("é", 2.0)))
    assert "% needs XeLaTeX or LuaLaTeX, and a font that has 义 通" in render_latex(table)
    assert "XeLaTeX" not in render_latex(replace(table_of(1), rows=(("τ é ± ≤ “q”", 1.0),)))


def test_a_signature_in_a_note_can_be_broken():
    """Behind the bars between its parts."""
    text = render_latex(table_of(2, notes=("Signature: BLEU|nrefs:1|case:mixed.",)))
    assert r"BLEU$|$\allowbreak{}nrefs:1$|$\allowbreak{}case:mixed." in text


def test_notes_are_a_list_in_markdown():
    """Each on a line of its own, the legend before them."""
    text = render_markdown(table_of(2, legend="The legend.", notes=("First.", "Second.")))
    assert "\n- The legend.\n- First.\n- Second.\n" in text


def tables() -> dict[str, Table]:
    """Tables of every kind of result that has one in a paper, and what is hard to set."""
    scores = drawn_scores(6, 40, name="chr_F & 50%")
    named = replace(
        scores, systems=("A", HOSTILE, "my_model_v2", LONG, f"{LONG[:-1]}2", "Mistral-7B-Instruct")
    )
    notes = tuple(f"{HOSTILE} is a name, and so is {'_'.join([LONG] * 2)}." for _ in range(4))
    results = {
        "ranking": bt.rank(scores),
        "pairs": bt.compare(scores),
        "many pairs": bt.compare(drawn_scores(12, 30)),
        "bradley-terry": bt.rank(scores, by="bradley_terry"),
        "long names": bt.rank(named),
        "long names of pairs": bt.compare(named),
        "scores of texts": bt.aggregate(bt.bleu({"A": ["a b"], "B": ["a c"]}, ["a b"]), n_resamples=9),
        "explanation": bt.explain(named, "A", HOSTILE),
        "diagnosis": bt.diagnose(named),
    }
    kinds = ("agreement", "metrics", "aggregation", "tags", "quality", "judges", "margins", "study")
    described = {kind: describe(subject(kind)) for kind in kinds} | {
        name: describe(result) for name, result in results.items()
    }
    described["notes"] = replace(described["ranking"], notes=notes, legend=HOSTILE)
    described["wide"] = Table(
        title=HOSTILE,
        columns=tuple(TableColumn(heading=f"column {i}", kind="number") for i in range(30)),
        rows=tuple(tuple(np.linspace(0, 1e4, 30)) for _ in range(3)),
    )
    return described


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not installed (Debian: texlive-latex-recommended)"
)
@pytest.mark.parametrize("options", ["twocolumn", "twocolumn,10pt,a4paper", "11pt"])
def test_a_paper_with_every_table_compiles_without_overfull_boxes(options, tmp_path):
    """All tables in one article, set twice for the references to their labels."""
    described = tables()
    texts = {name: render_latex(table) for name, table in described.items()}
    assert any("longtable" in text for text in texts.values())
    body = "\n".join(
        # Labels are made of titles, which some of these tables share.
        f"Table {i}.\n\n{re.sub(r'(label{tab:)', rf'label{{tab:{i}-', text)}\n\\clearpage\n"
        for i, text in enumerate(texts.values())
    )
    packages = r"\usepackage[T1]{fontenc}\usepackage{booktabs,longtable,graphicx}"
    (tmp_path / "paper.tex").write_text(
        rf"\documentclass[{options}]{{article}}{packages}\begin{{document}}{body}\end{{document}}",
        encoding="utf-8",
    )
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],  # noqa: S607
            cwd=tmp_path,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout, "\n".join(
        line for line in done.stdout.split("\n") if "Overfull" in line
    )
    assert "undefined" not in done.stdout
    assert "multiply defined" not in done.stdout
