"""Verdicts of `separate` against a linear program in fractions, and against all subsets of rows.

Every certificate is also checked by code that is not part of the package.
"""

import json
import random
from fractions import Fraction
from typing import Any

from attack import claims, data
from attack.data import Json
from attack.margin import squared_affine_margin, squared_margin
from attack.report import Report
from attack.simplex import is_separable, pair_vectors, vectors
from attack.worker import Worker

# Wolfe's method once ran in a circle here: the hulls touch, and rows occur twice.
TOUCHING = (
    [[0.5, 1.0], [1.0, 0.5], [0.5, 0.5], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5]],
    [0, 0, 1, 1, 0, 1],
)

WAYS = (
    {"fit_intercept": True, "margin": "augmented"},
    {"fit_intercept": False, "margin": "augmented"},
    {"fit_intercept": True, "margin": "affine"},
)


def decide(X: data.Table, y: list[int], options: dict[str, Json]) -> dict[str, Json]:
    """Ask the library, in a separate process."""
    import numpy as np

    from rosenblatt import InputError, MaxMargin, separate

    found = separate(np.array(X), np.array(y), **options)
    facts = facts_of(found.joint if hasattr(found, "joint") else found)
    if hasattr(found, "by_class"):
        facts["by_class"] = [facts_of(found.by_class[k]) for k in sorted(found.by_class)]
    elif options["margin"] == "affine":
        try:
            facts["max_margin"] = MaxMargin().fit(X, y).outcome_.name
        except InputError as error:
            rounded = "rounding the hyperplane to float64" in str(error)
            facts["max_margin"] = "TOO SMALL" if rounded else "INSEPARABLE"
    return facts


def facts_of(found: Json) -> dict[str, Json]:
    return {
        "verdict": found.verdict.name,
        "squared": found.squared_margin,
        "interval": tuple(found.margin),
        "certificate": found.certificate.to_json() if found.certificate else None,
        "bound": found.mistake_bound,
    }


def attack_verdicts(seed: int, count: int) -> Report:
    """Compare verdicts and margins of small tables with exact ones."""
    report = Report("verdicts", "the verdict of an exact linear program, with a proof that holds")
    rng = random.Random(seed)
    with Worker(decide, seconds=30) as worker:
        for number in range(count):
            if report.is_lost:
                break
            X, y = draw(rng, number)
            for options in [{**way, "exact": rng.random() < 0.5} for way in WAYS]:
                answer = worker.call(X, y, options)
                report.count("verdicts")
                wrong = f"{answer.kind}: {answer.value}"
                if answer.kind == "value":
                    wrong = compare(report, answer.value, X, y, options)
                report.check(not wrong, f"{wrong}: separate({X!r}, {y!r}, **{options!r})")
    return report


def draw(rng: random.Random, number: int) -> tuple[data.Table, list[int]]:
    """Draw a table; every third one has touching hulls, with coordinates 0, 0.5 and 1."""
    n_rows, n_columns = rng.randint(2, 6), rng.randint(1, 3)
    n_classes = 3 if n_rows > 3 and rng.random() < 0.2 else 2
    family = rng.choice(["grid", "halves", "decimals", "floats", "cancelling"])
    if number % 3 == 0:
        return touching(rng)
    X = data.table(rng, n_rows, n_columns, family)
    y = [*range(n_classes), *(rng.randrange(n_classes) for _ in range(n_rows - n_classes))]
    rng.shuffle(y)
    return X, y


def touching(rng: random.Random) -> tuple[data.Table, list[int]]:
    """Return the known table with rows and columns swapped or mirrored, or a similar one."""
    X, y = TOUCHING
    if rng.random() < 0.5:
        X = data.table(rng, rng.randint(5, 7), 2, "halves")
        y = [0, 1, *(rng.randrange(2) for _ in X[2:])]
    order = rng.sample(range(len(y)), len(y))
    swap, mirror, flip = (rng.random() < 0.5 for _ in range(3))
    X = [X[i][::-1] if swap else X[i] for i in order]
    X = [[1.0 - a if mirror else a, b] for a, b in X]
    return X, [1 - y[i] if flip else y[i] for i in order]


