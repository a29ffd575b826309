"""Model files: numbers without code, their JSON and ONNX, and what they note about samples."""
