"""Direction of a metric: as set by the user or the file, else inferred from its name and values, with a note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError
from betterthan.messages import DIRECTION_NOTE, Message, Option
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import EVERY, Options

"""The code of a note on a direction that was decided by the name or the values of a metric."""

# Inference from names: the direction of a metric, and whether a name denotes gold labels. A name is split into words
# (`cost_effectiveness` is cost and effectiveness), and only whole words count. The head of a name is at its end: an
# error rate is bad, an error *detection* is good. So the last known word decides. A system called gold, truth or label
# is not ranked.


TRUTH_WORDS = frozenset({"gold", "golden", "truth", "groundtruth", "ground", "gt", "label", "labels"})
# Among predictions of quality these are gold labels too; in a table of scores they are human translations, which are
# ranked with a note.
_OF_PREDICTIONS = TRUTH_WORDS | {
    "human", "humans", "target", "targets", "ref", "refs", "reference", "references"
}  # fmt: skip


def is_truth(name: str) -> bool:
    """Whether a name as a whole denotes gold labels.

    Examples
    --------
    >>> [is_truth(name) for name in ("gold", "Ground Truth", "gold_labels", "Gold-7B", "refA", "_")]
    [True, True, True, False, False, False]
    """
    words = _words_of_name(name)
    is_plain = re.fullmatch(r"[A-Za-z\s_.-]+", name) is not None  # "Gold-7B" is a system
    return is_plain and bool(words) and all(word in TRUTH_WORDS for word in words)


def is_truth_of_predictions(name: str) -> bool:
    """Whether a word of a name denotes gold labels.

    Examples
    --------
    >>> [is_truth_of_predictions(name) for name in ("gold", "en-de.gold_labels", "refA", "Goldfish", "ours")]
    [True, True, True, False, False]
    """
    return any(word in _OF_PREDICTIONS for word in _words_of_name(name))


def refuse_truth(systems: Sequence[str], *, path: str | None) -> None:
    """Raise when gold labels are among the systems of a table of scores.

    Raises
    ------
    ReadError
        When some of the systems, but not all, are named like gold labels (BT231).
    """
    truth = [name for name in systems if is_truth(name)]
    if truth and len(truth) < len(systems):
        raise ReadError(
            Message(
                "{truth} is named like gold labels and would be ranked as a system. Leave its file out, or keep "
                "the rows of the others with {where}; if it is a system, rename it.",
                truth=quoted(truth[0]),
                where=Option("where"),
            ),
            path=path,
            code="BT231",
        )


def _words_of_name(name: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


Way = Literal["higher", "lower", "unclear", "by values", "rank"]


class NameHint(NamedTuple):
    """Evidence from a name: the direction, the deciding word, and whether such scores are never below 0."""

    way: Way
    word: str
    is_positive: bool = True


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names of metrics: they mean the same in any position, as in "TER-refA" or "fid_coco".
_LOWER_METRICS = _words(
    "ter terp wer cer mer hter sacreter eed eer levenshtein ppl perplexity nll xent logloss bpb bpc mse rmse nrmse mae "
    "mape smape rmsle crps ece mce brier fid kid fad fvd lpips jsd kld wmd mcd mindcf fpr fnr fdr ttft tpot latency "
    "runtime vram toxicity hallucination hallucinations"
)
# These may be below 0, and lower is still better.
_LOWER_OF_ANY_SIGN = _words("nll xent logloss loss losses bpb bpc")
# Common English words: at the end of a name they are what is measured, elsewhere perhaps only its subject.
_LOWER_WORDS = _words(
    "loss losses error errors err edits divergence delay duration seconds secs milliseconds minutes hours time "
    "cost costs price prices expense spend toxic bias hallucinated penalty penalties mistakes defects violations "
    "failure failures fails crashes regret risk harm harmfulness redundancy repetition repetitions untranslated "
    "mistranslation mistranslations omissions emissions surprisal slowdown drop degradation distortion leakage leaks "
    "contamination jailbreaks timeouts invalid unsafe harmful kwh joules"
)
LOWER_IS_BETTER = _LOWER_METRICS | _LOWER_WORDS
_HIGHER_METRICS = _words(
    "bleu chrf comet xcomet bleurt rouge meteor yisi bertscore bartscore kiwi cometkiwi nist accuracy acc precision "
    "recall auc auroc auprc mrr ndcg fscore mcc kappa pearson spearman kendall psnr ssim elo esa winrate correlation"
)
# For these a score below 0 is impossible or very unusual; if all are, they were negated.
_NEVER_NEGATIVE = _words(
    "bleu chrf rouge meteor accuracy acc precision recall auc auroc auprc mrr ndcg fscore psnr ssim winrate"
)
# At the end of a name these reverse the preceding words: an error detection, a cost reduction.
_HIGHER_WORDS = _words(
    "free effectiveness efficiency reduction reductions saving savings saved consistency detection avoidance "
    "resistance robustness correction corrections corrected similarity quality adequacy fluency speed throughput "
    "faithfulness groundedness relevancy relevance correctness utility helpfulness harmlessness safety "
    "success successes wins win coverage agreement fairness tolerance "
    "mitigation awareness recovery handling identification classification recognition understanding reasoning "
    "prevention likelihood loglikelihood logprob logprobs"
)
_UNCLEAR = _words(
    "distance distances rank ranks ranking position refusal refusals entropy delta deltas difference "
    "differences diff gap deviation uncertainty"
)
# These words show that a distance is one from the correct answer.
_LOWER_DISTANCES = _words(
    "edit levenshtein hamming wasserstein mover movers frechet fréchet cosine euclidean hellinger embedding "
    "mahalanobis jaro winkler damerau emd"
)
_AFTERWARDS = _words("inverse inverted inv negated neg reversed reciprocal")
_INVERTED = _words("inverse inverted inv negated neg negative minus reversed reverse reciprocal one")
_NEGATED = _words("non no not anti without zero")
_LEARNED = ("comet", "xcomet", "bleurt", "openkiwi", "kiwi")
_BY_VALUES = ("mqm", "metricx")
# Words without information on the direction: averaging, unit, data.
_EMPTY = _words(
    "score scores rate rates ratio value values metric metrics mean avg average median max min total sum overall all "
    "raw norm normalised normalized standardised standardized scaled log percent percentage pct share fraction "
    "proportion number count counts n of the a an p s ms sec usd eur dollars euros gbp cents k m test dev valid "
    "validation train eval evaluation results result output outputs system systems seg segment segments sys doc "
    "document macro micro weighted ref refa refb refc refd src qe small base large xl xxl final new old v per z"
)
_CUTS = _words("per over at on in for by vs versus with to under given @")
_RATES = re.compile(r"\b(per (s|sec|second|minute|min|hour)|tps|qps|rps|wpm)\b")
# As separate words "js" may be JavaScript and "character" a person; in these phrases they are metrics. The unclear ones
# are
# error rates or distances to some, and persons, emotions or entities that were recognized to others.
# What people write behind a name to say it.
_MARKS: dict[str, Way] = {
    "↓": "lower",
    "lower is better": "lower",
    "↑": "higher",
    "higher is better": "higher",
}
_ALONE: dict[str, Way] = {
    **dict.fromkeys(("js", "kl", "character", "characters", "charac ter", "der", "wil"), "lower"),
    **dict.fromkeys(("per", "ser", "ned", "ce"), "unclear"),
}
_PHRASES: tuple[tuple[str, Way], ...] = (
    ("negative log likelihood", "lower"),
    ("neg log likelihood", "lower"),
    ("self bleu", "lower"),
    ("false positive", "lower"),
    ("false negative", "lower"),
    ("false discovery", "lower"),
    ("mean rank reciprocal", "higher"),
    ("mean reciprocal rank", "higher"),
    ("reciprocal rank", "higher"),
    ("rank correlation", "higher"),
    ("win loss", "higher"),
    ("win tie loss", "higher"),
    ("log likelihood", "higher"),
    ("log probability", "higher"),
    ("log prob", "higher"),
    ("attack success", "lower"),
    ("kl div", "lower"),
    ("js div", "lower"),
    ("word mover", "lower"),
    ("time to first token", "lower"),
    ("bits per", "lower"),
    ("nats per", "lower"),
    ("ms per", "lower"),
    ("sec per", "lower"),
    ("miss rate", "lower"),
    ("timeout rate", "lower"),
    ("crash rate", "lower"),
    ("leak rate", "lower"),
    ("jailbreak rate", "lower"),
    ("word information lost", "lower"),
    ("memory mb", "lower"),
    ("memory gb", "lower"),
    ("peak memory", "lower"),
    ("levenshtein ratio", "higher"),  # in the libraries of that name a similarity
)


def hint_of(name: str) -> NameHint | None:
    """Return the direction suggested by a metric's name, or None.

    Examples
    --------
    >>> [hint_of(name).way for name in ("TER-refA", "latency_ms", "1-TER", "error-free rate", "cost_effectiveness")]
    ['lower', 'lower', 'higher', 'higher', 'higher']
    >>> hint_of("quality ↓").way, hint_of("TER (higher is better)").way
    ('lower', 'higher')
    >>> hint_of("humaneval_js") is None, hint_of("edit distance").way, hint_of("distance").way
    (True, 'lower', 'unclear')
    """
    words = _cut(name)
    marks = {way for sign, way in _MARKS.items() if sign in name.casefold()}
    if marks:
        return NameHint(marks.pop() if len(marks) == 1 else "unclear", name, is_positive=False)
    if any(word.startswith(_LEARNED) for word in words):
        return NameHint("higher", words[0], is_positive=False)
    turned = _without_inversion(name, words)
    if turned is not None:
        inner = _hint(turned)
        ways: dict[Way, Way] = {"higher": "lower", "lower": "higher"}
        return NameHint(ways.get(inner.way, "unclear"), " ".join(words), is_positive=False) if inner else None
    return _hint(words)


def _cut(name: str) -> list[str]:
    """Return the words of a name in lower case, and camel case cut as well."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name).casefold().replace("_", " ")
    plain = re.sub(r"\bf[- ]?(1|2|0\.5|beta|measure|score)\b", " fscore ", plain)
    return re.findall(r"[^\W\d_]+|@", plain)


