"""Which way common metrics point, by the name that people give the column; asked where the name has two readings."""

from __future__ import annotations

from tests.misreading.cases import GPT, LLAMA, MEANS, Case, Columns, Ranked, Stop, long, long_rows

WAYS = ("--lower-is-better", "--higher-is-better")
# Lower is better; GPT has the higher numbers here, so it is the worse system.
LOWER = (
    "TER", "WER", "CER", "perplexity", "loss", "latency", "latency_ms", "response_time", "cost", "toxicity", "FID",
    "Brier", "brier_score", "RMSE", "error_rate", "edit_distance", "hallucination_rate", "ECE", "bits_per_byte",
    "n_errors", "KL_divergence", "false_positive_rate", "bits-per-character", "nats_per_token", "cross_entropy",
    "logloss", "Levenshtein", "FPR", "ms_per_token", "cost_per_query", "hter", "MAE", "miss_rate", "peak_memory_mb",
    "mel_cepstral_distortion", "leakage_rate", "harmful_rate", "PER", "TERp",
)  # fmt: skip
HIGHER = (
    "BLEU", "chrF", "COMET", "accuracy", "F1", "exact_match", "ROUGE-L", "BERTScore", "pass@1", "humaneval_js",
    "character_consistency", "1-TER", "MOS", "win_rate", "nDCG@10", "faithfulness", "COMET-HTER", "reward",
    "word_accuracy", "tokens_per_second", "DA", "error_correction_f0.5", "non_toxicity", "cost_effectiveness",
    "bits_per_second", "levenshtein_ratio", "accuracy_per_class", "invalid_input_detection", "leakage_prevention",
    "emotion_recognition_SER_accuracy", "likelihood_per_byte", "edit_similarity",
)  # fmt: skip


def _case(metric: str, *, higher: bool) -> Case:
    return Case(
        name=f"{metric}: {'higher' if higher else 'lower'} is better",
        files={"scores.csv": long(f"item,system,{metric}")},
        expect=Ranked(means=MEANS, segments=8, higher=higher),
        # A metric with a known name needs no question, and a question is better than a wrong guess.
        or_stop=Stop(words=(metric, *WAYS)),
        settle=(WAYS[higher], metric),
        settled=Ranked(means=MEANS, segments=8, higher=higher),
    )


def _plain(metric: str, *, higher: bool) -> Case:
    """A metric that everybody knows: no question."""
    return Case(
        name=f"{metric} in a file of its name",
        files={f"{metric}.csv": Columns({"id": range(8), "GPT": GPT, "Llama": LLAMA})},
        expect=Ranked(means=MEANS, segments=8, higher=higher, trusted=True),
    )


def _signed(name: str, metric: str, factor: float, *, higher: bool, shift: float = 0.0) -> Case:
    rows = [(k, s, round(factor * x + shift, 4)) for k, s, x in long_rows()]
    return Case(
        name=name,
        files={"scores.csv": long(f"item,system,{metric}", rows=rows)},
        expect=Ranked(
            means={system: factor * mean + shift for system, mean in MEANS.items()}, segments=8, higher=higher
        ),
    )


CASES = (
    *(_case(metric, higher=False) for metric in LOWER),
    *(_case(metric, higher=True) for metric in HIGHER),
    *(_plain(metric, higher=True) for metric in ("BLEU", "COMET", "accuracy")),
    *(_plain(metric, higher=False) for metric in ("TER", "WER", "perplexity")),
    _signed("MQM as negated penalties", "MQM", -10, higher=True),
    _signed("MQM as penalties", "MQM", 5, higher=False),
    Case(
        name="MQM out of 100",
        files={
            "scores.csv": long(
                "item,system,MQM", rows=[(k, s, round(60 + 40 * x, 2)) for k, s, x in long_rows()]
            )
        },
        expect=Ranked(means={name: 60 + 40 * mean for name, mean in MEANS.items()}, segments=8),
        or_stop=Stop(words=("MQM", *WAYS)),
        settle=("--higher-is-better", "MQM"),
        settled=Ranked(means={name: 60 + 40 * mean for name, mean in MEANS.items()}, segments=8),
    ),
    _signed("TER negated", "TER", -1, higher=True),
    _signed("log likelihood below 0", "log_likelihood", -20, higher=True),
    Case(
        name="rank as a metric",
        files={
            "scores.csv": long(
                "item,system,rank", rows=[(k, s, 2 if s == "GPT" else 1) for k, s, _ in long_rows()]
            )
        },
        expect=Ranked(means={"GPT": 2.0, "Llama": 1.0}, segments=8, higher=False),
        or_stop=Stop(words=("rank", *WAYS)),
    ),
    Case(
        name="a file about errors that holds scores",
        files={"error_analysis.csv": Columns({"id": range(8), "GPT": GPT, "Llama": LLAMA})},
        expect=Stop(words=("error_analysis", *WAYS)),
    ),
    Case(
        name="a column of distances of an unknown kind",
        files={"scores.csv": long("item,system,distance")},
        expect=Stop(words=("distance", *WAYS)),
        settle=("--lower-is-better", "distance"),
        settled=Ranked(means=MEANS, segments=8, higher=False),
    ),
    Case(
        name="a direction in the file goes before the name",
        files={
            "scores.csv": long(
                "item,system,score,metric,higher_is_better",
                rows=[(*row, "TER", "true") for row in long_rows()],
            )
        },
        expect=Ranked(means=MEANS, segments=8, higher=True),
    ),
    Case(
        name="the name of a column decides where the metric is called something else",
        files={
            "scores.csv": Columns(
                {"item": [*range(8), *range(8)], "system": ["GPT"] * 8 + ["Llama"] * 8, "TER": [*GPT, *LLAMA]}
            )
        },
        expect=Ranked(means=MEANS, segments=8, higher=False),
    ),
    Case(
        name="a direction of the user goes before the name",
        files={"scores.csv": long("item,system,accuracy")},
        command=("rank", "scores.csv", "--lower-is-better", "accuracy"),
        expect=Ranked(means=MEANS, segments=8, higher=False),
    ),
)
