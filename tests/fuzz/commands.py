"""A command line drawn from the commands' own parameters, with values that are right, odd or out of all bounds."""

from __future__ import annotations

import click
from tests.fuzz.inputs import FORMATS
from tests.fuzz.tables import ODD, PLAIN

from betterthan.cli.main import cli
from betterthan.studies.catalogue import STUDIES

# The web server is not fuzzed here. How often each of the others is drawn; what is slow is drawn less.
WEIGHTS = {
    "rank": 16, "compare": 15, "board": 6, "factors": 4, "variation": 4, "plan": 6, "gate": 8, "tradeoffs": 6,
    "boards": 4, "calibrate": 3, "multiverse": 3, "watch": 6,
    "correct": 6, "sample": 5, "audit-judge": 6,
    "fragility": 4, "board-diff": 4, "voters": 4,
    "check": 15, "agree": 10, "explain": 9, "diagnose": 9, "convert": 8, "report": 4,
    "figure": 5, "human da": 6, "human mqm": 5, "human rr": 5, "meta": 9, "quality": 6, "tags": 6, "score bleu": 5,
    "score chrf": 4, "score ter": 4, "verify": 5, "study": 0.6, "demo": 0.04, "cache info": 0.5, "cache clear": 0.3,
    "completion": 0.3, "manual": 0.02, "score metrics": 2,
}  # fmt: skip
NUMBERS = ("nan", "inf", "-inf", "-1", "0", "1e308", "-1e308", "1e-320", "1e999", "", "x", "0x10", "1,5", "٣")
SIZES = ("100MB", "nan", "1e9TB", "-1", "0", "9" * 400, "")
WHOLE = ("-1", "0", "1000000000", "9" * 40, "1.5", "nan", "", "x", "1e3")
RIGHT_NUMBERS = {
    "alpha": ("0.05", "0.01", "0.5", "1e-9"),
    "confidence": ("0.9", "0.99", "0.5", "0.999999"),
    "prior": ("0", "0.1", "1", "100"),
    "margin": ("0", "0.5", "25"),
    "metric_margin": ("0", "0.1"),
    "max_variance_ratio": ("0.5", "2", "1000"),
    "darr": ("0", "25", "1e6"),
    "smoothing_value": ("0.1", "1"),
    "beta": ("1", "2", "3"),
    "scale": ("0.5", "1", "3"),
    "tolerance": ("0", "1e-9", "1"),
    "power": ("0.8", "0.5", "0.99"),
    "difference": ("0.02", "0.5", "2"),
    "sd": ("0.5", "12"),
    "discordance": ("0.1", "0.5", "1"),
    "noise_sd": ("0.1", "2"),
    "run_sd": ("0.1", "2"),
    "document_size": ("2", "12.5"),
    "icc": ("0", "0.1", "0.9"),
    "judge_correlation": ("0", "0.7", "1", "-0.5"),
    "expected": ("0.1", "2"),
    "bounds": ("0", "1", "100"),
}
# Small ones: many resamples are many seconds by the user's own wish.
RIGHT_WHOLE = {
    "resamples": ("1", "2", "10", "99", "200", "500"),
    "seed": ("0", "1", "2024", str(2**70)),
    "workers": ("1",) * 19 + ("2",),
    "top": ("1", "2", "5"),
    "size": ("1", "10", "200"),
    "min_judgements": ("1", "2"),
    "max_order": ("1", "2", "6"),
    "char_order": ("1", "6", "12"),
    "word_order": ("0", "2"),
    "number": ("50", "1000", "1", "100000000"),
    "n": ("1", "2", "10", "50"),
    "n_systems": ("2", "5", "100"),
    "repeats": ("1", "3", "10"),
    "judged": ("100", "100000"),
    "horizon": ("1", "50", "1000", "100000000"),
    "ask": ("1", "5", "20"),
}
COLUMNS = (
    "item_column", "system_column", "score_column", "metric_column", "group_column", "judge_column", "left_column",
    "right_column", "winner_column", "weight_column", "cluster", "covariates", "ignore", "keep",
    "run_column", "task_column", "slices", "length",
)  # fmt: skip
READING = (
    *COLUMNS, "format_in", "where", "lower_is_better", "higher_is_better", "winner_labels", "memory", "language_pair",
    "language_pairs", "gold", "reference", "references", "metric", "human", "code", "both_bad", "duplicates", "darr",
    "matches_to", "languages", "controls", "segments", "source", "mt", "run_column", "task_column",
)  # fmt: skip
OUTPUTS = ("output", "scores_to", "matches_to", "junit", "state")
SUFFIXES = (
    "csv",
    "tsv",
    "json",
    "jsonl",
    "md",
    "tex",
    "html",
    "txt",
    "svg",
    "png",
    "pdf",
    "parquet",
    "odd",
    "csv.gz",
)
METRICS = ("metric", "metrics", "tasks", "judge_score", "human_score", "lower_is_better", "higher_is_better")
FILES = ("human", "references", "gold", "source", "mt", "data")
BY = (
    "mean", "median", "win-rate", "bradley-terry", "elo", "trueskill", "irt", "irt-2pl", "plackett-luce",
    "bleu", "chrf", "ter", "pearson",
)  # fmt: skip
OTHER = {
    "format_in": FORMATS,
    "language_pair": ("en-de", "de-en", "x"),
    "language_pairs": ("en-de", "de-en", "x"),
    "languages": ("German-English", "en-de", "x"),
    "tokenize": ("13a", "intl", "zh", "char", "none", "x"),
    "language": ("de", "zh", "ja", "ko", "x"),
    "winner_labels": ("A=left", "B=right", "0=tie", "1=left", "2=right", "x=both_bad", "=left", "a=", "a=b"),
    "rating": ("k=32", "beta=4", "k=nan", "x=1", "k", "k=-1", "tau=1e308", "k=0"),
    "units": ("auto", "segments", "groups", "document", "x"),
    "code": ("BT001", "BT102", "BT230", "BT9"),
    "weights": ("major=5", "minor=1", "x=1", "major=nan", "major", "major=-1"),
    "settings": ("n_resamples=20", "n_draws=20", "seed=1", "x=1", "x", "n=-1"),
    "strata": ("2", "5", "group", "0", "x"),
    "categories": ("English", "German", "nowhere"),
    "executor": ("dask://", "dask://127.0.0.1:1", "x", "threads"),
    "config_path": ("none.toml", "."),
    "memory": ("256MB", "300MB", "0.5GB", "1GB", "9999999TB"),
}


