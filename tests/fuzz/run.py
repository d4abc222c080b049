"""One run of the command line within this process, with all that it said, wrote and took."""

from __future__ import annotations

import io
import math
import os
import resource
import shutil
import sys
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import alike
from tests.fuzz.commands import command_line, draw_command
from tests.fuzz.inputs import as_parquet, inputs, put
from tests.fuzz.invariants import MEMORY, faults
from tests.fuzz.tables import Dice, Drawn

import betterthan.cli.main as front_door
from betterthan import budget, scratch
from betterthan.engine import progress
from betterthan.present.printable import printable

ALIKE = 0.2
"""Share of the runs that read one table in several ways."""


@dataclass(kw_only=True)
class Done:
    """What a run gave."""

    code: int | None
    out: str
    err: str
    traces: tuple[str, ...]
    seconds: float
    memory: int


@dataclass(kw_only=True)
class Outcome:
    """What became of a case: its labels for the summary, and what was wrong with it."""

    name: str
    command: str
    kinds: tuple[str, ...]
    damage: str
    words: tuple[str, ...]
    code: int | None = None
    seconds: float = 0.0
    memory: int = 0
    faults: tuple[str, ...] = ()
    said: str = ""


def one(seed, number, folder):
    """Draw a case by its name and run it in `folder`, which must be empty and belong to this process."""
    name = f"{seed}:{number}"
    rng = Dice(name)
    if rng.random() < ALIKE:
        return alike.one(name, rng, folder)
    command = draw_command(rng)
    drawn, damage = inputs(rng, command)
    if damage == "sound" and rng.random() < 0.06:
        drawn = [as_parquet(each) if each.table else each for each in drawn]
    paths = [put(each, folder, place) for place, each in enumerate(drawn)]
    said = drawn[0] if drawn else Drawn(kind="none", name="none")
    outcome = Outcome(
        name=name,
        command=command,
        kinds=tuple(sorted({each.kind for each in drawn})),
        damage=damage,
        words=(),
    )
    stdin = b""
    if rng.random() < 0.04 and not drawn[0].files:
        stdin, paths[0] = drawn[0].data, "-"
    if command == "verify":
        words = verified(rng, said, paths, folder, outcome, stdin)
    else:
        words = command_line(rng, command, said, paths)
    check_run(words, folder, outcome, stdin)
    return outcome


def verified(rng, drawn, paths, folder, outcome, stdin):
    """Make a result, at times damage it, and return the command line that verifies it."""
    made = rng.choice(("rank", "compare", "agree", "explain", "diagnose", "check"))
    words = [
        word for word in command_line(rng, made, drawn, paths) if word not in ("-o", "--output", "--json")
    ]
    end = ["--json"] if made == "check" else ["--json", "-o", "result.json"]
    done = check_run([*words, *end], folder, outcome, stdin)
    if made == "check" and done.code in (0, 1):
        (folder / "result.json").write_text(done.out, encoding="utf-8")
    result = folder / "result.json"
    if result.exists() and rng.random() < 0.4:
        from tests.fuzz.damage import hurt

        result.write_bytes(hurt(result.read_bytes(), rng)[0])
    options = rng.choice(([], [], ["--tolerance", rng.choice(("0", "1e-6", "nan", "2"))]))
    return ["verify", "result.json", *(paths if rng.random() < 0.7 else []), *options]


def check_run(words, folder, outcome, stdin):
    """Run a command line and add what is wrong with it to the outcome."""
    before = contents(folder)
    done = run(words, folder, stdin)
    after = contents(folder)
    new = {name: data for name, data in after.items() if name not in before}
    found = [*outcome.faults, *faults(words, done, new)]
    read = [name for name in before if not is_only_written(name, words)]
    found += [f"input: {name} was changed" for name in read if after.get(name) != before[name]]
    found += [f"left: {name} in the folder of work" for name in new if not is_asked_for(name, words)]
    # A file that was written whole and said to be so is an answer of its own, such as the pairs that a fit is made of.
    unsaid = [name for name in new if f"Wrote {printable(name)}" not in done.err]
    if done.code == 2 and unsaid and not {"-q", "--quiet"} & set(words):
        found.append(f"left: {', '.join(unsaid)} after an error")
    left = sorted(path.name for path in Path(os.environ["TMPDIR"]).iterdir())
    found += [f"left: {name} in the folder of temporary files" for name in left]
    outcome.words, outcome.code = tuple(words), done.code
    outcome.seconds, outcome.memory = max(outcome.seconds, done.seconds), max(outcome.memory, done.memory)
    outcome.faults, outcome.said = tuple(found), done.err[:2000]
    return done


