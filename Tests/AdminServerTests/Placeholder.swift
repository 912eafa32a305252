// AdminServerTests: placeholder, replaced by its first file.
