"""What a run reads: seeds of all readers, drawn tables, the example campaign; sound or damaged, one file or several."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from functools import cache

from tests.fuzz import tables
from tests.fuzz.damage import hurt
from tests.fuzz.tables import Drawn
from tests.read.seeds import FILES, FOLDERS, lines

from betterthan.read.formats.registry import READERS, reader

SCORES = ("agree", "compare", "rank", "explain", "diagnose", "check", "convert", "report", "figure", "verify")
KINDS = {
    **dict.fromkeys(SCORES, ("scores", "scores", "ratings", "matches")),
    "human da": ("ratings",),
    "human mqm": ("mqm",),
    "human rr": ("rankings",),
    **dict.fromkeys(("boards", "board-diff", "fragility", "voters"), ("matches",)),
    **dict.fromkeys(("factors", "variation"), ("runs",)),
    "board": ("tasks", "tasks", "scores"),
    **dict.fromkeys(("watch", "plan"), ("scores", "matches", "runs")),
    "gate": ("scores", "scores", "matches", "runs"),
    "sample": ("scores", "judged", "matches"),
    "tradeoffs": ("metrics", "scores"),
    "multiverse": ("scores", "metrics", "runs"),
    "calibrate": ("scores",),
}
DRAWN = {
    "scores": ("wide", "wide", "long"),
    "ratings": ("ratings",),
    "matches": ("battles", "battles", "battles", "ranking_lists"),
    "runs": ("runs",),
    "tasks": ("tasks",),
    "metrics": ("long",),
    "judged": ("long",),
    "texts": ("texts_table",),
    "tags": ("tags_table",),
}


@cache
def seeds_of(kind):
    """The readers' seeds that become a kind of table, and those that are called so."""
    of_files = [("file", name) for name in FILES if kind in (READERS_KIND(name), name)]
    return of_files + [("folder", name) for name in FOLDERS if kind == READERS_KIND(name)]


def READERS_KIND(name):  # noqa: N802
    """The kind of table of a reader."""
    return reader(name).FORMAT.kind


@cache
def example():
    """The example campaign as files, shortened."""
    import tempfile
    from pathlib import Path

    from betterthan.examples.campaign import campaign
    from betterthan.examples.write import write_campaign

    with tempfile.TemporaryDirectory() as folder:
        written = write_campaign(Path(folder) / "demo", campaign())
        return {path.relative_to(Path(folder) / "demo").as_posix(): path.read_bytes() for path in written}


def from_example(rng, names=("human.csv", "metrics.tsv", "battles.csv")):
    """A file of the example, with its first lines only."""
    name = rng.choice(names)
    data = b"".join(example()[name].splitlines(keepends=True)[: rng.choice((2, 20, 60, 100))])
    header = data.split(b"\n")[0].decode().split("\t" if name.endswith("tsv") else ",")
    systems = ("Aster", "Birch", "Cedar", "Daphne")
    metrics = ("chrF", "TER", "Learned") if name == "metrics.tsv" else ("human",)
    return Drawn(
        kind=f"example {name}", name=name.rpartition("/")[2], data=data, columns=tuple(header), systems=systems,
        metrics=metrics,
    )  # fmt: skip


def from_seed(rng, chosen=None):
    """A sound seed of a reader."""
    how, name = chosen or rng.choice(
        [
            *(("file", name) for name in FILES),
            *(("file", name) for name in FILES),
            *(("folder", n) for n in FOLDERS),
        ]
    )
    if how == "folder":
        return Drawn(kind=f"folder {name}", name=rng.choice(("d", "my folder")), files=FOLDERS[name])
    called, data = FILES[name]
    first = data[:300].split(b"\n")[0].decode("utf-8", "replace")
    header = tuple(first.split("\t" if "\t" in first else ","))[:20]
    return Drawn(kind=f"seed {name}", name=called, data=data, columns=header)


def any_input(rng, kinds=None):
    """A drawn table or a seed, of some kinds or of any."""
    if rng.random() < 0.04:
        return from_example(rng)
    if kinds is None:
        if rng.random() < 0.4:
            return tables.MAKERS[rng.choice(sorted(tables.MAKERS))](rng)
        return from_seed(rng)
    kind = rng.choice(kinds)
    seeds = seeds_of(kind)
    if kind in DRAWN and (rng.random() < 0.65 or not seeds):
        return tables.MAKERS[rng.choice(DRAWN[kind])](rng)
    return from_seed(rng, rng.choice(seeds))


