"""Tags of the sentences of a system, and tags of several systems matched with the gold tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.errors import ReadError
from betterthan.messages import Message
from betterthan.read.formats.quality.quality_rows import order_of, truth_and_systems
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading, reason
from betterthan.read.source.source import Source
from betterthan.tables.tags import WordTags

# One labeling: the OK and BAD tags of one system or the gold tags, before matching.


Unit = Literal["word", "gap", "character"]
IS_BAD = {"ok": False, "good": False, "bad": True}
END = "<EOS>"
_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling:
    """Tags of the sentences of one language pair by one system, or the gold tags.

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
        """Its contents in one line."""
        share = f"{100 * self.bad.mean():.1f}%" if self.bad.size else "undefined"
        what = {"word": "tags", "gap": "tags of gaps", "character": "characters"}[self.unit]
        return f"Sentences: {self.n_sentences:,}; {what}: {self.bad.size:,}; BAD: {share}."

    def taken(self, order: Sequence[int] | IntArray) -> Labelling:
        """Return the sentences with these numbers, in this order."""
        index = np.asarray(order, dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(self.lengths)])
        lengths = self.lengths[index]
        # Index of a word: start of its sentence plus its position.
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
    """Contents of a file: labelings, rows read, rows left out by reason, notes, and the meaning of a row."""

    parts: tuple[Labelling, ...]
    rows_read: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    row_is_word: bool = False

    @property
    def summaries(self) -> tuple[str, ...]:
        """One line per labeling, the first dozen."""
        lines = [f"{one.pair} {one.name}: {one.summary}".strip() for one in self.parts]
        more = [f"… and {len(lines) - _SHOWN} more."] if len(lines) > _SHOWN else []
        return (*lines[:_SHOWN], *more)


