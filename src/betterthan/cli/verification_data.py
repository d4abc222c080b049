"""A result that does not say by which command it was made: only its data can be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from betterthan.cli.receipt_differences import n_numbers
from betterthan.cli.verification import Verdict
from betterthan.errors import BetterThanError
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any
from betterthan.read.tag_files import read_tags
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores

_OF_ONE_TABLE = ("agreement", "diagnosis", "explanation", "judges", "kept_pairs", "pairwise", "ranking")
_OF_TAGS = ("audition", "tag_ranking")


def data_verdict(result: Mapping[str, Any], name: str, files: Sequence[str]) -> Verdict:
    """Compare the digest of a result's data with those of the tables that can be read from the files.

    Such a result never counts as equal: whoever takes the command out of a result could change every number in it.

    Raises
    ------
    BetterThanError
        For a kind of result whose data are not one table.
    """
    kind, settings = result.get("kind"), result.get("settings")
    recorded = settings.get("data") if isinstance(settings, Mapping) else None
    if kind not in (*_OF_ONE_TABLE, *_OF_TAGS):
        raise BetterThanError(
            f"{name} does not say by which command it was made, and its data are not one table, so that nothing can "
            f"be compared. Make it on the command line, with -o result.json."
        )
    found = list(_tag_digests(files) if kind in _OF_TAGS else _digests(files, _systems(result)))
    why = "It does not say by which command it was made, as results made in Python do not"
    if recorded not in found:
        return Verdict(
            False,
            (
                (
                    f"{name}: the data differ: recorded {recorded}, in the files "
                    f"{', '.join(dict.fromkeys(found)) or 'none'}."
                ),
                f"  {why}. The names of table and columns count too: was another file or another option used?",
            ),
        )
    return Verdict(
        False,
        (
            f"{name}: not verified. {why}, so that none of its {n_numbers(result):,} numbers was computed again.",
            f"  Only the data were compared: they are those of the files ({recorded}).",
            "  hint: make the result on the command line, with -o result.json; then every number can be verified.",
        ),
    )


def _systems(result: Mapping[str, Any]) -> list[str]:
    """Return the systems that a result is about, where it is about some only."""
    given = result.get("systems", [result.get("a"), result.get("b")])
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


def _digests(files: Sequence[str], systems: Sequence[str]) -> Iterator[str]:
    """Yield the digests of every table in the files: whole, without missing segments, of some systems only."""
    for file in files:
        for table in read_any(file).tables:
            yield table.digest
            scores = table.to_scores() if isinstance(table, Ratings) else table
            if isinstance(scores, Scores):
                yield from _of_scores(scores, systems)
            elif isinstance(table, Matches):
                yield from (each.digest for each in read_any(file, Options(cluster=True)).tables)


def _of_scores(scores: Scores, systems: Sequence[str]) -> Iterator[str]:
    known = [name for name in systems if name in scores.systems]
    # A result lists systems from best to worst; they may have been chosen so, the other way round, or as they stood.
    orders = [list(scores.systems), known, known[::-1], [name for name in scores.systems if name in known]]
    for order in orders:
        if order:
            chosen = scores.select(order)
            yield chosen.digest
            yield chosen.complete(missing="drop").digest


def _tag_digests(files: Sequence[str]) -> Iterator[str]:
    """Yield the digest of the tags, with each file as the gold one in turn: the order is not known."""
    for gold in files:
        others = [file for file in files if file != gold]
        if others:
            yield read_tags(gold, others).digest
