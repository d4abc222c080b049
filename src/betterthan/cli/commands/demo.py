"""``betterthan demo``: a worked example from data to verdict."""

from __future__ import annotations

from pathlib import Path

import click

from betterthan.cli.streams import say
from betterthan.present.printable import printable

STEPS = (
    "check {folder}/human.csv",
    "check {folder}/battles.csv",
    "rank {folder}/human.csv --by mean --by bradley-terry --units groups",
    "compare {folder}/human.csv Aster Birch Cedar --units groups",
    "explain {folder}/human.csv Daphne Elm",
    "rank {folder}/battles.csv",
    "meta {folder}/metrics.tsv --human {folder}/human.csv --p-values analytic",
    "compare {folder}/answers.csv --system model --system prompt",
    "score chrf --reference {folder}/texts/reference.txt {folder}/texts/Aster.txt {folder}/texts/Daphne.txt",
    "tags {folder}/tags/gold.tags {folder}/tags/Finch.tags {folder}/tags/Heron.tags {folder}/tags/Wren.tags --no-pairs",
    "report {folder}/human.csv {folder}/texts/Aster.txt {folder}/texts/Cedar.txt -o {folder}/report.html",
)


@click.command()
@click.option("--output", default="demo", show_default=True, metavar="FOLDER", help="Folder of the example.")
@click.option("--overwrite", is_flag=True, help="Write even if the folder contains other files.")
@click.pass_context
def demo(context: click.Context, output: str, *, overwrite: bool) -> None:
    """Write an example campaign and work through it: check, rank, compare, explain, metrics, texts, tags, a report.

    Eight systems, 300 segments in 30 documents, human scores, four metrics, texts, battles, word tags and repeated
    answers, all simulated by betterthan.
    """
    from betterthan.examples.campaign import campaign
    from betterthan.examples.write import write_campaign

    folder = Path(output)
    files = write_campaign(folder, campaign(), overwrite=overwrite)
    say(f"Wrote {len(files)} files to {folder}/")
    root = context.find_root().command
    for step in STEPS:
        click.echo(f"\n$ betterthan {printable(step.format(folder=folder))}\n")
        root.main(args=[part.format(folder=folder) for part in step.split()], standalone_mode=False)
