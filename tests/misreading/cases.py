"""What a case of the misreading suite is: a few small files, a command, and the answers a user would accept."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

Words = tuple[str | tuple[str, ...], ...]
"""Each must occur in the text, whatever its case; of a tuple, one is enough."""


class Columns(dict[str, Sequence[object]]):
    """A table by columns: written as text for the command line, and given as it is to the Python API."""

    def text(self, separator: str = ",") -> str:
        """Return the table as delimited text with a header."""
        rows = [tuple(self), *zip(*self.values(), strict=True)]
        return "".join(separator.join(map(str, row)) + "\n" for row in rows)


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Exit code 2 with a code, and a message that says what was seen and how to settle it.

    `in_check` is False where nothing is wrong with the file and only this command needs to be told more.
    """

    words: Words
    in_check: bool = True


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """The right table: the mean of every system, the number of segments, the direction; so the best system.

    `says` are words that `check` and the result must contain, since a choice was made or rows were left out;
    `trusted` means that `check` must not find a problem, `quiet` that there is not even a note.
    """

    means: Mapping[str, float]
    segments: int
    higher: bool = True
    cells: Mapping[tuple[str, str], float] = field(default_factory=dict)
    says: Words = ()
    trusted: bool = False
    quiet: bool = False

    @property
    def best(self) -> str:
        """The system that must be listed first: of equal ones, the first in the file."""
        return (max if self.higher else min)(self.means, key=self.means.__getitem__)


@dataclass(frozen=True, kw_only=True)
class Fought:
    """The right battles: how often each system beat each other one, and the ties; and the best system."""

    wins: Mapping[tuple[str, str], float]
    ties: float = 0
    best: str
    says: Words = ()
    trusted: bool = False


@dataclass(frozen=True, kw_only=True)
class Agrees:
    """The right agreement of every metric with the human scores, and on how many segments it was found."""

    values: Mapping[str, float]
    segments: int
    says: Words = ()


@dataclass(frozen=True, kw_only=True)
class First:
    """The right system on top; for commands that turn scores into something else before they rank."""

    best: str
    systems: tuple[str, ...]


Answer = Ranked | Fought | Agrees | First
Content = str | bytes | Columns


@dataclass(frozen=True, kw_only=True)
class Case:
    """Files, a command, and what must come of it.

    Attributes
    ----------
    name : str
    files : mapping of str to text, bytes or Columns
        By file name; folders are made as needed.
    command : tuple of str
        By default ``rank`` with all files.
    expect : answer or Stop
        The one acceptable outcome.
    or_stop : Stop, optional
        Where a user would also accept being asked.
    settle : tuple of str
        The options that the message of a stop leads to; with them the outcome must be `settled`.
    settled : answer, optional
    matches : bool
        Whether the files hold battles; said where it does not follow from the answer.
    """

    name: str
    files: Mapping[str, Content]
    expect: Answer | Stop
    command: tuple[str, ...] = ()
    or_stop: Stop | None = None
    settle: tuple[str, ...] = ()
    settled: Answer | None = None
    matches: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The command that is run."""
        return self.command or ("rank", *self.files)

    @property
    def stop(self) -> Stop | None:
        """The stop that is acceptable, if any."""
        return self.expect if isinstance(self.expect, Stop) else self.or_stop

    @property
    def holds_matches(self) -> bool:
        """Whether the files hold battles."""
        return self.matches or isinstance(self.expect, Fought) or isinstance(self.settled, Fought)

    def write(self, folder: Path) -> None:
        """Write the files below `folder`."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            data = (
                content.text("\t" if name.endswith(".tsv") else ",")
                if isinstance(content, Columns)
                else content
            )
            path.write_bytes(data if isinstance(data, bytes) else data.encode())


# Two systems on eight segments: scores between 0 and 1, and GPT is better.
GPT = (0.71, 0.55, 0.91, 0.43, 0.66, 0.38, 0.82, 0.59)
LLAMA = (0.62, 0.58, 0.80, 0.47, 0.51, 0.40, 0.73, 0.60)
MEANS = {"GPT": 0.63125, "Llama": 0.58875}
N = len(GPT)
ONE_TO_N = tuple(range(1, N + 1))
PLAIN = Ranked(means=MEANS, segments=N, quiet=True)
"""The table of these scores, read without a word."""
TRUSTED = Ranked(means=MEANS, segments=N, trusted=True)
"""The same, where a note may say what was left out."""
RIGHT = Ranked(means=MEANS, segments=N)
"""The same, where there may be warnings."""

META = (
    "meta", "metrics.csv", "--human", "human.csv", "--by", "pearson", "--level", "segment", "--significance", "none",
)  # fmt: skip
"""How well metrics.csv agrees with human.csv."""


def beside(**columns: Sequence[object]) -> Columns:
    """Return the two systems with other columns before them."""
    return Columns({**columns, "GPT": GPT, "Llama": LLAMA})


def numbered(**columns: Sequence[object]) -> Columns:
    """Return the two systems with an id and other columns behind them."""
    return Columns({"id": ONE_TO_N, "GPT": GPT, "Llama": LLAMA, **columns})


def long(header: str = "item,system,score", *, rows: Sequence[tuple[object, ...]] | None = None) -> str:
    """Return a long table; by default of the two systems, system by system."""
    if rows is None:
        rows = long_rows()
    return "".join(",".join(map(str, row)) + "\n" for row in [tuple(header.split(",")), *rows])


def long_rows(ids: Sequence[object] = ONE_TO_N) -> list[tuple[object, ...]]:
    """Return (segment, system, score) of the two systems."""
    return [
        (name, system, score)
        for system, scores in (("GPT", GPT), ("Llama", LLAMA))
        for name, score in zip(ids, scores, strict=True)
    ]


def parquet(columns: Mapping[str, Sequence[object]]) -> bytes:
    """Return a table as Parquet."""
    buffer = io.BytesIO()
    pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), buffer)
    return buffer.getvalue()


def wide(header: str = "id,GPT,Llama", *, first: Sequence[object] = ONE_TO_N, separator: str = ",") -> str:
    """Return a wide table of the two systems as text, with any header."""
    rows = [header.split(","), *zip(first, GPT, LLAMA, strict=True)]
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)
