"""Notes and refusals of a table reach the page with their options as fields of the page, not as Python arguments."""

from __future__ import annotations

import html
import json
import re

import pytest

from betterthan.messages import COLUMN, Message, Option
from betterthan.web.names import page_text
from betterthan.web.runs.saved_tables import packed, unpacked

NEGATIVE = "segment,A,B\n" + "".join(f"s{i},{-(i % 5)},{-(i % 3) - 1}\n" for i in range(20))
MIXED = "segment,A,B\n" + "".join(f"s{i},{i % 5 - 2},{i % 3 - 1}\n" for i in range(20))


@pytest.mark.parametrize(
    "message",
    [
        Message("Use {fix}.", fix=Option("missing", "drop"), code="BT1", severity="error"),
        Message("{n:,} rows: {inner}", n=1200, inner=Message("use {item}", item=Option("item", COLUMN))),
        Message("{names}", names=Option("leave_out", ["Human A", "B"])),
    ],
)
def test_a_message_survives_a_file(message):
    """Text, code, severity, options, and what it looks like on the page."""
    again = unpacked(json.loads(json.dumps(packed(message))))
    assert (str(again), again.code, again.severity) == (str(message), message.code, message.severity)
    assert again.options == message.options
    assert page_text(again) == page_text(message)


def shown(site, path):
    """The words of a page; the data in its scripts are those of the library."""
    visible = re.sub(r"<script.*?</script>", "", site.client.get(path).text, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", visible))


def test_a_note_of_the_data_names_the_field_of_the_page(site):
    """On the report and on the page of a pair, from tables that were saved at the first look."""
    run = site.report({"penalties.csv": NEGATIVE})
    assert run["state"] == "done", run["problem"]
    for path in (f"/runs/{run['id']}", f"/runs/{run['id']}/pairs/A/B"):
        text = shown(site, path)
        assert "“Which scores are better: lower”" in text, path
        assert "lower_is_better" not in text, path


def test_a_refusal_names_the_field_of_the_page(site):
    """A run that fails because the direction is not clear says where to choose it."""
    run = site.report({"mqm.csv": MIXED})
    assert run["state"] == "failed"
    assert "“Which scores are better: lower” or “Which scores are better: higher”" in run["problem"]
    assert "lower_is_better" not in run["problem"]
