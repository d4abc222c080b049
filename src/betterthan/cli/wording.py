"""Python's words in the words of the command line."""

from __future__ import annotations

import re

import click

_ARGUMENT = re.compile(r'\b([a-z_]+)=(?:"([^"]*)"|([\w.]*\w))')
_VALUES = {"cluster=False": "none"}  # where the command line has another word


def as_typed(message: str, root: click.Group) -> str:
    """Return a message with Python's arguments written as options, where `root` has such an option.

    Examples
    --------
    >>> by = click.Option(["--by"], type=click.Choice(["mean", "win-rate"]))
    >>> root = click.Group(commands=[click.Command("rank", params=[click.Option(["--missing"]), by])])
    >>> as_typed('Pass missing="drop" to leave these segments out, or rank by="win_rate".', root)
    'Pass --missing drop to leave these segments out, or rank --by win-rate.'
    >>> root.add_command(click.Command("meta", params=[click.Option(["--mid-p"], is_flag=True)]))
    >>> as_typed("mid_p=True takes ties as undecided.", root)
    '--mid-p takes ties as undecided.'
    """
    options: dict[str | None, list[click.Option]] = {}
    for command in root.commands.values():
        for option in command.params:
            if isinstance(option, click.Option):
                options.setdefault(option.name, []).append(option)

    def typed(found: re.Match[str]) -> str:
        same, value = options.get(found.group(1)), found.group(2) or found.group(3)
        if same is None:
            return found.group()
        choices = {name for one in same if isinstance(one.type, click.Choice) for name in one.type.choices}
        if value == "True" and all(one.is_flag for one in same):
            return same[0].opts[-1]
        value = _VALUES.get(found.group(), value)
        dashed = value.replace("_", "-")
        shown = dashed if dashed in choices else f'"{value}"' if " " in value else value
        return f"{same[0].opts[-1]} {shown}"

    return _ARGUMENT.sub(typed, message)
