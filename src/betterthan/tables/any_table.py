"""Union of all kinds of tables."""

from __future__ import annotations

from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

AnyTable = Scores | Counts | Matches | Ratings | Runs | WordTags | Texts
