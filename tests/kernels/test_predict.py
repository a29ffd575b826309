"""Fast decisions equal exact ones with every method, storage format and number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import naive
from rosenblatt import InputError
from rosenblatt.kernels import predict as decisions
from rosenblatt.kernels.argmax import prepare
from rosenblatt.kernels.decisions import choose_highest
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.predict import choose, measure
from rosenblatt.kernels.rows import Rows, as_rows, unchecked_rows

STORAGE = {
    "dense": lambda X: X,
    "csr": sp.csr_array,
    "dense32": lambda X: X.astype(np.float32),
    "csr32": lambda X: sp.csr_array(X.astype(np.float32)),
}
storage = pytest.mark.parametrize("kind", STORAGE)

PLAIN = [0.0, 0.0, 1.0, -1.0, 0.1, 0.3, -0.7, 3.0]
FLOAT32_ENDS = [0.0, 1.0, -1.0, 1e-45, -1e-40, 1.2e-38, 1e-20, 1e18, -3e19, 1e31, 3e38]
FLOAT64_ENDS = [0.0, 1.0, -1.0, 1e-100, -1e-300, 5e-324, 1e16, 1e40, 1e100, -1e140]


@pytest.fixture
def low_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use blocks, threads and a shadow even for the smallest data."""
    monkeypatch.setattr(decisions, "_ROWS_FOR_A_SHADOW", 0)
    monkeypatch.setattr(decisions, "_NUMBERS_FOR_A_THREAD", 1)
    monkeypatch.setattr(decisions, "_NUMBERS_FOR_BLAS", 100)


some = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
with_low_thresholds = pytest.mark.usefixtures("low_thresholds")


def _exact(X: np.ndarray, panel: np.ndarray, tie: int) -> list[int]:
    """Return the classes according to rational arithmetic."""
    chosen = []
    for row in naive.extended(X, 1.0):
        scores = [naive.exact_dot(row, weights) for weights in panel]
        if len(panel) == 1:
            chosen.append(int((naive.sign(scores[0]) or (1 if tie >= 0 else -1)) > 0))
        else:
            chosen.append(scores.index(max(scores)))
    return chosen


