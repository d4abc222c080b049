"""From a chart to a file: SVG, PNG, PDF or JSON by the suffix, the same bytes every time.

The converter's SVG is changed so that it looks the same in every browser, and has a text alternative. It writes the
fonts of a PDF in an order that differs from run to run, so they are put in one order.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr, unescape

from betterthan.budget import MOST_SCALE, address_space
from betterthan.errors import BetterThanError, BetterThanWarning, MissingExtra, unknown_name
from betterthan.messages import Message
from betterthan.present.charts.drawing import Drawing
from betterthan.present.text_width import is_basic, is_measured, text_width
from betterthan.writing import write_whole

# Only inside tags: what users wrote is text, where "<" is escaped.
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ID = re.compile(r'<(?:linearGradient|radialGradient|clipPath) id="([^"]+)"')
_USE = re.compile(r"url\(#([^)]+)\)")
_TEXT = re.compile(r"<text( [^<>]*)>([^<>]*|(?:<tspan[^<>]*>[^<>]*</tspan>)+)</text>")
_LINE = re.compile(r"<tspan([^<>]*)>([^<>]*)<")
_BOLD = re.compile(r' font-weight="(?:bold|[6-9]00)"')
_FONT_SIZE = re.compile(r' font-size="([0-9.]+)px"')
_FEW_LETTERS = 4  # shorter texts, such as the numbers of axes, fit in any font
_SVG = "{http://www.w3.org/2000/svg}"
_WORDS = re.compile(r">([^<>]+)</t(?:ext|span)>")
_MOVED = re.compile(r"translate\(([-\d.e]+)")
_FRAME = re.compile(
    r'(?<= )width="([\d.]+)" height="([\d.]+)" viewBox="0 0 [\d.]+ [\d.]+"><rect width="[\d.]+" height="[\d.]+"'
)
_EDGE = 6  # pixels between a text and the edge


def finished(svg: str, spec: dict[str, Any]) -> str:
    """Return the picture with a text alternative, and with ids of its own.

    The converter counts its ids on from one chart to the next, so they would differ from run to run; and two
    pictures in one page must not take each other's colors. Texts get the width for which the chart was laid out:
    a browser without these fonts would otherwise draw wider ones, which run into each other or out of the picture.
    The picture is made as wide as its texts, where the converter had no font to measure them with.
    """
    mark = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:8]
    fresh = {name: f"bt-{mark}-{i}" for i, name in enumerate(_ID.findall(svg))}
    text = f'<svg role="img" aria-label={quoteattr(str(spec.get("description", "chart")))}'

    def renamed(tag: re.Match[str]) -> str:
        renamed_ids = _ID.sub(lambda id_: id_.group().replace(id_.group(1), fresh[id_.group(1)]), tag.group())
        return _USE.sub(lambda use: f"url(#{fresh.get(use.group(1), use.group(1))})", renamed_ids)

    return _widened(_TEXT.sub(_sized, _TAG.sub(renamed, svg).replace("<svg", text, 1)))


def _sized(text: re.Match[str]) -> str:
    """Return a text of a picture, of one line or several, with the widths that it had when the chart was laid out."""
    attributes, lines = text.groups()
    size = _FONT_SIZE.search(attributes)
    if size is None:
        return text.group()
    pixels, is_bold = float(size.group(1)), _BOLD.search(attributes) is not None
    if "<" not in lines:
        return f"<text{_length(lines, pixels, is_bold=is_bold)}{attributes}>{lines}</text>"
    sized = _LINE.sub(
        lambda line: (
            f"<tspan{_length(line.group(2), pixels, is_bold=is_bold)}{line.group(1)}>{line.group(2)}<"
        ),
        lines,
    )
    return f"<text{attributes}>{sized}</text>"


def _length(words: str, size: float, *, is_bold: bool) -> str:
    """Return the attributes that set the width of words; none where they are short or have unknown characters."""
    shown = unescape(words)
    if len(shown) < _FEW_LETTERS or not is_measured(shown):
        return ""
    return f' textLength="{text_width(shown, size, is_bold=is_bold):.1f}" lengthAdjust="spacingAndGlyphs"'


def _widened(svg: str) -> str:
    """Return the picture, wider where a text with uncommon characters would leave it.

    Where no font has such characters, the converter lays out the narrower boxes that it draws instead of them.
    """
    if all(is_basic(character) for words in _WORDS.findall(svg) for character in unescape(words)):
        return svg
    frame = _FRAME.search(svg)
    if frame is None:
        return svg
    width, height = float(frame.group(1)), frame.group(2)
    ends = [*_ends(ET.fromstring(svg), 0.0)]  # noqa: S314  (the converter's own)
    left = min(0, math.floor(min(start for start, _ in ends) - _EDGE))
    right = max(width, math.ceil(max(end for _, end in ends) + _EDGE))
    size = f'width="{right - left:g}" height="{height}"'
    fresh = f'{size} viewBox="{left} 0 {right - left:g} {height}"><rect x="{left}" {size}'
    return f"{svg[: frame.start()]}{fresh}{svg[frame.end() :]}"


def _ends(element: ET.Element, x: float) -> Iterator[tuple[float, float]]:
    """Yield where the level texts of a picture begin and end."""
    moved = _MOVED.match(element.get("transform", ""))
    if moved:
        x += float(moved.group(1))
    if element.tag != f"{_SVG}text":
        for child in element:
            yield from _ends(child, x)
    elif "rotate" not in element.get("transform", ""):
        size = float(element.get("font-size", "0").removesuffix("px"))
        is_bold = element.get("font-weight", "normal") != "normal"
        for line in [*element.iter(f"{_SVG}tspan")] or [element]:
            width = text_width(line.text or "", size, is_bold=is_bold)
            start = x - {"end": width, "middle": width / 2}.get(element.get("text-anchor", ""), 0.0)
            yield start, start + width


_OBJECT = re.compile(rb"\s*(\d+) 0 obj\n")
_LENGTH = re.compile(rb"/Length (\d+)")
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_FONTS = re.compile(rb"(/Font <<\n)((?:\s*/\w+ \d+ 0 R\n)+)")
_TRAILER = re.compile(rb"xref\n.*trailer\n(<<.*>>)\nstartxref\n\d+\n%%EOF\s*$", re.DOTALL)


class _Object(NamedTuple):
    """One object: what may refer to others, and the bytes of its stream."""

    head: bytes
    stream: bytes


def ordered(pdf: bytes) -> bytes:
    """Return the same document with fonts sorted by name and objects numbered in the order in which they are met.

    A file that is built in another way than this converter builds it comes back as it is.
    """
    match = _objects(pdf)
    trailer = _TRAILER.search(pdf)
    if match is None or trailer is None:
        return pdf
    objects = {number: _with_sorted_fonts(each) for number, each in match.items()}
    fresh: dict[int, int] = {}
    _visit(trailer.group(1), objects, fresh)
    if len(fresh) != len(objects):
        return pdf
    return _written(pdf, trailer.group(1), objects, fresh)


def _objects(pdf: bytes) -> dict[int, _Object] | None:
    """Return the objects of a document by their numbers, or None when one is not built as expected."""
    place = pdf.find(b"\n\n")
    objects: dict[int, _Object] = {}
    while (start := _OBJECT.match(pdf, place)) is not None:
        begin, stop = start.end(), pdf.find(b"endobj", start.end())
        stream = pdf.find(b"\nstream\n", begin, stop)
        if stream >= 0:
            length = _LENGTH.search(pdf, begin, stream)
            if length is None:
                return None
            # A stream may hold any bytes, also those of "endobj"; its length says where it ends.
            stop = pdf.find(b"endobj", stream + len(b"\nstream\n") + int(length.group(1)))
        if stop < 0:
            return None
        middle = stop if stream < 0 else stream
        objects[int(start.group(1))] = _Object(pdf[begin:middle], pdf[middle:stop])
        place = stop + len(b"endobj")
    return objects if pdf[place:].lstrip().startswith(b"xref") else None


def _with_sorted_fonts(each: _Object) -> _Object:
    def in_order(fonts: re.Match[bytes]) -> bytes:
        return fonts.group(1) + b"".join(sorted(fonts.group(2).splitlines(keepends=True)))

    return each._replace(head=_FONTS.sub(in_order, each.head))


def _visit(head: bytes, objects: dict[int, _Object], fresh: dict[int, int]) -> None:
    """Number what `head` refers to, and what that refers to, in the order of the text."""
    for reference in _REFERENCE.finditer(head):
        number = int(reference.group(1))
        if number in objects and number not in fresh:
            fresh[number] = len(fresh) + 1
            _visit(objects[number].head, objects, fresh)


def _written(pdf: bytes, trailer: bytes, objects: dict[int, _Object], fresh: dict[int, int]) -> bytes:
    def renumbered(head: bytes) -> bytes:
        return _REFERENCE.sub(lambda match: b"%d 0 R" % fresh[int(match.group(1))], head)

    text, places = pdf[: pdf.find(b"\n\n") + 2], []
    for old, new in fresh.items():
        places.append(len(text))
        text += b"%d 0 obj\n%sendobj\n\n" % (new, renumbered(objects[old].head) + objects[old].stream)
    table = b"".join(b"%010d 00000 n\r\n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f\r\n%strailer\n%s\nstartxref\n%d\n%%%%EOF"
    return text + end % (len(places) + 1, table, renumbered(trailer), len(text))


SUFFIXES = ("svg", "png", "pdf", "json")
# The version of the grammar that Altair 5 and 6 write; a chart of one must not depend on what is newest.
_NEWEST = "6.1"


def chart_bytes(chart: Drawing, format: str, *, scale: float = 2.0) -> bytes:  # noqa: A002  (the user's word)
    """Return a chart as the content of a file.

    Nothing is fetched: neither data nor fonts nor pictures.

    Parameters
    ----------
    chart : altair.Chart
        As :func:`betterthan.chart` gives it, restyled or not.
    format : {"svg", "png", "pdf", "json"}
        In a PDF the text is text, with its fonts embedded; JSON is the Vega-Lite chart with its data.
    scale : float, default 2.0
        Pixels of a PNG for each pixel of the chart.

    Examples
    --------
    >>> import betterthan as bt
    >>> from betterthan.present.charts.chart import chart
    >>> drawn = chart(bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.5], "B": [2.0, 1.0, 0.5]})))
    >>> chart_bytes(drawn, "svg")[:4], chart_bytes(drawn, "pdf")[:5]
    (b'<svg', b'%PDF-')
    """
    if format not in SUFFIXES:
        raise unknown_name("format of charts", format, SUFFIXES)
    spec = chart.to_dict()
    if format == "json":
        text = json.dumps(spec, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
        return f"{text}\n".encode()
    if not 0 < scale <= MOST_SCALE:
        raise BetterThanError(f"scale must be above 0 and at most {MOST_SCALE:g}; it is {scale}.")
    converter = _converter()
    options = {"vl_version": _version(spec), "allowed_base_urls": []}
    with address_space():
        if format == "svg":
            return f"{finished(converter.vegalite_to_svg(spec, **options), spec)}\n".encode()
        if format == "png":
            return bytes(converter.vegalite_to_png(spec, scale=scale, **options))
        return ordered(bytes(converter.vegalite_to_pdf(spec, **options)))


def save_chart(chart: Drawing, path: str | Path, *, scale: float = 2.0) -> Path:
    """Write a chart to a file; the suffix .svg, .png, .pdf or .json picks the format.

    The same chart gives the same bytes; on another machine, text may be set in another font.

    Parameters
    ----------
    chart : altair.Chart
        As :func:`betterthan.chart` gives it, restyled or not.
    path : str or Path
    scale : float, default 2.0
        Pixels of a PNG for each pixel of the chart.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UnknownName
        For another suffix.
    BetterThanError
        When the file cannot be written.

    Warns
    -----
    BetterThanWarning
        When no installed font has a character of a PNG or PDF.

    Examples
    --------
    >>> import betterthan as bt, tempfile
    >>> from betterthan.present.charts.chart import chart
    >>> drawn = chart(bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.5], "B": [2.0, 1.0, 0.5]})))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_chart(drawn, f"{folder}/ranking.png").name
    'ranking.png'
    """
    place = write_chart(chart, path, scale=scale)
    message = undrawable(chart) if is_raster_or_pdf(place) else None
    if message is not None:
        warnings.warn(str(message), BetterThanWarning, stacklevel=2)
    return place


def write_chart(chart: Drawing, path: str | Path, *, scale: float = 2.0) -> Path:
    """Write a chart to a file, as :func:`save_chart` does, without a warning about missing characters."""
    place = Path(path)
    write_whole(place, chart_bytes(chart, format_of(place), scale=scale))
    return place


def is_raster_or_pdf(path: str | Path) -> bool:
    """Return whether the format of a file keeps the glyphs of this machine's fonts."""
    return format_of(path) in ("png", "pdf")


