"""From a run down to a pair and its segments, with what the run keeps."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from betterthan.errors import BetterThanError
from betterthan.report.inputs import Inputs
from betterthan.report.one_pair import explained as explained_from
from betterthan.report.one_pair import pair_section
from betterthan.report.page import section_fragment
from betterthan.report.worddiff import marked, plain
from betterthan.results.base import Result
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts
from betterthan.web.folder import RunFolder
from betterthan.web.kept import kept_texts
from betterthan.web.shelf import Shelf
from betterthan.web.tilde import tilde


def inputs_of(scores: Scores, texts: Texts | None = None) -> Inputs:
    """Return what the report's sections are made from; segments that one system lacks are left out of a pair."""
    return Inputs(
        kind="scores", command="", metrics={scores.name: scores}, texts=texts, options={"missing": "drop"}
    )


def explained(scores: Scores, a: str, b: str) -> Result:
    """Return the explanation of a pair."""
    return explained_from(inputs_of(scores), a, b)
