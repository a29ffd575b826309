"""Model files round-trip every estimator; damaged and forged ones are refused."""

import copy
import json
import os
import random
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import save_file
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, RobustScaler

from model_files import Document, Tensors, forge, parts_of_file, saved_with
from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    TableEncoder,
    Winnow,
    load,
    save,
    separate,
)
from rosenblatt.cli import run
from rosenblatt.io.models import model_file
from rosenblatt.io.models.model_file import read, write

X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])
LABELS = {
    "text": ["yes", "yes", "no", "no"],
    "integers": [3, 3, -1, -1],
    "floats": [1.0, 1.0, 2.0, 2.0],
    "booleans": [True, True, False, False],
    "objects": np.array(["yes", "yes", "no", "no"], dtype=object),
}


def same_model(a: Perceptron, b: Perceptron) -> None:
    assert a.get_params() == b.get_params()
    assert a.coef_.tobytes() == b.coef_.tobytes()
    assert a.classes_.dtype == b.classes_.dtype
    assert a.classes_.tolist() == b.classes_.tolist()
    assert (a.outcome_, a.n_iter_, a.n_mistakes_) == (b.outcome_, b.n_iter_, b.n_mistakes_)
    assert a.history_[:] == b.history_[:]


@pytest.mark.parametrize("labels", list(LABELS))
def test_a_fitted_model_comes_back_bit_for_bit(tmp_path: Path, labels: str) -> None:
    y = LABELS[labels]
    model = Perceptron(record=True, eta0=0.1, random_state=7, order="shuffle").fit(X, y)
    save(model, tmp_path / "model.safetensors")
    copy = load(str(tmp_path / "model.safetensors"))
    same_model(model, copy)
    assert copy.margin_ == model.margin_
    assert copy.predict(X).tolist() == model.predict(X).tolist()
    coef, intercept = copy.ledger_.replay(X, y)
    assert coef.tobytes() == model.coef_.tobytes()
    assert intercept.tobytes() == model.intercept_.tobytes()


def test_many_classes_with_class_weights(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    model = Perceptron(keep="last", class_weight={0: 1.0, 1: 2.0, 2: 0.5}, max_iter=30)
    with pytest.warns(UserWarning, match="max_iter=30"):
        model.fit(X, y)
    save(model, tmp_path / "iris")
    copy = load(tmp_path / "iris")
    same_model(model, copy)
    assert copy.margin_ == model.margin_
    assert copy.ledger_.mistake_counts.tolist() == model.ledger_.mistake_counts.tolist()


def test_learning_continues_after_loading(tmp_path: Path) -> None:
    y = ["b", "a", "b", "c"]
    whole, halves = Perceptron().partial_fit(X, y), Perceptron().partial_fit(X[:2], y[:2])
    save(halves, tmp_path / "model")
    halves = load(tmp_path / "model").partial_fit(X[2:], y[2:])
    assert halves.coef_.tobytes() == whole.coef_.tobytes()
    assert halves.n_mistakes_ == whole.n_mistakes_


def test_certificate_is_not_a_model(tmp_path: Path) -> None:
    path = tmp_path / "and.json"
    path.write_text(separate([[0.0], [1.0]], ["a", "b"]).certificate.to_json())
    with pytest.raises(InputError, match="a JSON document, such as a certificate, not a model"):
        load(path)


def test_an_unfitted_model(tmp_path: Path) -> None:
    save(Perceptron(eta0=0.25, ties="negative"), tmp_path / "model")
    copy = load(tmp_path / "model")
    assert copy.get_params() == Perceptron(eta0=0.25, ties="negative").get_params()
    assert not hasattr(copy, "classes_")


def test_saving_without_the_record(tmp_path: Path) -> None:
    model = Perceptron().fit(X, LABELS["text"])
    save(model, tmp_path / "large")
    save(model, tmp_path / "small", record=False)
    copy = load(tmp_path / "small")
    assert not hasattr(copy, "ledger_")
    assert copy.margin_ == model.margin_
    assert (tmp_path / "small").stat().st_size < (tmp_path / "large").stat().st_size


def test_notes_round_trip(tmp_path: Path) -> None:
    write(Perceptron(), tmp_path / "model", {"label_name": "species"}, record=True)
    assert read(tmp_path / "model")[1] == {"label_name": "species"}


def test_flipped_bits_are_detected(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(Perceptron(record=True).fit(X, LABELS["text"]), path)
    content = path.read_bytes()
    for position in range(0, len(content), 11):
        damaged = bytearray(content)
        damaged[position] ^= 1 << (position % 8)
        path.write_bytes(bytes(damaged))
        with pytest.raises(InputError, match=r"^[^\n]+$"):
            load(path)


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 60, 0.5, 0.99])
def test_a_truncated_file_is_refused(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "model"
    save(Perceptron().fit(X, LABELS["text"]), path)
    content = path.read_bytes()
    path.write_bytes(content[: kept if kept >= 1 or kept == 0 else int(kept * len(content))])
    with pytest.raises(InputError, match="not a model file, or it is damaged"):
        load(path)


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        load(tmp_path / "nothing")
    (tmp_path / "text").write_text("1,2,yes\n" * 100)
    with pytest.raises(InputError, match="not a model file"):
        load(tmp_path / "text")
    save_file({"weights": np.zeros(3)}, tmp_path / "foreign")
    with pytest.raises(InputError, match="was not written by rosenblatt"):
        load(tmp_path / "foreign")


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [(np.zeros((1, 2)), "must have shape"), (np.full((1, 3), np.nan), "not finite")],
)
def test_invalid_weights_are_refused(tmp_path: Path, weights: np.ndarray, complaint: str) -> None:
    def change(_document: Document, tensors: Tensors) -> None:
        tensors["learned.weights"] = weights

    saved_with(Perceptron().fit(X, LABELS["text"]), tmp_path / "model", change)
    with pytest.raises(InputError, match=f"does not describe a model.*{complaint}"):
        load(tmp_path / "model")


