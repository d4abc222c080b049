"""Tables as spreadsheets export them: totals, units, merged cells, formulas, notes, empty columns and rows."""

from __future__ import annotations

from tests.misreading.cases import (
    GPT,
    LLAMA,
    MEANS,
    ONE_TO_N,
    RIGHT,
    Case,
    Columns,
    Ranked,
    Stop,
    numbered,
    wide,
)

LINES = wide().splitlines(keepends=True)
TOTALS = tuple(round(x + y, 4) for x, y in zip(GPT, LLAMA, strict=True))
SUMS = (8 * MEANS["GPT"], 8 * MEANS["Llama"])
AVERAGES = (MEANS["GPT"], MEANS["Llama"])


def _text(name: str, text: str | bytes, *words: str | tuple[str, ...]) -> Case:
    """The two systems and something more: understood, or refused at its place."""
    return Case(name=name, files={"scores.csv": text}, expect=RIGHT, or_stop=Stop(words=words))


def _stop(name: str, text: str, *words: str | tuple[str, ...]) -> Case:
    return Case(name=name, files={"scores.csv": text}, expect=Stop(words=words))


def _cell(name: str, cell: str) -> Case:
    """One cell that a spreadsheet made, in the place of GPT's fifth score."""
    quoted = f'"{cell}"' if "," in cell else cell
    return _stop(name, wide().replace("5,0.66,", f"5,{quoted},"), cell, "line 6")


def _summed(name: str, *rows: tuple[str, float, float]) -> Case:
    """Rows below the segments that sum them up: left out and counted, or refused."""
    labels = tuple(label for label, _, _ in rows)
    return Case(
        name=name,
        files={"scores.csv": wide() + "".join(f"{label},{x},{y}\n" for label, x, y in rows)},
        expect=Ranked(means=MEANS, segments=8, says=(labels,)),
        or_stop=Stop(words=((*labels, "line 10"),)),
    )


def _beside(name: str, column: str, values: tuple[object, ...]) -> Case:
    """A column that the spreadsheet computed: left out with a word, or asked about."""
    return Case(
        name=name,
        files={"scores.csv": numbered(**{column: values})},
        expect=Ranked(means=MEANS, segments=8, says=(column,)),
        or_stop=Stop(words=(column, "--ignore")),
        settle=("--ignore", column),
        settled=RIGHT,
    )


def _four(name: str, header: str, *, factor: float, words: tuple[str | tuple[str, ...], ...]) -> Case:
    """Two tables side by side."""
    rows = "".join(
        f"{k},{x},{y},,{k},{factor * x:.3f},{factor * y:.3f}\n"
        for k, x, y in zip(ONE_TO_N, GPT, LLAMA, strict=True)
    )
    return _stop(name, f"{header}\n{rows}", *words)


