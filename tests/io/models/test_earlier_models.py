"""Model files that earlier versions of this library wrote are read, and decide as they did.

``models/`` has one of each kind, written before the learned state was moved to where it is now, and
``predictions.json`` what each predicted. One row of ``kernel`` is a tie but for rounding, which decided
differently for the row alone and in a batch: what it said of the row alone is what it says now.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import Outcome, Perceptron, load
from rosenblatt.io.models.model_document import document_of, model_of

FOLDER = Path(__file__).parent / "earlier"
KNOWN = json.loads((FOLDER / "predictions.json").read_text())
X = np.array(KNOWN["X"])


def decided(name: str, model: Any) -> list[Any]:
    if name == "dicts":
        return [model.predict_one({f"f{j}": v for j, v in enumerate(x) if v}) for x in X]
    found: list[Any] = model.predict((X > 0).astype(float) if name == "winnow" else X).tolist()
    return found


@pytest.mark.parametrize("name", KNOWN["predictions"])
def test_a_model_of_an_earlier_version_decides_as_it_did(name: str) -> None:
    model = load(FOLDER / f"{name}.safetensors")
    assert decided(name, model) == KNOWN["predictions"][name]


@pytest.mark.parametrize("name", ["last", "average", "open_stream", "pa_stream", "kernel_stream"])
def test_it_goes_on_learning(name: str) -> None:
    model = load(FOLDER / f"{name}.safetensors")
    before = model.n_mistakes_
    model.partial_fit(X, model.predict(-X))
    assert model.n_mistakes_ > before


def test_a_model_that_has_learned_nothing() -> None:
    assert load(FOLDER / "unfitted.safetensors").eta0 == 0.5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize(
    ("labels", "former", "now"),
    [("0011", "MIXED", Outcome.SEPARATED), ("0101", "MIXED_BUDGET", Outcome.MIXED)],
)
def test_a_mixed_run_is_told_as_it_is_now(
    labels: str, former: str, now: Outcome, record: bool
) -> None:
    model = Perceptron(shards=2, max_iter=20).fit([[0.0], [1.0], [2.0], [3.0]], list(labels))
    assert model.outcome_ is now
    document, tensors = document_of(model, {}, record=record)
    run = document["run"]["run"]
    run["outcome"] = {"outcome": former}
    if record:
        del run["ledger"]["ledger"]["shards"]
    again, _ = model_of(document, tensors)
    assert again.outcome_ is now
    assert not record or again.ledger_.shards == 2
    as_written, _ = model_of(*document_of(model, {}, record=record))
    assert as_written.outcome_ is now
