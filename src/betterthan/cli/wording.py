"""Python's words in the words of the command line."""

from __future__ import annotations

import re

import click

_ARGUMENT = re.compile(r'\b([a-z_]+)=(?:"([^"]*)"|([\w.]+))')


def as_typed(message: str, root: click.Group) -> str:
    """Return a message with Python's arguments written as options, where `root` has such an option.

    Examples
    --------
    >>> root = click.Group(commands=[click.Command("rank", params=[click.Option(["--missing"])])])
    >>> as_typed('Pass missing="drop" to leave these segments out.', root)
    'Pass --missing drop to leave these segments out.'
    """
    options = {
        option.name: option.opts[-1]
        for command in root.commands.values()
        for option in command.params
        if isinstance(option, click.Option)
    }

    def option(found: re.Match[str]) -> str:
        name, value = found.group(1), found.group(2) or found.group(3)
        return f"{options[name]} {value}" if name in options else found.group()

    return _ARGUMENT.sub(option, message)
