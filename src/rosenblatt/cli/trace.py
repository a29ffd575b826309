"""`rosenblatt trace`: every visit of a run."""

from pathlib import Path
from typing import Any

from rosenblatt.cli.report import print_json
from rosenblatt.readers import read
from rosenblatt.tracing import trace, worked_example


def trace_file(
    data: Path | None, parameters: dict[str, Any], *, label: str | None, kind: str, as_json: bool
) -> None:
    """Print the trace of a file, or of the lectures' worked example."""
    if data is None:
        run = worked_example()
    else:
        table = read(data, kind=kind, label=label)
        run = trace(table.X, table.y, **parameters)
    if as_json:
        print_json(run.to_dict())
    else:
        print(run.table())
