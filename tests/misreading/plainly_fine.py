"""Files that are plainly fine: the right table without a word, however plain or odd their names and numbers are."""

from __future__ import annotations

import gzip
import json

from tests.misreading.cases import (
    GPT,
    LLAMA,
    MEANS,
    META,
    ONE_TO_N,
    PLAIN,
    TRUSTED,
    Agrees,
    Case,
    Columns,
    Fought,
    Ranked,
    beside,
    long,
    long_rows,
    numbered,
    parquet,
    wide,
)


def _called(**names: str) -> Ranked:
    """The two systems under other names."""
    return Ranked(means={names[old]: mean for old, mean in MEANS.items()}, segments=8, quiet=True)


def _scaled(factor: float, shift: float = 0.0) -> tuple[Columns, Ranked]:
    """The same scores on another scale."""
    columns = Columns(
        {
            "id": ONE_TO_N,
            "GPT": [round(factor * x + shift, 8) for x in GPT],
            "Llama": [round(factor * x + shift, 8) for x in LLAMA],
        }
    )
    means = {name: factor * mean + shift for name, mean in MEANS.items()}
    return columns, Ranked(means=means, segments=8, quiet=True)


def _jsonl(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


WIDE = {"id": list(ONE_TO_N), "GPT": list(GPT), "Llama": list(LLAMA)}
LONG = [dict(zip(("item", "system", "score"), row, strict=True)) for row in long_rows()]
SHUFFLED = (5, 2, 8, 1, 7, 3, 6, 4)
RIGHT_WRONG = {"GPT": (1, 1, 1, 0, 1, 0, 1, 1), "Llama": (1, 0, 1, 0, 1, 0, 0, 1)}
BATTLES = (
    ("GPT", "Llama", 0),
    ("Llama", "GPT", 1),
    ("GPT", "Llama", 1),
    ("Llama", "GPT", 0),
    ("GPT", "Llama", 0),
)
"""Left, right, and which of them won; GPT wins three of five."""
GPT_WINS = Fought(wins={("GPT", "Llama"): 3, ("Llama", "GPT"): 2}, best="GPT", trusted=True)


def _battles(header: str, words: tuple[str, str], *, tie: str = "") -> str:
    rows = [header, *(f"{left},{right},{words[won]}" for left, right, won in BATTLES)]
    return "\n".join([*rows, f"GPT,Llama,{tie}"] if tie else rows) + "\n"


def _fine(
    name: str, content: str | bytes | Columns, *, file: str = "scores.csv", expect: Ranked = PLAIN
) -> Case:
    return Case(name=name, files={file: content}, expect=expect)


HUNDRED, OF_HUNDRED = _scaled(100)
NEGATIVE, OF_NEGATIVE = _scaled(1, -1)
CENTRED, OF_CENTRED = _scaled(2, -1.2)
SMALL, OF_SMALL = _scaled(0.001)

CASES = (
    _fine("wide CSV", wide()),
    _fine("wide CSV with columns in a dict or a data frame", numbered()),
    _fine("wide without ids", Columns({"GPT": GPT, "Llama": LLAMA})),
    _fine("wide TSV", wide(separator="\t"), file="scores.tsv"),
    _fine("wide with semicolons", wide(separator=";")),
    _fine("wide with bars", wide(separator="|"), file="scores.txt"),
    _fine("gzip", gzip.compress(wide().encode(), mtime=0), file="scores.csv.gz"),
    _fine(
        "wide JSON lines",
        _jsonl([dict(zip(WIDE, row, strict=True)) for row in zip(*WIDE.values(), strict=True)]),
        file="scores.jsonl",
    ),
    _fine("long JSON lines", _jsonl(LONG), file="scores.jsonl"),
    _fine("wide Parquet", parquet(WIDE), file="scores.parquet"),
    _fine(
        "long Parquet", parquet({key: [row[key] for row in LONG] for key in LONG[0]}), file="scores.parquet"
    ),
    _fine("long", long()),
    _fine("long with segment_id and model", long("segment_id,model,value")),
    _fine("long with question_id and model", long("question_id,model,rating")),
    _fine("long, segment by segment", long(rows=sorted(long_rows(), key=lambda row: row[0]))),
    _fine(
        "long in no order", long(rows=long_rows()[::-3] + long_rows()[::-1][1::3] + long_rows()[::-1][2::3])
    ),
    _fine(
        "long with one metric by name",
        long(rows=[(*row, "COMET") for row in long_rows()], header="item,system,score,metric"),
    ),
    _fine("long with a column that names the metric", long("item,system,accuracy")),
    _fine(
        "long with a domain", long("item,system,score,domain", rows=[(*row, "news") for row in long_rows()])
    ),
    _fine("ids from 0", beside(id=range(8))),
    _fine("ids in no order", beside(id=SHUFFLED)),
    _fine("ids with gaps", beside(id=(3, 4, 9, 11, 20, 21, 40, 77))),
    _fine("ids as text", beside(id=[f"newstest-{i}" for i in ONE_TO_N])),
    _fine("ids with commas in quotes", wide(first=[f'"Berlin, {i}"' for i in ONE_TO_N])),
    _fine("segments in documents", beside(doc=("a",) * 4 + ("b",) * 4, id=ONE_TO_N)),
    _fine(
        "a column of prompts",
        beside(id=ONE_TO_N, prompt=[f"What is {i} + {i}?" for i in ONE_TO_N]),
        expect=TRUSTED,
    ),
    _fine("scores up to 100", HUNDRED, expect=OF_HUNDRED),
    _fine("scores below 0", NEGATIVE, expect=OF_NEGATIVE),
    _fine("scores around 0", CENTRED, expect=OF_CENTRED),
    _fine("scores near 0", SMALL, expect=OF_SMALL),
    _fine("scores as 7.1e-01", wide().replace("0.71", "7.1e-01").replace("0.62", "6.2E-1")),
    _fine(
        "right and wrong as 1 and 0",
        Columns({"id": ONE_TO_N, **RIGHT_WRONG}),
        expect=Ranked(means={"GPT": 0.75, "Llama": 0.5}, segments=8, quiet=True),
    ),
    _fine(
        "right and wrong as True and False",
        Columns({"id": ONE_TO_N, **{name: [bool(x) for x in xs] for name, xs in RIGHT_WRONG.items()}}),
        expect=Ranked(means={"GPT": 0.75, "Llama": 0.5}, segments=8, quiet=True),
    ),
    _fine(
        "right and wrong as TRUE and FALSE of a spreadsheet",
        Columns(
            {"id": ONE_TO_N, **{name: [str(bool(x)).upper() for x in xs] for name, xs in RIGHT_WRONG.items()}}
        ),
        expect=Ranked(means={"GPT": 0.75, "Llama": 0.5}, segments=8, quiet=True),
    ),
    _fine(
        "grades from 1 to 5",
        Columns({"id": ONE_TO_N, "GPT": (5, 4, 5, 3, 4, 2, 5, 4), "Llama": (4, 4, 3, 3, 2, 2, 5, 1)}),
        expect=Ranked(means={"GPT": 4.0, "Llama": 3.0}, segments=8, quiet=True),
    ),
    _fine(
        "one system far better",
        Columns({"id": ONE_TO_N, "GPT": GPT, "Random": [round(x / 20, 4) for x in LLAMA]}),
        expect=Ranked(
            means={"GPT": MEANS["GPT"], "Random": sum(round(x / 20, 4) for x in LLAMA) / 8},
            segments=8,
            quiet=True,
        ),
    ),
    _fine(
        "a system that gets nothing right",
        Columns({"id": ONE_TO_N, "GPT": RIGHT_WRONG["GPT"], "Random": [0] * 8}),
        expect=Ranked(means={"GPT": 0.75, "Random": 0.0}, segments=8, quiet=True),
    ),
    _fine(
        "segments sorted by a system's score",
        Columns(
            {
                "id": ONE_TO_N,
                "GPT": sorted(GPT),
                "Llama": [y for _, y in sorted(zip(GPT, LLAMA, strict=True))],
            }
        ),
    ),
    _fine(
        "twelve systems",
        Columns({"id": ONE_TO_N, **{f"model-{k}": [round(x - k / 50, 2) for x in GPT] for k in range(12)}}),
        expect=Ranked(means={f"model-{k}": MEANS["GPT"] - k / 50 for k in range(12)}, segments=8, quiet=True),
    ),
    _fine(
        "names with blanks and brackets",
        wide("id,GPT 4,Llama 3 (70B)"),
        expect=_called(GPT="GPT 4", Llama="Llama 3 (70B)"),
    ),
    _fine("names with versions", wide("id,gpt-4.1,gpt-4o"), expect=_called(GPT="gpt-4.1", Llama="gpt-4o")),
    _fine(
        "names of other scripts",
        wide("id,Übersetzer,深度求索"),
        expect=_called(GPT="Übersetzer", Llama="深度求索"),
    ),
    _fine(
        "names that contain length, rank and id",
        wide("id,length-penalty-0.8,rank-fusion"),
        expect=_called(GPT="length-penalty-0.8", Llama="rank-fusion"),
    ),
    _fine(
        "names that contain average, human and total",
        wide("id,average-ensemble,human-aligned-7B"),
        expect=_called(GPT="average-ensemble", Llama="human-aligned-7B"),
    ),
    _fine("baseline and ours", wide("id,ours,baseline"), expect=_called(GPT="ours", Llama="baseline")),
    _fine("systems A and B", wide("id,A,B"), expect=_called(GPT="A", Llama="B")),
    _fine("byte order mark", "\ufeff" + wide()),
    _fine("line ends of Windows", wide().replace("\n", "\r\n")),
    _fine("no line end at the end", wide().rstrip("\n")),
    _fine("empty lines at the end", wide() + "\n\n"),
    _fine(
        "every cell in quotes",
        "".join(",".join(f'"{cell}"' for cell in line.split(",")) + "\n" for line in wide().splitlines()),
    ),
    _fine("blanks around cells", wide().replace(",", " , ")),
    _fine("apostrophes in ids", beside(id=[f"it's {i}" for i in ONE_TO_N])),
    _fine(
        "dated versions",
        wide("id,gpt-4-0314,gpt-4-0613"),
        expect=_called(GPT="gpt-4-0314", Llama="gpt-4-0613"),
    ),
    _fine("sizes", wide("id,Llama-7B,Llama-70B"), expect=_called(GPT="Llama-7B", Llama="Llama-70B")),
    _fine("file called results.csv", wide(), file="results.csv"),
    _fine("file called COMET.csv", wide(), file="COMET.csv"),
    Case(
        name="one metric of two, by name",
        files={
            "scores.csv": long("item,system,COMET,BLEU", rows=[(*row, 40 - row[2]) for row in long_rows()])
        },
        command=("rank", "scores.csv", "--metric", "COMET"),
        expect=PLAIN,
    ),
    Case(
        name="one language pair of two, by name",
        expect=TRUSTED,
        files={
            "scores.csv": long(
                "lp,item,system,score",
                rows=[("en-de", *row) for row in long_rows()]
                + [("en-fr", item, system, 1 - score) for item, system, score in long_rows()],
            )
        },
        command=("rank", "scores.csv", "--where", "lp=en-de"),
    ),
    Case(
        name="battles with model_a and model_b",
        files={"battles.csv": _battles("model_a,model_b,winner", ("model_a", "model_b"))},
        expect=GPT_WINS,
    ),
    Case(
        name="battles with left and right",
        files={"battles.csv": _battles("left,right,winner", ("left", "right"))},
        expect=GPT_WINS,
    ),
    Case(
        name="battles with the winner's name",
        files={
            "battles.csv": "model_a,model_b,winner\n"
            + "".join(f"{a},{b},{(a, b)[w]}\n" for a, b, w in BATTLES)
        },
        expect=GPT_WINS,
    ),
    Case(
        name="battles with a tie",
        files={"battles.csv": _battles("model_a,model_b,winner", ("model_a", "model_b"), tie="tie")},
        expect=Fought(wins=GPT_WINS.wins, ties=1, best="GPT", trusted=True),
    ),
    Case(
        name="battles with bad on both sides",
        files={
            "battles.csv": _battles("model_a,model_b,winner", ("model_a", "model_b"), tie="tie (bothbad)")
        },
        expect=Fought(wins=GPT_WINS.wins, ties=1, best="GPT", trusted=True),
    ),
    Case(
        name="battles with chosen and rejected",
        files={
            "battles.csv": "chosen_model,rejected_model\n"
            + "".join(f"{(a, b)[w]},{(a, b)[1 - w]}\n" for a, b, w in BATTLES)
        },
        expect=GPT_WINS,
    ),
    Case(
        name="metrics and human scores in another order",
        files={
            "metrics.csv": long("item,system,COMET"),
            "human.csv": long("item,system,score", rows=[(i, s, 100 * x) for i, s, x in long_rows()][::-1]),
        },
        command=META,
        expect=Agrees(values={"COMET": 1.0}, segments=8),
    ),
)
