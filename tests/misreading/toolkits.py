"""What evaluation toolkits write: logs of harnesses, outputs of metrics, exports of trackers and arenas."""

from __future__ import annotations

import hashlib
import json

from tests.misreading.cases import GPT, LLAMA, MEANS, ONE_TO_N, RIGHT, Case, Columns, Fought, Ranked, Stop

PASSED = {"GPT": (1, 1, 1, 0, 1, 0, 1, 1), "Llama": (1, 0, 1, 0, 1, 0, 0, 1)}
OF_PASSED = Ranked(means={"GPT": 0.75, "Llama": 0.5}, segments=8)


def _samples(system: str, *, order: tuple[int, ...] = ONE_TO_N, prompt: str = "p") -> str:
    """Samples of the lm-evaluation-harness, a document a line."""
    return "".join(
        json.dumps(
            {
                "doc_id": place, "doc": {"question": f"q{k}"}, "target": "x", "arguments": {}, "resps": [["x"]],
                "filtered_resps": ["x"], "filter": "none", "metrics": ["exact_match"],
                "doc_hash": hashlib.sha256(str(k).encode()).hexdigest(), "prompt_hash": f"{prompt}{k}",
                "target_hash": "t", "exact_match": PASSED[system][k - 1],
            }
        )
        + "\n"
        for place, k in enumerate(order)
    )  # fmt: skip


def _file(system: str) -> str:
    return f"runs/{system}/samples_gsm8k_2026-08-01T10-00-00.123456.jsonl"


def _runs(**more: str) -> dict[str, str]:
    return {_file("GPT"): _samples("GPT"), _file("Llama"): more.get("Llama", _samples("Llama"))}


SCORED = {
    f"out/{system}.txt": [
        {"src": f"s{k}", "mt": "x", "ref": "y", "COMET": x} for k, x in zip(ONE_TO_N, xs, strict=True)
    ]
    for system, xs in (("GPT", GPT), ("Llama", LLAMA))
}
PRINTED = "".join(
    f"out/{system}.txt\tSegment {k}\tscore: {x:.4f}\n"
    for system, xs in (("GPT", GPT), ("Llama", LLAMA))
    for k, x in enumerate(xs)
)
GRADES = [
    {"question_id": 80 + k, "model": system, "judge": ["gpt-4", "single-v1"], "user_prompt": "Hi.",
     "judgment": "Rating", "score": round(10 * x, 1), "turn": 1, "tstamp": 1687222831.5}
    for system, xs in (("GPT", GPT), ("Llama", LLAMA))
    for k, x in zip(ONE_TO_N, xs, strict=True)
]  # fmt: skip
VOTES = (1, 2, 2, 1, 2)
ANNOTATIONS = [
    {"instruction": f"Say {k}.", "output_1": "a", "generator_1": "Llama", "output_2": "b", "generator_2": "GPT",
     "annotator": "judge", "preference": float(vote)}
    for k, vote in enumerate(VOTES)
]  # fmt: skip
ARENA = [
    {"model_a": "Llama", "model_b": "GPT", "winner": f"model_{'ab'[vote - 1]}", "language": "English", "turn": 1,
     "tstamp": 1687222831.5 + k}
    for k, vote in enumerate(VOTES)
]  # fmt: skip
FOUGHT = Fought(wins={("GPT", "Llama"): 3, ("Llama", "GPT"): 2}, best="GPT")


