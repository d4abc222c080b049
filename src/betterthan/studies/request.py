"""What a study is asked: data, reading, size, and how the work is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from betterthan import __version__
from betterthan.analysis.computing import Computing
from betterthan.arrays import digest
from betterthan.results.settings import Settings
from betterthan.results.study import Study, StudyChart, StudyTable
from betterthan.studies.catalogue import Listed, Value
from betterthan.studies.setups import Setup, demo_setups, setups_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A study as it was asked for.

    Attributes
    ----------
    name : str
    listed : Listed
    setups : tuple of Setup
        The user's data; empty for the study's own or the demo campaign.
    as_published : bool
        Follow the released programs instead of the words of the paper.
    quick : bool
    seed : int
    options : dict
        Every option of the study, with its value.
    computing : Computing
    """

    name: str
    listed: Listed
    setups: tuple[Setup, ...]
    as_published: bool
    quick: bool
    seed: int
    options: dict[str, Value]
    computing: Computing

    def number(self, name: str) -> int:
        """Return an option that is a whole number."""
        return int(self.options[name])

    def setups_or_demo(self) -> tuple[Setup, ...]:
        """Return the user's setups, or those of the demo campaign."""
        return self.setups or demo_setups()

    def key(self, *more: object) -> str:
        """Return what finished blocks are found again by: everything their results depend on."""
        parts = (self.name, setups_digest(self.setups), self.as_published, self.seed)
        return " ".join(
            map(str, (*parts, sorted(self.options.items()), digest(*map(str, more)), __version__))
        )

    def answer(
        self,
        *,
        tables: Sequence[StudyTable],
        charts: Sequence[StudyChart] = (),
        sentences: Sequence[str] = (),
        differences: Sequence[str] = (),
        notes: Sequence[str] = (),
        used: Sequence[Setup] = (),
        draws: bool = True,
        is_own: bool = False,
    ) -> Study:
        """Return the result with its settings.

        `used` are the setups it was computed from, `draws` says whether anything was drawn, and `is_own` that the data
        are those printed in the paper, not the demo campaign.
        """
        is_demo = used and not self.setups and not is_own
        own = ("Run on the demo campaign, because no data were named.",) if is_demo else ()
        read = dict.fromkeys(note for setup in used for note in setup.scores.notes)
        return Study(
            name=self.name,
            question=self.listed.question,
            paper=self.listed.paper,
            reading="as_published" if self.as_published else "text",
            tables=tuple(tables),
            charts=tuple(charts),
            sentences=tuple(sentences),
            differences=tuple(differences),
            notes=(*own, *notes, *read),
            settings=Settings(
                method=f"study {self.name}",
                options={
                    "reading": "as_published" if self.as_published else "text",
                    **self.options,
                    "quick": True if self.quick else None,
                    "setups": len(used) or None,
                },
                seed=self.seed if draws else None,
                data=setups_digest(used),
            ),
        )
