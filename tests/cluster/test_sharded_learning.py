"""Learning from files in shards: results, errors, and resuming."""

import json
import random
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from learning_contract import bits_of, fitted, sample_file
from object_store import object_store
from rosenblatt import InputError, Perceptron, TableEncoder, Winnow, cluster, load, read, separate
from rosenblatt.bounds import epoch_bound, mistake_bound
from rosenblatt.cli import run as command
from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.files.reading_options import file_survey_options
from rosenblatt.cluster.learning.learn_files import learn_files
from rosenblatt.cluster.learning.sharded_learning import Progress, Saving
from rosenblatt.training.history import Epoch
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.shards.mixing import ShardEpoch, Shards

THREADS = EngineChoice()


class Stopping(Progress):
    """Stops the run after an epoch."""

    def __init__(self, after: int) -> None:
        self._after = after

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        assert len(seconds) > 0
        assert epoch.mistakes >= 0
        return n_epochs == self._after


LEARNERS = st.fixed_dictionaries(
    {
        "keep": st.sampled_from(["last", "average"]),
        "order": st.sampled_from(["cyclic", "shuffle"]),
        "multiclass": st.sampled_from(["one-vs-rest", "joint"]),
        "fit_intercept": st.booleans(),
        "class_weight": st.sampled_from([None, "balanced"]),
        "eta0": st.sampled_from([1.0, 0.1]),
        "random_state": st.integers(0, 9),
        "shards": st.integers(2, 5),
    }
)


@settings(deadline=None)
@given(options=LEARNERS, n_samples=st.integers(5, 900), n_classes=st.integers(2, 4))
def test_file_and_memory_give_the_same_bits(
    tmp_path_factory: pytest.TempPathFactory,
    options: dict[str, Any],
    n_samples: int,
    n_classes: int,
) -> None:
    path = sample_file(tmp_path_factory.mktemp("files"), n_samples, n_classes)
    if len(np.unique(read(path).y)) < 2:
        return
    learner = Perceptron(max_iter=3, **options)
    run = cluster.learn(path, learner, shards=learner.shards)
    here = fitted(path, learner)
    assert bits_of(run.learner) == bits_of(here)
    assert run.outcome is here.outcome_


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("between", ["", "# a comment\n\n"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_shards_read_in_many_tables_give_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str, between: str
) -> None:
    """A shard that does not fit into one table is read again in each epoch."""
    monkeypatch.setattr("rosenblatt.io.blocks.block_texts._BYTES_PER_READ", 2000)
    path = sample_file(tmp_path, 600, 3)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line + between * (n % 7 == 3) for n, line in enumerate(lines)).rstrip())
    for keep in ("last", "average"):
        learner = Perceptron(max_iter=3, shards=3, order=order, keep=keep)
        run = cluster.learn(path, learner, shards=3)
        assert bits_of(run.learner) == bits_of(fitted(path, learner))
    side = [1 if n % 3 else -1 for n in range(600)]
    path.write_text("".join(f"{y} 1:{y} 2:0.{n % 9}\n" for n, y in enumerate(side)))
    found = cluster.learn(path, Perceptron(max_iter=50, order=order), shards=2)
    assert found.outcome is Outcome.SEPARATED
    assert found.n_wrong == 0


