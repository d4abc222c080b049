"""From files on the command line to texts, and from counts to segment scores that can be piped on."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from betterthan.cli.output import to_stdout
from betterthan.cli.streams import refuse_overwriting, say
from betterthan.cli.wording import as_typed
from betterthan.errors import BetterThanError, ReadError
from betterthan.present.printable import printable, unturned
from betterthan.read.formats.tables.parallel_text import read_texts
from betterthan.read.formats.tables.tidy import tidy
from betterthan.read.grid.beginning import peek
from betterthan.read.predictions import has_gold, named_predictions
from betterthan.read.source.source import open_source
from betterthan.scoring.mismatches import mismatches
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_DELIMITERS = {"tsv": "\t", "csv": ","}


def texts_of(files: Iterable[str], references: Iterable[str]) -> Texts:
    """Read outputs and references, or tables of predictions with gold labels; the reader expands patterns.

    Raises
    ------
    ReadError
        Without a reference or an output (BT134), for files with unequal lines (BT130), for a pattern that matches
        nothing (BT001).
    """
    outputs, wanted = list(files), list(references)
    if outputs and len(wanted) < 2 and _are_predictions(outputs, wanted):
        return named_predictions(outputs, *wanted)
    if not wanted:
        raise ReadError(
            "No reference was given. Pass one or more: --reference FILE, one segment per line; or tables with gold "
            "labels and predictions, and --reference COLUMN for the gold labels.",
            code="BT134",
        )
    if not outputs:
        raise ReadError("No output was given. Name one or more files, one segment per line.", code="BT134")
    if outputs.count("-") + wanted.count("-") > 1:
        raise ReadError("Standard input (-) is named twice, but it can be read only once.", code="BT134")
    return read_texts(outputs, references=wanted)


def _are_predictions(files: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether the files are tables with a column of gold labels: the one named, or one that is called so."""
    if "-" in files or (gold and Path(gold[0]).exists()):
        return False
    sources = [open_source(file, folders=True) for file in files]
    if gold:
        return not any(source.is_folder for source in sources) and all(
            gold[0] in peek(source).header for source in sources
        )
    return all(map(has_gold, sources))


def counts_of(
    texts: Texts,
    metrics: Sequence[str],
    options: Mapping[str, Any],
    *,
    missing: Any,  # noqa: ANN401  (a choice of the metrics)
    **computing: Any,  # noqa: ANN401
) -> list[Counts]:
    """Count what each metric is made of; an option goes to the metrics that have it, of which there must be one.

    Raises
    ------
    UsageError
        For an option that none of the metrics has.
    """
    from betterthan.scoring.score import METRICS, base_of, score

    known = {name: METRICS[base_of(name)].options for name in metrics}
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if not any(name in of_metric for of_metric in known.values()):
            having = [metric for metric, each in METRICS.items() if name in each.options]
            raise click.UsageError(
                f"--{_FLAGS.get(name, name)} is for {_listed(having)}. Leave it out, or add --metric {having[0]}."
            )
    return [
        score(
            texts,
            metric=metric,
            missing=missing,
            **{name: value for name, value in given.items() if name in known[metric]},
            **computing,
        )
        for metric in metrics
    ]


_FLAGS = {"labels": "label", "no_punct": "no-punct"}


def _listed(names: Sequence[str]) -> str:
    shown = [{"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}.get(name, name) for name in names]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]


def warn_of_mismatches(texts: Texts, metrics: Sequence[str]) -> None:
    """Warn of what speaks against scoring these files together, where the metrics compare running text."""
    from betterthan.scoring.score import METRICS, base_of

    if not any(METRICS[base_of(metric)].is_prose for metric in metrics):
        return
    outputs = tuple(tuple(line or "" for line in lines) for lines in texts.outputs)
    for code, message in mismatches(texts.systems, outputs, texts.references, texts.sources):
        click.echo(f"warning[{code}]: {printable(as_typed(message))}", err=True)


def only_one(counts: Sequence[Counts], option: str) -> Counts:
    """Return the counts of the only metric."""
    if len(counts) > 1:
        raise click.UsageError(
            f"{option} is for one metric, and there are {len(counts)}. Name one with --metric."
        )
    return counts[0]


def the_score(counts: Counts) -> str:
    """Return the bare pooled score of the only system, with all its digits."""
    if counts.n_systems != 1:
        raise BetterThanError(
            f"--score-only prints one number, and there are {counts.n_systems} systems. Name one file."
        )
    return repr(float(counts.pooled()[0]))


def write_segments(scores: Scores, *, format: str | None, output: str | None) -> None:  # noqa: A002  (the user's word)
    """Write one row per segment and system, to a file by its suffix or to standard output as TSV or CSV."""
    if output is not None and output != "-":
        from betterthan.read.write.write import write_table

        refuse_overwriting(output)
        write_table(scores, output)
        say(f"Wrote {output}")
        return
    if format not in (None, *_DELIMITERS):
        raise BetterThanError(f"--segments are written as tsv or csv, not as {format}. Pass --format tsv.")
    to_stdout(delimited(scores, _DELIMITERS[format or "tsv"]))


def delimited(scores: Scores, delimiter: str) -> str:
    r"""Return the rows of a table as delimited text, which every reader of ours understands.

    Examples
    --------
    >>> table = Scores(name="BLEU", systems=["A"], segments=["1"], values=[[50.0]])
    >>> delimited(table, ",")
    'item,system,score,metric,higher_is_better\n1,A,50.0,BLEU,true\n'
    """
    rows = tidy(scores)
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow(rows.columns)
    writer.writerows(
        [str(cell).lower() if isinstance(cell, bool) else unturned(cell) for cell in row] for row in rows.rows
    )
    return buffer.getvalue()
