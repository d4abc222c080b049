"""Tables that are summaries already: pivots, leaderboards, matrices of pairs; and runs and versions in one table."""

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
    long,
    long_rows,
)


def _stop(name: str, content: str | Columns, *words: str | tuple[str, ...], in_check: bool = True) -> Case:
    return Case(name=name, files={"scores.csv": content}, expect=Stop(words=words, in_check=in_check))


def _runs(xs: tuple[float, ...], shift: float) -> list[float]:
    return [round(x + shift, 4) for x in xs]


_FIRST, _SECOND, _THIRD = (1, 2, 1, 1, 2, 1, 3, 1), (2, 1, 2, 3, 1, 3, 1, 2), (3, 3, 3, 2, 3, 2, 2, 3)
_CLASS = (0, 1, 2, 1, 0, 2, 1, 1)

CASES = (
    _stop(
        "a matrix of win rates",
        ",GPT,Llama,Qwen\nGPT,,0.6,0.7\nLlama,0.4,,0.55\nQwen,0.3,0.45,\n",
        "column 1",
    ),
    _stop(
        "a matrix of win rates with a full diagonal",
        "model,GPT,Llama,Qwen\nGPT,0.5,0.6,0.7\nLlama,0.4,0.5,0.55\nQwen,0.3,0.45,0.5\n",
        ("pair", "matrix", "systems", "rows", "system"),
        in_check=False,
    ),
    _stop(
        "a matrix of correlations of metrics",
        "metric,BLEU,COMET,chrF\nBLEU,1,0.6,0.7\nCOMET,0.6,1,0.55\nchrF,0.7,0.55,1\n",
        ("BLEU",),
    ),
    _stop(
        "a leaderboard",
        "model,elo,votes\nGPT,1250,5000\nLlama,1190,4800\nQwen,1100,3000\n",
        "only one score for each system",
        in_check=False,
    ),
    _stop(
        "means and deviations of two metrics",
        "system,BLEU mean,BLEU std,COMET mean,COMET std\nGPT,31.2,0.4,0.81,0.01\nLlama,29.9,0.5,0.79,0.02\n",
        ("system", "row"),
        in_check=False,
    ),
    _stop(
        "a describe table of pandas",
        ",GPT,Llama\ncount,8,8\nmean,0.63,0.59\nstd,0.18,0.14\nmin,0.38,0.4\n25%,0.52,0.5\n50%,0.62,0.59\n75%,0.74,0.65\n"
        "max,0.91,0.8\n",
        "column 1",
    ),
    _stop(
        "scores and deviations of both systems",
        Columns(
            {
                "id": ONE_TO_N,
                "GPT": GPT,
                "GPT_std": [0.03, 0.01, 0.06, 0.02, 0.08, 0.01, 0.05, 0.01],
                "Llama": LLAMA,
                "Llama_std": [0.02, 0.01, 0.05, 0.03, 0.07, 0.02, 0.04, 0.02],
            }
        ),
        "GPT_std",
        "Llama_std",
    ),
    _stop(
        "scores and limits of both systems",
        Columns(
            {
                "id": ONE_TO_N,
                "GPT": GPT,
                "GPT_ci_low": _runs(GPT, -0.05),
                "GPT_ci_high": _runs(GPT, 0.05),
                "Llama": LLAMA,
                "Llama_ci_low": _runs(LLAMA, -0.05),
                "Llama_ci_high": _runs(LLAMA, 0.05),
            }
        ),
        "GPT_ci_low",
    ),
    _stop(
        "scores and ranks of both systems",
        Columns(
            {
                "id": ONE_TO_N,
                "GPT": GPT,
                "Llama": LLAMA,
                "GPT rank": [1 if x > y else 2 for x, y in zip(GPT, LLAMA, strict=True)],
                "Llama rank": [2 if x > y else 1 for x, y in zip(GPT, LLAMA, strict=True)],
            }
        ),
        "GPT rank",
    ),
    Case(
        name="repeated runs below each other in a wide table",
        files={
            "scores.csv": Columns(
                {
                    "run": [1] * 8 + [2] * 8,
                    "id": [*ONE_TO_N, *ONE_TO_N],
                    "GPT": [*GPT, *_runs(GPT, 0.01)],
                    "Llama": [*LLAMA, *_runs(LLAMA, 0.01)],
                }
            )
        },
        expect=Ranked(means={name: mean + 0.005 for name, mean in MEANS.items()}, segments=8, says=("run",)),
    ),
    _stop(
        "development and test set with the same ids",
        Columns(
            {
                "split": ["dev"] * 8 + ["test"] * 8,
                "id": [*ONE_TO_N, *ONE_TO_N],
                "GPT": [*GPT, *LLAMA],
                "Llama": [*LLAMA, *GPT],
            }
        ),
        "split",
        in_check=False,
    ),
    _stop(
        "two versions of each system",
        long(
            "item,system,version,score",
            rows=[(k, s, v, round(x + v / 100, 4)) for v in (1, 2) for k, s, x in long_rows()],
        ),
        "--where",
    ),
    _stop(
        "a score and its maximum",
        long("item,system,points,max_points", rows=[(k, s, round(10 * x), 10) for k, s, x in long_rows()]),
        "max_points",
        in_check=False,
    ),
    Case(
        name="a metric in two spellings",
        files={
            "scores.csv": long(
                "item,system,metric,score",
                rows=[(k, s, "BLEU" if k < 5 else "bleu", x) for k, s, x in long_rows()],
            )
        },
        expect=Stop(words=("BLEU", "bleu"), in_check=False),
    ),
    Case(
        name="language pairs in a column called pair",
        files={
            "scores.csv": long(
                "pair,item,system,score",
                rows=[
                    (p, k, s, round(x - (p == "en-fr") * 0.1, 4))
                    for p in ("en-de", "en-fr")
                    for k, s, x in long_rows()
                ],
            )
        },
        expect=Stop(words=("pair", "--where"), in_check=False),
    ),
    Case(
        name="language pairs in a column called direction, with ids of their own",
        files={
            "scores.csv": long(
                "direction,item,system,score",
                rows=[
                    (p, f"{p}{k}", s, round(x - (p == "en-fr") * 0.1, 4))
                    for p in ("en-de", "en-fr")
                    for k, s, x in long_rows()
                ],
            )
        },
        expect=Ranked(
            means={"GPT": MEANS["GPT"] - 0.05, "Llama": MEANS["Llama"] - 0.05},
            segments=16,
            says=("direction",),
        ),
        or_stop=Stop(words=("direction",), in_check=False),
    ),
    Case(
        name="segments in another order for every system",
        files={"scores.csv": long(rows=[*long_rows()[:8], *reversed(long_rows()[8:])])},
        expect=RIGHT,
    ),
    Case(
        name="segments that count from 0 for one system and from 1 for the other",
        files={"scores.csv": long(rows=[(k - (s == "GPT"), s, x) for k, s, x in long_rows()])},
        expect=Stop(words=(("0", "8"), "--missing drop")),
    ),
    Case(
        name="judges whose names are years",
        files={
            "scores.csv": long(
                "item,system,judge,score",
                rows=[
                    (k, s, j, round(x + (j - 2024.5) / 50, 4))
                    for j in (2024, 2025)
                    for k, s, x in long_rows()
                ],
            )
        },
        expect=Ranked(means=MEANS, segments=8, says=("2 judges",)),
    ),
    Case(
        name="judges whose names are decimal numbers, as versions",
        files={
            "scores.csv": long(
                "item,system,judge,score",
                rows=[(k, s, j, x) for j in ("3.5", "4.0") for k, s, x in long_rows()],
            )
        },
        expect=Ranked(means=MEANS, segments=8, says=("2 judges",)),
        or_stop=Stop(words=("judge",)),
    ),
    Case(
        name="places of systems for every voter",
        files={
            "scores.csv": Columns(
                {"voter": [f"v{k}" for k in ONE_TO_N], "GPT": _FIRST, "Llama": _SECOND, "Qwen": _THIRD}
            )
        },
        expect=Stop(words=("1 to 3", "ranking", ("--lower-is-better", "lower_is_better"))),
        settle=("--lower-is-better", "scores"),
        settled=Ranked(means={"GPT": 1.5, "Llama": 1.875, "Qwen": 2.625}, segments=8, higher=False),
    ),
    _stop(
        "places under names of ranks",
        Columns({"id": ONE_TO_N, "rank_GPT": _FIRST, "rank_Llama": _SECOND, "rank_Qwen": _THIRD}),
        "1 to 3",
        ("--lower-is-better", "lower_is_better"),
    ),
    Case(
        name="grades from 1 to 3 that are no places",
        files={
            "scores.csv": Columns(
                {"id": ONE_TO_N, "GPT": _FIRST, "Llama": _SECOND, "Qwen": (*_THIRD[:-1], _FIRST[-1])}
            )
        },
        expect=Ranked(means={"GPT": 1.5, "Llama": 1.875, "Qwen": 2.375}, segments=8),
    ),
    _stop(
        "repeated runs beside each other",
        Columns({"id": ONE_TO_N, "GPT_run1": GPT, "GPT_run2": GPT, "Llama_run1": LLAMA, "Llama_run2": LLAMA}),
        "repeated runs",
        "GPT",
        "a row for each run",
    ),
    _stop(
        "seeds beside each other",
        Columns({"id": ONE_TO_N, "GPT seed 1": GPT, "GPT seed 2": LLAMA, "Llama seed 1": LLAMA}),
        "repeated runs",
        "GPT",
    ),
    Case(
        name="systems with a version number",
        files={"scores.csv": Columns({"id": ONE_TO_N, "Run-4": GPT, "Trial-2": LLAMA})},
        expect=Ranked(means={"Run-4": 0.63125, "Trial-2": 0.58875}, segments=8),
    ),
    _stop(
        "classes and predictions of them",
        Columns({"id": ONE_TO_N, "label": _CLASS, "GPT": _CLASS[::-1], "Llama": _CLASS}),
        "gold label",
        "write 1 where they are right",
    ),
    _stop(
        "true classes under the name of scikit-learn",
        Columns({"id": ONE_TO_N, "y_true": _CLASS, "GPT": GPT, "Llama": LLAMA}),
        "gold label",
        "y_true",
    ),
    _stop(
        "runs without items",
        "model,run,accuracy\nGPT,1,0.71\nGPT,2,0.73\nLlama,1,0.69\nLlama,2,0.7\n",
        "segments",
    ),
    _stop(
        "samples of a task that are counted",
        "task_id,model,n,c\nHE/0,GPT,10,7\nHE/0,Llama,10,6\nHE/1,GPT,10,2\nHE/1,Llama,10,3\n",
        "segments",
    ),
    _stop(
        "scores out of ten in words",
        long(rows=[(k, s, f"{int(10 * x)}/10") for k, s, x in long_rows()]),
        "not a number",
    ),
    _stop(
        "grades in letters",
        long("item,system,grade", rows=[(k, s, "ABCDF"[int(5 * x)]) for k, s, x in long_rows()]),
        "No column holds scores",
    ),
    _stop(
        "the first three of every judge",
        "judge,first,second,third\n" + "j,GPT,Llama,Qwen\nk,Qwen,GPT,Llama\n" * 4,
        "No reader knows this layout",
    ),
    _stop(
        "a leaderboard with deviations in the cells",
        "model,MMLU,GSM8K\nGPT,71.2 ± 0.4,80.1 ± 0.9\nLlama,65.0 ± 0.4,62.2 ± 1.0\n",
        "No column holds scores",
    ),
    _stop(
        "a leaderboard with an average",
        "model,MMLU,GSM8K,Average\nGPT,71.2,80.1,75.65\nLlama,65.0,62.2,63.6\n",
        "only one score for each system",
        in_check=False,
    ),
    _stop(
        "prompts as a second factor",
        long(
            "item,system,score,prompt",
            rows=[(k, s, x, p) for k, s, x in long_rows() for p in ("short", "long")],
        ),
        "prompt",
    ),
    _stop(
        "temperatures as a second factor",
        long(
            "item,system,score,temperature", rows=[(k, s, x, t) for k, s, x in long_rows() for t in (0, 0.7)]
        ),
        "temperature",
    ),
    Case(
        name="right and wrong as words of a spreadsheet",
        files={
            "scores.csv": Columns(
                {"id": ONE_TO_N, "GPT": ["TRUE"] * 5 + ["FALSE"] * 3, "Llama": ["TRUE"] * 4 + ["FALSE"] * 4}
            )
        },
        expect=Ranked(means={"GPT": 0.625, "Llama": 0.5}, segments=8),
    ),
    _stop(
        "verdicts in words",
        long("item,system,verdict", rows=[(k, s, "good" if x > 0.5 else "bad") for k, s, x in long_rows()]),
        "No column holds scores",
    ),
)
