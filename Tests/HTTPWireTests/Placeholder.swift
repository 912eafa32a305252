// HTTPWireTests: placeholder, replaced by its first file.
