"""Options that a message names, as they are typed on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import click

from betterthan.messages import MORE, Option, Placeholder, Spelling, spelled

_FLAGS = {
    "format": "--format-in",
    "language": "--language",
    "n_resamples": "--resamples",
    "rng": "--seed",
    "winner_labels": "--winner-label",
    "weights": "--weight",
    "covariates": "--covariate",
    "cache": "--no-cache",
    "references": "--reference",
    "task": "--task-column",
    "labels": "--label",
    "systems": "--only",
    "n": "--number",
    "category": "--by",
}
"""Where the command line calls an argument by another name."""
_VALUES = {("cluster", False): "none"}
"""Where it calls a value by another name."""


def as_typed(text: str, root: click.Command | None = None) -> str:
    """Return a message with its options as they are typed; a plain string stays as it is.

    Parameters
    ----------
    text : str
        A :class:`betterthan.messages.Message`, or a string without options.
    root : click.Command, optional
        The command line, which knows the names of options and choices; that of the running command by default.

    Examples
    --------
    >>> from betterthan.messages import COLUMN, Message
    >>> by = click.Option(["--by"], type=click.Choice(["mean", "win-rate"]))
    >>> root = click.Group(commands=[click.Command("rank", params=[click.Option(["--missing"]), by])])
    >>> message = Message("Use {fix}, or rank {by}.", fix=Option("missing", "drop"), by=Option("by", "win_rate"))
    >>> as_typed(message, root)
    'Use --missing drop, or rank --by win-rate.'
    >>> as_typed(Message("Name it: {item}, {mid}.", item=Option("item", COLUMN), mid=Option("mid_p", True)), root)
    'Name it: --item COLUMN, --mid-p.'
    >>> as_typed(Message("{where}", where=Option("where", {"lp": "en-de", "my year": 24})), root)
    "--where lp=en-de --where 'my year=24'"
    >>> as_typed(Message("{where}", where=Option("where", {"lp": ["en-de", "zh-en"]})), root)
    '--where lp=en-de --where lp=zh-en'
    """
    return spelled(text, typed_option(root))


def typed_option(root: click.Command | None = None) -> Spelling:
    """Return the function that writes an option as it is typed; see :func:`as_typed`."""
    choices = _choices(root or _running_command())
    return lambda option: _typed(option, choices)


def _running_command() -> click.Command | None:
    context = click.get_current_context(silent=True)
    return None if context is None else context.find_root().command


def _choices(root: click.Command | None) -> dict[str, set[str]]:
    """Collect what each option may be set to, over all commands."""
    found: dict[str, set[str]] = {}
    for command in _commands(root):
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, click.Choice):
                found.setdefault(option.opts[-1], set()).update(option.type.choices)
    return found


def _commands(root: click.Command | None) -> Iterator[click.Command]:
    """Go through all commands, those of groups within the group included."""
    for command in root.commands.values() if isinstance(root, click.Group) else ():
        yield command
        yield from _commands(command)


def _typed(option: Option, choices: Mapping[str, set[str]]) -> str:
    flag = _FLAGS.get(option.name, f"--{option.name.replace('_', '-')}")
    value = option.value
    if isinstance(value, bool) and (option.name, value) not in _VALUES:
        return flag if value else f"--no-{flag.removeprefix('--')}"
    value = _VALUES.get((option.name, value), value) if isinstance(value, bool) else value
    if value is None:
        return flag
    if isinstance(value, Mapping):
        pairs = [(key, one) for key, some in value.items() for one in (some if _is_list(some) else [some])]
        return " ".join(one if one == MORE else f"{flag} {_quoted(f'{key}={one}')}" for key, one in pairs)
    if _is_list(value):
        return " ".join(MORE if one == MORE else f"{flag} {_quoted(_written(one))}" for one in value)
    if isinstance(value, Placeholder):
        return f"{flag} {value}"
    written = _written(value)
    dashed = written.replace("_", "-")
    return f"{flag} {dashed if dashed in choices.get(flag, ()) else _quoted(written)}"


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _quoted(value: str) -> str:
    return shlex.quote(value)
