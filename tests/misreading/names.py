"""Names that look alike, human translations among the systems, gold files among the files of systems."""

from __future__ import annotations

from tests.misreading.cases import (
    GPT,
    LLAMA,
    MEANS,
    ONE_TO_N,
    Case,
    Columns,
    Fought,
    Ranked,
    Stop,
    long,
    long_rows,
    wide,
)

SECOND = tuple(round(x - 0.05, 2) for x in LLAMA)
ROWS = long_rows()
ALIKE = (
    "alike",
    "differ only",
    "same but",
    "same name",
    "look like",
    "similar",
    "only in",
    "spelled",
    "spelt",
    "written",
)


def _alike(name: str, one: str, other: str) -> Case:
    """Two systems whose names nearly agree, both complete: ranked with a word, or asked about."""
    return Case(
        name=f"wide with {name}",
        files={"scores.csv": Columns({"id": ONE_TO_N, one: GPT, other: LLAMA, "Llama": SECOND})},
        expect=Ranked(
            means={one: MEANS["GPT"], other: MEANS["Llama"], "Llama": MEANS["Llama"] - 0.05},
            segments=8,
            says=(ALIKE,),
        ),
        or_stop=Stop(words=(one.strip(),)),
    )


def _split(name: str, one: str, other: str) -> Case:
    """One system under two names: never two systems of half the segments."""
    rows = [(k, (one if k < 5 else other) if s == "GPT" else s, x) for k, s, x in ROWS]
    return Case(
        name=f"long with {name}",
        files={"scores.csv": long(rows=rows)},
        expect=Ranked(means={one: MEANS["GPT"], "Llama": MEANS["Llama"]}, segments=8, says=(one,)),
        or_stop=Stop(words=(one, ALIKE)),
    )


def _battles(one: str, other: str) -> str:
    return "model_a,model_b,winner\n" + "".join(
        f"{a},Llama,{won}\n"
        for a, won in (
            (one, "model_a"),
            (one, "model_b"),
            (other, "model_a"),
            (other, "model_b"),
            (one, "model_a"),
        )
    )


QUALITY = {
    "gold": (0.10, 0.40, 0.25, 0.00, 0.60, 0.33, 0.20, 0.15),
    "ours": (0.12, 0.35, 0.30, 0.05, 0.55, 0.30, 0.25, 0.10),
    "base": (0.30, 0.30, 0.20, 0.30, 0.40, 0.35, 0.25, 0.30),
}
HTER = {f"{name}.hter": "".join(f"{x}\n" for x in xs) for name, xs in QUALITY.items()}
TRANSLATIONS = {"id": ONE_TO_N, "GPT": GPT, "Llama": LLAMA}
HUMAN = tuple(round(x + 0.05, 2) for x in GPT)


def _human(name: str) -> Case:
    """A human translation among the systems is ranked like them, and the reader is told."""
    return Case(
        name=f"a human translation called {name}",
        files={"scores.csv": Columns({**TRANSLATIONS, name: HUMAN})},
        expect=Ranked(
            means={**MEANS, name: MEANS["GPT"] + 0.05}, segments=8, says=("human translation", name)
        ),
        or_stop=Stop(words=(name,)),
    )


