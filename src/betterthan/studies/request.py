"""The request for a study: data, reading, size, and how the work is carried out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from betterthan.analysis.resampling import BlockFunction, Computing, Resampling, WorkPayload
from betterthan.arrays import digest
from betterthan.engine.blocks import Result
from betterthan.results.settings import Settings
from betterthan.results.study import Study, StudyChart, StudyTable
from betterthan.studies.catalogue import CatalogueEntry, OptionChoice
from betterthan.studies.reporting import Claim, claims_table, conclusion
from betterthan.studies.setups import Setup, demo_setups, setups_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRequest:
    """A study with its data, reading and options.

    Attributes
    ----------
    name : str
    listed : CatalogueEntry
    setups : tuple of Setup
        The user's data; empty for the study's own or the demo campaign.
    as_published : bool
        Follow the released programs instead of the words of the paper.
    quick : bool
    options : dict
        Every option of the study, with its value.
    resampling : Resampling
        The seed, and how the work is carried out.
    """

    name: str
    listed: CatalogueEntry
    setups: tuple[Setup, ...]
    as_published: bool
    quick: bool
    options: dict[str, OptionChoice]
    resampling: Resampling

    @property
    def seed(self) -> int:
        """Of all random numbers."""
        return self.resampling.seed

    @property
    def computing(self) -> Computing:
        """How the work is carried out."""
        return self.resampling.computing

    def number(self, name: str) -> int:
        """Return an option that is a whole number."""
        return int(self.options[name])

    def setups_or_demo(self) -> tuple[Setup, ...]:
        """Return the user's setups, or those of the demo campaign."""
        return self.setups or demo_setups()

    def run(
        self,
        name: str,
        payload: WorkPayload,
        block: BlockFunction[WorkPayload, Result],
        *,
        parts: tuple[range, ...],
        key: Sequence[object] = (),
        label: str = "",
        uses: Literal["threads", "processes"] = "threads",
    ) -> list[Result]:
        """Run a block function over all parts; see :meth:`betterthan.analysis.resampling.Resampling.run`.

        `key` is what the results depend on beside the setups, the reading, the options and the seed.
        """
        settings = (self.name, setups_digest(self.setups), self.as_published, sorted(self.options.items()))
        resampling = replace(self.resampling, digest=" ".join(map(str, settings)))
        extra = digest(*map(str, key))
        return resampling.run(name, payload, block, parts=parts, key=extra, label=label or name, uses=uses)

    def answer(
        self,
        *,
        tables: Sequence[StudyTable],
        claims: Sequence[Claim] = (),
        charts: Sequence[StudyChart] = (),
        sentences: Sequence[str] = (),
        differences: Sequence[str] = (),
        notes: Sequence[str] = (),
        used: Sequence[Setup] = (),
        draws: bool = True,
        is_from_paper: bool = False,
    ) -> Study:
        """Return the result with its settings.

        `claims` become a table of their own, and the first sentence says whether they hold. `used` are the setups it
        was computed from, `draws` says whether anything was drawn, and `is_from_paper` that the data are those printed
        in the paper, not the demo campaign.
        """
        is_demo = used and not self.setups and not is_from_paper
        demo_notes = ("Run on the demo campaign, because no data were named.",) if is_demo else ()
        read = dict.fromkeys(note for setup in used for note in setup.scores.notes)
        return Study(
            name=self.name,
            question=self.listed.question,
            paper=self.listed.paper,
            reading="as_published" if self.as_published else "text",
            tables=(*tables, *([claims_table(claims)] if claims else [])),
            charts=tuple(charts),
            sentences=(*([conclusion(claims)] if claims else []), *sentences),
            differences=tuple(differences),
            notes=(*demo_notes, *notes, *read),
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


def with_data(study: Study, *, notes: Iterable[str], data: str, demo_instead_of: str = "") -> Study:
    """Return a study with the notes and the digest of data that are not setups.

    `demo_instead_of` names the data that were not there, where the study was run on the demo campaign.
    """
    demo = (f"Run on the demo campaign, because no {demo_instead_of} were named.",) if demo_instead_of else ()
    return replace(
        study,
        notes=(*demo, *study.notes, *dict.fromkeys(notes)),
        settings=replace(study.settings, data=data),
    )