def contents(folder):
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def is_asked_for(name, words):
    """Whether the command line names a file, or the folder that it is in."""
    asked = [os.path.normpath(word) for word in words if word] + ["report.html"]
    return "demo" in words or any(
        name == word or name.startswith(f"{word}/") or word == "." for word in asked
    )


def is_only_written(name, words):
    """Whether the command line names a file as its output and nowhere else: it is then written anew, as was asked."""
    places = [place for place, word in enumerate(words) if word and os.path.normpath(word) == name]
    return len(places) == 1 and words[places[0] - 1] in ("-o", "--output")


def run(words, folder, stdin=b""):
    """Run a command line in `folder`."""
    kept, traces = (sys.stdout, sys.stderr, sys.stdin, front_door._own_fault), []
    out, err = io.BytesIO(), io.BytesIO()

    def own_fault(error, *, debug):
        traces.append(where(error))
        return kept[3](error, debug=debug)

    def warned(message, category, *_):
        traces.append(f"warning {where(category(message), traceback.extract_stack()[:-1])}")

    os.chdir(folder)
    with warnings.catch_warnings():
        # As the interpreter has it, but each time: a batch shares a process.
        warnings.simplefilter("always")
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
        sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
        front_door._own_fault = own_fault
        warnings.showwarning = warned
        sys.argv = ["betterthan", *words]
        code = None
        seconds, memory = spent(), reset_peak()
        try:
            front_door.main()
        except SystemExit as left:
            code = left.code
        except BaseException as error:  # noqa: BLE001  (nothing may escape, and everything is reported)
            traces.append("uncaught " + where(error))
        finally:
            seconds, memory = spent() - seconds, peak() - memory
            # The command line has the operating system refuse what the budget does not cover; the next run begins anew.
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
            said = [each.buffer.getvalue().decode("utf-8", "replace") for each in (sys.stdout, sys.stderr)]
            sys.stdout, sys.stderr, sys.stdin, front_door._own_fault = kept
            scratch.remove()
            budget.limit_memory(None)
    return Done(
        code=code,
        out=said[0],
        err=said[1],
        traces=tuple(dict.fromkeys(traces)),
        seconds=seconds,
        memory=memory,
    )


def where(error, stack=None):
    """An error or warning with the last places in our code."""
    stack = traceback.extract_tb(error.__traceback__) if stack is None else stack
    frames = [each for each in stack if "betterthan" in each.filename]
    places = [f"{Path(each.filename).name}:{each.lineno}" for each in frames[-3:]]
    return f"{type(error).__name__}: {str(error)[:200]!r} at {' > '.join(places)}"


def spent():
    """Processor time of this process and of its children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def reset_peak():
    """Begin to measure the greatest memory anew, and return what is held now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return status("VmRSS:")


def peak():
    """The most memory that was held since."""
    return status("VmHWM:")


def status(field):
    """A figure of the kernel about this process, in bytes."""
    return budget._fields(Path("/proc/self/status"))[field] << 10


def settle(home):
    """Give this process places of its own for temporary files, caches and work, and return that for work."""
    import tempfile

    places = {name: home / name for name in ("tmp", "cache", "work")}
    for place in places.values():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    os.environ.update(
        TMPDIR=str(places["tmp"]),
        BETTERTHAN_CACHE=str(places["cache"]),
        BETTERTHAN_MEMORY=f"{MEMORY >> 20}MB",
        BETTERTHAN_WORKERS="1",
    )
    tempfile.tempdir = None
    progress.LINE_EVERY = math.inf  # how far a run is depends on the clock, and is not part of its answer
    return places["work"]


def empty(folder):
    """Remove everything in a folder."""
    os.chdir(folder.parent)
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
