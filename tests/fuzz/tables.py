"""Tables drawn at random: odd names and numbers, ties, gaps, one system or item, none, or very many."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import dataclass, field

STEERING = ("\x1b[2J", "\u202e", "\x9b31m", "\x07", "\x1b]0;x\x07")
PAGE = "<script>alert(1)</script>"
PLAIN = (
    *"ABCDEFGH",
    "gpt-4.1",
    "ours",
    "Online-A",
    "mBART",
    "Llama 3",
    "x_1",
)
ODD = (
    "",
    " ",
    "é",
    "e\u0301",
    "日本語",
    "עברית",
    "🙂",
    "a,b",
    'say "x"',
    "a\tb",
    "a\nb",
    "a;b",
    "a|b",
    "a=b",
    "a/b",
    "../up",
    "*",
    "[0]",
    "--by",
    "-",
    "-1",
    "@ref",
    "@gold",
    "None",
    "nan",
    "inf",
    "1",
    "0.5",
    "true",
    "system",
    "score",
    "item",
    "mean",
    "total",
    "Average",
    "=1+1",
    "\\LaTeX{}$%&_#~^",
    "a'b",
    "#x",
    "A ",
    " A",
    "a",
    "A\u00a0",
    "ß",
    "İ",
    "\ufeffA",
    "\u200b",
    "x" * 300,
    "{0}",
    "%s",
    "[red]x[/red]",
    PAGE,
    *(f"a{sign}b" for sign in STEERING),
)
METRICS = ("BLEU", "chrF", "TER", "COMET", "score", "accuracy", "MQM", "loss", "error rate", *ODD[:12])
HUGE = ("-1e29", "1e20", "9e29", "1e-320", "5e-324", "1e16", "-0.0", "123456789012345678", "1e308", "-1e200")
GAPS = ("", "NA", "nan", "None", "null", "-", "n/a", "inf", "-inf", "1e999", " ")
WRONG = ("x", "1,5", "1_000", "50%", "0x1F", "true", "1.2.3", "٣", "½", "--", "1e", "[]", '"', "12 %", "$3")


class Dice(random.Random):
    """Random draws of a case; tame ones ask what people ask of sound files, so that answers are tried as errors are."""

    def __init__(self, name):
        super().__init__(name)
        self.wildness = self.choice((0.0, 0.0, 0.0, 0.2, 1.0))

    def odd(self, chance):
        """Whether something odd happens, which is the likelier the wilder the case."""
        return self.random() < chance * self.wildness


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A file by name and bytes, or a folder of such, and the words in it that options may name."""

    kind: str
    name: str
    data: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    systems: tuple[str, ...] = ("A", "B")
    metrics: tuple[str, ...] = ("score",)
    items: tuple[str, ...] = ("0", "1")
    table: tuple[list[str], list[list[str]]] | None = None


def names(rng, count, prefix=""):
    """Distinct names, most of them plain; `prefix` makes plain ones of segments."""
    odd = rng.choice((0, 0.2, 0.8)) if rng.random() < max(0.15, rng.wildness) else 0
    found = {}
    while len(found) < count:
        name = rng.choice(ODD) if rng.random() < odd else prefix or rng.choice(PLAIN)
        if name in found or (prefix and name == prefix):
            name += str(len(found))
        found[name] = None
    return list(found)


def cells(rng, count):
    """Numbers as text, of one style: fractions, grades, right and wrong, constant, huge, with gaps or faults."""
    style = rng.choice(
        ("unit", "unit", "unit", "hundred", "grade", "binary", "constant", "normal", "huge", "round")
    )
    draw = {
        "unit": lambda: f"{rng.random():.4f}",
        "hundred": lambda: f"{100 * rng.random():.1f}",
        "grade": lambda: str(rng.randint(1, 5)),
        "binary": lambda: str(rng.randint(0, 1)),
        "constant": lambda: "0.5",
        "normal": lambda: repr(rng.gauss(0, 10)),
        "huge": lambda: (
            rng.choice(HUGE[: 8 if rng.wildness < 1 else None]) if rng.random() < 0.5 else repr(rng.random())
        ),
        "round": lambda: str(round(rng.gauss(0, 2)) / 2),
    }[style]
    gaps, faults = rng.odd(0.4) * rng.choice((0.02, 0.3)), rng.odd(0.2) * 0.05
    return [
        rng.choice(GAPS) if rng.random() < gaps else rng.choice(WRONG) if rng.random() < faults else draw()
        for _ in range(count)
    ]


