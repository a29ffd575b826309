"""One sample at a time: dicts of names, vectors and sparse rows, with the bits of `fit`."""

import copy
import pickle
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction import DictVectorizer

import naive
from model_files import saved_with
from rosenblatt import InputError, MaxMargin, Perceptron, load, save
from strategies import labels, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAMES = ["f", "b", "a", "d", "e", "c"]


@st.composite
def dicts(draw: st.DrawFn, X: np.ndarray) -> list[dict[str, Any]]:
    """Return the rows of X as dicts, each in its own order, with or without zeros."""
    found = []
    for row in X.tolist():
        order = draw(st.permutations(range(len(row))))
        zeros = draw(st.booleans())
        found.append({NAMES[j]: row[j] for j in order if row[j] or zeros})
    return found


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[dict[str, Any]], np.ndarray, np.ndarray, dict]:
    X = draw(samples())
    y = draw(labels(len(X), draw(st.sampled_from([[0, 1], ["rock", "mine"], list("dbac")]))))
    weight = draw(st.lists(st.sampled_from([1.0, 0.3, 0.0]), min_size=len(X), max_size=len(X)))
    weight[0] = 1.0
    parameters = draw(
        st.fixed_dictionaries(
            {
                "fit_intercept": st.booleans(),
                "eta0": st.sampled_from([1.0, 0.1]),
                "ties": st.sampled_from(["mistake", "positive", "negative"]),
                "keep": st.sampled_from(["last", "average"]),
            }
        )
    )
    if draw(st.booleans()):
        parameters["class_weight"] = {
            label: draw(st.sampled_from([1.0, 2.0, 0.3])) for label in np.unique(y).tolist()
        }
    return draw(dicts(X)), y, np.array(weight), parameters


def as_matrix(xs: list[dict[str, Any]]) -> sp.csr_matrix:
    """Return a matrix with one column per name, in order of appearance."""
    return DictVectorizer(sort=False).fit_transform(xs)


def learned(p: Perceptron) -> tuple:
    return p.classes_.tolist(), p.n_mistakes_, p.coef_.tobytes(), p.intercept_.tobytes()


def learn(p: Any, xs: list, y: Any, weight: Any = None) -> Any:
    for i, (x, label) in enumerate(zip(xs, y, strict=True)):
        p.learn_one(x, label, sample_weight=None if weight is None else weight[i])
    return p


@given(streams())
def test_dicts_rows_chunks_and_batches_give_the_same_bits(stream: tuple) -> None:
    xs, y, weight, parameters = stream
    X = as_matrix(xs)
    if X.shape[1] == 0:
        return
    named = learn(Perceptron(**parameters), xs, y.tolist(), weight.tolist())
    assert named.n_features_in_ == X.shape[1]
    assert named.feature_names_in_.tolist() == list({name: 0 for x in xs for name in x})
    for rows in (list(X), list(X.toarray()), list(X.toarray().astype(np.float64)[:, None])):
        assert learned(learn(Perceptron(**parameters), rows, y, weight)) == learned(named)
    chunked = Perceptron(**parameters)
    for i in range(len(y)):
        chunked.partial_fit(X[i], y[[i]], sample_weight=weight[[i]])
    assert learned(chunked) == learned(named)
    whole = Perceptron(**parameters).partial_fit(X.toarray(), y, sample_weight=weight)
    assert learned(whole) == learned(named)
    assert chunked.history_[-1].norm == pytest.approx(whole.history_[-1].norm, rel=1e-12)
    seen = weight * [parameters.get("class_weight", {}).get(label, 1.0) for label in y.tolist()]
    if len(np.unique(y[seen > 0])) == len(np.unique(y)):
        batch = Perceptron(order="cyclic", max_iter=1, **parameters).fit(X, y, sample_weight=weight)
        assert learned(batch) == learned(named)
        assert batch.predict(X).tolist() == [named.predict_one(x) for x in xs]
        assert batch.predict(X).tolist() == [chunked.predict_one(x) for x in X]
        assert batch.predict(X).tolist() == [chunked.predict_one(x) for x in X.toarray()]


