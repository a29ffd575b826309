"""Model files round-trip pipelines; forged ones are refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Perceptron as OtherPerceptron
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from made_tables import mixed_tables
from model_files import Document, forge, parts_of_file, saved_with
from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    Perceptron,
    TableEncoder,
    load,
    save,
)
from rosenblatt.io.models.model_file import read, write
from strategies import TENTHS, matrices

X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])
Y = ["yes", "yes", "no", "no"]
SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False, with_std=False),
    MinMaxScaler((-1, 2.5), clip=True),
    MaxAbsScaler(),
    RobustScaler(quantile_range=(10.0, 90.0)),
    RobustScaler(with_centering=False, with_scaling=False),
    Normalizer("l1"),
]
in_one_folder = settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def same_value(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tolist() == b.tolist()
        assert a.dtype.kind == "O" or a.tobytes() == b.tobytes()
    elif isinstance(a, tuple | list):
        for one, other in zip(a, b, strict=True):
            same_value(one, other)
    elif hasattr(a, "__dataclass_fields__"):
        same_value(list(vars(a).items()), list(vars(b).items()))
    else:
        assert repr(a) == repr(b)


def same_pipeline(a: Pipeline, b: Pipeline) -> None:
    assert type(b) is Pipeline
    assert [name for name, _ in a.steps] == [name for name, _ in b.steps]
    for (_, one), (_, other) in zip(a.steps[:-1], b.steps[:-1], strict=True):
        assert type(one) is type(other)
        assert vars(one).keys() == vars(other).keys()
        for name, value in vars(one).items():
            same_value(value, vars(other)[name])
    assert repr(a.steps[-1][1].get_params()) == repr(b.steps[-1][1].get_params())


@pytest.mark.filterwarnings("ignore:max_iter")
@given(
    scaler=st.sampled_from(SCALERS),
    samples=matrices(TENTHS, st.integers(2, 6), st.integers(1, 4)),
    single=st.booleans(),
)
@in_one_folder
def test_scalers_round_trip_bit_for_bit(
    tmp_path: Path, scaler: Any, samples: np.ndarray, single: bool
) -> None:
    values = samples.astype(np.float32) if single else samples
    y = np.arange(len(samples)) % 2
    pipeline = Pipeline([("first", scaler), ("last", Perceptron(max_iter=2))], verbose=False)
    pipeline.fit(values, y)
    save(pipeline, tmp_path / "model")
    copy = load(tmp_path / "model")
    same_pipeline(pipeline, copy)
    assert copy.predict(samples).tolist() == pipeline.predict(samples).tolist()


@pytest.mark.filterwarnings("ignore:max_iter")
@given(table=mixed_tables())
@in_one_folder
def test_encoders_round_trip_bit_for_bit(tmp_path: Path, table: pd.DataFrame) -> None:
    y = np.arange(len(table)) % 2
    encoder = TableEncoder(text=["note"], min_count=2, missing={"size": [-1, "none"]})
    pipeline = make_pipeline(encoder, MaxAbsScaler(), Perceptron(max_iter=2))
    pipeline.fit(table, y)
    save(pipeline, tmp_path / "model")
    copy = load(tmp_path / "model")
    same_pipeline(pipeline, copy)
    assert copy[:1].get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    assert copy.predict(table).tolist() == pipeline.predict(table).tolist()


@pytest.mark.parametrize("y", [[1, 1, 0, 0], [True, True, False, False], [3.0, 3.0, -2.0, -2.0], Y])
@pytest.mark.parametrize("learner", [Perceptron(), MaxMargin(), KernelPerceptron()], ids=repr)
def test_labels_keep_their_type(tmp_path: Path, y: list[Any], learner: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), learner).fit(X, y)
    save(pipeline, tmp_path / "model")
    copy = load(tmp_path / "model")
    assert copy.classes_.dtype == np.asarray(y).dtype
    assert copy.predict(X).tolist() == y


def test_an_unfitted_pipeline_round_trips(tmp_path: Path) -> None:
    encoder = TableEncoder(categorical=["a"], scale="none").set_output(transform="pandas")
    pipeline = Pipeline([("table", encoder), ("learner", Perceptron(eta0=0.5))], verbose=True)
    save(pipeline, tmp_path / "model")
    copy = load(tmp_path / "model")
    same_pipeline(pipeline, copy)
    assert copy.verbose
    assert not hasattr(copy, "classes_")


def test_notes_and_the_record(tmp_path: Path) -> None:
    pipeline = make_pipeline(StandardScaler(), Perceptron()).fit(X, Y)
    write(pipeline, tmp_path / "model", {"label_name": "species"}, record=False)
    copy, notes = read(tmp_path / "model")
    assert notes == {"label_name": "species"}
    assert not hasattr(copy[-1], "ledger_")
    assert copy[-1].n_iter_ == pipeline[-1].n_iter_


class Pipeline2(Pipeline):
    pass


class Scaler(StandardScaler):
    pass


Scaler.__name__ = "StandardScaler"


def scaler_with_an_unknown_attribute() -> Any:
    scaler = StandardScaler().fit(X)
    scaler.spread_ = 1.0
    return make_pipeline(scaler, Perceptron())


@pytest.mark.parametrize(
    ("pipeline", "complaint"),
    [
        (make_pipeline(OneHotEncoder(), Perceptron()), "'onehotencoder', a OneHotEncoder, cannot"),
        (make_pipeline(Scaler(), Perceptron()), "'standardscaler', a StandardScaler, cannot"),
        (make_pipeline(StandardScaler(), OtherPerceptron()), "'perceptron', a Perceptron, cannot"),
        (make_pipeline(Perceptron(), Perceptron()), "'perceptron-1', a Perceptron, cannot"),
        (make_pipeline(StandardScaler()), "'standardscaler', a StandardScaler, cannot"),
        (Pipeline([("a", "passthrough"), ("b", Perceptron())]), "'a', a str, cannot"),
        (Pipeline([("a", None), ("b", Perceptron())]), "'a', a NoneType, cannot"),
        (Pipeline([("a", Normalizer()), ("a", Perceptron())]), "must have different names"),
        (Pipeline([("b", Perceptron())], memory="folder"), "memory='folder' cannot be saved"),
        (Pipeline2([("b", Perceptron())]), "Pipeline2 cannot be saved"),
        (OtherPerceptron(), "Perceptron cannot be saved: model files contain rosenblatt's"),
        (scaler_with_an_unknown_attribute(), "model files do not contain its spread_"),
        (make_pipeline(Normalizer("l3"), Perceptron()), "norm='l3' is not accepted"),
        (
            make_pipeline(
                StandardScaler(with_std=False).fit(X).set_params(with_std=True), Perceptron()
            ),
            "could not be loaded again: .*scale_|var_ must be an array",
        ),
        (
            make_pipeline(StandardScaler().fit(X[:, :1]), Perceptron().fit(X, Y)),
            "'perceptron' has learned from 2 features, but the steps before it output 1",
        ),
    ],
)
def test_pipelines_that_cannot_be_saved_are_refused(
    tmp_path: Path, pipeline: Any, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        save(pipeline, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def fitted() -> Pipeline:
    table = pd.DataFrame(
        {
            "size": [1.0, None, 3.0, 5.0],
            "town": ["Rome", "Oslo", "Rome", None],
            "note": ["a word", "two words", "a word", ""],
            "one": ["x"] * 4,
        }
    )
    encoder = TableEncoder(text=["note"], min_count=1)
    return make_pipeline(encoder, StandardScaler(with_mean=False), Perceptron()).fit(table, Y)


FORGED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "a class of another library": (("steps", 0, "class"), "Pickle"),
    "a learner's class": (("steps", 1, "class"), "KernelPerceptron"),
    "an attribute": (("steps", 1, "learned", "__class__"), "x"),
    "a method": (("steps", 1, "learned", "transform"), 1),
    "a parameter": (("steps", 1, "parameters", "memory"), "x"),
    "a name": (("steps", 1, "name"), "a__b"),
    "a number for a name": (("steps", 1, "name"), 7),
    "an output": (("steps", 1, "output"), "pickle"),
    "a flag": (("steps", 1, "parameters", "with_std"), "yes"),
    "verbose": (("verbose",), "yes"),
    "names": (("transform_input",), 3),
    "a width": (("steps", 1, "learned", "n_features_in_"), 3),
    "another width": (("steps", 0, "learned", "n_features_in_"), 3),
    "a missing scale": (("steps", 1, "learned", "scale_"), None),
    "columns of the wrong type": (("steps", 0, "learned", "columns_"), {"tuple": [1, 2, 3, 4]}),
    "a number of samples": (("steps", 1, "learned", "n_samples_seen_"), "many"),
    "missing counts": (("steps", 0, "learned", "missing_counts_"), {"dict": [["other", 1]]}),
    "no columns": (("steps", 0, "learned"), {"n_features_in_": 4}),
    "a column's width": (
        ("steps", 0, "learned", "columns_", "tuple", 0, "number", "indicates"),
        5,
    ),
    "a column's name": (("steps", 0, "learned", "columns_", "tuple", 0, "number", "name"), 5),
    "a column's dates": (("steps", 0, "learned", "columns_", "tuple", 0, "number", "dates"), "%n"),
    "a scale of 0": (
        ("steps", 0, "learned", "columns_", "tuple", 0, "number", "scale"),
        {"float": "0x0p0"},
    ),
    "no steps": (("steps",), []),
    "a pipeline in a pipeline": (("steps", 2, "class"), "Pipeline"),
    "parameters of the encoder": (("steps", 0, "parameters", "ignore"), 3),
    "missing values": (("steps", 0, "parameters", "missing"), {"dict": [["a", 3]]}),
}


@pytest.mark.parametrize(("path", "value"), FORGED.values(), ids=FORGED)
def test_a_forged_pipeline_is_refused(tmp_path: Path, path: tuple[Any, ...], value: Any) -> None:
    def change(document: Document, tensors: Any) -> None:
        del tensors
        *keys, last = path
        part: Any = document
        for key in keys:
            part = part[key]
        part[last] = value

    saved_with(fitted(), tmp_path / "model", change)
    with pytest.raises(InputError, match=r"does not describe a model|by another version"):
        load(tmp_path / "model")


@pytest.mark.parametrize("array", [np.zeros(3), np.full(6, np.nan), np.zeros(6), np.ones(6, bool)])
def test_forged_arrays_are_refused(tmp_path: Path, array: np.ndarray) -> None:
    def change(document: Document, tensors: Any) -> None:
        tensors[document["steps"][1]["learned"]["scale_"]["array"]] = array

    saved_with(fitted(), tmp_path / "model", change)
    with pytest.raises(InputError, match="scale_"):
        load(tmp_path / "model")


def test_rewriting_a_file_unchanged_loses_nothing(tmp_path: Path) -> None:
    save(fitted(), tmp_path / "model")
    document, tensors = parts_of_file(tmp_path / "model")
    forge(tmp_path / "again", json.dumps(document), tensors)
    same_pipeline(load(tmp_path / "model"), load(tmp_path / "again"))


def test_a_column_transformer_is_named_with_a_way_out(tmp_path: Path) -> None:
    chosen = ColumnTransformer([("numbers", StandardScaler(), [0])])
    model = make_pipeline(chosen, Perceptron()).fit([[1.0, 2.0], [3.0, 4.0]], ["a", "b"])
    message = "the step 'columntransformer', a ColumnTransformer, .* TableEncoder encodes columns"
    with pytest.raises(InputError, match=message):
        save(model, tmp_path / "model")
