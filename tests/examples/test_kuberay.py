"""The manifest in `examples/cluster`: valid YAML, required fields, consistent versions, no secrets."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from rosenblatt import __version__

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "cluster"
IMAGE = f"registry.example/rosenblatt:{__version__}"


@pytest.fixture(scope="module")
def objects() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text("utf-8")))


@pytest.fixture(scope="module")
def job(objects: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = (one for one in objects if one["kind"] == "RayJob")
    spec: dict[str, Any] = found["spec"]
    return spec


def pods(job: dict[str, Any]) -> list[dict[str, Any]]:
    cluster = job["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [group["template"] for group in groups]


def pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all keys with their values, at any depth."""
    if isinstance(value, dict):
        yield from value.items()
        value = list(value.values())
    for one in value if isinstance(value, list) else []:
        yield from pairs(one)


def test_kinds_and_versions_of_objects(objects: list[dict[str, Any]]) -> None:
    assert {(one["kind"], one["apiVersion"]) for one in objects} == {
        ("RayJob", "ray.io/v1"),
        ("PersistentVolumeClaim", "v1"),
        ("NetworkPolicy", "networking.k8s.io/v1"),
    }
    for one in objects:
        assert re.fullmatch("[a-z][a-z0-9-]*", one["metadata"]["name"])
        assert one["spec"]


def test_required_fields(job: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    for group in job["rayClusterSpec"]["workerGroupSpecs"]:
        assert group["groupName"]
        assert 0 < group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    claims = {one["metadata"]["name"] for one in objects if one["kind"] == "PersistentVolumeClaim"}
    for pod in pods(job):
        volumes = {
            one["name"]: one["persistentVolumeClaim"]["claimName"] for one in pod["spec"]["volumes"]
        }
        assert set(volumes.values()) <= claims
        (container,) = pod["spec"]["containers"]
        assert container["image"] == IMAGE  # a version, never `latest`
        assert container["resources"]["requests"] == container["resources"]["limits"]
        assert set(container["resources"]["limits"]) == {"cpu", "memory"}
        assert {one["name"] for one in container["volumeMounts"]} == set(volumes)


def test_all_pods_mount_the_data_at_the_same_path(job: dict[str, Any]) -> None:
    mounts = [pod["spec"]["containers"][0]["volumeMounts"][0] for pod in pods(job)]
    assert all(mount == mounts[0] for mount in mounts)
    assert f"{mounts[0]['mountPath']}/" in job["entrypoint"]


def test_the_token_comes_from_a_secret(job: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    assert job["rayClusterSpec"]["authOptions"] == {
        "mode": "token",
        "secretName": "rosenblatt-token",
    }
    assert not any(one["kind"] == "Secret" for one in objects)
    names = {name for one in objects for name, _ in pairs(one)}
    assert not {
        name for name in names if re.search("token|password|credential", name, re.IGNORECASE)
    } - {"automountServiceAccountToken"}
    assert "--allow-open-cluster" not in job["entrypoint"]


def test_pods_do_not_run_as_root(job: dict[str, Any]) -> None:
    for pod in pods(job):
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert pod["spec"]["automountServiceAccountToken"] is False
        (container,) = pod["spec"]["containers"]
        assert container["securityContext"]["allowPrivilegeEscalation"] is False


def test_the_policy_covers_all_pods(job: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    (policy,) = (one["spec"] for one in objects if one["kind"] == "NetworkPolicy")
    for pod in pods(job):
        assert pod["metadata"]["labels"] == policy["podSelector"]["matchLabels"]
    assert policy["ingress"][0]["from"] == [{"podSelector": policy["podSelector"]}]


def test_the_dockerfile_matches_the_manifest(job: dict[str, Any]) -> None:
    text = (FOLDER / "Dockerfile").read_text("utf-8")
    (base,) = re.findall(r"^FROM rayproject/ray:(\S+)-py3\d+$", text, re.MULTILINE)
    assert base == job["rayClusterSpec"]["rayVersion"]
    (installed,) = re.findall(r'"(rosenblatt\[[^"]*)"', text)
    assert Requirement(installed).specifier.contains(__version__)
    assert IMAGE in text
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert Requirement(installed).extras <= set(extras)
    (ray,) = (Requirement(one) for one in extras["ray"])
    assert ray.specifier.contains(base)
    assert Version(base) >= Version("2.52")  # the first version with tokens


def test_there_are_as_many_workers_as_cores(job: dict[str, Any]) -> None:
    words = shlex.split(job["entrypoint"])
    assert words[:2] == ["rosenblatt", "learn"]
    (group,) = job["rayClusterSpec"]["workerGroupSpecs"]
    cores = int(group["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"])
    n_workers = words[words.index("--workers") + 1]
    assert int(n_workers) == group["replicas"] * cores == int(words[words.index("--shards") + 1])