@given(streams())
def test_dicts_learn_what_the_slow_twin_learns(stream: tuple) -> None:
    xs, y, weight, parameters = stream
    constant = 1.0 if parameters["fit_intercept"] else 0.0
    tie = {"mistake": 0, "positive": 1, "negative": -1}[parameters["ties"]]
    X = as_matrix(xs).toarray()
    classes = np.unique(y)
    if X.shape[1] == 0 or len(classes) != 2:
        return
    signs = np.where(y == classes[1], 1, -1) * (weight > 0)
    p = learn(
        Perceptron(keep="last", fit_intercept=constant == 1.0, ties=parameters["ties"]),
        xs,
        y,
        weight,
    )
    w, mistakes = naive.learn(X, signs, range(len(y)), constant=constant, tie=tie, steps=weight)
    assert np.append(p.coef_[0], p.intercept_[0]).tolist() == w.tolist()
    assert p.n_mistakes_ == len(mistakes)


@given(st.data())
def test_stream_of_dicts_continues_from_a_file_and_a_copy(data: st.DataObject) -> None:
    xs, y, weight, parameters = data.draw(streams())
    cut = data.draw(st.integers(1, len(xs) - 1))
    whole = learn(Perceptron(**parameters), xs, y, weight)
    first = learn(Perceptron(**parameters), xs[:cut], y[:cut], weight[:cut])
    before = learned(first)
    copies = [copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(first))]
    for other in copies:
        assert learned(learn(other, xs[cut:], y[cut:], weight[cut:])) == learned(whole)
        assert learned(first) == before
    assert learned(learn(first, xs[cut:], y[cut:], weight[cut:])) == learned(whole)
    assert [learned(other) for other in copies] == [learned(whole)] * 3
    assert not hasattr(clone(first), "classes_")


@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("names", [["x", "y", "z"], [7, (1, "a"), None], [1.5, "b", True]])
def test_file_keeps_the_names(tmp_path: Path, names: list, keep: str) -> None:
    xs = [{names[0]: 1.0}, {names[1]: 2.0, names[0]: -1.0}, {names[2]: 0.5, names[1]: 1.0}]
    p = learn(Perceptron(keep=keep), xs[:2], ["a", "b"])
    save(p, tmp_path / "model")
    q = load(tmp_path / "model")
    for model in (p, q):
        learn(model, [*xs, *xs[::-1]], ["c", "a", "b", "b", "c", "a"])
    assert learned(q) == learned(p)
    for k, name in enumerate(names):
        alone = [model.predict_one({name: 1.0}) for model in (p, q)]
        assert alone[0] == alone[1] == p.classes_[np.argmax(p.coef_[:, k] + p.intercept_)]
    assert hasattr(q, "feature_names_in_") == (names[0] == "x")


def test_file_with_inconsistent_names_is_rejected(tmp_path: Path) -> None:
    def change(document: dict, _tensors: dict) -> None:
        document["learned"]["learned"]["features"]["features"]["columns"] = {"dict": [["a", 1]]}

    saved_with(Perceptron().learn_one({"a": 1.0}, 1), tmp_path / "model", change)
    with pytest.raises(InputError, match="names of the features do not fit"):
        load(tmp_path / "model")


def test_names_in_order_of_appearance() -> None:
    p = (
        Perceptron(keep="last")
        .learn_one({"b": 1.0, "a": 2.0}, 1)
        .learn_one({"c": 5, "b": np.int8(1)}, 0)
    )
    assert p.feature_names_in_.tolist() == ["b", "a", "c"]
    assert p.n_features_in_ == 3
    assert p.coef_.tolist() == [[0.0, 2.0, -5.0]]
    assert p.predict_one({"d": 9.0, "a": 1.0}) == 1
    assert p.predict_one({}) == 1
    assert p.n_features_in_ == 3
    assert p.learn_one({}, 0).predict_one({}) == 0
    p.learn_one({5: 1.0}, 0)
    assert not hasattr(p, "feature_names_in_")
    assert p.n_features_in_ == 4
    assert p.learn_one(OrderedDict(b=1.0), 0).predict_one(OrderedDict(b=1.0)) == 0