def n_items(rng):
    """Few; rarely none, one, or some hundreds."""
    if rng.odd(0.5):
        return rng.choice((0, 1, 2, 3))
    return rng.choice((3, 5, 8, 12, 12, 20, 30, 30, 60, 200 if rng.random() < 0.2 else 25))


def n_systems(rng):
    """Few; rarely one or very many."""
    return 1 if rng.odd(0.1) else rng.choice((2, 2, 3, 3, 4, 5, 8, 30 if rng.random() < 0.2 else 3))


def item_names(rng, count):
    """Numbers, names, or odd names."""
    how = rng.random()
    if how < 0.5:
        return [str(i) for i in range(count)]
    return names(rng, count, "s") if how < 0.8 else [f"doc{i // 3}-{i}" for i in range(count)]


def wide(rng):
    """A row a segment, a column a system."""
    systems, items = names(rng, n_systems(rng)), item_names(rng, n_items(rng))
    if rng.random() < 0.01:
        systems = [f"s{i}" for i in range(400)]
    columns = [cells(rng, len(items)) for _ in systems]
    header, rows = list(systems), [list(row) for row in zip(*columns, strict=True)] if items else []
    if rng.random() < 0.3:
        header, rows = ["doc", *header], [[f"d{i // 3}", *row] for i, row in enumerate(rows)]
    if not rng.odd(0.3):
        first = rng.choice(("id", "item", "segment", "", "seg_id", "question_id"))
        header, rows = [first, *header], [[item, *row] for item, row in zip(items, rows, strict=True)]
    metric = rng.choice(METRICS[:5])
    return as_file(rng, "wide", header, rows, systems=systems, items=items, metrics=(metric,), stem=metric)


def long(rng):
    """A row a score."""
    systems, items = names(rng, n_systems(rng)), item_names(rng, min(n_items(rng), 60))
    metrics = rng.sample(METRICS, rng.choice((1, 1, 2, 3)))
    header = [
        rng.choice(("item", "segment", "id")),
        rng.choice(("system", "model")),
        "score",
        "metric",
        "doc",
    ]
    header = header[: rng.choice((3, 3, 4, 5))] if len(metrics) == 1 else header[: rng.choice((4, 5))]
    n = len(systems) * len(items) * len(metrics)
    scores = iter(cells(rng, n))
    rows = [
        [item, system, next(scores), metric, f"d{i // 4}"][: len(header)]
        for metric in metrics
        for i, item in enumerate(items)
        for system in systems
    ]
    rows = untidy(rng, rows)
    return as_file(rng, "long", header, rows, systems=systems, items=items, metrics=metrics)


def ratings(rng):
    """A row a judgment."""
    systems, items = names(rng, n_systems(rng)), item_names(rng, min(n_items(rng), 30))
    raters = names(rng, rng.choice((1, 2, 3, 6)), "r")
    header = ["item", "system", rng.choice(("rater", "judge", "annotator")), "score"]
    scores = iter(cells(rng, len(systems) * len(items) * 2))
    rows = [
        [item, system, rater, next(scores)]
        for item in items
        for system in systems
        for rater in rng.sample(raters, min(len(raters), rng.choice((1, 1, 2))))
    ]
    return as_file(rng, "ratings", header, untidy(rng, rows), systems=systems, items=items)


