"""Several threads on one model, and several models at once, learn the same as one thread.

Without an intercept, and with separate features for each thread, the weights do not depend on the order:
each thread's weights are those that the rational twin learns from its stream alone.
"""

import random
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

from attack import data, twin
from attack.data import Json, Model, Samples
from attack.report import Report
from attack.worker import Worker

N_THREADS = 4
N_SAMPLES = 60
N_COLUMNS = 3


def attack_threads(seed: int, count: int) -> Report:
    """Let threads learn and predict with one model, and fit their own models."""
    report = Report("threads", "each thread learns the same as alone; no prediction fails")
    rng = random.Random(seed)
    ways = ["dicts", "rows", "chunks", "mixed", "models"]
    with Worker(race, seconds=120) as worker:
        for number in range(count):
            if report.is_lost:
                break
            way = ways[number % len(ways)]
            streams = [[draw(rng) for _ in range(N_SAMPLES)] for _ in range(N_THREADS)]
            answer = worker.call(way, streams, rng.random() < 0.5)
            report.count("races")
            report.count("samples learned", N_THREADS * N_SAMPLES)
            if answer.kind != "value":
                report.fail(f"{way}: {answer.kind}, {answer.value}")
                continue
            report.count("predictions meanwhile", answer.value[1])
            for wrong in answer.value[0]:
                report.fail(f"{way}: {wrong}")
    return report


def draw(rng: random.Random) -> tuple[list[float], int]:
    return [data.number(rng, "decimals") for _ in range(N_COLUMNS)], rng.randrange(2)


def alone(stream: list[tuple[list[float], int]]) -> twin.Halfspace:
    """Learn one thread's stream with the twin."""
    task = twin.Task([row for row, _ in stream], [1.0] * len(stream))
    labels = [1 if label else -1 for _, label in stream]
    return twin.run_one(task, labels, task.zeros, 1)[0]


def race(way: str, streams: list[Json], averaged: bool) -> tuple[list[str], int]:
    """Run the threads; return the errors, and the number of predictions made meanwhile."""
    sys.setswitchinterval(1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return models_at_once(streams) if way == "models" else one_model(way, streams, averaged)


def one_model(way: str, streams: list[Json], averaged: bool) -> tuple[list[str], int]:
    """Let all threads learn with one model, while another thread predicts."""
    from rosenblatt import Perceptron

    keep = "average" if averaged else "last"
    model = Perceptron(fit_intercept=False, keep=keep)
    if way == "dicts":
        model.learn_one({"f": 0.0}, 0).learn_one({"f": 0.0}, 1)
    else:
        width = N_THREADS * N_COLUMNS
        model.partial_fit([[0.0] * width] * 2, [0, 1], classes=[0, 1])
    errors: list[str] = []
    done = threading.Event()
    n_predictions = [0]
    ways = ["rows", "chunks", "rows", "chunks"] if way == "mixed" else [way] * N_THREADS
    learners = [
        guarded(errors, lambda k=k, one=one: learn(model, one, k, streams[k]))
        for k, one in enumerate(ways)
    ]

    def watch() -> None:
        x: Samples = {"f": 1.0, "t0_0": 1.0} if way == "dicts" else [1.0] * (N_THREADS * N_COLUMNS)
        while not done.is_set():
            if model.predict_one(x) not in (0, 1):
                raise AssertionError("a prediction is not a class")
            if way != "dicts" and model.predict([x])[0] not in (0, 1):
                raise AssertionError("a prediction is not a class")
            n_predictions[0] += 1

    watcher = threading.Thread(target=guarded(errors, watch))
    watcher.start()
    together(learners)
    done.set()
    watcher.join()
    return errors + wrong_weights(model, way, streams, averaged), n_predictions[0]


def learn(model: Model, way: str, k: int, stream: Json) -> None:
    """Learn one thread's samples, in its own columns or under its own names."""
    before, behind = [0.0] * (k * N_COLUMNS), [0.0] * ((N_THREADS - 1 - k) * N_COLUMNS)
    if way == "chunks":
        for begin in range(0, len(stream), 5):
            rows = [before + row + behind for row, _ in stream[begin : begin + 5]]
            model.partial_fit(rows, [label for _, label in stream[begin : begin + 5]])
        return
    for i, (row, label) in enumerate(stream):
        if way == "rows":
            model.learn_one(before + row + behind, label)
        else:
            new = {f"new{k}_{i}": 0.0}  # a new name moves the arrays of all others
            model.learn_one({f"t{k}_{j}": x for j, x in enumerate(row)} | new, label)


def wrong_weights(model: Model, way: str, streams: list[Json], averaged: bool) -> list[str]:
    """Return the differences from what each thread learns alone."""
    import numpy as np

    found = []
    weights = model.coef_[0].tolist()
    if way == "dicts":
        names = model.feature_names_in_.tolist()
        if len(set(names)) != len(names) or len(names) != len(weights):
            return [f"{len(weights)} weights for the names {names}"]
        place = {name: k for k, name in enumerate(names)}
    for k, stream in enumerate(streams):
        expected = alone(stream).weights
        columns = [
            place.get(f"t{k}_{j}", 0) if way == "dicts" else k * N_COLUMNS + j
            for j in range(N_COLUMNS)
        ]
        own = [weights[column] for column in columns]
        if not averaged and own != expected:
            found.append(f"thread {k} learned {own}, alone {expected}")
    if averaged and not np.isfinite(weights).all():
        found.append(f"the average is {weights}")
    n_mistakes = 2 + sum(alone(stream).n_mistakes for stream in streams)
    if model.n_mistakes_ != n_mistakes:
        found.append(f"{model.n_mistakes_} mistakes, not {n_mistakes}")
    return found


def models_at_once(streams: list[Json]) -> tuple[list[str], int]:
    """Fit one model per thread at once; each must equal the one fitted alone."""
    from rosenblatt import Perceptron, separate

    def fitted(stream: Json) -> Any:
        X, y = [row for row, _ in stream], [label for _, label in stream]
        model = Perceptron(max_iter=20, n_jobs=2 if len(set(y)) > 2 else None).fit(X, y)
        many = Perceptron(max_iter=5, n_jobs=2).fit(X, [i % 3 for i in range(len(X))])
        verdict = separate(X[:8], [*y[:7], 1 - y[6]]).verdict.name
        return model.coef_.tolist(), model.n_mistakes_, many.coef_.tolist(), verdict

    expected = [fitted(stream) for stream in streams]
    found: list[Any] = [None] * len(streams)
    errors: list[str] = []

    def fit(k: int) -> None:
        for _ in range(5):
            found[k] = fitted(streams[k])
            if found[k] != expected[k]:
                raise AssertionError(f"{found[k]} is not {expected[k]}")

    together([guarded(errors, lambda k=k: fit(k)) for k in range(len(streams))])
    return errors, 0


def guarded(errors: list[str], task: Callable[[], None]) -> Callable[[], None]:
    """Wrap a task to record its error."""

    def run() -> None:
        try:
            task()
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")

    return run


def together(tasks: list[Callable[[], None]]) -> None:
    """Run all tasks in threads that start at the same time."""
    barrier = threading.Barrier(len(tasks))

    def begin(task: Callable[[], None]) -> None:
        barrier.wait()
        task()

    threads = [threading.Thread(target=begin, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
