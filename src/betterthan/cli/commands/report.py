"""``betterthan report`` and ``serve``: everything that can be said about the data, as one HTML file or in a browser."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    computing_options,
    memory_size,
    metric_option,
    missing_option,
    reading_options,
    units_option,
)
from betterthan.cli.streams import refuse_overwriting, say
from betterthan.errors import BetterThanError, MissingExtra

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.web.settings import WebSettings


# Under this key the command finds the list that takes the report instead of a file: see `betterthan verify`.
COMPOSED = "betterthan.reports"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default="report.html", show_default=True, metavar="FILE", help="Output file.")
@click.option(
    "--question",
    type=click.Choice(["auto", "scores", "battles", "meta", "texts", "tags", "quality"]),
    default="auto",
    show_default=True,
    help="Question of the report; auto infers it from the data.",
)
@click.option("--human", metavar="FILE", help="Human scores, for a report on metrics.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="FILE",
    help="Reference texts, one segment per line. Repeat for several references.",
)
@click.option("--source", metavar="FILE", help="Source texts, shown next to the outputs.")
@metric_option("The main metric. [default: the first in the file]")
@click.option(
    "-l", "--language-pair", metavar="LP", help="The language pair, such as en-de, if there are several."
)
@click.option("--gold", metavar="NAME", help="Human scores of a folder to use, such as mqm.")
@click.option(
    "--leave-out",
    multiple=True,
    metavar="SYSTEM",
    help="A system to leave out, by name or pattern, such as 'Human-*'. Repeat for several.",
)
@missing_option("Reject empty cells, or leave out their segments.")
@click.option("--no-texts", is_flag=True, help="Leave out all texts, for confidential data.")
@units_option
@reading_options
@computing_options
def report(
    files: tuple[str, ...],
    output: str,
    options: Options,
    format_in: str | None,
    *,
    language_pair: str | None,
    gold: str | None,
    no_texts: bool,
    resamples: int | None,
    **given: Any,  # noqa: ANN401  (what the report takes)
) -> None:
    """Write a report on FILE as one HTML page: verdict, ranking, pairs, segments, data check, method.

    FILE contains scores, battles or metrics, or is a folder of the WMT metrics task. Otherwise the FILEs are the
    outputs of systems, with --reference, or tags or predicted quality, with the gold file first. Outputs given
    after a file of scores are shown with its segments. The page needs no network and contains the command that
    reproduces it.

    \b
    Examples:
      betterthan report scores.csv -o report.html
      betterthan report scores.csv ours.txt base.txt --reference ref.txt --source src.txt
      betterthan report metrics.tsv --human mqm.tsv
      betterthan report wmt23/ --language-pair en-de
      betterthan report battles.parquet
      betterthan report ours=a.txt base=b.txt --reference ref.txt
      betterthan report gold.tags ours.tags base.tags test.mt
      betterthan report gold.hter ours.hter base.hter
    """  # noqa: D301
    from betterthan.cli.computing import computing_arguments
    from betterthan.cli.wording import typed_option
    from betterthan.report.compose import compose, write_report

    if resamples is not None:
        raise click.UsageError("A report has its own numbers of resamples. Leave out --resamples.")
    arguments = computing_arguments(
        {**{name: given.pop(name) for name in ("seed", "workers", "no_cache")}, "resamples": None}
    )
    asked = {
        **given,
        **arguments,
        "options": replace(options, language_pair=language_pair, gold=gold),
        "format": format_in,
        "texts": not no_texts,
    }
    meta = click.get_current_context().meta
    if COMPOSED in meta:
        meta[COMPOSED].append(compose(list(files), **asked))
        return
    refuse_overwriting(output)
    if Path(output).suffix.lower() not in (".html", ".htm", ""):
        name = Path(output).with_suffix(".html").name
        raise BetterThanError(
            f"A report is a page for a browser. Call it {name}; the browser prints it as PDF."
        )
    written = write_report(output, *files, spelling=typed_option(), **asked)
    size = Path(written).stat().st_size / 1024
    say(f"Wrote {written} ({size:.0f} KB, opens without network)")


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8737,
    show_default=True,
    help="Port; 0 selects a free one.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the runs. [default: BETTERTHAN_RUNS, or the platform's folder for data]",
)
@click.option(
    "--token",
    envvar="BETTERTHAN_TOKEN",
    help="Token that callers must present. Other users can see command-line options, so prefer "
    "BETTERTHAN_TOKEN. [default: a new one]",
)
@click.option("--no-token", is_flag=True, help="Give every user of this machine access.")
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Another name by which the server may be addressed. Repeat for several.",
)
@click.option(
    "--upload",
    default=200,
    show_default=True,
    type=click.IntRange(1, 1 << 20),
    help="Largest upload, in megabytes.",
)
@click.option(
    "--memory",
    default="4GB",
    show_default=True,
    type=memory_size,
    metavar="SIZE",
    help="Memory limit of a worker, at least 512MB.",
)
@click.option(
    "--seconds",
    default=3600,
    show_default=True,
    type=click.IntRange(1, 10**7),
    help="Time limit of a run, in seconds.",
)
@click.option(
    "--rows",
    default=20_000_000,
    show_default=True,
    type=click.IntRange(1, 10**12),
    help="Largest number of rows of a run.",
)
@click.option(
    "--jobs", default=2, show_default=True, type=click.IntRange(1, 1024), help="Number of runs at a time."
)
@click.option(
    "--executor",
    metavar="ADDRESS",
    envvar="BETTERTHAN_EXECUTOR",
    help="Compute on the Dask cluster at dask://HOST:PORT. It does not affect the results.",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def serve(
    files: tuple[Path, ...],
    *,
    port: int,
    open_page: bool,
    executor: str | None,
    **given: Any,  # noqa: ANN401  (click's)
) -> None:
    """Start the local web app: drop files, see what was recognized, get a report, inspect pairs and segments.

    Runs are kept until you delete them. The printed address contains a token: anyone who opens it is signed in, and
    no one else has access. Other machines can reach the server only with --host.

    \b
    Examples:
      betterthan serve --open
      betterthan serve scores.csv
      betterthan serve --host 0.0.0.0
    """  # noqa: D301
    try:
        from betterthan.web.serving import serve as run
    except ImportError as error:
        raise MissingExtra("The web app", extra="web") from error

    if executor is not None:
        from betterthan.engine.cluster import ENVIRONMENT, scheduler_at

        scheduler_at(executor)  # a mistyped address is an error now, not in every run
        os.environ[ENVIRONMENT] = executor  # the server's workers connect themselves
    settings = _settings(**given)

    def ready(where: str) -> None:
        click.echo(f"Serving at {where}  (Ctrl-C stops)", err=True)
        if settings.token is None:
            click.echo("Without a token, every user of this machine can read and delete the runs.", err=True)

    run(settings, port=port, files=files, ready=ready, launch=click.launch if open_page else None)
    click.echo("Stopped. Runs are kept; start the server again to see them.", err=True)


def _settings(
    *,
    host: str,
    folder: Path | None,
    token: str | None,
    no_token: bool,
    names: tuple[str, ...],
    upload: int,
    memory: int,
    seconds: int,
    rows: int,
    jobs: int,
) -> WebSettings:
    from betterthan.web.settings import (
        LEAST_MEMORY,
        LOOPBACK,
        MEGABYTE,
        ServerLimits,
        WebSettings,
        default_folder,
        new_token,
    )

    if no_token and token:
        raise click.UsageError(
            "--no-token excludes a token (--token or BETTERTHAN_TOKEN). Leave one of them out."
        )
    if no_token and host not in LOOPBACK:
        raise click.UsageError(
            f"Other machines can reach a server on {host}: it needs a token. Leave out --no-token."
        )
    return WebSettings(
        folder=folder or default_folder(),
        host=host,
        token=None if no_token else token or new_token(),
        names=tuple(name.lower() for name in names),
        limits=ServerLimits(
            upload_bytes=upload * MEGABYTE,
            memory_bytes=max(memory, LEAST_MEMORY),
            run_seconds=seconds,
            rows=rows,
            runs=jobs,
        ),
    )
