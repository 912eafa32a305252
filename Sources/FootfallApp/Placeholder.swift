// FootfallApp: placeholder, replaced by its first file.
