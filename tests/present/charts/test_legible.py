"""Every kind of chart with 2, 12 and 60 systems and names of 1 to 60 letters: no label is cut or lies on another.

The extents of texts are computed from the SVG with the widths by which charts are laid out; the SVG carries them, so
that a browser draws the same extents in any font, which tests/browser/test_charts.py checks in Chromium.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from tests.everyday import few
from tests.made import drawn_scores
from tests.present.charts.pictures import SVG, Picture, made, subject

import betterthan as bt
from betterthan.present.charts.chart import chart, chart_kinds
from betterthan.present.charts.drawing import names
from betterthan.present.text_width import text_width

FIRST = (
    "A",
    "a-system-with-a-very-long-name-of-sixty-characters-in-total-1",
    "a-system-with-a-very-long-name-of-sixty-characters-in-total-2",
    "Llama 3",
    "Llama 3 (70B)",
    "my_model_v2",
    "通义千问-72B",
    "Mistral-7B-Instruct-v0.3",
    "Command R+",
    "文心一言大模型三点五版本增强版",
    "google_translate_2024",
    "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM",
)
# Kinds whose layout changes with the number of systems; drawing all kinds at all sizes takes half a minute.
EVERYDAY = {
    2: ("ranking", "metrics", "differences"),
    12: tuple(chart_kinds()),
    60: ("ranking", "ranks", "confusion", "metrics"),
}
_TRANSLATE = re.compile(r"translate\(([-\d.e]+),\s*([-\d.e]+)\)")
_ROTATE = re.compile(r"rotate\(([-\d.e]+)\)")
_SLANTED = 20.0


def systems(size: int) -> tuple[str, ...]:
    """So many names of all lengths."""
    return (*FIRST[:size], *(f"{'checkpoint-'[: i % 12]}{i}" for i in range(len(FIRST), size)))


class Box(NamedTuple):
    """A line of text and the rectangle around it."""

    words: str
    left: float
    top: float
    right: float
    bottom: float


def boxes(picture: Picture) -> list[Box]:
    """The rectangles around all lines of text; texts at an angle other than 0 and 90 degrees are left aside."""
    left = float(picture.root.attrib.get("viewBox", "0").split()[0])
    return list(_boxes(picture.root, -left, 0.0))


def _boxes(element: ET.Element, x: float, y: float) -> Iterator[Box]:
    transform = element.attrib.get("transform", "")
    if moved := _TRANSLATE.match(transform):
        x, y = x + float(moved.group(1)), y + float(moved.group(2))
    if element.tag == f"{SVG}text":
        if element.attrib.get("opacity") != "0":
            yield from _lines(element, x, y, transform)
        return
    for child in element:
        yield from _boxes(child, x, y)


def _lines(element: ET.Element, x: float, y: float, transform: str) -> Iterator[Box]:
    size = float(element.attrib["font-size"].removesuffix("px"))
    is_bold = element.attrib.get("font-weight", "normal") != "normal"
    turn = _ROTATE.search(transform)
    angle = float(turn.group(1)) % 360 if turn else 0.0
    for i, part in enumerate([*element.iter(f"{SVG}tspan")] or [element]):
        words = part.text or ""
        width = text_width(words, size, is_bold=is_bold)
        start = {"end": -width, "middle": -width / 2}.get(element.attrib.get("text-anchor", ""), 0.0)
        base = y + i * float(part.attrib.get("dy", 0)) if i else y
        if angle == 0:
            yield Box(words, x + start, base - 0.72 * size, x + start + width, base + 0.2 * size)
        elif angle == 270:
            yield Box(words, x - 0.72 * size, base - start - width, x + 0.2 * size, base - start)
        else:
            assert abs(angle - 180) > _SLANTED, words


def faults(picture: Picture) -> list[str]:
    """Every text that leaves the picture, and every two that lie on each other."""
    drawn = sorted((box for box in boxes(picture) if box.words.strip()), key=lambda box: box.top)
    wrong = [
        f"cut: {box}"
        for box in drawn
        if box.left < -1 or box.top < -1 or box.right > picture.width + 1 or box.bottom > picture.height + 1
    ]
    for i, one in enumerate(drawn):
        for other in drawn[i + 1 :]:
            if other.top > one.bottom - 1:
                break
            is_halo = one.words == other.words and abs(one.left - other.left) < 0.1
            if min(one.right, other.right) - max(one.left, other.left) > 1 and not is_halo:
                wrong.append(f"overlapping: {one} and {other}")
    return wrong


CASES = [
    pytest.param(kind, size, marks=() if kind in EVERYDAY[size] else pytest.mark.slow)
    for size in EVERYDAY
    for kind in chart_kinds()
]


@pytest.mark.parametrize(("kind", "size"), few(CASES, 9, tuples=True))
def test_no_label_is_cut_or_lies_on_another(kind, size):
    """With names of all lengths."""
    picture = Picture(made(kind, systems(size)))
    assert len(boxes(picture)) >= 5
    assert not faults(picture), "\n".join(faults(picture))


def several(kind, names):
    """A chart that names metrics, rankings or results instead of systems."""
    if kind == "metrics":
        human = drawn_scores(6, 30)
        noise = np.random.default_rng(5).normal(0, 1, (len(names), 6, 30))
        metrics = {
            name: replace(human, values=human.values + (0.2 + i / 20) * each)
            for i, (name, each) in enumerate(zip(names, noise, strict=True))
        }
        return chart(bt.meta_evaluate(metrics, human, by="pearson", n_resamples=99))
    if kind == "agreement":
        rankings = list(subject("ranks").values())
        return chart(bt.agreement({name: rankings[i % 3] for i, name in enumerate(names)}))
    return chart(dict.fromkeys(names, subject("margins")), "margins")


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("metrics", 12),
        pytest.param("metrics", 60, marks=pytest.mark.slow),
        ("agreement", 12),
        ("margins", 2),
        ("margins", 5),
    ],
)
def test_no_name_of_a_metric_or_ranking_is_cut_or_lies_on_another(kind, size):
    """Charts whose rows and lines are not systems."""
    picture = Picture(several(kind, systems(size)))
    assert not faults(picture), "\n".join(faults(picture))


def test_numbers_of_columns_keep_a_distance():
    """Numbers side by side are not read as one."""
    picture = Picture(made("soft_pairwise", systems(12)))
    numbers = sorted(
        (box for box in boxes(picture) if box.words.isdigit()), key=lambda box: (box.top, box.left)
    )
    level = [(one, other) for one, other in pairwise(numbers) if abs(one.top - other.top) < 1]
    assert len(level) > 6
    assert all(other.left - one.right > 4 for one, other in level)


def test_a_caption_speaks_of_numbers_only_where_there_are_some():
    """Cells of many tasks have none."""
    caption = made("tasks", systems(2)).to_dict()["title"]["subtitle"][0]
    picture = Picture(made("tasks", systems(2)))
    assert ("Numbers" in caption) == any(re.fullmatch(r"−?\d+\.\d+", box.words) for box in boxes(picture))


def test_a_picture_is_as_wide_as_names_that_no_font_has():
    """The picture is wider than the converter made it, and its ground as well."""
    names = ("文心一言大模型三点五版本增强版", "B")
    picture = Picture(made("ranks", names))
    assert not faults(picture)
    ground, frame = picture.root[0].attrib, picture.root.attrib
    assert frame["viewBox"].split() == [ground.get("x", "0"), "0", ground["width"], ground["height"]]
    assert frame["width"] == ground["width"]


def test_long_titles_are_broken():
    """Two long names above a chart do not make it wider."""
    title = made("differences", FIRST[1:3]).to_dict()["title"]["text"]
    assert len(title) == 2
    assert made("differences", ("A", "B")).to_dict()["title"]["text"] == "A against B: paired differences"


def test_faults_are_found():
    """The guard itself: a label beyond the edge, two on each other, and one beside the other."""
    text = '<text font-size="10px" text-anchor="{}" transform="translate({})">label</text>'
    size = 'width="100" height="40"'
    for labels, fault in (
        (((10, 20), (40, 20)), None),
        (((10, 20), (20, 22)), "overlapping"),
        (((10, 10), (10, 30)), None),
        (((-10, 20), (40, 20)), "cut"),
        (((10, 20), (90, 20)), "cut"),
        (((10, 20), (40, 39.5)), "cut"),
    ):
        marks = "".join(text.format("start", f"{x},{y}") for x, y in labels)
        drawn = Picture.__new__(Picture)
        drawn.root = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{marks}</svg>')  # noqa: S314
        drawn.width, drawn.height = 100.0, 40.0
        assert [line.split(":")[0] for line in faults(drawn)] == ([fault] if fault else []), labels


def test_names_stay_as_they_are_unless_they_are_long():
    """No name is taken for another's copy, and underscores stay."""
    plain = ("Llama 3 (70B)", "Llama 3", "Llama 3 (2)", "my_model_v2", "A")
    assert tuple(names(plain)) == plain
    alike = names(["x" * 50, "x" * 51, f"{'x' * 16}…{'x' * 16}", "short"])
    assert len(set(alike)) == 4
    assert alike[2:] == [f"{'x' * 16}…{'x' * 16}", "short"]