CASES = (
    _alike("names that differ in case", "GPT-4", "gpt-4"),
    _alike("names that differ in a hyphen and a blank", "GPT-4", "GPT 4"),
    _alike("names with two kinds of hyphens", "GPT-4", "GPT\u20114"),
    _alike("names with and without a blank inside", "GPT 4", "GPT  4"),
    _alike("letters of two alphabets", "GPT-A", "GPT-\u0410"),
    _alike("two forms of one accent", "Qw\u00e9n", "Qwe\u0301n"),
    _split("a name in two cases", "GPT-4", "gpt-4"),
    _split("a name with a blank behind it", "GPT-4", "GPT-4 "),
    _split("two kinds of hyphens", "GPT-4", "GPT\u20114"),
    _split("two forms of one accent", "Qw\u00e9n", "Qwe\u0301n"),
    Case(
        name="battles with a name in two cases",
        files={"battles.csv": _battles("GPT-4", "gpt-4")},
        expect=Fought(
            wins={("GPT-4", "Llama"): 2, ("Llama", "GPT-4"): 1, ("gpt-4", "Llama"): 1, ("Llama", "gpt-4"): 1},
            best="GPT-4",
            says=(ALIKE,),
        ),
        or_stop=Stop(words=("GPT-4", "gpt-4")),
    ),
    Case(
        name="battles with a blank behind a name",
        files={"battles.csv": _battles("GPT-4", "GPT-4 ")},
        expect=Fought(
            wins={
                ("GPT-4", "Llama"): 2,
                ("Llama", "GPT-4"): 1,
                ("GPT-4 ", "Llama"): 1,
                ("Llama", "GPT-4 "): 1,
            },
            best="GPT-4",
            says=(ALIKE,),
        ),
        or_stop=Stop(words=("GPT-4",)),
    ),
    Case(
        name="names that end in different numbers",
        files={"scores.csv": Columns({"id": ONE_TO_N, "run-1": GPT, "run-11": LLAMA})},
        expect=Ranked(means={"run-1": MEANS["GPT"], "run-11": MEANS["Llama"]}, segments=8, quiet=True),
    ),
    Case(
        name="names that begin alike",
        files={"scores.csv": Columns({"id": ONE_TO_N, "Llama 3": GPT, "Llama 3 (70B)": LLAMA})},
        expect=Ranked(
            means={"Llama 3": MEANS["GPT"], "Llama 3 (70B)": MEANS["Llama"]}, segments=8, quiet=True
        ),
    ),
    Case(
        name="versions of one model",
        files={"scores.csv": Columns({"id": ONE_TO_N, "model-v1": GPT, "model-v2": LLAMA})},
        expect=Ranked(means={"model-v1": MEANS["GPT"], "model-v2": MEANS["Llama"]}, segments=8, quiet=True),
    ),
    _human("Human-A.0"),
    _human("refA"),
    Case(
        name="a gold file among predictions, to be ranked",
        files=HTER,
        expect=Stop(words=("gold", "quality"), in_check=False),
    ),
    Case(
        name="a gold file among predictions, in a report",
        files=HTER,
        command=("report", *reversed(HTER), "-o", "out.html"),
        expect=Stop(words=("gold", "quality"), in_check=False),
    ),
    Case(
        name="a gold table among tables of systems",
        files={
            f"{name}.csv": long(
                "item,system,HTER", rows=[(k, name, x) for k, x in zip(ONE_TO_N, xs, strict=True)]
            )
            for name, xs in QUALITY.items()
        },
        expect=Stop(words=("gold",), in_check=False),
    ),
    Case(
        name="a table of gold labels among tables of systems",
        files={
            f"{name}.csv": long(
                "item,system,HTER", rows=[(k, name, x) for k, x in zip(ONE_TO_N, xs, strict=True)]
            )
            for name, xs in {"Gold_Labels": QUALITY["gold"], "ours": QUALITY["ours"]}.items()
        },
        expect=Stop(words=("Gold_Labels",), in_check=False),
    ),
    Case(
        name="a system called Gold-7B among files of systems",
        files={
            f"{name}.csv": long(
                "item,system,COMET", rows=[(k, name, x) for k, x in zip(ONE_TO_N, xs, strict=True)]
            )
            for name, xs in {"Gold-7B": GPT, "ours": LLAMA}.items()
        },
        expect=Ranked(means={"Gold-7B": MEANS["GPT"], "ours": MEANS["Llama"]}, segments=8),
    ),
    Case(
        name="a reference among the systems of a long table",
        files={
            "scores.csv": long(rows=[*ROWS, *((k, "gold", x) for k, x in zip(ONE_TO_N, HUMAN, strict=True))])
        },
        expect=Stop(words=("gold",)),
    ),
    *(
        Case(
            name=f"systems called {one} and {other}, wide",
            files={"scores.csv": Columns({"id": ONE_TO_N, one: GPT, other: LLAMA})},
            expect=Ranked(means={one: MEANS["GPT"], other: MEANS["Llama"]}, segments=8),
            or_stop=Stop(words=(one, ("header", "--keep"))),
        )
        for one, other in (
            ("7", "13"),
            ("3.5", "4.0"),
            ("2024-05-01", "2024-06-01"),
            ("1e3", "1e4"),
            ("70%", "30%"),
        )
    ),
    *(
        Case(
            name=f"systems called {one} and {other}, long",
            files={"scores.csv": long(rows=[(k, {"GPT": one, "Llama": other}[s], x) for k, s, x in ROWS])},
            expect=Ranked(means={one: MEANS["GPT"], other: MEANS["Llama"]}, segments=8),
        )
        for one, other in (
            ("7", "13"),
            ("3.50", "3.5"),
            ("007", "7"),
            ("2024-05-01", "2024-06-01"),
            ("True", "False"),
        )
    ),
    Case(
        name="system names with commas and quotes, wide",
        files={"scores.csv": wide('id,"GPT, large","Llama ""base"""')},
        expect=Ranked(means={"GPT, large": MEANS["GPT"], 'Llama "base"': MEANS["Llama"]}, segments=8),
    ),
    Case(
        name="system names with commas and quotes, long",
        files={
            "scores.csv": long(
                rows=[(k, {"GPT": '"GPT, large"', "Llama": '"Llama ""base"""'}[s], x) for k, s, x in ROWS]
            )
        },
        expect=Ranked(means={"GPT, large": MEANS["GPT"], 'Llama "base"': MEANS["Llama"]}, segments=8),
    ),
    *(
        Case(
            name=f"a system called {name}",
            files={"scores.csv": long(rows=[(k, name if s == "GPT" else s, x) for k, s, x in ROWS])},
            expect=Ranked(means={name: MEANS["GPT"], "Llama": MEANS["Llama"]}, segments=8),
            or_stop=Stop(words=("system", "line 2")),
        )
        for name in ("None", "null", "NA", "nan", "-", "0")
    ),
    Case(
        name="a system whose name has a line break",
        files={"scores.csv": long(rows=[(k, '"GPT\nlarge"' if s == "GPT" else s, x) for k, s, x in ROWS])},
        expect=Ranked(means={"GPT\nlarge": MEANS["GPT"], "Llama": MEANS["Llama"]}, segments=8),
        or_stop=Stop(words=("line 2",)),
    ),
)
