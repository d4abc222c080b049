"""What the name of a column says it holds, where that is not the scores of a system.

A name counts only as a whole: ``mean`` and ``avg_score`` are averages, ``mean-pooling`` and ``Total-7B`` are systems.
"""

from __future__ import annotations

import re
from typing import Literal

from betterthan.read.doubts.metric_names import TRUTH_WORDS
from betterthan.read.grid.columns import plain

Meaning = Literal[
    "identifier",
    "length",
    "count",
    "rank",
    "summary",
    "time",
    "cost",
    "rater",
    "setting",
    "gold",
    "human",
    "metric",
]
_WORDS: dict[Meaning, str] = {
    "identifier": """id ids idx index uuid guid qid pid uid sid rid cid tid row rowid rownum nr no num number key line
        lineno position pos hash sha digest fingerprint checksum #""",
    "length": "len length lengths words wordcount tokens chars characters bytes size",
    "count": "n count counts votes",
    "rank": "rank ranks ranking",
    "summary": """avg average mean median sum total overall std sd stdev stddev variance min max minimum maximum diff
        difference delta""",
    "time": "latency time seconds secs sec ms msec millis duration runtime elapsed minutes hours timestamp date",
    "cost": "cost costs price usd eur",
    "rater": """rater raters annotator annotators judge judges worker workers evaluator evaluators assessor assessors
        reviewer reviewers participant participants grader graders""",
    "setting": "seed split fold year month day batch epoch temperature difficulty confidence",
    "gold": " ".join(sorted(TRUTH_WORDS)),
    "human": "human humans",
    "metric": """bleu sacrebleu spbleu chrf chrfpp ter wer cer comet cometkiwi xcomet bleurt bertscore rouge rougel
        meteor mqm esa yisi metricx prism nist accuracy acc em precision recall perplexity ppl loss passed pass
        faithfulness relevancy relevance groundedness
        correct score""",
}
_MEANING_OF = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}
# Words that change nothing about the meaning of those beside them.
_BESIDE = frozenset(
    word
    for words in (
        "score scores value values rating ratings judgment judgement judgments judgements annotation annotations",
        "of the per in src ref source reference input output prompt completion response question answer sentence",
        "segment seg doc document text item example sample task test case query turn instance exact match rate macro",
        "micro weighted s",
    )
    for word in words.split()
)
_FUSED_ID = re.compile(
    r"(prompt|question|item|row|sentence|sent|example|sample|segment|seg|doc|document|task|test|case|query|instance|"
    r"turn|record|line)(id|idx|nr|no|num|number|index)|md5|sha[-_ ]?(1|256|512)"
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|#")
_BETWEEN = re.compile(r"[\s_\-./:()\[\]%]*")
_EXPLAINED: dict[Meaning, str] = {
    "identifier": "an identifier",
    "length": "a length",
    "count": "a count",
    "rank": "a rank",
    "summary": "a summary of other columns",
    "time": "a time",
    "cost": "a cost",
    "rater": "a rater",
    "setting": "a description of the row",
    "gold": "a gold label",
    "human": "human judgments",
    "metric": "a metric",
}


def meaning_of(name: str) -> Meaning | None:
    """Return what a column called so holds, or None if it may be a system.

    Examples
    --------
    >>> [meaning_of(name) for name in ("prompt_id", "latency (ms)", "avgScore", "Rater 2", "BLEU-4")]
    ['identifier', 'time', 'summary', 'rater', 'metric']
    >>> [meaning_of(name) for name in ("rank-1-model", "mean-pooling", "Total-7B", "Human-A.0", "gpt-4", "A")]
    [None, None, None, None, None, None]
    """
    parts = _parts(name)
    bare = plain(name).rstrip("0123456789")
    if _MEANING_OF.get(bare) == "metric" or plain(name) in (
        "f1",
        "exactmatch",
    ):  # chrF++, BERTScore, MetricX-23
        return "metric"
    if not parts:
        return None
    if parts[0] in ("is", "has") and len(parts) > 1:
        return "setting"
    known = [_MEANING_OF.get(part) for part in parts]
    others = [
        part for part, meaning in zip(parts, known, strict=True) if meaning is None and part not in _BESIDE
    ]
    found = next((meaning for meaning in reversed(known) if meaning not in (None, "metric")), None)
    if found is None:
        found = "metric" if "metric" in known else None
    # Raters and metrics are numbered (rater 2, ROUGE-1); of anything else a number makes a name.
    if found in ("rater", "metric"):
        others = [part for part in others if not part.isdigit() and len(part) > 1]
    return None if others else found


def of_another(name: str) -> tuple[str, Meaning] | None:
    """Return the system and the meaning in a name such as ``GPT_len`` or ``GPT bleu``.

    Examples
    --------
    >>> of_another("GPT-4_len"), of_another("GPT bleu"), of_another("mean-pooling")
    (('GPT-4', 'length'), ('GPT', 'metric'), None)
    """
    found = re.fullmatch(r"(.+?)[\s_.:-]+([A-Za-z]+)", name.strip())
    meaning = None if found is None else meaning_of(found.group(2))
    return None if found is None or meaning is None else (found.group(1), meaning)


def says(meaning: Meaning) -> str:
    """Return a meaning in words, with its article."""
    return _EXPLAINED[meaning]


def _parts(name: str) -> list[str]:
    """Return the words of a name; none where it holds anything but words."""
    text = name.strip()
    if _FUSED_ID.fullmatch(text.casefold()):
        return ["id"]
    if not _BETWEEN.fullmatch(_PART.sub("", text)):
        return []
    return [part.casefold() for part in _PART.findall(text)]
