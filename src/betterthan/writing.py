"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from betterthan.errors import BetterThanError


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """Give the place of a new, empty file; once it is written it becomes `path`, and after an error it is gone.

    The new file stands beside `path` under a name that nobody can guess and that is not there yet, so that no link
    planted in a shared folder leads elsewhere. A device or pipe, such as ``/dev/null``, is written itself.

    Raises
    ------
    BetterThanError
        When it cannot be written: the disk is full, or the folder is missing or not ours.

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
                f"{place} cannot be written ({error.strerror or error}). Choose another place."
            ) from error
        raise


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write text as UTF-8 with plain line ends, or bytes, by :func:`whole_file`."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    with whole_file(path) as part:
        part.write_bytes(data)
