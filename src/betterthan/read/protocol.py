"""The interface of a reader: its options and its result.

A format is a module in :mod:`betterthan.read.formats` with three names::

    FORMAT: Format         # its name, the kind of table it becomes, one line of description, the options it understands
    sniff(source)          # its confidence that a source has this format, with a reason
    read(source, options)  # the tables, with every row accounted for

and one entry in :data:`betterthan.read.formats.registry.READERS`, which gives the location of the module and the signs
at the beginning of a file that make it worth importing. A module with several related formats has a
:class:`FormatReader` for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol, cast

from betterthan.errors import shortened
from betterthan.read.source.source import Source
from betterthan.tables.any_table import AnyTable

Kind = Literal["scores", "matches", "ratings", "tags", "texts"]
WHOLE_SYSTEM = "system"
"""The only segment of a table of system-level scores."""
EVERY = "*"
COLUMNS_NAMED = "the columns were named"
"""The reason for a layout that depends on the user's column names."""
SEVERAL = "several"
"""The format of several files, each of which is recognized separately, with its own options."""
OF_SCORES = frozenset({"item", "system", "score", "metric", "group", "judge", "run"})
"""The roles of the columns in a table of scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """The declaration of a format.

    Attributes
    ----------
    name : str
        Its name in ``--format-in``.
    kind : {"scores", "matches", "ratings", "tags", "texts"}
        The kind of table it becomes.
    description : str
        One-line description for users.
    columns : frozenset of str
        The roles whose columns can be named (``--item``, ``--system``, …); none where the names are fixed.
    chooses_columns : bool
        Whether columns can be left out or kept (``--ignore``, ``--keep``).
    rows : {"lines", "grid", "copy"}
        How rows are selected (``--where``): among the lines of the file if they have columns; in the grid, because the
        reader accepts any; or in a copy of the file as Parquet.
    is_run : bool
        Whether a file is the run of one system that it need not name; several files are named together.
    """

    name: str
    kind: Kind
    description: str
    columns: frozenset[str] = frozenset()
    chooses_columns: bool = False
    rows: Literal["lines", "grid", "copy"] = "lines"
    is_run: bool = False

    @property
    def contents(self) -> str:
        """What the kind of table is called in words."""
        return {"matches": "battles", "ratings": "judgments"}.get(self.kind, self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """Confidence of a reader that it can read a source (0 to 1), and the reason in words.

    `kind` is the kind of table where it differs from that of the reader's format.
    """

    confidence: float
    because: str
    kind: Kind | None = None


def reason(guess: Guess | None, otherwise: str = "the format was named") -> str:
    """Return the reason why a format was chosen, possibly by the user."""
    return guess.because if guess else otherwise


class Run(NamedTuple):
    """One of several runs: its system, and the metric in a column with a generic name such as "score"."""

    system: str
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The user's options for a file; everything else is inferred.

    `columns` maps a role (item, system, score, metric, group, judge, run, left, right, winner, weight, category) to
    the user's column name. `lower_is_better` and `higher_is_better` name metrics whose direction is set, or hold
    :data:`EVERY`. `keep` requests columns of battles, found by name; `cluster` the judge or session where there is one;
    `covariates` names columns of numbers. `metric` chooses one metric of several; `name` is the metric's name where the
    file has none. `where` keeps the rows with these values in these columns. `winner_labels` defines labels of the
    winner of a battle (left, right, tie, both_bad). `language_pair`, `level` (seg, doc, domain, sys), `reference` and
    `gold` choose from a folder of the metrics task. `mqm_weights` changes the usual weights of MQM errors. In a table
    of scores, `ignore_columns` are left out and `keep_columns` are systems (in a long table, metrics) whatever they
    look like. `factors` are the columns that name the system together, such as model and prompt. `run` marks the file
    as the run of one system, so that its columns of numbers are metrics. `in_order` keeps every battle, in the order of
    the data; `names_items` the names of the items of battles.

    Examples
    --------
    >>> import betterthan as bt
    >>> options = bt.Options(columns={"item": "question"}, lower_is_better=frozenset({"TER"}))
    >>> options.columns["item"], options.duplicates
    ('question', 'raise')
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    higher_is_better: frozenset[str] = frozenset()
    duplicates: Literal["raise", "first", "last", "mean"] = "raise"
    both_bad: Literal["tie", "drop"] = "tie"
    winner_labels: Mapping[str, str] = field(default_factory=dict)
    keep: tuple[Literal["item", "judge"], ...] = ()
    cluster: bool = False
    covariates: tuple[str, ...] = ()
    metric: str | None = None
    name: str | None = None
    where: tuple[tuple[str, str], ...] = ()
    language_pair: str | None = None
    level: str | None = None
    reference: str | None = None
    gold: str | None = None
    mqm_weights: Mapping[str, float] = field(default_factory=dict)
    ignore_columns: tuple[str, ...] = ()
    keep_columns: tuple[str, ...] = ()
    factors: tuple[str, ...] = ()
    run: Run | None = None
    in_order: bool = False
    names_items: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem with the data that does not prevent reading: a code, a location, a hint."""

    code: str
    place: str
    message: str

    def __post_init__(self) -> None:
        # It may contain long names and cells, so it is shortened like an error.
        object.__setattr__(self, "message", shortened(self.message))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Result of a reader: tables, and an account of every row."""

    format: Format
    because: str
    tables: tuple[AnyTable, ...]
    rows_read: int
    rows_kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    pairs: tuple[str, ...] = ()
    """The language pairs that a column of the file names."""
    metric_hint: str = ""
    """Hint, besides choosing one, where files were read as several metrics and one is needed."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(map(shortened, self.notes)))
        object.__setattr__(self, "because", shortened(self.because))

    def with_note(self, note: str) -> Reading:
        """Return the reading with a note that its tables carry as well, so that every result from them has it."""
        if note in self.notes:
            return self
        tables = tuple(replace(cast("Any", table), notes=(note, *table.notes)) for table in self.tables)
        return replace(self, tables=tables, notes=(note, *self.notes))


class Reader(Protocol):
    """The shape of a format's module."""

    FORMAT: Format

    def sniff(self, source: Source) -> Guess | None:
        """Return the confidence that `source` has this format, or None if it does not."""

    def read(self, source: Source, options: Options) -> Reading:
        """Read `source` into tables."""


@dataclass(slots=True, eq=False)
class FormatReader:
    """One of several formats of a module, with the interface of :class:`Reader`.

    Tables that may come from a data frame have `guess` and `read_grid` too.
    """

    FORMAT: Format
    sniff: Callable[[Source], Guess | None]
    read: Callable[[Source, Options], Reading]
    guess: Callable[..., Guess | None] | None = None
    read_grid: Callable[..., Reading] | None = None
