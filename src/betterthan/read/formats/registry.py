"""Registry of all formats that can be read. A new one is a module in this package and an entry here.

The module holds ``FORMAT``, ``sniff`` and ``read``, or a ``FormatReader`` of these for each of several related formats;
the entry gives its location and the signs at the beginning of a file that make it worth importing. Everything else is
derived from the two: which options are rejected, which formats accept a folder, what the documentation and the app
list.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from betterthan.errors import ReadError, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.grid.beginning import Container, Peek, beginning_text, peek
from betterthan.read.grid.columns import RANKS, ROLES, SEVERAL_WINNERS, SIDES, WINNERS, plain
from betterthan.read.protocol import SEVERAL, Options, Reader
from betterthan.read.source.source import Source

# Signs at the beginning of a file that make a format worth trying, so that the other formats need not be imported. A
# sign is necessary, not sufficient: it may admit a format that then declines, but must never exclude one that would
# have recognized the file. `tests/read/formats/test_declarations.py` checks every format.


JSON: tuple[Container, ...] = ("json", "jsonl")
TEXT: tuple[Container, ...] = ("delimited",)
NO_TEXT = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".tags", ".xml", ".html", ".eval")
"""Suffixes of files that are not plain text, one segment per line."""
PARQUET: tuple[Container, ...] = ("parquet",)

SignColumn = str | frozenset[str]


def one_of(names: Iterable[str]) -> frozenset[str]:
    """Return alternative names of a column, as :func:`~betterthan.read.grid.columns.plain` spells them."""
    return frozenset(map(plain, names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    r"""A sign by which a format may be recognized; all conditions that are set must hold.

    Attributes
    ----------
    containers : tuple
        Allowed containers of the file; any if empty.
    columns : tuple of str or set of str
        Required columns, without case and punctuation; one of them for a set.
    words : tuple of str
        Lower-case texts that must occur in the first 64 KB, case ignored.
    pattern : str
        A regular expression that must match somewhere in the first 64 KB; case is ignored, ``^`` is the start of a
        line and ``\A`` that of the file.
    suffix : str
        Suffix of the name of the file, ignoring ``.gz`` and ``.zst``.
    other_suffixes : tuple of str
        Suffixes that the file must not have.
    magic : bytes
        First bytes of the file.
    """

    containers: tuple[Container, ...] = ()
    columns: tuple[SignColumn, ...] = ()
    words: tuple[str, ...] = ()
    pattern: str = ""
    suffix: str = ""
    other_suffixes: tuple[str, ...] = ()
    magic: bytes = b""


@dataclass(slots=True)
class Beginning:
    """The beginning of a file, prepared once for the signs of all formats."""

    source: Source
    look: Peek
    columns: frozenset[str]
    text: str
    lower: str

    def shows(self, sign: Sign) -> bool:
        """Return whether a sign matches, cheapest tests first."""
        return (
            (not sign.containers or self.look.container in sign.containers)
            and self.source.suffix.endswith(sign.suffix)
            and self.source.suffix not in sign.other_suffixes
            and self.source.head.startswith(sign.magic)
            and all(map(self._has_column, sign.columns))
            and all(word in self.lower for word in sign.words)
            and (not sign.pattern or _compiled(sign.pattern).search(self.text) is not None)
        )

    def _has_column(self, column: SignColumn) -> bool:
        if not self.columns and self.look.container == "json":
            return True  # every object of the array is longer than the beginning, so its keys are not known
        return column in self.columns if isinstance(column, str) else not column.isdisjoint(self.columns)


def beginning(source: Source) -> Beginning:
    """Prepare the beginning of a file for all formats."""
    look, text = peek(source), beginning_text(source)
    return Beginning(source, look, frozenset(map(plain, look.header)), text, text.lower())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


Place = Literal["file", "folder", "either"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Location of a format, its alternative signs, and whether it accepts a folder.

    `module` ends in ``:NAME`` where the module holds several formats. Without a sign the format is tried on every file.
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
        "battles.rankings:RANKINGS", Sign(columns=(one_of(f"system{i}rank" for i in range(1, 10)),))
    ),
    "ranking_lists": _entry(
        "battles.rankings:LISTS", Sign(columns=(one_of(("ranking", "rankings", "ranking_list")),))
    ),
    "mqm": _entry(
        "wmt.mqm:ANNOTATIONS",
        Sign(pattern=r"severity|major|minor|neutral|no.?error|critical|hotw", words=("\t",)),
    ),
    "text": _entry("tables.parallel_text", Sign(containers=TEXT, other_suffixes=NO_TEXT)),
    "texts_table": _entry("tables.tidy:TEXTS", Sign(columns=(_ITEM, _SYSTEM, "text"))),
    "tags": _entry(
        "quality.tag_files:FILE", Sign(suffix="tags"), Sign(pattern=r"\A\s*(?:ok|good|bad)(?:\s|\Z)")
    ),
    "tags_table": _entry("tables.tidy:TAGS", Sign(columns=(_ITEM, _SYSTEM, "position", "tag"))),
    "tag_rows": _entry("quality.tag_tables:WORDS", _QUALITY),
    "tag_sentences": _entry("quality.tag_tables:SENTENCES", _QUALITY),
    "tag_spans": _entry("quality.tag_tables:SPANS", _QUALITY),
    "sentence_scores": _entry("quality.sentence_scores:SCORES", _QUALITY),
    "sentence_training": _entry("quality.sentence_scores:TRAINING", Sign(words=("z_mean", "z_scores"))),
    "numbers": _entry("quality.number_files", Sign(suffix=".hter"), Sign(pattern=r"\A\s*[+-]?\.?[0-9]")),
    "metrics_folder": _entry("metrics_task.metrics_folder", place="folder"),
    "score_file": _entry(
        "metrics_task.score_files",
        Sign(suffix=".score"),
        Sign(pattern=r"\A\s*[^\s,]+[^\S\n]+[^\s,]+[^\S\n]*(?:\n|\Z)"),
        place="either",
    ),
    "appraise": _entry("wmt.appraise_table", Sign(pattern=r',"?(?:TGT|REF|BAD|CHK)"?,')),
    "wmt_jsonl": _entry(
        "wmt.wmt_jsonl:ESA", Sign(columns=("langs", "lineid", "system", "annotator", "esascore"))
    ),
    "wmt_scores": _entry(
        "wmt.wmt_jsonl:SCORES", Sign(columns=("languagepair", "documentid", "metricscores")), place="either"
    ),
    "segments": _entry("tables.segment_list", Sign(columns=(_ITEM, _GROUP))),
    "submission": _entry("metrics_task.metric_submissions", Sign(pattern=rf"\A\s*[^\n]*?\s{_PAIR}\s")),
    "rating_file": _entry("wmt.rating_files:FILE", Sign(suffix=".rating"), Sign(words=('"errors"', "\t"))),
    "rating_lines": _entry(
        "wmt.rating_files:LINES", Sign(columns=("systemid", "segmentid", "raterid", "errors"))
    ),
    "wmt_texts": _entry("wmt.wmt_jsonl:TEXTS", Sign(columns=("docid", "hypothesis")), place="either"),
    "wmt_judgements": _entry("wmt.wmt_jsonl:JUDGMENTS", Sign(columns=("docid", "tgttext", "scores"))),
    "mqm_means": _entry("wmt.mqm:MEANS", Sign(words=("mqm_avg_score",))),
    "da_systems": _entry("wmt.direct_assessment:SYSTEM_MEANS", Sign(pattern=r"\A\s*lp\s")),
    "crowd_da": _entry("wmt.direct_assessment:CROWD", Sign(words=("input.src", "workerid"))),
    "crowd_scores": _entry("wmt.direct_assessment:SEGMENT_MEANS", Sign(words=("raw.scr", "z.scr"))),
    "better_worse": _entry("battles.rankings:BETTER_WORSE", Sign(pattern=r"\A[^\n]*better\s+worse")),
    "sacrebleu": _entry(
        "toolkits.sacrebleu:JSON",
        Sign(containers=JSON, words=('"signature"',)),
        Sign(containers=JSON, words=('"system"',)),
    ),
    "sacrebleu_lines": _entry("toolkits.sacrebleu:LINES", Sign(pattern=r"^[^\s|]{1,40}\|(?:nrefs|#):")),
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
    "tag_folder": _entry("quality.tag_files:FOLDER", place="folder"),
    "lighteval": _entry(
        "toolkits.lighteval_details",
        Sign(containers=PARQUET, columns=(one_of(("metric", "metrics")),)),
        place="either",
    ),
    "promptfoo": _entry(
        "toolkits.promptfoo_json", Sign(words=("promptidx",)), Sign(words=("evalid", "results"))
    ),
    "ragas": _entry("toolkits.ragas_results", Sign(columns=(one_of(("user_input", "question")),))),
    "nested_scores": _entry(
        "toolkits.nested_scores",
        Sign(
            containers=JSON,
            columns=(
                one_of(
                    ("scores", "metrics", "evaluation", "evaluations", "grades", "eval", "evals", "score")
                ),
            ),
        ),
    ),
    "deepeval": _entry("toolkits.deepeval_runs", Sign(words=('"testcases"',)), place="either"),
    "openai_evals": _entry(
        "toolkits.openai_evals_log", Sign(words=('"completion_fns"', '"eval_name"')), place="either"
    ),
    "mteb": _entry("toolkits.mteb_results", Sign(words=('"task_name"', '"mteb_version"')), place="either"),
    "braintrust": _entry(
        "toolkits.braintrust_experiments",
        Sign(columns=("input", "scores")),
        Sign(words=('"root_span_id"', '"input"')),
    ),
    "langfuse": _entry("toolkits.langfuse_scores", Sign(columns=("traceid", "stringvalue")), place="either"),
    SEVERAL: Entry("betterthan.read.several.files", place="folder"),
}


def takes_folder(name: str) -> bool:
    """Return whether a format can be a folder."""
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
    """Return the reader with this name.

    Raises
    ------
    UnknownName
        With the nearest known name.
    """
    if name not in READERS:
        raise unknown_name("format", name, READERS)
    module, _, attribute = READERS[name].module.partition(":")
    loaded = importlib.import_module(module)
    return cast("Reader", getattr(loaded, attribute) if attribute else loaded)


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
