"""``betterthan study``: an experiment of one of the papers, run again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import workers_options
from betterthan.cli.streams import say
from betterthan.studies.catalogue import STUDIES, CatalogueEntry, listed

if TYPE_CHECKING:
    from betterthan.results.study import Study, StudyTable

_FORMATS = ("table", "markdown", "latex", "html", "csv", "json")


@click.command()
@click.argument("name", required=False)
@click.option("--list", "show_list", is_flag=True, help="List the studies with their data and run times.")
@click.option("--data", multiple=True, metavar="PATH", help="Scores to use. Repeat for several.")
@click.option(
    "--as-published", is_flag=True, help="Follow the released programs instead of the text of the paper."
)
@click.option("--quick", is_flag=True, help="Use fewer draws: seconds instead of minutes.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="An option of the study. Repeat for several.",
)
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="METRIC",
    help="Lower values of this metric are better. Repeat for several.",
)
@click.option(
    "--higher-is-better",
    multiple=True,
    metavar="METRIC",
    help="Higher values of this metric are better. Repeat for several.",
)
@click.option(
    "-o", "--output", metavar="FOLDER", help="Write study.json, all tables and all figures to this folder."
)
@click.option(
    "--figures",
    type=click.Choice(("svg", "png", "pdf")),
    default="svg",
    show_default=True,
    help="File format of the figures that -o writes.",
)
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    default="table",
    show_default=True,
    help="Output format.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=12345,
    envvar="BETTERTHAN_SEED",
    show_default=True,
    help="Seed of the random draws.",
)
@workers_options
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of finished work.")
def study(
    name: str | None,
    data: tuple[str, ...],
    output: str | None,
    format_: str,
    *,
    show_list: bool,
    quick: bool,
    as_published: bool,
    **given: Any,  # noqa: ANN401  (what is passed on)
) -> None:
    """Reproduce the experiment NAME of one of the papers.

    The paper's numbers are shown next to ours, with all differences. Without --data, the study uses the data
    printed in the paper or the example campaign. The cost of the full run is printed first.

    \b
    Examples:
      betterthan study --list
      betterthan study figure-one
      betterthan study paired-simulation --quick -o simulation
      betterthan study paired-disagreement --data tac.csv.gz --data dialogue.csv.gz -o disagreement
    """  # noqa: D301
    if show_list or name is None:
        click.echo(_listing())
        return
    from betterthan.cli.output import COLLECTED, emit

    chosen = listed(name)
    if chosen.options and not quick:
        click.echo(f"{name}: {chosen.cost}{'; --quick takes less' * bool(chosen.quick)}.", err=True)
    asked = {
        "name": name,
        "data": list(data) or None,
        "quick": quick,
        "options": _options(given["settings"]),
        "lower_is_better": given["lower_is_better"],
        "higher_is_better": given["higher_is_better"],
        "rng": given["seed"],
    }
    found = _found(asked, as_published=as_published, given=given)
    if COLLECTED in click.get_current_context().meta:
        emit(found)
        return
    times = _measured(asked)
    if output is not None:
        from betterthan.cli.study_folder import write_study

        n_files = write_study(found, Path(output), times, figures=given["figures"])
        say(f"Wrote {n_files} files to {output}/")
    _show(found, "json" if given["as_json"] else format_)
    _show_times(found, times)


def _listing() -> str:
    return "\n\n".join(_entry(name, entry) for name, entry in STUDIES.items())


def _entry(name: str, entry: CatalogueEntry) -> str:
    options = ", ".join(f"{option}={value}" for option, value in entry.options.items())
    lines = [
        name,
        f"  {entry.question}",
        f"  {entry.paper}.",
        f"  Data: {entry.data}.",
        f"  Cost: {entry.cost}.",
        *([f"  Options: {options}."] if options else []),
    ]
    return "\n".join(lines)


def _found(asked: dict[str, Any], *, as_published: bool, given: dict[str, Any]) -> Study:
    from betterthan.cli.streams import progress_display
    from betterthan.engine.cache import Cache
    from betterthan.studies.study import study as run

    return run(
        **asked,
        as_published=as_published,
        workers=given["workers"],
        cache=None if given["no_cache"] else Cache(),
        progress=progress_display(),
    )


def _measured(asked: dict[str, Any]) -> tuple[StudyTable, ...]:
    """Take the time of what a study wants to be timed; apart from its result, which has no clock in it."""
    from betterthan.studies.study import measured

    return measured(**asked)


def _options(texts: tuple[str, ...]) -> dict[str, str]:
    from betterthan.errors import BetterThanError

    found = {}
    for text in texts:
        option, mark, value = text.partition("=")
        if not mark:
            raise BetterThanError(f'--set "{text}" does not say to what. Write OPTION=VALUE.')
        # An option may be spelled as the command line spells options; its value is the user's.
        found[option.strip().replace("-", "_")] = value.strip()
    return found


def _show(found: Study, format_: str) -> None:
    from betterthan.cli.output import emit, to_stdout
    from betterthan.cli.study_folder import all_tables
    from betterthan.present.tables.study import study_csv

    if format_ == "csv":
        to_stdout("\n".join(study_csv(table) for table in found.tables))
    elif format_ == "json":
        emit(found, format="json")
    else:
        to_stdout(all_tables(found, format_))


def _show_times(found: Study, times: tuple[StudyTable, ...]) -> None:
    """Say times where remarks go, so that the answer has the same bytes every time."""
    from betterthan.present.renderers.text import render_text
    from betterthan.present.tables.study import study_tables

    for table in study_tables(replace(found, tables=times)):
        click.echo(render_text(table), err=True)
