"""Columns of numbers that are no systems: lengths, counts, ranks, averages, human scores, other scales."""

from __future__ import annotations

from collections.abc import Sequence

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
)

LENGTHS = (120, 88, 240, 31, 77, 19, 154, 60)
TOKENS = (24.0, 17.0, 51.0, 8.0, 15.0, 5.0, 30.0, 13.0)
SECONDS = (1.24, 0.98, 3.77, 0.61, 1.02, 0.44, 2.90, 1.11)
MILLISECONDS = (1240.5, 980.1, 3770.9, 610.0, 1020.2, 440.7, 2900.3, 1110.6)
COSTS = (0.0021, 0.0017, 0.0050, 0.0006, 0.0014, 0.0004, 0.0031, 0.0012)
RANKS = (1, 2, 1, 2, 1, 2, 1, 2)
AVERAGES = tuple(round((x + y) / 2, 4) for x, y in zip(GPT, LLAMA, strict=True))
TOTALS = tuple(round(x + y, 4) for x, y in zip(GPT, LLAMA, strict=True))
GAPS = tuple(round(x - y, 4) for x, y in zip(GPT, LLAMA, strict=True))
HUMAN = (0.9, 0.5, 1.0, 0.4, 0.8, 0.3, 0.9, 0.7)
PERCENT = tuple(round(100 * x, 1) for x in GPT)


def _other(column: str, values: Sequence[object]) -> Case:
    """A column that by its name is not a system: left out with a word, or asked about."""
    return Case(
        name=column,
        files={"scores.csv": numbered(**{column: values})},
        expect=Ranked(means=MEANS, segments=8, says=(column,)),
        or_stop=Stop(words=(column, "--ignore")),
    )


def _scale(column: str, values: Sequence[object]) -> Case:
    """A column that may be a system by its name, but has another scale than the others."""
    return Case(
        name=f"{column}, by its scale alone",
        files={"scores.csv": numbered(**{column: values})},
        expect=Stop(words=(column, "--ignore")),
        settle=("--ignore", column),
        settled=RIGHT,
    )


