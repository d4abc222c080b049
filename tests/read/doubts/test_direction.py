"""Which way a metric points, by its name and values, and what is said where neither tells."""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.messages import Option
from betterthan.read.plausibility.direction import direction
from betterthan.read.protocol import Options

VALUES = np.array([[0.1, 0.4], [0.3, 0.2]])

LOWER = """
TER|WER|CER|HTER|EER|sacreTER|TER-refA|WER_librispeech|ter.tsv|CharacTER|EED|JS_1|JS_2|JSD|js-2|KL divergence|
JS divergence|FID|fid_coco|KID|FAD|LPIPS|Brier|brier_score|ECE|calibration error|expected_calibration_error|RMSE|MAE|
MSE|NRMSE|MAPE|perplexity|ppl|word_perplexity|NLL|negative log likelihood|bits_per_byte loss|loss|val_loss|test/loss|
error|errors|error_rate|Error Rate|number of errors|word error rate|equal_error_rate|edit distance|levenshtein_distance|
cosine distance|Frechet distance|latency|latency_ms|latency_p95|mean latency|inference_latency_seconds|runtime|delay|
duration_s|time|time_s|response time|time_to_first_token|seconds|seconds_per_token|cost|cost_usd|total_cost|
cost per 1k tokens|price|toxicity|toxicity_score|max_toxicity|bias|gender_bias|hallucination_rate|hallucinations|
false positive rate|false_negative_rate|penalty|failure_rate|violations|regret|risk|repetition|attack_success_rate|
self-BLEU|1-accuracy|1 - BLEU|inverse_accuracy|
accuracy_inv|one minus F1|mt edits|untranslated
"""

HIGHER = """
BLEU|sacreBLEU|chrF|chrF++|COMET|COMET-22|wmt22-comet-da|COMET-HTER|COMET-MQM|COMET-MQM_2021|XCOMET-XXL|BLEURT-20|
bleurt-combi|CometKiwi|OpenKiwi-XLMR|BERTScore|YiSi-1|YiSi-2|Yisi-combi|parbleu|parchrf++|
SWSS+METEOR|BAQ_dyn|BAQ_static|prism|esim|MEE|RoBLEURT|UniTE|MATESE|S3_pyr|ROUGE_1|ROUGE-L|ROUGE-WE|MoverScore|BLANC|
accuracy|acc|acc_norm|exact_match|exactMatch|em|F1|f1_macro|token_f1|F-measure|precision|recall|AUC|AUROC|mrr|
mean_reciprocal_rank|reciprocal rank|ndcg@10|pass@1|humaneval|humaneval_js|multipl-e_js|character_consistency|
character knowledge|mc1|mc2|1-TER|1 - WER|1−HTER|inverse_latency|wer_inverse|loss_neg|TER inverted|
inverse cost|neg_loss|negative perplexity|
error-free rate|error_free|
cost_effectiveness|cost reduction|time_saved|error_detection|error_detection_f1|toxicity_detection|
hallucination_detection_accuracy|non_toxicity|non-hallucination rate|loss_weighted_accuracy|accuracy_over_time|
accuracy_on_toxicity|tokens_per_second|tokens/s throughput|requests per second|speed|throughput|win_loss_ratio|
win rate|log_likelihood|score|human|DA|raw|z|z_mean|esa_score|rating|adequacy|fluency|quality|helpfulness|JSON_valid|
adjs|deterministic|terminology|internal|water|cereal|pyramid|responsiveness|Elo|correlation|rank correlation|kappa|
alerts|commercial|interest|timeliness|lossless|terse|biased_qa|mistral-7b|gpt-4|Total-7B|safety|robustness
"""

UNCLEAR = """
distance|semantic_gap|rank|avg_rank|refusal_rate|entropy|delta|difference|bias_bbq|
time_series|error_en_de|BLEU loss|accuracy drop|cost_model|prices_qa
"""


def names(text):
    """The names of a list."""
    return [name.strip() for name in text.replace("\n", "").split("|")]


