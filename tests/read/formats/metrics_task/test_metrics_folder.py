"""Folders of the metrics task: what is read, what is left out and said, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.made_metrics_folder import DAMAGED, DOCUMENTS, SEGMENTS, SYSTEMS, make, scores

import betterthan as bt
from betterthan.errors import BetterThanError, ReadError, UnknownName
from betterthan.read.formats.metrics_task.metrics_folder import (
    known_test_sets,
    language_pairs,
    read_language_pairs,
    read_metrics_folder,
)
from betterthan.read.formats.metrics_task.score_files import LEVELS
from betterthan.read.problems import PROBLEMS
from betterthan.read.sniff import read_any, sniff
from betterthan.read.write.folders import metrics_folder_of, write_metrics_folder


@pytest.fixture
def folder(tmp_path):
    """A folder with one language pair."""
    return make(tmp_path / "mini")


def test_segment_scores_by_a_literal_reading(folder):
    """The k-th line of a system is its k-th segment, whatever separates name and number."""
    found = read_metrics_folder(folder)

    assert (found.name, found.language_pair, found.level) == ("mini", "en-de", "seg")
    assert found.segments == tuple(str(k) for k in range(1, SEGMENTS + 1))
    assert found.groups == tuple(name for _, name in DOCUMENTS)
    assert found.domains == tuple(domain for domain, _ in DOCUMENTS)
    bleu = found.metrics["BLEU-refA"]
    assert bleu.systems == SYSTEMS
    assert bleu.values.tolist() == [scores(i, 10.0) for i in range(3)]
    assert bleu.groups == found.groups
    assert list(found.metrics) == ["BLEU-refA", "BLEU-refB", "My-QE-src", "TER-refA"]


def test_missing_human_scores_stay_missing_and_unjudged_systems_are_named(folder):
    """None is NaN; a system with nothing but None is no row of the table, and the notes say so (E27)."""
    found = read_metrics_folder(folder)
    human = found.human["mqm"]

    assert human.systems == ("Aster", "Birch")
    assert np.isnan(human.values).tolist() == [[k == 3 for k in range(SEGMENTS)], [False] * SEGMENTS]
    assert found.gold == "mqm"
    assert "1 system without any human score: online-C.7." in found.notes
    assert any("Systems without human scores in" in note and "online-C.7" in note for note in human.notes)


def test_references_are_no_systems_unless_asked(folder):
    """A metric never scores its own reference; the others stay when they are asked for."""
    without = read_metrics_folder(folder)
    included = read_metrics_folder(folder, include_references=True)

    assert without.references == ("refA", "refB")
    assert without.systems == SYSTEMS
    assert all("refB" not in table.systems for table in (*without.metrics.values(), *without.human.values()))
    assert "Left out of the systems, because they are references: refB." in without.notes
    assert included.metrics["BLEU-refA"].systems == (*SYSTEMS, "refB")
    assert included.human["mqm"].systems == ("Aster", "Birch", "refB")
    assert "refB" in included.systems


def test_a_metric_leaves_its_own_reference_out_even_when_references_are_included(folder):
    """BLEU against refB says nothing about refB."""
    path = folder / "metric-scores/en-de/BLEU-refB.seg.score"
    path.write_text(path.read_text() + "refB 100\n" * SEGMENTS)
    assert "refB" not in read_metrics_folder(folder, include_references=True).metrics["BLEU-refB"].systems


def test_one_reference_keeps_its_metrics_and_those_without_any(folder):
    """reference="refA" leaves BLEU-refB out; an unknown one is refused."""
    assert list(read_metrics_folder(folder, reference="refA").metrics) == [
        "BLEU-refA",
        "My-QE-src",
        "TER-refA",
    ]
    assert list(read_metrics_folder(folder, reference="refB").metrics) == ["BLEU-refB", "My-QE-src"]
    with pytest.raises(UnknownName, match=r'Unknown reference "refC".*Known: refA, refB'):
        read_metrics_folder(folder, reference="refC")


def test_the_standard_reference_of_a_known_test_set_is_used_and_told(tmp_path):
    """A folder called wmt23 has refA and mqm as the task had them; saying otherwise wins."""
    folder = make(tmp_path / "wmt23")
    found = read_metrics_folder(folder)

    assert (found.reference, found.gold) == ("refA", "mqm")
    assert "BLEU-refB" not in found.metrics
    assert any("refA, the standard reference" in note for note in found.notes)
    assert "BLEU-refB" in read_metrics_folder(folder, reference="refB").metrics


def test_the_table_of_test_sets_holds_only_what_is_understood():
    """Every entry has known keys and levels; outliers and references are names."""
    for entry in known_test_sets().values():
        for part in (entry, *entry.get("pairs", {}).values()):
            assert set(part) <= {"reference", "gold", "outliers", "pairs"}
            assert set(part.get("gold", {})) <= set(LEVELS)
            assert all(isinstance(name, str) and name for name in part.get("outliers", []))


def test_other_levels(folder):
    """Documents in the order of the documents file, domains by name, systems with one score each."""
    documents = read_metrics_folder(folder, level="doc")
    assert documents.segments == ("n1", "n2", "s1")
    assert documents.domains == ("news", "news", "speech")
    assert documents.metrics["BLEU-refA"].values.tolist() == [
        [i + 0.5, i + 0.25, i + 0.125] for i in range(3)
    ]

    domains = read_metrics_folder(folder, level="domain")
    assert domains.segments == ("news", "speech")
    assert domains.metrics["BLEU-refA"].values.tolist() == [[0, 1], [1, 2], [2, 3]]

    systems = read_metrics_folder(folder, level="sys")
    assert systems.segments == ("system",)
    assert systems.metrics["BLEU-refA"].values.tolist() == [[30], [31], [29.5]]
    assert systems.human["mqm"].systems == ("Aster", "Birch")
    assert list(systems.human) == ["da.z", "mqm"]  # a name may contain dots
    assert systems.gold is None  # two human scores, and nothing says which
    assert read_metrics_folder(folder, level="sys", gold="da.z").gold == "da.z"
    with pytest.raises(UnknownName, match=r'Unknown human score "esa"'):
        read_metrics_folder(folder, level="sys", gold="esa")


def test_one_domain(folder):
    """Segments keep their numbers, and lines of other domains are counted as dropped."""
    found = read_metrics_folder(folder, domain="speech")
    assert found.segments == ("4", "5", "6")
    assert set(found.groups) == {"s1"}
    assert found.metrics["BLEU-refA"].values.tolist() == [scores(i, 10.0)[3:] for i in range(3)]
    with pytest.raises(UnknownName, match=r'Unknown domain "social"'):
        read_metrics_folder(folder, domain="social")
    with pytest.raises(ReadError, match="need the level seg, doc or domain"):
        read_metrics_folder(folder, level="sys", domain="news")


def test_more_is_better_unless_the_signs_say_otherwise(folder):
    """Error rates are negated in this layout; where they are not, their signs show it."""
    assert read_metrics_folder(folder).metrics["TER-refA"].higher_is_better
    path = folder / "metric-scores/en-de/TER-refA.seg.score"
    path.write_text(path.read_text().replace("-0.", "0.").replace("-1.", "1."))
    found = read_metrics_folder(folder).metrics["TER-refA"]
    assert not found.higher_is_better
    assert any("Lower is better" in note for note in found.notes)


def test_several_pairs_are_refused_listed_and_read_together(tmp_path):
    """Segments of two pairs have nothing to do with each other."""
    folder = make(tmp_path / "mini", "en-de", "ja-zh")
    assert language_pairs(folder) == ("en-de", "ja-zh")
    with pytest.raises(ReadError) as caught:
        read_metrics_folder(folder)
    assert caught.value.code == "BT164"
    assert "2 language pairs: en-de, ja-zh" in str(caught.value)
    assert read_metrics_folder(folder, language_pair="ja-zh").language_pair == "ja-zh"
    assert list(read_language_pairs(folder)) == ["en-de", "ja-zh"]
    for pair in ("en-dd", "../mini", ""):
        with pytest.raises(UnknownName, match="Known: en-de, ja-zh"):
            read_metrics_folder(folder, language_pair=pair)


def test_the_order_of_files_and_blocks_does_not_matter(folder):
    """Lines of different systems may be mixed, as long as each system's stay in order."""
    before = read_metrics_folder(folder).metrics["My-QE-src"]
    path = folder / "metric-scores/en-de/My-QE-src.seg.score"
    lines = path.read_text().splitlines()
    blocks = [lines[i * SEGMENTS : (i + 1) * SEGMENTS] for i in range(4)]
    path.write_text("".join(f"{line}\n" for row in zip(*blocks, strict=True) for line in row))
    after = read_metrics_folder(folder).metrics["My-QE-src"]
    assert after == before


