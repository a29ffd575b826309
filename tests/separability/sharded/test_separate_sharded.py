"""Shards are decided about as one machine decides about all of their samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Digest, Separation, Separations, Verdict, separate
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike
from rosenblatt.separability.sharded import inquiry
from rosenblatt.separability.sharded import separate_sharded as driver
from rosenblatt.separability.sharded.claims import Chunk
from rosenblatt.separability.sharded.picked_rows import gathered
from rosenblatt.separability.sharded.separate_sharded import LocalShards, separate_sharded
from separation_checks import ALSO_EXACT, Options, is_closed, is_proved, problems
from shards_in_memory import Shard, dealt, local
from strategies import INTEGERS, MAGNITUDES, TENTHS, labels, matrices


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have shards send so few samples that there are many rounds, and take many for wide."""
    monkeypatch.setattr(inquiry, "WIDEST", 3)
    monkeypatch.setattr(driver, "_FIRST", 1)
    monkeypatch.setattr(driver, "_MOST", 1)


def over(
    shards: list[Shard], X: MatrixLike, y: np.ndarray, options: Options
) -> Separation | Separations:
    return separate_sharded(local(shards), np.unique(y), lambda: Digest.of(X, y), **options)


def check_alike(s: Separation, one: Separation, X: MatrixLike, y: np.ndarray) -> None:
    """Have a separation of shards say what one machine says, and prove it of all samples."""
    assert s.verdict is one.verdict
    assert s.scope == one.scope
    assert s.radius == one.radius
    assert is_proved(s, X, y)
    assert is_closed(s, 1e-6)
    assert s.margin.lower <= one.margin.upper
    assert one.margin.lower <= s.margin.upper
    if s.verdict is Verdict.SEPARABLE:
        assert s.mistake_bound <= one.mistake_bound * (1 + 1e-5) + 1
        codes = np.unique(y, return_inverse=True)[1]
        assert (s.coef is None) == (one.coef is None)
        assert s.support.max() < len(codes)


SCALED: list[Options] = [{"unit_length": True}, {"unit_length": True, "fit_intercept": False}]
OPTIONS: list[Options] = [*ALSO_EXACT, *SCALED]


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_two_classes(options: Options) -> None:
    @settings(max_examples=60)
    @given(problems(INTEGERS) | problems(TENTHS), st.booleans(), st.data())
    def check(problem: tuple[np.ndarray, np.ndarray], sparse: bool, data: st.DataObject) -> None:
        X, y = problem
        matrix = sp.csr_array(X) if sparse else X
        one = separate(matrix, y, **options)
        s = over(data.draw(dealt(matrix, y)), matrix, y, options)
        check_alike(s, one, X, y)
        if options.get("exact"):
            assert s.squared_margin == one.squared_margin

    check()


@pytest.mark.usefixtures("few_rows")
@settings(max_examples=60)
@given(
    matrices(INTEGERS, st.integers(3, 9), st.integers(1, 3)),
    st.sampled_from([{}, {"exact": True}, {"fit_intercept": False}]),
    st.data(),
)
def test_three_classes(X: np.ndarray, options: Options, data: st.DataObject) -> None:
    y = np.array(["a", "b", "c", *data.draw(labels(max(2, len(X) - 3), ["a", "b", "c"]))])[: len(X)]
    one, s = separate(X, y, **options), over(data.draw(dealt(X, y)), X, y, options)
    check_alike(s.joint, one.joint, X, y)
    assert list(s.by_class) == list(one.by_class) == ["a", "b", "c"]
    for label, found in s.by_class.items():
        check_alike(found, one.by_class[label], X, y)


@pytest.mark.usefixtures("few_rows")
@settings(max_examples=40)
@given(problems(MAGNITUDES), st.sampled_from(ALSO_EXACT), st.data())
def test_where_floats_lie(
    problem: tuple[np.ndarray, np.ndarray], options: Options, data: st.DataObject
) -> None:
    X, y = problem
    s, one = over(data.draw(dealt(X, y)), X, y, options), separate(X, y, **options)
    assert s.verdict is one.verdict
    assert is_proved(s, X, y)
    if options["exact"]:
        assert s.squared_margin == one.squared_margin


