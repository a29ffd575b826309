"""What a trace is written as: CSV that replays to the bit, tables that Markdown and LaTeX can read."""

import csv
import io
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError, Outcome, Trace, trace
from rosenblatt.lectures.trace import worked_example
from strategies import labels, samples

# By hand: from (0, 0) the first three samples have score 0 and are added; then all is right.
THROUGH_THE_ORIGIN = r"""% needs \usepackage{booktabs}
\begin{tabular}{rllrllr}
\toprule
epoch & sample & weights before & $w \cdot x$ & update & weights after & $w \cdot x$ after \\
\midrule
1 & $(1, 1)$ & $(0, 0)$ & $0$ & yes & $(1, 1)$ & $2$ \\
1 & $(1, -1)$ & $(1, 1)$ & $0$ & yes & $(2, 0)$ & $2$ \\
1 & $(0, -1)$ & $(2, 0)$ & $0$ & yes & $(2, -1)$ & $1$ \\
1 & $(1, 1)$ & $(2, -1)$ & $1$ & no & $(2, -1)$ & $1$ \\
1 & $(1, -1)$ & $(2, -1)$ & $3$ & no & $(2, -1)$ & $3$ \\
1 & $(0, -1)$ & $(2, -1)$ & $1$ & no & $(2, -1)$ & $1$ \\
\bottomrule
\end{tabular}

An update raises $w \cdot x$ by $\|x\|^{2}$.
Epoch 2 changes nothing.
Final weights $(2, -1)$: the line $2 x_{1} - x_{2} = 0$."""


def replayed(lines: list[dict[str, str]], eta0: float) -> np.ndarray:
    """Return the weights after all updates in a CSV file, as the perceptron's rule makes them."""
    coordinates = [name.removeprefix("x") for name in lines[0] if name.startswith("x")]

    def vector(line: dict[str, str], what: str) -> np.ndarray:
        return np.array([float(line[f"{what}{k}"]) for k in coordinates])

    units = vector(lines[0], "before") / eta0
    for line in lines:
        assert (vector(line, "before") == eta0 * units).all()
        if line["update"] == "true":
            units = units + vector(line, "x")
        assert (vector(line, "after") == eta0 * units).all()
    return eta0 * units


@given(
    data=st.data(),
    X=samples(),
    eta0=st.sampled_from([1.0, 0.25, 0.1]),
    intercept=st.booleans(),
    order=st.sampled_from(["cyclic", "shuffle", "random"]),
)
def test_a_csv_file_replays_to_the_final_weights(
    data: st.DataObject,
    X: np.ndarray,
    eta0: float,
    intercept: bool,
    order: str,
) -> None:
    y = data.draw(labels(len(X), ["a", "b"]))
    run = trace(
        X,
        y,
        max_iter=3,
        eta0=eta0,
        fit_intercept=intercept,
        order=order,
        random_state=1,
    )
    text = run.to_csv()
    assert not re.search(r"-0\.0[,\n]", text)
    assert "\r" not in text
    lines = list(csv.DictReader(io.StringIO(text)))
    assert replayed(lines, eta0).tolist() == list(run.weights)
    assert [(int(line["epoch"]), int(line["row"])) for line in lines] == [
        (visit.epoch, visit.row) for visit in run
    ]
    assert [float(line["score"]) for line in lines] == [visit.score for visit in run]
    assert [float(line["score_after"]) for line in lines] == [visit.score_after for visit in run]


def test_a_csv_file_replays_from_a_given_start() -> None:
    run = trace([[0.3], [-0.1]], [1, 0], eta0=0.1, coef_init=[-0.7], intercept_init=0.2)
    lines = list(csv.DictReader(io.StringIO(run.to_csv())))
    assert (lines[0]["before0"], lines[0]["before1"]) == ("0.2", "-0.7")
    assert sum(line["update"] == "true" for line in lines) > 1
    assert replayed(lines, 0.1).tolist() == list(run.weights)


def test_pandas_reads_the_csv_with_its_types() -> None:
    frame = pd.read_csv(io.StringIO(worked_example().to_csv()))
    names = (
        "epoch row update score x0 x1 x2 before0 before1 before2 after0 after1 after2 score_after"
    )
    assert " ".join(frame) == names
    assert (len(frame), frame["update"].dtype, frame["row"].dtype) == (18, bool, np.int64)
    assert frame.loc[frame["update"], "row"].tolist() == [3, 4, 2]
    assert frame.iloc[-1, -4:].tolist() == [0.0, 2.0, -1.0, 1.0]


