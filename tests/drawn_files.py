"""What tests know of picture files: their size in dots, and the words in them."""

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

SMALL = ["--width", "8", "--height", "3", "--dpi", "20"]
"""Options of a picture that is drawn quickly: 160 × 60 dots."""


def png_size(path: Path) -> tuple[int, int]:
    """Return the width and the height in dots; raise unless it is a PNG file."""
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert content.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def svg_words(path: Path) -> list[str]:
    """Return all texts of an SVG file, which must be well-formed and without a date."""
    text = path.read_text()
    assert "<dc:date>" not in text
    root = ElementTree.fromstring(text)
    assert re.fullmatch(r"[\d.]+pt", root.attrib["width"])
    texts = root.iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in texts]