def test_renaming_a_system_renames_its_row(folder):
    """Names carry no meaning, not even an order."""
    before = read_metrics_folder(folder).metrics["BLEU-refA"]
    for path in folder.rglob("*.score"):
        path.write_text(path.read_text().replace("Aster", "Zinnia"))
    after = read_metrics_folder(folder).metrics["BLEU-refA"]
    assert after == replace(before, systems=("Zinnia", *SYSTEMS[1:]))


def test_without_documents_and_sources_the_files_must_agree(folder):
    """A folder of scores alone is read without documents; its files say how many segments there are."""
    for name in ("documents", "sources"):
        for path in (folder / name).iterdir():
            path.unlink()
        (folder / name).rmdir()
    found = read_metrics_folder(folder)
    assert found.groups is None
    assert len(found.segments) == SEGMENTS
    path = folder / "metric-scores/en-de/BLEU-refB.seg.score"
    path.write_text("".join(f"{line}\n" for line in path.read_text().splitlines()[:-1]))
    with pytest.raises(
        ReadError, match=r'"online-C\.7" has 5 scores.* but others have 6 in .*mqm\.seg\.score'
    ):
        read_metrics_folder(folder)
    with pytest.raises(ReadError, match=r"Document scores need documents/en-de\.docs"):
        read_metrics_folder(folder, level="doc")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_named_with_its_file_and_line(damage, folder):
    """Every damage is an error of our own that says where; nothing hangs, and nothing outside is read."""
    change, code, message = DAMAGED[damage]
    change(folder)
    with pytest.raises(ReadError, match=message) as caught:
        read_metrics_folder(folder)
    assert caught.value.code == code
    assert code in PROBLEMS
    assert "Traceback" not in str(caught.value)
    checked = bt.check(folder)
    assert [problem.code for problem in checked.problems] == [code]
    assert checked.exit_code == 1


