"""Uploads: the parts of a request into the run's folder, each kept under the digest of its bytes."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

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
