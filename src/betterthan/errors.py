"""The exception tree, and "did you mean".

::

    BetterThanError (ValueError)
    ├── ReadError          a file cannot be understood; carries path, line and problem code
    ├── TableError         labels, shapes or values do not fit together
    ├── MissingScores      cells are empty and the caller did not say what to do
    ├── NotEstimable       the data does not determine the answer; carries the systems concerned
    ├── NotConverged       carries iterations and last change
    ├── UnknownName        carries the choices and the suggestion; a KeyError too
    ├── OverBudget         more memory would be needed than the budget allows
    └── MissingExtra       an optional package is needed; carries the extra that brings it

A message is at most three sentences: what is wrong and where, why it matters, what to do.
"""

from __future__ import annotations

import bisect
import difflib
import re
from collections.abc import Callable, Iterable, Sequence

from betterthan.messages import Message


class BetterThanError(ValueError):
    """Anything a user can cause and mend; the command line shows it as one line and exits with 2.

    A name or cell of ten thousand characters would hide what the message says, so long ones are cut: see
    :func:`shortened`.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(arg) if isinstance(arg, str) else arg for arg in args))

    @property
    def text(self) -> str:
        """What it says: a plain string or a :class:`betterthan.messages.Message`, which knows its options."""
        return str(self) if not self.args or not isinstance(self.args[0], str) else self.args[0]

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # Without this an error with keyword-only arguments could not leave a worker process.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[BetterThanError], args: tuple[object, ...], facts: dict[str, object]) -> object:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class ReadError(BetterThanError):
    """A file cannot be understood.

    Parameters
    ----------
    message : str
        What is wrong, why it matters and what to do, without the place.
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
        """Where it is: ``"scores.tsv, line 14"``, as far as known."""
        parts = [self.path] if self.path else []
        if self.line is not None:
            parts.append(f"line {self.line}")
        return ", ".join(parts)


class TableError(BetterThanError):
    """Labels, shapes or values do not fit together; `code` is the problem's code, where it has one."""

    def __init__(self, *args: object, code: str | None = None) -> None:
        self.code = code
        super().__init__(*args)


class MissingScores(BetterThanError):
    """Cells are empty and the caller did not say what to do."""


class NotEstimable(BetterThanError):
    """The data does not determine the answer; `systems` names the ones concerned."""

    def __init__(self, message: str, *, systems: Sequence[str] = ()) -> None:
        self.systems = tuple(systems)
        super().__init__(message)


class NotConverged(BetterThanError):
    """An iteration stopped before it stood still."""

    def __init__(self, message: str, *, iterations: int, last_change: float) -> None:
        self.iterations = iterations
        self.last_change = last_change
        super().__init__(message)


class UnknownName(BetterThanError, KeyError):
    """A name is not among the known ones; `choices` lists them and `suggestion` is the nearest.

    It is a KeyError as well, which is what Python expects of ``result["name"]``.
    """

    def __init__(self, message: str, *, choices: Sequence[str], suggestion: str | None) -> None:
        self.choices = tuple(choices)
        self.suggestion = suggestion
        super().__init__(message)

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would show the message in quotes


class OverBudget(BetterThanError):
    """Work or input would need more memory than the budget allows; see :mod:`betterthan.budget`."""

    code = "BT250"


class MissingExtra(BetterThanError):
    """An optional package is needed; `extra` brings it."""

    def __init__(self, what: str, *, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional package: pip install 'betterthan[{extra}]' brings it "
            f"(in a clone: pip install '.[{extra}]')."
        )


class BetterThanWarning(UserWarning):
    """Something true but unwelcome, such as fewer than ten segments."""


LONGEST_MESSAGE = 1200
"""About fifteen lines of a terminal."""
_LONGEST_WORD = 120
_LONGEST_QUOTE = 160
_quote = re.compile(r'"[^"]*"')
_long_word = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")


def shortened(message: str) -> str:
    """Return a message with what is too long in it cut, marked by "…": quoted text, single words, and the middle.

    Places and cures stand at the ends of messages, so that the middle is what can be spared.

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
    # Comparing with each of many thousand segments would take minutes; a slip rarely changes the beginning.
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