@pytest.mark.parametrize("version", ["3", "99"])
def test_another_format_version_is_refused(tmp_path: Path, version: str) -> None:
    metadata = {"format": "rosenblatt-model", "version": version, "model": json.dumps({})}
    save_file({}, tmp_path / "model", metadata)
    complaint = (
        f"another version of rosenblatt: its format is '{version}', but this version reads '4'$"
    )
    with pytest.raises(InputError, match=complaint):
        load(tmp_path / "model")


UNKNOWN_PARTS: dict[str, tuple[tuple[Any, ...], str, object]] = {
    "Perceptron has no 'momentum'": (("parameters",), "momentum", {"float": "0x1p0"}),
    "there is no class 'Adaline'": ((), "class", "Adaline"),
    "there is no kind 'alma'": ((), "learned", {"alma": {"visits": 3}}),
    "learned has no 'half_life'": (("learned", "learned"), "half_life", True),
    "run has no 'delays'": (("run", "run"), "delays", 3),
}


@pytest.mark.parametrize("part", UNKNOWN_PARTS)
@pytest.mark.parametrize("is_pipeline", [False, True])
def test_parts_known_to_another_version_only_are_named(
    tmp_path: Path, part: str, is_pipeline: bool
) -> None:
    keys, name, value = UNKNOWN_PARTS[part]

    def change(document: Document, _: Tensors) -> None:
        parent = document["steps"][1] if is_pipeline else document
        for key in keys:
            parent = parent[key]
        parent[name] = value

    model = make_pipeline(Normalizer(), Perceptron()) if is_pipeline else Perceptron()
    saved_with(model.fit(X, LABELS["text"]), tmp_path / "model", change)
    complaint = (
        f"model: this model was written by another version of rosenblatt: {part} in this one$"
    )
    with pytest.raises(InputError, match=complaint):
        load(tmp_path / "model")


