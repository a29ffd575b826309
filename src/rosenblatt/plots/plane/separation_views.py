"""The result of `separate`, prepared for a picture: the weights, or the hulls that intersect."""

from typing import NamedTuple

import numpy as np

from rosenblatt.certificates import HullIntersection
from rosenblatt.certificates.combination import row_counts
from rosenblatt.core.digits import interval_text
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.plots.plane.drawn_samples import DrawnSamples, drawn_samples
from rosenblatt.separability.results.result import Separation, Separations
from rosenblatt.separability.results.verdicts import Verdict


class Crossing(NamedTuple):
    """The samples as points, a point that all hulls contain, the rows of each hull, and a label."""

    points: Floats
    point: Floats
    hulls: list[Counts]
    label: str


def single_separation(separation: object) -> Separation:
    """Return the separation itself, or the joint one of several classes."""
    if isinstance(separation, Separations):
        return separation.joint
    if not isinstance(separation, Separation):
        name = type(separation).__name__
        raise InputError(f"separation is a {name}: give the result of rosenblatt.separate")
    return separation


def samples_by_side(separation: Separation, X: MatrixLike, y: LabelsLike) -> DrawnSamples:
    """Return the samples with the positive class as class 1, or with all classes if separated jointly.

    Raise InputError unless they have the shape of the separated samples.
    """
    samples = drawn_samples(X, y)
    certificate, positive = separation.certificate, separation.scope.positive
    if certificate is not None:
        expected = (certificate.digest.n_samples, certificate.digest.n_features)
        if samples.table.shape != expected:
            raise InputError(
                f"X has shape {samples.table.shape}, but the separated samples have shape {expected}: "
                "give the same samples"
            )
    if positive is None:
        return samples
    if positive not in samples.classes:
        raise InputError(
            f"y has no label {positive!r}, the positive class of the separation: give the same labels"
        )
    others = [label for label in samples.classes if label != positive]
    rest = others[0] if len(others) == 1 else f"not {positive}"
    codes = (samples.codes == samples.classes.index(positive)).astype(np.int64)
    return samples._replace(codes=codes, classes=[rest, positive])


def weights_of(separation: Separation) -> tuple[Floats | None, Floats | None]:
    """Return the weights, one row per halfspace, and the intercepts; (None, None) if not separable."""
    if separation.coef is None or separation.intercept is None:
        return None, None
    coef = np.atleast_2d(np.asarray(separation.coef, dtype=np.float64))
    return coef, np.atleast_1d(np.asarray(separation.intercept, dtype=np.float64))


def hull_crossing(
    separation: Separation, points: Floats, codes: Counts, kind: str
) -> Crossing | None:
    """Return a common point of the hulls, from the certificate's combination of rows, if there is one.

    Projections preserve linear combinations, so the combined point is in both projected hulls, too. For
    hyperplanes through the origin there is one hull, of the positive samples and the negated negative
    ones, and it contains the origin.
    """
    certificate = separation.certificate
    if not isinstance(certificate, HullIntersection) or separation.scope.is_joint:
        return None
    if not separation.scope.has_intercept:
        signed = points * np.where(codes == 1, 1.0, -1.0)[:, None]
        if kind == "strip":
            signed[:, 1] = points[:, 1]
        all_rows = np.arange(len(points))
        return Crossing(signed, np.zeros(2), [all_rows], "the origin, inside the hull")
    counts = {
        row: count for row, count in row_counts(certificate.combination).items() if codes[row] == 1
    }
    total = sum(counts.values())
    shares = np.array([count / total for count in counts.values()])
    point: Floats = shares @ points[list(counts)]
    hulls = [np.flatnonzero(codes == code) for code in (0, 1)]
    if kind == "strip":
        point[1] = 0.5
    coordinates = f": ({point[0]:.4g}, {point[1]:.4g})" if kind == "plane" else ""
    return Crossing(points, point, hulls, f"in both hulls{coordinates}")


def verdict_title(separation: Separation) -> str:
    """Return the verdict as the picture's title."""
    if separation.verdict is Verdict.SEPARABLE:
        interval = interval_text(separation.margin.lower, separation.margin.upper)
        number = interval.removesuffix(", to six digits")
        return f"separable: maximum margin {number} ({separation.scope.margin_kind})"
    if separation.verdict is Verdict.INSEPARABLE:
        through = "" if separation.scope.has_intercept else " through the origin"
        n_rows = len(separation.support)
        prove = "1 row proves it" if n_rows == 1 else f"{n_rows} rows prove it"
        return f"inseparable{through}: {prove}"
    return "undecided within the limits"