def commands(group=cli, path=()):
    """Every command but the web server, by its full name."""
    found = {}
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            found |= commands(command, (*path, name))
        elif name != "serve":
            found[" ".join((*path, name))] = command
    return found


def draw_command(rng):
    """A command by weight."""
    return rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]


def value(rng, option, drawn, paths):
    """A value for an option, which may be no good."""
    kind, odd = option.type, rng.odd(0.3)
    if isinstance(kind, click.Choice):
        return rng.choice(ODD if odd else list(kind.choices))
    if isinstance(kind, click.types.IntParamType):
        return rng.choice(WHOLE if odd else RIGHT_WHOLE.get(option.name, ("1", "2")))
    if isinstance(kind, click.types.FloatParamType):
        return rng.choice(NUMBERS if odd or rng.random() < 0.05 else RIGHT_NUMBERS.get(option.name, ("1",)))
    if odd:
        return rng.choice(SIZES if option.name == "memory" else (*ODD, *paths))
    return word(rng, option.name, drawn, paths)


def word(rng, name, drawn, paths):
    """A word that the option of this name may mean."""
    if name in OUTPUTS:
        return output(rng, paths)
    if name == "controls":
        return f"{rng.choice(drawn.systems)}={rng.choice(drawn.systems)}"
    if name == "where":
        return (
            rng.choice((*drawn.columns, "lp", "x"))
            + "="
            + rng.choice((*drawn.systems, *drawn.items[:9], "en-de"))
        )
    words = {
        **OTHER,
        **dict.fromkeys(COLUMNS, (*drawn.columns, *drawn.columns, *drawn.systems, "none")),
        **dict.fromkeys(METRICS, (*drawn.metrics, *drawn.metrics, "score", "BLEU", "*")),
        **dict.fromkeys(FILES, (*paths, *paths, *drawn.metrics, "nowhere.csv")),
        "by": BY[:9] if rng.random() < 0.9 else BY,
        "anchor": drawn.systems,
        "segments": drawn.items,
    }
    return rng.choice(words.get(name, (*drawn.systems, *drawn.systems, *drawn.metrics, *PLAIN[:2])))


