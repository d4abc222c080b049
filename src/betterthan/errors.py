"""The exception tree, and "did you mean".

::

    BetterThanError (ValueError)
    ├── ReadError          a file cannot be read; carries path, line and problem code
    ├── TableError         labels, shapes or values do not fit together
    ├── MissingScores      scores are missing and no treatment was chosen ├── NotEstimable       the data does not
    determine the answer; carries the systems concerned ├── NotConverged       carries iterations and last change ├──
    UnknownName        carries the choices and the suggestion; a KeyError too ├── OverBudget         more memory would
    be needed than the budget allows └── MissingExtra       an optional package is needed; carries the extra that brings
    it

A message is at most three sentences: what is wrong and where, why it matters, what to do.
"""

from __future__ import annotations

import bisect
import difflib
import re
from collections.abc import Callable, Iterable, Sequence

from betterthan.messages import Message


class BetterThanError(ValueError):
    """Base of all errors that a user can cause and fix; the command line shows it as one line and exits with 2.

    Very long names and cells would hide the message, so they are shortened: see :func:`shortened`.

    Examples
    --------
    >>> import betterthan as bt
    >>> try:
    ...     bt.compare({"A": [1, 2]})
    ... except bt.BetterThanError as error:
    ...     print(error)
    There is only one system, A; a comparison needs two or more.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(arg) if isinstance(arg, str) else arg for arg in args))

    @property
    def text(self) -> str:
        """The message: a plain string or a :class:`betterthan.messages.Message`, which has options as data."""
        return str(self) if not self.args or not isinstance(self.args[0], str) else self.args[0]

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # Without this an error with keyword-only arguments could not be pickled.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[BetterThanError], args: tuple[object, ...], facts: dict[str, object]) -> object:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class ReadError(BetterThanError):
    """A file cannot be read.

    Parameters
    ----------
    message : str
        What is wrong, why it matters and what to do, without the location.
    path : str, optional
        The file, as the user named it.
    line : int, optional
        The line in that file, counted from 1.
    row : int, optional
        The row that the message names, counted from 1, in data without lines such as Parquet.
    code : str, optional
        The problem's code, such as ``"BT101"``; see :mod:`betterthan.read.problems`.

    Examples
    --------
    >>> str(ReadError('"n/a" is not a number.', path="scores.tsv", line=14))
    'scores.tsv, line 14: "n/a" is not a number.'
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        row: int | None = None,
        code: str | None = None,
    ) -> None:
        self.message = shortened(message)
        self.path = path
        self.line = line
        self.row = row
        self.code = code
        placed = Message("{place}: {message}", severity="error", place=self.place, message=self.message)
        super().__init__(placed if self.place else self.message)

    @property
    def place(self) -> str:
        """The location, as far as known: ``"scores.tsv, line 14"``."""
        parts = [self.path] if self.path else []
        if self.line is not None:
            parts.append(f"line {self.line}")
        return ", ".join(parts)


class TableError(BetterThanError):
    """Labels, shapes or values do not fit together; `code` is the problem's code, where it has one.

    Examples
    --------
    >>> import betterthan as bt
    >>> try:
    ...     bt.Scores(name="x", systems=["A", "A"], segments=["1", "2"], values=[[1, 2], [3, 4]])
    ... except bt.TableError as error:
    ...     print(error)
    Each system may occur once, but these occur more often: A. Rename or merge them before making the table.
    """

    def __init__(self, *args: object, code: str | None = None) -> None:
        self.code = code
        super().__init__(*args)


class MissingScores(BetterThanError):
    """Scores are missing and no treatment was chosen.

    Examples
    --------
    >>> import betterthan as bt
    >>> try:
    ...     bt.rank({"A": [1, 2], "B": [3, None]})
    ... except bt.MissingScores as error:
    ...     print(error)
    1 of 4 scores is missing (B: segments 2). Use missing="drop" to leave these segments out for all systems.
    """


class NotEstimable(BetterThanError):
    """The data do not determine the estimate; `systems` names the systems concerned.

    Examples
    --------
    >>> import betterthan as bt
    >>> try:
    ...     bt.rank(bt.Matches(systems=["A", "B"], left=[0, 0], right=[1, 1], outcome=[1, 1]))
    ... except bt.NotEstimable as error:
    ...     print(error.systems)
    ('B', 'A')
    """

    def __init__(self, message: str, *, systems: Sequence[str] = ()) -> None:
        self.systems = tuple(systems)
        super().__init__(message)


class NotConverged(BetterThanError):
    """An iteration stopped before convergence.

    Examples
    --------
    >>> error = NotConverged("The fit did not converge.", iterations=100, last_change=0.01)
    >>> error.iterations, error.last_change
    (100, 0.01)
    """

    def __init__(self, message: str, *, iterations: int, last_change: float) -> None:
        self.iterations = iterations
        self.last_change = last_change
        super().__init__(message)


