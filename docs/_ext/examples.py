"""The examples on a page: found, run in order, and compared with what the page shows.

Three kinds of fenced block take part. The blocks of a page share one folder and one Python namespace.

* ``python``: a doctest when it begins with ``>>>``, else a script.
* ``console``: lines after ``$`` are commands; what follows a command is its output. Only the programs in
  :data:`PROGRAMS` are run. A command without shown output must leave with 0.
* ``{code-block}`` with a ``:caption:``: a file of that name.

Outputs are compared as they are, except for blanks at the ends of lines and for the last digits of numbers that are
written in full: linear algebra rounds differently on different processors.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import warm

PROGRAMS = frozenset({"betterthan", "cat", "echo", "gzip", "head"})
TO_BE_FILLED = "…"
_FENCE = re.compile(r"(`{3,})(.*)")
_COMMAND = re.compile(r"(?:[A-Z_]+=\S*\s+)*(\S+)")
_OPTIONAL = ("dask",)
_KEPT = ("BETTERTHAN_CACHE", "HOME", "PYTHONPATH", "TMPDIR")
_IN_FULL = re.compile(r"-?\d+\.\d{9,}(?:e[+-]?\d+)?|-?\d+(?:\.\d+)?e[+-]?\d+")
"""Numbers that are written with all their digits, not rounded for a reader."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: what stands behind its fence, its lines, and the place of the first of them."""

    info: str
    lines: list[str]
    start: int


