"""Where answers go: a result becomes text in the wished format, on stdout or in a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from betterthan.cli.streams import is_reader_gone, refuse_overwriting, say, silence_stdout
from betterthan.cli.wording import typed_option
from betterthan.errors import BetterThanError, unknown_name
from betterthan.present.renderers.render import SUFFIXES, render
from betterthan.present.renderers.text import WIDTH, render_text
from betterthan.present.tables.describe import describe
from betterthan.receipts.receipt import record
from betterthan.results.base import Result, json_text
from betterthan.writing import write_whole

# Under this key a command finds the list that takes its results instead of a stream: see `betterthan verify`.
COLLECTED = "betterthan.results"


def emit(result: Result, **place: Any) -> int:  # noqa: ANN401  (the place that emit_all takes)
    """Write one result; see :func:`emit_all`."""
    return emit_all([result], **place)


def emit_all(
    results: Sequence[Result],
    *,
    format: str | None = None,  # noqa: A002  (the user's word)
    output: str | None = None,
    as_json: bool = False,
    color: str = "auto",
) -> int:
    """Write results and return the exit code: 0, or what a result itself says (a check may say no).

    Several results in JSON are one array, so that the whole is JSON. In JSON each says which command made it.
    """
    context = click.get_current_context(silent=True)
    if context is not None and COLLECTED in context.meta:
        context.meta[COLLECTED] += results
        return 0
    chosen = "json" if as_json else format or _format_of(output)
    to_file = output is not None and output != "-"
    if not to_file and sys.stdout is None:
        raise BetterThanError("Standard output is closed. Write the answer to a file: --output FILE.")
    if chosen == "json":
        text = _as_json(results, record(context))
    else:
        on_terminal = chosen == "table" and not to_file
        texts = [
            _for_terminal(result, color) if on_terminal else render(result, chosen, spelling=typed_option())
            for result in results
        ]
        text = "\n".join(texts)
    if to_file and output is not None:
        refuse_overwriting(output)
        write_whole(output, text)
        say(f"Wrote {output}")
    else:
        to_stdout(text)
    return max(getattr(result, "exit_code", 0) for result in results)


def _as_json(results: Sequence[Result], command: dict[str, Any] | None) -> str:
    """Return one result, or an array of several, each with its command and its place among the answers to it."""
    data = [result.to_dict() for result in results]
    if command is not None:
        places = [{}] if len(data) == 1 else [{"result": at} for at in range(len(data))]
        data = [{**one, "command": {**command, **place}} for one, place in zip(data, places, strict=True)]
    whole = data if len(data) > 1 else data[0]
    return json_text(whole, indent=2) + "\n"


def to_stdout(text: str) -> None:
    """Write text; when the reader of a pipe has seen enough, leave quietly."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except OSError as error:
        if isinstance(error, BrokenPipeError) and is_reader_gone():
            return
        silence_stdout()
        raise BetterThanError(f"Standard output cannot be written ({error.strerror}).") from error


def _format_of(output: str | None) -> str:
    if output is None or output == "-":
        return "table"
    suffix = Path(output).suffix.lower()
    if suffix not in SUFFIXES:
        raise unknown_name("suffix", suffix or output, SUFFIXES)
    return SUFFIXES[suffix]


def _for_terminal(result: Result, color: str) -> str:
    width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else None
    table = describe(result).spelled(typed_option())
    return render_text(table, width=width, color=_colored(color), unicode=_can_show_unicode())


def _colored(color: str) -> bool:
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _can_show_unicode() -> bool:
    try:
        "−–×─".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
