from typing import Any

import numpy as np

def check_random_state(seed: Any) -> np.random.RandomState: ...