def output(rng, paths, usual=("csv", "json", "html", "tex", "md")):
    """Where to write: a new file, one that is read, a folder, nowhere."""
    if rng.odd(0.2):
        return rng.choice((*paths, ".", "no/such/out.csv", "", "-", "out", "\x1b[2J.csv", "out.csv/"))
    return f"out.{rng.choice(SUFFIXES if rng.random() < 0.2 else usual)}"


def needed(name, command, drawn, rng, paths):
    """The arguments, and the options without which a command does nothing."""
    named = [f"n{i}={path}" for i, path in enumerate(paths)] if rng.odd(0.1) else paths
    named = ["*"] if rng.random() < 0.01 else named
    two = rng.sample(drawn.systems, 2) if len(drawn.systems) > 1 else ["A", "B"]
    two = [rng.choice((*drawn.systems, "nobody")) for _ in range(2)] if rng.odd(0.3) else two
    if name.startswith("score "):
        return list(named) if len(named) == 1 or rng.odd(0.2) else ["--reference", paths[0], *named[1:]]
    if name == "figure":
        return figure(command, drawn, rng, paths, named, two)
    if name == "study":
        return [rng.choice([*STUDIES, "x"]), "--quick", *(["--data", paths[0]] if rng.random() < 0.8 else [])]
    labeled = [*named[:1], *(["--human", paths[1]] if len(paths) > 1 else both_scores(rng, drawn))]
    words = {
        # Mostly with a margin and two systems, without which most would say that these are missing.
        "gate": [
            *(["--margin", rng.choice(("0", "0.05", "1"))] if rng.random() < 0.8 else []),
            *named[: rng.choice((1, 1, 2))],
            *(two if rng.random() < 0.7 else []),
        ],
        "boards": [*named, "--by", rng.choice((*drawn.columns[2:], "language", "judge"))],
        "voters": [*named, "--by", rng.choice((*drawn.columns[2:], "judge", "judge"))],
        "board-diff": [*named[:2]] if rng.random() < 0.95 else list(named),
        "board": [
            *named,
            *(
                ["--task-column", drawn.columns[0]]
                if drawn.kind == "drawn tasks" and "item" not in drawn.columns and "model" in drawn.columns
                else []
            ),
        ],
        "factors": [*named, *factor_columns(rng, drawn)],
        "variation": [*named, *(factor_columns(rng, drawn) if rng.random() < 0.3 else [])],
        "multiverse": [*named, claim(rng, two)],
        "sample": [*named, "-n", rng.choice(WHOLE if rng.odd(0.2) else RIGHT_WHOLE["n"])],
        "plan": assumptions(rng) if rng.random() < 0.4 else list(named),
        "compare": [*named[:1], *(two if rng.random() < 0.5 else [])],
        "explain": [*named[:1], *two],
        "convert": [*named[:1], "-o", output(rng, paths, ("csv", "tsv", "jsonl", "parquet"))],
        "report": [*named, "-o", output(rng, paths, ("html",))],
        "meta": [*(named if rng.odd(0.2) else named[:1]), *(["--human", paths[1]] if len(paths) > 1 else [])],
        "audit-judge": labeled,
        "correct": labeled,
        "completion": [rng.choice(("bash", "zsh", "fish", "powershell", "x"))],
        **dict.fromkeys(("human da", "human mqm", "human rr"), named[:1]),
        **dict.fromkeys(("cache info", "cache clear", "demo", "manual"), ()),
    }
    return list(words.get(name, named))


def factor_columns(rng, drawn):
    """The columns that together name a system."""
    return [word for name in ("model", "system", "prompt") if name in drawn.columns and rng.random() < 0.95
            for word in ("--system", name)]  # fmt: skip


def both_scores(rng, drawn):
    """The options for a file that holds scores of a judge and of people."""
    if drawn.kind != "drawn judged" or rng.odd(0.3):
        return []
    return ["--judge-score", drawn.columns[2], "--human-score", "label"]


