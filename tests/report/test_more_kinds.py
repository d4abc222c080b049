"""Reports on predicted quality, sentences of tags, and several metrics at once."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from tests.report.test_report import blocks_of, parsed, section

import betterthan as bt
from betterthan.errors import BetterThanError
from betterthan.report.compose import compose
from betterthan.report.document import TaggedSentences
from betterthan.report.page import page
from betterthan.report.worddiff import compared


@pytest.fixture(scope="module")
def hter(tmp_path_factory):
    """True scores and three predictions of sixty sentences, one number per line."""
    folder, rng = tmp_path_factory.mktemp("hter"), np.random.default_rng(4)
    truth = rng.beta(1, 3, 60)
    for name, noise in (("gold", 0.0), ("ours", 0.05), ("base", 0.3), ("third", 0.25)):
        values = np.clip(truth + rng.normal(0, noise, 60), 0, 1)
        (folder / f"{name}.hter").write_text("\n".join(f"{value:.4f}" for value in values) + "\n")
    return [str(folder / f"{name}.hter") for name in ("gold", "ours", "base", "third")]


def test_predicted_quality_is_compared_with_the_truth(hter):
    """The gold file is the truth and not a system; the numbers are those of the verb."""
    report = compose(hter)
    assert report.kind == "quality"
    result = report.results["quality"]
    assert set(result.systems) == {"ours", "base", "third"}
    assert report.headline == f"ours predicts quality best of 3 systems, ahead of {result.systems[1]}."
    assert f"is {result.pearson[0]:.3f} for ours" in report.verdict
    assert f"{result.pearson[1]:.3f} for {result.systems[1]}" in report.verdict
    assert parsed(page(report)).stack == []
    with pytest.raises(BetterThanError, match="true scores first"):
        compose(hter[:1], question="quality")


def test_sentences_of_tags_show_words_and_errors(folder):
    """The words of the translations, with the tags of the truth and of the first two systems."""
    files = [str(folder / "tags" / name) for name in ("gold.tags", "Finch.tags", "Heron.tags", "output.mt")]
    report = compose(files)
    (block,) = [b for b in blocks_of(section(report, "segments").blocks) if isinstance(b, TaggedSentences)]
    lines = (folder / "tags" / "output.mt").read_text(encoding="utf-8").splitlines()
    tags = bt.read_tags(files[0], files[1:3])
    for row in block.rows:
        at = tags.segments.index(row.segment)
        gold, *systems = row.lines
        assert [word for word, _, _ in gold[1]] == lines[at].split()
        part = slice(tags.offsets[at], tags.offsets[at + 1])
        assert [bad for _, bad, _ in gold[1]] == tags.gold[part].tolist()
        for name, words in systems:
            predicted = tags.predicted[tags.systems.index(name), part]
            assert [wrong for _, _, wrong in words] == (predicted != tags.gold[part]).tolist()
    hidden = compose(files, texts=False)
    assert lines[0] not in page(hidden)
    assert "Words are left out of this report." in section(hidden, "segments").lead


def test_two_runs_are_compared_on_every_task():
    """One row per task, the later run minus the earlier, adjusted over tasks; the verdict counts them."""
    rng = np.random.default_rng(5)
    tables = []
    for name, lead in (("arc", 0.3), ("gsm8k", 0.0), ("mmlu", -0.02)):
        difficulty = rng.normal(0, 1, 120)
        values = [(difficulty + rng.normal(0, 1, 120) + shift > 0).astype(float) for shift in (0.0, 4 * lead)]
        tables.append(
            bt.Scores(name=name, systems=["v1", "v2"], segments=map(str, range(120)), values=np.array(values))
        )
    report = compose(tables)
    (block,) = [
        b for b in section(report, "every-metric-section").blocks if getattr(b, "key", "") == "every-metric"
    ]
    tested = [bt.compare(table).pair("v2", "v1") for table in tables]
    holm = multipletests([pair.pvalue for pair in tested], method="holm")[1]
    assert [row[0] for row in block.table.rows] == ["arc", "gsm8k", "mmlu"]
    assert [row[7] for row in block.table.rows] == pytest.approx(holm.tolist())
    assert block.table.rows[0][-1] == "better *"
    n_better = sum(pair.effect > 0 for pair in tested)
    n_sure = sum(p <= 0.05 for p in holm)
    assert report.headline == f"v2 is better than v1 by {n_better} of 3 metrics, {n_sure} significantly."
    assert (
        f"Of 3 metrics, v2 compared with v1 is better by {n_better} ({n_sure} significantly)"
        in report.verdict
    )


def test_several_systems_have_a_section_on_trade_offs():
    """With the numbers of the verb; the pair of every metric has p-values of the same family."""
    rng = np.random.default_rng(8)
    tables = [
        bt.Scores(
            name=name,
            systems=["A", "B", "C"],
            segments=map(str, range(40)),
            values=rng.normal(size=(3, 40)) + np.array(leads)[:, None],
        )
        for name, leads in (("clarity", (1, 0, 0)), ("brevity", (0, 1, 0)))
    ]
    report = compose(tables)
    found = bt.tradeoffs(tables)
    assert report.results["tradeoffs"].adjusted.tolist() == pytest.approx(found.adjusted, nan_ok=True)
    assert "Pareto front: A and B" in section(report, "tradeoffs").lead
    (block,) = [
        b for b in section(report, "every-metric-section").blocks if getattr(b, "key", "") == "every-metric"
    ]
    a, b = bt.rank(tables[0]).systems[:2]
    assert [row[7] for row in block.table.rows] == [found.pair(each.name, a, b).adjusted for each in tables]


def test_tasks_with_items_of_their_own_have_a_board():
    """Instead of trade-offs; with the numbers of the verb."""
    rng = np.random.default_rng(2)
    tables = [
        bt.Scores(
            name=name,
            systems=["A", "B", "C"],
            segments=[f"{name}{i}" for i in range(30)],
            values=rng.normal(size=(3, 30)) + np.array([1.0, 0.5, 0.0])[:, None],
        )
        for name in ("arc", "gsm8k", "mmlu", "squad")
    ]
    report = compose(tables)
    assert report.results["board"] == bt.board(tables, rng=report.results["board"].settings.seed or 12345)
    assert "For these tasks with other items: A is significantly better" in section(report, "board").lead
    assert "tradeoffs" not in [each.key for each in report.sections]


def test_words_are_compared_with_the_reference_and_with_the_other_output():
    """Each piece carries both marks; without blanks characters are compared; all pieces make the text."""
    pieces = compared("a red boat sank", reference="a red ship sank", other="the blue boat sank")
    assert [(word, marks) for word, marks in pieces if word.strip()] == [
        ("a", "o"),
        ("red", "o"),
        ("boat", "r"),
        (" sank", ""),
    ]
    assert "".join(word for word, _ in pieces) == "a red boat sank"
    assert compared("東京都", other="東京府") == (("東京", ""), ("都", "o"))
