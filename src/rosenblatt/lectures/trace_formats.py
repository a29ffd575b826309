"""How a trace is written: as plain text, Markdown or LaTeX for people, as CSV for a spreadsheet.

What is for people leaves out a last epoch that changes nothing, rounds to six digits and ends with a few
sentences, which have no sign that Markdown or LaTeX would read as its own. CSV has every visit, with all
digits.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.core.html import html_table
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
    square: str
    at_most: str

    def vector(self, values: tuple[float, ...]) -> str:
        return self.formula.format(f"({', '.join(self.number(value) for value in values)})")

    def scalar(self, value: float) -> str:
        return self.formula.format(self.number(value))

    def equation(self, weights: tuple[float, ...], *, has_intercept: bool) -> str:
        """Return where the score is 0, such as ``2·x1 - x2 = 0``."""
        offset, coef = _split(weights, has_intercept=has_intercept)
        terms = [(c, self.variable.format(k)) for k, c in enumerate(coef, start=1)]
        text = ""
        for value, name in [*terms, (offset, "")]:
            if value == 0.0:
                continue
            size = "" if name and abs(value) == 1.0 else self.number(abs(value))
            product = f"{size}{self.times}{name}" if size and name else size + name
            sign = "-" if value < 0 else "+"
            text += f" {sign} {product}" if text else f"{'-' if value < 0 else ''}{product}"
        return self.formula.format(f"{text} = 0")

    def gain(self, run: "Trace") -> str:
        """Return by how much an update raises the score."""
        steps = {visit.step for visit in run if visit.update}
        if len(steps) != 1:
            return f"its step times {self.formula.format(self.square)}"
        step = steps.pop()
        rate = "" if step == 1.0 else self.number(step) + self.times
        return self.formula.format(rate + self.square)


def _split(weights: tuple[float, ...], *, has_intercept: bool) -> tuple[float, tuple[float, ...]]:
    """Return the intercept, 0 if there is none, and the coefficients."""
    return (weights[0], weights[1:]) if has_intercept else (0.0, weights)


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


_PLAIN = _Notation(_plain_number, "x{}", "·", "{}", "w·x", "‖x‖²", "≤")
_LATEX = _Notation(_latex_number, "x_{{{}}}", " ", "${}$", r"w \cdot x", r"\|x\|^{2}", r"\le")


def as_text(run: "Trace") -> str:
    """Return the table with aligned columns, and how the run ended."""
    lines = ["  ".join(cells).rstrip() for cells in aligned(_cells(run, _PLAIN))]
    return "\n".join([*lines, "", *_ending(run, _PLAIN)])


def as_markdown(run: "Trace") -> str:
    """Return the table with pipes between its cells, and how the run ended."""
    lines = [f"| {' | '.join(cells)} |" for cells in aligned(_cells(run, _PLAIN))]
    return "\n".join([*lines, "", *_ending(run, _PLAIN)])


def as_latex(run: "Trace") -> str:
    """Return the table as a tabular, and how the run ended."""
    head, *rows = [rf"{' & '.join(cells)} \\" for cells in _cells(run, _LATEX)]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{rllrllr}",
        r"\toprule",
        head,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, "", *_ending(run, _LATEX)])


def as_html(run: "Trace") -> str:
    """Return the table, of a long run without its middle, and how the run ended as its caption."""
    caption = " ".join(_ending(run, _PLAIN))
    return html_table(caption, _head(_PLAIN), _shown(run), lambda visit: _row(visit, _PLAIN))


def as_csv(run: "Trace") -> str:
    """Return one line for each visit, below a line of names."""
    first = 0 if run.has_intercept else 1
    places = range(first, first + len(run.weights))
    names = [f"{what}{k}" for what in ("x", "before", "after") for k in places]
    lines = [",".join(["epoch", "row", "update", "score", *names, "score_after"])]
    for visit in run:
        vectors = (*visit.sample, *visit.weights_before, *visit.weights_after)
        numbers = (visit.score, *vectors, visit.score_after)
        is_update = "true" if visit.update else "false"
        lines.append(",".join([f"{visit.epoch},{visit.row},{is_update}", *map(repr, numbers)]))
    return "\n".join(lines) + "\n"


def _cells(run: "Trace", notation: _Notation) -> Iterator[Cells]:
    """Yield the head of the table, and a row for each visit that is shown."""
    yield _head(notation)
    for visit in _shown(run):
        yield _row(visit, notation)


def _head(notation: _Notation) -> Cells:
    score = notation.formula.format(notation.score)
    names = ("epoch", "sample", "weights before", score, "update", "weights after")
    return *names, f"{score} after"


def _row(visit: "Visit", notation: _Notation) -> Cells:
    return (
        str(visit.epoch),
        notation.vector(visit.sample),
        notation.vector(visit.weights_before),
        notation.scalar(visit.score),
        "yes" if visit.update else "no",
        notation.vector(visit.weights_after),
        notation.scalar(visit.score_after),
    )


def _shown(run: "Trace") -> "list[Visit]":
    """Return the visits of all epochs but a last one that changes nothing."""
    last = run.visits[-1].epoch if run.outcome is Outcome.SEPARATED else None
    return [visit for visit in run if visit.epoch != last]


def aligned(lines: Iterator[Cells]) -> Iterator[Cells]:
    """Yield cells as wide as the widest of their column, and dashes below the first line."""
    head, *rows = lines
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for line in (head, tuple("-" * width for width in widths), *rows):
        yield tuple(cell.ljust(width) for cell, width in zip(line, widths, strict=True))


def _ending(run: "Trace", notation: _Notation) -> Iterator[str]:
    """Yield what an update does, if there was one, how the run ended, and with what."""
    if run.margin > 0.0:
        due = f"{notation.score} {notation.at_most} {notation.number(run.margin)}"
        yield f"An update is due where {notation.formula.format(due)}."
    if any(visit.update for visit in run):
        score = notation.formula.format(notation.score)
        yield f"An update raises {score} by {notation.gain(run)}."
    last = run.visits[-1].epoch
    if run.outcome is Outcome.SEPARATED:
        yield f"Epoch {last} changes nothing."
    elif run.cycle is not None:
        yield f"E{str(run.cycle)[1:]}."
    else:
        yield f"Stopped after epoch {last}: {run.outcome.sentence}."
    yield f"Final weights {notation.vector(run.weights)}: {_place(run, notation)}."


def _place(run: "Trace", notation: _Notation) -> str:
    """Return where the score is 0, in words."""
    offset, coef = _split(run.weights, has_intercept=run.has_intercept)
    kind = {1: "point", 2: "line", 3: "plane"}.get(len(coef), "hyperplane")
    if any(coef):
        return f"the {kind} {notation.equation(run.weights, has_intercept=run.has_intercept)}"
    if offset == 0.0:
        return f"no {kind}, for every score is 0"
    side = "positive" if offset > 0.0 else "negative"
    return f"no {kind}, for every sample is on the {side} side"
