"""`rosenblatt explain`: why a model predicts what it predicts for a sample of a file."""

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.options import (
    Data,
    Decimal,
    Format,
    Header,
    Json,
    Kind,
    ModelFile,
    ModelLabel,
    Top,
)
from rosenblatt.cli.report import named_in_errors, print_facts, print_json, print_table
from rosenblatt.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rosenblatt.inspection.explanation import Explanation


def explain(
    model: ModelFile,
    data: Data,
    row: Annotated[
        int, typer.Option("--row", metavar="N", min=1, help="The sample, counted from 1.")
    ],
    json: Json = False,
    top: Top = 20,
    label: ModelLabel = None,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Show how much each column adds to one sample's score.

    Of a column of free text, also show how much each word adds.
    """
    from rosenblatt.inspection.explanation import explain as explain_row
    from rosenblatt.io import Reading
    from rosenblatt.io.models.model_notes import open_model, read_for_model
    from rosenblatt.io.sources.local_copies import file_names

    trained = open_model(model)
    shown = file_names(data)
    reading = Reading(kind.value, label, header, decimal, needs_labels=False)
    table = read_for_model(trained, data, reading)
    if row > table.n_samples:
        raise InputError(f"{shown}: there is no sample {row:,}; the data has {table.n_samples:,}")
    matched = trained.matched(shown, table)
    with named_in_errors(model), warnings.catch_warnings():
        # the reader has matched the names, which an array does not have
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        found = explain_row(trained.model, matched, row - 1, names=trained.expect.names)
    place = table.place(shown, row - 1)
    if json:
        print_json(
            {"file": shown, "model": str(model), "row": row, "place": place, **found.facts()}
        )
        return
    print_facts(
        {
            "Sample": f"{row:,} ({place})",
            "Prediction": str(found.prediction),
            "Score": _score_text(found),
        }
    )
    print()
    _print_contributions(found, top)


def _score_text(found: "Explanation") -> str:
    score = f"{found.score:.6g} for {found.label}"
    if found.lead is None:
        return f"{score}: {found.label} if above 0, {found.rival} if below"
    return f"{score}, {found.lead:.6g} more than for {found.rival}"


def _print_contributions(found: "Explanation", top: int) -> None:
    ranked = found.largest_first()
    rows = []
    for one in ranked[:top]:
        rows.append([one.column, _cell(one.value), f"{one.amount:+.6g}"])
        rows += _word_rows(one.words or (), top)
    rest = ranked[top:]
    if rest:
        together = sum(one.amount for one in rest)
        rows.append([f"and {len(rest):,} more columns", "", f"{together:+.6g}"])
    rows.append(["(intercept)", "", f"{found.intercept:+.6g}"])
    rows.append(["score", "", f"{found.score:+.6g}"])
    print_table(["column", "value", "contribution"], rows)


def _word_rows(words: "Sequence[tuple[str, float]]", top: int) -> list[list[str]]:
    rows = [[f"  {word}", "", f"{amount:+.6g}"] for word, amount in words[:top]]
    rest = [amount for _, amount in words[top:]]
    if rest:
        rows.append([f"  and {len(rest):,} more words", "", f"{sum(rest):+.6g}"])
    return rows


def _cell(value: object) -> str:
    if value is None:
        return "missing"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
