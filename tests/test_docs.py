"""What the pages in `docs/` show is what the library does, and their links lead somewhere."""

import doctest
import re
import shutil
from pathlib import Path

import pytest

from consoles import check_console, consoles

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
EXECUTED = [page for page in PAGES if ">>>" in page.read_text()]


@pytest.fixture(autouse=True)
def _in_a_folder_with_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(DOCS.parent / "examples" / "loans.csv", tmp_path)
    monkeypatch.chdir(tmp_path)


# The consoles of other pages are tested with what they show.
@pytest.mark.parametrize("name", ["from-csv-to-model.md", "streams.md"])
def test_consoles(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for block in consoles((DOCS / name).read_text()):
        check_console(block, capsys)


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_examples(page: Path) -> None:
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
