"""A campaign as a folder of files in common layouts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from betterthan.errors import BetterThanError
from betterthan.examples.campaign import METRIC_DIGITS, Battle, Campaign, ModelAnswer
from betterthan.messages import Message, Option
from betterthan.writing import write_whole

MARKER = "<!-- betterthan: example campaign -->"

_README = """\
{marker}
# An example evaluation campaign

Systems, texts, judges and scores are invented by betterthan; nothing here was measured. {m} systems translate
{n} segments in {n_documents} documents ({domains}) from an invented language into English. Seed {seed}.

| file | what it is |
|---|---|
| `human.csv` | human scores from 0 to 100, one row per segment, one column per system; with document and domain |
| `metrics.tsv` | scores of {metrics}, one row per score; lower is better for {lower} |
| `battles.csv` | {n_battles} votes of human judges: `model_a`, `model_b`, `tie` or `both_bad` |
| `answers.csv` | right (1) or wrong (0): two models, two prompts, {n_questions} questions, five runs each |
| `texts/source.txt`, `texts/reference.txt` | the source and its reference translation, one line per segment |
| `texts/<system>.txt` | the output of each system, one line per segment |
| `tags/output.mt` | the output of {tagged}, tokenized, one line per segment |
| `tags/gold.tags` | `OK` or `BAD` for each of its tokens; a word left out has no tag |
| `tags/<tagger>.tags` | the same as predicted by {taggers} |

chrF, TER and Length are computed on the texts; Learned stands for a metric trained on human scores.

## How it was made

- Aster makes the fewest mistakes by far and Hazel the most.
- Birch and Cedar make equally many. Birch paraphrases, which readers do not mind, but chrF and TER do.
- Daphne is built on Elm and avoids some of its mistakes, but it breaks off long segments. With seed 2024 it
  wins against Elm more often than not, by little, while Elm has the higher mean.
- Fern makes few mistakes in health texts and many in all others.
- Some documents are hard for all systems, and each system has documents that suit it: segments of one
  document are not independent, and intervals that resample documents are wider.
- Finch is the best tagger; Heron cries wolf, Lark misses much, Wren guesses.
- Linden knows more than Maple, and thinking in steps helps Linden only. Some runs go better than others as a whole.
"""


def write_campaign(folder: Path | str, campaign: Campaign, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write a campaign as a folder of CSV, TSV, text and tag files with a README.

    A folder that holds an earlier campaign is written over; any other folder must be empty or new. Files that
    are not part of a campaign are never touched.

    Parameters
    ----------
    folder : path
        Made, with its parents, if it does not exist.
    campaign : Campaign
        What to write.
    overwrite : bool, default False
        Write into a folder that holds other files too; those with the name of a campaign's file are replaced.

    Returns
    -------
    tuple of Path
        The files written, the README first.

    Raises
    ------
    BetterThanError
        The folder is a file, or it is not empty and is no earlier campaign.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from betterthan.examples.campaign import campaign
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_campaign(folder, campaign())
    >>> [path.name for path in paths[:4]], len(paths)
    (['README.md', 'human.csv', 'metrics.tsv', 'battles.csv'], 21)
    """
    place = Path(folder)
    _check(place, overwrite=overwrite)
    written = []
    for name, lines in _contents(campaign).items():
        path = place / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BetterThanError(
                f"{path.parent} cannot be made ({error.strerror}). Choose another place."
            ) from error
        write_whole(path, "".join(f"{line}\n" for line in lines))
        written.append(path)
    return tuple(written)


def _check(place: Path, *, overwrite: bool) -> None:
    if place.exists() and not place.is_dir():
        raise BetterThanError(f'"{place}" is a file. Name a folder to write the example campaign to.')
    if overwrite or not place.is_dir() or not any(place.iterdir()) or _is_campaign(place):
        return
    raise BetterThanError(
        Message(
            'The folder "{folder}" is not empty and holds no earlier example campaign. Name a new folder, '
            "or use {overwrite} to write into it.",
            folder=place,
            overwrite=Option("overwrite", True),
        )
    )


def _is_campaign(place: Path) -> bool:
    readme = place / "README.md"
    return readme.is_file() and readme.read_bytes().startswith(MARKER.encode())


def _contents(campaign: Campaign) -> dict[str, Iterable[str]]:
    tags = campaign.tags
    return {
        "README.md": _readme(campaign).splitlines(),
        "human.csv": _human(campaign),
        "metrics.tsv": _metrics(campaign),
        "battles.csv": (",".join(row) for row in (Battle._fields, *campaign.battles)),
        "answers.csv": (",".join(map(str, row)) for row in (ModelAnswer._fields, *campaign.answers)),
        "texts/source.txt": campaign.source,
        "texts/reference.txt": campaign.reference,
        **{f"texts/{system}.txt": lines for system, lines in campaign.outputs.items()},
        "tags/output.mt": map(" ".join, tags.tokens),
        "tags/gold.tags": map(" ".join, tags.gold),
        **{f"tags/{tagger}.tags": map(" ".join, lines) for tagger, lines in tags.predicted.items()},
    }


def _human(campaign: Campaign) -> Iterable[str]:
    yield ",".join(("segment", "doc", "domain", *campaign.systems))
    labels = zip(campaign.segments, campaign.documents, campaign.domains, strict=True)
    for label, scores in zip(labels, campaign.human.T, strict=True):
        yield ",".join((*label, *(f"{score:.0f}" for score in scores)))


def _metrics(campaign: Campaign) -> Iterable[str]:
    yield "metric\tsystem\tsegment\tdoc\tscore"
    for metric, table in campaign.metrics.items():
        for system, row in zip(campaign.systems, table, strict=True):
            for segment, document, score in zip(campaign.segments, campaign.documents, row, strict=True):
                yield f"{metric}\t{system}\t{segment}\t{document}\t{score:.{METRIC_DIGITS}f}"


def _readme(campaign: Campaign) -> str:
    return _README.format(
        marker=MARKER,
        seed=campaign.seed,
        m=len(campaign.systems),
        n=len(campaign.segments),
        n_documents=len(set(campaign.documents)),
        domains=", ".join(dict.fromkeys(campaign.domains)),
        metrics=", ".join(campaign.metrics),
        lower=", ".join(sorted(campaign.lower_is_better)),
        n_battles=len(campaign.battles),
        n_questions=len({row.item for row in campaign.answers}),
        tagged=campaign.tags.system,
        taggers=", ".join(campaign.tags.predicted),
    )
