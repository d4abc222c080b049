"""Files: the right format by suffix, the same bytes every time, fonts inside, nothing fetched."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
import vl_convert
from tests.everyday import few
from tests.present.charts.pictures import made

import betterthan as bt
from betterthan.errors import BetterThanError, MissingExtra, UnknownName
from betterthan.present.charts.drawing import altair
from betterthan.present.charts.save import (
    MISSING_GLYPHS,
    SUFFIXES,
    chart_bytes,
    ordered,
    save_chart,
    undrawable,
)
from betterthan.present.text_width import text_width

PROGRAM = """
import hashlib
from tests.present.charts.pictures import made
from betterthan.present.charts.save import SUFFIXES, chart_bytes
for kind in {kinds}:
    for suffix in SUFFIXES:
        print(kind, suffix, hashlib.sha256(chart_bytes(made(kind), suffix)).hexdigest())
"""


def said_by_a_process(*kinds):
    """Digests of charts drawn by a fresh Python."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(kinds=kinds)], capture_output=True, text=True, check=True
    )
    return dict(line.rsplit(" ", 1) for line in done.stdout.strip().split("\n"))


@pytest.mark.slow
def test_the_same_chart_gives_the_same_bytes():
    """In another process, and whatever was drawn before."""
    alone = said_by_a_process("pairs")
    after = said_by_a_process("soft_pairwise", "pairs")
    assert len(alone) == len(SUFFIXES)
    assert alone.items() <= after.items()


def test_two_pictures_in_a_page_have_different_ids():
    """Else the second would take the colours of the first."""
    light, dark = (chart_bytes(made("pairs", theme=theme), "svg").decode() for theme in ("light", "dark"))
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (light, dark)]
    used = [set(re.findall(r"url\(#([^)]+)\)", svg)) for svg in (light, dark)]
    assert ids[0]
    assert ids == used
    assert not ids[0] & ids[1]


@pytest.mark.parametrize(
    ("suffix", "start"),
    few([("svg", b"<svg "), ("png", b"\x89PNG"), ("PDF", b"%PDF-"), ("json", b"{\n")], tuples=True),
)
def test_the_suffix_picks_the_format(tmp_path, suffix, start):
    """In either case of letters; the path comes back."""
    path = save_chart(made("margins"), tmp_path / f"figure.{suffix}")
    assert path.read_bytes().startswith(start)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_fonts_are_embedded_in_a_pdf():
    """Each font has its file, and the text is text: a map from glyphs back to letters."""
    pdf = chart_bytes(made("margins"), "pdf")
    fonts = set(re.findall(rb"/FontName */([\w+-]+)", pdf))
    assert fonts
    assert len(re.findall(rb"/FontFile[23]? ", pdf)) >= len(fonts)
    assert b"/ToUnicode" in pdf
    assert b"/CreationDate" not in pdf


def test_json_is_the_chart_with_its_data():
    """It can be made a chart again."""
    drawn = made("margins")
    spec = json.loads(chart_bytes(drawn, "json"))
    assert chart_bytes(altair().Chart.from_dict(spec), "svg") == chart_bytes(drawn, "svg")
    assert spec["config"]["background"] == "#ffffff"


def test_a_picture_can_be_read_aloud():
    """The text alternative is the title and the words below it."""
    svg = chart_bytes(made("margins"), "svg").decode()
    assert svg.startswith(
        '<svg role="img" aria-label="Pairs kept by a margin 240 pairs of outputs for the same segment'
    )


def test_another_suffix_is_refused(tmp_path):
    """With the known ones."""
    with pytest.raises(UnknownName, match=r'Unknown suffix ".gif". .*Known: .json, .pdf, .png, .svg.'):
        save_chart(made("margins"), tmp_path / "figure.gif")
    with pytest.raises(UnknownName, match='Unknown suffix "figure"'):
        save_chart(made("margins"), tmp_path / "figure")
    with pytest.raises(UnknownName, match='Unknown format of charts "gif"'):
        chart_bytes(made("margins"), "gif")


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    """And nothing is left behind."""
    with pytest.raises(
        BetterThanError, match=r"no/figure.svg cannot be written \(.*\). Choose another location."
    ):
        save_chart(made("margins"), tmp_path / "no" / "figure.svg")


def test_nothing_is_fetched():
    """A chart that points to the network is not followed."""
    outside = altair().Chart("https://example.org/scores.csv").mark_point().encode(x="a:Q")
    with pytest.raises(ValueError, match=r"(?i)not allowed|external"):
        chart_bytes(outside, "svg")


def test_a_missing_package_is_named_with_its_cure(monkeypatch):
    """The extra that brings it, for drawing and for saving."""
    drawn = made("margins")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"pip install 'betterthan\[charts\]' installs it"):
        chart_bytes(drawn, "svg")
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtra, match=r"A chart needs .* 'betterthan\[charts\]'"):
        altair()


def test_a_pdf_in_order_is_still_a_pdf():
    """Its table of contents points at every object, and all text is as the converter wrote it."""
    drawn = made("pairs")
    raw = vl_convert.vegalite_to_pdf(drawn.to_dict(), vl_version="6.1")
    pdf = ordered(raw)
    table = re.search(rb"xref\n0 (\d+)\n0{10} 65535 f\r\n((?:\d{10} 00000 n\r\n)+)trailer", pdf)
    places = [int(line[:10]) for line in table.group(2).splitlines()]
    assert int(table.group(1)) == len(places) + 1
    for number, place in enumerate(places, 1):
        assert pdf[place:].startswith(b"%d 0 obj\n" % number)
    assert int(re.search(rb"startxref\n(\d+)", pdf).group(1)) == pdf.rindex(b"\nxref") + 1
    streams = [sorted(re.findall(rb"\nstream\n(.*?)\nendstream", each, re.DOTALL)) for each in (raw, pdf)]
    assert streams[0] == streams[1]
    assert ordered(pdf) == pdf


def test_another_pdf_is_left_alone():
    """What is not understood is not touched."""
    for other in (b"", b"%PDF-1.7\n\nnothing", b"%PDF-1.4\n\n1 0 obj\n<</Length 9>>\nendobj\n"):
        assert ordered(other) == other


RARE = ("\U00010600", "\U00013000", "\U00012000")
"""Signs of Linear A, hieroglyphs and cuneiform, which hardly any machine has fonts for."""


def test_characters_that_no_font_has_are_said(tmp_path):
    """For PNG and PDF; an SVG is drawn with the fonts of its reader."""
    assert undrawable(made("ranking")) is None
    missing = next((sign for sign in RARE if undrawable(made("ranking", ("A", sign)))), None)
    if missing is None:
        pytest.skip("This machine has fonts for Linear A, hieroglyphs and cuneiform.")
    drawn = made("ranking", ("A", missing))
    message = undrawable(drawn)
    assert (message.code, message.severity, message.fields["characters"]) == (
        MISSING_GLYPHS,
        "warning",
        missing,
    )
    for suffix in ("png", "pdf"):
        with pytest.warns(bt.BetterThanWarning, match="No installed font has"):
            save_chart(drawn, tmp_path / f"x.{suffix}")
    save_chart(drawn, tmp_path / "x.svg")
    assert missing in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_texts_of_an_svg_carry_their_width():
    """So that a font that is wider cannot break the layout."""
    svg = chart_bytes(made("ranking"), "svg").decode()
    length = re.search(r'textLength="([0-9.]+)"[^>]*font-size="12px"[^>]*>Daphne<', svg)
    assert float(length.group(1)) == pytest.approx(text_width("Daphne", 12), abs=0.1)