def test_a_failed_save_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(Perceptron(), path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="random_state"):
        save(Perceptron(random_state=np.random.RandomState(0)), path)
    with pytest.raises(InputError, match="cannot be written"):
        save(Perceptron(), tmp_path / "no folder" / "model")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_other_objects_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dict cannot be saved"):
        save({}, tmp_path / "model")


def test_models_that_could_not_be_loaded_are_not_saved(tmp_path: Path) -> None:
    model = KernelPerceptron().fit(np.eye(2), ["a", "b"]).set_params(budget=3)
    with pytest.raises(InputError, match="could not be loaded again"):
        save(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_paths_that_are_not_regular_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's name must be short
        server.bind("socket")
        for path, complaint in [
            (tmp_path, "this is a folder, not a file"),
            ("/dev/zero", "not a regular file"),
            (tmp_path / "pipe", "not a regular file"),
            (tmp_path / "socket", "not a regular file"),
            (tmp_path / ("x" * 300), "File name too long"),
        ]:
            with pytest.raises(InputError, match=complaint):
                load(path)
    with pytest.raises(InputError, match="File name too long"):
        save(Perceptron(), tmp_path / ("x" * 300))


def test_saving_follows_links(tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to("model")
    save(Perceptron(eta0=0.25), tmp_path / "current")
    assert (tmp_path / "current").is_symlink()
    assert load(tmp_path / "model").eta0 == 0.25


FORGED = {
    "a float of 2^5000": {"float": "0x1p5000"},
    "an int of 2^5000": 2**5000,
    "a negative int of 2^5000": -(2**5000),
    "a float of the wrong type": {"float": 1},
    "very wide text": {"array": ["<U500000000", "a", "b"]},
    "many wide texts": {"list": [{"array": ["<U5000000", "a"]}] * 1000},
    "objects": {"array": ["|O8", "a"]},
    "void": {"array": ["|V8", "a"]},
    "dates": {"array": ["<M8[s]", 1]},
    "numbers in text": {"array": ["<f8", 1]},
    "text wider than its type": {"array": ["<U1", "ab"]},
    "text of the wrong type": {"array": ["<U1", 1]},
    "no type": {"array": []},
    "a missing tensor": {"array": "nothing"},
    "two kinds": {"float": "0x1p0", "list": []},
    "no kind": {"object": "os.system"},
    "null": None,
}


@pytest.mark.parametrize("value", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("name", ["eta0", "classes", "rate", "weights", "features", "history"])
def test_a_forged_value_is_refused(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "model"
    save(Perceptron().fit(X, LABELS["text"]), path)
    document, tensors = parts_of_file(path)
    learned, run = document["learned"]["learned"], document["run"]["run"]
    part = next(p for p in (document["parameters"], learned, run) if name in p)
    if value is None and part is run:
        return  # the run may omit any report
    part[name] = value
    forge(path, json.dumps(document), tensors)
    with pytest.raises(InputError, match=r"^[^\n]{,500}$"):
        load(path)


def _with_rate(rate: float) -> Callable[[Document, Tensors], None]:
    def change(document: Document, _tensors: Tensors) -> None:
        document["learned"]["learned"]["rate"] = {"float": rate.hex()}

    return change


def _with_large_numbers(document: Document, tensors: Tensors) -> None:
    _with_rate(1e100)(document, tensors)
    tensors["learned.weights"][:] = 1e300


def _with_large_steps(_document: Document, tensors: Tensors) -> None:
    for name in tensors:
        if name.startswith("learned") and tensors[name].dtype == np.float64:
            tensors[name][:] = 1e308


@pytest.mark.parametrize("command", ["show", "predict"])
@pytest.mark.parametrize("keep", ["last", "average", "vote"])
@pytest.mark.parametrize("change", [_with_rate(1e308), _with_large_numbers, _with_large_steps])
def test_forged_numbers_that_overflow_end_with_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    keep: str,
    change: Callable[[Document, Tensors], None],
) -> None:
    table, path = tmp_path / "table.csv", tmp_path / "model"
    table.write_text("a,b,y\n1,2,p\n3,4,q\n5,1,p\n")
    samples = [[1.0, 2.0], [3.0, 4.0], [5.0, 1.0]]
    saved_with(Perceptron(keep=keep).fit(samples, list("pqp")), path, change)
    done = run([command, str(path), *([str(table)] if command == "predict" else [])])
    error = capsys.readouterr().err
    if change is not _with_large_steps:  # finite, so the file can be read
        assert done == 2
    assert "Warning" not in error
    assert error.count("\n") <= 1


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("n_terms", None, "count of kernel terms is not a valid number"),
        ("gamma", 10**400, "hypothesis does not fit"),
    ],
    ids=["n_terms", "gamma"],
)
def test_a_forged_kernel_is_refused(
    tmp_path: Path, name: str, value: int | None, complaint: str
) -> None:
    path = tmp_path / "model"
    save(KernelPerceptron(kernel="linear").partial_fit(X, LABELS["text"]), path)
    document, tensors = parts_of_file(path)
    document["learned"]["duallearned"][name] = value
    forge(path, json.dumps(document), tensors)
    with pytest.raises(InputError, match=complaint):
        load(path)


@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"a":' * 100_000, "1" * 5000, "", "null", "[]", '"\\ud800"', "NaN"]
)
def test_a_forged_document_is_refused(tmp_path: Path, text: str) -> None:
    forge(tmp_path / "model", text, {})
    with pytest.raises(InputError, match="does not describe a model"):
        load(tmp_path / "model")


