"""Every reader against damaged files: a table or an error of ours, soon, and without much memory.

A new reader is enrolled by a sound input in :mod:`tests.read.seeds`.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.everyday import few
from tests.fuzz.damage import edited_or_odd
from tests.fuzz.run import peak
from tests.read.seeds import FILES, FOLDERS

from betterthan.errors import BetterThanError
from betterthan.read.formats.registry import READERS, takes_folder
from betterthan.read.sniff import read_any, sniff

ROOT = Path(__file__).parents[2]
CASES = [*(f"file {name}" for name in FILES), *(f"folder {name}" for name in FOLDERS)]
TRIALS, FEW, MANY = 40, 4, 500
# The engine is started for each of these, and every byte of Parquet may matter to it.
ENGINE = ("battles", "lighteval", "rankings", "several")
LONGEST_SECONDS = 10.0
MOST_MEMORY = 1 << 30


def put_file(folder, name, rng):
    """Write a damaged file and return its path."""
    called, data = FILES[name]
    if rng.random() < 0.1:
        called = rng.choice(["x", "x.csv", "x.txt", "x.json", "x.parquet", "x.gz", "x.zst", "x.eval"])
    path = folder / called
    path.write_bytes(edited_or_odd(data, rng))
    return path


def put_folder(folder, name, rng):
    """Write a folder of which a file is damaged, missing, renamed or no file."""
    files = dict(FOLDERS[name])
    chosen = rng.choice(sorted(files))
    how = rng.random()
    if how < 0.1:
        del files[chosen]
    elif how < 0.2:
        files[
            rng.choice(["x.csv", "odd name.jsonl", "é.txt", "sub/x.tsv", "data/train-00000-of-00002.parquet"])
        ] = files.pop(chosen)
    else:
        files[chosen] = edited_or_odd(files[chosen], rng)
    for place, data in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(data)
    if how > 0.95:
        (folder / "again").symlink_to(folder)
    if how > 0.97:
        os.mkfifo(folder / "pipe.csv")
    return folder


def outcome(read, path):
    """Read, and return the code of the error or "table"; any other exception fails the test."""
    worked = time.process_time()
    said = "read"
    try:
        read(path)
    except BetterThanError as error:
        said, found = str(error), getattr(error, "code", None) or type(error).__name__
    else:
        found = "table"
    assert said
    # What it works, not what the clock says; who waits for ever is stopped by the time limit of the test.
    assert time.process_time() - worked < LONGEST_SECONDS
    return found


def fuzz(case, trials):
    """Read damaged inputs, named and recognized, and return how often each outcome was seen."""
    kind, _, name = case.partition(" ")
    rng = random.Random(f"{case} {trials}")  # noqa: S311  (not for secrets)
    seen = Counter()
    for trial in range(trials):
        folder = Path(tempfile.mkdtemp(prefix="betterthan-fuzz-"))
        try:
            path = (put_file if kind == "file" else put_folder)(folder, name, rng)
            seen[outcome(lambda given: read_any(given, format=name), path)] += 1
            if trial % 10 == 0 or trials > TRIALS:
                outcome(read_any, path)
                outcome(sniff, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return seen


def test_every_reader_has_a_seed():
    """A reader without one would not be tested here."""
    assert set(READERS) == set(FILES) | set(FOLDERS)
    assert set(filter(takes_folder, READERS)) == set(FOLDERS)


@pytest.mark.parametrize("case", CASES)
def test_the_seed_is_sound_and_recognised(case, tmp_path):
    """Else the damage would prove nothing."""
    kind, _, name = case.partition(" ")
    files = dict([FILES[name]]) if kind == "file" else FOLDERS[name]
    for place, data in files.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(data)
    path = tmp_path / FILES[name][0] if kind == "file" else tmp_path
    reading = read_any(path, format=name)
    assert reading.rows_read > 0
    assert reading.rows_kept + sum(reading.dropped.values()) == reading.rows_read
    assert sniff(path).format == name


@pytest.mark.parametrize("case", few(CASES, 17))
def test_damaged_inputs_end_in_a_table_or_our_error(case):
    """Some of them, every day."""
    kind, name = case.split()
    seen = fuzz(case, FEW if name in ENGINE else TRIALS if kind == "file" else TRIALS // 2)
    assert seen.total() > 0


@pytest.mark.slow
@pytest.mark.timeout(
    1800
)  # on the clock, which other programs slow down; a single reading is timed by its own work
@pytest.mark.parametrize("case", CASES)
def test_many_damaged_inputs_in_little_memory(case):
    """Five hundred, in a process of its own, whose memory is limited and measured."""
    program = f"from tests.read.test_fuzz_all import report; report({case!r}, {MANY})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert sum(told["seen"].values()) == MANY
    assert len(told["seen"]) > 1, told
    assert told["memory"] < MOST_MEMORY, told


def report(case, trials):
    """Fuzz, and print what was seen and the most memory that was used; run in a child."""
    # Beyond this an allocation fails, instead of the machine.
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    seen = fuzz(case, trials)
    # Not that of getrusage, which begins with the memory of the process that started this one.
    most = peak()
    sys.stdout.write(json.dumps({"seen": seen, "memory": most}))
