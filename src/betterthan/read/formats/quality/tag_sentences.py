"""Word labels of WMT22 and WMT23, a row a sentence: ``lp name sid mt mttok tags``, with or without a header.

``mttok`` are the words with blanks between them; they end in ``<EOS>``, which has a tag of its own.
"""

from __future__ import annotations

from betterthan.errors import ReadError
from betterthan.read.formats.quality.quality_rows import (
    Account,
    Cells,
    Layout,
    guess,
    is_count,
    named,
    rows_of,
)
from betterthan.read.formats.quality.tag_labels import END, IS_BAD, Collector, Labellings, split_words, tag
from betterthan.read.formats.quality.tag_match import reading_of
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="tag_sentences",
    kind="tags",
    description="OK or BAD for each word, a row a sentence: lp, name, sid, mt, mttok and tags",
)


def _looks_like(cells: Cells) -> bool:
    """Whether a row ends with as many tags as it has words."""
    tags = split_words(cells[5])
    return (
        is_count(cells[2])
        and len(tags) == len(split_words(cells[4]))
        and all(t.casefold() in IS_BAD for t in tags)
    )


LAYOUT = Layout(columns=("sid", "mt", "mttok", "tags"), looks_like=_looks_like)


def sniff(source: Source) -> Guess | None:
    """Recognise the names of the columns, or six cells that end with words and as many tags."""
    return guess(source, LAYOUT, 0.99)


def read(source: Source, options: Options) -> Reading:
    """Read the file; a table comes of it where it holds the truth and a system."""
    return reading_of(labellings(source), FORMAT, sniff(source), options)


def labellings(source: Source, *, side: str | None = None) -> Labellings:
    """Return the tags of the words of each language pair and system.

    Raises
    ------
    ReadError
        When words and tags differ in number (BT142), something is no tag (BT140), or gaps are asked for (BT308).
    """
    if side not in (None, "mt"):
        raise ReadError(
            f'There are no tags of side "{side}", only of mt. Choose that.', path=source.name, code="BT308"
        )
    account = Account()
    collector = Collector(source, "word")
    n_ends = 0
    for line, cells in rows_of(source, LAYOUT, account):
        words, tags = split_words(cells[4]), split_words(cells[5])
        if len(words) != len(tags):
            raise ReadError(
                f"This row has {len(words)} words (mttok), but {len(tags)} tags. Tag every word, {END} included.",
                path=source.name,
                line=line,
                code="BT142",
            )
        n_ends += words[-1:] == [END]
        bad = [tag(word, source, line, position) for position, word in enumerate(tags, 1)]
        collector.add(named(cells, source, line), " ".join(words), bad, line)
    ends = f"{source.name}: {END} has a tag of its own in {n_ends:,} sentences, and is scored with the words."
    return Labellings(
        found=collector.labellings(),
        rows_read=account.n_rows,
        dropped=account.dropped,
        notes=(*account.notes(source.name), *([ends] if n_ends else [])),
    )