@dataclass(slots=True)
class Collector:
    """Sentences in the order of the file, by language pair and system."""

    source: Source
    unit: Unit
    has_texts: bool = True
    _parts: dict[tuple[str, str], dict[str, tuple[str, list[bool]]]] = field(default_factory=dict)

    def add(self, key: tuple[str, str, str], text: str, bad: list[bool], line: int) -> None:
        """Add a sentence.

        Raises
        ------
        ReadError
            When it already exists (BT101).
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
        """Return one labeling for each language pair and system.

        Raises
        ------
        ReadError
            When there is none (BT011).
        """
        if not self._parts:
            raise ReadError(
                "There is no row. Check the program that wrote the file.", path=self.source.name, code="BT011"
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
    raise source.error(f'{where} is "{shown}", but it must be OK or BAD.', line=line, code="BT140")


def split_words(text: str) -> list[str]:
    """Split at blanks and tabs; a no-break space is part of a word."""
    return [word for word in text.replace("\t", " ").split(" ") if word]


# Matching of labelings of the same sentences, by id and word by word, into one table.


TAGS_ALONE = "tags_alone"
ALONE = Message(
    "One file of tags does not evaluate a system; read it together with the gold tags: GOLD PREDICTION.",
    code=TAGS_ALONE,
)


def reading_of(held: Labellings, format: Format, guess: Guess | None, options: Options) -> Reading:  # noqa: A002
    """Account for a file of labelings: one table per language pair that has gold tags and a system."""
    tables, n_other = [], 0
    for pair in dict.fromkeys(one.pair for one in held.parts):
        here = [one for one in held.parts if one.pair == pair]
        if options.language_pair not in (None, pair):
            n_other += sum(one.bad.size if held.row_is_word else one.n_sentences for one in here)
            continue
        truth, systems = truth_and_systems(here)
        if len(truth) == 1 and systems:
            tables.append(matched(truth[0], systems))
    alone = () if tables else (ALONE,)
    dropped = {**held.dropped, **({"another language pair": n_other} if n_other else {})}
    return Reading(
        format=format,
        because=reason(guess),
        tables=tuple(tables),
        rows_read=held.rows_read,
        rows_kept=held.rows_read - sum(dropped.values()),
        dropped=dropped,
        notes=(*held.summaries, *held.notes, *(note for table in tables for note in table.notes), *alone),
    )


def matched(truth: Labelling, systems: Sequence[Labelling], *, notes: Sequence[str] = ()) -> WordTags:
    """Return gold and predicted tags of the same words as a table.

    Sentences are paired by their ids; where one of two files has none, by order, if the ids of the other are
    consecutive.

    Raises
    ------
    ReadError
        When a system lacks a sentence (BT304), or differs in lines (BT141), tags (BT142) or words (BT302), or tags
        units other than words (BT309).
    """
    all_notes = list(notes)
    aligned = []
    for system in systems:
        one = _same_unit(truth, _same_sentences(truth, system, all_notes))
        _check_words(truth, one)
        _check_lengths(truth, one)
        aligned.append(one.bad)
    segments = truth.ids or tuple(str(i) for i in range(1, truth.n_sentences + 1))
    return WordTags(
        systems=tuple(system.name for system in systems),
        segments=segments,
        gold=truth.bad,
        predicted=np.stack(aligned),
        offsets=np.concatenate([[0], np.cumsum(truth.lengths)]),
        notes=tuple(dict.fromkeys(all_notes)),
    )


def _same_sentences(truth: Labelling, system: Labelling, notes: list[str]) -> Labelling:
    """Return the sentences of a system in the order of the gold tags."""
    if system.ids is None and truth.ids is None:
        _check_count(truth, system)
        return system
    if system.ids is None or truth.ids is None:
        return _by_order(truth, system)
    place = {name: i for i, name in enumerate(system.ids)}
    absent = [name for name in truth.ids if name not in place]
    if absent:
        raise ReadError(
            f"Sentences that {quoted(system.name)} did not tag, but {truth.path} has: {len(absent):,} "
            f"(the first is {absent[0][:40]}). Tag every sentence.",
            path=system.path,
            code="BT304",
        )
    extra = system.n_sentences - truth.n_sentences
    if extra:
        notes.append(f"{system.path}: sentences without gold tags, left out: {extra:,}.")
    return system.taken([place[name] for name in truth.ids])


def _check_count(truth: Labelling, system: Labelling) -> None:
    if truth.n_sentences != system.n_sentences:
        raise ReadError(
            f"This file has {system.n_sentences:,} lines, but {truth.path} has {truth.n_sentences:,}. "
            f"Line k of both must be sentence k.",
            path=system.path,
            code="BT141",
        )


def _by_order(truth: Labelling, system: Labelling) -> Labelling:
    """Pair line k of a file without ids with number k of the other."""
    counted = truth if system.ids is None else system
    order = order_of(counted.ids or (), path=counted.path)
    _check_count(truth, system)
    return system.taken(order if counted is system else np.argsort(order))


def _same_unit(truth: Labelling, system: Labelling) -> Labelling:
    """Return a system's tags in the unit of the gold tags; spans of characters become tags of words."""
    if truth.unit == system.unit:
        return system
    if truth.unit == "word" and system.unit == "character" and truth.texts is not None:
        return _on_words(truth, system)
    raise ReadError(
        f"Here every {system.unit} has a tag, but in {truth.path} every {truth.unit}. "
        f"Compare words with words (or spans with words), gaps with gaps and spans with spans.",
        path=system.path,
        code="BT309",
    )


def _on_words(truth: Labelling, system: Labelling) -> Labelling:
    starts = np.concatenate([[0], np.cumsum(system.lengths)]).tolist()
    marks = system.bad.tolist()
    tags: list[bool] = []
    for i, (text, words) in enumerate(zip(system.texts or (), truth.texts or (), strict=True)):
        bad = on_words(text, marks[starts[i] : starts[i + 1]], words.split(" ") if words else [])
        if bad is None:
            raise _other_words(
                truth, system, i, f'"{_short(text)}" is not the text of the words "{_short(words)}"'
            )
        tags += bad
    return replace(
        system, unit="word", bad=np.array(tags, dtype=np.bool_), lengths=truth.lengths, texts=truth.texts
    )


