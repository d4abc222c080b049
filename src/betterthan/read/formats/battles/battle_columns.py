"""Which columns of a table are the two systems, the winner, the weight, the segment, the judge and covariates."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from betterthan.errors import ReadError, some_of
from betterthan.messages import COLUMN, Message, Option, joined
from betterthan.read.formats.battles.battle_covariates import PREFIX, Covariate, find_covariates, paired
from betterthan.read.grid.columns import RANKS, SEVERAL_WINNERS, SIDES, WINNERS
from betterthan.read.protocol import EVERY

WEIGHTS = ("weight", "weights")
ITEMS = (
    "question_id",
    "item",
    "item_id",
    "segment",
    "segment_id",
    "prompt_id",
    "example_id",
    "prompt",
    "instruction",
    "id",
)
# A judge's battles include those of his sessions and rankings, so the judge comes first.
JUDGES = (
    "judge",
    "judge_id",
    "rater",
    "annotator",
    "annotator_id",
    "worker",
    "worker_id",
    "user_id",
    "evaluation_session_id",
    "session_id",
    "ranking_id",
)
ROLES = ("left", "right", "winner", "weight", "item", "judge")
_WORDS = (SIDES, (WINNERS, WEIGHTS, ITEMS, JUDGES), SEVERAL_WINNERS, RANKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleColumns:
    """The columns of a battle table, by their names in the file.

    `winner` holds no column when the left system won by definition (chosen and rejected), two for two games
    with swapped sides or for two ranks, three for left, right and tie as 0 or 1. `needs_item` and `needs_judge` say
    whether a row without one stops the reading, or all of them are given up. `whole` says that everything a battle
    has was asked for: segment, judge and covariates, each where it is there without gaps. `maybe_item` is a column of
    segments that is taken where they stand in several rows.
    """

    left: str
    right: str
    winner: tuple[str, ...]
    weight: str | None = None
    item: str | None = None
    judge: str | None = None
    needs_item: bool = True
    needs_judge: bool = True
    covariates: tuple[Covariate, ...] = ()
    whole: bool = False
    maybe_item: str | None = None

    @property
    def is_preference(self) -> bool:
        """Whether numbers in the winner column run from 1 (first) to 2 (second)."""
        return len(self.winner) == 1 and plain_name(self.winner[0]) == "preference"

    @property
    def are_shares(self) -> bool:
        """Whether numbers in the winner column are the first system's share of a win, as in what we write."""
        return tuple(map(plain_name, (self.left, self.right, *self.winner))) == ("a", "b", "outcome")

    @property
    def are_places(self) -> bool:
        """Whether the columns of the systems are numbered, so that a winner 2 is the second."""
        numbers = [re.findall(r"\d+", name) for name in (self.left, self.right)]
        return numbers == [["1"], ["2"]]

    @property
    def is_ranks(self) -> bool:
        """Whether the winner is the system with the smaller number."""
        plain = tuple(plain_name(name) for name in self.winner)
        return plain in {tuple(plain_name(word) for word in pair) for pair in RANKS}

    @property
    def keeps_rows(self) -> bool:
        """Whether single rows are needed, in the order of the data."""
        return self.item is not None or bool(self.covariates)


