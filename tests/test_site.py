"""The site builds without a warning, and a block on a page that fails is an error of the build."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NEEDED = (
    "sphinx",
    "myst_parser",
    "numpydoc",
    "sphinx_gallery",
    "sphinx_design",
    "sphinx-mathjax-offline",
    "pydata_sphinx_theme",
)
pytestmark = pytest.mark.extra(*NEEDED)

STRICT = "-m sphinx -W --keep-going -q -b html"
ALONE = "-m sphinx -q -C -D extensions=myst_parser,executed -D html_theme=basic"

GOOD = """# Good

```{example}
from pathlib import Path
x = 6
print("printed")
x * 7
```

```{example}
:hide-code:
_ = Path("here.csv").write_text("x,y\\n1,a\\n2,b\\n")
object()
```

```{example}
:alt: a line that rises
:caption: What *rises*.
import matplotlib.pyplot as plt
plt.plot([x, x + 1])
```

```{console}
rosenblatt separate here.csv
```

```{console}
:exit-code: 2
rosenblatt separate nowhere.csv
```
"""

# What is wrong on a page, and how the line that is named begins.
BAD = [
    ("print(x)", "print", "name 'x' is not defined"),
    (
        ":caption: no words\nimport matplotlib.pyplot as p\np.figure()",
        "```",
        "1 picture(s), and :alt: describes 0",
    ),
    (":alt: not there\n1", "```", "0 picture(s), and :alt: describes 1"),
    ("def fails():\n    return 1 / 0\n\n\nfails()", "fails()", "division by zero"),
    ("this is no Python", "this", "invalid syntax"),
    (":html:\n3", "```", "no HTML"),
    ("import warnings\nwarnings.warn('careful')", "warnings.warn", "UserWarning: careful"),
    (
        "rosenblatt --version\nrosenblatt learn nowhere.csv",
        "rosenblatt learn",
        "ended with 2, not 0",
    ),
    ("ls", "ls", "is not a command of rosenblatt"),
]


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build the pages in a folder with the directives, and nothing else of our site."""
    paths = [str(DOCS / "_extensions"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, *ALONE.split(), *options, str(folder), str(folder / "_build")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    generated = shutil.ignore_patterns("_build", "generated", "gallery")
    shutil.copytree(DOCS, tmp_path / "docs", ignore=generated)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    data = Path("src", "rosenblatt", "io", "data")  # a page links to a table in it
    shutil.copytree(ROOT / data, tmp_path / data)
    site = tmp_path / "html"
    done = subprocess.run(
        [sys.executable, *STRICT.split(), str(tmp_path / "docs"), str(site)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "At most this many epochs" in (site / "reference" / "command-line.html").read_text(
        "utf-8"
    )
    reference = (site / "reference" / "index.html").read_text("utf-8")
    for name in set(rosenblatt.__all__) - {"__version__"}:
        assert f"rosenblatt.{name}" in reference, f"{name} is missing in docs/reference/index.md"
    check_offline(site)


def check_offline(site: Path) -> None:
    """Check that pages load nothing from elsewhere, have formulas, and suit a dark theme."""
    n_with_formulas = 0
    for path in site.rglob("*.html"):
        page = path.read_text("utf-8")
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"([^\"]*)", page)
        assert not [name for name in loaded if "//" in name], path
        if 'class="math' in page:
            n_with_formulas += 1
            assert any(name.split("?")[0].endswith("_static/tex-svg.js") for name in loaded), path
    assert n_with_formulas > 10
    assert "mathjax" in (site / "_static" / "tex-svg.js").read_text("utf-8").lower()
    assert 'html[data-theme="dark"] .bd-content img' in (site / "_static" / "site.css").read_text()


def test_blocks_show_what_they_do(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text(GOOD)
    done = build(tmp_path, "-W")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "_build" / "index.html").read_text("utf-8")
    text = re.sub("<[^>]*>", "", page)
    assert "printed\n42" in text
    assert "here.csv&quot;)" not in text  # hidden code
    assert "object at 0x" not in text
    assert re.search(r'<img [^>]*alt="a line that rises"', page)
    assert re.search(r"<em>rises</em>", page)
    assert len(list((tmp_path / "_build" / "_images").glob("index-1.png"))) == 1
    assert "$ rosenblatt separate here.csv\n" in text
    assert "SEPARABLE" in text
    assert "rosenblatt: nowhere.csv" in text


def test_a_block_that_fails_is_an_error_that_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# First\n\n```{example}\nx = 1\n```\n")
    blocks = [
        f"```{{{'console' if body.startswith(('ros', 'ls')) else 'example'}}}\n{body}\n```\n"
        for body, _, _ in BAD
    ]
    lines = ("---\norphan: true\n---\n# Second\n\n" + "\n".join(blocks)).split("\n")
    (tmp_path / "second.md").write_text("\n".join(lines))
    done = build(tmp_path)  # not even with -W
    assert done.returncode == 1
    found = re.split(r"^\S*second\.md:(\d+): ERROR: ", done.stderr, flags=re.MULTILINE)[1:]
    named = list(zip(found[::2], found[1::2], strict=True))
    assert len(named) == len(BAD), done.stderr
    for (number, message), (_, start, expected) in zip(named, BAD, strict=True):
        assert expected in message
        assert lines[int(number) - 1].startswith(start), message
