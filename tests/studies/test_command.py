"""betterthan study: what it lists, shows and writes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from betterthan.cli.main import cli, main
from betterthan.errors import UnknownName
from betterthan.results.base import Result
from betterthan.studies.catalogue import STUDIES


def run(*arguments):
    """The command's answer."""
    done = CliRunner().invoke(cli, ["study", *arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done


def test_the_list_has_every_study_with_its_cost_and_options():
    """Also without a name."""
    listing = run("--list").stdout
    assert listing == run().stdout
    for name, entry in STUDIES.items():
        assert f"\n{name}\n" in f"\n{listing}"
        assert entry.cost in listing
        for option in entry.options:
            assert f"{option}=" in listing


def test_a_folder_gets_the_result_tables_and_figures(tmp_path):
    """study.json can be read back; each table in three formats, each figure as a picture."""
    pytest.importorskip("vl_convert")
    done = run("figure-one", "-o", str(tmp_path / "out"))
    files = {path.name for path in (tmp_path / "out").iterdir()}
    tables = {
        f"{name}.{suffix}" for name in ("strengths", "pairs", "claims") for suffix in ("csv", "md", "tex")
    }
    assert files == {"study.json", "figure-1.svg", *tables}
    found = Result.from_dict(json.loads((tmp_path / "out" / "study.json").read_text(encoding="utf-8")))
    assert found.table("strengths").column("mean") == (9.2, 9.2, 9.2)
    assert "Wrote 11 files" in done.stderr
    assert (tmp_path / "out" / "claims.tex").read_text(encoding="utf-8").count(r"\toprule") == 1


def test_the_cost_is_said_first_unless_it_is_quick():
    """On standard error, so that the answer stays clean."""
    assert STUDIES["pairing-triptych"].cost in run("pairing-triptych").stderr
    assert "triptych" not in run("pairing-triptych", "--quick").stderr


@pytest.mark.parametrize("format_", ["table", "markdown", "latex", "html", "csv", "json"])
def test_every_format_shows_the_tables(format_):
    """Strengths of figure 1 in all of them."""
    assert "9.2" in run("figure-one", "-f", format_).stdout


def test_options_of_a_study_are_set_by_name():
    """--set, and the settings say so."""
    done = run("pairing-triptych", "--set", "segments=20", "-f", "json")
    assert json.loads(done.stdout)["settings"]["options"]["segments"] == 20


def test_options_are_spelled_freely_and_their_values_are_not():
    """Options as the command line spells them; a value is taken as it stands."""
    done = run(
        "aggregation-human", "--quick", "--set", "turned-corpora=2", "--set", "corpora=5", "-f", "json"
    )
    assert json.loads(done.stdout)["settings"]["options"]["turned_corpora"] == 2
    with pytest.raises(UnknownName, match=r'Unknown generator "per-type"\. Did you mean "per_type"'):
        run("paired-simulation", "--set", "generator=per-type")


def test_quick_is_offered_only_where_it_takes_less():
    """A study of some seconds has no quick form."""
    assert run("darr-identical").stderr.strip().endswith("some seconds.")
    assert "--quick takes less." in run("pairing-triptych").stderr


def test_data_that_are_named_are_used(tmp_path):
    """A file of the user's, less being better."""
    path = tmp_path / "mine.csv"
    path.write_text("id,A,B\n1,1,2\n2,2,3\n3,1,5\n", encoding="utf-8")
    done = run("figure-one", "--data", str(path), "--lower-is-better", "mine", "-f", "json")
    tables = {table["name"]: table for table in json.loads(done.stdout)["tables"]}
    assert tables["pairs"]["rows"][0][:4] == ["A", "B", 3, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figure-won"], "Unknown study"),
        (["pairing-triptych", "--set", "segments"], "Write OPTION=VALUE"),
        (["pairing-triptych", "--set", "segments=no"], "must be a number above 0"),
        (["figure-one", "-o", "/dev/null/x"], "cannot be written"),
        (
            ["paired-simulation", "--quick", "--data", "x.csv"],
            "draws its own scores, so data cannot be given",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(arguments, message, capsys):
    """Exit code 2, no traceback."""
    with pytest.raises(SystemExit) as left:
        main(["study", *arguments])
    assert left.value.code == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("error")
    assert message in said
