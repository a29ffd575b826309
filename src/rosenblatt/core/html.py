"""HTML tables for notebooks: escaped, and without colors, so that they also work on dark pages."""

from collections.abc import Callable, Sequence
from html import escape
from typing import TypeVar

MOST_ROWS = 40
"""A longer table shows half this many rows from its beginning and half from its end."""

_LEFT = ' style="text-align:left"'  # notebooks align cells to the right
_Item = TypeVar("_Item")


def html_table(
    caption: str,
    head: Sequence[str],
    items: Sequence[_Item],
    cells: Callable[[_Item], Sequence[str]],
) -> str:
    """Return a table with one row of ``cells`` per item, below the column names in ``head``, if any.

    >>> print(html_table("A & B", ["n", "n²"], [2], lambda n: [str(n), str(n * n)]))
    <table>
    <caption>A &amp; B</caption>
    <tr><th style="text-align:left">n</th><th style="text-align:left">n²</th></tr>
    <tr><td style="text-align:left">2</td><td style="text-align:left">4</td></tr>
    </table>
    """
    half = MOST_ROWS // 2
    n_left_out = len(items) - MOST_ROWS
    lines = ["<table>", f"<caption>{escape(caption)}</caption>"]
    if head:
        lines.append(_row("th", head))
    if n_left_out <= 0:
        lines += [_row("td", cells(item)) for item in items]
    else:
        lines += [_row("td", cells(item)) for item in items[:half]]
        lines.append(_row("td", [f"… {n_left_out:,} rows left out …"]))
        lines += [_row("td", cells(item)) for item in items[-half:]]
    return "\n".join([*lines, "</table>"])


def _row(tag: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}{_LEFT}>{escape(text)}</{tag}>' for text in texts)}</tr>"
