// EffectsTests: placeholder, replaced by its first file.
