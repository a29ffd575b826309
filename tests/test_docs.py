"""What the pages in `docs/` show is what the library does, and their links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
EXECUTED = [page for page in PAGES if ">>>" in page.read_text()]


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
    report: list[str] = []
    done = doctest.DocTestRunner().run(found, out=report.append)
    assert done.attempted > 0
    assert done.failed == 0, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text()):
        assert (page.parent / link).exists(), f"{page.name}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_scripts_that_are_named_are_there(page: Path) -> None:
    for script in re.findall(r"\b((?:benchmarks|examples)/\w+\.py)", page.read_text()):
        assert (DOCS.parent / script).is_file(), f"{page.name}: {script}"
