"""Values survive encoding and decoding bit for bit."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.io.models.codec import decode, encode
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

plain = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
nested = st.recursive(
    plain,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=12,
)


def round_trip(value: Any) -> Any:
    tensors: dict[str, Any] = {}
    text = json.dumps(encode(value, tensors, "value"), allow_nan=False)
    return decode(json.loads(text), tensors)


@given(nested)
def test_plain_values(value: Any) -> None:
    assert round_trip(value) == value
    assert repr(round_trip(value)) == repr(value)


@pytest.mark.parametrize(
    "value",
    [
        Outcome.SEPARATED,
        Interval(0.1, math.inf),
        [Interval(0.0, 0.3), Interval(0.1, 0.2)],
        {np.int64(3): 0.5},
    ],
)
def test_our_own_types(value: Any) -> None:
    assert round_trip(value) == value
    assert type(round_trip(value)) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[0.1, -0.0], [5e-324, 1e308]]),
        np.arange(6).reshape(2, 3)[:, ::2],
        np.array([True, False]),
        np.array(["yes", "no, never"]),
        np.array(["a", "bcd"], dtype=object),
        np.array([("a", 1), ("b", 2), None], dtype=object)[:2],
        np.array(["wide"], dtype="<U100"),
        np.zeros((0, 3)),
        np.array([1, 2], dtype=np.int8),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays(array: np.ndarray) -> None:
    copy = round_trip(array)
    assert copy.dtype == array.dtype
    assert copy.shape == array.shape
    assert copy.tolist() == array.tolist()
    if array.dtype.kind != "O":
        assert copy.tobytes() == np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("value", [object(), np.random.RandomState(0), {1, 2}, np.array([1j])])
def test_values_that_cannot_be_encoded_are_named(value: Any) -> None:
    with pytest.raises(InputError, match="random_state"):
        encode(value, {}, "random_state")
