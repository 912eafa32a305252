// VisitorID: placeholder, replaced by its first file.
