from collections.abc import Mapping
from contextlib import AbstractContextManager

def set(settings: Mapping[str, object]) -> AbstractContextManager[None]: ...