def line_files(rng, what, count):
    """Files with as many lines as each other, nearly always: texts, tags or numbers."""
    n = rng.choice((1, 2, 5, 10, 30))
    lengths = [rng.choice((1, 2, 5, 9)) for _ in range(n)]
    made = []
    for name in ("gold", *tables.PLAIN[: count - 1]):
        if what == "tags":
            rows = [" ".join(rng.choice(("OK", "OK", "BAD")) for _ in range(length)) for length in lengths]
        elif what == "numbers":
            rows = tables.cells(rng, n)
        else:
            rows = [tables.sentence(rng) for _ in range(n)]
        if rng.odd(0.1):
            rows = rows[:-1]
        end = {"tags": "tags", "numbers": rng.choice(("hter", "txt")), "texts": "txt"}[what]
        made.append(
            Drawn(kind=f"drawn {what}", name=f"{name}.{end}", data=lines(*rows), systems=("gold", "A", "B"))
        )
    return made


def beside_people(rng):
    """Scores of metrics and of people for the same systems and segments."""
    systems, items = (
        tables.names(rng, rng.choice((2, 3, 5, 8))),
        [str(i) for i in range(rng.choice((1, 4, 12, 30)))],
    )
    metrics = rng.sample(tables.METRICS[:6], rng.choice((1, 2, 3)))
    values = iter(tables.cells(rng, len(systems) * len(items) * len(metrics)))
    rows = [[i, s, m, next(values)] for m in metrics for i in items for s in systems]
    first = tables.as_file(
        rng,
        "long",
        ["item", "system", "metric", "score"],
        rows,
        systems=systems,
        items=items,
        metrics=metrics,
    )
    columns = [tables.cells(rng, len(items)) for _ in systems]
    rows = [[i, *row] for i, row in zip(items, zip(*columns, strict=True), strict=True)]
    human = tables.as_file(rng, "wide", ["item", *systems], rows, systems=systems, items=items, stem="human")
    return [replace(first, name=f"m-{first.name}"), replace(human, name=f"h-{human.name}")]


def judged(rng):
    """Scores, or battles, of an automatic judge and labels of a part of them by people, with weights at times."""
    if rng.random() < 0.25:
        first = tables.battles(rng)
        header, rows = first.table
        half = [list(row) for row in rows if rng.random() < 0.5] or rows[:1]
        for row in half:
            row[2] = row[2] if rng.random() < 0.7 else rng.choice(rows)[2]
        second = tables.as_file(rng, "battles", header, half, systems=first.systems)
        return [replace(first, name=f"j-{first.name}"), replace(second, name=f"h-{second.name}")]
    systems, n = tables.names(rng, rng.choice((1, 2, 3))), rng.choice((3, 12, 30, 60))
    items = [f"q{i}" for i in range(n)]
    scores = tables.cells(rng, n * len(systems))
    rows = [[item, system, scores[i * len(systems) + k], str(rng.randrange(9, 90))]
            for i, item in enumerate(items) for k, system in enumerate(systems)]  # fmt: skip
    header = ["item", "system", rng.choice(("score", "verdict")), "words"]
    labels = [[*row[:2], row[2] if rng.random() < 0.8 else rng.choice(scores), rng.choice(("1", "2.5"))]
              for row in rows if rng.random() < 0.5]  # fmt: skip
    columns = ["item", "system", "label", "weight"][: rng.choice((3, 4))]
    if rng.random() < 0.3:  # one file with both
        known = {tuple(row[:2]): row[2] for row in labels}
        rows = [[*row, known.get(tuple(row[:2]), "")] for row in rows]
        return [tables.as_file(rng, "judged", [*header, "label"], rows, systems=systems, items=items)]
    first = tables.as_file(rng, "judged", header, rows, systems=systems, items=items)
    second = tables.as_file(rng, "labels", columns, [row[: len(columns)] for row in labels], systems=systems)
    return [replace(first, name=f"j-{first.name}"), replace(second, name=f"h-{second.name}")]


def snapshots(rng):
    """Battles of two periods: parts of one table, or all of it and its beginning."""
    drawn = tables.battles(rng)
    header, rows = drawn.table
    cut = rng.randint(0, len(rows))
    parts = (rows[:cut], rows if rng.random() < 0.5 else rows[cut:])
    made = [tables.as_file(rng, "battles", header, part, systems=drawn.systems) for part in parts]
    return [
        replace(each, name=f"{name}-{each.name}") for each, name in zip(made, ("old", "new"), strict=True)
    ]