@dataclass(slots=True, kw_only=True)
class Executed:
    """A page after its examples ran: the text with the outputs that came, and what did not fit."""

    lines: list[str]
    faults: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The page as it should be."""
        return "\n".join(self.lines) + "\n"


def blocks(text: str) -> Iterator[Block]:
    r"""Yield the fenced blocks of a Markdown page.

    Examples
    --------
    >>> [(block.info, block.lines) for block in blocks("Text\n```python\n1 + 1\n```\n")]
    [('python', ['1 + 1'])]
    """
    lines = text.split("\n")
    fence, info, start = "", "", 0
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if not fence and found:
            fence, info, start = found.group(1), found.group(2).strip(), number + 1
        elif fence and line.rstrip() == fence:
            yield Block(info=info, lines=lines[start:number], start=start)
            fence = ""


def execute(text: str, folder: Path, commands: warm.Commands | None = None) -> Executed:
    """Run the examples of a page in `folder` and return the page with the outputs that came.

    Plain commands go to `commands`, if given; whatever needs a shell, to a shell.
    """
    page = Executed(lines=text.removesuffix("\n").split("\n"))
    session = _Session(folder, commands)
    with contextlib.chdir(folder), _environment(BETTERTHAN_CACHE="cache", COLUMNS="100"):
        # From the end of a block upwards, so that the places of what is above stay true.
        changes = [change for block in blocks(text) for change in session.run(block)]
    for change in sorted(changes, key=lambda change: -change.start):
        shown = page.lines[change.start : change.stop]
        if change.output is not None and not same_but_for_rounding(
            "\n".join(line.rstrip() for line in shown), "\n".join(change.output)
        ):
            page.faults.insert(0, _fault(change, shown))
            page.lines[change.start : change.stop] = change.output
        elif change.output is None:
            page.faults.insert(0, f"line {change.start + 1}: {change.said}")
    return page


def same_but_for_rounding(shown: str, came: str) -> bool:
    """Whether two texts are equal, numbers written in full up to what linear algebra may round.

    Examples
    --------
    >>> same_but_for_rounding("low,0.65364690866512461", "low,0.65364690866512458")
    True
    >>> same_but_for_rounding("low,0.653", "low,0.654"), same_but_for_rounding("0.6536469086651", "0.6536469186651")
    (False, False)
    """
    if shown == came:
        return True
    if _IN_FULL.sub("", shown) != _IN_FULL.sub("", came):
        return False
    pairs = zip(_IN_FULL.findall(shown), _IN_FULL.findall(came), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=_ROUNDING, abs_tol=_ROUNDING**2) for a, b in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """The lines of a page that show an output, and the output that came; None when something went wrong."""

    start: int
    stop: int
    output: list[str] | None
    said: str


def _fault(change: _Change, shown: list[str]) -> str:
    came = "\n".join(f"  | {line}" for line in change.output or ())
    expected = "\n".join(f"  | {line}" for line in shown)
    return f"line {change.start + 1}: {change.said}\n shown:\n{expected}\n came:\n{came}"


class _Session:
    """What the examples of one page share."""

    def __init__(self, folder: Path, commands: warm.Commands | None) -> None:
        self.folder = folder
        self.commands = commands
        self.namespace: dict[str, Any] = {"__name__": "__page__"}
        self.code = 0

    def run(self, block: Block) -> Iterator[_Change]:
        kinds: dict[str, Callable[[Block], Iterator[_Change]]] = {
            "python": self._python,
            "console": self._console,
        }
        caption = next((line for line in block.lines if line.startswith(":caption:")), None)
        if block.info in kinds:
            yield from kinds[block.info](block)
        elif block.info.startswith("{code-block}") and caption is not None:
            self._file(block, caption.removeprefix(":caption:").strip())

    def _file(self, block: Block, name: str) -> None:
        content = [line for line in block.lines if not re.match(r":\w+:", line)]
        (self.folder / name).write_text("\n".join(content).lstrip("\n") + "\n", encoding="utf-8")

    def _python(self, block: Block) -> Iterator[_Change]:
        code = "\n".join(block.lines) + "\n"
        if any(f"{name}." in code and importlib.util.find_spec(name) is None for name in _OPTIONAL):
            return
        if code.lstrip().startswith(">>>"):
            yield from self._doctest(block, code)
            return
        try:
            exec(compile(code, "<page>", "exec"), self.namespace)  # noqa: S102  (our own pages)
        except Exception as error:  # noqa: BLE001  (whatever it is, the page is wrong)
            said = f"{type(error).__name__}: {error}"
            yield _Change(start=block.start, stop=block.start, output=None, said=said)

    def _doctest(self, block: Block, code: str) -> Iterator[_Change]:
        test = doctest.DocTestParser().get_doctest(code, self.namespace, "page", None, block.start)
        recorder = _Recorder(verbose=False)
        recorder.run(test, out=lambda _: None, clear_globs=False)
        self.namespace.update(test.globs)
        for example in test.examples:
            start = block.start + example.lineno + example.source.count("\n")
            said = example.source.strip()
            if example.lineno in recorder.errors:
                said += f": {recorder.errors[example.lineno]}"
                yield _Change(start=start, stop=start, output=None, said=said)
            elif example.exc_msg is None:
                came = recorder.outputs[example.lineno].removesuffix("\n")
                output = [line.rstrip() or "<BLANKLINE>" for line in came.split("\n")] if came else []
                yield _Change(start=start, stop=start + example.want.count("\n"), output=output, said=said)

    def _console(self, block: Block) -> Iterator[_Change]:
        places = [i for i, line in enumerate(block.lines) if line.startswith("$ ")]
        for place, stop in zip(places, [*places[1:], len(block.lines)], strict=True):
            last = place
            while block.lines[last].endswith("\\"):
                last += 1
            command = "\n".join(block.lines[place : last + 1]).removeprefix("$ ")
            program = _COMMAND.match(command)
            if program is None or program.group(1) not in PROGRAMS:
                continue
            output = self._run(command)
            first = block.start + last + 1
            if stop > last + 1:
                yield _Change(start=first, stop=block.start + stop, output=output, said=f"$ {command}")
            elif self.code != 0:
                said = f"$ {command}: left with {self.code}: {' '.join(output)}"
                yield _Change(start=first, stop=first, output=None, said=said)

    def _run(self, command: str) -> list[str]:
        arguments = warm.plain(command)
        if self.commands is None or arguments is None:
            return self._shell(command)
        self.code, output = self.commands.run(arguments, self.folder, BETTERTHAN_CACHE="cache")
        return _as_lines(output)

    def _shell(self, command: str) -> list[str]:
        # The first part lets a page ask for the exit code of the command before: echo $?
        done = subprocess.run(
            ["bash", "-c", f"(exit {self.code})\n{command}"],  # noqa: S607  (whichever shell the reader has)
            cwd=self.folder,
            env=plain_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        self.code = done.returncode
        return _as_lines(done.stdout)


def _as_lines(output: str) -> list[str]:
    return [line.rstrip() for line in output.removesuffix("\n").split("\n")] if output else []


class _Recorder(doctest.DocTestRunner):
    """Keeps what each example printed, by its line."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self.outputs: dict[int, str] = {}
        self.errors: dict[int, str] = {}

    def report_start(self, out: object, test: object, example: doctest.Example) -> None:
        pass

    def report_success(self, out: object, test: object, example: doctest.Example, got: str) -> None:  # noqa: ARG002
        self.outputs[example.lineno] = got

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:  # noqa: ARG002
        self.outputs[example.lineno] = got
        if example.exc_msg is not None:
            self.errors[example.lineno] = got.strip().split("\n")[-1] or "no exception"

    def report_unexpected_exception(
        self,
        out: object,  # noqa: ARG002
        test: object,  # noqa: ARG002
        example: doctest.Example,
        exc_info: Any,  # noqa: ANN401
    ) -> None:
        self.errors[example.lineno] = f"{exc_info[0].__name__}: {exc_info[1]}"


def plain_environment() -> dict[str, str]:
    """A terminal's environment without anything that changes what is printed."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**kept, "PATH": path, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set variables for a while; afterwards nothing that the examples changed is left (dask changes some)."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def prepare(folder: Path) -> None:
    """Put the demo campaign into `folder`, and copies under the names that short examples use."""
    from betterthan.examples.campaign import campaign  # noqa: PLC0415  (only runs of examples pay for it)
    from betterthan.examples.write import write_campaign  # noqa: PLC0415
    from betterthan.read.formats.battles.battles import read_matches  # noqa: PLC0415
    from betterthan.read.scores import read_metrics  # noqa: PLC0415
    from betterthan.read.write.write import write_table  # noqa: PLC0415

    demo = folder / "demo"
    write_campaign(demo, campaign())
    (folder / "scores.csv").write_bytes((demo / "human.csv").read_bytes())
    (folder / "metrics.tsv").write_bytes((demo / "metrics.tsv").read_bytes())
    write_table(read_matches(demo / "battles.csv"), folder / "battles.parquet")
    write_table(list(read_metrics(demo / "metrics.tsv").values()), folder / "results.jsonl")
