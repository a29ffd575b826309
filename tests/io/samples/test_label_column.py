"""The label column of a table: which one it is, and the type of its labels."""

from pathlib import Path

import pytest

from rosenblatt.cli import run
from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, read
from sample_files import written


@pytest.mark.parametrize("label", ["kind", "1", "-3"])
def test_the_label_column_by_name_or_number(tmp_path: Path, label: str) -> None:
    table = read(written(tmp_path, "kind,a,b\nyes,1,2\nno,3,4\n"), Reading(label=label))
    assert table.y.tolist() == ["yes", "no"]
    assert table.names == ["a", "b"]
    assert (table.label_name, table.label_column) == ("kind", 1)


@pytest.mark.parametrize("label", ["color", "0", "4", "-4", "१", "9" * 5000])
def test_unknown_label_column_is_refused(tmp_path: Path, label: str) -> None:
    with pytest.raises(InputError, match=rf"line 1: there is no label column '{label[:59]}.*give"):
        read(written(tmp_path, "a,b,kind\n1,2,yes\n"), Reading(label=label))


@pytest.mark.parametrize(
    ("header", "label"),
    [
        ("class,a,b", "class"),
        ("a,Label,b", "Label"),
        ("TARGET,a,b", "TARGET"),
        ("a,y,b", "y"),
        ("a,outcome,b", "outcome"),
        ("y,class,b", "class"),
        ("a,b,c", "c"),
    ],
)
def test_default_label_column(tmp_path: Path, header: str, label: str) -> None:
    table = read(written(tmp_path, f"{header}\n1,2,1\n2,1,2\n"))
    assert table.label_name == label
    assert label not in table.names
    assert table.n_samples == 2


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["1", "2", "-3"], [1, 2, -3]),
        (["1", "2.0", "2"], [1, 2, 2]),
        (["true", "FALSE", "True"], [True, False, True]),
        (["0.5", "1", "1.25"], ["0.5", "1", "1.25"]),
        (["1", "true", "2"], ["1", "true", "2"]),
        (["+1", "-1", "+1"], ["+1", "-1", "+1"]),
        (["01", "1", "2"], ["01", "1", "2"]),
        (["1", "1e0", "2"], ["1", "1e0", "2"]),
        (["0.50", "0.5", "1"], ["0.5", "0.5", "1"]),
        (["2.00", "2", "-.50"], ["2", "2", "-0.5"]),
        (["2.00", "3.", "-0.0"], [2, 3, 0]),
        (["00.5", "0.5", "5e-1"], ["00.5", "0.5", "5e-1"]),
        (["0.1", "0.10000000000000000001", "0.2"], ["0.1", "0.1", "0.2"]),
        (["9007199254740993.0", "9007199254740992", "1"], [2**53 + 1, 2**53, 1]),
        ([" a", "b ", '"a"'], ["a", "b", "a"]),
        (["12345678901234567890", "1", "2"], ["12345678901234567890", "1", "2"]),
        (["9007199254740993", "9007199254740992", "1"], [2**53 + 1, 2**53, 1]),
    ],
)
def test_types_of_labels(tmp_path: Path, texts: list[str], labels: list[object]) -> None:
    """Labels written differently stay different, unless they are the same number."""
    lines = "".join(f"{k},{text}\n" for k, text in enumerate(texts))
    table = read(written(tmp_path, f"a,y\n{lines}"))
    assert [(type(label), label) for label in table.y.tolist()] == [(type(e), e) for e in labels]


class TestCommand:
    def output(self, capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
        code = run(["separate", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert code == (2 if err else 0)
        return err or out

    def test_measurement_is_refused_as_label(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        lines = "".join(f"{k % 7},{1.5 * k},{'ab'[k % 2]}\n" for k in range(40))
        path = written(tmp_path, f"age,price,town\n{lines}")
        complaint = self.output(capsys, path, "--label", "price")
        assert complaint == (
            f"rosenblatt: {path}: the label price has 40 different numbers, so it looks like a "
            "measurement, not a class; choose another label column (age, town), or make 'price' "
            "categorical if each number is a class\n"
        )
        for label, way in (("price", "price"), ("2", "2"), ("price", "2"), ("2", "price")):
            assert "40 samples" in self.output(
                capsys, path, "--label", label, "--categorical", way, "--time-limit", "0.001"
            )
        assert "classes a (20), b (20)" in self.output(capsys, path)

    def test_measurement_without_a_name(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = written(tmp_path, "".join(f"{k % 7},{k}\n" for k in range(40)))
        complaint = self.output(capsys, path)
        assert "the label 2 has 40 different numbers" in complaint
        assert "(column 1), or make '2' categorical" in complaint

    def test_unlabeled_samples_are_left_out_and_counted(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = written(tmp_path, "a,y\n1,p\n5,?\n2,q\n7,\n3,p\n")
        out = self.output(capsys, path)
        assert "1 feature, label y, classes p (2), q (1); excluded: 2 without a label\n" in out
        assert "lines 2 and 6 with label 'p' and line 4 with label 'q' overlap" in out
        path = written(tmp_path, "a,y\n1,?\n5,\n")
        assert "no sample has a label; choose another label column" in self.output(capsys, path)
        path = written(tmp_path, "a,y\n1,p\n5,p\n6,?\n")
        out = self.output(capsys, path)
        assert "every sample has the label p" in out
        assert "use --no-intercept" in out


def test_missing_values_of_columns_are_valid_labels(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("1,0\n0,1\n3,0\n4,1\n")
    table = read(path, Reading(missing=["0"]))
    assert table.y is not None
    assert table.y.tolist() == [0, 1, 0, 1]
    assert table.n_unlabeled == 0


def test_label_with_nearly_all_different_values_is_refused(tmp_path: Path) -> None:
    lines = "".join(f"{k * k},model {k}\n" for k in range(50))
    path = written(tmp_path, f"a,name\n{lines}")
    assert run(["learn", str(path)]) == 2
    assert run(["learn", str(path), "--categorical", "name", "--max-epochs", "1"]) == 0
    prices = "".join(f"{k},{k}.10\n" for k in range(50))
    assert run(["learn", str(written(tmp_path, f"a,price\n{prices}"))]) == 2
