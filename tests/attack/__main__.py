"""Run attacks and print their table: ``python -m attack [--seed N] [--scale X] [NAME ...]``."""

import argparse
import sys

from attack.plan import ANSWERS, DAMAGE, SEED


def main() -> int:
    """Run the named attacks, or all; return 1 if one of them found a failure."""
    attacks = {attack.name: attack for attack in [*ANSWERS, *DAMAGE]}
    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(attacks))
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--scale", type=float, default=1.0, help="factor for the default counts")
    given = parser.parse_args()
    unknown = set(given.names) - set(attacks)
    if unknown:
        parser.error(f"there is no attack {', '.join(sorted(unknown))}: use {', '.join(attacks)}")
    failed = False
    print("| attack | what must hold | tried | failures |\n|---|---|---|---|")
    for name, (run, count) in attacks.items():
        if not given.names or name in given.names:
            report = run(given.seed, max(1, round(count * given.scale)))
            print(report.row(), flush=True)
            for failure in report.failures:
                print(f"{report.name}: {failure}", file=sys.stderr)
            failed = failed or report.n_failures > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
