// AdminServer: placeholder, replaced by its first file.
