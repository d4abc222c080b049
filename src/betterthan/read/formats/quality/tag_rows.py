"""Submissions to the word-level tasks of WMT20 to WMT23: a row a word, ``LP METHOD TYPE SENT_ID WORD_IDX WORD TAG``.

TYPE is mt, gap or source. Words are put in order by their number, not by their line. The gold labels of WMT21 have the
same layout, in files that end in ``.tags``.
"""

from __future__ import annotations

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.quality.quality_rows import (
    Account,
    Cells,
    Layout,
    guess,
    is_count,
    named,
    rows_of,
)
from betterthan.read.formats.quality.tag_labels import IS_BAD, Collector, Labelling, Labellings, tag
from betterthan.read.formats.quality.tag_match import reading_of
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="tag_rows",
    kind="tags",
    description="OK or BAD for each word, a row a word: lp, method, type, sentence, word number, word, tag",
)
_TYPES = {
    "mt": "mt",
    "target": "mt",
    "tgt": "mt",
    "gap": "gap",
    "gaps": "gap",
    "source": "source",
    "src": "source",
}


def _looks_like(cells: Cells) -> bool:
    """Whether a row has a type, two numbers and a tag in their places."""
    known = cells[2].strip().casefold() in _TYPES and cells[6].strip().casefold() in IS_BAD
    return known and is_count(cells[3]) and is_count(cells[4])


LAYOUT = Layout(columns=("type", "sent_id", "word_idx", "word", "tag"), looks_like=_looks_like)

Words = dict[tuple[str, str, str], dict[int, tuple[str, bool, int]]]


def sniff(source: Source) -> Guess | None:
    """Recognise rows with a type, two numbers and a tag, behind at most three lines about the submission."""
    return guess(source, LAYOUT, 0.99)


def read(source: Source, options: Options) -> Reading:
    """Read the file; a table comes of it where it holds the truth and a system."""
    return reading_of(labellings(source), FORMAT, sniff(source), options)


def labellings(source: Source, *, side: str | None = None) -> Labellings:
    """Return the tags of one side: as asked for, else the only one, else those of the translation.

    Raises
    ------
    ReadError
        For a type that is not known (BT306), a side that is not there (BT308), words that are numbered twice or not
        at all (BT303), and what is no tag (BT140).
    """
    account = Account()
    words: dict[str, Words] = {}
    unknown: dict[str, int] = {}
    for line, cells in rows_of(source, LAYOUT, account):
        kind = _TYPES.get(cells[2].strip().casefold())
        if kind is None:
            unknown[cells[2].strip()] = unknown.get(cells[2].strip(), 0) + 1
            continue
        _add(words.setdefault(kind, {}), cells, source, line)
    if unknown:
        raise _unknown(unknown, source)
    kind = _chosen(words, side, source)
    for other, of_other in words.items():
        if other != kind:
            account.dropped[f'side "{other}"'] = sum(map(len, of_other.values()))
    return Labellings(
        found=_collected(words.get(kind, {}), kind, source),
        rows_read=account.n_rows,
        dropped=account.dropped,
        notes=(*account.notes(source.name), *_side_note(words, kind, source)),
        row_is_word=True,
    )


def _add(words: Words, cells: Cells, source: Source, line: int) -> None:
    pair, name, segment = named([cells[0], cells[1], cells[3]], source, line)
    if not is_count(cells[4]):
        raise ReadError(
            f'"{cells[4][:40]}" is no number of a word. Count words 0, 1, 2, …',
            path=source.name,
            line=line,
            code="BT303",
        )
    sentence = words.setdefault((pair, name, segment), {})
    place = int(cells[4])
    if place in sentence:
        raise ReadError(
            f"Word {place} of sentence {segment[:40]} by {quoted(name)} was already tagged in line "
            f"{sentence[place][2]}. Remove one of the two.",
            path=source.name,
            line=line,
            code="BT303",
        )
    sentence[place] = (cells[5].strip(), tag(cells[6].strip(), source, line), line)


def _chosen(words: dict[str, Words], side: str | None, source: Source) -> str:
    if side is not None and words and side not in words:
        raise ReadError(
            f'There are no tags of side "{side}", only of {some_of(sorted(words))}. Choose one of these.',
            path=source.name,
            code="BT308",
        )
    if side is not None:
        return side
    return "mt" if "mt" in words or not words else min(words)


def _side_note(words: dict[str, Words], kind: str, source: Source) -> tuple[str, ...]:
    others = sorted(words.keys() - {kind})
    if not others:
        return ()
    return (f'{source.name}: tags of side "{kind}" are taken; there are also tags of {some_of(others)}.',)


def _collected(words: Words, kind: str, source: Source) -> tuple[Labelling, ...]:
    # Gaps have no word of their own to be compared.
    collector = Collector(source, "gap" if kind == "gap" else "word", has_texts=kind != "gap")
    for key, sentence in words.items():
        order = sorted(sentence)
        start = min(order[0], 1)  # words are counted from 0, by some from 1
        absent = next((i for i, place in enumerate(order, start) if place != i), None)
        first = sentence[order[0]][2]
        if absent is not None:
            raise ReadError(
                f"Word {absent} of sentence {key[2][:40]} by {quoted(key[1])} has no tag. Number all words 0, 1, 2, …",
                path=source.name,
                line=first,
                code="BT303",
            )
        text = " ".join(sentence[place][0] for place in order)
        collector.add(key, text, [sentence[place][1] for place in order], first)
    return collector.labellings()


def _unknown(unknown: dict[str, int], source: Source) -> ReadError:
    listed = [f'"{kind[:40]}": {count}' for kind, count in sorted(unknown.items(), key=lambda item: -item[1])]
    return ReadError(
        f"Unknown types of tags: {some_of(listed)}. Known are mt, gap and source. Correct them or remove the rows.",
        path=source.name,
        code="BT306",
    )
