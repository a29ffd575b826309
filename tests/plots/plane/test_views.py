"""Projections: the widest direction is the first principal component perpendicular to the normal."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.plots.plane import views
from rosenblatt.plots.plane.drawn_samples import drawn_samples


@given(
    st.integers(3, 40),
    st.integers(3, 12),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_the_widest_direction_is_the_first_principal_component(
    n_rows: int, n_features: int, seed: int, with_normal: bool
) -> None:
    random = np.random.RandomState(seed)
    table = random.standard_normal((n_rows, n_features)) * random.uniform(0.1, 5, n_features)
    table[random.uniform(size=table.shape) < 0.3] = 0.0
    normal = random.standard_normal(n_features)
    normal /= np.linalg.norm(normal)
    centered = table - table.mean(axis=0)
    rest = centered - np.outer(centered @ normal, normal) if with_normal else centered
    squares = np.linalg.svd(rest, compute_uv=False) ** 2
    for form in (table, sp.csr_array(table)):
        direction, share = views.widest_direction(form, normal if with_normal else None)
        np.testing.assert_allclose(np.linalg.norm(direction), 1.0)
        np.testing.assert_allclose(share, squares[0] / squares.sum(), rtol=1e-6)
        np.testing.assert_allclose(np.sum((rest @ direction) ** 2), squares[0], rtol=1e-6)
        if with_normal:
            assert abs(direction @ normal) < 1e-9


def test_identical_samples_have_no_widest_direction() -> None:
    for table in (np.ones((5, 4)), sp.csr_array(np.ones((5, 4)))):
        direction, share = views.widest_direction(table)
        assert not direction.any()
        assert share == 1.0


def test_the_projection_of_three_classes_preserves_score_differences() -> None:
    random = np.random.RandomState(1)
    table, coef, intercept = (
        random.standard_normal((30, 6)),
        random.standard_normal((3, 6)),
        random.standard_normal(3),
    )
    samples = drawn_samples(table, np.arange(30) % 3)
    view = views.view_of(samples, coef, intercept)
    expected = table @ coef.T + intercept
    drawn = view.points @ view.coef.T + view.intercept
    # All scores of a sample may shift by the same amount, which does not change their differences.
    np.testing.assert_allclose(
        drawn - drawn.mean(axis=1)[:, None], expected - expected.mean(axis=1)[:, None], atol=1e-9
    )
