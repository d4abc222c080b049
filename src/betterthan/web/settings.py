"""What the server may do: where it keeps things, who may ask, and how much."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_dir

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MEGABYTE = 1 << 20
LEAST_MEMORY = 512 * MEGABYTE  # the libraries of a worker take about a third of it


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """How much one request, one upload or one worker may use.

    Attributes
    ----------
    upload_bytes : int
        All files of one upload together.
    files : int
        Files of one upload.
    body_bytes : int
        Body of a request that is no upload.
    rows : int
        Rows of the data of one run.
    look_seconds, run_seconds : float
        Wall time of a look at files, and of a run.
    looks, runs : int
        Worker processes at a time, of each kind.
    waiting : int
        Runs that may wait for a worker.
    uploads : int
        Uploads that may wait to be looked at.
    memory_bytes : int
        Address space of a worker process.
    streams : int
        Listeners to the progress of runs at a time.
    """

    upload_bytes: int = 200 * MEGABYTE
    files: int = 100
    body_bytes: int = MEGABYTE
    rows: int = 20_000_000
    look_seconds: float = 120.0
    run_seconds: float = 3600.0
    looks: int = 2
    runs: int = 2
    waiting: int = 100
    uploads: int = 5000
    memory_bytes: int = 4096 * MEGABYTE
    streams: int = 100


def new_token() -> str:
    """Return 192 random bits, to be shown by everyone who may use the server."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """Where the server keeps its runs, on what address it listens, and whom it answers.

    Parameters
    ----------
    folder : Path
        Holds the list of runs and one folder per run.
    host : str, default "127.0.0.1"
        The address to listen on.
    token : str or None, optional
        What a caller must show; a new one if absent. None lets in everybody who can reach the server, which must
        then be this machine alone.
    names : tuple of str
        Further names by which callers may address the server.
    limits : ServerLimits

    Examples
    --------
    >>> WebSettings(folder=Path("runs")).is_local
    True
    >>> WebSettings(folder=Path("runs"), host="0.0.0.0", token=None)
    Traceback (most recent call last):
    ...
    ValueError: A server that other machines can reach needs a token.
    """

    folder: Path
    host: str = "127.0.0.1"
    token: str | None = field(default_factory=new_token, repr=False)
    names: tuple[str, ...] = ()
    limits: ServerLimits = field(default_factory=ServerLimits)

    def __post_init__(self) -> None:
        if self.token == "":
            raise ValueError("A token has at least one character.")
        if not self.is_local and self.token is None:
            raise ValueError("A server that other machines can reach needs a token.")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK


def default_folder() -> Path:
    """Where runs live: ``$BETTERTHAN_RUNS``, or the place the platform has for data."""
    chosen = os.environ.get("BETTERTHAN_RUNS") or user_data_dir("betterthan", appauthor=False)
    return Path(chosen).expanduser()
