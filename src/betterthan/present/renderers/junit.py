"""A gate as a JUnit report, which most services for continuous integration show: a test case for each row."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

from betterthan.present.tables.decisions import row_sentence
from betterthan.results.decisions import Gate

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBERS = ("margin", "effect", "low", "high", "pvalue", "adjusted")


def render_junit(result: Gate) -> str:
    """Return the report: a failed row is a failure, an open metric an error, or what undecided gates count as.

    Examples
    --------
    >>> import betterthan as bt
    >>> print(render_junit(bt.gate([1, 0] * 25, [1, 0] * 25, margin=0.02)).splitlines()[1][:62])
    <testsuites name="betterthan gate" tests="1" failures="0" erro
    """
    suite = ET.Element("testsuite", name=_text(f"gate: {result.candidate} against {result.baseline}"))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for i, row in enumerate(result):
        case = ET.SubElement(
            suite, "testcase", classname=_text(f"gate.{row.metric}"), name=_text(row.slice or "all items")
        )
        properties = ET.SubElement(case, "properties")
        ET.SubElement(properties, "property", name="verdict", value=row.verdict)
        for name in _NUMBERS:
            value = getattr(row, name)
            if not math.isnan(value):
                ET.SubElement(properties, "property", name=name, value=repr(value))
        sentence = _text(f"{row_sentence(result, i)}.")
        outcome = _outcome(result, i)
        if outcome:
            counts[outcome] += 1
            found = ET.SubElement(case, outcome, message=sentence)
            if outcome != "skipped":
                found.set("type", row.verdict)
        ET.SubElement(case, "system-out").text = sentence
    total = {"tests": len(result), "failures": counts["failure"], "errors": counts["error"]}
    shown = {name: str(count) for name, count in {**total, "skipped": counts["skipped"]}.items()}
    root = ET.Element("testsuites", {"name": "betterthan gate", **shown})
    suite.attrib.update(shown)
    root.append(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _outcome(result: Gate, i: int) -> str:
    """Return the element that tells how a test case ended; empty for a pass."""
    verdict = result.verdicts[i]
    if verdict == "fail":
        return "failure"
    if verdict != "undecided" or not result.is_required[i]:
        return ""
    return {"fail": "failure", "pass": "skipped"}.get(result.undecided, "error")


def _text(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