def _without_inversion(name: str, words: list[str]) -> list[str] | None:
    """Return the words after "1-", "inverse" or similar, or None where nothing is reversed."""
    if re.match(r"\s*1\s*[-−–]\s*\D", name) or re.match(r"\s*[-−–]\s*[A-Za-z]", name):
        return words
    if len(words) > 1 and words[-1] in _AFTERWARDS and _hint(words[:-1]) is not None:
        return words[:-1]
    if len(words) < 2 or words[0] not in _INVERTED or _phrase(words):
        return None
    if words[0] == "one":
        return words[2:] if words[1] == "minus" and len(words) > 2 else None
    # "negative sentiment" is a subject; only known words can be reversed.
    return words[1:] if _hint(words[1:]) is not None or words[0].startswith("inv") else None


def _hint(words: list[str]) -> NameHint | None:
    whole = " ".join([word for word in words if word not in _EMPTY] or words)
    if whole in _ALONE:
        return NameHint(_ALONE[whole], whole)
    if any(word.startswith(_BY_VALUES) for word in words):
        return NameHint("by values", next(word for word in words if word.startswith(_BY_VALUES)))
    if _RATES.search(" ".join(words)) and not _LOWER_METRICS.intersection(words):
        return NameHint("higher", whole)
    way = _phrase(words)
    if way is not None:
        return NameHint(way, whole, is_positive=False)
    words = _before_preposition(words)
    head = next((word for word in reversed(words) if word not in _EMPTY), None)
    if head is None:
        return None
    return _by_head(words, head)


