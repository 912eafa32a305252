// ProxyCore: placeholder, replaced by its first file.
