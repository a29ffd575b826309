"""`stream`: report, model, errors and checkpoints."""

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import document, interrupt, on_terminal, refused
from rosenblatt import InputError, Perceptron, cluster, load, read, stream
from rosenblatt.cli import run
from rosenblatt.io.runs.stream_job import StreamJob


def _samples(path: Path, n: int = 300, seed: int = 0) -> Path:
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(n):
        columns = np.sort(rng.choice(20, size=4, replace=False)) + 1
        values = rng.standard_normal(4).round(3)
        pairs = " ".join(f"{j}:{v}" for j, v in zip(columns, values, strict=True))
        lines.append(f"{1 if values.sum() > 0 else -1} {pairs}\n")
    path.write_text("".join(lines))
    return path


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_stream_learns_what_a_fit_learns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, model = _samples(tmp_path / "data.svm"), tmp_path / "model"
    arguments = ["stream", str(data), "--passes", "4", "--chunk-rows", "7", "--keep", "average"]
    arguments += ["--learner", "perceptron"]
    found = document([*arguments, "--model", str(model)], capsys)
    X, y = read(data)
    batch = Perceptron(order="cyclic", keep="average", max_iter=4).fit(X, y)
    assert load(model).coef_.tobytes() == batch.coef_.tobytes()
    assert (found["samples"], found["features"], found["classes"]) == (300, 20, ["-1", "1"])
    lines = found["progressive"]["lines"]
    assert [line["samples"] for line in lines] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    again = Perceptron().fit_stream(stream(data, chunk_rows=50), passes=4)
    assert again.progressive_.mistakes == found["progressive"]["mistakes"]
    assert document(["predict", str(model), str(data)], capsys)["predictions"] == (
        batch.predict(X).tolist()
    )


@pytest.mark.parametrize("learner", ["auto", "passive-aggressive"])
def test_a_source_that_is_read_once_may_reveal_a_class_late(
    learner: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then learners whose classes learn jointly by default learn each class against the rest."""
    options = ["--learner", learner, "--chunk-rows", "1"]
    text, model = "+1 1:1\n-1 2:1\n3 3:1\n", tmp_path / "model"
    (tmp_path / "data.svm").write_text(text)
    for place, multiclass in (("-", "one-vs-rest"), (str(tmp_path / "data.svm"), "joint")):
        with open(tmp_path / "data.svm") as source:
            monkeypatch.setattr("sys.stdin", source)
            document(["stream", place, *options, "--model", str(model)], capsys)
        assert load(model).multiclass == multiclass
        assert load(model).classes_.tolist() == [-1, 1, 3]


def test_the_progressive_error_is_not_called_held_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _samples(tmp_path / "data.svm")
    assert run(["stream", str(data)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "progressive error" in out.splitlines()[0]
    assert out.splitlines()[10].split()[0] == "300"
    assert "this is not a held-out error" in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--resume"], "--resume needs --checkpoint"),
        (["--every", "often", "--checkpoint", "c"], "is not a duration"),
        (["--ignore", "3"], "no columns to ignore"),
        (["--learner", "winnow"], "needs values from -1 to 1"),
    ],
)
def test_options_that_exclude_each_other_are_refused(
    options: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    data = _samples(tmp_path / "data.svm")
    assert sentence in refused(["stream", str(data), *options, "--json"], capsys)


def test_a_cut_off_file_leaves_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, model = tmp_path / "data.svm.gz", tmp_path / "model"
    packed = gzip.compress(_samples(tmp_path / "data.svm").read_bytes())
    data.write_bytes(packed[: len(packed) // 2])
    assert str(data) in refused(["stream", str(data), "--model", str(model), "--json"], capsys)
    assert not model.exists()


def test_input_files_are_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _samples(tmp_path / "part-1.svm")
    pattern = str(tmp_path / "part-*.svm")
    for option in ("--model", "--checkpoint"):
        assert "the same file" in refused(["stream", pattern, option, str(data), "--json"], capsys)
    assert data.read_text().startswith(("1 ", "-1 "))


def test_missing_labels_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data.csv"
    rows = [f"{k % 5},{(k * k) % 7 - 3},{'' if k in (0, 7, 61) else k % 2}\n" for k in range(62)]
    data.write_text("".join(["a,b,label\n", *rows]))
    found = document(["stream", str(data)], capsys)
    assert (found["samples"], found["progressive"]["samples"], found["unlabeled"]) == (59, 59, 3)


def test_standard_input_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with _samples(tmp_path / "data.svm").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert "save it to a file" in refused(["stream", "-", "--passes", "2", "--json"], capsys)


def test_a_resumed_run_says_where_it_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, checkpoint = _samples(tmp_path / "data.svm"), tmp_path / "checkpoint"
    arguments = ["stream", str(data), "--checkpoint", str(checkpoint), "--resume"]
    assert run(arguments) == 0
    assert "Resumed" not in capsys.readouterr().out
    assert run(arguments) == 0
    assert "\nResumed            after pass 1\n" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["stream"], ["learn", "--shards", "2"]])
def test_a_checkpoint_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    data, checkpoint = _samples(tmp_path / "data.svm"), tmp_path / "checkpoint"
    arguments = [*command, str(data), "--checkpoint", str(checkpoint)]
    assert run(arguments) == 0
    before = checkpoint.read_bytes()
    capsys.readouterr()
    said = refused(arguments, capsys)
    assert f"--checkpoint {checkpoint}: this file exists already; add --resume" in said
    assert checkpoint.read_bytes() == before
    with pytest.raises(InputError, match="exists already: use resume=True"):
        cluster.learn(data, checkpoint=checkpoint)


@pytest.mark.slow
def test_ctrl_c_leaves_a_checkpoint(tmp_path: Path) -> None:
    data, checkpoint = _samples(tmp_path / "data.svm", 20_000), tmp_path / "checkpoint"
    options = ["--passes", "1000000", "--checkpoint", str(checkpoint)]
    child = on_terminal("stream", str(data), *options)
    child.expect("pass 2")
    interrupt(child)
    assert load(checkpoint).classes_.tolist() == [-1, 1]


def test_an_interrupted_test_of_the_average_is_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, saved, model = _samples(tmp_path / "data.svm"), tmp_path / "saved", tmp_path / "model"
    arguments = ["stream", str(data), "--passes", "3", "--chunk-rows", "7"]
    whole = document([*arguments, "--model", str(model)], capsys)
    arguments += ["--checkpoint", str(saved)]
    check = StreamJob._check

    def interrupted(job: StreamJob) -> None:
        monkeypatch.setattr(job, "watch", lambda _: True)
        check(job)

    with monkeypatch.context() as patch:
        patch.setattr(StreamJob, "_check", interrupted)
        run([*arguments, "--model", str(model)])
    assert load(saved).outcome_.name == "STREAM"
    capsys.readouterr()
    again = document([*arguments, "--resume", "--model", str(model)], capsys)
    assert again["outcome"] == whole["outcome"] == "AVERAGED"