@pytest.mark.parametrize("made", [(), ("human-scores",), ("metric-scores/en-de",), ("other",)])
def test_an_empty_folder(made, tmp_path):
    """A folder without scores is refused, with or without the names of the layout."""
    for name in made:
        (tmp_path / name).mkdir(parents=True)
    expected = (
        "holds no score files" if made and made != ("other",) else "folder without data that can be read"
    )
    for read in (read_metrics_folder, bt.read_scores, bt.read_metrics):
        with pytest.raises(ReadError, match=expected):
            read(tmp_path)


def test_a_level_without_files_is_refused_with_the_levels_there(folder):
    """Nothing is averaged in silence."""
    for path in folder.rglob("*.doc.score"):
        path.unlink()
    with pytest.raises(
        ReadError, match=r"no scores of en-de at the level doc. The levels here: domain, seg, sys"
    ):
        read_metrics_folder(folder, level="doc")
    with pytest.raises(UnknownName, match=r'Unknown level "segment"'):
        read_metrics_folder(folder, level="segment")


def test_folders_in_a_circle_do_not_matter(folder):
    """A folder that contains itself is looked at once."""
    (folder / "metric-scores" / "en-fr").symlink_to(folder / "metric-scores", target_is_directory=True)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    assert language_pairs(folder) == ("en-de",)
    assert read_metrics_folder(folder).language_pair == "en-de"


def test_a_folder_is_a_source_like_any_other(folder):
    """Recognised, counted, ranked; conditions choose pair, level and domain."""
    found = sniff(folder)
    assert (found.format, found.kind) == ("metrics_folder", "scores")
    assert "1 language pair: en-de" in found.because
    reading = read_any(folder)
    # Human: 4 blocks of lines; metrics: 4 + 3 + 4 + 3 of them.
    assert reading.rows_read == 18 * SEGMENTS
    assert reading.dropped == {"no human score": SEGMENTS, "reference used as system": 3 * SEGMENTS}
    assert reading.rows_kept == 14 * SEGMENTS == sum(table.values.size for table in reading.tables)
    assert bt.read_scores(folder, metric="BLEU-refA") == read_metrics_folder(folder).metrics["BLEU-refA"]
    spoken = bt.read_scores(folder, metric="BLEU-refA", where={"domain": "speech"})
    assert spoken.segments == ("4", "5", "6")
    assert list(bt.read_metrics(folder, where={"level": "doc"})) == ["BLEU-refA"]
    with pytest.raises(UnknownName, match=r'Unknown condition for a folder "lpp". Did you mean "lp"'):
        bt.read_metrics(folder, where={"lpp": "en-de"})
    with pytest.raises(ReadError, match="One lp can be chosen at a time, not 2"):
        bt.read_metrics(folder, where={"lp": ["en-de", "en-fr"]})
    with pytest.raises(ReadError, match="folder without data"):
        read_any(folder, format="long")


