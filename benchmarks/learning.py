"""Speed of learning and predicting, compared with scikit-learn and River.

    pip install river
    python benchmarks/learning.py [--data FOLDER] [--repeats 5] [--only NAME ...] [--small] [--json]

FOLDER contains `fashion_mnist/` (the original idx .gz files) and `news20/news20.bz2`. Without the first,
pixels are random; without the second, or without River, a row is left out. `--small` uses a hundredth of
the samples, only to check that the script runs. `works` defines what each side does.

Times are medians of repeats in turn, in one process; those of streams are per sample. "ratio" is the
peer's time over ours, with samples in the given order and the peer's best n_jobs; "shuffled" is the same
ratio if the peer shuffles, its default. "×limit" is our time per epoch over the time to read the
samples' bytes once.
"""

import argparse
import json
from pathlib import Path

from bench_data import MissingError, Source
from fresh import processor
from measurement import Row, measure
from works import WORKS


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=[work.name for work in WORKS])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    source = Source(options.data, 100 if options.small else 1)
    rows = []
    for work in WORKS:
        if options.only and work.name not in options.only:
            continue
        try:
            row = measure(work, source, options.repeats)
        except MissingError as error:
            if not options.json:
                print(f"{work.name:22} {error}")
            continue
        rows.append(row)
        if not options.json:
            print(line(row), flush=True)
    if options.json:
        works = [{"name": row.work.name, "title": row.work.title, **row.facts()} for row in rows]
        print(json.dumps({"works": works, "processor": processor()}, indent=2))


def line(row: Row) -> str:
    """Return a row of the table."""
    ours, peer = row.seconds("ours"), row.seconds("peer")
    text = f"{row.work.name:22} ours {ours:.3g} s  {row.work.peer} {peer:.3g} s"
    for name, ratio in (
        ("ratio", row.ratio()),
        ("shuffled", row.ratio("shuffled")),
        ("×limit", row.limit_ratio),
    ):
        text += "" if ratio is None else f"  {name} {ratio:.3g}"
    return f"{text}  ({row.data}, {row.configuration or 'one configuration'})"


if __name__ == "__main__":
    main()
