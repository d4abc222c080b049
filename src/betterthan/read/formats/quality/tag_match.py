"""Labellings held against each other: the same sentences by their ids, the same words, one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.formats.quality.quality_pairs import order_of, truth_and_systems
from betterthan.read.formats.quality.tag_labels import END, Labelling, Labellings
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.tables.tags import WordTags

ALONE = "One file of tags says nothing about a system; read it together with the gold tags: GOLD PREDICTION."


def reading_of(held: Labellings, format: Format, guess: Guess | None, options: Options) -> Reading:  # noqa: A002
    """Account for a file of labellings: one table a language pair that has the truth and a system."""
    tables, n_other = [], 0
    for pair in dict.fromkeys(one.pair for one in held.found):
        here = [one for one in held.found if one.pair == pair]
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
        because=guess.because if guess else "the format was named",
        tables=tuple(tables),
        rows_read=held.rows_read,
        rows_kept=held.rows_read - sum(dropped.values()),
        dropped=dropped,
        notes=(*held.summaries, *held.notes, *(note for table in tables for note in table.notes), *alone),
    )


def matched(truth: Labelling, systems: Sequence[Labelling], *, notes: Sequence[str] = ()) -> WordTags:
    """Return gold and predicted tags of the same words as a table.

    Sentences are paired by their ids; where one of two files has none, by order, if the ids of the other count them.

    Raises
    ------
    ReadError
        When a system lacks a sentence (BT304), or differs in lines (BT141), tags (BT142) or words (BT302), or tags
        something else than words (BT309).
    """
    told = list(notes)
    aligned = []
    for system in systems:
        one = _same_unit(truth, _same_sentences(truth, system, told))
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
        notes=tuple(dict.fromkeys(told)),
    )


def _same_sentences(truth: Labelling, system: Labelling, told: list[str]) -> Labelling:
    """Return the sentences of a system in the order of the truth."""
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
        told.append(f"{system.path}: sentences without gold tags, left out: {extra:,}.")
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
    """Return a system's tags of what the truth has tags of; spans of characters become tags of words."""
    if truth.unit == system.unit:
        return system
    if truth.unit == "word" and system.unit == "character" and truth.texts is not None:
        return _on_words(truth, system)
    raise ReadError(
        f"Here every {system.unit} has a tag, but in {truth.path} every {truth.unit}. "
        f"Hold words against words (or spans against words), gaps against gaps and spans against spans.",
        path=system.path,
        code="BT309",
    )


def _on_words(truth: Labelling, system: Labelling) -> Labelling:
    from betterthan.read.formats.quality.tag_spans import on_words  # noqa: PLC0415  (that module reads by way of this one)

    starts = np.concatenate([[0], np.cumsum(system.lengths)]).tolist()
    marks = system.bad.tolist()
    tags: list[bool] = []
    for i, (text, words) in enumerate(zip(system.texts or (), truth.texts or (), strict=True)):
        found = on_words(text, marks[starts[i] : starts[i + 1]], words.split(" ") if words else [])
        if found is None:
            raise _other_words(
                truth, system, i, f'"{_short(text)}" is no text of the words "{_short(words)}"'
            )
        tags += found
    return replace(
        system, unit="word", bad=np.array(tags, dtype=np.bool_), lengths=truth.lengths, texts=truth.texts
    )


def _check_words(truth: Labelling, system: Labelling) -> None:
    """Raise where words differ after lowercasing, as the task's scorer compares them."""
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
