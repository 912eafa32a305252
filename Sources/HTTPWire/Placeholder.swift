// HTTPWire: placeholder, replaced by its first file.
