"""The tasks of a shard, by name."""

from collections.abc import Callable

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.files.file_shard import OpenFileShard
from rosenblatt.cluster.tasks.check_task import check_weights
from rosenblatt.cluster.tasks.epoch_task import learn_epoch

TASKS: dict[str, Callable[[OpenFileShard, Work], Answer]] = {
    "epoch": learn_epoch,
    "check": check_weights,
}
