"""Shards on Ray: one Ray for all tests of this file, because it takes seconds to start."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Timer

import numpy as np
import psutil
import pytest

from engine_contract import EngineContract
from learning_contract import LearningContract, bits_of, fitted, new_learning, sample_file
from listening import is_loopback, listeners
from ray_clusters import TOKEN, cluster, environment, free_port, registry
from rosenblatt import Perceptron
from rosenblatt.cluster.engine_choice import open_engine
from rosenblatt.cluster.engines import ray_session, ray_workers
from rosenblatt.cluster.engines.engine import Engine, LostWorkersError, Work
from rosenblatt.cluster.learning.sharded_learning import Progress, ShardedLearning
from rosenblatt.core.errors import InputError
from rosenblatt.training.history import Epoch
from toy_shards import bits, expected, toy_shards

ray = pytest.importorskip("ray", reason="ray not installed: pip install -e '.[all]'")
pytestmark = pytest.mark.extra("ray")

DRIVER = """
import sys
from contextlib import closing
from rosenblatt.cluster.engines.engine import Work
from rosenblatt.cluster.engine_choice import open_engine
from rosenblatt.core.errors import InputError
from toy_shards import toy_shards
try:
    engine = open_engine("ray", n_workers=2, address=sys.argv[1], allow_open=sys.argv[2] == "allow")
except InputError as error:
    sys.exit(str(error))
with closing(engine):
    engine.start(toy_shards(2))
    print(len(engine.round(Work("count"))), "answers")
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with closing(open_engine("ray", n_workers=2)) as opened:
        yield opened


class Killer(Progress):
    """Kills a worker after some epochs: between rounds or, with a delay, during the next round."""

    def __init__(self, learning: ShardedLearning, epochs: Sequence[int]) -> None:
        self.epochs, self.n_kills = list(epochs), 0
        self.learning = learning
        self._draw = random.Random(0)
        learning.progress = self

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        assert epoch.mistakes >= 0
        assert len(seconds) > 1
        if n_epochs in self.epochs:
            # A worker that has answered for one shard may be lost during the next one.
            pids = [int(worker.rpartition(" ")[2]) for worker in self.learning.workers]
            self._draw.shuffle(pids)
            self.n_kills += 1
            if self.n_kills % 2:
                assert any(map(_kill, pids))
            else:
                Timer(self._draw.uniform(0.0, 0.05), _kill, pids[:1]).start()
        return False


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:  # it has been replaced already
        return False
    return True


def pids(engine: Engine) -> list[int]:
    """Return the process id of the worker of each shard."""
    return [answer.facts["pid"] for answer in engine.round(Work("count"))]


def slow_work(seconds: float, n_shards: int = 3) -> tuple[Work, list[bytes]]:
    """Return slow work, and the expected answers."""
    weights, n_changes = np.linspace(0.0, 1.0, 2000), {"n_changes": 2000}
    right = bits(expected(Work("epoch", weights, n_changes), n_shards))
    return Work("epoch", weights, {**n_changes, "seconds": seconds}), right


class TestRay(EngineContract, LearningContract):
    def test_work_of_killed_worker_is_repeated(self, engine: Engine) -> None:
        engine.start(toy_shards(3))
        work, right = slow_work(0.4)
        n_restarts = engine.n_restarts
        killing = Timer(0.2, os.kill, (pids(engine)[0], signal.SIGKILL))
        killing.start()
        assert bits(engine.round(work)) == right
        killing.join()
        os.kill(pids(engine)[1], signal.SIGKILL)  # between rounds
        assert bits(engine.round(work)) == right
        assert engine.n_restarts == n_restarts + 2

    @pytest.mark.slow
    def test_twenty_kills(self, engine: Engine) -> None:
        engine.start(toy_shards(4))
        work, right = slow_work(0.3, 4)
        draw = random.Random(1958)
        for kill in range(20):
            pid = draw.choice(pids(engine))
            killing = Timer(draw.uniform(0.0, 0.6), os.kill, (pid, signal.SIGKILL))
            killing.start()
            assert bits(engine.round(work)) == right, kill
            killing.join()
            time.sleep(0.1)  # a worker killed at the end of a round has ended

    def test_the_same_bits_with_kills(self, engine: Engine, tmp_path: Path) -> None:
        path, learner = sample_file(tmp_path), Perceptron(max_iter=5, shards=2)
        learning, n_restarts = new_learning(engine, path, learner), engine.n_restarts
        killer = Killer(learning, [1, 3])
        learning.run()
        assert killer.n_kills == 2
        assert engine.n_restarts > n_restarts
        assert bits_of(learning.model()) == bits_of(fitted(path, learner))

    @pytest.mark.slow
    def test_the_same_bits_with_twenty_kills(self, engine: Engine, tmp_path: Path) -> None:
        path = sample_file(tmp_path, 20_000)
        learner = Perceptron(max_iter=40, shards=4, keep="average")
        learning = new_learning(engine, path, learner)
        killer = Killer(learning, range(1, 40, 2))
        learning.run()
        assert killer.n_kills == 20
        assert bits_of(learning.model()) == bits_of(fitted(path, learner))


@pytest.mark.slow
def test_worker_lost_repeatedly_raises(engine: Engine) -> None:
    engine.start(toy_shards(3))
    with pytest.raises(LostWorkersError, match=r"more than 5 Ray workers in a row .* shard 1"):
        engine.round(Work("count", details={"suicidal": 1}))
    assert len(engine.round(Work("count"))) == 3


