"""What learning on several workers costs: a round, two workers beside one, Ray, a lost worker.

    python benchmarks/cluster.py [--only rounds,mixing,epochs,restart] [--engines threads,ray]
                                 [--megabytes 500] [--epochs 5] [--repeats 5] [--quick] [--json FILE]

- **Rounds**: shards that only copy the weights, and change all of them or one in a hundred; the time
  from the driver's call to all answers, which have their weights whole. Each round has other weights
  than the one before. Two shards are in the table; 1, 4 and 8 of them, on two workers, are measured for
  `cluster_simulator.py`.
- **Mixing**: what the driver does with the answers.
- **Epochs**: text like that of `streams.py`, of which one worker learns for about a second an epoch, in
  two shards: with one worker, which has one core, and with two, which have two. The efficiency is the
  time of one worker over twice the time of two; and the same of the plain loop, which is one run of one
  shard on one core, over twice the time of two workers. Two plain loops at the same time, one on each
  core, each with half of the files, are what the machine can give: its cores share what they share.
- **Whole runs**, of two workers, with reading what the files hold, and the check of the result at the
  end: what an engine adds to the time of the same run on threads. It has started before, and its workers
  are there; how long that took is beside it.
- **Restart**: how much longer a round takes in which one of two workers is killed, less the time that it
  had worked until then.

Medians. ``--json FILE`` writes what `cluster_simulator.py` reads; ``--quick`` has small sizes and no
meaning.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cluster_rounds import SHARES, WEIGHTS, mixing, restarts, rounds
from cluster_runs import epochs, write_parts
from fresh import processor

from rosenblatt.cluster.engines.open_engine import ENGINES

Facts = dict[str, Any]
Part = tuple[Callable[[], Any], Callable[[Any], Iterator[str]]]


def round_lines(found: Sequence[Facts]) -> Iterator[str]:
    """Yield the table of rounds with two shards."""
    shown = {
        (one["engine"], one["weights"], one["changed"]): one for one in found if one["shards"] == 2
    }
    engines = list(dict.fromkeys(name for name, _, _ in shown))
    yield f"| weights | changed | {' | '.join(engines)} |"
    yield "|---" * (2 + len(engines)) + "|"
    for weights in dict.fromkeys(weights for _, weights, _ in shown):
        for share in SHARES:
            cells = [f"{1e3 * shown[name, weights, share]['seconds']:.3g} ms" for name in engines]
            changed = "all" if share == 1.0 else f"{100 * share:g} %"
            yield f"| {weights:,} | {changed} | {' | '.join(cells)} |"


def mixing_lines(found: Sequence[Facts]) -> Iterator[str]:
    """Yield the table of mixing."""
    yield "| weights | shards | mixing | a weight and shard |"
    yield "|---|---|---|---|"
    for one in found:
        each = one["seconds"] / (one["weights"] * one["shards"])
        yield (
            f"| {one['weights']:,} | {one['shards']} | {1e3 * one['seconds']:.3g} ms | "
            f"{1e9 * each:.2g} ns |"
        )


def epoch_lines(found: Facts) -> Iterator[str]:
    """Yield the table of two workers beside one."""
    seconds = {(one["engine"], one["workers"]): one["seconds"] for one in found["runs"]}
    plain, pair = found["one_process"], found["two_processes"]
    yield (
        f"{found['bytes'] / 1e6:.0f} MB, {found['rows']:,} samples, {found['weights']:,} weights, of "
        f"which the first epoch changes {100 * found['changed']:.0f} %; the same work varies by "
        f"{100 * found['noise']:.1f} %"
    )
    yield ""
    yield "| engine | one worker, s | two workers, s | efficiency | beside the plain loop |"
    yield "|---|---|---|---|---|"
    for name in dict.fromkeys(name for name, _ in seconds):
        one, two = seconds[name, 1], seconds[name, 2]
        yield f"| {name} | {one:.3f} | {two:.3f} | {one / two / 2:.2f} | {plain / two / 2:.2f} |"
    yield f"| plain loops, no engine | {plain:.3f} | {pair:.3f} | {plain / pair / 2:.2f} | |"
    yield ""
    whole = {one["engine"]: one for one in found["runs"] if one["workers"] == 2}
    other = "threads" if "threads" in whole else next(iter(whole))
    n_epochs = 1 + found["epochs"]
    yield f"| engine | whole run of {n_epochs} epochs, s | more than {other}, s | start, s |"
    yield "|---|---|---|---|"
    for name, one in whole.items():
        more = one["whole"] - whole[other]["whole"]
        yield f"| {name} | {one['whole']:.2f} | {more:+.2f} | {one['start']:.2f} |"


def restart_lines(found: Facts) -> Iterator[str]:
    """Yield the table of restarts."""
    yield "| engine | seconds lost with a worker |"
    yield "|---|---|"
    for name, seconds in found.items():
        yield f"| {name} | {seconds:.2f} |"


def installed(names: Sequence[str]) -> list[str]:
    """Return the engines that can be had."""
    needs = {"ray": "ray", "dask": "distributed"}
    return [name for name in names if name not in needs or find_spec(needs[name])]


def parts(options: argparse.Namespace, folder: Path) -> dict[str, Part]:
    """Return what can be measured, and how it is shown."""
    engines = installed(options.engines.split(","))
    quick, repeats = options.quick, options.repeats
    sizes = [size // 1000 for size in WEIGHTS] if quick else WEIGHTS
    megabytes = 8 if quick else options.megabytes
    n_epochs = 2 if quick else options.epochs
    return {
        "rounds": (lambda: list(rounds(engines, sizes, repeats)), round_lines),
        "mixing": (lambda: list(mixing(sizes, repeats)), mixing_lines),
        "epochs": (
            lambda: epochs(write_parts(folder, megabytes), engines, n_epochs, repeats),
            epoch_lines,
        ),
        "restart": (lambda: restarts(engines, 0.2, repeats), restart_lines),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="parts, with commas; by default all")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run?")
    parser.add_argument("--json", type=Path, help="write what was measured")
    options = parser.parse_args()
    # Workers that do not inherit where this process finds modules are to find `cluster_rounds`.
    found = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(found)
    document: Facts = {"processor": processor()}
    print(document["processor"])
    with tempfile.TemporaryDirectory() as folder:
        known = parts(options, Path(folder))
        for name in options.only.split(",") if options.only else known:
            measure, lines = known[name]
            document[name] = measure()
            print("", *lines(document[name]), sep="\n", flush=True)
    if options.json:
        options.json.write_text(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
