"""Battles to look at: those that fit a filter, in an order, one page at a time."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.web.details.items import PAGE, Who
from betterthan.web.runs.saved_tables import ListedBattles

BattleOrder = Literal["file", "left", "right", "winner", "segment", "judge", "times"]
BATTLE_ORDERS: tuple[BattleOrder, ...] = ("file", "left", "right", "winner", "segment", "judge", "times")


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleFilter:
    """Which battles.

    Attributes
    ----------
    a, b : str
        Only battles of this system, or of these two against each other; all when empty.
    who : {"all", "a", "b", "tie"}
        Only those that one of them wins, or neither.
    find : str
        Only battles on a segment whose id contains this.
    order : {"file", "left", "right", "winner", "segment", "judge", "times"}
        As in the file, by the names in a column, or the most frequent first.
    page : int
        From 1.
    """

    a: str = ""
    b: str = ""
    who: Who = "all"
    find: str = ""
    order: BattleOrder = "file"
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleRow:
    """One battle, or a kind of battle with how often it was fought.

    Attributes
    ----------
    left, right : str
        In the order in which the file has them.
    winner : str or None
        None for a tie.
    weight : float
        How often, or how much it counts.
    segment, judge : str
        Empty where they are not known.
    """

    left: str
    right: str
    winner: str | None
    weight: float
    segment: str
    judge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BattlesPage:
    """A page of battles, and how much they are in all."""

    total: int
    weight: float
    page: int
    pages: int
    battles: tuple[BattleRow, ...]


def battles_page(held: ListedBattles, filters: BattleFilter) -> BattlesPage:
    """Return a page of the battles that fit.

    Examples
    --------
    >>> from betterthan.tables.matches import Matches
    >>> held = ListedBattles(matches=Matches(systems=["A", "B"], left=[0, 1, 0], right=[1, 0, 1], outcome=[1, 1, 0.5]))
    >>> found = battles_page(held, BattleFilter(a="B", who="a"))
    >>> [(battle.left, battle.winner) for battle in found.battles]
    [('B', 'B')]
    """
    order = _ordered(held, filters.order)
    chosen = order[_fits(held, filters)[order]]
    pages = max(1, math.ceil(chosen.size / PAGE))
    page = min(filters.page, pages)
    shown = chosen[(page - 1) * PAGE : page * PAGE]
    return BattlesPage(
        total=int(chosen.size),
        weight=float(held.matches.weight[chosen].sum()),
        page=page,
        pages=pages,
        battles=tuple(_battle(held, int(row)) for row in shown),
    )


def _fits(held: ListedBattles, filters: BattleFilter) -> BoolArray:
    matches = held.matches
    fits = np.ones(matches.left.size, dtype=np.bool_)
    for name in (filters.a, filters.b):
        if name:
            system = matches.systems.index(name)
            fits &= (matches.left == system) | (matches.right == system)
    if filters.who == "tie":
        fits &= matches.outcome == 0.5
    elif filters.who != "all":
        winner = _winners(held)
        name = filters.a if filters.who == "a" else filters.b
        fits &= winner == matches.systems.index(name) if name else winner >= 0
    if filters.find:
        needle = filters.find.casefold()
        named = np.array([needle in segment.casefold() for segment in held.segments], dtype=np.bool_)
        fits &= named[matches.segment] if named.size and matches.segment is not None else False
    return fits


def _ordered(held: ListedBattles, order: BattleOrder) -> IntArray:
    """Return the positions of the battles; equal ones stay as in the file, nameless ones come last."""
    matches = held.matches
    n_battles = matches.left.size
    if order == "file":
        return np.arange(n_battles)
    if order == "times":
        return np.argsort(-matches.weight, kind="stable")
    columns = {
        "left": (matches.systems, matches.left),
        "right": (matches.systems, matches.right),
        "winner": (matches.systems, _winners(held)),
        "segment": (held.segments, matches.segment),
        "judge": (held.judges, matches.group),
    }
    names, codes = columns[order]
    if codes is None or not names:
        return np.arange(n_battles)
    place = np.full(len(names) + 1, len(names))  # the last one is that of a tie, or of a group without a name
    place[sorted(range(len(names)), key=lambda i: natural(names[i]))] = np.arange(len(names))
    known = (codes >= 0) & (codes < len(names))
    return np.argsort(place[np.where(known, codes, len(names))], kind="stable")


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return what names are sorted by: numbers in them by their size.

    Examples
    --------
    >>> sorted(["q10", "q9", "Q1"], key=natural)
    ['Q1', 'q9', 'q10']
    """
    parts = re.findall(r"\d{1,18}|\D+|\d+", name.casefold())
    return [(0, int(part), "") if part.isdecimal() and len(part) < 19 else (1, 0, part) for part in parts]


def _winners(held: ListedBattles) -> IntArray:
    """Return the index of the winner of each row, -1 for a tie."""
    matches = held.matches
    return np.where(matches.outcome == 1, matches.left, np.where(matches.outcome == 0, matches.right, -1))


def _battle(held: ListedBattles, row: int) -> BattleRow:
    matches = held.matches
    left, right = matches.systems[matches.left[row]], matches.systems[matches.right[row]]
    return BattleRow(
        left=left,
        right=right,
        winner={1.0: left, 0.0: right}.get(float(matches.outcome[row])),
        weight=float(matches.weight[row]),
        segment=_name(held.segments, matches.segment, row),
        judge=_name(held.judges, matches.group, row),
    )


def _name(names: tuple[str, ...], codes: IntArray | None, row: int) -> str:
    # The two halves of a shared win have a group of their own, which has no name.
    return names[codes[row]] if codes is not None and codes[row] < len(names) else ""
