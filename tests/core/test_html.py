"""HTML tables for notebooks show what the text forms say, escaped and without colors."""

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import History, Outcome, Perceptron, convergence, separate, trace
from rosenblatt.core.html import MOST_ROWS, html_table
from rosenblatt.lectures.trace import worked_example

AND = [[0, 0], [0, 1], [1, 0], [1, 1]]
EVIL = ["<script>alert('&amp;')</script>", 'x" onload="y']


class Page(HTMLParser):
    """Parses a table's rows and caption; raises if there is anything else."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.rows: list[list[str]] = []
        self.caption = ""
        self.feed(html)
        self.close()
        assert self.tags == []
        assert not re.search(r"color|background", html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ["table", "caption", "tr", "th", "td"]
        assert {name for name, _ in attrs} <= {"style"}
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.tags.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["caption"]:
            self.caption += data
        elif self.tags[-1:] in (["th"], ["td"]):
            self.rows[-1][-1] += data
        else:
            assert not data.strip()


def shown(thing: Any) -> Page:
    return Page(thing._repr_html_())


def test_a_trace_shows_the_table_and_ending_of_its_text() -> None:
    run = worked_example()
    page, (table, ending) = shown(run), run.table().split("\n\n")
    head, _, *rows = [re.split(" {2,}", line) for line in table.splitlines()]
    assert page.rows == [head, *rows]
    assert page.caption.split() == ending.split()


def test_a_long_trace_omits_rows_in_the_middle_and_counts_them() -> None:
    run = trace([[1.0], [1.01]], ["a", "b"], max_iter=60)
    assert run.outcome is Outcome.BUDGET
    page, full = shown(run), run.table().split("\n\n")[0].splitlines()[2:]
    half = MOST_ROWS // 2
    assert page.rows[half + 1] == [f"… {len(run) - MOST_ROWS} rows left out …"]
    kept = [*full[:half], *full[-half:]]
    assert page.rows[1 : half + 1] + page.rows[half + 2 :] == [re.split(" {2,}", k) for k in kept]


def test_a_convergence_proof_shows_its_table() -> None:
    proof = convergence(worked_example())
    page = shown(proof)
    head, _, start, *rows = proof.table().splitlines()
    assert page.rows[0] == re.split(" {2,}", head)
    assert [cell for cell in page.rows[1] if cell] == start.split()
    assert page.rows[2:] == [row.split() for row in rows]
    assert page.caption == str(proof)


def test_separations_show_their_parts() -> None:
    pair = separate(AND, ["no", "no", "no", "yes"])
    rows = dict(shown(pair).rows)
    assert rows["Verdict"] == str(pair)
    assert f"{pair.mistake_bound}" in rows["Mistake bound"]
    assert "maximum margin (augmented) is 0.242536" in rows["Margin"]
    xor = separate(AND, ["no", "yes", "yes", "no"])
    assert dict(shown(xor).rows) == {"Verdict": str(xor), "Conflict": str(xor.conflicts[0])}
    three = separate([[1, 0], [0, 1], [-1, -1]], ["a", "b", "c"])
    page = shown(three)
    assert page.caption == "Separability of 3 classes"
    assert [name for name, _ in page.rows][-3:] == [f"{one} vs not {one}" for one in "abc"]
    assert dict(page.rows)["Jointly, verdict"] == str(three)


def test_omitted_conflicts_are_counted() -> None:
    X = np.repeat(np.arange(8.0), 2)[:, None]
    result = separate(X, ["a", "b"] * 8)
    rows = dict(shown(result).rows)
    assert rows["More"] == f"{len(result.conflicts) - 5} more conflicts; conflicts lists them all"


def test_a_history_has_a_row_for_each_epoch() -> None:
    history = Perceptron(order="cyclic").fit(AND, ["no", "no", "no", "yes"]).history_
    page = shown(history)
    assert [int(row[1]) for row in page.rows[1:]] == history.mistakes.tolist()
    assert [int(row[2]) for row in page.rows[1:]] == history.updates.tolist()
    assert [row[3] for row in page.rows[1:]] == [""] * (len(history) - 1) + ["0"]
    assert page.caption == f"{len(history)} epochs, {history.mistakes.sum()} mistakes"
    assert shown(History()).rows[1:] == []


def test_a_ledger_starts_with_the_samples_with_most_mistakes() -> None:
    ledger = Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1]).ledger_
    page = shown(ledger)
    assert page.rows == [["row", "mistakes"], ["2", "5"], ["0", "2"]]
    assert page.caption.startswith("7 mistakes on 2 of 3 samples")
    three = Perceptron().fit([[1, 0], [0, 1], [-1, -1]], ["a", "<b>", "c"]).ledger_
    head, *rows = shown(three).rows
    assert head == ["row", "mistakes", "<b>", "a", "c"]
    assert all(int(row[1]) == sum(map(int, row[2:])) for row in rows)


def test_labels_are_escaped() -> None:
    result = separate([[1.0], [1.0]], EVIL)
    assert "<script" not in result._repr_html_()
    assert dict(shown(result).rows)["Conflict"] == str(result.conflicts[0])


_TEXTS = st.text().map(lambda text: text.replace("\r", ""))


@given(st.lists(st.tuples(_TEXTS, _TEXTS), max_size=MOST_ROWS))
def test_any_text_is_escaped_and_parsed_back(facts: list[tuple[str, str]]) -> None:
    assert Page(html_table("facts", [], facts, list)).rows == [list(fact) for fact in facts]


@given(st.integers(0, 3 * MOST_ROWS))
def test_shown_and_omitted_rows_add_up(n: int) -> None:
    html = html_table("", ["n"], range(n), lambda k: [str(k)])
    rows = [cell for (cell,) in Page(html).rows[1:]]
    left_out = [int(part) for row in rows for part in re.findall(r"… (\d+) rows left out …", row)]
    assert len(rows) - len(left_out) + sum(left_out) == n
    assert len(rows) <= MOST_ROWS + 1
    assert n == 0 or (rows[0], rows[-1]) == ("0", str(n - 1))