def test_each_of_several_files_is_dealt_from_its_beginning(tmp_path: Path) -> None:
    path = sample_file(tmp_path, 500)
    lines = path.read_text().splitlines(keepends=True)
    (tmp_path / "part-1.svm").write_text("".join(lines[:301]))
    (tmp_path / "part-2.svm").write_text("".join(lines[301:]))
    run = cluster.learn(tmp_path / "part-*.svm", Perceptron(max_iter=3), shards=2)
    assert run.n_samples == len(lines)
    # Blocks of one sample each, numbered consecutively, are dealt like one file.
    whole = cluster.learn(path, Perceptron(max_iter=3), shards=2)
    assert bits_of(run.learner) == bits_of(whole.learner)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_table_is_encoded_as_without_shards(tmp_path: Path, kind: str) -> None:
    draw = np.random.default_rng(3)
    number, town = draw.normal(size=800) * 30, draw.choice(["Rome", "Oslo", "Kyiv"], 800)
    label = np.where(number / 30 + (town == "Rome") > 0.2, "yes", "no")
    table = pa.table({"number": number, "town": town, "class": label})
    path = tmp_path / f"table.{kind}"
    if kind == "parquet":
        pa_parquet.write_table(table, path, row_group_size=100)
    else:
        lines = [f"{a!r},{b},{c}\n" for a, b, c in zip(number.tolist(), town, label, strict=True)]
        path.write_text("number,town,class\n" + "".join(lines))
    learner = Perceptron(max_iter=3, shards=3)
    run = cluster.learn(path, learner, shards=3, scale="standard")
    X, y = read(path)
    encoder = TableEncoder(scale="standard", min_count=1).fit(X)
    assert run.encoder is not None
    assert run.encoder.columns_ == encoder.columns_
    here = learner.fit_watched(encoder.transform(X), y, None)
    assert bits_of(run.learner) == bits_of(here)
    assert np.array_equal(run.model.predict(X), here.predict(encoder.transform(X)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_default_encoding_is_that_of_table_encoder(tmp_path: Path) -> None:
    draw = random.Random(0)
    rows = [
        f"{draw.randrange(50)},{draw.choice('abcdef')} {draw.random()},{n % 2}" for n in range(90)
    ]
    path = tmp_path / "table.csv"
    path.write_text("size,words,class\n" + "\n".join(rows) + "\n")
    run = cluster.learn(path, Perceptron(max_iter=3), shards=2)
    table = pd.read_csv(path)
    here = make_pipeline(TableEncoder(), Perceptron(max_iter=3, shards=2))
    here.fit(table.drop(columns="class"), table["class"])
    assert run.model[-1].coef_.tobytes() == here[-1].coef_.tobytes()


def test_shard_without_a_class(tmp_path: Path) -> None:
    path = tmp_path / "few.svm"
    path.write_text("1 1:1\n2 1:-1\n3 2:1\n1 1:2\n2 1:-2\n")
    run = cluster.learn(path, Perceptron(max_iter=50), shards=3)
    assert run.classes.tolist() == [1, 2, 3]
    assert run.outcome is Outcome.SEPARATED
    assert run.n_wrong == 0


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
def test_the_margin_is_measured_on_all_samples(tmp_path: Path, multiclass: str) -> None:
    draw = np.random.default_rng(2)
    y = draw.integers(3, size=3000)
    X = np.eye(3)[y] + draw.normal(size=(3000, 3)) * np.linspace(1.0, 9.0, 3000)[:, None]
    path = tmp_path / "clouds.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt=["%.17g"] * 3 + ["%d"])
    learner = Perceptron(margin="auto", multiclass=multiclass, keep="average", max_iter=3, shards=2)
    whole = learner.fit(X, y)
    run = cluster.learn(path, learner, shards=2, scale="none")
    assert run.learner.required_margin_ == whole.required_margin_
    assert run.learner.coef_.tobytes() == whole.coef_.tobytes()
    assert run.learner.n_updates_ == whole.n_updates_ > run.learner.n_mistakes_
    saving = tmp_path / "checkpoint"
    first = clone(learner).set_params(max_iter=1)
    cluster.learn(path, first, shards=2, scale="none", checkpoint=saving)
    resumed = cluster.learn(path, learner, shards=2, scale="none", checkpoint=saving, resume=True)
    assert resumed.learner.coef_.tobytes() == whole.coef_.tobytes()
    assert resumed.learner.required_margin_ == whole.required_margin_


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
@pytest.mark.parametrize("keep", ["last", "average"])
def test_separated_run_is_within_the_mixing_bound(
    tmp_path: Path, multiclass: str, keep: str
) -> None:
    draw = np.random.default_rng(1)
    centres = np.array([[6.0, 0.0], [-6.0, 1.0], [0.0, 9.0]])
    y = draw.integers(3, size=400)
    X = centres[y] + draw.uniform(-1.0, 1.0, size=(400, 2))
    path = tmp_path / "clouds.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt=["%.17g", "%.17g", "%d"])
    learner = Perceptron(multiclass=multiclass, keep=keep, order="cyclic")
    run = cluster.learn(path, learner, shards=2, scale="none")
    assert run.outcome is (Outcome.SEPARATED if run.n_wrong == 0 else Outcome.AVERAGED)
    assert run.n_wrong == np.count_nonzero(run.model.predict(X) != y)
    assert run.radius is not None
    found = separate(X, y)
    halfspaces = [found.joint] if multiclass == "joint" else found.by_class.values()
    margins = [one.margin.lower for one in halfspaces]
    assert run.learner.n_mistakes_ <= sum(
        mistake_bound(run.radius, margin, shards=2) for margin in margins
    )
    assert run.learner.n_iter_ <= epoch_bound(mistake_bound(run.radius, min(margins)))


def test_mixed_outcome_counts_training_errors(tmp_path: Path) -> None:
    path = tmp_path / "overlap.svm"
    path.write_text("+1 1:1\n-1 1:1\n" * 20 + "+1 2:1\n")
    run = cluster.learn(path, Perceptron(max_iter=5), shards=2)
    assert run.outcome is Outcome.MIXED
    X, y = read(path)
    assert run.n_wrong == np.count_nonzero(run.model.predict(X) != y) >= 20


@pytest.mark.parametrize("keep", ["last", "average"])
def test_resumed_run_gives_the_same_bits(tmp_path: Path, keep: str) -> None:
    path, checkpoint = sample_file(tmp_path, 600, 3), tmp_path / "run.safetensors"
    learner, asked = Perceptron(max_iter=6, keep=keep), file_survey_options(2)
    whole = learn_files([path], learner, asked, THREADS)
    saving = Saving(checkpoint, resumes=True)
    stopped = learn_files([path], learner, asked, THREADS, saving=saving, progress=Stopping(2))
    assert stopped.learner.n_iter_ == 2
    assert np.array_equal(load(checkpoint).coef_, stopped.learner.coef_)
    resumed = learn_files([path], learner, asked, THREADS, saving=saving)
    assert resumed.resumed_after == 2
    assert bits_of(resumed.learner) == bits_of(whole.learner)
    assert resumed.progressive == whole.progressive
    assert resumed.learner.margin_ == whole.learner.margin_
    assert resumed.notes == whole.notes


def test_checkpoint_of_another_run_is_rejected(tmp_path: Path) -> None:
    path, checkpoint = sample_file(tmp_path, 300), tmp_path / "run.safetensors"
    options: dict[str, Any] = {"checkpoint": checkpoint, "resume": True}
    cluster.learn(path, Perceptron(max_iter=2), shards=2, **options)
    with pytest.raises(InputError, match=r"another number of shards"):
        cluster.learn(path, Perceptron(max_iter=2), shards=3, **options)
    with pytest.raises(InputError, match=r"had eta0=1\.0; give the same options"):
        cluster.learn(path, Perceptron(max_iter=2, eta0=2.0), shards=2, **options)
    more = cluster.learn(path, Perceptron(max_iter=3), shards=2, **options)
    assert (more.resumed_after, more.learner.n_iter_) == (2, 3)
    with path.open("a") as file:
        file.write("1 1:1\n")
    with pytest.raises(InputError, match="other samples"):
        cluster.learn(path, Perceptron(max_iter=2), shards=2, **options)
    with pytest.raises(InputError, match="needs a checkpoint"):
        cluster.learn(path, resume=True)
    with pytest.raises(
        InputError, match="random_state=None does not go together with a checkpoint"
    ):
        cluster.learn(path, Perceptron(random_state=None), checkpoint=tmp_path / "new")


@pytest.mark.parametrize(
    ("first", "other"), [({}, {"scale": "none"}), ({"ignore": ["a"]}, {"ignore": ["b"]})]
)
def test_checkpoint_with_changed_numbers_is_rejected(
    tmp_path: Path, first: dict[str, Any], other: dict[str, Any]
) -> None:
    path, checkpoint = tmp_path / "data.csv", tmp_path / "run.safetensors"
    path.write_text("a,b,class\n1,5,x\n3,4,y\n5,1,x\n7,9,y\n")
    options: dict[str, Any] = {"checkpoint": checkpoint, "resume": True}
    for reading in (first, first):
        cluster.learn(path, Perceptron(max_iter=2), **options, **reading)
    with pytest.raises(InputError, match="other reading options"):
        cluster.learn(path, Perceptron(max_iter=2), **options, **other)


def test_model_file_or_forged_file_is_not_a_checkpoint(tmp_path: Path) -> None:
    from rosenblatt.io.models.model_file import read as read_model
    from rosenblatt.io.models.model_file import write

    path, checkpoint = sample_file(tmp_path, 300), tmp_path / "run.safetensors"
    run = cluster.learn(path, Perceptron(max_iter=2), shards=2, checkpoint=checkpoint)
    model, notes = read_model(checkpoint)
    for name, value in [("n_epochs", 7), ("mass", [-1.0]), ("clean", [1]), ("missed", "many")]:
        forged = json.loads(json.dumps(notes))
        forged["rounds"][name] = value
        write(model, checkpoint, forged, record=True)
        with pytest.raises(InputError, match="the checkpoint is damaged"):
            cluster.learn(path, Perceptron(max_iter=2), checkpoint=checkpoint, resume=True)
    write(run.model, checkpoint, {}, record=True)
    with pytest.raises(InputError, match="not a checkpoint of a run in shards"):
        cluster.learn(path, Perceptron(max_iter=2), checkpoint=checkpoint, resume=True)


class Changing(Progress):
    """Changes a file after the first epoch."""

    def __init__(self, path: Path, content: bytes) -> None:
        self._path, self._content = path, content

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        assert epoch.mistakes >= 0
        assert len(seconds) > 0
        if n_epochs == 1:
            self._path.write_bytes(self._content)
        return False


def test_file_that_changes_during_the_run_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rosenblatt.io.blocks.block_texts._BYTES_PER_READ", 2**20)
    path = tmp_path / "large.svm"
    line = "{} " + " ".join(f"{k}:0.{k:09d}" for k in range(1, 400)) + "\n"
    path.write_text("".join(line.format(1 if n % 2 else -1) for n in range(500)))
    changed = path.read_bytes().replace(b"2:0.000000002", b"2:0.000000003", 1)
    with pytest.raises(InputError, match=r"large\.svm.*changed"):
        learn_files(
            [path],
            Perceptron(max_iter=4),
            file_survey_options(2),
            THREADS,
            progress=Changing(path, changed),
        )


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (Winnow(), "use a Perceptron, for which mixed weights have"),
        (Perceptron(order="random"), "use 'shuffle'"),
        (Perceptron(keep="pocket"), "use 'last' or 'average'"),
        (Perceptron(record=True), "leave it out"),
    ],
)
def test_unsupported_learners_are_rejected(tmp_path: Path, learner: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cluster.learn(sample_file(tmp_path, 50), learner)


def test_bad_files_are_named(tmp_path: Path) -> None:
    one = tmp_path / "one.svm"
    one.write_text("1 1:1\n1 1:2\n")
    with pytest.raises(InputError, match=r"one\.svm: every sample has the label 1"):
        cluster.learn(one)
    with pytest.raises(InputError, match="standard input"):
        cluster.learn("-")
    with pytest.raises(InputError, match=r"none\.svm"):
        cluster.learn(tmp_path / "none.svm")
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:1\n-1 1:x\n")
    with pytest.raises(InputError, match=r"bad\.svm, line 2"):
        cluster.learn(bad)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scale": "standard"}, "cannot be standardized"),
        ({"ignore": ["a"]}, "no columns to ignore, encode or fill"),
        ({"ignore": "ab"}, "ignore='ab' is not accepted: use a list of strings"),
        ({"missing": [3]}, r"missing=\[3\] is not accepted"),
        ({"header": 3}, "header=3 is not accepted"),
        ({"shards": 10**9}, "use a whole number from 1 to 65536"),
    ],
)
def test_bad_reading_options_are_rejected(
    tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        cluster.learn(sample_file(tmp_path, 50), **options)


def test_secrets_in_addresses_are_not_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = [tmp_path / name for name in ("run.safetensors", "model.safetensors")]
    options = ["--checkpoint", str(written[0]), "--model", str(written[1]), "--max-epochs", "2"]
    with object_store() as store:
        place = f"bucket/part.svm?scheme=http&endpoint_override=127.0.0.1:{store.port}"
        learn = ["learn", f"s3://KEY:SECRET@{place}", "--shards", "2"]
        store.objects["part.svm"] = sample_file(tmp_path, 60).read_bytes()
        assert command([*learn, "--json", *options]) == 0
        store.objects["part.svm"] = b"1 1:x\n"
        assert command(learn) == 2
        del store.objects["part.svm"]
        assert command(learn) == 2
    out, err = capsys.readouterr()
    assert f"s3://…@{place}" in out
    assert f"s3://…@{place}, line 1" in err
    assert "SECRET" not in out + err
    assert not [path for path in written if b"SECRET" in path.read_bytes()]


@pytest.mark.parametrize("other", [{"scale": "none"}, {"label": "u"}, {"missing": ["3"]}])
def test_checkpoint_with_other_reading_options_is_rejected(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    path, checkpoint = tmp_path / "table.csv", tmp_path / "run.safetensors"
    path.write_text("u,v\n" + "1,3\n2,4\n2,3\n1,4\n" * 5)
    learner = Perceptron(max_iter=2)
    cluster.learn(path, learner, checkpoint=checkpoint, label="v")
    with pytest.raises(InputError, match="other reading options"):
        cluster.learn(path, learner, checkpoint=checkpoint, resume=True, **{"label": "v", **other})


def test_run_interrupted_during_mixing_resumes_with_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, checkpoint = sample_file(tmp_path, 600, 3), tmp_path / "run.safetensors"
    learner, record, n_mixed = Perceptron(max_iter=4), Shards._record, 0

    def interrupted(self: Shards, shards: Sequence[ShardEpoch]) -> None:
        nonlocal n_mixed
        n_mixed += 1
        if n_mixed == 3:  # the weights are mixed, and the epoch is not recorded yet
            raise KeyboardInterrupt
        record(self, shards)

    monkeypatch.setattr(Shards, "_record", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cluster.learn(path, learner, checkpoint=checkpoint)
    resumed = cluster.learn(path, learner, checkpoint=checkpoint, resume=True)
    assert 1 <= resumed.resumed_after <= 2
    assert bits_of(resumed.learner) == bits_of(cluster.learn(path, learner).learner)


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
def test_random_state_must_be_a_number_to_resume(tmp_path: Path, random_state: Any) -> None:
    learner = Perceptron(random_state=random_state)
    with pytest.raises(InputError, match="use a whole number"):
        cluster.learn(sample_file(tmp_path, 50), learner, checkpoint=tmp_path / "run.safetensors")


@settings(deadline=None, max_examples=10)
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.integers(2, 3),
    ties=st.sampled_from(["mistake", "positive", "negative"]),
    keep=st.sampled_from(["last", "average"]),
)
def test_outcomes_with_class_weights_are_those_in_memory(
    tmp_path_factory: pytest.TempPathFactory, seed: int, n_classes: int, ties: str, keep: str
) -> None:
    draw = np.random.default_rng(seed)
    X = draw.integers(-2, 3, size=(8, 2)).astype(float)
    y = np.append(draw.integers(n_classes, size=8 - n_classes), np.arange(n_classes))
    weights = dict(enumerate(draw.choice([0.0, 1.0, 2.0], size=n_classes).tolist()))
    path = tmp_path_factory.mktemp("files") / "weighted.svm"
    rows = zip(y.tolist(), X.tolist(), strict=True)
    path.write_text("".join(f"{k} 1:{a} 2:{b}\n" for k, (a, b) in rows))
    learner = Perceptron(ties=ties, keep=keep, max_iter=10, shards=2, class_weight=weights)
    if not any(weights.values()):
        with pytest.raises(InputError, match="there is nothing to learn"):
            cluster.learn(path, learner)
        return
    run = cluster.learn(path, learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = learner.fit(read(path).X, y)
    assert bits_of(run.learner) == bits_of(here)
    assert run.progressive.samples == 8
    assert run.outcome is here.outcome_


def test_more_shards_than_samples_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "few.svm"
    path.write_text("+1 1:1\n-1 1:2\n")
    with pytest.raises(InputError, match="shards=3 is more than 2 samples can be dealt to"):
        cluster.learn(path, shards=3)


def test_one_shard_and_zero_weights(tmp_path: Path) -> None:
    path = tmp_path / "overlap.svm"
    path.write_text("+1 1:1\n-1 1:1\n")
    assert cluster.learn(path, Perceptron(max_iter=2), shards=1).outcome is Outcome.BUDGET
    with pytest.raises(InputError, match="there is nothing to learn"):
        cluster.learn(path, Perceptron(class_weight={1: 0.0, -1: 0.0}))


@pytest.mark.parametrize("wanted", [{"scale": "standard"}, {"ignore": ["1"]}, {"missing": ["0"]}])
def test_column_options_are_rejected_for_libsvm(tmp_path: Path, wanted: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a libsvm file "):
        cluster.learn(sample_file(tmp_path, 50), **wanted)


@pytest.mark.parametrize(
    ("options", "squared"),
    [({}, 26.0), ({"multiclass": "joint"}, 52.0)],
)
def test_radius_is_that_of_the_updates(
    tmp_path: Path, options: dict[str, Any], squared: float
) -> None:
    path = tmp_path / "three.svm"
    path.write_text("1 1:3\n2 2:4\n3 1:3 2:4\n")
    run = cluster.learn(path, Perceptron(max_iter=2, **options))
    assert run.radius == pytest.approx(squared**0.5)
    assert (
        cluster.learn(path, Perceptron(max_iter=2, class_weight={1: 2.0}, **options)).radius is None
    )
