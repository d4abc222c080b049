"""What ``sacrebleu --sentence-level`` prints: a line for each segment, with its metric, signature and score."""

from __future__ import annotations

import re

from betterthan.errors import ReadError
from betterthan.read.formats.toolkits.toolkit_json import ScoreRow, scores_reading
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="sacrebleu_lines",
    kind="scores",
    description="lines printed by sacreBLEU for single segments: METRIC|SIGNATURE = SCORE",
)
# The signature begins with the number of references, in the long or the short spelling.
_line = re.compile(
    r"(?P<metric>[^\s|]{1,40})\|(?P<signature>(?:nrefs|#):[^\s=]*) = (?P<score>\S+)(?: .*)?"
).fullmatch


def sniff(source: Source) -> Guess | None:
    """Recognise a line of metric, signature and score."""
    if source.is_folder or source.is_parquet or source.head[:1] in b"[{":
        return None
    lines = [line.rstrip("\r\n") for line in first_lines(source) if line.strip()]
    if lines and _line(lines[0]):
        return Guess(
            confidence=0.98, because="each line is METRIC|SIGNATURE = SCORE, as sacreBLEU prints segments"
        )
    return None


def read(source: Source, options: Options) -> Reading:
    """Read segment scores of one system, named by the file; the k-th line is the k-th segment."""
    found = sniff(source)
    rows: list[ScoreRow] = []
    signatures: dict[str, int] = {}
    blank = 0
    for number, line in enumerate(source.lines(), 1):
        if not line.strip():
            blank = blank or number
            continue
        match = _line(line)
        if match is None or blank:
            raise _no_score(line if match is None else "", blank or number, source)
        signatures.setdefault(f"{match['metric']}|{match['signature']}", number)
        rows.append(ScoreRow(str(number), source.stem, match["metric"], match["score"]))
    if len(signatures) > 1:
        raise _mixed(signatures, source)
    return scores_reading(
        rows,
        source,
        options,
        format=FORMAT,
        because=found.because if found else "the format was named",
        notes=[f"Scored by {signature}." for signature in signatures],
        by_position=True,
    )


def _no_score(line: str, number: int, source: Source) -> ReadError:
    what = (
        f"{quoted(line)} is no score of a segment" if line else "The line is empty, so segments would shift"
    )
    return ReadError(
        f"{what}. Keep only the lines METRIC|SIGNATURE = SCORE that sacrebleu -sl prints.",
        path=source.name,
        line=number,
        code="BT190",
    )


def _mixed(signatures: dict[str, int], source: Source) -> ReadError:
    first, second = list(signatures)[:2]
    return ReadError(
        f"The signature changes from {quoted(first, limit=90)} to {quoted(second, limit=90)}, so the scores are not "
        f"of one kind. Keep one run a file.",
        path=source.name,
        line=signatures[second],
        code="BT191",
    )
