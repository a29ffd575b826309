"""Small HTML for notebooks: escaped, and without colours of its own, to be read on dark pages too."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TypeVar

MOST_ROWS = 40
"""How many rows of a longer table are shown: half of them from its begin, half from its end."""

# Notebooks put the text of cells to the right, and rules for cells are stronger than one for the table.
_LEFT = ' style="text-align:left"'
_Item = TypeVar("_Item")


class HtmlSentence:
    """Something whose text is a name, a colon and a sentence, and which notebooks show like that.

    A class to inherit from, for an Enum may have a method of this name, but not define it.

    >>> class Rule(HtmlSentence):
    ...     def __str__(self):
    ...         return "SMALL: x < 1"
    >>> Rule()._repr_html_()
    '<strong>SMALL</strong>: x &lt; 1'
    """

    def _repr_html_(self) -> str:
        name, _, sentence = str(self).partition(": ")
        return f"<strong>{escape(name)}</strong>: {escape(sentence)}"


def fact_table(facts: Mapping[str, str], caption: str) -> str:
    """Return a table with a row for each name and what it is.

    >>> print(fact_table({"Margin": "< 1"}, "A & B"))
    <table>
    <caption>A &amp; B</caption>
    <tr><th scope="row" style="text-align:left">Margin</th><td style="text-align:left">&lt; 1</td></tr>
    </table>
    """
    rows = (
        f'<tr><th scope="row"{_LEFT}>{escape(name)}</th>{_cell(text)}</tr>'
        for name, text in facts.items()
    )
    return "\n".join(["<table>", f"<caption>{escape(caption)}</caption>", *rows, "</table>"])


def item_table(
    head: Sequence[str],
    items: Sequence[_Item],
    cells: Callable[[_Item], Sequence[str]],
    *,
    caption: str,
    noun: str,
    is_marked: Callable[[_Item], bool] = lambda _: False,
) -> str:
    """Return a table with a row for each item; of many, the middle is left out, and counted there.

    ``cells`` says what is in the row of an item, and rows that are marked are bold.

    >>> text = item_table(["n"], range(100), lambda n: [str(n)], caption="All", noun="numbers")
    >>> text.splitlines()[23]
    '<tr><td colspan="1" style="text-align:left">… 60 numbers left out …</td></tr>'
    """
    half = MOST_ROWS // 2
    n_left_out = len(items) - MOST_ROWS
    first, last = (items, items[:0]) if n_left_out <= 0 else (items[:half], items[-half:])

    def row(item: _Item) -> str:
        bold = ' style="font-weight:bold"' if is_marked(item) else ""
        return f"<tr{bold}>{''.join(map(_cell, cells(item)))}</tr>"

    lines = ["<table>", f"<caption>{escape(caption)}</caption>", _head(head), *map(row, first)]
    if n_left_out > 0:
        text = f"… {n_left_out:,} {escape(noun)} left out …"
        lines.append(f'<tr><td colspan="{len(head)}"{_LEFT}>{text}</td></tr>')
    return "\n".join([*lines, *map(row, last), "</table>"])


def paragraphs(sentences: Sequence[str]) -> str:
    """Return a paragraph for each sentence.

    >>> paragraphs(["0 < 1"])
    '<p>0 &lt; 1</p>'
    """
    return "\n".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _head(names: Sequence[str]) -> str:
    cells = (f'<th scope="col"{_LEFT}>{escape(name)}</th>' for name in names)
    return f"<tr>{''.join(cells)}</tr>"


def _cell(text: str) -> str:
    return f"<td{_LEFT}>{escape(text)}</td>"