def two_versions(rng):
    """A run of a baseline and one of a candidate, for the same items."""
    items = [f"q{i}" for i in range(rng.choice((3, 20, 60)))]
    groups = [rng.choice(("math", "code", "chat")) for _ in items]
    header = ["id", *rng.sample(("correct", "score", "loss", "tokens"), rng.choice((1, 2, 3))), "topic"]
    made = []
    for name in ("old", "new"):
        values = [tables.cells(rng, len(items)) for _ in header[1:-1]]
        rows = [list(row) for row in zip(items, *values, groups, strict=True)]
        each = tables.as_file(rng, "version", header, tables.untidy(rng, rows), systems=("old", "new"), items=items,
                              metrics=tuple(header[1:-1]))  # fmt: skip
        made.append(replace(each, name=f"{name}.{each.name.rpartition('.')[2]}"))
    return made


TOGETHER = {
    "correct": (0.2, judged),
    "audit-judge": (0.2, judged),
    "sample": (0.8, lambda rng: judged(rng)[:1]),
    "board-diff": (0.2, snapshots),
    **dict.fromkeys(("gate", "watch", "tradeoffs"), (0.6, two_versions)),
}
"""What belongs together for a command, and the share of its runs that read something else."""


def inputs(rng, command):
    """Files for a command: nearly always of a kind that suits it, often damaged."""
    how = rng.random()
    if how < 0.2 * max(0.2, rng.wildness):
        drawn = [any_input(rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    elif command.startswith("score ") or (command == "report" and how > 0.9):
        drawn = line_files(rng, "texts", rng.choice((2, 2, 3, 4)))
        if how < 0.2:
            drawn = [any_input(rng, ("texts",))]
    elif command == "tags":
        drawn = line_files(rng, "tags", rng.choice((2, 3, 4))) if how < 0.7 else [any_input(rng, ("tags",))]
    elif command in TOGETHER and how > TOGETHER[command][0]:
        drawn = TOGETHER[command][1](rng)
    elif command == "quality":
        seed = rng.choice((("file", "sentence_scores"), ("file", "numbers"), ("file", "sentence_training")))
        drawn = line_files(rng, "numbers", rng.choice((2, 3, 4))) if how < 0.7 else [from_seed(rng, seed)] * 2
    elif command in ("meta", "convert") or (command in ("figure", "report") and how > 0.8):
        folder = from_seed(rng, ("folder", "metrics_folder"))
        drawn = (
            beside_people(rng) if how < 0.75 else [folder] if how < 0.9 else [any_input(rng, ("scores",))] * 2
        )
    else:
        drawn = [
            any_input(rng, KINDS.get(command, ("scores",)))
            for _ in range(rng.choice((2, 3)) if rng.odd(0.4) else 1)
        ]
    hurting = rng.choice((0.4, 1)) if rng.random() < max(0.2, rng.wildness) else 0
    done, how = [], []
    for each in drawn:
        if rng.random() < hurting:
            each, name = damaged_input(rng, each)  # noqa: PLW2901
            how.append(name)
        done.append(each)
    return done, "+".join(how) or "sound"


def damaged_input(rng, drawn):
    """A damaged file, or a folder with a damaged, missing or renamed file."""
    if not drawn.files:
        data, how = hurt(drawn.data, rng)
        name = drawn.name
        if how == "packed" and rng.random() < 0.8:
            name += ".gz"
        elif rng.random() < 0.05:
            name = rng.choice(
                ("x", "x.csv", "x.txt", "x.json", "x.parquet", "x.gz", "x.zst", "x.eval", "x.arrow")
            )
        return replace(drawn, name=name, data=data), how
    files = dict(drawn.files)
    chosen = rng.choice(sorted(files))
    if rng.random() < 0.1:
        del files[chosen]
        return replace(drawn, files=files), "missing"
    if rng.random() < 0.1:
        files[rng.choice(("x.csv", "odd name.jsonl", "sub/é.tsv", "\u202ex.txt"))] = files.pop(chosen)
        return replace(drawn, files=files), "renamed"
    files[chosen], how = hurt(files[chosen], rng)
    return replace(drawn, files=files), how


def as_parquet(drawn):
    """A drawn table as Parquet, all of its columns as text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    header, rows = drawn.table
    if len(set(header)) < len(header):
        return drawn
    file = io.BytesIO()
    pq.write_table(pa.table({name: [row[i] for row in rows] for i, name in enumerate(header)}), file)
    return replace(drawn, name=drawn.name.rpartition(".")[0] + ".parquet", data=file.getvalue())


def put(drawn, folder, place):
    """Write a file or folder and return its path, relative to `folder`."""
    name = drawn.name if not (folder / drawn.name).exists() else f"{place}/{drawn.name}"
    path = folder / name
    for inner, data in drawn.files.items():
        (path / inner).parent.mkdir(parents=True, exist_ok=True)
        (path / inner).write_bytes(data)
    if not drawn.files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(drawn.data)
    return os.path.relpath(path, folder)


FORMATS = tuple(sorted(READERS))
