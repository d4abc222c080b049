"""A run: some files, a question, and how far the answer is."""

from __future__ import annotations

import re
import secrets
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

RunState = Literal["looking", "ready", "waiting", "running", "done", "failed", "cancelled", "interrupted"]
ON_THE_WAY: tuple[RunState, ...] = ("looking", "waiting", "running")
RESTARTABLE: tuple[RunState, ...] = ("ready", "done", "failed", "cancelled", "interrupted")
QUESTIONS = ("auto", "scores", "battles", "meta", "texts", "tags")
PARTS = ("data", "human", "reference", "source", "gold", "words", "nothing")
ROLES = ("item", "system", "score", "metric", "group", "judge", "left", "right", "winner", "weight")

ID = re.compile(r"[A-Za-z0-9_-]{22}")
# The suffix tells a reader what a file is; these, and no other part of a user's name, reach the disk.
SUFFIXES = frozenset(
    f"{kind}{packed}"
    for kind in (
        ".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".tags", ".mt", ".src", ".ref", ".pe", ".hter",
        ".score", ".scores", ".eval", ".de", ".en", "",
    )
    for packed in ("", ".gz", ".zst")
)  # fmt: skip
_LONGEST_NAME = 120
_LISTS = ("parts", "ignore", "keep")  # the choices that are lists in JSON
_UNSHOWN = re.compile(r"[^\w .,()+@-]")


def new_id() -> str:
    """Return 128 random bits, so that the address of a run cannot be guessed."""
    return secrets.token_urlsafe(16)


def shown_name(name: str) -> str:
    r"""Return a file's name as it is shown: without folders, and without what has a meaning in any markup.

    Examples
    --------
    >>> shown_name("../../etc/passwd"), shown_name("C:\\data\\human scores.csv"), shown_name("a<b>=c.csv")
    ('passwd', 'human scores.csv', 'a_b__c.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    shown = _UNSHOWN.sub("_", last).strip(" .")
    return shown[-_LONGEST_NAME:] or "file"


def suffix_of(name: str) -> str:
    """Return the suffix of a name if it is one that means something to a reader, else nothing.

    Examples
    --------
    >>> suffix_of("scores.CSV.gz"), suffix_of("evil.sh"), suffix_of("archive.csv/../x")
    ('.csv.gz', '', '')
    """
    parts = shown_name(name).lower().split(".")
    for count in (2, 1):
        suffix = "".join(f".{part}" for part in parts[1:][-count:])
        if suffix in SUFFIXES:
            return suffix
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file of a run: the name it is shown by, and the digest of its bytes, by which it is kept."""

    name: str
    digest: str
    suffix: str
    size: int

    @property
    def stored(self) -> str:
        """Its name on disk."""
        return self.digest + self.suffix

    @property
    def stem(self) -> str:
        """Its shown name without the suffix, which names a system or a metric."""
        return self.name[: len(self.name) - len(self.suffix)] if self.suffix else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the user decided on the page of a new run; everything else is found by looking.

    Attributes
    ----------
    question : {"auto", "scores", "battles", "meta", "texts", "tags"}
    parts : tuple of str
        What each file is: data, human, reference, source, gold, words or nothing. Empty: as it looks.
    columns : dict of str to str
        Role to column.
    ignore, keep : tuple of str
        Columns that are not systems, and columns that are systems whatever their names or values.
    direction : {"", "higher", "lower"}
        Of every metric, when it is not found by name.
    duplicates : {"raise", "first", "last", "mean"}
    both_bad : {"tie", "drop"}
    winner_labels : dict of str to str
        What labels of the winner of a battle mean.
    format : str
        Name of the layout; empty when it is recognized.
    metric : str
        The metric that the report is about, when the data have several; empty for the first.
    missing : {"raise", "drop"}
        Whether segments that a system lacks are an error or left out.
    units : {"auto", "segments", "groups"}
        Units that are resampled or permuted.
    with_texts : bool
        Whether texts appear in the report.
    """

    question: str = "auto"
    parts: tuple[str, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    direction: str = ""
    duplicates: str = "raise"
    both_bad: str = "tie"
    winner_labels: dict[str, str] = field(default_factory=dict)
    format: str = ""
    metric: str = ""
    missing: str = "raise"
    units: str = "auto"
    with_texts: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data."""
        return {**asdict(self), **{name: list(getattr(self, name)) for name in _LISTS}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make choices from :meth:`to_dict`'s data."""
        return cls(**{**data, **{name: tuple(data.get(name, ())) for name in _LISTS}})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A line of the list of runs.

    `problem` says why a run failed; `verdict` is the answer in a sentence.
    """

    id: str
    created: float
    state: RunState
    title: str
    files: tuple[StoredFile, ...]
    choices: Choices = field(default_factory=Choices)
    kind: str = ""
    verdict: str = ""
    problem: str = ""

    @property
    def is_on_the_way(self) -> bool:
        """Whether it waits for a worker or has one."""
        return self.state in ON_THE_WAY
