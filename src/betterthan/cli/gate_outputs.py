"""What a gate leaves for services of continuous integration, beside its answer."""

from __future__ import annotations

import os
from pathlib import Path

import click

from betterthan.cli.streams import refuse_overwriting, say
from betterthan.cli.wording import typed_option
from betterthan.errors import BetterThanError
from betterthan.present.renderers.github import job_summary, workflow_commands
from betterthan.present.renderers.junit import render_junit
from betterthan.results.gate import Gate
from betterthan.writing import write_whole

_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


def write_junit(result: Gate, path: str) -> None:
    """Write a JUnit report."""
    refuse_overwriting(path)
    write_whole(path, render_junit(result))
    say(f"Wrote {path}")


def tell_github(result: Gate) -> None:
    """Write annotations to standard error, and summary and outputs to the files that GitHub's variables name."""
    for line in workflow_commands(result):
        click.echo(line, err=True)
    _append(_SUMMARY, job_summary(result, typed_option()))
    _append(_OUTPUT, f"verdict={result.verdict}\nexit-code={result.exit_code}\n")


def _append(variable: str, text: str) -> None:
    """Append text to the file that a variable names, if there is one."""
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise BetterThanError(
            f"{path}, named by {variable}, cannot be written ({error.strerror})."
        ) from error
