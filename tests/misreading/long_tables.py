"""Long tables: several score columns, unknown headers, swapped columns, repeated runs, judges, language pairs."""

from __future__ import annotations

from tests.misreading.cases import (
    GPT,
    LLAMA,
    MEANS,
    ONE_TO_N,
    RIGHT,
    TRUSTED,
    Case,
    Columns,
    First,
    Ranked,
    Stop,
    beside,
    long,
    long_rows,
)

ROWS = long_rows()
LENGTH = {k: 20 + 7 * k for k in ONE_TO_N}
# Raw scores, the same standardized, and how many people gave them: the worse system was judged more often.
ASSESSED = [(k, s, round(100 * x), round(4 * x - 2.4, 3), 1 if s == "GPT" else 5) for k, s, x in ROWS]
TER = [(k, s, round(1 - x, 4)) for k, s, x in ROWS]
SEEDS = [(seed, k, s, round(x + (seed - 2) / 100, 4)) for seed in (1, 2, 3) for k, s, x in ROWS]
PAIRS = [("en-de", *row) for row in ROWS] + [("en-fr", k, s, round(1 - x, 4)) for k, s, x in ROWS]
DISTINCT = [("en-de", f"d{k}", s, x) for k, s, x in ROWS] + [
    ("en-fr", f"f{k}", s, round(1 - x, 4)) for k, s, x in ROWS
]
NAMES = {"en-de": "English-German", "en-fr": "English-French"}
NEARLY = [("en-de" if k < 5 else "en-de ", k, s, x) for k, s, x in ROWS]
JUDGED = [
    (k, s, judge, round(x + shift, 4)) for judge, shift in (("ann", 0.01), ("bob", -0.01)) for k, s, x in ROWS
]
NUMBERED = [(k, s, {"ann": 17, "bob": 23}[judge], x) for k, s, judge, x in JUDGED]
VERDICTS = [(k, s, int(x > 0.55), round(100 * x)) for k, s, x in ROWS]

