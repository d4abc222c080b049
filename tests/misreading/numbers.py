"""Cells that are numbers to their author only: commas, percent signs, missing values, grades in words."""

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
    Ranked,
    Stop,
    numbered,
    wide,
)

WITHOUT_FIFTH = Ranked(
    means={
        name: (8 * mean - xs[4]) / 7 for (name, mean), xs in zip(MEANS.items(), (GPT, LLAMA), strict=True)
    },
    segments=7,
)
PASSED = (1, 1, 1, 0, 1, 0, 1, 1)
FEWER = (1, 0, 1, 0, 1, 0, 0, 1)


def _without(cell: str) -> str:
    """The two systems with one cell of GPT replaced, on line 6."""
    return wide().replace("5,0.66,", f"5,{cell},")


def _missing(cell: str) -> tuple[Case, Case]:
    """A missing cell: never 0, never a reason to lose the system; its segment may be left out on demand."""
    called = cell or "an empty cell"
    refused = Stop(words=(("missing", f'"{cell}"'), ("GPT", "line 6")))
    return (
        Case(name=f"missing as {called}", files={"scores.csv": _without(cell)}, expect=refused),
        Case(
            name=f"missing as {called}, to be left out",
            files={"scores.csv": _without(cell)},
            command=("rank", "scores.csv", "--missing", "drop"),
            expect=WITHOUT_FIFTH,
            or_stop=Stop(words=(f'"{cell}"', "line 6")),
        ),
    )


def _cell(name: str, cell: str, *, says: str = "") -> Case:
    """One cell that is not a number: its place is named."""
    return Case(
        name=name,
        files={"scores.csv": _without(cell)},
        expect=Stop(words=(says or cell.strip('"'), "line 6")),
    )


def _words(name: str, yes: str, no: str) -> Case:
    """Right and wrong in words: understood, or asked about; never left out as a column of text."""
    columns = {key: [yes if x else no for x in xs] for key, xs in (("GPT", PASSED), ("Llama", FEWER))}
    return Case(
        name=name,
        files={"scores.csv": Columns({"id": ONE_TO_N, **columns})},
        expect=Ranked(means={"GPT": 0.75, "Llama": 0.5}, segments=8),
        or_stop=Stop(words=(("GPT", f'"{yes}"', "number"),)),
    )


PERCENT = {name: [f"{100 * x:.0f}%" for x in xs] for name, xs in (("GPT", GPT), ("Llama", LLAMA))}
COMMA = "".join(line.replace(",", ";").replace(".", ",") + "\n" for line in wide().splitlines())

