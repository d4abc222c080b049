"""Messages as data: a sentence with its code, severity, fields and options.

A message is written where its cause is known, as a template with named fields. Options of betterthan are such fields,
so that each interface spells them in its own way: ``missing="drop"`` in Python, ``--missing drop`` on the command line,
the name of a field in the web app. No code searches, cuts or rewrites a finished sentence: information for other parts
of the program is in the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

Severity = Literal["info", "warning", "error"]
"""Severity of a message, and so the priority of a note: an error; a warning, which changes how the answer reads;
information on how data were read or numbers made. A plain string is between the last two."""


DIRECTION_NOTE = "direction"
"""The code of a note on a direction that was inferred, with the option to reverse it."""
HUMANS_RANKED = "humans_ranked"
"""The code of a note on human translations among ranked systems, which belongs to the verdict."""
METHOD_NOTE = "method"
"""The code of a note that only describes how a number was computed: a signature, a tokenizer, a threshold."""


class Placeholder(str):
    """A placeholder for a value that only the user knows, such as COLUMN; it is never quoted."""

    __slots__ = ()


COLUMN = Placeholder("COLUMN")
FILE = Placeholder("FILE")
FOLDER = Placeholder("FOLDER")
NAME = Placeholder("NAME")
SIZE = Placeholder("SIZE")
VALUE = Placeholder("VALUE")
ONLY_TYPED = frozenset({"all", "debug", "folder", "name", "port", "seconds", "tolerance", "upload"})
"""Options that only the command line has; every interface writes them as flags."""
MORE = Placeholder("…")
"""Marks the end of a shortened list."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option that a message names, as data.

    Parameters
    ----------
    name : str
        The keyword argument in Python.
    value : object, optional
        The advised value: a string, a number, a Boolean, a mapping, a sequence, or a :class:`Placeholder`. Without
        one only the name is shown.

    Examples
    --------
    >>> str(Option("missing", "drop")), str(Option("item", COLUMN)), str(Option("prior", 0.5)), str(Option("item"))
    ('missing="drop"', 'item=COLUMN', 'prior=0.5', 'item')
    >>> str(Option("where", {"lp": "en-de"})), str(Option("leave_out", ["Human A"]))
    ('where={"lp": "en-de"}', 'leave_out=["Human A"]')
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        if self.name in ("lower_is_better", "higher_is_better") and isinstance(self.value, str):
            # In Python the argument belongs to one table, on the command line it names one of several metrics.
            return f"lower_is_better={self.name == 'lower_is_better'}"
        if self.name == "set" and isinstance(
            self.value, Mapping
        ):  # a setting of a study is a separate argument
            return ", ".join(f"{name}={_as_python(value)}" for name, value in self.value.items())
        if self.name in ONLY_TYPED:
            shown = "" if self.value is None or self.value is True else f" {_as_python(self.value)}"
            return f"--{self.name}{shown}"
        if self.name == "memory":  # of the process, not of a call
            return "BETTERTHAN_MEMORY" if self.value is None else f"BETTERTHAN_MEMORY={self.value}"
        return self.name if self.value is None else f"{self.name}={_as_python(self.value)}"


def _as_python(value: object) -> str:
    if isinstance(value, Placeholder):
        return str(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_as_python(key)}: {_as_python(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_as_python, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


Spelling = Callable[[Option], str]
"""How an interface writes an option."""


class Message(str):
    """One or more sentences with their template and fields; as a string the options are spelled as in Python.

    Parameters
    ----------
    template : str
        The text, with fields in braces as for :meth:`str.format`.
    code : str, optional
        The problem's code, such as ``"BT101"``, or a name that other parts of the program may test for.
    severity : {"info", "warning", "error"}
    **fields : object
        Values of the fields: anything that can be formatted, options, and other messages.

    Examples
    --------
    >>> message = Message("{n} scores are missing. Use {fix}.", n=3, fix=Option("missing", "drop"))
    >>> message
    '3 scores are missing. Use missing="drop".'
    >>> message.spelled(lambda option: f"--{option.name} {option.value}")
    '3 scores are missing. Use --missing drop.'
    >>> [option.name for option in message.options]
    ['missing']
    """

    __slots__ = ("code", "fields", "severity", "template")
    template: str
    code: str
    severity: Severity
    fields: Mapping[str, object]

    def __new__(  # noqa: D102  (the class describes it)
        cls, template: str, /, *, code: str = "", severity: Severity = "warning", **fields: object
    ) -> Self:
        message = super().__new__(cls, template.format(**fields))
        message.template, message.code, message.severity, message.fields = template, code, severity, fields
        return message

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _restored, (self.template, self.code, self.severity, dict(self.fields))

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that it names, in order of its fields, those of messages within it included."""
        return tuple(_options_of(self.fields.values()))

    def spelled(self, spelling: Spelling) -> str:
        """Return the text with its options as an interface writes them."""
        fields = {name: _spelled_field(value, spelling) for name, value in self.fields.items()}
        return self.template.format(**fields)

    def with_fields(self, change: Callable[[str], str]) -> Message:
        """Return the same message with its fields of plain text changed, such as long names cut."""
        fields = {name: _changed_field(value, change) for name, value in self.fields.items()}
        return Message(self.template, code=self.code, severity=self.severity, **fields)


def method_note(template: str, /, **fields: object) -> Message:
    """Return a note that only describes how a number was computed."""
    return Message(template, code=METHOD_NOTE, severity="info", **fields)


def _restored(template: str, code: str, severity: Severity, fields: Mapping[str, object]) -> Message:
    return Message(template, code=code, severity=severity, **fields)


def _options_of(values: Iterable[object]) -> Iterator[Option]:
    for value in values:
        if isinstance(value, Option):
            yield value
        elif isinstance(value, Message):
            yield from value.options


def _spelled_field(value: object, spelling: Spelling) -> object:
    if isinstance(value, Option):
        return spelling(value)
    return value.spelled(spelling) if isinstance(value, Message) else value


def _changed_field(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, Option):
        return Option(value.name, _changed_field(value.value, change))
    if isinstance(value, Message):
        return value.with_fields(change)
    if isinstance(value, Mapping):
        return {_changed_field(key, change): _changed_field(one, change) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_changed_field(one, change) for one in value]
    return change(value) if isinstance(value, str) and not isinstance(value, Placeholder) else value


def spelled(text: str, spelling: Spelling) -> str:
    """Return a text as an interface writes it; a plain string has no options and stays as it is.

    Examples
    --------
    >>> spelled("The file is empty.", str)
    'The file is empty.'
    """
    return text.spelled(spelling) if isinstance(text, Message) else text


def joined(parts: Sequence[str | Option], between: str = " ") -> Message:
    """Join several texts or options into one message that keeps their fields; empty ones are left out.

    Examples
    --------
    >>> joined(["One.", "", Message("Use {fix}.", fix=Option("prior", 0.5))])
    'One. Use prior=0.5.'
    >>> joined([Option("ties", "half"), Option("ties", "drop")], " or ")
    'ties="half" or ties="drop"'
    """
    fields: dict[str, Any] = {f"part{i}": part for i, part in enumerate(part for part in parts if part)}
    return Message(between.join(f"{{{name}}}" for name in fields), **fields)
