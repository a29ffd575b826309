"""Sources that several workers read: which they may be, and whether they are still what was surveyed."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import SourceIdentity
from rosenblatt.io.sources.shown_url import shown_url
from rosenblatt.io.sources.source import Source, sources_of
from rosenblatt.io.sources.stored import State


def shared_sources(places: Sequence[str | Path]) -> list[Source]:
    """Return the sources that are meant: files, patterns, URLs; not standard input."""
    sources = sources_of(places)
    for source in sources:
        if not source.is_repeatable:
            raise InputError(
                f"{source.name}: a shard is read by several workers, again and again: give files"
            )
    return sources


def shared_source(place: str) -> Source:
    """Return the one source at a place, which is not a pattern."""
    sources = shared_sources([place])
    if len(sources) != 1:
        shown = shown_url(place)
        raise InputError(f"{shown}: {len(sources):,} files are meant by this; give one at a time")
    return sources[0]


def source_identity(source: Source, state: State, *, is_packed: bool = False) -> SourceIdentity:
    """Return what tells a source, in the state before it was read, from what it may become.

    Raise if it has changed since.
    """
    now = source.state()
    if now != state:
        raise InputError(
            f"{source.name}: it changed while it was read: it was {state}, now it is {now}; read it "
            "when nothing writes to it"
        )
    return SourceIdentity(source.name, state.n_bytes, state.version, is_packed)


class SurveyedSources:
    """The sources at some places, which must be what was surveyed.

    Their size is that of the survey, always. Their version may be another one at first, for another
    machine may have a copy of the file, and the blocks are compared with their digests; from then on it
    stays.
    """

    def __init__(self, places: Sequence[str], surveyed: Sequence[SourceIdentity]) -> None:
        self._places, self._surveyed = places, surveyed
        self._sources: dict[int, Source] = {}
        self._seen: dict[int, State] = {}

    def __getitem__(self, number: int) -> Source:
        """Return the source with this number."""
        if number not in self._sources:
            self._sources[number] = shared_source(self._places[number])
        return self._sources[number]

    def check(self, numbers: Iterable[int]) -> None:
        """Raise if one of the sources with these numbers is not what it was."""
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
    """Return the error of a source that is not what was surveyed."""
    return InputError(
        f"{name}: it has changed since the survey, or differs from the file that was surveyed: {how}; "
        "give all workers the same files, and begin anew"
    )
