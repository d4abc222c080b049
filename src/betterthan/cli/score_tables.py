"""From files on the command line to texts, and from counts to segment scores that can be piped on."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import click

from betterthan.cli.output import to_stdout
from betterthan.cli.streams import refuse_overwriting, say
from betterthan.cli.wording import as_typed
from betterthan.errors import BetterThanError, ReadError
from betterthan.present.printable import printable, unturned
from betterthan.read.formats.tables.parallel_text import read_texts
from betterthan.read.formats.tables.tidy import tidy
from betterthan.scoring.mismatches import mismatches
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_DELIMITERS = {"tsv": "\t", "csv": ","}


def texts_of(files: Iterable[str], references: Iterable[str]) -> Texts:
    """Read outputs and references; the reader expands patterns.

    Raises
    ------
    ReadError
        Without a reference or an output (BT134), for files with unequal lines (BT130), for a pattern that matches
        nothing (BT001).
    """
    outputs, wanted = list(files), list(references)
    if not wanted:
        raise ReadError(
            "No reference was given. Pass one or more: --reference FILE, one segment per line.", code="BT134"
        )
    if not outputs:
        raise ReadError("No output was given. Name one or more files, one segment per line.", code="BT134")
    if outputs.count("-") + wanted.count("-") > 1:
        raise ReadError("Standard input (-) is named twice, but it can be read only once.", code="BT134")
    return read_texts(outputs, references=wanted)


def counts_of(
    texts: Texts,
    metrics: Sequence[str],
    *,
    language: str | None,
    tokenize: str | None,
    missing: Any,  # noqa: ANN401  (a choice of the metrics)
    **computing: Any,  # noqa: ANN401
) -> list[Counts]:
    """Count what each metric is made of."""
    from betterthan.scoring.bleu import bleu
    from betterthan.scoring.chrf import chrf
    from betterthan.scoring.ter import ter

    count: dict[str, Callable[..., Counts]] = {
        "bleu": partial(bleu, language=language, tokenize=tokenize),
        "chrf": chrf,
        "chrf++": partial(chrf, word_order=2),
        "ter": ter,
    }
    return [count[metric](texts, missing=missing, **computing) for metric in metrics]


def warn_of_mismatches(texts: Texts) -> None:
    """Warn of what speaks against scoring these files together."""
    outputs = tuple(tuple(line or "" for line in lines) for lines in texts.outputs)
    for code, message in mismatches(texts.systems, outputs, texts.references, texts.sources):
        click.echo(f"warning[{code}]: {printable(as_typed(message))}", err=True)


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
