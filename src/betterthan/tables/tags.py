"""WordTags: OK/BAD labels of words, gold and predicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from betterthan.arrays import BoolArray, IntArray, digest
from betterthan.errors import TableError, unknown_name
from betterthan.messages import Message, Option
from betterthan.tables.checks import (
    Frozen,
    bool_array,
    fields_from,
    group_labels,
    index_array,
    labels,
    note_texts,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordTags(Frozen):
    """Labels of w words in n segments: gold tags, and predictions of m systems.

    Parameters
    ----------
    systems : sequence of str
        m distinct names.
    segments : sequence of str
        n distinct ids.
    gold : array_like of bool, shape (w,)
        True where the word is BAD.
    predicted : array_like of bool, shape (m, w)
    offsets : array_like of int, shape (n + 1,)
        Words of segment i are ``offsets[i] : offsets[i + 1]``.
    groups : sequence of str, optional
        The document of each segment.
    notes : sequence of str

    Examples
    --------
    >>> tags = WordTags(systems=["A"], segments=["1", "2"], gold=[True, False, False],
    ...                 predicted=[[True, True, False]], offsets=[0, 2, 3])
    >>> tags
    WordTags(1 systems, 2 segments, 3 words, 33.3% BAD)
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    gold: BoolArray
    predicted: BoolArray
    offsets: IntArray
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "systems", labels(self.systems, what="system"))
        put(self, "segments", labels(self.segments, what="segment"))
        put(self, "gold", bool_array(self.gold, shape=(None,), what="Gold tags"))
        shape = (len(self.systems), self.gold.size)
        put(
            self,
            "predicted",
            bool_array(self.predicted, shape=shape, what="Predicted tags (systems × words)"),
        )
        n_segments = len(self.segments)
        offsets = index_array(self.offsets, length=n_segments + 1, below=self.gold.size + 1, what="offsets")
        if offsets[0] != 0 or offsets[-1] != self.gold.size or (np.diff(offsets) < 0).any():
            raise TableError(f"offsets must increase from 0 to the number of words, {self.gold.size}.")
        put(self, "offsets", offsets)
        put(self, "groups", group_labels(self.groups, n_segments=n_segments))
        put(self, "notes", note_texts(self.notes, system=self.systems))

    @property
    def n_words(self) -> int:
        """Number of words, w."""
        return self.gold.size

    @property
    def segment_of_word(self) -> IntArray:
        """Index of the segment of each word, shape (w,)."""
        return np.repeat(np.arange(len(self.segments)), np.diff(self.offsets))

    def side(self, side: Literal["mt", "gap"]) -> Self:
        """Return the tags of words ("mt") or of gaps ("gap"), from alternating tags.

        Gap tags are before the first word, between words and after the last: 2N + 1 tags for N words.

        Raises
        ------
        TableError
            When a segment has an even number of tags.

        Examples
        --------
        >>> tags = WordTags(systems=["A"], segments=["1"], gold=[False, True, False], predicted=[[False] * 3],
        ...                 offsets=[0, 3])
        >>> tags.side("mt").gold, tags.side("gap").gold
        (array([ True]), array([False, False]))
        """
        if side not in ("mt", "gap"):
            raise unknown_name("side", side, ("gap", "mt"))
        lengths = np.diff(self.offsets)
        even = np.flatnonzero(lengths % 2 == 0)
        if even.size:
            raise TableError(
                Message(
                    "Segment {segment} has {n} tags; with gap tags there would be an odd number (2N + 1). "
                    "Leave out {side} if every tag belongs to a word.",
                    segment=self.segments[even[0]],
                    n=lengths[even[0]],
                    side=Option("side", side),
                )
            )
        place = np.arange(self.n_words) - np.repeat(self.offsets[:-1], lengths)
        kept = place % 2 == (1 if side == "mt" else 0)
        numbers = lengths // 2 if side == "mt" else lengths // 2 + 1
        return replace(
            self,
            gold=self.gold[kept],
            predicted=self.predicted[:, kept],
            offsets=np.concatenate([[0], np.cumsum(numbers)]),
        )

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label or a tag does."""
        return digest((self.systems, self.segments, self.groups), self.gold, self.predicted, self.offsets)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data."""
        return {
            "kind": "word_tags",
            "systems": list(self.systems),
            "segments": list(self.segments),
            "gold": self.gold.tolist(),
            "predicted": self.predicted.tolist(),
            "offsets": self.offsets.tolist(),
            "groups": None if self.groups is None else list(self.groups),
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        return cls(**fields_from(data, cls, kind="word_tags"))

    def __repr__(self) -> str:
        share = f", {100 * self.gold.mean():.1f}% BAD" if self.n_words else ""
        size = f"{len(self.systems)} systems, {len(self.segments)} segments, {self.n_words:,} words"
        return f"WordTags({size}{share})"
