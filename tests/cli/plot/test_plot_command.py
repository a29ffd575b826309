"""`rosenblatt plot KIND`: every kind draws its example and a file, or says why not."""

import sys
from pathlib import Path

import pytest
from PIL import Image

from commands import AND, XOR, document, refused
from drawn_files import SMALL, png_size, svg_words
from rosenblatt.cli import run
from rosenblatt.cli.plot.plot_app import plot_app

KINDS = [command.callback.__name__ for command in plot_app.registered_commands if command.callback]
STILL = [kind for kind in KINDS if kind != "movie"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "and.csv"
    path.write_text(AND)
    return path


def test_every_kind_is_there() -> None:
    assert set(KINDS) == {
        *("plane", "separators", "update", "movie"),
        *("run", "mistakes", "margin", "lives", "ledger"),
        *("unit", "weights", "capacity", "criterion", "cards"),
    }


@pytest.mark.parametrize("kind", STILL)
def test_an_example_is_drawn(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.png"
    facts = document(["plot", kind, "-o", str(path), "--theme", "dark", *SMALL], capsys)
    assert facts == {"picture": str(path), "kind": kind, "file": None}
    assert png_size(path) == (160, 60)


@pytest.mark.parametrize("kind", ["plane", "update", "run", "ledger", "unit", "criterion"])
def test_a_file_is_drawn(
    kind: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.svg"
    arguments = ["plot", kind, str(data), "--label", "both", "-o", str(path)]
    assert document(arguments, capsys)["file"] == str(data)
    assert svg_words(path)


def test_axes_and_classes_are_named_as_in_the_file(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.svg"
    data.write_text(AND.replace("x1,x2", "height < 2 m,weight & age"))
    assert run(["plot", "plane", str(data), "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"Picture  {path}\n"
    assert {"height < 2 m", "weight & age", "no", "yes"} <= set(svg_words(path))


def test_a_movie_has_a_frame_for_each_update(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.gif"
    facts = document(["plot", "movie", "-o", str(path), "--frames-per-second", "4"], capsys)
    assert facts["picture"] == str(path)
    with Image.open(path) as film:
        assert (film.n_frames, film.info["duration"]) == (4, 250)
    assert run(["trace", "--plot", str(path)]) == 0
    with Image.open(path) as film:
        assert (film.n_frames, film.info["duration"]) == (4, 500)


def test_mp4_without_ffmpeg_is_refused_before_any_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("matplotlib.animation.FFMpegWriter.isAvailable", lambda: False)
    for command in (["plot", "movie", "no.csv", "-o"], ["trace", "no.csv", "--plot"]):
        assert "a.mp4: an MP4 is written by ffmpeg" in refused([*command, "a.mp4"], capsys)


def test_weights_are_images_of_the_shape_asked_for(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.png"
    arguments = ["plot", "weights", str(data), "-o", str(path), *SMALL, "--shape"]
    assert run([*arguments, "1x2"]) == 0
    assert png_size(path) == (160, 60)
    assert "--shape 'two' is not accepted: use HEIGHTxWIDTH" in refused([*arguments, "two"], capsys)
    assert "and.csv: " in refused([*arguments, "3x3"], capsys)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("plane -o out.tiff", "out.tiff: a picture ends in .png, .svg or .pdf: give such a name"),
        ("movie -o out.png", "out.png: a picture ends in .gif or .mp4: give such a name"),
        ("plane --label 1 -o out.png", "--label says how to read a file, but the example has none"),
        ("plane --decimal , -o out.png", "--decimal says how to read a file"),
        ("plane --no-header -o out.png", "--no-header says how to read a file"),
        ("plane not-there.csv -o out.png", "not-there.csv: there is no such file"),
        ("run --width 2 --height 1 -o out.png", "out.png: 2 × 1 inches are too few for this"),
        ("mistakes --width 100 --dpi 1200 -o out.png", "dots are too many: use fewer inches"),
        ("update --number 99 -o out.png", "update=99"),
        ("run xor.csv -o out.png", "xor.csv: no separator is known, and the proof needs one"),
        ("movie three.csv -o out.gif", "three.csv: the trace is of 3 features"),
        ("criterion three.csv -o out.png", "three.csv: "),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(
    arguments: str,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("xor.csv").write_text(XOR)
    Path("three.csv").write_text("a,b,c,label\n1,2,3,x\n3,1,2,y\n")
    assert sentence in refused(["plot", *arguments.split()], capsys)
    assert {path.name for path in tmp_path.iterdir()} == {"xor.csv", "three.csv"}


def test_without_matplotlib_it_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    sentence = refused(["plot", "plane", "-o", str(tmp_path / "a.png")], capsys)
    assert "pip install 'rosenblatt[plot]'" in sentence


def test_an_interrupted_picture_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", interrupted)
    assert run(["plot", "mistakes", "-o", str(tmp_path / "a.png")]) == 130
    assert "interrupted; no file was left half-written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_one_class_of_many_is_chosen_by_name(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.svg"
    data.write_text("height,weight,kind\n0,0,1\n0,9,2\n9,0,3\n")
    drawing = ["plot", "unit", str(data), "-o", str(path), "--no-intercept"]
    assert "there are 3 classes, each with a halfspace of its own" in refused(drawing, capsys)
    assert "--class '4' is not accepted" in refused([*drawing, "--class", "4"], capsys)
    assert run([*drawing, "--class", "3"]) == 0
    assert {"height", "weight", "3 if sum ≥ 0"} <= set(svg_words(path))
    assert run(["plot", "lives", str(data), "--class", "2", "-o", str(path)]) == 0
    capsys.readouterr()
    assert "two classes have one halfspace" in refused(
        ["plot", "unit", "-o", str(path), "--class", "yes"], capsys
    )


def test_one_label_is_a_question_through_the_origin(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.svg"
    data.write_text("a,b,class\n1,2,x\n2,3,x\n")
    for command in (["plot", "plane", str(data), "-o"], ["trace", str(data), "--plot"]):
        drawing = [*command, str(path)]
        assert "every sample has the label x" in refused(drawing, capsys)
        assert run([*drawing, "--no-intercept"]) == 0
        assert {"a", "b"} <= set(svg_words(path))
        capsys.readouterr()
