"""Battles counted by (left, right, winner, weight), perhaps also by judge, and how they become :class:`Matches`.

Files are counted by DuckDB, frames in Python; both give a :class:`Tally`, and only this module decides what a winner's
label means and what is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import COLUMN, Message, Option, Placeholder, method_note
from betterthan.read.formats.battles.battle_columns import BattleColumns, grouped_note, repeated_note
from betterthan.read.formats.battles.winner_labels import (
    KNOWN,
    MEANINGS,
    OUTCOMES,
    WinnerMeaning,
    are_codes,
    joined_meaning,
    labelled_meaning,
    listed,
    number,
    number_meanings,
    rank_meaning,
    word_meaning,
)
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import is_missing
from betterthan.tables.matches import Matches

NO_CATEGORY = "(none)"
"""The category of battles whose cell is empty."""
_USUAL = ("left", "right", "tie")
_LABEL_OPTION = Option("winner_labels", {Placeholder("LABEL"): Placeholder("MEANING")})


class OutcomeKind(NamedTuple):
    """One kind of battle: systems, winner cells, and weight and category as written ("" without such a column)."""

    left: str
    right: str
    winner: tuple[str, ...]
    weight: str
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Kinds of battle with their counts; `rows` only where single rows or judges are needed.

    Attributes
    ----------
    names, winners, weights : sequence
        The distinct systems, winner cells and weights as written, each sorted.
    left, right, winner, weight : array of int
        Of each kind of battle, indices into these; the kinds are distinct and sorted.
    counts : array of int
        How many rows are of each kind.
    category, categories : array of int and sequence of str
        The category of each kind, where battles are divided, and the distinct categories, sorted.
    rows : array of int, optional
        The kind of each row, in the order of the data; or of each kind and judge, when `times` counts them.
    times : array of int, optional
        How often each of `rows` occurred; None when they are single rows.
    segment, group : array of int, optional
        Codes of each row's segment and judge.
    segments : sequence of str
        Names of the segments by code, where they were requested.
    covariates : array, optional
        Rows × covariates.
    covariate_names : tuple of str
    judge, item : str, optional
        The column of the judge, and that of the segment where it was not requested.
    remarks : tuple of str
        Notes from counting.
    preference, ranks : bool
        Whether numbers in the winner column run from 1 to 2; whether there are two columns of ranks.
    weighted : bool
        Whether there is a column of weights.
    path : str, optional
        The file, for messages.
    line_of : callable
        Maps a kind to the line of its first row, or None where there are no lines.
    """

    names: Sequence[str]
    winners: Sequence[tuple[str, ...]]
    weights: Sequence[str]
    left: IntArray
    right: IntArray
    winner: IntArray
    weight: IntArray
    counts: IntArray
    category: IntArray | None = None
    categories: Sequence[str] = ()
    rows: IntArray | None = None
    times: IntArray | None = None
    segment: IntArray | None = None
    segments: Sequence[str] = ()
    group: IntArray | None = None
    covariates: FloatArray | None = None
    covariate_names: tuple[str, ...] = ()
    judge: str | None = None
    item: str | None = None
    remarks: tuple[str, ...] = ()
    preference: bool = False
    ranks: bool = False
    weighted: bool = False
    path: str | None = None
    line_of: Callable[[OutcomeKind], int | None] = lambda _: None

    @property
    def n_rows(self) -> int:
        """Number of rows that were read."""
        return int(self.counts.sum())

    def kind(self, i: int) -> OutcomeKind:
        """Return the kind of battle with number `i`."""
        left, right = self.names[self.left[i]], self.names[self.right[i]]
        category = "" if self.category is None else self.categories[self.category[i]]
        return OutcomeKind(left, right, self.winners[self.winner[i]], self.weights[self.weight[i]], category)


class Settled(NamedTuple):
    """The table, with the number of rows that were read and of those left out as "both bad"."""

    matches: Matches
    n_rows: int
    n_dropped: int


def settle(
    tally: Tally,
    columns: BattleColumns,
    *,
    both_bad: Literal["tie", "drop"],
    labels: Mapping[str, WinnerMeaning] = MappingProxyType({}),
) -> Settled:
    """Return the battles as a table: aggregated, or row by row when `tally` has rows.

    Parameters
    ----------
    tally : Tally
    columns : BattleColumns
        The columns, whose names may show the meaning of numbers.
    both_bad : {"tie", "drop"}
    labels : mapping, optional
        The user's meanings of winner labels.

    Raises
    ------
    ReadError
        When there is no battle (BT126), a system has no name (BT124) or meets itself (BT123), a label is unknown
        (BT121) or ambiguous (BT122), the meaning of numbers is not known (BT221), or a weight is not a number of 0 or
        more (BT125).
    """
    if tally.n_rows == 0:
        message = "There are columns but no battles. Check the program that wrote it."
        raise ReadError(message, path=tally.path, code="BT126")
    _check_systems(tally)
    meaning = _meanings(tally, columns, labels)
    weight = _weights(tally)
    bad = meaning == MEANINGS.index("both_bad")
    n_bad = int(tally.counts[bad].sum())
    is_used = ~bad if both_bad == "drop" else np.ones_like(bad)
    notes = [*_notes(tally, meaning, n_bad, both_bad), *tally.remarks]
    tally, outcome = _with_shares(tally, meaning)
    matches = _table(tally, outcome, weight, is_used, notes)
    if tally.rows is None or tally.times is not None:
        matches = matches.aggregated(keep_groups=True, keep_categories=True)
    return Settled(matches, tally.n_rows, n_bad if both_bad == "drop" else 0)


