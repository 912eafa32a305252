// ProxyConfigurationTests: placeholder, replaced by its first file.