@pytest.mark.parametrize("dtype", ["BF16", "F8_E4M3", "U16", "BOOL", "O", "V8", "M8", ""])
@pytest.mark.parametrize("shape", [[0], [2**62, 0], [0, 2**63], [0] * 70, [2**40]])
def test_a_forged_header_is_refused(tmp_path: Path, dtype: str, shape: list[int]) -> None:
    path = tmp_path / "model"
    save(Perceptron().fit(X, LABELS["text"]), path)
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, body = json.loads(content[8 : 8 + length]), content[8 + length :]
    end = len(body)
    header["more"] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    with pytest.raises(InputError, match=r"^[^\n]{,500}$"):
        load(path)


def test_support_samples_out_of_bounds_are_refused(tmp_path: Path) -> None:
    """SciPy's own check misses indices if the last row ends at 0; reading them crashes."""
    path = tmp_path / "model"
    model = KernelPerceptron(budget=2, kernel="rbf", gamma=1.0)
    save(model.partial_fit(sp.csr_matrix(X), LABELS["text"]), path)
    document, tensors = parts_of_file(path)
    _, _, indptr, _ = document["learned"]["duallearned"]["hypothesis"]["expansion"]["support"][
        "tuple"
    ]
    tensors[indptr["array"]][-1] = 0
    forge(path, json.dumps(document), tensors)
    with pytest.raises(InputError, match="does not describe a model"):
        load(path)


def test_a_header_too_long_for_safetensors_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_file, "_MAX_HEADER", 10_000)
    model = Perceptron().fit(X, LABELS["text"])
    write(model, tmp_path / "short", {"label_name": "a"}, record=False)
    with pytest.raises(InputError, match="could not be loaded again"):
        write(model, tmp_path / "long", {"label_name": "a" * 10_000}, record=False)
    assert os.listdir(tmp_path) == ["short"]


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from paths_in(value[key], (*path, key))


def mutate(document: Document, tensors: Tensors, rng: random.Random) -> None:
    """Replace one random part of a document, or one tensor, in place."""
    if tensors and rng.random() < 0.35:
        name = rng.choice(list(tensors))
        tensor = tensors[name]
        kinds = (np.float16, np.float32, np.float64, np.int32, np.int64, np.uint64, np.bool_)
        shapes = ((), (0,), (1,), (0, 3), (3, 0), (2, 2, 2), (2**40, 0))
        with np.errstate(all="ignore"):
            tensors[name] = rng.choice(
                [
                    tensor.astype(rng.choice(kinds)),
                    np.zeros(rng.choice(shapes), tensor.dtype),
                    np.ascontiguousarray(tensor[None]),
                    np.full_like(tensor, rng.choice([0, 1, 100])),
                    np.asarray(-tensor) if tensor.dtype != np.bool_ else tensor,
                ]
            )
        return
    *keys, last = rng.choice(list(paths_in(document)))
    parent = document
    for key in keys:
        parent = parent[key]
    choice = rng.random()
    if choice < 0.1:
        parent.pop(last)
    elif choice < 0.8:
        parent[last] = copy.deepcopy(rng.choice(list(FORGED.values())))
    else:
        parent[last] = {"array": rng.choice([*tensors, "x"])}


