"""Parallel outputs and references, checked before scoring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from betterthan.budget import MOST_ORDER, check_count
from betterthan.errors import BetterThanError, MissingScores, TableError, some_of, unknown_name
from betterthan.messages import Message, Option
from betterthan.scoring.mismatches import mismatches
from betterthan.tables.checks import is_writable, labels, listed
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.texts import Texts

Outputs: TypeAlias = Texts | Mapping[str, Sequence[str | None]]
References: TypeAlias = (
    Sequence[str] | Sequence[Sequence[str | None]] | Mapping[str, Sequence[str | None]] | None
)
Missing = Literal["raise", "drop", "empty"]

TURN = "references = list(zip(*references))"
TURN_UNEVEN = "references = list(itertools.zip_longest(*references))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallel:
    """Texts that can be scored: m systems and one or more references for the same n segments.

    A reference may be None for some segments, but every segment has at least one.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    outputs: tuple[tuple[str, ...], ...]
    references: tuple[tuple[str | None, ...], ...]
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    row_order: RowOrder | None = None

    @property
    def n_references(self) -> str:
        """The number of references as in signatures: "var" where segments differ."""
        if all(None not in lines for lines in self.references):
            return str(len(self.references))
        found = {sum(line is not None for line in lines) for lines in zip(*self.references, strict=True)}
        return str(found.pop()) if len(found) == 1 else "var"


def parallel(
    outputs: Outputs, references: References = None, *, missing: Missing = "raise", are_prose: bool = True
) -> Parallel:
    """Check and align outputs and references.

    Parameters
    ----------
    outputs : Texts, or mapping of system to list of str
        One text per segment; None is a missing output.
    references : list of str, list of lists, or mapping of name to list; optional
        One list per reference, each with one text per segment, as in sacreBLEU. Among several, None marks a segment
        for which a reference is missing. Not needed for Texts with references.
    missing : {"raise", "drop", "empty"}, default "raise"
        Treatment of missing outputs: raise an error; leave out their segments for all systems; count them as empty
        texts.
    are_prose : bool, default True
        Whether to look for evidence that outputs and references do not belong together. Labels and short answers may
        well be equal.

    Returns
    -------
    Parallel

    Examples
    --------
    >>> parallel({"A": ["a b", "c"]}, ["a b", "d"]).references
    (('a b', 'd'),)
    """
    if missing not in get_args(Missing):
        raise unknown_name("missing", str(missing), get_args(Missing))
    if isinstance(outputs, Texts):
        found = _of_table(outputs, references)
    elif isinstance(outputs, Mapping):
        found = _of_mapping(outputs, references)
    else:
        raise TableError(
            f"outputs must be Texts or a dict of system to list of texts, not {type(outputs).__name__}. "
            f'Name the system: {{"A": outputs}}.'
        )
    return _complete(found, missing, are_prose=are_prose)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    outputs: tuple[tuple[str | None, ...], ...]
    references: tuple[tuple[str | None, ...], ...]
    sources: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    row_order: RowOrder | None = None


def _of_table(table: Texts, references: References) -> _Given:
    if table.references and references is not None:
        raise TableError(
            "The Texts have references, and others were passed too. Leave out references=, or make "
            "Texts without them."
        )
    if table.references:
        lists: tuple[tuple[str | None, ...], ...] = table.references
    else:
        lists = _references(references, n_segments=len(table.segments))
    return _Given(
        systems=table.systems,
        segments=table.segments,
        outputs=table.outputs,
        references=lists,
        sources=table.sources,
        groups=table.groups,
        notes=table.notes,
        row_order=table.row_order,
    )


def _of_mapping(outputs: Mapping[str, Any], references: References) -> _Given:
    systems = labels(outputs, what="system")
    lists = tuple(
        _lines(lines, what=f'The output of "{name}"')
        for name, lines in zip(systems, outputs.values(), strict=True)
    )
    n_segments = len(lists[0])
    for name, lines in zip(systems, lists, strict=True):
        if len(lines) != n_segments:
            raise TableError(
                f'The output of "{name}" has {len(lines):,} texts, but that of "{systems[0]}" has '
                f"{n_segments:,}. All systems must have the same segments in the same order."
            )
    if not n_segments:
        raise TableError(f'The output of "{systems[0]}" has no texts. Pass one text per segment.')
    checked = _references(references, n_segments=n_segments, systems=systems)
    return _Given(
        systems=systems,
        segments=numbers(n_segments),
        outputs=lists,
        references=checked,
        row_order=RowOrder(n_segments),
    )


def _references(
    given: References, *, n_segments: int, systems: Sequence[str] = ()
) -> tuple[tuple[str | None, ...], ...]:
    """Return the references, one tuple each, if they have the right shape."""
    if given is None:
        raise TableError("There are no references. Pass references=: a list of texts, one per segment.")
    if isinstance(given, str):
        raise TableError(
            f"references is a single text; a list of {n_segments:,} texts is needed, one per segment."
        )
    if isinstance(given, Mapping):
        names = [f'Reference "{name}"' for name in labels(given, what="reference", at_least=0)]
        parts: tuple[Any, ...] = tuple(given.values())
    else:
        parts = listed(given, what="references")
        if parts and all(isinstance(part, str | None) for part in parts):
            parts = (parts,)
        names = [f"Reference {i}" for i in range(1, len(parts) + 1)]
    if not parts:
        raise TableError("There are no references. Pass references=: a list of texts, one per segment.")
    lists = tuple(_lines(part, what=name) for name, part in zip(names, parts, strict=True))
    _check_shape(lists, names, n_segments=n_segments, systems=systems)
    return lists


