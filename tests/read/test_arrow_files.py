"""Arrow data, as Hugging Face's save_to_disk writes it, is recognized and refused with the line that converts it."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.feather
import pytest

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any

BATTLES = {"model_a": ["A", "B"], "model_b": ["B", "C"], "winner": ["tie", "model_a"]}
CURE = 'datasets.load_from_disk("FOLDER").to_parquet("x.parquet")'


def stream(columns=BATTLES):
    """A stream, which is what the data sets library writes."""
    sink = pa.BufferOutputStream()
    table = pa.table(columns)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def saved(tmp_path):
    """A folder as `Dataset.save_to_disk` makes it."""
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "data-00000-of-00001.arrow").write_bytes(stream())
    (folder / "dataset_info.json").write_text(json.dumps({"features": {}}))
    (folder / "state.json").write_text(
        json.dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}]})
    )
    return folder


def refusal(given):
    """The error, which names the place and the cure."""
    with pytest.raises(ReadError) as caught:
        read_any(given)
    assert caught.value.code == "BT341"
    assert CURE in caught.value.message
    return caught.value


def test_a_saved_data_set_is_refused_with_its_cure(saved):
    """Folder and file alike, by every door."""
    assert refusal(saved).path.startswith(str(saved))
    assert refusal(saved / "data-00000-of-00001.arrow").path.endswith(".arrow")
    with pytest.raises(ReadError, match="Arrow data"):
        bt.read_matches(saved)
    looked = bt.check(saved)
    assert [problem.code for problem in looked.problems] == ["BT341"]
    assert looked.exit_code == 1


def test_a_set_of_splits_is_refused_too(saved, tmp_path):
    """`DatasetDict.save_to_disk` makes a folder a split."""
    saved.rename(tmp_path / "train")
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train"]}')
    refusal(tmp_path)


def test_files_of_arrow_and_feather_are_known_by_their_first_bytes(tmp_path):
    """Whatever they are called."""
    table = pa.table(BATTLES)
    with pa.OSFile(str(tmp_path / "a.bin"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    pyarrow.feather.write_feather(table, tmp_path / "b.feather")
    for name in ("a.bin", "b.feather"):
        refusal(tmp_path / name)


def test_the_cure_works(saved, tmp_path):
    """What `to_parquet` writes is read: the same table of the same rows."""
    import pyarrow.parquet as pq

    table = pa.ipc.open_stream(saved / "data-00000-of-00001.arrow").read_all()
    pq.write_table(table, tmp_path / "x.parquet")
    assert bt.read_matches(tmp_path / "x.parquet") == bt.read_matches(BATTLES)
    assert bt.read_matches(table) == bt.read_matches(BATTLES)


@pytest.mark.parametrize("damage", ["cut", "overwritten", "empty"])
def test_a_damaged_file_is_still_our_error(saved, damage):
    """Cut in its schema it is Arrow still; overwritten, the folder tells what it was."""
    path = saved / "data-00000-of-00001.arrow"
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[:40], "overwritten": b"\x01\x02" + whole[2:], "empty": b""}[damage])
    with pytest.raises(ReadError) as caught:
        read_any(saved)
    assert caught.value.code == "BT341"
    with pytest.raises(ReadError) as caught:
        read_any(path)
    assert caught.value.code in {"BT341", "BT003", "BT009", "BT010", "BT005", "BT006"}
