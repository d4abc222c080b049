"""``betterthan human``: from single human judgments to scores that can be trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_SEGMENTS
from betterthan.cli.options import (
    Command,
    computing_options,
    confidence_option,
    metric_option,
    output_options,
    reading_options,
    units_option,
)
from betterthan.cli.streams import refuse_overwriting, say

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.base import Result
    from betterthan.results.ranking import Ranking
    from betterthan.tables.matches import Matches
    from betterthan.tables.ratings import Ratings
    from betterthan.tables.scores import Scores


@click.group()
def human() -> None:
    """Rank systems by human judgments: direct assessment, relative ranking or MQM.

    \b
    betterthan human da judgments.csv    scores from 0 to 100, by segment and judge
    betterthan human rr rankings.csv      rankings of several systems, one per row
    betterthan human mqm errors.tsv       errors marked by raters
    """  # noqa: D301


def _shared(command: Command) -> Command:
    """Add what judgments of outputs have in common: quality control, ranking and files to write."""
    for add in reversed(_SHARED):
        command = add(command)
    return command


_SHARED = (
    click.option("--drop-judges", is_flag=True, help="Leave out judges who fail quality control."),
    click.option(
        "--max-variance-ratio",
        type=float,
        default=2.0,
        show_default=True,
        help="Largest acceptable variance of a judge's differences from the others, as a multiple of "
        "the median judge's.",
    ),
    click.option(
        "--control",
        "controls",
        multiple=True,
        metavar="BAD=GOOD",
        help="A degraded system or segment and its original; a careful judge scores it lower. Repeat "
        "for several.",
    ),
    click.option(
        "--min-judgements",
        type=click.IntRange(1, MOST_SEGMENTS),
        default=1,
        show_default=True,
        help="Leave out outputs with fewer judgments.",
    ),
    click.option("--scores-to", metavar="FILE", help="Write the scores as a tidy table (.csv, .parquet, …)."),
    units_option,
    confidence_option,
)


@human.command()
@click.argument("file")
@metric_option("The score, if the file has several.")
@click.option("--raw", is_flag=True, help="Do not standardize each judge's scores.")
@_shared
@click.option(
    "--darr",
    type=float,
    metavar="MARGIN",
    help="Derive a relative ranking from pairs at least this far apart.",
)
@click.option("--matches-to", metavar="FILE", help="Write the relative ranking to this file, as matches.")
@click.option(
    "--by-margin", is_flag=True, help="Also show the share of pairs that each margin keeps, by raw scores."
)
@reading_options
@output_options
def da(
    file: str,
    options: Options,
    format_in: str | None,
    metric: str | None,
    raw: bool,  # noqa: FBT001  (click passes every option by name)
    darr: float | None,
    matches_to: str | None,
    by_margin: bool,  # noqa: FBT001
    **given: Any,  # noqa: ANN401
) -> list[Result]:
    """Rank the systems in FILE by direct assessment: one judgment per row, from 0 to 100.

    Each judge's scores are standardized, repeated judgments are averaged, and the system scores are adjusted for
    segments on which only some systems were judged. A relative ranking (--darr) uses the raw scores.

    \b
    Examples:
      betterthan human da judgments.csv
      betterthan human da judgments.csv --drop-judges --control A#bad=A
      betterthan human da judgments.csv --raw --scores-to scores.csv
      betterthan human da judgments.csv --darr 25 --matches-to pairs.csv --by-margin
    """  # noqa: D301
    from betterthan.analysis.human.identical_outputs import kept_pairs
    from betterthan.errors import BetterThanError

    if (darr is None) != (matches_to is None):
        raise BetterThanError(
            "--darr MARGIN and --matches-to FILE belong together: how far apart, and where to."
        )
    table = _judgements(file, replace(options, name=options.name or "DA"), format_in, metric)
    kept, results = _cleaned(table, given)
    results = [_ranked(kept, given, standardize=not raw), *results]
    if darr is not None and matches_to is not None:
        _write(_relative(kept, darr), matches_to)
    return [*results, kept_pairs(kept)] if by_margin else results


@human.command()
@click.argument("file")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="[CATEGORY/]SEVERITY=NUMBER",
    help="Weight of an error, if not the usual one: major 5, minor 1, minor Fluency/Punctuation "
    "0.1, Non-translation 25. Repeat for several.",
)
@click.option("--standardize", is_flag=True, help="Standardize each rater's scores.")
@_shared
@output_options
def mqm(file: str, weights: tuple[str, ...], standardize: bool, **given: Any) -> list[Result]:  # noqa: ANN401, FBT001
    """Rank the systems in FILE by MQM: one error per row, with category and severity.

    An output's score is minus the weighted sum of its errors, averaged over raters.

    \b
    Examples:
      betterthan human mqm mqm.tsv
      betterthan human mqm mqm.tsv --weight Critical=10 --weight Style/Minor=0.5
      betterthan human mqm mqm.tsv --units groups --scores-to mqm.csv
    """  # noqa: D301
    from betterthan.read.formats.wmt.mqm import read_mqm

    ratings = read_mqm(file, weights={key: _number(key, value) for key, value in map(_parted, weights)})
    kept, results = _cleaned(ratings, given)
    return [_ranked(kept, given, standardize=standardize), *results]


@human.command()
@click.argument("file")
@click.option(
    "--by",
    type=click.Choice(["bradley-terry", "trueskill", "win-rate", "elo"]),
    multiple=True,
    default=("bradley-terry",),
    show_default=True,
    help="Rating method. Repeat for several.",
)
@click.option("--languages", metavar="PAIR", help="The language pair, if the file has several.")
@click.option(
    "--identical",
    type=click.Choice(["tie", "drop"]),
    default="tie",
    show_default=True,
    help="How to count systems with identical outputs that were shown as one.",
)
@click.option(
    "--ties",
    type=click.Choice(["half", "drop", "davidson", "rao-kupper"]),
    help="Treatment of ties in Bradley–Terry. [default: half]",
)
@click.option(
    "--prior",
    type=float,
    default=0.0,
    help="Wins and losses added to every system in Bradley–Terry; 0.5 is usual.",
)
@click.option("--matches-to", metavar="FILE", help="Write the matches, one pair per row.")
@confidence_option
@computing_options
@output_options
def rr(
    file: str,
    by: tuple[str, ...],
    languages: str | None,
    identical: str,
    matches_to: str | None,
    **given: Any,  # noqa: ANN401
) -> list[Result]:
    """Rank the systems in FILE by relative rankings: one ranking of several systems by a judge per row.

    Rank 1 is best, equal ranks are ties, and -1 means not judged. Files with two systems per row (WMT16) are read
    as well. All judgments by one judge form one cluster in the intervals.

    \b
    Examples:
      betterthan human rr wmt15.csv --languages Czech-English
      betterthan human rr wmt16.ron-eng.csv --by trueskill --by bradley-terry
    """  # noqa: D301
    from betterthan.analysis.rank.rank import of_each_method, rank
    from betterthan.cli.computing import computing_arguments

    matches = _rankings(file, languages, identical)
    if matches_to is not None:
        _write(matches, matches_to)
    methods = [method.replace("-", "_") for method in by]
    # The scale is ours, so that it need not matter to any of the methods.
    scale = {"scale": "elo"} if "bradley_terry" in methods else {}
    ties = {"ties": (given.pop("ties") or "default").replace("-", "_")}
    each = of_each_method(matches, methods, {**computing_arguments(given), **given, **ties, **scale})
    return [rank(matches, by=method, **own) for method, own in each]


def _judgements(file: str, options: Options, format_in: str | None, metric: str | None) -> Ratings | Scores:
    """Read single judgments, or means of them where the file has no judges."""
    from betterthan.read.grid.selection import refuse_unknown_directions
    from betterthan.read.scores import judgements_of
    from betterthan.read.sniff import read_any
    from betterthan.tables.ratings import Ratings
    from betterthan.tables.scores import Scores

    reading = read_any(file, options, format=format_in)
    names = [table.name for table in reading.tables if isinstance(table, Ratings | Scores)]
    refuse_unknown_directions(options, names)
    chosen = judgements_of(reading, metric, path=file)
    return chosen if len(names) == 1 else replace(chosen, name=f"{options.name} {chosen.name}")


def _cleaned(table: Ratings | Scores, given: dict[str, Any]) -> tuple[Ratings | Scores, list[Result]]:
    """Look at the judges where they are known, and leave out who fails when that is asked for."""
    from betterthan.analysis.human.judges import judges
    from betterthan.errors import BetterThanError
    from betterthan.tables.ratings import Ratings

    drop, ratio = given.pop("drop_judges"), given.pop("max_variance_ratio")
    controls = dict(map(_parted, given.pop("controls")))
    if not isinstance(table, Ratings):
        if drop or controls:
            raise BetterThanError(
                "The file has no column of judges, so none can be tested. Name it with --judge COLUMN."
            )
        return table, []
    found = judges(table, max_variance_ratio=ratio, controls=controls)
    if drop:
        return found.kept(table), [found]
    return table.without_items(systems=found.control_systems, segments=found.control_segments), [found]


def _ranked(table: Ratings | Scores, given: dict[str, Any], *, standardize: bool) -> Ranking:
    from betterthan.analysis.human.rank_ratings import rank_ratings
    from betterthan.tables.ratings import Ratings

    least, target = given.pop("min_judgements"), given.pop("scores_to")
    if isinstance(table, Ratings):
        table = (table.standardized() if standardize else table).to_scores(min_judgements=least)
        if standardize:
            table = replace(table, name=f"{table.name} (z)")
    if target is not None:
        _write(table, target)
    return rank_ratings(table, **given)


def _relative(table: Ratings | Scores, margin: float) -> Matches:
    from betterthan.analysis.human.identical_outputs import as_ratings
    from betterthan.tables.scores import Scores

    return (as_ratings(table) if isinstance(table, Scores) else table).to_matches(margin=margin)


def _rankings(file: str, languages: str | None, identical: str) -> Matches:
    from betterthan.errors import BetterThanError
    from betterthan.read.formats.battles.rankings import read_rankings
    from betterthan.read.protocol import Options
    from betterthan.read.sniff import read_any, sniff
    from betterthan.read.source.source import open_source
    from betterthan.tables.matches import Matches

    source = open_source(file)
    if sniff(source).format == "rankings":  # type: ignore[arg-type]  # an opened source is as good
        return read_rankings(source, languages=languages, identical=identical)  # type: ignore[arg-type]
    table = next(iter(read_any(source, Options(cluster=True)).tables), None)
    if not isinstance(table, Matches):
        raise BetterThanError(
            f"{file} holds no rankings. Columns system1Id, system1rank, system2Id, … are needed."
        )
    return table


def _write(table: Scores | Matches, target: str) -> None:
    from betterthan.read.write.write import summary, write_table

    refuse_overwriting(target)
    write_table(table, target)
    say(f"Wrote {target}: {summary(table)}")


def _parted(text: str) -> tuple[str, str]:
    from betterthan.errors import BetterThanError

    key, sign, value = text.rpartition("=")
    if not sign or not key or not value:
        raise BetterThanError(f'"{text}" has no "=". Write NAME=VALUE.')
    return key, value


def _number(key: str, value: str) -> float:
    from betterthan.errors import BetterThanError

    try:
        return float(value)
    except ValueError as error:
        raise BetterThanError(f'The weight of "{key}" must be a number, not "{value}".') from error
