"""Tables of another shape: turned, without a header, two in one file, with footers, comments or index columns."""

from __future__ import annotations

from tests.misreading.cases import (
    GPT,
    LLAMA,
    MEANS,
    ONE_TO_N,
    PLAIN,
    RIGHT,
    TRUSTED,
    Case,
    Columns,
    Ranked,
    Stop,
    beside,
    long,
    numbered,
    wide,
)

LINES = wide().splitlines(keepends=True)
TURN = (
    "transpose",
    "row for each system",
    "rows are systems",
    "one row a system",
    "systems are in rows",
    "each row may be a system",
    "turn",
)
HEADER = ("header",)


def turned(corner: str, ids: tuple[object, ...] = ONE_TO_N) -> str:
    """Return the table turned round: a row for each system."""
    rows = ((corner, *ids), ("GPT", *GPT), ("Llama", *LLAMA))
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def _turned(name: str, corner: str, *, ids: tuple[object, ...] = ONE_TO_N) -> Case:
    text = turned(corner, ids)
    return Case(name=name, files={"scores.csv": text}, expect=RIGHT, or_stop=Stop(words=(TURN,)))


def _footer(label: str, *, what: str = "") -> Case:
    """A last row that sums up the others: left out and counted, or refused."""
    return Case(
        name=f"last row {label or 'without a label'}{what}",
        files={"scores.csv": wide() + f"{label},{MEANS['GPT']},{MEANS['Llama']}\n"},
        expect=Ranked(means=MEANS, segments=8, says=(label or "row",)),
        or_stop=Stop(words=(label or "line 10",)),
    )


