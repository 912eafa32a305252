// RuleEngines: placeholder, replaced by its first file.
