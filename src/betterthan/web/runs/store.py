"""The list of runs, in SQLite, so that it survives a restart."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal

from betterthan.web.runs.run import Choices, RunRecord, RunState, StoredFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    state TEXT NOT NULL,
    title TEXT NOT NULL,
    files TEXT NOT NULL,
    choices TEXT NOT NULL,
    kind TEXT NOT NULL,
    verdict TEXT NOT NULL,
    problem TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_time ON runs (created DESC);
"""
_COLUMNS = "id, created, state, title, files, choices, kind, verdict, problem"
_CHANGEABLE = frozenset({"state", "title", "choices", "kind", "verdict", "problem"})
RunOrder = Literal["newest", "oldest", "title"]
_ORDERS: dict[RunOrder, str] = {
    "newest": "created DESC",
    "oldest": "created",
    "title": "title COLLATE NOCASE, created DESC",
}
_SEARCHED = (
    "title LIKE ? ESCAPE '\\'",
    "verdict LIKE ? ESCAPE '\\'",
    "problem LIKE ? ESCAPE '\\'",
    "EXISTS (SELECT 1 FROM json_each(files) WHERE json_extract(value, '$.name') LIKE ? ESCAPE '\\')",
)


class RunStore:
    """The runs of one folder. A call takes an idle connection or opens one, so no two threads share one.

    Parameters
    ----------
    path : Path
        The SQLite file; made if absent.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     runs = RunStore(Path(folder) / "runs.sqlite")
    ...     runs.add(RunRecord(id="a" * 22, created=1.0, state="ready", title="human.csv", files=()))
    ...     runs.change("a" * 22, state="done", verdict="Aster is best."), runs.get("a" * 22).verdict
    ...     runs.close()
    (True, 'Aster is best.')
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        _keep_private(path)
        self._unwritten: dict[str, dict[str, Any]] = {}  # by run: what the disk did not take
        self._lock = threading.Lock()
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        with self._opened() as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(_SCHEMA)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            database = self._idle.get_nowait()
        except Empty:
            database = sqlite3.connect(self._path, timeout=30.0, check_same_thread=False)
            database.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
        try:
            with database:
                yield database
        finally:
            self._idle.put(database)

    def close(self) -> None:
        """Close all connections."""
        with suppress(sqlite3.Error), self._opened() as database:
            self._write_rest(database)
        while not self._idle.empty():
            self._idle.get_nowait().close()

    def add(self, run: RunRecord) -> None:
        """Put a new run on the list."""
        files = json.dumps([asdict(file) for file in run.files])
        row = (
            run.id, run.created, run.state, run.title, files, json.dumps(run.choices.to_dict()),
            run.kind, run.verdict, run.problem,
        )  # fmt: skip
        with self._opened() as database:
            database.execute(f"INSERT INTO runs ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", row)  # noqa: S608  (our own names)

    def get(self, run_id: str) -> RunRecord | None:
        """Return a run, or None if there is none of this id."""
        with self._opened() as database:
            row = database.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (run_id,)).fetchone()  # noqa: S608
        return None if row is None else self._as_it_is(_run(row))

    def page(
        self, *, limit: int = 50, offset: int = 0, find: str = "", order: RunOrder = "newest"
    ) -> list[RunRecord]:
        """Return runs in an order; only those whose title, verdict, problem or files hold some words."""
        where, values = _matching(find)
        query = f"SELECT {_COLUMNS} FROM runs{where} ORDER BY {_ORDERS[order]}, id LIMIT ? OFFSET ?"  # noqa: S608
        with self._opened() as database:
            rows = database.execute(query, (*values, limit, offset)).fetchall()
        return [self._as_it_is(_run(row)) for row in rows]

    def count(self, find: str = "") -> int:
        """Return the number of runs, of those that hold some words."""
        where, values = _matching(find)
        with self._opened() as database:
            return int(database.execute(f"SELECT count(*) FROM runs{where}", values).fetchone()[0])  # noqa: S608

    def in_state(self, *states: RunState) -> list[str]:
        """Return the ids of the runs in these states, oldest first."""
        marks = ",".join("?" * len(states))
        query = f"SELECT id FROM runs WHERE state IN ({marks}) ORDER BY created"  # noqa: S608
        with self._opened() as database:
            return [str(row[0]) for row in database.execute(query, states)]

    def change(self, run_id: str, *, only_from: tuple[RunState, ...] = (), **values: Any) -> bool:  # noqa: ANN401  (text or choices)
        """Change some columns, if the run is still in one of the states `only_from`; say whether it was.

        The condition and the change are one statement, so of two requests that start a run only one does.
        """
        if not values.keys() <= _CHANGEABLE:
            raise ValueError(f"Only {sorted(_CHANGEABLE)} can change.")
        with self._opened() as database:
            self._write_rest(database)
            return _changed(database, run_id, values, only_from)

    def settle(self, run_id: str, **values: Any) -> bool:  # noqa: ANN401  (text or choices)
        """Change some columns of a run that came to rest, even if the disk is full.

        What cannot be written is kept in memory, shown as if it were, and written with the next change.
        """
        try:
            return self.change(run_id, **values)
        except sqlite3.Error:
            with self._lock:
                self._unwritten.setdefault(run_id, {}).update(values)
            return True

    def _write_rest(self, database: sqlite3.Connection) -> None:
        """Write what the disk did not take before."""
        with self._lock:
            for run_id, values in self._unwritten.items():
                _changed(database, run_id, values)
            if self._unwritten:
                database.commit()
                self._unwritten.clear()

    def _as_it_is(self, run: RunRecord) -> RunRecord:
        with self._lock:
            return replace(run, **self._unwritten.get(run.id, {}))

    def delete(self, run_id: str) -> bool:
        """Take a run off the list, and its words out of the file and its journal."""
        with self._opened() as database:
            was_there = database.execute("DELETE FROM runs WHERE id = ?", (run_id,)).rowcount == 1
        with self._lock:
            self._unwritten.pop(run_id, None)
        # On a full disk the journal keeps the words until the next time.
        with suppress(sqlite3.OperationalError), self._opened() as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return was_there


def _matching(find: str) -> tuple[str, tuple[str, ...]]:
    """Return a condition and its values: some column holds the words as they are, in letters of either case."""
    if not find:
        return "", ()
    escaped = re.sub(r"([\\%_])", r"\\\1", find)
    return f" WHERE {' OR '.join(_SEARCHED)}", (f"%{escaped}%",) * len(_SEARCHED)


def _changed(
    database: sqlite3.Connection, run_id: str, values: dict[str, Any], only_from: tuple[RunState, ...] = ()
) -> bool:
    plain = {
        name: json.dumps(value.to_dict()) if isinstance(value, Choices) else value
        for name, value in values.items()
    }
    sets = ", ".join(f"{name} = ?" for name in plain)
    states = f" AND state IN ({','.join('?' * len(only_from))})" if only_from else ""
    cursor = database.execute(
        f"UPDATE runs SET {sets} WHERE id = ?{states}",  # noqa: S608  (names from our own list)
        (*plain.values(), run_id, *only_from),
    )
    return cursor.rowcount == 1


def _keep_private(path: Path) -> None:
    """Have the list readable by this user alone; SQLite gives its journals the permissions of the file itself."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for beside in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        if beside.exists():  # perhaps of an earlier version, which let others read it
            beside.chmod(0o600)


def _run(row: tuple[Any, ...]) -> RunRecord:
    run_id, created, state, title, files, choices, kind, verdict, problem = row
    return RunRecord(
        id=run_id,
        created=created,
        state=state,
        title=title,
        files=tuple(StoredFile(**file) for file in json.loads(files)),
        choices=Choices.from_dict(json.loads(choices)),
        kind=kind,
        verdict=verdict,
        problem=problem,
    )


def now() -> float:
    """Return the time of day in seconds; runs are listed by it, and it enters no result."""
    return time.time()
