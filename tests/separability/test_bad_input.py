"""Errors name the invalid parameter, sample or label."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from rosenblatt import InputError, separate
from rosenblatt.core.types import LabelsLike, MatrixLike
from separation_checks import SETTINGS, Options, X, y


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": "soft"}, r"margin='soft' is not accepted: use 'augmented' or 'affine'"),
        ({"margin": None}, "margin=None is not accepted"),
        ({"margin": "affine", "fit_intercept": False}, "use fit_intercept=True"),
        ({"tolerance": 0}, "tolerance=0 is not accepted: use a number above 0 and below 1"),
        ({"tolerance": 1.0}, "tolerance=1.0 is not accepted"),
        ({"tolerance": -1e-6}, "tolerance=-1e-06 is not accepted"),
        ({"tolerance": math.nan}, "tolerance=nan is not accepted"),
        ({"tolerance": "1e-6"}, "tolerance='1e-6' is not accepted"),
        ({"tolerance": True}, "tolerance=True is not accepted"),
        ({"tolerance": None}, "tolerance=None is not accepted"),
        ({"time_limit": 0}, "time_limit=0 is not accepted"),
        ({"time_limit": -1.0}, "time_limit=-1.0 is not accepted"),
        ({"time_limit": math.nan}, "time_limit=nan is not accepted"),
        ({"time_limit": "1"}, "time_limit='1' is not accepted"),
        ({"time_limit": True}, "time_limit=True is not accepted"),
        ({"exact": "yes"}, "exact='yes' is not accepted"),
        ({"exact": 1}, "exact=1 is not accepted"),
        ({"exact": None}, "exact=None is not accepted"),
        ({"fit_intercept": "no"}, "fit_intercept='no' is not accepted"),
        ({"fit_intercept": 1}, "fit_intercept=1 is not accepted"),
        ({"fit_intercept": None}, "fit_intercept=None is not accepted"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named(options: Options, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        separate(X, y, **options)
    assert "\n" not in str(caught.value)


BAD_SAMPLES = [
    ([1.0, 2.0], r"X has shape \(2,\)"),
    (3.0, r"X has shape \(\)"),
    (np.ones((2, 2, 2)), r"X has shape \(2, 2, 2\)"),
    (np.ones((0, 2)), r"X has shape \(0, 2\)"),
    (np.ones((2, 0)), r"X has shape \(2, 0\)"),
    (sp.csr_matrix((0, 3)), r"X has shape \(0, 3\)"),
    ([["a"], ["b"]], "X contains text or dates: turn its columns into numbers first"),
    ([[1j], [2j]], "X has values of type complex128"),
    (sp.csr_matrix(np.array([[1j], [2j]])), "X has values of type complex128"),
    (np.array([["x"], [1.0]], dtype=object), "X contains text or dates"),
    (np.array([[{}], [1.0]], dtype=object), "X has values that are not numbers"),
    ([[1.0, 2.0], [3.0]], "X has"),
    ([[1.0, 2.0], [-math.inf, math.nan]], "X contains NaN in row 1, column 1$"),
    ([[1.0], [None]], "X contains NaN in row 1, column 0$"),
    ([[math.inf], [1.0]], "X contains infinity in row 0, column 0$"),
    ([[1.0, 2.0], [1.0, -math.inf]], "X contains infinity in row 1, column 1$"),
    (
        [[1.0], [1e200]],
        r"row 1 of X is too long: its largest value, 1e\+200, is in column 0; scale",
    ),
    ([[1.0], [-1e150]], r"row 1 of X is too long: .* -1e\+150, .* shorter than 1e\+150$"),
    ([[8e149, 9e149], [1.0, 1.0]], r"row 0 of X is too long: .* 9e\+149, is in column 1"),
    (sp.csr_matrix([[1.0, 0.0], [0.0, math.nan]]), "X contains NaN in row 1, column 1$"),
    (sp.csr_matrix([[1.0], [1e200]]), "row 1 of X is too long"),
    (np.array([[1.0], [np.inf]], dtype=np.float32), "X contains infinity in row 1, column 0$"),
    (pd.DataFrame({"a": [1.0, np.nan]}), "X contains NaN in row 1, column 0$"),
    (pd.DataFrame({"a": ["1", "x"]}), "column 'a' of X contains text or dates"),
    (pd.DataFrame({"a": ["1", "2"]}), "column 'a' of X contains text or dates"),
    (None, "X has"),
]


@pytest.mark.parametrize(
    ("samples", "message"), BAD_SAMPLES, ids=[f"{k}" for k in range(len(BAD_SAMPLES))]
)
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_bad_samples_are_named(samples: MatrixLike, message: str, options: Options) -> None:
    with pytest.raises(InputError, match=message) as caught:
        separate(samples, [0, 1], **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("row", [0, 2], ids=["in the first class", "in the last class"])
def test_bad_samples_among_many_classes_are_named(row: int) -> None:
    data = np.eye(3)
    data[row, 1] = np.nan
    with pytest.raises(InputError, match=f"X contains NaN in row {row}, column 1$"):
        separate(data, [0, 1, 2])


BAD_LABELS = [
    ([0, 1, 1], r"X has 2 rows, but y has shape \(3,\)"),
    ([[0], [1]], r"X has 2 rows, but y has shape \(2, 1\)"),
    (None, r"X has 2 rows, but y has shape \(\)"),
    ([1, 1], "y has only one class, 1: with an intercept .*, or use fit_intercept=False"),
    (["a", "a"], "y has only one class, 'a': with an intercept .*, or use fit_intercept=False"),
    ([True, True], "y has only one class, True: with an intercept .*, or use fit_intercept=False"),
    ([math.nan, 1.0], "y contains NaN or infinity"),
    ([math.inf, 1.0], "y contains NaN or infinity"),
    (np.array(["a", 1], dtype=object), "labels must be all text or all numbers"),
    ([None, 1], "label"),
    (np.array([math.nan, 1], dtype=object), "label"),
    ([b"a", b"b"], "label"),
    (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "label"),
    ([1j, 2j], "label"),
]


@pytest.mark.parametrize(
    ("classes", "message"), BAD_LABELS, ids=[f"{k}" for k in range(len(BAD_LABELS))]
)
def test_bad_labels_are_named(classes: LabelsLike, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        separate([[1.0], [2.0]], classes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("samples", "classes"),
    [
        ([[2**53 + 1, 0.5], [1, 2]], [0, 1]),
        (pd.DataFrame({"a": [2**53 + 1, 1], "b": [0.5, 1.5]}), [0, 1]),
        (np.array([[np.int64(2**53 + 1)], [1]], dtype=object), [0, 1]),
        ([[10**400], [1]], [0, 1]),
        ([[10**400, 0.5], [1, 2]], [0, 1]),
        ([[1.0], [2.0]], [1, "1"]),
        ([[1.0], [2.0], [3.0]], [1, "1", "2"]),
        ([[1.0], [2.0]], ["a\0", "b"]),
        ([[1.0], [2.0], [3.0]], [2**60 + 1, 2**60 + 3, 0.5]),
        ([[1.0], [2.0]], [b"1", "2"]),
    ],
)
def test_data_that_numpy_would_change_is_rejected(samples: MatrixLike, classes: LabelsLike) -> None:
    with pytest.raises(InputError, match=r"X (has|contains)|y (contains|mixes)"):
        separate(samples, classes)
