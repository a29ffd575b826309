"""How a trace is written: as plain text, Markdown or LaTeX for people, as CSV for a spreadsheet.

What is for people leaves out a last epoch that changes nothing, rounds to six digits and ends with two
sentences, which have no sign that Markdown or LaTeX would read as its own. CSV has every visit, with all
digits.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.training.outcomes import Outcome

if TYPE_CHECKING:
    from rosenblatt.lectures.trace import Trace, Visit

Cells = tuple[str, ...]


class _Notation(NamedTuple):
    """How numbers and formulas are written; ``variable`` and ``formula`` are filled in by `format`."""

    number: Callable[[float], str]
    variable: str
    times: str
    formula: str
    score: str

    def vector(self, values: tuple[float, ...]) -> str:
        return self.formula.format(f"({', '.join(self.number(value) for value in values)})")

    def scalar(self, value: float) -> str:
        return self.formula.format(self.number(value))

    def equation(self, weights: tuple[float, ...], *, has_intercept: bool) -> str:
        """Return where the score is 0, such as ``2·x1 - x2 = 0``."""
        offset, coef = (weights[0], weights[1:]) if has_intercept else (0.0, weights)
        terms = [(c, self.variable.format(k)) for k, c in enumerate(coef, start=1)]
        text = ""
        for value, name in [*terms, (offset, "")]:
            if value == 0.0:
                continue
            size = "" if name and abs(value) == 1.0 else self.number(abs(value))
            product = f"{size}{self.times}{name}" if size and name else size + name
            sign = "-" if value < 0 else "+"
            text += f" {sign} {product}" if text else f"{'-' if value < 0 else ''}{product}"
        return self.formula.format(f"{text or '0'} = 0")


def _plain_number(value: float) -> str:
    return f"{value:.6g}"


def _latex_number(value: float) -> str:
    r"""Return a number for math mode, where a hyphen is a minus sign.

    >>> _latex_number(-0.5), _latex_number(-1e6), _latex_number(-1.5e-7)
    ('-0.5', '-10^{6}', '-1.5 \\cdot 10^{-7}')
    """
    digits, is_power, exponent = _plain_number(value).partition("e")
    if not is_power:
        return digits
    power = f"10^{{{int(exponent)}}}"
    return digits[:-1] + power if digits in ("1", "-1") else rf"{digits} \cdot {power}"


_PLAIN = _Notation(_plain_number, "x{}", "·", "{}", "w·x")
_LATEX = _Notation(_latex_number, "x_{{{}}}", " ", "${}$", r"w \cdot x")


def as_text(run: "Trace") -> str:
    """Return the table with aligned columns, and how the run ended."""
    lines = ["  ".join(cells).rstrip() for cells in _aligned(_cells(run, _PLAIN))]
    return "\n".join([*lines, "", *_ending(run, _PLAIN)])


def as_markdown(run: "Trace") -> str:
    """Return the table with pipes between its cells, and how the run ended."""
    lines = [f"| {' | '.join(cells)} |" for cells in _aligned(_cells(run, _PLAIN))]
    return "\n".join([*lines, "", *_ending(run, _PLAIN)])


def as_latex(run: "Trace") -> str:
    """Return the table as a tabular, and how the run ended."""
    head, *rows = [rf"{' & '.join(cells)} \\" for cells in _cells(run, _LATEX)]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{rllrll}",
        r"\toprule",
        head,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, "", *_ending(run, _LATEX)])


def as_csv(run: "Trace") -> str:
    """Return one line for each visit, below a line of names."""
    first = 0 if run.has_intercept else 1
    places = range(first, first + len(run.weights))
    names = [f"{what}{k}" for what in ("x", "before", "after") for k in places]
    lines = [",".join(["epoch", "row", "update", "score", *names])]
    for visit in run:
        numbers = (visit.score, *visit.sample, *visit.weights_before, *visit.weights_after)
        is_update = "true" if visit.update else "false"
        lines.append(",".join([f"{visit.epoch},{visit.row},{is_update}", *map(repr, numbers)]))
    return "\n".join(lines) + "\n"


def _cells(run: "Trace", notation: _Notation) -> Iterator[Cells]:
    """Yield the head of the table, and a row for each visit that is shown."""
    score = notation.formula.format(notation.score)
    yield "epoch", "sample", "weights before", score, "update", "weights after"
    for visit in _shown(run):
        yield (
            str(visit.epoch),
            notation.vector(visit.sample),
            notation.vector(visit.weights_before),
            notation.scalar(visit.score),
            "yes" if visit.update else "no",
            notation.vector(visit.weights_after),
        )


def _shown(run: "Trace") -> "list[Visit]":
    """Return the visits of all epochs but a last one that changes nothing."""
    last = run.visits[-1].epoch if run.outcome is Outcome.SEPARATED else None
    return [visit for visit in run if visit.epoch != last]


def _aligned(lines: Iterator[Cells]) -> Iterator[Cells]:
    """Yield cells as wide as the widest of their column, and dashes below the first line."""
    head, *rows = lines
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for line in (head, tuple("-" * width for width in widths), *rows):
        yield tuple(cell.ljust(width) for cell, width in zip(line, widths, strict=True))


def _ending(run: "Trace", notation: _Notation) -> tuple[str, str]:
    """Return how the run ended, in two sentences."""
    last, n_features = run.visits[-1].epoch, len(run.weights) - run.has_intercept
    kind = {1: "point", 2: "line", 3: "plane"}.get(n_features, "hyperplane")
    equation = notation.equation(run.weights, has_intercept=run.has_intercept)
    return (
        f"Epoch {last} changes nothing."
        if run.outcome is Outcome.SEPARATED
        else f"Stopped after epoch {last}: {run.outcome.sentence}.",
        f"Final weights {notation.vector(run.weights)}: the {kind} {equation}.",
    )