CASES = (
    Case(
        name="direct assessments with raw, z and n",
        files={"da.csv": long("item,system,raw,z,n", rows=ASSESSED)},
        command=("human", "da", "da.csv"),
        expect=Stop(words=("raw", "z", ("--metric", "--score")), in_check=False),
        settle=("--metric", "raw"),
        settled=First(best="GPT", systems=("GPT", "Llama")),
    ),
    Case(
        name="raw, z and n to be ranked",
        files={"da.csv": long("item,system,raw,z,n", rows=ASSESSED)},
        expect=Stop(words=("raw", "z", "--metric"), in_check=False),
        settle=("--metric", "raw"),
        settled=Ranked(means={"GPT": 63.125, "Llama": 58.875}, segments=8),
    ),
    Case(
        name="quality and length",
        files={
            "scores.csv": long("item,system,quality,length", rows=[(*row, LENGTH[row[0]]) for row in ROWS])
        },
        expect=Stop(words=("quality", "length", "--metric"), in_check=False),
        settle=("--metric", "quality"),
        settled=RIGHT,
    ),
    Case(
        name="score and length",
        files={"scores.csv": long("item,system,score,length", rows=[(*row, LENGTH[row[0]]) for row in ROWS])},
        expect=TRUSTED,
    ),
    Case(
        name="score and value",
        files={"scores.csv": long("item,system,score,value", rows=[(*row, 1 - row[2]) for row in ROWS])},
        expect=RIGHT,
        or_stop=Stop(words=("score", "value")),
    ),
    Case(
        name="two metrics in a column",
        files={
            "scores.csv": long(
                "item,system,metric,score",
                rows=[(k, s, "COMET", x) for k, s, x in ROWS] + [(k, s, "TER", x) for k, s, x in TER],
            )
        },
        command=("rank", "scores.csv", "--metric", "TER"),
        expect=Ranked(means={"GPT": 1 - MEANS["GPT"], "Llama": 1 - MEANS["Llama"]}, segments=8, higher=False),
    ),
    Case(
        name="headers that say nothing",
        files={"scores.csv": long("who,nr,val", rows=[(s, k, x) for k, s, x in ROWS])},
        expect=RIGHT,
        or_stop=Stop(words=("who", "--system")),
        settle=("--system", "who", "--item", "nr", "--score", "val"),
        settled=RIGHT,
    ),
    Case(
        name="headers that say nothing, with text ids",
        files={"scores.csv": long("a,b,c", rows=[(f"s{k}", s, x) for k, s, x in ROWS])},
        expect=Stop(words=("--system",)),
        settle=("--item", "a", "--system", "b", "--score", "c"),
        settled=RIGHT,
    ),
    Case(
        name="headers of another language",
        files={"scores.csv": long("Satz,System,Wert")},
        expect=RIGHT,
        or_stop=Stop(words=("--item",)),
        settle=("--item", "Satz"),
        settled=RIGHT,
    ),
    Case(
        name="engine for system",
        files={"scores.csv": long("id,engine,score")},
        expect=RIGHT,
        or_stop=Stop(words=("engine", "--system")),
        settle=("--system", "engine"),
        settled=RIGHT,
    ),
    Case(
        name="method for system, with numeric ids",
        files={
            "scores.csv": long("question,method,correct", rows=[(k, s, int(x > 0.55)) for k, s, x in ROWS])
        },
        expect=Ranked(means={"GPT": 0.625, "Llama": 0.625}, segments=8),
        or_stop=Stop(words=("method", "--system")),
        settle=("--item", "question", "--system", "method", "--score", "correct"),
        settled=Ranked(
            means={"GPT": sum(x > 0.55 for x in GPT) / 8, "Llama": sum(x > 0.55 for x in LLAMA) / 8},
            segments=8,
        ),
    ),
    Case(
        name="system and segment swapped",
        files={"scores.csv": long("system,item,score")},
        expect=Stop(words=("--system", "--item")),
        settle=("--system", "item", "--item", "system"),
        settled=RIGHT,
    ),
    Case(
        name="systems that are numbers, as checkpoints",
        files={"scores.csv": long(rows=[(f"s{k}", {"GPT": 1000, "Llama": 2000}[s], x) for k, s, x in ROWS])},
        expect=Ranked(means={"1000": MEANS["GPT"], "2000": MEANS["Llama"]}, segments=8, trusted=True),
    ),
    Case(
        name="a segment twice",
        files={"scores.csv": long(rows=[*ROWS, (3, "GPT", 0.20)])},
        expect=Stop(words=("GPT", "3", "--duplicates")),
    ),
    Case(
        name="every row twice",
        files={"scores.csv": long(rows=[*ROWS, *ROWS])},
        expect=RIGHT,
        or_stop=Stop(words=("--duplicates",)),
    ),
    Case(
        name="three seeds",
        command=("rank", "scores.csv", "--over", "items"),
        files={"scores.csv": long("seed,item,system,score", rows=SEEDS)},
        expect=RIGHT,
    ),
    Case(
        name="one seed of three",
        files={"scores.csv": long("seed,item,system,score", rows=SEEDS)},
        command=("rank", "scores.csv", "--where", "seed=2"),
        expect=TRUSTED,
    ),
    Case(
        name="three runs without a column that tells them apart",
        files={"scores.csv": long(rows=[row[1:] for row in SEEDS])},
        expect=Stop(words=("--run", "--duplicates")),
    ),
    Case(
        name="runs as epochs",
        command=("rank", "scores.csv", "--over", "items"),
        files={"scores.csv": long("epoch,item,system,score", rows=SEEDS)},
        expect=RIGHT,
    ),
    Case(
        name="two language pairs with the same ids",
        files={"scores.csv": long("lp,item,system,score", rows=PAIRS)},
        expect=Stop(words=("lp", "--where"), in_check=False),
        settle=("--where", "lp=en-de"),
        settled=RIGHT,
    ),
    Case(
        name="two language pairs with ids of their own",
        files={"scores.csv": long("lp,item,system,score", rows=DISTINCT)},
        expect=Stop(words=("lp", "--where"), in_check=False),
        settle=("--where", "lp=en-de"),
        settled=RIGHT,
    ),
    Case(
        name="two language pairs by the names of the languages",
        files={
            "scores.csv": long(
                "direction,item,system,score", rows=[(NAMES[lp], *rest) for lp, *rest in DISTINCT]
            )
        },
        expect=Stop(words=("direction", "language pairs", "--where"), in_check=False),
        settle=("--where", "direction=English-German"),
        settled=RIGHT,
    ),
    Case(
        name="a direction that is no language pair",
        files={
            "scores.csv": long(
                "direction,item,system,score",
                rows=[(way, f"{way}{k}", s, x) for way in ("up", "down") for k, s, x in ROWS],
            )
        },
        expect=Ranked(means=MEANS, segments=16),
    ),
    Case(
        name="two target languages with ids of their own",
        files={
            "scores.csv": long(
                "target_lang,item,system,score", rows=[(lp[3:], *rest) for lp, *rest in DISTINCT]
            )
        },
        expect=Stop(words=("target_lang",), in_check=False),
        settle=("--where", "target_lang=de"),
        settled=RIGHT,
    ),
    Case(
        name="two source languages in a wide table without ids",
        files={
            "scores.csv": Columns(
                {"src_lang": ["de"] * 8 + ["fr"] * 8, "GPT": [*GPT, *LLAMA], "Llama": [*LLAMA, *GPT]}
            )
        },
        expect=Stop(words=("src_lang", "--where src_lang=de"), in_check=False),
        settle=("--where", "src_lang=de"),
        settled=RIGHT,
    ),
    Case(
        name="two target languages, both named",
        files={
            "scores.csv": long(
                "target_lang,item,system,score", rows=[(lp[3:], *rest) for lp, *rest in DISTINCT]
            )
        },
        command=("rank", "scores.csv", "--where", "target_lang=de", "--where", "target_lang=fr"),
        expect=Ranked(means={"GPT": 0.5, "Llama": 0.5}, segments=16),
    ),
    *(
        Case(
            name=f"two values of {column} with ids of their own",
            files={"scores.csv": long(f"{column},item,system,score", rows=DISTINCT)},
            expect=Ranked(
                means={"GPT": 0.5, "Llama": 0.5},
                segments=16,
                says=(column, "analyzed together", "use ", "where"),
            ),
        )
        for column in ("language", "lang", "dataset", "task", "subject")
    ),
    Case(
        name="systems of two languages with the same ids",
        files={
            "scores.csv": long(
                "language,item,system,score",
                rows=[("de" if s == "GPT" else "fr", k, s, x) for k, s, x in ROWS],
            )
        },
        expect=Stop(words=("language", "--where", "--ignore language"), in_check=False),
        settle=("--ignore", "language"),
        settled=RIGHT,
    ),
    Case(
        name="one domain for each segment, as a group",
        files={"scores.csv": long("domain,item,system,score", rows=DISTINCT)},
        command=("rank", "scores.csv", "--group", "domain"),
        expect=Ranked(means={"GPT": 0.5, "Llama": 0.5}, segments=16),
    ),
    Case(
        name="a language pair with a blank behind it",
        files={"scores.csv": long("lp,item,system,score", rows=NEARLY)},
        expect=RIGHT,
        or_stop=Stop(words=("en-de",)),
    ),
    Case(
        name="one language pair",
        files={"scores.csv": long("lp,item,system,score", rows=PAIRS[:16])},
        expect=TRUSTED,
    ),
    Case(
        name="a wide table of two language pairs with the same ids",
        files={
            "scores.csv": Columns(
                {
                    "lp": ["en-de"] * 8 + ["en-fr"] * 8,
                    "id": [*ONE_TO_N, *ONE_TO_N],
                    "GPT": [*GPT, *LLAMA],
                    "Llama": [*LLAMA, *GPT],
                }
            )
        },
        expect=Stop(words=(("lp", "--where"),), in_check=False),
        settle=("--where", "lp=en-de"),
        settled=RIGHT,
    ),
    Case(
        name="a segment that one system lacks",
        files={"scores.csv": long(rows=ROWS[:-1])},
        expect=Stop(words=("Llama", "8", "--missing drop")),
        settle=("--missing", "drop"),
        settled=Ranked(
            means={"GPT": (sum(GPT) - GPT[-1]) / 7, "Llama": (sum(LLAMA) - LLAMA[-1]) / 7}, segments=7
        ),
    ),
    Case(
        name="a row without a score",
        files={"scores.csv": long(rows=[*ROWS[:-1], (8, "Llama", "")])},
        expect=Stop(words=("Llama", "8", "--missing drop")),
    ),
    Case(
        name="a row without a system",
        files={"scores.csv": long(rows=[*ROWS, (9, "", 0.5)])},
        expect=Stop(words=("line 18", "system")),
    ),
    Case(
        name="a row without a segment",
        files={"scores.csv": long(rows=[*ROWS, ("", "GPT", 0.5)])},
        expect=Stop(words=("line 18", "segment")),
    ),
    Case(
        name="two judges by name",
        files={"scores.csv": long("item,system,judge,score", rows=JUDGED)},
        expect=Ranked(means=MEANS, segments=8, says=("2 judges",)),
    ),
    Case(
        name="two judges by number",
        files={"scores.csv": long("item,system,rater_id,score", rows=NUMBERED)},
        expect=Ranked(means=MEANS, segments=8, says=("2 judges",)),
    ),
    Case(
        name="judge holds verdicts of 0 and 1",
        files={"scores.csv": long("item,system,judge,human", rows=VERDICTS)},
        expect=Stop(words=("judge",)),
    ),
    Case(
        name="judge holds 0 and 1 beside a score",
        files={"scores.csv": long("item,system,judge,score", rows=VERDICTS)},
        expect=Ranked(means={"GPT": 63.125, "Llama": 58.875}, segments=8, says=("judge",)),
        or_stop=Stop(words=("judge",)),
    ),
    Case(
        name="a numeric rater in a wide table",
        files={
            "scores.csv": Columns(
                {
                    "id": [*ONE_TO_N, *ONE_TO_N],
                    "rater": [1] * 8 + [2] * 8,
                    "GPT": [*GPT, *GPT],
                    "Llama": [*LLAMA, *LLAMA],
                }
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=("rater",)),
    ),
    Case(
        name="documents whose segments are counted anew",
        files={"scores.csv": beside(doc=("a",) * 4 + ("b",) * 4, seg=(1, 2, 3, 4) * 2)},
        expect=Ranked(means=MEANS, segments=8, cells={("GPT", "b:2"): 0.38}, trusted=True),
    ),
    Case(
        name="no segments, but several scores for each system",
        files={"scores.csv": long("system,score", rows=[row[1:] for row in ROWS])},
        expect=Stop(words=("--item",)),
    ),
    Case(
        name="scores of 0 where nothing was produced",
        files={"scores.csv": long(rows=[(k, s, 0 if (k, s) == (4, "Llama") else x) for k, s, x in ROWS])},
        expect=Ranked(means={"GPT": MEANS["GPT"], "Llama": (sum(LLAMA) - LLAMA[3]) / 8}, segments=8),
    ),
)
