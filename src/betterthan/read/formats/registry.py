"""All the formats that can be read. A new one is a module in this package and an entry here.

The module holds ``FORMAT``, ``sniff`` and ``read``; the entry says where the module is and what makes it worth
importing. Everything else that depends on the format is derived from the two: which options are refused, which formats
take a folder, what the documentation and the app list.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from betterthan.errors import ReadError, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.formats.signs import JSON, NO_TEXT, PARQUET, TEXT, Sign, beginning, one_of
from betterthan.read.grid.columns import RANKS, ROLES, SEVERAL_WINNERS, SIDES, WINNERS
from betterthan.read.protocol import SEVERAL, Options, Reader
from betterthan.read.source.source import Source

Place = Literal["file", "folder", "either"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a format's module is, the signs of which one makes it worth importing, and whether it takes a folder.

    Without a sign it is asked about every file.
    """

    module: str
    signs: tuple[Sign, ...] = ()
    place: Place = "file"


def _entry(module: str, *signs: Sign, place: Place = "file") -> Entry:
    return Entry(f"betterthan.read.formats.{module}", signs, place)


_ITEM, _SYSTEM, _GROUP, _JUDGE = (one_of(ROLES[role]) for role in ("item", "system", "group", "judge"))
_WINNER = one_of((*WINNERS, *(names[0] for names in (*SEVERAL_WINNERS, *RANKS))))
_PAIR = r"[a-z]{2,3}(?:_[a-z]+)?-[a-z]{2,3}(?:_[a-z]+)?"
# The tables of quality estimation: the first cell of a line is a language pair, or its heading.
_QUALITY = Sign(pattern=rf"^[^\S\t\n]*(?:lp|{_PAIR})[^\S\t\n]*\t")

