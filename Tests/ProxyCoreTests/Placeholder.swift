// ProxyCoreTests: placeholder, replaced by its first file.
