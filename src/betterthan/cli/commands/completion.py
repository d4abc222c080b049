"""``betterthan completion``: the script that completes commands in a shell."""

from __future__ import annotations

import click


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
