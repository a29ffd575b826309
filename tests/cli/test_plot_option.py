"""--plot of learn, separate and trace: pictures, and errors before any work."""

import sys
from pathlib import Path

import pytest

from commands import AND, IRIS_LIKE, XOR, document, refused
from picture_files import png_size, svg_words
from rosenblatt.cli import run
from rosenblatt.estimators.evaluation import decide_and_learn

COMMANDS = ["learn", "separate", "trace"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "and.csv"
    path.write_text(AND)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_the_picture_has_names_and_is_in_the_report(
    command: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plane.svg"
    facts = document([command, str(data), "--plot", str(path)], capsys)
    assert facts["picture"] == str(path)
    words = svg_words(path)
    assert {"x1", "x2", "separator"} <= set(words)
    if command != "trace":
        assert {"no", "yes"} <= set(words)
    assert ("epoch" in words) == (command == "learn")
    again = tmp_path / "again.svg"
    assert run([command, str(data), "--plot", str(again)]) == 0
    assert again.read_bytes() == path.read_bytes()
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert (["Picture", str(again)] in lines) == (command != "trace")


@pytest.mark.parametrize("options", ["--learner kernel", "--learner perceptron --keep vote"])
def test_models_that_cannot_be_drawn_are_refused_before_learning(
    options: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, model = tmp_path / "three.csv", tmp_path / "m.model"
    table.write_text("1,2,3,x\n3,1,2,y\n2,3,1,z\n4,3,1,x\n" * 2)
    arguments = ["learn", str(table), *options.split(), "--model", str(model), "--plot"]
    monkeypatch.setattr(decide_and_learn, "decide_and_learn", None)
    sentence = refused([*arguments, str(tmp_path / "p.png")], capsys)
    assert "--plot cannot draw a model without weights of 3 classes and 3 features" in sentence
    assert not model.exists()


def test_a_model_without_epochs_has_a_caption(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "plane.svg"
    assert run(["learn", str(data), "--learner", "max-margin", "--plot", str(path)]) == 0
    assert "The run of 'rosenblatt learn': MaxMargin" in svg_words(path)


def test_reports_without_a_picture(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert document(["separate", str(data)], capsys)["picture"] is None
    assert "picture" not in document(["trace", str(data)], capsys)


def test_inseparable_samples_are_drawn(tmp_path: Path) -> None:
    data, picture = tmp_path / "xor.csv", tmp_path / "xor.svg"
    data.write_text(XOR)
    assert run(["separate", str(data), "--plot", str(picture)]) == 0
    assert "in both hulls: (0.5, 0.5)" in svg_words(picture)
    assert run(["learn", str(data), "--plot", str(picture)]) == 0
    assert "epoch" not in svg_words(picture)
    data.write_text(IRIS_LIKE)
    png = tmp_path / "three.png"
    assert run(["learn", str(data), "--plot", str(png)]) == 0
    assert png_size(png) == (1650, 720)
    assert run(["separate", str(data), "--plot", str(png)]) == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_picture_is_refused_before_any_work(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = [command, str(tmp_path / "not-there.csv"), "--plot"]
    assert "p.bmp: the file name must end in .png, .svg or .pdf" in refused(
        [*missing, "p.bmp"], capsys
    )
    table = tmp_path / "table.png"
    table.write_text(AND)
    own = [command, str(table), "--format", "csv", "--plot", str(table)]
    assert "the picture would overwrite" in refused(own, capsys)
    assert table.read_text() == AND
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    picture = tmp_path / "p.png"
    assert "pip install 'rosenblatt[plot]'" in refused([*missing, str(picture)], capsys)
    assert not picture.exists()


@pytest.mark.parametrize(
    ("command", "option"), [("learn", "--model"), ("separate", "--certificate")]
)
def test_two_outputs_are_two_files(
    command: str, option: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = str(data.with_name("out.png"))
    assert "would overwrite" in refused([command, str(data), option, same, "--plot", same], capsys)