def test_many_names_one_by_one() -> None:
    p, rng = Perceptron(), np.random.default_rng(0)
    xs = [{f"n{j}": 1.0 for j in rng.integers(0, 3 * i + 1, 5)} for i in range(300)]
    y = rng.integers(0, 3, 300)
    learn(p, xs, y)
    assert learned(p) == learned(Perceptron(order="cyclic", max_iter=1).fit(as_matrix(xs), y))
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(as_matrix(xs).toarray(), columns=p.feature_names_in_)
    assert p.predict(frame).tolist() == [p.predict_one(x) for x in xs]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"a": np.nan}, "the feature 'a' of the sample is nan: give a finite real number"),
        ({"a": 1.0, "new": np.inf}, "the feature 'new' of the sample is inf"),
        ({"a": "1.5"}, "the feature 'a' of the sample is '1.5'"),
        ({"a": None}, "the feature 'a' of the sample is None"),
        ({"a": 1j}, "the feature 'a' of the sample is 1j"),
        ({"a": 10**400}, "the feature 'a' of the sample is 1000"),
        ({"a": 1e200, "new": 1.0}, "well below 1e130"),
    ],
)
def test_invalid_dict_changes_nothing(x: dict, message: str) -> None:
    p = Perceptron(keep="average").learn_one({"a": 1.0, "b": 2.0}, 1).learn_one({"b": 3.0}, 0)
    before, names = learned(p), p.feature_names_in_.tolist()
    for label in (1, 2):
        with pytest.raises(InputError, match=message):
            p.learn_one(x, label)
        assert (learned(p), p.feature_names_in_.tolist(), p.n_features_in_) == (before, names, 2)
    if "1e130" not in message and "new" not in x:
        with pytest.raises(InputError, match=message):
            p.predict_one(x)
    p.learn_one({"c": 1.0}, 2)
    twin = Perceptron(keep="average").learn_one({"a": 1.0, "b": 2.0}, 1).learn_one({"b": 3.0}, 0)
    assert learned(twin.learn_one({"c": 1.0}, 2)) == learned(p)


def test_invalid_first_dict_leaves_no_state() -> None:
    p = Perceptron()
    for x, y in (({"a": np.nan}, 1), ({"a": 1.0}, None), ({"a": 1e200}, 1)):
        with pytest.raises(InputError):
            p.learn_one(x, y)
        assert not hasattr(p, "classes_")
        assert not hasattr(p, "n_features_in_")
    with pytest.raises(InputError, match="class_weight='balanced' needs the whole data"):
        Perceptron(class_weight="balanced").learn_one({"a": 1.0}, 1)


def test_dicts_and_rows_do_not_mix() -> None:
    named = Perceptron().learn_one({"a": 1.0}, 1)
    for use in (
        lambda: named.learn_one([1.0], 0),
        lambda: named.learn_one(np.ones(1), 0),
        lambda: named.learn_one(sp.csr_array([[1.0]]), 0),
        lambda: named.predict_one(np.ones(1)),
        lambda: named.partial_fit([[1.0]], [0]),
    ):
        with pytest.raises(InputError, match="Perceptron has learned from dicts of names"):
            use()
    plain = Perceptron().learn_one([1.0], 1)
    for use in (lambda: plain.learn_one({"a": 1.0}, 0), lambda: plain.predict_one({"a": 1.0})):
        with pytest.raises(InputError, match="learned from samples of 1 features without names"):
            use()
    assert named.fit([[1.0], [-1.0]], [1, 0]).learn_one([3.0], 1).predict_one([1.0]) == 1
    assert not hasattr(named, "_columns")


def test_data_frames_and_dicts_share_names() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, -1.0], "b": [0.5, 2.0]})
    p = Perceptron().fit(frame, [1, 0])
    assert p.predict_one({"b": 0.0, "a": 1.0, "c": 5.0}) == 1
    assert p.learn_one(np.array([1.0, 1.0]), 1).predict_one([1.0, 0.0]) == 1
    p.learn_one({"b": 1.0, "a": -2.0}, 1).learn_one({"c": 1.0}, 0)
    assert p.feature_names_in_.tolist() == ["a", "b", "c"]
    assert p.predict(frame.assign(c=0.0)).shape == (2,)
    p.partial_fit(frame.assign(c=1.0), [1, 0]).learn_one({"c": 2.0}, 1)
    assert p.coef_.shape == (1, 3)
    largest = MaxMargin().fit(frame, [1, 0])
    assert [largest.predict_one(x) for x in frame.to_dict("records")] == [1, 0]


def test_changed_parameter_takes_effect() -> None:
    p = (
        Perceptron(keep="last", class_weight={0: 1.0, 1: 1.0})
        .learn_one({"a": 1.0}, 1)
        .learn_one({"a": 1.0}, 0)
    )
    q = copy.deepcopy(p)
    p.class_weight[1] = 4.0
    q.set_params(class_weight={0: 1.0, 1: 4.0})
    for model in (p, q):
        model.learn_one({"a": 1.0}, 1)
    assert p.coef_.tolist() == q.coef_.tolist() == [[4.0]]
    with pytest.raises(InputError, match="eta0"):
        p.set_params(eta0=-1.0).learn_one({"a": 1.0}, 1)
    p.eta0 = 0.5
    assert p.learn_one({"a": 100.0}, 0).coef_.tolist() == [[-46.0]]
    p.ties = "bogus"
    with pytest.raises(InputError, match="ties='bogus'"):
        p.predict_one({"a": 1.0})