def _with_shares(tally: Tally, meaning: IntArray) -> tuple[Tally, FloatArray]:
    """Return the outcome of each kind; where some are fractional, the tally with each battle as its own group.

    A battle that is 0.7 of a win becomes a win of weight 0.7 and a loss of weight 0.3. Both come from one judgment, so
    they must form one group, or intervals would count them as two.
    """
    outcome = np.array(OUTCOMES)[meaning]
    between = meaning == MEANINGS.index("between")
    if not between.any():
        return tally, outcome
    shares = np.array([2 - number(cells[0]) if len(cells) == 1 else math.nan for cells in tally.winners])
    outcome[between] = shares[tally.winner[between]]
    if tally.group is not None:
        return tally, outcome
    rows = np.repeat(np.arange(meaning.size), tally.counts) if tally.rows is None else tally.rows
    return replace(tally, rows=rows, group=np.arange(rows.size)), outcome


def _table(
    tally: Tally, outcome: FloatArray, weight: FloatArray, is_used: BoolArray, notes: Sequence[str]
) -> Matches:
    # Without rows each kind is one row with its count.
    every = np.arange(is_used.size) if tally.rows is None else tally.rows
    chosen = is_used[every]
    rows = every[chosen]
    total = weight * tally.counts if tally.rows is None else weight
    times = 1 if tally.times is None else tally.times[chosen]
    result, weights, of = _parted(outcome[rows], total[rows] * times)
    rows = rows[of]
    category, categories = _categories(tally, rows)
    return Matches(
        systems=tuple(tally.names),
        left=tally.left[rows],
        right=tally.right[rows],
        outcome=result,
        weight=weights,
        segment=None if tally.segment is None else tally.segment[chosen][of],
        segments=tuple(tally.segments),
        group=None if tally.group is None else tally.group[chosen][of],
        category=category,
        categories=categories,
        covariates=None if tally.covariates is None else tally.covariates[chosen][of],
        covariate_names=tally.covariate_names,
        notes=tuple(notes),
    )


def _categories(tally: Tally, rows: IntArray) -> tuple[IntArray | None, tuple[str, ...]]:
    """Return the category of each row and the names; empty cells are a category of their own."""
    if tally.category is None:
        return None, ()
    named = [NO_CATEGORY if is_missing(name) else name for name in tally.categories]
    names = sorted(set(named))
    code = np.array([names.index(name) for name in named], dtype=np.int64)
    return code[tally.category[rows]], tuple(names)


