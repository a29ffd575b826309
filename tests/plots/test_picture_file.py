"""Picture files: reproducible bytes, atomic writes, and no influence of the user's settings."""

import sys
from pathlib import Path
from typing import Any

import pytest

from picture_files import png_size, svg_words
from rosenblatt import InputError
from rosenblatt.plots.picture_file import PictureOptions, check_picture, write_picture
from rosenblatt.plots.style import figure_and_axes, pyplot


def drawn(text: str = "x") -> Any:
    figure, ax = figure_and_axes(None)
    ax.plot([1, 2], label=text)
    ax.legend()
    return figure


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_picture_has_the_same_bytes(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{k}.{ending}" for k in range(2)]
    for path in paths:
        write_picture(path, drawn, PictureOptions(dpi=40))
    assert paths[0].read_bytes() == paths[1].read_bytes()
    if ending == "pdf":
        assert paths[0].read_bytes().startswith(b"%PDF-")
        assert b"CreationDate" not in paths[0].read_bytes()


def test_size_theme_and_text(tmp_path: Path) -> None:
    write_picture(tmp_path / "a.PNG", drawn, PictureOptions("dark", 5, 2.5, 60))
    assert png_size(tmp_path / "a.PNG") == (300, 150)
    write_picture(tmp_path / "a.svg", lambda: drawn("a < b & c"), PictureOptions("dark", width=3))
    assert "a < b & c" in svg_words(tmp_path / "a.svg")
    assert "#15191f" in (tmp_path / "a.svg").read_text()


def test_user_settings_are_neither_used_nor_changed(tmp_path: Path) -> None:
    plt = pyplot()
    write_picture(tmp_path / "a.svg", drawn, PictureOptions())
    with plt.rc_context({"lines.linewidth": 17.0, "svg.fonttype": "path"}):
        write_picture(tmp_path / "b.svg", drawn, PictureOptions())
        assert plt.rcParams["lines.linewidth"] == 17.0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, InputError])
def test_a_failed_drawing_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a.png"
    path.write_text("old")

    def fails() -> Any:
        raise error

    with pytest.raises(error):
        write_picture(path, fails, PictureOptions())
    assert [one.name for one in tmp_path.iterdir()] == ["a.png"]
    assert path.read_text() == "old"


def test_file_names_are_checked_before_drawing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data.svg"
    data.write_text("1,a")
    check_picture(tmp_path / "new.pdf", data)
    with pytest.raises(
        InputError, match=r"x\.gif: the file name must end in \.png, \.svg or \.pdf"
    ):
        check_picture(Path("x.gif"))
    with pytest.raises(InputError, match=r"the picture would overwrite"):
        check_picture(data, data)
    with pytest.raises(InputError, match="there is no folder"):
        check_picture(tmp_path / "no" / "a.png")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r"pip install 'rosenblatt\[plot\]'"):
        check_picture(tmp_path / "new.png")
