"""``betterthan cache``: what is kept of long runs, and how to be rid of it."""

from __future__ import annotations

import click


@click.group()
def cache() -> None:
    """Look at, or clear, the finished parts of long runs."""


@cache.command()
def info() -> None:
    """Say where finished parts are kept and how much space they take."""
    from betterthan.engine.cache import Cache

    kept = Cache()
    found = kept.info()
    click.echo(f"{kept.folder}: {found.entries:,} parts, {found.bytes / 2**20:,.1f} MB")


@cache.command()
def clear() -> None:
    """Remove all finished parts; running work is not hurt, it only computes again."""
    from betterthan.engine.cache import Cache

    kept = Cache()
    found = kept.info()
    kept.clear()
    click.echo(f"Removed {found.entries:,} parts, {found.bytes / 2**20:,.1f} MB", err=True)
