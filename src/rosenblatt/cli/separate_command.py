"""`rosenblatt separate` and `rosenblatt verify`: decide separability, and check a certificate."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import Format, Header, Json, Kind, Label, Labelled
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import named_in_errors, print_facts, print_json, time_text
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, read_text, write_whole

Margin = StrEnum("Margin", ["augmented", "affine"])


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
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Decide whether a hyperplane separates the classes, and write down the proof."""
    from rosenblatt.cli.open_samples import read_samples, samples_path
    from rosenblatt.cli.separation_report import separation_facts, separation_lines
    from rosenblatt.separability.result import Separations
    from rosenblatt.separability.separate import separate as decide

    if margin is Margin.affine and no_intercept:
        raise InputError("--margin affine has a free bias: leave --no-intercept out")
    if certificate is not None:
        check_writable(certificate, "certificate", samples_path(data))
    samples = read_samples(data, kind.value, label, header)
    decision = partial(
        decide,
        fit_intercept=not no_intercept,
        margin=margin.value,
        tolerance=tolerance,
        exact=exact,
        time_limit=time_limit,
    )
    watch = Stopwatch()
    with named_in_errors(samples.path), spinning("deciding"):
        result = decision(samples.table.X, samples.y)
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if certificate is not None:
        proof = (result.joint if isinstance(result, Separations) else result).certificate
        if proof is None:
            raise InputError(f"{certificate}: nothing was written, for the verdict is {result}")
        write_whole(certificate, proof.to_json().encode())
    if json:
        print_json(
            {
                **separation_facts(result),
                "data": samples.facts(),
                "parameters": decision.keywords,
                "seconds": seconds,
                "compile_seconds": compile_seconds,
                "certificate": None if certificate is None else str(certificate),
            }
        )
        return
    lines = {
        "Data": samples.text(),
        **separation_lines(result),
        "Time": time_text(seconds, compile_seconds),
    }
    if certificate is not None:
        lines["Certificate"] = str(certificate)
    print_facts(lines)


def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A certificate, from 'separate --certificate'.")
    ],
    data: Annotated[
        Path | None,
        typer.Argument(
            help="The file that it speaks of; without it, the bundled sonar set.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Leave nothing to floats: decide in whole numbers.")
    ] = False,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Check a certificate: exit code 0 if it is true, 1 if it is false, 2 if it cannot be read."""
    from rosenblatt.certificates import from_json
    from rosenblatt.certificates.json_values import most_bytes
    from rosenblatt.cli.open_samples import read_samples

    samples = read_samples(data, kind.value, label, header)
    limit = most_bytes(len(samples.y), samples.table.n_features, samples.classes.tolist())
    text = read_text(certificate, limit)
    with named_in_errors(certificate):
        proof = from_json(text)
    with spinning("checking"):
        falsehood = proof.falsehood(samples.table.X, samples.y, exact=exact)
    if json:
        print_json(
            {
                "certificate": str(certificate),
                "claim": proof.claim,
                "file": str(samples.path),
                "exact": exact,
                "true": falsehood is None,
                "falsehood": falsehood,
            }
        )
    elif falsehood is None:
        print(f"TRUE: {proof.claim}")
    else:
        print(f"FALSE: {falsehood}")
    if falsehood is not None:
        raise typer.Exit(1)
