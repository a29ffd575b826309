"""The data is validated, read and hashed once for any number of classes."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import MaxMargin, Perceptron, separate
from rosenblatt.bounds import margin_class
from rosenblatt.certificates import digest
from rosenblatt.estimators.evaluation.guarantee import guarantee
from rosenblatt.separability import question as problem

# Five classes, each of which can be separated from all others.
X = np.random.default_rng(0).normal(size=(20, 30))
Y = np.arange(20) % 5


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counted: Counter[str] = Counter()

    def count(module: object, name: str) -> None:
        function = getattr(module, name)

        def counting(*arguments: object, **options: object) -> object:
            counted[name] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, counting)

    count(digest, "_sha256")
    count(problem, "as_samples")
    count(problem, "as_rows")
    return counted


@pytest.mark.parametrize(
    "run",
    [
        lambda: separate(X, Y),
        lambda: separate(X, Y, margin="affine"),
        lambda: MaxMargin().fit(X, Y),
        lambda: Perceptron(certify=True).fit(X, Y),
        lambda: Perceptron(certify=True, multiclass="joint").fit(X, Y),
        lambda: guarantee(Perceptron(), X, Y),
    ],
    ids=[
        "separate",
        "affine",
        "MaxMargin",
        "certify",
        "certify jointly",
        "guarantee",
    ],
)
def test_once_for_all_classes(run: Callable[[], object], calls: Counter[str]) -> None:
    run()
    assert calls == {"_sha256": 1, "as_samples": 1, "as_rows": 1}


def test_certificates_of_inseparable_classes_share_the_digest(calls: Counter[str]) -> None:
    with pytest.warns(ConvergenceWarning):
        fitted = Perceptron(keep="last", certify=True, max_iter=5).fit(X[:, :2], Y)
    assert len(fitted.certificate_) == 5
    assert calls == {"_sha256": 1, "as_samples": 1, "as_rows": 1}


def test_second_exact_search_does_not_hash_again(calls: Counter[str]) -> None:
    decided = margin_class([[0.0], [1.0]], [0, 1], 0.5, kind="affine")
    assert decided.verdict.name == "NONEMPTY"
    assert isinstance(decided.certificate.weights, tuple)
    assert calls["_sha256"] == calls["as_samples"] == 1
