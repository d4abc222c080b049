"""The pieces: names in addresses, the list of runs, segments, files in memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts
from betterthan.web.app import lesson
from betterthan.web.details.items import ORDERS, PAGE, WHO, Filter, items_page
from betterthan.web.names import name_from_url, url_name
from betterthan.web.response_cache import ResponseCache
from betterthan.web.routes.choices import form_token
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import Choices, RunRecord, StoredFile, new_id, shown_name, suffix_of
from betterthan.web.runs.saved_tables import (
    ListedBattles,
    SavedTables,
    save_tables,
    saved_counts,
    saved_tables,
)
from betterthan.web.runs.store import RunStore
from betterthan.web.worker.pairs import counts_of_tags, counts_of_texts, formula_named


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_name_is_one_part_of_an_address(name):
    """And comes back as it was; no two names share an address."""
    part = url_name(name)
    assert name_from_url(part) == name
    assert part
    assert all(c.isascii() and (c.isalnum() or c in "~_-") for c in part)


@given(st.text(alphabet=st.sampled_from("~ab%/ 0F2é"), max_size=12))
def test_an_address_stands_for_one_name_or_none(part):
    """What we did not write ourselves is not guessed at."""
    name = name_from_url(part)
    assert name is None or url_name(name) == part


@given(st.text(max_size=300))
def test_a_shown_name_has_nothing_that_means_anything(name):
    """Neither to a shell, nor to a page, nor to a pattern of files."""
    shown = shown_name(name)
    assert 0 < len(shown) <= 120
    assert not set("/\\<>&\"'=*?[]{}$;|`\n\r\x00") & set(shown)
    assert shown not in {".", ".."}
    assert suffix_of(name) == "" or shown.lower().endswith(suffix_of(name))


@given(st.text(max_size=40))
def test_only_ids_make_folders(tmp_path_factory, text):
    """No other text does, not even one that looks harmless."""
    if len(text) == 22 and text.isascii() and text.replace("-", "").replace("_", "").isalnum():
        return
    with pytest.raises(ValueError, match="no id of a run"):
        RunFolder(tmp_path_factory.getbasetemp(), text)


def test_ids_cannot_be_guessed():
    """128 bits of chance each."""
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {len(run_id) for run_id in ids} == {22}


def run(created=1.0, **more):
    """A run for the list."""
    file = StoredFile(name="a.csv", digest="9f", suffix=".csv", size=3)
    return RunRecord(id=new_id(), created=created, state="ready", title="a.csv", files=(file,), **more)


def test_the_list_gives_back_what_was_put_on_it(tmp_path):
    """All fields, newest first, also after it is opened anew."""
    runs = RunStore(tmp_path / "runs.sqlite")
    made = [
        run(
            created=float(i),
            choices=Choices(columns={"item": f"c{i}"}, parts=("data",), ignore=("n",), keep=("a", "b")),
        )
        for i in range(5)
    ]
    for each in made:
        runs.add(each)
    again = RunStore(tmp_path / "runs.sqlite")
    assert again.page() == made[::-1]
    assert again.page(limit=2, offset=1) == made[::-1][1:3]
    assert (again.count(), again.get(made[2].id), again.get(new_id())) == (5, made[2], None)


def test_a_change_happens_only_from_the_states_it_may(tmp_path):
    """Of two that start a run, the second finds it started."""
    runs = RunStore(tmp_path / "runs.sqlite")
    one = run()
    runs.add(one)
    assert runs.change(one.id, only_from=("ready",), state="waiting")
    assert not runs.change(one.id, only_from=("ready",), state="waiting")
    assert runs.in_state("waiting", "running") == [one.id]
    with pytest.raises(ValueError, match="can change"):
        runs.change(one.id, files="")
    assert runs.delete(one.id)
    assert not runs.delete(one.id)


@pytest.fixture
def table():
    """Scores with gaps, ties and documents."""
    values = np.round(np.random.default_rng(7).normal(size=(3, 130)), 1)
    values[1, 5] = values[0, 9] = np.nan
    segments = [f"s{j}" for j in range(130)]
    groups = [f"d{j % 4}" for j in range(130)]
    return Scores(
        name="m",
        systems=["A", "B", "C"],
        segments=segments,
        values=values,
        higher_is_better=False,
        groups=groups,
    )


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("who", WHO)
def test_pages_of_segments_hold_each_fitting_segment_once(table, order, who):
    """As a loop over the segments finds them, in an order that a plain sort gives."""
    wanted = {"a": "A", "b": "B", "who": who, "group": "d1", "find": "S1", "order": order}
    first = items_page(table, Filter(**wanted))
    items = [
        item
        for page in range(1, first.pages + 1)
        for item in items_page(table, Filter(**wanted, page=page)).items
    ]
    gaps = {segment: table.values[1, j] - table.values[0, j] for j, segment in enumerate(table.segments)}
    signs = {"all": (-1.0, 0.0, 1.0, math.nan), "a": (1.0,), "b": (-1.0,), "tie": (0.0,)}[who]
    expected = [
        s
        for j, s in enumerate(table.segments)
        if "s1" in s
        and j % 4 == 1
        and any(np.array_equal(np.sign(gaps[s]), x, equal_nan=True) for x in signs)
    ]
    key = {
        "file": lambda s: 0,  # noqa: ARG005
        "best": lambda s: -gaps[s],
        "worst": lambda s: gaps[s],
        "largest": lambda s: -abs(gaps[s]),
        "spread": lambda s: -table.values[:, table.segments.index(s)].std(),
    }[order]
    expected.sort(key=lambda s: (math.isnan(key(s)), 0 if math.isnan(key(s)) else key(s)))
    assert [item.segment for item in items] == expected
    assert first.total == len(expected)
    assert all(item.difference is None or item.difference == gaps[item.segment] for item in items)


def test_a_page_beyond_the_last_is_the_last(table):
    """And a page has fifty segments."""
    found = items_page(table, Filter(a="A", b="B", page=99))
    assert (found.page, found.pages, len(found.items)) == (3, 3, 130 - 2 * PAGE)


@pytest.fixture
def folder(tmp_path):
    """The folder of a run."""
    made = RunFolder(tmp_path, new_id())
    made.make()
    return made


def test_saved_scores_come_back_whole(table, folder):
    """Every label, every gap, the direction."""
    save_tables(SavedTables(scores=(table,)), folder)
    (found,) = saved_tables(folder).scores
    assert found.digest == table.digest
    assert saved_tables(RunFolder(folder.root, new_id())) == SavedTables()


def test_saved_counts_come_back_with_their_formula(folder):
    """Texts too; pooled scores are the same to the last digit."""
    texts = Texts(
        systems=["A", "B"],
        segments=["1", "2"],
        outputs=[["a b c d", "e f"], ["a b", None]],
        references=[["a b c", "e f"], ["a c", "f"]],
    )
    counts = counts_of_texts(texts, metric="bleu", missing="drop")
    assert [table.name for table in counts] == ["BLEU", "chrF2", "TER"]
    save_tables(
        SavedTables(counts=counts, scores=tuple(table.per_segment() for table in counts), texts=texts), folder
    )
    found = saved_tables(folder)
    again = saved_counts(folder, formula_named)
    assert [table.digest for table in again] == [table.digest for table in counts]
    assert [table.pooled().tolist() for table in again] == [table.pooled().tolist() for table in counts]
    assert [table.digest for table in found.scores] == [table.per_segment().digest for table in counts]
    assert [table.name for table in found.scores] == ["BLEU", "chrF2", "TER"]
    assert found.texts.digest == texts.digest


def test_saved_tags_and_battles_come_back_whole(folder):
    """With the words and the names that their tables lack."""
    tags = WordTags(
        systems=["A"],
        segments=["1", "2"],
        gold=[True, False, True],
        predicted=[[True, True, False]],
        offsets=[0, 2, 3],
    )
    measures = tuple(table.per_segment() for table in counts_of_tags(tags))
    save_tables(SavedTables(tags=tags, scores=measures, words=(("a", "b"), ("c",))), folder)
    found = saved_tables(folder)
    assert (found.tags.digest, found.words) == (tags.digest, (("a", "b"), ("c",)))
    assert [table.name for table in found.scores] == ["accuracy", "f1_mult", "mcc"]
    matches = Matches(
        systems=["A", "B"], left=[0, 1], right=[1, 0], outcome=[1, 0.5], segment=[1, 0], group=[0, 1]
    )
    save_tables(
        SavedTables(battles=ListedBattles(matches=matches, segments=("q1", "q2"), judges=("J", "K"))), folder
    )
    found = saved_tables(folder)
    assert found.battles.matches.digest == matches.digest
    assert (found.battles.segments, found.battles.judges) == (("q1", "q2"), ("J", "K"))
    assert found.systems == ("A", "B")


def test_tables_too_large_to_be_saved_are_not(table, folder, monkeypatch):
    """The first ones are, as long as there is room; no page is promised of the others."""
    monkeypatch.setattr("betterthan.web.runs.saved_tables.MOST_CELLS", table.values.size)
    assert save_tables(SavedTables(scores=(table, table)), folder).scores == (table,)
    monkeypatch.setattr("betterthan.web.runs.saved_tables.MOST_CELLS", table.values.size - 1)
    assert save_tables(SavedTables(scores=(table,)), folder).systems == ()


def test_a_cache_of_responses_notices_changes_and_keeps_to_its_size(tmp_path):
    """A file that was replaced is read again; the oldest go when there is no room."""
    cache = ResponseCache(most_bytes=40_000)
    path = tmp_path / "a"
    assert cache.get(path) is None
    path.write_bytes(b"one")
    assert cache.get(path).plain == b"one"
    path.write_bytes(b"three")
    assert cache.get(path).plain == b"three"
    for i in range(20):
        (tmp_path / str(i)).write_bytes(bytes([i]) * 9_000)
        assert cache.get(tmp_path / str(i)).plain == bytes([i]) * 9_000
    assert cache._size <= 40_000
    cache.forget(tmp_path)
    assert (cache._size, len(cache._copies)) == (0, 0)


def test_the_lesson_says_what_the_verbs_say():
    """The strengths of the page are those of Bradley–Terry."""
    import betterthan as bt
    from betterthan.examples.figure_one import figure_one

    ranking = bt.rank(bt.read_scores(figure_one()), by="bradley_terry")
    found = lesson(figure_one())
    shares = dict(zip(ranking.systems, ranking.strength / ranking.strength.sum(), strict=True))
    assert found.shares == pytest.approx([shares[system] for system in found.systems], rel=1e-6)


def test_a_form_token_belongs_to_its_key():
    """Another server's token is none."""
    assert form_token(b"a", "session") != form_token(b"b", "session")
