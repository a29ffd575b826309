"""The text example, on a few synthetic messages."""

import importlib.util
import io
import re
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "text.py"
N_TRAIN, N_TEST = 10, 5
WORDS = {"rec.boats": "sail the lake", "rec.cars": "drive a road", "sci.stars": "watch the sky"}


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("example_text", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path, example: Any) -> Path:
    news, sms = tmp_path / example.NEWSGROUPS, tmp_path / example.SMS
    news.parent.mkdir()
    sms.parent.mkdir()
    with tarfile.open(news, "w:gz") as archive:
        for part, size in (("train", N_TRAIN), ("test", N_TEST)):
            for group, words in WORDS.items():
                for number in range(9, 9 + size):  # 9, 10: sorted by number, not by name
                    text = f"{words}, message {number} caf\xe9".encode("latin-1")
                    member = tarfile.TarInfo(f"20news-bydate-{part}/{group}/{number}")
                    member.size = len(text)
                    archive.addfile(member, io.BytesIO(text))
    lines = [f"spam\twin a prize {k}\nham\tsee you\tat {k}" for k in range(10)]
    sms.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_newsgroups_keep_their_training_and_test_parts(example: Any, folder: Path) -> None:
    corpus = example.newsgroups(folder / example.NEWSGROUPS)
    assert len(corpus.labels) == len(WORDS) * N_TRAIN
    assert len(corpus.test_labels) == len(WORDS) * N_TEST
    for text, label in zip(corpus.texts, corpus.labels, strict=True):
        assert text.startswith(WORDS[label])
        assert text.endswith("café")


def test_the_last_fifth_of_each_group_is_held_out(example: Any, folder: Path) -> None:
    corpus = example.newsgroups(folder / example.NEWSGROUPS)
    ((learned, held),) = corpus.folds
    assert sorted([*learned, *held]) == list(range(len(WORDS) * N_TRAIN))
    numbers = sorted(int(text.split()[-2]) for text in corpus.texts[held])
    assert numbers == [17, 17, 17, 18, 18, 18]


def test_sms_are_split_with_a_fixed_seed(example: Any, folder: Path) -> None:
    corpus, again = (example.sms_spam(folder / example.SMS) for _ in range(2))
    assert (len(corpus.texts), len(corpus.test_texts)) == (16, 4)
    assert corpus.texts.tolist() == again.texts.tolist()
    assert not set(corpus.texts) & set(corpus.test_texts)
    assert all("see you\tat" in text for text in corpus.texts[corpus.labels == "ham"])
    held = np.concatenate([held for _, held in corpus.folds])
    assert sorted(held) == list(range(16))
    assert all(not set(learned) & set(out) for learned, out in corpus.folds)


@pytest.fixture
def run(
    example: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    def run(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["text.py", *options])
        example.main()
        return capsys.readouterr().out

    return run


def test_accuracy_and_words_with_large_weights(run: Callable[..., str], folder: Path) -> None:
    news, sms = run("--data", str(folder)).strip().split("\n\n")
    assert news.startswith("20 newsgroups: 30 messages for training, 15 for testing (15 of them")
    assert "one-vs-rest: accuracy 1.0000" in news
    assert "joint: accuracy 1.0000" in news
    for group, words in WORDS.items():
        (line,) = [line for line in news.splitlines() if line.startswith(f"  {group}: ")]
        assert set(words.split()) & set(re.findall(r"\w+", line.partition(":")[2])) - {"the"}
    assert "one-vs-rest: accuracy 1.0000" in sms
    assert "joint" not in sms  # two classes have one halfspace
    assert "prize" in sms.splitlines()[-1]


def test_tuning_does_not_use_the_test_sets(
    run: Callable[..., str], folder: Path, example: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example, "test", None)
    news, sms = run("--data", str(folder), "--tune").strip().split("\n\n")
    n_choices = len(list(example.choices()))
    assert news.startswith("20 newsgroups: 6 held out in 1 fold(s)")
    assert sms.startswith("SMS spam: 16 held out in 5 fold(s)")
    for part in (news, sms):
        scores = [float(line.split()[-1]) for line in part.splitlines()[1:]]
        assert len(scores) == n_choices
        assert min(scores) > 0.5


def test_missing_data_sets_are_reported(run: Callable[..., str], tmp_path: Path) -> None:
    assert run("--data", str(tmp_path)).count(f"is not in {tmp_path}: left out") == 2
