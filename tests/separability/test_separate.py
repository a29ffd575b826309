"""The results of `separate`: verdicts and their attributes, many classes, time limits."""

import math
import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from rosenblatt import Verdict, separate
from rosenblatt.core.types import MatrixLike
from separation_checks import ALSO_EXACT, BETWEEN, Options, Problem, X, is_proved, problems, y


def test_a_separable_result() -> None:
    s = separate(X, y)
    assert s.verdict is Verdict.SEPARABLE
    assert 0 < s.margin.lower <= s.margin.upper
    assert s.radius == pytest.approx(math.sqrt(35))
    assert s.mistake_bound == math.floor((s.radius / s.margin.lower) ** 2)
    assert ((X @ s.coef + s.intercept > 0) == (y == 1)).all()
    assert s.coef.shape == (2,)
    assert isinstance(s.intercept, float)
    assert s.support.dtype == np.int64
    assert set(s.support.tolist()) <= set(range(4))
    assert s.conflicts == ()
    assert s.history_[0].method == "perceptron"
    assert s.history_[-1].lower == pytest.approx(s.margin.lower)
    assert repr(s).startswith("<SEPARABLE: the maximum margin (augmented) is in [")


def test_an_inseparable_result() -> None:
    samples, classes = np.vstack([X, BETWEEN]), np.append(y, 0)
    s = separate(samples, classes)
    assert s.verdict is Verdict.INSEPARABLE
    assert s.margin == (0.0, 0.0)
    assert s.squared_margin == 0
    assert (s.mistake_bound, s.coef, s.intercept) == (None, None, None)
    assert s.support.tolist() == [2, 3, 4]
    assert s.certificate.combination == {2: 1, 3: 1, 4: 2}
    assert len(s.conflicts) == 1
    assert s.conflicts[0].rows == (2, 3, 4)
    assert s.conflicts[0].weights == (1, 1, 2)
    assert str(s.conflicts[0]) == (
        "row 4 with label 0 and rows 2 and 3 with label 1 overlap: row 4 is the same point as "
        "1/2·row 2 + 1/2·row 3"
    )
    assert repr(s) == f"<INSEPARABLE: {s.conflicts[0]}>"


def test_an_undecided_result(monkeypatch: pytest.MonkeyPatch) -> None:
    # Floats cannot prove inseparability: without integers the answer is open.
    monkeypatch.setattr(
        "rosenblatt.separability.decide._is_solvable", lambda *_args, **_options: False
    )
    samples, classes = np.vstack([X, BETWEEN]), np.append(y, 0)
    s = separate(samples, classes)
    assert s.verdict is Verdict.UNDECIDED
    assert s.margin.lower == 0.0
    assert 0.0 <= s.margin.upper < 1e-6
    assert (s.certificate, s.coef, s.intercept, s.mistake_bound) == (None, None, None, None)
    assert s.squared_margin is None
    assert s.conflicts == ()
    assert repr(s).startswith("<UNDECIDED: the maximum margin (augmented) is in [0, ")


def test_interval_only_narrows_over_the_history() -> None:
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(30_000, 60))
    s = separate(samples, (samples[:, 0] + 0.01 > 0).astype(int))
    assert len(s.history_) > 2
    for before, after in zip(s.history_, s.history_[1:], strict=False):
        assert before.lower <= after.lower <= after.upper <= before.upper
        assert before.seconds <= after.seconds


def test_the_affine_hyperplane_has_the_same_distance_from_both_classes() -> None:
    for exact in (False, True):
        s = separate(X, y, margin="affine", exact=exact)
        distances = (X @ s.coef + s.intercept) / np.linalg.norm(s.coef)
        assert distances[y == 1].min() == pytest.approx(-distances[y == 0].max())
        assert distances[y == 1].min() == pytest.approx(s.margin.upper)