def test_markdown_has_the_cells_of_the_text() -> None:
    run = worked_example(max_iter=2)
    table, sentences = run.to_markdown().split("\n\n")
    rows = [re.split(r" *\| *", line)[1:-1] for line in table.splitlines()]
    assert {len(row) for row in rows} == {7}
    assert all(re.fullmatch("-{3,}", cell) for cell in rows[1])
    plain, same_sentences = run.table().split("\n\n")
    assert rows == [re.split(r" {2,}", line) for line in plain.splitlines()]
    assert sentences == same_sentences
    assert sentences.splitlines()[1].startswith(
        "Stopped after epoch 2: the last epoch allowed still made mistakes"
    )


def test_latex_by_hand() -> None:
    assert worked_example(fit_intercept=False).to_latex() == THROUGH_THE_ORIGIN


def check_latex(text: str) -> None:
    """Raise unless braces, dollars and environments are balanced, and cells fill every row."""
    depth = 0
    for sign in re.sub(r"\\[\\%&$#_{}]", "", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    assert re.findall(r"\\(begin|end)\{(\w+)\}", text) == [("begin", "tabular"), ("end", "tabular")]
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lrc]+)\}", text)
    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0].replace("\\midrule\n", "")
    for row in body.strip().splitlines():
        assert row.endswith(r" \\")
        assert row.count("&") == len(columns) - 1
    for line in text.splitlines()[1:]:
        assert line.isascii()
        outside, formulas = line.split("$")[::2], line.split("$")[1::2]
        assert len(outside) == len(formulas) + 1
        assert not any(re.search(r"\d[eE]|[#%&]", formula) for formula in formulas)
        assert not any(re.search(r"[_^#%~]|-\d", part) for part in outside)


@given(data=st.data(), X=samples(max_columns=12), intercept=st.booleans())
def test_latex_is_balanced_whatever_the_numbers(
    data: st.DataObject, X: np.ndarray, intercept: bool
) -> None:
    y = data.draw(labels(len(X), ["a", "b"]))
    check_latex(trace(X, y, max_iter=2, fit_intercept=intercept).to_latex())


def test_large_and_small_numbers_are_powers_of_ten_in_latex() -> None:
    run = trace([[1e6, -2.5e-7], [-1e6, 0.0]], [1, 0], fit_intercept=False)
    assert run.to_latex().endswith(
        r"Final weights $(10^{6}, -2.5 \cdot 10^{-7})$: "
        r"the line $10^{6} x_{1} - 2.5 \cdot 10^{-7} x_{2} = 0$."
    )


def test_an_outcome_has_no_sign_that_markdown_or_latex_would_read() -> None:
    for outcome in Outcome:
        assert not re.search(r"[\\{}$&#^_%~*`|<>\[\]]", outcome.sentence), outcome


@pytest.mark.parametrize("form", [Trace.table, Trace.to_markdown, Trace.to_latex])
def test_a_run_that_starts_right_has_an_empty_table(form: Callable[[Trace], str]) -> None:
    run = worked_example(coef_init=[2, -1])
    assert len(run) == 6
    text = form(run)
    assert "yes" not in text
    assert " no " not in text
    assert "Epoch 1 changes nothing." in text


def test_scores_beyond_floats_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"score of row 0 of X is beyond float64 with eta0=1e\+100"
    ):
        trace([[1e120], [-1e120]], [1, -1], eta0=1e100)


def test_a_sample_that_is_not_finite_is_named() -> None:
    with pytest.raises(InputError, match="row 1 of X is not a finite number: the row contains NaN"):
        trace([[1.0], [float("nan")]], [1, -1])


def test_shards_are_refused() -> None:
    with pytest.raises(
        InputError, match="shards=2 learn side by side, but a trace shows one visit"
    ):
        trace([[1], [-1]], [1, -1], shards=2)


def test_visits_share_their_vectors() -> None:
    first, second = worked_example().visits[:2]
    assert first.weights_after is first.weights_before is second.weights_before
