from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

class TfidfVectorizer:
    idf_: NDArray[np.float64]
    def __init__(self, **options: Any) -> None: ...
    def build_analyzer(self) -> Callable[[str], list[str]]: ...
    def transform(self, raw_documents: list[str]) -> Any: ...