def _phrase(words: list[str]) -> Way | None:
    text = f" {' '.join(words)} "
    return next((way for phrase, way in _PHRASES if f" {phrase} " in text), None)


def _before_preposition(words: list[str]) -> list[str]:
    """Return the words before "at", "over", "per" …, if these are known: "accuracy over time"."""
    for place, word in enumerate(words):
        if word in _CUTS and any(_is_known(before) for before in words[:place]):
            return words[:place]
    return words


def _is_known(word: str) -> bool:
    return any(
        word in known for known in (_LOWER_METRICS, _LOWER_WORDS, _HIGHER_METRICS, _HIGHER_WORDS, _UNCLEAR)
    )


def _by_head(words: list[str], head: str) -> NameHint | None:
    good = [word for word in words if word in _HIGHER_METRICS]
    bad = [word for word in words if word in _LOWER_METRICS or word in _LOWER_WORDS]
    if head in _HIGHER_METRICS or head in _HIGHER_WORDS:
        return NameHint("higher", head, is_positive=head in _NEVER_NEGATIVE)
    if head in _UNCLEAR:
        return _unclear(words, head)
    if good and bad:
        return NameHint("unclear", f'"{good[0]}" and "{bad[0]}"')
    if bad and any(a in _NEGATED and b in bad for a, b in pairwise(words)):
        return NameHint("higher", head, is_positive=False)
    certain = head in _LOWER_WORDS or any(word in _LOWER_METRICS for word in bad)
    if bad:
        return NameHint(
            "lower" if certain else "unclear", bad[0], is_positive=not _LOWER_OF_ANY_SIGN.intersection(bad)
        )
    return NameHint("higher", good[0], is_positive=good[0] in _NEVER_NEGATIVE) if good else None


