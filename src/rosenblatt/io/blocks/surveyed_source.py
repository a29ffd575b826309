"""Sources that several workers read, and checks that they have not changed since the survey."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import SourceIdentity
from rosenblatt.io.sources.shown_url import shown_url
from rosenblatt.io.sources.source import Source, sources_of
from rosenblatt.io.sources.stored import State


def shared_sources(paths: Sequence[str | Path]) -> list[Source]:
    """Return the sources of files, patterns and URLs; raise InputError for standard input."""
    sources = sources_of(paths)
    for source in sources:
        if not source.is_repeatable:
            raise InputError(
                f"{source.name}: it can be read only once, but shards read it in each epoch; give "
                "files instead"
            )
    return sources


def shared_source(path: str) -> Source:
    """Return the source of a path or URL; raise InputError for a pattern of several."""
    sources = shared_sources([path])
    if len(sources) != 1:
        shown = shown_url(path)
        raise InputError(f"{shown}: this matches {len(sources):,} files; give one at a time")
    return sources[0]


def source_identity(source: Source, state: State, *, is_packed: bool = False) -> SourceIdentity:
    """Return the identity of a source; raise InputError if it is no longer in this state."""
    now = source.state()
    if now != state:
        raise InputError(
            f"{source.name}: it changed while it was read: it was {state}, now it is {now}; read it "
            "while nothing writes to it"
        )
    return SourceIdentity(source.name, state.n_bytes, state.version, is_packed)


class SurveyedSources:
    """Sources that must not change after the survey.

    Their size must be that of the survey. Their version may differ at first, because another machine may
    have a copy of the file (block digests are compared), but must not change from then on.
    """

    def __init__(self, paths: Sequence[str], surveyed: Sequence[SourceIdentity]) -> None:
        self._paths, self._surveyed = paths, surveyed
        self._sources: dict[int, Source] = {}
        self._seen: dict[int, State] = {}

    def __getitem__(self, number: int) -> Source:
        """Return the source with this number."""
        if number not in self._sources:
            self._sources[number] = shared_source(self._paths[number])
        return self._sources[number]

    def check(self, numbers: Iterable[int]) -> None:
        """Raise InputError if one of the sources with these numbers has changed."""
        for number in numbers:
            source, was = self[number], self._surveyed[number]
            now = source.state()
            if now.n_bytes != was.n_bytes:
                before = State(was.n_bytes, was.version)
                raise changed(source.name, f"it was {before}, now it is {now}")
            first = self._seen.setdefault(number, now)
            if now != first:
                raise changed(source.name, f"it was {first}, now it is {now}")


def changed(name: str, how: str) -> InputError:
    """Return the error for a source that differs from the surveyed one."""
    return InputError(
        f"{name}: it has changed since the first round of reading, or is not the same file on all "
        f"workers: {how}; "
        "give all workers the same files, and start over"
    )