READERS: dict[str, Entry] = {
    "long": _entry("tables.long_table"),
    "wide": _entry("tables.wide_table"),
    "ratings": _entry("tables.ratings_table", Sign(columns=(_SYSTEM, _JUDGE))),
    "battles": _entry(
        "battles.battles",
        Sign(columns=(one_of(left for left, _ in SIDES if len(left) > 1),)),
        Sign(columns=("a", "b", _WINNER)),  # without a winner, A and B are the scores of two systems
    ),
    "mt_bench": _entry("battles.mt_bench_scores", Sign(columns=("questionid", "model", "score", "turn"))),
    "rankings": _entry(
        "battles.rankings_table", Sign(columns=(one_of(f"system{i}rank" for i in range(1, 10)),))
    ),
    "mqm": _entry(
        "wmt.mqm_table",
        Sign(pattern=r"severity|major|minor|neutral|no.?error|critical|hotw", words=("\t",)),
    ),
    "text": _entry("tables.parallel_text", Sign(containers=TEXT, other_suffixes=NO_TEXT)),
    "texts_table": _entry("tables.texts_table", Sign(columns=(_ITEM, _SYSTEM, "text"))),
    "tags": _entry("quality.tag_files", Sign(suffix="tags"), Sign(pattern=r"\A\s*(?:ok|good|bad)(?:\s|\Z)")),
    "tags_table": _entry("tables.tags_table", Sign(columns=(_ITEM, _SYSTEM, "position", "tag"))),
    "tag_rows": _entry("quality.tag_rows", _QUALITY),
    "tag_sentences": _entry("quality.tag_sentences", _QUALITY),
    "tag_spans": _entry("quality.tag_spans", _QUALITY),
    "sentence_scores": _entry("quality.sentence_scores", _QUALITY),
    "sentence_training": _entry("quality.sentence_training", Sign(words=("z_mean", "z_scores"))),
    "numbers": _entry("quality.number_files", Sign(suffix=".hter"), Sign(pattern=r"\A\s*[+-]?\.?[0-9]")),
    "metrics_folder": _entry("metrics_task.metrics_folder_reader", place="folder"),
    "score_file": _entry(
        "metrics_task.score_files",
        Sign(suffix=".score"),
        Sign(pattern=r"\A\s*[^\s,]+[^\S\n]+[^\s,]+[^\S\n]*(?:\n|\Z)"),
        place="either",
    ),
    "appraise": _entry("wmt.appraise_table", Sign(pattern=r',"?(?:TGT|REF|BAD|CHK)"?,')),
    "wmt_jsonl": _entry(
        "wmt.wmt_jsonl", Sign(columns=("langs", "lineid", "system", "annotator", "esascore"))
    ),
    "wmt_scores": _entry(
        "wmt.wmt_jsonl_scores", Sign(columns=("languagepair", "documentid", "metricscores")), place="either"
    ),
    "segments": _entry("tables.segment_list", Sign(columns=(_ITEM, _GROUP))),
    "submission": _entry("metrics_task.metric_submissions", Sign(pattern=rf"\A\s*[^\n]*?\s{_PAIR}\s")),
    "rating_file": _entry("wmt.rating_files", Sign(suffix=".rating"), Sign(words=('"errors"', "\t"))),
    "rating_lines": _entry("wmt.rating_lines", Sign(columns=("systemid", "segmentid", "raterid", "errors"))),
    "wmt_texts": _entry("wmt.wmt_jsonl_texts", Sign(columns=("docid", "hypothesis")), place="either"),
    "wmt_judgements": _entry("wmt.wmt_jsonl_judgements", Sign(columns=("docid", "tgttext", "scores"))),
    "mqm_means": _entry("wmt.mqm_means", Sign(words=("mqm_avg_score",))),
    "da_systems": _entry("wmt.da_systems", Sign(pattern=r"\A\s*lp\s")),
    "crowd_da": _entry("wmt.crowd_da", Sign(words=("input.src", "workerid"))),
    "crowd_scores": _entry("wmt.crowd_da_scores", Sign(words=("raw.scr", "z.scr"))),
    "better_worse": _entry("battles.relative_rankings_list", Sign(pattern=r"\A[^\n]*better\s+worse")),
    "sacrebleu": _entry(
        "toolkits.sacrebleu_json",
        Sign(containers=JSON, words=('"signature"',)),
        Sign(containers=JSON, words=('"system"',)),
    ),
    "sacrebleu_lines": _entry("toolkits.sacrebleu_lines", Sign(pattern=r"^[^\s|]{1,40}\|(?:nrefs|#):")),
    "comet": _entry(
        "toolkits.comet_files",
        Sign(words=('"statistical_results"',)),
        Sign(words=('"comet"', '"mt"')),
        Sign(words=("\tsegment ", "\tscore: ")),
    ),
    "lm_eval": _entry("toolkits.lm_eval_samples", Sign(words=('"doc_hash"',)), place="either"),
    "inspect": _entry(
        "toolkits.inspect_logs",
        Sign(magic=b"PK\x03\x04"),
        Sign(words=('"status"', '"eval"', '"task_id"')),
        place="either",
    ),
    "helm": _entry(
        "toolkits.helm_stats", Sign(words=('"train_trial_index"', '"instance_id"')), place="either"
    ),
    "tag_folder": _entry("quality.tag_folder", place="folder"),
    "lighteval": _entry(
        "toolkits.lighteval_details",
        Sign(containers=PARQUET, columns=(one_of(("metric", "metrics")),)),
        place="either",
    ),
    "promptfoo": _entry(
        "toolkits.promptfoo_json", Sign(words=("promptidx",)), Sign(words=("evalid", "results"))
    ),
    SEVERAL: Entry("betterthan.read.several.several_files", place="folder"),
}


def takes_folder(name: str) -> bool:
    """Say whether a format can be a folder."""
    return name in READERS and READERS[name].place != "file"


def plausible(source: Source) -> Iterator[Reader]:
    """Yield the readers of the formats that a source may have, in the order of :data:`READERS`."""
    if source.is_folder:
        yield from (reader(name) for name, entry in READERS.items() if entry.place != "file")
        return
    seen = beginning(source)
    for name, entry in READERS.items():
        if entry.place != "folder" and (not entry.signs or any(map(seen.shows, entry.signs))):
            yield reader(name)


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
    return cast("Reader", importlib.import_module(READERS[name].module))


def refuse_choice(options: Options, layout: str, description: str, *, path: str | None) -> None:
    """Raise when columns are ignored or kept in data other than a table of scores (BT214)."""
    if not (options.ignore_columns or options.keep_columns):
        return
    if layout == SEVERAL or reader(layout).FORMAT.chooses_columns:
        return
    raise ReadError(
        Message(
            "{option} chooses among the columns of a table of scores, but this is {description}. Leave it out.",
            option=Option("ignore" if options.ignore_columns else "keep"),
            description=description,
        ),
        path=path,
        code="BT214",
    )
