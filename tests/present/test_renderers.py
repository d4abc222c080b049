"""One table description, one renderer a format: aligned, escaped, complete."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made import a_ranking

import betterthan as bt
from betterthan.present.renderers.html import render_html
from betterthan.present.renderers.latex import render_latex
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.renderers.render import FORMATS, render
from betterthan.present.renderers.text import render_text
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.describe import describe

EVIL = "<script>alert(1)</script>"


def ranking(names=("Aster", "Birch"), notes=("3 rows dropped.",)):
    """A ranking of systems with these names."""
    return a_ranking(names, notes=notes)


def test_the_terminal_table_is_what_a_person_expects():
    """Aligned columns, digits that follow the uncertainty, notes and signature below."""
    expected = """\
Ranking by mean: points, higher is better
Aster is significantly better than Birch (p ≤ 0.05, permutation tests).

  rank   rank range   system    mean           95% CI   P(beats next)   group
  ───────────────────────────────────────────────────────────────────────────
     1            1   Aster    60.00   59.20 to 60.80           0.75*   a
  ───────────────────────────────────────────────────────────────────────────
     2            2   Birch    50.00   49.20 to 50.80                   b

  * significantly better than the next; systems that share a letter do not differ significantly.
  note: 3 rows dropped.
  betterthan|mean|data:abc|version:1
"""
    assert render(ranking(), "table") == expected
    assert str(ranking()) == expected


def test_ascii_terminals_get_ascii():
    """Where the encoding cannot show typographic signs, none are used."""
    text = render_text(describe(ranking(names=("A", "B"))), unicode=False)

    assert text.isascii()
    assert "59.20 to 60.80" in text


def test_colours_only_when_asked_for():
    """No escape codes without colour; bold with it."""
    assert "\x1b" not in render_text(describe(ranking()))
    assert "\x1b[1m" in render_text(describe(ranking()), color=True)


def test_a_signature_is_never_wrapped():
    """It is copied as one line, however narrow the terminal."""
    lines = render_text(describe(ranking()), width=20).split("\n")

    assert "  betterthan|mean|data:abc|version:1" in lines


def test_latex_uses_booktabs_and_keeps_the_signature_as_a_comment():
    """The table can be pasted into a paper."""
    text = render(ranking(names=("A_1", "50% & more")), "latex")

    assert r"\toprule" in text
    assert r"1 & \textbf{A\_1} & 60.00 & [59.20, 60.80] & 0.75* & a \\" in text
    assert r"50\% \& more" in text
    assert "% betterthan|mean|data:abc|version:1" in text


def test_clusters_are_separated_by_rules_in_text_and_latex():
    """A rule below a row shows in every format that has lines."""
    table = Table(
        title="t",
        columns=(TableColumn(heading="heading"),),
        rows=(("a",), ("b",), ("c",)),
        rules=frozenset({0, 2}),
    )

    assert render_latex(table).count(r"\midrule") == 2
    assert render_text(table).count("──") >= 2
    assert 'class="rule"' in render_html(table)


def test_csv_has_all_digits_and_empty_cells_for_missing():
    """Machines get the raw numbers."""
    result = ranking()
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))

    assert [float(row["low"]) for row in rows] == result.low.tolist()
    assert rows[0]["system"] == "Aster"


@pytest.mark.parametrize("name", ["=1+1", "+A", "-A", "@SUM(A)", "\tA"])
def test_a_spreadsheet_never_runs_a_name(name):
    """A text that would be a formula gets a leading quote."""
    rows = list(csv.reader(io.StringIO(render(ranking(names=(name, "B")), "csv"))))

    assert rows[1][1] == "'" + name


def test_json_lines_are_strict_json():
    """One object a row, null for missing."""
    lines = render(ranking(), "jsonl").splitlines()

    assert [json.loads(line)["system"] for line in lines] == ["Aster", "Birch"]


# What a terminal obeys, and what turns the text around.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("chosen", sorted(FORMATS))
@pytest.mark.parametrize("evil", ["A\x1b[2J", "A\x9b2J", "A\rB", "A\u202eB", "A\x07\x00", "A\x7f"])
def test_no_format_holds_what_steers_a_terminal(chosen, evil):
    """Sooner or later somebody prints the file: names, notes and signatures alike."""
    result = ranking(names=(evil, "B"), notes=(f"{evil} is odd.",))
    text = render(replace(result, settings=replace(result.settings, method=evil)), chosen)
    assert not STEERING.search(text)
    if chosen == "json":
        assert json.loads(text)["systems"][0] == evil  # nothing is lost where programs read


class Tags(html.parser.HTMLParser):
    """Collects the tags that a browser would see."""

    def __init__(self):
        super().__init__()
        self.tags = set()

    def handle_starttag(self, tag, _attributes):
        """Remember the tag."""
        self.tags.add(tag)


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.strip))
def test_no_name_becomes_markup_or_a_terminal_command(name):
    """Whatever a file calls a system, HTML shows it as text and the terminal is not steered."""
    result = ranking(names=(name, name + EVIL), notes=(name + EVIL,))
    seen = Tags()
    seen.feed(render(result, "html"))
    text = render(result, "table")

    assert seen.tags <= {"figure", "table", "caption", "thead", "tbody", "tr", "th", "td", "strong"} | {
        "figcaption",
        "ul",
        "li",
        "p",
        "code",
    }
    assert not [c for c in text if not c.isprintable() and c not in "\n\u200c\u200d\u00a0\u202f"]
    for chosen in FORMATS:
        assert not STEERING.search(render(result, chosen)), chosen
    assert json.loads(render(result, "json"))["systems"][0] == name
    assert EVIL not in render(result, "markdown")
    assert len(render_markdown(describe(result)).split("\n")) == len(
        render(ranking(), "markdown").split("\n")
    )


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_shows_every_system(name):
    """Nothing is lost on the way to any format."""
    text = render(ranking(), name)

    assert "Aster" in text
    assert "Birch" in text
    assert text.endswith("\n")


def test_an_unknown_format_is_named_with_the_nearest():
    """A slip gets a suggestion."""
    with pytest.raises(bt.UnknownName, match='Did you mean "markdown"'):
        render(ranking(), "markdwn")


def test_notebooks_show_tables():
    """The three notebook formats come from the same renderers."""
    result = ranking()

    assert result._repr_html_() == render(result, "html")
    assert result._repr_markdown_() == render(result, "markdown")
    assert result._repr_latex_() == render(result, "latex")
    assert repr(result) == "Ranking(by mean, 2 systems: Aster > Birch)"


def test_a_result_without_a_table_is_our_own_mistake():
    """Describing something that is not a result fails at once."""
    with pytest.raises(TypeError, match="No table is known for int"):
        describe(3)
