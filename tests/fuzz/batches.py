"""Runs in processes that are forked for some dozens of them, so that a crash or a hang costs one and names it."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import io
import os
import pickle
import pkgutil
import resource
import select
import shutil
import signal
import struct
import sys
import tempfile
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from betterthan.errors import BetterThanError

BATCH = 100
MOST_SECONDS, LONGEST_WAIT = 60, 400
"""Processor time after which a run is ended, and time on the clock."""


def prepare():
    """Load everything once, and the compiled loops with it; whatever starts threads must wait for the fork."""
    import betterthan

    for module in pkgutil.walk_packages(betterthan.__path__, "betterthan."):
        if not module.name.startswith(("betterthan.web", "betterthan.cli.commands.report")):
            importlib.import_module(module.name)
    for name in ("duckdb", "pandas", "pyarrow.parquet", "altair", "numba", "sacrebleu"):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        _warm_up(Path(folder))


def _warm_up(folder):
    """Load the compiled loops, by commands that need no engine: it starts threads, which do not survive a fork."""
    from betterthan.cli.main import cli

    scores, text, tags = (str(folder / name) for name in ("a.csv", "b.txt", "c.tags"))
    Path(scores).write_text(
        "id,A,B,C\n1,0.5,0.25,1\n2,0.5,0.75,1\n3,1,0.5,0\n4,0.25,1,0.5\n", encoding="ascii"
    )
    Path(text).write_text("a b c d e\nf g h i j\n", encoding="ascii")
    Path(tags).write_text("OK BAD OK\nOK OK BAD\n", encoding="ascii")
    options = ["--resamples", "20", "--workers", "1", "--no-cache"]
    for words in (
        ["agree", scores, "--by", "elo", "--by", "trueskill", "--by", "bradley-terry", "--prior", "0.5"],
        ["compare", scores, "--by", "win-rate"],
        ["diagnose", scores],
        *(["score", metric, "--reference", text, text, text] for metric in ("bleu", "chrf", "ter")),
        ["tags", tags, tags, tags],
    ):
        given = words if words[0] == "diagnose" else words + options
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(BetterThanError):
            cli.main(args=given, standalone_mode=False, obj={})


def outcomes(seed, numbers, home=None):
    """Run cases and yield their outcomes; one that ends its process or takes too long has that as its fault."""
    from tests.fuzz.inputs import example
    from tests.fuzz.run import Outcome

    prepare()
    example()
    numbers = list(numbers)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as made:
        home = Path(home or made)
        while numbers:
            batch, numbers = numbers[:BATCH], numbers[BATCH:]
            done = 0
            for outcome in _batch(seed, batch, home):
                done += 1
                if isinstance(outcome, str):
                    outcome = Outcome(  # noqa: PLW2901
                        name=f"{seed}:{batch[done - 1]}", command="?", kinds=(), damage="?", words=(),
                        faults=(outcome,),
                    )  # fmt: skip
                yield outcome
            numbers = batch[done:] + numbers


def _batch(seed, numbers, home):
    """Yield outcomes of a forked process, and a sentence in the place of the one that ended it."""
    (home / "broken.txt").unlink(missing_ok=True)
    heard, told = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(heard)
        _work(seed, numbers, home, told)
    os.close(told)
    try:
        for _ in numbers:
            outcome = _received(heard, child, home)
            yield outcome
            if isinstance(outcome, str):
                return
    finally:
        os.close(heard)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _received(heard, child, home):
    begun, spent = time.monotonic(), _processor(child)
    data, wanted = b"", 8
    while True:
        if select.select([heard], [], [], 1.0)[0]:
            piece = os.read(heard, wanted - len(data))
            if not piece:
                return f"crash: the process ended ({_status(child)}) {_last_words(home)}"
            data += piece
            if len(data) == 8:
                wanted = 8 + struct.unpack("q", data)[0]
            if len(data) == wanted > 8:
                return pickle.loads(data[8:])  # noqa: S301  (from our own fork)
        elif _processor(child) - spent > MOST_SECONDS:
            return f"time: ended after {MOST_SECONDS} s of processor time"
        elif time.monotonic() - begun > LONGEST_WAIT:
            return f"time: ended after {LONGEST_WAIT} s on the clock"


def _status(child):
    """How a child ended, without taking that from its parent."""
    ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    return f"status {ended.si_status}" if ended is not None else "unknown"


def _last_words(home):
    """What a batch said before it broke by a fault of these tests."""
    path = home / "broken.txt"
    return path.read_text(encoding="utf-8")[-600:] if path.exists() else ""


def _processor(process):
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _work(seed, numbers, home, told):
    """Run the cases of a batch and never return."""
    from tests.fuzz.run import settle

    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        gc.freeze()  # what the parent loaded need not be searched again after each run
        folder = settle(home)
        foreign = _own_streams(home)
        with Path(home, "broken.txt").open("w", encoding="utf-8") as file:
            faulthandler.enable(file)
            _run_all(seed, numbers, home, told, folder, foreign)
        code = 0
    except BaseException:
        import traceback

        Path(home, "broken.txt").write_text(traceback.format_exc(), encoding="utf-8")
        raise
    finally:
        os._exit(code)


def _run_all(seed, numbers, home, told, folder, foreign):
    from tests.fuzz.run import empty, one

    for number in numbers:
        empty(folder)
        with warnings.catch_warnings():
            outcome = one(seed, number, folder)
        if written := os.fstat(foreign).st_size:
            os.lseek(foreign, 0, 0)
            outcome.faults += (f"foreign: written past Python: {os.read(foreign, min(300, written))!r}",)
            os.ftruncate(foreign, 0)
        for path in (home / "tmp").iterdir():
            shutil.rmtree(path, ignore_errors=True)
        data = pickle.dumps(outcome)
        os.write(told, struct.pack("q", len(data)) + data)


def _own_streams(home):
    """Send what libraries write past Python into a file, and return its descriptor."""
    foreign = os.open(home / "foreign", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(foreign, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return foreign
