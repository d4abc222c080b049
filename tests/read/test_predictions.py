"""Tables of predictions with gold labels: one table or several files, other names and orders, as in scikit-learn."""

import json

import numpy as np
import pytest
from tests.cli.conftest import betterthan  # noqa: F401  (a fixture)

import betterthan as bt
from betterthan.errors import ReadError

LABELS = np.array(["spam", "ham", "other"])


@pytest.fixture
def drawn():
    """Gold labels and two systems that are wrong in 30% and 20% of cases."""
    draw = np.random.default_rng(4)
    gold = draw.choice(LABELS, 120)
    return gold, *(np.where(draw.random(120) < share, draw.choice(LABELS, 120), gold) for share in (0.3, 0.2))


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Write rows as CSV or JSON lines into the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(name, header, *columns):
        rows = list(zip(*columns, strict=True))
        if name.endswith(".jsonl"):
            text = "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)
        else:
            text = "".join(",".join(map(str, row)) + "\n" for row in (header, *rows))
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


def the_same(texts, gold, svm, bert):
    """Whether the scores are those of scikit-learn."""
    metrics = pytest.importorskip("sklearn.metrics")
    for name, formula in {
        "accuracy": metrics.accuracy_score,
        "f1-macro": lambda y, p: metrics.f1_score(y, p, average="macro"),
        "mcc": metrics.matthews_corrcoef,
        "balanced-accuracy": metrics.balanced_accuracy_score,
    }.items():
        counts = bt.score(texts, metric=name)
        scores = dict(zip(counts.systems, counts.pooled().tolist(), strict=True))
        expected = {"svm": formula(gold, svm), "bert": formula(gold, bert)}
        assert scores == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_one_table_and_several_files_are_the_same(put, drawn, suffix):
    """A column per system, or a file per system with its rows in another order."""
    gold, svm, bert = (values.tolist() for values in drawn)
    ids = [f"q{i}" for i in range(120)]
    one = put(f"all.{suffix}", ("id", "gold", "svm", "bert"), ids, gold, svm, bert)
    the_same(bt.read_predictions(one), *drawn)
    order = np.random.default_rng(1).permutation(120)
    files = [
        put(f"svm.{suffix}", ("id", "label", "prediction"), ids, gold, svm),
        put(
            f"bert.{suffix}",
            ("id", "label", "prediction"),
            *(np.asarray(values)[order].tolist() for values in (ids, gold, bert)),
        ),
    ]
    the_same(bt.read_predictions(*files), *drawn)
    the_same(bt.read_predictions({"svm": files[0], "bert": files[1]}), *drawn)


def test_a_frame_and_names_of_columns(drawn):
    """The names of scikit-learn's users, named columns, and 1 beside 1.0."""
    pandas = pytest.importorskip("pandas")
    gold, svm, bert = drawn
    frame = pandas.DataFrame({"text": "some words", "y_true": gold, "svm": svm, "bert": bert})
    the_same(bt.read_predictions(frame), *drawn)
    renamed = frame.rename(columns={"y_true": "category of the expert"})
    with pytest.raises(ReadError, match="No column is named like gold labels"):
        bt.read_predictions(renamed)
    the_same(bt.read_predictions(renamed, gold="category of the expert", prediction=["svm", "bert"]), *drawn)
    whole = pandas.DataFrame({"gold": [1, 0, 1, 1], "m": [1.0, 0.0, None, 1.0]})
    texts = bt.read_predictions(whole)
    assert texts.outputs == (("1", "0", None, "1"),)


@pytest.mark.parametrize(
    ("second", "code", "match"),
    [
        ((["q1", "q2", "q4"], ["a", "b", "a"], ["a", "b", "b"]), "BT236", "q3"),
        (
            (["q1", "q2", "q3"], ["a", "b", "b"], ["a", "b", "b"]),
            "BT236",
            "has the gold label .b. here and .a.",
        ),
        ((["q1", "q2", "q2"], ["a", "b", "b"], ["a", "b", "b"]), "BT101", "occurs twice"),
        ((["q1", "q2", "q3"], ["a", "", "a"], ["a", "b", "b"]), "BT133", "is empty"),
    ],
    ids=["other items", "other gold", "twice", "no gold"],
)
def test_files_that_do_not_belong_together_are_refused(put, second, code, match):
    """Other items, other gold labels, repeated ids, rows without gold labels."""
    head = ("id", "label", "prediction")
    first = put("a.csv", head, ["q1", "q2", "q3"], ["a", "b", "a"], ["a", "a", "a"])
    with pytest.raises(ReadError, match=match) as caught:
        bt.read_predictions(first, put("b.csv", head, *second))
    assert caught.value.code == code


def test_without_ids_the_gold_labels_must_be_the_same_row_by_row(put):
    """Shuffled files without ids are not paired by the number of the row."""
    head = ("label", "prediction")
    first = put("a.csv", head, ["a", "b", "a"], ["a", "a", "a"])
    assert bt.read_predictions(first, put("b.csv", head, ["a", "b", "a"], ["b", "b", "a"])).segments == (
        "1",
        "2",
        "3",
    )
    with pytest.raises(ReadError, match="rows do not belong together"):
        bt.read_predictions(first, put("c.csv", head, ["b", "a", "a"], ["b", "b", "a"]))


def test_the_command_takes_tables(put, drawn, betterthan):  # noqa: F811
    """By the names of the columns, or with the column of gold labels named; other verbs point to it."""
    gold, svm, bert = (values.tolist() for values in drawn)
    one = put("all.csv", ("id", "gold", "svm", "bert"), range(120), gold, svm, bert)
    for words in (("f1-macro", one), ("f1-macro", "--reference", "gold", one)):
        said = betterthan("score", *words, "--json")
        assert said.code == 0
        (answer,) = [json.loads(said.out)] if said.out.startswith("{") else json.loads(said.out)
        assert sorted(answer["systems"]) == ["bert", "svm"]
    refused = betterthan("rank", one)
    assert refused.code == 2
    assert 'If "gold" holds gold labels of predictions, use score' in refused.err
    several = [put(f"{name}.csv", ("id", "gold", "prediction"), range(120), gold, svm) for name in ("x", "y")]
    refused = betterthan("rank", *several)
    assert "folder" not in refused.err
    assert "use score" in refused.err
