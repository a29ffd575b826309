from pyarrow import NativeFile, RecordBatch, Schema

class RecordBatchFileReader:
    num_record_batches: int
    schema: Schema
    def get_batch(self, i: int) -> RecordBatch: ...

def open_file(source: NativeFile) -> RecordBatchFileReader: ...
