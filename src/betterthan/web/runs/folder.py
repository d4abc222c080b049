"""The folder of a run: everything that belongs to it, and nothing of it anywhere else."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from betterthan.web.runs.run import ID

_OF_LOOK = "look"  # how the names of all files begin that the look at the uploads wrote
_FACTS = "facts.json"  # what the list says of an earlier report


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where a run's files and answers are.

    Parameters
    ----------
    root : Path
        The folder of all runs.
    run_id : str
        Checked here, so that no path can be made from anything else.
    """

    root: Path
    run_id: str

    def __post_init__(self) -> None:
        if not ID.fullmatch(self.run_id):
            raise ValueError("This is no id of a run.")

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.root / self.run_id

    @property
    def files(self) -> Path:
        """The uploaded files, by digest."""
        return self.path / "files"

    @property
    def answers(self) -> Path:
        """What the worker wrote."""
        return self.path / "answers"

    @property
    def checkpoints(self) -> Path:
        """Finished blocks of an unfinished run."""
        return self.path / "checkpoints"

    @property
    def scratch(self) -> Path:
        """What a worker needs only while it works."""
        return self.path / "scratch"

    @property
    def previous(self) -> Path:
        """The answers before those that are being made; they come back if no new ones do."""
        return self.path / "previous"

    @property
    def has_report(self) -> bool:
        """Whether there is a report to read."""
        return (self.answers / "report.html").exists()

    @property
    def has_previous(self) -> bool:
        """Whether there is an earlier report to go back to."""
        return (self.previous / _FACTS).exists()

    def make(self) -> None:
        """Make the folders, for this user alone."""
        for folder in (self.path, self.files, self.answers):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def read(self, name: str) -> Any:  # noqa: ANN401  (any JSON)
        """Return an answer's JSON, or None when it is not there (yet)."""
        try:
            return json.loads((self.answers / name).read_bytes())
        except FileNotFoundError:
            return None

    def write(self, name: str, data: str | bytes | dict[str, Any]) -> None:
        """Write an answer beside its place and rename it, so that no reader sees half of it."""
        text = json.dumps(data, allow_nan=False, ensure_ascii=False) if isinstance(data, dict) else data
        content = text.encode("utf-8") if isinstance(text, str) else text
        self.answers.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=self.answers, suffix=".partial")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(partial).replace(self.answers / name)
        except OSError:
            Path(partial).unlink(missing_ok=True)
            raise

    def forget_answers(self) -> None:
        """Remove what an earlier start wrote, the look at the files excepted."""
        for path in self.answers.glob("*"):
            if not path.name.startswith(_OF_LOOK):
                path.unlink(missing_ok=True)

    def set_aside(self, facts: dict[str, Any]) -> None:
        """Keep the report of a run that is started again, with what the list says of it, until there is a new one."""
        self.forget_previous()
        self.write(_FACTS, facts)
        self.previous.mkdir(mode=0o700)
        # What the list says goes last: without it there is nothing to go back to.
        every = [path.name for path in self.answers.glob("*")]
        names = [name for name in every if name != _FACTS and not name.startswith(_OF_LOOK)]
        try:
            for name in (*names, _FACTS):
                (self.answers / name).replace(self.previous / name)
        except OSError:
            for path in self.previous.glob("*"):
                path.replace(self.answers / path.name)
            raise

    def go_back(self) -> dict[str, Any] | None:
        """Put an earlier report in its place again and return what the list said of it; None if there is none."""
        if not self.has_previous:
            return None
        self.forget_answers()
        facts: dict[str, Any] = json.loads((self.previous / _FACTS).read_bytes())
        for path in self.previous.glob("*"):
            if path.name != _FACTS:
                path.replace(self.answers / path.name)
        self.forget_previous()
        return facts

    def forget_previous(self) -> None:
        """Remove an earlier report."""
        shutil.rmtree(self.previous, ignore_errors=True)

    def delete(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
