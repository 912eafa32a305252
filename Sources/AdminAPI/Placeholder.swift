// AdminAPI: placeholder, replaced by its first file.
