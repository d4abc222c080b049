"""``betterthan manual``: all commands and options as a manual page; ``completion``: the script of a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

_START = re.compile(r"^([.'])", re.MULTILINE)  # would be an instruction to the formatter


@click.command()
@click.pass_context
def manual(context: click.Context) -> None:
    """Print the manual page of all commands.

    \b
    Example:
      betterthan manual | man -l -
    """  # noqa: D301
    root = context.find_root()
    click.echo("\n".join([*_head(root), *_commands(root.command, root), *_tail()]))


def _head(root: click.Context) -> list[str]:
    from betterthan import __version__

    return [
        f'.TH BETTERTHAN 1 "" "betterthan {__version__}" "User commands"',
        ".ad l",
        ".SH NAME",
        r"betterthan \- is A better than B, how sure are we, and which metric can we trust?",
        ".SH SYNOPSIS",
        ".B betterthan",
        ".I COMMAND [OPTION]... FILE...",
        ".SH DESCRIPTION",
        *_paragraphs(root.command.help or ""),
        ".SH COMMANDS",
    ]


def _commands(group: click.Command, context: click.Context) -> Iterator[str]:
    if not isinstance(group, click.Group):
        return
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = command.context_class(command, info_name=name, parent=context)
        yield f".SS {_escaped(inner.command_path)}"
        yield from (
            ".PP",
            f".B {_escaped(inner.command_path)}",
            _escaped(" ".join(command.collect_usage_pieces(inner))),
        )
        yield from _paragraphs(command.help or "")
        for names, text in filter(
            None, (option.get_help_record(inner) for option in command.get_params(inner))
        ):
            if text:
                yield from (".TP", rf"\fB{_escaped(names)}\fR", _escaped(" ".join(text.split())))
        yield from _commands(command, inner)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; the lines after click's mark stay as they are."""
    for paragraph in re.split(r"\n\s*\n", text.strip().partition("\f")[0]):
        first, *rest = paragraph.splitlines()
        if first.strip() == "\b":
            yield from (".PP", ".nf", *map(_escaped, rest), ".fi")
        else:
            yield from (".PP", _escaped(" ".join(paragraph.split())))


def _tail() -> list[str]:
    return [
        ".SH ENVIRONMENT",
        ".PP",
        "BETTERTHAN_SEED, BETTERTHAN_WORKERS and BETTERTHAN_MEMORY replace the defaults of the options of these names;",
        "BETTERTHAN_CACHE is the folder of finished work.",
    ]


def _escaped(text: str) -> str:
    r"""Return text in which nothing is an instruction to the formatter.

    Examples
    --------
    >>> print(_escaped(".--by a\\b"))
    \&.\-\-by a\eb
    """
    return _START.sub(r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"))


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Example:
      betterthan completion bash >> ~/.bashrc
    """  # noqa: D301
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    if script is None:
        raise click.UsageError(
            "Completion in PowerShell needs click 8.5 or newer: pip install --upgrade click."
        )
    root = context.find_root().command
    click.echo(script(root, {}, "betterthan", "_BETTERTHAN_COMPLETE").source())
