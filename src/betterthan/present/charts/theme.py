"""How charts look: colours that colour-blind people tell apart, in light and in dark, and one set of fonts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from betterthan.errors import unknown_name

FONTS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'
_DARKEST_GROUND = 0.18


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The colours of a chart.

    Attributes
    ----------
    paper, ink, dim, line : str
        Ground, text, text that steps back, and lines of grids.
    accent : str
        What the chart is about.
    good, middle, bad : str
        From better over undecided to worse: teal, nearly the ground, orange. They differ in lightness and in blue, so
        that people who do not tell red from green see them.
    other : str
        A third colour beside good and bad: violet.
    """

    name: str
    paper: str
    ink: str
    dim: str
    line: str
    accent: str
    good: str
    middle: str
    bad: str
    other: str


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1c1b19",
    dim="#6b6760",
    line="#e4e0d8",
    accent="#0e6f66",
    good="#2a9d8f",
    middle="#f4f2ee",
    bad="#d1703c",
    other="#7b5ea7",
)
DARK = Theme(
    name="dark",
    paper="#151617",
    ink="#eceae6",
    dim="#a09c94",
    line="#36393c",
    accent="#5cc9bc",
    good="#2fa596",
    middle="#25282a",
    bad="#d98252",
    other="#a58ad0",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def theme_of(name: str) -> Theme:
    """Return the theme of this name.

    Examples
    --------
    >>> theme_of("dark").paper
    '#151617'
    """
    if name not in THEMES:
        raise unknown_name("theme", name, THEMES)
    return THEMES[name]


def config(theme: Theme) -> dict[str, Any]:
    """Return the theme as the ``config`` of a Vega-Lite chart."""
    words = {"labelColor": theme.dim, "titleColor": theme.ink, "labelFontSize": 11, "titleFontSize": 12}
    lines = {"gridColor": theme.line, "domainColor": theme.line, "tickColor": theme.line}
    return {
        "background": theme.paper,
        "font": FONTS,
        "view": {"stroke": None},
        "axis": {**words, **lines, "titleFontWeight": "normal", "titlePadding": 8},
        "legend": {**words, "titleFontWeight": "normal", "symbolStrokeColor": theme.dim},
        "header": {**words, "titleFontWeight": "normal"},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": theme.ink,
            "subtitleColor": theme.dim,
            "fontSize": 15,
            "fontWeight": 600,
            "subtitleFontSize": 12,
            "subtitlePadding": 5,
            "offset": 14,
        },
        "text": {"color": theme.ink, "fontSize": 11},
        "concat": {"spacing": 20},
    }


def blended(share: float, low: str, high: str) -> str:
    """Return the colour at `share` of the way from `low` to `high`, as a linear scale of colours has it.

    Examples
    --------
    >>> blended(0.5, "#000000", "#ffffff")
    '#808080'
    """
    parts = [round(a + share * (b - a) + 1e-9) for a, b in zip(_channels(low), _channels(high), strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def diverging(share: float, theme: Theme) -> str:
    """Return the colour of `share` between bad (0), undecided (0.5) and good (1)."""
    if share < 0.5:
        return blended(2 * share, theme.bad, theme.middle)
    return blended(2 * share - 1, theme.middle, theme.good)


def readable_on(ground: str) -> str:
    """Return the colour of text, black or white, that can be read on `ground`.

    Examples
    --------
    >>> readable_on("#f4f2ee"), readable_on("#25282a")
    ('#000000', '#ffffff')
    """
    return "#000000" if luminance(ground) > _DARKEST_GROUND else "#ffffff"


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as in the contrast rule of the Web Content Accessibility Guidelines.

    Examples
    --------
    >>> luminance("#000000"), round(luminance("#ffffff"), 6)
    (0.0, 1.0)
    """
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
