"""Several files of one table, and metrics beside human scores: joined by identity; what did not match is counted."""

from __future__ import annotations

import gzip
import json

from tests.misreading.cases import (
    GPT,
    LLAMA,
    MEANS,
    META,
    ONE_TO_N,
    RIGHT,
    Agrees,
    Case,
    Columns,
    Ranked,
    Stop,
    long,
    long_rows,
    parquet,
    wide,
)

SHUFFLED = (5, 2, 8, 1, 7, 3, 6, 4)
ROWS = long_rows()
HUMAN = [(k, s, round(100 * x, 1)) for k, s, x in ROWS]
ALL_AGREE = Agrees(values={"COMET": 1.0}, segments=8)
UNMATCHED = ("match", "common", "share", "only in", "missing", "not in", "lack", "from 0 and from 1")


def _named(values: tuple[float, ...], ids: tuple[object, ...] = ONE_TO_N, *, column: str = "id") -> Columns:
    """One file of a system: an id and a score."""
    return Columns({column: ids, "score": values})


def _in_order(values: tuple[float, ...], order: tuple[int, ...], *, column: str = "id") -> Columns:
    return Columns({column: order, "score": [values[k - 1] for k in order]})


def _two(name: str, first: object, second: object, expect: object, *, or_stop: Stop | None = None) -> Case:
    return Case(name=name, files={"GPT.csv": first, "Llama.csv": second}, expect=expect, or_stop=or_stop)


def _meta(name: str, metrics: str, human: str, expect: object, *, or_stop: Stop | None = None) -> Case:
    return Case(
        name=name,
        files={"metrics.csv": metrics, "human.csv": human},
        command=META,
        expect=expect,
        or_stop=or_stop,
    )


def _system(values: tuple[float, ...], name: str, ids: tuple[object, ...] = ONE_TO_N) -> str:
    """One file of a system as a long table of a metric."""
    return long("item,system,COMET", rows=[(k, name, x) for k, x in zip(ids, values, strict=True)])


def _lines(values: tuple[float, ...]) -> str:
    return "".join(f"{x}\n" for x in values)


def _json_lines(columns: dict[str, object]) -> str:
    """One object a line."""
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)


def _of_both(pattern: str, content: object) -> dict[str, object]:
    """A run of each system: `pattern` with its name, and what `content` makes of its scores."""
    return {pattern.format("GPT"): content(GPT), pattern.format("Llama"): content(LLAMA)}


def _runs(name: str, pattern: str, content: object, expect: object, **more: object) -> Case:
    return Case(name=name, files=_of_both(pattern, content), expect=expect, **more)


