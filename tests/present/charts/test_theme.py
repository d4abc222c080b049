"""Colours: readable in light and dark, and apart for people who are colour-blind."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.present.charts.pictures import made

from betterthan.errors import UnknownName
from betterthan.present.charts.theme import (
    N_SERIES,
    THEMES,
    blended,
    config,
    diverging,
    luminance,
    readable_on,
    theme_of,
)

# Machado, Oliveira and Fernandes (2009), A physiologically-based model for simulation of color vision deficiency,
# table 1, severity 1.0; on linear RGB.
MACHADO = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def contrast(one, other):
    """The ratio of the Web Content Accessibility Guidelines, 1.4.3."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def linear(colour):
    """Linear RGB of a colour."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear sRGB, D65 (IEC 61966-2-1)."""
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = (np.array(matrix) @ np.clip(rgb, 0, 1)) / [0.9505, 1.0, 1.089]
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("sight", MACHADO)
def test_colours_stay_apart_for_the_colour_blind(theme, sight):
    """Better, worse, undecided and the third colour differ by far more than the eye needs (about 2.3)."""
    seen = {
        name: lab(np.array(MACHADO[sight]) @ linear(getattr(theme, name)))
        for name in ("good", "middle", "bad", "other")
    }
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 15, (one, other)


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("sight", MACHADO)
def test_colors_of_series_differ_for_the_color_blind(theme, sight):
    """Each two of them, and each from the ground."""
    assert len(theme.series) == N_SERIES
    seen = [lab(np.array(MACHADO[sight]) @ linear(color)) for color in (*theme.series, theme.paper)]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 15
    marks = [lab(np.array(MACHADO[sight]) @ linear(color)) for color in (theme.accent, theme.rest, theme.bad)]
    assert min(np.linalg.norm(one - other) for one, other in combinations(marks, 2)) > 15
    assert contrast(theme.rest, theme.paper) > 3


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_words_can_be_read(theme):
    """A contrast of 4.5 to 1 on the ground, and on every shade of a cell."""
    assert min(contrast(word, theme.paper) for word in (theme.ink, theme.dim, theme.accent)) >= 4.5
    shades = [diverging(share, theme) for share in np.linspace(0, 1, 101)]
    assert min(contrast(readable_on(shade), shade) for shade in shades) >= 4.5


def test_the_contrast_of_black_and_white_is_the_greatest():
    """21 to 1, as the guidelines say."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # a known near miss


def test_shades_run_from_end_to_end():
    """As the scale of the chart does."""
    theme = theme_of("light")
    assert [diverging(share, theme) for share in (0, 0.5, 1)] == [theme.bad, theme.middle, theme.good]
    assert blended(0.25, "#000000", "#0000ff") == "#000040"


def test_a_chart_can_be_restyled():
    """Its theme is a plain configuration that another replaces."""
    drawn = made("margins")
    found = drawn.to_dict()["config"]
    assert {**found, "view": {"stroke": None}} == config(theme_of("light"))
    assert drawn.configure(background="#abcdef").to_dict()["config"]["background"] == "#abcdef"


def test_an_unknown_theme_is_refused():
    """With the known ones."""
    with pytest.raises(UnknownName, match=r'Unknown theme "drak". Did you mean "dark"'):
        made("margins", theme="drak")
