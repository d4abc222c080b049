"""What a run says about its files, as readers take it."""

from __future__ import annotations

from betterthan.read.protocol import EVERY, Options
from betterthan.web.runs.run import Choices, StoredFile


def options_of(choices: Choices) -> Options:
    """Return what the user said about columns and directions, as readers take it."""
    return Options(
        columns=choices.columns,
        lower_is_better=frozenset({EVERY} if choices.direction == "lower" else ()),
        higher_is_better=frozenset({EVERY} if choices.direction == "higher" else ()),
        duplicates=choices.duplicates,  # type: ignore[arg-type]  # checked where the request came in
        both_bad=choices.both_bad,  # type: ignore[arg-type]
        ignore_columns=choices.ignore,
        keep_columns=choices.keep,
        winner_labels=choices.winner_labels,
    )


def named_path(file: StoredFile) -> str:
    """Return a file as the readers take it: its shown stem, and where it lies."""
    return f"{file.stem}={file.stored}"