CASES = (
    _turned("transposed with system", "system"),
    _turned("transposed with model and text ids", "model", ids=tuple(f"seg{k}" for k in ONE_TO_N)),
    Case(
        name="transposed with an empty corner",
        files={"scores.csv": turned("")},
        expect=RIGHT,
        or_stop=Stop(words=((*TURN, "column 1"),)),
    ),
    _turned("transposed with id", "id", ids=tuple(f"q{k}" for k in ONE_TO_N)),
    Case(
        name="transposed with an average at the end",
        files={
            "scores.csv": f"system,1,2,3,avg\nGPT,{GPT[0]},{GPT[1]},{GPT[2]},0.72\nLlama,0.62,0.58,0.8,0.67\n"
        },
        expect=Stop(words=((*TURN, "avg"), "--ignore avg")),
        settle=("--ignore", "avg"),
        settled=Ranked(means={"GPT": sum(GPT[:3]) / 3, "Llama": sum(LLAMA[:3]) / 3}, segments=3),
    ),
    Case(
        name="transposed with a text and a count beside the segments",
        files={
            "scores.csv": "model,maker,n,q1,q2,q3\n"
            + "".join(f"{s},x,3,{a},{b},{c}\n" for s, (a, b, c) in (("GPT", GPT[:3]), ("Llama", LLAMA[:3])))
        },
        expect=Stop(words=("maker", "--ignore maker --ignore n")),
        settle=("--ignore", "maker", "--ignore", "n"),
        settled=Ranked(means={"GPT": sum(GPT[:3]) / 3, "Llama": sum(LLAMA[:3]) / 3}, segments=3),
    ),
    Case(
        name="no header, numbers only",
        files={"scores.csv": "".join(f"{x},{y}\n" for x, y in zip(GPT, LLAMA, strict=True))},
        expect=Stop(words=HEADER),
    ),
    Case(name="no header, numeric ids", files={"scores.csv": "".join(LINES[1:])}, expect=Stop(words=HEADER)),
    Case(
        name="no header, text ids",
        files={"scores.csv": "".join(f"s{line}" for line in LINES[1:])},
        expect=Stop(words=HEADER),
    ),
    Case(
        name="no header, text ids, tabs",
        files={"scores.tsv": "".join(f"s{line}" for line in LINES[1:]).replace(",", "\t")},
        expect=Stop(words=HEADER),
    ),
    Case(name="no header, long", files={"scores.csv": long().partition("\n")[2]}, expect=Stop(words=HEADER)),
    Case(
        name="no header, battles",
        files={"battles.csv": "GPT,Llama,model_a\nLlama,GPT,model_a\nGPT,Llama,model_a\n"},
        expect=Stop(words=(("header", "column"),)),
        matches=True,
    ),
    Case(
        name="checkpoints as names of systems",
        files={"scores.csv": wide("item,1000,2000")},
        expect=Ranked(means={"1000": MEANS["GPT"], "2000": MEANS["Llama"]}, segments=8, trusted=True),
        or_stop=Stop(words=(HEADER,)),
    ),
    Case(
        name="header again in the middle",
        files={"scores.csv": "".join([*LINES[:5], LINES[0], *LINES[5:]])},
        expect=RIGHT,
        or_stop=Stop(words=("line 6",)),
    ),
    Case(
        name="header again in the middle of a long table",
        files={
            "scores.csv": "".join(
                [
                    *long().splitlines(keepends=True)[:9],
                    *long().splitlines(keepends=True)[:1],
                    *long().splitlines(keepends=True)[9:],
                ]
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=("line 10",)),
    ),
    Case(
        name="header again in the middle of battles",
        files={
            "battles.csv": "model_a,model_b,winner\nGPT,Llama,model_a\nGPT,Llama,model_b\nmodel_a,model_b,winner\n"
            "GPT,Llama,model_a\n"
        },
        expect=Stop(words=(("winner", "line 4"),)),
        matches=True,
    ),
    Case(
        name="two tables with a blank line between",
        files={"scores.csv": wide() + "\n" + wide("id,Qwen,Gemma")},
        expect=Stop(words=(("line 11", "line 10"),)),
    ),
    Case(
        name="two tables of different widths",
        files={"scores.csv": wide() + "\nsystem,mean\nGPT,0.63\nLlama,0.59\n"},
        expect=Stop(words=(("line 11", "line 10"),)),
    ),
    Case(
        name="a title above the header",
        files={"scores.csv": "Results of run 12\n" + wide()},
        expect=RIGHT,
        or_stop=Stop(words=(("line 1", "line 2", "header"),)),
    ),
    Case(
        name="a title with commas above the header",
        files={"scores.csv": "Results of run 12,,\n" + wide()},
        expect=RIGHT,
        or_stop=Stop(words=(("line 1", "line 2", "header", "without a name", "no name"),)),
    ),
    Case(
        name="comments above the header",
        files={"scores.csv": "# made by eval.py\n# seed 42\n" + wide()},
        expect=RIGHT,
        or_stop=Stop(words=(("line 1", "line 2", "line 3", "#", "comment", "header"),)),
    ),
    Case(
        name="a comment below the table",
        files={"scores.csv": wide() + "# 8 segments\n"},
        expect=RIGHT,
        or_stop=Stop(words=("line 10",)),
    ),
    Case(
        name="a row of units below the header",
        files={"scores.csv": "".join([LINES[0], "-,0-1,0-1\n", *LINES[1:]])},
        expect=Stop(words=(("line 2", "0-1"),)),
    ),
    *(_footer(label) for label in ("AVG", "Average", "mean", "Total", "overall", "")),
    _footer("ALL"),
    Case(
        name="last row of sums",
        files={"scores.csv": wide() + f"Sum,{8 * MEANS['GPT']},{8 * MEANS['Llama']}\n"},
        expect=Ranked(means=MEANS, segments=8, says=("Sum",)),
        or_stop=Stop(words=("Sum",)),
    ),
    Case(
        name="rows of a summary only",
        files={
            "scores.csv": "index,GPT,Llama\ncount,8.0,8.0\nmean,0.63,0.59\nstd,0.17,0.13\nmin,0.38,0.40\n"
            "50%,0.63,0.59\nmax,0.91,0.80\n"
        },
        expect=Stop(words=(("mean", "count"),)),
    ),
    Case(
        name="long with a row for the average of each system",
        files={"scores.csv": long() + f"AVG,GPT,{MEANS['GPT']}\nAVG,Llama,{MEANS['Llama']}\n"},
        expect=Ranked(means=MEANS, segments=8, says=("AVG",)),
        or_stop=Stop(words=("AVG",)),
    ),
    Case(
        name="one row for each system",
        files={"scores.csv": "system,BLEU,COMET\nGPT,31.5,0.84\nLlama,30.2,0.81\nQwen,29.9,0.80\n"},
        expect=Stop(words=(("segment", "one score"),), in_check=False),
    ),
    Case(
        name="index column of pandas",
        files={"scores.csv": wide(",GPT,Llama", first=range(8))},
        expect=TRUSTED,
    ),
    Case(
        name="index column called Unnamed: 0",
        files={"scores.csv": beside(**{"Unnamed: 0": range(8)})},
        expect=TRUSTED,
    ),
    Case(
        name="index column beside an id",
        files={"scores.csv": Columns({"Unnamed: 0": range(8), "id": ONE_TO_N, "GPT": GPT, "Llama": LLAMA})},
        expect=TRUSTED,
    ),
    Case(
        name="index column of filtered rows",
        files={"scores.csv": wide(",GPT,Llama", first=(0, 3, 4, 9, 12, 13, 20, 31))},
        expect=RIGHT,
        or_stop=Stop(words=("column",)),
    ),
    Case(
        name="two index columns of pandas",
        files={
            "scores.csv": Columns(
                {"Unnamed: 0.1": range(8), "Unnamed: 0": range(8), "GPT": GPT, "Llama": LLAMA}
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=("Unnamed",)),
    ),
    Case(
        name="level_0 of reset_index",
        files={"scores.csv": beside(level_0=range(8), id=ONE_TO_N)},
        expect=RIGHT,
        or_stop=Stop(words=("level_0",)),
    ),
    Case(
        name="two header rows of pandas",
        files={
            "scores.csv": ",GPT,GPT,Llama,Llama\n,BLEU,COMET,BLEU,COMET\nid,,,,\n"
            "1,31.0,0.71,30.1,0.62\n2,28.2,0.55,29.5,0.58\n3,40.2,0.91,37.7,0.80\n"
        },
        expect=Stop(words=(("GPT", "header"),)),
    ),
    Case(
        name="system and metric in one name",
        files={
            "scores.csv": Columns(
                {
                    "id": (1, 2, 3),
                    "GPT_bleu": (31.0, 28.2, 40.2),
                    "GPT_comet": (0.71, 0.55, 0.91),
                    "Llama_bleu": (30.1, 29.5, 37.7),
                    "Llama_comet": (0.62, 0.58, 0.80),
                }
            )
        },
        expect=Stop(words=(("GPT_bleu", "GPT_comet"),)),
    ),
    Case(
        name="two columns of one name",
        files={"scores.csv": "id,GPT,GPT\n1,0.7,0.6\n2,0.5,0.6\n"},
        expect=Stop(words=("GPT",)),
    ),
    Case(
        name="a column without a name",
        files={"scores.csv": "id,GPT,,Llama\n1,0.7,0.5,0.6\n2,0.5,0.4,0.6\n"},
        expect=Stop(words=("name",)),
    ),
    Case(
        name="trailing separators on every line",
        files={"scores.csv": wide().replace("\n", ",\n")},
        expect=TRUSTED,
    ),
    Case(
        name="trailing separators on the rows only",
        files={"scores.csv": LINES[0] + "".join(LINES[1:]).replace("\n", ",\n")},
        expect=RIGHT,
        or_stop=Stop(words=("line 2",)),
    ),
    Case(
        name="a short row",
        files={"scores.csv": "".join([*LINES[:4], "4,0.43\n", *LINES[5:]])},
        expect=Stop(words=("line 5",)),
    ),
    Case(
        name="blank lines between rows",
        files={"scores.csv": "".join([*LINES[:4], "\n", *LINES[4:]])},
        expect=PLAIN,
    ),
    Case(
        name="columns lined up with blanks",
        files={"scores.txt": wide().replace(",", "   ")},
        expect=RIGHT,
        or_stop=Stop(words=("scores.txt",), in_check=False),
    ),
    Case(
        name="a table of Markdown",
        files={
            "scores.md": "| id | GPT | Llama |\n|---|---|---|\n"
            + "".join(f"| {k} | {x} | {y} |\n" for k, x, y in zip(ONE_TO_N, GPT, LLAMA, strict=True))
        },
        expect=RIGHT,
        or_stop=Stop(words=(("scores.md",),)),
    ),
    Case(
        name="a first line sep=; of a spreadsheet",
        files={"scores.csv": "sep=;\n" + wide(separator=";")},
        expect=RIGHT,
        or_stop=Stop(words=(("line 1", "line 2", "sep=", "header"),)),
    ),
    Case(
        name="blanks around the names in the header",
        files={"scores.csv": wide("id, GPT , Llama")},
        expect=RIGHT,
    ),
    Case(
        name="a column of numbers that is empty",
        files={"scores.csv": numbered(Qwen=[""] * 8)},
        expect=Ranked(means=MEANS, segments=8, says=("Qwen",)),
        or_stop=Stop(words=("Qwen",)),
    ),
)
