"""Open shards on a worker: opened once, kept while in use, checked for the same code."""

from dataclasses import replace
from pathlib import Path

import pytest

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.engines.open_shards import OpenShards
from rosenblatt.cluster.engines.parcels import answered, packed_work
from rosenblatt.cluster.engines.versions import own_versions
from rosenblatt.core.errors import InputError
from toy_shards import toy_shards

COUNT = Work("count")


def test_most_recently_used_shards_stay_open(tmp_path: Path) -> None:
    shards, opened = toy_shards(3, tmp_path), OpenShards()
    for number in (0, 1, 0, 2, 0):  # shard 1 is closed for shard 2
        opened.report(shards[number], COUNT, most=2)
    assert len(list(tmp_path.iterdir())) == 3
    opened.report(shards[1], COUNT, most=2)
    assert len(list(tmp_path.iterdir())) == 4


def test_failed_shard_is_opened_again(tmp_path: Path) -> None:
    (shard,), opened = toy_shards(1, tmp_path), OpenShards()
    report = opened.report(shard, Work("count", details={"refused": 0}), most=1)
    assert isinstance(report.error, InputError)
    assert opened.report(shard, COUNT, most=1).answer is not None
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("other", [{"rosenblatt": "0.0.9"}, {"sources": "123456789abc"}])
def test_other_code_version_is_rejected(other: dict[str, str]) -> None:
    drivers = replace(own_versions(), **other)
    parcel = replace(packed_work(COUNT), versions=drivers)
    error = answered(OpenShards(), lambda: toy_shards(1)[0], parcel, 1).error
    assert isinstance(error, InputError)
    assert str(drivers) in str(error)
    assert str(own_versions()) in str(error)


def test_other_python_or_numpy_version_is_accepted() -> None:
    parcel = replace(packed_work(COUNT), versions=replace(own_versions(), python="3.99", numpy="9"))
    assert answered(OpenShards(), lambda: toy_shards(1)[0], parcel, 1).error is None


def test_close_closes_all_shards() -> None:
    class Watched:
        n_open = 0
        key = "watched"

        def open(self) -> "Watched":
            Watched.n_open += 1
            return self

        def close(self) -> None:
            Watched.n_open -= 1

        def answer(self, work: Work) -> Answer:
            if work.task == "closing":
                opened.close()
            return Answer()

    opened = OpenShards()
    opened.report(Watched(), COUNT, most=1)
    assert Watched.n_open == 1
    opened.report(Watched(), Work("closing"), most=1)  # while it is in use
    assert Watched.n_open == 0
