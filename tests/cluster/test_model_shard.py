"""What a model's shard answers depends on what it is asked alone."""

import gzip
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import Perceptron, save
from rosenblatt.cluster.engines.engine import Work
from rosenblatt.cluster.models import model_shard
from rosenblatt.cluster.models.model_shard import ModelAsked, ModelShard, Part, Stretch
from rosenblatt.io.models.model_notes import open_model
from rosenblatt.io.ranges.file_ranges import FileRange
from rosenblatt.io.ranges.range_reader import LineReading
from rosenblatt.io.samples.table import Reading


def test_a_packed_file_goes_on_wherever_it_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that has lost the open file unpacks it again, and answers the same."""
    monkeypatch.setattr(model_shard, "RANGE", 100)
    small = LineReading(text_labels=False, piece_size=40)
    monkeypatch.setattr("rosenblatt.io.ranges.range_reader.LineReading", lambda **_: small)
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(b"".join(b"%d 1:%d\n" % (k % 3, k - 30) for k in range(60))))
    save(Perceptron().fit([[1.0], [-1.0]], [1, 0]), tmp_path / "model")
    trained = open_model(tmp_path / "model")
    asked = ModelAsked("run", trained, "data", (str(path),), Reading("libsvm"))
    size = path.stat().st_size
    whole = Stretch((FileRange(0, 0, None, size, size, is_packed=True),))

    def parts(*, stays_open: bool) -> list[Part]:
        found, stretch = [], whole
        opened = ModelShard(asked, 0).open()
        while not found or found[-1].after is not None:
            found.append(
                opened.answer(Work("label", details={"stretches": [stretch]})).facts["part"]
            )
            stretch = replace(whole, after=found[-1].after)
            if not stays_open:
                opened.close()
                opened = ModelShard(asked, 0).open()
        with closing(opened):
            return found

    one, other = parts(stays_open=True), parts(stays_open=False)
    assert len(one) > 3
    for own, again in zip(one, other, strict=True):
        assert np.array_equal(np.concatenate(own.results), np.concatenate(again.results))
        assert replace(own, results=[], n_bytes=0) == replace(again, results=[], n_bytes=0)
    labels = np.concatenate([label for part in one for label in part.results])
    assert labels.tolist() == [int(k >= 30) for k in range(60)]
