"""What of a run's inputs is kept for the pages of its pairs and segments."""

from __future__ import annotations

from dataclasses import replace

from betterthan.read.source import open_source
from betterthan.read.tag_labels import split_words
from betterthan.report.inputs import Inputs
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.web.battle_rows import listed_battles
from betterthan.web.formulas import counts_of_tags, counts_of_texts
from betterthan.web.kept import Battles, Kept
from betterthan.web.look import options_of
from betterthan.web.run import StoredFile
from betterthan.web.worker import Task

Words = tuple[tuple[str, ...], ...]


def kept_of_inputs(inputs: Inputs, task: Task, data: list[StoredFile], words: Words) -> Kept:
    """Return the tables that pages of pairs and segments need, by the kind of data."""
    if inputs.kind == "battles":
        return Kept(battles=_battles(inputs, task, data))
    if inputs.kind == "tags":
        assert inputs.tags is not None  # noqa: S101  (gathered so)
        counts = counts_of_tags(inputs.tags)
        scores = tuple(table.per_segment() for table in counts)
        shown = words if inputs.show_texts else ()
        return Kept(tags=inputs.tags, counts=counts, scores=scores, words=shown)
    if inputs.kind == "texts":
        assert inputs.texts is not None  # noqa: S101
        counts = counts_of_texts(
            inputs.texts, metric=inputs.options.get("metric"), missing=str(inputs.options.get("missing"))
        )
        scores = tuple(table.per_segment() for table in counts)
        return Kept(counts=counts, scores=scores, texts=inputs.texts if inputs.show_texts else None)
    return Kept(scores=_tables(inputs), texts=inputs.texts if inputs.show_texts else None)


def _battles(inputs: Inputs, task: Task, data: list[StoredFile]) -> Battles:
    assert inputs.matches is not None  # noqa: S101
    options, layout = replace(options_of(task.choices), cluster=True), task.choices.format or None
    return listed_battles(data[0].stored, options, inputs.matches, format=layout)


def _tables(inputs: Inputs) -> tuple[Scores, ...]:
    """Return the metrics, with the human scores first where metrics are held against them."""
    metrics = tuple(inputs.metrics.values())
    if inputs.kind != "meta" or inputs.human is None or inputs.human.name in inputs.metrics:
        return metrics
    return (inputs.human, *metrics)


def words_of(files: list[StoredFile], tags: WordTags | None) -> tuple[Words, tuple[str, ...]]:
    """Return the tagged words of every segment, and why there are none where they do not fit the tags."""
    if tags is None or not files:
        return (), ()
    file = files[0]
    found = tuple(tuple(split_words(line)) for line in open_source(file.stored).lines())
    if len(found) != len(tags.segments):
        said = f"{file.name} has {len(found)} lines and the tags {len(tags.segments)} segments"
        return (), (f"{said}; tags are shown without words.",)
    lengths = (tags.offsets[1:] - tags.offsets[:-1]).tolist()
    odd = [
        segment
        for segment, words, n in zip(tags.segments, found, lengths, strict=True)
        if n not in (len(words), 2 * len(words) + 1, len(words) + 1)
    ]
    if odd:
        said = f"In {file.name} the number of words is not that of the tags in {len(odd)} segments, such as {odd[0]}"
        return found, (f"{said}; there, tags are shown without words.",)
    return found, ()