RUNS = (
    Case(
        name="runs named by the user",
        files={"old.csv": _named(GPT), "new.csv": _named(LLAMA)},
        command=("rank", "GPT=old.csv", "Llama=new.csv"),
        expect=RIGHT,
    ),
    _runs("runs whose names begin and end alike", "newstest2016.{}.de.csv", _named, RIGHT),
    _runs(
        "runs in folders of their own",
        "{}/scores.csv",
        _named,
        RIGHT,
        command=("rank", "GPT/scores.csv", "Llama/scores.csv"),
    ),
    Case(
        name="runs whose names differ in a number",
        files={"gpt_v1.csv": _named(GPT), "gpt_v2.csv": _named(LLAMA)},
        expect=Ranked(means={"gpt_v1": MEANS["GPT"], "gpt_v2": MEANS["Llama"]}, segments=8),
    ),
    _runs("runs as JSON lines", "{}.jsonl", lambda x: _json_lines({"id": ONE_TO_N, "score": x}), RIGHT),
    _runs(
        "runs as JSON lines with prompts and answers",
        "{}.jsonl",
        lambda x: _json_lines(
            {
                "id": ONE_TO_N,
                "prompt": [f"Say {k}." for k in ONE_TO_N],
                "answer": [f"No {k}" for k in ONE_TO_N],
                "score": x,
            }
        ),
        RIGHT,
    ),
    _runs(
        "runs as JSON lines, score and passed",
        "{}.jsonl",
        lambda x: _json_lines({"id": ONE_TO_N, "score": x, "passed": [v > 0.65 for v in x]}),
        Ranked(means={"GPT": 0.5, "Llama": 0.25}, segments=8),
        command=("rank", "GPT.jsonl", "Llama.jsonl", "--metric", "passed"),
    ),
    _runs(
        "runs as a JSON array",
        "{}.json",
        lambda x: json.dumps([{"id": k, "score": v} for k, v in zip(ONE_TO_N, x, strict=True)]),
        RIGHT,
    ),
    _runs("runs between tabs", "{}.tsv", _named, RIGHT),
    _runs("runs packed with gzip", "{}.csv.gz", lambda x: gzip.compress(_named(x).text().encode()), RIGHT),
    _runs("runs as Parquet", "{}.parquet", lambda x: parquet(_named(x)), RIGHT),
    _runs(
        "runs of right and wrong",
        "{}.csv",
        lambda x: Columns({"id": ONE_TO_N, "correct": [str(v > 0.65).lower() for v in x]}),
        Ranked(means={"GPT": 0.5, "Llama": 0.25}, segments=8),
    ),
    _runs(
        "runs in percent",
        "{}.csv",
        lambda x: Columns({"id": ONE_TO_N, "accuracy": [f"{100 * v:.0f}%" for v in x]}),
        Ranked(means={name: 100 * mean for name, mean in MEANS.items()}, segments=8),
    ),
    _two(
        "a run in percent beside one in shares",
        _named(tuple(100 * x for x in GPT)),
        _named(LLAMA),
        Stop(words=("GPT", "scale", "--keep score")),
    ),
    _runs(
        "runs with documents and domains",
        "{}.csv",
        lambda x: Columns({"id": ONE_TO_N, "doc": "aabbccdd", "domain": "nnnnssss", "score": x}),
        RIGHT,
    ),
    Case(
        name="three runs",
        files={"GPT.csv": _named(GPT), "Llama.csv": _named(LLAMA), "Qwen.csv": _named(LLAMA[::-1])},
        expect=Ranked(means={**MEANS, "Qwen": MEANS["Llama"]}, segments=8, cells={("Qwen", "3"): 0.40}),
    ),
    _two(
        "a run that lacks a segment",
        _named(GPT),
        _named(LLAMA[:7], ONE_TO_N[:7]),
        Stop(words=("Llama", "8", "--missing")),
    ),
    _two(
        "a segment twice in a run",
        _named(GPT),
        _named((*LLAMA, 0.1), (*ONE_TO_N, 3)),
        Stop(words=("3", "Llama", "--duplicates")),
    ),
    _two(
        "runs with no segment in common",
        _named(GPT),
        _named(LLAMA, tuple(f"x{k}" for k in ONE_TO_N)),
        Stop(words=(UNMATCHED,)),
    ),
    _two(
        "runs counted from 0 and from 1",
        _named(GPT),
        _named(LLAMA, tuple(range(8))),
        Stop(words=(UNMATCHED,)),
    ),
    _two(
        "runs of different metrics",
        Columns({"id": ONE_TO_N, "accuracy": GPT}),
        Columns({"id": ONE_TO_N, "f1": LLAMA}),
        Stop(words=("accuracy", "f1", "Llama.csv")),
    ),
    _two(
        "a run with a metric more",
        Columns({"id": ONE_TO_N, "score": GPT, "tokens": [int(100 * x) for x in LLAMA]}),
        _named(LLAMA),
        RIGHT,
    ),
    _runs(
        "runs with latency and tokens",
        "{}.csv",
        lambda x: Columns(
            {"id": ONE_TO_N, "score": x, "latency_ms": [int(1000 * v) for v in x], "tokens": ONE_TO_N}
        ),
        Stop(words=("score", "latency_ms"), in_check=False),
        settle=("--metric", "latency_ms"),
        settled=Ranked(means={name: 1000 * mean for name, mean in MEANS.items()}, segments=8, higher=False),
    ),
    _runs(
        "runs of two aspects of unknown names",
        "{}.csv",
        lambda x: Columns({"id": ONE_TO_N, "helpfulness": x, "coherence": x[::-1]}),
        Stop(words=("--score",), in_check=False),
        settle=("--score", "helpfulness"),
        settled=RIGHT,
    ),
    _runs(
        "runs of an error rate that their names tell",
        "TER.{}.csv",
        _named,
        Ranked(means=MEANS, segments=8, higher=False),
    ),
    Case(
        name="runs named like metrics",
        files={"BLEU.csv": _named(GPT), "chrF.csv": _named(LLAMA)},
        expect=Stop(words=("BLEU", "chrF", "NAME="), in_check=False),
    ),
    Case(
        name="lines of numbers named like metrics",
        files={"BLEU.txt": _lines(GPT), "TER.txt": _lines(LLAMA)},
        expect=Stop(words=("BLEU", "TER", "NAME="), in_check=False),
    ),
    Case(
        name="runs of one system in two languages",
        files={"GPT.de.csv": _named(GPT), "GPT.fr.csv": _named(LLAMA)},
        expect=Stop(words=("de", "fr", "NAME="), in_check=False),
    ),
    Case(
        name="the truth among runs",
        files={"gold.csv": _named(GPT), "Llama.csv": _named(LLAMA)},
        expect=Stop(words=("gold", "quality"), in_check=False),
    ),
    _runs(
        "runs without ids, with prompts",
        "{}.jsonl",
        lambda x: _json_lines({"prompt": [f"Say {k}." for k in ONE_TO_N], "score": x}),
        Stop(words=("prompt", "--item"), in_check=False),
        settle=("--item", "prompt"),
        settled=RIGHT,
    ),
    _runs("runs without ids", "{}.csv", lambda x: Columns({"score": x}), Ranked(means=MEANS, segments=8)),
    Case(
        name="two long files of the same system",
        files={
            "a.csv": long(rows=[(k, "m", x) for k, x in zip(ONE_TO_N, GPT, strict=True)]),
            "b.csv": long(rows=[(k, "m", x) for k, x in zip(ONE_TO_N, LLAMA, strict=True)]),
        },
        expect=Stop(words=("NAME=path",), in_check=False),
    ),
    Case(
        name="two long files of the same system, named by the user",
        files={
            "a.csv": long(rows=[(k, "m", x) for k, x in zip(ONE_TO_N, GPT, strict=True)]),
            "b.csv": long(rows=[(k, "m", x) for k, x in zip(ONE_TO_N, LLAMA, strict=True)]),
        },
        command=("rank", "GPT=a.csv", "Llama=b.csv"),
        expect=RIGHT,
    ),
    Case(
        name="one run alone",
        files={"GPT.csv": Columns({"id": ONE_TO_N, "score": GPT, "passed": [int(x > 0.5) for x in GPT]})},
        expect=Stop(words=("score", "passed", "system")),
    ),
    Case(
        name="metrics of runs beside human scores",
        files={
            "GPT.csv": Columns({"id": SHUFFLED, "COMET": [GPT[k - 1] for k in SHUFFLED]}),
            "Llama.csv": Columns({"id": ONE_TO_N, "COMET": LLAMA}),
            "human.csv": long(rows=HUMAN),
        },
        command=("meta", "GPT.csv", "Llama.csv", *META[2:]),
        expect=ALL_AGREE,
    ),
)

