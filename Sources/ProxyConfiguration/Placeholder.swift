// ProxyConfiguration: placeholder, replaced by its first file.
