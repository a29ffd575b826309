"""A model as a document, JSON and named arrays of numbers, and back; no part of it is code.

A learner is ``{"class", "parameters", "learned", "run"}``, values as in `codec`; a pipeline has the key
``steps`` with one such for each step, and its name: see ``pipeline_steps`` for those that are not ours.
Classes, parameters and what was learned are checked when they are written, and again when they are read.
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
"""What becomes JSON."""

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
    """Return an estimator or a pipeline, as it is now, and notes about it (any JSON), as a document.

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
            f"{type(estimator).__name__} cannot be saved: model files hold rosenblatt's "
            f"{', '.join(_ESTIMATORS)}, and a Pipeline that ends with one of them"
        )
    document["notes"] = notes
    check_texts(document)
    return document, tensors


def model_of(document: Document, tensors: Tensors) -> tuple[Any, Document]:
    """Return the estimator or the pipeline of a document, and the notes; raise anything if it is bad."""
    check_texts(document)
    if document["class"] == _PIPELINE:
        estimator = _decode_pipeline(document, tensors)
    else:
        estimator = _decode_estimator(document, tensors)
    notes = document["notes"]
    if not isinstance(notes, dict):
        raise TypeError(f"notes that are a {type(notes).__name__}")
    return estimator, notes


def _is_ours(estimator: object) -> bool:
    """Say whether an object is one of our estimators; other libraries have classes of these names."""
    name = type(estimator).__name__
    return name in _ESTIMATORS and type(estimator) is _class_of(name)


def _class_of(name: str) -> Any:
    return getattr(import_module(_ESTIMATORS[name]), name)


def _encode_estimator(estimator: Any, tensors: Tensors, place: str, record: bool) -> Document:
    estimator = copy.copy(estimator)  # as it is now, whatever other threads teach it meanwhile
    _check(estimator)
    parameters = estimator.get_params(deep=False)
    learned, run = estimator.state
    if run is not None and not record:
        run = run.without_record()
    return {
        "class": type(estimator).__name__,
        "parameters": {k: encode(v, tensors, f"{place}{k}") for k, v in parameters.items()},
        "learned": encode(learned, tensors, f"{place}learned"),
        "run": encode(run, tensors, f"{place}run"),
    }


def _check(estimator: Any) -> None:
    """Raise if what is in the estimator could not be loaded again."""
    estimator.check_parameters()
    if estimator.state[0] is None:
        return
    try:
        estimator.check_learned()
    except ValueError as error:
        raise InputError(
            f"this {type(estimator).__name__} cannot be saved, for it could not be loaded again: "
            f"{error}; its parameters may have been changed since it learned"
        ) from error


def _decode_estimator(document: Document, tensors: Tensors) -> Any:
    name, parameters = document["class"], document["parameters"]
    if name not in _ESTIMATORS:
        raise UnknownPartError(f"there is no {name!r:.60}")
    kind = _class_of(name)
    check_known(name, parameters, kind().get_params(deep=False))
    estimator = kind(**{k: decode(v, tensors) for k, v in parameters.items()})
    estimator.check_parameters()
    learned, run = decode(document["learned"], tensors), decode(document["run"], tensors)
    if learned is not None:
        if not isinstance(run, Run | None):
            raise TypeError(f"a run that is a {type(run).__name__}")
        estimator.restore(learned, run)
    return estimator


def _encode_pipeline(pipeline: Pipeline, tensors: Tensors, record: bool) -> Document:
    if pipeline.memory is not None:
        # what joblib keeps in a folder is code, which a model file must not lead to
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
    for one in document["steps"]:
        is_step = one["class"] in STEPS
        step = decode_step(one, tensors) if is_step else _decode_estimator(one, tensors)
        steps.append((one["name"], step))
    verbose, names = document["verbose"], document["transform_input"]
    check_flag("verbose", verbose)
    pipeline = Pipeline(steps, transform_input=names, memory=None, verbose=verbose)
    _check_pipeline(pipeline)
    return pipeline


def _check_pipeline(pipeline: Pipeline) -> None:
    """Raise unless the steps have names, are of kinds that are accepted, and fit each other."""
    names = [name for name, _ in pipeline.steps]
    if (
        not names
        or not all(isinstance(name, str) and "__" not in name for name in names)
        or len({*names, *_ARGUMENTS}) != len(names) + len(_ARGUMENTS)
    ):
        raise InputError(f"{names!r:.200} are not names of a Pipeline's steps: they must differ")
    wanted = pipeline.transform_input
    if wanted is not None and not (
        isinstance(wanted, list) and all(isinstance(name, str) for name in wanted)
    ):
        raise InputError(f"transform_input={wanted!r:.100} is not accepted: use None or names")
    *before, (last, learner) = pipeline.steps
    for name, step in before:
        _check_kind(name, step, list(STEPS), "and in front of the learner")
    _check_kind(last, learner, list(_ESTIMATORS), "as its last step")
    _check_widths(pipeline)


def _check_kind(name: str, step: object, accepted: list[str], where: str) -> None:
    kind = type(step).__name__
    known = STEPS[kind].is_kind_of(step) if kind in STEPS else _is_ours(step)
    if kind not in accepted or not known:
        raise InputError(
            f"the step {quoted(name)}, a {kind}, cannot be saved: {where} a model file's Pipeline has "
            f"{', '.join(accepted)}"
        )


def _check_widths(pipeline: Pipeline) -> None:
    """Raise unless each step gives as many columns as the next one has learned from."""
    width = None
    for name, step in pipeline.steps:
        wanted = width_in(step)
        if width is not None and wanted is not None and width != wanted:
            raise InputError(
                f"the step {quoted(name)} has learned from {wanted} features, but the steps in front of "
                f"it give {width}"
            )
        width = width_out(step)
