"""Mutated certificates: no false one is accepted, and none crashes the checker."""

import copy
import json
import random
import re
from typing import Any

from attack import claims, data
from attack.data import Json, Label
from attack.report import Report
from attack.worker import Worker

NUMBER = re.compile(r'"?-?(?:0x)?[0-9a-f]+(?:\.[0-9a-f]+)?(?:p[+-]?\d+)?(?:/(?:0x)?[0-9a-f]+)?"?')
OTHERS = ["0", "1", "-1", "true", "null", "[]", "{}", '""', '"1/1"', "1e3", "1.5", '"0x1p0"', "NaN"]


def check(text: str, X: data.Table, y: list[Label]) -> tuple[str, str]:
    """Read and verify a certificate with the library, with floats and exactly."""
    import numpy as np

    from rosenblatt import InputError
    from rosenblatt.certificates import from_json

    try:
        certificate = from_json(text)
    except InputError:
        return "refused", "refused"
    quick = certificate.verify(np.array(X), np.array(y))
    return str(quick), str(certificate.verify(np.array(X), np.array(y), exact=True))


def certify(X: data.Table, y: list[Label], options: dict[str, Json]) -> str:
    """Return a certificate made by the library, as JSON."""
    import numpy as np

    from rosenblatt import separate

    found = separate(np.array(X), np.array(y), **options)
    return (found.joint if hasattr(found, "joint") else found).certificate.to_json()


def ask(what: str, *arguments: Any) -> Any:
    """Run `check` or `certify`, in a separate process."""
    return {"check": check, "certify": certify}[what](*arguments)


def attack_certificates(seed: int, count: int) -> Report:
    """Mutate real certificates, and their data, and compare the checker with fractions."""
    report = Report("certificates", "no false mutant is accepted, no true one is refused")
    rng = random.Random(seed)
    with Worker(ask, seconds=30) as worker:
        while report.counts["mutants"] < count and not report.is_lost:
            X, y, options = draw(rng)
            answer = worker.call("certify", X, y, options)
            if answer.kind != "value":
                report.fail(f"{answer}: separate({X!r}, {y!r}, **{options!r})")
                continue
            report.count("certificates")
            for _ in range(200):
                try_mutant(report, worker, *mutant(rng, answer.value, X, y))
        for text, X, y in [*bombs(), *forgeries()]:
            report.count("bombs and forgeries")
            try_mutant(report, worker, text, X, y)
    return report


def draw(rng: random.Random) -> tuple[data.Table, list[Label], dict[str, Json]]:
    """Draw a table with one to three classes, and options of `separate`."""
    n_classes, n_rows = rng.choice([1, 2, 2, 2, 3]), rng.randint(4, 7)
    family = rng.choice(["grid", "halves", "decimals", "floats", "wide"])
    X = data.table(rng, n_rows, rng.randint(1, 3), family)
    names: list[Label] = rng.choice([["no", "yes", "zzz"], [0, 1, 2], [-1.5, 0.5, 7.25]])
    y = [*range(n_classes), *(rng.randrange(n_classes) for _ in range(n_rows - n_classes))]
    margin = rng.choice(["augmented", "augmented", "affine"]) if n_classes > 1 else "augmented"
    options = {
        "fit_intercept": n_classes > 1 and (margin == "affine" or rng.random() < 0.6),
        "margin": margin,
        "exact": rng.random() < 0.5,
        "time_limit": 5.0,
    }
    return X, [names[k] for k in y], options


def try_mutant(report: Report, worker: Worker, text: str, X: data.Table, y: list[Label]) -> None:
    """Compare the library's verdict on a certificate with the truth."""
    report.count("mutants")
    try:
        truth = claims.is_true(json.loads(text), X, y)
    except (ValueError, RecursionError, claims.UnreadableError):
        truth = False
    answer = worker.call("check", text, X, y)
    where = f"X={X!r} y={y!r} certificate={text[:1200]!r}"
    if answer.kind != "value":
        report.fail(f"{answer}: {where}")
        return
    report.count(
        {"refused": "not read", "True": "true ones", "False": "found false"}[answer.value[0]]
    )
    if answer.value[0] != answer.value[1]:
        report.fail(f"with floats {answer.value[0]}, exactly {answer.value[1]}: {where}")
    elif truth is (answer.value[0] != "True") and (answer.value[0] != "refused"):
        report.fail(f"the library says {answer.value[0]}, but it is {truth}: {where}")


def mutant(
    rng: random.Random, text: str, X: data.Table, y: list[Label]
) -> tuple[str, data.Table, list[Label]]:
    """Return a certificate and its data, one of them changed in one place."""
    way = rng.choice(
        ["number", "number", "number", "bytes", "entry", "row", "cell", "label", "none"]
    )
    if way == "number":
        places = list(NUMBER.finditer(text))
        place = rng.choice(places)
        text = text[: place.start()] + other_number(rng, place.group()) + text[place.end() :]
    elif way == "bytes":
        at = rng.randrange(len(text))
        text = (
            text[:at] + rng.choice(['"', "0", "9", "-", "a", "", "}", "\\u0000"]) + text[at + 1 :]
        )
    elif way in ("entry", "row"):
        document = json.loads(text)
        (change_entry if way == "entry" else change_rows)(rng, document)
        text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    elif way == "cell":
        X = copy.deepcopy(X)
        i, j = rng.randrange(len(X)), rng.randrange(len(X[0]))
        X[i][j] = rng.choice([X[i][j] + 1, -X[i][j], X[i][j] * (1 + 2**-52), X[i][j] + 5e-324])
    elif way == "label":
        y = list(y)
        y[rng.randrange(len(y))] = rng.choice(y)
    return text, X, y


