"""Runs that are killed at any moment and resumed end with the same bits as uninterrupted ones."""

import os
import random
import signal
import time
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import InputError, PassiveAggressive, Perceptron, load
from rosenblatt.io import Reading
from rosenblatt.io.models.model_file import read, write
from rosenblatt.io.runs.checkpoint import read_checkpoint
from rosenblatt.io.runs.open_job import JobRequest, open_job
from rosenblatt.io.runs.stream_job import StreamJob
from rosenblatt.io.samples.preparation import ColumnOptions

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks


class SilentObserver:
    """Shows nothing; stops after a number of chunks if one is given."""

    def __init__(self, stops_after: int | None = None) -> None:
        self._left = stops_after

    def encodes(self, _stream: Any) -> Any:
        """Show nothing."""
        from contextlib import nullcontext

        return nullcontext()

    def watch(self, _job: StreamJob) -> bool:
        """Return whether to stop."""
        if self._left is None:
            return False
        self._left -= 1
        return self._left <= 0


def _write_samples(path: Path, n: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    lines = []
    for k in range(n):
        columns = np.sort(rng.choice(40, size=5, replace=False)) + 1
        values = rng.integers(-9, 10, size=5)
        label = int(values[0] > 0) + (k > n // 3) * int(values[1] > 5)
        pairs = " ".join(f"{j}:{v}" for j, v in zip(columns, values, strict=True))
        lines.append(f"{label} {pairs}\n")
    path.write_text("".join(lines))


def _request(data: Path, checkpoint: Path, **options: Any) -> JobRequest:
    options = {"passes": 3, "chunk_rows": 40, "every": 0.0, "resumes": True, **options}
    learner = Perceptron(keep="average")
    return JobRequest(
        [str(data)], learner, Reading(), ColumnOptions(), checkpoint=checkpoint, **options
    )


def _run(data: Path, checkpoint: Path, model: Path, **options: Any) -> None:
    job = open_job(_request(data, checkpoint, **options), SilentObserver())
    job.run()
    job.write_model(model)


def _facts(model: Path) -> dict[str, Any]:
    """Return the contents of a model, except times."""
    estimator, notes = read(model)
    learned, run = estimator.state
    return {
        "weights": learned.weights.tobytes(),
        "drift": learned.kept.drift.tobytes(),
        "counts": [learned.visits.tolist(), learned.mistakes.tolist()],
        "classes": estimator.classes_.tolist(),
        "progressive": run.progressive,
        "outcome": run.outcome,
        "n_iter": run.n_records,
        "samples": notes["samples"],
    }


def _run_and_kill(data: Path, checkpoint: Path, model: Path, seconds: float) -> bool:
    """Run in a child process; return whether it was still running, and killed, after some seconds."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _run(data, checkpoint, model)
            code = 0
        finally:
            os._exit(code)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return False
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status != 0


def _count_kills(folder: Path, n_kills: int, seed: int) -> int:
    rng, n_done = random.Random(seed), 0
    data = folder / "data"
    _write_samples(data, 400)
    _run(data, folder / "first", folder / "whole")  # may compile
    began = time.monotonic()
    _run(data, folder / "second", folder / "whole")
    longest = time.monotonic() - began
    for number in count():
        if n_done >= n_kills:
            break
        checkpoint, model = folder / f"checkpoint {number}", folder / f"model {number}"
        while _run_and_kill(data, checkpoint, model, rng.uniform(0.0, longest)):
            n_done += 1
            longest *= 1.02  # reaches an end even if the machine has become slower
            if checkpoint.exists():
                load(checkpoint)  # a checkpoint is always a loadable model
        assert _facts(model) == _facts(folder / "whole")
    return n_done


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
def test_killed_runs_end_with_the_same_bits(tmp_path: Path) -> None:
    assert _count_kills(tmp_path, 20, seed=1) >= 20


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
def test_killed_runs_end_with_the_same_bits_200_times(tmp_path: Path) -> None:
    folders = [tmp_path / str(seed) for seed in range(4)]
    for folder in folders:
        folder.mkdir()
    n_kills = sum(_count_kills(folder, 50, seed) for seed, folder in enumerate(folders))
    print(f"{n_kills} kills")
    assert n_kills >= 200


def test_a_stopped_run_continues_where_it_was(tmp_path: Path) -> None:
    data, checkpoint = tmp_path / "data", tmp_path / "checkpoint"
    _write_samples(data, 400)
    _run(data, tmp_path / "other", tmp_path / "whole")
    for n_chunks in (3, 5, 1, 7):
        job = open_job(_request(data, checkpoint), SilentObserver(n_chunks))
        job.run()
        assert job.is_stopped
        assert read_checkpoint(checkpoint).progress.position == job.position
    _run(data, checkpoint, tmp_path / "model")
    assert _facts(tmp_path / "model") == _facts(tmp_path / "whole")


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(keep="average", margin="auto", multiclass="joint"),
        PassiveAggressive(C="auto", multiclass="joint"),
    ],
)
def test_a_stopped_run_keeps_what_it_measured(learner: Any, tmp_path: Path) -> None:
    data, checkpoint = tmp_path / "data", tmp_path / "checkpoint"
    _write_samples(data, 1500)
    with data.open("a") as file:  # long rows beyond the first 1,000, which are measured
        file.write("0 1:900 2:900\n" * 300)
    request = replace(_request(data, checkpoint), learner=learner)
    whole = open_job(replace(request, checkpoint=tmp_path / "other"), SilentObserver())
    whole.run()
    whole.write_model(tmp_path / "whole")
    for n_chunks in (3, 30, 1, 40):
        job = open_job(request, SilentObserver(n_chunks))
        job.run()
        assert job.is_stopped
    last = open_job(request, SilentObserver())
    last.run()
    last.write_model(tmp_path / "model")
    assert _facts(tmp_path / "model") == _facts(tmp_path / "whole")
    found = [load(tmp_path / name) for name in ("model", "whole")]
    values = [getattr(one, "C_", None) or one.required_margin_ for one in found]
    assert values[0] == values[1] != 1.0


def test_a_table_is_measured_as_a_whole(tmp_path: Path) -> None:
    data, checkpoint = tmp_path / "data.csv", tmp_path / "checkpoint"
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, size=(1500, 2)) / 4
    X[1000:] *= 100.0  # long rows beyond the first 1,000
    y = (X @ [1.0, 2.0] + rng.normal(size=1500) > 0).astype(int)
    rows = [f"{a},{b},{'ny'[label]}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    data.write_text("\n".join(["a,b,class", *rows]))
    learner = Perceptron(keep="average", margin="auto")
    request = replace(_request(data, checkpoint), learner=learner, passes=1)
    request = replace(request, columns=replace(request.columns, scale="none"))
    job = open_job(request, SilentObserver(2))
    job.run()
    open_job(request, SilentObserver()).run()
    found = read_checkpoint(checkpoint).learner
    assert found.required_margin_ == clone(learner).fit(X, y).required_margin_  # of all rows
    assert found.required_margin_ > 100.0


def _stopped(tmp_path: Path) -> tuple[Path, Path]:
    data, checkpoint = tmp_path / "data", tmp_path / "checkpoint"
    _write_samples(data, 200)
    # the third class first appears in the second chunk, and the run starts over
    open_job(_request(data, checkpoint), SilentObserver(3)).run()
    return data, checkpoint


def test_a_changed_source_is_named(tmp_path: Path) -> None:
    data, checkpoint = _stopped(tmp_path)
    status, text = data.stat(), data.read_bytes()
    data.write_bytes(text + b"1 1:1\n")
    with pytest.raises(InputError, match=f"{data}: it changed after the checkpoint"):
        open_job(_request(data, checkpoint), SilentObserver())
    data.write_bytes(text.replace(b"1:", b"2:", 1))  # same size and time
    os.utime(data, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(InputError, match=f"{data}: the text before line 81 has changed"):
        open_job(_request(data, checkpoint), SilentObserver()).run()
    other = tmp_path / "other"
    other.write_bytes(text)
    with pytest.raises(InputError, match="this is the checkpoint of a run over"):
        open_job(_request(other, checkpoint), SilentObserver())


def test_different_options_are_refused(tmp_path: Path) -> None:
    data, checkpoint = _stopped(tmp_path)
    with pytest.raises(InputError, match="chunk_rows=40"):
        open_job(_request(data, checkpoint, chunk_rows=41), SilentObserver())
    request = _request(data, checkpoint)
    request.learner.eta0 = 0.5
    with pytest.raises(InputError, match=r"eta0=1\.0"):
        open_job(request, SilentObserver())


def test_a_table_continues_with_the_same_columns_and_passes(tmp_path: Path) -> None:
    rng, data, checkpoint = np.random.default_rng(0), tmp_path / "data.csv", tmp_path / "checkpoint"
    rows = zip(rng.integers(0, 9, 200), rng.choice(["a", "b"], 200), strict=True)
    data.write_text("x,z,class\n" + "".join(f"{x},{z},{int(x > 4)}\n" for x, z in rows))
    _run(data, tmp_path / "other", tmp_path / "whole")
    open_job(_request(data, checkpoint), SilentObserver(7)).run()
    other = ColumnOptions(scale="standard")
    with pytest.raises(InputError, match="TableEncoder, scale='none'"):
        open_job(replace(_request(data, checkpoint), columns=other), SilentObserver())
    with pytest.raises(InputError, match="was started with 3 passes, not 4"):
        open_job(_request(data, checkpoint, passes=4), SilentObserver())
    job = open_job(_request(data, checkpoint), SilentObserver())
    job.run()
    whole, _ = read(tmp_path / "whole")
    assert job.model().steps[-1][1].coef_.tobytes() == whole.steps[-1][1].coef_.tobytes()


def test_rows_scaled_to_length_1_stay_scaled(tmp_path: Path) -> None:
    data, checkpoint = tmp_path / "data", tmp_path / "checkpoint"
    _write_samples(data, 200)
    unit = partial(replace, columns=ColumnOptions(scale="unit"))
    open_job(unit(_request(data, checkpoint)), SilentObserver(7)).run()
    with pytest.raises(InputError, match="started with rows scaled to length 1; give the same"):
        open_job(_request(data, checkpoint), SilentObserver())
    jobs = [
        open_job(unit(_request(data, path)), SilentObserver())
        for path in (checkpoint, tmp_path / "o")
    ]
    for job in jobs:
        job.run()
    resumed, whole = (job.model() for job in jobs)
    assert resumed[0].n_features_in_ == whole[-1].n_features_in_
    assert resumed[-1].coef_.tobytes() == whole[-1].coef_.tobytes()


def test_a_checkpoint_is_a_model_but_a_model_is_not_a_checkpoint(tmp_path: Path) -> None:
    data, checkpoint = _stopped(tmp_path)
    assert load(checkpoint).classes_.tolist() == [0, 1, 2]
    _run(data, tmp_path / "other", tmp_path / "model")
    with pytest.raises(InputError, match="is not a checkpoint"):
        read_checkpoint(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "value"),
    [("before", [2**70]), ("visited", 2**63), ("seconds_of_pass", "soon"), ("known", [1, 1])],
)
def test_an_inconsistent_checkpoint_is_refused(tmp_path: Path, name: str, value: Any) -> None:
    data, checkpoint = tmp_path / "data", tmp_path / "checkpoint"
    data.write_text("1 1:1\n-1 1:-1\n" * 100)
    open_job(_request(data, checkpoint), SilentObserver(stops_after=2)).run()
    model, notes = read(checkpoint)
    notes["checkpoint"][name] = value
    write(model, checkpoint, notes, record=True)
    with pytest.raises(InputError, match="checkpoint: the checkpoint does not describe a run"):
        read_checkpoint(checkpoint)


def test_a_checkpoint_that_cannot_be_written_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, checkpoint = _stopped(tmp_path)
    before = checkpoint.read_bytes()

    def full(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    job = open_job(_request(data, checkpoint), SilentObserver())
    with pytest.raises(InputError, match=r"checkpoint: cannot be written \(No space left"):
        job.run()
    assert checkpoint.read_bytes() == before