CASES = (
    *(
        case
        for cell in ("", "NA", "nan", "NULL", "None", "-", "N/A", "n/a", "#N/A", "?", "missing")
        for case in _missing(cell)
    ),
    Case(
        name="decimal commas between semicolons",
        files={"scores.csv": COMMA},
        expect=RIGHT,
        or_stop=Stop(words=(("comma", "0,71"),)),
    ),
    Case(
        name="decimal commas between tabs",
        files={"scores.tsv": COMMA.replace(";", "\t")},
        expect=RIGHT,
        or_stop=Stop(words=(("comma", "0,71"),)),
    ),
    Case(
        name="decimal commas in quotes",
        files={
            "scores.csv": "".join(
                ",".join(f'"{cell}"' for cell in line.split(";")) + "\n" for line in COMMA.splitlines()
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=(("comma", "0,71"),)),
    ),
    Case(
        name="decimal commas in one column only",
        files={"scores.csv": "id;GPT;Llama\n1;0,71;0.62\n2;0,55;0.58\n3;0,91;0.80\n"},
        expect=Stop(words=(("comma", "0,71"), ("GPT", "line 2"))),
    ),
    Case(
        name="thousands separators",
        files={"scores.csv": 'id,GPT,Llama\n1,"1,234","1,100"\n2,"1,050","1,060"\n3,"2,310","2,000"\n'},
        expect=Stop(words=("1,234",)),
    ),
    Case(
        name="thousands separators in one column",
        files={"scores.csv": 'id,GPT,Llama\n1,"1,234",900\n2,950,960\n3,"2,310",800\n'},
        expect=Stop(words=(("1,234", "GPT"),)),
    ),
    Case(
        name="percent signs in one of two systems",
        files={"scores.csv": Columns({"id": ONE_TO_N, "GPT": PERCENT["GPT"], "Llama": LLAMA})},
        expect=Stop(words=("GPT", ("%", "percent"))),
    ),
    Case(
        name="percent signs in one of three systems",
        files={"scores.csv": numbered(Qwen=PERCENT["GPT"])},
        expect=Stop(words=("Qwen", ("%", "percent"))),
    ),
    Case(
        name="percent signs everywhere",
        files={"scores.csv": Columns({"id": ONE_TO_N, **PERCENT})},
        expect=Ranked(means={name: 100 * mean for name, mean in MEANS.items()}, segments=8),
        or_stop=Stop(words=(("%", "percent"),)),
    ),
    Case(
        name="one system of three is N/A throughout",
        files={"scores.csv": numbered(Qwen=["N/A"] * 8)},
        expect=Ranked(means=MEANS, segments=8, says=("Qwen",)),
        or_stop=Stop(words=("Qwen",)),
    ),
    Case(
        name="one system of three has text in one cell",
        files={"scores.csv": numbered(Qwen=[*GPT[:4], "timeout", *GPT[5:]])},
        expect=Stop(words=(("timeout", "Qwen"), "line 6")),
    ),
    _cell("a fraction", "3/5"),
    _cell("a value with its error", "0.66±0.02"),
    _cell("a value with its error in brackets", "0.66 (0.02)"),
    _cell("an amount of money", "$0.66"),
    _cell("a date made by a spreadsheet", "6-Jun"),
    _cell("an error of a spreadsheet", "#DIV/0!"),
    _cell("an infinite score", "inf"),
    _cell("two points", "0.6.6"),
    _cell("a letter O for a zero", "O.66"),
    _cell("an error message", "ERROR: timeout"),
    Case(
        name="a real minus sign",
        files={"scores.csv": "id,GPT,Llama\n1,\u22120.2,\u22120.3\n2,0.4,0.2\n3,0.5,\u22120.1\n"},
        expect=Ranked(means={"GPT": 0.7 / 3, "Llama": -0.2 / 3}, segments=3),
        or_stop=Stop(words=("line 2",)),
    ),
    Case(
        name="stars for the best score",
        files={"scores.csv": "id,GPT,Llama\n1,0.71*,0.62\n2,0.55,0.58*\n3,0.91*,0.80\n"},
        expect=Stop(words=("line 2", "0.71*")),
    ),
    Case(
        name="bold in Markdown",
        files={"scores.csv": "id,GPT,Llama\n1,**0.71**,0.62\n2,0.55,**0.58**\n3,**0.91**,0.80\n"},
        expect=Stop(words=("line 2", "0.71")),
    ),
    _words("right and wrong as yes and no", "yes", "no"),
    _words("right and wrong as pass and fail", "pass", "fail"),
    _words("right and wrong as correct and incorrect", "correct", "incorrect"),
    _words("right and wrong as C and I", "C", "I"),
    Case(
        name="one system in words, the other in numbers",
        files={
            "scores.csv": Columns(
                {"id": ONE_TO_N, "GPT": ["yes" if x else "no" for x in PASSED], "Llama": FEWER}
            )
        },
        expect=Stop(words=("GPT",)),
    ),
    Case(
        name="numbers as text in a data frame",
        files={
            "scores.csv": Columns(
                {"id": ONE_TO_N, "GPT": [str(x) for x in GPT], "Llama": [str(x) for x in LLAMA]}
            )
        },
        expect=TRUSTED,
    ),
)
