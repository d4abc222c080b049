"""All the formats that can be read. A new one is a module in this room and a line here."""

from __future__ import annotations

import importlib
from functools import cache
from typing import cast

from betterthan.errors import unknown_name
from betterthan.read.protocol import Reader

# Looked up by name and imported when first needed, so that a look at a table does not load every reader.
READERS: dict[str, str] = {
    "long": "betterthan.read.long_table",
    "wide": "betterthan.read.wide_table",
    "ratings": "betterthan.read.ratings_table",
    "battles": "betterthan.read.battles",
    "mt_bench": "betterthan.read.mt_bench_scores",
    "rankings": "betterthan.read.rankings_table",
    "mqm": "betterthan.read.mqm_table",
    "text": "betterthan.read.parallel_text",
    "texts_table": "betterthan.read.texts_table",
    "tags": "betterthan.read.tag_files",
    "tags_table": "betterthan.read.tags_table",
    "tag_rows": "betterthan.read.tag_rows",
    "tag_sentences": "betterthan.read.tag_sentences",
    "tag_spans": "betterthan.read.tag_spans",
    "sentence_scores": "betterthan.read.sentence_scores",
    "sentence_training": "betterthan.read.sentence_training",
    "numbers": "betterthan.read.number_files",
    "tag_folder": "betterthan.read.tag_folder",
    "score_file": "betterthan.read.score_files",
    "appraise": "betterthan.read.appraise_table",
    "wmt_jsonl": "betterthan.read.wmt_jsonl",
    "wmt_scores": "betterthan.read.wmt_jsonl_scores",
    "segments": "betterthan.read.segment_list",
    "submission": "betterthan.read.metric_submissions",
    "rating_file": "betterthan.read.rating_files",
    "rating_lines": "betterthan.read.rating_lines",
    "wmt_texts": "betterthan.read.wmt_jsonl_texts",
    "wmt_judgements": "betterthan.read.wmt_jsonl_judgements",
    "mqm_means": "betterthan.read.mqm_means",
    "da_systems": "betterthan.read.da_systems",
    "crowd_da": "betterthan.read.crowd_da",
    "crowd_scores": "betterthan.read.crowd_da_scores",
    "better_worse": "betterthan.read.relative_rankings_list",
    "metrics_folder": "betterthan.read.metrics_folder_reader",
    "sacrebleu": "betterthan.read.sacrebleu_json",
    "sacrebleu_lines": "betterthan.read.sacrebleu_lines",
    "comet": "betterthan.read.comet_files",
    "lm_eval": "betterthan.read.lm_eval_samples",
    "inspect": "betterthan.read.inspect_logs",
    "helm": "betterthan.read.helm_stats",
    "lighteval": "betterthan.read.lighteval_details",
    "promptfoo": "betterthan.read.promptfoo_json",
    "several": "betterthan.read.several_files",
}
# The readers that take a folder; the others take a file.
FOLDER_READERS = (
    "metrics_folder",
    "score_file",
    "wmt_scores",
    "wmt_texts",
    "lm_eval",
    "inspect",
    "helm",
    "tag_folder",
    "lighteval",
    "several",
)


@cache
def reader(name: str) -> Reader:
    """Return the reader of that name.

    Raises
    ------
    UnknownName
        With the nearest known name.
    """
    if name not in READERS:
        raise unknown_name("format", name, READERS)
    return cast("Reader", importlib.import_module(READERS[name]))


def readers() -> tuple[Reader, ...]:
    """Return every reader."""
    return tuple(reader(name) for name in READERS)
