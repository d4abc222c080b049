"""Word tags that studies are run on: the demo campaign's, or those of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from betterthan.arrays import digest
from betterthan.errors import BetterThanError
from betterthan.examples.campaign import campaign
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any
from betterthan.results.study import Study
from betterthan.studies.request import StudyRequest, with_data
from betterthan.tables.tags import WordTags

TagData = WordTags | Mapping[str, WordTags] | str | Path | Sequence[str | Path]


class Tagged(NamedTuple):
    """Gold tags and those of several systems, with a name.

    Attributes
    ----------
    dataset : str
    tags : WordTags
    """

    dataset: str
    tags: WordTags


def read_tagged(data: TagData) -> tuple[Tagged, ...]:
    """Read word tags: of a table, of tables by name, or of folders with ``gold.tags`` and the tags of systems.

    Raises
    ------
    BetterThanError
        When what is named holds no word tags of two or more systems.

    Examples
    --------
    >>> (one,) = read_tagged(demo_tags()[0].tags)
    >>> one.dataset, len(one.tags.systems)
    ('tags', 4)
    """
    tagged = _named(data)
    usable = tuple(one for one in tagged if len(one.tags.systems) > 1)
    if not usable:
        raise _no_tags()
    return usable


def tagged_or_demo(request: StudyRequest, tagged: Sequence[Tagged] | None) -> tuple[Tagged, ...]:
    """Return the user's tags, or those of the demo campaign; scores are refused."""
    if request.setups:
        raise _no_tags()
    return tuple(tagged) if tagged else demo_tags()


def _no_tags() -> BetterThanError:
    return BetterThanError(
        "This study takes word tags: gold ones and those of two or more systems. Name a folder that has gold.tags, or "
        "a mapping of names to WordTags."
    )


def _named(data: TagData) -> list[Tagged]:
    if isinstance(data, WordTags):
        return [Tagged("tags", data)]
    if isinstance(data, Mapping):
        return [Tagged(str(name), tags) for name, tags in data.items() if isinstance(tags, WordTags)]
    several = [data] if isinstance(data, str | Path) else data
    if not isinstance(several, Sequence):
        raise _no_tags()
    tagged = []
    for path in several:
        tables = [one for one in read_any(str(path), Options()).tables if isinstance(one, WordTags)]
        tagged += [Tagged(_name(tags, Path(path), len(tables)), tags) for tags in tables]
    return tagged


def _name(tags: WordTags, path: Path, n_tables: int) -> str:
    """The language pair, which stands before the names of segments when a folder has several; else the folder."""
    return tags.segments[0].partition(":")[0] if n_tables > 1 else path.name


@cache
def demo_tags() -> tuple[Tagged, ...]:
    """Return the tags of the demo campaign: four taggers on the output of one system.

    Examples
    --------
    >>> demo_tags()[0].tags
    WordTags(4 systems, 300 segments, 4,088 words, 27.6% BAD)
    """
    demo = campaign()
    lines = [demo.tags.gold, *demo.tags.predicted.values()]
    flags = [np.array([tag == "BAD" for line in some for tag in line]) for some in lines]
    return (
        Tagged(
            "demo",
            WordTags(
                systems=tuple(demo.tags.predicted),
                segments=demo.segments,
                gold=flags[0],
                predicted=np.stack(flags[1:]),
                offsets=np.cumsum([0, *(len(line) for line in demo.tags.gold)]),
            ),
        ),
    )


def tagged_digest(tagged: Sequence[Tagged]) -> str:
    """Return eight hexadecimal digits that change whenever a name or a tag does."""
    return digest(*((one.dataset, one.tags.digest) for one in tagged))


def with_tags(study: Study, tagged: Sequence[Tagged], *, is_demo: bool) -> Study:
    """Return the result with the notes of the tags, and their digest in its settings."""
    return with_data(
        study,
        notes=(note for one in tagged for note in one.tags.notes),
        data=tagged_digest(tagged),
        demo_instead_of="word tags" if is_demo else "",
    )
