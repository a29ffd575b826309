"""Conversion of models to documents (JSON and named tensors, no code) and back.

A learner is ``{"class", "parameters", "learned", "run"}`` with values as in `codec`. A pipeline has a
list ``steps`` of named documents, one per step; ``pipeline_steps`` handles those that are not ours.
Classes, parameters and learned state are checked both when written and when read.
"""

import copy
from importlib import import_module
from typing import Any

from sklearn.pipeline import Pipeline

from rosenblatt.core.checks import check_flag
from rosenblatt.core.errors import InputError, quoted
from rosenblatt.estimators.common.run import Run
from rosenblatt.io.models.codec import (
    Tensors,
    UnknownPartError,
    check_known,
    check_texts,
    decode,
    encode,
)
from rosenblatt.io.models.pipeline_steps import STEPS, decode_step, encode_step, width_in, width_out

Document = dict[str, Any]
"""An object that can be written as JSON."""

_ESTIMATORS = {
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "MaxMargin": "rosenblatt.estimators.max_margin",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "Winnow": "rosenblatt.estimators.winnow",
}
_PIPELINE = "Pipeline"
_ARGUMENTS = ("steps", "transform_input", "memory", "verbose")


def document_of(
    estimator: Any, notes: Document, *, record: bool = True
) -> tuple[Document, Tensors]:
    """Return the current state of an estimator or a pipeline, with notes (any JSON), as a document.

    >>> from rosenblatt import Perceptron
    >>> document_of(Perceptron(), {})[0]["class"]
    'Perceptron'
    """
    tensors: Tensors = {}
    if type(estimator) is Pipeline:
        document = _encode_pipeline(estimator, tensors, record)
    elif _is_ours(estimator):
        document = _encode_estimator(estimator, tensors, "", record)
    else:
        raise InputError(
            f"{type(estimator).__name__} cannot be saved: model files contain rosenblatt's "
            f"{', '.join(_ESTIMATORS)}, or a Pipeline that ends with one of them"
        )
    document["notes"] = notes
    check_texts(document)
    return document, tensors


def model_of(document: Document, tensors: Tensors) -> tuple[Any, Document]:
    """Return the estimator or pipeline of a document and its notes; raise some error if it is bad."""
    check_texts(document)
    if document["class"] == _PIPELINE:
        estimator = _decode_pipeline(document, tensors)
    else:
        estimator = _decode_estimator(document, tensors)
    notes = document["notes"]
    if not isinstance(notes, dict):
        raise TypeError(f"the notes are a {type(notes).__name__}, not a dict")
    return estimator, notes


def _is_ours(estimator: object) -> bool:
    """Return whether an object is one of our estimators, not a namesake from another library."""
    name = type(estimator).__name__
    return name in _ESTIMATORS and type(estimator) is _class_of(name)


def _class_of(name: str) -> Any:
    return getattr(import_module(_ESTIMATORS[name]), name)


def _encode_estimator(estimator: Any, tensors: Tensors, prefix: str, record: bool) -> Document:
    estimator = copy.copy(estimator)  # a snapshot: other threads may be training it
    _check(estimator)
    parameters = estimator.get_params(deep=False)
    learned, run = estimator.state
    if run is not None and not record:
        run = run.without_record()
    return {
        "class": type(estimator).__name__,
        "parameters": {k: encode(v, tensors, f"{prefix}{k}") for k, v in parameters.items()},
        "learned": encode(learned, tensors, f"{prefix}learned"),
        "run": encode(run, tensors, f"{prefix}run"),
    }


def _check(estimator: Any) -> None:
    """Raise InputError if the estimator could not be loaded again."""
    estimator.check_parameters()
    if estimator.state[0] is None:
        return
    try:
        estimator.check_learned()
    except ValueError as error:
        raise InputError(
            f"this {type(estimator).__name__} cannot be saved because it could not be loaded again: "
            f"{error}; perhaps its parameters were changed after it learned"
        ) from error


