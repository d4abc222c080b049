"""What a report says is what the verbs say, and what is shown is harmless."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from html.parser import HTMLParser

import pytest
from tests.report.conftest import EVIL, FORMULA, made_scores

import betterthan as bt
from betterthan.errors import BetterThanError, ReadError, TableError, UnknownName
from betterthan.report.compose import compose, write_report
from betterthan.report.document import Columns, Fold, Matrix, Switch, SwitchView, TableBlock, copies_of
from betterthan.report.page import Links, page, section_fragment

KINDS = ("scores", "battles", "meta", "texts", "tags")
EVERYWHERE = {"ranking", "data", "method", "files"}


class Reader(HTMLParser):
    """Tags, ids and texts of a page; an element that is never closed shows as a rest on the stack."""

    VOID = frozenset({"meta", "input", "br", "wbr", "link", "path", "rect", "circle"})

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.tags, self.ids, self.attributes, self.words = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        """Keep the tag open until it is closed."""
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Count an element that closes itself."""
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        """Close the last open tag, and no other."""
        if tag not in self.VOID:
            assert self.stack.pop() == tag, tag

    def handle_data(self, data):
        """Keep what is seen."""
        self.words.append(data)


def parsed(text):
    """Read a page or a fragment."""
    reader = Reader()
    reader.feed(text)
    return reader


def blocks_of(blocks):
    """Every block, however deep."""
    for block in blocks:
        yield block
        if isinstance(block, Switch):
            for choice in block.choices:
                yield from blocks_of(choice.blocks)
        elif isinstance(block, Columns):
            yield from blocks_of((*block.left, *block.right))
        elif isinstance(block, Fold | SwitchView):
            yield from blocks_of(block.blocks)


def section(report, key):
    """The section with this key."""
    return next(part for part in report.sections if part.key == key)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_sections_and_a_verdict(reports, kind):
    """Verdict in words first; data check, method and files always."""
    report = reports[kind]
    keys = [part.key for part in report.sections]
    assert report.kind == kind
    assert set(keys) >= EVERYWHERE
    assert len(set(keys)) == len(keys)
    assert report.headline.endswith(".")
    assert len(report.verdict.split()) > 8
    assert 3 <= len(report.cards) <= 5


def test_a_report_on_scores_has_all_sections(reports):
    """The sections of a full report, in order."""
    keys = [part.key for part in reports["scores"].sections]
    expected = "ranking pairs pair agreement slices segments sure claim data method files".split()  # noqa: SIM905
    assert keys == expected


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_well_formed_closed_and_need_no_network(reports, kind):
    """Every element is closed, every id is there once, nothing is fetched, no style or handler stands inline."""
    text = page(reports[kind])
    found = parsed(text)
    assert found.stack == []
    assert len(set(found.ids)) == len(found.ids)
    assert not {name for _, name, _ in found.attributes if name.startswith("on") or name == "style"}
    targets = [value for _, name, value in found.attributes if name in ("href", "src", "action")]
    assert all(value.startswith("#") for value in targets)
    assert "http://" not in re.sub(r'"http://www.w3.org/2000/svg"', "", text)
    assert "https://" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_links_inside_the_page_lead_somewhere(reports, kind):
    """Every anchor exists."""
    found = parsed(page(reports[kind]))
    inside = [value[1:] for tag, name, value in found.attributes if tag == "a" and name == "href"]
    assert not [target for target in inside if target not in found.ids]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_data_give_the_same_bytes(reports, kind):
    """No clock, no set order: writing twice is equal, and the page never names a date."""
    assert page(reports[kind]) == page(reports[kind])


@pytest.mark.slow
def test_computing_twice_gives_the_same_bytes():
    """From data to page without a difference in a byte."""
    scores = made_scores()
    assert page(compose(scores)) == page(compose(scores))


