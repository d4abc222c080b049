"""What holds for all studies: they run on nothing and on data, survive JSON, and do not depend on who did the work."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.engine.cache import Cache
from betterthan.errors import BetterThanError, UnknownName
from betterthan.present.charts.save import chart_bytes
from betterthan.present.charts.study import study_chart
from betterthan.present.charts.theme import DARK
from betterthan.present.tables.study import study_csv, study_table, study_tables
from betterthan.results.base import Result
from betterthan.results.study import StudyChart, StudyTable
from betterthan.studies.catalogue import PAIRED, STUDIES, listed
from betterthan.studies.study import study

SMALL = {
    "paired-simulation": {"generator": "offsets", "repeats": 1, "orders": 1},
    "paired-disagreement": {"repeats": 2, "orders": 1},
    "tests-agreement": {"draws": 40},
}
OURS = tuple(name for name, entry in STUDIES.items() if entry.paper.startswith(PAIRED))
"""Those of the paired-evaluation paper: they run on any scores."""
LONG = ("independence", "paired-disagreement", "tests-agreement")
"""Those that work in blocks, the simulation apart, which is slower."""


def scores(seed=1, m=4, n=24):
    """A small table with ties."""
    values = np.random.default_rng(seed).normal(size=(m, n)).round(1)
    systems, segments = tuple("ABCD"[:m]), tuple(map(str, range(n)))
    return bt.Scores(name="m", systems=systems, segments=segments, values=values)


TABLES = {"m": scores(1), "k": scores(2), "l": scores(3)}


def small(name, **more):
    """A study in its smallest form."""
    data = TABLES if STUDIES[name].takes_data else None
    return study(name, data, quick=True, options=SMALL.get(name, {}), **more)


@pytest.fixture(scope="module")
def found():
    """Each study once, on three small tables."""
    return {name: small(name, workers=1) for name in OURS}


@pytest.mark.parametrize("name", OURS)
def test_a_study_survives_json(name, found):
    """To a dictionary, through text, and back: the same result with its tables and figures."""
    again = Result.from_dict(json.loads(found[name].to_json()))
    assert again == found[name]
    assert (
        again.tables == found[name].tables
        or np.isnan(
            [
                cell
                for table in found[name].tables
                for row in table.rows
                for cell in row
                if isinstance(cell, float)
            ]
        ).any()
    )


@pytest.mark.parametrize("name", OURS)
def test_a_study_says_what_it_is(name, found):
    """Name, question, paper, reading, settings; every table and figure has its own name."""
    one = found[name]
    assert (one.name, one.question, one.reading) == (name, STUDIES[name].question, "text")
    assert one.settings.signature.startswith(f"betterthan|study {name}|reading:text")
    names = [table.name for table in one.tables]
    assert len(set(names)) == len(names)
    assert one.tables
    assert one.charts
    assert one.sentences
    assert not one.tables[0].is_detail
    assert len(one.columns()["table"]) == sum(len(t.rows) * len(t.columns) for t in one.tables)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_study_is_a_frame_of_cells(backend, found):
    """Numbers and texts in columns of their own, so that every library takes them."""
    pytest.importorskip(backend)
    frame = found["figure-one"].to_frame(backend)
    columns = found["figure-one"].columns()
    assert frame.shape == (len(columns["table"]), 6)
    place = columns["column"].index("mean")
    assert columns["value"][place] == found["figure-one"].tables[0].rows[0][1]


@pytest.mark.parametrize("name", few(OURS, 2))
def test_tables_and_figures_can_be_shown(name, found):
    """Every table as CSV and as a description, every figure as a picture with its data."""
    pytest.importorskip("altair")
    one = found[name]
    assert study_table(one).signature == one.settings.signature
    for table, shown in zip(one.tables, study_tables(one), strict=True):
        assert len(shown.rows) == len(table.rows)
        assert study_csv(table).count("\n") == len(table.rows) + 1
    for chart in one.charts:
        spec = json.loads(chart_bytes(study_chart(one, DARK, figure=chart.name), "json"))
        lines = spec["title"]["text"]  # a list where a long title is broken
        assert " ".join([lines] if isinstance(lines, str) else lines) == chart.title


def test_every_study_has_a_home_and_every_choice_a_default():
    """The catalogue is complete: defaults are among the choices, and quick forms know the same options."""
    for entry in STUDIES.values():
        assert set(entry.quick) <= set(entry.options)
        for option, choices in entry.choices.items():
            assert entry.options[option] in choices


@pytest.mark.parametrize("name", few(LONG, 1))
def test_the_bytes_do_not_depend_on_the_workers(name):
    """One worker or two processes."""
    assert small(name, workers=1).to_json() == small(name, workers=2).to_json()


class _Impatient:
    """Progress that stops the run after so many blocks."""

    def __init__(self, blocks):
        self.left, self.done_before = blocks, 0

    def start(self, total, label, *, done=0):  # noqa: ARG002  (as progress is called)
        """Remember how much was there."""
        self.done_before = done

    def advance(self, n=1):
        """Stop when enough was done."""
        self.left -= n
        if self.left <= 0:
            raise KeyboardInterrupt

    def finish(self):
        """Nothing to do."""


@pytest.mark.parametrize("name", [*LONG, pytest.param("paired-simulation", marks=pytest.mark.slow)])
def test_an_interrupted_study_goes_on_where_it_stopped(name, tmp_path, found):
    """Killed after two blocks and run again: the same bytes as in one go, and the two blocks were not done again."""
    cache = Cache(tmp_path, patience=0)
    with pytest.raises(KeyboardInterrupt):
        small(name, workers=1, cache=cache, progress=_Impatient(2))
    watcher = _Impatient(10**9)
    again = small(name, workers=1, cache=cache, progress=watcher)
    assert watcher.done_before == 2
    assert again.to_json() == found[name].to_json()


def test_another_reading_is_another_result_and_another_cache(tmp_path):
    """What was computed for one reading is not taken for the other."""
    cache = Cache(tmp_path, patience=0)
    text, published = (
        small("independence", workers=1, cache=cache, as_published=reading) for reading in (False, True)
    )
    assert published.reading == "as_published"
    assert text.table("triples-by-setup") != published.table("triples-by-setup")
    assert published.to_json() == small("independence", workers=1, as_published=True).to_json()


def test_unknown_names_are_refused_with_the_known_ones():
    """A study, an option, a choice."""
    with pytest.raises(UnknownName, match=r'Did you mean "figure-one"'):
        study("figure-on")
    with pytest.raises(UnknownName, match=r"repeats"):
        study("paired-simulation", options={"repeat": 3})
    with pytest.raises(UnknownName, match=r"per_type"):
        study("paired-simulation", options={"generator": "per_typ"})
    assert listed("figure_one") is STUDIES["figure-one"]


@pytest.mark.parametrize("value", [0, -1, "many", None])
def test_an_option_must_be_a_number_above_zero(value):
    """The value and what is wanted are named."""
    with pytest.raises(BetterThanError, match=r"repeats is .* but must be a number above 0"):
        study("paired-simulation", options={"repeats": value})


def test_a_table_must_fit_its_columns_and_a_figure_its_kind():
    """Shapes are checked when they are made."""
    with pytest.raises(BetterThanError, match=r'"t" do not fit its 2 columns'):
        StudyTable(name="t", title="", columns=("a", "b"), rows=((1,),))
    with pytest.raises(BetterThanError, match=r'"t" do not fit'):
        StudyTable(name="t", title="", columns=("a",), rows=((1,),), printed=())
    with pytest.raises(UnknownName, match=r"lines"):
        StudyChart(name="c", title="", kind="line", x="", y="", columns={"x": ()})
    with pytest.raises(BetterThanError, match=r"differ in length"):
        StudyChart(name="c", title="", kind="lines", x="", y="", columns={"x": (1,), "y": ()})


def test_a_mapping_of_something_else_is_refused():
    """Files are read first."""
    with pytest.raises(BetterThanError, match=r"mapping of metrics to Scores"):
        study("figure-one", {"m": [1, 2]})


def test_another_kind_of_table_is_refused():
    """Word tags and texts are for studies of their own; those know no direction of metrics."""
    texts = bt.Texts(systems=["A", "B"], segments=["1"], outputs=[["a"], ["b"]], references=[["a"]])
    with pytest.raises(BetterThanError, match=r"takes scores: files, Scores, or a mapping .* not Texts"):
        study("figure-one", texts)
    with pytest.raises(BetterThanError, match=r"are for metrics; darr-threshold takes human scores"):
        study("darr-threshold", scores(), lower_is_better=["m"])


def test_scores_know_their_direction():
    """A direction for data at hand is refused, because the table has one."""
    with pytest.raises(BetterThanError, match=r"lower_is_better and higher_is_better are for files"):
        study("figure-one", TABLES, lower_is_better=["m"])


@pytest.mark.parametrize("name", ["figure-one", "pairing-triptych", *LONG])
def test_as_published_says_so_and_keeps_to_itself(name):
    """The other reading runs on the same data, says which it is, and does not speak of what it does not do."""
    found = small(name, workers=1, as_published=True)
    assert found.reading == "as_published"
    assert "reading:as_published" in found.settings.signature
    assert not any("here flipped pairs are counted" in told for told in found.differences)