def _parted(outcome: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return outcomes and weights with fractional outcomes split into a win and a loss, and the row of each."""
    between = ~np.isin(outcome, (0.0, 0.5, 1.0))
    of = np.repeat(np.arange(outcome.size), np.where(between, 2, 1))
    second = np.r_[False, of[1:] == of[:-1]] if of.size else np.zeros(0, dtype=np.bool_)
    share = np.where(between[of], np.where(second, 1 - outcome[of], outcome[of]), 1.0)
    result = np.where(between[of], np.where(second, 0.0, 1.0), outcome[of])
    return result, weight[of] * share, of


def _check_systems(tally: Tally) -> None:
    nameless = np.array([is_missing(name) for name in tally.names])
    odd = nameless[tally.left] | nameless[tally.right]
    if odd.any():
        raise _at(tally, odd, _nameless(tally, nameless, odd), code="BT124")
    itself = tally.left == tally.right
    if itself.any():
        message: str = Message(
            '"{system}" meets itself; {count} rows are like this. '
            "Such a row carries no information, and may mean that a column was misread. "
            "Remove these rows, or name the columns with {left} and {right}.",
            system=tally.names[tally.left[itself][0]],
            count=_count(tally, itself),
            left=Option("left", COLUMN),
            right=Option("right", COLUMN),
        )
        raise _at(tally, itself, message, code="BT123")
    broken = np.array(["\x00" in name for name in tally.names])
    odd = broken[tally.left] | broken[tally.right]
    if odd.any():
        message = "A system's name contains a NUL byte, so the data are damaged. Export them again."
        raise _at(tally, odd, message, code="BT006")


def _nameless(tally: Tally, nameless: BoolArray, odd: BoolArray) -> str:
    """Return the error for rows in which a system has no name, with the words that were read as missing."""
    words = {
        name.strip() for name, is_none in zip(tally.names, nameless.tolist(), strict=True) if is_none
    } - {""}
    why = f" ({some_of(sorted(quoted(word) for word in words))} means a missing value)" if words else ""
    renamed = " If it is a name, change it." if words else ""
    return (
        f"A system's name is missing in {_count(tally, odd)} rows{why}. "
        f"Fill in the names, or remove these rows.{renamed}"
    )


def _count(tally: Tally, kinds: BoolArray) -> str:
    return f"{int(tally.counts[kinds].sum()):,} of {tally.n_rows:,}"


def _at(tally: Tally, kinds: BoolArray, message: str, *, code: str) -> ReadError:
    """Return the error at the first row of the first of these kinds."""
    line = tally.line_of(tally.kind(int(np.flatnonzero(kinds)[0])))
    return ReadError(message, path=tally.path, line=line, code=code)


def _meanings(tally: Tally, columns: BattleColumns, labels: Mapping[str, WinnerMeaning]) -> IntArray:
    """Return the index in MEANINGS of every kind of battle."""
    labelled = partial(labelled_meaning, labels=labels)
    _check_labels(tally, labels)
    numbers = _numbers(tally, columns, labels)
    fixed = np.array([_word(tally, winner, numbers, labelled) for winner in tally.winners], dtype=np.int64)
    meaning = fixed[tally.winner]
    # Most labels mean the same in every row; only a system's name depends on the pair.
    index = {name: i for i, name in enumerate(tally.names)}
    for code, winner in enumerate(tally.winners):
        if len(winner) != 1 or labelled(winner[0]) is not None:
            continue
        # "a" means the left side, but may also be a system "A".
        name = winner[0].upper() if len(winner[0]) == 1 and winner[0] not in index else winner[0]
        if name in index:
            _read_name(tally, meaning, code, index[name])
    unknown = meaning < 0
    if unknown.any():
        positions = np.flatnonzero(unknown).tolist()
        seen = [(" / ".join(tally.winners[tally.winner[i]]), int(tally.counts[i])) for i in positions]
        known = f"Known labels are {KNOWN} and the names of the row's two systems."
        if tally.ranks:
            known = "Ranks are whole numbers, 1 for the best."
        elif tally.preference:
            known = "Preferences are numbers from 1 (the first system) to 2 (the second), 1.5 for a tie."
        message = Message(
            "Unknown winner labels: {labels}. {known} Correct or remove these rows, define a label with {meaning} "
            "(left, right or tie), or name another column with {winner}.",
            labels=listed(seen),
            known=known,
            meaning=_LABEL_OPTION,
            winner=Option("winner", COLUMN),
        )
        raise _at(tally, unknown, message, code="BT121")
    return meaning


def _check_labels(tally: Tally, labels: Mapping[str, WinnerMeaning]) -> None:
    """Raise when a defined label does not occur: a typo would go unnoticed."""
    seen = sorted({cell for winner in tally.winners for cell in winner})
    if labels and not any(labelled_meaning(cell, labels) for cell in seen):
        raise ReadError(
            f"No winner is labeled {some_of(list(labels))}. Labels in the data: {some_of(seen, limit=8)}.",
            path=tally.path,
            code="BT222",
        )


def _numbers(
    tally: Tally, columns: BattleColumns, labels: Mapping[str, WinnerMeaning]
) -> Mapping[float, WinnerMeaning]:
    """Return the meaning of numbers in the winner column.

    Raises
    ------
    ReadError
        When it is ambiguous (BT221).
    """
    if tally.ranks or tally.preference or len(columns.winner) not in (1, 2):
        return {}
    named = set(tally.names)
    cells = {cell for winner in tally.winners for cell in winner if labelled_meaning(cell, labels) is None}
    codes = {
        number(cell): cell.strip() for cell in cells if cell not in named and not math.isnan(number(cell))
    }
    numbers = (
        number_meanings(codes, are_shares=columns.are_shares, are_places=columns.are_places) if codes else {}
    )
    # Together with words for the sides, a number is a mistake.
    has_words = any(word_meaning(cell) in ("left", "right") for cell in cells)
    if numbers is not None or has_words or not are_codes(codes):
        return numbers or {}
    shown = [codes[code] for code in sorted(codes)]
    usual = ("right", "tie", "left") if len(shown) == 3 and "-1" in shown else _USUAL
    sides = dict(zip(shown, (side for side in usual if side not in labels.values()), strict=False))
    raise ReadError(
        Message(
            'The winners are coded by numbers ({codes} in column "{winner}"), and it is not known which of them means '
            'that the system in column "{left}" (left) won. Specify it: {labels}, or vice versa.',
            codes=", ".join(shown),
            winner=columns.winner[0],
            left=columns.left,
            labels=Option("winner_labels", sides),
        ),
        path=tally.path,
        code="BT221",
    )


def _word(
    tally: Tally,
    winner: tuple[str, ...],
    numbers: Mapping[float, WinnerMeaning],
    labelled: Callable[[str], WinnerMeaning | None],
) -> int:
    def single(text: str) -> WinnerMeaning | None:
        meaning = labelled(text) or word_meaning(text, preference=tally.preference)
        return numbers.get(number(text)) if meaning is None else meaning

    if not winner:
        return MEANINGS.index("left")
    if tally.ranks:
        meaning = rank_meaning(winner)
    elif len(winner) > 1:
        meaning = joined_meaning(winner, single)
    else:
        meaning = single(winner[0])
    return -1 if meaning is None else MEANINGS.index(meaning)


def _read_name(tally: Tally, meaning: IntArray, winner: int, system: int) -> None:
    """Set the meaning where the winner is the name of a system of the row; raise when it is ambiguous."""
    by_name = np.full_like(meaning, -1)
    by_name[tally.left == system] = MEANINGS.index("left")
    by_name[tally.right == system] = MEANINGS.index("right")
    named = (tally.winner == winner) & (by_name >= 0)
    also = np.where(meaning < 0, _place(tally, winner), meaning)
    doubtful = named & (also >= 0) & (also != by_name)
    if doubtful.any():
        first = np.flatnonzero(doubtful)[0]
        message = Message(
            'The winner "{system}" is the name of the {side} system but also a word for "{word}". '
            "Write left, right or tie in this column, rename the system, or define the label with {label} (left, "
            "right or tie).",
            system=tally.names[system],
            side=MEANINGS[by_name[first]],
            word=MEANINGS[also[first]],
            label=_LABEL_OPTION,
        )
        raise _at(tally, doubtful, message, code="BT122")
    meaning[named] = by_name[named]


def _place(tally: Tally, winner: int) -> int:
    """Return the side that a winner names by its number, where all winners are 0 and 1, or 1 and 2; else -1."""
    cells = {
        cells[0].strip() for cells in tally.winners if len(cells) == 1 and word_meaning(cells[0]) is None
    }
    sides = next((pair for pair in (("0", "1"), ("1", "2")) if cells == set(pair)), ())
    cell = tally.winners[winner][0].strip()
    return MEANINGS.index(("left", "right")[sides.index(cell)]) if cell in sides else -1


def _weights(tally: Tally) -> FloatArray:
    if not tally.weighted:
        return np.ones(tally.counts.size)
    numbers = np.array([number(text) for text in tally.weights])[tally.weight]
    odd = ~((numbers >= 0) & (numbers < math.inf))
    if odd.any():
        message = Message(
            'The weight "{weight}" is not a non-negative number. '
            "Write 1 for a battle that counts once, or name another column with {fix}.",
            weight=tally.weights[tally.weight[odd][0]],
            fix=Option("weight", COLUMN),
        )
        raise _at(tally, odd, message, code="BT125")
    return numbers


def _notes(tally: Tally, meaning: IntArray, n_bad: int, both_bad: Literal["tie", "drop"]) -> list[str]:
    counts = np.bincount(meaning, weights=tally.counts, minlength=len(MEANINGS)).astype(np.int64)
    words = [f"{name.replace('_', ' ')} {n:,}" for name, n in zip(MEANINGS, counts, strict=True) if n]
    notes: list[str] = [
        method_note("Battles read: {n:,} ({outcomes}).", n=tally.n_rows, outcomes=", ".join(words))
    ]
    if n_bad:
        drop = Message("counted as ties; {drop} leaves them out", drop=Option("both_bad", "drop"))
        outcome = "left out" if both_bad == "drop" else drop
        notes.append(
            Message(
                'Battles that ended with "both bad": {n:,} ({outcome}).',
                severity="info",
                n=n_bad,
                outcome=outcome,
            )
        )
    n_between = int(counts[MEANINGS.index("between")])
    if n_between:
        notes.append(
            f"{n_between:,} battles have a preference between 1 and 2: each counts as 2 − preference of a win for "
            f"the first system, and the rest for the second."
        )
    if tally.judge is not None and tally.group is not None:
        notes.append(grouped_note(tally.judge, int(tally.group.max(initial=-1)) + 1))
    if tally.item is not None and tally.segment is not None:
        notes.append(repeated_note(tally.item, int(tally.segment.max(initial=-1)) + 1))
    return notes