def claim(rng, two):
    """A claim, which may make no sense."""
    first, second = two
    sound = (f"{first} > {second}", f"{first} is better than {second}", f"{first} is best")
    return rng.choice(("", ">", "x", f"{first} >", f"{first}>{second}>{first}") if rng.odd(0.2) else sound)


def assumptions(rng):
    """What a plan without a pilot assumes."""
    name = rng.choice(("sd", "discordance", "ties"))
    values = {"ties": ("0.2", "0", "0.9"), **RIGHT_NUMBERS}
    return [f"--{name}", rng.choice(NUMBERS if rng.odd(0.3) else values[name])]


def figure(command, drawn, rng, paths, named, two):
    """The arguments of a figure, of a kind that can be made of the input."""
    kinds = list(next(each for each in command.params if each.name == "kind").type.choices)
    kind = rng.choice(kinds if rng.odd(0.5) else FIGURES[figured(drawn, paths)])
    files = list(named)
    if kind in FIGURES["metrics"] and len(paths) > 1:
        files = [paths[0], "--human", paths[1]]
    elif kind == "aggregation":
        files = [*paths[1:], "--reference", paths[0]]
    pair = ["--pair", *two] if kind in ("scatter", "differences") or rng.odd(0.3) else []
    return [kind, *files, "-o", output(rng, paths, ("json", "json", "svg")), *pair]


FIGURES = {
    "scores": ("ranking", "pairs", "scatter", "differences", "agreement", "ranks", "diagnosis"),
    "battles": ("ranking", "pairs", "ranks"),
    "ratings": ("judges", "ranking", "agreement"),
    "metrics": ("metrics", "soft-pairwise", "contributions", "margins"),
    "texts": ("aggregation",),
    "tags": ("tags", "confusion", "spans"),
    "numbers": ("quality",),
}


def figured(drawn, paths):
    """What a figure of an input can show."""
    kind = drawn.kind.split()[-1]
    if kind == "long" and len(paths) > 1:
        return "metrics"
    return kind if kind in FIGURES else "scores"


def command_line(rng, name, drawn, paths):
    """All words of a command line."""
    command = COMMANDS[name]
    words = needed(name, command, drawn, rng, paths)
    given = {word for word in words if word.startswith("-")}
    options = [
        each
        for each in command.params
        if isinstance(each, click.Option)
        and not given & set(each.opts)
        and each.name not in ("show_list", "show_config")
    ]
    # There is no cluster, so the only answer is a refusal; and a file that nobody extends is followed without end.
    useless = {*(("executor",) if rng.random() < 0.9 else ()), *(("follow",) if "-" not in words else ())}
    options = [each for each in options if each.name not in useless]
    if name == "study":
        options = [
            each for each in options if each.name in ("settings", "memory", "format_", "as_json", "seed")
        ]
    count = rng.choice((0, 0, 0, 1, 1, 2)) if rng.wildness == 0 else rng.choice((0, 1, 2, 3, 6, 12))
    if "battles" in drawn.kind and not rng.odd(0.5) and any(each.name == "prior" for each in options):
        words += ["--prior", "0.5"]
        options = [each for each in options if each.name != "prior"]
    # Resampling is most of the work; few resamples try as much.
    is_resampled = name != "report" and "battles" not in drawn.kind
    if is_resampled and any(each.name == "resamples" for each in options) and rng.random() < 0.6:
        words += ["--resamples", rng.choice(RIGHT_WHOLE["resamples"])]
        options = [each for each in options if each.name != "resamples"]
    # What a file means is rarely said: nearly all of that is refused where it does not belong.
    reading = [each for each in options if each.name in READING]
    options = [each for each in options if each.name not in READING]
    chosen = rng.sample(options, min(count, len(options)))
    if reading and rng.random() < max(0.15, 0.5 * rng.wildness):
        chosen += rng.sample(reading, min(len(reading), rng.choice((1, 1, 2))))
    for option in chosen:
        repeats = rng.choice((1, 1, 2)) if option.multiple else 1
        for _ in range(repeats):
            words.append(rng.choice(option.opts))
            if not option.is_flag:
                words += [value(rng, option, drawn, paths) for _ in range(option.nargs)]
    if rng.random() < 0.15 and any(each.name == "as_json" for each in options):
        words = [*words, "--json"]
    return [*name.split(), *words]


COMMANDS = commands()