CASES = (
    *RUNS,
    _two("one file a system", _named(GPT), _named(LLAMA), RIGHT),
    _two("one file a system, in another order", _named(GPT), _in_order(LLAMA, SHUFFLED), RIGHT),
    _two("one long file a system, scores called score", long(rows=ROWS[:8]), long(rows=ROWS[8:]), RIGHT),
    _two("one long file a system", _system(GPT, "GPT"), _system(LLAMA, "Llama"), RIGHT),
    _two(
        "one long file a system, in another order",
        _system(GPT, "GPT"),
        long("item,system,COMET", rows=[(k, "Llama", LLAMA[k - 1]) for k in SHUFFLED]),
        Ranked(means=MEANS, segments=8, cells={("Llama", "3"): 0.80, ("GPT", "3"): 0.91}),
    ),
    _two(
        "one wide file a system, in another order",
        Columns({"id": ONE_TO_N, "GPT": GPT}),
        Columns({"id": SHUFFLED, "Llama": [LLAMA[k - 1] for k in SHUFFLED]}),
        Ranked(means=MEANS, segments=8, cells={("Llama", "3"): 0.80, ("GPT", "3"): 0.91}),
        or_stop=Stop(words=("GPT", "Llama")),
    ),
    _two(
        "ids from 0 and from 1",
        _system(GPT, "GPT", tuple(range(8))),
        _system(LLAMA, "Llama"),
        Stop(words=(UNMATCHED, ("0", "8"))),
    ),
    _two(
        "ids in one file only",
        _system(GPT, "GPT"),
        long("system,COMET", rows=[("Llama", x) for x in LLAMA]),
        Stop(words=("Llama.csv",)),
    ),
    _two(
        "more rows in one file",
        _system(GPT, "GPT"),
        _system((*LLAMA, 0.5, 0.6), "Llama", tuple(range(1, 11))),
        Stop(words=("GPT", ("9", "10"))),
    ),
    _two(
        "a segment that one file lacks",
        _system(GPT, "GPT"),
        _system(LLAMA[:7], "Llama", ONE_TO_N[:7]),
        Stop(words=("Llama", "8")),
    ),
    _two(
        "no segment in common",
        _system(GPT, "GPT"),
        _system(LLAMA, "Llama", tuple(f"x{k}" for k in ONE_TO_N)),
        Stop(words=(UNMATCHED,)),
    ),
    _two(
        "a segment twice in one file",
        _system(GPT, "GPT"),
        _system((*LLAMA, 0.1), "Llama", (*ONE_TO_N, 3)),
        Stop(words=("3", "--duplicates")),
    ),
    _two(
        "ids 1 and 01",
        _system(GPT, "GPT"),
        _system(LLAMA, "Llama", tuple(f"{k:02d}" for k in ONE_TO_N)),
        RIGHT,
        or_stop=Stop(words=(UNMATCHED,)),
    ),
    _two(
        "ids 1 and 1.0",
        _system(GPT, "GPT"),
        _system(LLAMA, "Llama", tuple(float(k) for k in ONE_TO_N)),
        RIGHT,
        or_stop=Stop(words=(UNMATCHED,)),
    ),
    _two(
        "ids that differ in case",
        _system(GPT, "GPT", tuple(f"s{k}" for k in ONE_TO_N)),
        _system(LLAMA, "Llama", tuple(f"S{k}" for k in ONE_TO_N)),
        RIGHT,
        or_stop=Stop(words=(UNMATCHED,)),
    ),
    _two(
        "ids of an unknown name, in another order",
        _named(GPT, column="qid"),
        _in_order(LLAMA, SHUFFLED, column="qid"),
        RIGHT,
        or_stop=Stop(words=("qid",)),
    ),
    Case(
        name="the same file under two names",
        files={"one.csv": wide(), "two.csv": wide()},
        expect=Stop(words=("one", "two"), in_check=False),
    ),
    _two(
        "other systems in other files",
        wide(),
        wide("id,Qwen,Gemma"),
        Ranked(
            means={
                "GPT": MEANS["GPT"],
                "Qwen": MEANS["GPT"],
                "Llama": MEANS["Llama"],
                "Gemma": MEANS["Llama"],
            },
            segments=8,
        ),
        or_stop=Stop(words=("metric",), in_check=False),
    ),
    Case(
        name="two metrics in two files",
        files={
            "BLEU.csv": Columns(
                {"id": ONE_TO_N, "GPT": [round(100 * x, 1) for x in GPT], "Llama": [100 * x for x in LLAMA]}
            ),
            "COMET.csv": wide(),
        },
        command=("rank", "BLEU.csv", "COMET.csv", "--metric", "COMET"),
        expect=RIGHT,
    ),
    Case(
        name="two runs with score and passed",
        files={
            "v1.csv": Columns({"case_id": ONE_TO_N, "score": GPT, "passed": [int(x > 0.5) for x in GPT]}),
            "v2.csv": Columns({"case_id": ONE_TO_N, "score": LLAMA, "passed": [int(x > 0.5) for x in LLAMA]}),
        },
        command=("rank", "v1.csv", "v2.csv", "--metric", "score"),
        expect=Ranked(means={"v1": MEANS["GPT"], "v2": MEANS["Llama"]}, segments=8),
    ),
    Case(
        name="two language pairs in two files with the same ids",
        files={"en-de.csv": wide(), "en-fr.csv": wide().replace("0.71", "0.11")},
        expect=Stop(words=("en-de", "en-fr"), in_check=False),
    ),
    Case(
        name="two language pairs in two long files with the same ids",
        files={"en-de.csv": long(), "en-fr.csv": long(rows=[(k, s, round(1 - x, 4)) for k, s, x in ROWS])},
        expect=Stop(words=("en-de", "en-fr"), in_check=False),
    ),
    Case(
        name="numbers line by line",
        files={"GPT.txt": _lines(GPT), "Llama.txt": _lines(LLAMA)},
        expect=RIGHT,
    ),
    Case(
        name="numbers line by line, one line more",
        files={"GPT.txt": _lines(GPT), "Llama.txt": _lines((*LLAMA, 0.5))},
        expect=Stop(words=("8", "9")),
    ),
    Case(
        name="numbers line by line, with a total at the end",
        files={"GPT.txt": _lines((*GPT, sum(GPT))), "Llama.txt": _lines(LLAMA)},
        expect=Stop(words=("8", "9")),
    ),
    Case(
        name="numbers line by line beside a table with ids",
        files={"GPT.txt": _lines(GPT), "Llama.csv": _system(LLAMA, "Llama", SHUFFLED)},
        expect=Stop(words=(("GPT.txt", "Llama.csv"),), in_check=False),
    ),
    _meta(
        "metrics in another order", long("item,system,COMET", rows=ROWS[::-1]), long(rows=HUMAN), ALL_AGREE
    ),
    _meta(
        "metrics of an unknown id, in another order",
        long("qid,system,COMET", rows=ROWS[::-1]),
        long("qid,system,score", rows=HUMAN),
        ALL_AGREE,
        or_stop=Stop(words=("--item",)),
    ),
    _meta(
        "wide metrics of an unknown id, in another order",
        Columns(
            {
                "qid": SHUFFLED,
                "GPT": [GPT[k - 1] for k in SHUFFLED],
                "Llama": [LLAMA[k - 1] for k in SHUFFLED],
            }
        ).text(),
        Columns({"qid": ONE_TO_N, "GPT": GPT, "Llama": LLAMA}).text(),
        Agrees(values={"metrics": 1.0}, segments=8),
        or_stop=Stop(words=("qid", "--item")),
    ),
    _meta(
        "wide metrics with text ids of an unknown name, in another order",
        Columns(
            {
                "key": [f"k{k}" for k in SHUFFLED],
                "GPT": [GPT[k - 1] for k in SHUFFLED],
                "Llama": [LLAMA[k - 1] for k in SHUFFLED],
            }
        ).text(),
        Columns({"key": [f"k{k}" for k in ONE_TO_N], "GPT": GPT, "Llama": LLAMA}).text(),
        Agrees(values={"metrics": 1.0}, segments=8),
        or_stop=Stop(words=("key", "--item")),
    ),
    _meta(
        "metrics without ids beside human scores with ids",
        Columns({"GPT": GPT, "Llama": LLAMA}).text(),
        Columns(
            {"id": SHUFFLED, "GPT": [GPT[k - 1] for k in SHUFFLED], "Llama": [LLAMA[k - 1] for k in SHUFFLED]}
        ).text(),
        Stop(words=(("id", "--item"),), in_check=False),
    ),
    _meta(
        "metrics counted from 0, human scores from 1",
        long("item,system,COMET", rows=[(k - 1, s, x) for k, s, x in ROWS]),
        long(rows=HUMAN),
        Stop(words=(UNMATCHED,), in_check=False),
    ),
    _meta(
        "fewer human scores than metric scores",
        long("item,system,COMET"),
        long(rows=[row for row in HUMAN if row[0] <= 6]),
        Agrees(values={"COMET": 1.0}, segments=6, says=(("2 ", "6 of 8", "8"),)),
        or_stop=Stop(words=(("7", "missing", "segments"),), in_check=False),
    ),
    _meta(
        "no segment in common with the human scores",
        long("item,system,COMET"),
        long(rows=[(f"x{k}", s, x) for k, s, x in HUMAN]),
        Stop(words=(UNMATCHED,), in_check=False),
    ),
    _meta(
        "systems in another case than in the human scores",
        long("item,system,COMET", rows=[(k, s.lower(), x) for k, s, x in ROWS]),
        long(rows=HUMAN),
        Stop(words=("GPT",), in_check=False),
    ),
    _meta(
        "one system in another case than in the human scores",
        long(
            "item,system,COMET",
            rows=[(k, s.lower() if s == "GPT" else s, x) for k, s, x in ROWS]
            + [(k, "Qwen", x) for k, x in zip(ONE_TO_N, GPT, strict=True)],
        ),
        long(rows=HUMAN + [(k, "Qwen", 100 * x) for k, x in zip(ONE_TO_N, GPT, strict=True)]),
        Stop(words=("GPT", "gpt"), in_check=False),
    ),
)
