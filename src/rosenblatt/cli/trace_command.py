"""`rosenblatt trace`: every visit of a run."""

from pathlib import Path
from typing import Any

from rosenblatt.cli.app import Source
from rosenblatt.cli.report import print_json
from rosenblatt.core.errors import InputError
from rosenblatt.io import read
from rosenblatt.lectures.trace import trace, worked_example


def trace_file(
    data: Path | None, parameters: dict[str, Any], *, source: Source, as_json: bool
) -> None:
    """Print the trace of a file, or of the lectures' worked example."""
    if data is None:
        run = worked_example()
    else:
        table = read(data, **source._asdict())
        try:
            run = trace(table.X, table.y, **parameters)
        except InputError as error:
            raise InputError(f"{data}: {error}") from error
    if as_json:
        print_json(run.to_dict())
    else:
        print(run.table())
