"""How charts look: color-blind safe colors, light and dark, and one set of fonts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from betterthan.errors import unknown_name
from betterthan.present.text_width import FONTS

_DARKEST_GROUND = 0.18


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The colors of a chart.

    Attributes
    ----------
    paper, ink, dim, line : str
        Background, text, secondary text, and grid lines.
    accent : str
        What the chart is about.
    good, middle, bad : str
        From better over undecided to worse: teal, nearly the background, orange. They differ in lightness and in
        blue, so that they stay distinct without red and green.
    other : str
        A third color besides good and bad: violet.
    gold : str
        A fourth one.
    rest : str
        Marks that are not what the chart is about: gray, and lighter or darker than the accent, because without red
        teal is gray as well.
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
    gold: str
    rest: str

    @property
    def series(self) -> list[str]:
        """Colors for lines or points of several kinds; all differ for color-blind readers."""
        return [self.accent, self.bad, self.other, self.gold, self.ink]


N_SERIES = 5
"""Number of colors in :attr:`Theme.series`."""

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
    gold="#cc9a00",
    rest="#97928a",
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
    gold="#e6c229",
    rest="#77736c",
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
        # Labels stand at their ticks also at the ends of an axis, and nothing is cut: names are shortened before.
        "axis": {
            **words,
            **lines,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelFlush": False,
            "labelLimit": 0,
        },
        "legend": {
            **words,
            "titleFontWeight": "normal",
            "symbolOpacity": 1,
            "symbolStrokeWidth": 0,
            "labelLimit": 0,
            "titleLimit": 0,
            "symbolLimit": 0,
        },
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
    """Return the color at `share` of the way from `low` to `high`, on a linear scale.

    Examples
    --------
    >>> blended(0.5, "#000000", "#ffffff")
    '#808080'
    """
    parts = [round(a + share * (b - a) + 1e-9) for a, b in zip(_channels(low), _channels(high), strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def diverging(share: float, theme: Theme) -> str:
    """Return the color of `share` between bad (0), undecided (0.5) and good (1)."""
    if share < 0.5:
        return blended(2 * share, theme.bad, theme.middle)
    return blended(2 * share - 1, theme.middle, theme.good)


def readable_on(ground: str) -> str:
    """Return the color of text, black or white, that is readable on `ground`.

    Examples
    --------
    >>> readable_on("#f4f2ee"), readable_on("#25282a")
    ('#000000', '#ffffff')
    """
    return "#000000" if luminance(ground) > _DARKEST_GROUND else "#ffffff"


def luminance(color: str) -> float:
    """Return the relative luminance of a color, as in the contrast rule of the Web Content Accessibility Guidelines.

    Examples
    --------
    >>> luminance("#000000"), round(luminance("#ffffff"), 6)
    (0.0, 1.0)
    """
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(color))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
