// ProxyServerTests: placeholder, replaced by its first file.
