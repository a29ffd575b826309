"""Model files round-trip every estimator, and nothing damaged gets in."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from sklearn.datasets import load_iris

from rosenblatt import AssociationLayer, InputError, Perceptron, load, save
from rosenblatt.model_file import read, write

X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])
LABELS = {
    "text": ["yes", "yes", "no", "no"],
    "integers": [3, 3, -1, -1],
    "floats": [1.0, 1.0, 2.0, 2.0],
    "truth": [True, True, False, False],
    "objects": np.array(["yes", "yes", "no", "no"], dtype=object),
}


def same_model(a: Perceptron, b: Perceptron) -> None:
    assert a.get_params() == b.get_params()
    assert set(vars(a)) == set(vars(b))
    assert a._weights.tobytes() == b._weights.tobytes()
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


def test_many_classes_and_weights_for_them(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    model = Perceptron(class_weight={0: 1.0, 1: 2.0, 2: 0.5}, max_iter=30)
    with pytest.warns(UserWarning, match="max_iter=30"):
        model.fit(X, y)
    save(model, tmp_path / "iris")
    copy = load(tmp_path / "iris")
    same_model(model, copy)
    assert copy.margin_ == model.margin_
    assert copy.ledger_.mistake_counts.tolist() == model.ledger_.mistake_counts.tolist()


@pytest.mark.parametrize("start", ["zero", "random"])
def test_a_stream_goes_on_where_it_was_saved(tmp_path: Path, start: str) -> None:
    y = ["b", "a", "b", "c"]
    whole = Perceptron(start=start, random_state=1)
    halves = Perceptron(start=start, random_state=1)
    whole.partial_fit(X, y)
    halves.partial_fit(X[:2], y[:2])
    save(halves, tmp_path / "model")
    halves = load(tmp_path / "model").partial_fit(X[2:], y[2:])
    assert halves.coef_.tobytes() == whole.coef_.tobytes()
    assert halves.n_mistakes_ == whole.n_mistakes_


def test_an_unfitted_model_is_saved_too(tmp_path: Path) -> None:
    save(Perceptron(eta0=0.25, ties="negative"), tmp_path / "model")
    copy = load(tmp_path / "model")
    assert copy.get_params() == Perceptron(eta0=0.25, ties="negative").get_params()
    assert not hasattr(copy, "classes_")


def test_the_record_can_be_left_out(tmp_path: Path) -> None:
    model = Perceptron().fit(X, LABELS["text"])
    save(model, tmp_path / "large")
    save(model, tmp_path / "small", record=False)
    copy = load(tmp_path / "small")
    assert not hasattr(copy, "ledger_")
    assert copy.margin_ == model.margin_
    assert (tmp_path / "small").stat().st_size < (tmp_path / "large").stat().st_size


def test_notes_travel_with_the_model(tmp_path: Path) -> None:
    write(Perceptron(), tmp_path / "model", {"label_name": "species"}, record=True)
    assert read(tmp_path / "model")[1] == {"label_name": "species"}


def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
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


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    model = Perceptron().fit(X, LABELS["text"])
    model._weights = np.zeros((1, 2))
    write(model, tmp_path / "narrow", {}, record=True)
    with pytest.raises(InputError, match="does not describe a model"):
        load(tmp_path / "narrow")
    model._weights = np.full((1, 3), np.nan)
    write(model, tmp_path / "nan", {}, record=True)
    with pytest.raises(InputError, match="not finite"):
        load(tmp_path / "nan")


def test_another_version_is_refused_by_number(tmp_path: Path) -> None:
    metadata = {"format": "rosenblatt-model", "version": "99", "model": json.dumps({})}
    save_file({}, tmp_path / "new", metadata)
    with pytest.raises(InputError, match="version '99', but this rosenblatt reads version '1'"):
        load(tmp_path / "new")


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(Perceptron(), path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="random_state"):
        save(Perceptron(random_state=np.random.RandomState(0)), path)
    with pytest.raises(InputError, match="cannot be written"):
        save(Perceptron(), tmp_path / "no folder" / "model")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_only_our_estimators_are_saved(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dict cannot be saved"):
        save({}, tmp_path / "model")


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    layer = AssociationLayer(10).fit(np.eye(4)).set_params(n_units=20)
    with pytest.raises(InputError, match="could not be loaded again"):
        save(layer, tmp_path / "layer.safetensors")
    assert not (tmp_path / "layer.safetensors").exists()