def format_of(path: str | Path) -> str:
    """Return the format that the suffix of a path picks.

    Examples
    --------
    >>> format_of("figure.PDF")
    'pdf'
    """
    place = Path(path)
    suffix = place.suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        raise unknown_name("suffix", place.suffix or place.name, [f".{known}" for known in SUFFIXES])
    return suffix


def _converter() -> Drawing:
    try:
        import vl_convert  # noqa: PLC0415  (an extra: only who saves a picture pays for it)
    except ImportError as error:
        raise MissingExtra("Saving a chart as a picture", extra="charts") from error
    return vl_convert


def _version(spec: dict[str, Any]) -> str:
    """Return the version of Vega-Lite that a chart was written for, as the converter calls it."""
    schema = str(spec.get("$schema", ""))
    number = schema.rpartition("/v")[2].removesuffix(".json").split(".")
    needed = ".".join(number[:2])
    return needed if needed in _converter().get_vegalite_versions() else _NEWEST


MISSING_GLYPHS = "missing_glyphs"
"""The code of the warning that no font has a character."""
_MOST_CHECKED = 100  # distinct characters; drawing one takes about a millisecond
_NEVER_DRAWN = "\U0010fffd"  # the last character for private use, which no font has


def undrawable(chart: Drawing) -> Message | None:
    """Return a warning when no installed font has some characters of a chart, which a PNG or PDF shows as boxes.

    An SVG is drawn with the fonts of the machine on which it is opened, so that it is not concerned.
    """
    texts = json.dumps(chart.to_dict(), ensure_ascii=False)
    uncommon = sorted({c for c in texts if not is_basic(c) and c.isprintable()})[:_MOST_CHECKED]
    if not uncommon:
        return None
    box = _glyph(_NEVER_DRAWN)
    missing = [character for character in uncommon if _glyph(character) == box]
    if not missing:
        return None
    return Message(
        "No installed font has {characters}; a PNG or PDF shows boxes instead. Install a font that has them, such "
        "as one of the Noto fonts, or save the chart as SVG.",
        code=MISSING_GLYPHS,
        severity="warning",
        characters=" ".join(missing[:_MOST_NAMED]) + (" and more" if len(missing) > _MOST_NAMED else ""),
    )


_MOST_NAMED = 10


@cache
def _glyph(character: str) -> bytes:
    """Return the picture of one character."""
    text = f'<text x="4" y="20" font-size="16px" font-family="sans-serif">{escape(character)}</text>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="28" height="28">{text}</svg>'
    return bytes(_converter().svg_to_png(svg))
