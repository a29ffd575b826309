"""`rosenblatt plot FILE --kind KIND`: pictures and errors."""

import sys
from pathlib import Path

import pytest

from commands import AND, XOR, document, refused
from picture_files import SMALL, png_size, svg_words
from rosenblatt.cli import run
from rosenblatt.cli.plot_command import Picture


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "and.csv"
    path.write_text(AND)
    return path


@pytest.mark.parametrize("kind", [*Picture])
def test_every_kind_draws_a_file(
    kind: Picture, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.png"
    arguments = [
        "plot",
        str(data),
        "--kind",
        kind.value,
        "-o",
        str(path),
        "--theme",
        "dark",
        *SMALL,
    ]
    shape = ["--shape", "1x2"] if kind is Picture.weights else []
    facts = document([*arguments, *shape], capsys)
    assert facts == {"picture": str(path), "kind": kind.value, "file": str(data)}
    assert png_size(path) == (160, 60)


def test_axes_and_classes_are_named_as_in_the_file(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.svg"
    data.write_text(AND.replace("x1,x2", "height < 2 m,weight & age"))
    assert run(["plot", str(data), "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"Picture  {path}\n"
    assert {"height < 2 m", "weight & age", "no", "yes"} <= set(svg_words(path))


def test_weights_are_images_of_the_given_shape(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.png"
    arguments = ["plot", str(data), "--kind", "weights", "-o", str(path), *SMALL, "--shape"]
    assert run([*arguments, "1x2"]) == 0
    assert png_size(path) == (160, 60)
    assert "--shape 'two' is not a size: use HEIGHTxWIDTH" in refused([*arguments, "two"], capsys)
    assert "and.csv: " in refused([*arguments, "3x3"], capsys)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("xor.csv -o out.tiff", "out.tiff: the file name must end in .png, .svg or .pdf"),
        ("xor.csv --kind unit --shape 1x2 -o out.png", "--shape does not go with --kind unit"),
        (
            "xor.csv --kind separators --no-intercept -o out.png",
            "--no-intercept does not go with --kind separators",
        ),
        ("not-there.csv -o out.png", "not-there.csv: there is no such file"),
        (
            "and.csv --kind convergence --width 1 --height 1 -o out.png",
            "out.png: 1 × 1 inches are too small for this",
        ),
        (
            "xor.csv --kind margin --width 100 --dpi 1200 -o out.png",
            "pixels are too many: use fewer",
        ),
        (
            "xor.csv --kind convergence -o out.png",
            "xor.csv: the proof needs a separator, but none was found",
        ),
        ("three.csv --kind separators -o out.png", "three.csv: X has 3 features"),
        ("three.csv --kind unit -o out.png", "three.csv: --kind unit needs two classes"),
    ],
)
def test_pictures_that_cannot_be_drawn(
    arguments: str,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("xor.csv").write_text(XOR)
    Path("and.csv").write_text(AND)
    Path("three.csv").write_text("a,b,c,label\n1,2,3,x\n3,1,2,y\n2,3,1,z\n")
    assert sentence in refused(["plot", *arguments.split()], capsys)
    assert {path.name for path in tmp_path.iterdir()} == {"xor.csv", "and.csv", "three.csv"}


def test_without_matplotlib_the_error_says_how_to_install_it(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    sentence = refused(["plot", str(data), "-o", str(data.with_name("a.png"))], capsys)
    assert "pip install 'rosenblatt[plot]'" in sentence


def test_an_interrupted_picture_leaves_no_file(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", interrupted)
    assert run(["plot", str(data), "-o", str(data.with_name("a.png"))]) == 130
    assert "interrupted; no file was left half-written" in capsys.readouterr().err
    assert list(data.parent.iterdir()) == [data]


def test_one_label_needs_no_intercept(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.svg"
    data.write_text("a,b,class\n1,2,x\n2,3,x\n")
    for command in (["plot", str(data), "-o"], ["trace", str(data), "--plot"]):
        drawing = [*command, str(path)]
        assert "every sample has the label x" in refused(drawing, capsys)
        assert run([*drawing, "--no-intercept"]) == 0
        assert {"a", "b"} <= set(svg_words(path))
        capsys.readouterr()
