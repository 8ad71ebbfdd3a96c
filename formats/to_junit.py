"""Verdicts as JUnit XML: a suite per system, a test per case and judge."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

from ..records import Verdict, atomic_write
from .export_items import ExportContext, ExportItem, Written

_INVALID_XML_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write tests as XML, which pass at the run's thresholds."""
    suites: dict[str, ET.Element] = {}
    root = ET.Element("testsuites", name=_clean(run.task))
    rows = 0
    for item in items:
        suite = suites.get(item.output.system)
        if suite is None:
            suite = suites[item.output.system] = ET.SubElement(
                root, "testsuite", name=_clean(item.output.system)
            )
        for verdict in item.verdicts:
            suite.append(_test_case(verdict, run))
            rows += 1
    for element in [root, *suites.values()]:
        element.set("tests", str(sum(1 for _ in element.iter("testcase"))))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            element.set(name, str(sum(1 for _ in element.iter(tag))))
    with atomic_write(path) as file:
        ET.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    return Written(files=[str(path)], rows=rows)


def _test_case(verdict: Verdict, run: ExportContext) -> ET.Element:
    numbers = "".join(
        f" [{name} {number}]"
        for name, number in (("trial", verdict.trial), ("repeat", verdict.repeat))
        if number
    )
    test = ET.Element(
        "testcase", classname=_clean(verdict.by), name=_clean(verdict.case_id + numbers), time="0"
    )
    properties = ET.SubElement(test, "properties")
    ET.SubElement(properties, "property", name="outcome", value=verdict.outcome)
    if verdict.score is not None:
        ET.SubElement(properties, "property", name="score", value=repr(verdict.score))
    if run.passes(verdict):
        return test
    tag = "failure" if verdict.score is not None else "error" if verdict.outcome == "failed" else "skipped"
    message = verdict.reason or verdict.error_type or verdict.outcome
    result = ET.SubElement(test, tag, message=_clean(message))
    if tag != "skipped":
        result.set("type", _clean(verdict.error_type or verdict.outcome))
    return test


def _clean(text: str) -> str:
    return _INVALID_XML_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)
