"""A column "judge" that holds verdicts is not taken for the names of judges."""

import itertools

import numpy as np
import pytest

import betterthan as bt
from betterthan.cli.main import main
from betterthan.errors import ReadError


def table(verdicts, column="judge", score="human"):
    """Three systems on twenty items, one row each."""
    rng = np.random.default_rng(5)
    cells = list(itertools.product(range(20), "ABC"))
    return {
        "item": [item for item, _ in cells],
        "system": [system for _, system in cells],
        column: rng.choice(verdicts, len(cells)).tolist(),
        score: rng.integers(0, 2, len(cells)).tolist(),
    }


@pytest.mark.parametrize(
    "verdicts", [[0, 1], ["0", "1"], ["true", "false"], [1, 2, 3, 4, 5], [0.25, 0.5, 0.9]]
)
@pytest.mark.parametrize("column", ["judge", "rater", "Judge"])
def test_verdicts_are_doubted(verdicts, column):
    """Both readings are named, and each option settles it."""
    data = table(verdicts, column)
    with pytest.raises(ReadError, match="may name the judges or hold their verdicts") as error:
        bt.read_scores(data)
    assert error.value.code == "BT223"
    assert bt.check(data).exit_code == 1
    assert len(bt.read_ratings(data, judge=column).judges) == len(verdicts)
    assert bt.read_scores(data, score=column).n_missing == 0


def test_every_column_can_be_a_metric(tmp_path, capsys):
    """On the command line, by the layout."""
    data = table([0, 1])
    path = tmp_path / "verdicts.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in (data, *zip(*data.values(), strict=True))))
    for more, code in (((), 2), (("--format-in", "long", "--metric", "judge"), 0)):
        with pytest.raises(SystemExit) as stopped:
            main(["rank", str(path), *more])
        assert stopped.value.code == code
    assert capsys.readouterr().out.startswith("Ranking by mean: judge, higher is better")


NAMED = {
    "names": (["ann", "bob"], "judge", "human"),
    "identifiers": ([10451, 20377, 399], "judge", "human"),
    "a column of scores beside them": ([0, 1], "judge", "score"),
}


@pytest.mark.parametrize(("judges", "column", "score"), NAMED.values(), ids=NAMED)
def test_names_of_judges_are_not(judges, column, score):
    """Also where they are numbers."""
    assert len(bt.read_ratings(table(judges, column, score)).judges) == len(judges)


def test_judges_of_whole_items_or_of_the_same_outputs_are_not():
    """By the design of the judging: numbers 0 and 1 that behave like judges."""
    data = table([0])
    by_item = {**data, "judge": [item % 2 for item in data["item"]]}
    assert bt.read_ratings(by_item).judges == ("0", "1")
    twice = {name: [*cells, *cells] for name, cells in data.items()}
    twice["judge"] = [0] * 60 + [1] * 60
    assert bt.read_ratings(twice).judges == ("0", "1")
