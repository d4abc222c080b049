"""The command line that makes a report again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def command_of(files: Sequence[Any], **given: Any) -> str:  # noqa: ANN401
    """Return the command line that makes the report again; tables in memory stand as their kind in brackets."""
    words = ["betterthan", "report", *(_named(file) for file in files)]
    if given.get("human") is not None:
        words += ["--human", _named(given["human"])]
    for reference in given.get("references") or ():
        words += ["--reference", str(reference)]
    plain = {
        "source": None,
        "metric": None,
        "question": "auto",
        "missing": "raise",
        "units": "segments",
        "rng": 12345,
    }
    called = {"rng": "--seed"}
    for option, usual in plain.items():
        value = given.get(option)
        if value is not None and value != usual:
            words += [called.get(option, f"--{option}"), str(value)]
    if not given.get("texts", True):
        words.append("--no-texts")
    return shlex.join([*words, "-o", "report.html"])


def _named(file: Any) -> str:  # noqa: ANN401  (a path or a table)
    return str(file) if isinstance(file, str | Path) else f"[{type(file).__name__} in memory]"
