"""Where answers go: results become text in the chosen format, on standard output or in a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from betterthan.cli.options import is_changed
from betterthan.cli.streams import is_reader_gone, refuse_overwriting, say, silence_stdout
from betterthan.cli.wording import typed_option
from betterthan.errors import BetterThanError, unknown_name
from betterthan.present.delimited import TidyResults
from betterthan.present.renderers.render import ROWS, SUFFIXES, TABLES
from betterthan.present.renderers.text import WIDTH, render_text
from betterthan.present.table import Table
from betterthan.present.tables.describe import describe, summarize
from betterthan.present.tables.together import Together, combined
from betterthan.receipts.receipt import record
from betterthan.results.base import Result, json_text
from betterthan.results.registry import RESULT_KINDS, load
from betterthan.results.settings import short_signature
from betterthan.writing import write_whole

# Under this key a command finds the list that takes its results instead of a stream: see `betterthan verify`.
COLLECTED = "betterthan.results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The results of a command, and how they are shown where the usual way will not do.

    Parameters
    ----------
    results : tuple of Result
    together : Together, optional
        One table for all of them; by default results of the same kind are put together as far as they can be.
    every_pair : bool, default False
        List all pairs of systems, however many.
    """

    results: tuple[Result, ...]
    together: Together | None = None
    every_pair: bool = False

    def tables(self, format: str) -> list[Table]:  # noqa: A002  (the user's word)
        """Return what is shown; LaTeX, which is cut by hand, has all pairs."""
        together = self.together or combined(self.results)
        if together is not None:
            return [together.table]
        show = describe if self.every_pair or format == "latex" else summarize
        return [show(result) for result in self.results]

    def tidy(self) -> Sequence[TidyResults]:
        """Return what is listed row by row."""
        together = self.together or combined(self.results)
        return self.results if together is None else [together]


def check_place(
    *,
    format: str | None,  # noqa: A002  (the user's word)
    output: str | None,
    as_json: bool,
    all_notes: bool,
    whole_signature: bool,
    color: str = "auto",  # noqa: ARG001  (the place that emit_all takes)
) -> str:
    """Return the format of the output; options that do not go together are refused before anything is computed."""
    chosen = "json" if as_json else format or _format_of(output)
    if chosen != "table" and (all_notes or whole_signature):
        option = "--notes" if all_notes else "--signature"
        raise BetterThanError(
            f"{option} is for tables of text. The format {chosen} has all notes and the signature."
        )
    return chosen


def emit(result: Result, **place: Any) -> int:  # noqa: ANN401  (the place that emit_all takes)
    """Write one result; see :func:`emit_all`."""
    return emit_all([result], **place)


def emit_all(
    results: Sequence[Result] | Answer,
    *,
    format: str | None = None,  # noqa: A002  (the user's word)
    output: str | None = None,
    as_json: bool = False,
    color: str = "auto",
    all_notes: bool = False,
    whole_signature: bool = False,
) -> int:
    """Write results and return the exit code: 0, or what a result itself says (a check may say no).

    Several results in JSON are one array, so that the whole is JSON. In JSON each says which command made it.
    """
    answer = results if isinstance(results, Answer) else Answer(results=tuple(results))
    context = click.get_current_context(silent=True)
    if context is not None and COLLECTED in context.meta:
        context.meta[COLLECTED] += answer.results
        return 0
    chosen = check_place(
        format=format,
        output=output,
        as_json=as_json,
        all_notes=all_notes,
        whole_signature=whole_signature,
    )
    to_file = output is not None and output != "-"
    if not to_file and sys.stdout is None:
        raise BetterThanError("Standard output is closed. Write the answer to a file: --output FILE.")
    if chosen == "json":
        text = _as_json(answer.results, record(context))
    elif chosen in ROWS:
        text = "\n".join(ROWS[chosen](tidy, typed_option()) for tidy in answer.tidy())
    elif chosen == "table":
        shown = {"all_notes": all_notes, "whole_signature": whole_signature}
        tables = [_named_options(table, answer.results) for table in answer.tables(chosen)]
        texts = [_as_text(table, color, to_file=to_file, **shown) for table in tables]
        text = "\n".join(texts)
    else:
        text = _whole_page(answer) if chosen == "html" else ""
        text = text or "\n".join(TABLES[chosen](table, typed_option()) for table in answer.tables(chosen))
    if to_file and output is not None:
        refuse_overwriting(output)
        write_whole(output, text)
        say(f"Wrote {output}")
    else:
        to_stdout(text)
    return max(getattr(result, "exit_code", 0) for result in answer.results)


def _whole_page(answer: Answer) -> str:
    """Return the page of a result whose kind has one, otherwise nothing."""
    page = RESULT_KINDS[answer.results[0].kind].page if len(answer.results) == 1 else ""
    return str(load(page)(answer.results[0], typed_option())) if page else ""


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


_SETTINGS = {
    "alpha": ("alpha", "test"),
    "alternative": ("alternative",),
    "anchor": ("anchor",),
    "confidence": ("ci", "test"),
    "correction": ("adjust", "test"),
    "covariates": ("covariates",),
    "interval": ("ci",),
    "level": ("level",),
    "margin": ("margin",),
    "method": ("p",),
    "metric_margin": ("metric_margin",),
    "mid_p": ("mid_p",),
    "missing": ("missing",),
    "order": ("order",),
    "p_values": ("p",),
    "pool": ("pool",),
    "prior": ("prior",),
    "rating": ("rating",),
    "resamples": ("ci", "p", "significance", "corpora"),
    "scale": ("scale",),
    "significance": ("significance",),
    "size": ("corpora",),
    "test": ("test",),
    "ties": ("ties",),
    "units": ("units", "drawn"),
}
"""What options of commands are called in a signature."""


def _named_options(table: Table, results: Sequence[Result]) -> Table:
    """Return the table with a short signature that has the options which the user changed."""
    if not table.short_signature or click.get_current_context(silent=True) is None:
        return table
    parameters = {str(one.name) for one in click.get_current_context().command.params}
    keys = {
        key for name, keys in _SETTINGS.items() if name in parameters and is_changed(name) for key in keys
    }
    own = [one.settings for one in results if one.settings.short_signature == table.short_signature]
    every = [one.settings for one in results] if not own else own[:1]
    return replace(table, short_signature=short_signature(every, keys))


def _as_text(table: Table, color: str, *, to_file: bool, **shown: bool) -> str:
    is_terminal = sys.stdout.isatty() and not to_file
    return render_text(
        table,
        spelling=typed_option(),
        width=shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else None,
        color=not to_file and _colored(color),
        unicode=to_file or _can_show_unicode(),
        more_notes="--notes shows them",
        **shown,
    )


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
