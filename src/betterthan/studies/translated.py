"""Translations that studies of aggregation are run on: texts with references, and what people say of the systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, digest
from betterthan.errors import BetterThanError
from betterthan.examples.campaign import campaign
from betterthan.read.protocol import Options
from betterthan.read.scores import read_scores
from betterthan.read.sniff import read_any
from betterthan.results.study import Study
from betterthan.studies.against_people import HUMAN
from betterthan.studies.asked import Asked
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts


class Translated(NamedTuple):
    """One data set: outputs of systems with a reference, human scores, and other metrics where there are any.

    Attributes
    ----------
    dataset : str
        A language pair at its end, such as "wmt23 en-zh", chooses the tokeniser.
    texts : Texts
    human : Scores or None
        Of segments, or one score a system; its name, such as "MQM" or "DA", says which means it enters.
    metrics : dict of str to Scores
        Read as they are given; the mean of segments is the score of a system.
    """

    dataset: str
    texts: Texts
    human: Scores | None = None
    metrics: Mapping[str, Scores] = {}


Given = (
    Texts
    | Translated
    | Mapping[str, Texts | Translated]
    | Sequence[Translated]
    | str
    | Path
    | Sequence[str | Path]
)


def read_translated(data: Given) -> tuple[Translated, ...]:
    """Read translations: tables at hand, or folders that hold ``texts`` and perhaps ``human.csv``.

    A folder is that of the texts themselves, or has them in ``texts``; human scores are a file beside that is called
    ``human``, ``people``, ``mqm`` or ``da``.

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
    found = _named(data)
    for one in found:
        if not one.texts.references:
            raise BetterThanError(
                f'There is no reference for "{one.dataset}", so that nothing can be scored.'
            )
    if not found:
        raise no_texts()
    return tuple(found)


def no_texts() -> BetterThanError:
    """Return what is said when no texts were named."""
    return BetterThanError(
        "This study takes texts: outputs of systems with a reference. Name a folder that holds them (and human.csv, if "
        "people scored them), or a mapping of names to Texts."
    )


def _named(data: Given) -> list[Translated]:
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
    return [one if isinstance(one, Translated) else _read(Path(one)) for one in several]


def _is_text(one: object) -> bool:
    return isinstance(one, Texts | Translated)


def _read(folder: Path) -> Translated:
    place = folder / "texts" if (folder / "texts").is_dir() else folder
    tables = [one for one in read_any(str(place), Options()).tables if isinstance(one, Texts)]
    if not tables:
        raise no_texts()
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    judged = [path for path in files if path.is_file() and path.name.split(".")[0].lower() in HUMAN]
    if not judged:
        return Translated(folder.name, tables[0])
    human = read_scores(judged[0])
    return Translated(folder.name, _as_judged(tables[0], human, judged[0].name), human)


def _as_judged(texts: Texts, human: Scores, name: str) -> Texts:
    """Texts have lines and no names of segments; as many rows of human scores in the same order name them."""
    if set(texts.segments) & set(human.segments) or len(texts.segments) != human.n_segments:
        return texts
    note = f"Lines of the texts were matched with the rows of {name} by their order."
    return replace(texts, segments=human.segments, notes=(*texts.notes, note))


@cache
def demo_translated() -> tuple[Translated, ...]:
    """Return the demo campaign, a data set for each of its domains."""
    made = campaign()
    found = []
    for domain in dict.fromkeys(made.domains):
        places = [i for i, own in enumerate(made.domains) if own == domain]
        segments = tuple(made.segments[i] for i in places)
        texts = Texts(
            systems=made.systems,
            segments=segments,
            outputs=tuple(tuple(made.outputs[name][i] for i in places) for name in made.systems),
            references=(tuple(made.reference[i] for i in places),),
        )
        human, learned = (
            Scores(name=name, systems=made.systems, segments=segments, values=values[:, places])
            for name, values in (("human", made.human), ("Learned", made.metrics["Learned"]))
        )
        found.append(Translated(domain, texts, human, {"Learned": learned}))
    return tuple(found)


def translated_or_demo(asked: Asked, translated: Sequence[Translated] | None) -> tuple[Translated, ...]:
    """Return the user's translations, or those of the demo campaign; scores are refused."""
    if asked.setups:
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


def answered(found: Study, used: Sequence[Translated], *, is_demo: bool) -> Study:
    """Return the result with what is to be said about the texts, and their digest in its settings."""
    own = ("Run on the demo campaign, because no texts were named.",) if is_demo else ()
    read = tuple(dict.fromkeys(note for one in used for note in one.texts.notes))
    parts = [
        (
            one.dataset,
            one.texts.digest,
            one.human.digest if one.human is not None else "",
            *(f"{name} {scores.digest}" for name, scores in one.metrics.items()),
        )
        for one in used
    ]
    return replace(
        found, notes=(*own, *found.notes, *read), settings=replace(found.settings, data=digest(*parts))
    )
