"""Segments to look at: those of a table that fit a filter, in an order, a page at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

ItemOrder = Literal["file", "best", "worst", "largest", "spread"]
Who = Literal["all", "a", "b", "tie"]
ORDERS: tuple[ItemOrder, ...] = ("file", "best", "worst", "largest", "spread")
WHO: tuple[Who, ...] = ("all", "a", "b", "tie")
PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which segments, in which order.

    Attributes
    ----------
    a, b : str
        The two systems whose difference is shown.
    who : {"all", "a", "b", "tie"}
        Only segments that one of them wins, or neither.
    group : str
        Only this document; all when empty.
    find : str
        Only segments whose id or text contains this.
    order : {"file", "best", "worst", "largest", "spread"}
        As in the file; a's greatest win or loss first; greatest difference either way; most varied over all systems.
    page : int
        From 1.
    """

    a: str
    b: str
    who: Who = "all"
    group: str = ""
    find: str = ""
    order: ItemOrder = "file"
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentItem:
    """One segment: its scores by system, and by how much a is better than b."""

    segment: str
    group: str
    scores: tuple[float | None, ...]
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsPage:
    """A page of segments, and the number of all that fit."""

    metric: str
    systems: tuple[str, ...]
    total: int
    page: int
    pages: int
    items: tuple[SegmentItem, ...]

    @property
    def largest(self) -> float:
        """The largest difference on the page, either way; 1 where all are equal."""
        return max((abs(item.difference) for item in self.items if item.difference), default=1.0)


def items_page(scores: Scores, filters: Filter, texts: Texts | None = None) -> ItemsPage:
    """Return a page of the segments of `scores` that fit.

    Parameters
    ----------
    scores : Scores
    filters : Filter
    texts : Texts, optional
        Searched for what is to be found.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1", "2", "3"], values=[[3, 1, 2], [1, 1, 4]])
    >>> found = items_page(scores, Filter(a="A", b="B", order="best"))
    >>> [(item.segment, item.difference) for item in found.items]
    [('1', 2.0), ('2', 0.0), ('3', -2.0)]
    """
    gaps, chosen = _gaps(scores, filters), fitting_segments(scores, filters, texts)
    pages = max(1, math.ceil(chosen.size / PAGE))
    page = min(filters.page, pages)
    shown = chosen[(page - 1) * PAGE : page * PAGE]
    return ItemsPage(
        metric=scores.name,
        systems=scores.systems,
        total=int(chosen.size),
        page=page,
        pages=pages,
        items=tuple(_item(scores, gaps, int(j)) for j in shown),
    )


def fitting_segments(scores: Scores, filters: Filter, texts: Texts | None = None) -> IntArray:
    """Return the positions of all segments that fit, in order; the page does not matter."""
    gaps = _gaps(scores, filters)
    order = _ordered(scores, gaps, filters.order)
    return order[_fits(scores, gaps, filters, texts)[order]]


def segment_item(scores: Scores, filters: Filter, position: int) -> SegmentItem:
    """Return the segment at a position of the table."""
    return _item(scores, _gaps(scores, filters), position)


def _gaps(scores: Scores, filters: Filter) -> FloatArray:
    """Return by how much a is better than b on each segment."""
    first, second = (scores.systems.index(name) for name in (filters.a, filters.b))
    gaps: FloatArray = scores.goodness[first] - scores.goodness[second]
    return gaps


def _fits(scores: Scores, gaps: FloatArray, filters: Filter, texts: Texts | None) -> BoolArray:
    fits = np.ones(scores.n_segments, dtype=np.bool_)
    if filters.who != "all":
        fits &= {"a": gaps > 0, "b": gaps < 0, "tie": gaps == 0}[filters.who]
    if filters.group and scores.groups is not None:
        fits &= np.array([group == filters.group for group in scores.groups])
    if filters.find:
        needle = filters.find.casefold()
        in_texts = _segments_with(needle, texts)
        fits &= np.array([needle in segment.casefold() or segment in in_texts for segment in scores.segments])
    return fits


def _segments_with(needle: str, texts: Texts | None) -> frozenset[str]:
    """Return the segments of which a text holds the words that are looked for."""
    if texts is None:
        return frozenset()
    sources = () if texts.sources is None else (texts.sources,)
    return frozenset(
        segment
        for lines in (*sources, *texts.references, *texts.outputs)
        for segment, line in zip(texts.segments, lines, strict=True)
        if line is not None and needle in line.casefold()
    )


def _ordered(scores: Scores, gaps: FloatArray, order: ItemOrder) -> IntArray:
    """Return the segments' positions; those without a difference come last, equal ones as in the file."""
    if order == "file":
        return np.arange(scores.n_segments)
    if order == "spread":
        present = ~np.isnan(scores.values).any(axis=0)
        spread = np.full(scores.n_segments, np.nan)
        spread[present] = scores.values[:, present].std(axis=0)
        return np.argsort(-spread, kind="stable")
    key = {"best": -gaps, "worst": gaps, "largest": -np.abs(gaps)}[order]
    return np.argsort(key, kind="stable")


def _item(scores: Scores, gaps: FloatArray, j: int) -> SegmentItem:
    return SegmentItem(
        segment=scores.segments[j],
        group="" if scores.groups is None else scores.groups[j],
        scores=tuple(_number(value) for value in scores.values[:, j]),
        difference=_number(gaps[j]),
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