@pytest.mark.usefixtures("engine")
def test_own_ray_listens_only_on_this_machine() -> None:
    found = listeners()
    assert found
    assert all(is_loopback(place) for place in found), found


def test_engine_does_not_restart_ray_after_disconnect(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", None)
    with pytest.raises(LostWorkersError, match="disconnected from Ray"):
        engine.start(toy_shards(1))
    monkeypatch.undo()
    engine.start(toy_shards(2))


@pytest.mark.usefixtures("engine")
def test_ray_messages_about_lost_machines_are_not_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed = ray._private.worker.print_to_stdstream
    heard = Event()

    def hear(*arguments: object, **options: object) -> None:
        printed(*arguments, **options)
        heard.set()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray._private.worker, "print_to_stdstream", hear)
        ray._private.utils.push_error_to_driver(ray._private.worker.global_worker, "test", "lost")
        assert heard.wait(20)
    assert capsys.readouterr() == ("", "")


def test_ray_errors_become_lost_workers_error(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object, **__: object) -> None:
        raise ray.exceptions.RaySystemError("the raylet is gone")

    engine.start(toy_shards(2))
    for name in ("put", "wait", "get"):
        with monkeypatch.context() as patch:
            patch.setattr(ray, name, ended)
            with pytest.raises(LostWorkersError, match=r"has stopped .* the raylet is gone"):
                engine.round(Work("count"))
        engine.start(toy_shards(2))
    assert len(engine.round(Work("count"))) == 2


@pytest.mark.usefixtures("engine")
def test_usage_reports_are_off() -> None:
    (daemon,) = [one for one in psutil.Process().children() if one.name() == "raylet"]
    assert daemon.environ()["RAY_USAGE_STATS_ENABLED"] == "0"


@pytest.mark.usefixtures("engine")
def test_token_is_not_in_files_or_environment() -> None:
    (daemon,) = [one for one in psutil.Process().children() if one.name() == "raylet"]
    token = daemon.environ()["RAY_AUTH_TOKEN"]
    assert len(token) == 64
    assert token not in os.environ.values()
    (folder,) = [Path(word.partition("=")[2]) for word in daemon.cmdline() if "session_dir" in word]
    assert folder.parents[1].stat().st_mode & 0o077 == 0
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if token.encode() in file.read_bytes()]


def test_existing_ray_connection_is_used_and_left_open(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.start(toy_shards(2))
    monkeypatch.setattr(ray_workers, "TIMEOUT", 0.5)
    there = ray.get_runtime_context().gcs_address
    for address in (None, there):  # it has a token
        with closing(open_engine("ray", n_workers=1, address=address)) as other:
            no_room = r"too few processors for 1 of 1 .* it has 2, of which 0"
            with pytest.raises(LostWorkersError, match=no_room):
                other.start(toy_shards(1))
    assert len(engine.round(Work("count"))) == 2
    with pytest.raises(InputError, match=f"already connected to Ray at {there}"):
        open_engine("ray", n_workers=1, address="10.0.0.1:6379")


def test_cluster_without_token_is_rejected(tmp_path: Path) -> None:
    with registry("disabled", tmp_path) as address:
        with pytest.raises(InputError, match=f"{address} requires no token.*allow_open=True"):
            ray_session.check_closed(address, allow_open=False)
        ray_session.check_closed(address, allow_open=True)
    with registry("token", tmp_path) as address:
        ray_session.check_closed(address, allow_open=False)


def test_addresses_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in (f"127.0.0.1:{free_port()}", "nonsense", "127.0.0.1:port", "127.0.0.1:99999"):
        with pytest.raises(InputError, match=f"nothing answers at the address {address}"):
            ray_session.check_closed(address, allow_open=False)
    monkeypatch.setattr(ray_session, "_TIMEOUT", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        silent = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match="does not answer like Ray"):
            ray_session.check_closed(silent, allow_open=False)
    with pytest.raises(InputError, match="is for Ray's client"):
        open_engine("ray", n_workers=1, address="ray://10.0.0.1:10001")


@pytest.mark.slow
def test_running_clusters() -> None:
    def said(address: str, word: str, mode: str, *, has_token: bool = True) -> str:
        command = [sys.executable, "-c", DRIVER, address, word]
        env = {**environment(mode, has_token=has_token), "HOME": os.devnull}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        assert TOKEN not in done.stdout + done.stderr
        return (done.stdout + done.stderr).strip().rpartition("\n")[2]

    with TemporaryDirectory(dir="/tmp") as folder, cluster("disabled", Path(folder)) as address:
        assert "requires no token" in said(address, "refuse", "disabled")
        assert said(address, "allow", "disabled") == "2 answers"
    with TemporaryDirectory(dir="/tmp") as folder, cluster("token", Path(folder)) as address:
        assert said(address, "refuse", "token") == "2 answers"
        assert "does not accept the token found here" in said(
            address, "refuse", "token", has_token=False
        )


def test_checked_address_is_the_one_ray_connects_to() -> None:
    resolved = ray_session._resolved("127.0.0.1:1")
    assert resolved == ray._private.services.canonicalize_bootstrap_address("127.0.0.1:1")
    assert ray_session._resolved("no port") == "no port"
    with pytest.raises(InputError, match=f"nothing answers at the address {resolved}"):
        ray_session.check_closed(resolved, allow_open=True)
