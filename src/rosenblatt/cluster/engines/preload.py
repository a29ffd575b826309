"""What a worker that is a process of its own does first, while its driver does other things."""

from importlib import import_module


def preload() -> None:
    """Import what shards of files need: that takes two seconds, for which a round would have to wait."""
    import_module("rosenblatt.cluster.tasks.all_tasks")
    parsers = import_module("rosenblatt.io.samples.line_parsers")
    parsers.parse_libsvm(b"1 1:1\n", "", 1)  # the first compiled code that is loaded takes longest