def _jsonl(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


CASES = (
    Case(name="samples of lm-eval", files=_runs(), command=("rank", "runs"), expect=OF_PASSED),
    Case(
        name="samples of lm-eval in another order",
        files=_runs(Llama=_samples("Llama", order=(5, 2, 8, 1, 7, 3, 6, 4))),
        command=("rank", "runs"),
        expect=OF_PASSED,
    ),
    Case(
        name="samples of lm-eval with other prompts",
        files=_runs(Llama=_samples("Llama", prompt="other")),
        command=("rank", "runs"),
        expect=Ranked(means=OF_PASSED.means, segments=8, says=("prompt",)),
        or_stop=Stop(words=("prompt",)),
    ),
    Case(
        name="samples of lm-eval, cut off in one model",
        files=_runs(Llama=_samples("Llama", order=ONE_TO_N[:6])),
        command=("rank", "runs"),
        expect=Stop(words=("Llama", ("missing", "segments", "documents"))),
    ),
    Case(
        name="samples of lm-eval with a group that is not there",
        files=_runs(),
        command=("rank", "runs", "--group", "nosuchcolumn"),
        expect=Stop(words=("nosuchcolumn",), in_check=False),
    ),
    Case(
        name="results of lm-eval instead of samples",
        files={
            "results.json": json.dumps(
                {"results": {"gsm8k": {"acc,none": 0.75, "acc_stderr,none": 0.1}}, "versions": {}}
            )
        },
        expect=Stop(words=("results.json",)),
    ),
    Case(
        name="JSON of COMET",
        files={"comet.json": json.dumps(SCORED)},
        expect=Ranked(means={"GPT": MEANS["GPT"], "Llama": MEANS["Llama"]}, segments=8),
    ),
    Case(name="lines printed by COMET", files={"comet.txt": PRINTED}, expect=RIGHT),
    Case(
        name="scores of whole systems by sacreBLEU",
        files={
            "bleu.json": json.dumps([{"system": "GPT", "BLEU": "42.7"}, {"system": "Llama", "BLEU": "41.8"}])
        },
        expect=Stop(words=("segment",), in_check=False),
    ),
    Case(
        name="a score file of the metrics task",
        files={
            "COMET.seg.score": "".join(
                f"{s}\t{x}\n" for s, xs in (("GPT", GPT), ("Llama", LLAMA)) for x in xs
            )
        },
        expect=RIGHT,
    ),
    Case(
        name="a score file of the metrics task with too few lines",
        files={
            "COMET.seg.score": "".join(
                f"{s}\t{x}\n" for s, xs in (("GPT", GPT), ("Llama", LLAMA[:6])) for x in xs
            )
        },
        expect=Stop(words=("Llama", "6", "8")),
    ),
    Case(
        name="grades of MT-bench",
        files={"gpt-4_single.jsonl": _jsonl(GRADES)},
        expect=Ranked(means={name: 10 * mean for name, mean in MEANS.items()}, segments=8),
    ),
    Case(
        name="grades of MT-bench with a failed answer",
        files={
            "gpt-4_single.jsonl": _jsonl(
                [{**row, "score": -1} if row is GRADES[3] else row for row in GRADES]
            )
        },
        expect=Stop(words=("GPT", "missing")),
    ),
    Case(
        name="annotations of AlpacaEval", files={"annotations.json": json.dumps(ANNOTATIONS)}, expect=FOUGHT
    ),
    Case(name="votes of an arena", files={"votes.jsonl": _jsonl(ARENA)}, expect=FOUGHT),
    Case(name="votes of an arena as a JSON list", files={"votes.json": json.dumps(ARENA)}, expect=FOUGHT),
    Case(
        name="an export of a tracker with minima and maxima",
        files={
            "wandb.csv": Columns(
                {
                    "Step": range(100, 900, 100),
                    "GPT - acc": GPT,
                    "GPT - acc__MIN": GPT,
                    "GPT - acc__MAX": GPT,
                    "Llama - acc": LLAMA,
                    "Llama - acc__MIN": LLAMA,
                    "Llama - acc__MAX": LLAMA,
                }
            )
        },
        expect=Stop(words=(("Step", "__MIN"),)),
    ),
    Case(
        name="results of DeepEval: score, threshold and success of one run",
        files={
            "deepeval.csv": Columns(
                {
                    "test_case": [f"case {k}" for k in ONE_TO_N],
                    "score": GPT,
                    "threshold": [0.5] * 8,
                    "success": [x > 0.5 for x in GPT],
                }
            )
        },
        expect=Stop(words=(("score", "threshold", "success"),)),
    ),
)
