"""The commands of the pages, each in a process of its own that is forked from one that has loaded everything.

Loading is most of what a command on a page costs, and there are a hundred. Only plain commands come here; whatever
needs the shell (a pipe, a redirection, a variable) goes to the shell.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import re
import shlex
import signal
import sys
import tempfile
from pathlib import Path
from typing import Self

from betterthan.engine.child import Child, private_channels, receive, send

_NEEDS_THE_SHELL = frozenset("|<>;&$*?`()#~{}[]!")
_COMMENT = re.compile(r"\s+#[^\"]*$")
_SECONDS = 120  # as long as a command may take; only what hangs takes longer


class Commands:
    """A process that runs commands of `betterthan`, one after another, each from a fresh fork.

    Parameters
    ----------
    environment : dict of str to str
        What the commands see of it.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self._child = Child([__file__], environment=environment)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.end(grace=20)

    def run(self, arguments: list[str], folder: Path, **variables: str) -> tuple[int, str]:
        """Run one command in `folder`; return its exit status, and what it wrote to both streams, in that order."""
        with tempfile.TemporaryDirectory() as place:
            output = Path(place, "output")
            task = {
                "arguments": arguments,
                "folder": str(folder),
                "output": str(output),
                "variables": variables,
            }
            self._child.send(json.dumps(task).encode())
            code = int(self._child.receive())
            return code, output.read_text(encoding="utf-8")


def plain(command: str) -> list[str] | None:
    """Return the arguments of a command that needs no shell.

    Examples
    --------
    >>> plain("betterthan rank 'my scores.csv'")
    ['rank', 'my scores.csv']
    >>> plain("betterthan rank scores.csv   # who is best?")
    ['rank', 'scores.csv']
    >>> plain("betterthan rank scores.csv | head -n 3")
    """
    command = _COMMENT.sub("", command)
    words = shlex.split(command.replace("\\\n", " "))
    if words[:1] != ["betterthan"] or not _NEEDS_THE_SHELL.isdisjoint(command):
        return None
    return words[1:]


def _load() -> None:
    """Import what commands need, and start nothing: threads do not live on in a fork."""
    import betterthan  # noqa: PLC0415
    from betterthan.cli import commands  # noqa: PLC0415

    for name in betterthan.__all__:
        getattr(betterthan, name)
    for module in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        importlib.import_module(module.name)
    for library in ("duckdb", "altair"):
        with contextlib.suppress(ImportError):
            importlib.import_module(library)


def _be(task: dict[str, object]) -> None:
    """Become the command, in the fork; leaves as the command leaves.

    It leaves at once: to take the interpreter apart, with everything that was loaded, costs five times the command.
    """
    os.chdir(str(task["folder"]))
    os.environ.update(task["variables"])  # type: ignore[arg-type]
    written = os.open(str(task["output"]), os.O_WRONLY | os.O_CREAT, 0o600)
    os.dup2(written, 1)
    os.dup2(written, 2)
    sys.argv = ["betterthan", *task["arguments"]]  # type: ignore[misc]
    signal.alarm(_SECONDS)
    from betterthan.cli.main import main  # noqa: PLC0415

    code = 1
    try:
        main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    finally:
        atexit._run_exitfuncs()  # noqa: SLF001  (temporary files are removed there)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _serve() -> None:
    requests, answers = private_channels()
    _load()
    while True:
        try:
            task = json.loads(receive(requests))
        except EOFError:
            return
        process = os.fork()
        if process == 0:
            requests.close()
            answers.close()
            _be(task)
        _, status = os.waitpid(process, 0)
        send(answers, str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    _serve()
