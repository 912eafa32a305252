// URLRulesTests: placeholder, replaced by its first file.