def _unclear(words: list[str], head: str) -> NameHint:
    if head.startswith("distance") and _LOWER_DISTANCES.intersection(words):
        return NameHint("lower", head)
    if head == "entropy" and "cross" in words:
        return NameHint("lower", head)
    return NameHint("rank" if head.startswith(("rank", "position")) else "unclear", head)


_FULL_MARKS = 100.0
_FEWEST_PLACES, _FEWEST_ORDERS = 3, 5
_MOST_PENALTY = 25.0  # an unintelligible translation; the maximum penalty of MQM


class Direction(NamedTuple):
    """Whether higher is better, a note on the choice, and the reason why it is unclear, if it is."""

    higher_is_better: bool
    note: str | None = None
    doubt: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The note, if there is one."""
        return (self.note,) if self.note else ()


def direction(
    metric: str,
    values: FloatArray,
    options: Options,
    *,
    declared: bool | None = None,
    column: str | None = None,
) -> Direction:
    """Decide the direction of a metric.

    An uninformative name is read as higher-is-better, which every table shows. Where the name is ambiguous, or
    contradicts the values, the direction is unclear, and nothing can be ranked until the user sets it.

    Parameters
    ----------
    metric : str
        Its name.
    values : array of float
        Its scores, in any shape.
    options : Options
        The user's choice takes precedence.
    declared : bool, optional
        The direction stated in the file.
    column : str, optional
        The name of its column, which decides where the user called the metric something that says nothing.
    """
    stated = _stated(metric, options)
    hint = hint_of(metric) or (None if column is None else hint_of(column))
    if stated is None and declared is None and hint is None and _are_places(values):
        return _doubt(
            metric,
            f"each segment has every number from 1 to {len(values)} once, as in rankings, where 1 may be best",
        )
    if stated is not None or declared is not None or hint is None:
        return Direction(next((way for way in (stated, declared) if way is not None), True))
    known = values[~np.isnan(values)]
    if hint.way == "by values":
        return _by_values(metric, known)
    if hint.way == "rank":
        return _of_ranks(metric, values)
    if hint.way == "unclear":
        return _doubt(metric, f"its name ({hint.word}) does not show whether higher or lower is better")
    return _of_lower(metric, known, hint) if hint.way == "lower" else _of_higher(metric, known, hint)


def _of_lower(metric: str, known: FloatArray, hint: NameHint) -> Direction:
    if _are_negated(known):
        note = f'No score of "{metric}" is above 0: it is a negated error rate, so higher is better.'
        return _decided(metric, note, higher_is_better=True)
    if hint.is_positive and (known < 0).any():
        return _doubt(metric, "by its name lower is better, but some scores are below 0 and some above")
    return _decided(
        metric, f'Lower is better for "{metric}", inferred from its name.', higher_is_better=False
    )


def _of_higher(metric: str, known: FloatArray, hint: NameHint) -> Direction:
    if hint.is_positive and _are_negated(known):
        return _doubt(
            metric, "by its name higher is better, but no score is above 0, as if they were negated"
        )
    return Direction(True)


def _are_negated(known: FloatArray) -> bool:
    """Whether error rates were negated, as in files of the metrics task."""
    return bool((known <= 0).all()) and bool((known < 0).any())


def _of_ranks(metric: str, values: FloatArray) -> Direction:
    """Decide the direction of ranks, which are recognized by their values; grades from 1 to 5 may have either."""
    ranked = values[:, ~np.isnan(values).any(axis=0)] if values.ndim == 2 else np.empty((0, 0))
    n_systems = len(ranked)
    if n_systems > 1 and ranked.size and (ranked >= 1).all() and (ranked <= n_systems).all():
        best, worst = ranked.min(axis=0), ranked.max(axis=0)
        # Tied ranks are written as 1, 1 or as 1.5, 1.5.
        if (best <= (n_systems + 1) / 2).all() and (best == 1).any() and (worst == n_systems).any():
            note = f'"{metric}" holds the ranks of {n_systems} systems, so lower is better.'
            return _decided(metric, note, higher_is_better=False)
    return _doubt(metric, "a rank of 1 may be the best or, as a grade, the worst")


def _are_places(values: FloatArray) -> bool:
    """Whether every segment without gaps orders all systems: 1 to m, each once, which scores do not do by chance."""
    if values.ndim != 2 or len(values) < _FEWEST_PLACES:
        return False
    complete = values[:, ~np.isnan(values).any(axis=0)]
    if complete.shape[1] < _FEWEST_ORDERS:
        return False
    places = np.arange(1, len(values) + 1)[:, None]
    some = np.sort(complete[:, :_FEWEST_ORDERS], axis=0)  # nearly always enough, and soon done
    return bool((some == places).all()) and bool((np.sort(complete, axis=0) == places).all())


def _by_values(metric: str, known: FloatArray) -> Direction:
    """Decide the direction of MQM and MetricX: penalties, negated penalties, or scores out of 100."""
    above, below = bool((known > 0).any()), bool((known < 0).any())
    if below and above:
        # Predictions of MetricX may lie slightly beyond 0; human MQM scores do not.
        if "metricx" in metric.casefold():
            note = f'The scores of "{metric}" have both signs, so higher is better.'
            return _decided(metric, note, higher_is_better=True)
        return _doubt(
            metric, "some scores are below 0 and some above, so they may be penalties or standardized scores"
        )
    if not above:
        return _decided(
            metric, f'No score of "{metric}" is above 0, so higher is better.', higher_is_better=True
        )
    middle, most = float(np.median(known)), float(known.max())
    if most <= _FULL_MARKS and middle > _FULL_MARKS / 2:
        note = f'Most scores of "{metric}" are between 50 and 100, so they are scores out of 100 and higher is better.'
        return _decided(metric, note, higher_is_better=True)
    if (most <= _FULL_MARKS and middle > _MOST_PENALTY) or (most <= 1 and middle > 0.5):
        return _doubt(
            metric, f"scores around {middle:.3g} may be penalties or scores (out of {100 if most > 1 else 1})"
        )
    note = f'No score of "{metric}" is below 0, so they are penalties and lower is better.'
    return _decided(metric, note, higher_is_better=False)


def _stated(metric: str, options: Options) -> bool | None:
    low, high = (
        metric in names or EVERY in names for names in (options.lower_is_better, options.higher_is_better)
    )
    if low and high:
        raise ReadError(f'"{metric}" is set to both lower-is-better and higher-is-better. Choose one.')
    return None if low == high else high


def _doubt(metric: str, why: str) -> Direction:
    return Direction(
        True,
        doubt=Message(
            'The direction of "{metric}" is not clear: {why}. Use {lower} or {higher}.',
            metric=metric,
            why=why,
            **both_directions(metric),
        ),
    )


def both_directions(metric: str) -> dict[str, Any]:
    """Return the options that set the direction of a metric, as fields of a message.

    Examples
    --------
    >>> {name: str(option) for name, option in both_directions("TER").items()}
    {'lower': 'lower_is_better=True', 'higher': 'lower_is_better=False'}
    """
    return {"lower": Option("lower_is_better", metric), "higher": Option("higher_is_better", metric)}


def _decided(metric: str, note: str, *, higher_is_better: bool) -> Direction:
    return Direction(higher_is_better, direction_note(metric, note, higher_is_better=higher_is_better))


def direction_note(metric: str, note: str, *, higher_is_better: bool) -> Message:
    """Return a note on an inferred direction, with the option to reverse it.

    Examples
    --------
    >>> direction_note("TER", "Lower is better.", higher_is_better=False)
    'Lower is better. If not, use lower_is_better=False.'
    """
    other = Option("lower_is_better" if higher_is_better else "higher_is_better", metric)
    return Message(
        "{note} If not, use {other}.", code=DIRECTION_NOTE, severity="info", note=note, other=other
    )
