// RuleEnginesTests: placeholder, replaced by its first file.