def runs(rng):
    """A row a score, several for each system and item: repeated runs, and a second factor at times."""
    systems, items = names(rng, rng.choice((2, 2, 3, 4))), item_names(rng, min(n_items(rng), 20))
    prompts = ["short", "long"][: rng.choice((1, 1, 2))]
    repeats = range(rng.choice((2, 3, 5)))
    header = [rng.choice(("item", "question")), rng.choice(("model", "system")), "prompt", "seed", "score"]
    scores = iter(cells(rng, len(systems) * len(items) * len(prompts) * len(repeats)))
    rows = [
        [
            item,
            system,
            prompt,
            rng.choice((str(run), str(run), f"r{run}")) if rng.odd(0.1) else str(run),
            next(scores),
        ]
        for run in repeats
        for prompt in prompts
        for item in items
        for system in systems
    ]
    if len(prompts) == 1 and rng.random() < 0.7:
        header, rows = [*header[:2], *header[3:]], [[*row[:2], *row[3:]] for row in rows]
    return as_file(rng, "runs", header, untidy(rng, rows), systems=systems, items=items)


def tasks(rng):
    """Scores of systems on many tasks: a row a task, or a row a score, with gaps at times."""
    systems, benches = names(rng, rng.choice((2, 3, 5, 8))), names(rng, rng.choice((1, 2, 4, 10, 25)), "task")
    columns = [cells(rng, len(benches)) for _ in systems]
    if rng.random() < 0.5:
        header = [rng.choice(("task", "benchmark", "dataset")), *systems]
        rows = [[task, *row] for task, row in zip(benches, zip(*columns, strict=True), strict=True)]
    else:
        n = rng.choice((1, 1, 5, 20))
        header = ["benchmark", "model", "accuracy", "item"][: 3 if n == 1 else 4]
        rows = [
            [task, system, value, f"{task}-{i}"][: len(header)]
            for i in range(n)
            for system in systems
            for task, value in zip(benches, cells(rng, len(benches)), strict=True)
        ]
    return as_file(
        rng, "tasks", header, untidy(rng, rows), systems=systems, items=benches, metrics=tuple(benches)
    )


def ranking_lists(rng):
    """A row an order of several systems, as one text."""
    systems = names(rng, rng.choice((2, 3, 4, 6)))
    rows = [
        [
            f"j{i % 3}",
            rng.choice((" > ", " > ", ">", " = ")).join(rng.sample(systems, rng.randint(1, len(systems)))),
        ]
        for i in range(rng.choice((1, 6, 30)))
    ]
    return as_file(rng, "ranking_lists", ["judge", "ranking"], untidy(rng, rows), systems=systems)


def battles(rng):
    """A row a battle, in both orders, with judges, lengths, languages and dates."""
    systems = names(rng, n_systems(rng) + rng.choice((0, 1)))
    labels = rng.choice(
        (
            ("model_a", "model_b", "tie"),
            ("A", "B", "tie"),
            ("model_a", "model_b", "tie", "both_bad"),
            ("1", "2", "0"),
        )
    )
    if rng.odd(0.1):
        labels = (*labels, *ODD[:3])
    header = [
        *rng.choice((("model_a", "model_b", "winner"), ("left", "right", "winner"))),
        "judge",
        "question",
        "len",
        "language",
        "tstamp",
    ]
    header = header[: rng.choice((3, 3, 4, 5, 6, 8))]
    rows = []
    for i in range(rng.choice((0, 1, 2, 5)) if rng.odd(0.3) else rng.choice((20, 60, 150))):
        a, b = rng.sample(systems, 2) if len(systems) > 1 and not rng.odd(0.02) else (systems[0], systems[0])
        winner = "" if rng.odd(0.02) else rng.choice(labels)
        rows.append(
            [
                *(a, b, winner, f"j{rng.randrange(4)}", f"q{i // 2}", str(rng.randrange(-50, 50))),
                *(rng.choice(("English", "German", "")), str(1_700_000_000 + i)),
            ][: len(header)]
        )
        if rng.random() < 0.2:
            rows.append([b, a, *rows[-1][2:]])
    return as_file(
        rng, "battles", header, untidy(rng, rows), systems=systems, items=[f"q{i}" for i in range(3)]
    )


