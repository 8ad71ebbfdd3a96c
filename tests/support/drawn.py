"""Reads a figure as a browser and a screen reader would."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from markupsafe import Markup


def shapes(svg: Markup, kind: str) -> list[dict[str, str]]:
    """The attributes of every shape of a kind."""
    return [node.attrib for node in ET.fromstring(str(svg)).iter() if node.get("class") == kind]


def texts(svg: Markup) -> list[str]:
    """Return the readable texts of a figure, without titles of shapes."""
    return [node.text for node in ET.fromstring(str(svg)).iter("text") if node.text]


def heard(svg: Markup) -> str:
    """Its title and its description."""
    figure = ET.fromstring(str(svg))
    assert figure.get("role") == "img"
    return " ".join(node.text or "" for node in figure if node.tag in {"title", "desc"})
