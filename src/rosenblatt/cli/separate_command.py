"""`rosenblatt separate` and `rosenblatt verify`: decide separability, and check a certificate."""

from collections.abc import Iterator
from contextlib import contextmanager
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
    LabeledData,
    Missing,
    NoIntercept,
    Numeric,
    Plot,
    Scale,
    Scales,
    TextColumns,
    TimeLimit,
    Verbose,
    check_plot,
    column_options,
)
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import (
    lone_class_lines,
    named_in_errors,
    print_facts,
    print_json,
    print_line,
    time_text,
)
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, read_text, write_atomically

Margin = StrEnum("Margin", ["augmented", "affine"])

_ONE_LABEL = (
    "with an intercept there is nothing to separate: use --no-intercept to look for a hyperplane "
    "through the origin that has all samples on one side"
)
_SEPARATING = "Separating"


def separate(
    data: LabeledData = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="Write the proof to this file; with more than two classes, the joint one.",
            show_default=False,
        ),
    ] = None,
    plot: Plot = None,
    json: Json = False,
    verbose: Verbose = False,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Find the margin as a rational number.", rich_help_panel=_SEPARATING
        ),
    ] = False,
    margin: Annotated[
        Margin,
        typer.Option(
            "--margin",
            metavar="NAME",
            help="Divide by the length of all weights (augmented), or all but the intercept (affine).",
            rich_help_panel=_SEPARATING,
        ),
    ] = Margin.augmented,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            metavar="SHARE",
            help="The relative precision of the margin.",
            rich_help_panel=_SEPARATING,
        ),
    ] = 1e-6,
    time_limit: TimeLimit = None,
    no_intercept: NoIntercept = False,
    label: Label = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    numeric: Numeric = None,
    text: TextColumns = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    scale: Scale = Scales.none,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Decide whether a hyperplane separates the classes; prove it."""
    from rosenblatt.cli.column_report import column_lines
    from rosenblatt.cli.open_samples import read_samples, samples_paths
    from rosenblatt.cli.separation_report import separation_facts
    from rosenblatt.io import Reading
    from rosenblatt.separability.results.result import Separations
    from rosenblatt.separability.results.result_text import joint_lines, separation_lines
    from rosenblatt.separability.separate import separate as decide

    if margin is Margin.affine and no_intercept:
        raise InputError("--margin affine needs an intercept: leave --no-intercept out")
    if certificate is not None:
        check_writable(certificate, "certificate", *samples_paths(data))
    check_plot(plot, samples_paths(data), certificate)
    columns = column_options(ignore, categorical, text, missing, scale, numeric=numeric)
    reading = Reading(kind.value, label, header, decimal)
    options: dict[str, Any] = {
        "fit_intercept": not no_intercept,
        "margin": margin.value,
        "tolerance": tolerance,
        "exact": exact,
        "time_limit": time_limit,
    }
    one_label = None if no_intercept else _ONE_LABEL
    samples = read_samples(data, reading, columns, one_label)
    watch = Stopwatch()
    with named_in_errors(samples.file), spinning("deciding"):
        result = decide(samples.X, samples.y, **options)
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if certificate is not None:
        proof = result.certificate
        if proof is None:
            raise InputError(f"{certificate}: not written, because the verdict is {result}")
        write_atomically(certificate, proof.to_json().encode())
    if plot is not None:
        from rosenblatt.cli.report_pictures import draw_separation

        draw_separation(plot, samples, result)
    if json:
        print_json(
            {
                **separation_facts(result, samples),
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
        verdicts = joint_lines(result, samples.text_of, "--json", margins=verbose)
    else:
        verdicts = separation_lines(result, samples.text_of, "--json")
    lines = {
        "Data": samples.text(),
        **lone_class_lines(samples.by_class),
        **column_lines(samples.preparation),
        **samples.leak_lines(),
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
        Path,
        typer.Argument(metavar="CERTIFICATE", help="A certificate, from 'separate --certificate'."),
    ],
    data: LabeledData = None,
    json: Json = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Check everything in whole numbers, without floats.")
    ] = False,
    label: Label = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    numeric: Numeric = None,
    text: TextColumns = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    scale: Scale = Scales.none,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Check a certificate against its data.

    The exit code is 0 if it is true, 1 if it is false and 2 if it cannot be read.

    Use the same options as for 'separate'.
    """
    from rosenblatt.certificates import from_json
    from rosenblatt.certificates.json_values import max_document_bytes
    from rosenblatt.cli.open_samples import read_samples
    from rosenblatt.io import Reading

    columns = column_options(ignore, categorical, text, missing, scale, numeric=numeric)
    reading = Reading(kind.value, label, header, decimal)
    samples = read_samples(data, reading, columns, None)
    limit = max_document_bytes(len(samples.y), samples.X.shape[1], samples.classes.tolist())
    with _models_named(certificate):
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
        print_line(f"TRUE: {proof.claim}")
    else:
        hint = "; use the options that 'separate' had" if "digest" in falsehood else ""
        print_line(f"FALSE: {falsehood}{hint}")
    if falsehood is not None:
        raise typer.Exit(1)


@contextmanager
def _models_named(certificate: Path) -> Iterator[None]:
    """Raise a clearer error if the certificate is a model file."""
    try:
        yield
    except InputError as error:
        if certificate.is_file():
            with certificate.open("rb") as file:
                if file.read(24)[8:] == b'{"__metadata__":':  # a safetensors file
                    raise InputError(
                        f"{certificate}: this is a model, not a certificate"
                    ) from error
        raise
