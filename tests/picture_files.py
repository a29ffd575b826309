"""Helpers for tests of picture files: their size and their texts."""

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

SMALL = ["--width", "8", "--height", "3", "--dpi", "20"]
"""Options of a picture that is drawn quickly: 160 × 60 pixels."""


def png_size(path: Path) -> tuple[int, int]:
    """Return the width and height of a PNG file in pixels."""
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert content.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def svg_words(path: Path) -> list[str]:
    """Return all texts of an SVG file, which must be well-formed and have no date."""
    text = path.read_text()
    assert "<dc:date>" not in text
    root = ElementTree.fromstring(text)
    assert re.fullmatch(r"[\d.]+pt", root.attrib["width"])
    texts = root.iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in texts]
