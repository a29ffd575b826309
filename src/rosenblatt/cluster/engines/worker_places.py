"""What workers call the files that a driver names."""

from collections.abc import Sequence
from pathlib import Path

from rosenblatt.cluster.engines.engine import Engine
from rosenblatt.io.sources.source import is_local

# Their workers do not run where the driver does, and have another current folder.
_ELSEWHERE = ("ray", "dask")


def places_for(engine: Engine, places: Sequence[str]) -> list[str]:
    """Return places as the workers of an engine find them."""
    if engine.name not in _ELSEWHERE:
        return list(places)
    return [str(Path(place).absolute()) if is_local(place) else place for place in places]
