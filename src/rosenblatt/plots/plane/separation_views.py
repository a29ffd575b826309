"""What `separate` found, for a picture: weights, or the rows that prove that there are none."""

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
    """The samples as points, a point that is in all hulls, the rows of each hull, and a label."""

    points: Floats
    point: Floats
    hulls: list[Counts]
    label: str


def one_separation(separation: object) -> Separation:
    """Return a separation; for several classes, the joint one."""
    if isinstance(separation, Separations):
        return separation.joint
    if not isinstance(separation, Separation):
        name = type(separation).__name__
        raise InputError(f"separation is a {name}: give what rosenblatt.separate returned")
    return separation


def sided_samples(separation: Separation, X: MatrixLike, y: LabelsLike) -> DrawnSamples:
    """Return the samples, with class 1 positive, or all classes if they were separated jointly.

    Raise unless they have the shape of those that were separated.
    """
    samples = drawn_samples(X, y)
    certificate, positive = separation.certificate, separation.scope.positive
    if certificate is not None:
        expected = (certificate.digest.n_samples, certificate.digest.n_features)
        if samples.table.shape != expected:
            raise InputError(
                f"X has shape {samples.table.shape}, but the separation is of samples of shape "
                f"{expected}: give the samples that were separated"
            )
    if positive is None:
        return samples
    if positive not in samples.classes:
        raise InputError(
            f"y has no label {positive!r}, which the separation takes as positive: give the labels that "
            "were separated"
        )
    others = [label for label in samples.classes if label != positive]
    rest = others[0] if len(others) == 1 else "the rest"
    codes = (samples.codes == samples.classes.index(positive)).astype(np.int64)
    return samples._replace(codes=codes, classes=[rest, positive])


def weights_of(separation: Separation) -> tuple[Floats | None, Floats | None]:
    """Return the weights, a row for each halfspace, and the intercepts; (None, None) without any."""
    if separation.coef is None or separation.intercept is None:
        return None, None
    coef = np.atleast_2d(np.asarray(separation.coef, dtype=np.float64))
    return coef, np.atleast_1d(np.asarray(separation.intercept, dtype=np.float64))


def crossing_of(
    separation: Separation, points: Floats, codes: Counts, kind: str
) -> Crossing | None:
    """Return where the hulls meet, from the certificate's combination of rows, if they do.

    Projections keep combinations, so the combination of the points is in both projected hulls. Through
    the origin the claim is about one hull, of the positive samples and the negated negative ones: it
    contains the origin.
    """
    certificate = separation.certificate
    if not isinstance(certificate, HullIntersection) or separation.scope.is_joint:
        return None
    if not separation.scope.has_intercept:
        signed = points * np.where(codes == 1, 1.0, -1.0)[:, None]
        if kind == "strip":
            signed[:, 1] = points[:, 1]
        every = np.arange(len(points))
        return Crossing(signed, np.zeros(2), [every], "the origin, which is in the hull")
    counts = {
        row: count for row, count in row_counts(certificate.combination).items() if codes[row] == 1
    }
    total = sum(counts.values())
    shares = np.array([count / total for count in counts.values()])
    point: Floats = shares @ points[list(counts)]
    hulls = [np.flatnonzero(codes == code) for code in (0, 1)]
    if kind == "strip":
        point[1] = 0.5
    where = f": ({point[0]:.4g}, {point[1]:.4g})" if kind == "plane" else ""
    return Crossing(points, point, hulls, f"in both hulls{where}")


def title_of(separation: Separation) -> str:
    """Return the verdict as a title."""
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
