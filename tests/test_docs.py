"""No page in `docs/` shows an output that was typed, and all links lead somewhere."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("[a-z]*/*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text()):
        assert (page.parent / link).exists(), f"{page.name}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_scripts_that_are_named_are_there(page: Path) -> None:
    for script in re.findall(r"\b((?:benchmarks|examples)/\w+\.py)", page.read_text()):
        assert (DOCS.parent / script).is_file(), f"{page.name}: {script}"


def test_pages_have_the_words_people_search_for() -> None:
    text = " ".join(" ".join(page.read_text() for page in PAGES).split())
    for words in (
        "neural network",
        "supervised learning",
        "McCulloch and Pitts",
        "Hilbert space",
        "misclassified",
    ):
        assert words in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_output_is_typed(page: Path) -> None:
    assert not re.search(
        r"^(>>> |\$ rosenblatt |```(console|pycon))", page.read_text(), re.MULTILINE
    )
