"""Options for learning in shards, on one machine or many."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.core.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.cluster.engine_choice import EngineChoice

Engines = StrEnum("Engines", ["threads", "ray"])

Shards = Annotated[
    int | None,
    typer.Option(
        "--shards",
        min=1,
        help="Work in this many shards of the files, which are read block by block, never whole.",
        show_default=False,
    ),
]
EngineName = Annotated[
    Engines | None,
    typer.Option(
        "--engine",
        help="Where the shards run; by default threads of this process.",
        show_default=False,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="Of a Ray cluster that is running; without it, one is started on this machine.",
        show_default=False,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="How many workers; by default one a shard, on this machine at most one a processor.",
        show_default=False,
    ),
]
AllowOpen = Annotated[
    bool,
    typer.Option(
        "--allow-open-cluster",
        help="Use a cluster without a token: anyone who can reach it can run code on it.",
    ),
]


def check_needs_shards(given: Mapping[str, object]) -> None:
    """Raise if an option was given that is for shards only."""
    for option, value in given.items():
        if value:
            raise InputError(f"{option} needs --shards: in how many shards the files are worked on")


def check_goes_with_shards(given: Mapping[str, object]) -> None:
    """Raise if an option was given that does not go with shards."""
    for option, value in given.items():
        if value:
            raise InputError(
                f"{option} does not go with --shards, where files are never read whole: leave one out"
            )


def engine_choice(
    engine: StrEnum | None, address: str | None, workers: int | None, *, allow_open: bool
) -> "EngineChoice":
    """Return which engine was asked for."""
    from rosenblatt.cluster.engine_choice import EngineChoice

    name = "threads" if engine is None else engine.value
    return EngineChoice(name, address, workers, allow_open)