@settings(max_examples=30)
@given(problems(INTEGERS), st.sampled_from(OPTIONS), st.data())
def test_few_samples_give_the_document_of_one_machine(
    problem: tuple[np.ndarray, np.ndarray], options: Options, data: st.DataObject
) -> None:
    X, y = problem
    s, one = over(data.draw(dealt(X, y)), X, y, options), separate(X, y, **options)
    assert s.certificate.to_json() == one.certificate.to_json()
    assert s.conflicts == one.conflicts
    assert s.margin == one.margin
    assert s.support.tolist() == one.support.tolist()
    assert s.mistake_bound == one.mistake_bound


def _many(n: int, d: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(d)
    X, direction = rng.normal(size=(n, d)), rng.normal(size=d)
    y = (X @ direction > 0).astype(int)
    return X + np.outer(gap * (2 * y - 1), direction / np.linalg.norm(direction)), y


def _blocks(X: MatrixLike, y: np.ndarray, n_shards: int) -> list[Shard]:
    blocks = np.array_split(np.arange(len(y)), 7 * n_shards)
    return [
        [Chunk(X[rows], y[rows], rows) for rows in blocks[k::n_shards]] for k in range(n_shards)
    ]


@pytest.mark.parametrize("options", [{}, {"margin": "affine"}, {"unit_length": True}], ids=str)
def test_many_samples_in_a_few_rounds(options: Options) -> None:
    X, y = _many(30_000, 8, 0.05)
    s, one = over(_blocks(X, y, 3), X, y, options), separate(X, y, **options)
    check_alike(s, one, X, y)
    assert 1 <= len(s.history_) <= 12
    assert max(found.vectors for found in s.history_) < 20_000
    # How a shard is cut into chunks changes nothing.
    whole = [[gathered(shard)] for shard in _blocks(X, y, 3)]
    assert over(whole, X, y, options).certificate == s.certificate


def test_many_samples_that_one_sample_makes_inseparable() -> None:
    X, y = _many(20_000, 5, 0.5)
    X[17_003] = X[y == 0][77]
    y[17_003] = 1
    s = over(_blocks(X, y, 4), X, y, {})
    assert s.verdict is Verdict.INSEPARABLE
    assert is_proved(s, X, y)
    assert 17_003 in s.conflicts[0].rows


def test_a_zero_sample_lies_on_every_hyperplane_through_the_origin() -> None:
    X, y = _many(12_000, 4, 0.5)
    X[[9_001, 11_000]] = 0.0
    s = over(_blocks(X, y, 2), X, y, {"fit_intercept": False})
    one = separate(X, y, fit_intercept=False)
    assert [conflict.rows for conflict in s.conflicts] == [(9_001,), (11_000,)]
    assert s.certificate == one.certificate


def test_a_tiny_margin_is_found_in_whole_numbers() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(9_000, 3)), rng.integers(0, 2, 9_000)
    X[:, 0] = np.where(y == 1, 1e-13, -1e-13) * rng.uniform(1, 3, len(X))
    s = over(_blocks(X, y, 2), X, y, {"fit_intercept": False})
    assert s.verdict is Verdict.SEPARABLE
    assert is_proved(s, X, y)
    assert is_closed(s, 1e-6)


def test_time_that_is_up_leaves_what_is_proved() -> None:
    X, y = _many(30_000, 8, 0.05)
    s = over(_blocks(X, y, 2), X, y, {"time_limit": 1e-9})
    assert len(s.history_) <= 1
    assert s.verdict is not Verdict.INSEPARABLE
    if s.verdict is Verdict.SEPARABLE:
        assert is_proved(s, X, y)
    else:
        assert s.certificate is None
        assert s.margin.lower == 0.0


def test_what_cannot_be_asked_is_refused() -> None:
    X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    shards, digest = local([[Chunk(X, y, np.arange(2))], []]), lambda: Digest.of(X, y)
    with pytest.raises(InputError, match="needs fit_intercept=True"):
        separate_sharded(shards, y, digest, margin="affine", fit_intercept=False)
    with pytest.raises(InputError, match="y has one class only"):
        separate_sharded(shards, y[:1], digest)
    with pytest.raises(InputError, match="classes has 7, which no sample has"):
        separate_sharded(shards, np.array([0, 1, 7]), digest)
    with pytest.raises(InputError, match="no samples"):
        separate_sharded(LocalShards([list]), y, digest)
    bad = local([[Chunk(np.array([[np.inf]]), np.array([0]), np.array([12]))]])
    with pytest.raises(InputError, match="row 12 of X contains NaN or infinity"):
        separate_sharded(bad, y, digest)
