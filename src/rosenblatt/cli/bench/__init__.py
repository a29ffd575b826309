"""Measuring the learners against their peers; only the command `bench` and the benchmarks import it."""
