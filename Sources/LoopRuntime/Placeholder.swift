// LoopRuntime: placeholder, replaced by its first file.
