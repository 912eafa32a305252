// AdminAPITests: placeholder, replaced by its first file.
