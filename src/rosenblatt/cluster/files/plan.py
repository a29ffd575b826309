"""The plan of a run: all samples, where and how to read them, and their shards."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from rosenblatt.io.blocks.block import Agreement, Block


@dataclass(frozen=True)
class Plan:
    """All blocks of samples, dealt to shards round robin: see ``dealing``."""

    places: tuple[str, ...]
    agreement: Agreement
    n_shards: int

    @cached_property
    def digest(self) -> str:
        """A digest of the samples and how they are dealt, independent of where they are."""
        whole = hashlib.sha256(f"{self.n_shards} {self.agreement.form.read_as!r}\n".encode())
        for label, count in zip(
            self.agreement.classes.tolist(), self.agreement.class_counts.tolist(), strict=True
        ):
            whole.update(f"{label!r} {count}\n".encode())
        for block in self.agreement.blocks:
            whole.update(f"{block.source} {block.row} {block.n_rows} {block.digest}\n".encode())
        return whole.hexdigest()

    def blocks_of(self, shard: int) -> tuple[Block, ...]:
        """Return the blocks of a shard."""
        return self.agreement.blocks[shard :: self.n_shards]

    @property
    def name(self) -> str:
        """The files as named in messages."""
        return " ".join(source.name for source in self.agreement.sources)
