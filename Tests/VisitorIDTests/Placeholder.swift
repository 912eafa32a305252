// VisitorIDTests: placeholder, replaced by its first file.