def test_the_lists_are_long():
    """Enough names to catch substrings: at least 120 are needed."""
    assert len({*names(LOWER), *names(HIGHER), *names(UNCLEAR)}) >= 235


@pytest.mark.parametrize("name", names(LOWER))
def test_less_is_better(name):
    """Error rates, costs, distances from what is right; the choice is told, with the flag that turns it."""
    found = direction(name, VALUES, Options())
    assert not found.higher_is_better
    assert not found.doubt
    assert "If not, use lower_is_better=False." in found.note
    assert found.note.options == (Option("higher_is_better", name),)


@pytest.mark.parametrize("name", names(HIGHER))
def test_more_is_better(name):
    """Only whole words count, and the last one says what is measured; nothing is doubted."""
    found = direction(name, VALUES, Options())
    assert found.higher_is_better
    assert not found.doubt


@pytest.mark.parametrize("name", names(UNCLEAR))
def test_some_names_say_neither(name):
    """Both readings are named with the options that settle it; either option does."""
    found = direction(name, VALUES, Options())
    assert found.doubt.options == (Option("lower_is_better", name), Option("higher_is_better", name))
    for told, higher in ((Options(lower_is_better={name}), False), (Options(higher_is_better={name}), True)):
        assert direction(name, VALUES, told) == (higher, None, "")


MARKS = [92.0, 88.5, 100.0, 61.0]
BY_VALUES = {
    "penalties": ("MQM", [0.0, 1.0, 5.0, 25.0], False),
    "negated penalties": ("MQM", [0.0, -1.0, -5.0, -25.0], True),
    "sums of penalties": ("MQM", [210.0, 340.0, 95.0], False),
    "scores out of 100": ("MQM", MARKS, True),
    "both signs": ("MQM", [-0.4, 0.8, 1.1], None),
    "penalties or scores": ("MQM", [30.0, 45.0, 60.0], None),
    "penalties or scores out of 1": ("mqm_score", [0.9, 0.8, 1.0, 0.2], None),
    "perfect": ("MQM", [0.0, 0.0], True),
    "MetricX beyond 0": ("MetricX-24", [-3.0, -1.0, 0.01], True),
    "MetricX": ("MetricX-24", [3.0, 1.0, 0.1], False),
    "error rates negated": ("TER", [-0.4, -0.1, 0.0], True),
    "error rates of both signs": ("TER", [-0.4, 0.1], None),
    "signed errors": ("error", [-3.0, 2.0], None),
    "signed bias": ("bias", [-0.3, 0.2], None),
    "loss of both signs": ("loss", [-1.0, 0.5], False),
    "negated accuracy": ("accuracy", [-0.4, -0.9], None),
    "negated BLEU": ("BLEU", [-30.0, 0.0], None),
    "learned metrics below 0": ("COMET", [-0.4, -0.9], True),
    "log-likelihoods": ("log_likelihood", [-4.0, -9.0], True),
}


@pytest.mark.parametrize(("name", "values", "higher"), BY_VALUES.values(), ids=BY_VALUES)
def test_values_matter(name, values, higher):
    """Signs and ranges decide about MQM, and contradict a name; None is a doubt."""
    found = direction(name, np.array(values), Options())
    assert bool(found.doubt) == (higher is None)
    assert higher is None or found.higher_is_better is higher


def test_ranks_of_systems_are_known_by_their_values():
    """Ranks among the systems of the table, tied ones too; grades from 1 to 5 may point either way."""
    for ranks in ([[1, 2, 1], [2, 1, 3], [3, 3, 2]], [[1.5, 1], [1.5, 2]]):
        assert direction("rank", np.array(ranks, dtype=float), Options()).higher_is_better is False
    assert direction("rank", np.array([[1.0, 5.0], [4.0, 3.0]]), Options()).doubt
    assert direction("rank", np.array([1.0, 2.0]), Options()).doubt


TWO = {
    "item": [1, 1, 2, 2, 3, 3],
    "system": list("ABABAB"),
    "distance": [0.1, 0.2, 0.3, 0.4, 0.1, 0.3],
    "BLEU": [1.0, 2.0, 3.0, 4.0, 2.0, 5.0],
}


