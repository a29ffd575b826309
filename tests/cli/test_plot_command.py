"""`rosenblatt plot FILE --kind KIND`: pictures and errors."""

import sys
from pathlib import Path

import pytest

from commands import AND, XOR, document, refused
from picture_files import SMALL, png_size, svg_words
from rosenblatt import Perceptron
from rosenblatt.cli import report_pictures, run
from rosenblatt.cli.plot_command import Picture
from rosenblatt.estimators.evaluation import decide_and_learn


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
        (
            "three.csv --kind separators -o out.png",
            "three.csv: --kind separators needs two features",
        ),
        ("three.csv --kind unit -o out.png", "three.csv: --kind unit needs two classes"),
        ("three.csv --kind margin -o out.png", "three.csv: --kind margin needs two classes"),
        ("three.csv --kind convergence -o out.png", "--kind convergence needs two classes"),
        (
            "and.csv --kind weights --shape 3x3 -o out.png",
            "--shape 3x3 has 9 pixels, and there are 2",
        ),
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
    if "xor.csv --kind convergence" in arguments:  # the decision is needed, but no epoch
        monkeypatch.setattr(Perceptron, "fit_watched", _worked)
    elif "--width 1 " not in arguments:
        monkeypatch.setattr(decide_and_learn, "guarantee", _worked)
        monkeypatch.setattr(report_pictures, "separate", _worked)
    assert sentence in refused(["plot", *arguments.split()], capsys)
    assert {path.name for path in tmp_path.iterdir()} == {"xor.csv", "and.csv", "three.csv"}


def _worked(*_: object, **__: object) -> None:
    raise AssertionError("the work began before the refusal")


def _caption(words: list[str]) -> str:
    """Return the caption of a picture, which may be several lines."""
    first = next(
        k for k, one in enumerate(words) if one.startswith(("The run", "The plain", "No run"))
    )
    return " ".join(words[first:])


_SCALED = "n,m,label\n" + "".join(
    f"{1000 * k + 17 * (k % 3)},{k % 5},{'a' if k < 10 else 'b'}\n" for k in range(20)
)


@pytest.mark.parametrize("table", [AND, XOR, _SCALED])
def test_all_pictures_of_a_file_show_one_run_and_say_which(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, picture = tmp_path / "data.csv", tmp_path / "out.svg"
    data.write_text(table)
    learned = document(["learn", str(data), "--plot", str(picture)], capsys)
    captions = {"learn": _caption(svg_words(picture))}
    plain = ["--learner", "perceptron", "--order", "cyclic", "--keep", "last"]
    lectures = document(["learn", str(data), *plain], capsys)
    for kind in Picture:
        if kind is Picture.convergence and table == XOR:
            continue
        assert run(["plot", str(data), "--kind", kind.value, "-o", str(picture)]) == 0
        captions[kind.value] = _caption(svg_words(picture))
    for kind in ("learn", "mistakes", "weights", "unit"):
        assert captions[kind].startswith("The run of 'rosenblatt learn': ")
        assert f", {learned['mistakes']:,} mistakes" in captions[kind]
    for kind in {"margin", "separators", "convergence"} & {*captions}:
        assert captions[kind].startswith("The plain perceptron of the lectures: cyclic order, ")
        assert f", {lectures['mistakes']:,} mistakes" in captions[kind]
    assert captions["plane"].startswith("No run: the verdict of 'rosenblatt separate'")
    is_scaled = [("standard deviation 1" in text) for text in captions.values()]
    assert is_scaled == [table == _SCALED] * len(captions)


def test_a_run_that_was_cut_short_says_so(data: Path, tmp_path: Path) -> None:
    picture = tmp_path / "out.svg"
    for kind in ("mistakes", "convergence"):
        command = ["plot", str(data), "--kind", kind, "--max-epochs", "2", "-o", str(picture)]
        assert run(command) == 0
        assert "2 epochs" in _caption(svg_words(picture))
        is_cut = "cut short by the limit on epochs" in _caption(svg_words(picture))
        assert is_cut == (
            kind == "convergence"
        )  # the average is learned for a fixed number of epochs


def test_samples_are_scaled_as_asked(tmp_path: Path) -> None:
    data, picture = tmp_path / "data.csv", tmp_path / "out.svg"
    data.write_text(_SCALED)
    for scale, is_scaled in (("none", False), ("standard", True)):
        for command in (["plot", str(data), "-o"], ["trace", str(data), "--plot"]):
            assert run([*command, str(picture), "--scale", scale]) == 0
            assert ("standard deviation 1" in _caption(svg_words(picture))) == is_scaled


def test_the_plane_and_the_separators_have_the_same_maximum_margin(
    data: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "out.svg"
    assert run(["plot", str(data), "-o", str(picture)]) == 0
    assert "geometric margin 0.3536" in svg_words(picture)
    assert run(["plot", str(data), "--kind", "separators", "-o", str(picture)]) == 0
    assert "maximum margin: 0.3536" in svg_words(picture)


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
