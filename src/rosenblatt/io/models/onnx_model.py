"""Export of models as ONNX graphs, for runtimes without Python or this library.

A graph takes a float64 matrix ``X`` with one row per sample, and returns ``label`` and ``scores``. If
the table has categories, it takes one input per column instead, of float64 or text and shape (n, 1).
Missing numbers are NaN, dates are days since 1970, and texts have no surrounding blanks.

Scores are ordinary float64 sums. If a score is within rounding error of 0, or two are within rounding
error of each other, the label may differ from that of `predict`, whose decisions are exact. Scores that
are exactly 0 or exactly equal give the same label as `predict`.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.files import write_atomically
from rosenblatt.core.types import Labels, Numbers
from rosenblatt.inspection.model_parts import Parts, Weights, parts_of, weights_of
from rosenblatt.tables.cells import MISSING_MARKERS, marker_text, markers_as_numbers
from rosenblatt.tables.columns import Category, Number, Words
from rosenblatt.tables.encoder import TableEncoder

_OPSETS = {"": 17, "ai.onnx.ml": 3}
_IR_VERSION = 8  # of the same ONNX release


def write_onnx(model: Any, path: Path, names: list[str] | None = None) -> None:
    """Write a fitted linear learner, or a pipeline that ends with one, as an ONNX graph."""
    write_atomically(path, to_onnx(model, names).SerializeToString())


def to_onnx(model: Any, names: list[str] | None = None) -> Any:
    """Return a model as ONNX's `ModelProto`; raise InputError if ONNX cannot represent it.

    ``names`` are the names of the columns if the model does not know them.
    """
    onnx = _imported()
    parts = parts_of(model)
    weights = weights_of(parts, names)
    graph = Graph(onnx, weights.columns)
    encoded = _encoded(graph, parts)
    label, scores = _decided(graph, encoded, parts.learner, weights)
    return graph.finished(label, scores)


def _imported() -> ModuleType:
    try:
        import onnx
    except ImportError as error:
        raise InputError(
            "exporting to ONNX needs the package onnx, which is not installed: "
            "pip install 'rosenblatt[onnx]'"
        ) from error
    return onnx


class Graph:
    """Builds a graph: each method adds a node, a constant or an input and returns its name.

    Generated names avoid those of columns, which may be inputs.
    """

    def __init__(self, onnx: ModuleType, columns: list[str]) -> None:
        self._onnx = onnx
        self._columns = columns
        self._taken = set(columns)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._n_names = 0

    def input(self, name: str, kind: type[np.generic], width: int) -> str:
        """Declare an input with n rows."""
        self._inputs.append(self._value(name, kind, ["n", width]))
        return name

    def constant(self, array: Any, dtype: Any = np.float64) -> str:
        """Add constant numbers or texts."""
        name = self._new_name()
        values = np.asarray(array, dtype=dtype)
        self._constants.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """Add an operation."""
        name = self._new_name()
        helper = self._onnx.helper
        node = helper.make_node(operator, list(inputs), [name], domain=domain, **attributes)
        self._nodes.append(node)
        return name

    def cast(self, name: str, kind: type[np.generic]) -> str:
        """Change the type of a tensor."""
        return self.node("Cast", name, to=self._type(kind))

    def gather(self, name: str, indices: Sequence[int], axis: int) -> str:
        """Select rows or columns."""
        return self.node("Gather", name, self.constant(indices, np.int64), axis=axis)

    def row_sums(self, name: str) -> str:
        """Sum each row."""
        return self.node("ReduceSum", name, self.constant([1], np.int64))

    def finished(
        self,
        label: tuple[str, type[np.generic], list[Any]],
        scores: tuple[str, type[np.generic], list[Any]],
    ) -> Any:
        """Return the model; its outputs are called label and scores unless a column is."""
        helper, outputs = self._onnx.helper, []
        for output, (source, kind, shape) in (("label", label), ("scores", scores)):
            name = self._free(output)
            self._nodes.append(helper.make_node("Identity", [source], [name]))
            outputs.append(self._value(name, kind, shape))
        graph = helper.make_graph(self._nodes, "rosenblatt", self._inputs, outputs, self._constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
        model = helper.make_model(
            graph, producer_name="rosenblatt", opset_imports=opsets, ir_version=_IR_VERSION
        )
        helper.set_model_props(model, {"columns": json.dumps(self._columns)})
        self._onnx.checker.check_model(model)
        return model

    def _value(self, name: str, kind: type[np.generic], shape: list[Any]) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, self._type(kind), shape)

    def _type(self, kind: type[np.generic]) -> Any:
        dtype = np.dtype(object if kind is np.str_ else kind)
        return self._onnx.helper.np_dtype_to_tensor_dtype(dtype)

    def _new_name(self) -> str:
        self._n_names += 1
        return self._free(f"t{self._n_names}")

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _encoded(graph: Graph, parts: Parts) -> str:
    """Return the tensor that the learner receives."""
    steps = list(parts.steps)
    first = steps[0][1] if steps else parts.learner
    if isinstance(first, TableEncoder) and any(isinstance(c, Category) for c in first.columns_):
        tensor = _unit_rows(graph, first, _encoded_columns(graph, first))
        steps = steps[1:]
    else:
        tensor = graph.input("X", np.float64, first.n_features_in_)
    for _, step in steps:
        if isinstance(step, TableEncoder):
            tensor = _unit_rows(graph, step, _encoded_matrix(graph, step, tensor))
        else:
            tensor = _scaled(graph, step, tensor)
    return tensor


def _encoded_columns(graph: Graph, encoder: TableEncoder) -> str:
    """Declare one input per used column and return their encoding."""
    numbers: list[tuple[Number, str]] = []
    blocks: list[str] = []
    starts: dict[str, int] = {}  # the first index of each column in the blocks
    width = 0
    for column in _plain_columns(encoder):
        if isinstance(column, Number):
            numbers.append((column, graph.input(column.name, np.float64, 1)))
            continue
        text = graph.input(column.name, np.str_, 1)
        blocks.append(_one_hot(graph, column, _missing_texts(encoder, column.name), text))
        starts[column.name], width = width, width + column.width
    if numbers:
        matrix = graph.node("Concat", *(name for _, name in numbers), axis=1)
        blocks.append(_filled(graph, encoder, [column for column, _ in numbers], matrix))
        for column, _ in numbers:
            starts[column.name], width = width, width + column.width
    together = graph.node("Concat", *blocks, axis=1)
    order = [
        starts[column.name] + k for column in _plain_columns(encoder) for k in range(column.width)
    ]
    return graph.gather(together, order, 1)


def _encoded_matrix(graph: Graph, encoder: TableEncoder, tensor: str) -> str:
    """Return a matrix as encoded by an encoder of numbers only."""
    columns = _plain_columns(encoder)
    numbers = [column for column in columns if isinstance(column, Number)]
    if len(numbers) != len(columns):
        raise InputError(
            "a TableEncoder with categories can be exported to ONNX only as a Pipeline's first step"
        )
    used = [k for k, column in enumerate(encoder.columns_) if isinstance(column, Number)]
    return _filled(graph, encoder, numbers, graph.gather(tensor, used, 1))


def _unit_rows(graph: Graph, encoder: TableEncoder, tensor: str) -> str:
    return _normalized(graph, tensor, "l2") if encoder.scale == "unit" else tensor


def _plain_columns(encoder: TableEncoder) -> list[Number | Category]:
    words = next((column for column in encoder.columns_ if isinstance(column, Words)), None)
    if words is not None:
        raise InputError(
            f"column {quoted(words.name)} is free text, which cannot be exported to ONNX"
        )
    return [column for column in encoder.columns_ if isinstance(column, Number | Category)]


def _filled(graph: Graph, encoder: TableEncoder, columns: list[Number], tensor: str) -> str:
    """Return numbers, filled in and scaled, with indicators of missing ones."""
    absent = graph.node("IsNaN", tensor)
    missing = [_missing_numbers(encoder, column) for column in columns]
    for k in range(max(map(len, missing), default=0)):
        # columns with fewer such values are padded with NaN, which equals nothing
        row = [values[k] if k < len(values) else np.nan for values in missing]
        absent = graph.node("Or", absent, graph.node("Equal", tensor, graph.constant([row])))
    fill = graph.constant([[column.fill for column in columns]])
    filled = graph.node("Where", absent, fill, tensor)
    centered = graph.node("Sub", filled, graph.constant([[column.center for column in columns]]))
    values = graph.node("Div", centered, graph.constant([[column.scale for column in columns]]))
    if not any(column.indicates for column in columns):
        return values
    both = graph.node("Concat", values, graph.cast(absent, np.float64), axis=1)
    n = len(columns)
    order = [p for k, one in enumerate(columns) for p in ([k, n + k] if one.indicates else [k])]
    return graph.gather(both, order, 1)


def _one_hot(graph: Graph, column: Category, missing: list[str], text: str) -> str:
    """Return one column of 0 and 1 per category, one for all rare ones, one for missing ones."""
    codes = {value: k for k, value in enumerate(column.values)}
    codes |= dict.fromkeys(column.rare, len(column.values))
    for value in {"true", "false"} & codes.keys():
        codes |= dict.fromkeys((value.title(), value.upper()), codes[value])
    codes |= dict.fromkeys(missing, column.width - 1 if column.indicates else -1)
    code = graph.node(
        "LabelEncoder",
        text,
        domain="ai.onnx.ml",
        keys_strings=list(codes),
        values_int64s=list(codes.values()),
        default_int64=-1,
    )
    every = graph.constant([list(range(column.width))], np.int64)
    return graph.cast(graph.node("Equal", code, every), np.float64)


def _missing_texts(encoder: TableEncoder, name: str) -> list[str]:
    """Return the texts that mean a missing value in a column."""
    missing = encoder.missing
    own = missing.get(name, ()) if isinstance(missing, Mapping) else missing
    return [*MISSING_MARKERS, *map(marker_text, own)]


def _missing_numbers(encoder: TableEncoder, column: Number) -> list[float]:
    """Return the numbers that mean a missing value in a column."""
    return markers_as_numbers(_missing_texts(encoder, column.name), column.kind, column.dates)


def _scaled(graph: Graph, step: Any, tensor: str) -> str:
    """Return a matrix as scaled by one of scikit-learn's scalers."""
    match type(step).__name__:
        case "StandardScaler":
            center = step.mean_ if step.with_mean else None
            return _shifted(graph, tensor, center, step.scale_ if step.with_std else None)
        case "RobustScaler":
            center = step.center_ if step.with_centering else None
            return _shifted(graph, tensor, center, step.scale_ if step.with_scaling else None)
        case "MaxAbsScaler":
            scaled = _shifted(graph, tensor, None, step.scale_)
            return _clipped(graph, scaled, (-1.0, 1.0)) if getattr(step, "clip", False) else scaled
        case "MinMaxScaler":
            product = graph.node("Mul", tensor, graph.constant(step.scale_))
            scaled = graph.node("Add", product, graph.constant(step.min_))
            return _clipped(graph, scaled, step.feature_range) if step.clip else scaled
    return _normalized(graph, tensor, step.norm)  # a Normalizer: `weights_of` refuses others


