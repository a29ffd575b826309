"""Model files without code, their JSON and ONNX forms, and their notes about samples."""
