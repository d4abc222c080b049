"""Refuse an option that is given twice and takes one value: click keeps the last and says nothing."""

from __future__ import annotations

from collections.abc import Sequence

import click


class CommandLine(click.Group):
    """A group whose commands, also those of groups within it, take an option with one value once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments after a look for options that are given twice."""
        if not ctx.resilient_parsing:
            _refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)


def _refuse_repeated(command: click.Command, context: click.Context, arguments: Sequence[str]) -> None:
    _, rest, parameters = command.make_parser(context).parse_args(list(arguments))
    options = [
        parameter
        for parameter in parameters
        if isinstance(parameter, click.Option)
        and not (parameter.multiple or parameter.is_flag or parameter.count)
    ]
    for place, option in enumerate(options):
        if option in options[:place]:
            raise click.UsageError(
                f"{option.opts[-1]} is given twice, and it takes one value. Leave one of the two out.",
                context,
            )
    if isinstance(command, click.Group) and rest:
        name, inner, inner_arguments = command.resolve_command(context, rest)
        if inner is not None:
            with inner.context_class(inner, info_name=name, parent=context) as inner_context:
                _refuse_repeated(inner, inner_context, inner_arguments)
