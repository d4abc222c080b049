"""All the formats that can be read. A new one is a module in this room and a line here."""

from __future__ import annotations

import importlib
from functools import cache
from typing import cast

from betterthan.errors import unknown_name
from betterthan.read.protocol import Reader

# Looked up by name and imported when first needed, so that a look at a table does not load every reader.
READERS: dict[str, str] = {
    "long": "betterthan.read.formats.tables.long_table",
    "wide": "betterthan.read.formats.tables.wide_table",
    "ratings": "betterthan.read.formats.tables.ratings_table",
    "battles": "betterthan.read.formats.battles.battles",
    "mt_bench": "betterthan.read.formats.battles.mt_bench_scores",
    "rankings": "betterthan.read.formats.battles.rankings_table",
    "mqm": "betterthan.read.formats.wmt.mqm_table",
    "text": "betterthan.read.formats.tables.parallel_text",
    "texts_table": "betterthan.read.formats.tables.texts_table",
    "tags": "betterthan.read.formats.quality.tag_files",
    "tags_table": "betterthan.read.formats.tables.tags_table",
    "tag_rows": "betterthan.read.formats.quality.tag_rows",
    "tag_sentences": "betterthan.read.formats.quality.tag_sentences",
    "tag_spans": "betterthan.read.formats.quality.tag_spans",
    "sentence_scores": "betterthan.read.formats.quality.sentence_scores",
    "sentence_training": "betterthan.read.formats.quality.sentence_training",
    "numbers": "betterthan.read.formats.quality.number_files",
    "tag_folder": "betterthan.read.formats.quality.tag_folder",
    "score_file": "betterthan.read.formats.metrics_task.score_files",
    "appraise": "betterthan.read.formats.wmt.appraise_table",
    "wmt_jsonl": "betterthan.read.formats.wmt.wmt_jsonl",
    "wmt_scores": "betterthan.read.formats.wmt.wmt_jsonl_scores",
    "segments": "betterthan.read.formats.tables.segment_list",
    "submission": "betterthan.read.formats.metrics_task.metric_submissions",
    "rating_file": "betterthan.read.formats.wmt.rating_files",
    "rating_lines": "betterthan.read.formats.wmt.rating_lines",
    "wmt_texts": "betterthan.read.formats.wmt.wmt_jsonl_texts",
    "wmt_judgements": "betterthan.read.formats.wmt.wmt_jsonl_judgements",
    "mqm_means": "betterthan.read.formats.wmt.mqm_means",
    "da_systems": "betterthan.read.formats.wmt.da_systems",
    "crowd_da": "betterthan.read.formats.wmt.crowd_da",
    "crowd_scores": "betterthan.read.formats.wmt.crowd_da_scores",
    "better_worse": "betterthan.read.formats.battles.relative_rankings_list",
    "metrics_folder": "betterthan.read.formats.metrics_task.metrics_folder_reader",
    "sacrebleu": "betterthan.read.formats.toolkits.sacrebleu_json",
    "sacrebleu_lines": "betterthan.read.formats.toolkits.sacrebleu_lines",
    "comet": "betterthan.read.formats.toolkits.comet_files",
    "lm_eval": "betterthan.read.formats.toolkits.lm_eval_samples",
    "inspect": "betterthan.read.formats.toolkits.inspect_logs",
    "helm": "betterthan.read.formats.toolkits.helm_stats",
    "lighteval": "betterthan.read.formats.toolkits.lighteval_details",
    "promptfoo": "betterthan.read.formats.toolkits.promptfoo_json",
    "several": "betterthan.read.several.several_files",
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
