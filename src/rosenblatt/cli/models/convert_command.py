"""`rosenblatt convert`: write a model as readable JSON, or as ONNX."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import ModelFile
from rosenblatt.cli.report import named_in_errors, print_facts
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable

Target = StrEnum("Target", ["json", "onnx"])
_SUFFIXES = {".json": Target.json, ".onnx": Target.onnx}


def convert(
    model: ModelFile,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="A .json or .onnx file.")],
    to: Annotated[
        Target | None,
        typer.Option(
            "--to",
            metavar="NAME",
            help="The format, json or onnx; by default the ending of OUTPUT.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a model as readable JSON or as ONNX."""
    from rosenblatt.inspection.model_parts import names_in_notes
    from rosenblatt.io.models.json_model import write_json
    from rosenblatt.io.models.model_file import read
    from rosenblatt.io.models.onnx_model import write_onnx

    target = to or _SUFFIXES.get(output.suffix.lower())
    if target is None:
        raise InputError(
            f"{output}: the name does not end with {' or '.join(_SUFFIXES)}; choose the format with "
            f"--to: {', '.join(Target)}"
        )
    check_writable(output, "output", model)
    estimator, notes = read(model)
    if target is Target.json:
        write_json(estimator, output, notes)
    else:
        with named_in_errors(model):
            write_onnx(estimator, output, names_in_notes(notes))
    print_facts({"Written": str(output)})