def test_returned_arrays_do_not_change() -> None:
    p = Perceptron().learn_one([1.0, 2.0], 1).learn_one([1.0, 0.0], 0)
    shallow, coef = copy.copy(p), p.coef_
    kept = coef.copy(), learned(shallow)
    p.learn_one(np.array([5.0, -3.0]), 1).partial_fit(np.array([[1.0, 5.0]]), [0])
    assert learned(p) != kept[1]
    assert (coef == kept[0]).all()
    assert learned(shallow) == kept[1]


@pytest.mark.parametrize("store", [np.array, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("n", [1, 3])
def test_rows_that_are_not_plain_are_validated(store: Any, n: int) -> None:
    X, y = np.eye(3)[:n], [0, 1, 0][:n]
    p = Perceptron().partial_fit(np.eye(3), [0, 1, 0])
    before = learned(p)
    with pytest.raises(ValueError, match="NaN"):
        p.partial_fit(store(np.full((n, 3), np.nan)), y)
    with pytest.raises(ValueError, match="2 features, but Perceptron is expecting 3"):
        p.partial_fit(store(X[:, :2]), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        p.partial_fit(store(X), [*y, 0])
    with pytest.raises(InputError, match="sample_weight"):
        p.partial_fit(store(X), y, sample_weight=-1.0)
    with pytest.raises(InputError, match="well below 1e150"):
        p.partial_fit(store(X * 1e200), [2] * n)
    assert learned(p) == before
    huge = Perceptron().partial_fit(store(X * 1e140), y, classes=[0, 1])
    again = Perceptron(max_iter=1).partial_fit(np.tile(X * 1e140, (40, 1))[:n], y, classes=[0, 1])
    assert learned(huge) == learned(again)


def test_sparse_row_with_a_repeated_or_missing_column() -> None:
    p = Perceptron().partial_fit(np.eye(3), [0, 1, 0])
    twice = sp.csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))
    q = copy.deepcopy(p)
    p.partial_fit(twice, [0]).learn_one(twice, 0)
    plain = np.array([[0.0, 3.0, 0.0]])
    assert learned(q.partial_fit(plain, [0]).learn_one(plain[0], 0)) == learned(p)
    assert p.predict_one(twice) == p.predict_one(plain[0])
    missing = sp.csr_array((np.array([1.0]), np.array([7]), np.array([0, 1])), shape=(1, 3))
    for use in (lambda: p.learn_one(missing, 0), lambda: p.predict_one(missing)):
        with pytest.raises(InputError, match="row 0 refers to column 7, but it has 3"):
            use()


@pytest.mark.parametrize("form", [sp.dok_matrix, sp.dok_array])
def test_scipy_dict_of_keys_is_a_row(form: Any) -> None:
    p, q = Perceptron(), Perceptron()
    for x, y in ((np.array([[0.0, 3.0]]), 1), (np.array([[1.0, 2.0]]), 0)):
        p.learn_one(form(x), y)
        q.learn_one(x[0], y)
        assert p.predict_one(form(x)) == q.predict_one(x[0])
    assert learned(p) == learned(q)


def interrupted(step: int, learn_one: Any, *sample: Any) -> bool:
    """Interrupt ``learn_one`` before the given line; return whether that line was reached."""
    left = step

    def interrupt(frame: Any, event: str, _argument: Any) -> Any:
        nonlocal left
        if event == "line" and "rosenblatt/estimators" in frame.f_code.co_filename:
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return interrupt

    sys.settrace(interrupt)
    try:
        learn_one(*sample)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


@pytest.mark.parametrize("sample", [({"c": 1.0, "a": 3.0}, 0), ({"c": 1.0}, 2), ({"a": 3.0}, 0)])
def test_interruption_is_before_or_after_a_sample(sample: tuple) -> None:
    def state(p: Perceptron) -> tuple:
        return learned(p), p.n_features_in_, list(p.feature_names_in_)

    start = learn(Perceptron(keep="average"), [{"a": 1.0}, {"b": 2.0}], [1, 0])
    after = copy.deepcopy(start).learn_one(*sample)
    step = 0
    while True:
        step += 1
        p = copy.deepcopy(start).learn_one({"a": 0.0}, 1, sample_weight=0.0)
        if not interrupted(step, p.learn_one, *sample):
            break
        assert state(p) in (state(start), state(after)), step
        if state(p) == state(start):
            p.learn_one(*sample)
        assert learned(p) == learned(after), step
    assert step > 8
