from typing import Any

class Pipeline:
    steps: list[tuple[str, Any]]
    transform_input: list[str] | None
    memory: object
    verbose: bool
    def __init__(
        self,
        steps: list[tuple[str, Any]],
        *,
        transform_input: list[str] | None = ...,
        memory: object = ...,
        verbose: bool = ...,
    ) -> None: ...
    def __getitem__(self, ind: int | str | slice) -> Any: ...
    def transform(self, X: object) -> Any: ...
