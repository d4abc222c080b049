"""From files and folders on the command line to metrics and human scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from betterthan.errors import BetterThanError, some_of, unknown_name
from betterthan.read.doubts.chosen_columns import refuse_unknown_directions, refuse_unused
from betterthan.read.formats.metrics_task.metrics_folder import MetricsFolder, read_pair
from betterthan.read.formats.metrics_task.metrics_folder_files import open_folder, pairs_of
from betterthan.read.formats.metrics_task.metrics_folder_reader import FORMAT, with_conditions
from betterthan.read.protocol import Options
from betterthan.read.scores import runs_as_one, scores_of, the_metric
from betterthan.read.several.several_files import refuse_other_languages
from betterthan.read.sniff import read_any
from betterthan.tables.scores import Scores

Metrics = dict[str, Scores]


def meta_tables(
    sources: Sequence[str],
    options: Options,
    format_in: str | None,
    *,
    human: str | None,
    only: Sequence[str],
    pairs_wanted: Sequence[str],
    gold: str | None,
    reference: str | None,
) -> tuple[Metrics | dict[str, Metrics], Scores | dict[str, Scores]]:
    """Read what the command was given; several language pairs give a mapping of each."""
    folders = [source for source in sources if Path(source).is_dir()]
    if folders and len(sources) > 1:
        raise BetterThanError(f"Name one folder, or any number of files; {some_of(sources)} are both.")
    if folders:
        if format_in is not None:
            raise BetterThanError("--format-in is for files. Leave it out for a folder.")
        chosen = replace(options, gold=gold, reference=reference)
        return _of_folder(folders[0], chosen, human=human, only=only, wanted=pairs_wanted)
    for option, given in (("--language-pair", pairs_wanted), ("--reference", reference)):
        if given:
            raise BetterThanError(
                f"{option} is for folders of the WMT metrics task. For files use --where COLUMN=VALUE."
            )
    if human is None:
        raise BetterThanError("Name the file with the human scores: --human FILE.")
    given = runs_as_one(sources, options) if format_in is None else sources
    named = [file if isinstance(file, str) else file.name for file in given]
    readings = [
        (name, read_any(file, options, format=format_in))
        for name, file in zip((human, *named), (human, *given), strict=True)
    ]
    refuse_other_languages(readings)
    # One score a system is enough for correlations over systems.
    judged, *scored = (scores_of(reading, path=file, system_level=True) for file, reading in readings)
    if gold is None and len(judged) > 1:
        raise BetterThanError(
            f"{human} has several human scores: {some_of(list(judged))}. Choose one: --gold NAME."
        )
    people = the_metric(judged, gold, human)
    found = _once(named, scored)
    refuse_unknown_directions(options, [*found, *judged])
    return _chosen(found, only), people


def _once(sources: Sequence[str], scored: Sequence[Metrics]) -> Metrics:
    """Return the metrics of all files; none may be in two of them."""
    found: Metrics = {}
    for source, tables in zip(sources, scored, strict=True):
        for name, table in tables.items():
            if name in found:
                raise BetterThanError(
                    f'The metric "{name}" stands in two of the files; the second is {source}.'
                )
            found[name] = table
    return found


def _of_folder(
    path: str, options: Options, *, human: str | None, only: Sequence[str], wanted: Sequence[str]
) -> tuple[Metrics | dict[str, Metrics], Scores | dict[str, Scores]]:
    if human is not None:
        raise BetterThanError(
            "A folder has its own human scores. Leave out --human, or choose among them with --gold."
        )
    refuse_unused(options, FORMAT, path=path)
    options, domain = with_conditions(options)
    named = list(dict.fromkeys(pair for given in wanted for pair in given.split(",")))
    if named and options.language_pair not in (None, *named):
        raise BetterThanError(
            f"--where lp={options.language_pair} contradicts --language-pair {', '.join(named)}. "
            f"Leave one of the two out."
        )
    folder = open_folder(path)
    pairs = [options.language_pair] if options.language_pair else named or pairs_of(folder)
    read = {
        pair: read_pair(folder, replace(options, language_pair=pair), domain=domain).folder for pair in pairs
    }
    refuse_unknown_directions(
        options, {name for found in read.values() for name in (*found.human, *found.metrics)}
    )
    people = {pair: _gold_of(found) for pair, found in read.items()}
    metrics = {pair: _chosen(dict(found.metrics), only) for pair, found in read.items()}
    if len(pairs) == 1:
        return metrics[pairs[0]], people[pairs[0]]
    return metrics, people


def _gold_of(folder: MetricsFolder) -> Scores:
    if folder.gold is None:
        raise BetterThanError(
            f"{folder.name} has several human scores for {folder.language_pair}: {some_of(list(folder.human))}. "
            f"Choose one with --gold."
        )
    return folder.human[folder.gold]


def _chosen(metrics: Mapping[str, Scores], only: Sequence[str]) -> Metrics:
    for name in only:
        if name not in metrics:
            raise unknown_name("metric", name, metrics)
    return {name: table for name, table in metrics.items() if not only or name in only}
