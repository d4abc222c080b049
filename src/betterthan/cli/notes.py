"""What is said beside an answer, on stderr."""

from __future__ import annotations

from collections.abc import Iterable

import click

from betterthan.present.printable import printable


def say(sentence: str) -> None:
    """Say a sentence that may hold names of files, metrics or systems."""
    click.echo(printable(sentence), err=True)


def say_notes(notes: Iterable[str]) -> None:
    """Say each note on a line of its own."""
    for note in notes:
        click.echo(f"note: {printable(note)}", err=True)
