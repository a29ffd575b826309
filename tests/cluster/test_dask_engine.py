"""Shards on Dask: one cluster for all tests of this file."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine_contract import EngineContract, FaultContract
from learning_contract import LearningContract, LearningWithFaultsContract
from listening import is_loopback, listeners
from rosenblatt.cluster.engines.clusters.dask_session import check_address
from rosenblatt.cluster.engines.engine import Engine, LostWorkersError, Work
from rosenblatt.cluster.engines.open_engine import open_engine
from rosenblatt.core.errors import InputError
from toy_shards import toy_shards

distributed = pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'rosenblatt[dask]'"
)

dask = pytest.importorskip("dask")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with closing(open_engine("dask", n_workers=2)) as opened:
        yield opened


class TestDask(EngineContract, FaultContract, LearningContract, LearningWithFaultsContract):
    pass


@pytest.mark.slow
def test_a_worker_that_is_lost_again_and_again_is_given_up(engine: Engine) -> None:
    engine.start(toy_shards(3))
    with pytest.raises(LostWorkersError, match=r"workers of Dask in a row .* shard 1"):
        engine.round(Work("count", details={"suicidal": 1}))
    assert len(engine.round(Work("count"))) == 3


@pytest.mark.usefixtures("engine")
def test_it_listens_to_this_machine_only() -> None:
    found = listeners()
    assert found
    assert all(is_loopback(place) for place in found), found


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://10.0.0.1:8786", "takes orders from anybody"),
        ("10.0.0.1:8786", "takes orders from anybody"),
        ("tcp://scheduler:8786", "takes orders from anybody"),
        ("ucx://10.0.0.1:8786", "is not one of a Dask scheduler"),
        ("tls://127.0.0.1:1", "needs certificates"),
    ],
)
def test_addresses_that_are_refused(address: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_engine("dask", n_workers=1, address=address)


@pytest.mark.parametrize("address", ["tcp://localhost:8786", "[::1]:8786", "tls://10.0.0.1:8786"])
def test_addresses_that_are_not(address: str) -> None:
    check_address(address, allow_open=False)
    check_address("tcp://10.0.0.1:8786", allow_open=True)


def n_answers(address: str) -> int:
    with closing(open_engine("dask", n_workers=2, address=address)) as engine:
        engine.start(toy_shards(3))
        return len(engine.round(Work("count")))


@pytest.mark.slow
def test_a_scheduler_on_this_machine_and_one_with_certificates(tmp_path: Path) -> None:
    local = {"n_workers": 1, "processes": False, "host": "127.0.0.1", "dashboard_address": None}
    port = {"scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
    with distributed.LocalCluster(protocol="tcp", **local, **port) as cluster:
        assert n_answers(cluster.scheduler_address) == 3
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    tls: dict[str, object] = {"distributed.comm.tls.ca-file": certificate}
    for role in ("scheduler", "worker", "client"):
        tls[f"distributed.comm.tls.{role}.cert"] = certificate
        tls[f"distributed.comm.tls.{role}.key"] = key
    with (
        dask.config.set(tls),
        distributed.LocalCluster(
            protocol="tls", security=distributed.Security(), **local, **port
        ) as cluster,
    ):
        assert cluster.scheduler_address.startswith("tls://")
        assert n_answers(cluster.scheduler_address) == 3
        with (
            dask.config.set(dict.fromkeys(tls)),
            pytest.raises(InputError, match="needs certificates"),
        ):
            open_engine("dask", n_workers=1, address=cluster.scheduler_address)
