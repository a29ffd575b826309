"""`--scale unit`: every command uses rows of length 1."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from commands import document, refused, write_csv
from rosenblatt import Perceptron, TableEncoder, cluster, load, separate
from rosenblatt.cli import run

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

UNIT = ["--scale", "unit", "--no-intercept"]
SCALED = "each row to length 1"


def rows_of(X: np.ndarray) -> Any:
    """Return the rows scaled to length 1, as a Normalizer does it."""
    return normalize(sp.csr_array(X)).toarray()


@pytest.fixture(params=["csv", "svm"])
def drawn(request: Any, tmp_path: Path) -> tuple[str, np.ndarray, np.ndarray]:
    """Return a file of samples of different lengths, one of them zero, and the samples."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 5)), 3) * 4.0 ** rng.integers(-3, 4, size=(300, 1))
    y = (X @ rng.normal(size=5) > 0).astype(np.int64)
    X[7] = 0.0
    path = tmp_path / f"data.{request.param}"
    if request.param == "csv":
        return str(write_csv(path, X, y)), X, y
    lines = [
        f"{label} " + " ".join(f"{k}:{value!r}" for k, value in enumerate(row, 1) if value)
        for label, row in zip(y.tolist(), X.tolist(), strict=True)
    ]
    path.write_text("\n".join(lines))
    return str(path), X, y


def test_fit_stream_and_shards_learn_from_rows_of_length_1(
    drawn: tuple[str, np.ndarray, np.ndarray], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, X, y = drawn
    Z = rows_of(X)
    assert not Z[7].any()
    model = str(tmp_path / "model")
    three = {"max_iter": 3, "order": "cyclic", "keep": "last", "fit_intercept": False}
    passes = ["--max-epochs", "3", "--order", "cyclic", "--keep", "last"]
    for command, options, learner in [
        ("learn", passes, Perceptron(**three)),
        (
            "learn",
            [*passes, "--shards", "2"],
            Perceptron(shards=2, **three),
        ),
        ("stream", [], None),
    ]:
        options = [*options, "--learner", "perceptron", "--model", model]
        assert run([command, data, *UNIT, *options]) in (0, 1)
        assert SCALED in capsys.readouterr().out
        if learner is None:
            learner = Perceptron(fit_intercept=False).partial_fit(Z, y, [0, 1])
        else:
            learner.fit(Z, y)
        found = load(model)
        assert np.array_equal(found[-1].coef_, learner.coef_)
        assert found.predict(X).tolist() == learner.predict(Z).tolist()
        facts = document(["evaluate", model, data], capsys)
        assert facts["mistakes"] == int((learner.predict(Z) != y).sum())


def test_a_certificate_is_about_the_scaled_rows(
    drawn: tuple[str, np.ndarray, np.ndarray], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, X, y = drawn
    lines = Path(data).read_text().split("\n")
    Path(data).write_text("\n".join(lines[:7] + lines[8:]))  # a row of zeros separates nothing
    Z, y = np.delete(rows_of(X), 7, axis=0), np.delete(y, 7)
    proof = str(tmp_path / "proof.json")
    facts = document(["separate", data, *UNIT, "--certificate", proof], capsys)
    s = separate(Z, y, fit_intercept=False)
    assert facts["mistake_bound"] == s.mistake_bound == 1 / s.margin.lower**2 // 1
    assert s.radius == pytest.approx(1.0, rel=1e-15)
    assert run(["verify", proof, data, "--scale", "unit"]) == 0
    capsys.readouterr()
    assert run(["verify", proof, data]) == 1
    assert "use the options that 'separate' had" in capsys.readouterr().out
    plain = ["--learner", "perceptron", "--max-epochs", "10000"]
    learned = document(["learn", data, *UNIT, *plain], capsys)
    assert learned["mistakes"] <= s.mistake_bound


def test_python_and_command_line_give_the_same_bits(
    drawn: tuple[str, np.ndarray, np.ndarray],
) -> None:
    data, X, y = drawn
    model = cluster.learn(data, Perceptron(max_iter=3), shards=2, scale="unit").model
    here = Perceptron(max_iter=3, shards=2).fit(rows_of(X), y)
    assert np.array_equal(model[-1].coef_, here.coef_)
    encoded = make_pipeline(TableEncoder(scale="unit"), Perceptron(max_iter=3, shards=2)).fit(X, y)
    assert np.array_equal(encoded[-1].coef_, here.coef_)


def test_rows_that_are_too_long_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.csv"
    path.write_text("1e200,1,a\n1,2,b\n")
    for command in ("learn", "stream", "separate"):
        said = refused([command, str(path), "--scale", "unit"], capsys)
        assert "rows with numbers of 1e+150 or more cannot be scaled to length 1" in said
