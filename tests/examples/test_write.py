import csv
import hashlib

import numpy as np
import pytest

from betterthan.errors import BetterThanError
from betterthan.examples.write import MARKER, write_campaign

# Made by write_campaign(folder, campaign()) with NumPy 2.4 on Linux, x86-64. A change here is a change of the
# example that every reader of the documentation sees: it belongs under "Changed numbers".
SHA256 = {
    "README.md": "4aed7e6f46e34bde0bba8bb02e81706276b29569ae62e5980d4abceb555c7b38",
    "answers.csv": "02accd91f42d22e1ebd1d98ac7d45703808f14b2f8e31693673bb3323fb4ca2a",
    "battles.csv": "945210b60e98301cd7c1058c6ec8d3b39fde26c217be00b18e34a98e1bc60957",
    "human.csv": "71517e0a45de39391e077336e7be406b4cf5dbd1a03f3d34c66c1c9120cfd29b",
    "metrics.tsv": "4a4250cdd1bd18863c24a186b59bbff67a460f8bb126d71834048782acab6b52",
    "tags/Finch.tags": "49ea7c18286f7b86ce4adbd7885b8aae67d003c9c58de178f82fbe3dc9029f85",
    "tags/Heron.tags": "78825f33bb7c75601613fcbb37e21a7ae2b13545282ba8dc2e3a16a664e322e9",
    "tags/Lark.tags": "2fdb673073da42c3c0bee8c659763706342170af18aa4718e9a93017cc6b65d8",
    "tags/Wren.tags": "16f218b805de8bfd6c279209df47efe52ed4e0294fa5197c416f36ccfae8d502",
    "tags/gold.tags": "d104ffee0225bae6efdbae8e814608c7687a749a30eade0b6cc58a3800fbfd8a",
    "tags/output.mt": "4bdbbd9e3b0380fa5b20c1ca669044bb9b85c94ec3edd344af12ace02c87535e",
    "texts/Aster.txt": "175f3a189afdb6e294159066c6530d274a9867052681c5b4d12908388e28811a",
    "texts/Birch.txt": "a0ee5178bf5815e094777becd46e16a98470844b35f5a51d5cab88fc1d3a4a68",
    "texts/Cedar.txt": "88b8045c9c921d44a510a7a4effbbd888727e2c23d457ebe4aad0c39b1300cb4",
    "texts/Daphne.txt": "dce468864c89459038d7e4926adbfceda9f61594276acaa767e4b9e33bb307d8",
    "texts/Elm.txt": "3bfa4e2dce62136c23a6531cd107a15c0bab293b173060b2c208cbdf6a706cde",
    "texts/Fern.txt": "3d433f965c24765491d562a0bf1d287685e28368401098cb4eb1e8e2ef01266a",
    "texts/Ginkgo.txt": "b24a3aeae5f1ef2a98f8093f167b2b484b19a837a5b92e982b4e177651bd169b",
    "texts/Hazel.txt": "4b8f482f03302c4e41f972fafc3a1a45416506421d403917407158200a30ca3b",
    "texts/reference.txt": "22576de2a0f8d17c96288e4fd33eb42b6e48f88e5dc0c123faf1b9c0c33f000a",
    "texts/source.txt": "287f3788c692219d8c1007e2ccec918c85c7bb23b991fb0965d8ea3687543576",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, example):
    """A folder with the default campaign."""
    place = tmp_path_factory.mktemp("example") / "new" / "campaign"
    write_campaign(place, example)
    return place


def _files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def _lines(folder, name):
    return (folder / name).read_text(encoding="utf-8").split("\n")[:-1]


def test_the_same_bytes_come_out_everywhere(folder):
    """Every file has the digest it had when the example was made."""
    assert {name: hashlib.sha256(data).hexdigest() for name, data in sorted(_files(folder).items())} == SHA256


def test_files_are_small_plain_text(folder):
    """UTF-8 with line feeds only, each file ending in one; less than 800 kB in all."""
    files = _files(folder)

    assert sum(map(len, files.values())) < 800_000
    assert not any(b"\r" in data for data in files.values())
    assert all(data.endswith(b"\n") and not data.endswith(b"\n\n") for data in files.values())


def test_the_files_written_are_returned(tmp_path, example):
    """Each path exists, none is named twice, and there are no others."""
    paths = write_campaign(str(tmp_path), example)

    assert {path.relative_to(tmp_path).as_posix() for path in paths} == set(_files(tmp_path))
    assert len(set(paths)) == len(paths) == 20
    assert paths[0] == tmp_path / "README.md"


def test_human_scores_read_back(folder, example):
    """Wide: a row a segment, labels first, a column a system."""
    header, *rows = csv.reader(_lines(folder, "human.csv"))

    assert header == ["segment", "doc", "domain", *example.systems]
    labels = zip(example.segments, example.documents, example.domains, strict=True)
    assert [tuple(row[:3]) for row in rows] == list(labels)
    np.testing.assert_array_equal(np.array([row[3:] for row in rows], dtype=float).T, example.human)


