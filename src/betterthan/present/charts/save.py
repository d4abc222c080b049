"""From a chart to a file: SVG, PNG, PDF or JSON by the suffix, the same bytes every time."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from betterthan.budget import MOST_SCALE, address_space
from betterthan.errors import BetterThanError, MissingExtra, unknown_name
from betterthan.present.charts.drawing import Drawing
from betterthan.present.charts.pdf_order import ordered
from betterthan.writing import write_whole

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
    >>> from betterthan.present.charts.door import chart
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
            return f"{_finished(converter.vegalite_to_svg(spec, **options), spec)}\n".encode()
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

    Examples
    --------
    >>> import betterthan as bt, tempfile
    >>> from betterthan.present.charts.door import chart
    >>> drawn = chart(bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.5], "B": [2.0, 1.0, 0.5]})))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_chart(drawn, f"{folder}/ranking.png").name
    'ranking.png'
    """
    place = Path(path)
    write_whole(place, chart_bytes(chart, format_of(place), scale=scale))
    return place


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
    wanted = ".".join(number[:2])
    return wanted if wanted in _converter().get_vegalite_versions() else _NEWEST


def _finished(svg: str, spec: dict[str, Any]) -> str:
    """Return the picture with a text alternative, and with ids of its own.

    The converter counts its ids on from one chart to the next, so they would differ from run to run; and two
    pictures in one page must not take each other's colours.
    """
    mark = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:8]
    fresh = {name: f"bt-{mark}-{i}" for i, name in enumerate(_ID.findall(svg))}
    text = f'<svg role="img" aria-label={quoteattr(str(spec.get("description", "chart")))}'

    def renamed(tag: re.Match[str]) -> str:
        found = _ID.sub(lambda id_: id_.group().replace(id_.group(1), fresh[id_.group(1)]), tag.group())
        return _USE.sub(lambda use: f"url(#{fresh.get(use.group(1), use.group(1))})", found)

    return _TAG.sub(renamed, svg).replace("<svg", text, 1)


# Only inside tags: what users wrote is text, where "<" is escaped.
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ID = re.compile(r'<(?:linearGradient|radialGradient|clipPath) id="([^"]+)"')
_USE = re.compile(r"url\(#([^)]+)\)")
