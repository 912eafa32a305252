// Storage: placeholder, replaced by its first file.
