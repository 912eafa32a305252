// URLRules: placeholder, replaced by its first file.