@st.composite
def contests(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Samples and weight vectors, many of which are equal or differ by an ulp here and there."""
    numbers = st.sampled_from(draw(st.sampled_from([PLAIN, FLOAT32_ENDS, FLOAT64_ENDS])))
    n_features = draw(st.integers(1, 6))
    n_samples = draw(st.integers(0, 9))
    n_halfspaces = draw(st.sampled_from([1, 2, 3, 5, 10, 16, 17, 40]))
    cells = st.lists(numbers, min_size=n_features, max_size=n_features)
    X = np.array(draw(st.lists(cells, min_size=n_samples, max_size=n_samples)))
    weights = st.lists(numbers, min_size=n_features + 1, max_size=n_features + 1)
    some = np.array(draw(st.lists(weights, min_size=1, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    panel = some[rng.integers(0, len(some), size=n_halfspaces)]
    nudged = rng.random(panel.shape) < draw(st.sampled_from([0.0, 0.05, 0.5]))
    panel[nudged] = np.nextafter(panel[nudged], rng.choice([-np.inf, np.inf]))
    return X.reshape(n_samples, n_features), panel


def _highest(rows: Rows, panel: np.ndarray, out: np.ndarray) -> int:
    return choose_highest(rows, panel, out, np.zeros(len(panel), dtype=bool), new_digits())


@with_low_thresholds
@storage
@some
@given(contest=contests(), tie=st.sampled_from([-1, 0, 1]), n_jobs=st.integers(1, 3))
@example(contest=(np.zeros((3, 2)), np.zeros((17, 3))), tie=0, n_jobs=1)
def test_every_method_decides_exactly(
    kind: str, contest: tuple[np.ndarray, np.ndarray], tie: int, n_jobs: int
) -> None:
    X, panel = contest
    if kind.endswith("32"):
        X = np.clip(X, -3e38, 3e38).astype(np.float32).astype(np.float64)
    chosen, stuck_at = choose(as_rows(STORAGE[kind](X), 1.0), panel, tie, n_jobs)
    assert stuck_at == -1
    assert chosen.tolist() == _exact(X, panel, tie)


def _random(kind: str, n_samples: int, n_features: int, seed: int) -> tuple[Rows, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, size=(n_samples, n_features)) / 10
    X[rng.random(X.shape) < 0.5] = 0.0
    X[::7] = 0.0
    return as_rows(STORAGE[kind](X), 1.0), X


@with_low_thresholds
@storage
@pytest.mark.parametrize("n_halfspaces", [2, 3, 4, 5, 10, 16, 17, 40, 130])
def test_many_samples_are_decided_like_single_ones(kind: str, n_halfspaces: int) -> None:
    rows, _ = _random(kind, 211, 300, n_halfspaces)
    rng = np.random.default_rng(0)
    panel = rng.integers(-3, 4, size=(n_halfspaces, 301)) / 10
    panel[-1] = panel[0]
    panel[:-1:2] = panel[0]
    panel[:-1] += rng.choice([1e-9, 1e-7], size=(n_halfspaces - 1, 1)) * rng.standard_normal(301)
    exact = np.empty(211, dtype=np.int64)
    for scale in (1.0, 1e-200, 1e200):
        assert _highest(rows, scale * panel, exact) == -1
        for n_jobs in (1, 2, 3):
            chosen, stuck_at = choose(rows, scale * panel, 0, n_jobs)
            assert stuck_at == -1
            assert chosen.tolist() == exact.tolist()


@storage
def test_float32_decides_almost_all_samples(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # With wrong weights for the exact decision, the result shows which one was used.
    rows, _ = _random(kind, 200, 300, 0)
    panel = np.random.default_rng(1).standard_normal((10, 301))
    expected, _ = choose(rows, panel, 0, 1)
    monkeypatch.setattr(
        decisions, "prepare", lambda rows, panel: prepare(rows, panel)._replace(panel=-panel)
    )
    assert (choose(rows, panel, 0, 1)[0] == expected).mean() > 0.98


@with_low_thresholds
@storage
@pytest.mark.parametrize("n_halfspaces", [1, 3, 40])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_first_sample_that_is_not_finite_is_returned(
    kind: str, n_halfspaces: int, bad: float
) -> None:
    X = np.ones((100, 6))
    X[[61, 62, 90], [4, 1, 2]] = bad
    panel = np.random.default_rng(0).standard_normal((n_halfspaces, 7))
    for n_jobs in (1, 3):
        assert choose(as_rows(STORAGE[kind](X), 1.0), panel, 0, n_jobs)[1] == 61


@with_low_thresholds
@storage
@pytest.mark.parametrize("n_halfspaces", [1, 3, 40])
def test_score_beyond_float64_is_not_finite(kind: str, n_halfspaces: int) -> None:
    X = np.ones((9, 2))
    X[5:] = 1e30
    panel = np.full((n_halfspaces, 3), 1e300)
    panel[0] /= 2
    assert choose(as_rows(STORAGE[kind](X), 1.0), panel, 0, 1)[1] == 5


@pytest.mark.parametrize("n_halfspaces", [1, 3, 40])
def test_columns_without_weights_are_not_read(n_halfspaces: int) -> None:
    X = sp.csr_array(np.ones((50, 6)))
    assert X.has_canonical_format  # SciPy caches this flag
    X.indices[6 * 33 + 4] = 1_000_000_000
    with pytest.raises(InputError, match="row 33 refers to column 1000000000"):
        choose(unchecked_rows(X, 1.0), np.ones((n_halfspaces, 7)), 0, 2)


@with_low_thresholds
@pytest.mark.parametrize("n_halfspaces", [1, 5, 17])
def test_indices_may_have_any_width_and_order(n_halfspaces: int) -> None:
    rows, X = _random("csr", 60, 50, 1)
    panel = np.random.default_rng(0).standard_normal((n_halfspaces, 51))
    expected = _exact(X[:10], panel, 0)
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    backwards = sp.csr_array(X[:, ::-1])
    backwards.indices = 49 - backwards.indices
    backwards.has_canonical_format = False
    for matrix in (sp.csr_array(X), wide, backwards):
        chosen, _ = choose(unchecked_rows(matrix, 1.0), panel, 0, 2)
        assert chosen[:10].tolist() == expected
        assert chosen.tolist() == choose(rows, panel, 0, 1)[0].tolist()


@with_low_thresholds
@storage
@pytest.mark.parametrize("n_halfspaces", [1, 3, 17])
def test_measured_scores_equal_the_sums(kind: str, n_halfspaces: int) -> None:
    rows, X = _random(kind, 60, 50, 2)
    for scale in (1.0, 1e-300, 1e300):
        panel = scale * np.random.default_rng(0).standard_normal((n_halfspaces, 51))
        scores = measure(rows, panel, 2)
        assert scores.dtype == np.float64
        expected = naive.extended(X, 1.0) @ panel.T
        assert np.abs(scores - expected).max() <= 1e-4 * scale


@storage
def test_scores_beyond_float32_are_measured(kind: str) -> None:
    X = np.full((3, 5), 3e38)
    scores = measure(as_rows(STORAGE[kind](X), 1.0), np.full((2, 6), 10.0), 1)
    assert scores == pytest.approx(np.full((3, 2), 1.5e40))