def plain_name(name: str) -> str:
    """Return a column's name without case and punctuation.

    Examples
    --------
    >>> plain_name("Model A") == plain_name("model_a")
    True
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum())


_TAKEN = frozenset(plain_name(word) for groups in _WORDS for words in groups for word in words)


def covariate_column(name: str) -> str:
    """Return the column in which a covariate is written: its name, unless that means something else in battles.

    Examples
    --------
    >>> covariate_column("len_a-len_b"), covariate_column("Weight")
    ('len_a-len_b', 'covariate Weight')
    """
    return f"{PREFIX}{name}" if plain_name(name) in _TAKEN or name.startswith(PREFIX) else name


def find_columns(
    names: Sequence[str],
    *,
    given: Mapping[str, str],
    keep: Sequence[str] = (),
    cluster: bool = False,
    covariates: Sequence[str] = (),
    rows: Sequence[Sequence[Any]] = (),
    path: str | None = None,
) -> BattleColumns:
    """Find the columns of a battle table.

    Parameters
    ----------
    names : sequence of str
        All columns.
    given : mapping
        Roles (left, right, winner, weight, item, judge) whose columns the user named.
    keep : sequence of {"item", "judge"}
        Roles whose columns are found by name and must be there.
    cluster : bool, default False
        Whether to take a column of judges or sessions where there is one, and of segments that stand in several rows,
        and do without them where they have gaps.
    covariates : sequence of str
        Columns, or two columns with a minus between them: that of the left system and that of the right one;
        ``"*"`` takes all that come in pairs, and the segment and the judge besides.
    rows : sequence of rows
        The first rows, which show what objects hold.
    path : str, optional
        The file, for messages.

    Raises
    ------
    ReadError
        When a column is not there, or two readings are possible (BT120).

    Examples
    --------
    >>> find_columns(["id", "Model A", "Model B", "winner"], given={}).left
    'Model A'
    """
    for role, column in given.items():
        _check_given(role, column, names, path)
    known = _by_plain_name(names)
    left, right = _pair(known, given, path)
    found = {role: _first(known, words) for role, words in (("item", ITEMS), ("judge", JUDGES))}
    for role in keep:
        if found.get(role) is None and role not in given:
            raise _not_found(f"{role}s", names, [role], path)
    whole = EVERY in covariates
    columns = BattleColumns(
        left=left,
        right=right,
        winner=_winner(known, given, left, names, path),
        weight=given.get("weight") or _first(known, WEIGHTS),
        item=given.get("item") or (found["item"] if "item" in keep or whole else None),
        judge=given.get("judge") or (found["judge"] if "judge" in keep or cluster or whole else None),
        needs_item="item" in keep or "item" in given,
        needs_judge="judge" in keep or "judge" in given,
        whole=whole,
        maybe_item=found["item"] if cluster and not given.keys() & {"item", "judge"} and not keep else None,
    )
    held = find_covariates(covariates, names, rows, used=_used(columns), path=path) if covariates else ()
    return replace(columns, covariates=held)


def _used(columns: BattleColumns) -> list[str]:
    roles = (columns.left, columns.right, *columns.winner, columns.weight, columns.item, columns.judge)
    return [name for name in roles if name is not None]


def free_covariates(
    names: Sequence[str], rows: Sequence[Sequence[Any]], columns: BattleColumns
) -> tuple[str, ...]:
    """Return the covariates that come in pairs and are not used."""
    known = _by_plain_name(names)
    others = [name for name in (_first(known, ITEMS), _first(known, JUDGES)) if name is not None]
    held = {covariate.name for covariate in columns.covariates}
    found = paired(names, rows, used=[*_used(columns), *others])
    return tuple(covariate.name for covariate in found if covariate.name not in held)


def kept_out(names: Sequence[str], columns: BattleColumns) -> list[str]:
    """Return the columns that could tell segments and judges apart but are not used."""
    known = _by_plain_name(names)
    found = [_first(known, ITEMS), _first(known, JUDGES)]
    return [name for name in found if name is not None and name not in (columns.item, columns.judge)]


def _by_plain_name(names: Sequence[str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(plain_name(name), name)
    return known


def _first(known: Mapping[str, str], words: Sequence[str]) -> str | None:
    return next((known[plain_name(word)] for word in words if plain_name(word) in known), None)


def _check_given(role: str, column: str, names: Sequence[str], path: str | None) -> None:
    if column in names:
        return
    near = difflib.get_close_matches(column, names, n=1)
    guess = f' Did you mean "{near[0]}"?' if near else ""
    raise ReadError(
        f'There is no column "{column}" for {role}.{guess} The columns are: {some_of(names, limit=20)}.',
        path=path,
        code="BT120",
    )


def _pair(known: Mapping[str, str], given: Mapping[str, str], path: str | None) -> tuple[str, str]:
    if "left" in given and "right" in given:
        if given["left"] == given["right"]:
            raise ReadError(
                Message(
                    'The column "{column}" is named for both sides. Name two columns: {left} and {right}.',
                    column=given["left"],
                    left=Option("left", COLUMN),
                    right=Option("right", COLUMN),
                ),
                path=path,
                code="BT120",
            )
        return given["left"], given["right"]
    fitting = [pair for pair in _pairs(known) if given.get("left", pair[0]) == pair[0]]
    fitting = [pair for pair in fitting if given.get("right", pair[1]) == pair[1]]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        readings = " or ".join(f'"{left}" and "{right}"' for left, right in fitting[:2])
        raise ReadError(
            Message(
                "The two systems may be in the columns {readings}. Name them with {left} and {right}.",
                readings=readings,
                left=Option("left", fitting[0][0]),
                right=Option("right", fitting[0][1]),
            ),
            path=path,
            code="BT120",
        )
    raise _not_found("two systems", list(known.values()), ["left", "right"], path)


def _pairs(known: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (known[plain_name(left)], known[plain_name(right)])
        for left, right in SIDES
        if plain_name(left) in known and plain_name(right) in known
    ]


def has_several_pairs(names: Sequence[str]) -> bool:
    """Whether more than one pair of columns is called as the two systems of a battle are.

    Examples
    --------
    >>> has_several_pairs(["model_a", "model_b", "left", "right"]), has_several_pairs(["model_a", "model_b"])
    (True, False)
    """
    return len(_pairs(_by_plain_name(names))) > 1


def _winner(
    known: Mapping[str, str], given: Mapping[str, str], left: str, names: Sequence[str], path: str | None
) -> tuple[str, ...]:
    if "winner" in given:
        return (given["winner"],)
    single = _first(known, WINNERS)
    if single is not None:
        return (single,)
    for several in (*SEVERAL_WINNERS, *RANKS):
        if all(plain_name(word) in known for word in several):
            return tuple(known[plain_name(word)] for word in several)
    if plain_name(left) == plain_name("chosen_model"):
        return ()
    raise _not_found("winner", names, ["winner"], path)


def _not_found(what: str, names: Sequence[str], roles: Sequence[str], path: str | None) -> ReadError:
    """Build the error for roles that no column was found for."""
    template = (
        "No column for the {what} was found among {columns}. Rename it, or name it with {fix}."
        if len(roles) == 1
        else "No columns for the {what} were found among {columns}. Rename them, or name them with {fix}."
    )
    message = Message(
        template,
        what=what,
        columns=some_of(names, limit=12) or "no columns at all",
        fix=joined([Message("{option}", option=Option(role, COLUMN)) for role in roles], " and "),
    )
    return ReadError(message, path=path, code="BT120")
