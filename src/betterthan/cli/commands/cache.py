"""``betterthan cache``: what is kept of long runs, and how to be rid of it."""

from __future__ import annotations

import click


@click.group()
def cache() -> None:
    """Show or clear the stored parts of long runs."""


@cache.command()
def info() -> None:
    """Show where parts are stored and how much space they use."""
    from betterthan.engine.cache import Cache

    kept = Cache()
    found = kept.info()
    click.echo(f"{kept.folder}: {found.entries:,} parts, {found.bytes / 2**20:,.1f} MB")


@cache.command()
def clear() -> None:
    """Remove all stored parts. Commands that are running recompute what they need."""
    from betterthan.engine.cache import Cache

    kept = Cache()
    found = kept.info()
    kept.clear()
    click.echo(f"Removed {found.entries:,} parts, {found.bytes / 2**20:,.1f} MB", err=True)
