"""Examples to begin with: the demo campaign's files, one question each."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from betterthan import scratch
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import StoredFile
from betterthan.web.runs.uploads import store


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Files of the campaign that answer a question together."""

    name: str
    title: str
    about: str
    files: tuple[str, ...]


EXAMPLES: dict[str, Example] = {
    example.name: example
    for example in (
        Example(
            name="scores",
            title="Eight systems, human scores",
            about="Which system is best, and how sure are we?",
            files=("human.csv",),
        ),
        Example(
            name="battles",
            title="Votes between pairs of systems",
            about="An arena: who would win?",
            files=("battles.csv",),
        ),
        Example(
            name="meta",
            title="Four metrics and human judgments",
            about="Which metric can we trust?",
            files=("metrics.tsv", "human.csv"),
        ),
        Example(
            name="texts",
            title="Translations and a reference",
            about="BLEU, chrF and TER of three systems.",
            files=(
                "texts/source.txt",
                "texts/reference.txt",
                "texts/Aster.txt",
                "texts/Birch.txt",
                "texts/Daphne.txt",
            ),
        ),
        Example(
            name="tags",
            title="Words tagged OK or BAD",
            about="Which tagger finds the mistakes?",
            files=(
                "tags/gold.tags",
                "tags/output.mt",
                "tags/Finch.tags",
                "tags/Heron.tags",
                "tags/Wren.tags",
            ),
        ),
    )
}


def store_example(example: Example, folder: RunFolder) -> tuple[StoredFile, ...]:
    """Keep the files of an example as if they had been uploaded."""
    contents = _campaign()
    return tuple(store(io.BytesIO(contents[name]), name, folder) for name in example.files)


@cache
def _campaign() -> dict[str, bytes]:
    """Return the files of the demo campaign, made once."""
    from betterthan.examples.campaign import campaign  # noqa: PLC0415  (not every server shows an example)
    from betterthan.examples.write import write_campaign  # noqa: PLC0415

    with TemporaryDirectory(prefix="example-", dir=scratch.folder()) as folder:
        paths = write_campaign(folder, campaign())
        return {path.relative_to(Path(folder)).as_posix(): path.read_bytes() for path in paths}