def other_number(rng: random.Random, token: str) -> str:
    """Return a similar number, or something that is not a number."""
    bare = token.strip('"')
    digit = rng.randrange(len(bare))
    changed = bare[:digit] + rng.choice("0123456789") + bare[digit + 1 :]
    shorter = bare[:digit] + bare[digit + 1 :]
    found = rng.choice([changed, changed, shorter, f"-{bare}", bare + "0", bare + "/3"])
    if rng.random() < 0.1:
        return rng.choice(OTHERS)
    return f'"{found}"' if token.startswith('"') else found


def change_entry(rng: random.Random, document: dict[str, Json]) -> None:
    """Replace a whole entry by one of another type, or by a stronger claim."""
    key = rng.choice(sorted(document))
    better = {
        "constant": "0x0.0p+0" if document["constant"] != "0x0.0p+0" else "0x1.0000000000000p+0",
        "margin": "affine" if document["margin"] == "augmented" else "augmented",
        "claim": rng.choice(["hull intersection", "separating hyperplane"]),
        "positive": rng.choice([None, *document["classes"]]),
        "classes": document["classes"][::-1],
        "upper_squared": document.get("lower_squared"),
        "lower_squared": document.get("upper_squared"),
        "combination": None,
        "version": 2,
    }
    document[key] = better.get(key, rng.choice([None, 0, "", [], {}]))
    if rng.random() < 0.2:
        del document[key]


def change_rows(rng: random.Random, document: dict[str, Json]) -> None:
    """Change which rows a combination counts, and how often."""
    rows = document["combination"]
    if not rows:
        return
    k = rng.randrange(len(rows))
    way = rng.randrange(6)
    if way == 0:
        del rows[k]
    elif way == 1:
        rows.append(list(rows[k]))
    elif way == 2:
        rows[k][0] = rng.randrange(9)
    elif way == 3:
        rows[k][-1] = rng.choice([0, -1, 1, 2, "0x20000000000001", True, 1.0])
    elif way == 4:
        rows[k] = rows[k][:-1]
    else:
        rng.shuffle(rows)


def bombs() -> list[tuple[str, data.Table, list[Label]]]:
    """Return documents that would take excessive time or memory."""
    X, y = [[0.0], [1.0]], [0, 1]
    document = {
        "format": "rosenblatt-certificate",
        "version": 1,
        "claim": "separating hyperplane",
        "digest": {
            "sha256": claims.sha256(X, y, [0, 1], "dense", "float64"),
            "storage": "dense",
            "dtype": "float64",
            "n_samples": 2,
            "n_features": 1,
        },
        "classes": [0, 1],
        "positive": 1,
        "constant": "0x1.0000000000000p+0",
        "margin": "augmented",
        "weights": {"integers": [2, -1]},
        "lower_squared": "1/5",
        "combination": [[0, 2], [1, 3]],
        "upper_squared": "1/5",
    }
    digits, long = "9" * 5000, "0x" + "f" * 2_000_000
    texts = [json.dumps(document, indent=1, sort_keys=True) + "\n"]
    row = re.compile(r"(\[\s*)1(,\s*3)")
    texts += [
        row.sub(rf"\g<1>{digits}\2", texts[0]),
        row.sub(rf"\g<1>1,\n {digits}", texts[0]),
        texts[0].replace('"1/5"', f'"{long}/{long[:-1]}e"'),
        texts[0].replace('"1/5"', f'"1/{long}"', 1),
        texts[0].replace("-1", f'"-{long}"', 1),
        texts[0].replace('"positive": 1', f'"positive": {digits}'),
        texts[0].replace('"version": 1', f'"version": {digits}'),
        texts[0].replace('"n_samples": 2', f'"n_samples": {digits}'),
        "[" * 100_000,
        '{"a":' * 50_000,
    ]
    return [(text, X, y) for text in texts]


def forgeries() -> list[tuple[str, data.Table, list[Label]]]:
    """Return certificates whose digest covers no numbers, because its type cannot represent them."""
    found = []
    for X in ([[0.1], [0.7]], [[0.3], [0.9]]):
        text = bombs()[0][0]
        for storage in ("dense", "sparse"):
            document = json.loads(text)
            document["digest"].update(
                storage=storage, dtype="float32", sha256=claims.forged_sha256(2, [0, 1], storage)
            )
            document.update(lower_squared="1/1000", upper_squared=None, combination=None)
            document["weights"] = {"integers": [2, -1]}
            found.append((json.dumps(document, indent=1, sort_keys=True) + "\n", X, [0, 1]))
    return found
