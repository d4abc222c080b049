"""``betterthan demo``: a worked example from data to verdict."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--output", default="demo", show_default=True, metavar="FOLDER", help="Where the example goes.")
@click.option("--overwrite", is_flag=True, help="Write over an earlier example in that folder.")
def demo(output: str, *, overwrite: bool) -> None:
    """Write an example campaign, check it, and rank its systems.

    Eight systems, 300 segments in 30 documents, human scores, four metrics, texts, battles and word tags,
    all made by betterthan itself.
    """
    from betterthan.analysis.rank import rank
    from betterthan.cli.output import emit
    from betterthan.examples.campaign import campaign
    from betterthan.examples.write import write_campaign
    from betterthan.read.check import check
    from betterthan.read.scores import read_scores

    folder = Path(output)
    files = write_campaign(folder, campaign(), overwrite=overwrite)
    click.echo(f"Wrote {len(files)} files to {folder}{'' if output.endswith('/') else '/'}", err=True)
    for name in ("human.csv", "metrics.tsv", "battles.csv"):
        _step(f"betterthan check {folder / name}")
        emit(check(str(folder / name)), format=None, output=None, as_json=False, color="auto")
    _step(f"betterthan rank {folder / 'human.csv'} --resample groups")
    scores = read_scores(folder / "human.csv")
    emit(rank(scores, resample="groups"), format=None, output=None, as_json=False, color="auto")


def _step(command: str) -> None:
    click.echo(f"\n$ {command}\n")
