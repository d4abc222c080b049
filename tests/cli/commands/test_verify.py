"""``betterthan verify``: results follow from their data, or it is said what differs; and files are not obeyed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import click
import pytest
from tests.command_lines import FEW, TEXTS, VERBS_AND_FILES, write_files
from tests.everyday import few

import betterthan as bt
from betterthan.cli.main import cli
from betterthan.receipts.receipt import VERBS
from betterthan.receipts.verification import DataComparison

# Parameters that change no number of a result: where it goes, who computes it, what else is written.
LEFT_OUT = {
    "format",
    "output",
    "as_json",
    "color",
    "workers",
    "executor",
    "no_cache",
    "code",
    "memory",
    "quiet",
    "verbose",
} | {
    *("scores_to", "matches_to", "darr", "segments", "score_only", "format_", "show_list"),
    *(
        "all_notes",
        "whole_signature",
        "all",
        "figures",
        "state",
        "follow",
        "github",
        "junit",
        "config_path",
        "show_config",
    ),
}


@pytest.fixture(scope="module")
def campaign_folder(tmp_path_factory):
    """The demo campaign, and small files for the verbs that it has no data for."""
    folder = tmp_path_factory.mktemp("verify")
    write_files(folder)
    return folder


@pytest.fixture(autouse=True)
def here(campaign_folder, tmp_path, monkeypatch):
    """Stand in a copy of the campaign's folder."""
    shutil.copytree(campaign_folder, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def made(betterthan, *command):
    """The JSON that a command writes."""
    said = betterthan(*command, "--json")
    assert said.code == 0, said
    return json.loads(said.out)


def kept(data, name="result.json"):
    """Write a result, changed or not."""
    Path(name).write_text(json.dumps(data), encoding="utf-8")
    return name


def files_of(data):
    """The names of the files recorded in a result, each once."""
    one = data[0] if isinstance(data, list) else data
    return list(dict.fromkeys(file["name"] for file in one["command"]["files"]))


@pytest.mark.parametrize("name", few(VERBS_AND_FILES, 8))
def test_what_a_verb_writes_is_equal_when_computed_again(name, betterthan):
    """Every verb, from JSON to the same numbers, with the files in another order; a changed number is found."""
    data = made(betterthan, *VERBS_AND_FILES[name])
    said = betterthan("verify", kept(data), *reversed(files_of(data)))
    n_results = len(data) if isinstance(data, list) else 1
    assert said.code == 0, said
    assert said.out.count(": reproduced. ") == n_results
    assert (
        said.out.count(f"{' '.join(VERBS_AND_FILES[name][: 1 + (name[:5] in ('human', 'score'))])} of ")
        == n_results
    )

    last = data[-1] if isinstance(data, list) else data
    place, before = next(_numbers(last, ""))
    exec_at(last, place, before + 1)
    said = betterthan("verify", kept(data), *files_of(data))
    assert said.code == 1
    assert f"  {place}: recorded {before + 1!r}, computed again {before!r}" in said.out


def _numbers(value, place):
    """Every number of a result and its place, written as the command writes it; settings and the command aside."""
    if isinstance(value, dict):
        for key, inside in value.items():
            if key not in ("command", "settings", "schema"):
                yield from _numbers(inside, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for i, inside in enumerate(value):
            yield from _numbers(inside, f"{place}[{i}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, value


def exec_at(data, place, value):
    """Put a value at a place such as ``agreement.alpha[0]``."""
    *way, last = [
        int(part) if part.isdigit() else part for part in place.replace("]", "").replace("[", ".").split(".")
    ]
    for part in way:
        data = data[part]
    data[last] = value


def _commands(group, before=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


def test_every_parameter_of_a_verb_is_recorded_or_left_out_on_purpose():
    """A new option must be put into one of the lists; what is left out can never be run from a file."""
    commands = dict(_commands(cli))
    for name, verb in VERBS.items():
        listed = [*verb.files, *verb.parameters]
        assert len(set(listed)) == len(listed)
        assert not set(listed) & LEFT_OUT
        assert set(listed) <= {parameter.name for parameter in commands[name].params}, name
        assert {parameter.name for parameter in commands[name].params} <= {*listed, *LEFT_OUT}, name


def test_every_command_that_writes_results_is_a_verb():
    """Whatever has --json and --output can be verified."""
    for name, command in _commands(cli):
        assert ("as_json" in {parameter.name for parameter in command.params}) == (name in VERBS), name


def test_every_verb_is_tried_above():
    """The round trips leave no verb out."""
    tried = {" ".join(command[:2]) for command in VERBS_AND_FILES.values()}
    assert {name for name in VERBS if name in tried or name in {one.split()[0] for one in tried}} == set(
        VERBS
    )


@pytest.mark.slow
def test_a_study_in_a_folder_and_one_without_files_can_be_verified(betterthan):
    """study.json of the folder says its command; what was run on the example campaign needs no file."""
    assert betterthan("study", "spa-speed", "--quick", "--set", "repeats=2", "-o", "out").code == 0
    said = betterthan("verify", "out/study.json")
    assert (said.code, said.out.count(": reproduced. study gives the same ")) == (0, 1), said
    data = json.loads(Path("out/study.json").read_text(encoding="utf-8"))
    assert data["command"]["parameters"]["settings"] == ["repeats=2"]
    data["tables"][1]["rows"][0][3] += 1e-6
    said = betterthan("verify", kept(data))
    assert said.code == 1
    assert "tables[1].rows[0][3]: recorded" in said.out
    assert betterthan("verify", "out/study.json", "demo/human.csv").code == 2


def test_the_record_says_what_matters_and_nothing_else(betterthan, here):
    """No clock, no folder of this machine, no workers; the digest is that of sha256sum."""
    once = betterthan("rank", here / "demo/human.csv", "--json", "--workers", 1, *FEW)
    again = betterthan("rank", here / "demo/human.csv", "-f", "json", "-o", "-", "--no-cache", *FEW)
    assert once.out == again.out
    assert str(here) not in once.out
    command = json.loads(once.out)["command"]
    assert set(command) == {"name", "parameters", "files"}
    assert command["parameters"]["seed"] == 12345
    assert command["parameters"]["resamples"] == 50
    # The digest of "id,A,B\n1,2,1\n2,3,1\n", by sha256sum of GNU coreutils.
    Path("tiny.csv").write_bytes(b"id,A,B\n1,2,1\n2,3,1\n")
    tiny = made(betterthan, "rank", "tiny.csv")["command"]["files"]
    sha = "9a443da29947a5ce9b854855064cc7646dfc8b5057aedda0fc1c554c1973a9db"
    assert tiny == [{"parameter": "files", "name": "tiny.csv", "digest": f"sha256:{sha}"}]


def test_a_result_with_its_command_is_read_back_as_the_result(betterthan):
    """The command is no field of a result."""
    data = made(betterthan, "rank", "demo/human.csv", *FEW)
    assert bt.Result.from_dict(data) == bt.rank(bt.read_scores("demo/human.csv"), n_resamples=50)
    assert "command" not in bt.Result.from_dict(data).to_dict()


def test_a_changed_file_is_named_with_what_it_changes(betterthan):
    """Other bytes with other data differ; other bytes with the same data do not."""
    kept(made(betterthan, "rank", "demo/human.csv", *FEW))
    text = Path("demo/human.csv").read_bytes()
    Path("demo/human.csv").write_bytes(text.replace(b"\n", b"\r\n"))
    said = betterthan("verify", "result.json", "demo/human.csv")
    assert said.code == 0
    assert "demo/human.csv has other bytes than demo/human.csv had, but the same data" in said.out
    Path("demo/human.csv").write_bytes(
        text.replace(b"news-01:01,news-01,news,90", b"news-01:01,news-01,news,0")
    )
    said = betterthan("verify", "result.json", "demo/human.csv")
    assert said.code == 1
    assert "result.json: differs. rank of demo/human.csv gives something else." in said.out
    assert "demo/human.csv has other bytes than demo/human.csv had\n" in said.out
    assert "  strength[0]: recorded 87.68, computed again 87.38" in said.out  # 90 of 300 segments less: 0.3
    Path("demo/human.csv").write_bytes(text + b"x,x,x,1,2,,,,,,\n")
    said = betterthan("verify", "result.json", "demo/human.csv")
    assert said.code == 1
    assert "rank of demo/human.csv cannot be computed now: 6 of 2408 scores are missing" in said.out


def test_files_may_have_moved_and_changed_their_names(betterthan, tmp_path):
    """Systems called as their files keep their names; found by bytes, then by order."""
    data = made(betterthan, "score", "chrf", *TEXTS)
    kept(data)
    other = tmp_path / "elsewhere"
    other.mkdir()
    moved = {"reference": "r", "Aster": "x", "Daphne": "y"}
    for old, new in moved.items():
        shutil.copy(f"short/{old}.txt", other / f"{new}.txt")
    said = betterthan("verify", "result.json", other / "y.txt", other / "r.txt", other / "x.txt")
    assert said.code == 0, said
    (other / "x.txt").write_bytes((other / "x.txt").read_bytes().replace(b"\n", b"\r\n"))
    assert betterthan("verify", "result.json", other / "y.txt", other / "r.txt", other / "x.txt").code == 0


def test_notes_that_name_files_are_the_same_from_another_folder(betterthan, here, tmp_path):
    """Whether the file was given absolutely or not."""
    for path in ("demo/texts/Aster.txt", here / "demo/texts/Aster.txt"):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        Path(path).write_text("\n".join(["", "", *lines[2:]]) + "\n", encoding="utf-8")
        data = made(betterthan, "score", "bleu", "--reference", "demo/texts/reference.txt", path, *FEW)
        assert any("Aster.txt: 2 empty lines" in note for note in data["notes"]), data["notes"]
        shutil.copy(path, tmp_path / "Aster.txt")
        said = betterthan("verify", kept(data), tmp_path / "Aster.txt", here / "demo/texts/reference.txt")
        assert said.code == 0, said


def test_folders_and_patterns_are_files_too(betterthan):
    """A folder of the metrics task, and a pattern that stands for several files."""
    folder = Path("mini")
    (folder / "metric-scores" / "en-de").mkdir(parents=True)
    (folder / "human-scores").mkdir()
    metric = folder / "metric-scores" / "en-de" / "BLEU-refA.seg.score"
    metric.write_text("A 30\nA 40\nB 20\nB 25\nC 10\nC 5\n", encoding="utf-8")
    (folder / "human-scores" / "en-de.mqm.seg.score").write_text("A -1\nA -2\nB -5\nB 0\nC -9\nC -8\n")
    kept(made(betterthan, "meta", "mini", "--significance", "none", "--p-values", "exact"))
    assert betterthan("verify", "result.json", "mini").code == 0
    folder.rename("copy")
    assert betterthan("verify", "result.json", "copy").code == 0
    Path("copy/metric-scores/en-de/BLEU-refA.seg.score").write_text("A 1\nA 40\nB 20\nB 25\nC 10\nC 5\n")
    said = betterthan("verify", "result.json", "copy")
    assert said.code == 1
    assert "copy has other bytes than mini had" in said.out

    data = made(betterthan, "score", "ter", "--reference", "short/reference.txt", "short/[AC]*.txt", *FEW)
    assert data["systems"] == ["Aster", "Cedar"]
    assert betterthan("verify", kept(data), "short/[AC]*.txt", "short/reference.txt").code == 0


def test_standard_input_is_read_again_from_a_file(betterthan, monkeypatch):
    """A stream has no bytes left to compare, but its data are."""
    with Path("demo/human.csv").open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        data = made(betterthan, "rank", "-", *FEW)
    assert data["command"]["files"] == [{"parameter": "files", "name": "-", "digest": None}]
    assert betterthan("verify", kept(data), "demo/human.csv").code == 0
    assert betterthan("verify", "result.json", "demo/battles.csv").code == 1


def test_missing_and_foreign_files_are_named(betterthan):
    """Nothing is computed."""
    kept(made(betterthan, "meta", "demo/metrics.tsv", "--human", "demo/human.csv", "--significance", "none"))
    said = betterthan("verify", "result.json", "demo/metrics.tsv")
    assert said.code == 2
    assert "also made from demo/human.csv, and no FILE is left for it" in said.err
    said = betterthan("verify", "result.json", "demo/metrics.tsv", "demo/human.csv", "demo/battles.csv")
    assert said.code == 2
    assert "was not made from demo/battles.csv" in said.err
    assert betterthan("verify", "result.json").code == 2


def test_one_of_several_results_can_stand_alone_and_commands_can_be_mixed(betterthan):
    """Each result knows its place among the answers to its command."""
    two = made(betterthan, "rank", "small.csv", "--by", "mean", "--by", "median", *FEW)
    pairs = made(betterthan, "diagnose", "demo/metrics.tsv", "--metric", "Learned")
    assert betterthan("verify", kept(two[1]), "small.csv").code == 0
    said = betterthan("verify", kept([two[1], pairs]), "demo/metrics.tsv", "small.csv")
    assert said.code == 0
    assert "result.json, 1 of 2: reproduced. rank of small.csv" in said.out
    assert "result.json, 2 of 2: reproduced. diagnose of demo/metrics.tsv" in said.out
    two[1]["command"]["result"] = 2
    said = betterthan("verify", kept(two[1]), "small.csv")
    assert said.code == 1
    assert "has only 2 results" in said.out


def test_at_most_twenty_lines_are_shown(betterthan):
    """And how many more there are."""
    data = made(betterthan, "compare", "demo/human.csv", *FEW)
    data["effect"] = [[None if value is None else value + 1 for value in row] for row in data["effect"]]
    said = betterthan("verify", kept(data), "demo/human.csv")
    assert said.code == 1
    lines = said.out.splitlines()
    assert len(lines) == 22  # the verdict, the command and twenty
    assert lines[-1] == "  and 37 more differences"  # 8 x 7 pairs, of which 19 are shown


def test_another_version_is_said_and_allowed_the_last_digits(betterthan):
    """Numbers within 1e-9 are equal then, and only then."""
    data = made(betterthan, "rank", "demo/human.csv", *FEW)
    data["strength"][0] += 1e-9
    said = betterthan("verify", kept(data), "demo/human.csv")
    assert said.code == 1
    assert "--tolerance 1e-09 allows for it" in said.out
    assert betterthan("verify", "result.json", "demo/human.csv", "--tolerance", "1e-9").code == 0
    data["settings"]["version"], data["signature"] = (
        "0.0.1",
        data["signature"].replace(bt.__version__, "0.0.1"),
    )
    del data["test"]  # a field that the other version did not have
    said = betterthan("verify", kept(data), "demo/human.csv")
    assert said.code == 0
    assert f"made by betterthan 0.0.1, computed again by {bt.__version__}" in said.out
    assert "numbers again within 1e-09." in said.out
    data["strength"][0] += 1e-3
    assert betterthan("verify", kept(data), "demo/human.csv").code == 1


def test_changed_words_differ_too(betterthan):
    """A signature, a name, a note, a field too many or too few."""
    data = made(betterthan, "rank", "demo/human.csv", *FEW)
    for key, value in (("signature", "betterthan|median"), ("unit_note", "All is well."), ("comment", "x")):
        said = betterthan("verify", kept({**data, key: value}), "demo/human.csv")
        assert said.code == 1
        assert f"  {key}: recorded " in said.out
    said = betterthan(
        "verify", kept({key: value for key, value in data.items() if key != "low"}), "demo/human.csv"
    )
    assert "  low: recorded no such field, computed again 8 entries" in said.out


def test_a_result_made_in_python_has_only_its_data_checked(betterthan):
    """That is no verification: the exit code says so, and so does the first line."""
    scores = bt.read_scores("demo/human.csv")
    tags = bt.read_tags("demo/tags/gold.tags", ["demo/tags/Finch.tags", "demo/tags/Wren.tags"])
    cases = {
        "demo/human.csv": [bt.diagnose(scores), bt.compare(scores.select(["Elm", "Aster"]), n_resamples=50)],
        "demo/battles.csv": [bt.rank(bt.read_matches("demo/battles.csv"), n_resamples=50)],
        "demo/tags/Wren.tags demo/tags/gold.tags demo/tags/Finch.tags": [bt.rank_tags(tags, n_resamples=50)],
    }
    for files, results in cases.items():
        for result in results:
            said = betterthan("verify", kept(result.to_dict()), *files.split()[::-1])
            assert said.code == 1, said
            assert f"they are those of the files ({result.settings.data})" in said.out
            assert said.out.startswith("result.json: not verified. ")
    said = betterthan("verify", kept(bt.diagnose(scores).to_dict()), "demo/battles.csv")
    assert said.code == 1
    assert f"the data differ: recorded {scores.digest}" in said.out
    people = bt.read_metrics("demo/metrics.tsv")
    meta = bt.meta_evaluate(people, scores, by="pearson", significance="none")
    said = betterthan("verify", kept(meta.to_dict()), "demo/human.csv")
    assert said.code == 2
    assert "its data are not one table" in said.err


def test_a_report_is_verified_with_its_page(betterthan, tmp_path):
    """Results and everything that is shown; from another folder too."""
    files = ("small.csv", "A.txt", "B.txt")
    for file in files[1:]:
        Path(file).write_text("".join(f"Line {i} of {file}.\n" for i in range(12)), encoding="utf-8")
    assert betterthan("report", *files, "--seed", 7, "-o", "report.html").code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    said = betterthan("verify", "report.html", *files[::-1])
    assert said.code == 0, said
    assert "and the page shows nothing else" in said.out
    (tmp_path / "work").rename(tmp_path / "moved")
    (tmp_path / "work").mkdir()
    moved = [tmp_path / "moved" / file for file in files]
    report = tmp_path / "moved" / "report.html"
    assert betterthan("verify", report, *moved).code == 0
    # A number as the table shows it, and one as the data inside the page have it.
    shown = re.search(r'(?<=data-v=")[^"]*">0\.\d+<', page).group()
    for old, where in (
        (shown, "page, line "),
        ('"strength":[0.', "results.ranking-mean.strength[0]: recorded 7."),
    ):
        assert old in page
        report.write_text(page.replace(old, old.replace("0.", "7."), 1), encoding="utf-8")
        said = betterthan("verify", report, *moved)
        assert said.code == 1
        assert "report.html: differs" in said.out
        assert where in said.out


def test_a_report_of_another_version_or_from_memory(betterthan):
    """Its page is not compared then, or it cannot be made again at all."""
    report = bt.write_report("report.html", "small.csv")
    page = report.read_text(encoding="utf-8")
    report.write_text(page.replace(f'"version":"{bt.__version__}"', '"version":"0.0.1"'), encoding="utf-8")
    said = betterthan("verify", report, "small.csv")
    assert said.code == 1, said
    assert "not verified. " in said.out
    assert "what the page shows was made by betterthan 0.0.1" in said.out
    bt.write_report("memory.html", bt.read_scores("small.csv"))
    said = betterthan("verify", "memory.html", "small.csv")
    assert said.code == 2
    assert "from tables in memory" in said.err


def without_command(data):
    """Pass for a result made in Python."""
    del data["command"]


def nothing_but_the_frame(data):
    """Leave out every number, as another version might have."""
    data["settings"]["version"] = "0.0.1"
    for key in data.keys() - {"schema", "kind", "settings", "command"}:
        del data[key]
    data["settings"] = {"version": "0.0.1", "data": data["settings"]["data"]}


def without_settings(data):
    """Pass for a result of an unknown version."""
    del data["settings"]


FORGERIES = {
    "without its command": (without_command, "none of its"),
    "another version without numbers": (nothing_but_the_frame, "holds no number that could be compared"),
    "without settings": (without_settings, "settings: recorded no such field"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_result_with_a_changed_number_is_never_equal(name, betterthan):
    """Whatever is taken out of it, so that the number cannot be compared."""
    data = made(betterthan, "rank", "small.csv", *FEW)
    data["strength"][0] += 1
    forge, message = FORGERIES[name]
    forge(data)
    said = betterthan("verify", kept(data), "small.csv")
    assert said.code == 1, said
    assert message in said.out
    assert ": reproduced. " not in said.out


def test_a_field_that_is_there_twice_is_refused(betterthan):
    """One program shows the first value, another the last."""
    text = json.dumps(made(betterthan, "rank", "small.csv", *FEW))
    Path("result.json").write_text(text.replace('"strength":', '"strength": [7], "strength":', 1))
    said = betterthan("verify", "result.json", "small.csv")
    assert said.code == 2
    assert 'the field "strength" is there twice' in said.err


def test_numbers_do_not_hide_in_the_command(betterthan):
    """It holds what is run again, and nothing else."""
    data = made(betterthan, "rank", "small.csv", *FEW)
    data["command"]["p_value"] = 0.0001
    said = betterthan("verify", kept(data), "small.csv")
    assert (said.code, '"p_value" is no part of a command' in said.err) == (2, True)
    del data["command"]["p_value"]
    data["command"]["files"][0]["p_value"] = 0.0001
    said = betterthan("verify", kept(data), "small.csv")
    assert (said.code, '"p_value" is no part of a file' in said.err) == (2, True)


def test_a_sentence_does_not_pass_for_the_folder_of_a_file(betterthan, here):
    """Folders before the name of a file may differ between machines; what is written there may not."""
    path = here / "demo/texts/Aster.txt"
    path.write_text(
        "\n\n" + "\n".join(path.read_text(encoding="utf-8").splitlines()[2:]) + "\n", encoding="utf-8"
    )
    data = made(betterthan, "score", "bleu", "--reference", "demo/texts/reference.txt", path, *FEW)
    at = next(i for i, note in enumerate(data["notes"]) if "Aster.txt: 2 empty lines" in note)
    files = ("demo/texts/reference.txt", path)
    before = data["notes"][at]
    data["notes"][at] = before.replace(str(path), "/home/my name/Aster.txt")
    assert betterthan("verify", kept(data), *files).code == 0
    data["notes"][at] = before.replace(str(path), "/ A is better: p = 0.001 in Aster.txt")
    assert betterthan("verify", kept(data), *files).code == 1


def test_the_command_that_was_run_is_shown(betterthan):
    """What was chosen decides what the numbers mean; and a file without a digest is named."""
    data = made(betterthan, "rank", "small.csv", "--by", "median", "--by", "mean", *FEW)
    said = betterthan("verify", kept(data), "small.csv")
    line = "  computed again by: betterthan rank --by=median --by=mean --resamples=50 small.csv"
    assert said.out.splitlines()[1] == line
    assert "this is number 2 of the 2 results of the command" in said.out
    data[0]["command"]["files"][0]["digest"] = None
    said = betterthan("verify", kept(data[0]), "small.csv")
    assert (said.code, "no digest of small.csv was recorded" in said.out) == (0, True)


def test_a_forged_page_is_not_equal(betterthan):
    """Not with a sentence among the versions, and not with the version of one result changed."""
    report = bt.write_report("report.html", "small.csv")
    page = report.read_text(encoding="utf-8")
    forged = "<p>A is better, p = 0.0001.</p>"
    place = '<div class="code" id="versions">'
    assert place in page
    report.write_text(page.replace(place, place + forged), encoding="utf-8")
    assert betterthan("verify", report, "small.csv").code == 1
    versions = '<pre tabindex="0">betterthan '
    assert versions in page
    report.write_text(page.replace(versions, forged + versions), encoding="utf-8")
    assert betterthan("verify", report, "small.csv").code == 1
    report.write_text(page.replace(versions, f'<pre tabindex="0">{forged}betterthan '), encoding="utf-8")
    assert betterthan("verify", report, "small.csv").code == 1
    other = page.replace(f'"version":"{bt.__version__}"', '"version":"0.0.1"', 1)
    report.write_text(other.replace("</main>", f"{forged}</main>"), encoding="utf-8")
    assert betterthan("verify", report, "small.csv").code == 1


def test_a_report_without_results_is_not_equal(betterthan):
    """Nothing would be compared but the absence of numbers."""
    report = bt.write_report("report.html", "small.csv")
    (inside,) = re.findall(r'id="results">(.*?)</script>', report.read_text(encoding="utf-8"))
    data = json.loads(inside)
    assert betterthan("verify", kept(data), "small.csv").code == 0
    assert betterthan("verify", kept({**data, "results": {}}), "small.csv").code == 1
    assert betterthan("verify", kept({**data, "p_value": 0.0001}), "small.csv").code == 1


HOSTILE_COMMANDS = {
    "another verb": ({"name": "convert"}, '"convert" is none of agree'),
    "no verb": ({"name": ["rank"]}, "is none of agree"),
    "a shell": ({"name": "rank; touch hacked"}, "is none of agree"),
    "output": ({"parameters": {"output": "hacked"}}, 'rank takes no "output" from a file'),
    "executor": ({"parameters": {"executor": "hacked"}}, 'rank takes no "executor" from a file'),
    "workers": ({"parameters": {"workers": 4096}}, 'rank takes no "workers" from a file'),
    "scores": (
        {"name": "human da", "parameters": {"scores_to": "hacked"}},
        'takes no "scores_to" from a file',
    ),
    "object": ({"parameters": {"metric": {"a": 1}}}, 'the value of "metric" is neither text nor number'),
    "nothing": ({"parameters": None}, "not written as betterthan writes it"),
    "place": ({"result": -1}, "not written as betterthan writes it"),
    "option in a value": (
        {"parameters": {"by": ["mean", "--output=hacked"]}},
        "hacked' is not one of 'mean'",
    ),
    "wrong type": ({"parameters": {"seed": "x"}}, "'x' is not a valid integer"),
    "file as option": (
        {"files": [{"parameter": "output", "name": "hacked"}]},
        'rank takes no file as "output"',
    ),
    "file without name": ({"files": [{"parameter": "files", "name": ".."}, 3]}, "not written as betterthan"),
    "a name that is a path": (
        {"files": [{"parameter": "files", "name": "human.csv", "called": "/etc/passwd"}]},
        '"/etc/passwd" is not the name of a system',
    ),
    "a name that is a pattern": (
        {"files": [{"parameter": "files", "name": "human.csv", "called": "*"}]},
        '"*" is not the name of a system',
    ),
    "no list of files": ({"files": "demo/human.csv"}, "not written as betterthan writes it"),
}


@pytest.mark.parametrize("name", few(HOSTILE_COMMANDS, 8))
def test_a_hostile_command_is_not_run(name, betterthan, here):
    """Only known verbs with known parameters, on files that the user names; one line, exit code 2."""
    data = made(betterthan, "rank", "small.csv", *FEW)
    change, message = HOSTILE_COMMANDS[name]
    data["command"].update(change)
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    said = betterthan("verify", kept(data), "small.csv")
    assert said.code == 2, said
    assert message in said.err
    assert "is not run" in said.err
    before[here / "result.json"] = Path("result.json").read_bytes()
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "name", ["../../secret.csv", "/etc/passwd", "~/secret.csv", "..\\secret.csv", "a/../../s.csv"]
)
def test_a_recorded_path_is_never_opened(name, betterthan, here, tmp_path):
    """Only the file that the user names is read, whatever the record calls it; nothing is written beside it."""
    table = "id,A,B\n1,9,1\n2,9,2\n"
    for place in (tmp_path / "secret.csv", here / "s.csv", tmp_path / "s.csv", here / "secret.csv"):
        place.write_text(table, encoding="utf-8")
    data = made(betterthan, "rank", "small.csv", *FEW)
    data["command"]["files"][0]["name"] = name
    before = sorted(tmp_path.rglob("*"))
    said = betterthan("verify", kept(data), "small.csv")
    assert (
        said.code == 1
    )  # the table is called as the recorded file, so that its name differs, and no number does
    assert "  settings.data: recorded" in said.out
    assert "strength" not in said.out
    assert {*sorted(tmp_path.rglob("*"))} - {*before} == {here / "result.json"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("betterthan rank demo/human.csv", "it is not betterthan report"),
        ("rm -rf .", "it is not betterthan report"),
        (3, "it is not betterthan report"),
        ("betterthan report 'demo", "quotation marks"),
        ("betterthan report small.csv --workers 64", "it has the option --workers"),
        ("betterthan report small.csv --frobnicate", "No such option"),
    ],
)
def test_a_hostile_report_is_not_run(command, message, betterthan):
    """Its command line is read, not obeyed."""
    data = {"schema": "betterthan.report/1", "command": command, "results": {}}
    said = betterthan("verify", kept(data), "small.csv")
    assert said.code == 2
    assert message in said.err
    assert "is not run" in said.err


def test_a_report_writes_nothing_where_its_command_says(betterthan):
    """``-o`` stands in every report's command, and nothing is written when it is verified."""
    assert betterthan("report", "small.csv", "-o", "page.html").code == 0
    assert "-o report.html" in Path("page.html").read_text(encoding="utf-8")
    assert betterthan("verify", "page.html", "small.csv").code == 0
    assert not Path("report.html").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a result as JSON"),
        ("{", "is not a result as JSON"),
        ("<html></html>", "is not a result as JSON"),
        ("NaN", "NaN is not a JSON number"),
        ("[" * 100_000, "is not a result as JSON"),
        ("[]", "holds no results"),
        ("7", "holds no results"),
        ('{"schema": "betterthan.result/2"}', "holds no results"),
    ],
)
def test_what_is_no_result_is_refused(text, message, betterthan):
    """In one line."""
    Path("result.json").write_text(text, encoding="utf-8")
    said = betterthan("verify", "result.json", "demo/human.csv")
    assert said.code == 2
    assert message in said.err
    assert "cannot be opened" in betterthan("verify", "nothing.json", "demo/human.csv").err
    Path("result.json").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in betterthan("verify", "result.json", "demo/human.csv").err


def test_results_with_and_without_commands_are_verified_apart(betterthan):
    """They are checked in different ways."""
    data = made(betterthan, "diagnose", "demo/human.csv")
    python = {key: value for key, value in data.items() if key != "command"}
    said = betterthan("verify", kept([data, python]), "demo/human.csv")
    assert said.code == 2
    assert "Verify them apart" in said.err


def test_control_characters_of_a_file_do_not_reach_the_terminal(betterthan):
    """A recorded text is shown, not obeyed."""
    data = made(betterthan, "rank", "small.csv", *FEW)
    said = betterthan("verify", kept({**data, "unit": "\x1b[31mred"}), "small.csv")
    assert said.code == 1
    assert "\x1b" not in said.out


@pytest.mark.parametrize(
    ("recorded", "again", "places"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": True}, {"a": 1}, ["a"]),
        ({"a": None}, {"a": 0.0}, ["a"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a"]),
        ({"a": {"b": [0.1, 0.3]}}, {"a": {"b": [0.1, 0.3]}}, []),
        ({"a": {"b": [0.1, 0.3]}}, {"a": {"b": [0.1, 0.1 + 0.2]}}, ["a.b[1]"]),  # one unit in the last place
        ({"a": 10**400}, {"a": 1.5}, ["a"]),
        ([], {}, [""]),
    ],
)
def test_values_are_compared_by_kind_and_to_the_last_bit(recorded, again, places):
    """Missing is not 0, true is not 1, and the last bit counts."""
    comparison = DataComparison()
    comparison.compare(recorded, again)
    assert [difference.place for difference in comparison.differences] == places
