"""Streams learned in shards: the same bits as `fit` in any chunks."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from rosenblatt import InputError, Outcome, Perceptron
from strategies import labels, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def _chunks(X: Any, y: Any, ends: list[int]) -> list[tuple[Any, Any]]:
    edges = [0, *sorted(min(end, len(y)) for end in ends), len(y)]
    return [(X[a:b], y[a:b]) for a, b in pairwise(edges)]


@settings(max_examples=30)
@given(
    st.data(),
    samples(max_rows=20),
    st.integers(2, 4),
    st.lists(st.integers(0, 20), max_size=4),
    st.sampled_from([{}, {"keep": "average"}, {"multiclass": "joint"}]),
)
def test_pass_equals_epoch(
    data: st.DataObject, X: np.ndarray, n_shards: int, ends: list[int], options: dict
) -> None:
    n_shards = min(n_shards, len(X))
    y = data.draw(labels(len(X), list("abc")))
    passes = data.draw(st.integers(2, 4))
    whole = Perceptron(order="cyclic", shards=n_shards, max_iter=passes, **options).fit(X, y)
    for form in (np.asarray, sp.csr_array):
        stream = Perceptron(shards=n_shards, **options)
        stream.fit_stream(_chunks(form(X), y, ends), passes=passes)
        assert stream.coef_.tobytes() == whole.coef_.tobytes()
        assert stream.intercept_.tobytes() == whole.intercept_.tobytes()
        assert stream.history_.mistakes.tolist() == whole.history_.mistakes.tolist()
        assert stream.classes_.tolist() == whole.classes_.tolist()
        assert stream.progressive_.samples == len(y)
        if (
            whole.outcome_ is Outcome.MIXED
        ):  # otherwise a stream cannot know: it does not count errors after learning
            assert stream.outcome_ is Outcome.MIXED


def _clouds(n: int = 700) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.sort(rng.integers(0, 4, n))
    return rng.standard_normal((n, 4)) + 3.0 * np.eye(4)[y], y


def test_late_classes_and_features_are_found() -> None:
    X, y = _clouds()
    X[:600, 3] = 0.0
    sparse = sp.csr_array(X)
    chunks = [
        (sparse[:500, :3], y[:500]),
        (sparse[500:600, :3], y[500:600]),
        (sparse[600:], y[600:]),
    ]
    found = Perceptron(shards=3).fit_stream(chunks, passes=2)
    whole = Perceptron(shards=3, order="cyclic", max_iter=2).fit(X, y)
    assert found.coef_.tobytes() == whole.coef_.tobytes()
    once = Perceptron(shards=3).fit_stream(iter(chunks), classes=[0, 1, 2, 3], n_features=4)
    assert once.coef_.tobytes() == clone(whole).set_params(max_iter=1).fit(X, y).coef_.tobytes()
    assert once.outcome_ is Outcome.STREAM
    matrix = [(chunk, np.eye(4, dtype=int)[own]) for chunk, own in chunks]
    multilabel = Perceptron(shards=3).fit_stream(iter(matrix), n_features=4)
    assert multilabel.coef_.tobytes() == once.coef_.tobytes()


def test_weights_names_and_empty_chunks() -> None:
    X, y = _clouds(90)
    weights = np.arange(90) % 3 / 2.0
    frame = pd.DataFrame(X, columns=list("wxyz"))
    parts = [slice(0, 0), slice(0, 50), slice(50, 90)]
    by_class = {0: 2.0, 3: 0.5}
    found = Perceptron(shards=2, class_weight=by_class).fit_stream(
        [(frame[part], y[part], weights[part]) for part in parts], passes=3
    )
    whole = Perceptron(shards=2, class_weight=by_class, order="cyclic", max_iter=3)
    whole.fit(X, y, sample_weight=weights)
    assert found.coef_.tobytes() == whole.coef_.tobytes()
    assert found.feature_names_in_.tolist() == list("wxyz")
    assert found.progressive_.samples == 60


@pytest.mark.parametrize(
    ("chunks", "options", "sentence"),
    [
        ([], {}, "the stream has no samples"),
        (iter([([[1.0]], [0])]), {}, "shards=2 needs all classes from the beginning"),
        (iter([([[1.0]], [0])]), {"passes": 2}, "passes=2 needs chunks that can be iterated again"),
        ([([[1.0]], [0])], {}, "y has only one class, 0"),
        (
            [([[1.0]], [0]), ([[1.0]], [2])],
            {"classes": [0, 1]},
            "y contains 2, but the classes are",
        ),
        (
            iter([(sp.csr_array([[1.0]]), [0]), (sp.csr_array([[1.0, 2.0]]), [1])]),
            {"classes": [0, 1]},
            "features beyond the first 1, but these chunks .*: name all classes and give n_features",
        ),
        ([([[1.0]], [0]), ([[1.0, 2.0]], [1])], {"n_features": 1}, "the chunk has 2 features"),
        ([([[1.0], [2.0]], [0, 1], [0.0, 0.0])], {}, "sample_weight is zero everywhere"),
        ([[[1.0]]], {}, "a chunk is a list"),
        ([([[1.0], [2.0]], [0, 1])], {"passes": 0}, "passes=0 is not accepted"),
    ],
)
def test_unsupported_streams_are_rejected(chunks: Any, options: dict, sentence: str) -> None:
    p = Perceptron(shards=2)
    with pytest.raises(InputError, match=sentence):
        p.fit_stream(chunks, **options)
    assert not hasattr(p, "coef_")
