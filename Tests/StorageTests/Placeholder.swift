// StorageTests: placeholder, replaced by its first file.
