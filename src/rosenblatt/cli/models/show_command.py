"""`rosenblatt show`: a model's parameters, its training, how its table is prepared, and its weights."""

import csv
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import Json, ModelFile, Top
from rosenblatt.cli.report import (
    named_in_errors,
    print_facts,
    print_json,
    print_table,
    printable,
    seconds_text,
)
from rosenblatt.core.errors import InputError

_KINDS = {"left out": "excluded"}

if TYPE_CHECKING:
    from rosenblatt.inspection.description import ClassWeights, Description, Facts


def show(
    model: ModelFile,
    json: Json = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print all weights as CSV: class,feature,weight.")
    ] = False,
    top: Top = 20,
) -> None:
    """Show a model's weights and how its table is prepared."""
    from rosenblatt.inspection.description import describe
    from rosenblatt.io.models.model_file import read

    if json and as_csv:
        raise InputError("--json does not go with --csv: leave one of them out")
    estimator, notes = read(model)
    with named_in_errors(model):
        found = describe(estimator, notes)
        if as_csv and found.no_weights:
            raise InputError(found.no_weights)
    if json:
        print_json({"file": str(model), **found.facts()})
    elif as_csv:
        _print_csv(found)
    else:
        print_facts(_lines(found))
        _print_preparation(found, top)
        for weights in found.weights:
            _print_weights(weights, found, top)


def _print_csv(found: "Description") -> None:
    text = printable if sys.stdout.isatty() else str
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["class", "feature", "weight"])
    for one in found.weights:
        label, features = text(str(one.label)), map(text, one.features)
        writer.writerow([label, "(intercept)", repr(one.intercept)])
        values = map(repr, one.values.tolist())
        writer.writerows([label, *pair] for pair in zip(features, values, strict=True))


def _lines(found: "Description") -> dict[str, str]:
    lines = {"Model": _call(found.name, found.parameters)}
    run: Any = found.run
    if "outcome" in run:
        lines["Outcome"] = f"{run['outcome']}: {run['sentence']}"
    if "cycle" in run:
        lines["Cycle"] = run["cycle"]
    for key, name in (("epochs", "Epochs"), ("mistakes", "Mistakes"), ("samples", "Samples")):
        if key in run:
            lines[name] = f"{run[key]:,}"
    if "seconds" in run:
        lines["Time"] = seconds_text(run["seconds"])
    if found.steps:
        steps: Any = found.steps
        lines["Steps"] = ", ".join(_call(one["class"], one["parameters"]) for one in steps)
    lines["Classes"] = ", ".join(map(str, found.classes))
    lines["Features"] = f"{found.n_features:,}"
    if found.no_weights:
        lines["Weights"] = f"none: {found.no_weights}"
    return lines


def _call(name: str, parameters: "Facts") -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in parameters.items())})"


def _print_preparation(found: "Description", top: int) -> None:
    if not found.columns:
        return
    columns: Any = found.columns
    rows = [
        [
            one["name"],
            _KINDS.get(one["kind"], one["kind"]),
            f"{one['width']:,}",
            f"{one['missing']:,}",
            _preparation(one),
        ]
        for one in columns[:top]
    ]
    print()
    print_table(["column", "kind", "numbers", "missing", "how"], rows, left=(0, 1, 4))
    _print_more(len(columns) - top, "columns")


def _preparation(column: Any) -> str:
    if "reason" in column:
        return str(column["reason"])
    if "rare" in column:
        listed = column["values"]
        texts = [*listed[:5], *(["…"] if len(listed) > 5 else [])]
        rare = column["rare"]
        return ", ".join(texts + ([f"{len(rare):,} rare"] if rare else []))
    if "words" in column:
        return "split into words"
    center, scale = column["center"], column["scale"]
    scaling = f"(value {'-' if center >= 0.0 else '+'} {abs(center):.6g}) / {scale:.6g}"
    is_same = center == 0.0 and scale == 1.0
    filled = f"; {column['fill']:.6g} if missing" if column["missing"] else ""
    return ("unchanged" if is_same else scaling) + filled


def _print_weights(weights: "ClassWeights", found: "Description", top: int) -> None:
    print()
    others = [label for label in found.classes if label != weights.label]
    is_binary = len(found.weights) == 1 == len(others)
    against = str(others[0]) if is_binary else f"not {weights.label}"
    pairs = list(zip(weights.features[:top], weights.values[:top].tolist(), strict=True))
    rows = [[name, f"{value:+.6g}"] for name, value in pairs]
    rows.append(["(intercept)", f"{weights.intercept:+.6g}"])
    print_table([f"{weights.label} vs {against}", "weight"], rows)
    _print_more(len(weights.features) - top, "weights, all smaller")


def _print_more(n: int, what: str) -> None:
    if n > 0:
        print(f"and {n:,} more {what}; --top shows more, --json shows all")
