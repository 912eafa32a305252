// RecordingTests: placeholder, replaced by its first file.