def test_system_scores_are_not_ranked_as_if_they_were_paired(folder):
    """One score a system serves meta-evaluation, not paired tests."""
    tables = bt.read_metrics(folder, where={"level": "sys"})
    assert {table.segments for table in tables.values()} == {("system",)}
    with pytest.raises(
        ReadError, match="only one score for each system, and paired tests need the score of every segment"
    ) as caught:
        bt.read_scores(folder, metric="mqm", where={"level": "sys"})
    assert caught.value.code == "BT103"


def test_what_is_written_is_read_back(folder, tmp_path):
    """All levels of a pair, written and read: the same numbers, names, documents and domains."""
    levels = [read_metrics_folder(folder, level=level) for level in LEVELS]
    write_metrics_folder(tmp_path / "copy" / "mini", levels)
    for before in levels:
        after = read_metrics_folder(tmp_path / "copy" / "mini", level=before.level)
        assert (after.segments, after.groups, after.domains) == (
            before.segments,
            before.groups,
            before.domains,
        )
        assert (after.references, after.systems) == (before.references, before.systems)
        for name in ("human", "metrics"):
            one, other = getattr(before, name), getattr(after, name)
            assert list(one) == list(other)
            for key, table in one.items():
                assert replace(other[key], notes=()) == replace(table, notes=())


def test_odd_numbers_survive_writing(tmp_path):
    """Every bit of a number, the sign of zero, and gaps."""
    values = np.array([[0.1 + 0.2, -0.0, np.nan], [5e-324, 9.999999999999998e29, -1 / 3]])
    table = bt.Scores(name="m-src", systems=["A", "B"], segments=["a", "b", "c"], values=values)
    parts = metrics_folder_of("t", "en-de", metrics={"m-src": table}, groups=["x", "x", "y"])
    write_metrics_folder(tmp_path / "t", parts)
    back = read_metrics_folder(tmp_path / "t").metrics["m-src"].values
    assert back.tobytes() == values.tobytes()


def test_writing_refuses_what_the_layout_cannot_hold(tmp_path):
    """Blanks would split a field, a slash would lead elsewhere, and nothing is overwritten unasked."""
    table = bt.Scores(name="m-src", systems=["A"], segments=["1", "2"], values=[[1, 2]])

    def write(**changes):
        parts = metrics_folder_of("t", "en-de", metrics={"m-src": table}, groups=["x", "x"])
        write_metrics_folder(tmp_path / "t", replace(parts, **changes))

    with pytest.raises(BetterThanError, match='The document "x y" contains white space'):
        write(groups=("x y", "x"))
    with pytest.raises(BetterThanError, match='The system "A B" contains white space'):
        write(metrics={"m-src": replace(table, systems=("A B",))})
    for name in ("../../evil", "a/b", ".hidden", ""):
        with pytest.raises(BetterThanError, match="cannot be part of the name of a file"):
            write(metrics={name: table})
        with pytest.raises(BetterThanError, match="cannot be part of the name of a file"):
            write(language_pair=name)
    with pytest.raises(
        BetterThanError, match='"m-src" has a score for 2, which is not one of the 1 segments'
    ):
        write(segments=("1",), groups=("x",))
    assert not (tmp_path / "t").exists()
    write()
    with pytest.raises(BetterThanError, match="exists and is not empty"):
        write()
    write_metrics_folder(
        tmp_path / "t", metrics_folder_of("t", "en-de", metrics={"n-src": table}), overwrite=True
    )
    assert list(read_metrics_folder(tmp_path / "t").metrics) == ["m-src", "n-src"]
    with pytest.raises(BetterThanError, match="would be written twice"):
        write_metrics_folder(tmp_path / "u", [metrics_folder_of("t", "en-de", metrics={"n-src": table})] * 2)
