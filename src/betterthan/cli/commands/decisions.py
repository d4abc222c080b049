"""``betterthan plan``, ``gate`` and ``watch``: how much data is enough, may this ship, may we stop.

A watch reads input that grows: a file that is being written, or standard input, again whenever it has new lines.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, Literal, TypeVar

import click

from betterthan import scratch
from betterthan.budget import MOST_SEGMENTS
from betterthan.cli.gate_config import config_options
from betterthan.cli.options import (
    alpha_option,
    metric_option,
    missing_option,
    only_option,
    output_options,
    over_option,
    reading_options,
    units_option,
)
from betterthan.cli.streams import is_quiet
from betterthan.errors import BetterThanError, ReadError

if TYPE_CHECKING:
    from betterthan.present.table import Table
    from betterthan.read.protocol import Options
    from betterthan.results.decisions import Gate, Plan, Watch


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option(
    "--difference",
    type=float,
    multiple=True,
    metavar="X",
    help="A true difference to be shown; for battles the probability of a win minus 0.5. Repeat for several. "
    "[default: round numbers]",
)
@click.option(
    "--number",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="Items (documents, battles) that are available: what difference do they detect, and with which power? "
    "[default: those of the pilot]",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="Probability of a significant result."
)
@alpha_option
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Direction of the test.",
)
@only_option(
    "A system of the pilot to plan for. Repeat for several; for two, the difference observed between them."
)
@click.option(
    "--n-systems",
    type=click.IntRange(2, 10_000),
    metavar="M",
    help="Number of systems that will be compared. [default: those of the pilot, otherwise 2]",
)
@metric_option("The metric, if the pilot has several.")
@click.option(
    "--sd", type=float, metavar="X", help="Assume this standard deviation of the differences of items."
)
@click.option(
    "--discordance",
    type=float,
    metavar="SHARE",
    help="Assume that only one system is right on this share of items.",
)
@click.option("--ties", type=float, metavar="SHARE", help="Assume battles with this share of ties.")
@click.option(
    "--noise-sd",
    type=float,
    metavar="X",
    help="With --sd: standard deviation of repeated scores of one item.",
)
@click.option("--run-sd", type=float, metavar="X", help="With --sd: standard deviation of whole runs.")
@click.option(
    "--repeats",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="R",
    help="Runs of each system, or judgments of each item.",
)
@click.option("--document-size", type=float, metavar="K", help="With --sd: segments of a document.")
@click.option(
    "--icc", type=float, metavar="X", help="With --sd: correlation of differences within a document."
)
@click.option(
    "--judged",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="With --sd: items that an automatic judge has scored.",
)
@click.option(
    "--judge-correlation", type=float, metavar="X", help="With --sd: correlation of the judge with humans."
)
@missing_option("Reject items that a system lacks, or leave them out.")
@units_option
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence level of the ranges."
)
@reading_options
@output_options
def plan(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: str | None,
    difference: tuple[float, ...],
    systems: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Plan:
    """Plan how much data shows a difference: from assumptions, or from a pilot in FILE.

    \b
    Examples:
      betterthan plan --discordance 0.1 --difference 0.02
      betterthan plan --sd 12 --difference 1 --difference 2 --n-systems 5
      betterthan plan --ties 0.2 --number 2000
      betterthan plan pilot.csv
      betterthan plan pilot.csv --only A --only B
      betterthan plan runs.csv --run seed --repeats 5 --difference 0.05
    """  # noqa: D301
    from betterthan.analysis.plan.plan import KINDS
    from betterthan.analysis.plan.plan import plan as planned
    from betterthan.read.inputs import TableReader

    table = TableReader(options, format=format_in).table(files, kinds=KINDS, metric=metric) if files else None
    if not files and metric is not None:
        given["metric"] = metric
    return planned(table, difference=difference or None, systems=systems or None, **given)


@click.command()
@click.argument("file", nargs=-1, metavar="FILE... [BASELINE CANDIDATE]")
@click.option(
    "--margin",
    type=float,
    metavar="X",
    help="How much worse the candidate may be, in the unit of the metric; for battles, of the probability of a win. "
    "Needed unless every --metric has a margin.",
)
@only_option("The baseline, and given again the candidate, where their names could be files.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME[=MARGIN]",
    help="A metric, if the files have several, with its margin where it has one of its own. Repeat for several: all "
    "must pass.",
)
@click.option(
    "--no-worse-slice",
    "slices",
    multiple=True,
    metavar="COLUMN",
    help="Fail also where the candidate is worse on the items with the same value in this column, such as a topic. "
    "Repeat for several.",
)
@click.option(
    "--undecided",
    type=click.Choice(["pass", "fail"]),
    help="Count an undecided gate as a pass (exit code 0) or a failure (1). [default: exit code 3]",
)
@missing_option("Reject items that one of the two lacks, or leave them out.")
@units_option
@over_option
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Significance level; each kind of error has half this probability.",
)
@click.option(
    "--power",
    type=float,
    default=0.8,
    show_default=True,
    help="Probability of a decision, for the number of items that would decide.",
)
@click.option(
    "--github",
    is_flag=True,
    help="For GitHub Actions: annotations on standard error, the table in the summary of the job, and the outputs "
    "verdict and exit-code.",
)
@click.option("--junit", metavar="FILE", help="Also write a JUnit report.")
@config_options
@reading_options
@output_options
def gate(
    file: tuple[str, ...],
    systems: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metrics: tuple[str, ...],
    slices: tuple[str, ...],
    margin: float | None,
    undecided: Literal["pass", "fail"] | None,
    junit: str | None,
    *,
    github: bool,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Gate:
    """Decide whether a candidate may replace a baseline: is it shown not to be worse by more than a margin?

    The first FILE holds the scores of the baseline, the second those of the candidate, for the same items. For one file
    with several systems name the two behind it. The exit code is 0 for better, equivalent and pass, 1 for fail, 3 for
    undecided, and 2 for invalid data, such as items that only one of the two has.

    Files and options can be set in betterthan.toml, or in pyproject.toml below [tool.betterthan.gate].

    \b
    Examples:
      betterthan gate baseline.jsonl candidate.jsonl --margin 0.02
      betterthan gate scores.csv Aster Birch --margin 1 --metric chrF
      betterthan gate old.jsonl new.jsonl --metric correct=0.02 --metric toxicity=0.01 --no-worse-slice topic
      betterthan gate old.jsonl new.jsonl --margin 0.02 --github --junit gate.xml
      betterthan gate runs/v1 runs/v2 --metric acc --margin 0.01 --undecided fail
    """  # noqa: D301
    from betterthan.analysis.gate.gate import gate_tables
    from betterthan.cli.gate_files import GateInputs, margins_of, tell_github, write_junit
    from betterthan.cli.inputs import files_and_systems

    if not file:
        raise click.UsageError("Name the files of the baseline and of the candidate.")
    files, named = files_and_systems(file)
    # The receipt tells files and systems apart as well.
    click.get_current_context().params.update(file=files, systems=(*named, *systems))
    read = GateInputs(files, options, format_in)
    tables = read.tables(margins_of(metrics, margin))
    slicings = [read.slicing(column, tables[0]) for column in slices]
    result = gate_tables(
        tables, slicings, systems=(*named, *systems) or None, undecided=undecided or "", **given
    )
    if junit is not None:
        write_junit(result, junit)
    if github:
        tell_github(result)
    return result


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@only_option("A system to watch. Repeat for several.")
@click.option(
    "--horizon",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="Items or battles of a pair at which collecting ends anyway, such as the number that plan returns.",
)
@click.option(
    "--expected",
    type=float,
    metavar="X",
    help="The difference that is expected or matters; for battles the probability of a win minus 0.5.",
)
@click.option(
    "--bounds",
    type=float,
    multiple=True,
    metavar="X",
    help="The lowest and the highest possible score, as in --bounds 0 --bounds 100.",
)
@click.option(
    "--margin",
    type=float,
    metavar="X",
    help="Test whether the second system is worse than the first, the baseline, by less than X.",
)
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Test for any difference, or only whether the first system is better (greater) or worse (less).",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Probability of any false verdict at any look.",
)
@metric_option("The metric, if the file has several.")
@missing_option("Reject items that a system lacks, or leave them out.")
@click.option(
    "--cluster",
    metavar="COLUMN",
    help="Treat battles with the same value in this column as one unit; none treats them as independent. "
    "[default: the judge or session column, if there is one]",
)
@click.option(
    "--top",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="K",
    help="For battles: recommend which pairs should meet next, so that the K best systems are soon known.",
)
@click.option(
    "--ask",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="With --top: how many battles to recommend. [default: 100]",
)
@click.option(
    "--state",
    metavar="FILE",
    help="Keep what was counted in this file and continue from it; options must stay the same.",
)
@click.option("--append", is_flag=True, help="With --state: the input is only what is new, not everything.")
@click.option(
    "--follow",
    is_flag=True,
    help="Look again whenever the file or standard input has new lines, until every pair is decided, the "
    "horizon is reached, the input ends, or Ctrl-C.",
)
@units_option
@reading_options
@output_options
def watch(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: str | None,
    cluster: str | None,
    systems: tuple[str, ...],
    bounds: tuple[float, ...],
    *,
    follow: bool,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Watch:
    """Look at scores or battles while they are collected: are they enough, and if not, how many more?

    FILE holds items or battles in the order in which they were collected. The answer holds however often one looks.

    \b
    Examples:
      betterthan watch votes.csv
      betterthan watch scores.csv --horizon 1000
      betterthan watch scores.csv --bounds 0 --bounds 100 --expected 1.5
      betterthan watch old.jsonl new.jsonl --margin 0.02
      betterthan watch votes.csv --top 3
      betterthan watch votes.csv --state votes.json
      tail -f votes.csv | betterthan watch - --follow
    """  # noqa: D301
    from dataclasses import replace

    from betterthan.analysis.watch.watch import KINDS
    from betterthan.analysis.watch.watch import watch as watched
    from betterthan.errors import BetterThanError
    from betterthan.present.tables.decisions import watch_table
    from betterthan.read.inputs import TableReader

    def look(*paths: str) -> Watch:
        reader = TableReader(replace(options, in_order=True), format=format_in)
        table = reader.table(paths, kinds=KINDS, metric=metric, cluster=cluster)
        return watched(table, systems=systems or None, bounds=bounds or None, **given)

    if not follow:
        return look(*files)
    if len(files) > 1:
        raise BetterThanError("--follow takes one file, or - for standard input.")
    if given["append"]:
        raise BetterThanError("--append has no effect with --follow, which reads from the beginning.")
    following = Followed(files[0], look, is_last=lambda found: found.is_over, table=watch_table)
    return following.last()


Found = TypeVar("Found")
STANDARD_INPUT = "-"
_PAUSE = 0.2
_SHARE = 0.2
"""Share of the time that may be spent on looks."""
_FEW_LINES = 10
"""Lines before which a file may still be impossible to read."""
_CHUNK = 1 << 16


class Followed(Generic[Found]):
    """Looks at a growing input until one is the last.

    Parameters
    ----------
    file : str
        A text file of lines, or ``-`` for standard input, which ends the looks when it ends.
    look : callable
        From the path of a copy of the whole lines so far to what is found.
    is_last : callable
        Whether nothing more is needed.
    table : callable
        The table to show on a terminal after each look.
    """

    def __init__(
        self,
        file: str,
        look: Callable[[str], Found],
        *,
        is_last: Callable[[Found], bool],
        table: Callable[[Found], Table],
    ) -> None:
        self._file, self._look, self._is_last, self._table = file, look, is_last, table
        self._lines, self._over = 0, False

    def last(self) -> Found:
        """Look whenever there is more, and return the last finding; an interruption ends the looks.

        Raises
        ------
        ReadError
            When the lines cannot be read.
        """
        found: Found | None = None
        with tempfile.TemporaryDirectory(prefix="follow-", dir=scratch.folder()) as folder:
            copy = Path(folder) / (Path(self._file).name if self._file != STANDARD_INPUT else "stdin")
            with _shown() as show, contextlib.suppress(KeyboardInterrupt):
                for _ in self._grown(copy):
                    seen = self._seen(copy)
                    if seen is None:
                        continue
                    found = seen
                    show(self._table(found))
                    if self._is_last(found):
                        break
            if found is None:
                copy.touch()
                return self._look(str(copy))
        return found

    def _seen(self, copy: Path) -> Found | None:
        """Return what is found, or None where the first lines are not enough to read them."""
        try:
            return self._look(str(copy))
        except BetterThanError:
            if self._over or self._lines >= _FEW_LINES:
                raise
            return None

    def _grown(self, copy: Path) -> Iterator[None]:
        """Append new whole lines to the copy, and yield when it is time for a look."""
        rest, spent = b"", 0.0
        looked = time.monotonic()
        is_new = False
        with copy.open("ab") as target:
            for part in self._parts():
                rest += part
                whole, newline, rest = rest.rpartition(b"\n")
                if newline or (self._over and rest):
                    target.write(whole + newline + (rest if self._over else b""))
                    target.flush()
                    self._lines += whole.count(b"\n") + 1
                    is_new = True
                if is_new and (self._over or time.monotonic() - looked >= spent / _SHARE):
                    is_new, began = False, time.monotonic()
                    yield
                    looked = time.monotonic()
                    spent = looked - began

    def _parts(self) -> Iterator[bytes]:
        """Yield what is new, or nothing after a pause; sets that it is over before the last part."""
        if self._file == STANDARD_INPUT:
            yield from self._piped()
            return
        try:
            stream = Path(self._file).open("rb")  # noqa: SIM115  (closed below)
        except OSError as error:
            raise ReadError(
                f"It cannot be read ({error.strerror}).", path=self._file, code="BT001"
            ) from error
        with stream:
            while True:
                part = stream.read(_CHUNK)
                yield part
                if not part:
                    time.sleep(_PAUSE)

    def _piped(self) -> Iterator[bytes]:
        parts: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        reader = threading.Thread(target=_read_all, args=(sys.stdin.buffer, parts), daemon=True)
        reader.start()
        while True:
            try:
                part = parts.get(timeout=_PAUSE)
            except queue.Empty:
                yield b""
                continue
            if not part:
                self._over = True
                yield b""
                return
            yield part


def _read_all(stream: IO[bytes], parts: queue.SimpleQueue[bytes]) -> None:
    """Pass on each line as it comes, and an empty one at the end."""
    for line in stream:
        parts.put(line)
    parts.put(b"")


@contextlib.contextmanager
def _shown() -> Iterator[Callable[[Table], None]]:
    """Yield what shows a table in place of the one before, on a terminal; elsewhere nothing is shown."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from betterthan.cli.wording import typed_option
    from betterthan.present.renderers.text import render_text

    console = Console(stderr=True)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda table: live.update(
            Text.from_ansi(render_text(table, width=console.width, color=True, spelling=typed_option())),
            refresh=True,
        )
