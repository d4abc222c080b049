"""Templates to HTML; everything that comes from data is escaped."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

import betterthan.report
from betterthan import __version__
from betterthan.present.numbers import number
from betterthan.present.printable import unturned
from betterthan.results.pairwise import pvalue
from betterthan.web.names import url_name

HERE = Path(__file__).parent
REPORT_STYLE = Path(betterthan.report.__file__).parent / "templates" / "report.css"  # the app's too


@cache
def environment() -> jinja2.Environment:
    """Return the environment of our templates: escaping, and no silence about a name that is missing."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=unturned,
    )
    made.filters.update(
        size=size,
        time=time_of_day,
        url_name=url_name,
        signed=signed,
        plain=plain,
        count=count,
        pvalue=pvalue,
    )
    made.globals.update(version=__version__)
    return made


def page(template: str, *, nonce: str, **values: Any) -> str:  # noqa: ANN401  (whatever the template shows)
    """Return a page."""
    return environment().get_template(template).render(nonce=nonce, **values)


@cache
def style_of_app() -> str:
    """Return the style sheets as text, for a page that must not ask for anything."""
    return "".join(
        path.read_text(encoding="utf-8")
        for path in (REPORT_STYLE, HERE / "static" / "bar.css", HERE / "static" / "app.css")
    )


def size(n_bytes: int) -> str:
    """Return a size in words.

    Examples
    --------
    >>> size(512), size(20_480), size(3_500_000)
    ('512 B', '20 kB', '3.3 MB')
    """
    if n_bytes < 1024:
        return f"{n_bytes} B"
    if n_bytes < 1 << 20:
        return f"{n_bytes / 1024:.0f} kB"
    return f"{n_bytes / (1 << 20):.1f} MB"


def plain(value: float | None, digits: int | None = None) -> str:
    """Return a number with a given number of decimals, or else in four digits; a missing one is a dash.

    Examples
    --------
    >>> plain(87.7139), plain(-0.5), plain(None), plain(0.8, 3)
    ('87.71', '−0.5', '–', '0.800')
    """
    if digits is not None:
        return number(value, digits)
    return "–" if value is None else f"{value:.4g}".replace("-", "−")


def count(value: float) -> str:
    r"""Return a count with all its digits and commas between thousands.

    Examples
    --------
    >>> count(2000), count(0.5), count(1234567.0)
    ('2,000', '0.5', '1,234,567')
    """
    return f"{value:,.10g}"


def signed(value: float | None, digits: int | None = None) -> str:
    """Return a difference with its sign; 0 has none, and a missing one is a dash.

    Examples
    --------
    >>> signed(2.5), signed(-3.0), signed(0.0), signed(None), signed(0.25, 3)
    ('+2.5', '−3', '0', '–', '+0.250')
    >>> signed(0.001, 2)
    '0.00'
    """
    if not value:
        return "0" if value == 0 else "–"
    text = plain(value, digits)
    is_visible = any(digit in "123456789" for digit in text)
    return f"+{text}" if value > 0 and is_visible else text


def time_of_day(seconds: float) -> str:
    """Return a moment as date and time, in UTC, as ISO 8601 writes it.

    Examples
    --------
    >>> time_of_day(0)
    '1970-01-01 00:00 UTC'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
