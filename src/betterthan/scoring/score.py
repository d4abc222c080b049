"""One verb for all metrics that are made of counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Any, NamedTuple

from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, unknown_name
from betterthan.messages import Message, Option
from betterthan.scoring.bleu import bleu
from betterthan.scoring.chrf import chrf
from betterthan.scoring.item_scores import (
    ANSWER_METRICS,
    ERROR_METRICS,
    ROUGE_METRICS,
    answer_counts,
    error_counts,
    rouge_counts,
)
from betterthan.scoring.labels import LABEL_METRICS, LABEL_OPTIONS, label_counts
from betterthan.scoring.ter import ter
from betterthan.scoring.texts import Missing, Outputs, References
from betterthan.tables.counts import Counts


class CountedMetric(NamedTuple):
    """A metric: its function, the options that it takes, and whether it compares running text."""

    function: Callable[..., Counts]
    options: frozenset[str]
    is_prose: bool = True
    is_parallel: bool = True


def _metrics() -> dict[str, CountedMetric]:
    found = {
        "bleu": CountedMetric(bleu, frozenset({"language", "lowercase", "tokenize"})),
        "chrf": CountedMetric(chrf, frozenset({"lowercase"})),
        "chrf++": CountedMetric(partial(chrf, word_order=2), frozenset({"lowercase"})),
        "ter": CountedMetric(ter, frozenset({"no_punct"})),
    }
    for name in LABEL_METRICS:
        function, options = partial(label_counts, metric=name), LABEL_OPTIONS.get(name, frozenset())
        found[name] = CountedMetric(function, options, is_prose=False, is_parallel=False)
    for name in ROUGE_METRICS:
        found[name] = CountedMetric(partial(rouge_counts, metric=name), frozenset())
    for name in ANSWER_METRICS:
        found[name] = CountedMetric(partial(answer_counts, metric=name), frozenset(), is_prose=False)
    for name in ERROR_METRICS:
        found[name] = CountedMetric(partial(error_counts, metric=name), frozenset({"lowercase", "no_punct"}))
    return found


METRICS: Mapping[str, CountedMetric] = _metrics()
"""All metrics by name."""


def base_of(metric: str) -> str:
    """Return the name of a metric without the class that may follow it.

    Examples
    --------
    >>> base_of("f1:spam"), base_of("f1-macro")
    ('f1', 'f1-macro')
    """
    return metric.partition(":")[0]


def _only_class(metric: str, positive: object) -> str:
    label = metric.partition(":")[2]
    if positive is not None:
        raise BetterThanError(
            Message(
                "{metric} names its class, and {positive} another. Leave out one of them.",
                metric=metric,
                positive=Option("positive", positive),
            )
        )
    return label


@with_one_blas_thread
def score(
    outputs: Outputs,
    references: References = None,
    *,
    metric: str,
    positive: object = None,
    labels: Any = None,  # noqa: ANN401  (a sequence of labels)
    lowercase: bool = False,
    no_punct: bool = False,
    language: str | None = None,
    tokenize: str | None = None,
    missing: Missing = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Counts:
    r"""Score outputs against references by a metric of labels, words or texts, as counts of every item.

    Counts are summed over items before the formula is applied, so that :func:`betterthan.rank` and
    :func:`betterthan.compare` permute and resample the value of the whole test set: macro-F1 itself, not a mean over
    items.

    Parameters
    ----------
    outputs : Texts, or mapping of system to list
        One text or label per item. Labels may be whole numbers, True and False.
    references : list, list of lists, or mapping of name to list; optional
        One reference or gold label per item; several lists for several references. Texts contain theirs.
    metric : str
        * Labels: "accuracy", "balanced-accuracy", "mcc" (Matthews' correlation), "kappa" (Cohen's); "f1", "precision"
          and "recall" of one class (`positive`, or as in "f1:spam"), or of all classes, such as "f1-macro", with the
          endings "-micro", "-macro" and "-weighted".
        * Recognized speech and characters: "wer" (word error rate), "cer" (of characters), "mer" (match error rate),
          "wil" (word information lost); lower is better.
        * Summaries: "rouge-1", "rouge-2", "rouge-l", "rouge-lsum"; "-precision" or "-recall" behind it, such as
          "rouge-1-recall", instead of the F-measure.
        * Short answers: "exact-match", "token-f1"; of several references the best counts.
        * Translations: "bleu", "chrf", "chrf++" and "ter"; :func:`betterthan.bleu`, :func:`betterthan.chrf` and
          :func:`betterthan.ter` have more options.
    positive : label, optional
        The class of "f1", "precision" and "recall". Not needed for two classes such as 0 and 1, no and yes, negative
        and positive.
    labels : sequence of labels, optional
        The classes that "-micro", "-macro" and "-weighted" take into account; all by default.
    lowercase : bool, default False
        Ignore case.
    no_punct : bool, default False
        Leave out punctuation (all characters of the Unicode categories P) before words are compared.
    language, tokenize : str, optional
        For BLEU, as in :func:`betterthan.bleu`.
    missing : {"raise", "drop", "empty"}, default "raise"
        Treatment of missing outputs: raise an error; leave out their items for all systems; count them as empty texts,
        or as labels that are always wrong.
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Counts
        The formula's name is the signature of the metric, with its options and version; part of every result.

    Raises
    ------
    BetterThanError
        When an option is given that the metric does not have, or a class is unknown.
    TableError
        When outputs and references do not match, or a gold label is missing.
    MissingScores
        When outputs are missing.

    Notes
    -----
    Scores of labels equal scikit-learn's [1]_. A class that is neither predicted nor in the gold labels is left out of
    averages, so the classes of a system are those of its predictions and the gold labels. Precision of a class that
    is never predicted counts as 0 in averages, with a note; alone it is undefined (NaN).

    WER divides the edits by the words of the references:

    .. math:: \text{WER} = \frac{S + D + I}{H + S + D}

    with hits H, substitutions S, deletions D and insertions I of an alignment with the fewest edits. Words are what
    stands between blanks; case and punctuation count unless they are removed. These are the numbers of jiwer's
    defaults [2]_. CER counts characters, blanks within the line included.

    ROUGE [3]_ is the mean over items, as computed by rouge-score without stemming: words are runs of the letters a to z
    and digits in lower case. "rouge-lsum" takes lines as sentences. Of several references the one with the best
    F-measure counts. Exact match and token F1 compare answers in lower case, without punctuation and articles, as the
    script of SQuAD 2.0 does [4]_, but from 0 to 1.

    References
    ----------
    .. [1] Pedregosa et al. (2011), Scikit-learn: machine learning in Python, JMLR 12.
    .. [2] Morris, Maier and Green (2004), From WER and RIL to MER and WIL: improved evaluation measures for connected
       speech recognition, ICSLP.
    .. [3] Lin (2004), ROUGE: a package for automatic evaluation of summaries, ACL workshop Text Summarization Branches
       Out.
    .. [4] Rajpurkar, Jia and Liang (2018), Know what you don't know: unanswerable questions for SQuAD, ACL.

    Examples
    --------
    >>> import betterthan as bt
    >>> gold = ["ham", "spam", "spam", "ham", "eggs", "ham"]
    >>> systems = {"A": ["ham", "spam", "ham", "ham", "eggs", "ham"], "B": ["ham"] * 6}
    >>> counts = bt.score(systems, gold, metric="f1-macro")
    >>> counts.pooled().round(3)
    array([0.841, 0.222])
    >>> bt.score({"A": ["the cat sat"]}, ["the cat sat down"], metric="wer").pooled()
    array([0.25])
    """
    base = base_of(str(metric))
    if base not in METRICS:
        raise unknown_name("metric", base, METRICS)
    chosen = METRICS[base]
    if base != metric:
        positive = _only_class(metric, positive)
    named = {"positive": positive, "labels": labels, "language": language, "tokenize": tokenize}
    given = {name: value for name, value in named.items() if value is not None}
    given |= {name: True for name, is_on in (("lowercase", lowercase), ("no_punct", no_punct)) if is_on}
    strange = next((name for name in given if name not in chosen.options), None)
    if strange is not None:
        raise BetterThanError(
            Message(
                "{option} has no effect on {metric}. Leave it out.",
                option=Option(strange, None if strange == "labels" else given[strange]),
                metric=metric,
            )
        )
    computing = {"workers": workers, "executor": executor, "cache": cache, "progress": progress}
    return chosen.function(
        outputs, references, missing=missing, **given, **(computing if chosen.is_parallel else {})
    )
