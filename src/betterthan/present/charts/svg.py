"""From the converter's SVG to one that looks the same in every browser, and has a text alternative."""

from __future__ import annotations

import hashlib
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import quoteattr, unescape

from betterthan.present.text_width import is_basic, is_measured, text_width

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