def test_the_policy_names_style_and_script_by_digest(reports):
    """The digest of what stands in the page is the one that the policy allows."""
    import base64
    import hashlib

    text = page(reports["scores"])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1).replace("&#39;", "'")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_numbers_in_the_page_are_those_of_the_verbs(reports, folder):
    """The ranking is bt.rank's and the matrix is bt.compare's."""
    report = reports["scores"]
    scores = bt.read_scores(str(folder / "human.csv"))
    assert report.results["ranking-mean"] == bt.rank(scores, by="mean", units="groups")
    assert report.results["pairs"] == bt.compare(scores, test="permutation", units="groups")
    matrix = next(b for b in blocks_of(section(report, "pairs").blocks) if isinstance(b, Matrix))
    pairs = report.results["pairs"]
    first, second = matrix.rows[0], matrix.columns[1]
    pair = pairs.pair(first, second)
    assert matrix.cells[0][1].text == f"{pair.effect:.1f}"
    assert matrix.cells[0][1].is_sure == (pair.adjusted <= 0.05)
    assert matrix.cells[0][0] is None


def test_pairs_of_tags_are_corrected_as_their_ranking_is(reports):
    """One correction in the ranking, in the table of pairs and in the words on the method."""
    ranking, pairs = (reports["tags"].results[name] for name in ("ranking", "pairs"))
    assert pairs.correction == ranking.correction == "max_statistic"
    assert pairs.n_different == ranking.n_different[0] == 1
    assert "adjusted by the maximum statistic" in page(reports["tags"])


def test_embedded_results_are_read_back(reports):
    """What the page hands out as JSON is every result, unchanged."""
    for report in reports.values():
        text = page(report)
        inside = re.search(r'id="results">(.*?)</script>', text, re.DOTALL).group(1)
        data = json.loads(inside)
        assert data["schema"] == "betterthan.report/1"
        for name, result in report.results.items():
            assert bt.Result.from_dict(data["results"][name]) == result


def test_names_that_are_code_show_as_text(evil):
    """A system named like a script is a word in HTML, SVG, LaTeX and Markdown."""
    text = page(evil)
    found = parsed(text)
    assert found.tags.count("script") == 3
    assert EVIL not in text
    assert any(EVIL in words for words in found.words)
    tables = [
        block for part in evil.sections for block in blocks_of(part.blocks) if isinstance(block, TableBlock)
    ]
    for block in tables:
        latex, markdown, _ = copies_of(block)
        # Signatures stand in comments and in code, where nothing runs.
        assert not [line for line in latex.text.splitlines() if EVIL in line and not line.startswith("%")]
        assert not [line for line in markdown.text.splitlines() if EVIL in line and not line.startswith("`")]


def test_names_that_are_formulas_are_quoted_in_csv(evil):
    """No cell of any CSV begins like a formula, except numbers."""
    tables = [
        block for part in evil.sections for block in blocks_of(part.blocks) if isinstance(block, TableBlock)
    ]
    seen = False
    for text in [copies_of(block)[-1].text for block in tables] + list(evil.payload["csv"].values()):
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                seen |= cell == f"'{FORMULA}"
                if cell[:1] in "=+-@" and cell:
                    float(cell)
    assert seen


def test_no_texts_leaves_every_text_out(folder, outputs, reports):
    """Neither the list of segments nor the data for the script holds a line of text."""
    reference = str(folder / "texts/reference.txt")
    hidden = page(compose([str(folder / "human.csv"), *outputs], references=[reference], texts=False))
    line = (folder / "texts/reference.txt").read_text().splitlines()
    assert not [words for words in line if len(words) > 20 and words in hidden]
    assert "Texts are left out" in hidden
    assert [words for words in line if len(words) > 20 and words in page(reports["scores"])]


def test_the_server_gets_addresses_and_a_nonce(reports):
    """Cells lead to the server's pages, names are quoted, and the nonce replaces the digests."""
    links = Links(home="/", json="/r.json", csv="/r.csv", tex="/r.tex", pair="/pairs/{a}/{b}", nonce="abc")
    text = page(reports["scores"], links=links)
    assert 'href="/pairs/Aster/Cedar"' in text
    assert '<script nonce="abc">' in text
    assert '<style nonce="abc">' in text
    assert "Content-Security-Policy" not in text
    for address in ("/r.json", "/r.csv", "/r.tex"):
        assert f'href="{address}"' in text
    quoted = page(compose(made_scores(names=["a/b", "c d", "e?f"])), links={"pair": "/pairs/{a}/{b}"})
    assert "/pairs/a%2Fb/c%20d" in quoted


