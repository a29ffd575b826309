"""Random tables with columns of every kind: numbers, booleans, dates, categories, text, and ids."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

ANY_NUMBER = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float)
DAYS = st.dates(
    min_value=pd.Timestamp("1999-01-01").date(), max_value=pd.Timestamp("2030-01-01").date()
)


@st.composite
def mixed_tables(draw: st.DrawFn) -> pd.DataFrame:
    """Draw tables of at least two rows; values may be missing in most columns."""
    n = draw(st.integers(2, 8))

    def column(values: st.SearchStrategy, missing: bool = True) -> list:
        cells = st.none() | values if missing else values
        return draw(st.lists(cells, min_size=n, max_size=n))

    paid = column(st.booleans(), missing=False)
    paid[0] = not paid[1]  # at least one column is not excluded
    sizes = [np.nan if value is None else value for value in column(ANY_NUMBER)]
    return pd.DataFrame(
        {
            "size": sizes,
            "paid": paid,
            "day": [None if day is None else day.isoformat() for day in column(DAYS)],
            "town": column(st.sampled_from(["Rome", "Oslo", "a=b", "Ä, \n", "7b"])),
            "note": column(st.sampled_from(["one word", "two words", "word for word", ""])),
            "id": [f"row {k}" for k in range(n)],
        }
    )
