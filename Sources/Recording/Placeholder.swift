// Recording: placeholder, replaced by its first file.
