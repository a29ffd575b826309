"""`rosenblatt separate` and `rosenblatt verify`: decide separability, and check a certificate."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.options import (
    Categorical,
    Decimal,
    Format,
    Header,
    Ignore,
    Json,
    Kind,
    Label,
    Labelled,
    Missing,
    Plot,
    Scale,
    TextColumn,
    check_plot,
)
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import named_in_errors, print_facts, print_json, time_text
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, read_text, write_atomically

Margin = StrEnum("Margin", ["augmented", "affine"])
ScaleRows = Annotated[
    Scale, typer.Option(help="As in 'learn'; unit: divide each row by its length.")
]

_ONE_LABEL = (
    "with an intercept there is nothing to separate: use --no-intercept to ask for a hyperplane through "
    "the origin that has all samples on one side"
)


def separate(
    data: Labelled = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            help="Write the proof to this file; of more than two classes, that of all jointly.",
            show_default=False,
        ),
    ] = None,
    plot: Plot = None,
    json: Json = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Find the margin as a rational number.")
    ] = False,
    margin: Annotated[
        Margin, typer.Option(help="With the constant feature, or with a free bias.")
    ] = Margin.augmented,
    tolerance: Annotated[float, typer.Option(help="How closely, as a part of the margin.")] = 1e-6,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0.001, help="The most seconds.", show_default=False),
    ] = None,
    no_intercept: Annotated[
        bool, typer.Option("--no-intercept", help="Only hyperplanes through the origin.")
    ] = False,
    scale: ScaleRows = Scale.none,
    label: Label = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    text: TextColumn = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Decide whether a hyperplane separates the classes, and write down the proof."""
    from rosenblatt.cli.column_report import column_lines
    from rosenblatt.cli.open_samples import read_samples, samples_paths
    from rosenblatt.cli.separability.separation_report import separation_facts
    from rosenblatt.io import Reading
    from rosenblatt.io.samples.preparation import ColumnOptions
    from rosenblatt.separability.results.result import Separations
    from rosenblatt.separability.results.result_text import joint_lines, separation_lines
    from rosenblatt.separability.separate import separate as decide

    if margin is Margin.affine and no_intercept:
        raise InputError("--margin affine has a free bias: leave --no-intercept out")
    if certificate is not None:
        check_writable(certificate, "certificate", *samples_paths(data))
    check_plot(plot, samples_paths(data), certificate)
    wanted = ColumnOptions(ignore or (), categorical or (), text or (), missing or (), scale.value)
    reading = Reading(kind.value, label, header, decimal)
    options: dict[str, Any] = {
        "fit_intercept": not no_intercept,
        "margin": margin.value,
        "tolerance": tolerance,
        "exact": exact,
        "time_limit": time_limit,
    }
    one_label = None if no_intercept else _ONE_LABEL
    samples = read_samples(data, reading, wanted, one_label)
    watch = Stopwatch()
    with named_in_errors(samples.file), spinning("deciding"):
        result = decide(samples.X, samples.y, **options)
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if certificate is not None:
        proof = (result.joint if isinstance(result, Separations) else result).certificate
        if proof is None:
            raise InputError(f"{certificate}: nothing was written, for the verdict is {result}")
        write_atomically(certificate, proof.to_json().encode())
    if plot is not None:
        from rosenblatt.cli.report_pictures import draw_separation

        draw_separation(plot, samples, result)
    if json:
        print_json(
            {
                **separation_facts(result, samples.places),
                "data": samples.facts(),
                "parameters": options,
                "seconds": seconds,
                "compile_seconds": compile_seconds,
                "certificate": None if certificate is None else str(certificate),
                "picture": None if plot is None else str(plot),
            }
        )
        return
    if isinstance(result, Separations):
        verdicts = joint_lines(result, samples.text_of, "--json")
    else:
        verdicts = separation_lines(result, samples.text_of, "--json")
    lines = {
        "Data": samples.text(),
        **column_lines(samples.preparation),
        **verdicts,
        "Time": time_text(seconds, compile_seconds),
    }
    if certificate is not None:
        lines["Certificate"] = str(certificate)
    if plot is not None:
        lines["Picture"] = str(plot)
    print_facts(lines)


def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A certificate, from 'separate --certificate'.")
    ],
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="The files it is about; by default the bundled table of loans.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Leave nothing to floats: decide in whole numbers.")
    ] = False,
    label: Label = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    text: TextColumn = None,
    missing: Missing = None,
    scale: ScaleRows = Scale.none,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Check a certificate: exit code 0 if it is true, 1 if it is false, 2 if it cannot be read."""
    from rosenblatt.certificates import from_json
    from rosenblatt.certificates.json_values import max_document_bytes
    from rosenblatt.cli.open_samples import read_samples
    from rosenblatt.io import Reading
    from rosenblatt.io.samples.preparation import ColumnOptions

    wanted = ColumnOptions(ignore or (), categorical or (), text or (), missing or (), scale.value)
    reading = Reading(kind.value, label, header, decimal)
    samples = read_samples(data, reading, wanted, None)
    limit = max_document_bytes(len(samples.y), samples.X.shape[1], samples.classes.tolist())
    written = read_text(certificate, limit)
    with named_in_errors(certificate):
        proof = from_json(written)
    with spinning("checking"):
        falsehood = proof.falsehood(samples.X, samples.y, exact=exact)
    if json:
        print_json(
            {
                "certificate": str(certificate),
                "claim": proof.claim,
                "file": samples.file,
                "exact": exact,
                "true": falsehood is None,
                "falsehood": falsehood,
            }
        )
    elif falsehood is None:
        print(f"TRUE: {proof.claim}")
    else:
        hint = "; use the options that 'separate' had" if "digest" in falsehood else ""
        print(f"FALSE: {falsehood}{hint}")
    if falsehood is not None:
        raise typer.Exit(1)
