"""Blocks for the tests, importable by worker processes; a file in the payload's folder records each execution."""

import hashlib
import os
import signal
import time
import uuid
from collections import Counter
from pathlib import Path

import numpy as np

from betterthan.engine.blocks import stream
from betterthan.errors import NotConverged, ReadError


def draw(seed, block):
    """Random numbers of several kinds."""
    rng = stream(seed, "draw", block)
    return {"normal": rng.normal(size=(3, 5)), "counts": rng.integers(10, size=7), "none": np.empty((0, 2))}


def multiply(matrix, block):
    """A product done by BLAS."""
    return stream(1, "multiply", block).random((40, len(matrix))) @ matrix


def recorded(folder, block):
    """Random numbers, and a record that they were drawn."""
    record(folder, block)
    return draw(7, block)


def kills_its_process_once(folder, block):
    """As `recorded`, but block 5 ends its process when it runs for the first time."""
    record(folder, block)
    flag = Path(folder, "killed")
    if block == 5 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(7, block)


def kills_its_process_always(folder, block):
    """As `recorded`, but block 2 ends its process whenever it runs."""
    record(folder, block)
    if block == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(7, block)


def held_from_six_on(folder, block):
    """As `recorded`, but blocks from 6 on do not end before there is a file called go."""
    record(folder, block)
    while block >= 6 and not Path(folder, "go").exists():
        time.sleep(0.01)
    return draw(7, block)


def fails_at_six(folder, block):
    """As `recorded`, but block 6 fails once the blocks before it are kept, and those after it wait for that."""
    failed = Path(folder, "failed")
    while block > 6 and not failed.exists():
        time.sleep(0.01)
    if block == 6:
        while len(list(Path(folder, "cache").glob("*/*.checkpoint"))) < 6:
            time.sleep(0.01)
        failed.touch()
        raise NotConverged("It went round and round.", iterations=100, last_change=0.5)
    return recorded(folder, block)


class PickyError(Exception):
    """Pickles, but cannot be made again from its arguments alone."""

    def __init__(self, message, *, reason):
        super().__init__(message)
        self.reason = reason


def errors():
    """Exceptions of many makes."""
    return [
        KeyError("a"),
        FileNotFoundError(2, "No such file or directory", "x.tsv"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        ReadError("is not a number.", path="scores.tsv", line=14),
        NotConverged("It went round and round.", iterations=100, last_change=0.5),
        PickyError("Not like this.", reason="that"),
        SystemExit(3),
    ]


def raises(payload, block):  # noqa: ARG001
    """Raise the exception of that number."""
    raise errors()[block]


class StubbornError(Exception):
    """Cannot be pickled at all."""

    def __init__(self):
        super().__init__("stubborn", lambda: None)


def raises_what_cannot_travel(payload, block):  # noqa: ARG001
    """Raise an exception that cannot be pickled."""
    raise StubbornError


def talks(payload, block):  # noqa: ARG001
    """Print, and try to read, as a chatty library might."""
    print("a remark from a block", flush=True)  # noqa: T201
    os.write(1, b"another, past Python\n")
    return np.frombuffer(os.read(0, 100), dtype=np.uint8)


def notes_its_process(folder, block):
    """Record the process that runs the block, and never end."""
    Path(folder, f"process-{block}-{os.getpid()}").touch()
    while True:
        time.sleep(60)


def scalar(payload, block):  # noqa: ARG001
    """Return what is no array."""
    return 3.5


class Unopenable:
    """Can be packed but not opened."""

    def __reduce__(self):
        return os.stat, ("/there/is/no/such/file",)


def record(folder, block):
    """Leave a file that says the block was run."""
    Path(folder, f"block-{block}-{uuid.uuid4()}").touch()


def executions(folder):
    """How often each block was run."""
    return Counter(int(path.name.split("-")[1]) for path in Path(folder).glob("block-*"))


def fingerprint(results):
    """A digest of every byte, type and shape of the results of a run."""
    digest = hashlib.sha256()
    for result in results:
        for name, array in result.items() if isinstance(result, dict) else [("", result)]:
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def process_number(payload, block):  # noqa: ARG001
    """The number of the process that runs the block."""
    return np.array(os.getpid())


class Sent:
    """A payload that leaves a file whenever it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return _opened, (self.folder,)


def _opened(folder):
    Path(folder, f"opened-{uuid.uuid4()}").touch()
    return Sent(folder)


def opened_once(sent, block):  # noqa: ARG001  (what was opened)
    """Random numbers."""
    return draw(7, block)