def models() -> list[Any]:
    y, z = LABELS["text"], ["a", "b", "c", "a"]
    tables = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])
    few = {"max_iter": 3}
    return [
        Perceptron(record=True).fit(X, y),
        Perceptron(certify=True, **few).fit(X, z),
        Perceptron(keep="vote", **few).fit(sp.csr_matrix(X), z),
        Perceptron(keep="pocket", **few).fit(X, tables),
        Perceptron(multiclass="joint", record=True, **few).fit(X, z),
        Perceptron(class_weight={"a": 1.5}).learn_one({"u": 1.0}, "a").learn_one({"v": 2.0}, "a"),
        PassiveAggressive(keep="average").partial_fit(X, y),
        Winnow(**few).fit(np.abs(X) / 2, z),
        KernelPerceptron(keep="vote", **few).fit(X, z),
        KernelPerceptron(budget=2, gamma=1.0, kernel="rbf").partial_fit(sp.csr_matrix(X), y),
        MaxMargin().fit(X, y),
        make_pipeline(TableEncoder(), RobustScaler(), Perceptron()).fit(X, y),
        make_pipeline(TableEncoder(text=["x1"]), Normalizer(), Perceptron(**few)).fit(
            np.array([["a", "b c"], ["a", "c"], ["d", "c"], ["d", "b"]]), y
        ),
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [120, pytest.param(20_000, marks=pytest.mark.slow)])
def test_forged_files_raise_nothing_but_input_errors(tmp_path: Path, n: int) -> None:
    rng, path = random.Random(n), tmp_path / "model"
    originals, complaints = [], []
    for model in models():
        save(model, path)
        originals.append(parts_of_file(path))
    for _ in range(n):
        document, tensors = copy.deepcopy(rng.choice(originals))
        for _ in range(rng.choice([1, 1, 2])):
            mutate(document, tensors, rng)
        forge(path, json.dumps(document), tensors)
        try:
            load(path)
        except InputError as error:
            complaints.append(str(error))
    assert len(complaints) > 0.6 * n  # the other changes are valid
    assert all(len(one) < 500 and "\n" not in one for one in complaints)


@pytest.mark.parametrize("label", ["a\ud800", "\ud83d\ude00"])
def test_lone_surrogates_are_neither_saved_nor_loaded(tmp_path: Path, label: str) -> None:
    path = tmp_path / "model"
    model = Perceptron().fit([[1.0], [2.0]], [label, "b"])
    assert model.predict([[-9.0]]).tolist() in ([label], ["b"])
    with pytest.raises(InputError, match=r"this Perceptron cannot be saved: .* a lone surrogate"):
        save(model, path)
    named = Perceptron().learn_one({label: 1.0}, "x").learn_one({"b": 1.0}, "y")
    with pytest.raises(InputError, match="one of its labels or names has a lone surrogate"):
        save(named, path)
    save(Perceptron().fit([[1.0], [2.0]], ["\U0001f600", "b"]), path)
    assert load(path).classes_.tolist() == ["b", "\U0001f600"]

    def forge(document: Document, _tensors: Tensors) -> None:
        document["learned"]["learned"]["classes"]["classes"]["labels"]["array"][1] = "\udc00"

    saved_with(Perceptron().fit([[1.0], [2.0]], ["a", "b"]), path, forge)
    with pytest.raises(InputError, match=r"does not describe a model .*lone surrogate"):
        load(path)
