"""What travels of an array is enough to have all of its bits again."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from rosenblatt.cluster.engines.transport.changes import changed, changes
from rosenblatt.core.types import Floats

ANY_BITS = st.integers(0, 2**64 - 1).map(lambda bits: np.uint64(bits).view(np.float64))
NUMBERS = st.one_of(st.sampled_from([0.0, -0.0, np.nan, -np.nan, np.inf, 5e-324, 1.0]), ANY_BITS)
SHAPES = npst.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=12)


def arrays(shape: tuple[int, ...]) -> st.SearchStrategy[Floats]:
    return npst.arrays(np.float64, shape, elements=NUMBERS, fill=st.sampled_from([0.0, -0.0]))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Floats | None, Floats]:
    """Draw an array and one that may differ from it, in any layout in memory."""
    after = draw(arrays(draw(SHAPES)))
    before = draw(st.one_of(st.none(), st.just(after.copy()), arrays(after.shape), arrays((3,))))
    if before is not None and before.size and draw(st.booleans()):
        before.flat[draw(st.integers(0, before.size - 1))] = draw(NUMBERS)
    return before, np.asfortranarray(after) if draw(st.booleans()) else after


@given(pairs())
def test_all_bits_come_back(pair: tuple[Floats | None, Floats]) -> None:
    before, after = pair
    kept = None if before is None else before.tobytes()
    what = pickle.loads(pickle.dumps(changes(before, after)))
    found = changed(before, what)
    assert found.shape == after.shape
    assert found.tobytes() == after.tobytes()
    assert before is None or before.tobytes() == kept
    travelled = what.values.nbytes + (0 if what.places is None else what.places.nbytes)
    assert travelled <= after.nbytes


def test_few_changes_travel_as_such_over_stretches() -> None:
    before = np.arange(200_001.0).reshape(3, 66_667)
    after = before.copy()
    after.flat[[0, 65_535, 65_536, 200_000]] = -1.0
    what = changes(before, after)
    assert what.places is not None
    assert what.places.tolist() == [0, 65_535, 65_536, 200_000]
    assert changed(before, what).tobytes() == after.tobytes()
