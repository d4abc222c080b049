"""Uploads: the parts of a request into the run's folder, each kept under the digest of its bytes; and examples."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from betterthan import scratch
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import StoredFile, shown_name, suffix_of

_CHUNK = 1 << 20


def store_all(parts: Sequence[UploadFile], folder: RunFolder, *, most_files: int) -> tuple[StoredFile, ...]:
    """Keep the uploaded files of one request.

    Raises
    ------
    HTTPException
        400 when there is no file; 413 when there are too many.
    """
    uploads = _counted(parts, most_files)
    return tuple(store(part.file, part.filename or "file", folder) for part in uploads)


def _counted(parts: Sequence[UploadFile], most_files: int) -> list[UploadFile]:
    uploads = [
        part for part in parts if part.filename or part.size
    ]  # a browser sends an empty part for no file
    if not uploads:
        raise HTTPException(400, "No file came with the form. Choose at least one.")
    if len(uploads) > most_files:
        raise HTTPException(413, f"{len(uploads):,} files are too many; one upload may have {most_files:,}.")
    return uploads


def store(stream: IO[bytes], name: str, folder: RunFolder) -> StoredFile:
    """Keep one file under the digest of its bytes."""
    digest, size = hashlib.sha256(), 0
    handle, partial = tempfile.mkstemp(dir=folder.files, suffix=".partial")
    with os.fdopen(handle, "wb") as file:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            file.write(chunk)
    stored = StoredFile(name=shown_name(name), digest=digest.hexdigest(), suffix=suffix_of(name), size=size)
    Path(partial).replace(folder.files / stored.stored)
    return stored


def store_local(path: Path, folder: RunFolder) -> StoredFile:
    """Keep a copy of a file of this machine, named on the command line."""
    with path.open("rb") as stream:
        return store(stream, path.name, folder)


def free_bytes(folder: Path) -> int:
    """Return the number of free bytes where runs are kept."""
    return shutil.disk_usage(folder).free


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
