from typing import Any

class ReadOptions:
    def __init__(
        self, *, column_names: list[str], skip_rows: int = ..., block_size: int = ...
    ) -> None: ...

class ParseOptions:
    def __init__(self, *, delimiter: str) -> None: ...

class ConvertOptions:
    def __init__(self, *, column_types: dict[str, Any], null_values: list[str]) -> None: ...

def read_csv(
    input_file: Any,
    read_options: ReadOptions = ...,
    parse_options: ParseOptions = ...,
    convert_options: ConvertOptions = ...,
) -> Any: ...