CASES = (
    *(_other(name, LENGTHS) for name in ("length", "n_words", "ref_len")),
    *(_other(name, TOKENS) for name in ("n_tokens", "output_tokens")),
    *(_other(name, SECONDS) for name in ("time_s", "latency")),
    _other("latency_ms", MILLISECONDS),
    _other("cost", COSTS),
    _other("rank", RANKS),
    *(_other(name, AVERAGES) for name in ("avg", "mean", "Average")),
    _other("total", TOTALS),
    _other("best", [max(x, y) for x, y in zip(GPT, LLAMA, strict=True)]),
    _other("std", [0.03, 0.01, 0.06, 0.02, 0.08, 0.01, 0.05, 0.01]),
    _other("diff", GAPS),
    *(_other(name, HUMAN) for name in ("human", "gold", "label")),
    *(_other(name, (3, 3, 3, 2, 3, 3, 2, 3)) for name in ("n_judges", "count", "rater")),
    _other("difficulty", (1, 2, 5, 1, 2, 1, 4, 2)),
    _other("temperature", [0.7] * 8),
    _other("is_hard", (0, 0, 1, 0, 1, 0, 1, 0)),
    _other("rating", (5, 3, 5, 2, 4, 2, 4, 3)),
    *(
        Case(
            name=f"the same question of {' '.join((verb, *more))}",
            files={"scores.csv": numbered(weird=LENGTHS)},
            command=(verb, "scores.csv", *more),
            expect=Stop(words=("weird", "--ignore")),
        )
        for verb, more in (
            ("compare", ()),
            ("agree", ()),
            ("diagnose", ()),
            ("convert", ("-o", "tidy.csv")),
            ("report", ("-o", "report.html")),
        )
    ),
    *(_other(name, HUMAN) for name in ("Humans", "human_score", "ground_truth")),
    Case(
        name="a human baseline that is said to be one",
        files={"scores.csv": numbered(human=HUMAN)},
        command=("rank", "scores.csv", "--keep", "human"),
        expect=Ranked(means={**MEANS, "human": sum(HUMAN) / 8}, segments=8, says=("human",)),
    ),
    Case(
        name="HumanEval as the name of a system",
        files={"scores.csv": numbered(HumanEval=AVERAGES[::-1])},
        expect=Ranked(means={**MEANS, "HumanEval": sum(AVERAGES) / 8}, segments=8, trusted=True),
    ),
    _scale("weird", LENGTHS),
    _scale("odd", MILLISECONDS),
    Case(
        name="length and qid before the systems",
        files={"scores.csv": Columns({"qid": ONE_TO_N, "length": LENGTHS, "GPT": GPT, "Llama": LLAMA})},
        expect=Ranked(means=MEANS, segments=8, says=("length",)),
        or_stop=Stop(words=("length", "--ignore")),
        settle=("--item", "qid", "--ignore", "length"),
        settled=RIGHT,
    ),
    Case(
        name="two other columns",
        files={"scores.csv": numbered(length=LENGTHS, latency_ms=MILLISECONDS)},
        expect=Ranked(means=MEANS, segments=8, says=("length", "latency_ms")),
        or_stop=Stop(words=("length", "latency_ms", "--ignore")),
        settle=("--ignore", "length", "--ignore", "latency_ms"),
        settled=RIGHT,
    ),
    Case(
        name="a system that is really called rank",
        files={"scores.csv": Columns({"id": ONE_TO_N, "GPT": GPT, "rank": LLAMA})},
        expect=Stop(words=("rank", "--keep")),
        settle=("--keep", "rank"),
        settled=Ranked(means={"GPT": MEANS["GPT"], "rank": MEANS["Llama"]}, segments=8),
    ),
    Case(
        name="length that is left out by the user",
        files={"scores.csv": numbered(length=LENGTHS)},
        command=("rank", "scores.csv", "--ignore", "length"),
        expect=TRUSTED,
    ),
    Case(
        name="a column to be left out that is not there",
        files={"scores.csv": numbered()},
        command=("rank", "scores.csv", "--ignore", "lenght"),
        expect=Stop(words=("lenght",), in_check=False),
    ),
    Case(
        name="seed, the same on every row",
        files={"scores.csv": numbered(seed=[42] * 8)},
        expect=RIGHT,
        or_stop=Stop(words=("seed", "--ignore")),
    ),
    Case(
        name="one system out of 100, one out of 1",
        files={"scores.csv": Columns({"id": ONE_TO_N, "GPT": PERCENT, "Llama": LLAMA})},
        expect=Stop(words=(("GPT", "Llama"), ("scale", "0 to 1", "between 0 and 1", "100"))),
    ),
    Case(
        name="one of four systems out of 100",
        files={
            "scores.csv": Columns(
                {"id": ONE_TO_N, "GPT": GPT, "Llama": LLAMA, "Qwen": AVERAGES, "Gemma": PERCENT}
            )
        },
        expect=Stop(words=("Gemma", ("scale", "0 to 1", "between 0 and 1", "100"))),
    ),
    Case(
        name="metrics as columns, on two scales",
        files={"scores.csv": Columns({"id": ONE_TO_N, "BLEU": PERCENT, "COMET": LLAMA})},
        expect=Stop(words=(("BLEU", "COMET"),)),
    ),
    Case(
        name="score and passed of one run",
        files={
            "run.csv": Columns({"case_id": ONE_TO_N, "score": GPT, "passed": [int(x > 0.5) for x in GPT]})
        },
        expect=Stop(words=(("score", "passed"),)),
    ),
    Case(
        name="ragas: question, answer and metrics of one run",
        files={
            "ragas.csv": Columns(
                {
                    "question": [f"What is {k}?" for k in ONE_TO_N],
                    "answer": [f"It is {k}." for k in ONE_TO_N],
                    "faithfulness": GPT,
                    "answer_relevancy": LLAMA,
                }
            )
        },
        expect=Stop(words=(("faithfulness", "answer_relevancy"),)),
    ),
    Case(
        name="a system and its length",
        files={"scores.csv": Columns({"id": ONE_TO_N, "GPT": GPT, "GPT_length": LENGTHS})},
        expect=Stop(words=("GPT_length",)),
    ),
    Case(
        name="scores and lengths of both systems",
        files={
            "scores.csv": Columns(
                {
                    "id": ONE_TO_N,
                    "GPT": GPT,
                    "GPT_len": LENGTHS,
                    "Llama": LLAMA,
                    "Llama_len": [k + 9 for k in LENGTHS],
                }
            )
        },
        expect=Ranked(means=MEANS, segments=8, says=("GPT_len", "Llama_len")),
        or_stop=Stop(words=("GPT_len", "Llama_len", "--ignore")),
        settle=("--ignore", "GPT_len", "--ignore", "Llama_len"),
        settled=RIGHT,
    ),
    Case(
        name="domain and language in words",
        files={"scores.csv": numbered(domain=["news"] * 8, lang=["de"] * 8)},
        expect=TRUSTED,
    ),
)