def test_metrics_read_back(folder, example):
    """Long: a row a score, the very numbers of the campaign."""
    header, *rows = csv.reader(_lines(folder, "metrics.tsv"), delimiter="\t")

    assert header == ["metric", "system", "segment", "doc", "score"]
    assert len(rows) == 4 * 8 * 300
    read = {(metric, system, segment, doc): float(score) for metric, system, segment, doc, score in rows}
    for metric, table in example.metrics.items():
        for system, scores in zip(example.systems, table, strict=True):
            keys = zip(example.segments, example.documents, strict=True)
            assert [read[metric, system, *key] for key in keys] == scores.tolist()


def test_battles_read_back(folder, example):
    """A row a vote."""
    header, *rows = csv.reader(_lines(folder, "battles.csv"))

    assert header == ["model_a", "model_b", "winner", "judge", "segment"]
    assert [tuple(row) for row in rows] == [tuple(battle) for battle in example.battles]


def test_texts_are_aligned_line_by_line(folder, example):
    """Source, reference and outputs: three hundred lines each."""
    assert tuple(_lines(folder, "texts/source.txt")) == example.source
    assert tuple(_lines(folder, "texts/reference.txt")) == example.reference
    for system, lines in example.outputs.items():
        assert tuple(_lines(folder, f"texts/{system}.txt")) == lines


def test_tags_are_aligned_token_by_token(folder, example):
    """Gold, predictions and the tokenised output have equally many items on each line."""
    names = ["output.mt", "gold.tags", *(f"{tagger}.tags" for tagger in example.tags.predicted)]
    counts = [[len(line.split(" ")) for line in _lines(folder, f"tags/{name}")] for name in names]

    assert all(count == counts[0] for count in counts)
    assert len(counts[0]) == 300


def test_the_readme_names_every_file(folder, example):
    """Each file by name or by kind, each metric, the direction, the taggers and the seed."""
    readme = (folder / "README.md").read_text(encoding="utf-8")

    for name in ("human.csv", "metrics.tsv", "battles.csv", "texts/source.txt", "texts/reference.txt"):
        assert f"`{name}`" in readme
    for name in ("texts/<system>.txt", "tags/output.mt", "tags/gold.tags", "tags/<tagger>.tags"):
        assert f"`{name}`" in readme
    assert "lower is better for TER" in readme
    assert "Seed 2024" in readme
    assert all(name in readme for name in (*example.systems, *example.metrics, *example.tags.predicted))
    assert max(map(len, readme.splitlines())) <= 120
    assert "{" not in readme


def test_an_earlier_campaign_is_written_over_and_foreign_files_stay(tmp_path, example):
    """What was edited is restored; what is not ours is left alone."""
    write_campaign(tmp_path, example)
    (tmp_path / "human.csv").write_text("spoilt", encoding="utf-8")
    (tmp_path / "texts" / "mine.txt").write_text("mine", encoding="utf-8")

    write_campaign(tmp_path, example)

    files = _files(tmp_path)
    assert files.pop("texts/mine.txt") == b"mine"
    assert {name: hashlib.sha256(data).hexdigest() for name, data in files.items()} == SHA256


@pytest.mark.parametrize("name", ["notes.txt", "README.md", "human.csv"])
def test_a_folder_with_other_files_is_refused(tmp_path, example, name):
    """Also when it has a README of its own; nothing is written."""
    (tmp_path / name).write_text(f"mine\n{MARKER}\n", encoding="utf-8")

    with pytest.raises(BetterThanError, match="is not empty and holds no earlier example campaign") as caught:
        write_campaign(tmp_path, example)

    assert str(tmp_path) in str(caught.value)
    assert "overwrite=True" in str(caught.value)
    assert _files(tmp_path) == {name: f"mine\n{MARKER}\n".encode()}


def test_overwrite_writes_among_other_files(tmp_path, example):
    """Only files of the same name are replaced."""
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "human.csv").write_text("old", encoding="utf-8")

    paths = write_campaign(tmp_path, example, overwrite=True)

    files = _files(tmp_path)
    assert files["notes.txt"] == b"mine"
    assert files["human.csv"] != b"old"
    assert len(files) == len(paths) + 1


def test_a_file_in_place_of_the_folder_is_refused(tmp_path, example):
    """Even when told to overwrite."""
    path = tmp_path / "campaign"
    path.write_text("mine", encoding="utf-8")

    with pytest.raises(BetterThanError, match=r"is a file\. Name a folder"):
        write_campaign(path, example, overwrite=True)

    assert path.read_text(encoding="utf-8") == "mine"
