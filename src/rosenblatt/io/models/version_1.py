"""Model files of version 1: one value for each attribute that an estimator had then."""

from typing import Any

from rosenblatt.core.classes import Classes
from rosenblatt.core.types import Floats
from rosenblatt.estimators.association_layer import Connections
from rosenblatt.estimators.common.dual_classifier import DualLearned
from rosenblatt.estimators.common.learned import Features, Kept, Learned
from rosenblatt.estimators.common.run import Run
from rosenblatt.kernels.epochs.online_rules import Growth
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.rules.winnow_rule import Exponents

Fitted = dict[str, Any]


def state_of_version_1(estimator: Any, fitted: Fitted) -> tuple[Any, Run | None]:
    """Return what an estimator had learned, and its run; (None, None) if it had learned nothing."""
    if not fitted:
        return None, None
    columns = fitted.get("_columns")
    names = fitted.get("feature_names_in_") if columns is None else None
    features = Features(fitted["n_features_in_"], names, columns)
    if "cells_" in fitted:
        return Connections(features, fitted["cells_"]), None
    classes = Classes(fitted["classes_"], fitted["_open"], fitted.get("multilabel_", False))
    if "_hypothesis" in fitted:
        learned: Any = DualLearned(
            classes,
            features,
            fitted["_hypothesis"],
            fitted.get("_stream", estimator._kernel_rule),  # which files did not always have
            fitted["gamma_"],
            fitted["_n_seen"],
            fitted["n_kernel_terms_"],
        )
    else:
        learned = Learned(
            classes,
            features,
            fitted["_weights"],
            fitted["_visits"],
            fitted["_mistakes"],
            fitted["_origin"],
            fitted["_unit"],
            _kept(fitted),
        )
    return learned, _run(fitted)


def _kept(fitted: Fitted) -> Kept | None:
    """Return what was kept beside the last weights."""
    drift: Floats | None = fitted.get("_drift")
    if drift is not None:
        return Average(drift)
    if "_exponents" in fitted:
        base, kind, threshold = fitted["_stream"].tolist()
        return Exponents(fitted["_exponents"], Growth(base, int(kind), threshold))
    kept: Kept | None = fitted.get("_kept")
    return kept


def _run(fitted: Fitted) -> Run:
    return Run(
        outcome=fitted["outcome_"],
        history=fitted.get("history_"),
        n_iter=None if "history_" in fitted else fitted.get("n_iter_"),
        n_exact=fitted.get("n_exact_"),
        ledger=fitted.get("ledger_"),
        margins=_listed(fitted, "margin_"),
        certificates=_listed(fitted, "certificate_"),
        conflicts=fitted.get("conflicts_"),
        support=fitted.get("support_"),
        dual_coef=fitted.get("dual_coef_"),
    )


def _listed(fitted: Fitted, name: str) -> list[Any] | None:
    """Return an attribute that was one thing, or a list of one for each halfspace, as a list."""
    if name not in fitted:
        return None
    value = fitted[name]
    return value if isinstance(value, list) else [value]