def test_a_doubt_stops_whoever_needs_the_direction():
    """Not the reading, and not the use of another metric of the same table."""
    found = bt.read_metrics(TWO)
    assert bt.rank(found["BLEU"]).systems[0] == "B"
    for verb in (bt.rank, bt.compare, bt.rank_ratings):
        with pytest.raises(ReadError, match=r"direction of .distance. is not clear") as error:
            verb(found["distance"])
        assert error.value.code == "BT220"
    turned = bt.read_metrics(TWO, lower_is_better=["distance"])["distance"]
    assert bt.rank(turned).systems[0] == "A"


def test_check_shows_every_direction_and_the_doubt():
    """Of scores and of single judgments."""
    found = bt.check(TWO)
    assert found.contents[0].endswith("direction not clear")
    assert found.contents[1].endswith("higher is better")
    assert [problem.code for problem in found.problems] == ["BT220"]
    judged = bt.check(
        {**{name: TWO[name] for name in ("item", "system")}, "rater": list("xxxyyy"), "TER": [3.0] * 6}
    )
    assert judged.contents == ('ratings "TER": 6 of 2 systems × 3 segments by 2 judges, lower is better',)


def test_a_doubtful_direction_is_not_written_down(tmp_path):
    """Whoever reads the file would believe the column higher_is_better."""
    table = bt.read_metrics(TWO)["distance"]
    with pytest.raises(ReadError, match="not clear"):
        bt.write_table(table, tmp_path / "out.csv")


@pytest.mark.parametrize("by", ["mean", "median", "win_rate", "bradley_terry"])
def test_the_first_line_says_the_direction(by):
    """Of every ranking, whatever it is made by, and of every table of pairs."""
    scores = bt.read_scores({"A": [1.0, 2.0, 3.0, 5.0], "B": [2.0, 1.0, 4.0, 6.0]}, name="FID")
    assert str(bt.rank(scores, by=by)).lstrip().splitlines()[0].count("FID, lower is better") == 1
    assert "FID, lower is better" in str(bt.compare(scores)).lstrip().splitlines()[0]


def test_what_the_user_says_goes_before():
    """For one metric of several."""
    columns = {
        "item": [1, 1, 2, 2],
        "system": list("ABAB"),
        "JS_1": [0.1, 0.2, 0.3, 0.4],
        "BLEU": [1, 2, 3, 4],
    }
    found = bt.read_metrics(columns)
    assert [table.higher_is_better for table in found.values()] == [False, True]
    assert all(table.higher_is_better for table in bt.read_metrics(columns, lower_is_better=False).values())


@pytest.mark.parametrize(
    ("name", "higher"), [("en-de.hter.tsv", False), ("hter_gold.tsv", False), ("da.tsv", True)]
)
def test_sentence_scores_follow_the_name_of_their_file(tmp_path, name, higher):
    """HTER is lower-is-better, DA higher; both are told and can be overridden."""
    path = tmp_path / name
    rows = "".join(f"en-de\tA\t{i}\t{i / 4}\n" for i in range(4))
    path.write_text(f"lp\tname\tsid\tscore\n{rows}")
    scores = bt.read_scores(path)
    assert scores.higher_is_better is higher
    assert any(f"use lower_is_better={higher}" in note for note in scores.notes)
    turned = bt.read_scores(path, lower_is_better=higher)
    assert turned.higher_is_better is not higher


def test_every_number_from_1_to_m_once_may_be_places():
    """Of every complete segment; scores do not do so by chance."""
    places = np.argsort(np.random.default_rng(1).random((4, 30)), axis=0) + 1.0
    found = direction("votes", places, Options())
    assert "every number from 1 to 4 once" in found.doubt
    assert not direction("votes", places, Options(lower_is_better=("votes",))).doubt
    places[:, 3] = np.nan
    assert direction("votes", places, Options()).doubt
    places[:, 20] = [1, 1, 2, 3]
    assert not direction("votes", places, Options()).doubt
    assert not direction("votes", places[:, :4], Options()).doubt
