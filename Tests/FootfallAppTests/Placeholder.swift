// FootfallAppTests: placeholder, replaced by its first file.