@pytest.mark.slow
def test_several_metrics_the_first_is_named(folder):
    """No silent choice: the report says which metric it is about, and shows whether the others agree."""
    report = compose(str(folder / "metrics.tsv"))
    assert "the first" in report.notes[0]
    assert "metrics" in [part.key for part in report.sections]
    other = compose(str(folder / "metrics.tsv"), metric="TER")
    assert other.title.startswith("TER (lower is better)")
    assert "--metric TER" in other.command
    with pytest.raises(UnknownName, match="metric"):
        compose(str(folder / "metrics.tsv"), metric="COMIT")


def test_what_is_asked_must_fit_the_data(folder, outputs):
    """Errors say what to pass."""
    with pytest.raises(ReadError, match="references=FILE"):
        compose(outputs)
    with pytest.raises(BetterThanError, match="human=FILE"):
        compose(str(folder / "metrics.tsv"), question="meta")
    with pytest.raises(BetterThanError, match="gold file first"):
        compose(str(folder / "tags/gold.tags"))
    with pytest.raises(UnknownName, match="question"):
        compose(str(folder / "human.csv"), question="why")
    with pytest.raises(BetterThanError, match="at least one file"):
        compose([])
    short = bt.Texts(systems=["S0"], segments=["1"], outputs=[["a"]])
    with pytest.raises(TableError, match="1 lines and the scores 40 segments"):
        compose([made_scores(), short])


def test_a_report_is_written_whole_or_not_at_all(tmp_path):
    """The file is there when the call returns, and no part of it is left when it fails."""
    place = tmp_path / "report.html"
    assert write_report(place, made_scores()) == place
    assert place.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(BetterThanError, match="is a folder"):
        write_report(tmp_path, made_scores())
    with pytest.raises(BetterThanError, match="cannot be written"):
        write_report(tmp_path / "no" / "where.html", made_scores())
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_missing_scores_are_refused_and_can_be_dropped():
    """As everywhere: raise by default, drop on request, and the report says so."""
    whole = made_scores()
    values = whole.values.copy()
    values[0, 3] = float("nan")
    gaps = dataclasses.replace(whole, values=values)
    with pytest.raises(bt.MissingScores):
        compose(gaps)
    report = compose(gaps, missing="drop")
    items = section(report, "data").blocks[0].items
    assert any("1 score is missing" in item.text for item in items)


def test_two_systems_and_one_that_never_wins():
    """The smallest report; the Bradley–Terry strengths of two such systems are 1 and 0."""
    scores = bt.Scores(
        name="m", systems=["A", "B"], segments=list("1234"), values=[[2, 3, 4, 5], [1, 1, 1, 1]]
    )
    report = compose(scores)
    words = section_fragment(section(report, "ranking"))
    assert "2,B,0.0,0.0," in words
    assert parsed(page(report)).stack == []


def test_equal_systems_are_no_error():
    """Nothing but ties: no division by nothing anywhere."""
    scores = bt.Scores(name="m", systems=["A", "B", "C"], segments=list("12345"), values=[[1.0] * 5] * 3)
    report = compose(scores)
    assert report.headline == "No system can be called best."
    assert parsed(page(report)).stack == []


def test_command_line(folder, tmp_path):
    """The command writes the page and says how large it is; the page holds the command that makes it again."""
    from click.testing import CliRunner

    from betterthan.cli.main import cli

    place = tmp_path / "r.html"
    done = CliRunner().invoke(
        cli,
        ["report", str(folder / "human.csv"), "-o", str(place), "--seed", "7", "--no-texts", "--no-cache"],
    )
    assert done.exit_code == 0, done.output
    assert "opens without network" in done.output
    text = place.read_text(encoding="utf-8")
    assert "--seed 7 --no-texts" in text
    refused = CliRunner().invoke(cli, ["report", str(folder / "human.csv"), "--resamples", "5"])
    assert refused.exit_code == 2


def test_templates_are_part_of_the_package():
    """What pages are made of lies beside the code, so that a wheel holds it."""
    from importlib.resources import files

    names = {path.name for path in files("betterthan.report").joinpath("templates").iterdir()}
    assert {
        "page.html.j2",
        "section.html.j2",
        "blocks.html.j2",
        "report.css",
        "report.js",
        "citations.bib",
    } <= names