def texts_table(rng):
    """A row a text."""
    systems, items = names(rng, rng.choice((1, 2, 3))), item_names(rng, rng.choice((1, 2, 5, 12)))
    rows = [[item, system, sentence(rng)] for item in items for system in (*systems, "@ref")]
    return as_file(
        rng, "texts_table", ["item", "system", "text"], untidy(rng, rows), systems=systems, items=items
    )


def tags_table(rng):
    """A row a tag."""
    systems = ["@gold", *names(rng, rng.choice((1, 2, 3)))]
    lengths = [rng.choice((1, 2, 5)) for _ in range(rng.choice((1, 3, 8)))]
    rows = [
        [str(i), system, str(k), rng.choice(("OK", "BAD"))]
        for i, length in enumerate(lengths)
        for system in systems
        for k in range(length)
    ]
    return as_file(
        rng,
        "tags_table",
        ["item", "system", "position", "tag"],
        untidy(rng, rows),
        systems=systems[1:],
        items="01",
    )


WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    ",",
    ".",
    "sat",
    "on",
    "mat",
    "x",
    "1",
    "2.5",
    "é",
    "日本",
    "\u200b",
    "<EOS>",
    '"q"',
    "it's",
    "—",
    "…",
    "(b)",
    "100%",
    "&amp;",
    "\u202e",
]


def sentence(rng):
    """Some words; at times none."""
    return " ".join(rng.choice(WORDS) for _ in range(rng.choice((0, 1, 3, 6, 6, 12))))


def untidy(rng, rows):
    """Rows in another order, twice, or with some left out, at times."""
    if rng.random() < 0.15:
        rng.shuffle(rows)
    if rng.odd(0.1):
        rows = rows + rows[: len(rows) // 3]
    if rng.odd(0.2):
        rows = [row for row in rows if rng.random() < 0.9]
    return rows


def as_file(rng, kind, header, rows, *, stem=None, systems=(), items=(), metrics=("score",)):
    """A table as a program would write it."""
    container = rng.choice(("csv", "csv", "csv", "tsv", "semicolon", "jsonl", "json"))
    stem = (
        stem
        if stem in ("BLEU", "chrF", "TER", "COMET")
        else rng.choice(("a", "scores", "my file", "é", "BLEU"))
    )
    return Drawn(
        kind=f"drawn {kind}",
        name=f"{stem}.{'csv' if container == 'semicolon' else container}",
        data=written(header, rows, container, rng),
        columns=tuple(header),
        systems=tuple(systems) or ("A",),
        items=tuple(items) or ("0",),
        metrics=tuple(metrics),
        table=(header, rows),
    )


def written(header, rows, container, rng):
    """The bytes of a table."""
    if container in ("json", "jsonl"):
        objects = [
            {name: as_number(cell, rng) for name, cell in zip(header, row, strict=False)} for row in rows
        ]
        texts = [json.dumps(each, ensure_ascii=rng.random() < 0.5) for each in objects]
        return (
            "[" + ",\n".join(texts) + "]" if container == "json" else "".join(f"{t}\n" for t in texts)
        ).encode()
    delimiter = {"csv": ",", "tsv": "\t", "semicolon": ";"}[container]
    file = io.StringIO(newline="")
    style = {"quoting": rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))}
    ends = rng.choice(("\n", "\n", "\r\n"))
    csv.writer(file, delimiter=delimiter, lineterminator=ends, **style).writerows([header, *rows])
    return file.getvalue().encode()


def as_number(cell, rng):
    """A number of JSON where the text is one, as programs write it; at times the text itself."""
    if rng.random() < 0.05:
        return cell
    try:
        return json.loads(cell, parse_constant=lambda _: cell)
    except ValueError:
        return None if cell == "" else cell


MAKERS = {
    "wide": wide,
    "long": long,
    "ratings": ratings,
    "battles": battles,
    "runs": runs,
    "tasks": tasks,
    "ranking_lists": ranking_lists,
    "texts_table": texts_table,
    "tags_table": tags_table,
}