def _check_words(truth: Labelling, system: Labelling) -> None:
    """Raise where words differ after lowercasing, as in the task's scorer."""
    if truth.texts is None or system.texts is None:
        return
    for i, (one, other) in enumerate(zip(truth.texts, system.texts, strict=True)):
        if one.lower() == other.lower():
            continue
        ours, theirs = other.lower().split(" "), one.lower().split(" ")
        if abs(len(ours) - len(theirs)) == 1 and (ours[-1] == END.lower()) != (theirs[-1] == END.lower()):
            raise _other_words(truth, system, i, f"only one of the files has a tag for the end ({END})")
        k = next((k for k, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
        if k is None:
            raise _other_words(truth, system, i, f"there are {len(ours)} words here and {len(theirs)} there")
        raise _other_words(
            truth, system, i, f'word {k + 1} is "{_short(ours[k])}" here and "{_short(theirs[k])}" there'
        )


def _other_words(truth: Labelling, system: Labelling, i: int, what: str) -> ReadError:
    name = truth.ids[i] if truth.ids is not None else i + 1
    return ReadError(
        f"Sentence {str(name)[:40]} of {quoted(system.name)} and of {truth.path} are not the same: {what}. "
        f"Tag the same words.",
        path=system.path,
        code="BT302",
    )


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"


def _check_lengths(truth: Labelling, system: Labelling) -> None:
    different = np.flatnonzero(truth.lengths != system.lengths)
    if not different.size:
        return
    i = int(different[0])
    theirs, ours = int(truth.lengths[i]), int(system.lengths[i])
    has_lines = truth.ids is None and system.ids is None
    what = "line" if has_lines else f"sentence ({(truth.ids or system.ids or ())[i]})"
    raise ReadError(
        f"This {what} has {ours} tags, but the same {what.partition(' ')[0]} of {truth.path} has {theirs}. "
        f"{_cure(theirs, ours)}",
        path=system.path,
        line=i + 1 if has_lines else None,
        code="BT142",
    )


def _cure(one: int, other: int) -> str:
    if max(one, other) == 2 * min(one, other) + 1:
        return "The longer one seems to have gap tags (2N + 1); keep every second tag."
    return "Tag the same words in both."


def on_words(text: str, bad: Sequence[bool], words: Sequence[str]) -> list[bool] | None:
    r"""Convert tags of characters to tags of words: a word that overlaps a span is BAD.

    A BAD blank between OK characters means an omission and makes the next word BAD; the position after the last
    character belongs to the last word if that is ``<EOS>``.

    Returns
    -------
    list of bool, or None
        None when the words are not those of the text.

    Examples
    --------
    >>> text = "The cat sat."
    >>> bad = [place in (3, 12) for place in range(13)]
    >>> on_words(text, bad, ["The", "cat", "sat", ".", "<EOS>"])
    [False, True, False, False, True]
    """
    tags, place = [], 0
    for word in words:
        behind = place
        while place < len(text) and text[place].isspace():
            place += 1
        if word == END and place == len(text):
            tags.append(any(bad[behind:]))
            place = len(text) + 1
            continue
        end = _end_of(text, word, place)
        if end is None:
            return None
        gap = any(bad[behind:place]) and not (behind and bad[behind - 1])
        tags.append(any(bad[place:end]) or gap)
        place = end
    return tags if not text[place:].strip() else None


def _end_of(text: str, word: str, place: int) -> int | None:
    """Return the end of a word that begins at a position of a text, case ignored."""
    end = place + len(word)
    return end if text[place:end].lower() == word.lower() else None
