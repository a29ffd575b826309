"""Rounds in which a model is asked about all ranges of files, and their answers in order."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from rosenblatt.cluster.engines.engine import Engine, Work
from rosenblatt.cluster.models.model_shard import ModelAsked, ModelShard, Part, Stretch
from rosenblatt.cluster.models.waiting_parts import WaitingParts
from rosenblatt.core.errors import InputError
from rosenblatt.io.ranges.file_ranges import FileRange, lots
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.sample_stream import no_sample
from rosenblatt.io.streams.tables.csv_parser import QuotesChangedError


class ModelRounds:
    """All ranges of files, dealt to shards as they are free; what comes of them, in their order.

    It can be asked again, as a stream can: then it knows which apostrophes are not quotes.
    """

    is_repeatable = True

    def __init__(
        self,
        engine: Engine,
        task: str,
        asked: ModelAsked,
        sources: Sequence[Source],
        ranges: Sequence[FileRange],
        n_shards: int,
    ) -> None:
        self._engine, self._task, self._asked = engine, task, asked
        self._sources, self._lots = sources, lots(ranges)
        self._n_shards = max(1, min(n_shards, len(self._lots)))
        self._apostrophes: frozenset[int] = frozenset()
        self._n_done: dict[int, int] = {}
        self.n_bytes = sum(own.n_bytes for own in ranges)
        self.n_unlabelled = 0

    @property
    def n_read(self) -> int:
        """How many bytes of all files, as stored, are done."""
        return sum(self._n_done.values())

    def chunks(self) -> Generator[Part, None, None]:
        """Yield what came of the ranges, in the order of the files; an error is raised in its place.

        Raise `QuotesChangedError` if that turns out after the first part; whoever begins again then gets
        what is right.
        """
        before = [source.identity() for source in self._sources]
        self._engine.start([ModelShard(self._asked, k) for k in range(self._n_shards)])
        n_samples, is_begun, is_over = 0, False, False
        while not is_over:
            self._n_done, self.n_unlabelled = {}, 0
            try:
                with closing(self._in_order()) as parts:
                    for part in parts:
                        n_samples += part.n_samples
                        self.n_unlabelled += part.n_unlabelled
                        is_begun = True
                        yield part
                is_over = True
            except QuotesChangedError as error:
                self._apostrophes |= {error.source}
                if is_begun:
                    raise
        if n_samples == 0:
            names = " ".join(source.name for source in self._sources)
            raise no_sample(names, self.n_unlabelled)
        for source, was in zip(self._sources, before, strict=True):
            if source.identity() != was:
                raise InputError(f"{source.name}: it has changed while it was read")

    def _in_order(self) -> Generator[Part, None, None]:
        """Yield the parts of all lots in order, each as soon as all before it are there."""
        dealt, lot = _Dealt(self._lots, self._n_shards, self._apostrophes), 0
        with closing(WaitingParts()) as waiting:
            while lot <= dealt.last:
                found = waiting.next(lot)
                if found is not None:
                    if isinstance(found.error, QuotesChangedError):
                        raise found.error  # what came before it may be wrong, too
                    yield found
                    if found.error is not None:
                        raise found.error
                elif lot in dealt.over:
                    lot += 1
                else:
                    for own, part in self._round(dealt):
                        self._n_done[own] = part.n_bytes
                        waiting.add(own, part)

    def _round(self, dealt: "_Dealt") -> Iterator[tuple[int, Part]]:
        """Let all shards work on what is theirs; yield what came of it, and of which lot."""
        work = Work(self._task, details={"stretches": dealt.stretches()})
        for shard, answer in enumerate(self._engine.round(work)):
            part = answer.facts["part"]
            if part is not None:
                yield dealt.done(shard, part), part


class _Dealt:
    """Which lots are dealt to which shards: each takes the next one when it is through with its own.

    No lot after the ``last`` is dealt, for there is an error in that; those in ``over`` are done.
    """

    def __init__(
        self, all_lots: Sequence[tuple[FileRange, ...]], n_shards: int, apostrophes: frozenset[int]
    ) -> None:
        self._lots, self._apostrophes = all_lots, apostrophes
        self._at_work: list[tuple[int, Stretch] | None] = [None] * n_shards
        self._n_dealt = 0
        self.last = len(all_lots) - 1
        self.over: set[int] = set()

    def stretches(self) -> list[Stretch | None]:
        """Return what each shard does in the next round."""
        for shard, own in enumerate(self._at_work):
            if own is None and self._n_dealt <= self.last:
                stretch = Stretch(self._lots[self._n_dealt], apostrophes=self._apostrophes)
                self._at_work[shard] = self._n_dealt, stretch
                self._n_dealt += 1
        return [None if own is None else own[1] for own in self._at_work]

    def done(self, shard: int, part: Part) -> int:
        """Take notice of what came of a shard's stretch; return the number of its lot."""
        own = self._at_work[shard]
        assert own is not None
        lot, stretch = own
        is_over = part.after is None
        self._at_work[shard] = None if is_over else (lot, replace(stretch, after=part.after))
        if is_over:
            self.over.add(lot)
        if part.error is not None:
            self.last = min(self.last, lot)
        return lot