def _shifted(graph: Graph, tensor: str, center: Numbers | None, scale: Numbers | None) -> str:
    if center is not None:
        tensor = graph.node("Sub", tensor, graph.constant(center))
    return tensor if scale is None else graph.node("Div", tensor, graph.constant(scale))


def _clipped(graph: Graph, tensor: str, ends: tuple[float, float]) -> str:
    return graph.node("Clip", tensor, graph.constant(ends[0]), graph.constant(ends[1]))


def _normalized(graph: Graph, tensor: str, norm: str) -> str:
    """Return rows scaled to length 1; rows of zeros stay unchanged."""
    if norm == "l2":
        lengths = graph.node("Sqrt", graph.row_sums(graph.node("Mul", tensor, tensor)))
    elif norm == "l1":
        lengths = graph.row_sums(graph.node("Abs", tensor))
    else:
        lengths = graph.node("ReduceMax", graph.node("Abs", tensor), axes=[1])
    is_zero = graph.node("Equal", lengths, graph.constant(0.0))
    return graph.node("Div", tensor, graph.node("Where", is_zero, graph.constant(1.0), lengths))


def _decided(
    graph: Graph, tensor: str, learner: Any, weights: Weights
) -> tuple[tuple[str, Any, list[Any]], tuple[str, Any, list[Any]]]:
    """Return the label and the scores, each as tensor, type and shape."""
    # Not a MatMul: onnxruntime would fuse a preceding scalar factor into it, rounded to float32.
    parameters = graph.constant(weights.coef.T), graph.constant(weights.intercept)
    scores = graph.node("Gemm", tensor, *parameters)
    n_scores, classes = len(weights.coef), learner.classes_
    # a score of 0 is positive unless ties are negative
    comparison = "Greater" if learner.ties == "negative" else "GreaterOrEqual"
    if learner.multilabel_:
        sides = graph.node(comparison, scores, graph.constant(0.0))
        labels = graph.cast(sides, np.int64)
        return (labels, np.int64, ["n", n_scores]), (scores, np.float64, ["n", n_scores])
    if n_scores > 1 or len(classes) == 1:
        place = graph.node("ArgMax", scores, axis=1, keepdims=0)
        shape = ["n", n_scores]
    else:
        scores, shape = graph.node("Squeeze", scores, graph.constant([1], np.int64)), ["n"]
        place = graph.cast(graph.node(comparison, scores, graph.constant(0.0)), np.int64)
    values, kind = _label_values(classes)
    label = graph.node("Gather", graph.constant(values, values.dtype), place)
    return (label, kind, ["n"]), (scores, np.float64, shape)


def _label_values(classes: Labels) -> tuple[Labels, type[np.generic]]:
    """Return labels with an ONNX type, and that type."""
    if classes.dtype.kind in "iu" and classes.max() < 2**63:
        return classes.astype(np.int64), np.int64
    if classes.dtype.kind == "f":
        return classes.astype(np.float64), np.float64
    if classes.dtype.kind == "b":
        return classes, np.bool_
    if all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(object), np.str_
    raise InputError(
        f"labels of type {classes.dtype} cannot be exported to ONNX: use text, numbers or booleans"
    )
