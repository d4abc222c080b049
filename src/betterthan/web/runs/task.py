"""A task: what a worker process is told, and what the server calls it while it lasts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import Choices, StoredFile

ENDED = "ended"
"""In the last message about a task: the exit status of the process that did it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a worker is told.

    Attributes
    ----------
    name : {"look", "compose", "pair", "changes", "watch", "gate"}
    root, run_id : str
        Where the run is.
    files : tuple of StoredFile
    choices : Choices
    memory_bytes : int
        Address space it may use.
    cpu_seconds : int
        Processor time it may use.
    rows : int
        Rows the data may have.
    details : dict of str to str
        Which part of a finished run is wanted: systems "a" and "b" by "metric", what changed since the run "before", or
        the options of a watch or a gate.
    """

    name: str
    root: str
    run_id: str
    files: tuple[StoredFile, ...]
    choices: Choices
    memory_bytes: int
    cpu_seconds: int
    rows: int
    details: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the task as text."""
        return json.dumps({**asdict(self), "choices": self.choices.to_dict()})

    @staticmethod
    def from_json(text: str) -> Task:
        """Make a task from its text."""
        data = json.loads(text)
        files = tuple(StoredFile(**file) for file in data.pop("files"))
        return Task(files=files, choices=Choices.from_dict(data.pop("choices")), **data)

    @property
    def folder(self) -> RunFolder:
        """The run's folder."""
        return RunFolder(Path(self.root), self.run_id)

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs that it reads: its own, and the one that it compares with."""
        return (self.run_id, self.details["before"]) if "before" in self.details else (self.run_id,)

    @property
    def key(self) -> str:
        """What no other task has at the same time: a run is looked at or computed once, its details side by side."""
        if not self.details:
            return self.run_id
        text = json.dumps([self.name, self.details], sort_keys=True)
        return f"{self.run_id}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    @property
    def scratch(self) -> Path:
        """The folder for what the worker needs only while it works."""
        return self.folder.scratch.with_name(f"scratch{self.key.removeprefix(self.run_id)}")
