"""Make the pictures of the README, from scripts of the gallery: ``python docs/readme_pictures.py``.

The site makes all its pictures when it is built; the README has none that are made for it, so these are
files of the repository.
"""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

mpl.use("agg")

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "_static" / "pictures"
NAMES = ("plane", "hulls", "convergence")


def main() -> None:
    """Write one file for each script."""
    PICTURES.mkdir(exist_ok=True)
    for name in NAMES:
        runpy.run_path(str(ROOT / "examples" / "gallery" / f"plot_{name}.py"))
        path = PICTURES / f"{name}.png"
        plt.gcf().savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
        plt.close("all")
        print(path)


if __name__ == "__main__":
    main()
