"""The tasks of a shard, by their names."""

from collections.abc import Callable

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.files.file_shard import OpenFileShard
from rosenblatt.cluster.tasks.epoch_task import learn_epoch
from rosenblatt.cluster.tasks.proof_tasks import (
    count_stretch,
    find_first,
    find_worst,
    hash_stretch,
    measure_weights,
)

Task = Callable[[OpenFileShard, Work], Answer]

TASKS: dict[str, Task] = {
    "epoch": learn_epoch,
    "measure": measure_weights,
    "count": count_stretch,
    "hash": hash_stretch,
    "first": find_first,
    "worst": find_worst,
}
