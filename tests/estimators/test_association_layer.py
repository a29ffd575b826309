"""Association units: their slow twin, scikit-learn's contract, and a machine made of them."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from model_files import saved_with
from rosenblatt import AssociationLayer, InputError, Perceptron, load, save
from strategies import INTEGERS, matrices


@parametrize_with_checks(
    [
        AssociationLayer(n_units=20, random_state=0),
        AssociationLayer(n_units=20, random_state=0, sparse_output=False, n_inhibitory=0),
    ]
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def naive_units(layer: AssociationLayer, X: Any) -> list[list[float]]:
    """Return which units fire, connection by connection."""
    table = []
    for x in X:
        row = []
        for cells in layer.cells_:
            excited = sum(x[cell] for cell in cells[: layer.n_excitatory])
            inhibited = sum(x[cell] for cell in cells[layer.n_excitatory :])
            row.append(1.0 if excited - inhibited >= layer.threshold else 0.0)
        table.append(row)
    return table


@pytest.mark.parametrize("sparse_output", [True, False])
@given(
    X=matrices(INTEGERS, st.integers(1, 6), st.integers(1, 6)),
    shape=st.tuples(st.integers(1, 5), st.integers(0, 5)),
    threshold=st.sampled_from([0.5, 1, 2.0, 7]),
)
@settings(max_examples=30)
def test_it_equals_the_slow_twin(
    sparse_output: bool, X: Any, shape: tuple[int, int], threshold: float
) -> None:
    layer = AssociationLayer(
        9,
        n_excitatory=shape[0],
        n_inhibitory=shape[1],
        threshold=threshold,
        sparse_output=sparse_output,
        random_state=1,
    ).fit(X)
    expected = naive_units(layer, X)
    for store in (np.asarray, sp.csr_matrix, sp.csc_array, lambda X: X.astype(np.float32)):
        units = layer.transform(store(X))
        assert sp.issparse(units) == sparse_output
        assert units.dtype == np.float32
        assert (units.toarray() if sparse_output else units).tolist() == expected


def test_in_the_dark_no_unit_fires() -> None:
    layer = AssociationLayer(random_state=0).fit(np.zeros((1, 400)))
    assert layer.cells_.shape == (1000, 4)
    assert layer.transform(np.zeros((3, 400))).nnz == 0
    assert layer.transform(np.ones((1, 400))).nnz == 1000  # 3 - 1 reaches the threshold of 2


def test_the_wiring_depends_on_the_seed_and_the_number_of_features_only() -> None:
    rng = np.random.default_rng(0)
    one = AssociationLayer(random_state=7).fit(rng.random((5, 30)))
    two = AssociationLayer(random_state=7).fit(rng.random((9, 30)), rng.integers(0, 2, 9))
    assert (one.cells_ == two.cells_).all()
    other = AssociationLayer(random_state=8).fit(np.zeros((1, 30)))
    assert (one.cells_ != other.cells_).any()
    assert set(np.unique(one.cells_)) == set(range(30))


def test_duplicates_in_a_sparse_matrix_add_up_and_the_matrix_is_not_changed() -> None:
    X = sp.csr_matrix((np.array([1.0, 1.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    layer = AssociationLayer(5, n_excitatory=1, n_inhibitory=0, random_state=0).fit(X)
    assert layer.transform(X).toarray().tolist() == [[1.0] * 5]
    assert X.nnz == 2


def test_units_have_names() -> None:
    layer = AssociationLayer(3, random_state=0).fit(np.zeros((1, 2)))
    assert layer.get_feature_names_out().tolist() == [
        "associationlayer0",
        "associationlayer1",
        "associationlayer2",
    ]


def test_a_data_frame_comes_out_where_it_is_asked_for() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])
    layer = AssociationLayer(4, random_state=0, sparse_output=False).set_output(transform="pandas")
    units = layer.fit_transform(frame)
    assert list(units.columns) == list(layer.get_feature_names_out())


def test_a_machine_of_units_and_a_perceptron_learns_what_no_hyperplane_separates() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    machine = make_pipeline(AssociationLayer(50, random_state=3), Perceptron()).fit(X, y)
    assert machine.predict(X).tolist() == y


@pytest.mark.parametrize("fitted", [False, True])
def test_save_load_pickle_and_clone(tmp_path: Path, fitted: bool) -> None:
    layer = AssociationLayer(12, threshold=1.5, random_state=5, sparse_output=False)
    X = np.random.default_rng(0).random((4, 6))
    if fitted:
        layer.fit(X)
    save(layer, tmp_path / "layer")
    for copy in (load(tmp_path / "layer"), pickle.loads(pickle.dumps(layer))):
        assert copy.get_params() == layer.get_params() == clone(layer).get_params()
        assert hasattr(copy, "cells_") == fitted
        if fitted:
            assert (copy.transform(X) == layer.transform(X)).all()


def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    for cells in (np.zeros((2, 4), dtype=np.int64), np.full((3, 4), 2), np.full((3, 4), -1)):

        def change(_document: dict, tensors: dict, cells: np.ndarray = cells) -> None:
            tensors["learned.cells"] = cells

        saved_with(AssociationLayer(3).fit([[0.0, 1.0]]), tmp_path / "layer", change)
        with pytest.raises(InputError, match=r"do not fit the features|were wired with 2 units"):
            load(tmp_path / "layer")


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"n_units": 0}, "n_units=0 is not accepted: use a whole number of at least 1"),
        ({"n_excitatory": 0}, "n_excitatory=0 is not accepted"),
        ({"n_inhibitory": -1}, "n_inhibitory=-1 is not accepted: use a whole number of at least 0"),
        ({"n_inhibitory": 1.5}, "n_inhibitory=1.5 is not accepted"),
        ({"threshold": 0}, "threshold=0 is not accepted: use a finite number above 0"),
        ({"threshold": float("inf")}, "threshold=inf is not accepted"),
        ({"sparse_output": "yes"}, "sparse_output='yes' is not accepted"),
        ({"random_state": -1}, "random_state=-1 is not accepted"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        AssociationLayer(**parameters).fit(np.eye(3))


def test_parameters_changed_after_the_wiring() -> None:
    layer = AssociationLayer(10).fit(np.eye(4)).set_params(n_units=20)
    with pytest.raises(InputError, match="fit again"):
        layer.transform(np.eye(4))