def _check_shape(
    lists: Sequence[Sequence[str | None]], names: Sequence[str], *, n_segments: int, systems: Sequence[str]
) -> None:
    """Raise unless there are r lists of n texts, with a hint on transposing n lists of r texts."""
    lengths = {len(lines) for lines in lists}
    if lengths == {n_segments}:
        return
    if len(lists) == n_segments:
        per_segment = str(*lengths) if len(lengths) == 1 else f"{min(lengths)} to {max(lengths)}"
        turn = TURN if len(lengths) == 1 else TURN_UNEVEN
        raise TableError(
            f"references has the shape {n_segments:,} × {per_segment}, one list per segment; one list per reference "
            f"is needed, each with {n_segments:,} texts. Transpose it: {turn}."
        )
    name, wrong = next((n, x) for n, x in zip(names, lists, strict=True) if len(x) != n_segments)
    whose = f'the output of "{systems[0]}"' if systems else "the table"
    raise TableError(
        f"{name} has {len(wrong):,} texts, but {whose} has {n_segments:,}. Every reference needs one text per "
        f"segment, in the same order."
    )


def _lines(lines: Iterable[Any], *, what: str) -> tuple[str | None, ...]:
    if isinstance(lines, str):
        raise TableError(f"{what} is a single text; a list of texts is needed, one per segment.")
    found = listed(lines, what=what)
    # Checking all of them at once is many times faster; one by one is only needed for the message.
    if set(map(type, found)) == {str} and is_writable("".join(found)):
        return found
    for i, line in enumerate(found, 1):
        if line is not None and not isinstance(line, str):
            raise TableError(f"{what}, segment {i}: {type(line).__name__} found where a text is needed.")
        if line is not None and not is_writable(line):
            raise TableError(f"{what}, segment {i}: unpaired surrogate found. Decode the file as UTF-8.")
    return tuple(None if line is None else str.__str__(line) for line in found)


def _complete(given: _Given, missing: Missing, *, are_prose: bool) -> Parallel:
    """Raise for segments without a reference; treat missing outputs as requested."""
    bare = np.flatnonzero(
        np.logical_and.reduce([[line is None for line in lines] for lines in given.references])
    )
    if len(bare):
        places = some_of([given.segments[i] for i in bare])
        raise TableError(f"No reference for segment {places}. Every segment needs at least one.")
    with_gaps = [(s, lines) for s, lines in enumerate(given.outputs) if None in lines]
    gaps = [(s, i) for s, lines in with_gaps for i, line in enumerate(lines) if line is None]
    if gaps and missing == "raise":
        raise MissingScores(_gaps_told(given, gaps))
    dropped = {i for _, i in gaps} if missing == "drop" else set()
    kept = [i for i in range(len(given.segments)) if i not in dropped]
    if not kept:
        raise TableError(
            Message(
                "Every segment lacks an output, so {drop} leaves no segment.", drop=Option("missing", "drop")
            )
        )
    outputs = tuple(tuple(lines[i] or "" for i in kept) for lines in given.outputs)
    references = tuple(tuple(lines[i] for i in kept) for lines in given.references)
    sources = None if given.sources is None else tuple(given.sources[i] for i in kept)
    found = mismatches(given.systems, outputs, references, sources) if are_prose else ()
    warnings = [each.message for each in found]
    return Parallel(
        systems=given.systems,
        segments=tuple(given.segments[i] for i in kept),
        outputs=outputs,
        references=references,
        groups=None if given.groups is None else tuple(given.groups[i] for i in kept),
        notes=(*warnings, *given.notes, *_notes(len(gaps), len(dropped), missing)),
        row_order=given.row_order,
    )


def _gaps_told(given: _Given, gaps: Sequence[tuple[int, int]]) -> str:
    s = gaps[0][0]
    places = some_of([given.segments[i] for row, i in gaps if row == s])
    total = len(given.systems) * len(given.segments)
    return Message(
        '{n:,} of {total:,} outputs are missing ("{system}": segments {places}). Use {drop} to leave these segments '
        "out for all systems, or {empty} to count them as empty texts.",
        n=len(gaps),
        total=total,
        system=given.systems[s],
        places=places,
        drop=Option("missing", "drop"),
        empty=Option("missing", "empty"),
    )


def _notes(n_gaps: int, n_dropped: int, missing: Missing) -> list[str]:
    if missing == "drop" and n_dropped:
        return [f"{n_dropped:,} segments left out for all systems: an output is missing there."]
    if missing == "empty" and n_gaps:
        return [f"{n_gaps:,} missing outputs counted as empty texts."]
    return []


def order_of(value: object, *, what: str, at_least: int) -> int:
    """Return the length of the longest n-grams as an int, if it is one, large enough and not absurdly large."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < at_least:
        raise BetterThanError(f"{what} must be a whole number from {at_least}, not {value!r}.")
    check_count(what, int(value), MOST_ORDER)
    return int(value)