def _decode_estimator(document: Document, tensors: Tensors) -> Any:
    name, parameters = document["class"], document["parameters"]
    if name not in _ESTIMATORS:
        raise UnknownPartError(f"there is no class {name!r:.60}")
    kind = _class_of(name)
    check_known(name, parameters, kind().get_params(deep=False))
    estimator = kind(**{k: decode(v, tensors) for k, v in parameters.items()})
    estimator.check_parameters()
    learned, run = decode(document["learned"], tensors), decode(document["run"], tensors)
    if learned is not None:
        if not isinstance(run, Run | None):
            raise TypeError(f"the run is a {type(run).__name__}")
        estimator.restore(learned, run)
    return estimator


def _encode_pipeline(pipeline: Pipeline, tensors: Tensors, record: bool) -> Document:
    if pipeline.memory is not None:
        # joblib keeps pickled code in that folder, and a model file must not lead to code
        raise InputError(
            f"a Pipeline with memory={pipeline.memory!r} cannot be saved: set it to None"
        )
    _check_pipeline(pipeline)
    return {
        "class": _PIPELINE,
        "verbose": bool(pipeline.verbose),
        "transform_input": pipeline.transform_input,
        "steps": [
            {
                "name": name,
                **(
                    _encode_estimator(step, tensors, f"steps.{k}.", record)
                    if _is_ours(step)
                    else encode_step(name, step, tensors, f"steps.{k}.")
                ),
            }
            for k, (name, step) in enumerate(pipeline.steps)
        ],
    }


def _decode_pipeline(document: Document, tensors: Tensors) -> Pipeline:
    steps = []
    for part in document["steps"]:
        is_step = part["class"] in STEPS
        step = decode_step(part, tensors) if is_step else _decode_estimator(part, tensors)
        steps.append((part["name"], step))
    verbose, names = document["verbose"], document["transform_input"]
    check_flag("verbose", verbose)
    pipeline = Pipeline(steps, transform_input=names, memory=None, verbose=verbose)
    _check_pipeline(pipeline)
    return pipeline


def _check_pipeline(pipeline: Pipeline) -> None:
    """Raise InputError unless the steps have valid names, known classes and matching widths."""
    names = [name for name, _ in pipeline.steps]
    if (
        not names
        or not all(isinstance(name, str) and "__" not in name for name in names)
        or len({*names, *_ARGUMENTS}) != len(names) + len(_ARGUMENTS)
    ):
        raise InputError(
            f"the steps of a Pipeline must have different names without '__': found {names!r:.200}"
        )
    inputs = pipeline.transform_input
    if inputs is not None and not (
        isinstance(inputs, list) and all(isinstance(name, str) for name in inputs)
    ):
        raise InputError(f"transform_input={inputs!r:.100} is not accepted: use None or names")
    *before, (last, learner) = pipeline.steps
    for name, step in before:
        _check_class(name, step, list(STEPS), "before its learner")
    _check_class(last, learner, list(_ESTIMATORS), "as its last step")
    _check_widths(pipeline)


def _check_class(name: str, step: object, accepted: list[str], where: str) -> None:
    kind = type(step).__name__
    hint = "; TableEncoder encodes columns of every kind" if kind == "ColumnTransformer" else ""
    known = STEPS[kind].is_kind_of(step) if kind in STEPS else _is_ours(step)
    if kind not in accepted or not known:
        raise InputError(
            f"the step {quoted(name)}, a {kind}, cannot be saved: {where}, a Pipeline in a model file "
            f"may have {', '.join(accepted)}{hint}"
        )


def _check_widths(pipeline: Pipeline) -> None:
    """Raise InputError unless each step outputs as many features as the next one has learned from."""
    width = None
    for name, step in pipeline.steps:
        expected = width_in(step)
        if width is not None and expected is not None and width != expected:
            raise InputError(
                f"the step {quoted(name)} has learned from {expected} features, but the steps before it "
                f"output {width}"
            )
        width = width_out(step)