class UnknownName(BetterThanError, KeyError):
    """A name is not among the known ones; `choices` lists them and `suggestion` is the nearest.

    It is also a KeyError, as expected of ``result["name"]``.

    Examples
    --------
    >>> import betterthan as bt
    >>> try:
    ...     bt.rank({"A": [1, 2], "B": [2, 1]}, by="meen")
    ... except bt.UnknownName as error:
    ...     error.suggestion
    'mean'
    """

    def __init__(self, message: str, *, choices: Sequence[str], suggestion: str | None) -> None:
        self.choices = tuple(choices)
        self.suggestion = suggestion
        super().__init__(message)

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would show the message in quotes


class OverBudget(BetterThanError):
    """Work or input would need more memory than the budget allows; see :mod:`betterthan.budget`.

    Examples
    --------
    >>> OverBudget.code
    'BT250'
    """

    code = "BT250"


class MissingExtra(BetterThanError):
    """An optional package is needed; `extra` installs it.

    Examples
    --------
    >>> MissingExtra("A chart", extra="charts").extra
    'charts'
    """

    def __init__(self, what: str, *, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional package: pip install 'betterthan[{extra}]' installs it (in a clone: pip "
            f"install '.[{extra}]')."
        )


class BetterThanWarning(UserWarning):
    """A condition that limits the results, such as a cache that cannot be written to.

    Examples
    --------
    >>> issubclass(BetterThanWarning, UserWarning)
    True
    """


LONGEST_MESSAGE = 1200
"""About fifteen lines of a terminal."""
_LONGEST_WORD = 120
_LONGEST_QUOTE = 160
_quote = re.compile(r'"[^"]*"')
_long_word = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")


def shortened(message: str) -> str:
    """Shorten long quoted text, long words and the middle of a message, marked by "…".

    Locations and hints are at the ends of messages, so the middle is shortened.

    Examples
    --------
    >>> print(shortened('"' + 10_000 * "x" + '" is not a number. Leave the cell empty.')[-60:])
    xxxxxxxxxxxxxxxxxxx…" is not a number. Leave the cell empty.
    >>> len(shortened("word " * 10_000))
    1200

    A :class:`betterthan.messages.Message` keeps what it was made of: its fields are cut, each by itself.
    """
    if isinstance(message, Message):
        return message.with_fields(shortened) if len(message) > _LONGEST_WORD else message
    if len(message) <= _LONGEST_WORD:
        return message
    text = _quote.sub(_cut_quote, message)
    text = _long_word.sub(_cut_word, text)
    if len(text) <= LONGEST_MESSAGE:
        return text
    half = LONGEST_MESSAGE // 2
    return f"{text[: half - 1]}…{text[-half:]}"


def _cut_quote(found: re.Match[str]) -> str:
    quote = found[0]
    return quote if len(quote) <= _LONGEST_QUOTE else f'{quote[: _LONGEST_WORD // 2]}…"'


def _cut_word(found: re.Match[str]) -> str:
    word = found[0]
    # The end of a path is its file, and the end of a quoted word its closing quote.
    return word if "/" in word and len(word) <= LONGEST_MESSAGE // 3 else f"{word[:60]}…{word[-40:]}"


def unknown_name(kind: str, given: str, choices: Iterable[str]) -> UnknownName:
    """Build the error for a name that is not known, with the nearest known name.

    Examples
    --------
    >>> print(unknown_name("method", "bradley_tery", ["mean", "bradley_terry"]))
    Unknown method "bradley_tery". Did you mean "bradley_terry"? Known: bradley_terry, mean.
    """
    known = sorted(choices)
    suggestion = _nearest(str(given), known)
    guess = f' Did you mean "{suggestion}"?' if suggestion else ""
    message = f'Unknown {kind} "{given}".{guess} Known: {some_of(known, limit=20)}.'
    return UnknownName(message, choices=known, suggestion=suggestion)


def _nearest(given: str, known: Sequence[str]) -> str | None:
    folded = {name.casefold(): name for name in known}
    names = sorted(folded)
    # Comparing with each of many thousand segments would take minutes; a typo rarely changes the beginning.
    middle = bisect.bisect(names, given.casefold())
    near = difflib.get_close_matches(given.casefold(), names[max(0, middle - 500) : middle + 500], n=1)
    return folded[near[0]] if near else None


def some_of(names: Sequence[object], *, limit: int = 5) -> str:
    """List the first few names and count the rest, for messages.

    Examples
    --------
    >>> some_of(["A", "B", "C", "D"], limit=2)
    'A, B and 2 more'
    """
    shown = ", ".join(_short(str(name)) for name in names[:limit])
    rest = len(names) - limit
    return f"{shown} and {rest} more" if rest > 0 else shown


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_WORD // 2 else f"{name[: _LONGEST_WORD // 2 - 1]}…"
