"""What `benchmarks/cluster_simulator.py` says: by hand where that is possible, and its limits."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FIXED, PER_SHARD, PER_WEIGHT, PER_ANSWER = 2e-3, 3e-4, 4e-9, 5e-9
MIXING, BYTES, ROWS = 2e-9, 100_000_000, 200_000


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("cluster_simulator")


def round_seconds(shards: int, weights: int) -> float:
    return FIXED + PER_SHARD * shards + (PER_WEIGHT + PER_ANSWER * shards) * weights


def rounds() -> Iterator[dict[str, Any]]:
    for engine, factor in (("threads", 0.1), ("ray", 1.0)):
        for weights in (47_000, 10**6, 10**7):
            for shards in (1, 2, 4, 8):
                for changed in (1.0, 0.01):
                    yield {
                        "engine": engine,
                        "weights": weights,
                        "shards": shards,
                        "changed": changed,
                        "seconds": factor * round_seconds(shards, weights),
                    }


def document() -> dict[str, Any]:
    """Return measurements that are exactly as the model says."""
    seconds = round_seconds(2, 47_000) + MIXING * 2 * 47_000
    return {
        "processor": "a processor",
        "rounds": list(rounds()),
        "mixing": [{"weights": 10**6, "shards": 2, "seconds": MIXING * 2 * 10**6}],
        "epochs": {
            "bytes": BYTES,
            "rows": ROWS,
            "weights": 47_000,
            "changed": 1.0,
            "one_process": 1.0,
            "two_processes": 0.5,
            "noise": 0.0,
            "runs": [
                {"engine": "ray", "workers": 1, "seconds": 1.0 + seconds},
                {
                    "engine": "ray",
                    "workers": 2,
                    "seconds": 0.5 + seconds,
                    "whole": 5.0,
                    "start": 3.0,
                },
                {"engine": "threads", "workers": 2, "seconds": 0.6, "whole": 4.0, "start": 0.0},
            ],
        },
        "restart": {"ray": 1.2},
    }


def test_exact_measurements_are_found_again(model: ModuleType) -> None:
    cost = model.measured_of(document(), "ray").round(0.3)
    assert model._numbers(cost) == pytest.approx((FIXED, PER_SHARD, PER_WEIGHT, PER_ANSWER))
    found = model.checks(document())
    assert len(found) == 2 * 3 * 2 + 3  # rounds of 8 shards, and three epochs
    assert max(abs(one.error) for one in found[:-1]) < 1e-6


def test_the_start_is_what_a_run_takes_more(model: ModuleType) -> None:
    found = document()
    assert model.measured_of(found, "ray").start == pytest.approx(3.0 + 1.0)
    assert model.measured_of(found, "threads").start == 0.0


def test_a_wrong_model_is_seen(model: ModuleType) -> None:
    wrong = document()
    for one in wrong["rounds"]:
        one["seconds"] *= 1.5 if one["shards"] == 8 else 1.0
    errors = [one.error for one in model.checks(wrong) if "8 shards" in one.what]
    assert errors == pytest.approx([-1 / 3] * len(errors), rel=1e-3)


def test_the_largest_of_normal_numbers(model: ModuleType) -> None:
    rng = np.random.default_rng(0)
    for k in (1, 2, 10, 1000):
        drawn = rng.standard_normal((4000, k)).max(axis=1).mean()
        assert model.expected_maximum(k) == pytest.approx(drawn, abs=0.06)


def test_an_epoch_by_hand(model: ModuleType) -> None:
    measured = model.measured_of(document(), "ray")
    assumed = model.Assumed(network=1e9, reading=1e8, cores=4, hours_between_losses=1e12)
    parts = model.epoch(8, model.Job(1e9, 10**6, 0.01), measured, assumed)
    block = 4096 * BYTES / ROWS
    largest = np.ceil(1e9 / 8 / block) * block
    assert parts.work == pytest.approx(largest * 1e-8)
    assert parts.reading == pytest.approx(4 * largest / 1e8 - parts.work)
    assert parts.slowest == 0.0
    assert parts.calls == pytest.approx(FIXED + 8 * PER_SHARD)
    assert parts.weights == pytest.approx((PER_WEIGHT + 8 * PER_ANSWER) * 1e6)
    assert parts.mixing == pytest.approx(8 * MIXING * 1e6)
    assert parts.network == pytest.approx((8e6 + 4 * 0.12e6) / 1e9)  # one machine, four answers
    assert parts.lost == pytest.approx(0.0, abs=1e-6)


def test_no_cost_no_loss(model: ModuleType) -> None:
    """Without costs k workers are k times one, but for the block that one has more."""
    free = model.RoundCost(0.0, 0.0, 0.0, 0.0)
    measured = model.Measured("ray", {1.0: free}, 1e-8, 2e6, 0.0, 0.0, 0.0, 0.0)
    assumed = model.Assumed(network=1e30, reading=1e30, hours_between_losses=1e30)
    for k in model.WORKERS:
        found = model.efficiency(k, model.Job(1e12, 10**6, 1.0), measured, assumed)
        assert 1.0 - k * 2e6 / 1e12 <= found <= 1.0 + 1e-12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"network": 1e7}, "network card"),
        ({"reading": 1e7}, "share 0.01 GB/s"),
        ({"hours_between_losses": 1.0}, "lost workers"),
    ],
)
def test_what_breaks_first_is_named(
    model: ModuleType, change: dict[str, float], words: str
) -> None:
    measured = model.measured_of(document(), "ray")
    easy = {"network": 1e12, "reading": 1e12, "hours_between_losses": 1e9}
    said = model.breaks(model.Job(1e12, 10**6, 1.0), measured, model.Assumed(**{**easy, **change}))
    assert "below 0.8" in said
    assert said.count(words) >= 2  # below 0.8 for the same reason as below 0.5


def test_from_which_size_on(model: ModuleType) -> None:
    measured, assumed = model.measured_of(document(), "ray"), model.Assumed()
    few, many = model.Setting(measured, 1), model.Setting(measured, 2)
    n_bytes = model.pays_from(few, many, model.Job(0.0, 10**6, 1.0), assumed)
    for factor, faster in ((0.9, False), (1.1, True)):
        job = model.Job(factor * n_bytes, 10**6, 1.0)
        assert (many.run(job, assumed, 10) < few.run(job, assumed, 10)) is faster
    assert model.pays_from(many, few, model.Job(0.0, 10**6, 1.0), assumed) is None


def test_it_prints(
    model: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "measured.json"
    file.write_text(json.dumps(document()))
    monkeypatch.setattr(sys, "argv", ["cluster_simulator.py", str(file), "--cores", "8"])
    model.main()
    said = capsys.readouterr().out
    assert "| 1,000 |" in said
    assert "Assumed: 8 workers a machine, 10 Gbit/s" in said
    assert "an epoch, ray, 2 workers" in said
