"""From a run down to a pair and its segments, with what the run keeps."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from starlette.exceptions import HTTPException

from betterthan.errors import BetterThanError
from betterthan.report.document import Words
from betterthan.report.inputs import Inputs
from betterthan.report.one_pair import explained as explained_from
from betterthan.report.one_pair import pair_section
from betterthan.report.page import section_fragment
from betterthan.report.worddiff import marked, plain
from betterthan.results.explanation import Explanation
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts
from betterthan.web.folder import RunFolder
from betterthan.web.kept import kept_texts
from betterthan.web.shelf import Shelf


def inputs_of(scores: Scores, texts: Texts | None = None) -> Inputs:
    """Return what the report's sections are made from; segments that one system lacks are left out of a pair."""
    return Inputs(
        kind="scores", command="", metrics={scores.name: scores}, texts=texts, options={"missing": "drop"}
    )


def explained(scores: Scores, a: str, b: str) -> Explanation:
    """Return the explanation of a pair.

    Raises
    ------
    HTTPException
        409 when the data do not say anything about the pair, with the reason.
    """
    try:
        return explained_from(inputs_of(scores), a, b)
    except BetterThanError as error:
        raise HTTPException(409, str(error)) from error


def pair_html(folder: RunFolder, scores: Scores, a: str, b: str, shelf: Shelf) -> Markup:
    """Return the report's section on a pair as HTML; made once, then taken from the run's folder."""
    i, j = scores.systems.index(a), scores.systems.index(b)
    name = f"pair-{scores.digest}-{i}-{j}.html"
    copy = shelf.get(folder.answers / name)
    if copy is not None:
        return Markup(copy.plain.decode("utf-8"))  # noqa: S704  (written by us, below)
    made = pair_section(inputs_of(scores, kept_texts(folder)), a, b, explained(scores, a, b))
    html = f'<p class="lead">{Markup.escape(made.lead)}</p>{section_fragment(made)}'
    folder.write(name, html)
    return Markup(html)  # noqa: S704  (the report escapes what it shows)


def texts_beside(
    folder: RunFolder, segments: Sequence[str], pair: tuple[str, str]
) -> dict[str, tuple[Words, ...]]:
    """Return the texts of some segments: what all share, then both systems' with the words marked that differ."""
    texts = kept_texts(folder)
    if texts is None:
        return {}
    place = {segment: j for j, segment in enumerate(texts.segments)}
    return {segment: _words(texts, place[segment], pair) for segment in segments if segment in place}


def _words(texts: Texts, j: int, pair: tuple[str, str]) -> tuple[Words, ...]:
    found = [] if texts.sources is None else [plain("source", texts.sources[j])]
    found += [
        plain(name, lines[j]) for name, lines in zip(texts.reference_names, texts.references, strict=False)
    ]
    outputs = {
        system: texts.outputs[texts.systems.index(system)][j] for system in pair if system in texts.systems
    }
    for system, text in outputs.items():
        other = texts.references[0][j] if texts.references else _other(outputs, system)
        found.append(plain(system, text) if text is None or other is None else marked(system, text, other))
    return tuple(found)


def _other(outputs: dict[str, str | None], system: str) -> str | None:
    return next((text for name, text in outputs.items() if name != system), None)
