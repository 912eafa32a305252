// LoopRuntimeTests: placeholder, replaced by its first file.
