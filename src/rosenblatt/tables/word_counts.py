"""Word counts of free text, which add up over chunks."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from rosenblatt.core.types import Floats
from rosenblatt.tables.columns import new_vectorizer
from rosenblatt.tables.text_counts import TextCounts

MOST_WORDS = 2**18
"""If there are more words, only the most frequent ones are used."""


class WordCounts:
    """Counts words, with the words and weights of scikit-learn's `TfidfVectorizer`.

    >>> import pyarrow as pa
    >>> from rosenblatt.tables.cells import texts_of
    >>> counts = WordCounts()
    >>> for texts in (["red wine", "red"], ["white wine"]):
    ...     counts.add(TextCounts.of(texts_of(pa.chunked_array([texts]))))
    >>> counts.words(at_least=2), counts.weights(["red"], n_texts=3).tolist()
    (['red', 'wine'], [1.2876820724517808])
    """

    def __init__(self) -> None:
        self._texts_with: Counter[str] = Counter()
        self._occurrences: Counter[str] = Counter()
        self._words_of = new_vectorizer().build_analyzer()

    def __len__(self) -> int:
        return len(self._texts_with)

    def add(self, texts: TextCounts) -> None:
        """Add the words of distinct texts with their counts."""
        for text, count in zip(texts.values.to_pylist(), texts.counts.tolist(), strict=True):
            words = self._words_of(text)
            if count == 1:  # Counter.update is faster than the loop below
                self._occurrences.update(words)
                self._texts_with.update(set(words))
                continue
            for word, times in Counter(words).items():
                self._occurrences[word] += count * times
                self._texts_with[word] += count

    def join(self, others: "WordCounts") -> None:
        """Add the words of other texts."""
        self._occurrences.update(others._occurrences)
        self._texts_with.update(others._texts_with)

    def words(self, at_least: int) -> list[str]:
        """Return the words of at least this many texts, sorted; only the most frequent `MOST_WORDS`."""
        found = sorted(word for word, n in self._texts_with.items() if n >= at_least)
        if len(found) > MOST_WORDS:
            found.sort(key=lambda word: -self._occurrences[word])
            found = sorted(found[:MOST_WORDS])
        return found

    def weights(self, words: Iterable[str], n_texts: int) -> Floats:
        """Return the weight of each word: 1 + ln((1 + n_texts) / (1 + texts with the word))."""
        n_with = np.array([self._texts_with[word] for word in words], np.float64)
        return np.log((1.0 + n_texts) / (1.0 + n_with)) + 1.0