def compare(
    report: Report, facts: dict[str, Json], X: data.Table, y: list[int], options: Json
) -> str:
    """Return what is wrong with an answer, or an empty string."""
    constant = int(options["fit_intercept"])
    if len(set(y)) == 2:
        labels = [1 if label == 1 else -1 for label in y]
        return wrong_about(report, facts, X, y, vectors(X, labels, constant), options)
    for k, one in enumerate(facts.pop("by_class")):
        labels = [1 if label == k else -1 for label in y]
        wrong = wrong_about(report, one, X, y, vectors(X, labels, constant), options)
        if wrong:
            return f"class {k}: {wrong}"
    jointly = {**options, "margin": "augmented"}
    return wrong_about(report, facts, X, y, pair_vectors(X, y, len(set(y)), constant), jointly)


def wrong_about(
    report: Report, facts: dict[str, Json], X: data.Table, y: list[int], z: Any, options: Json
) -> str:
    """Return what is wrong with the answer about some vectors."""
    expected = "SEPARABLE" if is_separable(z) else "INSEPARABLE"
    if facts["verdict"] != expected:
        return f"{facts['verdict']}, but it is {expected}"
    if facts["certificate"] is None:
        return "there is no certificate"
    document = json.loads(facts["certificate"])
    if not claims.is_true(document, X, y):
        return "the certificate is false"
    report.count("certificates checked again")
    claim = "separating hyperplane" if expected == "SEPARABLE" else "hull intersection"
    if document["claim"] != claim or document["margin"] != options["margin"]:
        return f"the certificate is of a {document['claim']}, {document['margin']}"
    allowed = ("MAXIMUM", "TOO SMALL") if expected == "SEPARABLE" else ("INSEPARABLE",)
    if facts.get("max_margin") not in (None, *allowed):
        return f"MaxMargin says {facts['max_margin']}"
    if expected == "INSEPARABLE" or len(z) > 7:
        return ""
    report.count("margins from all subsets")
    exact = augmented = squared_margin(z)
    if options["margin"] == "affine":
        positive = claims.label_of(document["positive"])
        exact = squared_affine_margin(X, [1 if label == positive else -1 for label in y])
        # Floats have about sixteen digits: only a smaller margin may be too small for them.
        longest = max(sum(Fraction(x) ** 2 for x in row) for row in X)
        if facts.get("max_margin") == "TOO SMALL" and exact > longest / 10**28:
            return "MaxMargin says that the margin is too small for floats"
    bound = int(max(sum(x * x for x in vector) for vector in z) / augmented)
    if document["positive"] is not None and facts["bound"] < bound:
        return f"at most {facts['bound']} mistakes, where the theorem allows {bound}"
    return wrong_margin(facts, exact, is_exact=options["exact"])


def wrong_margin(facts: dict[str, Json], exact: Fraction, *, is_exact: bool) -> str:
    if facts["squared"] != exact and (is_exact or facts["squared"] is not None):
        return f"the squared margin is {exact}, not {facts['squared']}"
    lower, upper = map(Fraction, facts["interval"])
    if not lower**2 <= exact <= upper**2:
        return f"the squared margin {exact} is outside of {facts['interval']}"
    if upper - lower > upper / 10**6 * (1 + Fraction(1, 10**6)):
        return f"the interval {facts['interval']} is wider than requested"
    return ""


def ask_threshold(table: str) -> str:
    """Ask the library, in a separate process, whether one unit computes a truth table."""
    from rosenblatt.lectures.circuits import threshold_function

    found = threshold_function(table)
    return "INSEPARABLE" if type(found).__name__ == "NotThreshold" else "SEPARABLE"


def attack_threshold_functions(seed: int, count: int) -> Report:
    """Compare which Boolean functions are threshold functions: all with three inputs, some with four."""
    report = Report("threshold functions", "the verdict of an exact linear program on truth tables")
    rng = random.Random(seed)
    tables = [f"{number:08b}" for number in range(256)]
    tables += ["1010111110001100", *(f"{rng.getrandbits(16):016b}" for _ in range(count))]
    with Worker(ask_threshold, seconds=30) as worker:
        for table in tables:
            if report.is_lost:
                break
            answer = worker.call(table)
            report.count("truth tables")
            n_inputs = len(table).bit_length() - 1
            corners = [[float(bit) for bit in f"{i:0{n_inputs}b}"] for i in range(len(table))]
            labels = [1 if bit == "1" else -1 for bit in table]
            separable = is_separable(vectors(corners, labels, 1))
            expected = "SEPARABLE" if separable else "INSEPARABLE"
            report.count("threshold functions", separable)
            report.check(answer.value == expected, f"threshold_function({table!r}): {answer}")
    return report
