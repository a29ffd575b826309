"""Learning and predicting against scikit-learn and River: the works of `rosenblatt bench`.

    python benchmarks/learning.py [--data FOLDER] [--repeats 5] [--only NAME] [--small] [--json]

The same as the command, for those who look for measurements here. What is measured, and how each side
does it, is in `rosenblatt.cli.bench.works`.
"""

import sys

from rosenblatt.cli import run

if __name__ == "__main__":
    sys.exit(run(["bench", *sys.argv[1:]]))
