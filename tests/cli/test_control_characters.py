"""Names and labels with control characters: escaped on a terminal, unchanged in a pipe."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from commands import document, on_terminal
from rosenblatt.cli import run

CONTROLS = "\x1b[31m\x07\n\x9b\u202e\u2066!"
ESCAPED = r"\x1b[31m\x07\n\x9b\u202e\u2066!"
IN_JSON = r"\u001b[31m\u0007\n\u009b\u202e\u2066!"
YES, NAME = f"yes{CONTROLS}", f"x{CONTROLS}"


def is_harmless(text: str) -> bool:
    return all(char.isprintable() or char in "\r\n" for char in text)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model learned from a file, next to it, whose names and labels are hostile."""
    columns = {NAME: np.arange(20) / 8, "z": 5 - np.arange(20) / 4}
    table = pa.table({**columns, f"class{CONTROLS}": ["no"] * 10 + [YES] * 10})
    path = tmp_path / f"d{CONTROLS}.parquet"
    pa_parquet.write_table(table, path)
    model = tmp_path / "model"
    assert run(["learn", str(path), "--model", str(model)]) == 0
    return model


def data(model: Path) -> str:
    return str(next(model.parent.glob("*.parquet")))


def test_reports_and_errors_escape_them(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    other = model.with_name("other.csv")
    one_line = CONTROLS.replace("\n", "")
    other.write_text(f"z,new{one_line}\n1,2\n")
    for arguments in (
        ["learn", data(model)],
        ["show", str(model)],
        ["explain", str(model), data(model), "--row", "20"],
        ["evaluate", str(model), data(model)],
        ["separate", data(model)],
        ["plot", data(model), "--output", str(model.with_name(f"p{CONTROLS}.png"))],
        ["predict", str(model), str(other)],
        ["predict", str(model), str(other), "--output", str(model.with_name(f"p{CONTROLS}"))],
        ["learn", data(model), "--label", f"nope{CONTROLS}"],
        ["learn", f"nowhere{CONTROLS}.csv"],
        ["learn", data(model), f"--{one_line}"],
    ):
        run(arguments)
        out, err = capsys.readouterr()
        assert is_harmless(out + err), arguments
        assert ESCAPED.replace(r"\n", "") in (out + err).replace(r"\n", ""), arguments


def test_json_escapes_them(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    for arguments in (["learn", data(model)], ["predict", str(model), data(model)]):
        assert run([*arguments, "--json"]) == 0
        out, _ = capsys.readouterr()
        assert is_harmless(out)
        assert f"yes{IN_JSON}" in out
        assert data(model) in (json.loads(out).get("data", {}) | json.loads(out)).values()
    assert document(["show", str(model)], capsys)["classes"] == ["no", YES]


FORMS = {
    "text": f"{YES}\n",
    "csv": f'"{YES}"\n',
    "jsonl": '{"prediction": "yes\\u001b[31m\\u0007\\n\x9b\u202e\u2066!"}\n',
}


@pytest.mark.parametrize("form", FORMS)
def test_predictions_in_a_pipe_are_exact(
    model: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["predict", str(model), data(model), "--as", form]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.endswith(FORMS[form] * 10)


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (["predict", "--as", "text"], f"yes{ESCAPED}"),
        (["predict", "--as", "csv", "--id", NAME], f'2.375,"yes{ESCAPED}"'),
        (["predict", "--as", "jsonl"], f'{{"prediction": "yes{IN_JSON}"}}'),
        (["show", "--csv"], f"yes{ESCAPED},x{ESCAPED},"),
    ],
)
def test_data_on_a_terminal_are_escaped(model: Path, arguments: list[str], last: str) -> None:
    command, *options = arguments
    files = [str(model), data(model)] if command == "predict" else [str(model)]
    out = on_terminal(command, *files, *options).read()
    assert is_harmless(
        out.removesuffix("\x1b[0m")
    )  # some versions of Rich reset the colors at the end
    assert last in out
