"""The same table read in several ways: small and large, packed, streamed, as Parquet and as a data frame."""

from __future__ import annotations

import gzip
import io
import re
from contextlib import contextmanager, nullcontext
from dataclasses import fields, is_dataclass, replace

import numpy as np
from tests.fuzz import tables
from tests.fuzz.damage import hurt
from tests.fuzz.inputs import as_parquet, from_seed, put

from betterthan.errors import BetterThanError
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.sniff import read_any

SEEDS = (
    "long", "wide", "ratings", "battles", "mt_bench", "rankings", "mqm", "texts_table", "tags_table", "sentence_scores",
    "segments", "wmt_jsonl", "appraise", "lm_eval", "submission", "score_file", "crowd_da",
)  # fmt: skip
COMMANDS = ("check", "rank", "compare", "diagnose", "agree", "convert")
CLOCK = re.compile(r"^ *\d+ ms  ", re.MULTILINE)  # before each line of --verbose


@contextmanager
def large():
    """Have the engine read text of any size."""
    defaults = open_grid.__wrapped__.__kwdefaults__
    small, defaults["small"] = defaults["small"], 0
    try:
        yield
    finally:
        defaults["small"] = small


def one(name, rng, folder):
    """A case: a drawn table or a seed, sound or damaged."""
    from tests.fuzz.run import Outcome

    if rng.random() < 0.6:
        drawn = tables.MAKERS[rng.choice(sorted(tables.MAKERS))](rng)
        # A stream or a frame has no name that could say what is better.
        drawn = replace(drawn, name=f"scores.{drawn.name.rpartition('.')[2]}")
    else:
        drawn = from_seed(rng, ("file", rng.choice(SEEDS)))
    damage = "sound"
    sound = drawn
    if rng.random() < 0.5:
        data, damage = hurt(drawn.data, rng)
        drawn = replace(drawn, data=data, table=None)
    outcome = Outcome(name=name, command="alike", kinds=(drawn.kind,), damage=damage, words=())
    path = put(drawn, folder, 0)
    if rng.random() < 0.4:
        by_command(rng, drawn, path, folder, outcome)
    else:
        by_reading(rng, drawn, sound if damage == "sound" else None, folder / path, outcome)
    return outcome


def by_command(rng, drawn, path, folder, outcome):
    """A command gives the same bytes and the same messages for a file that is read as a small and as a large one."""
    from tests.fuzz.commands import command_line
    from tests.fuzz.run import contents, run

    command = rng.choice(COMMANDS)
    words = command_line(rng, command, drawn, [path])
    found = []
    for is_large in (False, True):
        before = contents(folder)
        if is_large:
            with large():
                done = run(words, folder)
        else:
            done = run(words, folder)
        made = {name: data for name, data in contents(folder).items() if name not in before}
        for name in made:  # a folder that the first run left would be in the way of the second
            (folder / name).unlink()
            for parent in (folder / name).parents:
                if parent != folder and parent.is_relative_to(folder) and not any(parent.iterdir()):
                    parent.rmdir()
        found.append((done.code, done.out, CLOCK.sub("", done.err), made))
        outcome.seconds, outcome.memory = max(outcome.seconds, done.seconds), max(outcome.memory, done.memory)
        outcome.code = done.code
        outcome.faults += tuple(f"exit {done.code}: {trace}" for trace in done.traces)
    outcome.words = tuple(words)
    if found[0] != found[1]:
        outcome.faults += (f"alike: {command} of a large file: {difference(*found)}",)


def difference(first, second):
    """The first place where two answers differ."""
    for what, a, b in zip(("exit code", "stdout", "stderr", "files"), first, second, strict=True):
        if a != b:
            a, b = str(a), str(b)  # noqa: PLW2901
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            return f"{what}: {a[max(0, at - 40) : at + 80]!r} and {b[max(0, at - 40) : at + 80]!r}"
    return "nothing"


def by_reading(rng, drawn, sound, path, outcome):
    """The same table, or the same error, however it is packed."""
    small = reading(path)
    others = {}
    with large():
        others["large"] = reading(path)
    # Each start of the engine takes a while, so not all ways are tried with each table.
    how = rng.choice(("stream", "gzip", "large gzip"))
    if how == "stream":
        streamed = reading(io.BytesIO(drawn.data))
        named = outcome.kinds[0] in (
            "seed lm_eval",
            "seed score_file",
            "seed submission",
            "seed appraise",
            "seed crowd_da",
        )
        if not named and not any("Texts" in repr(each[1])[:20] for each in (small, streamed)):
            others[how] = streamed  # its name may say what a file holds, and a stream has none
    elif not drawn.data.startswith(b"\x1f\x8b"):
        packed = path.with_name(f"{path.name}.gz")
        packed.write_bytes(gzip.compress(drawn.data, 1))
        with large() if how == "large gzip" else nullcontext():
            others[how] = reading(packed)
    if sound is not None and sound.table and sound.table[1]:
        others |= as_columns(sound, path)
    for how, other in others.items():
        if other != small:
            a, b = (repr(each) for each in (small, other))
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            short = [each[max(0, at - 60) : at + 100] for each in (a, b)]
            outcome.faults += (f"alike: {how}: {short[0]} and {short[1]}",)
    outcome.code = 0 if small[0] == "table" else 2


def as_columns(drawn, path):
    """The table as Parquet and as a data frame, where columns can be named as in text."""
    import pandas as pd

    header, rows = drawn.table
    named = [name.strip() for name in header]
    is_plain = len(set(named)) == len(named) and all(
        name and name.isprintable() and name == n for name, n in zip(named, header, strict=True)
    )
    if not is_plain or drawn.name.endswith(("json", "jsonl")):
        return {}
    found = {}
    parquet = as_parquet(drawn)
    place = path.with_name(parquet.name)
    place.write_bytes(parquet.data)
    found["Parquet"] = reading(place)
    frame = pd.DataFrame({name: [row[i] for row in rows] for i, name in enumerate(header)})
    found["frame"] = reading(frame)
    return found


def reading(given):
    """The tables that are read, or the code of the error."""
    try:
        read = read_any(given)
    except BetterThanError as error:
        return "error", getattr(error, "code", None) or type(error).__name__
    return (
        "table",
        [(type(table).__name__, plain(table)) for table in read.tables],
        read.rows_read,
        read.rows_kept,
    )


def plain(value):
    """A value that can be compared: notes and names of files are left out."""
    if is_dataclass(value):
        return {
            each.name: plain(getattr(value, each.name))
            for each in fields(value)
            if each.name not in ("notes", "name", "digest", "source")
        }
    if isinstance(value, np.ndarray):
        return (
            (value.dtype.kind, value.tolist())
            if value.dtype.kind != "f"
            else ("f", [repr(x) for x in value.ravel().tolist()])
        )
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    return repr(value)