def test_iris() -> None:
    data = load_iris()
    names = data.target_names[data.target]
    s = separate(data.data, names)
    assert s.classes.tolist() == ["setosa", "versicolor", "virginica"]
    verdicts = {name: one.verdict.name for name, one in s.by_class.items()}
    assert verdicts == {
        "setosa": "SEPARABLE",
        "versicolor": "INSEPARABLE",
        "virginica": "INSEPARABLE",
    }
    assert s.verdict is s.joint.verdict is Verdict.INSEPARABLE
    for one in [*s.by_class.values(), s.joint]:
        assert is_proved(one, data.data, names)
    assert "with other labels and" in str(s.by_class["versicolor"].conflicts[0])
    assert repr(s) == (
        "<jointly INSEPARABLE; per class {'setosa': SEPARABLE, 'versicolor': INSEPARABLE, "
        "'virginica': INSEPARABLE}>"
    )


@pytest.mark.parametrize("options", ALSO_EXACT, ids=str)
@pytest.mark.parametrize("kind", ["planted", "random", "tiny margin", "sparse", "three classes"])
def test_tiny_time_limit_still_gives_a_correct_interval(kind: str, options: Options) -> None:
    rng = np.random.default_rng(6)
    data: MatrixLike = rng.normal(size=(3000, 30)) + 0.5
    classes = rng.integers(0, 3 if kind == "three classes" else 2, 3000)
    if kind == "planted":
        classes = (data[:, 0] > 0.5).astype(int)
    if kind == "tiny margin":
        data[:, 0] = np.where(classes == 1, 1e-13, -1e-13)
    if kind == "sparse":
        data, classes = sp.csr_matrix(data[:300] * (data[:300] > 1)), classes[:300]
    results = separate(data, classes, time_limit=1e-9, **options)
    results = [*results.by_class.values(), results.joint] if kind == "three classes" else [results]
    for s in results:
        assert 0.0 <= s.margin.lower <= s.margin.upper
        if s.verdict is Verdict.UNDECIDED:
            assert s.certificate is None
            assert s.margin.lower == 0.0
        else:
            assert is_proved(s, data, classes)
    if kind in ("planted", "random", "tiny margin"):
        full = separate(data, classes, **{**options, "exact": False})
        assert results[0].margin.lower <= full.margin.upper
        assert full.margin.lower <= results[0].margin.upper
        assert results[0].verdict in (full.verdict, Verdict.UNDECIDED)


@given(problems(), st.sampled_from(ALSO_EXACT))
def test_a_tiny_time_limit_on_anything(problem: Problem, options: Options) -> None:
    s = separate(problem.X, problem.y, time_limit=1e-9, **options)
    full = separate(problem.X, problem.y, **options)
    assert s.verdict in (full.verdict, Verdict.UNDECIDED)
    assert s.margin.lower <= full.margin.upper
    assert full.margin.lower <= s.margin.upper
    if s.verdict is not Verdict.UNDECIDED:
        assert is_proved(s, problem.X, problem.y)


@pytest.mark.parametrize("margin", ["augmented", "affine"])
@pytest.mark.parametrize("kind", ["wide and sparse", "dense", "inseparable"])
def test_a_time_limit_is_kept(kind: str, margin: str) -> None:
    rng = np.random.default_rng(7)
    data: MatrixLike = rng.normal(size=(300, 200))
    classes = rng.integers(0, 2, 300)
    if kind == "wide and sparse":
        data = sp.random_array((1700, 1700), density=0.003, format="csr", rng=rng)
        classes = (data.sum(axis=1) > np.median(data.sum(axis=1))).astype(int)
    if kind == "inseparable":
        data, classes = rng.normal(size=(1500, 600)), rng.integers(0, 2, 1500)
    separate(data[:40], classes[:40], margin=margin)  # compiles
    separate(data, classes, margin=margin, time_limit=1e-3)
    started = time.perf_counter()
    limit = 0.02 if kind == "wide and sparse" else 0.2
    s = separate(data, classes, margin=margin, exact=True, time_limit=limit)
    assert time.perf_counter() - started < 4
    if s.verdict is not Verdict.UNDECIDED:
        assert is_proved(s, data, classes)
