"""``betterthan serve``: the same answers in a browser, on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import memory_size
from betterthan.errors import MissingExtra

if TYPE_CHECKING:
    from betterthan.web.settings import WebSettings


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