CASES = (
    _summed("mean and standard deviation below", ("Mean", *AVERAGES), ("SD", 0.17, 0.13)),
    _summed("a grand total below", ("Grand Total", *SUMS)),
    _summed("a sum in German below", ("Summe", *SUMS)),
    _summed("an average in German below", ("Mittelwert", *AVERAGES)),
    _summed("an average in French below", ("Moyenne", *AVERAGES)),
    _summed("minimum and maximum below", ("Min", 0.38, 0.40), ("Max", 0.91, 0.80)),
    _summed("wins below", ("wins", 5, 3)),
    Case(
        name="a total after an empty row",
        files={"scores.csv": wide() + f",,\nTotal,{SUMS[0]},{SUMS[1]}\n"},
        expect=Ranked(means=MEANS, segments=8, says=("Total", "empty row")),
    ),
    Case(
        name="an average above the segments",
        files={"scores.csv": LINES[0] + f"Average,{AVERAGES[0]},{AVERAGES[1]}\n" + "".join(LINES[1:])},
        expect=Ranked(means=MEANS, segments=8, says=("Average",)),
        or_stop=Stop(words=("Average",)),
    ),
    Case(
        name="a pivot table with totals of rows and columns",
        files={
            "scores.csv": "Row Labels,GPT,Llama,Grand Total\n"
            + "".join(f"{k},{x},{y},{t}\n" for k, x, y, t in zip(ONE_TO_N, GPT, LLAMA, TOTALS, strict=True))
            + f"Grand Total,{SUMS[0]},{SUMS[1]},{SUMS[0] + SUMS[1]}\n"
        },
        expect=Stop(words=(("Grand Total", "line 10"),)),
    ),
    _beside(
        "a column with the difference",
        "GPT - Llama",
        tuple(round(x - y, 4) for x, y in zip(GPT, LLAMA, strict=True)),
    ),
    _beside("a column called delta", "Δ", tuple(round(x - y, 4) for x, y in zip(GPT, LLAMA, strict=True))),
    _beside("a column of p-values", "p_value", (0.03, 0.2, 0.04, 0.5, 0.01, 0.7, 0.09, 0.33)),
    _beside("a column of sums in German", "Summe", TOTALS),
    _beside("a column of time stamps", "timestamp", tuple(1714550000 + 37 * k * k for k in ONE_TO_N)),
    _beside("a column of years", "year", (2022, 2023, 2024, 2023, 2022, 2024, 2023, 2022)),
    _beside("a column of weights", "weight", (1, 2, 1, 3, 1, 1, 2, 1)),
    _beside("a column of folds", "fold", (0, 1, 2, 3, 0, 1, 2, 3)),
    Case(
        name="percent in the names of the columns",
        files={"scores.csv": wide("id,GPT (%),Llama (%)")},
        expect=Ranked(means={"GPT (%)": MEANS["GPT"], "Llama (%)": MEANS["Llama"]}, segments=8),
    ),
    Case(
        name="a unit behind the score",
        files={
            "scores.csv": Columns(
                {
                    "item": [*ONE_TO_N, *ONE_TO_N],
                    "system": ["GPT"] * 8 + ["Llama"] * 8,
                    "score (0-1)": [*GPT, *LLAMA],
                }
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=("score (0-1)",)),
    ),
    Case(
        name="an arrow down behind the metric",
        files={
            "scores.csv": Columns(
                {
                    "item": [*ONE_TO_N, *ONE_TO_N],
                    "system": ["GPT"] * 8 + ["Llama"] * 8,
                    "quality ↓": [*GPT, *LLAMA],
                }
            )
        },
        expect=Ranked(means=MEANS, segments=8, higher=False),
        or_stop=Stop(words=("quality ↓",)),
    ),
    _text("rows of commas below", wide() + ",,\n,,\n,,\n", "line 10"),
    _text("a row of commas in the middle", "".join([*LINES[:4], ",,\n", *LINES[4:]]), "line 5"),
    Case(
        name="an empty column in the middle",
        files={
            "scores.csv": "id,GPT,,Llama\n"
            + "".join(f"{k},{x},,{y}\n" for k, x, y in zip(ONE_TO_N, GPT, LLAMA, strict=True))
        },
        expect=Ranked(means=MEANS, segments=8, says=("column 3",)),
    ),
    _four("two tables side by side", "id,GPT,Llama,,id,GPT,Llama", factor=0.9, words=(("id", "GPT"),)),
    _four(
        "two tables side by side, of two metrics",
        "id,GPT,Llama,,nr,GPT 2,Llama 2",
        factor=100,
        words=(("nr", "GPT 2"),),
    ),
    _stop(
        "three tables of one header, one below the other",
        "".join([*LINES, *LINES, *LINES]),
        ("line 10", "line 11"),
    ),
    _stop(
        "a second table with other systems, without a blank line",
        "".join([*LINES, "id,Qwen,Gemma\n", *LINES[1:]]),
        ("line 10",),
    ),
    _stop("a note below", wide() + "\nNote: scores are means of three judges\n", ("line 11", "line 10")),
    _stop("a date below", wide() + "Exported 2024-05-01 10:33\n", "line 10"),
    _stop("a date below, as wide as the table", wide() + "Exported 2024-05-01,,\n", ("line 10", "Exported")),
    _stop(
        "the best possible score below the header",
        "".join([LINES[0], "max. points,1,1\n", *LINES[1:]]),
        ("max. points", "line 2"),
    ),
    _cell("an error of a spreadsheet, division by 0", "#DIV/0!"),
    _cell("an error of a spreadsheet, reference", "#REF!"),
    _cell("an error of a spreadsheet, value", "#VALUE!"),
    _cell("a formula", "=AVERAGE(B2:B9)"),
    _cell("a score as text", "'0.66"),
    _cell("a score that became a date", "Jan 66"),
    _cell("a score that became a date with points", "01.02.2024"),
    _cell("points of a maximum", "66/100"),
    _cell("points of a maximum in words", "3 of 5"),
    _cell("stars", "★★★"),
    _cell("a range", "0.6-0.7"),
    _cell("a score and its error", "0.66 ± 0.02"),
    _cell("a score and its interval", "0.66 (0.61-0.71)"),
    _cell("dollars", "$0.66"),
    _cell("a decimal comma in one cell", "0,66"),
    _cell("a blank between thousands", "1 066"),
    _cell("an apostrophe between thousands", "1'066"),
    _stop(
        "German numbers, with points for thousands",
        "id;GPT;Llama\n1;1.234,5;1.100,0\n2;1.050,5;1.060,5\n3;2.310,0;2.000,5\n",
        ("1.234,5", "comma"),
    ),
    Case(
        name="decimal commas with a byte order mark, sep=; and line ends of Windows",
        files={
            "scores.csv": (
                "\ufeffsep=;\r\n" + wide().replace(",", ";").replace(".", ",").replace("\n", "\r\n")
            ).encode()
        },
        expect=RIGHT,
        or_stop=Stop(words=(("sep=", "comma", "line 1"),)),
    ),
    _text(
        "lines that end twice, as old spreadsheets write them",
        wide().replace("\n", "\r\r\n").encode(),
        "line",
    ),
    _text(
        "line ends of Windows, then of Unix",
        "".join(line.replace("\n", "\r\n") if k < 5 else line for k, line in enumerate(LINES)).encode(),
        "line",
    ),
    _text(
        "single quotes around all cells",
        "".join(",".join(f"'{cell}'" for cell in line.strip().split(",")) + "\n" for line in LINES),
        ("line 2", "'"),
    ),
    _text("bars between columns", wide(separator="|"), "scores.csv"),
    _text("blanks behind the commas", wide(separator=", "), "line"),
    Case(
        name="systems only in the first row of each block, as merged cells",
        files={
            "scores.csv": "system,item,score\n"
            + "".join(
                f"{name if k == 1 else ''},{k},{x}\n"
                for name, xs in (("GPT", GPT), ("Llama", LLAMA))
                for k, x in zip(ONE_TO_N, xs, strict=True)
            )
        },
        expect=Stop(words=("line 3", "system")),
    ),
    Case(
        name="segments only in the first row of each pair, as merged cells",
        files={
            "scores.csv": "item,system,score\n"
            + "".join(f"{k},GPT,{x}\n,Llama,{y}\n" for k, x, y in zip(ONE_TO_N, GPT, LLAMA, strict=True))
        },
        expect=Stop(words=("line 3", "segment")),
    ),
    Case(
        name="documents only in the first row of each block, as merged cells",
        files={
            "scores.csv": Columns(
                {"document": ["a", "", "", "", "b", "", "", ""], "id": ONE_TO_N, "GPT": GPT, "Llama": LLAMA}
            )
        },
        expect=Ranked(
            means=MEANS, segments=8, says=("Documents were left out, because some rows have none",)
        ),
    ),
    Case(
        name="true and false in capitals",
        files={
            "scores.csv": Columns(
                {
                    "id": ONE_TO_N,
                    "GPT": ["TRUE" if x > 0.4 else "FALSE" for x in GPT],
                    "Llama": ["TRUE" if x > 0.5 else "FALSE" for x in LLAMA],
                }
            )
        },
        expect=Ranked(
            means={"GPT": sum(x > 0.4 for x in GPT) / 8, "Llama": sum(x > 0.5 for x in LLAMA) / 8}, segments=8
        ),
        or_stop=Stop(words=("TRUE",)),
    ),
    Case(
        name="grades as letters",
        files={"scores.csv": Columns({"id": ONE_TO_N, "GPT": list("ABACBDAB"), "Llama": list("BBACBDBB")})},
        expect=Stop(words=(("GPT", "number"),)),
    ),
    Case(
        name="dates as segments",
        files={"scores.csv": wide(first=[f"2024-05-{k:02}" for k in ONE_TO_N])},
        expect=RIGHT,
    ),
)
