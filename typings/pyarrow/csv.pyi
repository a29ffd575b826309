from io import BytesIO

from pyarrow import DataType, NativeFile, Table

class ReadOptions:
    def __init__(
        self, *, column_names: list[str], skip_rows: int = ..., block_size: int = ..., use_threads: bool = ...
    ) -> None: ...

class ParseOptions:
    def __init__(self, *, delimiter: str, quote_char: str = ...) -> None: ...

class ConvertOptions:
    def __init__(
        self, *, column_types: dict[str, DataType], null_values: list[str], decimal_point: str = ...
    ) -> None: ...

class WriteOptions:
    def __init__(self, *, include_header: bool = ..., quoting_style: str = ...) -> None: ...

def read_csv(
    input_file: NativeFile,
    read_options: ReadOptions = ...,
    parse_options: ParseOptions = ...,
    convert_options: ConvertOptions = ...,
) -> Table: ...
def write_csv(data: Table, output_file: BytesIO, write_options: WriteOptions = ...) -> None: ...
