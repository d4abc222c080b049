"""Options that a message names, as they are typed on the command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TypeGuard

import click

from betterthan.messages import MORE, Message, Option, Placeholder, Spelling, spelled

_FLAGS = {
    "format": "--format-in",
    "language": "--language",
    "n_resamples": "--resamples",
    "rng": "--seed",
    "winner_labels": "--winner-label",
    "weights": "--weight",
    "covariates": "--covariate",
    "cache": "--no-cache",
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
    >>> from betterthan.messages import COLUMN
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
    root = root or _running_command()
    if not isinstance(text, Message) and isinstance(root, click.Group):
        return _rewritten(text, root)
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
    for command in root.commands.values() if isinstance(root, click.Group) else ():
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, click.Choice):
                found.setdefault(option.opts[-1], set()).update(option.type.choices)
    return found


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
        return " ".join(MORE if one == MORE else f"{flag} {_quoted(str(one))}" for one in value)
    if isinstance(value, Placeholder):
        return f"{flag} {value}"
    written = f"{value:g}" if isinstance(value, float) else str(value)
    dashed = written.replace("_", "-")
    return f"{flag} {dashed if dashed in choices.get(flag, ()) else _quoted(written)}"


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _quoted(value: str) -> str:
    return shlex.quote(value)


_ARGUMENT = re.compile(r'\b([a-z_]+)=(?:"([^"]*)"|([\w.]*\w))')


def _rewritten(message: str, root: click.Group) -> str:
    """Write Python's arguments in a plain string as options; goes when every message is data."""
    options: dict[str | None, list[click.Option]] = {}
    for command in root.commands.values():
        for option in command.params:
            if isinstance(option, click.Option):
                options.setdefault(option.name, []).append(option)

    def typed(match: re.Match[str]) -> str:
        same, value = options.get(match.group(1)), match.group(2) or match.group(3)
        if same is None:
            return match.group()
        choices = {name for one in same if isinstance(one.type, click.Choice) for name in one.type.choices}
        if value == "True" and all(one.is_flag for one in same):
            return same[0].opts[-1]
        value = "none" if match.group() == "cluster=False" else value
        dashed = value.replace("_", "-")
        shown = dashed if dashed in choices else f'"{value}"' if " " in value else value
        return f"{same[0].opts[-1]} {shown}"

    return _ARGUMENT.sub(typed, message)
