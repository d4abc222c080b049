"""What the API answers, as documented types."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from betterthan.web.routes.choices import ChoicesIn
from betterthan.web.runs.run import RunRecord, RunState


class ApiAnswer(BaseModel):
    """Any answer: made by us, so nothing is converted."""

    model_config = ConfigDict(from_attributes=True)


class Wrong(ApiAnswer):
    """What is wrong, and what to do."""

    error: str


class FileOut(ApiAnswer):
    """A file of a run."""

    name: str = Field(description="As it is shown; never a path.")
    digest: str = Field(description="SHA-256 of its bytes.")
    size: int


class RunOut(ApiAnswer):
    """A run."""

    id: str
    created: float = Field(description="Seconds since 1970.")
    state: RunState
    title: str
    kind: str
    verdict: str = Field(description="The answer in words; empty until done.")
    problem: str = Field(description="Why it failed; empty otherwise.")
    files: list[FileOut]
    choices: ChoicesIn

    @classmethod
    def of(cls, run: RunRecord) -> RunOut:
        """Return a run as the API shows it."""
        names = ("id", "created", "state", "title", "kind", "verdict", "problem")
        return cls(
            **{name: getattr(run, name) for name in names},
            files=[FileOut.model_validate(file) for file in run.files],
            choices=ChoicesIn.model_validate(run.choices.to_dict()),
        )


class RunList(ApiAnswer):
    """Runs, the newest first."""

    total: int
    runs: list[RunOut]


class ProgressOut(ApiAnswer):
    """How far a run is; a total of 0 means that the amount of work is unknown."""

    state: RunState
    label: str
    done: int
    total: int


class ProblemOut(ApiAnswer):
    """A problem or a warning: code, place, and a message that ends with what to do."""

    code: str
    title: str
    place: str
    message: str
    is_doubt: bool


class LookedAt(ApiAnswer):
    """What was recognized in a file."""

    name: str
    size: int
    format: str
    kind: str
    because: str
    part: str
    contents: list[str]
    rows_read: int
    rows_kept: int
    dropped: dict[str, int]
    header: list[str]
    n_columns: int
    rows: list[list[str]]
    preview_columns: list[str]
    preview: list[list[str]]
    problems: list[ProblemOut]
    n_problems: int
    notes: list[str]
    unused: str = Field("", description="Why the file is not used for the question; empty if it is.")


class Look(ApiAnswer):
    """What was recognized in all files, and the question they can answer."""

    question: str
    files: list[LookedAt]


class Results(ApiAnswer):
    """All results of a run, each in the schema of the command line's JSON."""

    title: str
    kind: str
    headline: str
    verdict: str
    notes: list[str]
    command: str
    results: dict[str, Any]


class ItemOut(ApiAnswer):
    """A segment: scores in the order of the systems, and by how much a is better than b."""

    segment: str
    group: str
    scores: list[float | None]
    difference: float | None


class ItemsOut(ApiAnswer):
    """A page of segments."""

    metric: str
    systems: list[str]
    a: str
    b: str
    total: int
    page: int
    pages: int
    items: list[ItemOut]


class BattleOut(ApiAnswer):
    """A battle, or a kind of battle with how often it was fought; no winner is a tie."""

    left: str
    right: str
    winner: str | None
    weight: float
    segment: str
    judge: str


class BattlesOut(ApiAnswer):
    """A page of battles."""

    total: int
    weight: float
    page: int
    pages: int
    battles: list[BattleOut]


class PlaceOut(ApiAnswer):
    """The rank and strength of a system in one run."""

    rank: int
    strength: float | None
    low: float | None
    high: float | None


class ChangeTestOut(ApiAnswer):
    """The paired test of a system against itself, on the segments that both runs have."""

    effect: float | None = Field(description="Positive where the system became better.")
    low: float | None
    high: float | None
    pvalue: float | None = Field(description="Of this system by itself.")
    adjusted: float | None = Field(description="For all systems in both runs.")
    is_significant: bool
    n_segments: int
    units: str


class MoveOut(ApiAnswer):
    """A system in both runs."""

    system: str
    before: PlaceOut | None
    after: PlaceOut | None
    change: float | None
    test: ChangeTestOut | None = Field(description="None where no paired test can be made.")


class ComparisonOut(ApiAnswer):
    """What two runs say of the same ranking."""

    result: str
    method: str
    metric: str = Field(description="Of the later ranking; empty for battles.")
    unit: str
    is_same_measure: bool
    renamed: tuple[str, str] | None = Field(description="The metric's names, where they differ.")
    differences: list[tuple[str, str, str]]
    moves: list[MoveOut]
    note: str = Field(description="What must be known about the tests.")


class ExampleOut(ApiAnswer):
    """An example to begin with."""

    name: str
    title: str
    about: str


class Health(ApiAnswer):
    """That the server answers, and its version."""

    version: str
    runs: int
