"""Atomic writing of files."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from betterthan.errors import BetterThanError


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """Yield the path of a new, empty file that becomes `path` when written, and is removed after an error.

    The new file is in the same folder under a new, unpredictable name, so that a link planted in a shared folder cannot
    redirect it. A device or pipe, such as ``/dev/null``, is written itself.

    Raises
    ------
    BetterThanError
        When it cannot be written: the disk is full, or the folder is missing or not writable.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/a.txt") as part:
    ...         _ = part.write_text("All of it.")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    place = Path(path)
    part = place
    try:
        # Renaming over a device would replace it.
        if not place.exists() or place.is_file() or place.is_dir():
            part = place.parent / f".{secrets.token_hex(8)}.part"
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield part
        if part != place:
            part.replace(place)
    except BaseException as error:
        if part != place:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise BetterThanError(
                f"{place} cannot be written ({error.strerror or error}). Choose another location."
            ) from error
        raise


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write text as UTF-8 with Unix line endings, or bytes, by :func:`whole_file`."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    with whole_file(path) as part:
        part.write_bytes(data)
