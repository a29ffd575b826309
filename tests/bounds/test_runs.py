"""Bounds of fitted runs: coverage on fresh draws, where every risk has a closed form, and errors.

Samples are drawn from an isotropic normal distribution and labeled by a direction u, a part p of the
labels turned round: weights at an angle a to u then have the risk p + (1 - 2p)·a/π.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from rosenblatt import InputError, Outcome, Perceptron, bounds, load, save
from strategies import labels, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RUNS = 200
FEATURES = 4


class Draw(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    noise: float


def _draw(rng: np.random.Generator, n: int, noise: float, features: int = FEATURES) -> Draw:
    X = rng.normal(size=(n, features))
    return Draw(X, (X[:, 0] > 0) ^ (rng.random(n) < noise), noise)


def _risk(weights: np.ndarray, noise: float) -> float:
    if not weights.any():
        return 1.0  # every score is 0, a mistake for both labels
    angle = np.arccos(np.clip(weights[0] / np.linalg.norm(weights), -1, 1))
    return float(noise + (1 - 2 * noise) * angle / np.pi)


def _mean_risk(draw: Draw, sequence: np.ndarray) -> float:
    """Return the mean risk of the hypotheses before each visit, given the samples of the mistakes."""
    weights = np.zeros(draw.X.shape[1])
    total, since = 0.0, 0
    for i in sequence:
        total += (i + 1 - since) * _risk(weights, draw.noise)
        weights = weights + (1 if draw.y[i] else -1) * draw.X[i]
        since = i + 1
    return (total + (len(draw.X) - since) * _risk(weights, draw.noise)) / len(draw.X)


def _allowed(delta: float, runs: int = RUNS) -> int:
    """Return a number of failures that a true 1 - delta exceeds once in a million times."""
    return int(binom.ppf(1 - 1e-6, runs, delta))


class Pass(NamedTuple):
    draw: Draw
    run: Perceptron
    mean_risk: float


@cache
def _passes(noise: float) -> list[Pass]:
    rng = np.random.default_rng(int(100 * noise))
    passes = []
    for _ in range(RUNS):
        draw = _draw(rng, 120, noise)
        run = Perceptron(order="cyclic", fit_intercept=False, max_iter=1, record=True).fit(
            draw.X, draw.y
        )
        passes.append(Pass(draw, run, _mean_risk(draw, run.ledger_.sequences[0])))
    return passes


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("delta", [0.05, 0.4])
@pytest.mark.parametrize("form", ["kl", "azuma"])
def test_coverage_of_the_bounds_for_one_pass(noise: float, delta: float, form: str) -> None:
    failures = sum(
        risk > bounds.online_risk(run, delta, form=form) for _, run, risk in _passes(noise)
    )
    assert failures <= _allowed(delta)


def test_the_estimate_alone_is_no_bound() -> None:
    # So these draws can distinguish a bound that fails from one that holds.
    failures = sum(risk > bounds.estimated_risk(run) for _, run, risk in _passes(0.5))
    assert failures > _allowed(0.05)


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.5])
def test_the_estimate_is_right_on_average(noise: float) -> None:
    gaps = [bounds.estimated_risk(run) - risk for _, run, risk in _passes(noise)]
    assert abs(np.mean(gaps)) < 5 * np.std(gaps) / np.sqrt(RUNS)


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("delta", [0.05, 0.4])
def test_coverage_of_the_vote(noise: float, delta: float) -> None:
    fresh = _draw(np.random.default_rng(1), 1000, noise)
    failures = 0
    for draw, run, _ in _passes(noise)[:50]:
        steps = np.zeros((len(draw.X), FEATURES))
        wrong = run.ledger_.sequences[0]
        steps[wrong] = np.where(draw.y[wrong], 1, -1)[:, None] * draw.X[wrong]
        panel = np.vstack([np.zeros(FEATURES), np.cumsum(steps, axis=0)[:-1]])
        votes = np.sign(fresh.X @ panel.T).sum(axis=1)
        risk = np.mean(votes * np.where(fresh.y, 1, -1) <= 0)
        bound = bounds.online_risk(run, delta, vote=True)
        assert bound <= 2 * bounds.online_risk(run, delta)
        failures += risk > bound + 0.05  # the risk is measured here
    assert failures <= _allowed(delta, 50)


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("delta", [0.05, 0.4])
def test_coverage_of_the_selected_hypothesis(noise: float, delta: float) -> None:
    failures = 0
    for draw, run, _ in _passes(noise)[:100]:
        best = bounds.select_hypothesis(run, draw.X, draw.y, delta)
        assert best.intercept == 0.0
        failures += _risk(best.coef, noise) > best.risk
    assert failures <= _allowed(delta, 100)


@pytest.mark.parametrize("delta", [0.05, 0.6])
def test_coverage_of_the_compression_bound(delta: float) -> None:
    rng = np.random.default_rng(2)
    failures, least = 0, 1.0
    for _ in range(RUNS):
        draw = _draw(rng, 80, 0.0, features=2)
        run = Perceptron(order="cyclic", fit_intercept=False, max_iter=100_000).fit(draw.X, draw.y)
        bound = bounds.compression_risk(run, delta)
        least = min(least, bound)
        failures += _risk(run.coef_[0], 0.0) > bound
    assert failures <= _allowed(delta)
    assert least < 0.3


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_coverage_of_the_held_out_bound(delta: float) -> None:
    rng = np.random.default_rng(3)
    failures = 0
    for _ in range(RUNS):
        weights = rng.normal(size=FEATURES)
        fresh = _draw(rng, 60, 0.1)
        errors = int(np.count_nonzero((fresh.X @ weights > 0) != fresh.y))
        failures += _risk(weights, 0.1) > bounds.held_out_risk_bound(errors, 60, delta)
    assert failures <= _allowed(delta)
    assert failures >= delta * RUNS / 4  # the bound is not too loose


@given(st.data(), st.sampled_from(["mistake", "positive", "negative"]), st.booleans())
def test_run_on_only_the_samples_with_mistakes_is_the_same(
    data: st.DataObject, ties: str, intercept: bool
) -> None:
    X = np.clip(data.draw(samples()), -1e17, 1e17)
    y = data.draw(labels(len(X), [0, 1]))
    options = {"ties": ties, "fit_intercept": intercept, "max_iter": 30, "record": True}
    p = Perceptron(keep="last", order="cyclic", **options).fit(X, y)
    support = np.flatnonzero(p.ledger_.mistake_counts[0])
    if len(set(y[support].tolist())) < 2:
        return
    q = Perceptron(keep="last", order="cyclic", **options).fit(X[support], y[support])
    assert support[q.ledger_.sequences[0]].tolist() == p.ledger_.sequences[0].tolist()
    assert q.coef_.tobytes() == p.coef_.tobytes()
    assert (q.outcome_, q.n_iter_) == (p.outcome_, p.n_iter_)
    if p.outcome_ is Outcome.SEPARATED:
        expected = bounds.compression_risk_bound(len(support), len(X), 0.1)
        assert bounds.compression_risk(p, 0.1) == expected


def test_the_selected_hypothesis_by_hand() -> None:
    draw = _draw(np.random.default_rng(5), 60, 0.1)
    run = Perceptron(order="cyclic", max_iter=1, record=True, eta0=0.5).fit(draw.X, draw.y)
    best = bounds.select_hypothesis(run, draw.X, draw.y, 0.1)
    signs = np.where(draw.y, 1, -1)
    extended = np.column_stack([draw.X, np.ones(60)])
    weights = np.zeros(FEATURES + 1)
    values = []
    for t in range(60):
        errors = int(np.count_nonzero(signs[t:] * (extended[t:] @ weights) <= 0))
        values.append(bounds.held_out_risk_bound(errors, 60 - t, 0.1 / 60))
        if t == best.n_seen:
            assert best.coef == pytest.approx(0.5 * weights[:-1])
            assert best.intercept == pytest.approx(0.5 * weights[-1])
            assert best.risk == pytest.approx(values[-1])
        if signs[t] * (extended[t] @ weights) <= 0:
            weights = weights + signs[t] * extended[t]
    assert best.risk <= min(values) * 1.05


def test_selection_when_every_prediction_is_wrong() -> None:
    X, y = [[1.0], [1.0]], [1, 0]
    run = Perceptron(order="cyclic", fit_intercept=False, max_iter=1, record=True).fit(X, y)
    best = bounds.select_hypothesis(run, X, y, 0.1)
    assert (best.n_seen, best.risk, best.coef.tolist()) == (0, 1.0, [0.0])


DATA = _draw(np.random.default_rng(4), 40, 0.0)
THREE = np.arange(40) % 3


def _fit(y: np.ndarray = DATA.y, fit: dict | None = None, **options: object) -> Perceptron:
    options = {"order": "cyclic", "max_iter": 1, "record": True, **options}
    return Perceptron(**options).fit(DATA.X, y, **(fit or {}))


def _stream() -> Perceptron:
    return Perceptron().partial_fit(DATA.X, DATA.y)


def _moved_on() -> Perceptron:
    return _fit().learn_one(DATA.X[0], DATA.y[0])


ONE_PASS = [
    lambda run: bounds.online_risk(run, 0.1),
    lambda run: bounds.estimated_risk(run),
    lambda run: bounds.select_hypothesis(run, DATA.X, DATA.y, 0.1),
]
COMPRESSION = [lambda run: bounds.compression_risk(run, 0.1)]


@pytest.mark.parametrize("bound", ONE_PASS + COMPRESSION)
@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: Perceptron(), "the run has no ledger_"),
        (_stream, "the run has no ledger_"),
        (_moved_on, "the run has no ledger_"),
        (lambda: _fit(THREE), "the run has 3 classes"),
        (lambda: _fit(fit={"coef_init": [[1.0] * FEATURES]}), "did not start from zero"),
        (lambda: _fit(fit={"sample_weight": np.full(40, 2.0)}), "steps of the run are not all 1"),
        (lambda: _fit(class_weight="balanced"), "steps of the run are not all 1"),
    ],
)
def test_runs_that_support_no_bound(bound: object, fit: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        bound(fit())
    assert message in str(caught.value)


@pytest.mark.parametrize("bound", ONE_PASS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iter": 1000}, "epochs, but this bound is for one"),
        ({"max_iter": 2}, "the run had 2 epochs"),
        ({"order": "random"}, "the run has order='random', which may visit a sample"),
    ],
)
def test_runs_that_are_not_one_pass(bound: object, options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        bound(_fit(**options))
    assert message in str(caught.value)


def test_a_shuffled_pass_is_one_pass() -> None:
    run = _fit(order="shuffle", random_state=0)
    assert bounds.online_risk(run, 0.1) == bounds.kl_risk_bound(run.n_mistakes_, 40, 0.1)
    assert bounds.online_risk(run, 0.1, form="azuma") == bounds.azuma_risk_bound(
        run.n_mistakes_, 40, 0.1
    )
    assert bounds.estimated_risk(run) == run.n_mistakes_ / 40
    assert bounds.estimated_risk(run, vote=True) == min(1.0, run.n_mistakes_ / 20)
    with pytest.raises(InputError, match="only order='cyclic' determines"):
        bounds.select_hypothesis(run, DATA.X, DATA.y, 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iter": 1}, "the run ended as BUDGET, not SEPARATED"),
        ({"max_iter": 10_000, "order": "shuffle"}, "the run has order='shuffle'"),
        ({"max_iter": 10_000, "order": "random"}, "the run has order='random'"),
    ],
)
def test_runs_that_cannot_be_compressed(options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        bounds.compression_risk(_fit(random_state=0, **options), 0.1)
    assert message in str(caught.value)


@pytest.mark.parametrize("keep", ["average", "pocket", "vote"])
def test_only_the_last_weights_can_be_compressed(keep: str) -> None:
    run = _fit(max_iter=10_000, keep=keep)
    last = _fit(max_iter=10_000)
    assert run.ledger_.mistake_counts.tolist() == last.ledger_.mistake_counts.tolist()
    assert 0.0 < bounds.compression_risk(last, 0.1) < 1.0
    for _ in range(2):
        with pytest.raises(InputError, match=f"the run has keep='{keep}': such weights also"):
            bounds.compression_risk(run, 0.1)
        run.set_params(keep="last")  # does not change what was learned
    # The hypotheses of a pass do not depend on keep.
    one = _fit(keep=keep)
    assert bounds.online_risk(one, 0.1) == bounds.online_risk(_fit(), 0.1)
    best = bounds.select_hypothesis(one, DATA.X, DATA.y, 0.1)
    assert best.coef.tolist() == bounds.select_hypothesis(_fit(), DATA.X, DATA.y, 0.1).coef.tolist()


def test_mixed_weights_cannot_be_compressed() -> None:
    run = Perceptron(shards=2, max_iter=10_000).fit(DATA.X, DATA.y)
    assert run.outcome_ is Outcome.SEPARATED
    run.set_params(shards=1)  # does not change what was learned
    with pytest.raises(
        InputError, match="the run has shards=2: a run on only the samples with mistakes"
    ):
        bounds.compression_risk(run, 0.1)


def test_the_order_is_that_of_the_fit() -> None:
    run = _fit(order="random", random_state=0).set_params(order="cyclic")
    for bound in ONE_PASS:
        with pytest.raises(InputError, match="order='random'"):
            bound(run)
    shuffled = _fit(order="shuffle", random_state=0, max_iter=10_000).set_params(order="cyclic")
    with pytest.raises(InputError, match="order='shuffle'"):
        bounds.compression_risk(shuffled, 0.1)


def test_a_matrix_of_labels_has_a_halfspace_for_each() -> None:
    run = Perceptron(max_iter=1).fit(DATA.X, np.column_stack([DATA.y, ~DATA.y]).astype(int))
    with pytest.raises(InputError, match="the run has 2 labels and one halfspace for each"):
        bounds.online_risk(run, 0.1)


def test_changed_sample_or_label_is_rejected() -> None:
    run = _fit()
    right = np.flatnonzero(run.ledger_.mistake_counts[0] == 0)
    X, y = DATA.X.copy(), DATA.y.copy()
    X[right[0], 1] += 1.0  # no mistake was made on it, so the weights are the same
    with pytest.raises(InputError, match="X and y are not the data of the run"):
        bounds.select_hypothesis(run, X, DATA.y, 0.1)
    y[right[-1]] = not y[right[-1]]
    with pytest.raises(InputError, match="X and y are not the data of the run"):
        bounds.select_hypothesis(run, DATA.X, y, 0.1)


@pytest.mark.parametrize("intercept", [True, False])
def test_negated_samples_and_labels_are_other_data(intercept: bool) -> None:
    # The same mistakes, the same weights and, where it is 0, the same intercept.
    X, y = np.array([[1.0], [-1.0], [2.0], [-2.0]]), np.array([1, 0, 1, 0])
    run = Perceptron(order="cyclic", max_iter=1, record=True, fit_intercept=intercept).fit(X, y)
    turned = Perceptron(order="cyclic", max_iter=1, record=True, fit_intercept=intercept).fit(
        -X, 1 - y
    )
    assert run.coef_.tolist() == turned.coef_.tolist()
    assert bounds.select_hypothesis(run, X, y, 0.1).n_seen <= 4
    with pytest.raises(InputError, match="X and y are not the data of the run"):
        bounds.select_hypothesis(run, -X, 1 - y, 0.1)


def test_the_data_may_be_stored_in_another_way() -> None:
    X = np.round(DATA.X, 1).astype(np.float32)
    run = Perceptron(order="cyclic", max_iter=1, record=True).fit(X, DATA.y)
    best = bounds.select_hypothesis(run, X, DATA.y, 0.1)
    for same in (X.astype(np.float64), sp.csr_matrix(X), X.tolist()):
        assert bounds.select_hypothesis(run, same, DATA.y.tolist(), 0.1).risk == best.risk


def test_run_without_a_digest_is_rejected() -> None:
    run = _fit()
    run.ledger_ = replace(run.ledger_, digest=None)
    with pytest.raises(InputError, match="the run has no digest of its data"):
        bounds.select_hypothesis(run, DATA.X, DATA.y, 0.1)


def test_a_saved_run_supports_the_same_bounds(tmp_path: Path) -> None:
    run = _fit()
    save(run, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.ledger_.digest == run.ledger_.digest
    assert (again.ledger_.order, again.ledger_.keep) == ("cyclic", "auto")
    best = bounds.select_hypothesis(run, DATA.X, DATA.y, 0.1)
    assert bounds.select_hypothesis(again, DATA.X, DATA.y, 0.1).risk == best.risk


def test_other_data_is_rejected() -> None:
    run = _fit()
    with pytest.raises(InputError, match="X and y are not the data of the run"):
        bounds.select_hypothesis(run, DATA.X + 1.0, DATA.y, 0.1)
    with pytest.raises(InputError, match="but the recorded run had 40 samples"):
        bounds.select_hypothesis(run, DATA.X[:-1], DATA.y[:-1], 0.1)
    with pytest.raises(InputError, match="record=True"):
        bounds.select_hypothesis(_fit(record=False), DATA.X, DATA.y, 0.1)


@pytest.mark.parametrize("delta", [0, 1, -0.5, 2.0, np.nan, None, "0.05"])
def test_delta_is_a_probability(delta: object) -> None:
    separated = _fit(max_iter=10_000)
    for call in (
        lambda: bounds.online_risk(_fit(), delta),
        lambda: bounds.select_hypothesis(_fit(), DATA.X, DATA.y, delta),
        lambda: bounds.compression_risk(separated, delta),
    ):
        with pytest.raises(InputError, match="delta="):
            call()


def test_invalid_form_is_named() -> None:
    with pytest.raises(InputError, match="form='hoeffding' is not accepted: use 'kl' or 'azuma'"):
        bounds.online_risk(_fit(), 0.1, form="hoeffding")
