"""Several files of one table, and metrics beside human scores: joined by identity; what did not match is counted."""

from __future__ import annotations

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


CASES = (
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
        expect=Stop(words=("BLEU", "COMET", "--metric"), in_check=False),
        settle=("--metric", "COMET"),
        settled=RIGHT,
    ),
    Case(
        name="two runs with score and passed",
        files={
            "v1.csv": Columns({"case_id": ONE_TO_N, "score": GPT, "passed": [int(x > 0.5) for x in GPT]}),
            "v2.csv": Columns({"case_id": ONE_TO_N, "score": LLAMA, "passed": [int(x > 0.5) for x in LLAMA]}),
        },
        expect=Stop(words=("score", "passed"), in_check=False),
        settle=("--metric", "score"),
        settled=Ranked(means={"v1": MEANS["GPT"], "v2": MEANS["Llama"]}, segments=8),
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
