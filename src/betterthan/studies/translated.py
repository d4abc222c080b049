"""Translations that studies of aggregation are run on: texts with references, and human scores of the systems.

Tables with a translation and its reference in each row are grouped into systems as the paper on aggregation does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, digest
from betterthan.errors import BetterThanError, some_of
from betterthan.examples.campaign import campaign
from betterthan.read.formats.tables.parallel_text import read_texts
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Options
from betterthan.read.scores import read_metrics
from betterthan.read.sniff import read_any
from betterthan.read.source.source import open_source
from betterthan.results.study import Study
from betterthan.studies.human_panels import HUMAN
from betterthan.studies.request import StudyRequest, with_data
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_OUTPUT = ("hypothesis", "hyp", "mt", "translation", "output", "target")
_REFERENCE = ("reference", "ref")
_SYSTEM = ("system", "systemname", "model")
_SEGMENT = ("segment", "segid", "segmentid", "item", "itemid", "id", "line")
_GROUPS = (
    ("datasettype", "type", "collection"),
    ("dataset", "testset", "corpus", "domain"),
    ("lp", "langpair", "languagepair"),
)
"""Columns that distinguish data sets, the language pair last, as its name ends the name of a data set."""


class GroupedTexts(NamedTuple):
    """Outputs of the systems of one data set, which is named by its group."""

    dataset: str
    texts: Texts


class _Translation(NamedTuple):
    """One translation."""

    group: str
    system: str
    segment: str
    output: str
    reference: str


def is_text_table(header: Sequence[str]) -> bool:
    """Return whether a table has a translation and its reference in each row.

    Examples
    --------
    >>> is_text_table(["lp", "system", "hypothesis", "reference"]), is_text_table(["system", "score"])
    (True, False)
    """
    return _place(header, _OUTPUT) is not None and _place(header, _REFERENCE) is not None


def grouped_texts(grid: Grid, name: str) -> list[GroupedTexts]:
    """Group the rows by data set and system: by type of data set, data set and language pair, where there are columns.

    Segments are those of a column that names them; otherwise the rows of each system are in the same order. Systems
    with other segments than the rest, as in challenge sets, are data sets of their own.

    Raises
    ------
    BetterThanError
        Where a segment has two translations by one system, or two references.
    """
    by_group: dict[str, dict[str, list[_Translation]]] = {}
    for row in _rows(grid, name):
        by_group.setdefault(row.group, {}).setdefault(row.system, []).append(row)
    found = [one for group, systems in by_group.items() for one in _datasets(group, systems)]
    n_systems = sum(len(one.texts.systems) for one in found)
    note = f"{grid.n_rows:,} rows of {name} are {n_systems:,} systems in {len(found):,} data sets."
    first = found[0]
    found[0] = first._replace(texts=replace(first.texts, notes=(note,)))
    return found


def _place(header: Sequence[str], names: Sequence[str]) -> int | None:
    called = [plain(column) for column in header]
    return next((called.index(name) for name in names if name in called), None)


def _rows(grid: Grid, name: str) -> list[_Translation]:
    def column(names: Sequence[str]) -> list[str] | None:
        place = _place(grid.header, names)
        return None if place is None else grid.texts(place)

    outputs, references = column(_OUTPUT) or [], column(_REFERENCE) or []
    systems = column(_SYSTEM) or [name] * grid.n_rows
    parts = [values for values in map(column, _GROUPS) if values is not None]
    groups = [" ".join(cells) for cells in zip(*parts, strict=True)] if parts else [name] * grid.n_rows
    segments = column(_SEGMENT) or _numbered(groups, systems)
    return [
        _Translation(*cells) for cells in zip(groups, systems, segments, outputs, references, strict=True)
    ]


def _numbered(groups: Sequence[str], systems: Sequence[str]) -> list[str]:
    """Number the rows of every system of a group."""
    seen: dict[tuple[str, str], int] = {}
    numbers = []
    for key in zip(groups, systems, strict=True):
        seen[key] = seen.get(key, 0) + 1
        numbers.append(str(seen[key]))
    return numbers


def _datasets(group: str, systems: dict[str, list[_Translation]]) -> list[GroupedTexts]:
    """Return the systems of a group together that have the same segments with the same references."""
    together: dict[tuple[tuple[str, str], ...], dict[str, dict[str, str]]] = {}
    for system, rows in systems.items():
        outputs = {row.segment: row.output for row in rows}
        if len(outputs) < len(rows):
            raise BetterThanError(
                f'"{system}" has two translations of a segment of "{group}". Name data set and segment in columns.'
            )
        segments = tuple(sorted((row.segment, row.reference) for row in rows))
        together.setdefault(segments, {})[system] = outputs
    found = []
    for number, (segments, outputs_of) in enumerate(together.items(), start=1):
        ids = tuple(segment for segment, _ in segments)
        texts = Texts(
            systems=tuple(outputs_of),
            segments=ids,
            outputs=tuple(tuple(outputs[segment] for segment in ids) for outputs in outputs_of.values()),
            references=(tuple(reference for _, reference in segments),),
        )
        # The language pair stays at the end of the name.
        start, _, end = group.rpartition(" ")
        label = group if number == 1 else f"{start or 'part'} ({number}) {end}"
        found.append(GroupedTexts(label, texts))
    return found


_PAIRS = ("lp", "langpair", "languagepair")


class Translated(NamedTuple):
    """One data set: outputs of systems with a reference, human scores, and other metrics where there are any.

    Attributes
    ----------
    dataset : str
        A language pair at its end, such as "wmt23 en-zh", chooses the tokenizer.
    texts : Texts
    human : Scores or None
        Of segments, or one score per system; its name, such as "MQM" or "DA", says which means it enters.
    metrics : dict of str to Scores
        Read as they are given; the mean of segments is the score of a system.
    """

    dataset: str
    texts: Texts
    human: Scores | None = None
    metrics: Mapping[str, Scores] = {}


TranslationData = (
    Texts
    | Translated
    | Mapping[str, Texts | Translated]
    | Sequence[Translated]
    | str
    | Path
    | Sequence[str | Path]
)


def read_translated(data: TranslationData) -> tuple[Translated, ...]:
    """Read translations: tables at hand, or folders of texts with human scores of them.

    A folder is that of the texts themselves, or has them in ``texts``, or has outputs in ``sys`` and references beside
    (``ref*``, of which the first is used), as the collections of WMT do; or it has such folders in it, one a language
    pair. Human scores are a file there, or one beside a language pair's folder with a column for the pair, whose name
    begins with ``human``, ``people``, ``mqm`` or ``da``; scores of other metrics likewise, one that begins with
    ``metrics``. A file is a table with the columns hypothesis and reference, whose rows are grouped by type of data
    set, data set, language pair and system.

    Raises
    ------
    BetterThanError
        When there are no texts with a reference.

    Examples
    --------
    >>> (one,) = read_translated(demo_translated()[0])
    >>> one.dataset, one.texts
    ('news', Texts(8 systems × 100 segments, 1 reference))
    """
    translated = _named(data)
    for one in translated:
        if not one.texts.references:
            raise BetterThanError(
                f'There is no reference for "{one.dataset}", so that nothing can be scored.'
            )
    if not translated:
        raise no_texts()
    return tuple(translated)


def no_texts() -> BetterThanError:
    """Return what is said when no texts were named."""
    return BetterThanError(
        "This study takes texts: outputs of systems with a reference. Name a folder that holds them (and human.csv, if "
        "there are human scores), a table with the columns hypothesis and reference, or a mapping of names to Texts."
    )


def _named(data: TranslationData) -> list[Translated]:
    if isinstance(data, Translated):
        return [data]
    if isinstance(data, Texts):
        return [Translated("texts", data)]
    if isinstance(data, Mapping):
        pairs = [(str(name), one) for name, one in data.items()]
        return [
            one if isinstance(one, Translated) else Translated(name, one)
            for name, one in pairs
            if _is_text(one)
        ]
    several = [data] if isinstance(data, str | Path) else data
    if not isinstance(several, Sequence):
        raise no_texts()
    return [
        dataset for one in several for dataset in ([one] if isinstance(one, Translated) else _read(Path(one)))
    ]


def _is_text(one: object) -> bool:
    return isinstance(one, Texts | Translated)


def _read(folder: Path) -> list[Translated]:
    """A data set, or one for each folder of a language pair, or one for each group of a table of texts."""
    if folder.is_file():
        return _read_table(folder)
    inner = sorted(folder.glob("*/sys")) or sorted(folder.glob("*/texts")) if folder.is_dir() else []
    if not inner or _has_texts(folder):
        return [_read_one(folder, folder.name)]
    return [_read_one(place.parent, f"{folder.name} {place.parent.name}") for place in inner]


def _read_table(path: Path) -> list[Translated]:
    """Data sets of a table that has a translation and its reference in each row."""
    with open_grid(open_source(str(path))) as grid:
        if not is_text_table(grid.header):
            raise no_texts()
        return [Translated(*each) for each in grouped_texts(grid, path.name.split(".")[0])]


def _has_texts(folder: Path) -> bool:
    return (folder / "sys").is_dir() or (folder / "texts").is_dir()


def _read_one(folder: Path, name: str) -> Translated:
    texts, metrics = _texts(folder), _metrics(folder)
    path = _beside(folder, HUMAN)
    human = None if path is None else _human(path, folder)
    if path is None or human is None:
        return Translated(name, texts, None, metrics)
    return Translated(name, _as_judged(texts, human, path.name), human, metrics)


def _texts(folder: Path) -> Texts:
    if (folder / "sys").is_dir():
        systems = {path.name.split(".")[0]: path for path in sorted((folder / "sys").iterdir())}
        references = sorted(path for path in folder.glob("[rR]ef*") if path.is_file())
        texts = read_texts(systems, references=references[:1])
        more = f"Of {len(references)} references the first was used." if len(references) > 1 else ""
        return replace(texts, notes=(*texts.notes, more)) if more else texts
    place = folder / "texts" if (folder / "texts").is_dir() else folder
    tables = [one for one in read_any(str(place), Options()).tables if isinstance(one, Texts)]
    if not tables:
        raise no_texts()
    return tables[0]


def _beside(folder: Path, kinds: Sequence[str]) -> Path | None:
    """The file of such a name in a folder, or beside it when that may be cut by language pair."""
    places = [folder, folder.parent] if target(folder.name) else [folder]
    files = (path for place in places if place.is_dir() for path in sorted(place.iterdir()))
    return next((path for path in files if path.is_file() and _kind(path) in kinds), None)


def _kind(path: Path) -> str:
    return path.name.lower().split(".")[0].split("_")[0]


def _human(path: Path, folder: Path) -> Scores | None:
    """Human scores, called after their kind; None when the file does not have the language pair."""
    tables = _tables(path, folder)
    if not tables:
        return None
    # Official scores of systems come as z and raw; the first is what systems are ranked by.
    called = {name.lower(): table for name, table in tables.items()}
    table = next((called[name] for name in (*HUMAN, "z") if name in called), next(iter(tables.values())))
    kind = _kind(path)
    return replace(table, name=kind.upper() if kind in {"mqm", "da"} else kind)


def _metrics(folder: Path) -> dict[str, Scores]:
    path = _beside(folder, ("metrics",))
    return {} if path is None else _tables(path, folder)


def _tables(path: Path, folder: Path) -> dict[str, Scores]:
    """Scores of a file; a file beside the folder is cut by its language pair, and has none when it is not in it."""
    if path.parent == folder:
        return read_metrics(path)
    with open_grid(open_source(str(path))) as grid:
        column = next((name for name in grid.header if plain(name) in _PAIRS), None)
        known = () if column is None else grid.labels(grid.header.index(column)).names
    return read_metrics(path, where={column: folder.name}) if column and folder.name in known else {}


def target(dataset: str) -> str:
    """Return the target language that a name ends in; empty when it names none.

    Examples
    --------
    >>> target("wmt23 en-zh"), target("news")
    ('zh', '')
    """
    parts = dataset.lower().replace("_", "-").split()[-1:]
    pair = parts[0].split("-") if parts else []
    return pair[1] if len(pair) == 2 and all(2 <= len(part) <= 3 for part in pair) else ""


def _as_judged(texts: Texts, human: Scores, name: str) -> Texts:
    """Texts have lines and no names of segments; as many rows of human scores in the same order name them."""
    lines = set(texts.segments)
    unknown = [segment for segment in human.segments if segment not in lines]
    if 0 < len(unknown) < human.n_segments:
        raise BetterThanError(
            f"{name} scores segments of which the texts have some by name and others not ({some_of(unknown)}): they "
            f"would be joined with the wrong lines. Number its segments as the lines of the texts are, from 1."
        )
    if not unknown:  # the human scores number the lines of the texts
        return replace(texts, row_order=human.row_order)
    if len(texts.segments) != human.n_segments:
        return texts
    note = f"Lines of the texts were matched with the rows of {name} by their order."
    return replace(texts, segments=human.segments, row_order=human.row_order, notes=(*texts.notes, note))


def on_judged(one: Translated) -> Translated:
    """Return a data set without the systems and segments without human scores; as it is without human scores.

    Where there is one human score a system, all segments stay.

    Examples
    --------
    >>> (one, *_) = demo_translated()
    >>> some = one._replace(human=one.human.select(one.human.systems[:5], one.human.segments[:30]))
    >>> on_judged(some).texts
    Texts(5 systems × 30 segments, 1 reference)
    """
    if one.human is None:
        return one
    both = [name for name in one.texts.systems if name in one.human.systems]
    human = one.human.select(systems=both)
    if human.n_segments == 1:
        return one._replace(texts=one.texts.select(both), human=human)
    gaps = np.isnan(human.values).sum(axis=0).tolist()
    judged = {segment for segment, n_gaps in zip(human.segments, gaps, strict=True) if not n_gaps}
    lines = [segment for segment in one.texts.segments if segment in judged]
    return one._replace(texts=one.texts.select(both, lines), human=human.select(segments=lines))


@cache
def demo_translated() -> tuple[Translated, ...]:
    """Return the demo campaign, a data set for each of its domains."""
    demo = campaign()
    translated = []
    for domain in dict.fromkeys(demo.domains):
        places = [i for i, segment_domain in enumerate(demo.domains) if segment_domain == domain]
        segments = tuple(demo.segments[i] for i in places)
        texts = Texts(
            systems=demo.systems,
            segments=segments,
            outputs=tuple(tuple(demo.outputs[name][i] for i in places) for name in demo.systems),
            references=(tuple(demo.reference[i] for i in places),),
        )
        human, learned = (
            Scores(name=name, systems=demo.systems, segments=segments, values=values[:, places])
            for name, values in (("human", demo.human), ("Learned", demo.metrics["Learned"]))
        )
        translated.append(Translated(domain, texts, human, {"Learned": learned}))
    return tuple(translated)


def translated_or_demo(
    request: StudyRequest, translated: Sequence[Translated] | None
) -> tuple[Translated, ...]:
    """Return the user's translations, or those of the demo campaign; scores are refused."""
    if request.setups:
        raise no_texts()
    return tuple(translated) if translated else demo_translated()


def system_means(scores: Scores, systems: Sequence[str]) -> FloatArray:
    """Return the mean goodness of each system over what was scored; NaN where a system has no score.

    Examples
    --------
    >>> scores = Scores(name="MQM", systems=["A", "B"], segments=["1", "2"], values=[[1, 3], [float("nan"), 5]])
    >>> system_means(scores, ["B", "C", "A"])
    array([ 5., nan,  2.])
    """
    known = dict(zip(scores.systems, scores.goodness, strict=True))
    rows = [known.get(name, np.array([np.nan])) for name in systems]
    return np.array([np.mean(row[~np.isnan(row)]) if (~np.isnan(row)).any() else np.nan for row in rows])


def with_texts(study: Study, used: Sequence[Translated], *, is_demo: bool) -> Study:
    """Return the result with the notes of the texts, and the digest of all tables in its settings."""
    parts = [
        (
            one.dataset,
            one.texts.digest,
            one.human.digest if one.human is not None else "",
            *(f"{name} {scores.digest}" for name, scores in one.metrics.items()),
        )
        for one in used
    ]
    return with_data(
        study,
        notes=(note for one in used for note in one.texts.notes),
        data=digest(*parts),
        demo_instead_of="texts" if is_demo else "",
    )
