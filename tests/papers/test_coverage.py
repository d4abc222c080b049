"""Every row of the table of coverage is run, and the page says what the table does."""

from __future__ import annotations

import shlex

import numpy as np
import pytest
from tests.papers.coverage import PAGE, PYTHON, Row, page, rows

import betterthan as bt
from betterthan.cli.main import main
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign
from betterthan.kernels.agreement.tau_tables import tau
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.fixed_point import fixed_point
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.ratings.elo import elo

ROWS = rows()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The demo campaign and small files of other kinds."""
    place = tmp_path_factory.mktemp("coverage")
    write_campaign(place / "demo", campaign())
    human = bt.read_scores(place / "demo" / "human.csv")
    rng = np.random.default_rng(5)
    write_table(place / "wins.csv", "A,B", [(i + 1, i) for i in range(8)])
    write_table(place / "never.csv", "A,B,C", [(9, 2, 3), (9, 4, 1), (9, 3, 5), (8, 1, 2), (7, 3, 2)])
    write_table(
        place / "gaps.csv", "A,B,C", [(7 * i % 11, "" if i % 4 == 0 else 5 * i % 7, i % 5) for i in range(20)]
    )
    ability, difficulty = np.array([[-1.0], [-0.4], [0.4], [1.0]]), rng.normal(size=120)
    right = rng.random((4, 120)) < 1 / (1 + np.exp(difficulty - ability))
    write_table(place / "answers.csv", "A,B,C,D", right.T.astype(int).tolist())
    write_table(place / "rankings.csv", RANKINGS, drawn_rankings(human, rng))
    judged = [
        (human.segments[s], human.systems[a], f"J{(s + a + k) % 6}", f"{human.values[a, s] + rng.normal(0, 5):.0f}")
        for s in range(40) for a in range(8) for k in range(2)
    ]  # fmt: skip
    write_table(place / "judgments.csv", "segment,system,judge,score", judged)
    texts = [(place / "demo" / "texts" / f"{name}.txt").read_text().splitlines() for name in human.systems]
    lines = [
        (segment, name, f'"{texts[a][s]}"')
        for s, segment in enumerate(human.segments) for a, name in enumerate(human.systems)
    ]  # fmt: skip
    write_table(place / "outputs.csv", "segment,system,text", lines)
    named = [
        (segment, *("" if (s + a) % 23 == 0 else f"{human.values[a, s]:g}" for a in range(8)))
        for s, segment in enumerate(human.segments)
    ]
    write_table(place / "gaps_human.csv", ",".join(("segment", *human.systems)), named)
    truth = rng.random(60)
    for name, values in (
        ("gold", truth),
        ("follows", truth / 2 + rng.normal(0, 0.05, 60)),
        ("average", rng.normal(0.5, 0.01, 60)),
    ):
        (place / f"{name}.hter").write_text("".join(f"{value:.4f}\n" for value in values))
    return place


RANKINGS = "srclang,trglang,srcIndex,segmentId,judgeId," + ",".join(
    f"system{i}Id,system{i}rank" for i in range(1, 6)
)


def write_table(path, header, lines):
    """Write a table as CSV."""
    path.write_text(
        "\n".join([header, *(",".join(map(str, line)) for line in lines)]) + "\n", encoding="utf-8"
    )


def drawn_rankings(human, rng):
    """Five systems ranked by a judge in each row, by their human scores."""
    for k in range(500):
        s, chosen = int(rng.integers(human.n_segments)), rng.choice(8, 5, replace=False)
        score = -human.values[chosen, s]
        ranks = [int((score < one).sum()) + 1 for one in score]
        pairs = [
            str(cell) for a, rank in zip(chosen, ranks, strict=True) for cell in (human.systems[a], rank)
        ]
        yield ("x", "y", human.segments[s], human.segments[s], f"J{k % 12}", *pairs)


@pytest.fixture(scope="module")
def answers():
    """What commands said, for rows that show the same one."""
    return {}


def answer(row: Row, folder, monkeypatch, capsys) -> str:
    """What a command prints, or the value of an expression."""
    monkeypatch.chdir(folder)
    if row.command.startswith(PYTHON):
        human = bt.read_scores("demo/human.csv")
        names = {"bt": bt, "np": np, "tau": tau, "elo": elo, "human": human}
        names |= {"fixed_point": fixed_point, "bradley_terry": bradley_terry, "win_counts": win_counts}
        names["metrics"] = bt.read_metrics("demo/metrics.tsv")
        return repr(eval(row.command.removeprefix(PYTHON), names))  # noqa: S307  (our own file)
    monkeypatch.setenv("BETTERTHAN_CACHE", str(folder / "cache"))
    monkeypatch.setenv("COLUMNS", "160")
    for written in (*folder.glob("*.svg"), folder / "pairs.csv"):
        written.unlink(missing_ok=True)
    with pytest.raises(SystemExit) as stopped:
        main(shlex.split(row.command))
    said = capsys.readouterr()
    assert stopped.value.code == 0, said.err
    return said.out + said.err


def _marked(row: Row):
    return pytest.param(
        row, id=row.name, marks=pytest.mark.slow if row.is_slow or row.command.startswith("study") else ()
    )


@pytest.mark.parametrize("row", [_marked(row) for row in ROWS])
def test_the_command_shows_it(row, folder, answers, monkeypatch, capsys):
    """It runs, and says what the row is about."""
    if row.command not in answers:
        answers[row.command] = answer(row, folder, monkeypatch, capsys)

    said = " ".join(answers[row.command].split())
    assert row.shows.casefold() in said.casefold(), said[:2000]


def test_no_row_is_missing():
    """A1 to A126 and E1 to E38, each once."""
    expected = [*(f"A{i}" for i in range(1, 127)), *(f"E{i}" for i in range(1, 39))]
    assert sorted(row.name for row in ROWS) == sorted(expected)


def test_the_page_is_made_from_the_table():
    """Run `python -m tests.papers.coverage` to write it again."""
    assert PAGE.read_text(encoding="utf-8") == page()
