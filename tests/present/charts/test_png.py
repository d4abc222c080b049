"""Every kind of chart as a PNG."""

from __future__ import annotations

import struct
import zlib

import pytest
from tests.present.charts.pictures import made, mostly_slow, pictured

from betterthan.present.charts.chart import chart_kinds
from betterthan.present.charts.save import chart_bytes


@pytest.mark.parametrize("kind", mostly_slow(chart_kinds(), "ranking", "tags"))
def test_a_png_has_the_size_of_the_picture(kind):
    """Twice as many pixels at scale 2, every row of them there."""
    drawn = made(kind)
    picture, png = pictured(kind), chart_bytes(drawn, "png", scale=2)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        chunks[name] = chunks.get(name, b"") + png[at + 8 : at + 8 + length]
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert (width, height) == (2 * picture.width, 2 * picture.height)
    pixels = zlib.decompress(chunks[b"IDAT"])
    assert len(pixels) == height * (1 + 4 * width)
    assert len(set(pixels)) > 20  # not one colour
