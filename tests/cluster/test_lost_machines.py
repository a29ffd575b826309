"""A lost machine: other machines of the cluster repeat its work.

Each machine is a group of processes here, which are killed together.
"""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import pytest

from learning_contract import bits_of, fitted, sample_file
from ray_clusters import cluster, environment
from rosenblatt import Perceptron, load

pytestmark = [pytest.mark.slow, pytest.mark.extra("ray")]

EPOCHS = 500
# Ray checks its machines every few seconds; here it checks more often.
WATCHFUL = {
    "RAY_health_check_initial_delay_ms": "100",
    "RAY_health_check_period_ms": "300",
    "RAY_health_check_timeout_ms": "500",
    "RAY_health_check_failure_threshold": "3",
}
SILENT: dict[str, Any] = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.DEVNULL)


class Cluster:
    """A running cluster: its address, and machines with one processor that can be added and killed."""

    def __init__(self, address: str, machine: Sequence[str], env: Mapping[str, str]) -> None:
        self.address, self.env = address, env
        self._machine = machine
        self._machines: list[subprocess.Popen[bytes]] = []

    def add(self) -> Callable[[], None]:
        """Add a machine; return the function that kills it."""
        first = subprocess.Popen(self._machine, env=self.env, **SILENT)
        self._machines.append(first)
        return lambda: self._kill(first)

    def end(self) -> None:
        """Kill all machines."""
        for first in self._machines:
            self._kill(first)

    def _kill(self, first: subprocess.Popen[bytes]) -> None:
        if first.poll() is None:
            process = psutil.Process(first.pid)
            for one in [process, *process.children(recursive=True)]:
                one.send_signal(signal.SIGKILL)
            first.wait(30)


@contextmanager
def ray_cluster() -> Iterator[Cluster]:
    with (
        TemporaryDirectory(dir="/tmp") as folder,
        cluster("token", Path(folder), n_processors=1, settings=WATCHFUL) as address,
    ):
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block"]
        options = [f"--address={address}", "--num-cpus=1"]
        found = Cluster(address, [*command, *options], environment("token"))
        try:
            yield found
        finally:
            found.end()


def test_work_of_a_lost_machine_is_repeated_elsewhere(tmp_path: Path) -> None:
    path, checkpoint = sample_file(tmp_path, 3000, 3), tmp_path / "run.safetensors"
    with ray_cluster() as machines:
        pull_the_plug = machines.add()
        arguments = [
            sys.executable, "-m", "rosenblatt", "learn", str(path), "--shards", "2", "--engine", "ray",
            "--address", machines.address, "--max-epochs", str(EPOCHS), "--checkpoint", str(checkpoint),
            "--json", "--learner", "perceptron",
        ]  # fmt: skip
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(arguments, env=machines.env, **pipes) as driver:
            deadline = time.monotonic() + 120
            while not checkpoint.exists():
                assert driver.poll() is None, driver.communicate()
                assert time.monotonic() < deadline
                time.sleep(0.01)
            pull_the_plug()
            machines.add()
            printed, errors = driver.communicate(timeout=240)
    assert errors == ""
    said = json.loads(printed)
    assert said["restarts"] >= 1
    assert said["epochs"] == EPOCHS
    assert bits_of(load(checkpoint)) == bits_of(fitted(path, Perceptron(max_iter=EPOCHS, shards=2)))
