"""`rosenblatt bench`: measure works against their peers, and print the table."""

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from rosenblatt import __version__
from rosenblatt.cli.bench.bench_data import Source
from rosenblatt.cli.bench.contests import THREADS
from rosenblatt.cli.bench.missing import MissingError
from rosenblatt.cli.bench.row import Row, measure
from rosenblatt.cli.bench.works import WORKS, Work
from rosenblatt.cli.progress import standing
from rosenblatt.cli.report import print_columns, print_json, seconds_text
from rosenblatt.core.errors import InputError

_SMALLER = 100
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "river")
_HEADS = ["work", "ours", "peer", "ratio", "asked", "shuffled", "×limit", "asked", "reached"]
_WIDTHS = [21, 9, 9, 8, 5, 8, 7, 5, 7]


def bench_works(
    folder: Path | None, only: Sequence[str], *, repeats: int, small: bool, as_json: bool
) -> None:
    """Measure the works named, or all, and print how they compare."""
    if folder is not None and not folder.is_dir():
        raise InputError(f"--data {folder}: there is no such folder")
    works = _chosen(only)
    source = Source(folder, _SMALLER if small else 1)
    if not as_json:
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
        if not as_json:
            _print_line(work, skipped.get(work.name) or row)
    warm_up = sum(row.times["ours"].warm_up for row in rows)
    if as_json:
        print_json(
            {
                "works": [{**_work_facts(row.work), **row.facts()} for row in rows],
                "skipped": skipped,
                "warm_up_seconds": warm_up,
                "repeats": repeats,
                "threads": THREADS,
                "small": small,
                "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
                "versions": _versions(),
            }
        )
    else:
        _print_notes(rows, repeats=repeats, small=small, warm_up=warm_up)


def _chosen(only: Sequence[str]) -> list[Work]:
    names = [work.name for work in WORKS]
    for name in only:
        if name not in names:
            raise InputError(f"--only {name}: there is no such work; there are {', '.join(names)}")
    return [work for work in WORKS if not only or work.name in only]


def _work_facts(work: Work) -> dict[str, Any]:
    facts = work._asdict()
    del facts["contest"]
    return facts


def _print_line(work: Work, row: Row | str) -> None:
    if isinstance(row, str):
        print_columns([work.name, f" {row}"], [_WIDTHS[0], 0])
        return
    print_columns(
        [
            work.name,
            _time(row.seconds("ours")),
            _time(row.seconds("peer")),
            _times(row.ratio()),
            _times(work.asked),
            _times(row.ratio("shuffled")),
            _times(row.limit_ratio),
            _times(work.asked_limit),
            "yes" if row.reached else "no",
        ],
        _WIDTHS,
    )


def _time(seconds: float | None) -> str:
    return "" if seconds is None else seconds_text(seconds)


def _times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.3g}×" if ratio < 1000 else f"{ratio:,.0f}×"


def _print_notes(rows: Sequence[Row], *, repeats: int, small: bool, warm_up: float) -> None:
    """Print what each work is and what the columns mean."""
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
        print_columns([row.work.name, f" {text}"], [_WIDTHS[0], 0])
    print(
        "\n"
        f"Medians of {repeats} repeats in turn, in one process, {THREADS} threads; "
        "of a stream, the time for one sample.\n"
        "ratio: the peer's time over ours, samples in the given order, the peer's best n_jobs.\n"
        "shuffled: the same ratio where the peer shuffles, its default.\n"
        "×limit: our time for an epoch over that of reading the samples' bytes once.\n"
        f"Warm-up: {seconds_text(warm_up)} more in the first calls, which compile the kernels or "
        "load them from the cache."
    )
    if small:
        print("A hundredth of the samples: these figures say nothing about speed.")
    print(", ".join(f"{name} {version}" for name, version in _versions().items()))


def _versions() -> dict[str, str]:
    versions = {"rosenblatt": __version__}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions
