"""Text classification with the averaged perceptron: newsgroups and spam.

    python examples/text.py --data FOLDER [--tune]

FOLDER contains `20newsgroups/20news-bydate.tar.gz` and `sms_spam/SMSSpamCollection`; a missing set is
left out. Prints the accuracy on the test set and the words with the largest weights for each class.
`--tune` leaves the test sets alone: it prints the accuracy of each choice on messages held out of the
training set. The pipeline below was chosen this way.
"""

import argparse
import tarfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

from rosenblatt import Perceptron, cross_validate

NEWSGROUPS = Path("20newsgroups") / "20news-bydate.tar.gz"
SMS = Path("sms_spam") / "SMSSpamCollection"
SEED = 0
N_FOLDS = 5


class Corpus(NamedTuple):
    """Messages and their classes, for training and for testing.

    ``folds`` are pairs of row numbers of the training set: to learn from, and held out.
    """

    name: str
    texts: np.ndarray
    labels: np.ndarray
    test_texts: np.ndarray
    test_labels: np.ndarray
    folds: list[tuple[np.ndarray, np.ndarray]]


def newsgroups(path: Path) -> Corpus:
    """Return the messages of 20 newsgroups: the later two fifths of each group are the test set.

    The last fifth of each group's training messages, by number, is held out.
    """
    parts: dict[str, list[tuple[str, int, str]]] = {"train": [], "test": []}
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile():
                folder, group, number = Path(member.name).parts[-3:]
                text = archive.extractfile(member).read().decode("latin-1")
                parts[folder.rpartition("-")[2]].append((group, int(number), text))
    train, test = (np.array(sorted(parts[name]), dtype=object) for name in ("train", "test"))
    train = shuffled(train)  # sorted by group, the learner would see one class after the other
    return Corpus(
        "20 newsgroups", train[:, 2], train[:, 0], test[:, 2], test[:, 0], [last_fifths(train)]
    )


def last_fifths(messages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of all but the last fifth of each group, and those of that fifth."""
    held = np.zeros(len(messages), dtype=bool)
    for group in set(messages[:, 0]):
        own = np.flatnonzero(messages[:, 0] == group)
        by_number = own[np.argsort(messages[own, 1])]
        held[by_number[round(0.8 * len(own)) :]] = True
    return np.flatnonzero(~held), np.flatnonzero(held)


def sms_spam(path: Path) -> Corpus:
    """Return short messages, spam or not: four fifths for training, drawn with a fixed seed."""
    lines = path.read_text(encoding="utf-8").splitlines()
    messages = shuffled(np.array([line.split("\t", 1) for line in lines], dtype=object))
    n = round(0.8 * len(messages))
    rows = np.arange(n)
    folds = [(rows[rows % N_FOLDS != k], rows[rows % N_FOLDS == k]) for k in range(N_FOLDS)]
    labels, texts = messages.T
    return Corpus("SMS spam", texts[:n], labels[:n], texts[n:], labels[n:], folds)


def shuffled(messages: np.ndarray) -> np.ndarray:
    """Return the messages in a random order with a fixed seed."""
    return messages[np.random.default_rng(SEED).permutation(len(messages))]


def corpora(folder: Path) -> Iterator[Corpus]:
    """Yield the sets in the folder; print those that are missing."""
    for path, reader in ((NEWSGROUPS, newsgroups), (SMS, sms_spam)):
        if (folder / path).is_file():
            yield reader(folder / path)
        else:
            print(f"{path} is not in {folder}: left out\n")


def perceptron(**changes: object) -> Perceptron:
    """Return the learner: the average over ten epochs, each in a new order."""
    chosen = Perceptron(keep="average", max_iter=10, random_state=SEED)
    return chosen.set_params(**changes)


def words(**changes: object) -> TfidfVectorizer:
    """Return the features: words and word pairs in at least two messages, as 1 + log of their counts."""
    chosen = {"sublinear_tf": True, "ngram_range": (1, 2), "min_df": 2}
    return TfidfVectorizer(**{**chosen, **changes}, dtype=np.float32)


def choices() -> Iterator[tuple[str, Pipeline]]:
    """Yield the pipelines that were tried: step by step, and variations of the choice."""
    single = {"ngram_range": (1, 1), "min_df": 1}
    given = perceptron(order="cyclic")
    yield "word counts", make_pipeline(CountVectorizer(dtype=np.float32), given)
    yield "TF-IDF", make_pipeline(words(sublinear_tf=False, **single), given)
    yield "+ sublinear", make_pipeline(words(**single), given)
    yield "+ pairs of words", make_pipeline(words(min_df=1), given)
    yield "+ in two messages or more", make_pipeline(words(), given)
    yield "+ shuffled: the choice", make_pipeline(words(), perceptron())
    yield "the choice, joint", make_pipeline(words(), perceptron(multiclass="joint"))
    yield "the choice, last weights", make_pipeline(words(), perceptron(keep="last"))
    yield "the choice, 5 epochs", make_pipeline(words(), perceptron(max_iter=5))
    yield "the choice, 20 epochs", make_pipeline(words(), perceptron(max_iter=20))
    letters = words(analyzer="char_wb", ngram_range=(2, 4))
    yield "the choice, 2 to 4 letters", make_pipeline(letters, perceptron())


def tune(corpus: Corpus) -> None:
    """Print the accuracy of each choice on the messages held out of the training set."""
    n_held = sum(len(held) for _, held in corpus.folds)
    print(f"{corpus.name}: {n_held:,} held out in {len(corpus.folds)} fold(s)")
    for name, pipeline in choices():
        found = cross_validate(pipeline, corpus.texts, corpus.labels, cv=corpus.folds)
        print(f"  {name:28} {found['test_score'].mean():.4f}", flush=True)
    print()


def test(corpus: Corpus) -> None:
    """Train on the whole training set; print the test accuracy and the most telling words."""
    known = set(corpus.texts)
    repeats = sum(text in known for text in corpus.test_texts)
    print(
        f"{corpus.name}: {len(corpus.labels):,} messages for training, {len(corpus.test_labels):,} for "
        f"testing ({repeats} of them are also in the training set)"
    )
    kinds = ["one-vs-rest", "joint"] if len(set(corpus.labels)) > 2 else ["one-vs-rest"]
    for kind in kinds:
        pipeline = make_pipeline(words(), perceptron(multiclass=kind))
        pipeline.fit(corpus.texts, corpus.labels)
        model = pipeline[-1]
        print(
            f"  {kind}: accuracy {pipeline.score(corpus.test_texts, corpus.test_labels):.4f} "
            f"({model.n_features_in_:,} features, {model.n_mistakes_:,} mistakes, "
            f"{model.outcome_.name})"
        )
        if kind == "one-vs-rest":
            telling = telling_words(pipeline)
    for label, best in telling.items():
        print(f"  {label}: {', '.join(best)}")
    print()


def telling_words(pipeline: Pipeline, n_words: int = 6) -> dict[str, list[str]]:
    """Return the features with the largest weights for each class."""
    vectorizer, model = pipeline[0], pipeline[-1]
    # Two classes share one halfspace: evidence against the second is evidence for the first.
    weights = model.coef_ if len(model.classes_) > 2 else np.vstack([-model.coef_, model.coef_])
    names = vectorizer.get_feature_names_out()
    return {
        str(label): names[np.argsort(-row)[:n_words]].tolist()
        for label, row in zip(model.classes_, weights, strict=True)
    }


def main() -> None:
    """Parse the options and run each set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the messages")
    parser.add_argument("--tune", action="store_true", help="compare choices on held-out messages")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # ten epochs are enough here
    for corpus in corpora(options.data):
        (tune if options.tune else test)(corpus)


if __name__ == "__main__":
    main()
