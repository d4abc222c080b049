"""One labelling: who said OK or BAD of which words, before it is held against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.errors import ReadError
from betterthan.read.grid.grid import quoted
from betterthan.read.source.source import Source

Unit = Literal["word", "gap", "character"]
IS_BAD = {"ok": False, "good": False, "bad": True}
END = "<EOS>"
_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling:
    """Tags of the sentences of one language pair by one system, or the truth.

    Attributes
    ----------
    name, path, pair : str
        The system, the file as the user named it, and the language pair ("" where the file has none).
    unit : {"word", "gap", "character"}
        What has a tag.
    bad : array of bool, shape (tags,)
    lengths : array of int, shape (sentences,)
    ids : tuple of str, optional
        The sentences; None where only their order is known.
    texts : tuple of str, optional
        The words of each sentence with blanks between them, or its characters.
    """

    name: str
    path: str
    pair: str
    unit: Unit
    bad: BoolArray
    lengths: IntArray
    ids: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return self.lengths.size

    @property
    def summary(self) -> str:
        """What it holds, in a line."""
        share = f"{100 * self.bad.mean():.1f} %" if self.bad.size else "undefined"
        what = {"word": "tags", "gap": "tags of gaps", "character": "characters"}[self.unit]
        return f"Sentences: {self.n_sentences:,}; {what}: {self.bad.size:,}; BAD: {share}."

    def taken(self, order: Sequence[int] | IntArray) -> Labelling:
        """Return the sentences with these numbers, in this order."""
        index = np.asarray(order, dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(self.lengths)])
        lengths = self.lengths[index]
        # The words of a sentence stay together: its start, and how far a word is from it.
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return replace(
            self,
            bad=self.bad[np.repeat(starts[:-1][index], lengths) + within],
            lengths=lengths,
            ids=None if self.ids is None else tuple(self.ids[i] for i in index.tolist()),
            texts=None if self.texts is None else tuple(self.texts[i] for i in index.tolist()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Labellings:
    """What a file holds: labellings, rows read, rows left out by reason, notes, and what a row is."""

    found: tuple[Labelling, ...]
    rows_read: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    row_is_word: bool = False

    @property
    def summaries(self) -> tuple[str, ...]:
        """A line a labelling, the first dozen."""
        lines = [f"{one.pair} {one.name}: {one.summary}".strip() for one in self.found]
        more = [f"… and {len(lines) - _SHOWN} more."] if len(lines) > _SHOWN else []
        return (*lines[:_SHOWN], *more)


@dataclass(slots=True)
class Collector:
    """Sentences as they come, by language pair and system."""

    source: Source
    unit: Unit
    has_texts: bool = True
    _parts: dict[tuple[str, str], dict[str, tuple[str, list[bool]]]] = field(default_factory=dict)

    def add(self, key: tuple[str, str, str], text: str, bad: list[bool], line: int) -> None:
        """Add a sentence.

        Raises
        ------
        ReadError
            When it is there already (BT101).
        """
        pair, name, segment = key
        sentences = self._parts.setdefault((pair, name), {})
        if segment in sentences:
            raise ReadError(
                f"Segment {segment[:40]} of {quoted(name)} ({pair[:20]}) was already given. Remove one of the two.",
                path=self.source.name,
                line=line,
                code="BT101",
            )
        sentences[segment] = (text, bad)

    def labellings(self) -> tuple[Labelling, ...]:
        """Return one labelling for each language pair and system.

        Raises
        ------
        ReadError
            When there is none (BT011).
        """
        if not self._parts:
            raise ReadError(
                "There is no row. Check what wrote the file.", path=self.source.name, code="BT011"
            )
        return tuple(
            Labelling(
                name=name,
                path=self.source.name,
                pair=pair,
                unit=self.unit,
                bad=np.array([bad for _, tags in sentences.values() for bad in tags], dtype=np.bool_),
                lengths=np.array([len(tags) for _, tags in sentences.values()], dtype=np.int64),
                ids=tuple(sentences),
                texts=tuple(text for text, _ in sentences.values()) if self.has_texts else None,
            )
            for (pair, name), sentences in self._parts.items()
        )


def tag(word: str, source: Source, line: int, position: int | None = None) -> bool:
    """Return whether a tag is BAD.

    Raises
    ------
    ReadError
        When it is neither OK (or GOOD) nor BAD (BT140).
    """
    bad = IS_BAD.get(word.casefold())
    if bad is not None:
        return bad
    shown = word if len(word) <= 40 else word[:40] + "…"
    where = "The tag" if position is None else f"Tag {position}"
    raise ReadError(
        f'{where} is "{shown}", but it must be OK or BAD.', path=source.name, line=line, code="BT140"
    )


def split_words(text: str) -> list[str]:
    """Return what stands between blanks and tabs; a no-break space is part of a word."""
    return [word for word in text.replace("\t", " ").split(" ") if word]
