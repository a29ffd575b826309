"""`rosenblatt bench`: measure works against their peers, and print the table."""

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt import __version__
from rosenblatt.cli.options import Json
from rosenblatt.cli.progress import standing
from rosenblatt.cli.report import print_columns, print_json, seconds_text
from rosenblatt.core.errors import InputError

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.cli.bench.measurement import Row
    from rosenblatt.cli.bench.works import Work

_SMALLER = 100
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "river")
_HEADS = ["work", "ours", "peer", "ratio", "shuffled", "×limit"]
_WIDTHS = [21, 9, 9, 8, 8, 7]
_NOTES = """
Medians of {} repeats in turn, in one process, {} threads; of a stream, the time for one sample.
ratio: the peer's time over ours, samples in the given order, the peer's best n_jobs.
shuffled: the same ratio where the peer shuffles, its default.
×limit: our time for an epoch over that of reading the samples' bytes once.
Warm-up: {} more in the first calls, which compile the kernels or load them from the cache."""


def bench(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="A folder with fashion_mnist/ (the original idx .gz files) and news20/news20.bz2; "
            "what is not there is drawn at random, or left out.",
            show_default=False,
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each time is taken.")] = 5,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="Only the work of this name; may be repeated.", show_default=False
        ),
    ] = None,
    small: Annotated[
        bool, typer.Option("--small", help="A hundredth of the samples, for a quick look.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure the learners against scikit-learn and River, in turn and on the same data."""
    from rosenblatt.cli.bench.bench_data import MissingError, Source
    from rosenblatt.cli.bench.measurement import measure
    from rosenblatt.cli.bench.works import THREADS, WORKS

    if data is not None and not data.is_dir():
        raise InputError(f"--data {data}: there is no such folder")
    works = _chosen(WORKS, only or [])
    source = Source(data, _SMALLER if small else 1)
    if not json:
        print_columns(_HEADS, _WIDTHS)
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    for number, work in enumerate(works, start=1):
        try:
            with standing(f"{number} of {len(works)}: {work.name} ({work.title})"):
                row = measure(work, source, repeats)
        except MissingError as error:
            if only:
                raise InputError(f"{work.name}: {error}") from error
            skipped[work.name] = str(error)
        else:
            rows.append(row)
        if not json:
            _print_line(work.name, skipped.get(work.name) or row)
    warm_up = sum(row.times["ours"].warm_up for row in rows)
    if json:
        print_json(
            {
                "works": [{**row.work._asdict(), **row.facts()} for row in rows],
                "skipped": skipped,
                "warm_up_seconds": warm_up,
                "repeats": repeats,
                "threads": THREADS,
                "small": small,
                "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
                "versions": _versions(),
            }
        )
        return
    _print_details(rows)
    print(_NOTES.format(repeats, THREADS, seconds_text(warm_up)))
    if small:
        print("A hundredth of the samples: these figures say nothing about speed.")
    print(", ".join(f"{name} {version}" for name, version in _versions().items()))


def _chosen(works: "Sequence[Work]", only: list[str]) -> "list[Work]":
    names = [work.name for work in works]
    for name in only:
        if name not in names:
            raise InputError(f"--only {name}: there is no such work; there are {', '.join(names)}")
    return [work for work in works if not only or work.name in only]


def _print_line(name: str, row: "Row | str") -> None:
    """Print a row of the table, or why there is none."""
    if isinstance(row, str):
        _print_note(name, row)
        return
    print_columns(
        [
            name,
            _time(row.seconds("ours")),
            _time(row.seconds("peer")),
            _times(row.ratio()),
            _times(row.ratio("shuffled")),
            _times(row.limit_ratio),
        ],
        _WIDTHS,
    )


def _print_note(name: str, text: str) -> None:
    print_columns([name, f" {text}"], [_WIDTHS[0], 0])


def _time(seconds: float | None) -> str:
    return "" if seconds is None else seconds_text(seconds)


def _times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.3g}×" if ratio < 1000 else f"{ratio:,.0f}×"


def _print_details(rows: "Sequence[Row]") -> None:
    """Print what each work is, and what our run did."""
    print()
    for row in rows:
        configuration = f" ({row.configuration})" if row.configuration else ""
        text = f"{row.work.title}; {row.data}; peer {row.work.peer}{configuration}"
        done = row.exactness
        if done is not None:
            text += f"; mistakes {done.mistakes:,}; exact sums {done.exact_sums:,}"
            text += f", {done.exact_share:.2g} of the visits"
            if done.epochs < row.epochs:
                text += f"; ours was done after {done.epochs} of {row.epochs} epochs"
        _print_note(row.work.name, text)


def _versions() -> dict[str, str]:
    versions = {"rosenblatt": __version__}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions
